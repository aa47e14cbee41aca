//! Standard output and error of the subcommands.
//!
//! A reader that goes away (`carpel ... | head`) is no failure of ours: writing to a closed pipe ends quietly.

use std::io::{self, ErrorKind, Write};

/// Whether somebody reads stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    Yes,
    /// The reader has gone away.
    NobodyReads,
}

/// Writes text to stdout.
///
/// # Errors
/// When stdout cannot be written to for another reason than that nobody reads it.
pub fn print(text: &str) -> io::Result<()> {
    offer(text).map(drop)
}

/// Writes text to stdout and says whether somebody reads it.
///
/// # Errors
/// As [`print`].
pub fn offer(text: &str) -> io::Result<Heard> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(Heard::Yes),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Heard::NobodyReads),
        Err(error) => Err(error),
    }
}

/// Writes a line to stderr. There is nobody to tell when that fails.
pub fn error(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
