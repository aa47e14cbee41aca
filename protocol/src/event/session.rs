//! What events say of the session and its pod: who it is, what it does, what waits, what was refused.
//!
//! None of these belongs to a turn, except that a compaction may happen between two steps of one. Read
//! [`crate::item`] next for what `history` carries.

use crate::item::Record;
use crate::wire::wire_struct;
use crate::word::{CompactTrigger, NoticeLevel, PodState, RunMode};

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
        /// How many questions wait for a person at this moment.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub waiting: u64,
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
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
    /// See [`super::Event::State`].
    pub struct State {
        /// What the pod does now.
        pub state: PodState,
    }
}

wire_struct! {
    /// The whole queue.
    pub struct Queue {
        /// Its items in order.
        #[serde(default)]
        pub items: Vec<QueueItem>,
        /// To the client whose `dequeue` or `edit` it answers, and to it alone: the `id` of that method.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub method: Option<String>,
    }
}

wire_struct! {
    /// A prompt that waits.
    pub struct QueueItem {
        /// Identity, for `dequeue` and `edit`.
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
    /// See [`super::Event::Clients`].
    pub struct Clients {
        /// How many there are, the one that is told included.
        pub attached: u64,
    }
}

wire_struct! {
    /// See [`super::Event::CompactStart`].
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
    /// Who answers from the next step on.
    pub struct Model {
        /// Provider name, e.g. `openai`.
        pub provider: String,
        /// Model name as the provider takes it.
        #[serde(default)]
        pub model: String,
        /// Size of its window in tokens, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub context_limit: Option<u64>,
    }
}

wire_struct! {
    /// The models that the present provider lists.
    pub struct Models {
        /// Provider name.
        pub provider: String,
        /// Their names as the provider takes them, in its order. Some lists are incomplete.
        #[serde(default)]
        pub models: Vec<String>,
        /// Why there is no list: a sentence for the person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub problem: Option<String>,
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
    /// See [`super::Event::Bye`].
    pub struct Bye {
        /// Why the pod leaves, or why it lets this client go.
        #[serde(default)]
        pub reason: String,
        /// True when the pod stays and only this client is let go: it may attach again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub attach_again: bool,
    }
}
