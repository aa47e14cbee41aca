//! The dialog of a new session: its folder, who answers, which model. On the alternate screen, like the picker.
//!
//! It holds what is typed and says what is wrong with it; whether such a session can begin is found out by whoever can
//! look at the disk and at the environment. Nothing is lost by an Esc or by a mistake: the session that is shown stays.

use carpel_slots::{Printable, Role};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::chat::event::Effect;
use crate::chat::state::Chat;
use crate::composer::buffer::Buffer;
use crate::render::look::Look;
use crate::render::wrap::{self, Indent, text_width};
use crate::row::Row;

/// What a person wants a session to be begun with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Its workspace folder as it was typed; relative to that of the session that is shown, and `~/` is the home folder.
    pub folder: String,
    /// Who answers; `None` for the one of the command line and the manifest.
    pub provider: Option<String>,
    /// Which model; `None` for the provider's usual one.
    pub model: Option<String>,
}

/// Whether a session that is wanted can begin, or why not, in words for the person.
pub type Beginning = Box<dyn Fn(&Wanted) -> Result<(), String>>;

/// A field: its name, and what it means when it is empty.
const FIELDS: [(&str, &str); 3] =
    [("folder", "this folder"), ("provider", "as usual"), ("model", "the usual one")];

/// Cells of the fields' names.
const NAMES: usize = 8;

/// The dialog while it is open.
#[derive(Debug, Default)]
pub struct Dialog {
    fields: [Buffer; FIELDS.len()],
    at: usize,
    /// Why the session cannot begin as it stands.
    wrong: Option<String>,
}

impl Dialog {
    /// A dialog that starts from this folder.
    pub fn new(folder: &str) -> Dialog {
        let mut dialog = Dialog::default();
        dialog.fields[0].insert(folder);
        dialog
    }

    /// The session cannot begin.
    pub fn refuse(&mut self, reason: String) {
        self.wrong = Some(reason);
    }

    /// Text was pasted: into the field, as one line.
    pub fn paste(&mut self, text: &str) {
        let line: String = text.chars().filter(|c| !c.is_control()).collect();
        self.fields[self.at].insert(&line);
        self.wrong = None;
    }

    fn wanted(&self) -> Wanted {
        let said = |at: usize| Some(self.fields[at].text().trim().to_owned()).filter(|text| !text.is_empty());
        Wanted { folder: said(0).unwrap_or_else(|| ".".to_owned()), provider: said(1), model: said(2) }
    }

    /// Applies a key that changes what is typed; false for all others.
    fn edit(&mut self, pressed: KeyEvent) -> bool {
        let field = &mut self.fields[self.at];
        let control = pressed.modifiers.contains(KeyModifiers::CONTROL);
        match pressed.code {
            KeyCode::Backspace => field.backspace(),
            KeyCode::Delete => field.delete(),
            KeyCode::Left => field.left(),
            KeyCode::Right => field.right(),
            KeyCode::Home => field.home(),
            KeyCode::End => field.end(),
            KeyCode::Char('u') if control => field.kill_to_line_start(),
            KeyCode::Char('w') if control => field.kill_word_back(),
            KeyCode::Char(c) if !control => field.insert(c.encode_utf8(&mut [0; 4])),
            _ => return false,
        }
        true
    }
}

/// Applies a key; `None` when no dialog is open.
pub fn key(chat: &mut Chat, pressed: KeyEvent) -> Option<Vec<Effect>> {
    let dialog = chat.new_session.as_mut()?;
    let is_interrupt = pressed.modifiers == KeyModifiers::CONTROL && pressed.code == KeyCode::Char('c');
    match pressed.code {
        KeyCode::Esc => chat.new_session = None,
        _ if is_interrupt => chat.new_session = None,
        KeyCode::Enter => return Some(vec![Effect::Begin(dialog.wanted())]),
        KeyCode::Tab | KeyCode::Down => dialog.at = (dialog.at + 1) % FIELDS.len(),
        KeyCode::BackTab | KeyCode::Up => dialog.at = (dialog.at + FIELDS.len() - 1) % FIELDS.len(),
        _ => {
            if dialog.edit(pressed) {
                dialog.wrong = None;
            }
        }
    }
    Some(Vec::new())
}

