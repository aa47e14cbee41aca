//! What could not be seated, as values to be told to the person.
//!
//! Never a panic: one wrong registration costs its own entry. Each sentence names the thing, the fact and the way out;
//! where it is shown is the host's business. Read `registry/builder.rs` next, which finds them.

use super::offer::{Owner, SlotName};

/// Why something is not seated. Names in it are raw: a plugin chose them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Two registrations of equal rank for one key. The holder does not depend on the order in which they came.
    #[error(
        "slot {slot}: {refused} is refused {}, {holder} holds it at the same rank; take one of the two out",
        quoted(key)
    )]
    Taken {
        /// The slot.
        slot: SlotName,
        /// The key; empty for a single slot.
        key: String,
        /// Who is seated.
        holder: Owner,
        /// Who is not, unless the holder is taken out.
        refused: Owner,
    },
    /// A key that can never match.
    #[error("slot {slot}: the key `{key}` of {owner} {reason}")]
    BadKey {
        /// The slot.
        slot: SlotName,
        /// The key as it was registered.
        key: String,
        /// Who registered it.
        owner: Owner,
        /// What is wrong with it and what to write instead.
        reason: &'static str,
    },
    /// One name that should stand for two.
    #[error("alias `{from}`: stands for `{holder}` already, not for `{refused}`; take one of the two out")]
    AliasTaken {
        /// The foreign name.
        from: String,
        /// What it stands for.
        holder: String,
        /// What it does not stand for.
        refused: String,
    },
    /// An alias of a name that nobody draws.
    #[error("alias `{from}`: there is no view for `{to}`; name a tool that has one")]
    AliasOfNothing {
        /// The foreign name.
        from: String,
        /// What it should stand for.
        to: String,
    },
}

fn quoted(key: &str) -> String {
    if key.is_empty() { "the seat".to_owned() } else { format!("the key `{key}`") }
}
