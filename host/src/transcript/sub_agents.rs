//! What sub-agents say: the live tail of the call that runs them, never an item of the flow.
//!
//! One open block for each such call. Only its length is kept here, the text itself goes to the call's tail, which
//! drops from its front what is too long. A step of a sub-agent that is asked again takes back what it has said and begun,
//! and nothing of others.

use std::collections::HashMap;

use carpel_protocol::event::TextDelta;

use super::calls::Calls;
use super::node::Ix;

/// Which of its two voices a sub-agent uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Its answer.
    Text,
    /// Its thinking.
    Thinking,
}

/// The open block of each sub-agent, by the id of its call.
#[derive(Debug, Default)]
pub struct SubAgents {
    open: HashMap<String, Block>,
    /// Bytes of the tail that its present step has said: they go when the step is asked again.
    said: HashMap<String, usize>,
}

#[derive(Debug)]
struct Block {
    voice: Voice,
    bytes: usize,
    ends_line: bool,
}

impl SubAgents {
    /// A block begins.
    pub(super) fn begin(&mut self, calls: &mut Calls, call: &str, voice: Voice) {
        let before = self.open.insert(call.to_owned(), Block { voice, bytes: 0, ends_line: true });
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
            block.bytes = if delta.reset { 0 } else { block.bytes } + delta.text.len();
            block.ends_line = delta.text.ends_with('\n') || (delta.text.is_empty() && block.ends_line);
        }
        self.say(calls, call, &delta.text, delta.reset);
    }

    /// The end of a block; the part of the whole that has not come yet is added.
    pub(super) fn end(&mut self, calls: &mut Calls, call: &str, voice: Voice, whole: &str) {
        let block = match self.open.remove(call) {
            Some(block) if block.voice == voice => block,
            Some(_) | None => Block { voice, bytes: 0, ends_line: true },
        };
        let missing = whole.get(block.bytes..).unwrap_or_default();
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
        calls.take_back_below(call, self.said.remove(call).unwrap_or_default());
    }

    pub(super) fn end_turn(&mut self) {
        self.open.clear();
        self.said.clear();
    }

    fn say(&mut self, calls: &mut Calls, call: &str, text: &str, reset: bool) {
        let said = self.said.entry(call.to_owned()).or_default();
        *said = if reset { 0 } else { *said } + text.len();
        calls.progress(call, text, reset);
    }
}

impl Calls {
    /// The id of the call that made this one.
    fn maker_of(&self, child: &str) -> Option<&str> {
        let parent = self.nodes[self.find(child)?].parent?;
        Some(&self.nodes[parent].call.key.id)
    }

    /// Takes the end of a call's tail away, and the calls below it that were never allowed to run.
    fn take_back_below(&mut self, id: &str, said: usize) {
        let Some(ix) = self.find(id).filter(|ix| !self.nodes[*ix].call.state.is_settled()) else { return };
        let text = self.nodes[ix].call.progress.text();
        let kept = text[..text.floor_char_boundary(text.len().saturating_sub(said))].to_owned();
        let tail = &mut self.change(ix).progress;
        tail.clear();
        tail.push(&kept);
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
