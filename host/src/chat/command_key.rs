//! Keys while the draft is a command: choosing from the list, completing, running.
//!
//! A line that is wrong is told below the composer and stays there to be mended; only a line that names a command
//! becomes a record in the flow.

use carpel_protocol::Method;
use carpel_protocol::method::Nothing;
use carpel_protocol::word::PodState;
use carpel_slots::ThemeName;
use carpel_slots::command::{CommandCx, CommandEffect};
use crossterm::event::{KeyCode, KeyEvent};

use crate::chat::change::{self, Change};
use crate::chat::event::Effect;
use crate::chat::export::Export;
use crate::chat::inspect;
use crate::chat::key::edit;
use crate::chat::new_session::Dialog;
use crate::chat::plugins::PluginAsk;
use crate::chat::screen;
use crate::chat::state::Chat;
use crate::chat::update::send;
use crate::command_mode::{self, Candidate};
use crate::composer::keys::KeyOutcome;

/// Applies a key. Where the list is `covered` by a word, or has no room, none of its rows is taken.
pub fn key(chat: &mut Chat, pressed: KeyEvent, covered: bool) -> Vec<Effect> {
    let is_seen = !covered && screen::list_room(chat) > 0;
    let candidates = if is_seen { candidates(chat) } else { Vec::new() };
    match pressed.code {
        KeyCode::Esc => {
            chat.composer.clear();
            chat.below.asked_models = false;
        }
        KeyCode::Tab => complete(chat, &candidates),
        KeyCode::Down if candidates.len() > 1 => select(chat, candidates.len(), 1),
        KeyCode::Up | KeyCode::BackTab if candidates.len() > 1 => {
            select(chat, candidates.len(), candidates.len() - 1)
        }
        _ => {
            if edit(chat, pressed) == KeyOutcome::Submit {
                return run(chat, &candidates);
            }
        }
    }
    ask_models(chat)
}

/// Asks the pod which models there are when the first of them is being typed. Its answer comes when it comes.
fn ask_models(chat: &mut Chat) -> Vec<Effect> {
    let is_typed = chat.composer.buffer.text().starts_with(":model ");
    if !is_typed || std::mem::replace(&mut chat.below.asked_models, true) {
        return Vec::new();
    }
    vec![send(Method::Models(Nothing {}), None)]
}

/// The rows of the list for the draft as it stands.
pub fn candidates(chat: &Chat) -> Vec<Candidate> {
    if chat.below.closed {
        return Vec::new();
    }
    command_mode::candidates(&chat.registry, chat.composer.buffer.text(), &chat.command_cx())
}

fn select(chat: &mut Chat, count: usize, step: usize) {
    chat.below.selected = (chat.below.selected.min(count - 1) + step) % count;
}

fn complete(chat: &mut Chat, candidates: &[Candidate]) {
    if let Some(chosen) = candidates.get(chat.below.selected.min(candidates.len().saturating_sub(1))) {
        chat.composer.buffer.replace_all(&chosen.draft);
        chat.below.selected = 0;
    }
}

