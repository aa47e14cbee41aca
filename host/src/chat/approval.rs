//! The approval overlay: the question that waits longest, how far it is scrolled, and the answer.
//!
//! The pod owns the questions; here is only what this client does with them. A letter answers only when it was meant to:
//! it came by itself, and its person was not typing when the question appeared; any other goes to the draft. Enter and
//! pastes never answer. Esc puts the question aside, so that scrollback, draft and commands can be used, and takes it up
//! again. How it looks is [`super::approval_panel`]'s, what became of an answer [`super::elsewhere`]'s.

use std::time::Duration;

use carpel_protocol::Method;
use carpel_protocol::event::ApprovalRequest;
use carpel_protocol::method::Approve;
use carpel_protocol::word::Decision;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::chat::approval_panel;
use crate::chat::elsewhere::{self, Answered};
use crate::chat::event::Effect;
use crate::chat::key;
use crate::chat::state::Chat;
use crate::chat::update::send;
use crate::composer::Composer;
use crate::composer::keys::{self, KeyOutcome};
use crate::terminal::input::keystroke::Keystroke;

/// For so long after a question appeared, or after the last letter of a draft, a person who was typing goes on typing.
const STARTLE: Duration = Duration::from_millis(700);

/// A question that did not follow this person's own answer must have been in sight for so long before a letter answers it.
const IN_SIGHT: Duration = Duration::from_millis(500);

/// A letter that comes sooner after another key is part of what is being typed, not an answer.
const ALONE: Duration = Duration::from_millis(150);

/// What this client does with the pod's questions.
#[derive(Debug, Default)]
pub struct Approvals {
    /// Answers that were given here.
    pub(super) answered: Answered,
    open: Option<Open>,
    /// How many of the questions that wait together are closed already.
    closed: usize,
    /// When a key last went to the draft.
    typed: Option<Duration>,
}

/// The question on the screen.
#[derive(Debug)]
pub struct Open {
    request: String,
    since: Duration,
    /// It stands where this person has just answered the one before.
    follows: bool,
    /// Rows of the detail above the first that is shown; more than there are counts as all.
    pub scroll: usize,
    /// Rows that a page has.
    page: usize,
    /// The words for a refusal, while they are being written.
    pub why: Option<Composer>,
    /// True while the chat is shown in its place.
    aside: bool,
}

impl Open {
    fn new(request: &str, since: Duration, follows: bool) -> Open {
        Open { request: request.to_owned(), since, follows, scroll: 0, page: 1, why: None, aside: false }
    }
}

impl Approvals {
    /// The question on the screen; `None` also while it is put aside.
    pub fn shown(&self) -> Option<&Open> {
        self.open.as_ref().filter(|open| !open.aside)
    }

    /// True while a question waits for an answer, on the screen or put aside.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A key went to the draft.
    pub fn typed(&mut self, now: Duration) {
        self.typed = Some(now);
    }

    /// The question was hidden and is seen now, by a person who was pressing keys of something else.
    pub fn comes_into_sight(&mut self, now: Duration) {
        if let Some(open) = &mut self.open {
            open.since = now;
            self.typed = Some(now);
        }
    }

    fn is_startling(&self, now: Duration) -> bool {
        let Some(open) = &self.open else { return false };
        if !open.follows && now.saturating_sub(open.since) < IN_SIGHT {
            return true;
        }
        let Some(typed) = self.typed else { return false };
        let last = typed.max(open.since);
        open.since.saturating_sub(typed) < STARTLE && now.saturating_sub(last) < STARTLE
    }
}

/// The question that is to be answered, with its place among those that wait: `(question, 1, 2)` is the first of two.
pub fn current(chat: &Chat) -> Option<(&ApprovalRequest, usize, usize)> {
    let open = chat.approvals.open.as_ref()?;
    let all = &chat.transcript.session().approvals;
    let request = all.iter().find(|request| request.request == open.request)?;
    let closed = chat.approvals.closed;
    Some((request, closed + 1, closed + waiting(chat)))
}

