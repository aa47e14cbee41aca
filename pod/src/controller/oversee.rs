//! The worker's questions, answered: by a rule at once, by a person when one has answered.
//!
//! Owns the way of a question through the hub: every client hears it and its answer, and one that nobody waits for any
//! more is taken back, however its wait ended. While it is open the hub's lock is free. It refuses to know how the answer
//! is decided (`approvals.rs`). Read next: `hub.rs`.

use std::sync::Arc;

use carpel_protocol::Event;

use super::approvals::Asked;
use super::hub::Hub;
use crate::worker::overseer::{Answer, Kept, Overseer, Permit, Question};

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
        Box::pin(ask(self.hub.clone(), question))
    }

    fn keep(&self, _: &str) -> Option<Kept> {
        None
    }
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
