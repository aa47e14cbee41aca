//! Prompts that wait, and turns that are held: methods and a script in, events out.

use std::sync::Arc;

use carpel_protocol::word::PodState;
use carpel_protocol::{Event, Item};

use super::Controller;
use super::approvals::Approvals;
use super::feed::Feed;
use super::tests::{attach, method, pod_on};
use crate::permission::{Mode, Permissions};
use crate::provider::Message;
use crate::session::Session;
use crate::worker::scripted::Scripted;

/// What a client hears of prompts, turns and the queue, each as a few words.
fn told(event: &Event) -> Option<String> {
    let mode = |item: &carpel_protocol::event::QueueItem| format!("{} {} {}", item.id, item.mode, item.text);
    Some(match event {
        Event::State(state) => format!("state {}", state.state),
        Event::TurnStart(start) => format!("turn {}", start.turn),
        Event::UserMessage(message) => {
            format!(
                "user {}{}",
                message.text,
                message.item.iter().map(|id| format!(" ({id})")).collect::<String>()
            )
        }
        Event::Queue(queue) => {
            let mine = queue.method.iter().map(|id| format!(" for {id}")).collect::<String>();
            format!("queue [{}]{mine}", queue.items.iter().map(mode).collect::<Vec<_>>().join(", "))
        }
        Event::ToolResult(result) => format!("result {} {}", result.id, result.settled()),
        Event::TextDone(done) => format!("said {}", done.text),
        Event::TurnEnd(end) => format!("end {} {}", end.turn, end.reason),
        Event::Rejected(rejected) => format!("rejected {} {}", rejected.method, rejected.code),
        _ => return None,
    })
}

struct Talk {
    pod: Controller,
    client: super::hub::ClientId,
    feed: Feed,
    provider: Arc<Scripted>,
    /// What the tools were seen to do.
    done: Arc<std::sync::Mutex<Vec<String>>>,
}

impl Talk {
    fn new(script: &str) -> Self {
        let all = Approvals::new(Permissions { mode: Mode::All, ..Permissions::default() }, true);
        let (pod, provider, done) = pod_on(script, Session::in_memory("s"), all);
        let (client, feed) = pod.attach(attach("t", None));
        Self { pod, client, feed, provider, done }
    }

    fn send(&self, json: &str) {
        self.pod.handle(self.client, method(json));
    }

    /// Hears up to what begins with `last`, whose words are in what is returned.
    async fn until(&mut self, last: &str) -> Vec<String> {
        let mut heard = Vec::new();
        while let Some(line) = self.feed.lines.next().await {
            heard.extend(told(&line.event().event));
            if heard.last().is_some_and(|line| line.starts_with(last)) {
                break;
            }
        }
        heard
    }

    /// What the model was told by persons, each time that it was asked.
    fn users(&self) -> Vec<Vec<String>> {
        let text = |message: &Message| match message {
            Message::User { text } | Message::Steer { text } => Some(text.clone()),
            _ => None,
        };
        self.provider
            .asked()
            .iter()
            .map(|request| request.messages.iter().filter_map(text).collect())
            .collect()
    }
}

const CALL: &str = "call 0 Look\n+0 {\"do\":\"wait\",\"tag\":\"a\"}\nstop tools";
const SAYS: &str = "text 0\n+0 ok\nstop end";

fn script(steps: &[&str]) -> String {
    steps.join("\n---\n")
}

