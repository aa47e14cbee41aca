//! For tests: the same reading of a whole text by recursion, an oracle for the reader that goes on piece by piece.
//!
//! Whatever the pieces are, what `partial.rs` says of a text is what is said here. It is used nowhere else.

use serde_json::{Map, Number, Value};

/// How deep arrays and objects may stand in each other, as in `serde_json`.
const MAX_DEPTH: usize = 128;

/// What can be read of `text`; `ended` says that no more of it will come.
pub(super) fn read(text: &str, ended: bool) -> Option<Value> {
    let mut reader = Reader { text, at: 0, ended };
    reader.value(0).0
}

/// Whether the reading goes on behind a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    /// The text ended inside it, or is not JSON from there on.
    Stop,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    ended: bool,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> (Option<Value>, Then) {
        self.blanks();
        match self.peek() {
            Some(b'"') => {
                let (text, then) = self.string();
                (Some(Value::String(text)), then)
            }
            Some(b'{' | b'[') if depth >= MAX_DEPTH => (None, Then::Stop),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z') => self.word(),
            _ => (None, Then::Stop),
        }
    }

    fn object(&mut self, depth: usize) -> (Option<Value>, Then) {
        self.at += 1;
        let mut fields = Map::new();
        let then = self.fields(&mut fields, depth);
        (Some(Value::Object(fields)), then)
    }

    fn fields(&mut self, fields: &mut Map<String, Value>, depth: usize) -> Then {
        if self.next_is(b'}') {
            return Then::GoOn;
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Then::Stop;
            }
            let (key, then) = self.string();
            if then == Then::Stop || !self.next_is(b':') {
                return Then::Stop;
            }
            let (value, then) = self.value(depth + 1);
            if let Some(value) = value {
                fields.insert(key, value);
            }
            if then == Then::Stop {
                return Then::Stop;
            }
            if self.next_is(b'}') {
                return Then::GoOn;
            }
            if !self.next_is(b',') {
                return Then::Stop;
            }
        }
    }

    fn array(&mut self, depth: usize) -> (Option<Value>, Then) {
        self.at += 1;
        let mut items = Vec::new();
        let then = self.items(&mut items, depth);
        (Some(Value::Array(items)), then)
    }

    fn items(&mut self, items: &mut Vec<Value>, depth: usize) -> Then {
        if self.next_is(b']') {
            return Then::GoOn;
        }
        loop {
            let (item, then) = self.value(depth + 1);
            items.extend(item);
            if then == Then::Stop {
                return Then::Stop;
            }
            if self.next_is(b']') {
                return Then::GoOn;
            }
            if !self.next_is(b',') {
                return Then::Stop;
            }
        }
    }

    fn number(&mut self) -> (Option<Value>, Then) {
        let number = self.run(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        if self.at == self.text.len() && !self.ended {
            return (None, Then::Stop);
        }
        match serde_json::from_str::<Number>(number) {
            Ok(number) => (Some(Value::Number(number)), Then::GoOn),
            Err(_) => (None, Then::Stop),
        }
    }

    fn word(&mut self) -> (Option<Value>, Then) {
        match self.run(|byte| byte.is_ascii_lowercase()) {
            "true" => (Some(Value::Bool(true)), Then::GoOn),
            "false" => (Some(Value::Bool(false)), Then::GoOn),
            "null" => (Some(Value::Null), Then::GoOn),
            _ => (None, Then::Stop),
        }
    }

    fn string(&mut self) -> (String, Then) {
        self.at += 1;
        let mut out = String::new();
        loop {
            out.push_str(self.run(|byte| !matches!(byte, b'"' | b'\\')));
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return (out, Then::GoOn);
                }
                Some(_) => match self.escape() {
                    Some(c) => out.push(c),
                    None => return (out, Then::Stop),
                },
                None => return (out, Then::Stop),
            }
        }
    }

    /// The character that an escape stands for; `None` when the text ends inside it and when there is no such escape.
    fn escape(&mut self) -> Option<char> {
        let letter = *self.text.as_bytes().get(self.at + 1)?;
        let plain = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return None,
        };
        self.at += 2;
        Some(plain)
    }

    fn unicode_escape(&mut self) -> Option<char> {
        let first = self.hex(self.at)?;
        if !(0xd800..0xdc00).contains(&first) {
            self.at += 6;
            return Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let behind = self.text.get(self.at + 6..)?;
        match self.hex(self.at + 6) {
            Some(second) if (0xdc00..0xe000).contains(&second) => {
                self.at += 12;
                char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            }
            // The other half may still come.
            None if !self.ended && is_start_of_escape(behind) => None,
            _ => {
                self.at += 6;
                Some(char::REPLACEMENT_CHARACTER)
            }
        }
    }

    /// The number of the `\uXXXX` that stands at `at`.
    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes `byte`, and blanks before it, when it comes next.
    fn next_is(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn blanks(&mut self) {
        self.run(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    /// Takes bytes while they are wanted. Only ASCII bytes may be unwanted, so that no character is cut.
    fn run(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let length = self.text.as_bytes()[start..].iter().take_while(|byte| wanted(**byte)).count();
        self.at = start + length;
        self.text.get(start..self.at).unwrap_or_default()
    }
}

/// True when `text` could become `\uXXXX`, were more of it there.
fn is_start_of_escape(text: &str) -> bool {
    (0..6).any(|length| {
        let whole = format!("{text}{}", &"\\u0000"[text.len().min(6)..]);
        text.len() == length
            && whole.starts_with("\\u")
            && whole[2..].bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

mod tests {
    use proptest::prelude::*;

    use super::super::Args;

    fn check(text: &str, cuts: &[usize]) {
        let mut args = Args::streaming("");
        let mut at = 0;
        let mut ends: Vec<usize> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut % (text.len() + 1))).collect();
        ends.sort_unstable();
        for end in ends.into_iter().chain([text.len()]) {
            args.push(&text[at..end]);
            at = end;
            // Before anything is read whole.
            let ends =
                ["a", "b", "content"].map(|field| args.partial_end(field, usize::MAX).map(|end| end.text));
            assert_eq!(args.partial().cloned(), super::read(&text[..end], false), "{:?}", &text[..end]);
            let texts = ["a", "b", "content"].map(|field| args.partial_str(field));
            assert_eq!(ends, texts, "{:?}", &text[..end]);
        }
        assert_eq!(args.raw(), text);
        assert_eq!(super::super::partial::read_ended(text), super::read(text, true), "{text:?}");
    }

    #[test]
    fn every_cut_of_what_is_hard() {
        let texts = [
            r#" {"a" : [1, -2.5e3,true , null,{"b\u00e9\ud83d\ude00":"\n\\x\ud83d y"}],"a":"again" } more"#,
            r#"{"a":"\ud83daé"}"#,
            r#"{"a":trueish}"#,
            r#"[[],{},"",[1,]]"#,
            r#"{"a":"\u12é4"}"#,
            r#"{"a":"\ud83d\u12"#,
        ];
        for text in texts {
            for first in 0..=text.len() {
                check(text, &[first]);
                check(text, &[first, first + 1, first + 2]);
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_say_what_the_whole_says(
            text in any::<String>(),
            json in "[\\[\\]{}\",:\\\\u0-9a-fd-e. ntrls\u{e9}-]{0,40}",
            cuts in proptest::collection::vec(any::<usize>(), 0..8),
        ) {
            check(&text, &cuts);
            check(&json, &cuts);
            check(&format!("{{\"a\":{json}"), &cuts);
            check(&format!("{{\"a\":\"{json}"), &cuts);
        }
    }
}
