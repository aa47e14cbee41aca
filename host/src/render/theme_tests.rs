//! Contrast of every role, in the palettes that people have, on the background that each theme is chosen for.
//!
//! The palettes are those that terminals ship; a colour of less weight is taken as most of them draw it. What a theme
//! must never do (a background, a colour that is the background somewhere) is checked for each of them.

use carpel_slots::Role;
use ratatui::style::{Color, Modifier, Style};

use super::{Palette, Syntax, Theme};
use crate::render::ground::{Ground, luminance};
use crate::render::output::SIXTEEN;

const SYNTAX: [Syntax; 8] = [
    Syntax::Plain,
    Syntax::Comment,
    Syntax::Keyword,
    Syntax::String,
    Syntax::Constant,
    Syntax::Type,
    Syntax::Added,
    Syntax::Removed,
];

/// A terminal's colours: its background, its foreground, its sixteen.
struct Terminal {
    name: &'static str,
    back: u32,
    fore: u32,
    sixteen: [u32; 16],
}

const XTERM: [u32; 16] = [
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
    0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];
const VGA: [u32; 16] = [
    0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555,
    0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
];
const SOLARIZED: [u32; 16] = [
    0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, 0x002b36, 0xcb4b16,
    0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
];
const GNOME: [u32; 16] = [
    0x171421, 0xc01c28, 0x26a269, 0xa2734c, 0x12488b, 0xa347ba, 0x2aa1b3, 0xd0cfcc, 0x5e5c64, 0xf66151,
    0x33da7a, 0xe9ad0c, 0x2a7bde, 0xc061cb, 0x33c7de, 0xffffff,
];
const TANGO: [u32; 16] = [
    0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf, 0x555753, 0xef2929,
    0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
];
const EDITOR: [u32; 16] = [
    0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c,
    0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
];

const TERMINALS: [Terminal; 12] = [
    Terminal { name: "xterm", back: 0xffffff, fore: 0x000000, sixteen: XTERM },
    Terminal { name: "xterm, reversed", back: 0x000000, fore: 0xe5e5e5, sixteen: XTERM },
    Terminal { name: "VGA", back: 0x000000, fore: 0xaaaaaa, sixteen: VGA },
    Terminal { name: "VGA on white", back: 0xffffff, fore: 0x000000, sixteen: VGA },
    Terminal { name: "Solarized dark", back: 0x002b36, fore: 0x839496, sixteen: SOLARIZED },
    Terminal { name: "Solarized light", back: 0xfdf6e3, fore: 0x657b83, sixteen: SOLARIZED },
    Terminal { name: "GNOME dark", back: 0x171421, fore: 0xd0cfcc, sixteen: GNOME },
    Terminal { name: "GNOME light", back: 0xffffff, fore: 0x171421, sixteen: GNOME },
    Terminal { name: "Tango on aubergine", back: 0x300a24, fore: 0xffffff, sixteen: TANGO },
    Terminal { name: "Tango on white", back: 0xffffff, fore: 0x2e3436, sixteen: TANGO },
    Terminal { name: "an editor, dark", back: 0x1e1e1e, fore: 0xcccccc, sixteen: EDITOR },
    Terminal { name: "an editor, white", back: 0xffffff, fore: 0x333333, sixteen: EDITOR },
];

