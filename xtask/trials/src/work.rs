//! Work whose cost is watched: small pieces of what carpel does for each delta, key, row and frame.
//!
//! It owns the pieces, each prepared apart from what is measured, and the pairs that must cost the same however much
//! came before. Inputs are fixed, time and width are arguments, highlighting is done at once. How cost is counted is not
//! its business: `benches/work.rs` does it by the clock, `counts.rs` by instructions. Read `work/screen.rs` next.

use std::any::Any;
use std::fmt;
use std::hint::black_box;

use carpel::render::{Highlighter, Look, markdown};

pub mod flat;
pub mod parts;
pub mod screen;

/// What is measured, ready to be done once. What it worked on comes back, so that taking it down is not measured with it.
pub type Task = Box<dyn FnOnce() -> Box<dyn Any>>;

/// A piece of work.
#[derive(Clone, Copy)]
pub struct Work {
    /// Its name in tables.
    pub name: &'static str,
    /// Does everything that is not to be measured.
    pub prepare: fn() -> Task,
}

/// Work that must cost the same early and late.
#[derive(Clone, Copy)]
pub struct Flat {
    /// Its name in tables.
    pub name: &'static str,
    /// With little before it.
    pub early: fn() -> Task,
    /// With much before it.
    pub late: fn() -> Task,
    /// How many times as much the late one has to do.
    pub scale: u32,
}

/// Loads what is loaded once in a process, such as grammars: that is no part of any work.
pub fn warm() {
    black_box(markdown::whole(parts::ANSWER, 80, Look::COLOUR, &mut Highlighter::inline()));
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Flat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What everything is compared with: text, allocations and a table, in this crate's own few lines.
pub fn yardstick() -> Task {
    let text = "some words of plain text, 漢字 and a few numbers 0123456789\n".repeat(200);
    Box::new(move || {
        let mut counts = std::collections::BTreeMap::new();
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines() {
            let mut upper = String::new();
            for c in line.chars().filter(|c| !c.is_control()) {
                *counts.entry(c).or_insert(0_u32) += 1;
                upper.extend(c.to_uppercase());
            }
            lines.push(upper);
        }
        Box::new((counts, lines))
    })
}
