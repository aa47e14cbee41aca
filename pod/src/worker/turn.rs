//! The pure machine of one turn: input in, actions out, no IO, no clock, no threads.
//!
//! Owns the steps of a turn: ask, read the answer, run its calls, ask again. Whoever drives it performs the actions and
//! feeds back what came of them; waits end when the driver says so. Three promises hold for every order of inputs:
//! each call gets exactly one result, no tool runs twice, and calls run only after the provider's terminal event.
//! Read next: `turn/exchange.rs` (what goes in and out), `turn/answer.rs` (stream to blocks), `turn/verdict.rs`,
//! `turn/batch.rs`, then the driver `../worker.rs`.

mod answer;
mod batch;
mod ending;
mod exchange;
#[cfg(test)]
mod tests;
mod verdict;

use answer::{Answer, AskedCall};
use batch::Batch;
pub use exchange::{
    Action, Between, Bounds, EndReason, Entry, Input, Report, RunCall, TurnEnd, TurnSetup, Wait, Whole,
};
use verdict::{Verdict, judge};

use super::call::{CallResult, Ended};
use crate::provider::{Failure, Message, StopReason, StreamEvent, Tokens};

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
    /// What enters before it is not known yet.
    Entering {
        at_the_end: bool,
    },
    /// As `Ready`, and what enters has entered.
    Entered,
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
            Input::Entry(entry) => self.entered(entry, &mut actions),
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
            Phase::Ready if self.failures == 0 && self.setup.between == Between::Entry => {
                if !self.ends_at_bound(actions) {
                    self.enter(false, actions);
                }
            }
            Phase::Ready | Phase::Entered => self.ask(actions),
            Phase::Calling { batch, .. } => {
                actions.extend(batch.start_due(self.setup.bounds.parallel).into_iter().map(Action::Run));
            }
            Phase::Entering { .. }
            | Phase::Asking(_)
            | Phase::BackingOff
            | Phase::Cancelling(_)
            | Phase::Ended => {}
        }
    }

    fn enter(&mut self, at_the_end: bool, actions: &mut Vec<Action>) {
        self.phase = Phase::Entering { at_the_end };
        actions.push(Action::Enter { at_the_end });
    }

    fn entered(&mut self, entry: Entry, actions: &mut Vec<Action>) {
        let Phase::Entering { at_the_end } = self.phase else {
            return;
        };
        if at_the_end && entry.said.is_empty() {
            return self.end(EndReason::Completed, None, actions);
        }
        if let Some(replaced) = entry.replaced {
            self.setup.messages = replaced;
        }
        self.setup.messages.extend(entry.said);
        self.phase = Phase::Entered;
        self.go_on(actions);
    }

    /// Ends a turn that has had all its steps.
    fn ends_at_bound(&mut self, actions: &mut Vec<Action>) -> bool {
        let ends = self.steps == self.setup.bounds.steps;
        if ends {
            let message = format!("stopped after {} steps; say \"go on\" to continue", self.steps);
            self.end(EndReason::Limit, Some(message), actions);
        }
        ends
    }

    fn ask(&mut self, actions: &mut Vec<Action>) {
        if self.failures == 0 {
            if self.ends_at_bound(actions) {
                return;
            }
            self.steps += 1;
        }
        self.phase = Phase::Asking(Answer::default());
        actions.push(Action::Ask);
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
                StopReason::EndTurn | StopReason::ToolUse => {
                    // Who says something now goes on in this turn, where there is room for another step.
                    let may_go_on =
                        self.setup.between == Between::Entry && self.steps < self.setup.bounds.steps;
                    if may_go_on {
                        return self.enter(true, actions);
                    }
                    (EndReason::Completed, None)
                }
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

    fn result(&mut self, mut result: CallResult, actions: &mut Vec<Action>) {
        let (batch, cancelling) = match &mut self.phase {
            Phase::Calling { batch, .. } => (batch, false),
            Phase::Cancelling(batch) => (batch, true),
            Phase::Ready
            | Phase::Entering { .. }
            | Phase::Entered
            | Phase::Asking(_)
            | Phase::BackingOff
            | Phase::Ended => return,
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
            Phase::Ready
            | Phase::Entering { .. }
            | Phase::Entered
            | Phase::Asking(_)
            | Phase::Calling { .. }
            | Phase::Ended => {}
        }
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

fn add(sum: &mut Tokens, more: Tokens) {
    sum.input += more.input;
    sum.output += more.output;
    sum.cached += more.cached;
}
