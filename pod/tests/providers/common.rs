//! A provider at the server, one step of it, and whole turns with puppets for tools.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use carpel_pod::provider::anthropic::Anthropic;
use carpel_pod::provider::endpoint::{Endpoint, Key, Options};
use carpel_pod::provider::openai::OpenAi;
use carpel_pod::provider::{
    Message, PartKind, Provider, Request, StopReason, StreamEvent, Tokens, ToolOffer,
};
use carpel_pod::tools::toolbox::Toolbox;
use carpel_pod::tools::{Access, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, Workspace};
use carpel_pod::worker::{TurnControl, TurnReport, Worker, WorkerSettings};
use mock_llm::{Block, End, MockLlm, Wire};
use serde_json::{Value, json};

/// Longer than any pause between two pieces, shorter than a steady stream as a whole.
pub const IDLE: Duration = Duration::from_millis(600);

pub const SECRET: &str = "sk-mock-secret";

pub fn provider(wire: Wire, mock: &MockLlm) -> Arc<dyn Provider> {
    provider_at(wire, base_url(wire, mock))
}

pub fn provider_at(wire: Wire, base_url: String) -> Arc<dyn Provider> {
    made(wire, base_url, Some(Key::new(SECRET, "MOCK_API_KEY")))
}

pub fn without_key(wire: Wire, mock: &MockLlm) -> Arc<dyn Provider> {
    made(wire, base_url(wire, mock), None)
}

fn base_url(wire: Wire, mock: &MockLlm) -> String {
    match wire {
        Wire::Anthropic => mock.anthropic_base_url(),
        Wire::Chat => mock.openai_base_url(),
    }
}

fn made(wire: Wire, base_url: String, key: Option<Key>) -> Arc<dyn Provider> {
    let endpoint = Endpoint { base_url, key, model: "mock-1".to_owned() };
    let options = Options { idle: IDLE, ..Options::default() };
    match wire {
        Wire::Anthropic => Arc::new(Anthropic::new(endpoint, options).unwrap()),
        Wire::Chat => Arc::new(OpenAi::new("openai", endpoint, options).unwrap()),
    }
}

pub fn request() -> Arc<Request> {
    let spec = puppet_spec();
    let offer = ToolOffer {
        name: spec.name.to_owned(),
        description: spec.description.to_owned(),
        schema: spec.schema,
        kind: spec.kind,
    };
    let messages = vec![Message::User { text: "go".to_owned() }];
    Arc::new(Request { system: "be kind".to_owned(), messages, tools: vec![offer] })
}

/// Every event of one step. Panics when the stream breaks the promises of the seam.
pub async fn events(provider: &dyn Provider) -> Vec<StreamEvent> {
    let mut stream = provider.stream(request());
    let mut events = Vec::new();
    while let Some(event) = stream.recv().await {
        events.push(event);
    }
    keeps_promises(&events);
    events
}

fn keeps_promises(events: &[StreamEvent]) {
    let mut open = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            StreamEvent::Start { part, .. } => {
                assert_eq!(open.insert(*part, true), None, "part {part} starts twice: {events:?}");
            }
            StreamEvent::Delta { part, .. } => {
                assert_eq!(open.get(part), Some(&true), "a piece of {part}, which is not open: {events:?}");
            }
            StreamEvent::End { part, .. } => {
                assert_eq!(open.insert(*part, false), Some(true), "an end of {part}: {events:?}");
            }
            StreamEvent::Usage(_) => {}
            StreamEvent::Stop(_) | StreamEvent::Failed(_) => {
                assert_eq!(at + 1, events.len(), "something after the terminal event: {events:?}");
            }
        }
    }
    let whole = matches!(events.last(), Some(StreamEvent::Stop(_)));
    assert!(!whole || open.values().all(|open| !open), "a block is open at the end: {events:?}");
}

/// What a step amounts to.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub blocks: Vec<Block>,
    /// `None` when the stream ended without a terminal event, or with a refusal.
    pub end: Option<End>,
    pub usage: Option<Tokens>,
}

