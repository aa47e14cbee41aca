//! The live tail of a command: what it writes, told on in few and small pieces.
//!
//! Owns how often and how much. A program that writes faster than anybody reads is told by the end of each moment's
//! output, with a line that counts what was passed over; the result has it all. Time is an argument.

use std::time::{Duration, Instant};

use super::super::grouped;

/// Bytes of one piece.
const PIECE: usize = 8 << 10;
/// Between two pieces.
const PAUSE: Duration = Duration::from_millis(50);

pub struct Live<'a> {
    say: &'a (dyn Fn(&str) + Sync),
    waiting: String,
    passed_over: u64,
    said: Option<Instant>,
}

impl<'a> Live<'a> {
    pub fn new(say: &'a (dyn Fn(&str) + Sync)) -> Self {
        Self { say, waiting: String::new(), passed_over: 0, said: None }
    }

    pub fn push(&mut self, text: &str) {
        self.waiting.push_str(text);
        if self.waiting.len() > 2 * PIECE {
            let from = self.waiting.ceil_char_boundary(self.waiting.len() - PIECE);
            self.waiting.drain(..from);
            self.passed_over += from as u64;
        }
    }

    /// Tells on what waits, unless the last piece has just been told.
    pub fn tell(&mut self, now: Instant) {
        let due = self.said.is_none_or(|said| now.saturating_duration_since(said) >= PAUSE);
        if self.waiting.is_empty() || !due {
            return;
        }
        self.said = Some(now);
        let waiting = std::mem::take(&mut self.waiting);
        match std::mem::take(&mut self.passed_over) {
            0 => (self.say)(&waiting),
            passed_over => {
                // From the next line on, so that no half of one is shown.
                let from = waiting.find('\n').map_or(0, |at| at + 1);
                let passed_over = grouped(passed_over + from as u64);
                (self.say)(&format!("\n[{passed_over} bytes not shown]\n{}", &waiting[from..]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn few_and_small_pieces() {
        let said = Mutex::new(Vec::new());
        let say = |text: &str| said.lock().unwrap().push(text.to_owned());
        let mut live = Live::new(&say);
        let start = Instant::now();
        let at = |milliseconds: u64| start + Duration::from_millis(milliseconds);
        let check = |expected: &[&str]| assert_eq!(std::mem::take(&mut *said.lock().unwrap()), expected);
        live.tell(at(0));
        check(&[]);
        live.push("a");
        live.tell(at(1));
        check(&["a"]);
        live.push("b");
        live.tell(at(2));
        live.push("c");
        live.tell(at(50));
        check(&[]);
        live.tell(at(51));
        check(&["bc"]);
        for _ in 0..100_000 {
            live.push("123456\n");
        }
        live.tell(at(200));
        let pieces = std::mem::take(&mut *said.lock().unwrap());
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].len() < 2 * PIECE + 64, "{} bytes", pieces[0].len());
        assert!(pieces[0].starts_with("\n[") && pieces[0].contains(" bytes not shown]\n123456\n"));
    }
}
