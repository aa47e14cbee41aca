//! Methods in, events out; and a naive client that folds what it hears, from whenever it comes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::event::{Notice, TextDelta};
use carpel_protocol::item::{AssistantText, Reasoning, ToolCall};
use carpel_protocol::word::{NoticeLevel, PodState};
use carpel_protocol::{Event, EventLine, Item, MethodLine, Record};

use super::approvals::Approvals;
use super::hub::{Attach, Hub, Identity};
use super::*;
use crate::permission::{Mode, Permissions};
use crate::session::Session;
use crate::session::conversation::{ABANDONED, messages_of};
use crate::tools::Workspace;
use crate::worker::WorkerSettings;
use crate::worker::scripted::{Scripted, puppets_and_task};

/// A pod on a script, its clock standing still.
pub(crate) fn pod(script: &str) -> (Controller, Arc<Scripted>) {
    pod_with(script, Permissions { mode: Mode::All, ..Permissions::default() }, true)
}

/// As `pod`, with what may be done without a question.
pub(crate) fn pod_with(script: &str, permissions: Permissions, asks: bool) -> (Controller, Arc<Scripted>) {
    let (pod, provider, _) = pod_on(script, Session::in_memory("s"), Approvals::new(permissions, asks));
    (pod, provider)
}

/// As `pod_with`, with its session, and with what its tools were seen to do.
pub(crate) fn pod_on(
    script: &str,
    session: Session,
    approvals: Approvals,
) -> (Controller, Arc<Scripted>, Arc<std::sync::Mutex<Vec<String>>>) {
    // Puppets leave it as it is.
    pod_in(std::path::Path::new(env!("CARGO_MANIFEST_DIR")), script, session, approvals)
}

/// As `pod_on`, in this folder.
pub(crate) fn pod_in(
    folder: &std::path::Path,
    script: &str,
    session: Session,
    approvals: Approvals,
) -> (Controller, Arc<Scripted>, Arc<std::sync::Mutex<Vec<String>>>) {
    let provider = Scripted::new(script);
    let workspace = Arc::new(Workspace::open(folder).unwrap());
    let settings = WorkerSettings { retry_delays: vec![Duration::ZERO], ..WorkerSettings::default() };
    let (toolbox, done) = puppets_and_task();
    let worker = Worker::new(provider.clone(), toolbox, workspace, settings);
    let identity = Identity {
        pod: "p".to_owned(),
        cwd: "/w".to_owned(),
        provider: "scripted".to_owned(),
        model: "script".to_owned(),
    };
    let hub = Hub::new(session, approvals, identity, Arc::new(|| 5));
    (Controller::new(hub, worker), provider, done)
}

pub(crate) fn method(json: &str) -> MethodLine {
    MethodLine::decode(json.as_bytes()).unwrap()
}

pub(crate) fn attach(name: &str, since: Option<u64>) -> Attach {
    Attach { name: name.to_owned(), since, ..Attach::default() }
}

/// An event as one line of JSON without what differs from run to run.
fn dump(line: &EventLine) -> String {
    let mut json = serde_json::to_value(line).unwrap();
    json.as_object_mut().unwrap().remove("elapsed_ms");
    json.as_object_mut().unwrap().remove("at");
    json.to_string()
}

pub(crate) async fn until_idle(feed: &mut Feed) -> Vec<EventLine> {
    let mut events = Vec::new();
    let mut turns_ended = 0;
    while let Some(line) = feed.lines.next().await {
        events.push(line.event().clone());
        turns_ended += usize::from(matches!(line.event().event, Event::TurnEnd(_)));
        let idle = matches!(&line.event().event, Event::State(state) if state.state == PodState::Idle);
        if idle && turns_ended > 0 {
            break;
        }
    }
    events
}

