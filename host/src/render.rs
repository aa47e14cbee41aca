//! The renderer: items and cards to rows.
//!
//! It owns how everything looks: glyphs, styles, wrapping, clipping, Markdown, syntax colours. It refuses to know where
//! rows go, what is live or settled in the flow, and what a tool means; it is told a width, a density, a place and a
//! time. Read [`painter`] next, the implementation of `Paint`; then [`card`] for calls, [`items`] for the rest and
//! [`markdown`] for answers.

pub mod answer;
pub mod block;
pub mod card;
pub mod clip;
pub mod clock;
pub mod code;
pub mod command;
pub mod diff;
pub mod fields;
pub mod glyph;
pub mod ground;
pub mod header;
pub mod highlight;
pub mod items;
mod kept;
pub mod look;
pub mod markdown;
pub mod matches;
pub mod output;
pub mod painter;
pub mod table;
pub mod theme;
pub mod wrap;

pub use highlight::Highlighter;
pub use look::Look;
pub use painter::Painter;

#[cfg(test)]
mod tests;
