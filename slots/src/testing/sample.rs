//! Sample calls: one tool use with its arguments and its result, told in any state.
//!
//! It owns what a call of a state has (a streaming one half its arguments, a failed one an error) so that an author gives
//! the parts once. It draws nothing.

use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::word::{Outcome, ToolKind};
use serde_json::Value;

use crate::args::Args;
use crate::call::{Approval, CallKey, CallResult, CallState, ToolCall};
use crate::sub_calls::{Below, SubCalls};

/// A call under construction.
#[derive(Debug, Clone)]
pub struct Sample {
    name: String,
    kind: Option<ToolKind>,
    arguments: String,
    progress: String,
    summary: String,
    output: Option<String>,
    structured: Option<Value>,
    below: Below,
}

impl Sample {
    /// A call of that tool, with the arguments `{}` and nothing else.
    pub fn new(name: &str) -> Sample {
        Sample {
            name: name.to_owned(),
            kind: None,
            arguments: "{}".to_owned(),
            progress: String::new(),
            summary: String::new(),
            output: None,
            structured: None,
            below: Below::default(),
        }
    }

    /// A call of the same tool with nothing else.
    pub(super) fn bare(&self) -> Sample {
        Sample { kind: self.kind.clone(), ..Sample::new(&self.name) }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the tool does in general.
    #[must_use]
    pub fn kind(mut self, kind: ToolKind) -> Sample {
        self.kind = Some(kind);
        self
    }

    /// The whole arguments, as JSON text.
    #[must_use]
    pub fn arguments(mut self, json: &str) -> Sample {
        self.arguments = json.to_owned();
        self
    }

    /// Live output, while it runs.
    #[must_use]
    pub fn progress(mut self, text: &str) -> Sample {
        self.progress = text.to_owned();
        self
    }

    /// The result's one line.
    #[must_use]
    pub fn summary(mut self, line: &str) -> Sample {
        self.summary = line.to_owned();
        self
    }

    /// The result's detail.
    #[must_use]
    pub fn output(mut self, text: &str) -> Sample {
        self.output = Some(text.to_owned());
        self
    }

    /// The result's typed data.
    #[must_use]
    pub fn structured(mut self, value: Value) -> Sample {
        self.structured = Some(value);
        self
    }

    /// How calls below it stand.
    #[must_use]
    pub fn below(mut self, below: Below) -> Sample {
        self.below = below;
        self
    }

    /// The call in that state. While it is written half of its arguments are there; while it waits a person is asked; while
    /// it runs there is progress. Done, it has the result that was given; failed, the same with the outcome `error`;
    /// cancelled and rejected, a result without output; incomplete, none.
    pub fn in_state(&self, state: CallState) -> ToolCall {
        let args = match state {
            CallState::Pending => Args::default(),
            CallState::Streaming => return self.streaming(self.arguments.len() / 2),
            _ => Args::complete(self.arguments.clone()),
        };
        let mut call = self.call(state, args);
        let bare = |outcome: Outcome| CallResult {
            summary: outcome.as_str().to_owned(),
            output: None,
            output_total: None,
            outcome,
            structured: None,
        };
        match state {
            CallState::AwaitingApproval => {
                let title = format!("{} wants to run", self.name);
                call.approval = Some(Approval { title, detail: self.arguments.clone() });
            }
            CallState::Executing => call.progress.push(&self.progress),
            CallState::Done => call.result = Some(self.result(Outcome::Ok)),
            CallState::Error => call.result = Some(self.result(Outcome::Error)),
            CallState::Cancelled => call.result = Some(bare(Outcome::Cancelled)),
            CallState::Rejected => call.result = Some(bare(Outcome::Rejected)),
            CallState::Pending | CallState::Streaming | CallState::Incomplete => {}
        }
        call.elapsed = call.result.is_some().then(|| Duration::from_millis(1_200));
        call
    }

    /// The call while its arguments arrive: so many bytes of them are there, back to a whole character.
    pub fn streaming(&self, bytes: usize) -> ToolCall {
        let raw = &self.arguments[..self.arguments.floor_char_boundary(bytes)];
        self.call(CallState::Streaming, Args::streaming(raw))
    }

    /// The call in every state, with its arguments cut at every byte while they stream (at 64 places where they are longer),
    /// each with a few words that say which it is.
    pub fn all(&self) -> Vec<(String, ToolCall)> {
        let length = self.arguments.len();
        let step = length.div_ceil(64).max(1);
        let streaming = (0..=length).step_by(step);
        let streaming = streaming.map(|cut| (format!("{cut} bytes of its arguments"), self.streaming(cut)));
        let states = CallState::ALL.into_iter().map(|state| (state.word().to_owned(), self.in_state(state)));
        states.chain(streaming).collect()
    }

    fn result(&self, outcome: Outcome) -> CallResult {
        CallResult {
            summary: self.summary.clone(),
            output: self.output.clone(),
            output_total: None,
            outcome,
            structured: self.structured.clone(),
        }
    }

    fn call(&self, state: CallState, args: Args) -> ToolCall {
        ToolCall {
            kind: self.kind.clone(),
            args,
            state,
            sub_calls: SubCalls::counted(self.below),
            ..ToolCall::new(CallKey { turn: 1, id: Arc::from("sample"), occurrence: 0 }, &self.name)
        }
    }
}
