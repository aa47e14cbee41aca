//! What a chat that is heard says besides what is committed: each line once, when it becomes true.
//!
//! Where rows are seen, a status row, a panel or a list stands and changes. Somebody who hears the terminal is told
//! instead: that a call has been running for a moment, that a question waits and the whole of it, that the turn is over, a
//! word about the last key, the row that was chosen of a list. What is committed tells the rest. Refuses to know how rows
//! reach the terminal; `chat/screen.rs` commits what comes from here.

use std::collections::BTreeMap;
use std::time::Duration;

use carpel_protocol::word::PodState;
use carpel_slots::{CallKey, CallState, Printable, Role};

use crate::chat::state::{Chat, Link};
use crate::chat::{approval, approval_panel, list, queue, status, welcome};
use crate::paint::{Paint, PaintCx, Place};
use crate::render::clock;
use crate::render::look::Look;
use crate::render::wrap::{self, Indent};
use crate::row::{Row, RowSpan};
use crate::transcript::item::ItemBody;

/// A call that takes less is told when it is done, and only then.
const MOMENT: Duration = Duration::from_secs(1);

/// What has been said.
#[derive(Debug, Default)]
pub struct Speech {
    link: Option<Link>,
    state: Option<PodState>,
    /// Since when the turn is under way.
    busy: Option<Duration>,
    /// Calls that run: since when, and whether that was said.
    calls: BTreeMap<CallKey, (Duration, bool)>,
    question: Option<String>,
    /// Words for a refusal are being written.
    reasoning: bool,
    word: Option<String>,
    again: Option<String>,
    queued: usize,
    /// The draft, and the row of its list that is chosen.
    list: (String, Option<String>),
}

/// What there is to say now, and when there may be more though nothing happens.
pub(super) fn say(
    chat: &mut Chat,
    paint: &mut dyn Paint,
    look: &Look,
    now: Duration,
) -> (Vec<Row>, Option<Duration>) {
    let mut said = std::mem::take(&mut chat.speech);
    let width = usize::from(chat.window.width).max(1);
    let mut rows = Vec::new();
    let due = said.calls(chat, paint, (width, now), &mut rows);
    for text in [said.state(chat, now), said.queue(chat, look)].into_iter().flatten() {
        rows.extend(line(&text, look, width));
    }
    if let Some(text) = said.link(chat) {
        rows.extend(line(&text, look, width));
        rows.extend(welcome::rows(chat, look, width));
    }
    rows.extend(said.question(chat, look, width));
    for text in said.words(chat) {
        rows.extend(line(&text, look, width));
    }
    chat.speech = said;
    (rows, due)
}

/// The words for a refusal while they are written, and the column of the cursor: they take the draft's place.
pub(super) fn reason(chat: &Chat, look: &Look, width: usize) -> Option<(Row, usize)> {
    let panel = approval_panel::question(chat, look, width)?.fit(usize::MAX);
    let (row, column) = panel.cursor?;
    Some((panel.rows.get(row)?.clone(), column))
}

fn line(text: &str, look: &Look, width: usize) -> Vec<Row> {
    let span = RowSpan { text: Printable::line(text), style: look.theme.role(Role::Plain) };
    wrap::wrap(&[span], width, &Indent::default())
}

/// The connection, once it can be told: a history that is being restored comes first.
fn link(chat: &Chat) -> Option<Link> {
    Some(chat.link.clone()).filter(|link| *link != Link::Connecting && !chat.transcript.is_restoring())
}

impl Speech {
    fn link(&mut self, chat: &Chat) -> Option<String> {
        let link = link(chat).filter(|link| self.link.as_ref() != Some(link))?;
        self.link = Some(link.clone());
        Some(match link {
            Link::Connecting => return None,
            Link::Connected => match status::who(chat).as_str() {
                "" => "ready".to_owned(),
                who => format!("ready, {who}"),
            },
            Link::Reconnecting => "reconnecting".to_owned(),
            Link::Gone(_) => "no pod; :quit leaves".to_owned(),
        })
    }

