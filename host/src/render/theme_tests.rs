//! Contrast of every role, in the palettes that people have, on the background that each theme is chosen for.

use ratatui::style::{Color, Modifier};

use super::*;
use crate::render::ground::{Ground, luminance};

const ROLES: [Role; 11] = [
    Role::Plain,
    Role::Dim,
    Role::Strong,
    Role::Accent,
    Role::Path,
    Role::Number,
    Role::Added,
    Role::Removed,
    Role::Warning,
    Role::Error,
    Role::Success,
];

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
    0x00_00_00, 0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd, 0xe5_e5_e5,
    0x7f_7f_7f, 0xff_00_00, 0x00_ff_00, 0xff_ff_00, 0x5c_5c_ff, 0xff_00_ff, 0x00_ff_ff, 0xff_ff_ff,
];
const VGA: [u32; 16] = [
    0x00_00_00, 0xaa_00_00, 0x00_aa_00, 0xaa_55_00, 0x00_00_aa, 0xaa_00_aa, 0x00_aa_aa, 0xaa_aa_aa,
    0x55_55_55, 0xff_55_55, 0x55_ff_55, 0xff_ff_55, 0x55_55_ff, 0xff_55_ff, 0x55_ff_ff, 0xff_ff_ff,
];
const SOLARIZED: [u32; 16] = [
    0x07_36_42, 0xdc_32_2f, 0x85_99_00, 0xb5_89_00, 0x26_8b_d2, 0xd3_36_82, 0x2a_a1_98, 0xee_e8_d5,
    0x00_2b_36, 0xcb_4b_16, 0x58_6e_75, 0x65_7b_83, 0x83_94_96, 0x6c_71_c4, 0x93_a1_a1, 0xfd_f6_e3,
];
const GNOME: [u32; 16] = [
    0x17_14_21, 0xc0_1c_28, 0x26_a2_69, 0xa2_73_4c, 0x12_48_8b, 0xa3_47_ba, 0x2a_a1_b3, 0xd0_cf_cc,
    0x5e_5c_64, 0xf6_61_51, 0x33_da_7a, 0xe9_ad_0c, 0x2a_7b_de, 0xc0_61_cb, 0x33_c7_de, 0xff_ff_ff,
];
const TANGO: [u32; 16] = [
    0x2e_34_36, 0xcc_00_00, 0x4e_9a_06, 0xc4_a0_00, 0x34_65_a4, 0x75_50_7b, 0x06_98_9a, 0xd3_d7_cf,
    0x55_57_53, 0xef_29_29, 0x8a_e2_34, 0xfc_e9_4f, 0x72_9f_cf, 0xad_7f_a8, 0x34_e2_e2, 0xee_ee_ec,
];
const EDITOR: [u32; 16] = [
    0x00_00_00, 0xcd_31_31, 0x0d_bc_79, 0xe5_e5_10, 0x24_72_c8, 0xbc_3f_bc, 0x11_a8_cd, 0xe5_e5_e5,
    0x66_66_66, 0xf1_4c_4c, 0x23_d1_8b, 0xf5_f5_43, 0x3b_8e_ea, 0xd6_70_d6, 0x29_b8_db, 0xff_ff_ff,
];

const TERMINALS: [Terminal; 12] = [
    Terminal { name: "xterm", back: 0xff_ff_ff, fore: 0x00_00_00, sixteen: XTERM },
    Terminal { name: "xterm, reversed", back: 0x00_00_00, fore: 0xe5_e5_e5, sixteen: XTERM },
    Terminal { name: "VGA", back: 0x00_00_00, fore: 0xaa_aa_aa, sixteen: VGA },
    Terminal { name: "VGA on white", back: 0xff_ff_ff, fore: 0x00_00_00, sixteen: VGA },
    Terminal { name: "Solarized dark", back: 0x00_2b_36, fore: 0x83_94_96, sixteen: SOLARIZED },
    Terminal { name: "Solarized light", back: 0xfd_f6_e3, fore: 0x65_7b_83, sixteen: SOLARIZED },
    Terminal { name: "GNOME dark", back: 0x17_14_21, fore: 0xd0_cf_cc, sixteen: GNOME },
    Terminal { name: "GNOME light", back: 0xff_ff_ff, fore: 0x17_14_21, sixteen: GNOME },
    Terminal { name: "Tango on aubergine", back: 0x30_0a_24, fore: 0xff_ff_ff, sixteen: TANGO },
    Terminal { name: "Tango on white", back: 0xff_ff_ff, fore: 0x2e_34_36, sixteen: TANGO },
    Terminal { name: "an editor, dark", back: 0x1e_1e_1e, fore: 0xcc_cc_cc, sixteen: EDITOR },
    Terminal { name: "an editor, white", back: 0xff_ff_ff, fore: 0x33_33_33, sixteen: EDITOR },
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
        let number = [
            Color::Black,
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Blue,
            Color::Magenta,
            Color::Cyan,
            Color::Gray,
            Color::DarkGray,
            Color::LightRed,
            Color::LightGreen,
            Color::LightYellow,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightCyan,
            Color::White,
        ];
        let full = match style.fg {
            None => self.fore,
            Some(fg) => self.sixteen[number.iter().position(|colour| *colour == fg).unwrap()],
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
    let roles = ROLES.into_iter().map(|role| (format!("{role:?}"), theme.role(role)));
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
