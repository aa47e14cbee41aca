//! Events: what the pod tells its clients.
//!
//! One [`EventLine`] is one JSON object on one line, tagged `"event"`. `seq` is the number of the log record that an
//! event settles; deltas and other passing events carry none. `at` is Unix milliseconds. Both are optional on input.
//! What an event *does* to the screen is the host's fold; this module only says what it is made of.

use serde_json::Value;

use crate::item::{Record, ToolResult};
use crate::wire::{wire_enum, wire_struct};
use crate::word::{CompactTrigger, Decision, NoticeLevel, PodState, RunMode, ToolKind, TurnEndReason};

wire_enum! {
    /// What a pod says.
    pub enum Event tag "event";
    /// An event with the fields that any event may carry.
    pub struct EventLine { event, common: [
        /// Number of the log record that this event settles; grows within a session and never repeats.
        seq: u64,
        /// When it happened, in Unix milliseconds.
        at: i64
    ] }
    /// First line of a connection.
    Hello(Hello) = "hello",
    /// Past items, in order, in chunks.
    History(History) = "history",
    /// What the pod does now.
    State(State) = "state",
    /// A turn begins.
    TurnStart(TurnStart) = "turn_start",
    /// A person's prompt, echoed to every client.
    UserMessage(UserMessage) = "user_message",
    /// A thinking block opens; its deltas may never come.
    ThinkingStart(ThinkingStart) = "thinking_start",
    /// A piece of thinking.
    ThinkingDelta(TextDelta) = "thinking_delta",
    /// The thinking block ends; `text` is the whole.
    ThinkingDone(ThinkingDone) = "thinking_done",
    /// A piece of the answer.
    TextDelta(TextDelta) = "text_delta",
    /// The answer's block ends; `text` is the whole.
    TextDone(TextDone) = "text_done",
    /// A tool call begins.
    ToolCallStart(ToolCallStart) = "tool_call_start",
    /// A raw piece of the argument JSON.
    ToolCallArgsDelta(ToolCallArgsDelta) = "tool_call_args_delta",
    /// The arguments are complete; execution may begin.
    ToolCallDone(ToolCallDone) = "tool_call_done",
    /// The step's stream died and the step is asked again.
    StepAbandoned(StepAbandoned) = "step_abandoned",
    /// Live output of a running call.
    ToolCallProgress(ToolCallProgress) = "tool_call_progress",
    /// A call's result.
    ToolResult(ToolResult) = "tool_result",
    /// The pod waits for an answer of a person.
    ApprovalRequest(ApprovalRequest) = "approval_request",
    /// An approval was answered or withdrawn.
    ApprovalResolved(ApprovalResolved) = "approval_resolved",
    /// The whole queue, after each change.
    Queue(Queue) = "queue",
    /// The turn ends.
    TurnEnd(TurnEnd) = "turn_end",
    /// Tokens used.
    Usage(Usage) = "usage",
    /// A compaction begins.
    CompactStart(CompactStart) = "compact_start",
    /// A compaction is done.
    CompactDone(CompactDone) = "compact_done",
    /// A compaction failed and changed nothing.
    CompactFailed(CompactFailed) = "compact_failed",
    /// The session was renamed, or rotated to a new log segment.
    Session(Session) = "session",
    /// A diagnostic for the person.
    Notice(Notice) = "notice",
    /// A method that cannot be done now, and why.
    Rejected(Rejected) = "rejected",
    /// The pod leaves.
    Bye(Bye) = "bye",
}

wire_struct! {
    /// First line of the pod.
    pub struct Hello {
        /// Major version of the protocol, see [`crate::PROTOCOL`].
        pub protocol: u32,
        /// Optional abilities of the pod, by name.
        #[serde(default)]
        pub features: Vec<String>,
        /// The pod's own name: changes when the pod was started anew.
        #[serde(default)]
        pub pod: String,
        /// Identity of the session; survives restarts of the pod.
        #[serde(default)]
        pub session: String,
        /// The session's title; may be empty.
        #[serde(default)]
        pub title: String,
        /// The workspace folder.
        #[serde(default)]
        pub cwd: String,
        /// Provider name, e.g. `guide`.
        #[serde(default)]
        pub provider: String,
        /// Model name as the provider takes it.
        #[serde(default)]
        pub model: String,
        /// What the pod does at this moment.
        #[serde(default = "idle")]
        pub state: PodState,
    }
}