/// How many questions wait for an answer.
pub fn waiting(chat: &Chat) -> usize {
    let all = &chat.transcript.session().approvals;
    all.iter().filter(|request| !chat.approvals.answered.holds(&request.request)).count()
}

/// Follows the pod's list of questions; called after each event.
pub fn sync(chat: &mut Chat, now: Duration) {
    follow(chat, now, false);
}

/// `answered`: this person has just answered the question before.
fn follow(chat: &mut Chat, now: Duration, answered: bool) {
    let waiting = &chat.transcript.session().approvals;
    let approvals = &mut chat.approvals;
    approvals.answered.retain(waiting);
    let mut waiting = waiting.iter().filter(|request| !approvals.answered.holds(&request.request));
    let next = waiting.clone().next();
    let stays = |open: &Open| waiting.any(|request| request.request == open.request);
    if approvals.open.as_ref().is_some_and(stays) {
        return;
    }
    let gone = approvals.open.take();
    approvals.closed = if next.is_some() { approvals.closed + usize::from(gone.is_some()) } else { 0 };
    approvals.open = next.map(|next| Open::new(&next.request, now, answered));
    let words = gone.and_then(|open| open.why);
    // What was being written about a question that somebody else has answered is not lost.
    if let Some(words) = words.filter(|words| !words.buffer.is_empty())
        && chat.composer.buffer.is_empty()
    {
        chat.composer.buffer.replace_all(&words.buffer.expanded());
    }
}

/// Applies a key to the question; `None` when it is not for it.
pub fn key(chat: &mut Chat, stroke: Keystroke, now: Duration) -> Option<Vec<Effect>> {
    let pressed = stroke.event;
    let is_command = key::is_command(chat);
    let open = chat.approvals.open.as_mut()?;
    if open.aside {
        let comes_back = pressed.code == KeyCode::Esc && !is_command;
        if comes_back {
            open.aside = false;
            chat.approvals.typed = None;
        }
        return comes_back.then(Vec::new);
    }
    if open.why.is_some() {
        return (!is_of_the_program(pressed)).then(|| write_why(chat, pressed, now));
    }
    if pressed.modifiers.contains(KeyModifiers::CONTROL) {
        return None;
    }
    if is_typing(pressed) && (chat.approvals.is_startling(now) || !is_alone(stroke)) {
        return None;
    }
    Some(choose(chat, pressed, now))
}

/// Ctrl+C, Ctrl+D, Ctrl+Z and Ctrl+O are never part of a text.
fn is_of_the_program(pressed: KeyEvent) -> bool {
    let is_control = pressed.modifiers == KeyModifiers::CONTROL;
    is_control && matches!(pressed.code, KeyCode::Char('c' | 'C' | 'd' | 'D' | 'z' | 'Z' | 'o' | 'O'))
}

/// True for keys that a draft is written with.
fn is_typing(pressed: KeyEvent) -> bool {
    matches!(pressed.code, KeyCode::Char(_) | KeyCode::Enter | KeyCode::Backspace | KeyCode::Tab)
}

fn is_alone(stroke: Keystroke) -> bool {
    !stroke.arrival.more_waits && stroke.arrival.gap.is_none_or(|gap| gap >= ALONE)
}

fn choose(chat: &mut Chat, pressed: KeyEvent, now: Duration) -> Vec<Effect> {
    let is_seen = approval_panel::is_seen(chat);
    let offers_session = current(chat).is_some_and(|(request, ..)| offers_session(request));
    let Some(open) = &mut chat.approvals.open else { return Vec::new() };
    match pressed.code {
        KeyCode::Char('y' | 'Y' | 's' | 'S') if !is_seen => {
            chat.below.word = Some(too_small(chat.window.width).to_owned());
        }
        KeyCode::Char('y' | 'Y') => return answer(chat, Decision::Once, None, now),
        KeyCode::Char('s' | 'S') if offers_session => return answer(chat, Decision::Session, None, now),
        KeyCode::Char('s' | 'S') => {
            chat.below.word = Some("not for the session: this is asked each time".to_owned());
        }
        KeyCode::Char('n' | 'N') => return answer(chat, Decision::Deny, None, now),
        KeyCode::Char('m' | 'M') => open.why = Some(Composer::default()),
        KeyCode::Up => open.scroll = open.scroll.saturating_sub(1),
        KeyCode::Down => open.scroll = open.scroll.saturating_add(1),
        KeyCode::PageUp => open.scroll = open.scroll.saturating_sub(open.page),
        KeyCode::PageDown => open.scroll = open.scroll.saturating_add(open.page),
        KeyCode::Home => open.scroll = 0,
        KeyCode::End => open.scroll = usize::MAX,
        KeyCode::Esc => open.aside = true,
        KeyCode::Enter => {
            chat.below.word = Some("Enter answers nothing; press one of the letters".to_owned())
        }
        _ => {}
    }
    Vec::new()
}

