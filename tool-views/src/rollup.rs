//! How the calls below a call stand, in a few words: `12 calls, 2 failed, 1 waiting for you`.
//!
//! A waiting or failed call is so visible on every ancestor, however deep it stands. The counts come with the call, so
//! that a tree of any size costs nothing here. It does not look at the calls themselves.

use carpel_slots::{Below, Line, Role, ToolCall};

/// The counts below `call` as a note; `None` where there are no calls.
pub fn line(call: &ToolCall) -> Option<Line> {
    let Below { calls, failed, waiting, .. } = call.sub_calls.below();
    if calls == 0 {
        return None;
    }
    let word = if calls == 1 { "call" } else { "calls" };
    let mut line = Line::from(format!("{calls} {word}").as_str());
    if failed > 0 {
        line = line.and(Role::Plain, ", ").and(Role::Error, &format!("{failed} failed"));
    }
    if waiting > 0 {
        line = line.and(Role::Plain, ", ").and(Role::Warning, &format!("{waiting} waiting for you"));
    }
    Some(line)
}
