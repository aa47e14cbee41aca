//! The pure machine of one turn: input in, actions out, no IO, no clock, no threads.
//!
//! Owns the steps of a turn: ask, read the answer, run its calls, ask again. Whoever drives it performs the actions and
//! feeds back what came of them; waits end when the driver says so. Three promises hold for every order of inputs:
//! each call gets exactly one result, no tool runs twice, and calls run only after the provider's terminal event.
//! Read next: `turn/exchange.rs` (what goes in and out), `turn/answer.rs` (stream to blocks), `turn/verdict.rs`,
//! `turn/batch.rs`, then the driver `../worker.rs`.

mod answer;
mod batch;
mod exchange;
#[cfg(test)]
mod tests;
mod verdict;

use std::time::Duration;

use answer::{Answer, AskedCall};
use batch::Batch;
pub use exchange::{Action, Bounds, EndReason, Input, Report, RunCall, TurnEnd, TurnSetup, Wait, Whole};
use verdict::{Verdict, judge};

use super::call::{CallId, CallResult, Ended};
use crate::provider::{Failure, LATER, Message, StopReason, StreamEvent, Tokens};

const WINDOW_FULL: &str = "the answer was cut: the model's window is full; make room with :compact";

#[derive(Debug)]
pub struct Turn {
    setup: TurnSetup,
    phase: Phase,
    paused: bool,
    steps: u32,
    /// Failed attempts at the present step.
    failures: u32,
    tokens: Tokens,
}

#[derive(Debug)]
enum Phase {
    /// The next step is due, once nothing holds it.
    Ready,
    Asking(Answer),
    /// Before the same step is asked again.
    BackingOff,
    Calling {
        batch: Batch,
        stop: StopReason,
    },
    /// Cancelled; running tools may still end by themselves.
    Cancelling(Batch),
    Ended,
}

impl Turn {
    pub fn begin(setup: TurnSetup) -> (Turn, Vec<Action>) {
        let tokens = Tokens::default();
        let mut turn = Turn { setup, phase: Phase::Ready, paused: false, steps: 0, failures: 0, tokens };
        let mut actions = Vec::new();
        turn.go_on(&mut actions);
        (turn, actions)
    }

    /// The conversation: all that is settled, each call with its result, results in call order.
    pub fn messages(&self) -> &[Message] {
        &self.setup.messages
    }

    pub fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    pub fn take(&mut self, input: Input) -> Vec<Action> {
        let mut actions = Vec::new();
        match input {
            Input::Stream(event) => self.stream(event, &mut actions),
            Input::StreamCut => {
                let reason = "the model's stream broke off before its answer was whole";
                self.attempt_failed(Failure::passing(reason), &mut actions);
            }
            Input::Result(result) => self.result(result, &mut actions),
            Input::Spent(tokens) => add(&mut self.tokens, tokens),
            Input::Limit(message) => self.limited(message, &mut actions),
            Input::TimeUp => self.time_up(&mut actions),
            Input::Cancel => self.cancel(&mut actions),
            Input::Pause => self.paused = true,
            Input::Resume => {
                self.paused = false;
                self.go_on(&mut actions);
            }
        }
        actions
    }

    /// Starts what is due and not held by a pause.
    fn go_on(&mut self, actions: &mut Vec<Action>) {
        if self.paused {
            return;
        }
        match &mut self.phase {
            Phase::Ready => self.ask(actions),
            Phase::Calling { batch, .. } => {
                actions.extend(batch.start_due(self.setup.bounds.parallel).into_iter().map(Action::Run));
            }
            Phase::Asking(_) | Phase::BackingOff | Phase::Cancelling(_) | Phase::Ended => {}
        }
    }

    fn ask(&mut self, actions: &mut Vec<Action>) {
        if self.failures == 0 {
            if self.steps == self.setup.bounds.steps {
                let message = format!("stopped after {} steps; say \"go on\" to continue", self.steps);
                return self.end(EndReason::Limit, Some(message), actions);
            }
            self.steps += 1;
        }
        self.phase = Phase::Asking(Answer::default());
        actions.push(Action::Ask);
    }

    /// Nothing of the answer has been heard yet.
    fn limited(&mut self, message: String, actions: &mut Vec<Action>) {
        if matches!(self.phase, Phase::Asking(_)) {
            self.settle_unasked(CallResult::cancelled, actions);
            self.end(EndReason::Limit, Some(message), actions);
        }
    }

    fn stream(&mut self, event: StreamEvent, actions: &mut Vec<Action>) {
        let Phase::Asking(answer) = &mut self.phase else {
            return;
        };
        match event {
            StreamEvent::Stop(stop) => self.answered(stop, actions),
            StreamEvent::Failed(failure) => self.attempt_failed(failure, actions),
            StreamEvent::Start { .. }
            | StreamEvent::Delta { .. }
            | StreamEvent::End { .. }
            | StreamEvent::Usage(_) => {
                let mut reports = Vec::new();
                answer.take(event, &self.setup.ids, &mut reports);
                actions.extend(reports.into_iter().map(Action::Report));
            }
        }
    }

