//! Records of commands: what stays in the flow of a `:` word that was run, and the trait that draws it.
//!
//! A record belongs to the client in which the command was run. It is never part of what a model sees, and it is not
//! kept with the session: another client, or the same one after a restart, does not show it. What a command changes in
//! the pod is told by the pod's own events. Read [`crate::command`] for how a record comes to be.

use crate::card::{Card, Line};
use crate::view::CardCx;

/// One run of a command, frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRecord {
    /// The line without its colon, with the command's full name; raw.
    pub line: String,
    /// How it went.
    pub state: RecordState,
    /// What came of it, one line, raw; may be empty.
    pub outcome: String,
    /// What it had to say.
    pub lines: Vec<Line>,
}

impl CommandRecord {
    /// The command's name, which is the key of its view.
    pub fn name(&self) -> &str {
        self.parts().0
    }

    /// Everything behind the name, trimmed.
    pub fn arguments(&self) -> &str {
        self.parts().1
    }

    fn parts(&self) -> (&str, &str) {
        let line = self.line.trim();
        line.split_once(char::is_whitespace).map_or((line, ""), |(name, rest)| (name, rest.trim()))
    }
}

/// How a run of a command went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordState {
    /// It did what it was asked.
    Done,
    /// It did not; the outcome says why.
    Failed,
}

/// Turns a record into a card. Registered in the slot `command.view` under the command's name, see
/// [`crate::register_command_view`]. The host draws the sign, the colon and the name; the card's title stands behind
/// the name, its note behind that, its body below. What a view leaves out is the generic card's: the arguments, the
/// outcome, the lines.
///
/// ```
/// use carpel_slots::record::{CommandRecord, CommandView};
/// use carpel_slots::{Card, CardCx, Line, Role};
///
/// /// `:open FILE` names a file.
/// struct Open;
///
/// impl CommandView for Open {
///     fn card(&self, record: &CommandRecord, _cx: &CardCx) -> Card {
///         Card { title: Some(Line::of(Role::Path, record.arguments())), ..Card::default() }
///     }
/// }
/// ```
pub trait CommandView: Send + Sync {
    /// The card for `record`. Must not block.
    fn card(&self, record: &CommandRecord, cx: &CardCx) -> Card;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_name_and_the_rest() {
        let rows = [
            ("quit", "quit", ""),
            ("density detail", "density", "detail"),
            ("rename  two words ", "rename", "two words"),
            ("", "", ""),
        ];
        for (line, name, arguments) in rows {
            let record = CommandRecord {
                line: line.to_owned(),
                state: RecordState::Done,
                outcome: String::new(),
                lines: Vec::new(),
            };
            assert_eq!((record.name(), record.arguments()), (name, arguments), "{line:?}");
        }
    }
}
