//! What waits for a person: the open questions, their answers, and what was allowed for the session.
//!
//! Owns the one decision for each call (`permission.rs` makes it from what the manifest and the person said) and the open
//! questions. Each is answered once: by a client, by an answer for the session that covers it too, or by being taken back.
//! Plain data, told of everything; it sends nothing, so that the caller's lock orders what clients hear.
//! It refuses to know how a question is drawn. Read next: `oversee.rs`, which asks, then `../permission.rs`.

use carpel_protocol::Event;
use carpel_protocol::event::{ApprovalOption, ApprovalRequest, ApprovalResolved};
use carpel_protocol::method::Approve;
use carpel_protocol::word::Decision;
use tokio::sync::oneshot;

use crate::permission::{Permissions, SessionGrants, Verdict, decide, writes};
use crate::state::Refusal;
use crate::tools::Screen;
use crate::worker::overseer::{Permit, Question};

#[derive(Debug, Default)]
pub struct Approvals {
    permissions: Permissions,
    /// Whether there is, or may come, a person to ask.
    asks: bool,
    grants: SessionGrants,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    question: Question,
    request: ApprovalRequest,
    answer: oneshot::Sender<Permit>,
}

/// What became of a question.
#[derive(Debug)]
pub enum Asked {
    Answered(Permit),
    Waits { request: ApprovalRequest, answer: oneshot::Receiver<Permit> },
}

impl Approvals {
    pub fn new(permissions: Permissions, asks: bool) -> Self {
        Self { permissions, asks, ..Self::default() }
    }

    /// See [`Permissions::screen`].
    pub fn screen(&self, tool: &str) -> Screen {
        self.permissions.screen(tool)
    }

    pub fn ask(&mut self, question: Question) -> Asked {
        let why = match decide(&question.intent, &question.tool, &self.permissions, &self.grants) {
            Verdict::Allow => return Asked::Answered(Permit::Run),
            Verdict::Deny { why } => return Asked::Answered(Permit::Reject(why)),
            Verdict::Ask { why } if !self.asks => return Asked::Answered(Permit::Reject(nobody(&why))),
            Verdict::Ask { why } => why,
        };
        let offered = SessionGrants::offer(&question.intent, &question.tool, &self.permissions);
        let request = ApprovalRequest {
            // A call asks at most once, and its id never repeats in the session: nor does this.
            request: format!("a-{}", question.call),
            call: question.call.to_string(),
            title: question.intent.title.clone(),
            detail: question.intent.detail.clone(),
            reason: reason(why, &question),
            options: options(SessionGrants::tell(&offered, &self.permissions)),
        };
        let (sender, answer) = oneshot::channel();
        self.open.push(Open { question, request: request.clone(), answer: sender });
        Asked::Waits { request, answer }
    }

    /// Answers one question, and with an answer for the session every other that this covers.
    pub fn answer(
        &mut self,
        approve: &Approve,
        by: Option<String>,
    ) -> Result<Vec<ApprovalResolved>, Refusal> {
        let at = self.position(&approve.request).ok_or_else(|| {
            Refusal::new(
                "no_such_request",
                format!("no question `{}` is open; it was answered or taken back", approve.request),
            )
        })?;
        let permit = match &approve.decision {
            Decision::Once => Permit::Run,
            Decision::Session => {
                let Question { tool, intent, .. } = &self.open[at].question;
                let offered = SessionGrants::offer(intent, tool, &self.permissions);
                if offered.is_empty() {
                    return Err(Refusal::new(
                        "not_offered",
                        "this cannot be allowed for the session; allow it once or deny it",
                    ));
                }
                offered.into_iter().for_each(|grant| self.grants.add(grant));
                Permit::Run
            }
            Decision::Deny => Permit::Reject(denied(approve.message.as_deref())),
            Decision::Withdrawn | Decision::Other(_) => {
                return Err(Refusal::new(
                    "bad_decision",
                    format!("`{}` is no answer; answer once, session or deny", approve.decision),
                ));
            }
        };
        let mut resolved = vec![self.close(at, permit, approve.decision.clone(), by.clone())];
        if approve.decision == Decision::Session {
            resolved.extend(self.close_covered(&by));
        }
        Ok(resolved)
    }

    /// Takes one question back; `None` when it is not open.
    pub fn withdraw(&mut self, request: &str) -> Option<ApprovalResolved> {
        let at = self.position(request)?;
        Some(self.close(at, Permit::Withdrawn, Decision::Withdrawn, None))
    }

    /// Takes every question back.
    pub fn withdraw_all(&mut self) -> Vec<ApprovalResolved> {
        self.close_all(&Permit::Withdrawn, &Decision::Withdrawn)
    }

