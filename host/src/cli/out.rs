//! Standard output and error of the subcommands.
//!
//! A reader that goes away (`carpel ... | head`) is no failure of ours: writing to a closed pipe ends quietly.

use std::io::{self, ErrorKind, Write};

/// Writes text to stdout.
///
/// # Errors
/// When stdout cannot be written to for another reason than that nobody reads it.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Writes a line to stderr. There is nobody to tell when that fails.
pub fn error(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
