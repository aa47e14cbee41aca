//! A pod as a host has it in its own process: the public surface and nothing else.

use std::sync::Arc;

use carpel_pod::provider::{PartKind, Provider, Request, StopReason, StreamEvent};
use carpel_pod::{Pod, PodConfig, PodError};
use carpel_protocol::method::Run;
use carpel_protocol::word::RunMode;
use carpel_protocol::{Event, Method};
use tokio::sync::mpsc;

/// Reads the file that the person names, then says what is in it.
struct Reader;

impl Provider for Reader {
    fn name(&self) -> &str {
        "reader"
    }

    fn model(&self) -> &str {
        "none"
    }

    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        use carpel_pod::provider::Message;
        let (kind, text) = match request.messages.last() {
            Some(Message::User { text }) => (
                PartKind::ToolCall { name: "Read".to_owned() },
                serde_json::json!({"file_path": text}).to_string(),
            ),
            Some(Message::ToolResult { text, .. }) => (PartKind::Text, text.clone()),
            other => (PartKind::Text, format!("asked with {other:?}")),
        };
        let (sender, receiver) = mpsc::channel(4);
        for event in [
            StreamEvent::Start { part: 0, kind },
            StreamEvent::Delta { part: 0, text },
            StreamEvent::End { part: 0, opaque: None },
            StreamEvent::Stop(StopReason::ToolUse),
        ] {
            // There is room for all four.
            let _ = sender.try_send(event);
        }
        receiver
    }
}

/// A pod whose session is kept nowhere.
fn config(folder: &std::path::Path, provider: Arc<dyn Provider>) -> PodConfig {
    let mut config = PodConfig::new(folder, provider);
    config.sessions = None;
    config
}

fn run(text: &str) -> Method {
    Method::Run(Run { text: text.to_owned(), attachments: Vec::new(), mode: RunMode::Now })
}

#[tokio::test]
async fn a_turn_with_a_real_tool() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "words in a file\n").unwrap();
    let check = async |name: &str, expected: &str| {
        let mut config = config(folder.path(), Arc::new(Reader));
        config.asks = false;
        let mut pod = Pod::in_process(config, "test").unwrap();
        pod.send(run(name));
        let mut tags = Vec::new();
        let mut said = String::new();
        while let Some(line) = pod.next().await {
            tags.push(line.event.tag().to_owned());
            match line.event {
                Event::TextDone(done) => said = done.text,
                Event::TurnEnd(_) => break,
                _ => {}
            }
        }
        assert!(said.contains(expected), "{said}");
        assert_eq!(tags[..3], ["hello", "history", "state"]);
    };
    check("a.txt", "words in a file").await;
    check("/etc/passwd", "outside the workspace").await;
}

#[tokio::test]
async fn guide_answers_from_what_its_tools_found() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), "// TODO: one\nfn a() {}\n").unwrap();
    std::fs::write(folder.path().join("b.rs"), "// TODO: two\n// TODO: three\nfn b() {}\n").unwrap();
    let guide = Arc::new(carpel_pod::guide::Guide::new(carpel_pod::guide::Pace::instant()));
    let mut pod = Pod::in_process(config(folder.path(), guide), "test").unwrap();
    pod.send(run("find every TODO in this project and read the file with the most"));
    let (mut tools, mut said, mut thought) = (Vec::new(), String::new(), 0);
    while let Some(line) = pod.next().await {
        match line.event {
            Event::ThinkingDone(_) => thought += 1,
            Event::ToolCallStart(start) => tools.push(start.name),
            Event::ToolResult(result) => assert!(!result.is_error, "{result:?}"),
            Event::TextDone(done) => said.push_str(&done.text),
            Event::TurnEnd(end) => {
                assert_eq!(end.reason.as_str(), "completed", "{end:?}");
                break;
            }
            _ => {}
        }
    }
    assert!(
        thought > 0 && tools.contains(&"Grep".to_owned()) && tools.last().unwrap() == "Read",
        "{tools:?}"
    );
    assert!(said.contains("b.rs"), "{said}");
}

#[tokio::test]
async fn a_dropped_handle_ends_the_pod() {
    let folder = tempfile::tempdir().unwrap();
    let pod = Pod::in_process(config(folder.path(), Arc::new(Reader)), "test").unwrap();
    let mut events = pod.events;
    drop(pod.methods);
    let mut last = None;
    while let Some(line) = events.next().await {
        last = Some(line.event.tag().to_owned());
    }
    assert_eq!(last.as_deref(), Some("bye"));
}

#[test]
fn a_workspace_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let config = PodConfig::new(folder.path().join("gone"), Arc::new(Reader));
    let error = Pod::in_process(config, "test").err().unwrap();
    assert!(matches!(error, PodError::Workspace { .. }));
    assert!(error.to_string().contains("gone"), "{error}");
}
