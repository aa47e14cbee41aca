//! Write and Edit from outside: the table of edits, rows of the bug log named after their row, random texts against a
//! naive model, and approval: what was shown is what is done.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use carpel_pod::tools::{
    Cancel, Intent, ReadRecord, ToolCx, ToolFailure, ToolOutput, ToolReport, Toolbox, Workspace,
};
use proptest::prelude::{Just, ProptestConfig, prop, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Value, json};

/// A session in `work`, beside a folder `outside`.
struct Session {
    folder: tempfile::TempDir,
    workspace: Workspace,
    tools: Toolbox,
    cancel: Cancel,
}

impl Session {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "outside", "work-evil"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let workspace = Workspace::open(&folder.path().join("work")).unwrap();
        Self {
            folder,
            workspace,
            tools: Toolbox::with_writers(&ReadRecord::new(), Vec::new()),
            cancel: Cancel::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join("outside").join(name)
    }

    fn with<T>(&self, act: impl FnOnce(&ToolCx<'_>) -> T) -> T {
        act(&ToolCx { workspace: &self.workspace, cancel: &self.cancel, progress: &|_| {} })
    }

    fn run(&self, name: &str, arguments: Value) -> Result<ToolOutput, ToolFailure> {
        self.with(|cx| self.tools.run(name, &arguments, cx))
    }

    fn read(&self, file: &str) {
        self.run("Read", json!({"file_path": file})).unwrap();
    }

    /// A file as it is when the model has read it.
    fn holding(&self, file: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(file), bytes).unwrap();
        self.read(file);
    }

    fn check(&self, name: &str, arguments: Value, summary: &str) -> ToolOutput {
        let output = self.run(name, arguments.clone()).unwrap_or_else(|f| panic!("{arguments}: {f:?}"));
        assert_eq!(output.summary, summary);
        output
    }

    fn check_refused(&self, name: &str, arguments: Value, fact: &str) {
        let failure = self.run(name, arguments.clone()).expect_err(&arguments.to_string());
        assert!(failure.summary.contains(fact), "{} lacks {fact:?}", failure.summary);
        assert!(!failure.summary.contains('\n'), "{}", failure.summary);
    }

    fn intent(&self, name: &str, arguments: &Value) -> Result<Intent, ToolFailure> {
        self.with(|cx| self.tools.intent(name, arguments, cx))
    }

