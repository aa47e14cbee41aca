//! What real servers were seen to do wrong, as bytes, with what a client should make of each.
//!
//! Owns the catalogue: numbers 1 to 41 as in the list that this project keeps of reported faults in provider streams.
//! Left out are 9, 10 and 29, which only the Responses format can have, and 36, which is a client's own doing.
//! It refuses to know any client. Each is a few bytes and a right outcome, so that a table test runs them all.
//!
//! Read next: `identity.rs`, `arguments.rs`, `ending.rs`, `reasoning.rs`, `transport.rs`, by subject.

mod arguments;
mod ending;
mod identity;
mod reasoning;
mod transport;

use serde_json::{Value, json};

use crate::answer::{Stop, Usage, Wire};
use crate::reply::{Cut, Reply, Response};
use crate::{anthropic, chat};

/// The numbers that can occur in the formats here.
pub const NUMBERS: &[u8] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31,
    32, 33, 34, 35, 37, 38, 39, 40, 41,
];

/// One way to misbehave, and the right outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Misbehaviour {
    pub number: u8,
    pub wire: Wire,
    /// What the server does, in a line.
    pub about: &'static str,
    /// What requests get, in order. All but the last are to fail so that the step is asked again.
    pub replies: Vec<Reply>,
    /// What the last reply amounts to; each of these is right. Calls are compared as JSON where both are JSON, and a
    /// call whose arguments are not must not run.
    pub outcomes: Vec<Vec<Block>>,
    pub end: End,
    /// Tokens at the end, where they are known.
    pub usage: Option<Usage>,
    /// Blocks of the answer that have to come back unchanged in the next request.
    pub replayed: Vec<Value>,
}

/// A block of an answer as a client should see it. An empty thinking block may be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Thinking(String),
    Text(String),
    Call { name: String, arguments: String },
}

/// How an answer should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Whole: its calls run, or the turn is over.
    Whole,
    /// Cut by the output limit.
    Limit,
    /// Failed; whether asking again may help.
    Failed { retry: bool },
}

/// Every way to misbehave in this format, by number.
pub fn misbehaviours(wire: Wire) -> Vec<Misbehaviour> {
    let mut all: Vec<Misbehaviour> = [
        identity::all(wire),
        arguments::all(wire),
        ending::all(wire),
        reasoning::all(wire),
        transport::all(wire),
    ]
    .concat();
    all.sort_by_key(|one| one.number);
    all
}

const MODEL: &str = "mock-1";
const USAGE: Usage = Usage { input: 1_000, cached: 0, output: 100 };
const A: &str = r#"{"file_path":"a.txt"}"#;
const B: &str = r#"{"file_path":"b.txt"}"#;

fn text(text: &str) -> Block {
    Block::Text(text.to_owned())
}

fn thinking(text: &str) -> Block {
    Block::Thinking(text.to_owned())
}

fn read(arguments: &str) -> Block {
    Block::Call { name: "Read".to_owned(), arguments: arguments.to_owned() }
}

impl Misbehaviour {
    fn new(number: u8, wire: Wire, about: &'static str, body: Vec<Vec<u8>>, blocks: Vec<Block>) -> Self {
        let reply = Response::events(body.into_iter().map(crate::Chunk::at_once).collect());
        Self {
            number,
            wire,
            about,
            replies: vec![reply.into()],
            outcomes: vec![blocks],
            end: End::Whole,
            usage: None,
            replayed: Vec::new(),
        }
    }

    fn anthropic(number: u8, about: &'static str, body: Vec<Vec<u8>>, blocks: Vec<Block>) -> Self {
        Self::new(number, Wire::Anthropic, about, body, blocks)
    }

    fn chat(number: u8, about: &'static str, body: Vec<Vec<u8>>, blocks: Vec<Block>) -> Self {
        Self::new(number, Wire::Chat, about, body, blocks)
    }

    fn ends(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    fn or(mut self, blocks: Vec<Block>) -> Self {
        self.outcomes.push(blocks);
        self
    }

    fn uses(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    fn replays(mut self, blocks: Vec<Value>) -> Self {
        self.replayed = blocks;
        self
    }
}

/// The events of an Anthropic message around these.
fn message(inner: Vec<Vec<u8>>, stop: Stop) -> Vec<Vec<u8>> {
    let end = [anthropic::stop(stop, USAGE.output), anthropic::end()];
    [vec![anthropic::start(MODEL, USAGE)], inner, end.to_vec()].concat()
}

/// A whole block of a call to Read, its arguments in these fragments.
fn tool_block(index: usize, id: &str, fragments: &[&str]) -> Vec<Vec<u8>> {
    let mut events = vec![anthropic::open(index, anthropic::tool(id, "Read"))];
    events.extend(fragments.iter().map(|text| anthropic::arguments_of(index, text)));
    events.push(anthropic::close(index));
    events
}

/// A whole block of text.
fn text_block(index: usize, text: &str) -> Vec<Vec<u8>> {
    let open = anthropic::open(index, json!({"type": "text", "text": ""}));
    vec![open, anthropic::text_of(index, text), anthropic::close(index)]
}

/// The chunks of a chat answer: these deltas, a finish reason, the usage, the end.
fn chunks(deltas: Vec<Value>, stop: Stop) -> Vec<Vec<u8>> {
    let mut body = opened(deltas);
    body.extend([chat::finish(MODEL, stop), chat::usage(MODEL, USAGE), chat::done()]);
    body
}

/// The chunks of a chat answer up to its finish reason.
fn opened(deltas: Vec<Value>) -> Vec<Vec<u8>> {
    let first = chat::chunk(MODEL, json!({"role": "assistant", "content": ""}));
    std::iter::once(first).chain(deltas.into_iter().map(|delta| chat::chunk(MODEL, delta))).collect()
}

/// A delta that opens a call to Read.
fn opens(index: usize, id: &str) -> Value {
    chat::calls(json!([chat::call(index, id, "Read")]))
}

/// A delta of arguments.
fn adds(index: usize, text: &str) -> Value {
    chat::calls(json!([chat::arguments_of(index, text)]))
}

/// A body as one run of bytes, cut as said.
fn cut(body: &[Vec<u8>], cut: &Cut) -> Reply {
    Response::cut(&body.concat(), cut).into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{End, NUMBERS, misbehaviours};
    use crate::answer::Wire;

    #[test]
    fn every_number_is_there_and_says_what_it_is() {
        let all: Vec<_> = Wire::ALL.into_iter().flat_map(misbehaviours).collect();
        let numbers: BTreeSet<u8> = all.iter().map(|one| one.number).collect();
        assert_eq!(numbers.into_iter().collect::<Vec<_>>(), NUMBERS);
        let said: BTreeSet<_> = all.iter().map(|one| (one.wire == Wire::Chat, one.about)).collect();
        assert_eq!(said.len(), all.len());
        for one in &all {
            assert!(!one.replies.is_empty() && !one.outcomes.is_empty(), "{}", one.about);
            assert!(one.end == End::Whole || one.replayed.is_empty(), "{}", one.about);
        }
    }
}
