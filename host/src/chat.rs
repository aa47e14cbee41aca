//! The chat: one pure state machine between the terminal and the pod.
//!
//! [`state`] has what it remembers, [`update`] what an event does to it, [`screen`] how it looks. None of them does IO
//! or reads a clock: events and times come in, effects and rows go out. [`run`] is the thin loop around them that
//! performs the effects; `replay` is another one, without a terminal.

pub mod approval;
mod approval_panel;
mod change;
mod choices;
mod elsewhere;
pub mod ending;
pub mod event;
pub mod export;
mod hand_over;
pub mod picker;
pub mod plugins;
pub mod run;
pub mod screen;
pub mod speech;
pub mod state;
pub mod status;
pub mod theme;
pub mod update;

mod client_name;
pub mod clipboard;
mod command_key;
mod completion_key;
pub(crate) mod editor;
pub(crate) mod inspect;
pub(crate) mod key;
mod lend;
mod list;
pub mod new_session;
mod notice;
mod open_file;
mod queue;
mod request_rows;
mod timing;
mod title;
mod welcome;
pub mod window;
mod work;
