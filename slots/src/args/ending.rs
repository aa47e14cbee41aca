//! The end of a text that grows, and how many lines it has: what a preview shows of it.
//!
//! Lines are counted as they come, so that asking costs what is given back and not what has come before. It knows no
//! JSON; `partial.rs` keeps a count for each text that it reads.

/// The last lines of a text that is being written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// How many lines the text has, an open one counted in.
    pub lines: usize,
    /// The last lines of it that fit into the bytes asked for, whole; of a longer last line its beginning.
    pub text: String,
}

/// Where the lines of a text are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lines {
    /// How many have ended.
    ended: usize,
    /// Where the last line begins that has any byte.
    last: usize,
}

impl Lines {
    pub(super) fn of(text: &str) -> Lines {
        let mut lines = Lines::default();
        lines.add("", text);
        lines
    }

    /// Counts a piece that is put behind what came before.
    pub(super) fn add(&mut self, before: &str, piece: &str) {
        if before.ends_with('\n') && !piece.is_empty() {
            self.last = before.len();
        }
        self.ended += piece.bytes().filter(|byte| *byte == b'\n').count();
        let body = piece.strip_suffix('\n').unwrap_or(piece);
        if let Some(at) = body.rfind('\n') {
            self.last = before.len() + at + 1;
        }
    }
}

impl Ending {
    pub(super) fn of(text: &str, lines: Lines, most: usize) -> Ending {
        let count = lines.ended + usize::from(!text.is_empty() && !text.ends_with('\n'));
        let from = text.ceil_char_boundary(text.len().saturating_sub(most));
        let end = if lines.last < from {
            let line = text.get(lines.last..).unwrap_or_default();
            &line[..line.floor_char_boundary(most)]
        } else {
            let end = text.get(from..).unwrap_or_default();
            // The first line may have begun before.
            let begins = from == 0 || text[..from].ends_with('\n');
            if begins { end } else { end.split_once('\n').map_or(end, |(_, rest)| rest) }
        };
        Ending { lines: count, text: end.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to cut a text into two pieces gives the same end.
    fn check(text: &str, most: usize, lines: usize, end: &str) {
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut counted = Lines::default();
            counted.add("", &text[..cut]);
            counted.add(&text[..cut], &text[cut..]);
            assert_eq!(
                Ending::of(text, counted, most),
                Ending { lines, text: end.to_owned() },
                "{text:?} at {cut}"
            );
        }
        assert_eq!(Ending::of(text, Lines::of(text), most).text, end);
    }

    #[test]
    fn ends() {
        check("", 9, 0, "");
        check("a", 9, 1, "a");
        check("a\n", 9, 1, "a\n");
        check("a\nb", 9, 2, "a\nb");
        check("aa\nbb\ncc", 5, 3, "bb\ncc");
        check("aa\nbb\ncc", 4, 3, "cc");
        check("aa\nbb\ncc\n", 4, 3, "cc\n");
        check("aa\n\n\n", 2, 3, "\n\n");
        check("\n\n", 9, 2, "\n\n");
        check("a\nbcdefgh", 4, 2, "bcde");
        check("abcdefgh", 4, 1, "abcd");
        check("abcdefgh\n", 4, 1, "abcd");
        check("éé\nüüü", 5, 2, "üü");
    }
}
