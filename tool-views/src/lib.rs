//! The tool seat and the built-in tool views.
//!
//! [`tree`] holds the seat `tool`: it walks a root call and sends every call below it through the slot `tool.view`.
//! Each view is one file, named after its tool, and registers itself. [`generic`] draws what has no view of its own
//! and fills in what a view leaves out. Nothing here knows rows, colours, clocks or the pod.

mod aliases;
mod argument;
mod bash;
mod change;
mod content;
mod details;
mod edit;
pub mod generic;
mod glob;
mod grep;
mod kinds;
pub mod mcp;
mod path;
mod path_tree;
mod read;
mod rollup;
mod skill;
mod task;
pub mod tree;
mod typed;
pub mod unified;
mod write;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod states;
