//! `Printable` under texts grown from the hostile files: cut, spliced, repeated, with bytes changed.
//!
//! A few thousand texts by default; `CARPEL_FUZZ=1000000 cargo test -p carpel-slots --test printable_fuzz` tries more.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its data should stop")]

use std::path::Path;
use std::sync::LazyLock;

use carpel_slots::Printable;
use carpel_slots::printable::{MARKS_KEPT, TAB_STOP};
use proptest::prelude::*;
use proptest::sample::Index;
use unicode_width::UnicodeWidthChar;

static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hostile");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    // The long titles of h19 would make most texts long and alike.
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .map(|mut bytes| {
            bytes.truncate(400);
            bytes
        })
        .collect()
});

/// What ends, opens or changes the meaning of what stands beside it.
const PIECES: &[&str] = &[
    "\u{1b}",
    "\u{1b}[",
    "\u{1b}]",
    "\u{1b}P",
    "\u{1b}_",
    "\u{1b}\\",
    "\u{1b}(0",
    "\u{1b}k",
    "\u{9b}",
    "\u{9d}",
    "\u{90}",
    "\u{9c}",
    "\u{7}",
    "\u{18}",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\u{8}",
    "\0",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{200c}",
    "\u{200d}",
    "\u{fe0e}",
    "\u{fe0f}",
    "\u{e0100}",
    "\u{e0041}",
    "\u{ad}",
    "\u{feff}",
    "\u{3164}",
    "\u{34f}",
    "\u{301}",
    "\u{e33}",
    "\u{1f3fd}",
    "👩",
    "❤",
    "漢",
    "🏴",
    "\u{a0}",
    "\u{3000}",
    "1",
    " ",
    "x",
];

