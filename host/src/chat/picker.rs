//! The session picker: past sessions on the alternate screen, narrowed by typing.
//!
//! It gets its rows from whoever can list sessions and gives back the one that was chosen. Titles and folders are
//! untrusted text; each stands in one row, cut by cells. It knows no files.

use carpel_slots::{Printable, Role};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};

use crate::chat::event::Effect;
use crate::chat::state::Chat;
use crate::composer::buffer::Buffer;
use crate::render::look::Look;
use crate::render::wrap;
use crate::row::Row;

/// One session as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionRow {
    /// Identity.
    pub id: String,
    /// Title, raw; may be empty.
    pub title: String,
    /// Its workspace folder, raw.
    pub folder: String,
    /// When it was used last, e.g. `3 min ago`.
    pub when: String,
    /// Who holds it or what is wrong with it, in a few words; may be empty.
    pub note: String,
    /// Whether its pod runs.
    pub runs: bool,
    /// Whether it was `carpel exec` alone, which a listing leaves out.
    pub is_run: bool,
}

/// The picker while it is open.
#[derive(Debug, Default)]
pub struct Picker {
    rows: Vec<SessionRow>,
    query: Buffer,
    selected: usize,
}

impl Picker {
    /// A picker over these sessions, newest first.
    pub fn new(rows: Vec<SessionRow>) -> Picker {
        Picker { rows, ..Picker::default() }
    }

    /// The sessions that match what was typed, best first; all in their order while nothing is.
    fn matching(&self) -> Vec<&SessionRow> {
        if self.query.text().trim().is_empty() {
            return self.rows.iter().collect();
        }
        let pattern = Pattern::parse(self.query.text(), CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let scored = self.rows.iter().filter_map(|row| {
            let text = Utf32String::from(format!("{} {} {}", row.title, row.folder, row.id));
            Some((pattern.score(text.slice(..), &mut matcher)?, row))
        });
        let mut scored: Vec<(u32, &SessionRow)> = scored.collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, row)| row).collect()
    }
}

/// Applies a key; `None` when no picker is open.
pub fn key(chat: &mut Chat, pressed: KeyEvent) -> Option<Vec<Effect>> {
    let picker = chat.picker.as_mut()?;
    let found = picker.matching().len();
    let ctrl = pressed.modifiers == KeyModifiers::CONTROL;
    match pressed.code {
        KeyCode::Esc => chat.picker = None,
        KeyCode::Char('c') if ctrl => chat.picker = None,
        KeyCode::Enter => {
            let chosen = picker.matching().get(picker.selected).map(|row| row.id.clone());
            if let Some(id) = chosen {
                chat.picker = None;
                return Some(vec![Effect::Switch(id)]);
            }
        }
        KeyCode::Down => picker.selected = (picker.selected + 1).min(found.saturating_sub(1)),
        KeyCode::Up => picker.selected = picker.selected.saturating_sub(1),
        KeyCode::Backspace => {
            picker.query.backspace();
            picker.selected = 0;
        }
        KeyCode::Char(c) if !ctrl => {
            picker.query.insert(c.encode_utf8(&mut [0; 4]));
            picker.selected = 0;
        }
        _ => {}
    }
    Some(Vec::new())
}

/// The picker as the rows of a window, and the column of the cursor in the first.
pub fn rows(picker: &Picker, look: &Look, (width, height): (usize, usize)) -> (Vec<Row>, usize) {
    let found = picker.matching();
    let mut head = Row::default();
    head.push(look.theme.role(Role::Accent), Printable::line("session "));
    head.push(look.theme.role(Role::Plain), Printable::line(picker.query.text()));
    let column = head.width();
    let count = format!("   {} of {} · Enter opens · Esc goes back", found.len(), picker.rows.len());
    head.push(look.theme.dim(), Printable::line(&count));
    let mut rows = vec![wrap::cut(&head, width, look.glyphs.ellipsis), Row::default()];
    let room = height.saturating_sub(rows.len()).max(1);
    let first = picker.selected.saturating_sub(room - 1);
    rows.extend(found.iter().enumerate().skip(first).take(room).map(|(at, session)| {
        wrap::cut(&session_row(session, at == picker.selected, look), width, look.glyphs.ellipsis)
    }));
    if picker.rows.is_empty() {
        rows.push(Row::of(look.theme.dim(), Printable::line("  no other sessions yet")));
    }
    (rows, column.min(width.saturating_sub(1)))
}

fn session_row(session: &SessionRow, chosen: bool, look: &Look) -> Row {
    let mut row = Row::default();
    row.push(look.theme.role(Role::Accent), Printable::line(if chosen { "› " } else { "  " }));
    let title = if session.title.trim().is_empty() { "(no title)" } else { session.title.trim() };
    let role = if chosen { Role::Accent } else { Role::Plain };
    row.push(look.theme.role(role), Printable::line(title));
    let run = if session.is_run { "  exec" } else { "" };
    let about = format!("  {}{run}  {}  {}", session.when, session.id, session.folder);
    row.push(look.theme.dim(), Printable::line(&about));
    if !session.note.is_empty() {
        row.push(look.theme.role(Role::Warning), Printable::line(&format!("  {}", session.note)));
    }
    row
}
