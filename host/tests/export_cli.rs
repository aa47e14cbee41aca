//! `carpel export` as a person calls it: where the text goes, what is refused, with which exit code.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A home with one session that the guide has had, and a workspace.
struct Place {
    folder: TempDir,
    session: String,
}

struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "run", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("work/notes.md"), "# <b>hostile</b>\n```\nopen\n").unwrap();
        let mut place = Place { folder, session: String::new() };
        let said = place.run(&["exec", "--provider", "guide", "read notes.md"]);
        assert_eq!(said.code, 0, "{}", said.err);
        let sessions = std::fs::read_dir(place.path("home/sessions")).unwrap();
        place.session = sessions.last().unwrap().unwrap().file_name().into_string().unwrap();
        place
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn run(&self, arguments: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
        command.args(arguments).current_dir(self.path("work")).env_clear().stdin(Stdio::null());
        command.env("PATH", "/usr/bin:/bin").env("CARPEL_HOME", self.path("home"));
        command.env("HOME", self.path("home")).env("XDG_RUNTIME_DIR", self.path("run"));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn export(&self, arguments: &[&str]) -> Said {
        self.run(&[&["export", &self.session], arguments].concat())
    }

    /// Refused in one sentence, with nothing on stdout.
    fn refused(&self, arguments: &[&str], code: i32, sentence: &str) {
        let said = self.run(arguments);
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{arguments:?}: {}", said.err);
        assert!(
            said.err.starts_with("carpel: ") && said.err.contains(sentence),
            "{arguments:?}: {}",
            said.err
        );
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
}

/// The text without the moments in it.
fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("| began") && !line.starts_with("| exported")).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_session_goes_to_stdout_or_to_a_file() {
    let place = Place::new();
    let said = place.export(&[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.err);
    for part in
        ["# read notes.md\n", "## You\n\nread notes.md\n", "### ✓ Read `notes.md` — done", "### Answer\n"]
    {
        assert!(said.out.contains(part), "{part:?} is not in\n{}", said.out);
    }
    assert!(said.out.contains("````md\n# <b>hostile</b>\n```\nopen\n````"), "{}", said.out);
    assert_eq!(timeless(&place.export(&["-"]).out), timeless(&said.out));

    let file = place.path("work/my talk.md");
    let said_of_file = place.export(&["my talk.md"]);
    assert_eq!((said_of_file.code, said_of_file.out.as_str()), (0, ""), "{}", said_of_file.err);
    assert!(said_of_file.err.starts_with("written to ") && said_of_file.err.contains("my talk.md"));
    assert_eq!(timeless(&read(&file)), timeless(&said.out));
    // The beginning of an id is enough, and `~` is the home.
    let short = &place.session[..place.session.len() - 1];
    assert_eq!(place.run(&["export", short, "~/talk.md"]).code, 0);
    assert_eq!(timeless(&read(&place.path("home/talk.md"))), timeless(&said.out));
}

#[test]
fn what_cannot_be_done_is_one_sentence() {
    let place = Place::new();
    let id = place.session.as_str();
    std::fs::write(place.path("work/there.md"), "mine").unwrap();
    place.refused(&["export", id, "there.md"], 1, "is there already; name another file, or add --force");
    assert_eq!(read(&place.path("work/there.md")), "mine");
    assert_eq!(place.export(&["there.md", "--force"]).code, 0);
    assert!(read(&place.path("work/there.md")).starts_with("# read notes.md"));
    place.refused(&["export", "nobody"], 1, "there is no session `nobody`; `carpel sessions` lists them");
    place.refused(&["export", "../x"], 1, "there is no session `../x`");
    place.refused(&["export", id, "none/a.md"], 1, "there is no folder");
    place.refused(&["export", id, "."], 1, "is a folder; name a file in it");
    place.refused(&["export", id, "\u{1b}[2J/x"], 1, "there is no folder");
    assert_eq!(place.run(&["export"]).code, 2);
}

/// A log that is damaged is exported as far as it can be read, and the damage is told.
#[test]
fn a_damaged_log_is_told_on_stderr() {
    let place = Place::new();
    let log = place.path(&format!("home/sessions/{}/0001.jsonl", place.session));
    let text = read(&log);
    std::fs::write(&log, format!("{text}{{\"v\":1,\"seq\":99,\"kind\":\"assistant_te")).unwrap();
    let said = place.export(&[]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("### Answer") && !said.err.is_empty(), "{}", said.err);
}
