//! `carpel plugin check` on plugins that are right and on those that go wrong, each in its own way.
//!
//! What goes wrong is the project of `carpel plugin new` with a line changed.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

#[path = "../../slots/tests/plugin/needs.rs"]
#[allow(dead_code, reason = "nothing is built here")]
mod needs;

use needs::program;

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
        ("sys.exit(3)", "ended with exit status: 3 instead of an answer", 3),
        (
            "print('the\\x1b[2J end', file=sys.stderr, flush=True); import os; os.abort()",
            "ended with signal: 6 (SIGABRT)",
            3,
        ),
        ("print('debug')", "answered with what is no reply (not JSON", 3),
        ("return 7", "answered with what is no reply (`card`: ", 3),
        ("return {'body': 'x' * 1100000}", "answered with a line of more than 1048576 bytes", 3),
        ("print('{}'[:1], end='', flush=True); import os; os._exit(0)", "ended within a line: `{`", 3),
        ("sys.stdout.buffer.write(b'\\xff\\n')", "that is not UTF-8: `\u{fffd}`", 3),
        ("import time; time.sleep(60)", "did not answer the request within 2 seconds", 3),
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
            "hello: it speaks ABI 7, this carpel 1; use a newer carpel",
        ),
        (hello, "\"abi\": 1, \"name\": \"a b\"", "hello: its name `a b` is not one word"),
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
        ("    main()\n", "    main()\n    sys.exit(4)\n", "its end: ended with exit status: 4"),
    ] {
        let (exit, out) = changed(&folder, line, to);
        assert_eq!(exit, 1, "{to}: {out}");
        assert!(out.lines().any(|line| line.starts_with("fault: ") && line.contains(reason)), "{to}: {out}");
    }
}

#[test]
fn what_cannot_be_started_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plain"), "text").unwrap();
    std::fs::write(folder.path().join("lib.so"), "text").unwrap();
    for (file, reason) in [
        (".", "is no regular file"),
        ("none", "cannot be looked at"),
        ("plain", "`plain` may not be executed; `chmod +x` it"),
        ("lib.so", "is a library"),
        ("/dev/null", "is no regular file"),
    ] {
        let (code, out, said) = carpel(folder.path(), &["plugin", "check", file]);
        assert_eq!((code, out.as_str()), (1, ""), "{file}: {said}");
        assert!(said.contains(reason), "{file}: {said}");
    }
}
