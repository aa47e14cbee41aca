//! What a request gets: an answer and how it is delivered, a vendor's error, or bytes as they stand.
//!
//! Owns the vocabulary of delivery: fragments, pace, cuts, framing and faults, all plain data, and how a reply
//! becomes the [`Response`] that `perform.rs` sends.
//! It refuses to know sockets and which request gets which reply (`script.rs`).

use std::time::Duration;

use crate::answer::{Answer, Piece, Wire};
use crate::request::Request;
use crate::trouble::Trouble;
use crate::{anthropic, chat, echo};

#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// An answer, written in the format of the request's path.
    Say { answer: Answer, delivery: Delivery },
    /// A vendor's error.
    Fail(Trouble),
    /// These bytes.
    Raw(Response),
    /// Something sensible to the last prompt; see `echo.rs`.
    Echo(Delivery),
}

/// How an answer is sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Delivery {
    /// Characters of a fragment; 0 sends each part in one.
    pub fragment: usize,
    pub pace: Pace,
    /// Applies when nothing paces.
    pub cut: Cut,
    pub fault: Option<Fault>,
}

/// How fragments follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    #[default]
    AtOnce,
    /// This pause before each.
    Every(Duration),
    /// All of them over this time.
    Over(Duration),
    /// Each waits for [`crate::MockLlm::release`].
    Gated,
}

/// Where the bytes of a body are cut. Each piece travels as an HTTP chunk of its own, which is what a client sees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cut {
    /// After each event.
    #[default]
    Events,
    /// Nowhere.
    Whole,
    /// After every so many bytes.
    Every(usize),
    /// At these offsets.
    At(Vec<usize>),
}

/// What goes wrong on the connection. Offsets count bytes of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Closed before any header.
    NoAnswer,
    /// Nothing is sent and nothing closed.
    Silence,
    /// Closed after so many bytes.
    CutAfter(usize),
    /// After so many bytes a chunk is announced, half of it is sent, then closed.
    HalfChunkAfter(usize),
    /// Nothing more after so many bytes, and nothing closed; 0 is silence after the headers.
    StallAfter(usize),
    /// Reset before any header.
    ResetAtOnce,
    /// Reset after so many bytes.
    ResetAfter(usize),
}

/// A response, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<Chunk>,
    pub framing: Framing,
    pub fault: Option<Fault>,
}

/// Bytes, and what is waited for before they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    pub wait: Wait,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    None,
    For(Duration),
    /// One [`crate::MockLlm::release`].
    Gate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Chunked transfer encoding, one chunk for each [`Chunk`].
    Chunked,
    Length,
    /// The body ends with the connection.
    UntilClose,
}

impl Reply {
    /// The answer, each part in one fragment.
    pub fn say(answer: Answer) -> Self {
        Reply::Say { answer, delivery: Delivery::default() }
    }

    /// The answer in fragments of so many characters.
    pub fn fragments(answer: Answer, fragment: usize) -> Self {
        Reply::Say { answer, delivery: Delivery { fragment, ..Delivery::default() } }
    }

    /// The answer with a fault on the way.
    pub fn broken(answer: Answer, fault: Fault) -> Self {
        Reply::Say { answer, delivery: Delivery { fault: Some(fault), ..Delivery::default() } }
    }

    /// What is sent to this request.
    pub(crate) fn response(&self, request: &Request) -> Response {
        let wire = request.wire().unwrap_or(Wire::Chat);
        match self {
            Reply::Say { answer, delivery } => delivery.response(answer, wire, &request.model()),
            Reply::Echo(delivery) => delivery.response(&echo::answer(request), wire, &request.model()),
            Reply::Fail(trouble) => trouble.response(wire, request),
            Reply::Raw(response) => response.clone(),
        }
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Reply::say(answer)
    }
}

impl From<Trouble> for Reply {
    fn from(trouble: Trouble) -> Self {
        Reply::Fail(trouble)
    }
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Reply::Raw(response)
    }
}

impl Answer {
    /// The body that this answer is on a wire, in fragments of so many characters.
    pub fn bytes(&self, wire: Wire, fragment: usize) -> Vec<u8> {
        pieces(self, wire, fragment, "mock-1").into_iter().flat_map(|piece| piece.bytes).collect()
    }
}

impl Delivery {
    fn response(&self, answer: &Answer, wire: Wire, model: &str) -> Response {
        let pieces = pieces(answer, wire, self.fragment, model);
        let count = pieces.iter().filter(|piece| piece.fragment).count();
        let wait = match self.pace {
            Pace::AtOnce => Wait::None,
            Pace::Every(pause) => Wait::For(pause),
            Pace::Over(time) => Wait::For(time / u32::try_from(count.max(1)).unwrap_or(u32::MAX)),
            Pace::Gated => Wait::Gate,
        };
        let body = match (wait, &self.cut) {
            (Wait::None, Cut::Events) | (Wait::For(_) | Wait::Gate, _) => {
                let wait = |piece: &Piece| if piece.fragment { wait } else { Wait::None };
                pieces.into_iter().map(|piece| Chunk { wait: wait(&piece), bytes: piece.bytes }).collect()
            }
            (Wait::None, cut) => {
                let bytes: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.bytes).collect();
                cut.pieces(&bytes)
            }
        };
        Response { fault: self.fault, ..Response::events(body) }
    }
}

fn pieces(answer: &Answer, wire: Wire, fragment: usize, model: &str) -> Vec<Piece> {
    match wire {
        Wire::Anthropic => anthropic::pieces(answer, fragment, model),
        Wire::Chat => chat::pieces(answer, fragment, model),
    }
}

impl Cut {
    pub(crate) fn pieces(&self, bytes: &[u8]) -> Vec<Chunk> {
        let cuts: Vec<usize> = match self {
            Cut::Events | Cut::Whole => Vec::new(),
            Cut::Every(size) => {
                (1..).map(|at| at * (*size).max(1)).take_while(|at| *at < bytes.len()).collect()
            }
            Cut::At(offsets) => offsets.iter().copied().filter(|at| (1..bytes.len()).contains(at)).collect(),
        };
        let mut starts = vec![0];
        starts.extend(cuts);
        starts.push(bytes.len());
        starts.sort_unstable();
        starts.dedup();
        starts.windows(2).map(|pair| Chunk::at_once(bytes[pair[0]..pair[1]].to_vec())).collect()
    }
}

impl Chunk {
    pub fn at_once(bytes: impl Into<Vec<u8>>) -> Self {
        Self { wait: Wait::None, bytes: bytes.into() }
    }
}

impl Response {
    /// A stream of server-sent events.
    pub fn events(body: Vec<Chunk>) -> Self {
        Self {
            status: 200,
            headers: vec![header("content-type", "text/event-stream"), header("cache-control", "no-cache")],
            body,
            framing: Framing::Chunked,
            fault: None,
        }
    }

    /// A stream of these bytes, cut as said.
    pub fn cut(bytes: &[u8], cut: &Cut) -> Self {
        Self::events(cut.pieces(bytes))
    }

    pub fn with_length(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![header("content-type", kind)];
        Self { status, headers, body: vec![Chunk::at_once(body)], framing: Framing::Length, fault: None }
    }

    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::with_length(status, "application/json", body.to_string())
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push(header(name, value));
        self
    }

    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