    fn answered(&mut self, stop: StopReason, actions: &mut Vec<Action>) {
        self.failures = 0;
        let answer = self.leave_answer(Answer::close, actions);
        if answer.calls.is_empty() {
            let (reason, message) = match stop {
                StopReason::Pause => return self.go_on(actions),
                StopReason::EndTurn | StopReason::ToolUse => (EndReason::Completed, None),
                StopReason::WindowFull => (EndReason::Limit, Some(WINDOW_FULL)),
                StopReason::MaxTokens => {
                    (EndReason::Limit, Some("the answer was cut at the model's output limit"))
                }
                StopReason::Refusal => (EndReason::Failed, Some("the model refused to answer")),
            };
            return self.end(reason, message.map(str::to_owned), actions);
        }
        let mut batch = Batch::default();
        let mut refusals = Vec::new();
        for call in answer.calls {
            let verdict = judge(&self.setup.tools, &call, stop);
            let problem = match &verdict {
                Verdict::Broken(problem) => Some(problem.clone()),
                Verdict::Run { .. } | Verdict::Refused(_) => None,
            };
            let text = whole_arguments(&call, problem.is_some());
            self.stop_call(&call, text, problem, actions);
            match verdict {
                Verdict::Run { arguments, access } => {
                    batch.add(RunCall { id: call.id, name: call.name, arguments }, access);
                }
                Verdict::Broken(problem) => {
                    let raw = Some(call.arguments).filter(|raw| !raw.is_empty());
                    let raw = raw.map(|raw| format!("the arguments as they came:\n{raw}"));
                    refusals.push(CallResult::refused(call.id, problem, raw));
                    batch.add_settled(&refusals[refusals.len() - 1]);
                }
                Verdict::Refused(failure) => {
                    refusals.push(CallResult::refused(call.id, failure.summary, failure.output));
                    batch.add_settled(&refusals[refusals.len() - 1]);
                }
            }
        }
        actions.extend(refusals.into_iter().map(Report::Result).map(Action::Report));
        self.phase = Phase::Calling { batch, stop };
        self.after_results(actions);
    }

    /// An attempt at a step came to nothing: again, unless that was the last one or of no use.
    fn attempt_failed(&mut self, failure: Failure, actions: &mut Vec<Action>) {
        let Phase::Asking(answer) = &mut self.phase else {
            return;
        };
        let own = self.setup.retry_waits.get(self.failures as usize).copied();
        if let Some(own) = own.filter(|_| failure.retryable) {
            add(&mut self.tokens, answer.tokens);
            let kept = !answer.said.is_empty();
            let wait = own.max(failure.wait.unwrap_or_default());
            self.phase = Phase::BackingOff;
            actions.push(Action::HangUp);
            let reason =
                announced(failure.message, wait, self.failures + 2, self.setup.retry_waits.len() + 1);
            actions.push(Action::Report(Report::Abandoned { reason, kept }));
            actions.push(Action::Wait(Wait::Retry(wait)));
            self.failures += 1;
            return;
        }
        let message = given_up(failure, self.failures + 1);
        let refused = |id| CallResult::refused(id, "not run: the model's answer broke off", None);
        self.settle_unasked(refused, actions);
        self.end(EndReason::Failed, Some(message), actions);
    }

    fn result(&mut self, mut result: CallResult, actions: &mut Vec<Action>) {
        let (batch, cancelling) = match &mut self.phase {
            Phase::Calling { batch, .. } => (batch, false),
            Phase::Cancelling(batch) => (batch, true),
            Phase::Ready | Phase::Asking(_) | Phase::BackingOff | Phase::Ended => return,
        };
        // A tool that was told to stop fails for that reason; one that got done in time did what it was asked.
        if cancelling && result.ended == Ended::Error {
            result.ended = Ended::Cancelled;
        }
        if batch.settle(&result) {
            actions.push(Action::Report(Report::Result(result)));
            self.after_results(actions);
        }
    }

