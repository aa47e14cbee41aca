//! What is kept of a command's output: all of it up to a bound, beyond that its head and its tail.
//!
//! Owns the bound, which holds in memory and, since what is kept is what goes to the side file, on the disk too: a
//! command may write for as long as it runs. Pure. Refuses to know what of it a record carries (`../../log/outputs.rs`).

use super::super::grouped;

/// Bytes of the head, and of the tail, that are kept.
const END: usize = 2 << 20;

#[derive(Debug, Default)]
pub struct Capture {
    head: String,
    tail: String,
    total: u64,
    /// Line ends that were written.
    ends: u64,
}

/// The output as it is kept.
#[derive(Debug, PartialEq, Eq)]
pub struct Kept {
    pub text: String,
    /// Bytes of all that was written, as text.
    pub total: u64,
    /// Lines of all that was written, the last one also without its end.
    pub lines: u64,
    pub is_cut: bool,
}

impl Capture {
    pub fn push(&mut self, text: &str) {
        self.total += text.len() as u64;
        self.ends += text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let mut rest = text;
        if self.tail.is_empty() {
            let room = rest.floor_char_boundary(END - self.head.len().min(END));
            self.head.push_str(&rest[..room]);
            rest = &rest[room..];
        }
        self.tail.push_str(rest);
        // Twice the bound before anything is moved, so that the cost stays linear.
        if self.tail.len() > 2 * END {
            let from = self.tail.ceil_char_boundary(self.tail.len() - END);
            self.tail.drain(..from);
        }
    }

    pub fn kept(self) -> Kept {
        let Self { head, tail, total, ends } = self;
        let last = if tail.is_empty() { &head } else { &tail };
        let lines = ends + u64::from(!last.is_empty() && !last.ends_with('\n'));
        let from = tail.ceil_char_boundary(tail.len().saturating_sub(END));
        let tail = &tail[from..];
        let left_out = total - (head.len() + tail.len()) as u64;
        if left_out == 0 {
            return Kept { text: head + tail, total, lines, is_cut: false };
        }
        let text = format!("{head}\n[... {} bytes are kept nowhere ...]\n{tail}", grouped(left_out));
        Kept { text, total, lines, is_cut: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_of_what_is_too_long() {
        let check = |piece: &str, times: usize, is_cut: bool| {
            let mut capture = Capture::default();
            for _ in 0..times {
                capture.push(piece);
                assert!(capture.head.len() <= END && capture.tail.len() <= 2 * END + piece.len());
            }
            let whole = (piece.len() * times) as u64;
            let kept = capture.kept();
            let lines = piece.repeat(times).lines().count() as u64;
            assert_eq!(
                (kept.total, kept.lines, kept.is_cut),
                (whole, lines, is_cut),
                "{times} of {} bytes",
                piece.len()
            );
            if is_cut {
                assert!(kept.text.len() > 2 * END - 8 && kept.text.len() < 2 * END + 80);
                assert!(kept.text.ends_with(piece.chars().next_back().unwrap()));
            } else {
                assert_eq!(kept.text, piece.repeat(times));
            }
        };
        check("", 1, false);
        check("a line\n", 10, false);
        check("漢", END / 3 + 1, false);
        check(&"x".repeat(END), 2, false);
        check(&"x".repeat(END), 9, true);
        check("漢字\n", 1_000_000, true);
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let mut capture = Capture::default();
        capture.push(&"x".repeat(2 * END + 1_234));
        assert!(capture.kept().text.contains("x\n[... 1,234 bytes are kept nowhere ...]\nx"));
    }
}
