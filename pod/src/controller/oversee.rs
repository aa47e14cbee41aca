//! The worker's questions, answered: by a rule at once, by a person when one has answered.
//!
//! Owns the way of a question through the hub: every client hears it and its answer, and one that nobody waits for any
//! more is taken back, however its wait ended. While it is open the hub's lock is free. It refuses to know how the answer
//! is decided (`approvals.rs`). Read next: `hub.rs`.

use std::sync::Arc;

use carpel_protocol::Event;
use carpel_protocol::event::Notice;
use carpel_protocol::word::NoticeLevel;

use super::approvals::Asked;
use super::compact;
use super::hub::Hub;
use crate::log::outputs::Spilled;
use crate::tools::{Access, Screen, path_text};
use crate::worker::overseer::{Answer, Entering, Kept, Next, Overseer, Permit, Question};
use crate::worker::turn::Entry;

pub struct Oversee {
    hub: Arc<Hub>,
}

impl Oversee {
    pub fn new(hub: &Arc<Hub>) -> Self {
        Self { hub: hub.clone() }
    }
}

impl Overseer for Oversee {
    fn permit(&self, question: Question) -> Answer {
        Box::pin(permit(self.hub.clone(), question))
    }

    fn screen(&self, tool: &str) -> Screen {
        self.hub.lock().approvals.screen(tool)
    }

    fn between(&self, next: Next<'_>) -> Entering {
        let nothing_enters = next.at_the_end && self.hub.lock().queue.steering().is_none();
        if nothing_enters {
            return Box::pin(std::future::ready(Entry::default()));
        }
        Box::pin(between(self.hub.clone(), compact::Asked::of(&next)))
    }

    fn keep(&self, output: &str) -> Option<Kept> {
        let outputs = self.hub.lock().session.outputs()?;
        match outputs.spill(output) {
            Ok(Spilled { text, total, reference, file }) => {
                Some(Kept { text, total, reference, file: file.as_deref().map(path_text::encode) })
            }
            Err(error) => {
                let text = format!("a long output was not kept whole: {error}");
                let notice = Notice { level: NoticeLevel::Warning, code: "output_not_kept".to_owned(), text };
                self.hub.tell(&mut self.hub.lock(), Event::Notice(notice));
                None
            }
        }
    }
}

async fn permit(hub: Arc<Hub>, question: Question) -> Permit {
    let writes = question.intent.access == Access::Writes;
    let call = question.call.clone();
    let permit = ask(hub.clone(), question).await;
    if permit != Permit::Run {
        return permit;
    }
    // A call that the log takes for one that never began must not run; the turn ends for that, and says why.
    if !hub.begun(call.as_str()) {
        return Permit::Withdrawn;
    }
    if !writes {
        return permit;
    }
    // What changes the world must not be forgotten: that the call runs is durable before it does.
    if !hub.durable().await {
        return Permit::Reject("nothing was done: the session's log cannot be written".to_owned());
    }
    hub.lock().open.mark_writer(call.as_str());
    Permit::Run
}

async fn between(hub: Arc<Hub>, next: compact::Asked) -> Entry {
    let replaced = compact::between(&hub, &next).await;
    let said = hub.enter_steers();
    if !said.is_empty() {
        hub.durable().await;
    }
    Entry { replaced, said }
}

async fn ask(hub: Arc<Hub>, question: Question) -> Permit {
    let (waiting, answer) = {
        let mut inner = hub.lock();
        match inner.approvals.ask(question) {
            Asked::Answered(permit) => return permit,
            Asked::Waits { request, answer } => {
                let waiting = Waiting { hub: hub.clone(), request: request.request.clone() };
                hub.tell(&mut inner, Event::ApprovalRequest(request));
                (waiting, answer)
            }
        }
    };
    let permit = answer.await.unwrap_or(Permit::Withdrawn);
    drop(waiting);
    permit
}

/// An open question; it does not outlive whoever waits for its answer.
struct Waiting {
    hub: Arc<Hub>,
    request: String,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut inner = self.hub.lock();
        if let Some(resolved) = inner.approvals.withdraw(&self.request) {
            self.hub.tell(&mut inner, Event::ApprovalResolved(resolved));
        }
    }
}
