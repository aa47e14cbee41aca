//! `carpel plugin check` on plugins that are right and on those that go wrong, each in its own way.
//!
//! What goes wrong is the project of `carpel plugin new` with a line changed.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

#[path = "../../slots/tests/plugin/needs.rs"]
mod needs;

use needs::{program, run};

fn carpel(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
    let output = command.args(arguments).current_dir(folder).env("CARPEL_HOME", folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder with the project `mine`; `None` without Python.
fn project() -> Option<TempDir> {
    program("python3")?;
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = carpel(folder.path(), &["plugin", "new", "mine", "--lang", "python"]);
    assert_eq!(code, 0, "{said}");
    Some(folder)
}

/// Checks the project after a line of it was changed.
fn changed(folder: &TempDir, line: &str, to: &str) -> (i32, String) {
    let file = folder.path().join("mine/mine.py");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches(line).count(), 1, "{line}");
    std::fs::write(&file, text.replace(line, to)).unwrap();
    let (code, out, said) = carpel(folder.path(), &["plugin", "check", "mine/mine.py"]);
    std::fs::write(&file, text).unwrap();
    assert_eq!(said, "");
    (code, out)
}

#[test]
fn what_is_made_has_no_faults_and_own_samples_are_asked_for() {
    let Some(folder) = project() else { return };
    let samples = "{\"view\":\"mine\",\"arguments\":{\"query\":\"a\"}}\n{\"view\":\"mine\"}\n";
    std::fs::write(folder.path().join("own"), samples).unwrap();
    let all = carpel(folder.path(), &["plugin", "check", "mine/mine.py"]);
    assert_eq!(all.0, 0, "{}", all.1);
    assert!(all.1.starts_with("mine 0.1.0, ABI 1; views: mine; commands: none\n"), "{}", all.1);
    assert!(all.1.ends_with("\nno faults\n"), "{}", all.1);
    std::fs::write(folder.path().join("bad"), "{}\n").unwrap();
    let bad = carpel(folder.path(), &["plugin", "check", "mine/mine.py", "--samples", "bad"]);
    assert_eq!(bad.0, 1);
    assert!(bad.2.contains("`bad`: line 1 is no sample"), "{}", bad.2);
}

#[test]
fn each_fault_of_a_card_is_named() {
    let Some(folder) = project() else { return };
    let rows = [
        ("raise ValueError('no idea')", "answered with an error: no idea", 3),
        ("sys.exit(3)", "ended with exit code 3", 3),
        (
            "print('the\\x1b[2J end', file=sys.stderr, flush=True); import os; os.abort()",
            "was ended by SIGABRT, it gave up by itself; its last words: the",
            3,
        ),
        ("print('debug')", "answered with what is no reply (not JSON", 3),
        ("return 7", "answered with what is no reply (`card`: ", 3),
        ("return {'body': 'x' * 1100000}", "wrote a line of more than 1024 KiB", 3),
        ("print('{}'[:1], end='', flush=True); import os; os._exit(0)", "ended within a line: `{`", 3),
        ("sys.stdout.buffer.write(b'\\xff\\n')", "wrote a line that is not UTF-8", 3),
        ("import time; time.sleep(60)", "did not answer within 2 s", 3),
        ("print('{\"reply\":\"later\"}')", "which is no answer to it", 3),
        ("print('{\"reply\":\"card\",\"id\":0,\"card\":{}}')", "which is no answer to it", 3),
    ];
    for (code, reason, count) in rows {
        // All other cards are as short as can be.
        let to = format!(
            "made = {{}}\n    if call.get('state') == 'cancelled':\n        {code}\n    return {{'title': 't', 'note': 'n', \
             'body': []}}\n    made = {{}}"
        );
        let (exit, out) = changed(&folder, "made = {}", &to);
        let lines: Vec<&str> = out.lines().filter(|line| line.starts_with("fault: ")).collect();
        assert_eq!((exit, lines.len() >= count), (1, true), "{code}: {out}");
        assert!(lines[0].starts_with("fault: `mine`, cancelled, overview: "), "{code}: {out}");
        assert!(lines[0].contains(reason), "{code}: {out}");
        assert!(!out.contains('\u{1b}') && !out.contains("no faults"), "{code}: {out:?}");
    }
}

#[test]
fn each_fault_of_the_rest_is_named() {
    let Some(folder) = project() else { return };
    // Cards that are quickly drawn.
    let file = folder.path().join("mine/mine.py");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("made = {}", "return {'title': 't', 'note': 'n', 'body': []}\n    made = {}"),
    )
    .unwrap();
    let hello = "\"abi\": 1, \"name\": \"mine\", \"version\": \"0.1.0\", \"views\": [\"mine\"]";
    for (line, to, reason) in [
        (
            hello,
            "\"abi\": 7, \"name\": \"mine\"",
            "hello: was built for ABI 7 and this carpel speaks 1; use a newer carpel",
        ),
        (hello, "\"abi\": 1, \"name\": \"a b\"", "hello: calls itself `a b`; a name is one word"),
        (hello, "\"abi\": 1, \"name\": \"mine\"", "hello: it has no views and no commands"),
        (hello, "\"abi\": 1", "hello: answered with what is no reply (`hello`: missing field `name`"),
        (hello, "\"abi\": 1, \"name\": \"mine\", \"views\": [\"*a\"]", "hello: the key `*a`: "),
        (
            hello,
            "\"abi\": 1, \"name\": \"mine\", \"commands\": [{\"name\": \"do\"}, {\"name\": \"do\", \"summary\": \"s\"}]",
            "hello: the command `do` is there twice",
        ),
        (
            hello,
            "\"abi\": 1, \"name\": \"mine\", \"commands\": [{\"name\": \"do\"}]",
            "completion of `do` behind ``: wants completions, got `{\"reply\":\"error\"",
        ),
        (
            "    raise ValueError(f",
            "    return {\"reply\": \"card\", \"card\": {}}\n    raise ValueError(f",
            "wants `error`, answered",
        ),
        ("    main()\n", "    main()\n    sys.exit(4)\n", "its end: ended with exit code 4"),
    ] {
        let (exit, out) = changed(&folder, line, to);
        assert_eq!(exit, 1, "{to}: {out}");
        assert!(out.lines().any(|line| line.starts_with("fault: ") && line.contains(reason)), "{to}: {out}");
    }
}

