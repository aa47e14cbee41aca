//! The calls that a call made: a list that is cheap to keep and to change, with its own counts.
//!
//! It is made of shared chunks, so that a list with one more or one changed call shares all others with the list
//! before. How the calls stand, at any depth, is counted as they come, so that no one has to walk the tree for it.

use std::ops::Index;
use std::sync::Arc;

use crate::call::{CallState, ToolCall};

/// So many calls are copied where one changes.
const CHUNK: usize = 32;

/// Calls in start order.
#[derive(Debug, Clone, Default)]
pub struct SubCalls {
    /// All full but the last.
    chunks: Vec<Arc<Vec<Arc<ToolCall>>>>,
    below: Below,
}

/// Counts over all calls below one, to any depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Below {
    /// All of them.
    pub calls: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that wait for a person.
    pub waiting: usize,
    /// Those that run.
    pub running: usize,
}

impl SubCalls {
    /// No call at all, with counts of calls that are elsewhere: what a plugin is told of them.
    pub fn counted(below: Below) -> SubCalls {
        SubCalls { chunks: Vec::new(), below }
    }

    /// How many there are, not counting what is below them.
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    /// True where no call was made.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// All of them, first the one that began first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<ToolCall>> + Clone {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// The call at a place.
    pub fn get(&self, at: usize) -> Option<&Arc<ToolCall>> {
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    /// Adds a call at the end.
    pub fn push(&mut self, call: Arc<ToolCall>) {
        self.below.add(&call);
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => Arc::make_mut(last).push(call),
            _ => self.chunks.push(Arc::new(vec![call])),
        }
    }

    /// Puts a call in the place of another; does nothing where there is none.
    pub fn set(&mut self, at: usize, call: Arc<ToolCall>) {
        let Some(chunk) = self.chunks.get_mut(at / CHUNK) else { return };
        if at % CHUNK >= chunk.len() {
            return;
        }
        self.below.add(&call);
        let before = std::mem::replace(&mut Arc::make_mut(chunk)[at % CHUNK], call);
        self.below.remove(&before);
    }

    /// Leaves only those that are wanted.
    pub fn retain(&mut self, wanted: impl Fn(&ToolCall) -> bool) {
        *self = self.iter().filter(|call| wanted(call)).cloned().collect();
    }

    /// How they and all calls below them stand.
    pub fn below(&self) -> Below {
        self.below
    }
}

impl FromIterator<Arc<ToolCall>> for SubCalls {
    fn from_iter<I: IntoIterator<Item = Arc<ToolCall>>>(calls: I) -> SubCalls {
        let mut list = SubCalls::default();
        calls.into_iter().for_each(|call| list.push(call));
        list
    }
}

impl From<Vec<Arc<ToolCall>>> for SubCalls {
    fn from(calls: Vec<Arc<ToolCall>>) -> SubCalls {
        calls.into_iter().collect()
    }
}

impl Index<usize> for SubCalls {
    type Output = Arc<ToolCall>;

    fn index(&self, at: usize) -> &Arc<ToolCall> {
        &self.chunks[at / CHUNK][at % CHUNK]
    }
}

impl Below {
    fn add(&mut self, call: &ToolCall) {
        let below = call.sub_calls.below;
        self.calls += below.calls + 1;
        self.failed += below.failed + usize::from(call.state == CallState::Error);
        self.waiting += below.waiting + usize::from(call.state == CallState::AwaitingApproval);
        self.running += below.running + usize::from(call.state == CallState::Executing);
    }

    fn remove(&mut self, call: &ToolCall) {
        let mut one = Below::default();
        one.add(call);
        self.calls -= one.calls;
        self.failed -= one.failed;
        self.waiting -= one.waiting;
        self.running -= one.running;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::call::CallKey;

    fn call(state: CallState) -> Arc<ToolCall> {
        Arc::new(ToolCall {
            state,
            own_revision: 1,
            tree_revision: 1,
            ..ToolCall::new(CallKey { turn: 1, id: Arc::from("c"), occurrence: 0 }, "T")
        })
    }

    fn shared(list: &SubCalls, other: &SubCalls) -> usize {
        list.chunks.iter().zip(&other.chunks).filter(|(one, other)| Arc::ptr_eq(one, other)).count()
    }

    #[test]
    fn one_more_or_one_changed_call_copies_a_chunk() {
        let call = call(CallState::Done);
        for count in [1, 10, 32, 33, 1_000] {
            let list: SubCalls = (0..count).map(|_| Arc::clone(&call)).collect();
            assert_eq!((list.len(), list.iter().count(), list.below().calls), (count, count, count));
            let mut more = list.clone();
            more.push(Arc::clone(&call));
            assert!(shared(&list, &more) + 1 >= list.chunks.len(), "{count}");
            let mut changed = list.clone();
            changed.set(count / 2, super::tests::call(CallState::Error));
            assert_eq!(shared(&list, &changed) + 1, list.chunks.len(), "{count}");
            assert_eq!((changed.below().failed, changed[count / 2].state), (1, CallState::Error));
            changed.set(count, Arc::clone(&call));
            assert_eq!(changed.len(), count);
            changed.retain(|call| call.state != CallState::Error);
            assert_eq!((changed.len(), changed.below().failed), (count - 1, 0));
            assert!(changed.get(count - 1).is_none());
        }
    }
}
