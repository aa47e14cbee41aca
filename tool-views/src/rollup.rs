//! How the calls below a call stand, in a few words: `12 calls, 2 failed, 1 waiting for you`.
//!
//! A waiting or failed call is so visible on every ancestor, however deep it stands. Counting walks the tree below;
//! the host keeps the cards of calls that did not change, so it is done for changed ones only.

use carpel_slots::{CallState, Line, Role, ToolCall};

/// Counts over all calls below one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rollup {
    calls: usize,
    failed: usize,
    waiting: usize,
}

impl Rollup {
    /// Counts what is below `call`, to any depth.
    pub fn of(call: &ToolCall) -> Rollup {
        let mut counts = Rollup::default();
        let mut open: Vec<&ToolCall> = call.sub_calls.iter().map(|sub_call| &**sub_call).collect();
        while let Some(call) = open.pop() {
            counts.calls += 1;
            counts.failed += usize::from(call.state == CallState::Error);
            counts.waiting += usize::from(call.state == CallState::AwaitingApproval);
            open.extend(call.sub_calls.iter().map(|sub_call| &**sub_call));
        }
        counts
    }

    /// The counts as a note; `None` where there are no calls.
    pub fn line(self) -> Option<Line> {
        if self.calls == 0 {
            return None;
        }
        let mut line = Line::from(
            if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", self.calls) }.as_str(),
        );
        if self.failed > 0 {
            line = line.and(Role::Plain, ", ").and(Role::Error, &format!("{} failed", self.failed));
        }
        if self.waiting > 0 {
            line =
                line.and(Role::Plain, ", ").and(Role::Warning, &format!("{} waiting for you", self.waiting));
        }
        Some(line)
    }
}
