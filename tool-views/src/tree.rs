//! The call tree: one root call and what it made, to any depth, as placed cards.
//!
//! Every call, root or not, goes through one dispatch ([`card_of`]), so a view never learns where its call stands. A
//! view that panics costs its own card only: the generic card is drawn with a line that names the fault. What a view
//! leaves out (title, body) comes from the generic card, each for itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use carpel_slots::registry::Registry;
use carpel_slots::{
    Block, CallKey, CallState, Card, CardCx, Density, Line, PlacedCard, Role, ToolCall, ToolTree, ToolView,
    TreeParts, register_tree,
};

use crate::generic::{self, Typed};
use crate::mcp;
use crate::rollup;

register_tree!(Tree);

/// The built-in holder of the seat `tool`.
pub struct Tree;

impl ToolTree for Tree {
    fn place(
        &self,
        root: &Arc<ToolCall>,
        selected: Option<&CallKey>,
        registry: &Registry,
        cx: &CardCx,
    ) -> Vec<PlacedCard> {
        self.shown(root, selected, cx.density)
            .into_iter()
            .map(|(depth, call)| PlacedCard {
                call: Arc::clone(call),
                depth,
                card: card_of(call, registry, cx),
            })
            .collect()
    }

    fn parts(&self) -> Option<&dyn TreeParts> {
        Some(self)
    }
}

impl TreeParts for Tree {
    fn shown<'a>(
        &self,
        root: &'a Arc<ToolCall>,
        selected: Option<&CallKey>,
        density: Density,
    ) -> Vec<(usize, &'a Arc<ToolCall>)> {
        let mut calls = root.walk();
        calls.retain(|(depth, call)| *depth == 0 || selected == Some(&call.key) || is_shown(call, density));
        calls
    }

    fn card(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> Card {
        card_of(call, registry, cx)
    }

    fn stand_in(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> Option<Card> {
        let own = view_of(call, registry).and_then(|view| view.stand_in(call, cx));
        Some(own.unwrap_or_else(|| built_in(call, cx)))
    }

    fn is_awaited(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> bool {
        view_of(call, registry).is_some_and(|view| view.is_awaited(call, cx))
    }
}

/// The view that draws a call.
fn view_of<'a>(call: &ToolCall, registry: &'a Registry) -> Option<&'a Arc<dyn ToolView>> {
    registry.view(&call.name, None).or_else(|| foreign(call, registry))
}

/// At overview only sub-calls that failed or wait have a row of their own.
fn is_shown(call: &ToolCall, density: Density) -> bool {
    match density {
        Density::Overview => matches!(call.state, CallState::Error | CallState::AwaitingApproval),
        Density::Normal | Density::Detail => true,
    }
}

/// The card of one call: its view's, completed by the generic one.
pub fn card_of(call: &ToolCall, registry: &Registry, cx: &CardCx) -> Card {
    let own = registry.view(&call.name, None);
    let mut card = match own.or_else(|| foreign(call, registry)) {
        None => Card::default(),
        Some(view) => {
            catch_unwind(AssertUnwindSafe(|| view.card(call, cx))).unwrap_or_else(|_| broken(call, cx))
        }
    };
    // A view of that name that knew the arguments has looked at the typed data too.
    let typed = if own.is_some() && card.title.is_some() { Typed::Broken } else { Typed::First };
    if card.title.is_none() {
        card.title = Some(generic::title(call, cx));
    }
    if card.body.is_none() {
        card.body = Some(generic::body(call, typed, cx));
    }
    if card.note.is_none() {
        card.note = note(call, typed, cx.density);
    }
    card
}

/// The card that a call has where no plugin draws it.
pub fn built_in(call: &ToolCall, cx: &CardCx) -> Card {
    static LINKED: LazyLock<Registry> = LazyLock::new(Registry::linked);
    card_of(call, &LINKED, cx)
}

