//! The words that a carpel pod and its clients exchange.
//!
//! This crate owns the wire types ([`event`], [`method`], [`item`]), their framing as JSON Lines ([`frame`]) and the
//! recordings made of them ([`recording`]). It does no IO, reads no clock and knows no runtime, so that anything that
//! speaks the protocol can use it.
//!
//! Decoding never fails on what it does not know: unknown kinds become an `Unknown` variant that survives a round
//! trip, unknown fields are kept beside the typed ones. Read [`event`] next.

#![deny(missing_docs)]

pub mod event;
pub mod frame;
pub mod item;
pub mod method;
pub mod recording;
mod wire;
pub mod word;

pub use event::{Event, EventLine};
pub use item::{Item, Record};
pub use method::{Method, MethodLine};
pub use wire::{Extra, Unknown};

/// The major version of the wire protocol that this crate speaks. Two sides whose numbers differ do not talk.
pub const PROTOCOL: u32 = 1;
