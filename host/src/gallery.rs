//! The gallery: every registered view with sample calls in every state, at a density and width of choice.
//!
//! It is the workbench of whoever writes a view. It owns what is shown ([`exhibits`]), the calls ([`samples`]), the keys
//! ([`keys`]) and the rows ([`draw`]); [`run`] is the loop on the terminal. The cards are drawn by the same painter as in a
//! chat. It refuses to know pods and sessions.

pub mod draw;
pub mod exhibits;
pub mod keys;
pub mod run;
pub mod samples;

#[cfg(test)]
mod tests;

use carpel_slots::{CallState, Density};

use crate::chat::theme::Themes;

use self::exhibits::Exhibit;

/// What is shown, and how.
#[derive(Debug, Clone, Default)]
pub struct Gallery {
    /// What there is.
    pub exhibits: Vec<Exhibit>,
    /// Which of them is shown.
    pub at: usize,
    /// The state that is shown; all of them when there is none.
    pub state: Option<CallState>,
    /// How much of a card is shown.
    pub density: Density,
    /// Columns of a card; those of the window when there are none.
    pub width: Option<usize>,
    /// The colours.
    pub themes: Themes,
    /// The first row of the cards that is in sight.
    pub top: usize,
    /// What there is to say about what is shown.
    pub word: Option<String>,
}

impl Gallery {
    /// Columns of a card in a window of so many.
    pub fn width_in(&self, columns: usize) -> usize {
        self.width.map_or(columns, |width| width.min(columns)).max(1)
    }
}