    fn run_approved(
        &self,
        name: &str,
        arguments: &Value,
        intent: &Intent,
    ) -> Result<ToolOutput, ToolFailure> {
        self.with(|cx| self.tools.run_approved(name, arguments, intent, cx))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.workspace.root()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn edit(file: &str, old: &str, new: &str) -> Value {
    json!({"file_path": file, "old_string": old, "new_string": new})
}

fn write(file: &str, content: &str) -> Value {
    json!({"file_path": file, "content": content})
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn every_row_of_the_table_of_edits() {
    let rows = include_str!("../data/edits.jsonl");
    for row in rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()) {
        let case = row["case"].as_str().unwrap();
        let session = Session::new();
        let before = unhex(row["before_hex"].as_str().unwrap());
        fs::write(session.path("f"), &before).unwrap();
        let read = session.run("Read", json!({"file_path": "f"}));
        assert_eq!(read.is_err(), before.contains(&0), "{case}");
        let mut arguments = edit("f", row["old"].as_str().unwrap(), row["new"].as_str().unwrap());
        arguments["replace_all"] = row["all"].clone();
        let result = session.run("Edit", arguments);
        let expected = match (row["expect"].as_str().unwrap(), &result) {
            ("ok", Ok(_)) => &row["after_hex"],
            ("error" | "error_or_ok", Err(_)) => &row["before_hex"],
            ("error_or_ok", Ok(_)) => &row["after_hex_if_ok"],
            (_, result) => panic!("{case}: {result:?}"),
        };
        let after = fs::read(session.path("f")).unwrap();
        assert_eq!(after, unhex(expected.as_str().unwrap()), "{case}");
        assert_eq!(session.names(), ["f"], "{case}");
    }
}

#[test]
fn shapes_of_results() {
    let session = Session::new();
    let made = session.check("Write", write("src/a.rs", "one\ntwo\n"), "Created src/a.rs (8 bytes)");
    assert_eq!(
        made.structured.unwrap(),
        json!({"path": "src/a.rs", "created": true, "bytes": 8, "truncated": false, "hunks": [
            {"old_start": 1, "new_start": 1, "lines": [{"tag": "added", "text": "one"}, {"tag": "added", "text": "two"}]}]})
    );
    let edited = session.check("Edit", edit("src/a.rs", "two", "2"), "Edited src/a.rs: 1 replacement");
    assert_eq!(edited.output.as_deref(), Some("replaced at line 2"));
    assert_eq!(
        edited.structured.unwrap(),
        json!({"path": "src/a.rs", "created": false, "bytes": 6, "replacements": 1, "truncated": false, "hunks": [
            {"old_start": 1, "new_start": 1, "lines": [{"tag": "context", "text": "one"},
                {"tag": "removed", "text": "two"}, {"tag": "added", "text": "2"}]}]})
    );
    session.check("Write", write("src/a.rs", "three"), "Overwrote src/a.rs (5 bytes, was 6)");
    session.holding("b", "x\r\nx\r\n");
    let all = json!({"file_path": "b", "old_string": "x", "new_string": "y", "replace_all": true});
    let all = session.check("Edit", all, "Edited b: 2 replacements");
    assert_eq!(all.output.as_deref(), Some("replaced at lines 1, 2; CR LF line ends are kept"));
    let report = ToolReport::from(session.run("Edit", edit("b", "y", "z")));
    assert_eq!(
        report.summary,
        "`old_string` is 2 times in `b` (lines 1, 2); add lines around it until it occurs once, or set `replace_all`"
    );
}

#[test]
fn a_not_found_text_is_hinted_at() {
    let session = Session::new();
    session.holding("f", "fn a() {\n\tlet x = 1;\n}\n");
    session.check_refused(
        "Edit",
        edit("f", "  let x = 1;", "y"),
        "only blanks differ at line 2 (the file has tabs there)",
    );
    session.check_refused("Edit", edit("f", "     1\tfn a() {", "y"), "without the line numbers");
    session.check_refused("Edit", edit("F", "a", "y"), "did you mean `f`?");
    session.check_refused("Edit", edit("f", "", "y"), "`old_string` is empty");
    session.check_refused("Edit", edit("f", "}\r\n", "}\n"), "the same but for line ends");
}

#[test]
fn log_10_01_line_ends_are_kept() {
    let session = Session::new();
    let check = |before: &str, content: &str, after: &str| {
        session.holding("f", before);
        session.run("Write", write("f", content)).unwrap();
        assert_eq!(fs::read_to_string(session.path("f")).unwrap(), after);
    };
    check("a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n");
    check("a\r\nb\nc\r\n", "a\nb\nC\n", "a\r\nb\nC\r\n");
    check("a\nb\n", "a\r\nb\r\n", "a\r\nb\r\n");
    check("a\nb\n", "x\n", "x\n");
}

#[test]
fn log_10_02_a_byte_order_mark_is_kept() {
    let session = Session::new();
    session.holding("f", "\u{feff}a\r\nb\r\n");
    session.run("Write", write("f", "c\nb\n")).unwrap();
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), "\u{feff}c\r\nb\r\n");
    session.run("Write", write("f", "\u{feff}d\n")).unwrap();
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), "\u{feff}d\r\n");
    let output = session.run("Write", write("f", "e\r\n")).unwrap();
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), "\u{feff}e\r\n");
    assert_eq!(output.structured.unwrap()["hunks"][0]["lines"][0], json!({"tag": "removed", "text": "d"}));
    session.holding("g", b"\xff\xfeh\0i\0\n\0");
    session.check_refused("Write", write("g", "x"), "is a UTF-16 file");
    session.check_refused("Edit", edit("g", "h", "x"), "is a UTF-16 file");
}

