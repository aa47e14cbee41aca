//! One call while it may still change: the shared value and what only the fold needs beside it.
//!
//! The value is an `Arc` that is also held by the item (for a root) or by the parent's value. Changing it copies it
//! once after each freeze and then works in place. What is long in it is shared by its copies, so that a piece of an
//! argument costs what the piece costs. `freeze`
//! hands changes up; `calls` decides what changes.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::word::ToolKind;
use carpel_slots::{CallKey, CallState, ToolCall};

use super::item::ItemId;

/// Index of a call.
pub type Ix = usize;

/// What settled a call, which decides what may still change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Its own result: final.
    Result,
    /// A person's no: the result fills in the text.
    Denied,
    /// Arguments that are not valid: the result fills in the text.
    BadArguments,
    /// Its parent settled before it: its own result still counts until the turn ends.
    Parent,
    /// The history ended without a result: a start opens it again, a result counts.
    History,
    /// Its turn ended: final.
    TurnEnd,
}

/// A call and its place in the tree.
#[derive(Debug)]
pub struct Node {
    /// The value; `sub_calls` are as of the last freeze.
    pub call: Arc<ToolCall>,
    /// What settled it.
    pub cause: Option<Cause>,
    /// When it began, then when it was run; `None` where that is not known.
    pub since: Option<Duration>,
    /// True once it was run, or was asked to.
    pub ran: bool,
    /// True while it may run and has to wait for the calls before it.
    pub waits: bool,
    /// The state to which a withdrawn approval returns.
    pub before: CallState,
    /// The call that made it.
    pub parent: Option<Ix>,
    /// How many calls are above it.
    pub depth: usize,
    /// The calls that it made, in start order; parallel to `sub_calls`.
    pub children: Vec<Ix>,
    /// Its place among the calls of its parent.
    pub slot: usize,
    /// Its item, once it is shown as a root.
    pub item: Option<ItemId>,
    /// What the next freeze has to do.
    pub dirty: Dirty,
}

/// What has changed since the last freeze.
#[derive(Debug, Default)]
pub struct Dirty {
    /// The call itself.
    pub own: bool,
    /// The call or anything below it.
    pub any: bool,
    /// The calls directly below it that changed.
    pub children: HashSet<Ix>,
}

impl Node {
    /// A call that has just begun.
    pub fn new(key: CallKey, name: &str, kind: Option<ToolKind>, since: Option<Duration>) -> Node {
        let call = ToolCall { kind, own_revision: 1, tree_revision: 1, ..ToolCall::new(key, name) };
        Node {
            call: Arc::new(call),
            cause: None,
            since,
            ran: false,
            waits: false,
            before: CallState::Pending,
            parent: None,
            depth: 0,
            children: Vec::new(),
            slot: 0,
            item: None,
            dirty: Dirty::default(),
        }
    }
}
