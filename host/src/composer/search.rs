//! Looking back through what was sent by a part of it, as Ctrl+R does in a shell.
//!
//! While it goes on the draft shows what was found. Enter takes it into the draft, to be read before it is sent; Esc
//! puts back what was being written; any other key takes it and does what it does. How it looks is the chat's business,
//! which shows [`Search::word`].

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::composer::Composer;
use crate::composer::chord::Chord;

/// A search that goes on.
#[derive(Debug, Default)]
pub struct Search {
    query: String,
    /// What was being written.
    before: String,
    /// Place in the history of what is shown.
    at: Option<usize>,
}

impl Search {
    /// What is being looked for, and how to go on, for the person.
    pub fn word(&self) -> String {
        let found = if self.at.is_none() && !self.query.is_empty() { "nothing sent has" } else { "search" };
        format!("{found} `{}`; Ctrl+R older, Enter takes it, Esc goes back", self.query)
    }
}

/// Begins a search, or goes on to what was sent earlier. Without anything sent there is nothing to search.
pub(super) fn begin(composer: &mut Composer) {
    if composer.search.is_none() && !composer.history.is_empty() {
        let before = composer.buffer.expanded();
        composer.search = Some(Search { before, ..Search::default() });
    }
}

/// Applies a key to the search. False when it is over and the key is still to be applied.
pub fn key(composer: &mut Composer, pressed: KeyEvent) -> bool {
    let Some(search) = &mut composer.search else { return false };
    match pressed.code {
        _ if Chord::pressed(pressed) == Chord::control('r') => find(composer, true),
        KeyCode::Char(c) if pressed.modifiers.difference(KeyModifiers::SHIFT).is_empty() => {
            search.query.push(c);
            find(composer, false);
        }
        KeyCode::Backspace if pressed.modifiers.is_empty() => {
            search.query.pop();
            search.at = None;
            find(composer, false);
        }
        KeyCode::Esc => abandon(composer),
        KeyCode::Enter => composer.search = None,
        _ if matches!(Chord::pressed(pressed), chord if chord == Chord::control('c') || chord == Chord::control('g')) =>
        {
            abandon(composer);
        }
        _ => {
            composer.search = None;
            return false;
        }
    }
    true
}

/// Shows the newest text that has the query, at or before the one that is shown; `older` means before it.
fn find(composer: &mut Composer, older: bool) {
    let Some(search) = &mut composer.search else { return };
    let end = match search.at {
        Some(at) if older => at,
        Some(at) => at + 1,
        None => composer.history.len(),
    };
    let found = composer.history.find_before(end, &search.query);
    // At the oldest one it stays; a query that nothing has shows what was being written.
    search.at = found.or(search.at.filter(|_| older));
    let shown = search.at.and_then(|at| composer.history.get(at)).unwrap_or(&search.before);
    if composer.buffer.text() != shown {
        composer.buffer.replace_all(shown);
    }
}

fn abandon(composer: &mut Composer) {
    if let Some(search) = composer.search.take() {
        composer.buffer.replace_all(&search.before);
    }
}

#[cfg(test)]
mod tests {
    use super::key;
    use crate::composer::{Composer, keys};
    use crate::key_names;

    /// `<c-r>` begins; the draft and the query come back.
    fn check(typed: &str, draft: &str, goes_on: bool) {
        let mut composer = Composer::default();
        for text in ["run the tests", "read Main.rs", "run it again"] {
            composer.buffer.insert(text);
            composer.submit();
        }
        composer.buffer.insert("draft");
        for stroke in key_names::keys(typed) {
            if !key(&mut composer, stroke.event) {
                keys::key(&mut composer, stroke.event, 80);
            }
        }
        assert_eq!(composer.buffer.text(), draft, "{typed}");
        assert_eq!(composer.search.is_some(), goes_on, "{typed}");
    }

    #[test]
    fn searches() {
        check("<c-r>", "draft", true);
        check("<c-r>run", "run it again", true);
        check("<c-r>run<c-r>", "run the tests", true);
        check("<c-r>run<c-r><c-r>", "run the tests", true);
        check("<c-r>main", "read Main.rs", true);
        check("<c-r>runx", "draft", true);
        check("<c-r>runx<backspace>", "run it again", true);
        check("<c-r><c-r><c-r>", "read Main.rs", true);
        check("<c-r>run<esc>", "draft", false);
        check("<c-r>run<c-c>", "draft", false);
        check("<c-r>run<enter>!", "run it again!", false);
        check("<c-r>main<home>!", "!read Main.rs", false);
        check("<c-r>main<enter><c-_>", "draft", false);
    }

    #[test]
    fn without_a_history_there_is_no_search() {
        let mut composer = Composer::default();
        super::begin(&mut composer);
        assert!(composer.search.is_none());
    }
}
