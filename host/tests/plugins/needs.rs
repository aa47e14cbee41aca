//! Programs that a test needs: found, or the test says that it skips.

use std::process::Command;

/// The program, if it is there. Where `CARPEL_TESTS_COMPLETE` is `1` it has to be.
pub fn program(name: &str) -> Option<Command> {
    if Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Some(Command::new(name));
    }
    if std::env::var("CARPEL_TESTS_COMPLETE").is_ok_and(|value| value == "1") {
        panic!("{name} is not installed, and CARPEL_TESTS_COMPLETE=1 asks for all tests");
    }
    #[allow(clippy::print_stderr, reason = "a test that skips says so")]
    {
        eprintln!("skipped: {name} is not installed");
    }
    None
}
