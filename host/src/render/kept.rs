//! What is kept of a drawn call tree, so that a frame lays out again only the cards that changed.
//!
//! A card's rows depend on the call itself, on how many calls are below it and how they stand, on where it stands, and on
//! the second that its timer shows. Width, density and place hold for the whole tree: with another one nothing is kept.
//! It does not draw; the painter does.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use carpel_slots::{Below, CallKey, Density};

use crate::paint::{CardRows, Cards, Place};
use crate::render::answer;

/// What holds for all cards of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Columns.
    pub width: usize,
    /// How much is shown.
    pub density: Density,
    /// Where it stands.
    pub place: Place,
}

/// What the rows of one card depend on besides its [`Frame`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardStamp {
    /// The call itself.
    pub own: u64,
    /// How the calls below it stand.
    pub below: Below,
    /// Everything below it, where its view looks there.
    pub tree: Option<u64>,
    /// Its depth.
    pub depth: usize,
    /// The bound of a body that grows.
    pub body_rows: Option<usize>,
    /// The second that its timer shows.
    pub second: Option<u64>,
}

/// What rows were drawn without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missing {
    /// Colours of code.
    pub colours: bool,
    /// Cards that are made elsewhere.
    pub cards: bool,
}

impl Missing {
    /// True when anything is.
    pub fn is_any(self) -> bool {
        self.colours || self.cards
    }
}

/// A drawn card.
#[derive(Debug)]
pub struct KeptCard {
    /// What it depends on.
    pub stamp: CardStamp,
    /// Its rows.
    pub rows: Arc<CardRows>,
    /// The generation of colours and cards that it was drawn with, where some were missing.
    pub waiting: Option<u64>,
    missing: Missing,
    /// Header and body apart, once they were needed so.
    apart: Option<(Arc<CardRows>, Arc<CardRows>)>,
}

/// A drawn tree.
#[derive(Debug)]
pub struct KeptTree {
    revision: u64,
    frame: Frame,
    body_rows: Option<usize>,
    /// The time from which a timer shows another second.
    until: Option<Duration>,
    cards: Vec<KeptCard>,
    /// All rows, in the order of the screen.
    pub rows: Cards,
    /// The generation of colours and cards that it was drawn with, where some were missing.
    pub waiting: Option<u64>,
}

impl KeptCard {
    /// A card that has been drawn just now.
    pub fn new(stamp: CardStamp, rows: CardRows, waiting: Option<u64>, missing: Missing) -> KeptCard {
        KeptCard { stamp, rows: Arc::new(rows), waiting, missing, apart: None }
    }

    fn apart(&mut self) -> (Arc<CardRows>, Arc<CardRows>) {
        let (head, body) = self.apart.get_or_insert_with(|| {
            let (head, body) = answer::apart(&self.rows);
            (Arc::new(head), Arc::new(body))
        });
        (Arc::clone(head), Arc::clone(body))
    }
}

impl KeptTree {
    /// A tree of these cards.
    pub fn new(
        revision: u64,
        frame: Frame,
        body_rows: Option<usize>,
        until: Option<Duration>,
        mut cards: Vec<KeptCard>,
    ) -> KeptTree {
        let waiting = cards.iter().filter_map(|card| card.waiting).min();
        let whole: Vec<Arc<CardRows>> = cards.iter().map(|card| Arc::clone(&card.rows)).collect();
        let rows = answer::last(&whole, |at| cards[at].apart()).into();
        KeptTree { revision, frame, body_rows, until, cards, rows, waiting }
    }

    /// What is missing anywhere in it.
    pub fn missing(&self) -> Missing {
        let all = self.cards.iter().map(|card| card.missing);
        all.fold(Missing::default(), |sum, one| Missing {
            colours: sum.colours || one.colours,
            cards: sum.cards || one.cards,
        })
    }

    /// True when nothing of it would be drawn otherwise now. Rows that lack nothing do not change when colours of
    /// others come.
    pub fn stands(
        &self,
        revision: u64,
        frame: Frame,
        body_rows: Option<usize>,
        now: Duration,
        generation: u64,
    ) -> bool {
        self.revision == revision
            && self.frame == frame
            && self.body_rows == body_rows
            && self.until.is_none_or(|until| now < until)
            && self.waiting.is_none_or(|drawn| drawn == generation)
    }
}

/// The cards of the drawing before, to be taken over.
#[derive(Debug, Default)]
pub struct Before {
    cards: Vec<Option<KeptCard>>,
    /// Where the next one is looked for: most trees grow at their end only.
    at: usize,
    places: Option<HashMap<CallKey, usize>>,
}

impl Before {
    /// The cards of a tree, as far as they were drawn for the same frame.
    pub fn of(tree: Option<KeptTree>, frame: Frame) -> Before {
        let cards = tree.filter(|tree| tree.frame == frame).map(|tree| tree.cards).unwrap_or_default();
        Before { cards: cards.into_iter().map(Some).collect(), ..Before::default() }
    }

    /// The card of a call, where it would not be drawn otherwise now.
    pub fn take(&mut self, key: &CallKey, stamp: &CardStamp, generation: u64) -> Option<KeptCard> {
        let place = self.place(key)?;
        self.at = place + 1;
        self.cards
            .get_mut(place)?
            .take_if(|card| card.stamp == *stamp && card.waiting.is_none_or(|drawn| drawn == generation))
    }

    fn place(&mut self, key: &CallKey) -> Option<usize> {
        let is_here = |card: &Option<KeptCard>| card.as_ref().is_some_and(|card| card.rows.key == *key);
        if self.cards.get(self.at).is_some_and(is_here) {
            return Some(self.at);
        }
        if self.at >= self.cards.len() {
            return None;
        }
        let places = self.places.get_or_insert_with(|| {
            let keys = self.cards.iter().enumerate();
            keys.filter_map(|(at, card)| Some((card.as_ref()?.rows.key.clone(), at))).collect()
        });
        places.get(key).copied()
    }
}
