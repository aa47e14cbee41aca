//! The prompts that wait: what they are, when their turn comes, what becomes of them when a turn ends.
//!
//! Owns the queue and the ways in and out of it. A steer enters the running turn between two of its steps; a follow-up
//! begins the next turn when one has completed. A turn that was cancelled, failed or met a bound leaves the queue as it
//! is, and a person's next prompt or `resume` lets it go on. Each change is in the log and told to every client. It refuses
//! to know how a turn runs. Read next: `oversee.rs`, `../log/queued.rs`.

use carpel_protocol::event::{Notice, Queue as QueueEvent, QueueItem, UserMessage};
use carpel_protocol::method::{Dequeue, Edit, Run};
use carpel_protocol::word::{NoticeLevel, PodState, RunMode};
use carpel_protocol::{Event, Item};

use super::Controller;
use super::hub::{ClientId, Hub, Inner};
use crate::log::queued::{Prompt, Queued};
use crate::provider::Message;
use crate::state::{Refusal, log_failed};

/// Prompts that may wait.
const MOST: usize = 64;
/// Bytes of them all.
const MOST_BYTES: usize = 1024 * 1024;

/// In the order in which they were sent.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    items: Vec<Queued>,
    /// Of the last id.
    number: u64,
}

impl Queue {
    /// Goes on with what a session left.
    pub fn of(items: Vec<Queued>, number: u64) -> Self {
        Self { items, number }
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn items(&self) -> &[Queued] {
        &self.items
    }

    pub fn event(&self) -> Event {
        let item = |queued: &Queued| QueueItem {
            id: queued.id.clone(),
            text: queued.prompt.text.clone(),
            mode: queued.mode.clone(),
            method: queued.prompt.method.clone(),
        };
        Event::Queue(QueueEvent { items: self.items.iter().map(item).collect(), method: None })
    }

    /// Bytes of what would enter the running turn now.
    pub fn steering(&self) -> Option<usize> {
        let steers = || self.items.iter().filter(|item| item.mode == RunMode::Steer);
        steers().next().is_some().then(|| steers().map(|item| item.prompt.text.len()).sum())
    }

    fn add(&mut self, mode: RunMode, prompt: Prompt) {
        self.number += 1;
        self.items.push(Queued { id: format!("q{}", self.number), mode, prompt });
    }

    fn bytes(&self) -> usize {
        self.items.iter().map(|item| size(&item.prompt)).sum()
    }

    /// Whether it may be so large, where it was as `was`: what was left too large may become smaller all the same.
    fn check_size(&self, was: &Queue) -> Result<(), Refusal> {
        let what = if self.items.len() > MOST.max(was.items.len()) {
            format!("{MOST} prompts wait, and no more can")
        } else if self.bytes() > MOST_BYTES.max(was.bytes()) {
            "the prompts that wait may have 1 MiB together".to_owned()
        } else {
            return Ok(());
        };
        Err(Refusal::new("queue_full", format!("{what}; take one out or wait for a turn's end")))
    }

    fn place_of(&self, id: &str) -> Result<usize, Refusal> {
        self.items.iter().position(|item| item.id == id).ok_or_else(|| {
            Refusal::new("no_such_item", format!("`{id}` does not wait any more; it was sent or taken out"))
        })
    }

    fn take_steers(&mut self) -> Vec<Queued> {
        let (steers, rest) =
            std::mem::take(&mut self.items).into_iter().partition(|item| item.mode == RunMode::Steer);
        self.items = rest;
        steers
    }

    /// What was to steer a turn that is over comes after it. True when that changes something.
    fn outlive_the_turn(&mut self) -> bool {
        let mut changed = false;
        for item in self.items.iter_mut().filter(|item| item.mode == RunMode::Steer) {
            item.mode = RunMode::FollowUp;
            changed = true;
        }
        changed
    }
}

fn empty() -> Refusal {
    Refusal::new("empty", "the prompt is empty; write something first")
}

fn size(prompt: &Prompt) -> usize {
    let attachments = prompt.attachments.iter().map(|value| value.to_string().len());
    prompt.text.len() + attachments.sum::<usize>()
}

impl Controller {
    /// A prompt begins a turn, or waits.
    pub(super) fn run(
        &self,
        inner: &mut Inner,
        client: ClientId,
        run: &Run,
        method: Option<String>,
    ) -> Result<(), Refusal> {
        if run.text.trim().is_empty() && run.attachments.is_empty() {
            return Err(empty());
        }
        let prompt = Prompt {
            text: run.text.clone(),
            attachments: run.attachments.clone(),
            origin: inner.client_name(client).filter(|name| !name.is_empty()),
            method,
        };
        if inner.state == PodState::Idle {
            return self.begin_turn(inner, prompt, None);
        }
        self.change_queue(inner, |queue| {
            queue.add(run.mode.clone(), prompt);
            Ok(())
        })?;
        self.hub.tell_queue(inner);
        Ok(())
    }