#[tokio::test]
async fn a_steer_enters_behind_the_results_of_the_step_and_a_follow_up_behind_the_turn() {
    let quick = CALL.replace("wait", "ok");
    let mut talk = Talk::new(&script(&[&quick, SAYS, SAYS, SAYS]));
    talk.send(r#"{"method":"run","text":"go"}"#);
    talk.send(r#"{"method":"run","id":"m1","text":"later","mode":"follow_up"}"#);
    talk.send(r#"{"method":"run","id":"m2","text":"steer","mode":"steer"}"#);
    talk.send(r#"{"method":"run","text":"no","mode":"now"}"#);
    talk.send(r#"{"method":"run","text":" ","mode":"steer"}"#);
    let heard = talk.until("state idle").await;
    assert_eq!(heard, ["state idle"]);
    assert_eq!(
        talk.until("state idle").await,
        [
            "state running",
            "turn 1",
            "user go",
            "queue [q1 follow_up later]",
            "queue [q1 follow_up later, q2 steer steer]",
            "rejected run busy",
            "rejected run empty",
            // Before the first step nothing has been asked yet: it enters there.
            "user steer (q2)",
            "queue [q1 follow_up later]",
            "result c1 ok",
            "said ok",
            "end 1 completed",
            "turn 2",
            "user later (q1)",
            "queue []",
            "said ok",
            "end 2 completed",
            "state idle",
        ]
    );
    assert_eq!(talk.users(), [vec!["go", "steer"], vec!["go", "steer"], vec!["go", "steer", "later"]]);
}

#[tokio::test]
async fn a_steer_that_comes_while_a_call_runs_or_with_the_last_answer_enters_the_turn() {
    let mut talk = Talk::new(&script(&[&CALL.replace("wait", "ignore"), SAYS, SAYS]));
    talk.send(r#"{"method":"run","text":"go"}"#);
    talk.until("user go").await;
    while !matches!(talk.feed.lines.next().await.unwrap().event().event, Event::ToolCallDone(_)) {}
    talk.send(r#"{"method":"run","text":"one","mode":"steer"}"#);
    assert_eq!(talk.until("user one").await, ["queue [q1 steer one]", "result c1 ok", "user one (q1)"]);
    while !matches!(talk.feed.lines.next().await.unwrap().event().event, Event::TextDelta(_)) {}
    talk.send(r#"{"method":"run","text":"two","mode":"steer"}"#);
    assert_eq!(
        talk.until("state idle").await,
        [
            "queue [q2 steer two]",
            "said ok",
            "user two (q2)",
            "queue []",
            "said ok",
            "end 1 completed",
            "state idle"
        ]
    );
    assert_eq!(talk.users()[2], ["go", "one", "two"]);
}

#[tokio::test]
async fn a_cancel_keeps_the_queue_which_then_waits() {
    let mut talk = Talk::new(&script(&[CALL, SAYS, SAYS, SAYS, SAYS]));
    talk.send(r#"{"method":"run","text":"go"}"#);
    talk.until("user go").await;
    while !matches!(talk.feed.lines.next().await.unwrap().event().event, Event::ToolCallDone(_)) {}
    talk.send(r#"{"method":"run","text":"a","mode":"follow_up"}"#);
    talk.send(r#"{"method":"run","text":"b","mode":"steer"}"#);
    talk.send(r#"{"method":"cancel"}"#);
    let kept = "queue [q1 follow_up a, q2 follow_up b]";
    assert_eq!(
        talk.until("state idle").await,
        [
            "queue [q1 follow_up a]",
            "queue [q1 follow_up a, q2 steer b]",
            "state cancelling",
            "result c1 cancelled",
            "end 1 cancelled",
            kept,
            "state idle"
        ]
    );
    // A new client finds it, and one that comes back hears of it even when it has become empty.
    let (_, mut late) = talk.pod.attach(attach("late", Some(1)));
    let mut found = Vec::new();
    while let Some(line) = late.lines.try_next() {
        found.extend(told(&line.event().event));
    }
    assert_eq!(found, [kept, "state idle"]);
    // The person's next prompt runs at once, and the rest behind it; what is taken out is gone.
    talk.send(r#"{"method":"dequeue","id":"d","item":"q1"}"#);
    talk.send(r#"{"method":"dequeue","item":"q1"}"#);
    talk.send(r#"{"method":"run","text":"next","mode":"follow_up"}"#);
    let heard = talk.until("state idle").await;
    assert_eq!(
        heard,
        [
            "queue [q2 follow_up b]",
            "queue [q2 follow_up b] for d",
            "rejected dequeue no_such_item",
            "state running",
            "turn 2",
            "user next",
            "said ok",
            "end 2 completed",
            "turn 3",
            "user b (q2)",
            "queue []",
            "said ok",
            "end 3 completed",
            "state idle"
        ]
    );
    talk.send(r#"{"method":"resume"}"#);
    assert_eq!(talk.until("rejected").await, ["rejected resume nothing_waits"]);
    let (_, mut back) = talk.pod.attach(attach("back", Some(u64::MAX)));
    let mut found = Vec::new();
    while let Some(line) = back.lines.try_next() {
        found.extend(told(&line.event().event));
    }
    assert_eq!(found, ["queue []", "state idle"]);
}

/// LOG 4.19: who has cancelled is free at once, whatever a tool makes of it. This one is deaf until the test has seen the end.
#[tokio::test]
async fn a_cancel_frees_the_pod_from_a_deaf_tool() {
    let mut talk = Talk::new(&script(&[&CALL.replace("wait", "deaf"), SAYS]));
    talk.send(r#"{"method":"run","text":"go"}"#);
    talk.until("user go").await;
    while talk.done.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    talk.send(r#"{"method":"cancel"}"#);
    assert_eq!(
        talk.until("state idle").await,
        ["state cancelling", "result c1 cancelled", "end 1 cancelled", "state idle"]
    );
    talk.send(r#"{"method":"run","text":"next"}"#);
    talk.until("end 2 completed").await;
    assert_eq!(*talk.done.lock().unwrap(), ["start a"], "the tool has not heard");
    talk.done.lock().unwrap().push("let go".to_owned());
}

#[tokio::test]
async fn an_item_is_edited_in_its_place() {
    let mut talk = Talk::new("hang");
    talk.send(r#"{"method":"run","text":"go"}"#);
    for text in ["a", "b"] {
        talk.send(&format!(r#"{{"method":"run","text":"{text}","mode":"follow_up"}}"#));
    }
    talk.until("queue [q1 follow_up a, q2 follow_up b]").await;
    talk.send(r#"{"method":"edit","id":"e","item":"q1","text":"other"}"#);
    talk.send(r#"{"method":"edit","item":"q2","text":"b","mode":"steer"}"#);
    talk.send(r#"{"method":"edit","item":"q2","text":" "}"#);
    talk.send(r#"{"method":"edit","item":"q3","text":"x"}"#);
    let long = "x".repeat(1024 * 1024);
    talk.send(&format!(r#"{{"method":"edit","item":"q2","text":"{long}"}}"#));
    talk.send(r#"{"method":"dequeue","item":"q1"}"#);
    assert_eq!(
        talk.until("queue [q2 steer b]").await,
        [
            "queue [q1 follow_up other, q2 follow_up b]",
            "queue [q1 follow_up other, q2 follow_up b] for e",
            "queue [q1 follow_up other, q2 steer b]",
            "rejected edit empty",
            "rejected edit no_such_item",
            "rejected edit queue_full",
            "queue [q2 steer b]",
        ]
    );
}

#[tokio::test]
async fn a_turn_that_failed_leaves_the_queue_and_resume_lets_it_go_on() {
    let mut talk = Talk::new(&script(&["text 0\n+0 x\nfail no", SAYS]));
    talk.send(r#"{"method":"run","text":"go"}"#);
    talk.send(r#"{"method":"run","text":"a","mode":"follow_up"}"#);
    talk.until("end 1 failed").await;
    assert_eq!(talk.until("state idle").await, ["state idle"]);
    talk.send(r#"{"method":"resume"}"#);
    assert_eq!(
        talk.until("state idle").await,
        ["state running", "turn 2", "user a (q1)", "queue []", "said ok", "end 2 completed", "state idle"]
    );
}

#[tokio::test]
async fn a_pause_holds_what_has_not_begun_and_a_cancel_ends_it_too() {
    let call = "call 0 Look\n+0 {\"do\":\"ok\",\"tag\":\"a\"}\nstop tools";
    for (then, expected) in [
        (
            r#"{"method":"resume"}"#,
            &["state running", "result c1 ok", "said ok", "end 1 completed", "state idle"][..],
        ),
        (
            r#"{"method":"cancel"}"#,
            &["state cancelling", "result c1 cancelled", "end 1 cancelled", "state idle"],
        ),
    ] {
        let mut talk = Talk::new(&script(&[call, SAYS]));
        talk.send(r#"{"method":"run","text":"go"}"#);
        while !matches!(talk.feed.lines.next().await.unwrap().event().event, Event::ToolCallArgsDelta(_)) {}
        talk.send(r#"{"method":"pause"}"#);
        talk.send(r#"{"method":"pause"}"#);
        while !matches!(talk.feed.lines.next().await.unwrap().event().event, Event::ToolCallDone(_)) {}
        // Nothing happens: were it to, it would stand before what follows.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        talk.send(then);
        assert_eq!(talk.until("state idle").await, expected);
    }
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let mut talk = Talk::new("hang");
    talk.send(r#"{"method":"run","text":"go"}"#);
    let long = "x".repeat(1024 * 1024);
    talk.send(&format!(r#"{{"method":"run","text":"{long}","mode":"follow_up"}}"#));
    talk.send(r#"{"method":"run","text":"one more","mode":"follow_up"}"#);
    talk.until("queue").await;
    assert_eq!(talk.until("rejected").await, ["rejected run queue_full"]);
    talk.send(r#"{"method":"dequeue","item":"q1"}"#);
    for number in 0..65 {
        talk.send(&format!(r#"{{"method":"run","text":"{number}","mode":"follow_up"}}"#));
    }
    talk.until("rejected run queue_full").await;
    let queue = talk.pod.hub().lock().queue.items().len();
    assert_eq!(queue, 64);
}

/// A pod that died leaves its queue to the next, less what had entered; the ids go on.
#[tokio::test]
async fn the_queue_outlives_its_pod() {
    let sessions = tempfile::tempdir().unwrap();
    let all = || Approvals::new(Permissions { mode: Mode::All, ..Permissions::default() }, true);
    {
        let session = Session::on_disk("s", "/w", sessions.path());
        let (pod, _, _) = pod_on("hang", session, all());
        let (client, _feed) = pod.attach(attach("t", None));
        pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
        for text in ["a", "b", "c"] {
            pod.handle(
                client,
                method(&format!(
                    r#"{{"method":"run","text":"{text}","mode":"follow_up","attachments":[1]}}"#
                )),
            );
        }
        // Killed between the record of what entered and the note of the queue.
        let mut inner = pod.hub().lock();
        let entered = carpel_protocol::event::UserMessage {
            text: "a".to_owned(),
            attachments: Vec::new(),
            origin: None,
            method: None,
            item: Some("q1".to_owned()),
        };
        inner.session.append(Item::UserMessage(entered), 1).unwrap();
    }
    // What a killed pod leaves; this one still has its lock.
    let left = tempfile::tempdir().unwrap();
    std::fs::create_dir(left.path().join("s")).unwrap();
    std::fs::copy(sessions.path().join("s/0001.jsonl"), left.path().join("s/0001.jsonl")).unwrap();
    let (session, _) = Session::resume(left.path(), "s", 2).unwrap();
    let (pod, provider, done) = pod_on(&script(&[SAYS, SAYS, SAYS]), session, all());
    let (client, feed) = pod.attach(attach("t", None));
    let mut talk = Talk { pod, client, feed, provider, done };
    assert_eq!(talk.until("state").await, ["queue [q2 follow_up b, q3 follow_up c]", "state idle"]);
    talk.send(r#"{"method":"run","text":"on"}"#);
    talk.send(r#"{"method":"run","text":"d","mode":"follow_up"}"#);
    let heard = talk.until("state idle").await;
    let users: Vec<&String> = heard.iter().filter(|line| line.starts_with("user")).collect();
    assert_eq!(users, ["user on", "user b (q2)", "user c (q3)", "user d (q4)"]);
    assert_eq!(talk.pod.hub().lock().state, PodState::Idle);
}
