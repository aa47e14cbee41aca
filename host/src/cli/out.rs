//! Standard output and error of the subcommands: the only place that writes to them.
//!
//! What is written is rows of `Printable`, or JSON in which everything else is an escape: a terminal that shows either
//! obeys none of it, and a pipe gets nothing but text. A reader that goes away (`carpel ... | head`) is no failure of
//! ours: writing to a closed pipe ends quietly.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, ErrorKind, Write};

use carpel_slots::Printable;

/// Whether somebody reads stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    Yes,
    /// The reader has gone away.
    NobodyReads,
}

/// Writes rows to stdout and says whether somebody reads them.
///
/// # Errors
/// When stdout cannot be written to for another reason than that nobody reads it.
pub fn rows(rows: &[Printable]) -> io::Result<Heard> {
    offer(&rows.iter().map(|row| format!("{row}\n")).collect::<String>())
}

/// Writes the beginning of a row to stdout, behind which a person answers.
///
/// # Errors
/// As [`rows`].
pub fn prompt(text: &Printable) -> io::Result<Heard> {
    offer(text.as_str())
}

/// Writes JSON to stdout, as it is but for characters that a terminal obeys or an eye misses: they become escapes, so
/// that a reader of JSON gets the same text. Such characters can only stand within its strings.
///
/// # Errors
/// As [`rows`].
pub fn json(text: &str) -> io::Result<Heard> {
    offer(&escaped(text))
}

/// Writes a line to stderr. There is nobody to tell when that fails.
pub fn error(line: &Printable) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Input and output of this process, which has an empty one and its diagnostics in their places afterwards: for the
/// process of a plugin, whose output is read by a program.
///
/// # Errors
/// When they cannot be moved.
pub fn aside() -> io::Result<(File, File)> {
    let input = rustix::stdio::stdin().try_clone_to_owned()?;
    let output = rustix::stdio::stdout().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((File::from(input), File::from(output)))
}

fn offer(text: &str) -> io::Result<Heard> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(Heard::Yes),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Heard::NobodyReads),
        Err(error) => Err(unwritten(&error)),
    }
}

/// What the system says does not name what could not be written; every subcommand tells it in these words.
fn unwritten(error: &io::Error) -> io::Error {
    let way = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room where it goes",
        _ => "send it somewhere else",
    };
    io::Error::new(error.kind(), format!("stdout cannot be written to: {error}; {way}"))
}

fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_hidden(c) {
            text.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
    text
}

/// True for what the strictest form shows by its number or as a picture.
fn is_hidden(c: char) -> bool {
    let shown = || Printable::exact(c.encode_utf8(&mut [0; 4]));
    c.is_control() || (!c.is_ascii() && shown().as_str().starts_with("<U+"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::escaped;

    #[test]
    fn json_keeps_its_meaning_and_hides_nothing() {
        let rows = [
            ("\"plain é 漢\"", "\"plain é 漢\""),
            ("\"\u{9b}31m\u{7f}\"", "\"\\u009b31m\\u007f\""),
            ("\"\u{202e}\u{200b}\u{e0041}\"", "\"\\u202e\\u200b\\udb40\\udc41\""),
            ("[\n  1\n]\n", "[\n  1\n]\n"),
        ];
        for (json, want) in rows {
            assert_eq!(escaped(json), want);
        }
    }

    proptest! {
        #[test]
        fn a_reader_gets_the_same(text in any::<String>()) {
            let json = serde_json::to_string_pretty(&Value::from(vec![text.clone()])).unwrap();
            let escaped = escaped(&json);
            prop_assert!(!escaped.chars().any(|c| c.is_control() && c != '\n'));
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&escaped).unwrap(), vec![text]);
        }
    }
}
