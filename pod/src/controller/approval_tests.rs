//! Approvals through the controller: who hears what, and what an answer does.

use carpel_protocol::Event;
use carpel_protocol::word::PodState;

use super::feed::Feed;
use super::tests::{attach, method, pod_with, until_idle};
use super::*;
use crate::permission::{Mode, Permissions};

const ONE: &str = "call 0 Make\n+0 {\"tag\":\"a\"}\nstop tools\n---\ntext 0\n+0 ok\nstop end";
const TWO: &str = "call 0 Make\n+0 {\"tag\":\"a\"}\ncall 1 Make\n+1 {\"tag\":\"b\"}\nstop tools\n---\ntext 0\n+0 ok\nstop end";

fn asking(mode: Mode) -> Permissions {
    Permissions { mode, ..Permissions::default() }
}

/// What a client hears of approvals, results and the turn, one word each.
fn heard(event: &Event) -> Option<String> {
    match event {
        Event::ApprovalRequest(request) => {
            let kinds: Vec<&str> = request.options.iter().map(|option| option.kind.as_str()).collect();
            Some(format!("ask {} {}", request.request, kinds.join(",")))
        }
        Event::ApprovalResolved(resolved) => {
            let by = resolved.by.as_deref().unwrap_or("-");
            Some(format!("{} {} {by}", resolved.decision, resolved.request))
        }
        Event::ToolResult(result) => Some(format!("{} {}", result.settled(), result.summary)),
        Event::Rejected(rejected) => Some(format!("no: {}", rejected.code)),
        Event::TurnEnd(end) => Some(format!("end {}", end.reason)),
        Event::State(state) if state.state != PodState::Idle => Some(state.state.to_string()),
        _ => None,
    }
}

async fn until(feed: &mut Feed, words: &mut Vec<String>, stop: &str) {
    loop {
        let line = feed.lines.next().await.expect("the pod left early");
        if let Some(word) = heard(&line.event().event) {
            words.push(word.clone());
            if word.starts_with(stop) {
                return;
            }
        }
    }
}

