//! The choices of a question, what else can be pressed, and what is said below them.
//!
//! A key and its meaning stay together in a row; the choices come first and are never left out. What was typed while a
//! question stands in place of the draft is shown, so that nobody wonders where it went. It knows no question.

use carpel_slots::{Printable, Role};

use crate::chat::state::Chat;
use crate::composer::layout::layout;
use crate::render::look::Look;
use crate::render::wrap::{self, Indent, blanks, text_width};
use crate::row::{Row, RowSpan};

/// A narrower window has short words for what is no choice.
const NARROW: usize = 60;

/// Choices for a width.
pub struct Choices {
    offers: Vec<(&'static str, String)>,
    helps: Vec<(&'static str, &'static str)>,
    look: Look,
    width: usize,
    is_tight: bool,
}

impl Choices {
    /// The choices; `session` is the pod's label of a yes for the whole session, where that is offered.
    pub fn new(session: Option<&str>, look: &Look, width: usize, is_tight: bool) -> Choices {
        let covered = session.and_then(|label| label.strip_prefix("Allow ")).map(|covered| match width {
            // What is covered must be read at any width; that the session ends it goes without saying.
            ..NARROW => covered.strip_suffix(" in this session").unwrap_or(covered),
            _ => covered,
        });
        let offers: [(&str, &str); 4] = if is_tight {
            [("y", "once"), ("s", "session"), ("n", "no"), ("m", "why")]
        } else {
            [
                ("y", "once"),
                ("s", covered.unwrap_or("for this session")),
                ("n", "no"),
                ("m", "no, and say why"),
            ]
        };
        let helps: [(&str, &str); 2] = if is_tight || width < NARROW {
            [("Esc", "chat"), ("^C", "stop")]
        } else {
            [("Esc", "back to the chat"), ("Ctrl+C", "cancels the turn")]
        };
        let offers = offers.into_iter().filter(|(key, _)| session.is_some() || *key != "s");
        let offers = offers.map(|(key, meaning)| (key, meaning.to_owned())).collect();
        Choices { offers, helps: helps.to_vec(), look: *look, width, is_tight }
    }

    /// Leaves out the last thing that is no choice; false when there is none.
    pub fn drop_help(&mut self) -> bool {
        self.helps.pop().is_some()
    }

    /// The rows; `position` is what of the detail is seen, the first row, the last, and how many there are.
    pub fn rows(&self, position: Option<(usize, usize, usize)>, with_helps: bool) -> Vec<Row> {
        let mut filling = Filling { rows: Vec::new(), choices: self };
        let theme = self.look.theme;
        for (key, meaning) in &self.offers {
            filling
                .put(&[(key, theme.role(Role::Accent)), (&format!(" {meaning}"), theme.role(Role::Plain))]);
        }
        // The help is a row of its own, unless rows are few.
        if !self.is_tight && (with_helps || position.is_some()) {
            filling.rows.push(Row::default());
        }
        if let Some((first, last, all)) = position {
            let keys = self.look.glyphs.scroll;
            let text = match (self.is_tight, self.width < NARROW) {
                (true, _) => format!("{keys} {first}-{last}/{all}"),
                (false, true) => format!("{keys} {first}-{last} of {all}"),
                (false, false) => format!("{keys} rows {first}-{last} of {all}"),
            };
            filling.put(&[(&text, theme.role(Role::Warning))]);
        }
        for (key, meaning) in self.helps.iter().filter(|_| with_helps) {
            filling.put(&[(key, theme.role(Role::Accent)), (&format!(" {meaning}"), theme.dim())]);
        }
        filling.rows.iter().map(|row| wrap::cut(row, self.width, self.look.glyphs.ellipsis)).collect()
    }
}

struct Filling<'a> {
    rows: Vec<Row>,
    choices: &'a Choices,
}

impl Filling<'_> {
    /// One thing that is not torn apart, in the last row where it fits, else in a new one.
    fn put(&mut self, parts: &[(&str, ratatui::style::Style)]) {
        let width = self.choices.width;
        let indent = if width < 30 { 0 } else { 2 };
        let gap = match (self.choices.is_tight, width < 30) {
            (true, true) => 1,
            (true, false) => 2,
            (false, _) => 3,
        };
        let cells: usize = parts.iter().map(|(text, _)| text_width(text)).sum();
        let is_fresh = self.rows.last().is_some_and(|row| row.spans.is_empty());
        let fits = self.rows.last().is_some_and(|row| row.width() + gap + cells <= width);
        if !is_fresh && !fits {
            self.rows.push(Row::default());
        }
        if let Some(row) = self.rows.last_mut() {
            row.spans.extend(blanks(if row.spans.is_empty() { indent } else { gap }));
            parts.iter().for_each(|(text, style)| row.push(*style, Printable::line(text)));
        }
    }
}

/// What is said below the choices: a word about the last key, else the draft while there is one.
pub fn said(chat: &Chat, look: &Look, width: usize, is_tight: bool) -> Vec<Row> {
    let indent = if width < 30 { 0 } else { 2 };
    if let Some(word) = &chat.below.word {
        let spans = [RowSpan { text: Printable::line(word), style: look.theme.role(Role::Warning) }];
        if is_tight {
            let row = Row { spans: spans.to_vec(), unbroken: false };
            return vec![wrap::cut(&row, width, look.glyphs.ellipsis)];
        }
        let mut rows = wrap::wrap(&spans, width, &Indent::blanks(indent));
        rows.truncate(3);
        return rows;
    }
    if chat.composer.buffer.is_empty() {
        return Vec::new();
    }
    let note =
        if width < NARROW { "  your draft" } else { "  your draft; to answer, press one letter by itself" };
    let room = width.saturating_sub(text_width(note) + indent + 2).max(4);
    let folded = layout(&chat.composer.buffer, room);
    let mut row = Row { spans: blanks(indent), unbroken: false };
    row.push(look.theme.role(Role::Accent), Printable::line(&format!("{} ", look.glyphs.prompt)));
    if let Some(source) = folded.rows.get(folded.cursor_row) {
        source.parts.iter().for_each(|(text, _)| row.push(look.theme.role(Role::Plain), text.clone()));
    }
    row.push(look.theme.dim(), Printable::line(note));
    vec![wrap::cut(&row, width, look.glyphs.ellipsis)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_for_the_session_says_what_it_covers_at_any_width() {
        let check = |width: usize, label: &str, want: &str| {
            let rows = Choices::new(Some(label), &Look::PLAIN, width, false).rows(None, false);
            let texts: Vec<String> = rows.iter().map(Row::text).collect();
            assert!(texts.iter().any(|row| row.contains(want)), "{width}: {texts:#?}");
            assert!(rows.iter().all(|row| row.width() <= width), "{width}: {texts:#?}");
        };
        let label = "Allow every Edit anywhere in work in this session";
        check(80, label, "s every Edit anywhere in work in this session");
        check(40, label, "s every Edit anywhere in work");
        check(30, label, "s every Edit anywhere in");
        check(40, "for this session", "s for this session");
    }
}
