//! Makes text printable, character by character.
//!
//! What happens to a character depends on the character, on the form and on what has been written before it, never on
//! what was dropped: so cleaning clean text changes nothing. The state is small: the last thing written, and how much
//! hangs on it. Linear in the text; text of printable ASCII is only looked through and copied.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::class::{Class, class};
use super::{MARKS_KEPT, TAB_STOP, sequence};

/// How many characters may be joined to one; the longest emoji of families have three.
const JOINS_KEPT: usize = 8;

/// Stands under a mark that has nothing to stand on.
const DOTTED_CIRCLE: char = '\u{25cc}';

/// How strictly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Nothing is gone.
    Exact,
    /// Escape sequences are gone, what is invisible is shown.
    Line,
    /// Escape sequences and what is invisible are gone; joiners work.
    Prose,
}

/// True when every character is printable ASCII.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(is_plain_byte)
}

/// The text in that form.
pub(super) fn clean(text: &str, form: Form) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut cleaner = Cleaner {
        form,
        out: String::with_capacity(text.len()),
        last: Last::Nothing,
        marks: 0,
        joins: 0,
        stop: 0,
    };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match rest.bytes().take_while(|byte| is_plain_byte(*byte)).count() {
            0 => cleaner.take(c, rest),
            plain => cleaner.plain(&rest[..plain]),
        };
        rest = &rest[taken..];
    }
    cleaner.out
}

fn is_plain_byte(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte)
}

/// What stands last in the output, as far as it matters to what may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Blank,
    Visible(char),
    Mark,
    Selector,
    Joiner,
}

struct Cleaner {
    form: Form,
    out: String,
    last: Last,
    /// Marks on the last visible character.
    marks: usize,
    /// Joiners in the last run of joined characters.
    joins: usize,
    /// Byte offset in the output of the last tab stop.
    stop: usize,
}

impl Cleaner {
    /// A run of printable ASCII; its length.
    fn plain(&mut self, run: &str) -> usize {
        self.out.push_str(run);
        self.last = match run.chars().next_back() {
            Some(' ') | None => Last::Blank,
            Some(c) => Last::Visible(c),
        };
        (self.marks, self.joins) = (0, 0);
        run.len()
    }

    /// The character at the start of `rest`, or the whole sequence that begins there; its length.
    fn take(&mut self, c: char, rest: &str) -> usize {
        let class = class(c);
        if class == Class::Control
            && self.form != Form::Exact
            && let Some(length) = sequence::length(rest)
        {
            return length;
        }
        match class {
            Class::Visible => self.visible(c),
            Class::Blank => self.blank(c),
            Class::Mark => self.mark(c),
            Class::Control => self.control(c),
            Class::Reordering => self.escape(c),
            Class::Separator => self.separator(c),
            Class::Joiner => self.joiner(c),
            Class::Selector => self.selector(c),
            Class::Hidden => self.hidden(c),
        }
        c.len_utf8()
    }

    fn visible(&mut self, c: char) {
        if self.last != Last::Joiner {
            self.joins = 0;
        }
        self.marks = 0;
        self.out.push(c);
        self.last = Last::Visible(c);
    }

    fn blank(&mut self, c: char) {
        if self.form == Form::Exact {
            return self.escape(c);
        }
        self.out.push(c);
        self.last = Last::Blank;
        (self.marks, self.joins) = (0, 0);
    }

    fn mark(&mut self, c: char) {
        if self.last == Last::Nothing {
            self.visible(DOTTED_CIRCLE);
        }
        if self.marks >= MARKS_KEPT {
            if self.form == Form::Exact {
                self.escape(c);
                self.marks = MARKS_KEPT;
            }
            return;
        }
        self.marks += 1;
        self.out.push(c);
        self.last = Last::Mark;
    }

    fn control(&mut self, c: char) {
        match u32::from(c) {
            0x09 if self.form != Form::Exact => self.tab(),
            low @ 0x00..=0x1f => self.visible(char::from_u32(0x2400 + low).unwrap_or(' ')),
            0x7f => self.visible('\u{2421}'),
            _ => self.escape(c),
        }
    }

    fn tab(&mut self) {
        // Only what came since the last stop is measured: a tab is no part of a cluster, so the widths add up.
        let column = self.out.get(self.stop..).map_or(0, UnicodeWidthStr::width);
        self.out.extend(std::iter::repeat_n(' ', TAB_STOP - column % TAB_STOP));
        self.stop = self.out.len();
        self.last = Last::Blank;
        (self.marks, self.joins) = (0, 0);
    }

    fn separator(&mut self, c: char) {
        if self.form == Form::Prose {
            self.plain(" ");
        } else {
            self.escape(c);
        }
    }

    fn joiner(&mut self, c: char) {
        if self.form != Form::Prose {
            return self.escape(c);
        }
        let follows = matches!(self.last, Last::Visible(_) | Last::Mark | Last::Selector);
        if follows && self.joins < JOINS_KEPT {
            self.joins += 1;
            self.out.push(c);
            self.last = Last::Joiner;
        }
    }

    fn selector(&mut self, c: char) {
        let kept = match (self.form, self.last) {
            (Form::Exact, _) => false,
            (Form::Line, Last::Visible(base)) => matches!(c, '\u{fe0e}' | '\u{fe0f}') && has_two_looks(base),
            (Form::Line, _) => false,
            (Form::Prose, last) => matches!(last, Last::Visible(_) | Last::Mark),
        };
        if kept {
            self.out.push(c);
            self.last = Last::Selector;
        } else if self.form != Form::Prose {
            self.escape(c);
        }
    }

    fn hidden(&mut self, c: char) {
        if self.form != Form::Prose {
            self.escape(c);
        }
    }

    /// The character by its number.
    fn escape(&mut self, c: char) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "<U+{:04X}>", u32::from(c));
        self.last = Last::Visible('>');
        (self.marks, self.joins) = (0, 0);
    }
}

/// True for a character that may have a text look and an emoji look: symbols, and the bases of keycaps.
fn has_two_looks(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}')
}
