//! What a terminal understands, as far as its name says it.
//!
//! A table by prefixes of `TERM`: those that cannot be drawn on at all, old ones that get only what they know, and
//! all others, which are taken for modern: they ignore a private mode that they lack. It reads no environment and asks
//! the terminal nothing; `writer.rs` and `modes.rs` leave out what a dialect lacks.

use super::sgr::ColorDepth;

/// What may be written to a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Whether colours are written.
    pub depth: ColorDepth,
    /// What else.
    pub age: Age,
}

/// How much a terminal knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Age {
    /// Cursor movement and erasing, and bold, underline and reverse: a VT100.
    Old,
    /// Also synchronised updates, bracketed paste, the keyboard protocol, a cursor that hides.
    #[default]
    Modern,
}

/// Terminals that cannot place the cursor, or of which nothing is known.
const UNFIT: [&str; 8] = ["dumb", "unknown", "network", "dialup", "patch", "switch", "lpr", "tty"];

/// Terminals that know what a VT100 knows, and perhaps a little more.
const OLD: [&str; 6] = ["vt1", "vt2", "vt3", "vt4", "vt5", "ansi"];

impl Dialect {
    /// The dialect of the terminal of this name.
    pub fn of(term: Option<&str>, depth: ColorDepth) -> Self {
        match age(term) {
            Age::Old => Self { depth: ColorDepth::None, age: Age::Old },
            Age::Modern => Self { depth, age: Age::Modern },
        }
    }
}

/// How much the terminal of this name knows.
pub fn age(term: Option<&str>) -> Age {
    let old = term.is_some_and(|term| OLD.iter().any(|prefix| term.starts_with(prefix)));
    if old { Age::Old } else { Age::Modern }
}

/// Why the terminal of this name cannot be drawn on.
pub fn refusal(term: Option<&str>) -> Option<String> {
    let term = term.unwrap_or_default();
    if term.is_empty() {
        return Some("TERM is not set, so nothing is known of the terminal".to_owned());
    }
    let unfit = UNFIT.contains(&term) || term.starts_with("dumb-");
    unfit.then(|| format!("the terminal says that it cannot place its cursor (TERM={term})"))
}

#[cfg(test)]
mod tests {
    use super::{Age, ColorDepth, Dialect, refusal};

    #[test]
    fn log_12_17_the_name_decides_what_is_written() {
        let rows = [
            (None, true, Age::Modern),
            (Some(""), true, Age::Modern),
            (Some("dumb"), true, Age::Modern),
            (Some("dumb-emacs-ansi"), true, Age::Modern),
            (Some("unknown"), true, Age::Modern),
            (Some("vt100"), false, Age::Old),
            (Some("vt102-w"), false, Age::Old),
            (Some("vt220"), false, Age::Old),
            (Some("ansi"), false, Age::Old),
            (Some("linux"), false, Age::Modern),
            (Some("xterm"), false, Age::Modern),
            (Some("xterm-256color"), false, Age::Modern),
            (Some("tmux-256color"), false, Age::Modern),
            (Some("vte-256color"), false, Age::Modern),
        ];
        for (term, refused, age) in rows {
            assert_eq!(refusal(term).is_some(), refused, "{term:?}");
            assert_eq!(super::age(term), age, "{term:?}");
            let depth = if age == Age::Old { ColorDepth::None } else { ColorDepth::Full };
            assert_eq!(Dialect::of(term, ColorDepth::Full), Dialect { depth, age }, "{term:?}");
        }
    }
}
