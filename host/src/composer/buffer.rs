//! The draft as text with a cursor, edited by grapheme cluster.
//!
//! A long paste is kept aside and stands in the text as one character of a private plane, so that it is one edit, one
//! cell to step over and a short label on the screen; [`Buffer::expanded`] writes it out. Undo goes back by edits; runs
//! of typed characters are one edit.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// A paste longer than this many lines or bytes is shown as a label.
const LONG_PASTE_LINES: usize = 10;
const LONG_PASTE_BYTES: usize = 2_000;

/// A text longer than this is never in the draft as text, whatever brings it there.
const LONGEST_TEXT: usize = 32 * 1024;

/// How many steps undo goes back.
const UNDO_STEPS: usize = 200;

/// First of the characters that stand for pastes; a private plane that no input uses.
const PASTE_BASE: u32 = 0xF_0000;
const PASTE_LAST: u32 = 0xF_FFFD;

/// Text with a cursor.
#[derive(Debug, Default)]
pub struct Buffer {
    text: String,
    /// Byte offset; always on a boundary between grapheme clusters.
    cursor: usize,
    pastes: Vec<String>,
    undo: Vec<(String, usize)>,
    /// True while typed characters join the last undo step.
    typing: bool,
    killed: String,
}

impl Buffer {
    /// The text as it is kept: pastes are single characters, see [`Buffer::paste_label`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset of the cursor in [`Buffer::text`].
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// True when nothing is written.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text with every paste written out.
    pub fn expanded(&self) -> String {
        let mut whole = String::with_capacity(self.text.len());
        for c in self.text.chars() {
            match self.paste(c) {
                Some(paste) => whole.push_str(paste),
                None => whole.push(c),
            }
        }
        whole
    }

    /// What is shown for a character that stands for a paste.
    pub fn paste_label(&self, c: char) -> Option<String> {
        let paste = self.paste(c)?;
        let lines = paste.lines().count();
        Some(if lines > 1 {
            format!("[pasted {lines} lines]")
        } else {
            format!("[pasted {} characters]", paste.chars().count())
        })
    }

    fn paste(&self, c: char) -> Option<&str> {
        let index = u32::from(c).checked_sub(PASTE_BASE)?;
        self.pastes.get(index as usize).map(String::as_str)
    }

    /// Puts typed text in at the cursor.
    pub fn insert(&mut self, text: &str) {
        let text = clean(text);
        if text.is_empty() {
            return;
        }
        let starts_word = text.starts_with(char::is_whitespace);
        if !self.typing || starts_word {
            self.checkpoint();
        }
        self.typing = true;
        self.put(&text);
    }

    /// Puts pasted text in at the cursor as one edit. Line ends become LF.
    pub fn insert_paste(&mut self, text: &str) {
        let text = clean(&text.replace("\r\n", "\n").replace('\r', "\n"));
        if text.is_empty() {
            return;
        }
        self.checkpoint();
        let long = text.len() > LONG_PASTE_BYTES || text.lines().count() > LONG_PASTE_LINES;
        let held = if long { self.hold(text) } else { text };
        self.put(&held);
    }

    /// Keeps a text aside; the character that stands for it, or the text itself when there are no more of those.
    fn hold(&mut self, text: String) -> String {
        let number = u32::try_from(self.pastes.len()).unwrap_or(u32::MAX - PASTE_BASE);
        match char::from_u32(PASTE_BASE + number).filter(|c| u32::from(*c) <= PASTE_LAST) {
            Some(place) => {
                self.pastes.push(text);
                place.to_string()
            }
            None => text,
        }
    }

    /// Replaces everything, as a step of its own. A text that is too long to be laid out at every key comes as a paste.
    pub fn replace_all(&mut self, text: &str) {
        self.checkpoint();
        self.text.clear();
        self.cursor = 0;
        let text = clean(text);
        let held = if text.len() > LONGEST_TEXT { self.hold(text) } else { text };
        self.put(&held);
    }