    /// From now on nobody is there to ask: what is open is refused, and so is what would be asked.
    pub fn stop_asking(&mut self) -> Vec<ApprovalResolved> {
        self.asks = false;
        self.close_all(&Permit::Reject(nobody("Nobody is attached any more.")), &Decision::Deny)
    }

    /// The open questions, for a client that attaches.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.open.iter().map(|open| Event::ApprovalRequest(open.request.clone()))
    }

    fn position(&self, request: &str) -> Option<usize> {
        self.open.iter().position(|open| open.request.request == request)
    }

    fn close_all(&mut self, permit: &Permit, decision: &Decision) -> Vec<ApprovalResolved> {
        let mut resolved = Vec::new();
        while !self.open.is_empty() {
            resolved.push(self.close(0, permit.clone(), decision.clone(), None));
        }
        resolved
    }

    fn close_covered(&mut self, by: &Option<String>) -> Vec<ApprovalResolved> {
        let mut resolved = Vec::new();
        let mut at = 0;
        while let Some(open) = self.open.get(at) {
            let Question { tool, intent, .. } = &open.question;
            if decide(intent, tool, &self.permissions, &self.grants) == Verdict::Allow {
                resolved.push(self.close(at, Permit::Run, Decision::Session, by.clone()));
            } else {
                at += 1;
            }
        }
        resolved
    }

    fn close(
        &mut self,
        at: usize,
        permit: Permit,
        decision: Decision,
        by: Option<String>,
    ) -> ApprovalResolved {
        let Open { request, answer, .. } = self.open.remove(at);
        // Whoever asked may be gone with its turn; then the answer changes nothing.
        let _ = answer.send(permit);
        ApprovalResolved { request: request.request, call: request.call, decision, by }
    }
}

/// What the title does not say already.
fn reason(why: String, question: &Question) -> Option<String> {
    let Question { intent, tool, .. } = question;
    let repeats = intent.paths.iter().any(|place| why == writes(tool, place));
    let parts = [(!repeats).then_some(why), intent.unshown.clone()];
    let told: Vec<String> = parts.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// `session` says what a yes for the session covers, where there may be one.
fn options(session: Option<String>) -> Vec<ApprovalOption> {
    let option = |kind, label: &str| ApprovalOption { kind, label: label.to_owned() };
    let mut options = vec![option(Decision::Once, "Allow once")];
    if let Some(covers) = session {
        options.push(option(Decision::Session, &format!("Allow {covers} in this session")));
    }
    options.push(option(Decision::Deny, "Deny"));
    options
}

fn denied(message: Option<&str>) -> String {
    match message.map(str::trim).filter(|message| !message.is_empty()) {
        Some(message) => format!("rejected by the person: {message}"),
        None => "rejected by the person".to_owned(),
    }
}

fn nobody(why: &str) -> String {
    format!("{why} Nobody is there to allow it; the chat asks.")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::tools::{Access, Intent, IntentPath};
    use crate::worker::call::CallIds;

    /// The reason and the label of the answer for the session of writing a file.
    fn check(path: &str, outside: bool, unshown: Option<&str>, expected: (Option<&str>, Option<&str>)) {
        let permissions = Permissions { root: PathBuf::from("/w"), ..Permissions::default() };
        let place = PathBuf::from(path);
        let shown = path.trim_start_matches("/w/").to_owned();
        let place = IntentPath { path: place.clone(), named: place, shown, outside, write: true };
        let plain = Intent::plain(Access::Writes, format!("write {path}"));
        let intent = Intent { paths: vec![place], unshown: unshown.map(str::to_owned), ..plain };
        let question =
            Question { call: CallIds::default().mint(), tool: "Write".to_owned(), intent: Arc::new(intent) };
        let Asked::Waits { request, .. } = Approvals::new(permissions, true).ask(question) else {
            panic!("{path} is not asked about")
        };
        let session = request.options.iter().find(|option| option.kind == Decision::Session);
        let got = (request.reason.as_deref(), session.map(|option| option.label.as_str()));
        assert_eq!(got, expected, "{path}");
    }

    #[test]
    fn a_question_says_nothing_twice_and_what_a_yes_covers() {
        let folder = Some("Allow every Write anywhere in w in this session");
        check("/w/a.txt", false, None, (None, folder));
        check("/w/a.txt", false, Some("It is long."), (Some("It is long."), folder));
        let file = Some("Allow every Write of /x/a.txt in this session");
        check("/x/a.txt", true, None, (Some("/x/a.txt is outside the workspace."), file));
        let guarded = "AGENTS.md is a file of standing instructions; writing there always asks.";
        check("/w/AGENTS.md", false, None, (Some(guarded), None));
    }
}
