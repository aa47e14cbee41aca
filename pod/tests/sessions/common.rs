//! A provider that writes files, pods on it, and what a client hears.

use std::path::Path;
use std::sync::Arc;

use carpel_pod::permission::Mode;
use carpel_pod::provider::{Message, PartKind, Provider, Request, StopReason, StreamEvent};
use carpel_pod::{Pod, PodConfig, PodHandle, SessionChoice};
use carpel_protocol::method::Run;
use carpel_protocol::word::{PodState, RunMode};
use carpel_protocol::{Event, EventLine, Method, Record};
use tokio::sync::mpsc;

/// Bytes of a file that is written.
pub const SIZE: usize = 20_000;

/// In each turn writes as many files as the prompt says, one a step. File N is the Nth call of the session.
pub struct Writer;

impl Provider for Writer {
    fn name(&self) -> &str {
        "writer"
    }

    fn model(&self) -> &str {
        "none"
    }

    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        let (mut all, mut wanted, mut made) = (0, 0, 0);
        for message in &request.messages {
            match message {
                Message::User { text } => (wanted, made) = (text.parse().unwrap_or(0), 0),
                Message::ToolCall { .. } => (all, made) = (all + 1, made + 1),
                _ => {}
            }
        }
        let mut events = vec![StreamEvent::Start { part: 0, kind: PartKind::Thinking }, delta(0, "hm")];
        if made < wanted {
            let content = format!("{all}\n").repeat(SIZE / (all.to_string().len() + 1));
            let arguments = serde_json::json!({"file_path": format!("f{all}.txt"), "content": content});
            let call = PartKind::ToolCall { name: "Write".to_owned() };
            events.extend([
                StreamEvent::End { part: 0, opaque: None },
                StreamEvent::Start { part: 1, kind: call },
                delta(1, &arguments.to_string()),
                StreamEvent::Stop(StopReason::ToolUse),
            ]);
        } else {
            events.extend([
                StreamEvent::End { part: 0, opaque: None },
                StreamEvent::Start { part: 1, kind: PartKind::Text },
                delta(1, "done"),
                StreamEvent::Stop(StopReason::EndTurn),
            ]);
        }
        let (sender, receiver) = mpsc::channel(16);
        events.into_iter().for_each(|event| sender.try_send(event).unwrap());
        receiver
    }
}

fn delta(part: u32, text: &str) -> StreamEvent {
    StreamEvent::Delta { part, text: text.to_owned() }
}

/// A pod on the folders `work` and `sessions` in `folder`, which writes without asking.
pub fn config(folder: &Path, session: SessionChoice) -> PodConfig {
    std::fs::create_dir_all(folder.join("work")).unwrap();
    let mut config = PodConfig::new(folder.join("work"), Arc::new(Writer));
    config.session = session;
    config.sessions = Some(folder.join("sessions"));
    config.permissions.mode = Mode::All;
    config.trusted = false;
    config
}

pub fn pod(folder: &Path, session: SessionChoice) -> PodHandle {
    Pod::in_process(config(folder, session), "test").unwrap()
}

pub fn new() -> SessionChoice {
    SessionChoice::New("s".to_owned())
}

pub fn resume() -> SessionChoice {
    SessionChoice::Resume("s".to_owned())
}

pub fn say(pod: &PodHandle, text: &str) {
    pod.send(Method::Run(Run { text: text.to_owned(), attachments: Vec::new(), mode: RunMode::Now }));
}

/// What a pod tells first: the records of its history, and the rest up to its state.
pub async fn first(pod: &mut PodHandle) -> (Vec<Record>, Vec<Event>) {
    let (mut records, mut rest) = (Vec::new(), Vec::new());
    loop {
        match pod.next().await.unwrap().event {
            Event::History(history) => records.extend(history.items),
            Event::State(_) => return (records, rest),
            event => rest.push(event),
        }
    }
}

/// Everything up to the end of a turn.
pub async fn turn(pod: &mut PodHandle) -> Vec<EventLine> {
    let mut lines = Vec::new();
    let mut ended = false;
    while let Some(line) = pod.next().await {
        ended |= matches!(line.event, Event::TurnEnd(_));
        let idle = matches!(&line.event, Event::State(state) if state.state == PodState::Idle);
        lines.push(line);
        if ended && idle {
            break;
        }
    }
    lines
}