    /// Replaces a part, as a step of its own. The cursor stands behind it then.
    pub fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        if self.text.get(range.clone()).is_none() {
            return;
        }
        self.checkpoint();
        self.cursor = range.start;
        self.text.drain(range);
        self.put(&clean(text));
    }

    /// True when a part of the text is a paste that is shown as a label.
    pub fn holds_a_paste(&self) -> bool {
        self.text.chars().any(|c| self.paste(c).is_some())
    }

    /// Forgets everything, undo too.
    pub fn reset(&mut self) {
        let killed = std::mem::take(&mut self.killed);
        *self = Buffer { killed, ..Buffer::default() };
    }

    /// Takes the last edit back, if there is one.
    pub fn undo(&mut self) {
        self.typing = false;
        if let Some(before) = self.undo.pop() {
            (self.text, self.cursor) = before;
        }
    }

    /// Removes the cluster before the cursor.
    pub fn backspace(&mut self) {
        self.remove(self.before(self.cursor), self.cursor);
    }

    /// Removes the cluster behind the cursor.
    pub fn delete(&mut self) {
        self.remove(self.cursor, self.after(self.cursor));
    }

    /// Removes back to the start of a word, to be put back by [`Buffer::yank`].
    pub fn kill_word_back(&mut self) {
        self.kill(self.word_start(), self.cursor);
    }

    /// Removes forward to the end of a word.
    pub fn kill_word(&mut self) {
        self.kill(self.cursor, self.word_end());
    }

    /// Removes back to the start of the line.
    pub fn kill_to_line_start(&mut self) {
        self.kill(self.line_start(), self.cursor);
    }

    /// Removes to the end of the line, or the line end itself when the cursor stands there.
    pub fn kill_to_line_end(&mut self) {
        let end = self.line_end();
        let end = if end == self.cursor { self.after(self.cursor) } else { end };
        self.kill(self.cursor, end);
    }

    /// Puts back what was killed last.
    pub fn yank(&mut self) {
        if self.killed.is_empty() {
            return;
        }
        self.checkpoint();
        let killed = self.killed.clone();
        self.put(&killed);
    }

    /// One cluster to the left.
    pub fn left(&mut self) {
        self.move_to(self.before(self.cursor));
    }

    /// One cluster to the right.
    pub fn right(&mut self) {
        self.move_to(self.after(self.cursor));
    }

    /// To the start of the word before.
    pub fn word_left(&mut self) {
        self.move_to(self.word_start());
    }

    /// To the end of the word behind.
    pub fn word_right(&mut self) {
        self.move_to(self.word_end());
    }

    /// To the start of the line.
    pub fn home(&mut self) {
        self.move_to(self.line_start());
    }

    /// To the end of the line.
    pub fn end(&mut self) {
        self.move_to(self.line_end());
    }

    /// To a byte offset; the nearest cluster boundary before it.
    pub fn move_to(&mut self, offset: usize) {
        self.typing = false;
        let mut offset = offset.min(self.text.len());
        while !self.is_boundary(offset) {
            offset -= 1;
        }
        self.cursor = offset;
    }

    fn is_boundary(&self, offset: usize) -> bool {
        self.text.is_char_boundary(offset)
            && GraphemeCursor::new(offset, self.text.len(), true).is_boundary(&self.text, 0).unwrap_or(true)
    }

    fn put(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        // A joiner may have glued what was put in to what follows: the cursor moves behind the whole cluster.
        while !self.is_boundary(self.cursor) {
            self.cursor += 1;
        }
    }

    fn remove(&mut self, start: usize, end: usize) {
        if start < end {
            self.checkpoint();
            self.text.drain(start..end);
            self.move_to(start);
        }
    }

    fn kill(&mut self, start: usize, end: usize) {
        if start < end {
            self.killed = self.text[start..end].to_owned();
            self.remove(start, end);
        }
    }

    fn checkpoint(&mut self) {
        self.typing = false;
        if self.undo.len() == UNDO_STEPS {
            self.undo.remove(0);
        }
        self.undo.push((self.text.clone(), self.cursor));
    }

    fn before(&self, offset: usize) -> usize {
        GraphemeCursor::new(offset, self.text.len(), true)
            .prev_boundary(&self.text, 0)
            .ok()
            .flatten()
            .unwrap_or(0)
    }

    fn after(&self, offset: usize) -> usize {
        let cursor = GraphemeCursor::new(offset, self.text.len(), true).next_boundary(&self.text, 0);
        cursor.ok().flatten().unwrap_or(self.text.len())
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |line_feed| line_feed + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |line_feed| self.cursor + line_feed)
    }

    fn word_start(&self) -> usize {
        let words = self.text[..self.cursor].split_word_bound_indices().rev();
        words.into_iter().find(|(_, word)| !word.trim().is_empty()).map_or(0, |(start, _)| start)
    }

    fn word_end(&self) -> usize {
        let mut words = self.text[self.cursor..].split_word_bound_indices();
        words
            .find(|(_, word)| !word.trim().is_empty())
            .map_or(self.text.len(), |(start, word)| self.cursor + start + word.len())
    }
}

