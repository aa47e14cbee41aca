//! A sub-agent: a turn of its own, run for one call, whose last words are that call's result.
//!
//! Owns what a sub-agent starts from (the prompt, and nothing of the conversation around it) and how its end reads as a
//! result: the answer, and how many calls it took. It asks, calls and is cancelled as the root does, by the same driver;
//! it is part of the future of whoever called it, so that nothing of it outlives the turn. It refuses to know how
//! many may be at work (`shares.rs`). Read next: `drive.rs`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::call::{CallId, CallResult, Ended, MAX_OUTPUT};
use super::drive::{Drive, Place};
use super::run::Run;
use super::shares::Shares;
use super::turn::{EndReason, TurnEnd};
use super::{TurnControl, TurnReport, Worker};
use crate::provider::{Message, Tokens};
use crate::tools::{ToolFailure, ToolOutput, count};

/// What a sub-agent is told behind the system text.
const ROLE: &str = "\n\nYou are a sub-agent: another agent has given you this task and sees nothing but your last message. Do the \
    task with your tools, without questions, and end with a message that says what you found or did, and where.";

/// What came of a sub-agent, for the turn that called it.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) result: CallResult,
    pub(super) tokens: Tokens,
    pub(super) tally: Tally,
}

/// The calls of an agent and of all below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    calls: u64,
    failed: u64,
}

impl Tally {
    pub(super) fn add_call(&mut self, ended: Ended) {
        self.calls += 1;
        self.failed += u64::from(ended == Ended::Error);
    }

    pub(super) fn add(&mut self, other: Tally) {
        self.calls += other.calls;
        self.failed += other.failed;
    }

    fn told(self) -> String {
        let calls = match self.calls {
            0 => "no calls".to_owned(),
            calls => count(calls, "call", "calls"),
        };
        if self.failed == 0 { calls } else { format!("{calls}, {} failed", self.failed) }
    }
}

/// The system text of a sub-agent.
pub(super) fn system(root: &str) -> String {
    format!("{root}{ROLE}")
}

/// Runs the sub-agent of the call in `run` to its end.
pub(super) async fn work(
    worker: &Worker,
    shares: Arc<Shares>,
    control: &TurnControl,
    mut run: Run,
    prompt: String,
    depth: u32,
) -> Done {
    if let Err(result) = run.permitted().await {
        return Done { result, tokens: Tokens::default(), tally: Tally::default() };
    }
    run.begins();
    let started = Instant::now();
    let place = Place { parent: Some(run.call.id.clone()), depth };
    let messages = vec![Message::User { text: prompt }];
    let drive = Drive::at(place, worker, shares, messages, control);
    let (TurnReport { end, messages }, tally) = drive.finish().await;
    let tokens = end.tokens;
    let result = result(&run, end, &messages, tally, started.elapsed()).await;
    Done { result, tokens, tally }
}

async fn result(
    run: &Run,
    end: TurnEnd,
    messages: &[Message],
    tally: Tally,
    elapsed: Duration,
) -> CallResult {
    let id: CallId = run.call.id.clone();
    let answer = answer(messages);
    let mut structured = json!({
        "calls": tally.calls,
        "failed": tally.failed,
        "tokens": {"input": end.tokens.input, "output": end.tokens.output, "cached": end.tokens.cached},
    });
    // A longer one is kept once, as the output.
    if let Some(answer) = answer.as_ref().filter(|answer| answer.len() <= MAX_OUTPUT) {
        structured["answer"] = answer.as_str().into();
    }
    let structured = Some(structured);
    let why = || end.message.clone().unwrap_or_else(|| "it said no reason".to_owned());
    let failure = |summary: String, output| ToolFailure {
        structured: structured.clone(),
        output,
        ..ToolFailure::new(summary)
    };
    let returned = match end.reason {
        EndReason::Cancelled => {
            return CallResult { elapsed: Some(elapsed), ..CallResult::cancelled(id) };
        }
        EndReason::Completed => Ok(ToolOutput {
            summary: tally.told(),
            output: Some(answer.unwrap_or_else(|| "(the sub-agent ended without a word)".to_owned())),
            structured,
        }),
        EndReason::Failed => Err(failure(format!("the sub-agent failed: {}", why()), answer)),
        EndReason::Limit => Err(failure(format!("the sub-agent is not done: {}", why()), answer)),
    };
    run.kept(returned, elapsed).await
}

/// What the agent said last: all texts behind its last result, else the last one before.
fn answer(messages: &[Message]) -> Option<String> {
    let text = |message: &Message| match message {
        Message::Assistant { text } if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    };
    let behind = messages
        .iter()
        .rposition(|message| matches!(message, Message::ToolResult { .. }))
        .map_or(messages, |at| &messages[at + 1..]);
    let last: Vec<String> = behind.iter().filter_map(text).collect();
    if last.is_empty() {
        return messages.iter().rev().find_map(text);
    }
    Some(last.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_what_was_said_last() {
        let said = |text: &str| Message::Assistant { text: text.to_owned() };
        let result = || Message::ToolResult {
            id: "c1".to_owned(),
            text: "r".to_owned(),
            structured: None,
            is_error: false,
        };
        let check = |messages: &[Message], expected: Option<&str>| {
            assert_eq!(answer(messages).as_deref(), expected);
        };
        check(&[], None);
        check(&[said("a")], Some("a"));
        check(&[said("a"), result(), said("b"), said("c")], Some("b\n\nc"));
        check(&[said("a"), result()], Some("a"));
        check(&[said("a"), result(), said(" ")], Some("a"));
    }

    #[test]
    fn a_tally_in_words() {
        let check = |calls, failed, expected: &str| assert_eq!(Tally { calls, failed }.told(), expected);
        check(0, 0, "no calls");
        check(1, 0, "1 call");
        check(1_200, 2, "1,200 calls, 2 failed");
    }
}
