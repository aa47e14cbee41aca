//! Numbers 38 to 41: lines, bytes, silence and breaks.
//!
//! Owns streams that are right but for how they travel, and the step that is asked again after half an answer.
//! It refuses to know a client's timeouts: a test of number 40 sets one that is shorter than for ever and longer than
//! the pauses here, which are 20 ms.

use std::time::Duration;

use super::{A, Block, End, Misbehaviour, cut, read, text, thinking};
use crate::answer::{Answer, Wire};
use crate::reply::{Cut, Delivery, Fault, Pace, Reply, Response};

const ODD: &str = "a\u{2028}b\u{2029}c\u{85}d\u{b}e \u{e9}\u{4e16}\u{1f30d}";

pub(super) fn all(wire: Wire) -> Vec<Misbehaviour> {
    [lines(wire), silence(wire), breaks(wire)].concat()
}

fn of(number: u8, wire: Wire, about: &'static str, replies: Vec<Reply>, blocks: Vec<Block>) -> Misbehaviour {
    let outcomes = vec![blocks];
    let (end, usage, replayed) = (End::Whole, None, Vec::new());
    Misbehaviour { number, wire, about, replies, outcomes, end, usage, replayed }
}

fn odd() -> Answer {
    Answer::new().thinking(ODD, "c2ln").text(ODD).call("call_1", "Read", A)
}

fn odd_blocks() -> Vec<Block> {
    vec![thinking(ODD), text(ODD), read(A)]
}

fn lines(wire: Wire) -> Vec<Misbehaviour> {
    let body = String::from_utf8_lossy(&odd().bytes(wire, 4)).into_owned();
    let sent = |number, about, body: &str, at: Cut| {
        of(number, wire, about, vec![cut(&[body.as_bytes().to_vec()], &at)], odd_blocks())
    };
    vec![
        sent(38, "line and paragraph separators stand in the text", &body, Cut::Whole),
        sent(38, "lines end in CR LF", &body.replace('\n', "\r\n"), Cut::Whole),
        sent(38, "lines end in CR LF, cut between the two", &body.replace('\n', "\r\n"), Cut::Every(1)),
        sent(38, "no blank after the colon", &body.replace("data: ", "data:"), Cut::Whole),
        sent(38, "a byte order mark comes first", &format!("\u{feff}{body}"), Cut::Whole),
        sent(39, "every byte travels alone", &body, Cut::Every(1)),
        sent(39, "pieces of three bytes", &body, Cut::Every(3)),
    ]
}

fn silence(wire: Wire) -> Vec<Misbehaviour> {
    let slow = Delivery { fragment: 1, pace: Pace::Every(Duration::from_millis(20)), ..Delivery::default() };
    let steady = Reply::Say { answer: odd(), delivery: slow };
    let failed = |about, fault| {
        of(40, wire, about, vec![Reply::broken(odd(), fault)], Vec::new()).ends(End::Failed { retry: true })
    };
    vec![
        of(40, wire, "a steady stream that takes long", vec![steady], odd_blocks()),
        failed("silence in the middle of the stream", Fault::StallAfter(300)),
        failed("silence after the headers", Fault::StallAfter(0)),
        failed("silence before the headers", Fault::Silence),
    ]
}

fn breaks(wire: Wire) -> Vec<Misbehaviour> {
    let whole = || Reply::fragments(odd(), 4);
    let mut half = odd().bytes(wire, 4);
    half.truncate(before_the_end(wire, &half));
    let late = half.len();
    let again = |about, first: Reply| of(41, wire, about, vec![first, whole()], odd_blocks());
    let until_close = Response {
        framing: crate::Framing::UntilClose,
        ..Response::events(vec![crate::Chunk::at_once(half)])
    };
    let broken = |fault| Reply::Say {
        answer: odd(),
        delivery: Delivery { fragment: 4, fault: Some(fault), ..Delivery::default() },
    };
    vec![
        again("closed near the end, then whole", broken(Fault::CutAfter(late))),
        again("half a chunk near the end, then whole", broken(Fault::HalfChunkAfter(late))),
        again("reset near the end, then whole", broken(Fault::ResetAfter(late))),
        again("a body without a length ends early, then whole", until_close.into()),
        again("closed before the headers, then whole", Reply::broken(odd(), Fault::NoAnswer)),
        again("reset before the headers, then whole", Reply::broken(odd(), Fault::ResetAtOnce)),
    ]
}

/// Where the event that tells the reason begins to tell it: all of the answer is there, and nothing says so.
fn before_the_end(wire: Wire, body: &[u8]) -> usize {
    let mark: &[u8] = match wire {
        Wire::Anthropic => b"event: message_delta",
        Wire::Chat => b"\"finish_reason\":\"tool_calls\"",
    };
    body.windows(mark.len()).position(|window| window == mark).unwrap_or(body.len() / 2)
}