async fn check(script: &str, expected: &[&str]) {
    let (pod, _) = pod(script);
    let (client, mut feed) = pod.attach(attach("t", None));
    pod.handle(client, method(r#"{"method":"run","id":"m1","text":"go"}"#));
    let events = until_idle(&mut feed).await;
    let got: Vec<String> = events.iter().map(dump).collect();
    assert_eq!(got, expected);
}

#[tokio::test]
async fn a_turn_as_a_client_hears_it() {
    check(
        r#"thinking 0
           +0 hm
           /0 sig
           call 1 Look
           +1 {"do":"say","tag":"a"}
           stop tools
           ---
           text 0
           +0 done
           tokens 7 2
           stop end"#,
        &[
            r#"{"event":"history","items":[],"more":false}"#,
            r#"{"event":"state","state":"idle"}"#,
            r#"{"event":"state","state":"running"}"#,
            r#"{"event":"turn_start","turn":1}"#,
            r#"{"event":"user_message","method":"m1","origin":"t","seq":1,"text":"go"}"#,
            r#"{"event":"session","id":"s","segment":0,"title":"go"}"#,
            r#"{"event":"thinking_start"}"#,
            r#"{"event":"thinking_delta","text":"hm"}"#,
            r#"{"event":"thinking_done","seq":2,"text":"hm"}"#,
            r#"{"event":"tool_call_start","id":"c1","kind":"read","name":"Look"}"#,
            r#"{"delta":"{\"do\":\"say\",\"tag\":\"a\"}","event":"tool_call_args_delta","id":"c1"}"#,
            r#"{"arguments":"{\"do\":\"say\",\"tag\":\"a\"}","event":"tool_call_done","id":"c1","seq":3}"#,
            r#"{"event":"tool_call_progress","id":"c1","text":"tick\n"}"#,
            r#"{"event":"tool_result","id":"c1","outcome":"ok","seq":4,"summary":"a said"}"#,
            r#"{"event":"text_delta","text":"done"}"#,
            r#"{"event":"text_done","seq":5,"text":"done"}"#,
            r#"{"cached":0,"context_limit":0,"context_used":9,"event":"usage","input":7,"output":2}"#,
            r#"{"event":"turn_end","reason":"completed","seq":6,"turn":1,"usage":{"cached":0,"context_limit":0,"context_used":0,"input":7,"output":2}}"#,
            r#"{"event":"state","state":"idle"}"#,
        ],
    )
    .await;
}

/// What a sub-agent says and does carries its call, and stands between that call's start and its result.
#[tokio::test]
async fn a_sub_agent_as_a_client_hears_it() {
    check(
        r#"call 0 Task
           +0 {"description":"d","prompt":"p"}
           stop tools
           ---
           stop end
           === p
           thinking 0
           +0 hm
           /0
           call 1 Look
           +1 {"do":"say","tag":"a"}
           stop tools
           ---
           text 0
           +0 found
           tokens 7 2
           stop end"#,
        &[
            r#"{"event":"history","items":[],"more":false}"#,
            r#"{"event":"state","state":"idle"}"#,
            r#"{"event":"state","state":"running"}"#,
            r#"{"event":"turn_start","turn":1}"#,
            r#"{"event":"user_message","method":"m1","origin":"t","seq":1,"text":"go"}"#,
            r#"{"event":"session","id":"s","segment":0,"title":"go"}"#,
            r#"{"event":"tool_call_start","id":"c1","kind":"think","name":"Task"}"#,
            r#"{"delta":"{\"description\":\"d\",\"prompt\":\"p\"}","event":"tool_call_args_delta","id":"c1"}"#,
            r#"{"arguments":"{\"description\":\"d\",\"prompt\":\"p\"}","event":"tool_call_done","id":"c1","seq":2}"#,
            r#"{"event":"thinking_start","parent":"c1"}"#,
            r#"{"event":"thinking_delta","parent":"c1","text":"hm"}"#,
            r#"{"event":"thinking_done","parent":"c1","seq":3,"text":"hm"}"#,
            r#"{"event":"tool_call_start","id":"c2","kind":"read","name":"Look","parent":"c1"}"#,
            r#"{"delta":"{\"do\":\"say\",\"tag\":\"a\"}","event":"tool_call_args_delta","id":"c2"}"#,
            r#"{"arguments":"{\"do\":\"say\",\"tag\":\"a\"}","event":"tool_call_done","id":"c2","seq":4}"#,
            r#"{"event":"tool_call_progress","id":"c2","text":"tick\n"}"#,
            r#"{"event":"tool_result","id":"c2","outcome":"ok","seq":5,"summary":"a said"}"#,
            r#"{"event":"text_delta","parent":"c1","text":"found"}"#,
            r#"{"event":"text_done","parent":"c1","seq":6,"text":"found"}"#,
            r#"{"cached":0,"context_limit":0,"context_used":9,"event":"usage","input":7,"output":2,"parent":"c1"}"#,
            r#"{"event":"tool_result","id":"c1","outcome":"ok","output":"found","seq":7,"structured":{"answer":"found","calls":1,"failed":0,"tokens":{"cached":0,"input":7,"output":2}},"summary":"1 call"}"#,
            r#"{"event":"turn_end","reason":"completed","seq":8,"turn":1,"usage":{"cached":0,"context_limit":0,"context_used":0,"input":7,"output":2}}"#,
            r#"{"event":"state","state":"idle"}"#,
        ],
    )
    .await;
}

/// LOG 5.06: arguments that are not JSON get an error result, are never run, and the turn goes on.
#[tokio::test]
async fn log_5_06_broken_arguments_are_answered_and_not_run() {
    for broken in [
        r#"{"tag":"first half of the fi"#,
        "{\"tag\":\"a\tb\"}",
        r#"{"tag":"\u{1234567}"}"#,
        r#"{"tag":"\`"}"#,
        "{}{}",
    ] {
        let (pod, provider) =
            pod(&format!("call 0 Look\n+0 {broken}\n/0\nstop tools\n---\ntext 0\n+0 on\nstop end"));
        let (client, mut feed) = pod.attach(attach("t", None));
        pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
        let events = until_idle(&mut feed).await;
        let done = events.iter().find_map(|line| match &line.event {
            Event::ToolCallDone(done) => Some(done),
            _ => None,
        });
        assert!(done.unwrap().error.as_deref().unwrap().contains("not valid JSON"), "{broken}");
        assert_eq!(done.unwrap().arguments, broken);
        let result = events.iter().find_map(|line| match &line.event {
            Event::ToolResult(result) => Some(result),
            _ => None,
        });
        assert!(result.unwrap().is_error);
        assert_eq!(result.unwrap().elapsed_ms, None, "it never ran");
        // The model is told, with the raw text, and asked again.
        let told = &provider.asked()[1].messages;
        assert!(
            matches!(&told[2], Message::ToolResult { is_error: true, text, .. } if text.contains(broken))
        );
        assert!(events.iter().any(|line| matches!(&line.event, Event::TextDone(text) if text.text == "on")));
    }
}

/// LOG 5.05: a call of a cancelled turn has a result before the next turn is sent.
#[tokio::test]
async fn log_5_05_a_cancelled_call_has_a_result_in_the_next_request() {
    let (pod, provider) =
        pod("call 0 Look\n+0 {\"do\":\"wait\"}\ncall 1 Make\nstop tools\n---\ntext 0\n+0 ok\nstop end");
    let (client, mut feed) = pod.attach(attach("t", None));
    pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
    while !matches!(feed.lines.next().await.unwrap().event().event, Event::ToolCallDone(_)) {}
    pod.handle(client, method(r#"{"method":"cancel"}"#));
    let events = until_idle(&mut feed).await;
    let states: Vec<String> = events
        .iter()
        .filter_map(|line| match &line.event {
            Event::State(state) => Some(state.state.to_string()),
            Event::TurnEnd(end) => Some(format!("end {}", end.reason)),
            _ => None,
        })
        .collect();
    assert_eq!(states, ["cancelling", "end cancelled", "idle"]);
    pod.handle(client, method(r#"{"method":"run","text":"next"}"#));
    until_idle(&mut feed).await;
    let told = &provider.asked()[1].messages;
    let results: Vec<&str> = told
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { id, is_error: true, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(results, ["c1", "c2"]);
    assert!(matches!(told.last(), Some(Message::User { text }) if text == "next"));
}

#[tokio::test]
async fn refusals_go_to_the_asker_alone() {
    let (pod, _) = pod("text 0\n+0 x\nhang");
    let (a, mut of_a) = pod.attach(attach("a", None));
    let (_, mut of_b) = pod.attach(attach("b", None));
    pod.handle(a, method(r#"{"method":"cancel","id":"1"}"#));
    pod.handle(a, method(r#"{"method":"run","id":"2","text":" "}"#));
    pod.handle(a, method(r#"{"method":"run","text":"go"}"#));
    pod.handle(a, method(r#"{"method":"run","id":"3","text":"again"}"#));
    pod.handle(a, method(r#"{"method":"from_the_future","id":"4"}"#));
    pod.stop("done", Leave::Now);
    let rejected = async |feed: &mut Feed| {
        let mut rejected = Vec::new();
        while let Some(line) = feed.lines.next().await {
            if let Event::Rejected(refusal) = &line.event().event {
                rejected.push(format!(
                    "{} {} {}",
                    refusal.id.as_deref().unwrap(),
                    refusal.method,
                    refusal.code
                ));
            }
        }
        rejected
    };
    assert_eq!(
        rejected(&mut of_a).await,
        ["1 cancel nothing_runs", "2 run empty", "3 run busy", "4 from_the_future unknown_method"]
    );
    assert!(rejected(&mut of_b).await.is_empty());
}

#[tokio::test]
async fn a_rename_is_told_to_all_and_to_those_who_come_later() {
    let (pod, _) = pod("");
    let (a, _feed) = pod.attach(attach("a", None));
    pod.handle(a, method(r#"{"method":"rename","title":"new"}"#));
    let (_, mut late) = pod.attach(attach("b", None));
    let mut lines = Vec::new();
    while let Some(line) = late.lines.try_next() {
        lines.push(dump(line.event()));
    }
    assert!(
        lines.contains(&r#"{"event":"session","id":"s","segment":0,"title":"new"}"#.to_owned()),
        "{lines:?}"
    );
    assert_eq!(pod.hub().hello().title, "new");
}

#[tokio::test]
async fn leaving_cancels_the_turn_or_waits_for_it() {
    for (script, leave, reason) in [
        ("text 0\n+0 x\nhang", Leave::Now, "cancelled"),
        ("text 0\n+0 x\nstop end", Leave::AfterTheTurn, "completed"),
    ] {
        let (pod, _) = pod(script);
        let (client, mut feed) = pod.attach(attach("a", None));
        pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
        pod.stop("enough", leave);
        pod.stop("another reason", Leave::AfterTheTurn);
        let mut last = Vec::new();
        while let Some(line) = feed.lines.next().await {
            match &line.event().event {
                Event::TurnEnd(end) => last.push(end.reason.to_string()),
                Event::Bye(bye) => last.push(bye.reason.clone()),
                Event::State(state) => last.push(state.state.to_string()),
                _ => {}
            }
        }
        assert_eq!(last, ["idle", "running", "stopping", reason, "enough"]);
        pod.gone().await;
    }
}

#[tokio::test]
async fn a_paused_turn_whose_client_has_gone_comes_to_its_end() {
    let (pod, _) =
        pod("call 0 Look\n+0 {\"do\":\"say\",\"tag\":\"a\"}\nstop tools\n---\ntext 0\n+0 x\nstop end");
    let (client, mut feed) = pod.attach(attach("a", None));
    pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
    pod.handle(client, method(r#"{"method":"pause"}"#));
    pod.stop("the input ended", Leave::AfterTheTurn);
    let mut told = Vec::new();
    while let Some(line) = feed.lines.next().await {
        match &line.event().event {
            Event::State(state) => told.push(state.state.to_string()),
            Event::TurnEnd(end) => told.push(end.reason.to_string()),
            _ => {}
        }
    }
    assert_eq!(told, ["idle", "running", "paused", "stopping", "completed"]);
}

#[tokio::test]
async fn clients_hear_how_many_they_are() {
    let (pod, _) = pod("");
    let heard = |feed: &mut Feed| {
        let mut counts = Vec::new();
        while let Some(line) = feed.lines.try_next() {
            if let Event::Clients(clients) = &line.event().event {
                counts.push(clients.attached);
            }
        }
        counts
    };
    let (a, mut of_a) = pod.attach(attach("a", None));
    assert_eq!(heard(&mut of_a), [0; 0], "one alone knows it");
    let (b, mut of_b) = pod.attach(attach("b", None));
    assert_eq!((heard(&mut of_a), heard(&mut of_b)), (vec![2], vec![2]));
    let (_, of_c) = pod.attach(attach("c", Some(7)));
    assert_eq!((heard(&mut of_a), heard(&mut of_b)), (vec![3], vec![3]));
    // One that is gone without a word is noticed when it is sent something.
    drop(of_c);
    pod.handle(a, method(r#"{"method":"rename","title":"t"}"#));
    assert_eq!((heard(&mut of_a), heard(&mut of_b)), (vec![2], vec![2]));
    pod.detach(a);
    assert_eq!(heard(&mut of_b), [1]);
    pod.detach(b);
    let (_, mut of_d) = pod.attach(attach("d", None));
    assert_eq!(heard(&mut of_d), [0; 0]);
}

/// A client's memory: the records that it knows, by number. Knows the wire and nothing of the pod.
#[derive(Default)]
struct Fold {
    records: BTreeMap<u64, Record>,
    calls: BTreeMap<String, ToolCall>,
    /// By the call whose sub-agent speaks.
    thinking: BTreeMap<Option<String>, String>,
    text: BTreeMap<Option<String>, String>,
}

impl Fold {
    fn take(&mut self, line: &EventLine) {
        let item = match &line.event {
            Event::History(history) => {
                for record in &history.items {
                    self.keep(record.seq.unwrap(), record.clone());
                }
                return;
            }
            Event::ThinkingStart(start) => {
                self.knows(&start.parent);
                self.thinking.entry(start.parent.clone()).or_default();
                return;
            }
            Event::ThinkingDelta(delta) => return add(&mut self.thinking, delta),
            Event::TextDelta(delta) => {
                self.knows(&delta.parent);
                return add(&mut self.text, delta);
            }
            Event::ToolCallStart(start) => {
                self.knows(&start.parent);
                let call = ToolCall {
                    id: start.id.clone(),
                    name: start.name.clone(),
                    arguments: String::new(),
                    parent: start.parent.clone(),
                    tool_kind: start.kind.clone(),
                    locations: Vec::new(),
                    started_at: line.at,
                };
                self.calls.insert(start.id.clone(), call);
                return;
            }
            Event::ToolCallArgsDelta(delta) => {
                let call = self.calls.get_mut(&delta.id).expect("arguments of a call that began");
                if delta.reset {
                    call.arguments.clear();
                }
                call.arguments.push_str(&delta.delta);
                return;
            }
            Event::ToolCallProgress(progress) => {
                assert!(self.calls.contains_key(&progress.id), "progress of a call that began");
                return;
            }
            Event::StepAbandoned(abandoned) => {
                self.thinking.remove(&abandoned.parent);
                self.text.remove(&abandoned.parent);
                self.calls.retain(|_, call| call.parent != abandoned.parent);
                if abandoned.parent.is_some() {
                    assert_eq!(line.seq, None, "nothing of a sub-agent is told to a model");
                    return;
                }
                let text = format!("cut off: {}", abandoned.reason);
                Item::Notice(Notice { level: NoticeLevel::Warning, code: ABANDONED.to_owned(), text })
            }
            Event::UserMessage(message) => Item::UserMessage(message.clone()),
            Event::TurnEnd(end) => Item::TurnEnd(end.clone()),
            Event::ThinkingDone(done) => {
                assert_eq!(
                    self.thinking.remove(&done.parent).as_deref(),
                    Some(done.text.as_str()),
                    "thinking that was heard whole"
                );
                Item::Reasoning(Reasoning {
                    text: done.text.clone(),
                    summary: Vec::new(),
                    opaque: None,
                    elapsed_ms: done.elapsed_ms,
                    parent: done.parent.clone(),
                })
            }
            Event::TextDone(done) => {
                assert_eq!(
                    self.text.remove(&done.parent).as_deref(),
                    Some(done.text.as_str()),
                    "text that was heard whole"
                );
                Item::AssistantText(AssistantText { text: done.text.clone(), parent: done.parent.clone() })
            }
            Event::ToolCallDone(done) => {
                let call = self.calls.get_mut(&done.id).expect("the end of a call that began");
                if done.arguments != "{}" {
                    assert_eq!(call.arguments, done.arguments, "arguments that were heard whole");
                }
                call.arguments.clone_from(&done.arguments);
                Item::ToolCall(call.clone())
            }
            Event::ToolResult(result) => {
                assert!(self.calls.remove(&result.id).is_some(), "the result of a call that began");
                let below = self.calls.values().find(|call| call.parent.as_ref() == Some(&result.id));
                assert!(below.is_none(), "what is below a call ends before it: {below:?}");
                Item::ToolResult(result.clone())
            }
            _ => return,
        };
        if let Some(seq) = line.seq {
            let record = Record { seq: Some(seq), at: line.at, item, extra: carpel_protocol::Extra::new() };
            self.keep(seq, record);
        }
    }

    /// What a sub-agent says and does comes when its call is there.
    fn knows(&self, parent: &Option<String>) {
        let known = parent.as_ref().is_none_or(|parent| self.calls.contains_key(parent));
        assert!(known, "{parent:?} has not begun");
    }

    fn keep(&mut self, seq: u64, mut record: Record) {
        // What only a provider wants back is in no event.
        if let Item::Reasoning(reasoning) = &mut record.item {
            reasoning.opaque = None;
        }
        let same = self.records.insert(seq, record.clone()).is_none_or(|known| known == record);
        assert!(same, "record {seq} changed to {record:?}");
    }
}

fn add(blocks: &mut BTreeMap<Option<String>, String>, delta: &TextDelta) {
    let text = blocks.entry(delta.parent.clone()).or_default();
    if delta.reset {
        text.clear();
    }
    text.push_str(&delta.text);
}

const EVENTFUL: &str = r#"
    thinking 0
    +0 one
    +0  two
    /0 sig
    text 1
    +1 a
    +1 b
    /1
    cut
    ---
    thinking 0
    +0 again
    call 1 Look
    +1 {"do":"say",
    +0  and more
    +1 "tag":"a"}
    /0 late
    call 2 Make
    call 3 Nothing
    +3 {}
    call 4 Look
    +4 {"tag":"half
    text 5
    +5 interleaved
    stop tools
    ---
    text 0
    +0 the
    +0  end
    stop end"#;

const TREE: &str = r#"
    call 0 Task
    +0 {"description":"a","prompt":"a"}
    call 1 Task
    +1 {"description":"b","prompt":"b"}
    stop tools
    ---
    text 0
    +0 end
    stop end
    === a
    text 0
    +0 half
    +0  of it
    /0
    call 1 Look
    cut
    ---
    text 0
    +0 now
    +0  then
    call 1 Task
    +1 {"description":"deep",
    +1 "prompt":"deep"}
    call 2 Look
    stop tools
    ---
    text 0
    +0 a is
    +0  done
    stop end
    === b
    thinking 0
    +0 hm
    +0  hm
    call 1 Make
    +1 {"tag":"b"}
    stop tools
    ---
    fail the key is wrong
    === deep
    thinking 0
    +0 so
    +0  deep
    /0
    call 1 Look
    +1 {"do":"say",
    +1 "tag":"x"}
    call 2 Make
    stop tools
    ---
    stop end"#;

/// Who comes while the pod is at work is told since when, whatever it has been doing in between.
#[tokio::test]
async fn who_attaches_is_told_since_when_the_pod_works() {
    async fn state(feed: &mut Feed) -> (PodState, Option<i64>) {
        loop {
            let line = feed.lines.next().await.unwrap();
            if let Event::State(state) = &line.event().event {
                return (state.state.clone(), line.event().at);
            }
        }
    }
    let (pod, _) = pod(EVENTFUL);
    let (client, mut feed) = pod.attach(attach("first", None));
    assert_eq!(state(&mut feed).await, (PodState::Idle, None));
    pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
    let (running, since) = state(&mut feed).await;
    assert_eq!((running, since.is_some()), (PodState::Running, true));
    pod.handle(client, method(r#"{"method":"pause"}"#));
    assert_eq!(state(&mut feed).await.0, PodState::Paused);
    assert_eq!(state(&mut pod.attach(attach("late", None)).1).await, (PodState::Paused, since));
    pod.handle(client, method(r#"{"method":"cancel"}"#));
    while state(&mut feed).await.0 != PodState::Idle {}
    assert_eq!(state(&mut pod.attach(attach("later", None)).1).await, (PodState::Idle, None));
}

/// Attaching at any point gives the same records as having been there from the start.
#[tokio::test]
async fn attaching_at_any_point_gives_the_same_records() {
    attaching_at_any_point(EVENTFUL).await;
}

/// The same while sub-agents of sub-agents work side by side, one of which asks again and one of which fails.
#[tokio::test]
async fn attaching_at_any_point_of_a_tree_gives_the_same_records() {
    attaching_at_any_point(TREE).await;
}

async fn attaching_at_any_point(script: &str) {
    // The script's moments: an event of the first client is a moment at which another comes.
    let mut snapshots = BTreeSet::new();
    for moment in 0..200 {
        let (pod, _) = pod(script);
        let (client, mut feed) = pod.attach(attach("first", None));
        let mut first = Fold::default();
        let mut late: Option<(Fold, Feed)> = None;
        let mut again: Option<(Fold, Feed)> = None;
        let mut seen = 0;
        pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
        let mut last_seq = 0;
        let mut ended = false;
        while !ended {
            if seen == moment {
                snapshots
                    .extend(pod.hub().lock().open.events().iter().map(|line| line.event.tag().to_owned()));
                late = Some((Fold::default(), pod.attach(attach("late", None)).1));
                // A client that was there before and has the records up to a number.
                let known = Fold { records: first.records.clone(), ..Fold::default() };
                again = Some((known, pod.attach(attach("again", Some(last_seq))).1));
            }
            let line = feed.lines.next().await.unwrap();
            first.take(line.event());
            last_seq = line.event().seq.unwrap_or(last_seq);
            seen += 1;
            ended = matches!(line.event().event, Event::TurnEnd(_));
        }
        if seen <= moment {
            assert!(moment > 30, "the script has few moments");
            for tag in [
                "text_delta",
                "thinking_delta",
                "thinking_start",
                "tool_call_args_delta",
                "tool_call_done",
                "tool_call_start",
                "turn_start",
            ] {
                assert!(snapshots.contains(tag), "{tag} was never unsettled: {snapshots:?}");
            }
            return;
        }
        pod.stop("over", Leave::AfterTheTurn);
        for (mut fold, mut feed) in [late.unwrap(), again.unwrap()] {
            while let Some(line) = feed.lines.next().await {
                fold.take(line.event());
            }
            assert_eq!(fold.records, first.records, "attached at moment {moment}");
            assert!(fold.text.is_empty() && fold.thinking.is_empty());
            // The last result can have come before the late client, but never less than the records say.
            assert!(fold.calls.keys().all(|id| first.calls.contains_key(id)));
        }
        let kept: Vec<Record> = first.records.values().cloned().collect();
        let mut all = Fold::default();
        for record in pod.hub().lock().session.records() {
            all.keep(record.seq.unwrap(), record.clone());
        }
        assert_eq!(kept, all.records.into_values().collect::<Vec<_>>());
    }
    panic!("the script has too many moments");
}

#[tokio::test]
async fn what_a_model_is_told_in_a_turn_is_what_the_records_tell_it_later() {
    for script in [EVENTFUL, TREE] {
        let (pod, provider) = pod(script);
        let (client, mut feed) = pod.attach(attach("t", None));
        pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
        until_idle(&mut feed).await;
        // The root's own: nothing of sub-agents is in it.
        let asked = provider.asked();
        let told = &asked.last().unwrap().messages;
        let from_records = messages_of(pod.hub().lock().session.records());
        assert_eq!(from_records[..told.len()], told[..]);
        assert_eq!(from_records.len(), told.len() + 1);
    }
}

/// A session whose pod was killed in the middle of a tree comes back as the tree, and a model is told of its root alone.
#[tokio::test]
async fn log_5_07_a_killed_tree_is_restored_with_its_parents() {
    let dir = tempfile::tempdir().unwrap();
    let deaf = "=== deep\ncall 0 Look\n+0 {\"do\":\"wait\"}\ncall 1 Make\n+1 {}\nstop tools";
    let task = |prompt: &str| {
        format!("call 0 Task\n+0 {{\"description\":\"{prompt}\",\"prompt\":\"{prompt}\"}}\nstop tools\n")
    };
    let script = format!("{}=== a\n{}{deaf}", task("a"), task("deep"));
    let permissions = Permissions { mode: Mode::All, ..Permissions::default() };
    let session = Session::on_disk("s", "/w", dir.path());
    let (pod, _, done) = pod_on(&script, session, Approvals::new(permissions, true));
    let (client, mut feed) = pod.attach(attach("a", None));
    pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
    while done.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let killed = crate::log::restore::restore(dir.path(), "s").unwrap();
    let tree: Vec<(String, Option<String>)> = killed
        .records
        .iter()
        .filter_map(|record| match &record.item {
            Item::ToolCall(call) => Some((call.id.clone(), call.parent.clone())),
            _ => None,
        })
        .collect();
    let below = |id: &str, parent: Option<&str>| (id.to_owned(), parent.map(str::to_owned));
    assert_eq!(
        tree,
        [below("c1", None), below("c2", Some("c1")), below("c3", Some("c2")), below("c4", Some("c2"))]
    );
    let told = messages_of(&killed.records);
    assert_eq!(told.len(), 3, "the prompt, the task and that it was interrupted: {told:?}");
    assert!(matches!(&told[2], Message::ToolResult { id, is_error: true, .. } if id == "c1"));
    assert_eq!(crate::session::Numbers::of(&killed.records).calls, 4, "no id comes again");
    pod.handle(client, method(r#"{"method":"cancel"}"#));
    until_idle(&mut feed).await;
}

#[tokio::test]
async fn a_long_history_comes_in_chunks() {
    let (pod, _) = pod("");
    {
        let mut inner = pod.hub().lock();
        for number in 0..600 {
            let text = if number == 3 { "x".repeat(3_000_000) } else { number.to_string() };
            inner.session.append(Item::AssistantText(AssistantText { text, parent: None }), 0).unwrap();
        }
    }
    let (_, mut feed) = pod.attach(attach("a", Some(2)));
    let mut chunks = Vec::new();
    let mut seqs = Vec::new();
    while let Some(line) = feed.lines.try_next() {
        if let Event::History(history) = &line.event().event {
            chunks.push((history.items.len(), history.more));
            seqs.extend(history.items.iter().filter_map(|record| record.seq));
        }
    }
    assert_eq!(chunks, [(1, true), (1, true), (256, true), (256, true), (84, false)]);
    assert!(seqs.into_iter().eq(3..=600));
}

/// What a model was writing when the pod was killed is in the log, with the arguments that were whole.
#[tokio::test]
async fn calls_that_are_being_written_are_noted() {
    let dir = tempfile::tempdir().unwrap();
    let script = "call 0 Make\n+0 {\"tag\":\"a\"}\ncall 1 Make\n+1 {\"ta\nhang";
    let permissions = Permissions { mode: Mode::All, ..Permissions::default() };
    let session = Session::on_disk("s", "/w", dir.path());
    let (pod, _, done) = pod_on(script, session, Approvals::new(permissions, true));
    let (client, mut feed) = pod.attach(attach("a", None));
    pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
    let mut pieces = 0;
    while pieces < 2 {
        let line = feed.lines.next().await.unwrap();
        pieces += usize::from(matches!(line.event().event, Event::ToolCallArgsDelta(_)));
    }
    let killed = crate::log::restore::restore(dir.path(), "s").unwrap();
    let calls: Vec<(String, String)> = killed
        .records
        .iter()
        .filter_map(|record| match &record.item {
            Item::ToolCall(call) => Some((call.id.clone(), call.arguments.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(calls, [("c1".to_owned(), "{\"tag\":\"a\"}".to_owned()), ("c2".to_owned(), String::new())]);
    assert!(done.lock().unwrap().is_empty());
}