/// Plays `script`; `a` answers each question with the next of `answers`. Both clients hear `expected`.
async fn check(script: &str, mode: Mode, asks: bool, answers: &[&str], expected: &[&str]) {
    let (pod, _) = pod_with(script, asking(mode), asks);
    let (a, mut of_a) = pod.attach(attach("a", None));
    let (_, mut of_b) = pod.attach(attach("b", None));
    pod.handle(a, method(r#"{"method":"run","text":"go"}"#));
    let mut words = Vec::new();
    for answer in answers {
        until(&mut of_a, &mut words, "ask").await;
        let request = words.last().unwrap().split(' ').nth(1).unwrap().to_owned();
        pod.handle(a, method(&answer.replace("REQUEST", &request)));
    }
    until(&mut of_a, &mut words, "end").await;
    assert_eq!(words, expected, "{mode} {answers:?}");
    let mut same = Vec::new();
    until(&mut of_b, &mut same, "end").await;
    assert_eq!(same, expected, "the other client");
}

const ONCE: &str = r#"{"method":"approve","request":"REQUEST","decision":"once"}"#;
const SESSION: &str = r#"{"method":"approve","request":"REQUEST","decision":"session"}"#;
const DENY: &str = r#"{"method":"approve","request":"REQUEST","decision":"deny"}"#;
const DENY_WITH: &str =
    r#"{"method":"approve","request":"REQUEST","decision":"deny","message":"not in this file"}"#;

#[tokio::test]
async fn every_answer_and_mode() {
    let ask = "ask a-c1 once,session,deny";
    check(ONE, Mode::Ask, true, &[ONCE], &["running", ask, "once a-c1 a", "ok a done", "end completed"])
        .await;
    check(
        ONE,
        Mode::Ask,
        true,
        &[DENY],
        &["running", ask, "deny a-c1 a", "rejected rejected by the person", "end completed"],
    )
    .await;
    check(
        ONE,
        Mode::Edits,
        true,
        &[DENY_WITH],
        &[
            "running",
            ask,
            "deny a-c1 a",
            "rejected rejected by the person: not in this file",
            "end completed",
        ],
    )
    .await;
    check(
        TWO,
        Mode::Ask,
        true,
        &[ONCE, ONCE],
        &[
            "running",
            ask,
            "once a-c1 a",
            "ok a done",
            "ask a-c2 once,session,deny",
            "once a-c2 a",
            "ok b done",
            "end completed",
        ],
    )
    .await;
    check(
        TWO,
        Mode::Ask,
        true,
        &[SESSION],
        &["running", ask, "session a-c1 a", "ok a done", "ok b done", "end completed"],
    )
    .await;
    check(ONE, Mode::All, true, &[], &["running", "ok a done", "end completed"]).await;
    let read_only = "rejected This session is read-only, so Make may not write anything.";
    check(ONE, Mode::ReadOnly, true, &[], &["running", read_only, "end completed"]).await;
    let nobody = "rejected Make may change things. Nobody is there to allow it; the chat asks.";
    check(ONE, Mode::Ask, false, &[], &["running", nobody, "end completed"]).await;
    check(ONE, Mode::All, false, &[], &["running", "ok a done", "end completed"]).await;
}

#[tokio::test]
async fn a_second_answer_is_refused_and_so_is_one_that_is_none() {
    let (pod, _) = pod_with(ONE, asking(Mode::Ask), true);
    let (a, mut of_a) = pod.attach(attach("a", None));
    let (b, mut of_b) = pod.attach(attach("b", None));
    pod.handle(a, method(r#"{"method":"run","text":"go"}"#));
    let (mut words, mut others) = (Vec::new(), Vec::new());
    until(&mut of_b, &mut others, "ask").await;
    pod.handle(b, method(r#"{"method":"approve","request":"a-c9","decision":"once"}"#));
    pod.handle(b, method(r#"{"method":"approve","request":"a-c1","decision":"withdrawn"}"#));
    pod.handle(b, method(r#"{"method":"approve","request":"a-c1","decision":"perhaps"}"#));
    pod.handle(b, method(r#"{"method":"approve","request":"a-c1","decision":"deny"}"#));
    pod.handle(a, method(r#"{"method":"approve","request":"a-c1","decision":"once"}"#));
    until(&mut of_a, &mut words, "end").await;
    until(&mut of_b, &mut others, "end").await;
    let result = "rejected rejected by the person";
    assert_eq!(
        words,
        [
            "running",
            "ask a-c1 once,session,deny",
            "deny a-c1 b",
            "no: no_such_request",
            result,
            "end completed"
        ]
    );
    assert_eq!(
        others,
        [
            "running",
            "ask a-c1 once,session,deny",
            "no: no_such_request",
            "no: bad_decision",
            "no: bad_decision",
            "deny a-c1 b",
            result,
            "end completed"
        ]
    );
}

#[tokio::test]
async fn a_cancel_takes_the_question_back() {
    let (pod, provider) = pod_with(TWO, asking(Mode::Ask), true);
    let (a, mut of_a) = pod.attach(attach("a", None));
    pod.handle(a, method(r#"{"method":"run","text":"go"}"#));
    let mut words = Vec::new();
    until(&mut of_a, &mut words, "ask").await;
    pod.handle(a, method(r#"{"method":"cancel"}"#));
    pod.handle(a, method(r#"{"method":"approve","request":"a-c1","decision":"once"}"#));
    until(&mut of_a, &mut words, "end").await;
    words[5..7].sort();
    assert_eq!(
        words,
        [
            "running",
            "ask a-c1 once,session,deny",
            "cancelling",
            "withdrawn a-c1 -",
            "no: no_such_request",
            "cancelled cancelled",
            "cancelled cancelled",
            "end cancelled"
        ]
    );
    assert_eq!(provider.asked().len(), 1);
}

#[tokio::test]
async fn whoever_comes_while_it_waits_is_asked_too_and_may_answer() {
    let (pod, _) = pod_with(ONE, asking(Mode::Ask), true);
    let (a, mut of_a) = pod.attach(attach("a", None));
    pod.handle(a, method(r#"{"method":"run","text":"go"}"#));
    let mut words = Vec::new();
    until(&mut of_a, &mut words, "ask").await;
    // Nobody is there now: the pod waits.
    pod.detach(a);
    drop(of_a);
    tokio::task::yield_now().await;
    let (late, mut of_late) = pod.attach(attach("late", None));
    let mut words = Vec::new();
    until(&mut of_late, &mut words, "ask").await;
    pod.handle(late, method(r#"{"method":"approve","request":"a-c1","decision":"once"}"#));
    until(&mut of_late, &mut words, "end").await;
    assert_eq!(
        words,
        ["ask a-c1 once,session,deny", "running", "once a-c1 late", "ok a done", "end completed"]
    );
}

#[tokio::test]
async fn a_pod_that_leaves_waits_for_nobody() {
    for (leave, resolved, reason) in [
        (Leave::AfterTheTurn, "deny a-c1 -", "end completed"),
        (Leave::Now, "withdrawn a-c1 -", "end cancelled"),
    ] {
        let (pod, _) = pod_with(ONE, asking(Mode::Ask), true);
        let (a, mut of_a) = pod.attach(attach("a", None));
        pod.handle(a, method(r#"{"method":"run","text":"go"}"#));
        let mut words = Vec::new();
        until(&mut of_a, &mut words, "ask").await;
        pod.stop("enough", leave);
        until(&mut of_a, &mut words, "end").await;
        assert!(words.contains(&resolved.to_owned()), "{words:?}");
        assert_eq!(words.last().unwrap(), reason);
        pod.gone().await;
    }
}

#[tokio::test]
async fn a_model_is_told_what_the_person_said() {
    let (pod, provider) = pod_with(ONE, asking(Mode::Ask), true);
    let (a, mut of_a) = pod.attach(attach("a", None));
    pod.handle(a, method(r#"{"method":"run","text":"go"}"#));
    let mut words = Vec::new();
    until(&mut of_a, &mut words, "ask").await;
    pod.handle(a, method(&DENY_WITH.replace("REQUEST", "a-c1")));
    until_idle(&mut of_a).await;
    let told = provider.asked()[1].messages.last().cloned().unwrap();
    assert!(
        matches!(&told, Message::ToolResult { text, is_error: true, .. } if text == "rejected by the person: not in this file"),
        "{told:?}"
    );
}

/// A call of a sub-agent of a sub-agent is asked about as any other; its tasks end after it.
#[tokio::test]
async fn a_grandchild_waits_for_a_person() {
    let task = |prompt: &str| {
        format!(
            "call 0 Task\n+0 {{\"description\":\"{prompt}\",\"prompt\":\"{prompt}\"}}\nstop tools\n---\nstop end\n"
        )
    };
    let script = format!("{}=== a\n{}=== deep\n{ONE}", task("a"), task("deep"));
    check(
        &script,
        Mode::Ask,
        true,
        &[r#"{"method":"approve","request":"REQUEST","decision":"once"}"#],
        &[
            "running",
            "ask a-c3 once,session,deny",
            "once a-c3 a",
            "ok a done",
            "ok 1 call",
            "ok 2 calls",
            "end completed",
        ],
    )
    .await;
    check(
        &script,
        Mode::Ask,
        true,
        &[r#"{"method":"cancel"}"#],
        &[
            "running",
            "ask a-c3 once,session,deny",
            "cancelling",
            "withdrawn a-c3 -",
            "cancelled cancelled",
            "cancelled cancelled",
            "cancelled cancelled",
            "end cancelled",
        ],
    )
    .await;
}