    pub(super) fn dequeue(
        &self,
        inner: &mut Inner,
        client: ClientId,
        dequeue: &Dequeue,
        method: Option<String>,
    ) -> Result<(), Refusal> {
        self.change_queue(inner, |queue| {
            let at = queue.place_of(&dequeue.item)?;
            queue.items.remove(at);
            Ok(())
        })?;
        self.tell_change(inner, client, method);
        Ok(())
    }

    pub(super) fn edit(
        &self,
        inner: &mut Inner,
        client: ClientId,
        edit: &Edit,
        method: Option<String>,
    ) -> Result<(), Refusal> {
        self.change_queue(inner, |queue| {
            let at = queue.place_of(&edit.item)?;
            let item = &mut queue.items[at];
            item.prompt.text.clone_from(&edit.text);
            if item.prompt.text.trim().is_empty() && item.prompt.attachments.is_empty() {
                return Err(empty());
            }
            if let Some(mode) = &edit.mode {
                item.mode = mode.clone();
            }
            Ok(())
        })?;
        self.tell_change(inner, client, method);
        Ok(())
    }

    /// Changes what waits, on the disk too; where that is refused or cannot be kept the queue is as it was.
    fn change_queue(
        &self,
        inner: &mut Inner,
        change: impl FnOnce(&mut Queue) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let was = inner.queue.clone();
        change(&mut inner.queue)
            .and_then(|()| inner.queue.check_size(&was))
            .and_then(|()| self.hub.keep_queue(inner))
            .inspect_err(|_| inner.queue = was)
    }

    /// Tells the queue to everybody, and to who changed it that it was this that did it.
    fn tell_change(&self, inner: &mut Inner, client: ClientId, method: Option<String>) {
        self.hub.tell_queue(inner);
        if let (Some(method), Event::Queue(queue)) = (method, inner.queue.event()) {
            inner.answer(client, Event::Queue(QueueEvent { method: Some(method), ..queue }));
        }
    }

    /// Lets the queue go on where nothing runs.
    pub(super) fn release(&self, inner: &mut Inner) -> Result<(), Refusal> {
        if inner.queue.is_empty() {
            return Err(Refusal::new("nothing_waits", "no turn is paused and no prompt waits"));
        }
        self.begin_next(inner)
    }

    /// At the end of a turn or of a compaction: begins the next turn when there is one. True when it runs.
    pub(super) fn go_on(&self, inner: &mut Inner, completed: bool) -> bool {
        if inner.queue.outlive_the_turn() {
            self.hub.queue_changed(inner);
        }
        if !completed || inner.queue.is_empty() || inner.trouble.is_some() {
            return false;
        }
        let begun = self.begin_next(inner);
        if let Err(refusal) = &begun {
            tracing::warn!(code = refusal.code, "what waits could not begin: {}", refusal.message);
        }
        begun.is_ok()
    }

    fn begin_next(&self, inner: &mut Inner) -> Result<(), Refusal> {
        let Queued { id, mode, prompt } = inner.queue.items.remove(0);
        self.begin_turn(inner, prompt.clone(), Some(id.clone())).inspect_err(|_| {
            inner.queue.items.insert(0, Queued { id, mode, prompt });
        })
    }
}

impl Hub {
    /// The steers enter the conversation, in order.
    pub fn enter_steers(&self) -> Vec<Message> {
        let mut inner = self.lock();
        if !matches!(inner.state, PodState::Running | PodState::Paused) {
            return Vec::new();
        }
        let steers = inner.queue.take_steers();
        if steers.is_empty() {
            return Vec::new();
        }
        let mut said = Vec::new();
        for Queued { id, prompt, .. } in steers {
            said.push(Message::Steer { text: prompt.text.clone() });
            let message = message_of(prompt, Some(id));
            self.settle(&mut inner, Item::UserMessage(message.clone()), Event::UserMessage(message));
        }
        self.queue_changed(&mut inner);
        said
    }

    /// Notes the queue in the log and tells it.
    pub fn queue_changed(&self, inner: &mut Inner) {
        if let Err(refusal) = self.keep_queue(inner) {
            let (level, code) = (NoticeLevel::Warning, "queue_not_kept".to_owned());
            let text = format!("what waits in the queue is not kept on the disk: {}", refusal.message);
            self.tell(inner, Event::Notice(Notice { level, code, text }));
        }
        self.tell_queue(inner);
    }

    fn keep_queue(&self, inner: &mut Inner) -> Result<(), Refusal> {
        let kept = inner.session.keep_queue(&inner.queue.items, self.now());
        kept.map_err(|error| log_failed(super::trouble::sentence(&error)))
    }

    fn tell_queue(&self, inner: &mut Inner) {
        let event = inner.queue.event();
        self.tell(inner, event);
    }
}

/// The message that a prompt becomes when it enters.
pub(super) fn message_of(prompt: Prompt, item: Option<String>) -> UserMessage {
    let Prompt { text, attachments, origin, method } = prompt;
    UserMessage { text, attachments, origin, method, item }
}
