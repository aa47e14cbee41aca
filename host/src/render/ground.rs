//! The background that text stands on: dark or light.
//!
//! It comes from `COLORFGBG`, which some terminals set, or from the terminal's answer about its background colour. It
//! asks nobody; `chat/theme.rs` keeps what is known and chooses the palette.

/// What text stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Light text reads on it.
    Dark,
    /// Dark text reads on it.
    Light,
}

/// The luminance on which black and white read equally well.
const MIDDLE: f64 = 0.18;

impl Ground {
    /// The ground of a colour.
    pub fn of_rgb(rgb: [u8; 3]) -> Ground {
        if luminance(rgb) > MIDDLE { Ground::Light } else { Ground::Dark }
    }

    /// What `COLORFGBG` says: numbers of the sixteen colours, the background last. `None` for `default` and the like.
    pub fn of_variable(value: &str) -> Option<Ground> {
        match value.rsplit(';').next()?.trim().parse::<u8>().ok()? {
            0..=6 | 8 => Some(Ground::Dark),
            7 | 9..=15 => Some(Ground::Light),
            _ => None,
        }
    }
}

/// The relative luminance of an sRGB colour, from 0 to 1, as WCAG defines it.
pub fn luminance(rgb: [u8; 3]) -> f64 {
    let [red, green, blue] = rgb.map(|byte| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::Ground;

    #[test]
    fn what_the_variable_says() {
        let rows = [
            ("0;15", Some(Ground::Light)),
            ("15;0", Some(Ground::Dark)),
            ("0;7", Some(Ground::Light)),
            ("7;8", Some(Ground::Dark)),
            ("12;default;0", Some(Ground::Dark)),
            ("0;default;15", Some(Ground::Light)),
            ("0;default", None),
            ("", None),
            ("0;", None),
            ("0;999", None),
            ("0;16", None),
        ];
        for (value, want) in rows {
            assert_eq!(Ground::of_variable(value), want, "{value:?}");
        }
    }

    #[test]
    fn what_the_terminal_says() {
        let rows = [
            ([0, 0, 0], Ground::Dark),
            ([255, 255, 255], Ground::Light),
            ([0x00, 0x2b, 0x36], Ground::Dark),
            ([0xfd, 0xf6, 0xe3], Ground::Light),
            ([0x30, 0x0a, 0x24], Ground::Dark),
            ([0x2e, 0x34, 0x36], Ground::Dark),
        ];
        for (rgb, want) in rows {
            assert_eq!(Ground::of_rgb(rgb), want, "{rgb:?}");
        }
    }
}
