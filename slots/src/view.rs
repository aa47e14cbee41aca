//! Views, the call tree and the details: the traits that draw calls.
//!
//! A [`ToolView`] is registered in the slot `tool.view` under a tool's name. The [`ToolTree`] holds the seat `tool`: it
//! walks a root call and dispatches every call in it, at any depth, to the view registered for it. The [`ToolDetails`]
//! say what there is of one call where a person looks closer.

use std::sync::Arc;

use crate::call::{CallKey, ToolCall};
use crate::card::{Block, Card};
use crate::density::Density;
use crate::registry::Registry;

/// Turns one call into a card.
///
/// ```
/// use carpel_slots::{Card, CardCx, Line, ToolCall, ToolView};
///
/// struct Clock;
///
/// impl ToolView for Clock {
///     fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
///         let zone = call.args.partial_str("zone").unwrap_or_default();
///         Card { title: Some(Line::from(zone.as_str())), ..Card::default() }
///     }
/// }
/// ```
pub trait ToolView: Send + Sync {
    /// The card for `call` as it stands now. Called again whenever the call changes, also while its arguments are
    /// still incomplete; must not block. What is below the call counts as a change of it when the counts of
    /// [`SubCalls::below`](crate::SubCalls::below) change.
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card;

    /// True for a view that looks further into the calls below than their counts: its card is then made again whenever
    /// any of them changes.
    fn looks_below(&self) -> bool {
        false
    }

    /// True while another card for the call as it stands is on its way, or has come since [`ToolView::card`] was asked: for
    /// a view whose cards are made elsewhere. The host draws what it was given meanwhile, and waits a moment before it
    /// makes it final.
    fn is_awaited(&self, call: &ToolCall, cx: &CardCx) -> bool {
        let _ = (call, cx);
        false
    }

    /// What becomes final where that card has not come in time, and says nothing of an earlier state; `None` leaves it to
    /// the host.
    fn stand_in(&self, call: &ToolCall, cx: &CardCx) -> Option<Card> {
        let _ = (call, cx);
        None
    }
}

/// What a view may know besides the call.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct CardCx {
    /// The workspace folder, to shorten paths; empty when unknown.
    pub cwd: String,
    /// The person's home folder, to shorten paths.
    pub home: Option<String>,
    /// How much is wanted.
    pub density: Density,
}

/// One call of a tree with its card.
#[derive(Debug, Clone)]
pub struct PlacedCard {
    /// The call; its state and times are drawn by the host.
    pub call: Arc<ToolCall>,
    /// How deep it stands below the root call, which has 0.
    pub depth: usize,
    /// What its view made of it. Title and body are filled in: never `None`.
    pub card: Card,
}

/// Renders a whole call tree.
///
/// ```
/// use std::sync::Arc;
/// use carpel_slots::call::CallKey;
/// use carpel_slots::{CardCx, Line, PlacedCard, Registry, ToolCall, ToolTree};
///
/// /// Every call of the tree, each with what its view makes of it, or with nothing but its name.
/// struct Plain;
///
/// impl ToolTree for Plain {
///     fn place(
///         &self,
///         root: &Arc<ToolCall>,
///         _selected: Option<&CallKey>,
///         registry: &Registry,
///         cx: &CardCx,
///     ) -> Vec<PlacedCard> {
///         let place = |(depth, call): (usize, &Arc<ToolCall>)| {
///             let view = registry.view(&call.name, call.kind.as_ref());
///             let mut card = view.map(|view| view.card(call, cx)).unwrap_or_default();
///             card.title.get_or_insert_with(|| Line::from(call.name.as_str()));
///             card.body.get_or_insert_default();
///             PlacedCard { call: Arc::clone(call), depth, card }
///         };
///         root.walk().into_iter().map(place).collect()
///     }
/// }
/// ```
pub trait ToolTree: Send + Sync {
    /// The cards of `root` and of what is below it that should be shown, in display order. `selected` is the call
    /// that a person has selected, which is then always among them.
    fn place(
        &self,
        root: &Arc<ToolCall>,
        selected: Option<&CallKey>,
        registry: &Registry,
        cx: &CardCx,
    ) -> Vec<PlacedCard>;

    /// The tree as one that can be asked for one call at a time, so that a call that did not change is not asked for
    /// again; `None` for a tree that is placed whole each time.
    fn parts(&self) -> Option<&dyn TreeParts> {
        None
    }
}

/// [`ToolTree::place`] in two steps, which together give the same.
pub trait TreeParts: Send + Sync {
    /// The calls that are shown, in display order, with their depth.
    fn shown<'a>(
        &self,
        root: &'a Arc<ToolCall>,
        selected: Option<&CallKey>,
        density: Density,
    ) -> Vec<(usize, &'a Arc<ToolCall>)>;

    /// The card of one of them, title and body filled in. It depends on the call, and on what is below it as the call's
    /// view says in [`ToolView::looks_below`].
    fn card(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> Card;

    /// The card that becomes final where the view's has not come in time: it says nothing of an earlier state. `None`
    /// takes [`TreeParts::card`].
    fn stand_in(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> Option<Card> {
        let _ = (call, registry, cx);
        None
    }

    /// True while the call's view waits for another card of it: [`ToolView::is_awaited`].
    fn is_awaited(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> bool {
        let _ = (call, registry, cx);
        false
    }
}

/// Tells all there is of one call: the slot `tool.details`, which the inspector shows beside the selected call.
///
/// ```
/// use carpel_slots::{Block, CardCx, Registry, ToolCall, ToolDetails};
///
/// /// The arguments as they came, nothing else.
/// struct Raw;
///
/// impl ToolDetails for Raw {
///     fn body(&self, call: &ToolCall, _registry: &Registry, _cx: &CardCx) -> Vec<Block> {
///         vec![Block::Output(call.args.raw().to_owned())]
///     }
/// }
/// ```
pub trait ToolDetails: Send + Sync {
    /// The rows below the call's header. An empty list shows the raw text of the result.
    fn body(&self, call: &ToolCall, registry: &Registry, cx: &CardCx) -> Vec<Block>;
}
