//! The course of a turn: its request, and those that a person sends while it is under way.
//!
//! A steer is one more request. It is carried out first, since it is what the person waits for, and then the plan goes on
//! with what it was at. Nothing is kept between two steps, so whose result is whose is told from their order: a request
//! has all that come until it can be answered, and what is left is of the one before. It refuses to know what requests
//! mean (`../plan.rs`).

use super::{Kit, carry_all};
use crate::guide::calls::Outcome;
use crate::guide::memory::Memory;
use crate::guide::script::{Pause, Script};
use crate::guide::step::Step;
use crate::provider::Message;
use crate::session::conversation::is_summary;

/// What a person asked for in one turn, in order: the first began it, the others steer it.
pub struct Turn<'a> {
    requests: Vec<Asked<'a>>,
}

/// A request, and what came until the next one.
struct Asked<'a> {
    text: &'a str,
    /// The names of the tools with their results, in the order of the calls.
    results: Vec<(&'a str, Outcome)>,
    /// How many of these had come when something was said last; absent: nothing was said.
    said: Option<usize>,
}

/// How far a turn has come.
pub struct Course {
    /// Answers that the person has not seen.
    pub unsaid: Vec<String>,
    /// What the request at hand waits for; absent: all are answered.
    pub waits: Option<Pause>,
    pub memory: Memory,
}

pub fn turns(messages: &[Message]) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    let mut open: Vec<(&str, usize)> = Vec::new();
    for message in messages {
        let last = turns.last_mut().and_then(|turn| turn.requests.last_mut());
        match (message, last) {
            (Message::User { text }, _) if is_summary(text) => open.clear(),
            (Message::User { text } | Message::Steer { text }, _) => {
                open.clear();
                let asked = Asked { text, results: Vec::new(), said: None };
                match turns.last_mut().filter(|_| matches!(message, Message::Steer { .. })) {
                    Some(turn) => turn.requests.push(asked),
                    None => turns.push(Turn { requests: vec![asked] }),
                }
            }
            (Message::ToolCall { id, name, .. }, Some(asked)) => {
                open.push((id, asked.results.len()));
                asked.results.push((name, Outcome::failed("the call was interrupted")));
            }
            (Message::ToolResult { id, text, structured, is_error }, Some(asked)) => {
                // The latest call of this id: ids may repeat.
                let at = open.iter().rev().find(|call| call.0 == id).map(|call| call.1);
                if let Some(slot) = at.and_then(|at| asked.results.get_mut(at)) {
                    slot.1 = Outcome {
                        text: text.clone(),
                        structured: structured.clone().unwrap_or_default(),
                        is_error: *is_error,
                    };
                }
            }
            (Message::Assistant { .. }, Some(asked)) => asked.said = Some(asked.results.len()),
            (
                Message::ToolCall { .. }
                | Message::ToolResult { .. }
                | Message::Assistant { .. }
                | Message::Reasoning { .. },
                _,
            ) => {}
        }
    }
    turns
}

/// A request that is under way.
struct Open<'a> {
    steps: Vec<Step>,
    results: Vec<(&'a str, Outcome)>,
    /// What was remembered when it began, so that it takes the same way each time.
    memory: Memory,
}

/// Carries a turn as far as its results go. `memory` is what those before it left.
pub fn course(turn: Turn<'_>, kit: &Kit<'_>, mut memory: Memory) -> Course {
    let mut open: Vec<Open<'_>> = Vec::new();
    let (mut unsaid, mut waits) = (Vec::new(), None);
    let last = turn.requests.len().saturating_sub(1);
    for (place, Asked { text, results, said }) in turn.requests.into_iter().enumerate() {
        open.push(Open { steps: kit.parsed(text), results: Vec::new(), memory: memory.clone() });
        if said.is_some() {
            // What could be answered before was told with it.
            unsaid.clear();
        }
        let (all, mut rest) = (results.len(), results);
        waits = None;
        while let Some(mut at_hand) = open.pop() {
            at_hand.results.append(&mut rest);
            at_hand.memory.introduced |= memory.introduced;
            let results = std::mem::take(&mut at_hand.results);
            // Who is asked for something else meanwhile takes the same way once more.
            at_hand.results = if place < last { results.clone() } else { Vec::new() };
            let mut script = Script::new(results, kit.offered, kit.skills, at_hand.memory.clone());
            let came = carry_all(&at_hand.steps, &mut script);
            memory = std::mem::take(&mut script.memory);
            match came {
                Ok(answer) => {
                    rest = script.rest();
                    if said.is_none_or(|said| said < all - rest.len()) {
                        unsaid.push(answer);
                    }
                }
                Err(pause) => {
                    open.push(at_hand);
                    waits = Some(pause);
                    break;
                }
            }
        }
    }
    Course { unsaid, waits, memory }
}