#[test]
fn log_10_04_a_foreign_byte_far_away_is_kept() {
    let session = Session::new();
    session.holding("f", b"one\ntwo \x99 \xa9\n");
    session.run("Edit", edit("f", "one", "ONE")).unwrap();
    assert_eq!(fs::read(session.path("f")).unwrap(), b"ONE\ntwo \x99 \xa9\n");
}

#[test]
fn log_10_06_empty_old_text_changes_nothing() {
    let session = Session::new();
    session.holding("f", "abc");
    for all in [false, true] {
        let arguments = json!({"file_path": "f", "old_string": "", "new_string": "X", "replace_all": all});
        session.check_refused("Edit", arguments, "`old_string` is empty");
    }
    assert_eq!(fs::read(session.path("f")).unwrap(), b"abc");
}

#[test]
fn log_10_08_an_ambiguous_text_is_refused_with_the_count() {
    let session = Session::new();
    session.holding("f", "same\nsame\nsame\n");
    session.check_refused("Edit", edit("f", "same", "x"), "is 3 times in `f` (lines 1, 2, 3)");
    session.holding("g", "aaa");
    session.check_refused("Edit", edit("g", "aa", "x"), "is 2 times");
}

#[test]
fn log_10_09_mode_and_owner_are_kept() {
    let session = Session::new();
    session.holding("run.sh", "#!/bin/sh\necho X\n");
    for mode in [0o755, 0o600, 0o4750] {
        fs::set_permissions(session.path("run.sh"), fs::Permissions::from_mode(mode)).unwrap();
        session.run("Write", write("run.sh", &format!("{mode:o}\n"))).unwrap();
        let metadata = fs::metadata(session.path("run.sh")).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o7777, mode);
    }
    fs::set_permissions(session.path("run.sh"), fs::Permissions::from_mode(0o444)).unwrap();
    session.check_refused("Write", write("run.sh", "x"), "is read-only");
    session.check_refused("Edit", edit("run.sh", "4750", "x"), "is read-only");
    assert_eq!(fs::read_to_string(session.path("run.sh")).unwrap(), "4750\n");
}

