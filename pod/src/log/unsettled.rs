//! Calls that a log has not settled: those that were still being written, and those that are recorded and wait.
//!
//! Owns what is known of them where their pod went away: a draft is then all that is left of its call and becomes a
//! record; a call of which no beginning was noted never ran, as far as the log's writer notes beginnings. It refuses to
//! know lines and numbers (`restore.rs`) and what is said of such a call (`pairing.rs`).

use std::collections::{BTreeSet, HashMap};

use carpel_protocol::{Item, Record};

#[derive(Debug, Default)]
pub(super) struct Unsettled {
    /// Calls that were being written and are not recorded yet.
    drafts: Vec<Record>,
    /// Recorded calls that have not begun: the position of each.
    waiting: HashMap<String, usize>,
    never_begun: BTreeSet<usize>,
}

impl Unsettled {
    /// A call as far as it is known; without one, all that was being written is given up.
    pub(super) fn draft(&mut self, draft: Option<Record>) {
        match draft {
            Some(draft) => {
                self.drafts.retain(|known| call_id(&known.item) != call_id(&draft.item));
                self.drafts.push(draft);
            }
            None => self.drafts.clear(),
        }
    }

    /// A call that was recorded is no draft any more. A turn that ended has told what became of each; where the next
    /// turn begins without that, its pod went away, and the drafts are all that is left of their calls.
    pub(super) fn settle(&mut self, next: &Item, records: &mut Vec<Record>) {
        match next {
            Item::ToolCall(call) => self.drafts.retain(|draft| call_id(&draft.item) != Some(&call.id)),
            Item::TurnEnd(_) => self.drafts.clear(),
            Item::UserMessage(_) | Item::Compaction(_) => self.take_up(records),
            Item::AssistantText(_)
            | Item::Reasoning(_)
            | Item::ToolResult(_)
            | Item::Command(_)
            | Item::Notice(_)
            | Item::Unknown(_) => {}
        }
    }

    /// The drafts become records: what was still being written never ran.
    pub(super) fn take_up(&mut self, records: &mut Vec<Record>) {
        let from = records.len();
        records.append(&mut self.drafts);
        self.never_begun.extend(from..records.len());
    }

    /// A call whose beginning would be noted is recorded at that position.
    pub(super) fn waits(&mut self, call: &Item, at: usize) {
        if let Some(id) = call_id(call) {
            self.waiting.insert(id.clone(), at);
            self.never_begun.insert(at);
        }
    }

    /// The call of that id may have run from here on.
    pub(super) fn begins(&mut self, id: &str) {
        if let Some(at) = self.waiting.remove(id) {
            self.never_begun.remove(&at);
        }
    }

    /// How many drafts wait to become records.
    pub(super) fn drafts(&self) -> u64 {
        self.drafts.len() as u64
    }

    /// The positions of all calls that never began, those with a result among them.
    pub(super) fn never_begun(self) -> BTreeSet<usize> {
        self.never_begun
    }
}

fn call_id(item: &Item) -> Option<&String> {
    match item {
        Item::ToolCall(call) => Some(&call.id),
        _ => None,
    }
}
