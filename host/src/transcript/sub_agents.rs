//! What sub-agents say: the live tail of the call that runs them, and its passages for who looks closer; never an item
//! of the flow.
//!
//! One open block for each such call. Only its length is kept here, the text itself goes to the call: to its tail, and as
//! a passage to what it has said, which both drop from their front what is too long. A step of a sub-agent that is asked
//! again takes back what it has said and begun, and nothing of others.

use std::collections::HashMap;

use carpel_protocol::event::TextDelta;
use carpel_slots::{Said, Voice};

use super::calls::Calls;
use super::node::Ix;

/// The open block of each sub-agent, by the id of its call.
#[derive(Debug, Default)]
pub struct SubAgents {
    open: HashMap<String, Block>,
    /// Bytes of the tail that its present step has said: they go when the step is asked again.
    said: HashMap<String, Step>,
}

/// What a sub-agent has said in its present step.
#[derive(Debug, Default)]
struct Step {
    bytes: usize,
    passages: usize,
}

#[derive(Debug)]
struct Block {
    voice: Voice,
    bytes: usize,
    ends_line: bool,
    /// True once it has a passage: one without text has none.
    is_placed: bool,
    /// True when an attach may tell its start again.
    is_repeatable: bool,
}

impl Block {
    fn new(voice: Voice) -> Block {
        Block { voice, bytes: 0, ends_line: true, is_placed: false, is_repeatable: false }
    }
}

impl SubAgents {
    /// A new connection: the snapshot tells the open blocks again.
    pub(super) fn attached(&mut self) {
        self.open.values_mut().for_each(|block| block.is_repeatable = true);
    }

    /// A block begins.
    pub(super) fn begin(&mut self, calls: &mut Calls, call: &str, voice: Voice) {
        if let Some(block) = self.open.get_mut(call)
            && block.voice == voice
            && std::mem::take(&mut block.is_repeatable)
        {
            return;
        }
        let before = self.open.insert(call.to_owned(), Block::new(voice));
        if before.is_some_and(|block| !block.ends_line) {
            self.say(calls, call, "\n", false);
        }
    }

    /// A piece of a block.
    pub(super) fn delta(&mut self, calls: &mut Calls, call: &str, voice: Voice, delta: &TextDelta) {
        if self.open.get(call).is_none_or(|block| block.voice != voice) {
            self.begin(calls, call, voice);
        }
        if let Some(block) = self.open.get_mut(call) {
            block.is_repeatable = false;
            let is_new = !block.is_placed;
            block.is_placed |= !delta.text.is_empty();
            self.pass(calls, call, |said| match (is_new, delta.reset) {
                (true, _) if delta.text.is_empty() => 0,
                (true, _) => begun(said, voice, &delta.text),
                (false, true) => {
                    said.replace(&delta.text);
                    0
                }
                (false, false) => {
                    said.push(&delta.text);
                    0
                }
            });
        }
        if let Some(block) = self.open.get_mut(call) {
            block.bytes = if delta.reset { 0 } else { block.bytes } + delta.text.len();
            block.ends_line = delta.text.ends_with('\n') || (delta.text.is_empty() && block.ends_line);
        }
        self.say(calls, call, &delta.text, delta.reset);
    }

    /// The end of a block; the part of the whole that has not come yet is added.
    pub(super) fn end(&mut self, calls: &mut Calls, call: &str, voice: Voice, whole: &str) {
        let block = match self.open.remove(call) {
            Some(block) if block.voice == voice => block,
            Some(_) | None => Block::new(voice),
        };
        let missing = whole.get(block.bytes..).unwrap_or_default();
        self.pass(calls, call, |said| match (block.is_placed, missing.is_empty()) {
            (_, true) => 0,
            (true, false) => {
                said.push(missing);
                0
            }
            (false, false) => begun(said, voice, missing),
        });
        let ends_line = if missing.is_empty() { block.ends_line } else { missing.ends_with('\n') };
        self.say(calls, call, missing, false);
        if !ends_line {
            self.say(calls, call, "\n", false);
        }
    }

    /// The calls of a step may run: it cannot be abandoned any more.
    pub(super) fn step_ran(&mut self, calls: &Calls, child: &str) {
        if let Some(call) = calls.maker_of(child) {
            self.said.remove(call);
        }
    }

    /// The sub-agent asks its step again: what the step has said goes, and the calls that it began.
    pub(super) fn abandon(&mut self, calls: &mut Calls, call: &str) {
        self.open.remove(call);
        let step = self.said.remove(call).unwrap_or_default();
        calls.take_back_below(call, &step);
    }

    pub(super) fn end_turn(&mut self) {
        self.open.clear();
        self.said.clear();
    }

    fn say(&mut self, calls: &mut Calls, call: &str, text: &str, reset: bool) {
        let step = self.said.entry(call.to_owned()).or_default();
        step.bytes = if reset { 0 } else { step.bytes } + text.len();
        calls.progress(call, text, reset);
    }

    /// Changes the passages of a call that goes on; how many were begun comes back from the change.
    fn pass(&mut self, calls: &mut Calls, call: &str, change: impl FnOnce(&mut Said) -> usize) {
        let Some(ix) = calls.find(call).filter(|ix| !calls.nodes[*ix].call.state.is_settled()) else {
            return;
        };
        self.said.entry(call.to_owned()).or_default().passages += change(&mut calls.change(ix).said);
    }
}

fn begun(said: &mut Said, voice: Voice, text: &str) -> usize {
    said.begin(voice, text);
    1
}

impl Calls {
    /// The id of the call that made this one.
    fn maker_of(&self, child: &str) -> Option<&str> {
        let parent = self.nodes[self.find(child)?].parent?;
        Some(&self.nodes[parent].call.key.id)
    }

    /// Takes the end of a call's tail away, and the calls below it that were never allowed to run.
    fn take_back_below(&mut self, id: &str, step: &Step) {
        let Some(ix) = self.find(id).filter(|ix| !self.nodes[*ix].call.state.is_settled()) else { return };
        let text = self.nodes[ix].call.progress.text();
        let kept = text[..text.floor_char_boundary(text.len().saturating_sub(step.bytes))].to_owned();
        let tail = &mut self.change(ix).progress;
        tail.clear();
        tail.push(&kept);
        self.change(ix).said.take_back(step.passages);
        let began = |child: &Ix| self.open.contains(child) && !self.nodes[*child].ran;
        let gone: Vec<Ix> = self.nodes[ix].children.iter().copied().filter(began).collect();
        for child in gone {
            let key = self.nodes[child].call.key.clone();
            self.drop_root(&key);
            self.nodes[ix].children.retain(|other| *other != child);
            self.nodes[ix].dirty.children.remove(&child);
            // Values stand at the places of their calls; of those that were never shown there is none yet.
            self.change(ix).sub_calls.retain(|value| value.key != key);
        }
        for slot in 0..self.nodes[ix].children.len() {
            let child = self.nodes[ix].children[slot];
            self.nodes[child].slot = slot;
        }
    }
}