#[test]
fn a_directory_that_forbids_writing_is_told() {
    let session = Session::new();
    fs::create_dir(session.path("locked")).unwrap();
    session.holding("locked/x", "x\n");
    fs::set_permissions(session.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(session.path("locked/probe"), "").is_ok() {
        eprintln!("skipped: this user may write everywhere");
        return;
    }
    session.check_refused(
        "Edit",
        edit("locked/x", "x", "y"),
        "cannot be written: permission denied on its directory",
    );
    session.check_refused(
        "Write",
        write("locked/new", "y"),
        "cannot be written: permission denied on its directory",
    );
    assert_eq!(fs::read_to_string(session.path("locked/x")).unwrap(), "x\n");
    fs::set_permissions(session.path("locked"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn log_10_10_a_link_stays_and_its_target_is_written() {
    let session = Session::new();
    session.holding("real.txt", "real\n");
    symlink("real.txt", session.path("link.txt")).unwrap();
    symlink("new.txt", session.path("dangling")).unwrap();
    // A person is told both: the name that was asked for, and where it leads.
    let title = |tool: &str, arguments: &Value| session.intent(tool, arguments).unwrap().title;
    assert_eq!(title("Edit", &edit("link.txt", "real", "new")), "edit link.txt, which leads to real.txt");
    assert_eq!(title("Write", &write("dangling", "x")), "create dangling, which leads to new.txt");
    assert_eq!(title("Edit", &edit("./real.txt", "real", "new")), "edit real.txt");
    session.check("Edit", edit("link.txt", "real", "new"), "Edited real.txt: 1 replacement");
    assert_eq!(fs::read_link(session.path("link.txt")).unwrap(), Path::new("real.txt"));
    assert_eq!(fs::read_to_string(session.path("real.txt")).unwrap(), "new\n");
    session.check("Write", write("dangling", "x"), "Created new.txt (1 byte)");
    assert_eq!(session.names(), ["dangling", "link.txt", "new.txt", "real.txt"]);
}

const WRITER: &str = "CARPEL_TEST_WRITER_IN";

/// The test program starts itself once more, as the process that is killed while it writes.
#[test]
fn log_10_12_a_killed_write_leaves_the_old_or_the_new_file() {
    if let Some(folder) = std::env::var_os(WRITER) {
        write_for_ever(Path::new(&folder));
    }
    let session = Session::new();
    fs::write(session.path("f"), big(b'a')).unwrap();
    for round in 0..30u64 {
        let mut writer = Command::new(std::env::current_exe().unwrap());
        writer.args(["--exact", "writing::log_10_12_a_killed_write_leaves_the_old_or_the_new_file"]);
        let mut writer = writer
            .env(WRITER, session.workspace.root())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !session.path("started").exists() {
            assert!(writer.try_wait().unwrap().is_none(), "the writer ended by itself");
            std::thread::sleep(Duration::from_millis(2));
        }
        // Spread over several writes: which moment is hit does not matter, only that all kinds are.
        std::thread::sleep(Duration::from_micros(round * 3_700));
        writer.kill().unwrap();
        writer.wait().unwrap();
        fs::remove_file(session.path("started")).unwrap();
        let found = fs::read(session.path("f")).unwrap();
        assert!(found == big(found[0]), "round {round}: {} bytes, mixed", found.len());
    }
    session.read("f");
    session.run("Write", write("f", "at the end\n")).unwrap();
    assert_eq!(session.names(), ["f"]);
}

fn big(byte: u8) -> Vec<u8> {
    let mut line = vec![byte; 99];
    line.push(b'\n');
    line.repeat(10_000)
}

fn write_for_ever(folder: &Path) -> ! {
    let workspace = Workspace::open(folder).unwrap();
    let tools = Toolbox::with_writers(&ReadRecord::unkept(), Vec::new());
    let cancel = Cancel::new();
    let cx = ToolCx { workspace: &workspace, cancel: &cancel, progress: &|_| {} };
    fs::write(folder.join("started"), "").unwrap();
    for byte in (b'a'..=b'z').cycle() {
        let content = String::from_utf8(big(byte)).unwrap();
        tools.run("Write", &write("f", &content), &cx).unwrap();
    }
    unreachable!()
}

#[test]
fn log_10_13_special_files_are_refused() {
    let session = Session::new();
    let made = Command::new("mkfifo").arg(session.path("pipe")).status().unwrap();
    assert!(made.success());
    fs::create_dir(session.path("adir")).unwrap();
    symlink("/dev/zero", session.path("zero")).unwrap();
    for tool in ["Write", "Edit"] {
        let arguments =
            |file: &str| json!({"file_path": file, "content": "x", "old_string": "a", "new_string": "b"});
        session.check_refused(tool, arguments("pipe"), "is a pipe (FIFO)");
        session.check_refused(tool, arguments("adir"), "is a directory");
        session.check_refused(tool, arguments("."), "is a directory");
        for file in ["zero", "/dev/null", "/proc/self/comm", "/sys/kernel/x"] {
            let failure = session.intent(tool, &arguments(file)).unwrap_err();
            assert!(failure.summary.contains("belongs to the running system"), "{}", failure.summary);
            session.check_refused(tool, arguments(file), "outside the workspace");
        }
        session.check_refused(tool, arguments(""), "`file_path` is empty");
    }
    session.check_refused("Write", write("new/", "x"), "names a directory");
}

#[test]
fn log_10_15_a_file_changed_since_it_was_read_is_refused() {
    let session = Session::new();
    fs::write(session.path("f"), "mine\n").unwrap();
    session.check_refused("Write", write("f", "x"), "was not read in this session; read it first");
    session.check_refused("Edit", edit("f", "mine", "x"), "was not read in this session; read it first");
    session.check_refused("Read", json!({"file_path": "f", "offset": 9}), "is past its end");
    session.check_refused("Edit", edit("f", "mine", "x"), "was not read in this session; read it first");
    session.read("f");
    fs::write(session.path("f"), "mine, later\n").unwrap();
    session.check_refused("Write", write("f", "x"), "has changed since it was read; read it again");
    session.check_refused("Edit", edit("f", "mine", "x"), "has changed since it was read; read it again");
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), "mine, later\n");
    session.read("f");
    session.run("Edit", edit("f", "mine", "ours")).unwrap();
}

#[test]
fn log_10_16_own_edits_and_time_stamps_are_no_change() {
    let session = Session::new();
    session.holding("f", "one\n");
    session.run("Edit", edit("f", "one", "two")).unwrap();
    session.run("Edit", edit("f", "two", "three")).unwrap();
    let file = fs::File::options().write(true).open(session.path("f")).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(3_600)).unwrap();
    session.run("Edit", edit("f", "three", "four")).unwrap();
    let file = fs::File::options().write(true).open(session.path("f")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    session.run("Write", write("f", "five\n")).unwrap();
    fs::write(session.path("f"), "five\n").unwrap();
    session.run("Edit", edit("f", "five", "six")).unwrap();
    session.check("Write", write("new", "a"), "Created new (1 byte)");
    session.check("Write", write("new", "b"), "Overwrote new (1 byte, was 1)");
}

#[test]
fn log_10_21_and_10_22_nothing_is_written_outside() {
    let session = Session::new();
    fs::write(session.outside("secret.txt"), "secret\n").unwrap();
    symlink("../outside/not-yet", session.path("dangling_out")).unwrap();
    symlink("../outside", session.path("out_dir")).unwrap();
    symlink("../outside/secret.txt", session.path("out_file")).unwrap();
    for file in
        ["dangling_out", "out_dir/new.txt", "out_dir/new/new.txt", "out_file", "../work-evil/x.txt", "../x"]
    {
        session.check_refused("Write", write(file, "x"), "outside the workspace");
        session.check_refused("Edit", edit(file, "secret", "x"), "");
        let intent = session.intent("Write", &write(file, "x"));
        assert!(intent.is_err() || intent.unwrap().paths[0].outside, "{file}");
    }
    assert_eq!(fs::read_dir(session.folder.path().join("outside")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(session.folder.path().join("work-evil")).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(session.outside("secret.txt")).unwrap(), "secret\n");
}

/// What is too long to be shown to the person who decides is said.
#[test]
fn a_change_that_is_not_shown_whole_says_so() {
    let session = Session::new();
    let unshown = |tool: &str, arguments| session.intent(tool, &arguments).unwrap().unshown.is_some();
    let long = format!("foo {} foo\n", "x".repeat(300_000));
    session.check("Write", write("long.txt", &long), "Created long.txt (300,009 bytes)");
    assert!(unshown("Write", write("long.txt", "short")));
    assert!(!unshown("Write", write("new.txt", "short")));
    assert!(unshown("Write", write("new.txt", &"x\n".repeat(2 * 1024 * 1024))));
}

#[test]
fn log_10_25_brackets_are_a_name() {
    let session = Session::new();
    session.check("Write", write("[id]/{a,b}/page.tsx", "x"), "Created [id]/{a,b}/page.tsx (1 byte)");
    session.check("Edit", edit("[id]/{a,b}/page.tsx", "x", "y"), "Edited [id]/{a,b}/page.tsx: 1 replacement");
    session.check("Write", write("names/%20 x ", "x"), "Created names/%20 x  (1 byte)");
    assert!(session.path("names/%20 x ").exists());
    session.holding("a\u{1b}b", "x");
    session.check("Edit", edit("a\\x1bb", "x", "y"), "Edited a\\x1bb: 1 replacement");
}

#[test]
fn an_intent_tells_and_does_nothing() {
    let session = Session::new();
    let new = session.intent("Write", &write("src/new.rs", "a\nb\n")).unwrap();
    assert_eq!((new.title.as_str(), new.detail.as_str()), ("create src/new.rs", "a\nb\n"));
    assert!(new.paths[0].write && !new.paths[0].outside && new.paths[0].shown == "src/new.rs");
    assert!(session.names().is_empty());
    session.holding("f", "a\nb\n");
    let change = session.intent("Edit", &edit("f", "b", "c")).unwrap();
    assert_eq!((change.title.as_str(), change.detail.as_str()), ("edit f", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
    let whole = session.intent("Write", &write("f", "a\nb\nc\n")).unwrap();
    assert_eq!(whole.title, "overwrite f");
    assert_eq!(whole.detail, "@@ -1,2 +1,3 @@\n a\n b\n+c\n");
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), "a\nb\n");
    let reads = session.intent("Read", &json!({"file_path": "f"})).unwrap();
    assert_eq!((reads.title.as_str(), reads.paths.len()), ("read f", 1));
    assert_eq!(session.intent("Glob", &json!({"pattern": "*"})).unwrap().title, "list .");
    assert_eq!(session.intent("Grep", &json!({"pattern": "x", "path": "f"})).unwrap().title, "search f");
}

#[test]
fn what_was_approved_is_what_runs() {
    let session = Session::new();
    session.holding("f", "one\n");
    let arguments = edit("f", "one", "two");
    let intent = session.intent("Edit", &arguments).unwrap();
    fs::write(session.path("f"), "one and more\n").unwrap();
    let failure = session.run_approved("Edit", &arguments, &intent).unwrap_err();
    assert_eq!(failure.summary, "`f` has changed since it was read; read it again");
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), "one and more\n");
    fs::write(session.path("f"), "one\n").unwrap();
    session.run_approved("Edit", &arguments, &intent).unwrap();
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), "two\n");
    session.run_approved("Edit", &arguments, &intent).unwrap_err();

    let arguments = write("new", "x");
    let intent = session.intent("Write", &arguments).unwrap();
    fs::write(session.path("new"), "by somebody else").unwrap();
    let failure = session.run_approved("Write", &arguments, &intent).unwrap_err();
    assert_eq!(failure.summary, "`new` has come into being meanwhile; read it first");

    symlink("a", session.path("link")).unwrap();
    let arguments = write("link", "x");
    let intent = session.intent("Write", &arguments).unwrap();
    fs::remove_file(session.path("link")).unwrap();
    symlink("b", session.path("link")).unwrap();
    let failure = session.run_approved("Write", &arguments, &intent).unwrap_err();
    assert!(failure.summary.contains("leads to another file"), "{}", failure.summary);

    fs::create_dir(session.path("sub")).unwrap();
    let arguments = write("sub/x", "x");
    let intent = session.intent("Write", &arguments).unwrap();
    fs::remove_dir(session.path("sub")).unwrap();
    symlink("../outside", session.path("sub")).unwrap();
    session.run_approved("Write", &arguments, &intent).unwrap_err();
    assert_eq!(session.names(), ["f", "link", "new", "sub"]);
    assert!(!session.outside("x").exists());
}