/// Drops what a draft cannot hold: controls other than line feed and tab, and the characters that stand for pastes.
fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| {
            *c == '\n'
                || *c == '\t'
                || !(c.is_control() || (PASTE_BASE..=PASTE_LAST).contains(&u32::from(*c)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after(edits: impl FnOnce(&mut Buffer)) -> String {
        let mut buffer = Buffer::default();
        edits(&mut buffer);
        let (before, behind) = buffer.text.split_at(buffer.cursor);
        format!("{before}|{behind}")
    }

    #[test]
    fn edits() {
        let rows: [(&str, String, &str); 12] = [
            ("typed", after(|b| b.insert("abc")), "abc|"),
            (
                "left and typed",
                after(|b| {
                    b.insert("ac");
                    b.left();
                    b.insert("b")
                }),
                "ab|c",
            ),
            (
                "joined emoji, one backspace",
                after(|b| {
                    b.insert("x");
                    b.insert("👩\u{200d}🔬");
                    b.backspace()
                }),
                "x|",
            ),
            (
                "emoji in pieces",
                after(|b| {
                    b.insert("👩");
                    b.insert("\u{200d}🔬");
                    b.backspace()
                }),
                "|",
            ),
            (
                "thai",
                after(|b| {
                    b.insert("นำ");
                    b.backspace();
                    b.insert("a")
                }),
                "a|",
            ),
            (
                "word left",
                after(|b| {
                    b.insert("one two  ");
                    b.word_left()
                }),
                "one |two  ",
            ),
            (
                "word right",
                after(|b| {
                    b.insert("one two");
                    b.move_to(3);
                    b.word_right()
                }),
                "one two|",
            ),
            (
                "kill word and yank",
                after(|b| {
                    b.insert("one two");
                    b.kill_word_back();
                    b.home();
                    b.yank()
                }),
                "two|one ",
            ),
            (
                "kill line end joins",
                after(|b| {
                    b.insert("a\nb");
                    b.move_to(1);
                    b.kill_to_line_end()
                }),
                "a|b",
            ),
            (
                "undo a paste",
                after(|b| {
                    b.insert("a");
                    b.insert_paste("b\r\nc\rd");
                    b.undo();
                }),
                "a|",
            ),
            ("crlf", after(|b| b.insert_paste("a\r\nb\rc\n")), "a\nb\nc\n|"),
            ("controls", after(|b| b.insert_paste("a\tb\0c\u{1b}[31m")), "a\tbc[31m|"),
        ];
        for (name, got, want) in rows {
            assert_eq!(got, want, "{name}");
        }
    }

    #[test]
    fn log_4_05_a_long_paste_is_one_edit_with_a_short_label() {
        let text = "line\n".repeat(50_000);
        let mut buffer = Buffer::default();
        buffer.insert("see ");
        buffer.insert_paste(&text);
        let place = buffer.text().chars().last().unwrap();
        assert_eq!(buffer.paste_label(place).as_deref(), Some("[pasted 50000 lines]"));
        assert_eq!(buffer.expanded(), format!("see {text}"));
        buffer.backspace();
        assert_eq!(buffer.text(), "see ");
        buffer.undo();
        assert_eq!(buffer.expanded(), format!("see {text}"));
    }

    proptest! {
        #[test]
        fn the_cursor_stays_between_clusters(edits in proptest::collection::vec((0u8..14, "\\PC{0,4}"), 0..40)) {
            let mut buffer = Buffer::default();
            for (edit, text) in edits {
                match edit {
                    0..=3 => buffer.insert(&text),
                    4 => buffer.insert_paste(&text),
                    5 => buffer.backspace(),
                    6 => buffer.delete(),
                    7 => buffer.left(),
                    8 => buffer.word_left(),
                    9 => buffer.word_right(),
                    10 => buffer.kill_word_back(),
                    11 => buffer.yank(),
                    12 => buffer.undo(),
                    _ => buffer.move_to(text.len()),
                }
                prop_assert!(buffer.is_boundary(buffer.cursor), "{:?} at {}", buffer.text, buffer.cursor);
            }
        }
    }
}
