//! guide: the provider that is always there. No model, no network: a table of requests, carried out with real tools.
//!
//! `verbs.rs` is the table; `parse.rs` turns a request into steps; `plan.rs` turns steps and the results so far into
//! the next calls or the answer; `answer.rs` and `explore.rs` say what the results show, and nothing else; `pace.rs`
//! plays a step as a stream. Everything but `pace.rs` is pure, and nothing is kept between two steps: what guide knows
//! it reads from the conversation. It refuses to know how tools work and where events go.
//! Read next: `guide/plan.rs`.

mod answer;
mod calls;
mod change;
mod connect;
mod digest;
mod explore;
mod files;
mod kinds;
mod markdown;
mod memory;
pub mod pace;
mod parse;
mod plan;
mod run;
mod script;
mod step;
mod task;
mod verbs;
mod words;

use std::sync::Arc;

use tokio::sync::mpsc;

pub use self::pace::Pace;
pub use self::verbs::table as verb_table;
use crate::provider::{Message, Provider, Request, StreamEvent};

/// The embedded default provider.
#[derive(Debug, Clone)]
pub struct Guide {
    pace: Pace,
    /// The person's home folder, for paths that begin with `~/`.
    home: Option<String>,
}

impl Guide {
    /// Its name as a provider.
    pub const NAME: &str = "guide";

    pub fn new(pace: Pace) -> Self {
        Self { pace, home: std::env::var("HOME").ok().filter(|home| home.starts_with('/')) }
    }
}

impl Provider for Guide {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn model(&self) -> &str {
        "guide (no model)"
    }

    /// guide goes through all of a conversation in each step; more than this would only be slow.
    fn context_limit(&self) -> Option<u64> {
        Some(200_000)
    }

    fn may_list_window(&self) -> bool {
        false
    }

    fn digest(&self, messages: &[Message], instructions: Option<&str>) -> Option<String> {
        Some(digest::digest(messages, instructions))
    }

    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        pace::stream(plan::next(&request, self.home.as_deref()), self.pace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::StopReason;

    #[test]
    fn a_request_streams_to_its_end() {
        let guide = Guide::new(Pace::instant());
        let messages = vec![Message::User { text: "hello".to_owned() }];
        let request = Request { system: String::new(), messages, tools: Vec::new() };
        let mut receiver = guide.stream(Arc::new(request));
        let mut text = String::new();
        let mut stop = None;
        while let Ok(event) = receiver.try_recv() {
            match event {
                StreamEvent::Delta { text: piece, .. } => text.push_str(&piece),
                StreamEvent::Stop(reason) => stop = Some(reason),
                _ => {}
            }
        }
        assert!(text.contains(connect::NO_MODEL) && text.contains(connect::CONNECT), "{text}");
        assert_eq!(stop, Some(StopReason::EndTurn));
    }
}
