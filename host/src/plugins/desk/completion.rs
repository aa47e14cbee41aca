//! What is typed behind a plugin's commands, and what the plugin offers there.
//!
//! One draft asks for several texts at once (what is typed, and all there is), so that several answers are kept; a question
//! that has an answer is not asked again until a command has run, which may change what there is. Refuses to know ids and
//! times.

use std::collections::VecDeque;

use carpel_slots::wire::CompletionLine;

/// So many answers are kept.
const KNOWN: usize = 16;

/// So many questions wait; of more the oldest is not worth asking any more.
const WAITING: usize = 4;

/// A command, and what is typed behind it.
type Typed = (String, String);

/// Questions and answers.
#[derive(Debug, Default)]
pub(super) struct Completion {
    /// The latest last.
    known: VecDeque<(Typed, Vec<CompletionLine>)>,
    queued: VecDeque<Typed>,
    sent: Vec<Typed>,
}

impl Completion {
    /// What is offered there, as far as it is known; true when a question was put into the queue.
    pub(super) fn offers(&mut self, command: &str, typed: &str) -> (Vec<CompletionLine>, bool) {
        let is = |(own, text): &Typed| own == command && text == typed;
        if let Some((_, offers)) = self.known.iter().find(|(what, _)| is(what)) {
            return (offers.clone(), false);
        }
        if self.queued.iter().chain(&self.sent).any(is) {
            return (Vec::new(), false);
        }
        self.queued.push_back((command.to_owned(), typed.to_owned()));
        if self.queued.len() > WAITING {
            self.queued.pop_front();
        }
        (Vec::new(), true)
    }

    /// True while a question waits to be sent.
    pub(super) fn has_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    /// The next question.
    pub(super) fn next(&mut self) -> Option<Typed> {
        let next = self.queued.pop_front()?;
        self.sent.push(next.clone());
        Some(next)
    }

    /// Keeps an answer.
    pub(super) fn answer(&mut self, what: Typed, offers: Vec<CompletionLine>) {
        self.sent.retain(|sent| *sent != what);
        self.known.push_back((what, offers));
        if self.known.len() > KNOWN {
            self.known.pop_front();
        }
    }

    /// What was offered may not hold any more.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }
}