/// True when a yes may be for the whole session.
pub fn offers_session(request: &ApprovalRequest) -> bool {
    session_label(request).is_some()
}

/// What the pod says of a yes for the whole session, raw, where there may be one.
pub fn session_label(request: &ApprovalRequest) -> Option<&str> {
    let option = request.options.iter().find(|option| option.kind == Decision::Session);
    option.map(|option| option.label.as_str())
}

/// Why a yes is not taken, longest first: a low window has one row for it.
const TOO_SMALL: [&str; 4] = [
    "too small to say yes: this window does not show what to",
    "too small a window to say yes",
    "too small for a yes",
    "too small",
];

fn too_small(width: u16) -> &'static str {
    let fits = |word: &&str| word.len() <= usize::from(width);
    TOO_SMALL.into_iter().find(fits).unwrap_or(TOO_SMALL[TOO_SMALL.len() - 1])
}

/// The window has another size: that it was too small goes with what made it true.
pub fn resized(chat: &mut Chat) {
    if chat.below.word.as_deref().is_some_and(|word| TOO_SMALL.contains(&word)) {
        let word = too_small(chat.window.width).to_owned();
        chat.below.word = (!approval_panel::is_seen(chat)).then_some(word);
    }
}

/// Keeps the scroll where there is something to see, and a page as long as what is seen; the panel knows both.
pub fn bound_scroll(chat: &mut Chat, most: usize, page: usize) {
    if let Some(open) = &mut chat.approvals.open {
        open.scroll = open.scroll.min(most);
        open.page = page.max(1);
    }
}

/// Puts pasted text into the words for a refusal; false when none are being written.
pub fn paste(chat: &mut Chat, text: &str) -> bool {
    let open = chat.approvals.open.as_mut().filter(|open| !open.aside);
    let Some(why) = open.and_then(|open| open.why.as_mut()) else { return false };
    why.buffer.insert_paste(text);
    true
}

fn write_why(chat: &mut Chat, pressed: KeyEvent, now: Duration) -> Vec<Effect> {
    let Some(open) = &mut chat.approvals.open else { return Vec::new() };
    let Some(why) = &mut open.why else { return Vec::new() };
    if pressed.code == KeyCode::Esc {
        open.why = None;
        return Vec::new();
    }
    match keys::key(why, pressed, usize::MAX) {
        KeyOutcome::Edited | KeyOutcome::Unused => Vec::new(),
        KeyOutcome::Submit if why.buffer.text().trim().is_empty() => {
            chat.below.word = Some("write why, or go back with Esc and press n".to_owned());
            Vec::new()
        }
        KeyOutcome::Submit => {
            let words = why.submit();
            answer(chat, Decision::Deny, Some(words), now)
        }
    }
}

fn answer(chat: &mut Chat, decision: Decision, message: Option<String>, now: Duration) -> Vec<Effect> {
    let Some(open) = chat.approvals.open.take() else { return Vec::new() };
    chat.approvals.answered.put(&open.request, &decision);
    chat.approvals.closed += 1;
    let id = elsewhere::method_id(&open.request);
    follow(chat, now, true);
    vec![send(Method::Approve(Approve { request: open.request, decision, message }), Some(id))]
}
