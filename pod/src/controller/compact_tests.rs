//! Compactions from their beginning to their end: methods and a script in, events out, and what the model hears next.

use std::sync::Arc;

use carpel_protocol::{Event, Item};

use super::Controller;
use super::approvals::Approvals;
use super::feed::Feed;
use super::hub::ClientId;
use super::tests::{attach, method, pod_on};
use crate::compaction::Settings;
use crate::log::tests::log_on;
use crate::permission::{Mode, Permissions};
use crate::provider::Message;
use crate::session::Session;
use crate::session::conversation::messages_of;
use crate::worker::scripted::Scripted;

/// What a client hears of turns and compactions, each as a few words.
fn told(event: &Event) -> Option<String> {
    Some(match event {
        Event::State(state) => format!("state {}", state.state),
        Event::UserMessage(message) => format!("user {}", message.text),
        Event::Queue(queue) => {
            let items: Vec<&str> = queue.items.iter().map(|item| item.text.as_str()).collect();
            format!("queue [{}]", items.join(", "))
        }
        Event::ToolResult(result) => format!("result {} {}", result.id, result.settled()),
        Event::TurnEnd(end) => format!("end {} {}", end.turn, end.reason),
        Event::Rejected(rejected) => format!("rejected {} {}", rejected.method, rejected.code),
        Event::CompactStart(start) => format!("compact {}", start.trigger),
        Event::CompactDone(_) => "compacted".to_owned(),
        Event::CompactFailed(failed) => {
            assert!(!failed.changed && !failed.message.is_empty(), "{failed:?}");
            format!("not compacted: {}", failed.code)
        }
        Event::Notice(notice) => format!("notice {}", notice.code),
        Event::Bye(_) => "bye".to_owned(),
        _ => return None,
    })
}

struct Talk {
    pod: Controller,
    client: ClientId,
    feed: Feed,
    provider: Arc<Scripted>,
    done: Arc<std::sync::Mutex<Vec<String>>>,
}

impl Talk {
    async fn on(session: Session, script: &[&str], settings: Option<Settings>) -> Self {
        let all = Approvals::new(Permissions { mode: Mode::All, ..Permissions::default() }, true);
        let (pod, provider, done) = pod_on(&script.join("\n---\n"), session, all);
        let pod = pod.with_compaction(settings);
        let (client, feed) = pod.attach(attach("t", None));
        let mut talk = Self { pod, client, feed, provider, done };
        talk.until("state idle").await;
        talk
    }

    async fn new(script: &[&str]) -> Self {
        Self::on(Session::in_memory("s"), script, Some(Settings::default())).await
    }

    fn send(&self, json: &str) {
        self.pod.handle(self.client, method(json));
    }

