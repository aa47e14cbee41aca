//! A provider that plays a script, and tools that do as they are told: for tests.
//!
//! A script is lines, one event or directive each; steps are parted by `---`. Behind a line `=== PROMPT` come the steps of
//! the agent with that prompt. It owns no expectations. The lines:
//! `text N`, `thinking N`, `call N NAME` (start part N) · `+N TEXT` (delta) · `/N [OPAQUE]` (end) ·
//! `stop end|tools|max|full|pause|refusal` · `fail MESSAGE` · `retry MESSAGE` · `later SECONDS MESSAGE` · `cut` · `hang` · `tokens IN OUT`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use carpel_protocol::word::ToolKind;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::provider::{Failure, Message, PartKind, Provider, Request, StopReason, StreamEvent, Tokens};
use crate::tools::{Access, Task, Tool, ToolCx, ToolFailure, ToolOutput, ToolSpec, Toolbox};

pub struct Scripted {
    /// By the agent's prompt; those under "" are for every other.
    steps: Mutex<BTreeMap<String, VecDeque<Vec<Played>>>>,
    /// Every request that was made.
    pub asked: Mutex<Vec<Arc<Request>>>,
    /// Tokens; 0 where that is not known.
    window: AtomicU64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Played {
    Event(StreamEvent),
    /// The stream stays open and says nothing more.
    Hang,
}

impl Scripted {
    pub fn new(script: &str) -> Arc<Self> {
        let steps = script.split("===").enumerate().filter_map(|(at, section)| {
            let (prompt, steps) = if at == 0 { ("", section) } else { section.split_once('\n').unwrap() };
            let steps: VecDeque<_> = steps.split("---").map(steps_of).collect();
            // What stands before the first prompt may be nothing.
            (at > 0 || steps != [Vec::new()] || !script.contains("==="))
                .then(|| (prompt.trim().to_owned(), steps))
        });
        let steps = steps.collect();
        Arc::new(Self { steps: Mutex::new(steps), asked: Mutex::default(), window: AtomicU64::new(0) })
    }

    pub fn set_window(&self, tokens: u64) {
        self.window.store(tokens, Ordering::Relaxed);
    }

    pub fn asked(&self) -> Vec<Arc<Request>> {
        self.asked.lock().unwrap().clone()
    }
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn model(&self) -> &str {
        "script"
    }

    fn context_limit(&self) -> Option<u64> {
        Some(self.window.load(Ordering::Relaxed)).filter(|window| *window > 0)
    }

    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        let prompt = match request.messages.first() {
            Some(Message::User { text }) => text.clone(),
            _ => String::new(),
        };
        self.asked.lock().unwrap().push(request);
        let step = {
            let mut steps = self.steps.lock().unwrap();
            let key = if steps.contains_key(&prompt) { prompt.as_str() } else { "" };
            let next = steps.get_mut(key).and_then(VecDeque::pop_front);
            next.expect("the script has no step for this request")
        };
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            for played in step {
                // One event at a time, so that whoever listens sees every moment between two of them.
                tokio::task::yield_now().await;
                let sent = match played {
                    Played::Event(event) => sender.send(event).await,
                    Played::Hang => return sender.closed().await,
                };
                if sent.is_err() {
                    return;
                }
            }
        });
        receiver
    }
}

/// The events of one step.
pub fn steps_of(script: &str) -> Vec<Played> {
    script.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "cut").map(played).collect()
}