    /// The pod does something else than before. That a turn runs is said by the prompt that began it.
    fn state(&mut self, chat: &Chat, now: Duration) -> Option<String> {
        let state = chat.pod_state();
        let before = self.state.replace(state.clone())?;
        if state == before {
            return None;
        }
        if before == PodState::Idle {
            self.busy = Some(now);
        }
        match state {
            PodState::Running if before == PodState::Idle => None,
            PodState::Running => Some("running".to_owned()),
            PodState::Idle => {
                let time = self.busy.take().map(|since| now.saturating_sub(since));
                let time = time.map_or_else(String::new, |time| format!(" after {}", clock::seconds(time)));
                Some(format!("ready{time}"))
            }
            PodState::Paused
            | PodState::Cancelling
            | PodState::Compacting
            | PodState::Stopping
            | PodState::Other(_) => Some(state.as_str().to_owned()),
        }
    }

    /// Calls that have been running for a moment, at any depth. When the next one will have been.
    fn calls(
        &mut self,
        chat: &Chat,
        paint: &mut dyn Paint,
        (width, now): (usize, Duration),
        rows: &mut Vec<Row>,
    ) -> Option<Duration> {
        let cx = PaintCx { width, density: chat.density, now, place: Place::Settled };
        let (turn, is_open) = chat.transcript.turn();
        let mut before = std::mem::take(&mut self.calls);
        let items = chat.transcript.refreshed().iter().rev().take_while(|item| is_open && item.turn == turn);
        let mut due: Option<Duration> = None;
        for item in items {
            let ItemBody::Call(root) = &item.body else { continue };
            if root.state.is_settled() {
                continue;
            }
            for (_, call) in root.walk() {
                if call.state != CallState::Executing {
                    continue;
                }
                let (since, told) = before.remove(&call.key).unwrap_or((now, false));
                let is_long = now.saturating_sub(since) >= MOMENT;
                if is_long && !told {
                    let cards = paint.call(root, None, &cx);
                    let card = cards.iter().find(|card| card.key == call.key);
                    rows.extend(card.into_iter().flat_map(|card| card.header.iter().cloned()));
                }
                if !is_long {
                    due = Some(due.map_or(since + MOMENT, |due| due.min(since + MOMENT)));
                }
                self.calls.insert(call.key.clone(), (since, is_long));
            }
        }
        due
    }

    /// A prompt more waits.
    fn queue(&mut self, chat: &Chat, look: &Look) -> Option<String> {
        let waiting = chat.transcript.session().queue.len();
        let is_more = waiting > self.queued;
        self.queued = waiting;
        let last = queue::rows(chat, look, usize::MAX, usize::MAX).pop().filter(|_| is_more)?;
        Some(last.text())
    }

    /// The whole question, each time that it comes into sight.
    fn question(&mut self, chat: &Chat, look: &Look, width: usize) -> Vec<Row> {
        let shown = chat.approvals.shown();
        let reasoning = shown.is_some_and(|open| open.why.is_some());
        let began = !std::mem::replace(&mut self.reasoning, reasoning) && reasoning;
        let current =
            shown.and_then(|_| approval::current(chat)).map(|(request, ..)| request.request.clone());
        if began {
            return line("write why not; Enter refuses with these words, Esc goes back", look, width);
        }
        if current == self.question {
            return Vec::new();
        }
        self.question = current;
        let question = approval_panel::question(chat, look, width).filter(|_| self.question.is_some());
        question.map(|question| question.fit(usize::MAX).rows).unwrap_or_default()
    }

    /// What stands below the draft where it is seen.
    fn words(&mut self, chat: &Chat) -> Vec<String> {
        let mut words = Vec::new();
        let again = chat.transcript.session().again.clone();
        for (old, new) in [(&mut self.word, chat.below.word.clone()), (&mut self.again, again)] {
            if *old != new {
                words.extend(new.clone());
                *old = new;
            }
        }
        let list = (chat.composer.buffer.text().to_owned(), list::chosen(chat));
        // While the draft changes the list only follows it.
        if self.list.0 == list.0 && self.list.1 != list.1 {
            words.extend(list.1.clone());
        }
        self.list = list;
        words
    }
}
