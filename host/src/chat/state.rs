//! What the chat remembers.
//!
//! Each part is a type of its own; functions take the part that they need. The transcript belongs to the fold, the
//! flow to its own module, the draft to the composer.

use std::collections::VecDeque;
use std::time::Duration;

use carpel_protocol::word::PodState;
use carpel_slots::command::CommandCx;
use carpel_slots::{Density, Registry};
use ratatui::layout::Size;

use crate::chat::approval::Approvals;
use crate::chat::change::Change;
use crate::chat::key::LEAVE_PATIENCE;
use crate::chat::new_session::Dialog;
use crate::chat::picker::Picker;
use crate::chat::screen::LiveRows;
use crate::chat::speech::Speech;
use crate::chat::theme::Themes;
use crate::chat::work::Work;
use crate::commands;
use crate::completion::Completion;
use crate::composer::Composer;
use crate::flow::{Flow, FlowOptions};
use crate::inspector::Inspector;
use crate::transcript::Transcript;

/// Everything that the chat remembers.
pub struct Chat {
    /// What has happened.
    pub transcript: Transcript,
    /// What of it is shown where.
    pub flow: Flow,
    /// What is being written.
    pub composer: Composer,
    /// What may be meant by the word that is being written.
    pub completion: Completion,
    /// What is said below the composer.
    pub below: Below,
    /// How much of each item is shown.
    pub density: Density,
    /// What of all this was said in words, where the chat is heard.
    pub speech: Speech,
    /// Which theme it is drawn in.
    pub themes: Themes,
    /// Why no colour is written, where none is: whoever changes the theme is told.
    pub colourless: Option<String>,
    /// The size of the window.
    pub window: Size,
    /// How much of it live rows may take.
    pub live: LiveRows,
    /// Views and commands.
    pub registry: Registry,
    /// How it stands with the pod.
    pub link: Link,
    /// The prompt on its way to the pod.
    pub outbox: Outbox,
    /// The question on the screen.
    pub approvals: Approvals,
    /// The picker of past sessions, while it is open.
    pub picker: Option<Picker>,
    /// The dialog of a new session, while it is open.
    pub new_session: Option<Dialog>,
    /// The inspector, while it is open.
    pub inspector: Option<Inspector>,
    /// How long the pod has been at work.
    pub work: Work,
    /// When Ctrl+C was pressed last with nothing left to clear or cancel.
    pub leave_armed: Option<Duration>,
}

/// What stands below the composer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// A word to the person about what they just did; goes with the next key.
    pub word: Option<String>,
    /// True when the word is true only as long as a turn runs.
    pub of_turn: bool,
    /// Which row of the completion list is selected.
    pub selected: usize,
    /// True when the person closed the list for this draft.
    pub closed: bool,
    /// True when the pod was asked for the models since the last command.
    pub asked_models: bool,
    /// True where a person may be told what they can do, before they have said anything.
    pub welcomes: bool,
}

/// How it stands with the pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Link {
    /// It is being started or looked for.
    #[default]
    Connecting,
    /// It has said hello.
    Connected,
    /// It was there and is being looked for.
    Reconnecting,
    /// It is gone.
    Gone(String),
}

/// The prompt on its way to the pod: kept until the pod has echoed it, so that a refusal loses nothing.
#[derive(Debug, Default)]
pub struct Outbox {
    /// What tells the prompts of this client from those of others, whose echoes it hears as well.
    client: String,
    sent: u64,
    waiting: Option<(String, String)>,
    cancel: bool,
    /// The prompt that the pod was asked to give back: the name of the method, and its text.
    taking: Option<(String, String)>,
    /// Changes that the pod has not answered yet.
    pub changes: VecDeque<Change>,
}

impl Outbox {
    /// The outbox of a client; `client` is what no other client of the session is called.
    pub fn of(client: &str) -> Outbox {
        Outbox { client: format!("{client}-"), ..Outbox::default() }
    }

    /// Remembers a prompt and gives it a name that the pod will echo.
    pub fn put(&mut self, text: &str) -> String {
        self.sent += 1;
        let id = format!("{}run-{}", self.client, self.sent);
        self.waiting = Some((id.clone(), text.to_owned()));
        id
    }

    /// The pod has the prompt.
    pub fn arrived(&mut self, id: Option<&str>) {
        if self.waiting.as_ref().map(|(waiting, _)| waiting.as_str()) == id {
            self.waiting = None;
        }
    }

