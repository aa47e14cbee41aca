//! The pod: the agent side of carpel.
//!
//! It streams a model's answer, runs the tools that the model calls, and tells its clients what happens. The worker
//! inside knows neither protocol nor screen; the controller bridges the two; the server carries lines.
//! It never draws and never sees a terminal. A host needs [`Pod`], [`PodConfig`] and [`PodHandle`]; [`provider`] has the
//! seam to models, [`tools`] what a model can do, [`permission`] what it may do, [`catalogue`]
//! what of a workspace can be named, [`log`] how a session is kept on disk.
//! Read `pod.rs` next, then `controller.rs`, `worker.rs`, `server.rs`.

pub mod brought;
pub mod catalogue;
pub mod choice;
pub mod compaction;
pub mod controller;
pub mod guide;
pub mod home;
pub mod log;
pub mod permission;
mod pod;
pub mod provider;
pub mod server;
pub mod session;
pub mod state;
pub mod tools;
pub mod worker;

pub use pod::{
    EventReceiver, MethodSender, Pod, PodConfig, PodError, PodHandle, SessionChoice, new_session_id,
    run_tool_alone,
};