/// The dialog as the rows of a window, and the row and column of the cursor.
pub fn rows(
    dialog: &Dialog,
    providers: &[&str],
    look: &Look,
    (width, height): (usize, usize),
) -> (Vec<Row>, (usize, usize)) {
    let mut head = Row::of(look.theme.role(Role::Accent), Printable::line("new session"));
    let dot = look.glyphs.separator;
    let keys = format!("   Tab next field {dot} Enter begins {dot} Esc goes back");
    head.push(look.theme.dim(), Printable::line(&keys));
    let mut rows = vec![head, Row::default()];
    let mut cursor = (0, 0);
    for (at, ((name, usual), field)) in FIELDS.iter().zip(&dialog.fields).enumerate() {
        let is_here = at == dialog.at;
        let role = look.theme.role(if is_here { Role::Accent } else { Role::Dim });
        let sign = if is_here { look.glyphs.prompt } else { " " };
        let mut row = Row::of(role, Printable::line(&format!("{sign} ")));
        row.push(role, Printable::line(&format!("{name:NAMES$}  ")));
        let plain = look.theme.role(Role::Plain);
        let before = Printable::line(&field.text()[..field.cursor()]);
        row.push(plain, Printable::line(end_of(before.as_str(), width.saturating_sub(row.width() + 1))));
        if is_here {
            cursor = (rows.len(), row.width());
        }
        row.push(plain, Printable::line(&field.text()[field.cursor()..]));
        if field.is_empty() {
            let hint =
                if at == 1 { format!("{usual}; or {}", providers.join(", ")) } else { (*usual).to_owned() };
            row.push(look.theme.dim(), Printable::line(&hint));
        }
        rows.push(row);
    }
    if let Some(wrong) = &dialog.wrong {
        rows.push(Row::default());
        let sentence = Row::of(look.theme.role(Role::Error), Printable::line(wrong));
        rows.extend(wrap::wrap(&sentence.spans, width.max(1), &Indent::blanks(0)));
    }
    let rows = rows.iter().take(height).map(|row| wrap::cut(row, width, look.glyphs.ellipsis)).collect();
    (rows, (cursor.0.min(height.saturating_sub(1)), cursor.1.min(width.saturating_sub(1))))
}

/// The end of a text that fits into so many cells: of what is longer than the window, the part at the cursor is shown.
fn end_of(text: &str, cells: usize) -> &str {
    let mut taken = 0;
    let fits = text.char_indices().rev().take_while(|(_, c)| {
        taken += text_width(c.encode_utf8(&mut [0; 4]));
        taken <= cells
    });
    let start = fits.last().map_or(text.len(), |(at, _)| at);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use carpel_slots::{Density, Registry};
    use ratatui::layout::Size;

    use super::*;
    use crate::flow::FlowOptions;
    use crate::key_names::keys;
    use crate::render::glyph::Glyphs;
    use crate::render::theme::Theme;

    fn chat() -> Chat {
        let flow = FlowOptions { resume: false };
        let mut chat = Chat::new(Registry::linked(), flow, Size::new(60, 10), Density::Normal);
        chat.new_session = Some(Dialog::new("/w"));
        chat
    }

    #[test]
    fn what_is_typed_is_what_begins() {
        let check = |typed: &str, want: (&str, Option<&str>, Option<&str>)| {
            let mut chat = chat();
            let mut effects = Vec::new();
            for stroke in keys(typed) {
                effects.extend(key(&mut chat, stroke.event).unwrap_or_default());
            }
            let (folder, provider, model) = want;
            let wanted = Wanted {
                folder: folder.to_owned(),
                provider: provider.map(str::to_owned),
                model: model.map(str::to_owned),
            };
            assert_eq!(effects, [Effect::Begin(wanted)], "{typed}");
        };
        check("<enter>", ("/w", None, None));
        check("/x<tab>guide<enter>", ("/w/x", Some("guide"), None));
        check("<c-u><tab><tab> m <enter>", (".", None, Some("m")));
        check("<tab>ab<backspace><tab><tab>y<enter>", ("/wy", Some("a"), None));
        check("<up>m<down>z<enter>", ("/wz", None, Some("m")));
    }

    #[test]
    fn a_mistake_is_told_and_goes_with_the_next_change() {
        let mut chat = chat();
        let look = Look { theme: Theme::NONE, glyphs: &Glyphs::UNICODE };
        let shown = |chat: &Chat| -> Vec<String> {
            let dialog = chat.new_session.as_ref().unwrap();
            rows(dialog, &["guide"], &look, (40, 8)).0.iter().map(Row::text).collect()
        };
        chat.new_session.as_mut().unwrap().refuse("there is no folder `/w`".to_owned());
        assert_eq!(shown(&chat).last().unwrap(), "there is no folder `/w`");
        for stroke in keys("x") {
            key(&mut chat, stroke.event);
        }
        assert_eq!(
            shown(&chat)[2..],
            ["› folder    /wx", "  provider  as usual; or guide", "  model     the usual one"]
        );
        for stroke in keys("<esc>") {
            key(&mut chat, stroke.event);
        }
        assert!(chat.new_session.is_none());
    }

    #[test]
    fn hostile_text_stays_in_its_row_and_the_cursor_in_the_window() {
        for text in ["\u{1b}[2J", "\u{202e}abc", "漢字漢字漢字漢字漢字", "e\u{301}".repeat(40).as_str()]
        {
            let mut dialog = Dialog::new("");
            dialog.paste(&format!("{text}\n{text}"));
            for width in [1, 5, 20, 60] {
                let look = Look { theme: Theme::NONE, glyphs: &Glyphs::UNICODE };
                let (rows, cursor) = rows(&dialog, &["guide"], &look, (width, 6));
                assert!(rows.iter().all(|row| row.width() <= width), "{text:?} {width}");
                assert!(cursor.1 < width && cursor.0 < 6, "{text:?} {width}: {cursor:?}");
            }
        }
    }
}
