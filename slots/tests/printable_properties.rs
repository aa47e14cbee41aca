//! `Printable` against oracles, for any text.
//!
//! The oracle for what stays is another program: it works on a vector of characters, removes sequences by recursion
//! over the grammar, and keeps what takes cells.

use std::collections::VecDeque;

use carpel_slots::Printable;
use carpel_slots::printable::MARKS_KEPT;
use proptest::prelude::*;
use unicode_width::UnicodeWidthChar;

const FORMS: [fn(&str) -> Printable; 3] = [Printable::exact, Printable::line, Printable::prose];

/// Characters that a terminal obeys, an eye misses, or a parser trips over, among ordinary ones.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{0,6}",
        2 => proptest::sample::select(vec!["\u{1b}", "\u{1b}[", "\u{1b}]", "\u{1b}P", "\u{1b}\\", "\u{1b}(", "\u{9b}", "\u{9d}", "\u{90}", "\u{9c}", "\u{7}"]).prop_map(str::to_owned),
        2 => proptest::sample::select(vec!["\n", "\r", "\r\n", "\t", "\u{8}", "\0", "\u{18}", "\u{85}", "\u{2028}"]).prop_map(str::to_owned),
        2 => proptest::sample::select(vec!["\u{202e}", "\u{200b}", "\u{200d}", "\u{200c}", "\u{fe0f}", "\u{e0100}", "\u{e0041}", "\u{ad}", "\u{feff}", "\u{3164}", "\u{2066}"]).prop_map(str::to_owned),
        2 => proptest::sample::select(vec!["\u{301}", "\u{e33}", "👩", "❤", "漢", "é", "\u{1112}\u{1161}", "\u{a0}", "🏴"]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn is_invisible(c: char) -> bool {
    matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
        | 0xfdd0..=0xfdef | 0xfff0..=0xfffb | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d159 | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
        || u32::from(c) % 0x10000 >= 0xfffe
}

/// What takes cells outside escape sequences, in order.
fn visible(text: &str) -> Vec<char> {
    let mut left: VecDeque<char> = text.chars().collect();
    let mut kept = Vec::new();
    while let Some(c) = left.pop_front() {
        match c {
            '\u{1b}' => seven_bit(&mut left),
            '\u{9b}' => csi(&mut left),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                let end = left.iter().position(|c| c.is_control());
                let closed = end.filter(|at| match left[*at] {
                    '\u{9c}' => true,
                    '\u{7}' => c == '\u{9d}',
                    '\u{1b}' => left.get(at + 1) == Some(&'\\'),
                    _ => false,
                });
                if let Some(at) = closed {
                    let backslash = usize::from(left[at] == '\u{1b}');
                    left.drain(..=at + backslash);
                }
            }
            c if !c.is_control() && !is_invisible(c) && c.width() > Some(0) => kept.push(c),
            _ => {}
        }
    }
    kept
}

fn seven_bit(left: &mut VecDeque<char>) {
    match left.front() {
        Some('[') => {
            left.pop_front();
            csi(left);
        }
        Some(']' | 'P' | 'X' | '^' | '_' | 'k') => {
            let bell_ends = left.pop_front() == Some(']');
            let ends = |c: &char| {
                matches!(c, '\u{1b}' | '\u{9c}' | '\u{18}' | '\u{1a}') || (bell_ends && *c == '\u{7}')
            };
            let end = left.iter().take_while(|c| **c != '\n').position(ends);
            // Without an end in its row it is its opener alone; an ESC ends it and begins anew.
            if let Some(at) = end {
                left.drain(..at + usize::from(left[at] != '\u{1b}'));
            }
        }
        Some(' '..='/') => {
            while matches!(left.front(), Some(' '..='/')) {
                left.pop_front();
            }
            if matches!(left.front(), Some('0'..='~')) {
                left.pop_front();
            }
        }
        Some('0'..='~') => drop(left.pop_front()),
        _ => {}
    }
}