/// Runs the line. A row that was chosen with the arrow keys stands for it; where the line alone is not enough, the
/// selected row completes it, and runs if it is an argument.
fn run(chat: &mut Chat, candidates: &[Candidate]) -> Vec<Effect> {
    let selected = candidates.get(chat.below.selected.min(candidates.len().saturating_sub(1)));
    let chosen = selected.filter(|_| chat.below.selected > 0);
    let draft = chosen.map_or_else(|| chat.composer.buffer.expanded(), |chosen| chosen.draft.clone());
    let mut ran = match (command_mode::run(&chat.registry, draft.trim_end(), &chat.command_cx()), selected) {
        (Ok(ran), _) => ran,
        (Err(_), Some(offer)) if offer.draft.trim_end() != draft.trim_end() => {
            let is_argument = draft.contains(char::is_whitespace);
            chat.composer.buffer.replace_all(&offer.draft);
            chat.below.selected = 0;
            return if is_argument { run(chat, &[]) } else { Vec::new() };
        }
        (Err(reason), _) => {
            chat.below.of_turn = is_of_turn(chat, &draft, &reason);
            chat.below.word = Some(reason);
            chat.below.closed = true;
            return Vec::new();
        }
    };
    chat.composer.submit();
    chat.below = super::state::Below::default();
    if let Some(why) = unseen(chat, &ran.run.effects) {
        ran.run.outcome = format!("{}, but no colour is written: {why}", ran.run.outcome);
    }
    let change = ran.run.effects.iter().find_map(|effect| match effect {
        CommandEffect::Send(method) => Change::of(&ran.line, method),
        _ => None,
    });
    let effects: Vec<Effect> =
        ran.run.effects.into_iter().filter_map(|effect| perform(chat, effect, &ran.line)).collect();
    // Its record is written when the pod has answered.
    if let Some(change) = change {
        change::sent(chat, change);
        return effects;
    }
    // What opens a screen of its own leaves no record; an export leaves one when it is known what came of it.
    // What a plugin does is recorded when it has answered.
    let has_record = |effect| {
        !matches!(effect, &Effect::Leave | &Effect::ListSessions | &Effect::Export(_) | &Effect::Plugins(..))
    };
    if chat.inspector.is_none() && chat.new_session.is_none() && effects.iter().all(has_record) {
        chat.transcript.command(&ran.line, ran.ok, &ran.run.outcome, ran.run.lines);
    }
    effects
}

/// Whether a line would be told something else if no turn ran.
fn is_of_turn(chat: &Chat, draft: &str, reason: &str) -> bool {
    let idle = CommandCx { state: PodState::Idle, ..chat.command_cx() };
    let then = command_mode::run(&chat.registry, draft.trim_end(), &idle);
    chat.is_busy() && then.err().as_deref() != Some(reason)
}

/// Why the colours that were just chosen are not seen.
fn unseen<'a>(chat: &'a Chat, effects: &[CommandEffect]) -> Option<&'a str> {
    let colours = effects.iter().any(|effect| match effect {
        CommandEffect::SetTheme(ThemeName::Auto | ThemeName::Dark | ThemeName::Light) => true,
        CommandEffect::SetTheme(ThemeName::HighContrast | ThemeName::None)
        | CommandEffect::Quit
        | CommandEffect::SetDensity(_)
        | CommandEffect::Send(_)
        | CommandEffect::Export { .. }
        | CommandEffect::OpenInspector
        | CommandEffect::OpenSessions
        | CommandEffect::OpenNewSession(_)
        | CommandEffect::ListPlugins
        | CommandEffect::ReloadPlugins { .. }
        | CommandEffect::AskPlugin { .. } => false,
    });
    chat.colourless.as_deref().filter(|_| colours)
}

fn perform(chat: &mut Chat, effect: CommandEffect, line: &str) -> Option<Effect> {
    match effect {
        CommandEffect::Quit => Some(Effect::Leave),
        CommandEffect::OpenInspector => {
            inspect::open(chat);
            None
        }
        CommandEffect::OpenSessions => Some(Effect::ListSessions),
        CommandEffect::OpenNewSession(folder) => {
            let own = &chat.transcript.session().cwd;
            chat.new_session = Some(Dialog::new(if folder.is_empty() { own } else { &folder }));
            None
        }
        CommandEffect::Export { file, force, thinking } => {
            Some(Effect::Export(Export { line: line.to_owned(), file, force, thinking }))
        }
        CommandEffect::Send(method) => Some(send(*method, None)),
        CommandEffect::ListPlugins => Some(Effect::Plugins(line.to_owned(), PluginAsk::List)),
        CommandEffect::ReloadPlugins { name } => {
            Some(Effect::Plugins(line.to_owned(), PluginAsk::Reload(name)))
        }
        CommandEffect::AskPlugin { plugin, command, arguments } => {
            Some(Effect::Plugins(line.to_owned(), PluginAsk::Run { plugin, command, arguments }))
        }
        CommandEffect::SetDensity(density) => {
            chat.density = density;
            None
        }
        CommandEffect::SetTheme(theme) => {
            chat.themes.name = theme;
            None
        }
    }
}