/// The view for a tool whose own name has none: that of the tool's name without its server, else that of its kind.
fn foreign<'a>(call: &ToolCall, registry: &'a Registry) -> Option<&'a Arc<dyn ToolView>> {
    let of_server = mcp::parts(&call.name).and_then(|(_, tool)| registry.view(tool, None));
    of_server.or_else(|| registry.view(&call.name, call.kind.as_ref()))
}

/// What came of the call: the tool's own summary, or how its sub-calls stand while there is none. Where no body can say
/// why a call failed that has no view of its own, the reason takes the place of the summary.
fn note(call: &ToolCall, typed: Typed, density: Density) -> Option<Line> {
    let summary = call.result.as_ref().map(|result| one_line(&result.summary)).unwrap_or_default();
    if let Some(error) = generic::one_line_error(call)
        && (summary.is_empty() || density == Density::Overview && typed == Typed::First)
    {
        return Some(Line::of(Role::Error, error));
    }
    if !summary.is_empty() {
        let role = if call.state == CallState::Error { Role::Error } else { Role::Plain };
        return Some(Line::exact(role, summary));
    }
    rollup::line(call)
}

/// A summary as one line: its first, and of a text that rewrites itself with carriage returns the last state.
fn one_line(summary: &str) -> &str {
    let line = summary.trim().lines().next().unwrap_or_default();
    line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default()
}

fn broken(call: &ToolCall, cx: &CardCx) -> Card {
    let why = format!("the view for `{}` failed; this is the generic card", call.name);
    let body = generic::body(call, Typed::First, cx);
    diagnosed(Card { body: Some(body), ..Card::default() }, &why)
}

/// A card below a line that says why it is this one. The line may be anybody's words.
pub fn diagnosed(card: Card, why: &str) -> Card {
    let mut body = vec![Block::Text(vec![Line::of(Role::Warning, why)])];
    body.extend(card.body.unwrap_or_default());
    Card { body: Some(body), ..card }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, dump};

    struct Panics;

    impl carpel_slots::ToolView for Panics {
        fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
            panic!("on purpose")
        }
    }

    carpel_slots::register_view!("PanicsForTest", Panics);

    #[test]
    fn a_view_that_panics_costs_its_own_card_only() {
        let call =
            Fixture::new("PanicsForTest").arguments(r#"{"path":"a.rs"}"#).done("fine", Some("text")).build();
        let card = card_of(&call, &Registry::linked(), &CardCx::default());
        assert_eq!(
            dump(&card),
            "a.rs | fine\n  the view for `PanicsForTest` failed; this is the generic card\n  output: text"
        );
    }

    #[test]
    fn summaries_are_one_line() {
        let rows = [
            ("fine", "fine"),
            ("10%\r20%\rdone\r", "done"),
            ("first\nsecond", "first"),
            ("", ""),
            ("\r", ""),
        ];
        for (summary, want) in rows {
            assert_eq!(one_line(summary), want, "{summary:?}");
        }
    }

    #[test]
    fn overview_keeps_what_failed_or_waits() {
        let failed = Fixture::new("Bash").state(CallState::Error).build();
        let waiting = Fixture::new("Bash").state(CallState::AwaitingApproval).build();
        let fine = Fixture::new("Read").done("1 line", None).build();
        let middle =
            Fixture::new("Task").state(CallState::Executing).sub_calls(vec![fine, failed, waiting]).build();
        let root = Arc::new(Fixture::new("Task").state(CallState::Executing).sub_calls(vec![middle]).build());
        let rows = [(Density::Overview, vec![0, 2, 2]), (Density::Normal, vec![0, 1, 2, 2, 2])];
        for (density, want) in rows {
            let cx = CardCx { density, ..CardCx::default() };
            let placed = Tree.place(&root, None, &Registry::linked(), &cx);
            assert_eq!(placed.iter().map(|card| card.depth).collect::<Vec<_>>(), want, "{density:?}");
            assert_eq!(placed[0].card.note.as_ref().unwrap().text(), "4 calls, 1 failed, 1 waiting for you");
        }
    }
}
