//! Items of the flow: the values that a fold produces and a painter draws.
//!
//! An item has an identity that never changes and a revision that grows with its content, so that rows can be kept
//! for what did not change. Times are durations since the host started; nothing here reads a clock.

use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::event::TurnEnd;
use carpel_protocol::word::NoticeLevel;
use carpel_slots::{Line, ToolCall};

/// Identity of an item within the transcript; grows in flow order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u64);

/// One item of the flow.
#[derive(Debug, Clone)]
pub struct FlowItem {
    /// Identity.
    pub id: ItemId,
    /// Grows when the content changes.
    pub revision: u64,
    /// The turn that it belongs to; 0 before the first.
    pub turn: u64,
    /// What it is.
    pub body: ItemBody,
}

/// What an item is. All strings are raw.
#[derive(Debug, Clone)]
pub enum ItemBody {
    /// A person's prompt.
    User {
        /// What they wrote.
        text: String,
    },
    /// A thinking block.
    Thinking(Thinking),
    /// A block of the answer.
    Text {
        /// Markdown as far as it has come; only ever grows while open (a reset makes a new item).
        text: String,
        /// True once nothing more will come.
        closed: bool,
    },
    /// A root call with all that is below it.
    Call(Arc<ToolCall>),
    /// A result whose call was never announced.
    Orphan {
        /// The id that it names.
        id: String,
        /// One line by the tool itself.
        summary: String,
    },
    /// A command that a person ran.
    Command {
        /// The line without its colon.
        line: String,
        /// True when it did what it was asked.
        ok: bool,
        /// What came of it; may be empty.
        outcome: String,
        /// Lines shown below it.
        lines: Vec<Line>,
    },
    /// A diagnostic.
    Notice {
        /// How grave it is.
        level: NoticeLevel,
        /// The sentence.
        text: String,
    },
    /// The place where the history was compacted.
    Compaction {
        /// What stands for the compacted part.
        summary: String,
        /// Tokens before.
        before: u64,
        /// Tokens after.
        after: u64,
    },
    /// The step was asked again after some of its text had been committed: "cut off".
    CutOff {
        /// What happened to the stream.
        reason: String,
    },
    /// The turn ended otherwise than completed.
    TurnEnded(TurnEnd),
    /// Items before this one are not shown here: "N earlier items: Ctrl+T".
    Earlier {
        /// How many.
        count: usize,
    },
}

/// A thinking block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinking {
    /// The text as far as it has come; may stay empty.
    pub text: String,
    /// What the provider says of a hidden text.
    pub summary: Vec<String>,
    /// Where it stands.
    pub state: ThinkingState,
}

/// Where a thinking block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingState {
    /// It goes on.
    Open {
        /// When it began.
        since: Duration,
    },
    /// It ended.
    Done {
        /// How long it took; `None` where that is not known.
        elapsed: Option<Duration>,
    },
    /// Its turn ended before it did.
    Interrupted {
        /// How long it took; `None` where that is not known.
        elapsed: Option<Duration>,
    },
}
