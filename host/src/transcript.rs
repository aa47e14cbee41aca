//! The transcript: what has happened, folded from the pod's events.
//!
//! It owns the items of the flow and the call trees. Folding is pure and idempotent: the same event twice changes
//! nothing, live events and history fold through the same functions. It knows no rows, no widths and no terminal.
//! [`item`] has the types, read it next.

pub mod item;
