//! The status row: one small fact an item.
//!
//! An item is an entry of the list slot `status`, registered with [`crate::register_status`]. It gets values and
//! returns a line or nothing; where the row stands and what is cut when it is too long is the host's business.

use std::time::Duration;

use carpel_protocol::word::PodState;

use crate::card::Line;

/// One part of the status row.
///
/// ```
/// use carpel_slots::{Line, Role, StatusCx, StatusItem};
///
/// struct Queue;
///
/// impl StatusItem for Queue {
///     fn id(&self) -> &str {
///         "queue"
///     }
///
///     fn text(&self, cx: &StatusCx) -> Option<Line> {
///         (cx.queue > 0).then(|| Line::of(Role::Dim, &format!("{} queued", cx.queue)))
///     }
/// }
///
/// assert_eq!(Queue.text(&StatusCx::default()), None);
/// assert_eq!(Queue.text(&StatusCx { queue: 2, ..StatusCx::default() }).unwrap().text(), "2 queued");
/// ```
pub trait StatusItem: Send + Sync {
    /// Its name among the items; a plugin's item takes the place of a built-in one of the same id.
    fn id(&self) -> &str;

    /// What it says now; `None` takes no room. Called for every drawn frame: must be cheap.
    fn text(&self, cx: &StatusCx) -> Option<Line>;
}

/// What a status item may know. All strings are raw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCx {
    /// What the pod does now.
    pub state: PodState,
    /// Provider name, e.g. `guide`.
    pub provider: String,
    /// Model name; may be empty.
    pub model: String,
    /// Tokens of the window that are taken.
    pub context_used: u64,
    /// Size of the window in tokens; 0 when unknown.
    pub context_limit: u64,
    /// How long the open turn has been running; `None` between turns.
    pub elapsed: Option<Duration>,
    /// How many prompts wait.
    pub queue: usize,
    /// How many questions wait for a person.
    pub questions: usize,
    /// How many clients are on the session, this one included.
    pub clients: u64,
}

impl Default for StatusCx {
    /// An idle pod of which nothing else is known.
    fn default() -> StatusCx {
        StatusCx {
            state: PodState::Idle,
            provider: String::new(),
            model: String::new(),
            context_used: 0,
            context_limit: 0,
            elapsed: None,
            queue: 0,
            questions: 0,
            clients: 1,
        }
    }
}
