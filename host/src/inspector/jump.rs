//! Where moves lead: the next item, the next call, the next of a kind.
//!
//! All of it is found in the items and in what is folded, without drawing. A move that leads nowhere says `None`.

use std::collections::HashSet;
use std::sync::Arc;

use carpel_protocol::word::{NoticeLevel, ToolKind, TurnEndReason};
use carpel_slots::{Block, CallKey, CallState, CardCx, Density, Registry, ToolCall};

use crate::inspector::cursor::{Spot, place_of};
use crate::inspector::folds::{Folds, path};
use crate::inspector::search::Way;
use crate::transcript::item::{FlowItem, ItemBody};

/// What a jump looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What a person wrote.
    User,
    /// What failed.
    Failure,
    /// A change of a file.
    Diff,
}

impl Kind {
    /// As a word about where there is none.
    pub fn name(self) -> &'static str {
        match self {
            Kind::User => "message of yours",
            Kind::Failure => "failure",
            Kind::Diff => "diff",
        }
    }
}

/// The call of a spot.
pub fn call_of<'a>(items: &'a [FlowItem], spot: &Spot) -> Option<&'a Arc<ToolCall>> {
    let key = spot.call.as_ref()?;
    path(root_of(items, spot)?, key)?.last().copied()
}

/// The root call above a spot.
pub fn root_of<'a>(items: &'a [FlowItem], spot: &Spot) -> Option<&'a Arc<ToolCall>> {
    match &item_of(items, spot)?.body {
        ItemBody::Call(root) => Some(root),
        _ => None,
    }
}

/// The item of a spot.
pub fn item_of<'a>(items: &'a [FlowItem], spot: &Spot) -> Option<&'a FlowItem> {
    items.binary_search_by_key(&spot.item, |item| item.id).ok().map(|place| &items[place])
}

/// The call that made the call of a spot.
pub fn parent(items: &[FlowItem], spot: &Spot) -> Option<Spot> {
    let path = path(root_of(items, spot)?, spot.call.as_ref()?)?;
    let above = path.len().checked_sub(2).and_then(|at| path.get(at))?;
    Some(Spot { item: spot.item, call: Some(above.key.clone()) })
}

/// The next item. Upwards, from within a call tree, its root comes first.
pub fn item(items: &[FlowItem], spot: &Spot, way: Way) -> Option<Spot> {
    let place = place_of(items, spot.item);
    let here = items.get(place)?;
    let next = match way {
        Way::Down => place + 1,
        Way::Up if here.id == spot.item && Spot::of(here) != *spot => place,
        Way::Up => place.checked_sub(1)?,
    };
    items.get(next).map(Spot::of)
}

/// The next call that is seen, at any depth.
pub fn call(items: &[FlowItem], folds: &Folds, spot: &Spot, way: Way) -> Option<Spot> {
    let place = place_of(items, spot.item);
    let calls = |item: &FlowItem| -> Vec<Spot> {
        let ItemBody::Call(root) = &item.body else { return Vec::new() };
        let shown = folds.shown(root).into_iter();
        shown.map(|shown| Spot { item: item.id, call: Some(shown.call.key.clone()) }).collect()
    };
    let here = calls(items.get(place)?);
    let at = here.iter().position(|other| other == spot);
    let near = match (way, at) {
        (Way::Down, Some(at)) => here.get(at + 1).cloned(),
        (Way::Up, Some(at)) => at.checked_sub(1).and_then(|at| here.get(at).cloned()),
        (_, None) => None,
    };
    near.or_else(|| match way {
        Way::Down => items[place + 1..].iter().find_map(|item| calls(item).into_iter().next()),
        Way::Up => items[..place].iter().rev().find_map(|item| calls(item).pop()),
    })
}

/// The next of a kind, at any depth, whether it is seen or not.
pub fn kind(items: &[FlowItem], registry: &Registry, spot: &Spot, way: Way, kind: Kind) -> Option<Spot> {
    let place = place_of(items, spot.item);
    let of = |item: &FlowItem| of_kind(item, registry, kind);
    let here = of(items.get(place)?);
    let walk = order(&items[place]);
    let place_in = |other: &Spot| walk.iter().position(|call| *call == other.call);
    let at = place_in(spot);
    let near = match way {
        Way::Down => here.into_iter().find(|other| place_in(other) > at),
        Way::Up => here.into_iter().rfind(|other| place_in(other) < at),
    };
    near.or_else(|| match way {
        Way::Down => items[place + 1..].iter().find_map(|item| of(item).into_iter().next()),
        Way::Up => items[..place].iter().rev().find_map(|item| of(item).pop()),
    })
}

fn order(item: &FlowItem) -> Vec<Option<CallKey>> {
    match &item.body {
        ItemBody::Call(root) => root.walk().into_iter().map(|(_, call)| Some(call.key.clone())).collect(),
        _ => vec![None],
    }
}

fn of_kind(item: &FlowItem, registry: &Registry, kind: Kind) -> Vec<Spot> {
    let is_one = match &item.body {
        ItemBody::Call(root) => return calls_of_kind(item, root, registry, kind),
        ItemBody::User { .. } => kind == Kind::User,
        ItemBody::Command { ok, .. } => kind == Kind::Failure && !ok,
        ItemBody::Notice { level, .. } => kind == Kind::Failure && *level == NoticeLevel::Error,
        ItemBody::TurnEnded(end) => kind == Kind::Failure && end.reason == TurnEndReason::Failed,
        ItemBody::Thinking(_)
        | ItemBody::Text { .. }
        | ItemBody::Orphan { .. }
        | ItemBody::Compaction { .. }
        | ItemBody::CutOff { .. }
        | ItemBody::Earlier { .. } => false,
    };
    if is_one { vec![Spot::of(item)] } else { Vec::new() }
}

fn calls_of_kind(item: &FlowItem, root: &Arc<ToolCall>, registry: &Registry, kind: Kind) -> Vec<Spot> {
    let chosen: HashSet<CallKey> = match kind {
        Kind::User => HashSet::new(),
        Kind::Failure => {
            let failed = root.walk().into_iter().filter(|(_, call)| call.state == CallState::Error);
            failed.map(|(_, call)| call.key.clone()).collect()
        }
        Kind::Diff => diffs(root, registry),
    };
    let in_order = root.walk().into_iter().filter(|(_, call)| chosen.contains(&call.key));
    in_order.map(|(_, call)| Spot { item: item.id, call: Some(call.key.clone()) }).collect()
}

/// The calls whose card shows a change. Tools that say what they do, and do not change files, are not asked.
fn diffs(root: &Arc<ToolCall>, registry: &Registry) -> HashSet<CallKey> {
    let may_change = |kind: &Option<ToolKind>| {
        !matches!(
            kind,
            Some(ToolKind::Read | ToolKind::Search | ToolKind::Execute | ToolKind::Think | ToolKind::Fetch)
        )
    };
    let Some(tree) = registry.tree().filter(|_| root.walk().iter().any(|(_, call)| may_change(&call.kind)))
    else {
        return HashSet::new();
    };
    let cx = CardCx { density: Density::Detail, ..CardCx::default() };
    let placed = tree.place(root, None, registry, &cx).into_iter();
    let shows = |block: &Block| matches!(block, Block::Diff { .. });
    placed
        .filter(|placed| placed.card.body.as_deref().unwrap_or_default().iter().any(shows))
        .map(|placed| placed.call.key.clone())
        .collect()
}
