//! Events: what the pod tells its clients.
//!
//! One [`EventLine`] is one JSON object on one line, tagged `"event"`. `seq` is the number of the log record that an
//! event settles; deltas and other passing events carry none. `at` is Unix milliseconds. Both are optional on input.
//! What an event *does* to the screen is the host's fold; this module only says what it is made of. The fields of the
//! events stand in [`turn`], [`call`] and [`session`]; read [`turn`] next.

use crate::item::ToolResult;
use crate::wire::wire_enum;

pub use call::{
    ApprovalOption, ApprovalRequest, ApprovalResolved, OutputPiece, ToolCallArgsDelta, ToolCallDone,
    ToolCallProgress, ToolCallStart,
};
pub use session::{
    Bye, Clients, CompactDone, CompactFailed, CompactStart, Hello, History, Model, Models, Notice, Queue,
    QueueItem, Rejected, Session, State,
};
pub use turn::{
    StepAbandoned, TextDelta, TextDone, ThinkingDone, ThinkingStart, TurnEnd, TurnStart, Usage, UserMessage,
};

pub mod call;
pub mod session;
pub mod turn;

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
    /// What the pod does now. Who attaches while it is not idle is told by `at` since when it has not been.
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
    /// A piece of a long output, to the client that asked for it.
    Output(OutputPiece) = "output",
    /// The pod waits for an answer of a person.
    ApprovalRequest(ApprovalRequest) = "approval_request",
    /// An approval was answered or withdrawn.
    ApprovalResolved(ApprovalResolved) = "approval_resolved",
    /// The whole queue, after each change.
    Queue(Queue) = "queue",
    /// How many clients are attached, after each change.
    Clients(Clients) = "clients",
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
    /// Who answers from now on.
    Model(Model) = "model",
    /// Which models there are, to the client that asked.
    Models(Models) = "models",
    /// A diagnostic for the person.
    Notice(Notice) = "notice",
    /// A method that cannot be done now, and why.
    Rejected(Rejected) = "rejected",
    /// The pod leaves.
    Bye(Bye) = "bye",
}

pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}
