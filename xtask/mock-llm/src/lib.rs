//! A scripted HTTP server on loopback that answers as model providers do, and misbehaves as they do.
//!
//! A [`Script`] says, as plain data, what each request gets; [`MockLlm::start`] serves it and keeps what was asked. One
//! [`Answer`] is written in either wire format, so that one script is the same conversation through both.
//! It refuses to know carpel: tests of any client can use it, and `cargo xtask mock-llm` serves it to a person.
//!
//! Read next: `answer.rs` (what a model says), `reply.rs` (what a request gets), `script.rs` (which request gets what),
//! `server.rs`, `misbehaviour.rs` (what real servers were seen to do wrong).

mod answer;
mod anthropic;
mod chat;
mod echo;
mod misbehaviour;
mod perform;
mod reply;
mod request;
mod scenario;
mod script;
mod server;
mod trouble;

pub use answer::{Answer, Part, Stop, Usage, Wire};
pub use misbehaviour::{Block, End, Misbehaviour, NUMBERS, misbehaviours};
pub use reply::{Chunk, Cut, Delivery, Fault, Framing, Pace, Reply, Response, Wait};
pub use request::Request;
pub use scenario::{Scenario, ScenarioError};
pub use script::{Script, When};
pub use server::MockLlm;
pub use trouble::Trouble;