fn rgb(colour: u32) -> [u8; 3] {
    let [_, red, green, blue] = colour.to_be_bytes();
    [red, green, blue]
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

impl Terminal {
    fn theme(&self) -> Theme {
        Theme::new(match Ground::of_rgb(rgb(self.back)) {
            Ground::Dark => Palette::Dark,
            Ground::Light => Palette::Light,
        })
    }

    /// The colour of text in that style, drawn as most terminals draw it: less weight is two thirds of the way from the
    /// background.
    fn ink(&self, style: Style) -> [u8; 3] {
        let full = match style.fg {
            None => self.fore,
            Some(fg) => self.sixteen[SIXTEEN.iter().position(|colour| *colour == fg).unwrap()],
        };
        let (full, back) = (rgb(full), rgb(self.back));
        if !style.add_modifier.contains(Modifier::DIM) {
            return full;
        }
        std::array::from_fn(|at| u8::try_from((u16::from(full[at]) * 2 + u16::from(back[at])) / 3).unwrap())
    }

    fn contrast(&self, style: Style) -> f64 {
        contrast(self.ink(style), rgb(self.back))
    }
}

fn styles(theme: Theme) -> Vec<(String, Style)> {
    let roles = Role::ALL.into_iter().map(|role| (format!("{role:?}"), theme.role(role)));
    let syntax = SYNTAX.into_iter().map(|syntax| (format!("{syntax:?}"), theme.syntax(syntax)));
    roles.chain(syntax).chain([("hit".to_owned(), theme.hit())]).collect()
}

/// LOG 12.10. What carries no colour is the terminal's own pair, and no theme can make that better; of less weight it
/// keeps 3:1 wherever the pair itself has at least 6:1.
#[test]
fn log_12_10_every_role_reads_on_the_background_that_its_theme_is_for() {
    for terminal in &TERMINALS {
        let own = terminal.contrast(Style::new());
        for (name, style) in styles(terminal.theme()) {
            let found = terminal.contrast(style);
            let is_dim = style.add_modifier.contains(Modifier::DIM);
            let enough = match style.fg {
                Some(_) => found >= 3.0 && !is_dim,
                None if is_dim => found >= 3.0 || own < 6.0,
                None => found >= 4.5 || own < 4.5,
            };
            assert!(enough, "{}: {name}: {found:.2}:1 ({style:?})", terminal.name);
        }
    }
}

/// LOG 12.04: without an answer about the background. No colour vanishes on either side, and those that say that
/// something is wrong keep nearly full contrast.
#[test]
fn log_12_04_without_an_answer_nothing_vanishes() {
    for terminal in &TERMINALS {
        for (name, style) in styles(Theme::COLOUR).into_iter().filter(|(_, style)| style.fg.is_some()) {
            let found = terminal.contrast(style);
            let least = if name == "Error" || name == "Warning" { 2.6 } else { 1.8 };
            assert!(found >= least, "{}: {name}: {found:.2}:1", terminal.name);
        }
    }
}

/// LOG 12.10: no theme sets a background, nor a colour that is the background somewhere.
#[test]
fn log_12_10_no_theme_uses_a_colour_that_is_a_background_somewhere() {
    let bad = [Color::White, Color::Gray, Color::Black, Color::DarkGray, Color::LightYellow];
    for palette in [Palette::Either, Palette::Dark, Palette::Light, Palette::HighContrast, Palette::None] {
        for (name, style) in styles(Theme::new(palette)) {
            assert!(style.bg.is_none(), "{palette:?} {name}");
            assert!(style.fg.is_none_or(|fg| !bad.contains(&fg)), "{palette:?} {name}: {style:?}");
        }
    }
}

/// LOG 12.19: NO_COLOR.
#[test]
fn log_12_19_without_colours_weight_tells() {
    for (name, style) in styles(Theme::NONE).into_iter().chain(styles(Theme::new(Palette::HighContrast))) {
        assert_eq!(style.fg, None, "{name}");
    }
    for (name, style) in styles(Theme::new(Palette::HighContrast)) {
        assert!(!style.add_modifier.contains(Modifier::DIM), "{name}");
    }
    let strong = Theme::new(Palette::HighContrast);
    for role in [Role::Accent, Role::Warning, Role::Error, Role::Strong] {
        assert_ne!(strong.role(role), Style::new(), "{role:?}");
    }
}

/// LOG 12.10: the colours of a program's output.
#[test]
fn log_12_10_a_programs_own_colours_are_kept_where_they_read() {
    let rows = [
        (Palette::Light, Color::White, None, false),
        (Palette::Light, Color::LightYellow, None, false),
        (Palette::Light, Color::Red, None, true),
        (Palette::Light, Color::White, Some(Color::Blue), true),
        (Palette::Dark, Color::Black, None, false),
        (Palette::Dark, Color::DarkGray, None, false),
        (Palette::Dark, Color::White, None, true),
        (Palette::Dark, Color::Black, Some(Color::Green), true),
        (Palette::Either, Color::White, None, false),
        (Palette::Either, Color::Black, None, false),
        (Palette::Either, Color::LightRed, None, true),
        (Palette::None, Color::Red, None, false),
        (Palette::HighContrast, Color::Red, Some(Color::Blue), false),
    ];
    for (palette, colour, on, kept) in rows {
        assert_eq!(Theme::new(palette).foreign(colour, on).is_some(), kept, "{palette:?} {colour:?} {on:?}");
    }
}