#[test]
fn what_cannot_be_started_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("plain"), "text").unwrap();
    std::fs::write(at("script"), "#!/bin/sh\n").unwrap();
    std::fs::write(at("lib.so"), "text").unwrap();
    std::fs::create_dir(at("folder.so")).unwrap();
    run(Command::new("mkfifo").arg(at("fifo.so")));
    let own = std::fs::read(env!("CARGO_BIN_EXE_carpel")).unwrap();
    std::fs::write(at("cut.so"), &own[..600]).unwrap();
    for (file, reason) in [
        (".", "`.` is a folder, not a library or a program"),
        ("folder.so", "`folder.so` is a folder, not a library or a program"),
        ("none", "`none` is not there"),
        ("script", "`script` is a script that may not be executed; `chmod +x` it"),
        ("plain", "`plain` is neither a library nor a program; a script begins with `#!`"),
        ("lib.so", "`lib.so` is neither a library nor a program"),
        ("cut.so", "`cut.so` is cut off: its header tells of more than there is; build it again"),
        ("fifo.so", "`fifo.so` is no regular file, but a pipe, a socket or a device"),
        ("/dev/null", "is no regular file"),
    ] {
        let (code, out, said) = carpel(folder.path(), &["plugin", "check", file]);
        assert_eq!((code, out.as_str()), (1, ""), "{file}: {said}");
        assert!(said.contains(reason) && said.lines().count() == 1, "{file}: {said}");
    }
}

/// Builds a library of the example that goes wrong in that mode, or does not.
fn build(folder: &Path, mode: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let file = format!("rogue-{mode}.so");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-w", "-O0", "-I"]).arg(root.join("slots/include"));
    cc.arg(format!("-DROGUE={mode}")).arg("-o").arg(folder.join(&file));
    run(cc.arg(root.join("examples/rogue/rogue.c")));
    file
}

#[test]
fn a_library_is_asked_as_a_program_is() {
    let Some(_) = program("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = build(folder.path(), "fine");
    let (code, out, said) = carpel(folder.path(), &["plugin", "check", &file]);
    assert_eq!((code, said.as_str()), (0, ""), "{out}");
    assert!(out.contains("; views: rogue; ") && out.ends_with("\nno faults\n"), "{out}");
    // Its folder is not the one in which it is named.
    std::fs::create_dir(folder.path().join("build")).unwrap();
    std::fs::rename(folder.path().join(&file), folder.path().join("build/own.so")).unwrap();
    let (code, out, _) = carpel(folder.path(), &["plugin", "check", "build/own.so"]);
    assert_eq!(code, 0, "{out}");
    assert!(!folder.path().join("plugin-state/open").read_dir().unwrap().any(|_| true));
}

#[test]
fn each_fault_of_a_library_is_one_sentence() {
    let Some(_) = program("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    for (mode, what, reason) in [
        ("no_symbol", "hello", "has no function `carpel_plugin_v1`; a library exports it, see carpel.h"),
        ("wrong_abi", "hello", "was built for ABI 99 and this carpel speaks 1; use a newer carpel"),
        ("hello_abi", "hello", "was built for ABI 99 and this carpel speaks 1; use a newer carpel"),
        ("hello_not_json", "hello", "answered with what is no reply"),
        ("small_table", "hello", "has a table of "),
        ("null_table", "hello", "gives no table"),
        ("null_request", "hello", "has no function for requests"),
        ("entry_aborts", "hello", "was ended by SIGABRT"),
        ("ctor_segfault", "hello", "was ended by SIGSEGV"),
        ("ctor_hangs", "hello", "did not say hello within 5 s"),
        ("abort", "`rogue`, pending, overview", "was ended by SIGABRT"),
        ("segfault", "`rogue`, pending, overview", "was ended by SIGSEGV"),
        ("exit", "`rogue`, pending, overview", "ended with exit code 0"),
        ("not_json", "`rogue`, pending, overview", "answered with what is no reply"),
        ("silent", "`rogue`, pending, overview", "answered with an error: returned without a reply"),
        ("wrong_id", "`rogue`, pending, overview", "which is no answer to it"),
    ] {
        let file = build(folder.path(), mode);
        let (code, out, said) = carpel(folder.path(), &["plugin", "check", &file]);
        assert_eq!((code, said.as_str()), (1, ""), "{mode}: {out}");
        let begin = format!("fault: {what}: ");
        let fault =
            out.lines().find_map(|line| line.strip_prefix(&begin)).unwrap_or_else(|| panic!("{mode}: {out}"));
        assert!(fault.contains(reason), "{mode}: {fault}");
    }
}
