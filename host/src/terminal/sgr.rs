//! From one style to the next with as few SGR parameters as that takes.
//!
//! Owns the mapping from ratatui's colours and modifiers to SGR, and the switch that leaves every colour out
//! (NO_COLOR loses nothing but colour: weight, dimming and underlines stay). It writes bytes and nothing else: it
//! keeps no state between calls, knows no position and no row. The state lives in `writer.rs`, read that next.

use std::io::Write as _;

use super::dialect::{Age, Dialect};
use ratatui::style::{Color, Modifier, Style};

/// Whether colours are written at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorDepth {
    /// No colour sequence leaves the program.
    None,
    /// Colours as given: the terminal's own sixteen by their codes, indexed and direct ones as they are.
    #[default]
    Full,
}

impl ColorDepth {
    /// What the environment asks for: a non-empty `NO_COLOR` or a dumb terminal means none.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let no_color = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        if no_color || dumb { Self::None } else { Self::Full }
    }
}

/// What a cell looks like, reduced to what SGR can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    fg: Color,
    bg: Color,
    modifiers: Modifier,
}

impl Look {
    /// The terminal's own look, as after `CSI m`.
    pub const PLAIN: Self = Self { fg: Color::Reset, bg: Color::Reset, modifiers: Modifier::empty() };

    /// The look of text in this style on a plain background.
    pub fn new(style: Style, dialect: Dialect) -> Self {
        let mut modifiers = style.add_modifier.difference(style.sub_modifier);
        if dialect.age == Age::Old {
            modifiers &= Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
        }
        match dialect.depth {
            ColorDepth::None => Self { modifiers, ..Self::PLAIN },
            ColorDepth::Full => {
                Self { fg: style.fg.unwrap_or(Color::Reset), bg: style.bg.unwrap_or(Color::Reset), modifiers }
            }
        }
    }

    /// Whether erasing in this look would paint a background.
    pub fn has_background(self) -> bool {
        self.bg != Color::Reset
    }
}

/// Writes the sequence that turns `from` into `to`; nothing when they are equal.
pub fn transition(from: Look, to: Look, out: &mut Vec<u8>) {
    if from == to {
        return;
    }
    if to == Look::PLAIN {
        out.extend_from_slice(b"\x1b[m");
        return;
    }
    let mut codes = Codes::default();
    codes.modifiers(from.modifiers, to.modifiers);
    if from.fg != to.fg {
        codes.color(to.fg, Ground::Fore);
    }
    if from.bg != to.bg {
        codes.color(to.bg, Ground::Back);
    }
    codes.write(out);
}

/// Each modifier with the code that turns it on and the one that turns it off (shared by bold and dim).
const MODIFIERS: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

#[derive(Clone, Copy)]
enum Ground {
    Fore,
    Back,
}

#[derive(Default)]
struct Codes(Vec<u8>);

impl Codes {
    fn modifiers(&mut self, from: Modifier, to: Modifier) {
        let mut kept = from;
        for (modifier, _, off) in MODIFIERS {
            if kept.contains(modifier) && !to.contains(modifier) {
                self.push(&[off]);
                // One code ends every modifier that shares it, so a partner that stays is turned on again below.
                kept.remove(partners(off));
            }
        }
        for (modifier, on, _) in MODIFIERS {
            if to.contains(modifier) && !kept.contains(modifier) {
                self.push(&[on]);
            }
        }
    }

    fn color(&mut self, color: Color, ground: Ground) {
        let base = match ground {
            Ground::Fore => 30,
            Ground::Back => 40,
        };
        match color {
            Color::Reset => self.push(&[base + 9]),
            Color::Indexed(index) => self.push(&[base + 8, 5, index]),
            Color::Rgb(red, green, blue) => self.push(&[base + 8, 2, red, green, blue]),
            Color::Black => self.push(&[base]),
            Color::Red => self.push(&[base + 1]),
            Color::Green => self.push(&[base + 2]),
            Color::Yellow => self.push(&[base + 3]),
            Color::Blue => self.push(&[base + 4]),
            Color::Magenta => self.push(&[base + 5]),
            Color::Cyan => self.push(&[base + 6]),
            Color::Gray => self.push(&[base + 7]),
            Color::DarkGray => self.push(&[base + 60]),
            Color::LightRed => self.push(&[base + 61]),
            Color::LightGreen => self.push(&[base + 62]),
            Color::LightYellow => self.push(&[base + 63]),
            Color::LightBlue => self.push(&[base + 64]),
            Color::LightMagenta => self.push(&[base + 65]),
            Color::LightCyan => self.push(&[base + 66]),
            Color::White => self.push(&[base + 67]),
        }
    }

    fn push(&mut self, codes: &[u8]) {
        self.0.extend_from_slice(codes);
    }

    fn write(&self, out: &mut Vec<u8>) {
        if self.0.is_empty() {
            return;
        }
        out.extend_from_slice(b"\x1b[");
        for (index, code) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(b';');
            }
            // Writing into memory cannot fail.
            let _ = write!(out, "{code}");
        }
        out.push(b'm');
    }
}

fn partners(off: u8) -> Modifier {
    MODIFIERS.iter().filter(|entry| entry.2 == off).fold(Modifier::empty(), |all, entry| all | entry.0)
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Modifier, Style};

    use super::{Age, ColorDepth, Dialect, Look, transition};

    fn check(from: Style, to: Style, depth: ColorDepth, expected: &str) {
        let mut out = Vec::new();
        let dialect = Dialect { depth, age: Age::Modern };
        transition(Look::new(from, dialect), Look::new(to, dialect), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn only_what_changes_is_written() {
        let plain = Style::new();
        let full = ColorDepth::Full;
        check(plain, plain, full, "");
        check(plain, plain.bold(), full, "\x1b[1m");
        check(plain.bold(), plain, full, "\x1b[m");
        check(plain.bold().fg(Color::Red), plain.bold().fg(Color::Cyan), full, "\x1b[36m");
        check(plain.bold().dim(), plain.dim(), full, "\x1b[22;2m");
        check(plain.red().on_blue(), plain.red(), full, "\x1b[49m");
        check(
            plain,
            plain.fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(200)),
            full,
            "\x1b[38;2;1;2;3;48;5;200m",
        );
        check(plain, plain.fg(Color::LightGreen).bg(Color::DarkGray), full, "\x1b[92;100m");
    }

    #[test]
    fn without_colour_weight_and_underline_stay() {
        let style =
            Style::new().fg(Color::Red).bg(Color::Blue).add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        check(Style::new(), style, ColorDepth::None, "\x1b[1;4m");
        check(Style::new(), Style::new().fg(Color::Red), ColorDepth::None, "");
    }

    #[test]
    fn the_environment_decides() {
        let depth = |pairs: &[(&str, &str)]| {
            ColorDepth::from_environment(|name| {
                pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned())
            })
        };
        assert_eq!(depth(&[]), ColorDepth::Full);
        assert_eq!(depth(&[("NO_COLOR", "")]), ColorDepth::Full);
        assert_eq!(depth(&[("NO_COLOR", "1")]), ColorDepth::None);
        assert_eq!(depth(&[("TERM", "dumb")]), ColorDepth::None);
    }
}
