//! Keys while a list of completions is open: moving in it, taking a row, closing it.
//!
//! Enter takes a row only when the person has chosen one with the arrow keys; else it sends. So no row is ever taken that
//! was not seen. What is listed is the business of [`crate::completion`].

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent};

use crate::chat::event::Effect;
use crate::chat::screen;
use crate::chat::state::Chat;

/// Applies a key to the open list. False when it is no key of a list, or when there is none to be seen.
pub(super) fn key(chat: &mut Chat, pressed: KeyEvent) -> bool {
    let buffer = &chat.composer.buffer;
    let Some(open) = chat.completion.list(buffer.text(), buffer.cursor()) else { return false };
    if chat.composer.search.is_some() || screen::list_room(chat) == 0 || !pressed.modifiers.is_empty() {
        return false;
    }
    match pressed.code {
        KeyCode::Esc => chat.completion.close(),
        KeyCode::Down => chat.completion.select(true),
        KeyCode::Up => chat.completion.select(false),
        KeyCode::Tab => take(chat),
        KeyCode::Enter if open.selected.is_some() => take(chat),
        _ => return false,
    }
    true
}

fn take(chat: &mut Chat) {
    let buffer = &mut chat.composer.buffer;
    if let Some(taken) = chat.completion.take(buffer.text(), buffer.cursor()) {
        buffer.replace(taken.range, &taken.text);
        buffer.move_to(taken.cursor);
    }
}

/// After a key of the list: a word that goes on has the list of what comes next.
pub(super) fn goes_on(chat: &mut Chat, now: Duration) -> Vec<Effect> {
    let buffer = &chat.composer.buffer;
    if chat.completion.is_closed() && !buffer.text()[..buffer.cursor()].ends_with(char::is_whitespace) {
        return ask(chat, now);
    }
    Vec::new()
}

/// After an edit the list follows what is typed. What was brought back from the history opens none.
pub(super) fn follow(chat: &mut Chat, pressed: KeyEvent, now: Duration) -> Vec<Effect> {
    match pressed.code {
        KeyCode::Char(_) | KeyCode::Backspace | KeyCode::Delete => ask(chat, now),
        _ => Vec::new(),
    }
}

fn ask(chat: &mut Chat, now: Duration) -> Vec<Effect> {
    let buffer = &chat.composer.buffer;
    let asks = chat.completion.follow(buffer.text(), buffer.cursor(), &chat.registry, now);
    asks.into_iter().map(Effect::Name).collect()
}

/// What is said of a text that looks like a command of another program: it went out as text.
pub(super) fn no_command(chat: &Chat, text: &str) -> Option<String> {
    let text = text.trim();
    let name = text.strip_prefix(['/', '#'])?;
    let is_command = name == "compact" || chat.registry.commands().any(|(command, _)| command == name);
    (is_command && !chat.completion.is_skill(name))
        .then(|| format!("`{text}` went out as text; it is no command, those begin with a colon"))
}
