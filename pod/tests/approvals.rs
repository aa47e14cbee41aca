//! What is approved is what runs: the real tools, their files, and what a person answers.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use carpel_pod::permission::Mode;
use carpel_pod::provider::{Message, PartKind, Provider, Request, StopReason, StreamEvent};
use carpel_pod::{Pod, PodConfig};
use carpel_protocol::method::{Approve, Run};
use carpel_protocol::word::{Decision, RunMode};
use carpel_protocol::{Event, Method};
use tokio::sync::mpsc;

/// Calls the tools that it was given, one step each, then says nothing more.
struct Calls(Vec<(&'static str, serde_json::Value)>);

impl Provider for Calls {
    fn name(&self) -> &str {
        "calls"
    }

    fn model(&self) -> &str {
        "none"
    }

    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        let done = request.messages.iter().filter(|message| matches!(message, Message::ToolResult { .. }));
        let (sender, receiver) = mpsc::channel(8);
        let events = match self.0.get(done.count()) {
            Some((name, arguments)) => vec![
                StreamEvent::Start { part: 0, kind: PartKind::ToolCall { name: (*name).to_owned() } },
                StreamEvent::Delta { part: 0, text: arguments.to_string() },
                StreamEvent::Stop(StopReason::ToolUse),
            ],
            None => vec![StreamEvent::Stop(StopReason::EndTurn)],
        };
        for event in events {
            sender.try_send(event).unwrap();
        }
        receiver
    }
}

fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir_all(at("work/.git")).unwrap();
    fs::write(at("work/a.txt"), "one\n").unwrap();
    fs::write(at("work/.git/config"), "x\n").unwrap();
    fs::write(at("outside.txt"), "secret\n").unwrap();
    folder
}

/// Runs the calls; each question is answered with the next decision, after `meanwhile` happened. Returns what was asked
/// and how each call ended.
async fn run(
    folder: &Path,
    mode: Mode,
    calls: Vec<(&'static str, serde_json::Value)>,
    answers: &[Decision],
    meanwhile: impl Fn(),
) -> (Vec<String>, Vec<String>) {
    let mut config = PodConfig::new(folder.join("work"), Arc::new(Calls(calls)));
    config.sessions = None;
    config.permissions.mode = mode;
    let mut pod = Pod::in_process(config, "test").unwrap();
    pod.send(Method::Run(Run { text: "go".to_owned(), attachments: Vec::new(), mode: RunMode::Now }));
    let (mut asked, mut ended) = (Vec::new(), Vec::new());
    let mut answers = answers.iter();
    while let Some(line) = pod.next().await {
        match line.event {
            Event::ApprovalRequest(request) => {
                let session = request.options.iter().any(|option| option.kind == Decision::Session);
                asked.push(format!(
                    "{}{} | {}",
                    request.title,
                    if session { "" } else { " (never for the session)" },
                    request.detail
                ));
                meanwhile();
                let decision = answers.next().expect("a question that was not expected").clone();
                pod.send(Method::Approve(Approve { request: request.request, decision, message: None }));
            }
            Event::ToolResult(result) => ended.push(result.settled().to_string()),
            Event::TurnEnd(_) => break,
            _ => {}
        }
    }
    assert_eq!(answers.next(), None, "a question that did not come");
    (asked, ended)
}

fn write(path: &str, content: &str) -> (&'static str, serde_json::Value) {
    ("Write", serde_json::json!({"file_path": path, "content": content}))
}

fn read(path: &str) -> (&'static str, serde_json::Value) {
    ("Read", serde_json::json!({"file_path": path}))
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, serde_json::Value) {
    ("Edit", serde_json::json!({"file_path": path, "old_string": old, "new_string": new}))
}

#[tokio::test]
async fn modes_by_tools() {
    use Decision::{Deny, Once, Session};
    let outside = "../outside.txt";
    for (mode, call, answers, ended) in [
        (Mode::Ask, write("new.txt", "x"), &[Once][..], "ok"),
        (Mode::Ask, write("new.txt", "x"), &[Deny], "rejected"),
        (Mode::Edits, write("new.txt", "x"), &[], "ok"),
        (Mode::All, write("new.txt", "x"), &[], "ok"),
        (Mode::ReadOnly, write("new.txt", "x"), &[], "rejected"),
        (Mode::Ask, read("a.txt"), &[], "ok"),
        (Mode::ReadOnly, read("a.txt"), &[], "ok"),
        (Mode::Ask, read(outside), &[Once], "ok"),
        (Mode::Ask, read(outside), &[Session], "ok"),
        (Mode::Edits, read(outside), &[Deny], "rejected"),
        (Mode::All, read(outside), &[], "ok"),
        (Mode::Edits, write("../new.txt", "x"), &[Once], "ok"),
        (Mode::All, write(".git/hooks", "x"), &[Once], "ok"),
        (Mode::Edits, write(".agents/skills/a/SKILL.md", "x"), &[Deny], "rejected"),
        // What cannot succeed is not even asked about.
        (Mode::Ask, write("a.txt", "x"), &[], "error"),
        (Mode::Ask, edit("a.txt", "one", "two"), &[], "error"),
    ] {
        let folder = tree();
        let (asked, got) = run(folder.path(), mode, vec![call.clone()], answers, || {}).await;
        assert_eq!(got, [ended], "{mode} {call:?} {asked:?}");
    }
}

#[tokio::test]
async fn the_question_shows_the_change_and_the_session_is_not_offered_for_what_steers_the_agent() {
    let folder = tree();
    let calls = vec![read("a.txt"), edit("a.txt", "one", "two"), write("AGENTS.md", "obey\n")];
    let (asked, ended) =
        run(folder.path(), Mode::Ask, calls, &[Decision::Session, Decision::Once], || {}).await;
    assert_eq!(ended, ["ok", "ok", "ok"]);
    assert!(asked[0].starts_with("edit a.txt | ") && asked[0].contains("-one\n+two\n"), "{asked:?}");
    assert!(asked[1].ends_with("(never for the session) | obey\n"), "{asked:?}");
    assert_eq!(fs::read_to_string(folder.path().join("work/a.txt")).unwrap(), "two\n");
}

#[tokio::test]
async fn a_file_that_changed_while_the_person_thought_stays_as_it_is() {
    let folder = tree();
    let file = folder.path().join("work/a.txt");
    let calls = vec![read("a.txt"), edit("a.txt", "one", "two")];
    let (_, ended) = run(folder.path(), Mode::Ask, calls, &[Decision::Once], || {
        fs::write(&file, "one, and mine\n").unwrap();
    })
    .await;
    assert_eq!(ended, ["ok", "error"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "one, and mine\n");
}
