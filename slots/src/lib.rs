//! What the author of a tool view sees.
//!
//! A *view* turns one frozen [`ToolCall`] into a [`Card`], which is plain data; the host draws it. Views, commands and
//! the call tree itself are entries of *slots* in a [`Registry`]. This crate knows no terminal, no session, no clock
//! and no IO but the two streams that a plugin is served on, and is small on purpose: it is what a third party builds
//! against.
//!
//! Read [`view`] next, then [`card`] for what a view may return and [`call`] for what it is given.

#![deny(missing_docs)]

pub mod args;
pub mod call;
pub mod card;
pub mod command;
pub mod completion;
pub mod density;
pub mod number;
pub mod plugin;
pub mod printable;
pub mod record;
pub mod registry;
pub mod said;
pub mod status;
pub mod sub_calls;
pub mod testing;
pub mod theme;
pub mod view;
pub mod wire;

pub use args::{Args, Ending};
pub use call::{Approval, CallKey, CallResult, CallState, Tail, ToolCall};
pub use card::{Block, Card, Line, Role, Span};
pub use carpel_protocol as protocol;
pub use command::Command;
pub use completion::CompletionSource;
pub use density::Density;
pub use printable::Printable;
pub use record::{CommandRecord, CommandView};
pub use registry::Registry;
pub use said::{Passage, Said, Voice};
pub use status::{StatusCx, StatusItem};
pub use sub_calls::{Below, SubCalls};
pub use theme::ThemeName;
pub use view::{CardCx, PlacedCard, ToolDetails, ToolTree, ToolView, TreeParts};