#[test]
fn what_lies_outside_runs_once_it_is_approved() {
    let session = Session::new();
    fs::write(session.outside("a.txt"), "needle\n").unwrap();
    fs::write(session.outside("b.txt"), "other\n").unwrap();
    let a = session.outside("a.txt").canonicalize().unwrap();
    let a = a.to_str().unwrap();
    let read = json!({"file_path": "../outside/a.txt"});
    session.check_refused("Read", read.clone(), "outside the workspace");
    let intent = session.intent("Read", &read).unwrap();
    assert!(intent.paths[0].outside && intent.detail.contains("is outside the workspace"));
    assert_eq!(intent.title, format!("read {a}"));
    let output = session.run_approved("Read", &read, &intent).unwrap();
    assert_eq!(output.output.as_deref(), Some("     1\tneedle\n"));
    let other = json!({"file_path": "../outside/b.txt"});
    let failure = session.run_approved("Read", &other, &intent).unwrap_err();
    assert!(failure.summary.contains("outside the workspace"));

    let change = edit("../outside/a.txt", "needle", "pin");
    session.check_refused("Edit", change.clone(), "outside the workspace");
    let intent = session.intent("Edit", &change).unwrap();
    assert_eq!(
        session.run_approved("Edit", &change, &intent).unwrap().summary,
        format!("Edited {a}: 1 replacement")
    );
    assert_eq!(fs::read_to_string(a).unwrap(), "pin\n");
    let grep = json!({"pattern": "pin", "path": "../outside"});
    let intent = session.intent("Grep", &grep).unwrap();
    assert_eq!(session.run_approved("Grep", &grep, &intent).unwrap().summary, "1 match in 1 file");
}

