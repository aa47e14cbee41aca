//! `:export` within the chat: what this client has of the session, as a file.
//!
//! It is the transcript as it stands, so calls that run are told as running, and records of commands are in it. The loop
//! calls it; it performs the one effect and says what came of it. Read `crate::export` for the text.

use std::collections::BTreeMap;
use std::path::Path;

use carpel_slots::{CardCx, Density};

use crate::chat::state::Chat;
use crate::export::{self, About, ExportCx, file};
use crate::render::painter::Folders;
use crate::sentence;

/// What a person asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The line of the command, for its record.
    pub line: String,
    /// The file as they wrote it.
    pub file: String,
    /// A file that is there is replaced.
    pub force: bool,
    /// Thinking is written too.
    pub thinking: bool,
}

/// Writes the file. What came of it is one line: the size and the whole path, or why it was not written.
pub fn write(chat: &mut Chat, wanted: &Export, folders: &Folders) -> Result<String, String> {
    let outcome = attempt(chat, wanted, folders);
    outcome.map_err(|error| sentence::of(&error))
}

fn attempt(chat: &mut Chat, wanted: &Export, folders: &Folders) -> anyhow::Result<String> {
    let session = chat.transcript.session();
    // The pod may know its folder by another name than the shell does.
    let base = if session.cwd.is_empty() { &folders.cwd } else { &session.cwd };
    let path = file::resolve(&wanted.file, Path::new(base), folders.home.as_deref().map(Path::new))?;
    let about = About {
        title: session.title.clone(),
        session: session.id.clone(),
        began: String::new(),
        exported: export::now(),
        folder: session.cwd.clone(),
        provider: export::answerer(&session.provider, &session.model),
        note: if chat.is_busy() { "a turn was under way".to_owned() } else { String::new() },
    };
    let card = CardCx { cwd: base.clone(), home: folders.home.clone(), density: Density::Detail };
    let cx =
        ExportCx { registry: &chat.registry, card, thinking: wanted.thinking, side_files: BTreeMap::new() };
    let text = export::markdown(&about, chat.transcript.items(), &cx);
    file::write(&path, &text, wanted.force)?;
    let size = text.len().div_ceil(1024);
    Ok(format!("{size} KiB written to {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use carpel_protocol::EventLine;
    use carpel_slots::Registry;
    use crossterm::event::{KeyCode, KeyEvent};
    use ratatui::layout::Size;

    use super::*;
    use crate::chat::event::{Effect, HostEvent, LinkEvent};
    use crate::chat::update::update;
    use crate::flow::FlowOptions;
    use crate::terminal::input::keystroke::Keystroke;
    use crate::transcript::item::ItemBody;

    /// Runs the line, performs its export, and gives the records that the flow has then.
    fn run(chat: &mut Chat, line: &str, folders: &Folders) -> Vec<String> {
        let mut happens = |event| update(chat, event, Duration::ZERO);
        let enter = KeyEvent::from(KeyCode::Enter);
        for c in line.chars() {
            happens(HostEvent::Key(Keystroke::from(KeyEvent::from(KeyCode::Char(c)))));
        }
        for effect in happens(HostEvent::Key(Keystroke::from(enter))) {
            let Effect::Export(wanted) = effect else { panic!("{effect:?}") };
            let outcome = write(chat, &wanted, folders);
            update(chat, HostEvent::Exported(wanted.line, outcome), Duration::ZERO);
        }
        let record = |body: &ItemBody| match body {
            ItemBody::Command { line, ok, outcome, .. } => Some(format!("{ok} {line}: {outcome}")),
            _ => None,
        };
        chat.transcript.items().iter().filter_map(|item| record(&item.body)).collect()
    }

    #[test]
    fn an_export_is_recorded_when_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().to_string_lossy().into_owned();
        let mut chat =
            Chat::new(Registry::linked(), FlowOptions { resume: false }, Size::new(80, 24), Density::Normal);
        let hello = format!(r#"{{"event":"hello","protocol":1,"session":"s","title":"talk","cwd":"{cwd}"}}"#);
        for line in
            [hello.as_str(), r#"{"event":"turn_start","turn":1}"#, r#"{"event":"user_message","text":"hi"}"#]
        {
            let line = EventLine::decode(line.as_bytes()).unwrap();
            update(&mut chat, HostEvent::Link(LinkEvent::Event(Box::new(line))), Duration::ZERO);
        }
        // The session's folder counts, not the one that the client was started in.
        let folders = Folders { cwd: "/nowhere".to_owned(), home: None };
        let path = folder.path().join("a b.md");
        let first = format!("true export a b.md: 1 KiB written to {}", path.display());
        assert_eq!(run(&mut chat, ":export a b.md", &folders), [first.as_str()]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# talk\n") && text.contains("## You\n\nhi\n"), "{text}");
        let second = format!(
            "false export a b.md: `{}` is there already; name another file, or add --force to replace it",
            path.display()
        );
        assert_eq!(run(&mut chat, ":export a b.md", &folders), [first.as_str(), second.as_str()]);
        assert_eq!(run(&mut chat, ":export --force a b.md", &folders).len(), 3);
        // What the person ran is part of what they see.
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("✗ `:export a b.md` — "), "{text}");
    }
}
