//! The dialog of a new session: its folder, who answers, which model. On the alternate screen, like the picker.
//!
//! It holds what is typed and says what is wrong with it; whether such a session can begin is found out by whoever can
//! look at the disk and at the environment. Nothing is lost by an Esc or by a mistake: the session that is shown stays.

use carpel_slots::completion::Offer;
use carpel_slots::{Printable, Role};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::chat::event::Effect;
use crate::chat::state::Chat;
use crate::completion::folder::FolderList;
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

/// The field of the folder.
const FOLDER: usize = 0;

/// Folders that are listed at a time.
const MOST_FOLDERS: usize = 8;

/// Cells of the fields' names.
const NAMES: usize = 8;

/// The dialog while it is open.
#[derive(Debug, Default)]
pub struct Dialog {
    fields: [Buffer; FIELDS.len()],
    at: usize,
    /// What the folder may be.
    folders: FolderList,
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

    /// What is in a folder.
    pub fn told(&mut self, folder: &str, offers: &[Offer]) {
        self.folders.told(folder, offers, self.fields[FOLDER].text());
    }

    /// The field's text was changed: a list of folders follows it.
    fn changed(&mut self) -> Vec<Effect> {
        self.wrong = None;
        let ask = (self.at == FOLDER).then(|| self.folders.follow(self.fields[FOLDER].text())).flatten();
        ask.into_iter().map(Effect::Name).collect()
    }

