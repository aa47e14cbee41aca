//! Completion in a draft: the list of what a word behind `@`, `#` or `/` may mean.
//!
//! [`Completion`] remembers the open list and what is known of the workspace. It is pure: the draft and what was found
//! out come in, questions and rows go out ([`crate::naming`] answers the questions on threads of its own). A list is
//! filtered a bounded piece at a time, so that a key never waits for it. Whatever changes the draft in another way hides
//! the list, because it stands for one word with the cursor behind it. [`token`] finds that word, [`filter`] what fits,
//! [`quoted`] how a path is written; the sources are entries of the slot `completion`, one file each.

pub mod filter;
pub mod folder;
pub mod quoted;
pub mod token;

mod files;
mod knowledge;
mod skills;

use std::ops::Range;
use std::time::Duration;

use carpel_slots::Registry;
use carpel_slots::completion::{CompletionCx, Offer};

use crate::naming::{Ask, Told};
use filter::Filter;
use token::Token;

/// What was found out about the workspace is asked for again when it is older than this and a list opens.
const STALE: Duration = Duration::from_secs(5);

/// The open list, and what lists are made of.
#[derive(Debug, Default)]
pub struct Completion {
    known: CompletionCx,
    told_at: Option<Duration>,
    asked: bool,
    asked_folder: Option<String>,
    open: Option<Open>,
    /// Where the word begins whose list the person closed.
    closed: Option<usize>,
}

/// A list for a word.
#[derive(Debug)]
pub struct Open {
    token: Token,
    /// What fits.
    pub filter: Filter,
    /// The row that the person chose with the arrow keys.
    pub selected: Option<usize>,
}

/// What becomes of the draft when a row is taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    /// This part of the draft goes.
    pub range: Range<usize>,
    /// In its place.
    pub text: String,
    /// Where the cursor stands then.
    pub cursor: usize,
    /// True when the word goes on.
    pub goes_on: bool,
}

impl Completion {
    /// The draft was edited: the list follows. What has to be found out comes back.
    pub fn follow(&mut self, draft: &str, cursor: usize, registry: &Registry, now: Duration) -> Vec<Ask> {
        let Some(token) = token::token(draft, cursor, registry) else {
            self.open = None;
            self.closed = None;
            return Vec::new();
        };
        // A sigil alone begins a word anew.
        if self.closed == Some(token.start) && !token.typed.is_empty() {
            return Vec::new();
        }
        let opens = self.open.as_ref().is_none_or(|open| open.token.start != token.start);
        self.show(token, registry);
        let mut asks = Vec::new();
        let is_stale = self.told_at.is_none_or(|told| now.saturating_sub(told) >= STALE);
        if opens && is_stale && !self.asked {
            self.asked = true;
            asks.push(Ask::Everything);
        }
        asks.extend(self.wanted_folder());
        asks
    }

    fn wanted_folder(&mut self) -> Option<Ask> {
        let wants = self.open.as_ref()?.filter.offers().wants.clone()?;
        let known = self.known.folder.as_ref().is_some_and(|(folder, _)| *folder == wants);
        if known || self.asked_folder.as_ref() == Some(&wants) {
            return None;
        }
        self.asked_folder = Some(wants.clone());
        Some(Ask::Folder(wants))
    }

    fn show(&mut self, token: Token, registry: &Registry) {
        let offers = registry.completion(token.sigil).map(|source| source.offers(&token.typed, &self.known));
        self.open = offers.map(|offers| Open { token, filter: Filter::new(offers), selected: None });
    }

    /// Something was found out. A list in which the person has chosen a row stays as it is until they type.
    pub fn told(&mut self, told: Told, registry: &Registry, now: Duration) {
        match told {
            Told::Everything(everything) => {
                let folder = self.known.folder.take();
                self.known = CompletionCx { folder, ..everything };
                self.asked = false;
                self.told_at = Some(now);
            }
            Told::Folder(folder, offers) => {
                if self.asked_folder.as_ref() == Some(&folder) {
                    self.asked_folder = None;
                }
                self.known.folder = Some((folder, offers));
            }
        }
        if let Some(Open { token, selected: None, .. }) = &self.open {
            let token = token.clone();
            self.show(token, registry);
        }
    }

    /// The list, while it has rows and the draft is the one that it was made for.
    pub fn list(&self, draft: &str, cursor: usize) -> Option<&Open> {
        self.open.as_ref().filter(|open| open.token.stands(draft, cursor) && open.filter.shown() > 0)
    }

    /// Looks at a bounded number of offers more. True while there are others.
    pub fn step(&mut self) -> bool {
        self.open.as_mut().is_some_and(|open| open.filter.step(filter::STEP))
    }

    /// Chooses the next row, or the one before.
    pub fn select(&mut self, forward: bool) {
        let Some(open) = &mut self.open else { return };
        let Some(last) = open.filter.shown().checked_sub(1) else { return };
        open.selected = Some(match (open.selected, forward) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => {
                if at >= last {
                    0
                } else {
                    at + 1
                }
            }
            (Some(at), false) => at.checked_sub(1).unwrap_or(last),
        });
    }

    /// True while no list is open and none was closed by the person.
    pub fn is_closed(&self) -> bool {
        self.open.is_none() && self.closed.is_none()
    }

    /// Closes the list until another word is begun.
    pub fn close(&mut self) {
        self.closed = self.open.take().map(|open| open.token.start);
    }

    /// What taking the chosen row, else the first, does to the draft.
    pub fn take(&mut self, draft: &str, cursor: usize) -> Option<Taken> {
        let open = self.list(draft, cursor)?;
        let offer = open.filter.offer(open.selected.unwrap_or(0))?;
        let range = open.token.start..open.token.end;
        let taken = taken(offer, range, draft);
        self.open = None;
        Some(taken)
    }

    /// True when there is a skill or a workflow of that name.
    pub fn is_skill(&self, name: &str) -> bool {
        self.known.skills.iter().any(|offer| offer.shown == name)
    }
}

fn taken(offer: &Offer, range: Range<usize>, draft: &str) -> Taken {
    let mut text = offer.insert.clone();
    // The blank that ends a word is not doubled.
    if offer.goes_on.is_none() && draft[range.end..].starts_with(' ') && text.ends_with(' ') {
        text.pop();
    }
    let inside = offer.goes_on.filter(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let cursor = range.start + inside;
    Taken { range, text, cursor, goes_on: offer.goes_on.is_some() }
}
