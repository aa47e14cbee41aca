//! Nothing waits for a look at the folder: a tree in which a scan never comes to its end is where the chat begins, takes
//! keys and ends as anywhere else.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;

use pty::{Place, Pty, Setup};
use rustix::fs::OFlags;

/// LOG 6.12: a stray `.git` in the home and a work tree of many files. A pipe under the name of an ignore file stands for
/// them: whoever scans the folder meets it, opens it, and waits for ever.
#[test]
fn log_6_12_a_scan_that_never_ends_holds_nothing_up() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("home/.git")).unwrap();
    std::fs::create_dir(place.path().join("work/.git")).unwrap();
    let pipes = [".gitignore", ".ignore", ".rgignore", "src/.gitignore"].map(|name| place.work().join(name));
    assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
    let mut chat = Pty::carpel(&place, Setup::new(80, 24), &[]);
    chat.wait_for("the prompt", |all| all.contains('›'));
    chat.press("hello @pa");
    chat.wait_for("what was typed", |all| all.contains("hello @pa"));
    // The scan has begun with the sigil; keys are still taken.
    chat.press(" there");
    chat.wait_for("more of it", |all| all.contains("hello @pa there"));
    // It waits at one of the pipes: only then there is somebody to write to.
    let write = || OpenOptions::new().write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).clone();
    while !pipes.iter().any(|pipe| write().open(pipe).is_ok()) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    chat.press("\x15");
    chat.wait_for("an empty draft", |all| !all.contains("hello"));
    assert_eq!(chat.leave(), 0);
}