    /// Applies a key of the open list of folders; `None` when it is none.
    fn choose(&mut self, pressed: KeyEvent) -> Option<Vec<Effect>> {
        if !self.folders.is_open() || !pressed.modifiers.is_empty() {
            return None;
        }
        match pressed.code {
            KeyCode::Esc => self.folders.close(),
            KeyCode::Down => self.folders.select(true),
            KeyCode::Up => self.folders.select(false),
            KeyCode::Enter if !self.folders.is_chosen() => return None,
            KeyCode::Tab | KeyCode::Enter => {
                let path = self.folders.take()?;
                self.fields[FOLDER].replace_all(&path);
                return Some(self.changed());
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    /// Text was pasted: into the field, as one line.
    pub fn paste(&mut self, text: &str) {
        let line: String = text.chars().filter(|c| !c.is_control()).collect();
        self.fields[self.at].insert(&line);
        self.folders.close();
        self.wrong = None;
    }

    /// Goes to another field.
    fn go_to(&mut self, field: usize) {
        self.at = field % FIELDS.len();
        self.folders.close();
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
    if let Some(effects) = dialog.choose(pressed) {
        return Some(effects);
    }
    match pressed.code {
        KeyCode::Esc => chat.new_session = None,
        _ if is_interrupt => chat.new_session = None,
        KeyCode::Enter => return Some(vec![Effect::Begin(dialog.wanted())]),
        KeyCode::Tab | KeyCode::Down => dialog.go_to(dialog.at + 1),
        KeyCode::BackTab | KeyCode::Up => dialog.go_to(dialog.at + FIELDS.len() - 1),
        _ => {
            if dialog.edit(pressed) {
                return Some(dialog.changed());
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
    let keys = match (dialog.folders.is_open(), dialog.folders.is_chosen()) {
        (false, _) => ["Tab next field", "Enter begins", "Esc goes back"].as_slice(),
        (true, false) => &["Tab takes the folder", "Up, Down choose", "Enter begins", "Esc closes the list"],
        (true, true) => &["Tab, Enter take the folder", "Up, Down choose", "Esc closes the list"],
    };
    let keys = format!("   {}", keys.join(&format!(" {dot} ")));
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
    if dialog.folders.is_open() {
        rows.push(Row::default());
        rows.extend(folder_rows(dialog, look, height.saturating_sub(rows.len())));
    }
    if let Some(wrong) = &dialog.wrong {
        rows.push(Row::default());
        let sentence = Row::of(look.theme.role(Role::Error), Printable::line(wrong));
        rows.extend(wrap::wrap(&sentence.spans, width.max(1), &Indent::blanks(0)));
    }
    let rows = rows.iter().take(height).map(|row| wrap::cut(row, width, look.glyphs.ellipsis)).collect();
    (rows, (cursor.0.min(height.saturating_sub(1)), cursor.1.min(width.saturating_sub(1))))
}

/// The list of folders in at most `room` rows, the chosen one among them.
fn folder_rows(dialog: &Dialog, look: &Look, room: usize) -> Vec<Row> {
    let all: Vec<(&str, bool)> = dialog.folders.rows().collect();
    let chosen = all.iter().position(|(_, chosen)| *chosen).unwrap_or(0);
    let room = room.min(MOST_FOLDERS);
    let first = chosen.saturating_sub(room.saturating_sub(1));
    let row = |(path, chosen): &(&str, bool)| {
        let (mark, role) = if *chosen { ("› ", Role::Accent) } else { ("  ", Role::Dim) };
        let style = look.theme.role(role);
        let mut row = Row::of(style, Printable::line(mark));
        row.push(style, Printable::line(path));
        row
    };
    all.iter().skip(first).take(room).map(row).collect()
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
    use crate::completion::quoted;
    use crate::flow::FlowOptions;
    use crate::key_names::keys;
    use crate::naming::Ask;
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
            // Folders that may be meant are looked for on the way.
            effects.retain(|effect| !matches!(effect, Effect::Name(_)));
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
    fn folders_are_offered_and_taken() {
        let mut chat = chat();
        let press = |chat: &mut Chat, typed: &str| -> Vec<Effect> {
            keys(typed).into_iter().flat_map(|stroke| key(chat, stroke.event).unwrap_or_default()).collect()
        };
        let text = |chat: &Chat| chat.new_session.as_ref().unwrap().fields[FOLDER].text().to_owned();
        let asks = |folder: &str| [Effect::Name(Ask::Folder(folder.to_owned()))];
        let tell = |chat: &mut Chat, folder: &str, paths: &[&str]| {
            let offers: Vec<Offer> = paths.iter().map(|path| quoted::offer(path, path, "")).collect();
            chat.new_session.as_mut().unwrap().told(folder, &offers);
        };
        assert_eq!(press(&mut chat, "/s"), asks("/w/"));
        tell(&mut chat, "/w/", &["/w/src/", "/w/sub/", "/w/s.txt"]);
        let look = Look { theme: Theme::NONE, glyphs: &Glyphs::UNICODE };
        press(&mut chat, "<down><down>");
        let dialog = chat.new_session.as_ref().unwrap();
        for (height, listed) in [(10, &["  /w/src/", "› /w/sub/"][..]), (7, &["› /w/sub/"]), (6, &[])] {
            let shown: Vec<String> =
                rows(dialog, &["guide"], &look, (40, height)).0.iter().map(Row::text).collect();
            assert_eq!(shown.get(6..).unwrap_or_default(), listed, "{height}");
        }
        // A chosen row is taken by Enter, and the list goes on in it.
        assert_eq!(press(&mut chat, "<enter>"), asks("/w/sub/"));
        assert_eq!(text(&chat), "/w/sub/");
        tell(&mut chat, "/w/sub/", &["/w/sub/deep/"]);
        // Without a chosen one Tab takes the best, and Esc closes the list before it closes the dialog.
        assert_eq!(press(&mut chat, "<tab>"), asks("/w/sub/deep/"));
        assert_eq!(text(&chat), "/w/sub/deep/");
        tell(&mut chat, "/w/sub/deep/", &["/w/sub/deep/er/"]);
        press(&mut chat, "<esc>");
        assert!(chat.new_session.is_some());
        press(&mut chat, "<tab>x<backspace>");
        assert_eq!((chat.new_session.as_ref().unwrap().at, text(&chat).as_str()), (1, "/w/sub/deep/"));
        press(&mut chat, "<esc>");
        assert!(chat.new_session.is_none());
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
