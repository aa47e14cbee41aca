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

/// What a listing says of the runs that it leaves out.
pub fn runs_left_out(count: usize) -> String {
    let runs = if count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
    format!("{runs} of `carpel exec` left out; `carpel sessions --all` lists all")
}

/// Characters of an id that are shown at least: of an id that carpel made, the second in which it was.
const SHORTEST: usize = 8;

/// Cells of a title that are shown at least, before the time of its session is cut.
const TITLE: usize = 12;

/// A session with as much of its id as tells it from all others, which is enough to name it anywhere.
#[derive(Debug)]
struct Entry {
    session: SessionRow,
    short: String,
}

/// The picker while it is open.
#[derive(Debug, Default)]
pub struct Picker {
    rows: Vec<Entry>,
    /// How many runs of `carpel exec` there are beside them.
    left_out: usize,
    query: Buffer,
    selected: usize,
}

impl Picker {
    /// A picker over these sessions, newest first. The one that is shown already, `here`, is left out, and so are
    /// runs of `carpel exec`, as `carpel sessions` leaves them out; their ids count all the same.
    pub fn new(rows: Vec<SessionRow>, here: &str) -> Picker {
        let shorts = beginnings(&rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>());
        let entries = rows.into_iter().zip(shorts).map(|(session, short)| Entry { session, short });
        let (runs, entries): (Vec<Entry>, Vec<Entry>) =
            entries.filter(|entry| entry.session.id != here).partition(|entry| entry.session.is_run);
        Picker { rows: entries, left_out: runs.len(), ..Picker::default() }
    }

    /// The sessions that match what was typed, best first; all in their order while nothing is.
    fn matching(&self) -> Vec<&Entry> {
        if self.query.text().trim().is_empty() {
            return self.rows.iter().collect();
        }
        let pattern = Pattern::parse(self.query.text(), CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let scored = self.rows.iter().filter_map(|entry| {
            let row = &entry.session;
            let text = Utf32String::from(format!("{} {} {}", row.title, row.folder, row.id));
            Some((pattern.score(text.slice(..), &mut matcher)?, entry))
        });
        let mut scored: Vec<(u32, &Entry)> = scored.collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, entry)| entry).collect()
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
            let chosen = picker.matching().get(picker.selected).map(|entry| entry.session.id.clone());
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
    let dot = look.glyphs.separator;
    let count = format!("   {} of {} {dot} Enter opens {dot} Esc goes back", found.len(), picker.rows.len());
    head.push(look.theme.dim(), Printable::line(&count));
    let mut rows = vec![wrap::cut(&head, width, look.glyphs.ellipsis), Row::default()];
    let room = height.saturating_sub(rows.len()).max(1);
    let first = picker.selected.saturating_sub(room - 1);
    let shown = found.iter().enumerate().skip(first).take(room);
    let ids = shown.clone().map(|(_, entry)| id(entry, look).width()).max().unwrap_or_default();
    rows.extend(shown.map(|(at, entry)| {
        let row = session_row(entry, at == picker.selected, look, (width, ids));
        wrap::cut(&row, width, look.glyphs.ellipsis)
    }));
    if picker.rows.is_empty() {
        rows.push(Row::of(look.theme.dim(), Printable::line("  no other sessions yet")));
    }
    if let count @ 1.. = picker.left_out
        && rows.len() < height
    {
        let row = Row::of(look.theme.dim(), Printable::line(&format!("  {}", runs_left_out(count))));
        rows.push(wrap::cut(&row, width, look.glyphs.ellipsis));
    }
    (rows, column.min(width.saturating_sub(1)))
}

/// A session in a row: the id in a column of `ids` cells, then the title, which makes room for the time behind it.
fn session_row(entry: &Entry, chosen: bool, look: &Look, (width, ids): (usize, usize)) -> Row {
    let session = &entry.session;
    let mut row = Row::default();
    let sign = if chosen { look.glyphs.prompt } else { " " };
    row.push(look.theme.role(Role::Accent), Printable::line(&format!("{sign} ")));
    let id = id(entry, look);
    let gap = " ".repeat(ids.saturating_sub(id.width()) + 2);
    row.spans.extend(id.spans);
    row.push(look.theme.dim(), Printable::line(&gap));
    let when = Row::of(look.theme.dim(), Printable::line(&format!("  {}", session.when)));
    let title = if session.title.trim().is_empty() { "(no title)" } else { session.title.trim() };
    let role = look.theme.role(if chosen { Role::Accent } else { Role::Plain });
    // One cell is the sign that something was left out behind it.
    let room = width.saturating_sub(row.width() + when.width() + 1).max(TITLE);
    row.spans.extend(wrap::cut(&Row::of(role, Printable::line(title)), room, look.glyphs.ellipsis).spans);
    row.spans.extend(when.spans);
    if !session.folder.is_empty() {
        row.push(look.theme.dim(), Printable::line(&format!("  {}", session.folder)));
    }
    if !session.note.is_empty() {
        row.push(look.theme.role(Role::Warning), Printable::line(&format!("  {}", session.note)));
    }
    row
}

