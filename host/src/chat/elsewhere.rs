//! What became of an answer, and who else has answered: several clients may see one question, the pod takes one answer.
//!
//! An answer that came too late is told to the person who gave it, with what was decided and by whom; one that the pod
//! did not take makes its question come back. Nothing is told where the person got what they wanted. It knows no keys
//! and no rows. Read next: [`super::approval`].

use carpel_protocol::event::{ApprovalRequest, ApprovalResolved, Rejected};
use carpel_protocol::word::Decision;

use crate::chat::state::Chat;

const METHOD: &str = "approve-";

/// The name under which the pod says no to an answer.
pub fn method_id(request: &str) -> String {
    format!("{METHOD}{request}")
}

/// Answers that were given here.
#[derive(Debug, Default)]
pub struct Answered {
    given: Vec<Given>,
    /// Who gave the answer for the session that closes further questions right now, as the pod names them.
    covers: Option<Option<String>>,
    /// How many it has closed.
    covered: usize,
}

#[derive(Debug)]
struct Given {
    request: String,
    decision: Decision,
    /// What the pod said about the question.
    told: Option<ApprovalResolved>,
}

impl Answered {
    /// True when the question was answered here.
    pub fn holds(&self, request: &str) -> bool {
        self.given.iter().any(|given| given.request == request)
    }

    /// An answer goes to the pod.
    pub fn put(&mut self, request: &str, decision: &Decision) {
        // What the pod has settled is kept only until the next answer: a late word about it may still come.
        self.given.retain(|given| given.told.is_none());
        self.given.push(Given { request: request.to_owned(), decision: decision.clone(), told: None });
    }

    /// Forgets answers to questions that do not wait any more and of which nothing was said.
    pub fn retain(&mut self, waiting: &[ApprovalRequest]) {
        let waits = |given: &Given| waiting.iter().any(|request| request.request == given.request);
        self.given.retain(|given| given.told.is_some() || waits(given));
    }

    /// Something else than the end of a question was told.
    pub fn other_event(&mut self) {
        self.covers = None;
        self.covered = 0;
    }

    fn find(&mut self, request: &str) -> Option<&mut Given> {
        self.given.iter_mut().find(|given| given.request == request)
    }
}

/// The pod says what became of a question; called before it leaves the list of those that wait.
pub fn resolved(chat: &mut Chat, resolved: &ApprovalResolved) {
    let waits = chat.transcript.session().approvals.iter().any(|open| open.request == resolved.request);
    let answered = &mut chat.approvals.answered;
    if let Some(given) = answered.find(&resolved.request) {
        given.told = Some(resolved.clone());
        if given.decision != resolved.decision {
            chat.below.word = told(resolved);
        } else if resolved.decision == Decision::Session {
            answered.covers = Some(resolved.by.clone());
        }
    } else if answered.covers.as_ref() == Some(&resolved.by) && resolved.decision == Decision::Session {
        answered.covered += 1;
        let more = if answered.covered == 1 { "1 more question" } else { "more questions" };
        chat.below.word = Some(format!("your answer for the session settles {more} that waited"));
    } else if waits {
        chat.below.word = told(resolved);
    }
}

/// The pod did not take an answer.
pub fn rejected(chat: &mut Chat, rejected: &Rejected) {
    let request = rejected.id.as_deref().and_then(|id| id.strip_prefix(METHOD));
    let answered = &mut chat.approvals.answered;
    let Some(given) = request.and_then(|request| answered.find(request)) else { return };
    match &given.told {
        Some(resolved) => chat.below.word = told(resolved),
        // The question still waits: it is asked again, with the reason.
        None if rejected.code != "no_such_request" => {
            answered.given.retain(|given| Some(given.request.as_str()) != request);
        }
        None => {}
    }
}

/// What somebody else decided, in a line; nothing for a question that was taken back with its turn.
fn told(resolved: &ApprovalResolved) -> Option<String> {
    let decision = match &resolved.decision {
        Decision::Once => "allowed once",
        Decision::Session => "allowed for the session",
        Decision::Deny => "denied",
        Decision::Withdrawn => return None,
        Decision::Other(word) => word.as_str(),
    };
    let by = resolved.by.as_deref().filter(|by| !by.is_empty());
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    Some(format!("answered elsewhere: {decision}{by}"))
}
