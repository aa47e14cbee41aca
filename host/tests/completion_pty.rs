//! Completion through the real program: names that are odd are completed, sent to guide, and the same files are opened.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pty::{Place, Pty, Setup};

const NAMES: &[&[u8]] = &[
    b"two words.txt",
    b" leading",
    b"trailing ",
    b"-rf",
    b"--help",
    b"*",
    b"a?b",
    b"semi;colon",
    b"it's",
    b"dq\"mid",
    b"all three \"of 'them `here",
    b"back\\slash",
    b"$(id)",
    b"`id`",
    b"%20 encoded",
    b"#hash",
    b"@at",
    b":colon",
    b"a:10",
    b"!bang",
    b"new\nline",
    b"tab\there",
    b"cr\rover",
    b"\x1b]0;T\x07esc",
    b"bad\xffutf8",
    b"c1\xc2\x85",
    "\u{202e}gpj.exe".as_bytes(),
    "nnbsp\u{202f}here.png".as_bytes(),
    "caf\u{e9}".as_bytes(),
    "cafe\u{301}".as_bytes(),
    "漢字ファイル.txt".as_bytes(),
    "👩\u{200d}🔬.md".as_bytes(),
    "עברית.txt".as_bytes(),
    b"ends.",
    b"dir /x",
    b"[id]/page.tsx",
    b"(group)/x",
    b"{a,b}/x",
    b"@scope/pkg",
    b".../x",
];

/// The rows of a list: all that can be listed begins with the folder's letter.
fn list(rows: &[String]) -> usize {
    rows.iter().filter(|row| row.starts_with("    f")).count()
}

#[test]
fn log_9_04_log_9_09_log_9_10_what_is_completed_is_opened() {
    let place = Place::new();
    let manifest = "provider = \"guide\"\n[guide]\npace = \"instant\"\n";
    fs::write(place.path().join("home/manifest.toml"), manifest).unwrap();
    for (at, name) in NAMES.iter().enumerate() {
        let file = place.work().join(format!("f{at:02}")).join(OsStr::from_bytes(name));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("content-{at:02}\n")).unwrap();
    }
    let mut pty = Pty::carpel(&place, Setup::new(100, 30), &[]);
    pty.wait_for("the chat", |text| text.contains(": for commands"));
    for (at, name) in NAMES.iter().enumerate() {
        let shown = String::from_utf8_lossy(name);
        // A name in a folder of its own is completed in two goes.
        let gos = if name.contains(&b'/') { 2 } else { 1 };
        pty.press(&format!("read @f{at:02}/"));
        for _ in 0..gos {
            pty.wait_for(&format!("the list for {shown:?}"), |_| {
                list(&pty.rows()) == gos || list(&pty.rows()) == 1
            });
            pty.press("\t");
        }
        pty.wait_for(&format!("{shown:?} in the draft"), |_| list(&pty.rows()) == 0);
        pty.press("\r");
        let answers = at + 1;
        pty.wait_for(&format!("the answer about {shown:?}"), |text| {
            text.matches("✓ Read").count() == answers && text.trim_end().ends_with("\n›")
        });
    }
    assert_eq!(pty.leave(), 0);
    let log = logs(place.path());
    let results: Vec<&str> = log.lines().filter(|line| line.contains("\"tool_result\"")).collect();
    for (at, name) in NAMES.iter().enumerate() {
        let wanted = format!("content-{at:02}");
        let result = results.get(at).unwrap();
        assert!(result.contains(&wanted), "{:?}: {result}", String::from_utf8_lossy(name));
    }
}

/// The session logs below a folder.
fn logs(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            text.push_str(&logs(&path));
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    text
}
