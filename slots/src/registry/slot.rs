//! Slots: named places that registrations fill.
//!
//! A [`Single`] has one holder, a [`Keyed`] one for each key, a [`List`] shows all, one for each id. Each place keeps
//! everything that was offered for it, sorted, so that taking out the holder uncovers the next, and so that the order
//! in which offers came decides nothing. Of two offers from the very same source the earlier one is seated: a crate
//! cannot make such (its source has line and column), a plugin's come in the plugin's own order.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::key::Key;
use super::offer::{Entry, Offer, SlotName};
use super::problem::Problem;

/// One place: the highest rank is seated.
pub(super) struct Single<T: ?Sized> {
    /// Best first.
    offers: Vec<Arc<Offer<T>>>,
}

impl<T: ?Sized> Single<T> {
    pub(super) fn register(&mut self, offer: Arc<Offer<T>>) {
        let place = |offer: &Offer<T>| (Reverse(offer.owner.rank), offer.owner.clone());
        let at = self.offers.partition_point(|other| place(other) <= place(&offer));
        self.offers.insert(at, offer);
    }

    pub(super) fn remove(&mut self, owner: &str) {
        self.offers.retain(|offer| offer.owner.name != owner);
    }

    pub(super) fn holder(&self) -> Option<&Arc<Offer<T>>> {
        self.offers.first()
    }

    pub(super) fn dispatch(&self) -> Option<&Arc<T>> {
        self.holder().map(|offer| offer.dispatch())
    }

    pub(super) fn entries(&self, slot: SlotName, key: &str) -> Vec<Entry> {
        let entry = |(at, offer): (usize, &Arc<Offer<T>>)| Entry {
            slot,
            key: key.to_owned(),
            owner: offer.owner.clone(),
            seated: at == 0,
            dispatched: offer.was_dispatched(),
        };
        self.offers.iter().enumerate().map(entry).collect()
    }

    /// Every offer that has another one of its rank before it.
    pub(super) fn problems(&self, slot: SlotName, key: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        for rank in self.offers.chunk_by(|one, other| one.owner.rank == other.owner.rank) {
            let Some((holder, refused)) = rank.split_first() else { continue };
            problems.extend(refused.iter().map(|refused| Problem::Taken {
                slot,
                key: key.to_owned(),
                holder: holder.owner.clone(),
                refused: refused.owner.clone(),
            }));
        }
        problems
    }
}

/// A place for each key.
pub(super) struct Keyed<T: ?Sized> {
    exact: BTreeMap<String, Single<T>>,
    prefixes: BTreeMap<String, Single<T>>,
    kinds: BTreeMap<String, Single<T>>,
}

impl<T: ?Sized> Keyed<T> {
    pub(super) fn register(&mut self, key: Key, offer: Arc<Offer<T>>) {
        let (places, key) = match key {
            Key::Exact(name) => (&mut self.exact, name),
            Key::Prefix(prefix) => (&mut self.prefixes, prefix),
            Key::Kind(kind) => (&mut self.kinds, kind),
        };
        places.entry(key).or_default().register(offer);
    }

    pub(super) fn remove(&mut self, owner: &str) {
        for places in [&mut self.exact, &mut self.prefixes, &mut self.kinds] {
            places.values_mut().for_each(|place| place.remove(owner));
            places.retain(|_, place| !place.offers.is_empty());
        }
    }

    pub(super) fn exact(&self, name: &str) -> Option<&Arc<T>> {
        self.exact.get(name)?.dispatch()
    }

    /// The entry under the longest prefix of `name`.
    pub(super) fn by_prefix(&self, name: &str) -> Option<&Arc<T>> {
        let matching = self.prefixes.iter().filter(|(prefix, _)| name.starts_with(prefix.as_str()));
        matching.max_by_key(|(prefix, _)| prefix.len())?.1.dispatch()
    }

    pub(super) fn by_kind(&self, kind: &str) -> Option<&Arc<T>> {
        self.kinds.get(kind)?.dispatch()
    }

    /// True when an exact key or a prefix pattern matches `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.exact.contains_key(name) || self.prefixes.keys().any(|prefix| name.starts_with(prefix.as_str()))
    }

    /// What is seated under exact keys, by key.
    pub(super) fn all_exact(&self) -> impl Iterator<Item = (&str, &Arc<T>)> {
        self.exact.iter().filter_map(|(key, place)| Some((key.as_str(), &place.holder()?.entry)))
    }

    pub(super) fn entries(&self, slot: SlotName) -> Vec<Entry> {
        self.places().flat_map(|(key, place)| place.entries(slot, &key)).collect()
    }

    pub(super) fn problems(&self, slot: SlotName) -> Vec<Problem> {
        self.places().flat_map(|(key, place)| place.problems(slot, &key)).collect()
    }

    /// Every place with its key as it was registered.
    fn places(&self) -> impl Iterator<Item = (String, &Single<T>)> {
        let exact = self.exact.iter().map(|(key, place)| (key.clone(), place));
        let prefixes = self.prefixes.iter().map(|(key, place)| (format!("{key}*"), place));
        let kinds = self.kinds.iter().map(|(key, place)| (format!("kind:{key}"), place));
        exact.chain(prefixes).chain(kinds)
    }
}

/// All entries in order; a place for each id, so that a plugin can put its own in place of a built-in one.
pub(super) struct List<T: ?Sized> {
    places: BTreeMap<String, Single<T>>,
}

impl<T: ?Sized> List<T> {
    pub(super) fn register(&mut self, id: String, offer: Arc<Offer<T>>) {
        self.places.entry(id).or_default().register(offer);
    }

    pub(super) fn remove(&mut self, owner: &str) {
        self.places.values_mut().for_each(|place| place.remove(owner));
        self.places.retain(|_, place| !place.offers.is_empty());
    }

    /// By order number, then by id.
    pub(super) fn in_order(&self) -> Vec<&Arc<T>> {
        let mut holders: Vec<_> = self.places.values().filter_map(Single::holder).collect();
        holders.sort_by_key(|offer| offer.order);
        holders.into_iter().map(|offer| &offer.entry).collect()
    }

    pub(super) fn entries(&self, slot: SlotName) -> Vec<Entry> {
        self.places.iter().flat_map(|(id, place)| place.entries(slot, id)).collect()
    }

    pub(super) fn problems(&self, slot: SlotName) -> Vec<Problem> {
        self.places.iter().flat_map(|(id, place)| place.problems(slot, id)).collect()
    }
}

// By hand, since deriving would ask for `T: Clone` and `T: Default`, which no trait object is.

impl<T: ?Sized> Clone for Single<T> {
    fn clone(&self) -> Self {
        Single { offers: self.offers.clone() }
    }
}

impl<T: ?Sized> Default for Single<T> {
    fn default() -> Self {
        Single { offers: Vec::new() }
    }
}

impl<T: ?Sized> Clone for Keyed<T> {
    fn clone(&self) -> Self {
        Keyed { exact: self.exact.clone(), prefixes: self.prefixes.clone(), kinds: self.kinds.clone() }
    }
}

impl<T: ?Sized> Default for Keyed<T> {
    fn default() -> Self {
        Keyed { exact: BTreeMap::new(), prefixes: BTreeMap::new(), kinds: BTreeMap::new() }
    }
}

impl<T: ?Sized> Clone for List<T> {
    fn clone(&self) -> Self {
        List { places: self.places.clone() }
    }
}

impl<T: ?Sized> Default for List<T> {
    fn default() -> Self {
        List { places: BTreeMap::new() }
    }
}
