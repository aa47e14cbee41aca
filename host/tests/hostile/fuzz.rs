//! Whatever `Printable` makes of a text, a terminal only shows it.
//!
//! Texts are spliced from the hostile ones; `CARPEL_FUZZ=100000` tries more of them.

use std::sync::LazyLock;

use carpel::terminal::emulator::{Asked, Emulator};
use carpel_slots::Printable;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::strict;
use crate::texts;

static SEEDS: LazyLock<Vec<Vec<char>>> =
    LazyLock::new(|| texts::all().iter().map(|text| text.text.chars().take(400).collect()).collect());

/// Parts of the texts, with any character between them.
fn spliced() -> impl Strategy<Value = String> {
    let part =
        (0..SEEDS.len(), any::<Index>(), any::<Index>(), any::<char>()).prop_map(|(seed, from, to, c)| {
            let seed = &SEEDS[seed];
            let (from, to) = (from.index(seed.len() + 1), to.index(seed.len() + 1));
            let mut text: String = seed[from.min(to)..from.max(to)].iter().collect();
            text.push(c);
            text
        });
    proptest::collection::vec(part, 0..5).prop_map(|parts| parts.concat())
}

fn cases() -> u32 {
    std::env::var("CARPEL_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(1000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_terminal_shows_it_and_obeys_nothing(text in spliced()) {
        for row in [Printable::exact(&text), Printable::line(&text), Printable::prose(&text)] {
            prop_assert_eq!(strict::check_row(row.as_str()), Ok(()));
            let mut emulator = Emulator::new(80, 4, 1000);
            let modes = emulator.modes();
            emulator.feed(format!("above\r\n{row}\r\nbelow").as_bytes());
            prop_assert_eq!(emulator.take_asked(), Asked::default());
            prop_assert_eq!(emulator.modes(), modes);
            let mut lines = emulator.text();
            lines.retain(|line| !line.is_empty());
            prop_assert_eq!(lines.first().map(String::as_str), Some("above"));
            prop_assert_eq!(lines.last().map(String::as_str), Some("below"));
            // Blanks at the end of a folded row are no part of a line; all else is.
            let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let between = lines[1..lines.len() - 1].concat();
            prop_assert_eq!(squeezed(&between), squeezed(row.as_str()));
        }
    }
}
