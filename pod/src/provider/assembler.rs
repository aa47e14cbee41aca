//! The one place where pieces of a model's answer become [`StreamEvent`]s, whatever wire they came over.
//!
//! A wire says what it saw: a piece of text, of thinking, of a call, tokens, a reason to stop, the end. Owned here: which
//! call a piece belongs to (`assembler/calls.rs`), that every part begins and ends, that only a terminal event makes a
//! step successful, that an answer has bounds. It refuses to know JSON beyond where an object ends (`assembler/json.rs`),
//! and whether a call may run: broken arguments pass, the turn judges them.

mod calls;
mod json;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::Value;

pub use self::calls::CallPiece;
use self::calls::Calls;
use super::{Failure, PartKind, StopReason, StreamEvent, Tokens};

/// Bytes of text, thinking and arguments of one step.
const MAX_STEP: usize = 64 * 1024 * 1024;
/// What a piece counts at least, so that endless empty ones end too.
const SMALLEST: usize = 16;

/// The way out of an answer beyond its bounds.
const LESS: &str = "ask for less at a time";

/// Puts one step together.
#[derive(Debug, Default)]
pub struct Assembler {
    out: Vec<StreamEvent>,
    parts: Parts,
    /// Open blocks by the wire's number.
    blocks: BTreeMap<u64, Block>,
    calls: Calls,
    tokens: Tokens,
    stop: Option<StopReason>,
    refused: bool,
    said_anything: bool,
    size: usize,
    is_over: bool,
}

/// Numbers for parts, in the order in which they begin.
#[derive(Debug, Default)]
pub(super) struct Parts(u32);

impl Parts {
    pub(super) fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0 - 1
    }
}

/// What a block of text or thinking is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    Text,
    Thinking,
}

#[derive(Debug)]
struct Block {
    part: u32,
    kind: BlockKind,
    opaque: Option<Value>,
}

impl Assembler {
    /// What has come of the pieces so far.
    pub fn events(&mut self) -> Vec<StreamEvent> {
        std::mem::take(&mut self.out)
    }

    /// The terminal event is out; nothing more will come.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// A reason to stop has been given: the answer is whole, and only formalities are to come.
    pub fn is_answered(&self) -> bool {
        self.stop.is_some()
    }

    /// A block begins. Thinking is begun at once; text with its first piece.
    pub fn begin(&mut self, index: u64, kind: BlockKind) {
        if kind == BlockKind::Thinking && self.fits(SMALLEST) {
            self.block(index, kind);
        }
    }

    /// A piece of a block that the wire numbers.
    pub fn piece(&mut self, index: u64, kind: BlockKind, text: &str) {
        if text.is_empty() || !self.fits(text.len()) {
            return;
        }
        self.said_anything = true;
        let part = self.block(index, kind).part;
        self.out.push(StreamEvent::Delta { part, text: text.to_owned() });
    }

    /// A piece of the only block that is open, on wires without numbers; of another kind it begins the next one.
    pub fn run(&mut self, kind: BlockKind, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.blocks.get(&0).is_some_and(|block| block.kind != kind) {
            self.end_block(0);
        }
        self.piece(0, kind, text);
    }

    /// Changes what the provider wants back with a block of thinking, which begins with that.
    pub fn keep(&mut self, index: u64, change: impl FnOnce(&mut Option<Value>)) {
        change(&mut self.block(index, BlockKind::Thinking).opaque);
    }

    /// The wire says that a block or call is whole.
    pub fn end_block(&mut self, index: u64) {
        if let Some(Block { part, opaque, .. }) = self.blocks.remove(&index) {
            self.out.push(StreamEvent::End { part, opaque });
        }
    }

    /// A piece of a call.
    pub fn call(&mut self, piece: CallPiece<'_>) {
        let whole = piece.whole.map_or(0, str::len);
        if !self.fits(piece.arguments.len() + piece.name.len() + piece.id.len() + whole + SMALLEST) {
            return;
        }
        self.said_anything = true;
        // An answer without numbers that goes on after a call goes on in a block of its own; so does thinking.
        if piece.ends_text {
            self.end_block(0);
        }
        if !self.calls.take(piece, &mut self.parts, &mut self.out) {
            self.fail(Failure::lasting("the model made more calls in one step than carpel takes", LESS));
        }
    }

    /// The wire says that the call of this number is whole.
    pub fn end_call(&mut self, index: u64) {
        self.calls.end(index, &mut self.parts, &mut self.out);
    }

    /// Counts of tokens for the step so far: what is missing or zero takes nothing back, and what is told twice counts once.
    pub fn usage(&mut self, told: Tokens) {
        let sum = Tokens {
            input: self.tokens.input.max(told.input),
            output: self.tokens.output.max(told.output),
            cached: self.tokens.cached.max(told.cached),
        };
        if sum != self.tokens {
            self.tokens = sum;
            self.out.push(StreamEvent::Usage(sum));
        }
    }

    /// The model says why it stops. The first word counts.
    pub fn stop(&mut self, reason: StopReason) {
        self.stop.get_or_insert(reason);
    }

    /// The text so far is a refusal.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    /// The terminal event: the answer is whole, whether a reason was given or not.
    pub fn finish(&mut self) {
        if self.is_over {
            return;
        }
        self.close();
        let stop = self.stop.unwrap_or(StopReason::EndTurn);
        let stop = match stop {
            // Some servers say so of every answer.
            StopReason::EndTurn | StopReason::ToolUse if !self.calls.is_empty() => StopReason::ToolUse,
            StopReason::ToolUse => StopReason::EndTurn,
            StopReason::EndTurn if self.refused => StopReason::Refusal,
            stop => stop,
        };
        self.out.push(StreamEvent::Stop(stop));
        self.is_over = true;
    }

    /// Whether anything was said or asked for.
    pub fn has_said_anything(&self) -> bool {
        self.said_anything || !self.blocks.is_empty() || self.parts.0 > 0
    }

    /// The step failed. What is open is left so: it was not whole.
    pub fn fail(&mut self, failure: Failure) {
        if !self.is_over {
            self.out.push(StreamEvent::Failed(failure));
            self.is_over = true;
        }
    }

    fn close(&mut self) {
        while let Some((&index, _)) = self.blocks.first_key_value() {
            self.end_block(index);
        }
        self.calls.end_all(&mut self.parts, &mut self.out);
    }

    fn block(&mut self, index: u64, kind: BlockKind) -> &mut Block {
        if self.blocks.get(&index).is_some_and(|block| block.kind != kind) {
            self.end_block(index);
        }
        let (parts, out) = (&mut self.parts, &mut self.out);
        self.blocks.entry(index).or_insert_with(|| {
            let part = parts.next();
            let kind_of_part = match kind {
                BlockKind::Text => PartKind::Text,
                BlockKind::Thinking => PartKind::Thinking,
            };
            out.push(StreamEvent::Start { part, kind: kind_of_part });
            Block { part, kind, opaque: None }
        })
    }

    fn fits(&mut self, more: usize) -> bool {
        if self.is_over {
            return false;
        }
        self.size += more;
        if self.size > MAX_STEP {
            self.fail(Failure::lasting("the model's answer is larger than 64 MiB", LESS));
        }
        !self.is_over
    }
}
