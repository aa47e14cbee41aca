//! Text in grapheme clusters, the fast way where text is ASCII.
//!
//! Owns that a cluster of ASCII is one character: between two of them the rules of Unicode part always, but for CR LF. Most of
//! what is drawn is ASCII, and a frame parts all its rows; the tables are asked about the rest. It refuses to know widths
//! (`terminal/cluster.rs`, `render/wrap.rs`).

use unicode_segmentation::UnicodeSegmentation as _;

/// The extended grapheme clusters of a text, as `graphemes(true)` of `unicode_segmentation` has them.
pub fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = match rest.as_bytes() {
            [] => return None,
            [b'\r', b'\n', ..] => 2,
            [first] if first.is_ascii() => 1,
            // What follows might be joined to it, were it no ASCII.
            [first, second, ..] if first.is_ascii() && second.is_ascii() => 1,
            _ => rest.graphemes(true).next().map_or(rest.len(), str::len),
        };
        let (cluster, behind) = rest.split_at(length);
        rest = behind;
        Some(cluster)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::graphemes;

    #[test]
    fn clusters_are_those_of_the_tables() {
        for text in [
            "",
            "a",
            "ab\r\n\rc",
            "e\u{301}x",
            "\u{301}a",
            "\u{600}a",
            "a\u{200d}b",
            "\u{1f468}\u{200d}\u{1f469}!",
        ] {
            check(text);
        }
    }

    proptest! {
        #[test]
        fn whatever_follows_what(pieces in prop::collection::vec(piece(), 0..24)) {
            check(&pieces.concat());
        }

        #[test]
        fn any_text(text in any::<String>()) {
            check(&text);
        }
    }

    fn check(text: &str) {
        let oracle: Vec<&str> = text.graphemes(true).collect();
        assert_eq!(graphemes(text).collect::<Vec<_>>(), oracle, "{text:?}");
    }

    /// Every kind of character that joins or parts: marks, prepended signs, joiners, flags, Hangul, Indic conjuncts.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a",
            " ",
            "\t",
            "\r",
            "\n",
            "\u{7f}",
            "\u{301}",
            "\u{fe0f}",
            "\u{200d}",
            "\u{200b}",
            "\u{600}",
            "\u{1f1e9}",
            "\u{1f1ea}",
            "\u{1f468}",
            "\u{2764}",
            "\u{1f3fb}",
            "\u{1100}",
            "\u{1161}",
            "\u{11a8}",
            "\u{ac00}",
            "\u{915}",
            "\u{94d}",
            "\u{937}",
            "\u{903}",
            "漢",
        ])
    }
}
