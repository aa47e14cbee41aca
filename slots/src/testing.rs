//! For an author's own tests: calls in every state, hostile calls, and cards as lines of text.
//!
//! [`Sample`] makes calls, [`hostile`] those that go wrong, [`snapshot`] shows what a view makes of one. None of it needs
//! the host, a terminal or a process. What it leaves out of the picture is told at [`card_text`]; how a card really looks
//! `carpel plugin dev` shows. The calls are made in `testing/sample.rs`, the lines in `testing/snapshot.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::call::{CallState, ToolCall};
use crate::density::Density;
use crate::view::{CardCx, ToolView};
use crate::wire::{MAX_REPLY, Reply, WireCall};

pub use hostile::hostile;
pub use sample::Sample;
pub use snapshot::card_text;

mod hostile;
mod sample;
mod snapshot;

/// What a view makes of a call, as lines of text: see [`card_text`]. The call goes over the plugin wire first, as it would.
///
/// ```
/// use carpel_slots::testing::{Sample, faults, snapshot};
/// use carpel_slots::{CallState, Card, CardCx, Density, Line, Role, ToolCall, ToolView};
///
/// struct Clock;
///
/// impl ToolView for Clock {
///     fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
///         let zone = call.args.partial_str("zone").unwrap_or_default();
///         Card { title: Some(Line::of(Role::Accent, &zone)), body: Some(Vec::new()), ..Card::default() }
///     }
/// }
///
/// let sample = Sample::new("clock").arguments(r#"{"zone":"UTC"}"#).summary("12:00");
/// let done = sample.in_state(CallState::Done);
/// assert_eq!(snapshot(&Clock, &done, 40, Density::Normal), "✓ clock  UTC  12:00\n");
/// assert_eq!(faults(&Clock, &sample), Vec::<String>::new());
/// ```
pub fn snapshot(view: &dyn ToolView, call: &ToolCall, width: usize, density: Density) -> String {
    let call = WireCall::of(call).to_call();
    card_text(&view.card(&call, &cx(density)), &call, width, density)
}

/// A picture of a view in every state, one after the other, under a line that names the state: what a test keeps in a
/// file.
pub fn all_states(view: &dyn ToolView, sample: &Sample, width: usize, density: Density) -> String {
    let mut text = String::new();
    for state in CallState::ALL {
        text.push_str(&format!("-- {}\n", state.word()));
        text.push_str(&snapshot(view, &sample.in_state(state), width, density));
    }
    text
}

/// Asks a view for the card of every call of [`Sample::all`] and [`hostile`] at every density. What it did wrong, a
/// sentence each: it panicked, its card does not fit into a reply, or the card is another one when it has gone over the
/// wire.
pub fn faults(view: &dyn ToolView, sample: &Sample) -> Vec<String> {
    let mut faults = Vec::new();
    let own = sample.all().into_iter().chain(hostile(sample));
    for (what, call) in own {
        let call = WireCall::of(&call).to_call();
        for density in Density::ALL {
            let fault = fault(view, &call, density);
            faults.extend(fault.map(|fault| format!("{what}, at {}: {fault}", density.name())));
        }
    }
    faults
}

fn fault(view: &dyn ToolView, call: &ToolCall, density: Density) -> Option<String> {
    let card = match catch_unwind(AssertUnwindSafe(|| view.card(call, &cx(density)))) {
        Ok(card) => card,
        Err(_) => return Some("the view panicked".to_owned()),
    };
    let text = Reply::Card { id: u64::MAX, card: card.clone() }.encode();
    if text.len() > MAX_REPLY {
        return Some(format!("the card has {} bytes as JSON; at most {MAX_REPLY} are read", text.len()));
    }
    match Reply::decode(&text) {
        Ok(Reply::Card { card: read, .. }) if read == card => None,
        _ => Some("the card is another one when it has gone over the wire".to_owned()),
    }
}

/// What a view is told in these tests: the workspace is `/work`, the home folder `/home/ada`.
fn cx(density: Density) -> CardCx {
    CardCx { cwd: "/work".to_owned(), home: Some("/home/ada".to_owned()), density }
}