/// One step in the growing of a text.
#[derive(Debug, Clone)]
enum Step {
    Splice(usize, Index, Index, Index),
    Insert(Index, &'static str),
    Repeat(Index, &'static str, usize),
    Byte(Index, u8),
    Cut(Index),
}

fn step() -> impl Strategy<Value = Step> {
    let at = any::<Index>;
    let piece = || proptest::sample::select(PIECES);
    prop_oneof![
        2 => (0..SEEDS.len(), at(), at(), at()).prop_map(|(seed, from, to, at)| Step::Splice(seed, from, to, at)),
        4 => (at(), piece()).prop_map(|(at, piece)| Step::Insert(at, piece)),
        1 => (at(), piece(), 2usize..20).prop_map(|(at, piece, times)| Step::Repeat(at, piece, times)),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Step::Byte(at, byte)),
        1 => at().prop_map(Step::Cut),
    ]
}

fn grown() -> impl Strategy<Value = String> {
    (0..SEEDS.len(), proptest::collection::vec(step(), 0..12)).prop_map(|(seed, steps)| {
        let mut bytes = SEEDS[seed].clone();
        for step in steps {
            let place = |at: &Index, bytes: &[u8]| at.index(bytes.len() + 1);
            match step {
                Step::Splice(seed, from, to, at) => {
                    let other = &SEEDS[seed];
                    let (from, to) = (place(&from, other), place(&to, other));
                    let at = place(&at, &bytes);
                    bytes.splice(at..at, other[from.min(to)..from.max(to)].iter().copied());
                }
                Step::Insert(at, piece) => {
                    let at = place(&at, &bytes);
                    bytes.splice(at..at, piece.bytes());
                }
                Step::Repeat(at, piece, times) => {
                    let at = place(&at, &bytes);
                    bytes.splice(at..at, piece.repeat(times).into_bytes());
                }
                Step::Byte(at, byte) => {
                    if !bytes.is_empty() {
                        let at = at.index(bytes.len());
                        bytes[at] = byte;
                    }
                }
                Step::Cut(at) => bytes.truncate(at.index(bytes.len() + 1)),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn cases() -> u32 {
    std::env::var("CARPEL_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(4000)
}

/// Shows nothing, or turns the order of what follows.
fn is_hidden(c: char) -> bool {
    matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180e | 0x200b | 0x200e | 0x200f
        | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0xfdd0..=0xfdef
        | 0xe0000..=0xe00ff | 0xe01f0..=0xe0fff)
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn what_comes_out_only_shows_itself(text in grown()) {
        for (form, row) in [Printable::exact(&text), Printable::line(&text), Printable::prose(&text)].iter().enumerate() {
            let row = row.as_str();
            // One character gives at most its number, `<U+10FFFF>`; a mark without a base gets one.
            prop_assert!(row.len() <= 4 * text.len() + 3, "{} of {}", row.len(), text.len());
            let (mut before, mut marks) = (None, 0);
            for c in row.chars() {
                prop_assert!(!c.is_control() && !is_hidden(c), "{c:?} in {row:?}");
                if is_joiner(c) {
                    // In prose only, and only behind something that is seen.
                    prop_assert!(form == 2 && before.is_some_and(|b: char| !is_joiner(b) && !b.is_whitespace()), "{row:?}");
                } else if is_selector(c) {
                    prop_assert!(form > 0 && before.is_some_and(|b| !is_selector(b) && !is_joiner(b) && !b.is_whitespace()), "{row:?}");
                }
                marks = if c.width() == Some(0) && !is_joiner(c) && !is_selector(c) { marks + 1 } else { 0 };
                prop_assert!(marks <= MARKS_KEPT, "{row:?}");
                before = Some(c);
            }
        }
    }

    #[test]
    fn cleaned_again_it_stays(text in grown()) {
        let (exact, line, prose) = (Printable::exact(&text), Printable::line(&text), Printable::prose(&text));
        prop_assert_eq!(&Printable::exact(exact.as_str()), &exact);
        prop_assert_eq!(&Printable::line(line.as_str()), &line);
        prop_assert_eq!(&Printable::prose(prose.as_str()), &prose);
        // Wrapping cleans its pieces once more, more leniently: that takes nothing from the stricter forms.
        prop_assert_eq!(&Printable::line(exact.as_str()), &exact);
        prop_assert_eq!(&Printable::prose(exact.as_str()), &exact);
        prop_assert_eq!(&Printable::prose(line.as_str()), &line);
        prop_assert_eq!(&Printable::from(String::from(line.clone())), &line);
    }

    #[test]
    fn rows_do_not_see_each_other(above in grown(), below in grown()) {
        for rows in [Printable::lines, Printable::prose_lines, Printable::exact_lines] {
            let both = [rows(&format!("{above}\n")), rows(&below)].concat();
            prop_assert_eq!(rows(&format!("{above}\n{below}")), both);
        }
    }

    #[test]
    fn no_row_is_hidden_by_what_it_is_joined_to(text in grown()) {
        // Whoever joins rows into one may lose what a sequence takes in its row, and no more.
        let rows: Vec<String> = text.split('\n').map(|row| Printable::line(row).to_string()).collect();
        let joined = Printable::line(&text);
        // Small letters: the numbers of characters have none.
        let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        prop_assert_eq!(letters(joined.as_str()), letters(&rows.concat()));
    }

    #[test]
    fn a_sequence_is_a_part_of_its_row(text in grown()) {
        for (at, _) in text.char_indices().filter(|(_, c)| c.is_control()) {
            if let Some(length) = Printable::sequence(&text[at..]) {
                prop_assert!(length > 0 && text.is_char_boundary(at + length));
                prop_assert!(!text[at..at + length].contains('\n'));
            }
        }
    }

    #[test]
    fn a_prefix_of_prose_reads_like_the_whole(text in grown(), at in any::<Index>()) {
        // What streams is cleaned from its start each time. Letters that stand before a control are never taken back.
        let first = text.find(char::is_control).unwrap_or(text.len());
        let at = at.index(first + 1);
        if text.is_char_boundary(at) {
            let (part, whole) = (Printable::prose(&text[..at]), Printable::prose(&text));
            prop_assert!(whole.as_str().starts_with(part.as_str()), "{part:?} {whole:?}");
        }
    }

    #[test]
    fn tabs_stand_at_stops(text in "[a-z漢é\t]{0,40}") {
        let line = Printable::line(&text);
        let mut column = 0;
        for c in text.chars() {
            column = if c == '\t' { (column / TAB_STOP + 1) * TAB_STOP } else { column + c.width().unwrap_or(0) };
        }
        prop_assert_eq!(line.width(), column);
    }
}
