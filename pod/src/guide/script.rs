//! Carries a plan forward over the results that have arrived: each step asks, and is answered or pauses.
//!
//! guide keeps no state between steps. A plan is run again from its beginning for every request; an `ask` whose
//! results stand in the conversation returns them, the first one without results ends the run with a [`Pause`], which is
//! what to call next. So the steps in `plan.rs` read from top to bottom, and `?` is the wait.
//! It refuses to know what is asked. Read next: `memory.rs`.

use std::collections::VecDeque;

use super::calls::{Call, Outcome};
use super::memory::Memory;

/// Rounds of calls in a turn, whatever the plan: a bound that no plan should reach.
pub const MOST_ROUNDS: usize = 45;

/// Where a plan waits: for the results of these calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Pause {
    pub thinking: String,
    pub calls: Vec<Call>,
}

#[derive(Debug)]
pub struct Script<'a> {
    results: VecDeque<(&'a str, Outcome)>,
    rounds: usize,
    offered: &'a [&'a str],
    skills: &'a [&'a str],
    pub memory: Memory,
}

impl<'a> Script<'a> {
    /// `results` are the tool names and results of this turn, in the order of the calls.
    pub fn new(
        results: Vec<(&'a str, Outcome)>,
        offered: &'a [&'a str],
        skills: &'a [&'a str],
        memory: Memory,
    ) -> Self {
        Self { results: results.into(), rounds: 0, offered, skills, memory }
    }

    /// The names of the skills that are offered.
    pub fn skills(&self) -> &'a [&'a str] {
        self.skills
    }

    /// Whether there is such a tool.
    pub fn offers(&self, tool: &str) -> bool {
        self.offered.contains(&tool)
    }

    /// The results that were not asked for.
    pub fn rest(self) -> Vec<(&'a str, Outcome)> {
        self.results.into()
    }

    /// One result a call, in order.
    pub fn ask(&mut self, thinking: &str, calls: Vec<Call>) -> Result<Vec<Outcome>, Pause> {
        if let Some(call) = calls.iter().find(|call| !self.offered.contains(&call.tool)) {
            let sentence = format!("the tool {} is not offered here, so this could not be done", call.tool);
            return Ok(calls.iter().map(|_| Outcome::failed(sentence.clone())).collect());
        }
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS {
            return Ok(calls.iter().map(|_| Outcome::failed("too many steps for one request")).collect());
        }
        if self.results.is_empty() {
            return Err(Pause { thinking: thinking.to_owned(), calls });
        }
        Ok(calls.iter().map(|call| self.take(call)).collect())
    }

    pub fn ask_one(&mut self, thinking: &str, call: Call) -> Result<Outcome, Pause> {
        Ok(self.ask(thinking, vec![call])?.pop().unwrap_or_default())
    }

    fn take(&mut self, call: &Call) -> Outcome {
        match self.results.pop_front() {
            Some((tool, outcome)) if tool == call.tool => outcome,
            // The turn was led by another provider, or was cut.
            Some(_) | None => {
                Outcome::failed(format!("{} was called, but there is no result of it", call.tool))
            }
        }
    }
}