fn id(entry: &Entry, look: &Look) -> Row {
    Row::of(look.theme.dim(), Printable::line(&entry.short))
}

/// Of each id the beginning that only it has, of a useful length; the whole of one that begins another.
fn beginnings(ids: &[&str]) -> Vec<String> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    let common = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let beginning = |id: &&str| {
        // Of sorted ids the neighbours have most in common.
        let at = sorted.partition_point(|other| other < id);
        let before = at.checked_sub(1).map_or(0, |before| common(id, sorted[before]));
        let behind = sorted.get(at + 1).map_or(0, |behind| common(id, behind));
        id.chars().take((before.max(behind) + 1).max(SHORTEST)).collect()
    };
    ids.iter().map(beginning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::glyph::Glyphs;

    #[test]
    fn as_much_of_an_id_as_tells_it_from_the_others() {
        for (ids, expected) in [
            (&[][..], &[][..]),
            (&["6b0e1673-87ef729c"], &["6b0e1673"]),
            (&["6b0e1673-87ef729c", "6b0e16f6-ae402d10"], &["6b0e1673", "6b0e16f6"]),
            // Of one second.
            (&["6b0e1673-87ef729c", "6b0e1673-8a402d10"], &["6b0e1673-87", "6b0e1673-8a"]),
            (&["work", "a-long-name-2", "a-long-name"], &["work", "a-long-name-", "a-long-name"]),
            (&["same-name", "same-name"], &["same-name", "same-name"]),
            (&["éééééééééé", "ééééééééèé"], &["ééééééééé", "ééééééééè"]),
        ] {
            assert_eq!(beginnings(ids), expected, "{ids:?}");
        }
    }

    /// Sessions of one title are told apart, and named, by what is shown of their ids, however narrow the window is.
    #[test]
    fn equal_titles_are_told_apart() {
        let title = "the same long title of two sessions, as it comes of the same first prompt";
        let session = |id: &str, when: &str| SessionRow {
            id: id.to_owned(),
            title: title.to_owned(),
            when: when.to_owned(),
            folder: "/w".to_owned(),
            ..SessionRow::default()
        };
        let rows = vec![
            SessionRow { is_run: true, ..session("6b0e1673-8a402d1f", "1 h ago") },
            session("6b0e1673-87ef729c", "2 h ago"),
            session("6b0e1673-8a402d10", "3 h ago"),
            session("here", "now"),
        ];
        let picker = Picker::new(rows, "here");
        for (size, first, second) in [
            (
                120,
                "› 6b0e1673-87        the same long title of two",
                "  6b0e1673-8a402d10  the same long title of two",
            ),
            (60, "› 6b0e1673-87        the same long", "  6b0e1673-8a402d10  the same long"),
            (20, "› 6b0e1673-87", "  6b0e1673-8a402d10"),
        ] {
            let (shown, _) = super::rows(&picker, &Look::PLAIN, (size, 10));
            let text: Vec<String> = shown.iter().map(|row| row.text()).collect();
            assert_eq!(text.len(), 5, "{text:#?}");
            assert!(text[4].starts_with("  1 run of `carpel"), "{text:#?}");
            assert_eq!(
                super::rows(&picker, &Look::PLAIN, (size, 4)).0.len(),
                4,
                "sessions go before what is left out"
            );
            assert!(text[2].starts_with(first) && text[3].starts_with(second), "{text:#?}");
            assert_eq!(text[2].contains("2 h ago"), size >= 60, "{text:#?}");
        }
    }

    #[test]
    fn without_utf_8_every_sign_is_ascii() {
        let look = Look { glyphs: &Glyphs::ASCII, ..Look::PLAIN };
        let session = SessionRow { id: "a".to_owned(), title: "t".to_owned(), ..SessionRow::default() };
        let (shown, _) = rows(&Picker::new(vec![session], ""), &look, (80, 5));
        assert!(shown.iter().all(|row| row.text().is_ascii()), "{shown:?}");
    }
}
