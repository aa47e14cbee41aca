//! How a turn, or an attempt at a step of it, ends before it is done: a cancel, a bound, a stream that broke off.
//!
//! Owns what becomes of an answer that will never be whole and of calls that run: each call that was told gets its one
//! result. It refuses to know how a turn goes on; that is `../turn.rs`.

use std::time::Duration;

use super::{Action, Answer, EndReason, Phase, Report, Turn, Wait, add};
use crate::provider::{Failure, LATER};
use crate::worker::call::{CallId, CallResult};

impl Turn {
    /// Nothing of the answer has been heard yet.
    pub(super) fn limited(&mut self, message: String, actions: &mut Vec<Action>) {
        if matches!(self.phase, Phase::Asking(_)) {
            self.settle_unasked(CallResult::cancelled, actions);
            self.end(EndReason::Limit, Some(message), actions);
        }
    }

    /// An attempt at a step came to nothing: again, unless that was the last one or of no use.
    pub(super) fn attempt_failed(&mut self, failure: Failure, actions: &mut Vec<Action>) {
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

    pub(super) fn cancel(&mut self, actions: &mut Vec<Action>) {
        match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Asking(answer) => {
                self.phase = Phase::Asking(answer);
                self.settle_unasked(CallResult::cancelled, actions);
                self.end(EndReason::Cancelled, None, actions);
            }
            Phase::Ready | Phase::Entering { .. } | Phase::Entered | Phase::BackingOff => {
                self.end(EndReason::Cancelled, None, actions);
            }
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
    pub(super) fn settle_unasked(
        &mut self,
        settle: impl Fn(CallId) -> CallResult,
        actions: &mut Vec<Action>,
    ) {
        let answer = self.leave_answer(Answer::interrupt, actions);
        let mut results = Vec::new();
        for call in answer.calls {
            self.stop_call(&call, call.arguments.clone(), None, actions);
            results.push(settle(call.id));
        }
        self.setup.messages.extend(results.iter().map(CallResult::message));
        actions.extend(results.into_iter().map(Report::Result).map(Action::Report));
    }
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