fn csi(left: &mut VecDeque<char>) {
    while matches!(left.front(), Some(' '..='?')) {
        left.pop_front();
    }
    if matches!(left.front(), Some('@'..='~')) {
        left.pop_front();
    }
}

/// True when `part` is what is left of `whole` after some characters are taken out.
fn is_within(part: &[char], whole: &str) -> bool {
    let mut whole = whole.chars();
    part.iter().all(|c| whole.any(|other| other == *c))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn nothing_that_acts_or_hides_comes_out(text in nasty()) {
        for (at, form) in FORMS.iter().enumerate() {
            let row = form(&text);
            for c in row.as_str().chars() {
                let allowed = match c {
                    '\u{200c}' | '\u{200d}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => at == 2,
                    '\u{fe0e}' | '\u{fe0f}' => at > 0,
                    c => !c.is_control() && !is_invisible(c),
                };
                prop_assert!(allowed, "{c:?} in {row:?}");
            }
        }
    }

    #[test]
    fn every_visible_character_stays_in_order(text in nasty()) {
        let want = visible(&text);
        prop_assert!(is_within(&want, Printable::line(&text).as_str()), "{want:?} in {:?}", Printable::line(&text));
        prop_assert!(is_within(&want, Printable::prose(&text).as_str()), "{want:?} in {:?}", Printable::prose(&text));
        let all: Vec<char> = text.chars().filter(|c| !c.is_control() && !is_invisible(*c) && c.width() > Some(0)).collect();
        let all: Vec<char> = all.into_iter().filter(|c| *c == ' ' || !c.is_whitespace()).collect();
        prop_assert!(is_within(&all, Printable::exact(&text).as_str()), "{all:?} in {:?}", Printable::exact(&text));
    }

    #[test]
    fn cleaning_twice_changes_nothing(text in nasty()) {
        for form in FORMS {
            let once = form(&text);
            prop_assert_eq!(&form(once.as_str()), &once);
        }
    }

    #[test]
    fn log_2_14_a_part_is_as_clean_as_the_whole(text in nasty(), from in 0usize..80, to in 0usize..80) {
        for form in FORMS {
            let row = form(&text);
            if let Some(part) = row.get(from..to) {
                prop_assert_eq!(part.as_str(), &row.as_str()[from..to]);
            }
        }
    }

    #[test]
    fn cut_anywhere_it_never_panics_and_stays_clean(text in nasty(), at in any::<proptest::sample::Index>()) {
        let chars: Vec<char> = text.chars().collect();
        let at = if chars.is_empty() { 0 } else { at.index(chars.len()) };
        for form in FORMS {
            for piece in [chars[..at].iter().collect::<String>(), chars[at..].iter().collect()] {
                prop_assert!(!form(&piece).as_str().chars().any(char::is_control));
            }
        }
    }

    #[test]
    fn a_row_is_not_changed_by_its_neighbours(text in nasty()) {
        let rows: Vec<Printable> = text.split_terminator('\n').map(|row| Printable::line(row.strip_suffix('\r').unwrap_or(row))).collect();
        let ends_bare = !text.ends_with('\n') && text.ends_with('\r');
        if !ends_bare {
            prop_assert_eq!(Printable::lines(&text), rows);
        }
    }

    #[test]
    fn clusters_are_bounded(base in any::<char>(), marks in 0usize..200) {
        let text = format!("{base}{}", "\u{301}".repeat(marks));
        for form in FORMS {
            let kept = form(&text).as_str().matches('\u{301}').count();
            prop_assert!(kept <= MARKS_KEPT);
        }
    }

    #[test]
    fn plain_text_is_copied(text in "[ -~]{0,200}") {
        for form in FORMS {
            let row = form(&text);
            prop_assert_eq!(row.as_str(), &text);
        }
    }

    #[test]
    fn rows_end_at_tab_stops(cells in 0usize..40, tabs in 1usize..5) {
        let row = Printable::line(&("x".repeat(cells) + &"\t".repeat(tabs)));
        prop_assert_eq!(row.width(), (cells / 4 + tabs) * 4);
    }
}
