//! The search: which calls and items hold what is looked for.
//!
//! Every item is read once and again when it changed, so many bytes a drawing, so that a long session never holds up a
//! key; while it goes on the count grows. The first hit from where the person stood is selected once all is known. It
//! moves nothing itself: [`Search::go`] says where to.

use std::collections::BTreeMap;

use carpel_slots::CallKey;

use crate::composer::buffer::Buffer;
use crate::inspector::cursor::Spot;
use crate::inspector::needle::Needle;
use crate::inspector::texts;
use crate::transcript::item::{FlowItem, ItemBody, ItemId};

/// So many bytes are read in one drawing.
const BYTES: usize = 8 << 20;

/// What is looked for and what was found.
#[derive(Default)]
pub struct Search {
    /// The query while it is written.
    pub query: Buffer,
    needle: Needle,
    /// By item: the revision that was read, and its parts with a hit.
    read: BTreeMap<ItemId, (u64, Vec<Option<CallKey>>)>,
    is_complete: bool,
    /// Where the person stood and what was looked for when the query was begun.
    pub before: Option<(Spot, String)>,
    /// Where the person stood, until the first hit from there is selected.
    pub from: Option<Spot>,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Towards the end.
    Down,
    /// Towards the beginning.
    Up,
}

impl Search {
    /// What is looked for.
    pub fn needle(&self) -> &Needle {
        &self.needle
    }

    /// Looks for something else, from a place on.
    pub fn look_for(&mut self, query: &str, from: Option<Spot>) {
        if query != self.needle.text() {
            self.needle = Needle::new(query);
            self.read.clear();
            self.is_complete = false;
        }
        self.from = from;
    }

    /// Reads on. True when everything was read.
    pub fn read(&mut self, items: &[FlowItem]) -> bool {
        self.read_bytes(items, BYTES)
    }

    /// The same, for so many bytes.
    pub fn read_bytes(&mut self, items: &[FlowItem], most: usize) -> bool {
        if self.needle.is_empty() {
            self.is_complete = true;
            return true;
        }
        let mut left = most;
        for item in items {
            if self.read.get(&item.id).is_some_and(|(revision, _)| *revision == item.revision) {
                continue;
            }
            if left == 0 {
                self.is_complete = false;
                return false;
            }
            let (hits, bytes) = hits(item, &self.needle);
            left = left.saturating_sub(bytes);
            self.read.insert(item.id, (item.revision, hits));
        }
        // All items are there; what is more was taken back.
        if self.read.len() > items.len() {
            self.read.retain(|id, _| items.binary_search_by_key(id, |item| item.id).is_ok());
        }
        self.is_complete = true;
        true
    }

    /// True once everything was read.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// How many calls and items hold it, as far as was read.
    pub fn count(&self) -> usize {
        self.read.values().map(|(_, hits)| hits.len()).sum()
    }

    /// The number of a spot among the hits, from 1.
    pub fn number(&self, spot: &Spot) -> Option<usize> {
        let (_, hits) = self.read.get(&spot.item)?;
        let at = hits.iter().position(|call| *call == spot.call)?;
        Some(self.read.range(..spot.item).map(|(_, (_, hits))| hits.len()).sum::<usize>() + at + 1)
    }

    /// The next hit from a spot, the spot itself counted in where `here`; behind the last comes the first.
    pub fn go(&self, items: &[FlowItem], spot: &Spot, way: Way, here: bool) -> Option<Spot> {
        let place = order(items, spot);
        let all = || self.read.iter().flat_map(|(item, (_, hits))| hits.iter().map(|call| (*item, call)));
        let spot_of = |(item, call): (ItemId, &Option<CallKey>)| Spot { item, call: call.clone() };
        let at = |(item, call): &(ItemId, &Option<CallKey>)| {
            order(items, &Spot { item: *item, call: (*call).clone() })
        };
        let near = |hit: &(ItemId, &Option<CallKey>)| match way {
            Way::Down => hit.0 > spot.item || (hit.0 == spot.item && at(hit) > place),
            Way::Up => hit.0 < spot.item || (hit.0 == spot.item && at(hit) < place),
        };
        if here && self.number(spot).is_some() {
            return Some(spot.clone());
        }
        let found = match way {
            Way::Down => all().find(near).or_else(|| all().next()),
            Way::Up => all().rfind(near).or_else(|| all().next_back()),
        };
        found.map(spot_of)
    }
}

/// The place of a spot: its item, then its call in display order.
fn order(items: &[FlowItem], spot: &Spot) -> (ItemId, usize) {
    let item = items.binary_search_by_key(&spot.item, |item| item.id).ok().map(|place| &items[place]);
    let place = match (item.map(|item| &item.body), &spot.call) {
        (Some(ItemBody::Call(root)), Some(key)) => {
            root.walk().iter().position(|(_, call)| call.key == *key).unwrap_or_default()
        }
        _ => 0,
    };
    (spot.item, place)
}

/// The parts of an item with a hit, and how much was read.
fn hits(item: &FlowItem, needle: &Needle) -> (Vec<Option<CallKey>>, usize) {
    let mut hits: Vec<Option<CallKey>> = Vec::new();
    let mut bytes = 1;
    let is_prose = matches!(item.body, ItemBody::Text { .. });
    texts::each(item, |call, text| {
        if hits.last().is_some_and(|last| last.as_ref() == call) {
            return;
        }
        bytes += text.len();
        if needle.is_in(text) || (is_prose && needle.is_in(&plain(text))) {
            hits.push(call.cloned());
        }
    });
    (hits, bytes)
}

/// An answer as it is read: without the signs of Markdown that stand within words and sentences.
fn plain(text: &str) -> String {
    text.replace(['*', '`'], "")
}