fn idle() -> PodState {
    PodState::Idle
}

wire_struct! {
    /// A chunk of past items.
    pub struct History {
        /// The items in order; each is a log record.
        #[serde(default)]
        pub items: Vec<Record>,
        /// False on the last chunk.
        #[serde(default)]
        pub more: bool,
    }
}

wire_struct! {
    /// See [`Event::State`].
    pub struct State {
        /// What the pod does now.
        pub state: PodState,
    }
}

wire_struct! {
    /// See [`Event::TurnStart`].
    pub struct TurnStart {
        /// Number of the turn in the session, from 1.
        pub turn: u64,
    }
}

wire_struct! {
    /// A prompt as it entered the conversation.
    pub struct UserMessage {
        /// What the person wrote.
        pub text: String,
        /// Files and other things sent along; kept as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub attachments: Vec<Value>,
        /// Which client sent it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub origin: Option<String>,
        /// The `id` of the `run` that it came from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub method: Option<String>,
    }
}

wire_struct! {
    /// See [`Event::ThinkingStart`].
    pub struct ThinkingStart {
        /// The call whose sub-agent thinks; absent for the session's own model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// A piece of text or thinking.
    pub struct TextDelta {
        /// The piece.
        pub text: String,
        /// True when the piece replaces what came before it in its block.
        #[serde(default, skip_serializing_if = "is_false")]
        pub reset: bool,
        /// The call whose sub-agent speaks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// The end of a thinking block.
    pub struct ThinkingDone {
        /// The whole; empty when the provider hides it.
        #[serde(default)]
        pub text: String,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub elapsed_ms: Option<u64>,
        /// The call whose sub-agent thought.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// The end of a text block.
    pub struct TextDone {
        /// The whole.
        #[serde(default)]
        pub text: String,
        /// The call whose sub-agent spoke.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
    }
}

wire_struct! {
    /// The beginning of a call.
    pub struct ToolCallStart {
        /// Identity in the session, minted by the pod.
        pub id: String,
        /// The tool's name, which is the key of its view.
        #[serde(default)]
        pub name: String,
        /// The call that made this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
        /// What the tool does in general.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub kind: Option<ToolKind>,
        /// Places in files that the call is about; kept as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub locations: Vec<Value>,
    }
}

wire_struct! {
    /// A piece of a call's arguments.
    pub struct ToolCallArgsDelta {
        /// The call.
        pub id: String,
        /// Raw JSON text.
        pub delta: String,
        /// True when the piece replaces all that came before it.
        #[serde(default, skip_serializing_if = "is_false")]
        pub reset: bool,
    }
}

wire_struct! {
    /// The end of a call's arguments.
    pub struct ToolCallDone {
        /// The call.
        pub id: String,
        /// The arguments as raw text; what was streamed stays when it is empty.
        #[serde(default)]
        pub arguments: String,
        /// Why they are not valid; the call is then never run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub error: Option<String>,
    }
}

wire_struct! {
    /// See [`Event::StepAbandoned`].
    pub struct StepAbandoned {
        /// What happened to the stream.
        #[serde(default)]
        pub reason: String,
    }
}

wire_struct! {
    /// Live output of a running call.
    pub struct ToolCallProgress {
        /// The call.
        pub id: String,
        /// The piece of output.
        pub text: String,
        /// True when the piece replaces all that came before it.
        #[serde(default, skip_serializing_if = "is_false")]
        pub reset: bool,
    }
}

wire_struct! {
    /// A question to the person.
    pub struct ApprovalRequest {
        /// Identity of the question.
        pub request: String,
        /// The call that waits for it.
        pub call: String,
        /// One line: what is to be done.
        #[serde(default)]
        pub title: String,
        /// The whole of it: a diff, a command.
        #[serde(default)]
        pub detail: String,
        /// The possible answers.
        #[serde(default)]
        pub options: Vec<ApprovalOption>,
    }
}

wire_struct! {
    /// One possible answer.
    pub struct ApprovalOption {
        /// What choosing it means.
        pub kind: Decision,
        /// What a person reads.
        #[serde(default)]
        pub label: String,
    }
}

wire_struct! {
    /// The answer to a question.
    pub struct ApprovalResolved {
        /// Identity of the question.
        pub request: String,
        /// The call that waited.
        #[serde(default)]
        pub call: String,
        /// The answer.
        pub decision: Decision,
        /// The client that answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
    }
}

wire_struct! {
    /// The whole queue.
    pub struct Queue {
        /// Its items in order.
        #[serde(default)]
        pub items: Vec<QueueItem>,
    }
}

wire_struct! {
    /// A prompt that waits.
    pub struct QueueItem {
        /// Identity, for `dequeue`.
        pub id: String,
        /// What the person wrote.
        pub text: String,
        /// How it will enter.
        pub mode: RunMode,
        /// The `id` of the `run` that it came from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub method: Option<String>,
    }
}

wire_struct! {
    /// The end of a turn.
    pub struct TurnEnd {
        /// Number of the turn.
        pub turn: u64,
        /// Why it ended.
        #[serde(default = "completed")]
        pub reason: TurnEndReason,
        /// A sentence for the person when it did not complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub message: Option<String>,
        /// Tokens of the turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub usage: Option<Usage>,
    }
}

fn completed() -> TurnEndReason {
    TurnEndReason::Completed
}

wire_struct! {
    /// Tokens used by a step or a turn.
    pub struct Usage {
        /// The call whose sub-agent used them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub parent: Option<String>,
        /// Tokens sent.
        #[serde(default)]
        pub input: u64,
        /// Tokens received.
        #[serde(default)]
        pub output: u64,
        /// Of those sent, how many the provider had cached.
        #[serde(default)]
        pub cached: u64,
        /// Tokens of the window that are taken.
        #[serde(default)]
        pub context_used: u64,
        /// Size of the window; 0 when unknown.
        #[serde(default)]
        pub context_limit: u64,
    }
}

wire_struct! {
    /// See [`Event::CompactStart`].
    pub struct CompactStart {
        /// Who asked for it.
        pub trigger: CompactTrigger,
    }
}

wire_struct! {
    /// A finished compaction.
    pub struct CompactDone {
        /// Number of the new log segment.
        #[serde(default)]
        pub segment: u64,
        /// What stands for the compacted part.
        #[serde(default)]
        pub summary: String,
        /// Tokens before.
        #[serde(default)]
        pub before: u64,
        /// Tokens after.
        #[serde(default)]
        pub after: u64,
    }
}

wire_struct! {
    /// A failed compaction.
    pub struct CompactFailed {
        /// A word for programs, e.g. `nothing_to_compact`.
        #[serde(default)]
        pub code: String,
        /// A sentence for the person.
        #[serde(default)]
        pub message: String,
        /// Always false: a failure changes nothing.
        #[serde(default)]
        pub changed: bool,
    }
}

wire_struct! {
    /// The session's name and place.
    pub struct Session {
        /// Identity; stays the same over rotation.
        pub id: String,
        /// Title; may be empty.
        #[serde(default)]
        pub title: String,
        /// Number of the log segment.
        #[serde(default)]
        pub segment: u64,
    }
}

wire_struct! {
    /// A diagnostic for the person.
    pub struct Notice {
        /// How grave it is.
        pub level: NoticeLevel,
        /// A word for programs.
        #[serde(default)]
        pub code: String,
        /// A sentence: the thing, the fact, the way out.
        #[serde(default)]
        pub text: String,
    }
}

wire_struct! {
    /// A refusal.
    pub struct Rejected {
        /// The tag of the method.
        pub method: String,
        /// Its `id`, when it had one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub id: Option<String>,
        /// A word for programs.
        #[serde(default)]
        pub code: String,
        /// A sentence for the person.
        #[serde(default)]
        pub message: String,
    }
}

wire_struct! {
    /// See [`Event::Bye`].
    pub struct Bye {
        /// Why the pod leaves.
        #[serde(default)]
        pub reason: String,
    }
}

pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}