    async fn turn(&mut self, text: &str) -> Vec<String> {
        self.send(&format!(r#"{{"method":"run","text":"{text}"}}"#));
        self.until("state idle").await
    }

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

    /// What the model was told when it was last asked.
    fn last_asked(&self) -> Vec<Message> {
        self.provider.asked().last().unwrap().messages.clone()
    }

    fn messages(&self) -> Vec<Message> {
        messages_of(self.pod.hub().lock().session.records())
    }
}

fn first_text(messages: &[Message]) -> &str {
    match messages.first() {
        Some(Message::User { text }) => text,
        other => panic!("no text first: {other:?}"),
    }
}

/// Each call has one result, behind it; each result has a call.
fn paired(messages: &[Message]) {
    let mut open = std::collections::BTreeSet::new();
    for message in messages {
        match message {
            Message::ToolCall { id, .. } => assert!(open.insert(id)),
            Message::ToolResult { id, .. } => assert!(open.remove(id), "a result of nothing: {id}"),
            _ => assert!(open.is_empty(), "{open:?} in {messages:?}"),
        }
    }
    assert!(open.is_empty());
}

fn long(words: usize) -> String {
    format!("text 0\n+0 {}\nstop end", "word ".repeat(words))
}

const SHORT: &str = "text 0\n+0 the sum\nstop end";
const SAYS: &str = "text 0\n+0 ok\nstop end";

#[tokio::test]
async fn a_person_compacts_between_two_turns() {
    let mut talk = Talk::new(&[&long(500), SAYS, SHORT, SAYS]).await;
    talk.turn("one").await;
    talk.turn("two").await;
    talk.send(r#"{"method":"compact","instructions":"names"}"#);
    assert_eq!(
        talk.until("state idle").await,
        ["state compacting", "compact manual", "compacted", "state idle"]
    );
    let asked = talk.last_asked();
    assert!(first_text(&asked).contains("PERSON: one") && first_text(&asked).ends_with("summary: names"));
    talk.turn("three").await;
    let asked = talk.last_asked();
    let texts: Vec<&str> = asked
        .iter()
        .map(|message| match message {
            Message::User { text } | Message::Assistant { text } => text.lines().last().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, ["the sum", "two", "ok", "three"]);
    // It is no prompt of anybody, and all that was said is there still.
    let records = talk.pod.hub().lock().session.records().to_vec();
    let kinds: Vec<&str> = records.iter().map(|record| record.item.tag()).collect();
    let turn = ["user_message", "assistant_text", "turn_end"];
    assert_eq!(kinds, [&turn[..], &turn, &["compaction"], &turn].concat());
    let Item::Compaction(mark) = &records[6].item else { panic!("no mark") };
    assert!(mark.after < mark.before && mark.kept_from == Some(4), "{mark:?}");
}

#[tokio::test]
async fn what_cannot_be_compacted_is_told_with_the_way_out() {
    let mut talk = Talk::new(&[&long(500), "fail no"]).await;
    talk.send(r#"{"method":"compact"}"#);
    assert_eq!(talk.until("rejected").await, ["rejected compact nothing_to_compact"]);
    talk.turn("/compact is text").await;
    let settings = |model: Option<&str>| Settings { model: model.map(str::to_owned), ..Settings::default() };
    for (settings, code, way_out) in [
        (None, "no_settings", "[compaction] in the manifest"),
        (Some(settings(Some("other"))), "no_compactor", "set `model` below [compaction]"),
        (Some(settings(Some("anthropic:other"))), "no_compactor", "PROVIDER:NAME"),
    ] {
        talk.pod.hub().lock().compaction.settings = settings;
        talk.send(r#"{"method":"compact"}"#);
        let Some(line) = talk.feed.lines.next().await else { panic!("no answer") };
        let Event::Rejected(rejected) = &line.event().event else { panic!("{line:?}") };
        assert_eq!(rejected.code, code);
        assert!(rejected.message.contains(way_out), "{}", rejected.message);
    }
    // The one that answers may be named.
    talk.pod.hub().lock().compaction.settings = Some(settings(Some("script")));
    let before = talk.messages();
    talk.send(r#"{"method":"compact"}"#);
    let failed = ["state compacting", "compact manual", "not compacted: provider", "state idle"];
    assert_eq!(talk.until("state idle").await, failed);
    assert_eq!(talk.messages(), before);
}

#[tokio::test]
async fn a_cancel_ends_it_and_leaves_all_as_it_was() {
    let mut talk = Talk::new(&[&long(500), "text 0\n+0 half\nhang", SAYS, SAYS]).await;
    talk.turn("one").await;
    let before = talk.messages();
    talk.send(r#"{"method":"compact"}"#);
    talk.until("compact manual").await;
    while talk.provider.asked().len() < 2 {
        tokio::task::yield_now().await;
    }
    talk.send(r#"{"method":"compact"}"#);
    talk.send(r#"{"method":"pause"}"#);
    for (text, mode) in [("a", "now"), ("b", "steer"), ("c", "follow_up")] {
        talk.send(&format!(r#"{{"method":"run","text":"{text}","mode":"{mode}"}}"#));
    }
    let (_, mut late) = talk.pod.attach(attach("late", Some(2)));
    let mut found = Vec::new();
    while let Some(line) = late.lines.try_next() {
        found.extend(told(&line.event().event));
    }
    assert_eq!(found, ["compact manual", "queue [a, b, c]", "state compacting"]);
    talk.send(r#"{"method":"cancel"}"#);
    let heard = talk.until("state idle").await;
    assert_eq!(
        heard,
        [
            "rejected compact compacting",
            "rejected pause compacting",
            "queue [a]",
            "queue [a, b]",
            "queue [a, b, c]",
            "state cancelling",
            "not compacted: cancelled",
            "queue [a, b, c]",
            "state idle"
        ]
    );
    assert_eq!(talk.messages(), before);
    talk.send(r#"{"method":"dequeue","item":"q2"}"#);
    talk.send(r#"{"method":"resume"}"#);
    let heard = talk.until("state idle").await;
    assert_eq!(
        heard.iter().filter(|line| line.starts_with("user")).collect::<Vec<_>>(),
        ["user a", "user c"]
    );
}

#[tokio::test]
async fn what_waits_goes_on_behind_it() {
    let mut talk = Talk::new(&[&long(500), SHORT, SAYS, SAYS]).await;
    talk.turn("one").await;
    talk.send(r#"{"method":"compact"}"#);
    talk.send(r#"{"method":"run","text":"a","mode":"steer"}"#);
    talk.send(r#"{"method":"run","text":"b"}"#);
    talk.until("compacted").await;
    let heard = talk.until("state idle").await;
    let users: Vec<&String> =
        heard.iter().filter(|line| line.starts_with("user") || line.starts_with("end")).collect();
    assert_eq!(users, ["user a", "end 2 completed", "user b", "end 3 completed"]);
    assert!(first_text(&talk.last_asked()).contains("the sum"));
}

#[tokio::test]
async fn a_pod_that_leaves_gives_it_up() {
    let mut talk = Talk::new(&[&long(500), "hang"]).await;
    talk.turn("one").await;
    talk.send(r#"{"method":"compact"}"#);
    talk.send(r#"{"method":"shutdown"}"#);
    let heard = talk.until("bye").await;
    assert_eq!(
        heard,
        ["state compacting", "compact manual", "state stopping", "not compacted: cancelled", "bye"]
    );
}

fn windowed(share: f64, keep: u64) -> Option<Settings> {
    Some(Settings { share, keep, model: None })
}

/// LOG 8.06: calls that still run vanish from the compacted context (e19). By hand it is refused then; by itself it waits for
/// the results.
#[tokio::test]
async fn log_8_06_a_running_call_is_waited_for() {
    let call = "call 0 Look\n+0 {\"do\":\"deaf\",\"tag\":\"a\"}\ncall 1 Look\n+1 {\"tag\":\"b\"}\nstop tools";
    let session = Session::in_memory("s");
    let mut talk = Talk::on(session, &[&long(2_000), call, SHORT, SAYS], windowed(0.5, 100)).await;
    talk.turn("one").await;
    talk.provider.set_window(4_000);
    talk.pod.hub().lock().compaction.attempts.in_vain(1_000_000);
    talk.send(r#"{"method":"run","text":"two"}"#);
    while talk.done.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    talk.send(r#"{"method":"compact"}"#);
    // The other call may have its result already.
    let mut heard = talk.until("rejected compact running").await;
    talk.pod.hub().lock().compaction.attempts.reset();
    talk.done.lock().unwrap().push("let go".to_owned());
    heard.extend(talk.until("state idle").await);
    let at = |wanted: &str| {
        heard.iter().position(|line| line == wanted).unwrap_or_else(|| panic!("{wanted}: {heard:?}"))
    };
    assert!(at("result c1 ok") < at("compact auto") && at("result c2 ok") < at("compact auto"));
    assert_eq!(
        heard[at("compact auto") - 1..][..4],
        ["state compacting", "compact auto", "compacted", "state running"]
    );
    assert_eq!(heard[heard.len() - 2..], ["end 2 completed", "state idle"]);
    let asked = talk.last_asked();
    paired(&asked);
    paired(&talk.messages());
    assert!(first_text(&asked).contains("the sum"), "{asked:?}");
    // What was asked is there, word for word, and the step that it led to.
    assert!(format!("{asked:?}").contains("two") && format!("{asked:?}").contains("output of b"));
}

/// LOG 8.08: no compaction after a cancelled tool (e09).
#[tokio::test]
async fn log_8_08_a_cancelled_call_does_not_stand_in_the_way() {
    let call = "call 0 Look\n+0 {\"do\":\"wait\",\"tag\":\"a\"}\nstop tools";
    let mut talk = Talk::new(&[&long(500), call, SHORT, SAYS]).await;
    talk.turn("one").await;
    talk.send(r#"{"method":"run","text":"two"}"#);
    while talk.done.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    talk.send(r#"{"method":"cancel"}"#);
    talk.until("state idle").await;
    talk.send(r#"{"method":"compact"}"#);
    assert_eq!(
        talk.until("state idle").await,
        ["state compacting", "compact manual", "compacted", "state idle"]
    );
    talk.turn("next question").await;
    paired(&talk.last_asked());
}

fn count(heard: &[String], wanted: &str) -> usize {
    heard.iter().filter(|line| *line == wanted).count()
}

/// LOG 8.01: 400 silent tries (e20). The turn goes on all the same, and what stopped is told once.
#[tokio::test]
async fn log_8_01_tries_stop_with_a_word_and_a_way_out() {
    let (big, fails) = (long(1_000), "fail context_length_exceeded");
    let script: Vec<&str> = std::iter::once(big.as_str())
        .chain([fails, big.as_str()].repeat(3))
        .chain([big.as_str()].repeat(4))
        .chain([SHORT, SAYS])
        .collect();
    let mut talk = Talk::on(Session::in_memory("s"), &script, windowed(0.5, 100)).await;
    talk.provider.set_window(2_000);
    let mut heard = Vec::new();
    for _ in 0..8 {
        heard.extend(talk.turn("go").await);
    }
    assert_eq!(count(&heard, "compact auto"), 3, "{heard:?}");
    assert_eq!(count(&heard, "not compacted: provider"), 3);
    assert_eq!(count(&heard, "notice compacting_stopped"), 1);
    assert_eq!(heard.iter().filter(|line| line.ends_with("completed")).count(), 8);
    // By hand it can be done still.
    talk.send(r#"{"method":"compact"}"#);
    assert_eq!(talk.until("state idle").await[2], "compacted");
    let attempts = talk.pod.hub().lock().compaction.attempts.clone();
    assert_eq!(attempts, Default::default());
}

/// LOG 8.02: what has to stay is over the limit by itself: compact, go on, compact.
#[tokio::test]
async fn log_8_02_no_progress_is_seen_by_its_outcome() {
    let big = long(400);
    let call = "call 0 Look\n+0 {\"tag\":\"a\"}\nstop tools";
    let script = [&big, SHORT, call, call, call, call, call, SAYS];
    let mut talk = Talk::on(Session::in_memory("s"), &script, windowed(0.5, 100)).await;
    talk.turn("one").await;
    talk.provider.set_window(1_000);
    // What the person asks is too large already, whatever of the rest is summed up.
    let heard = talk.turn(&"word ".repeat(1_500)).await;
    assert_eq!(count(&heard, "compact auto"), 1, "{heard:?}");
    assert_eq!(count(&heard, "notice no_room"), 1);
    assert_eq!(heard[heard.len() - 2], "end 2 completed");
}

/// LOG 8.03: the same failing request each turn, billed.
#[tokio::test]
async fn log_8_03_a_failure_is_not_paid_for_each_turn() {
    let big = long(2_000);
    let script = [&big, "fail no", SAYS, SAYS, SAYS, SAYS, SAYS, "fail no", &long(500)];
    let mut talk = Talk::on(Session::in_memory("s"), &script, windowed(0.5, 100)).await;
    talk.turn("one").await;
    talk.provider.set_window(4_000);
    let mut heard = Vec::new();
    for _ in 0..5 {
        heard.extend(talk.turn("go").await);
    }
    assert_eq!(count(&heard, "compact auto"), 1, "{heard:?}");
    // Another model: something has changed.
    talk.pod.hub().lock().compaction.attempts.reset();
    assert_eq!(count(&talk.turn("go").await, "compact auto"), 1);
}

/// LOG 8.09: open to-dos are forgotten.
#[tokio::test]
async fn log_8_09_the_list_is_there_after_it() {
    let todos = "- [ ] mend  the *lexer*\n- [x] read it\n- [ ] test `a b`\n- [ ] tell";
    let mut talk = Talk::new(&[&long(500), SAYS, &long(500), SHORT, SAYS, &long(500), SHORT, SAYS]).await;
    talk.turn("one").await;
    talk.turn(&todos.replace('\n', "\\n")).await;
    talk.turn("three").await;
    // A second compaction must not forget what the first carried over.
    for _ in 0..2 {
        talk.send(r#"{"method":"compact"}"#);
        talk.until("compacted").await;
        talk.until("state idle").await;
        talk.turn("the list?").await;
        let asked = talk.last_asked();
        let open = "- [ ] mend  the *lexer*\n- [ ] test `a b`\n- [ ] tell";
        assert!(first_text(&asked).contains(open), "{asked:?}");
        if talk.provider.asked().len() < 6 {
            talk.turn("more").await;
        }
    }
}

/// LOG 8.10: usage shows 0 after a compaction; and a stale figure must not set off the next.
#[tokio::test]
async fn log_8_10_the_counter_is_true() {
    let big = format!("tokens 5000 10\n{}", long(500));
    let mut talk = Talk::on(Session::in_memory("s"), &[&big, SHORT, SAYS], windowed(0.5, 100)).await;
    talk.provider.set_window(8_000);
    talk.turn("one").await;
    talk.send(r#"{"method":"run","text":"two"}"#);
    let (mut used, mut after, mut starts) = (Vec::new(), 0, 0);
    while let Some(line) = talk.feed.lines.next().await {
        match &line.event().event {
            Event::Usage(usage) => used.push((usage.context_used, usage.context_limit)),
            Event::CompactStart(_) => starts += 1,
            Event::CompactDone(done) => {
                assert!(done.before >= 5_000 && done.after < 1_000, "{done:?}");
                after = done.after;
            }
            Event::TurnEnd(_) => break,
            _ => {}
        }
    }
    assert_eq!((used, starts), (vec![(after, 8_000)], 1));
    let (_, mut late) = talk.pod.attach(attach("late", None));
    let mut seen = None;
    while let Some(line) = late.lines.try_next() {
        if let Event::Usage(usage) = &line.event().event {
            seen = Some(usage.context_used);
        }
    }
    assert_eq!(seen, Some(after));
}

#[tokio::test]
async fn a_cancelled_turn_gives_up_the_compaction_within_it() {
    let script = [&long(2_000), "hang", SHORT, SAYS];
    let mut talk = Talk::on(Session::in_memory("s"), &script, windowed(0.5, 100)).await;
    talk.turn("one").await;
    talk.provider.set_window(4_000);
    talk.send(r#"{"method":"run","text":"two"}"#);
    talk.until("compact auto").await;
    talk.send(r#"{"method":"cancel"}"#);
    let heard = talk.until("state idle").await;
    assert_eq!(heard, ["state cancelling", "not compacted: cancelled", "end 2 cancelled", "state idle"]);
}

/// A segment of its own, one session: titles and prompts that come meanwhile are in it, and it goes on as it was.
#[tokio::test]
async fn on_the_disk_it_is_a_new_segment_of_the_same_session() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::on_disk("s", "/w", dir.path());
    let script = [&long(500), SHORT, SAYS, &long(800), SHORT];
    let mut talk = Talk::on(session, &script, Some(Settings::default())).await;
    talk.turn("one").await;
    let first = std::fs::read(dir.path().join("s/0001.jsonl")).unwrap();
    talk.send(r#"{"method":"compact"}"#);
    talk.send(r#"{"method":"rename","title":"renamed"}"#);
    talk.until("compacted").await;
    talk.until("state idle").await;
    talk.turn("two").await;
    talk.turn("three").await;
    talk.send(r#"{"method":"compact"}"#);
    talk.until("compacted").await;
    talk.until("state idle").await;
    let (messages, count) = (talk.messages(), talk.pod.hub().lock().session.records().len());
    assert!(std::fs::read(dir.path().join("s/0001.jsonl")).unwrap().starts_with(&first));
    talk.send(r#"{"method":"shutdown"}"#);
    talk.until("bye").await;
    let (session, notices) = Session::resume(dir.path(), "s", 9).unwrap();
    assert_eq!(notices, Vec::new());
    assert_eq!((session.title(), session.segment(), session.records().len()), ("renamed", 3, count));
    assert_eq!(messages_of(session.records()), messages);
    let numbers: Vec<u64> = session.records().iter().filter_map(|record| record.seq).collect();
    assert!(numbers.is_sorted() && numbers.len() == count);
}

/// A disk that takes no new segment fails it, and the session goes on in the old one.
#[tokio::test]
async fn a_segment_that_cannot_be_written_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::on_disk("s", "/w", dir.path());
    let mut talk = Talk::on(session, &[&long(500), SHORT, SAYS], Some(Settings::default())).await;
    talk.turn("one").await;
    std::fs::create_dir(dir.path().join("s/0002.jsonl.new")).unwrap();
    let before = talk.messages();
    talk.send(r#"{"method":"compact"}"#);
    assert_eq!(talk.until("state idle").await[2], "not compacted: log_failed");
    assert_eq!(talk.messages(), before);
    assert_eq!(talk.turn("two").await.last().unwrap(), "state idle");
    assert_eq!(talk.pod.hub().lock().session.segment(), 1);
}

/// While a slow disk takes the new segment everybody else goes on.
#[tokio::test]
async fn a_disk_that_is_stuck_holds_up_the_compaction_alone() {
    let (_dir, log, disk) = log_on(1 << 20);
    let script = [&long(500), SHORT, SAYS];
    let mut talk = Talk::on(Session::on_log(log), &script, Some(Settings::default())).await;
    talk.turn("one").await;
    disk.0.lock().unwrap().stuck = true;
    talk.send(r#"{"method":"compact"}"#);
    talk.until("compact manual").await;
    while talk.provider.asked().len() < 2 {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    talk.send(r#"{"method":"run","text":"waits"}"#);
    assert_eq!(talk.until("queue").await, ["queue [waits]"]);
    disk.0.lock().unwrap().stuck = false;
    let heard = talk.until("state idle").await;
    assert_eq!((heard[0].as_str(), count(&heard, "user waits")), ("compacted", 1), "{heard:?}");
}