fn played(line: &str) -> Played {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let start = |kind| StreamEvent::Start { part: number(rest.split(' ').next().unwrap()), kind };
    Played::Event(match word {
        "text" => start(PartKind::Text),
        "thinking" => start(PartKind::Thinking),
        "call" => start(PartKind::ToolCall { name: rest.split_once(' ').unwrap().1.to_owned() }),
        "stop" => StreamEvent::Stop(match rest {
            "end" => StopReason::EndTurn,
            "tools" => StopReason::ToolUse,
            "max" => StopReason::MaxTokens,
            "full" => StopReason::WindowFull,
            "pause" => StopReason::Pause,
            "refusal" => StopReason::Refusal,
            other => panic!("no stop {other}"),
        }),
        "fail" => StreamEvent::Failed(Failure { message: rest.to_owned(), ..Failure::default() }),
        // With a way out behind a semicolon, as services have it.
        "lasting" | "helped" => {
            let (message, way_out) = rest.split_once("; ").expect("a way out");
            let retryable = word == "helped";
            StreamEvent::Failed(Failure { retryable, ..Failure::lasting(message, way_out) })
        }
        "retry" => StreamEvent::Failed(Failure::passing(rest)),
        "later" => {
            let (seconds, message) = rest.split_once(' ').unwrap();
            let wait = Some(Duration::from_secs(number(seconds).into()));
            StreamEvent::Failed(Failure { wait, ..Failure::passing(message) })
        }
        "tokens" => {
            let (input, output) = rest.split_once(' ').unwrap();
            StreamEvent::Usage(Tokens {
                input: number(input).into(),
                output: number(output).into(),
                cached: 0,
            })
        }
        "hang" => return Played::Hang,
        word if word.starts_with('+') => {
            StreamEvent::Delta { part: number(&word[1..]), text: rest.to_owned() }
        }
        word if word.starts_with('/') => {
            let opaque = (!rest.is_empty()).then(|| Value::String(rest.to_owned()));
            StreamEvent::End { part: number(&word[1..]), opaque }
        }
        other => panic!("no line {other}"),
    })
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

/// A tool whose `do` argument says what happens: `ok`, `fail`, `panic`, `wait` (until it is told to stop), `ignore` (deaf
/// for a second), `deaf` (until the log has a line `let go`), `say` (progress, then waits for nothing).
struct Puppet {
    spec: ToolSpec,
    log: Arc<Mutex<Vec<String>>>,
}

impl Tool for Puppet {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        let tag = arguments["tag"].as_str().unwrap_or(self.spec.name).to_owned();
        let log = |what: &str| self.log.lock().unwrap().push(format!("{what} {tag}"));
        log("start");
        let done = match arguments["do"].as_str().unwrap_or("ok") {
            "fail" => Err(ToolFailure::new(format!("{tag} failed"))),
            "panic" => panic!("on purpose"),
            "wait" => {
                while !cx.cancel.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(ToolFailure::cancelled())
            }
            "ignore" => {
                std::thread::sleep(Duration::from_secs(1));
                Ok(ToolOutput { summary: format!("{tag} was deaf"), ..ToolOutput::default() })
            }
            "deaf" => {
                while !self.log.lock().unwrap().iter().any(|line| line == "let go") {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(ToolOutput::default())
            }
            "say" => {
                (cx.progress)("tick\n");
                Ok(ToolOutput { summary: format!("{tag} said"), ..ToolOutput::default() })
            }
            _ => {
                std::thread::sleep(Duration::from_millis(2));
                let output = Some(format!("output of {tag}"));
                Ok(ToolOutput {
                    summary: format!("{tag} done"),
                    output,
                    structured: Some(json!({"tag": tag})),
                })
            }
        };
        log("end");
        done
    }
}

/// The puppets and Task.
pub fn puppets_and_task() -> (Toolbox, Arc<Mutex<Vec<String>>>) {
    let (toolbox, log) = puppets();
    let mut tools: Vec<Arc<dyn Tool>> =
        ["Look", "Make"].iter().filter_map(|name| toolbox.get(name).cloned()).collect();
    tools.push(Arc::new(Task::new()));
    (Toolbox::new(tools), log)
}

/// A reader `Look` and a writer `Make`, and what they were seen to do.
pub fn puppets() -> (Toolbox, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let tool = |name, kind, access| -> Arc<dyn Tool> {
        let schema = json!({"type": "object", "properties": {
            "do": {"type": "string", "description": "what happens"},
            "tag": {"type": "string", "description": "its name in the log"},
        }});
        Arc::new(Puppet {
            spec: ToolSpec { name, kind, description: "a puppet", schema, access },
            log: log.clone(),
        })
    };
    let tools =
        vec![tool("Look", ToolKind::Read, Access::Reads), tool("Make", ToolKind::Edit, Access::Writes)];
    (Toolbox::new(tools), log)
}
