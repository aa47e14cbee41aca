//! Glyphs: the signs in front of rows.
//!
//! Each state has a sign and a word, so that colour only repeats what is told already. The second set is for locales
//! without UTF-8, where every sign of the program's own has a form in ASCII: whoever draws one asks here. Nothing here
//! knows where a sign stands.

use carpel_slots::{CallState, Printable, Role};

use crate::row::Row;

/// A set of signs, each one cell wide where nothing else is said.
#[derive(Debug, PartialEq, Eq)]
pub struct Glyphs {
    states: [&'static str; 9],
    /// In front of a person's prompt.
    pub prompt: &'static str,
    /// In front of an item of a list.
    pub bullet: &'static str,
    /// In front of each row of a quotation.
    pub quote: &'static str,
    /// Where something was left out.
    pub ellipsis: &'static str,
    /// The rule of a thematic break, one cell.
    pub rule: &'static str,
    /// In front of a mark of the program's own: a compaction, a cut.
    pub mark: &'static str,
    /// Between the items of the status row.
    pub separator: &'static str,
    /// The keys that scroll, two cells.
    pub scroll: &'static str,
    /// In front of each row of what is selected.
    pub selected: &'static str,
    /// In front of what is folded.
    pub folded: &'static str,
    /// True where states are words, to be heard; these are wider than a cell.
    pub are_words: bool,
}

impl Glyphs {
    /// The usual set.
    pub const UNICODE: Glyphs = Glyphs {
        states: ["○", "◌", "?", "●", "✓", "✗", "⊘", "⊝", "◐"],
        prompt: "›",
        bullet: "•",
        quote: "│",
        ellipsis: "…",
        rule: "─",
        mark: "·",
        separator: "·",
        scroll: "↑↓",
        selected: "▌",
        folded: "▸",
        are_words: false,
    };

    /// The set for locales without UTF-8.
    pub const ASCII: Glyphs = Glyphs {
        states: [".", "~", "?", "*", "+", "x", "-", "!", "/"],
        prompt: ">",
        bullet: "*",
        quote: "|",
        ellipsis: "~",
        rule: "-",
        mark: "-",
        separator: "|",
        scroll: "^v",
        selected: ">",
        folded: "+",
        are_words: false,
    };

    /// The set for who hears what is written: words where a sign says something, and nothing for what only adorns.
    pub const WORDS: Glyphs = Glyphs {
        states: [
            "pending:",
            "writing:",
            "waiting for you:",
            "running:",
            "done:",
            "failed:",
            "cancelled:",
            "rejected:",
            "incomplete:",
        ],
        prompt: ">",
        bullet: "-",
        quote: ">",
        ellipsis: "…",
        rule: " ",
        mark: "note:",
        separator: "-",
        scroll: "Up and Down",
        selected: ">",
        folded: "+",
        are_words: true,
    };

    /// The same for locales without UTF-8.
    pub const ASCII_WORDS: Glyphs = Glyphs { ellipsis: "~", ..Glyphs::WORDS };

    /// The set for who hears it, in the same locale.
    pub fn heard(&'static self) -> &'static Glyphs {
        if self.ellipsis.is_ascii() { &Glyphs::ASCII_WORDS } else { &Glyphs::WORDS }
    }

    /// Rows as the locale can show them: without UTF-8 the pictures that stand for control characters are question
    /// marks, one for one, so that no width changes. Other text stays: it is not ours.
    pub fn fit(&self, rows: &mut [Row]) {
        if !self.ellipsis.is_ascii() {
            return;
        }
        for span in rows.iter_mut().flat_map(|row| &mut row.spans) {
            if span.text.as_str().contains(is_picture) {
                span.text = Printable::prose(&span.text.as_str().replace(is_picture, "?"));
            }
        }
    }

    /// The sign of a state.
    pub fn state(&self, state: CallState) -> &'static str {
        let place = CallState::ALL.iter().position(|other| *other == state).unwrap_or_default();
        self.states.get(place).copied().unwrap_or_default()
    }
}

/// What `Printable` puts in the place of a control character, or below a mark that has nothing to stand on.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2400}'..='\u{2426}' | '\u{25cc}')
}

/// The role of a state's sign.
pub fn state_role(state: CallState) -> Role {
    match state {
        CallState::Pending | CallState::Cancelled | CallState::Incomplete => Role::Dim,
        CallState::Streaming | CallState::Executing => Role::Accent,
        CallState::AwaitingApproval | CallState::Rejected => Role::Warning,
        CallState::Done => Role::Success,
        CallState::Error => Role::Error,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn every_state_has_its_own_sign_one_cell_wide() {
        for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
            let signs: BTreeSet<_> = CallState::ALL.into_iter().map(|state| glyphs.state(state)).collect();
            assert_eq!(signs.len(), CallState::ALL.len());
            assert!(signs.iter().all(|sign| sign.width() == 1), "{signs:?}");
        }
        for state in CallState::ALL {
            assert_eq!(Glyphs::WORDS.state(state), format!("{}:", state.word()));
        }
        assert_eq!(Glyphs::ASCII.heard(), &Glyphs::ASCII_WORDS);
        assert_eq!(Glyphs::UNICODE.heard(), &Glyphs::WORDS);
        assert_eq!(Glyphs::UNICODE.state(CallState::Done), "✓");
        assert_eq!(Glyphs::ASCII.state(CallState::Rejected), "!");
    }
}
