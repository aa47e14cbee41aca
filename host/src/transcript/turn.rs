//! The turn that is open: its number, its prompts, and where its newest step began.
//!
//! Numbers given here only grow, also where those of the wire do not, so that a call's key is never used twice. After
//! an attach the pod tells the open turn again; this module says what is a repetition and what is new.

use std::collections::VecDeque;

use super::item::ItemId;

/// The open turn, or the last one.
#[derive(Debug)]
pub struct Turn {
    /// Its number in the transcript; 0 before the first.
    pub number: u64,
    /// The pod's number; `None` where it was not told (history, a recording without it).
    pub wire: Option<u64>,
    /// True once nothing more of it can count.
    pub ended: bool,
    /// True while nothing of it is known to go on: before the first, and after a history without a snapshot.
    pub quiet: bool,
    /// Items from here on belong to the newest step.
    pub step: ItemId,
    /// Its prompts in order.
    users: Vec<String>,
    /// Prompts that the pod may tell again.
    echoes: VecDeque<String>,
    /// True when the history's last turn is the one that the pod is in.
    continues: bool,
}

impl Default for Turn {
    fn default() -> Turn {
        Turn {
            number: 0,
            wire: None,
            ended: false,
            quiet: true,
            step: ItemId(0),
            users: Vec::new(),
            echoes: VecDeque::new(),
            continues: false,
        }
    }
}

impl Turn {
    /// True when a `turn_start` of this number tells of the turn that is open already.
    pub fn is_open(&self, wire: u64) -> bool {
        !self.ended && (self.wire == Some(wire) || (self.wire.is_none() && self.continues))
    }

    /// The open turn is told again.
    pub fn seen_again(&mut self, wire: u64) {
        self.wire = Some(wire);
        self.continues = false;
        self.echoes = self.users.iter().cloned().collect();
    }

    /// A new turn begins.
    pub fn begin(&mut self, wire: Option<u64>, step: ItemId) {
        let number = (self.number + 1).max(wire.unwrap_or(0));
        *self = Turn { number, wire, step, quiet: false, ..Turn::default() };
    }

    /// The pod says that it is in the turn whose items the history ended with.
    pub fn continue_history(&mut self) {
        self.continues = self.wire.is_none() && self.number > 0;
    }

    /// True when the turn has a prompt.
    pub fn has_prompt(&self) -> bool {
        !self.users.is_empty()
    }

    /// Takes a prompt; false when it is one that was taken already and is told again.
    pub fn prompt(&mut self, text: &str) -> bool {
        if self.echoes.pop_front().is_some_and(|echo| echo == text) {
            return false;
        }
        self.echoes.clear();
        self.users.push(text.to_owned());
        true
    }

    /// The turn ends.
    pub fn end(&mut self) {
        self.ended = true;
        self.echoes.clear();
        self.continues = false;
    }
}