    fn after_results(&mut self, actions: &mut Vec<Action>) {
        match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Calling { batch, stop } if batch.is_settled() => {
                self.setup.messages.extend(batch.into_messages());
                let end = match stop {
                    StopReason::Refusal => (EndReason::Failed, "the model refused to go on"),
                    StopReason::WindowFull => (EndReason::Limit, WINDOW_FULL),
                    StopReason::EndTurn | StopReason::ToolUse | StopReason::MaxTokens | StopReason::Pause => {
                        return self.go_on(actions);
                    }
                };
                self.end(end.0, Some(end.1.to_owned()), actions);
            }
            Phase::Cancelling(batch) if batch.is_settled() => {
                self.setup.messages.extend(batch.into_messages());
                self.end(EndReason::Cancelled, None, actions);
            }
            unsettled => {
                self.phase = unsettled;
                self.go_on(actions);
            }
        }
    }

    fn time_up(&mut self, actions: &mut Vec<Action>) {
        match &mut self.phase {
            Phase::BackingOff => {
                self.phase = Phase::Ready;
                self.go_on(actions);
            }
            Phase::Cancelling(batch) => {
                let results = batch.cancel(true);
                actions.extend(results.into_iter().map(Report::Result).map(Action::Report));
                self.after_results(actions);
            }
            Phase::Ready | Phase::Asking(_) | Phase::Calling { .. } | Phase::Ended => {}
        }
    }

    fn cancel(&mut self, actions: &mut Vec<Action>) {
        match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Asking(answer) => {
                self.phase = Phase::Asking(answer);
                self.settle_unasked(CallResult::cancelled, actions);
                self.end(EndReason::Cancelled, None, actions);
            }
            Phase::Ready | Phase::BackingOff => self.end(EndReason::Cancelled, None, actions),
            Phase::Calling { mut batch, .. } => {
                actions.push(Action::StopRunning);
                let results = batch.cancel(false);
                actions.extend(results.into_iter().map(Report::Result).map(Action::Report));
                if !batch.is_settled() {
                    actions.push(Action::Wait(Wait::Grace));
                }
                self.phase = Phase::Cancelling(batch);
                self.after_results(actions);
            }
            already @ (Phase::Cancelling(_) | Phase::Ended) => self.phase = already,
        }
    }

    /// Ends an answer that will never be whole: each of its calls gets a result without having been run.
    fn settle_unasked(&mut self, settle: impl Fn(CallId) -> CallResult, actions: &mut Vec<Action>) {
        let answer = self.leave_answer(Answer::interrupt, actions);
        let mut results = Vec::new();
        for call in answer.calls {
            self.stop_call(&call, call.arguments.clone(), None, actions);
            results.push(settle(call.id));
        }
        self.setup.messages.extend(results.iter().map(CallResult::message));
        actions.extend(results.into_iter().map(Report::Result).map(Action::Report));
    }

    /// Takes the answer out of the phase, its blocks closed and told to the conversation; its calls are not yet.
    fn leave_answer(
        &mut self,
        close: fn(&mut Answer, &mut Vec<Report>),
        actions: &mut Vec<Action>,
    ) -> Answer {
        let mut answer = match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Asking(answer) => answer,
            other => {
                self.phase = other;
                return Answer::default();
            }
        };
        actions.push(Action::HangUp);
        let mut reports = Vec::new();
        close(&mut answer, &mut reports);
        if answer.tokens != Tokens::default() {
            add(&mut self.tokens, answer.tokens);
            reports.push(Report::Usage(answer.tokens));
        }
        actions.extend(reports.into_iter().map(Action::Report));
        self.setup.messages.append(&mut answer.said);
        answer
    }

    fn stop_call(
        &mut self,
        call: &AskedCall,
        text: String,
        problem: Option<String>,
        actions: &mut Vec<Action>,
    ) {
        let (id, name) = (call.id.to_string(), call.name.clone());
        self.setup.messages.push(Message::ToolCall { id, name, arguments: text.clone() });
        let whole = Whole { text, opaque: None, problem };
        actions.push(Action::Report(Report::CallStop { id: call.id.clone(), whole }));
    }

    fn end(&mut self, reason: EndReason, message: Option<String>, actions: &mut Vec<Action>) {
        self.phase = Phase::Ended;
        actions.push(Action::End(TurnEnd { reason, message, tokens: self.tokens }));
    }
}

/// The text that is kept. No text at all means no arguments; broken text stays as it came.
fn whole_arguments(call: &AskedCall, broken: bool) -> String {
    if call.arguments.trim().is_empty() && !broken { "{}".to_owned() } else { call.arguments.clone() }
}

/// What a person reads while a step waits to be asked again.
fn announced(message: String, wait: Duration, next: u32, of: usize) -> String {
    match wait.as_secs_f64().ceil() {
        seconds if seconds > 0.0 => format!("{message}; asking again in {seconds} s ({next} of {of})"),
        _ => message,
    }
}

/// What a person reads once a step is not asked again. What may pass and is not waited for any more says how often it was
/// asked; what does not pass has its own way out, whatever came before it.
fn given_up(failure: Failure, times: u32) -> String {
    if times == 1 || !failure.retryable {
        return failure.sentence();
    }
    format!("{}; asked {times} times: {}", failure.message, failure.way_out.as_deref().unwrap_or(LATER))
}

fn add(sum: &mut Tokens, more: Tokens) {
    sum.input += more.input;
    sum.output += more.output;
    sum.cached += more.cached;
}