/// The blocks in the order of their starts, without thinking that is empty.
pub fn seen(events: &[StreamEvent]) -> Seen {
    let mut blocks: Vec<(u32, Block)> = Vec::new();
    let (mut end, mut usage) = (None, None);
    for event in events {
        match event {
            StreamEvent::Start { part, kind } => blocks.push((*part, empty(kind))),
            StreamEvent::Delta { part, text } => {
                let block = blocks.iter_mut().find(|(is, _)| is == part);
                match &mut block.unwrap().1 {
                    Block::Thinking(all) | Block::Text(all) => all.push_str(text),
                    Block::Call { arguments, .. } => arguments.push_str(text),
                }
            }
            StreamEvent::End { .. } => {}
            StreamEvent::Usage(tokens) => usage = Some(*tokens),
            StreamEvent::Stop(StopReason::EndTurn | StopReason::ToolUse) => end = Some(End::Whole),
            StreamEvent::Stop(StopReason::MaxTokens) => end = Some(End::Limit),
            StreamEvent::Stop(_) => end = None,
            StreamEvent::Failed(failure) => end = Some(End::Failed { retry: failure.retryable }),
        }
    }
    let mut blocks: Vec<Block> = blocks.into_iter().map(|(_, block)| normal(block)).collect();
    blocks.retain(|block| *block != Block::Thinking(String::new()));
    Seen { blocks, end, usage }
}

fn empty(kind: &PartKind) -> Block {
    match kind {
        PartKind::Text => Block::Text(String::new()),
        PartKind::Thinking => Block::Thinking(String::new()),
        PartKind::ToolCall { name } => Block::Call { name: name.clone(), arguments: String::new() },
    }
}

/// Arguments that are JSON in one way of writing it; no arguments at all are an empty object.
pub fn normal(block: Block) -> Block {
    let Block::Call { name, arguments } = block else { return block };
    let text = if arguments.trim().is_empty() { "{}" } else { &arguments };
    let arguments = serde_json::from_str(text).map_or(arguments.clone(), |value: Value| value.to_string());
    Block::Call { name, arguments }
}

/// What a tool was called with, in order.
pub type Runs = Arc<Mutex<Vec<String>>>;

fn puppet_spec() -> ToolSpec {
    ToolSpec {
        name: "Read",
        kind: ToolKind::Read,
        description: "Reads a file.",
        schema: json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "which"},
                "note": {"type": "string", "description": "why"},
            },
        }),
        access: Access::Writes,
    }
}

/// Says what it was called with. It counts as a writer, so that the order of runs is the order of calls.
struct Puppet(ToolSpec, Runs);

impl Tool for Puppet {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn run(&self, arguments: &Value, _: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        self.1.lock().unwrap().push(arguments.to_string());
        Ok(ToolOutput { summary: "read".to_owned(), output: Some("the text".to_owned()), structured: None })
    }
}

/// What came of a turn.
pub struct Turn {
    pub report: TurnReport,
    pub runs: Vec<String>,
    /// Why steps were asked again.
    pub abandoned: Vec<String>,
}

pub fn settings() -> WorkerSettings {
    let retry_delays = vec![Duration::ZERO; 2];
    WorkerSettings { system: "be kind".to_owned(), steps: 6, retry_delays, ..WorkerSettings::default() }
}

/// A turn with the puppet and a prompt.
pub async fn turn(provider: Arc<dyn Provider>) -> Turn {
    let runs = Runs::default();
    let puppet: Arc<dyn Tool> = Arc::new(Puppet(puppet_spec(), runs.clone()));
    let folder = tempfile::tempdir().unwrap();
    let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
    let mut worker = Worker::new(provider, Toolbox::new(vec![puppet]), workspace, settings());
    let abandoned = Arc::new(Mutex::new(Vec::new()));
    worker.on_step_abandoned({
        let abandoned = abandoned.clone();
        move |step| abandoned.lock().unwrap().push(step.reason.to_owned())
    });
    let prompt = vec![Message::User { text: "go".to_owned() }];
    let report = worker.run(prompt, &TurnControl::new()).await;
    let (runs, abandoned) = (runs.lock().unwrap().clone(), abandoned.lock().unwrap().clone());
    Turn { report, runs, abandoned }
}