#[test]
fn a_line_of_ten_megabytes_is_edited_and_shown_around_the_change() {
    let session = Session::new();
    let mut text = "x".repeat(10_000_000);
    text.insert_str(7_000_000, "needle");
    session.holding("f", &text);
    let arguments = edit("f", "needle", "pin");
    let detail = session.intent("Edit", &arguments).unwrap().detail;
    assert!(detail.contains("xneedlex") && detail.contains("xpinx") && detail.len() < 200_000);
    let output = session.check("Edit", arguments, "Edited f: 1 replacement");
    let structured = output.structured.unwrap();
    assert_eq!(structured["truncated"], true);
    let lines = structured["hunks"][0]["lines"].as_array().unwrap();
    assert!(lines.iter().all(|line| line["text"].as_str().unwrap().len() < 2_100));
    assert!(lines[0]["text"].as_str().unwrap().contains("xneedlex"));
    assert!(lines[1]["text"].as_str().unwrap().contains("xpinx"));
    assert_eq!(fs::read_to_string(session.path("f")).unwrap(), text.replace("needle", "pin"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// The model works on lines: each is its text and its ending.
    #[test]
    fn random_texts_agree_with_a_naive_model(
        mark in prop::bool::ANY,
        lines in prop::collection::vec(("[ab\u{e9}]{0,4}", prop_oneof![Just("\n"), Just("\r\n")]), 0..8),
        last in "[ab\u{e9}]{0,3}",
        old in "[ab\u{e9}]{1,2}(\n[ab]{0,2})?",
        new in "[ab\u{e9}\n]{0,4}",
        all in prop::bool::ANY,
    ) {
        let text = lines.iter().map(|(text, end)| format!("{text}{end}")).collect::<String>() + &last;
        let before = if mark { format!("\u{feff}{text}") } else { text.clone() };
        let session = Session::new();
        session.holding("f", &before);
        let arguments = json!({"file_path": "f", "old_string": old, "new_string": new, "replace_all": all});
        let result = session.run("Edit", arguments);
        let after = fs::read_to_string(session.path("f")).unwrap();

        let shown = text.replace("\r\n", "\n");
        let places = (0..shown.len()).filter(|at| shown.is_char_boundary(*at) && shown[*at..].starts_with(&old)).count();
        let runs = old != new && places > 0 && (all || places == 1);
        prop_assert_eq!(result.is_ok(), runs, "{:?}", result);
        if let Ok(output) = &result {
            let got = with_hunks(before.trim_start_matches('\u{feff}'), output.structured.as_ref().unwrap());
            let now: Vec<&str> = after.trim_start_matches('\u{feff}').lines().collect();
            prop_assert_eq!(got, now);
        }
        if !runs {
            prop_assert_eq!(after, before);
            return Ok(());
        }
        let expected = if all { shown.replace(&old, &new) } else { shown.replacen(&old, &new, 1) };
        let body = if mark { after.strip_prefix('\u{feff}').unwrap() } else { &after };
        prop_assert_eq!(body.replace("\r\n", "\n"), expected.clone());
        let pure = |end: &str| !lines.is_empty() && lines.iter().all(|(_, this)| *this == end);
        if pure("\r\n") {
            prop_assert_eq!(body, expected.replace('\n', "\r\n"));
        } else if pure("\n") {
            prop_assert_eq!(body, expected);
        } else if places == 1 {
            // Whatever stands before the first and after the last line that the change touches is untouched.
            let at = shown.find(&old).unwrap();
            let first = shown[..at].matches('\n').count();
            let behind = shown[at + old.len()..].matches('\n').count();
            let raw: Vec<&str> = text.split_inclusive('\n').collect();
            let lead: String = raw[..first].concat();
            prop_assert_eq!(&body[..lead.len()], lead);
            let ends: Vec<&str> = lines.iter().map(|(_, end)| *end).collect();
            let tail: String = ends[ends.len() - behind..].concat();
            let got: String = body.split_inclusive('\n').filter(|line| line.ends_with('\n'))
                .map(|line| if line.ends_with("\r\n") { "\r\n" } else { "\n" }).collect::<Vec<_>>()
                .into_iter().rev().take(behind).collect::<Vec<_>>().into_iter().rev().collect();
            prop_assert_eq!(got, tail);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_random_file_written_over_keeps_its_line_ends(
        mark in prop::bool::ANY,
        lines in prop::collection::vec(("[ab]{0,3}", prop_oneof![Just("\n"), Just("\r\n")]), 1..8),
        content in "([ab]{0,3}\n){0,8}[ab]{0,2}",
    ) {
        let text: String = lines.iter().map(|(text, end)| format!("{text}{end}")).collect();
        let session = Session::new();
        session.holding("f", if mark { format!("\u{feff}{text}") } else { text.clone() });
        let output = session.run("Write", write("f", &content)).unwrap();
        let after = fs::read_to_string(session.path("f")).unwrap();
        prop_assert_eq!(after.starts_with('\u{feff}'), mark);
        let body = after.trim_start_matches('\u{feff}');
        prop_assert_eq!(body.replace("\r\n", "\n"), content.clone());
        prop_assert_eq!(with_hunks(&text, &output.structured.unwrap()), body.lines().collect::<Vec<_>>());
        if lines.iter().all(|(_, end)| *end == "\r\n") {
            prop_assert_eq!(body, content.replace('\n', "\r\n"));
        }
        let same = text.split_inclusive('\n').zip(content.split_inclusive('\n'))
            .take_while(|(old, new)| old.replace("\r\n", "\n") == *new)
            .map(|(old, _)| old).collect::<String>();
        prop_assert_eq!(&body[..same.len()], same);
    }
}

/// The lines of `old` with the hunks of a result applied.
fn with_hunks(old: &str, structured: &Value) -> Vec<String> {
    assert_eq!(structured["truncated"], false);
    let old: Vec<&str> = old.lines().collect();
    let mut new = Vec::new();
    let mut at = 0;
    for hunk in structured["hunks"].as_array().unwrap() {
        let start = hunk["old_start"].as_u64().unwrap() as usize - 1;
        new.extend(old[at..start].iter().map(|line| (*line).to_owned()));
        at = start;
        assert_eq!(hunk["new_start"], new.len() + 1);
        for line in hunk["lines"].as_array().unwrap() {
            let text = line["text"].as_str().unwrap();
            if line["tag"] != "added" {
                assert_eq!(old[at], text);
                at += 1;
            }
            if line["tag"] != "removed" {
                new.push(text.to_owned());
            }
        }
    }
    new.extend(old[at..].iter().map(|line| (*line).to_owned()));
    new
}
