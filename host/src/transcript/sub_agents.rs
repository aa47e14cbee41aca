//! What sub-agents say: the live tail of the call that runs them, never an item of the flow.
//!
//! One open block for each such call. Only its length is kept here, the text itself goes to the call's tail, which
//! drops from its front what is too long.

use std::collections::HashMap;

use carpel_protocol::event::TextDelta;

use super::calls::Calls;

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
            calls.progress(call, "\n", false);
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
        calls.progress(call, &delta.text, delta.reset);
    }

    /// The end of a block; the part of the whole that has not come yet is added.
    pub(super) fn end(&mut self, calls: &mut Calls, call: &str, voice: Voice, whole: &str) {
        let block = match self.open.remove(call) {
            Some(block) if block.voice == voice => block,
            Some(_) | None => Block { voice, bytes: 0, ends_line: true },
        };
        let missing = whole.get(block.bytes..).unwrap_or_default();
        let ends_line = if missing.is_empty() { block.ends_line } else { missing.ends_with('\n') };
        calls.progress(call, missing, false);
        if !ends_line {
            calls.progress(call, "\n", false);
        }
    }

    pub(super) fn end_turn(&mut self) {
        self.open.clear();
    }
}