    /// The pod does not take the prompt: its text, to be put back.
    pub fn refused(&mut self, id: Option<&str>) -> Option<String> {
        let (_, text) = self.waiting.take_if(|(waiting, _)| Some(waiting.as_str()) == id)?;
        Some(text)
    }

    /// Remembers which prompt the pod is asked to give back, and names the method.
    pub fn take_back(&mut self, item: &str, text: &str) -> String {
        let id = format!("dequeue-{item}");
        self.taking = Some((id.clone(), text.to_owned()));
        id
    }

    /// The text that the pod gave back by the method of this name.
    pub fn taken_back(&mut self, id: Option<&str>) -> Option<String> {
        let (_, text) = self.taking.take_if(|(taking, _)| Some(taking.as_str()) == id)?;
        Some(text)
    }

    /// The pod does not give it back: it was sent or taken out meanwhile.
    pub fn not_taken_back(&mut self) {
        self.taking = None;
    }

    /// The turn was told to end; the pod has not said so yet.
    pub fn cancel_sent(&mut self) {
        self.cancel = true;
    }

    /// The pod has said what it does now.
    pub fn state_told(&mut self) {
        self.cancel = false;
    }

    /// The text that is on its way, taken back.
    pub fn take(&mut self) -> Option<String> {
        self.waiting.take().map(|(_, text)| text)
    }

    /// True while a prompt is on its way.
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }
}

impl Chat {
    /// A chat that has not heard of its pod yet.
    pub fn new(registry: Registry, flow: FlowOptions, window: Size, density: Density) -> Chat {
        Chat {
            transcript: Transcript::new(),
            flow: Flow::new(flow),
            composer: Composer::default(),
            completion: Completion::default(),
            below: Below::default(),
            density,
            speech: Speech::default(),
            themes: Themes::default(),
            colourless: None,
            window,
            live: LiveRows::default(),
            registry,
            link: Link::default(),
            outbox: Outbox::default(),
            approvals: Approvals::default(),
            picker: None,
            new_session: None,
            inspector: None,
            work: Work::default(),
            leave_armed: None,
        }
    }

    /// Forgets a first Ctrl+C, and the word about it, once it does not count any more; the work's clock goes on.
    pub fn expire(&mut self, now: Duration) {
        self.work.pass(now);
        if self.leave_armed.is_some_and(|since| now.saturating_sub(since) >= LEAVE_PATIENCE) {
            self.leave_armed = None;
            self.below.word = None;
        }
    }

    /// Tells the person that a turn is in the way of what they just did.
    pub fn say_busy(&mut self, word: &str) {
        self.below.word = Some(word.to_owned());
        self.below.of_turn = true;
    }

    /// Takes a word back that was about the turn, once none runs.
    pub fn idle_again(&mut self) {
        if std::mem::take(&mut self.below.of_turn) && !self.is_busy() {
            self.below.word = None;
            self.below.closed = false;
        }
    }

    /// True while a turn is under way, from the moment that its prompt was sent.
    pub fn is_busy(&self) -> bool {
        self.outbox.is_waiting() || self.pod_state() != PodState::Idle
    }

    /// What the pod does now, as far as it has said; a cancel counts from the moment that it was sent.
    pub fn pod_state(&self) -> PodState {
        match &self.transcript.session().state {
            PodState::Running if self.outbox.cancel => PodState::Cancelling,
            state => state.clone(),
        }
    }

    /// What commands may know.
    pub fn command_cx(&self) -> CommandCx {
        let session = self.transcript.session();
        CommandCx {
            state: self.pod_state(),
            density: self.density,
            theme: self.themes.name,
            provider: session.provider.clone(),
            model: session.model.clone(),
            models: session.models(),
            commands: commands::specs(&self.registry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each client of a session hears the echo of what the others send.
    #[test]
    fn the_echo_of_another_client_is_not_taken_for_ones_own() {
        let (mut one, mut other) = (Outbox::of("a"), Outbox::of("b"));
        let (mine, theirs) = (one.put("mine"), other.put("theirs"));
        assert_ne!(mine, theirs);
        one.arrived(Some(&theirs));
        assert_eq!(one.refused(Some(&theirs)), None);
        assert!(one.is_waiting());
        one.arrived(Some(&mine));
        assert!(!one.is_waiting() && other.is_waiting());
        assert_eq!(other.refused(Some(&theirs)).as_deref(), Some("theirs"));
    }
}
