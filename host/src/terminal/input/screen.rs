//! A measurement of the terminal, and why it was made.
//!
//! Values only; `../input.rs` measures and `../session.rs` draws by them.

use ratatui::layout::{Position, Size};

/// A measurement of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    pub size: Size,
    /// `None` when the terminal did not answer in time.
    pub cursor: Option<Position>,
    /// False when the terminal itself said that it has another size, and went on saying so.
    pub agrees: bool,
    pub cause: Cause,
}

/// Why it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The program starts.
    Start,
    /// The window has another size.
    Resize,
    /// Asked by the host: something else may have written to the terminal.
    Asked,
}
