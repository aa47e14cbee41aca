//! The terminal as two descriptors: where keys come from and where bytes go.
//!
//! Opening says in one sentence why there is no terminal. Writing puts everything out or reports that the terminal
//! is gone; the size is asked of the kernel, never of the terminal. It knows no sequence and no state of the screen.
//! `guard.rs` sets its mode, `input.rs` reads it, `session.rs` writes it.

use std::io::{self, IsTerminal as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use ratatui::layout::Size;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::tcgetwinsize;

/// Why there is no terminal to work with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    #[error("standard input is not a terminal, so no keys can be read; use `carpel exec` in scripts")]
    InputNotATerminal,
    #[error("standard output is not a terminal; use `carpel exec` to write an answer to a pipe or file")]
    OutputNotATerminal,
    #[error("the terminal refused: {0}")]
    Io(#[from] io::Error),
}

/// A terminal's input and output; clones share them.
#[derive(Clone, Debug)]
pub struct Tty {
    input: Arc<OwnedFd>,
    output: Arc<OwnedFd>,
}

impl Tty {
    /// The terminal on standard input and output.
    pub fn open() -> Result<Self, TerminalError> {
        let (input, output) = (io::stdin(), io::stdout());
        if !input.is_terminal() {
            return Err(TerminalError::InputNotATerminal);
        }
        if !output.is_terminal() {
            return Err(TerminalError::OutputNotATerminal);
        }
        Ok(Self::of(input.as_fd().try_clone_to_owned()?, output.as_fd().try_clone_to_owned()?))
    }

    /// A terminal on descriptors of one's own.
    pub fn of(input: OwnedFd, output: OwnedFd) -> Self {
        Self { input: Arc::new(input), output: Arc::new(output) }
    }

    pub(super) fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// The window's size as the kernel has it; zero when it has none.
    pub fn size(&self) -> Size {
        tcgetwinsize(&*self.output).map_or(Size::ZERO, |size| Size::new(size.ws_col, size.ws_row))
    }

    /// Writes everything, waiting where the terminal is slow.
    pub fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match rustix::io::write(&*self.output, bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let mut ready = [PollFd::new(&*self.output, PollFlags::OUT)];
                    poll(&mut ready, None).map(drop).or_else(ignore_interrupt)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn ignore_interrupt(error: Errno) -> io::Result<()> {
    if error == Errno::INTR { Ok(()) } else { Err(error.into()) }
}
