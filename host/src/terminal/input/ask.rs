//! Asks a terminal what it knows, outside of a chat: synchronised updates, the keyboard protocol, its background.
//!
//! Everything is asked at once, and last what every terminal answers, so that its answer ends the wait; a terminal that
//! answers nothing is waited for a bounded time. In raw mode meanwhile, so that no answer is echoed; what comes later is
//! dropped with the input. `cli/doctor.rs` calls it; the chat asks in its own way, see `session.rs`.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::answers;
use super::decode::Decoded;
use crate::terminal::guard::Guard;
use crate::terminal::jobs;
use crate::terminal::tty::Tty;

/// How long a terminal may take for all of its answers.
const PATIENCE: Duration = Duration::from_millis(500);

const UPDATES: &str = "\x1b[?2026$p";
const KEYBOARD: &str = "\x1b[?u";
const BACKGROUND: &str = "\x1b]11;?\x1b\\";
/// What kind of terminal it is.
const KIND: &str = "\x1b[c";

/// What a terminal said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answers {
    /// Whether it said anything.
    pub any: bool,
    /// It knows synchronised updates.
    pub updates: bool,
    /// It knows the keyboard protocol.
    pub keyboard: bool,
    /// Red, green, blue.
    pub background: Option<[u8; 3]>,
}

/// Asks the terminal; its background only where `background` says so. `None` when another program has it.
///
/// # Errors
/// When it cannot be set to raw mode or written to.
pub fn ask(tty: &Tty, background: bool) -> io::Result<Option<Answers>> {
    // A program in the background would be stopped for it.
    if !jobs::is_in_foreground(tty.input())? {
        return Ok(None);
    }
    let guard = Guard::enter(tty)?;
    let background = if background { BACKGROUND } else { "" };
    tty.write(format!("{UPDATES}{KEYBOARD}{background}{KIND}").as_bytes())?;
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    while !is_whole(&bytes) && wait(tty, until)? {
        let mut buffer = [0; 1024];
        match rustix::io::read(tty.input(), &mut buffer) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    drop(guard);
    Ok(Some(read(&bytes)))
}

/// Whether there is something to read before `until`.
fn wait(tty: &Tty, until: Instant) -> io::Result<bool> {
    let left = until.saturating_duration_since(Instant::now());
    let Ok(timeout) = Timespec::try_from(left) else { return Ok(false) };
    match poll(&mut [PollFd::from_borrowed_fd(tty.input(), PollFlags::IN)], Some(&timeout)) {
        Ok(0) => Ok(false),
        Ok(_) => Ok(true),
        Err(Errno::INTR) => Ok(!left.is_zero()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the last answer is there.
fn is_whole(bytes: &[u8]) -> bool {
    controls(bytes).any(|control| control.starts_with("?") && control.ends_with('c'))
}

fn read(bytes: &[u8]) -> Answers {
    let mut answers = Answers { any: false, ..Answers::default() };
    for control in controls(bytes) {
        answers.any = true;
        if let Some(state) = control.strip_prefix("?2026;").and_then(|rest| rest.strip_suffix("$y")) {
            // 0: not known; 4: known and never on.
            answers.updates = matches!(state, "1" | "2" | "3");
        } else if let Some(flags) = control.strip_prefix('?').and_then(|rest| rest.strip_suffix('u')) {
            answers.keyboard = !flags.is_empty() && flags.bytes().all(|byte| byte.is_ascii_digit());
        }
    }
    if let Some(Decoded::Background(rgb)) = string(bytes).and_then(|text| answers::background(b']', text)) {
        answers.background = Some(rgb);
        answers.any = true;
    }
    answers
}

/// Parameters and last byte of each control sequence.
fn controls(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let starts = bytes.windows(2).enumerate().filter(|(_, pair)| *pair == b"\x1b[").map(|(at, _)| at + 2);
    starts.filter_map(|start| {
        let rest = bytes.get(start..)?;
        let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
        std::str::from_utf8(rest.get(..=end)?).ok()
    })
}

/// The first control string, without what ends it.
fn string(bytes: &[u8]) -> Option<&[u8]> {
    let start = bytes.windows(2).position(|pair| pair == b"\x1b]")? + 2;
    let rest = bytes.get(start..)?;
    rest.get(..rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_say() {
        let nothing = Answers::default();
        let any = Answers { any: true, ..nothing };
        let rows: [(&str, Answers, bool); 9] = [
            ("", nothing, false),
            ("typed", nothing, false),
            ("\x1b[?62;4c", any, true),
            ("\x1b[?2026;2$y\x1b[?62c", Answers { updates: true, ..any }, true),
            ("\x1b[?2026;0$y\x1b[?6c", any, true),
            ("\x1b[?2026;4$y", any, false),
            ("\x1b[?0u\x1b[?1;2c", Answers { keyboard: true, ..any }, true),
            ("\x1b]11;rgb:ffff/ffff/ffff\x07", Answers { background: Some([255; 3]), ..any }, false),
            (
                "x\x1b[?2026;1$y\x1b[?1u\x1b]11;rgb:00/00/00\x1b\\\x1b[?64;1c",
                Answers { any: true, updates: true, keyboard: true, background: Some([0; 3]) },
                true,
            ),
        ];
        for (bytes, answers, whole) in rows {
            assert_eq!((read(bytes.as_bytes()), is_whole(bytes.as_bytes())), (answers, whole), "{bytes:?}");
            for end in 0..bytes.len() {
                let _ = read(&bytes.as_bytes()[..end]);
            }
        }
    }
}
