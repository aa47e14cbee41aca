//! Where a JSON object that arrives in pieces is complete.
//!
//! Owns a count of brackets outside of strings, kept from piece to piece, so that each byte is looked at once however
//! small the pieces are. It refuses to know whether what is between them is valid.

/// How far an object has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    state: State,
    depth: u32,
    in_string: bool,
    escaped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Nothing but blanks so far.
    #[default]
    Empty,
    Begun,
    Complete,
    /// It does not begin as an object does; where it ends cannot be told.
    Shapeless,
}

impl Extent {
    pub fn is_empty(&self) -> bool {
        self.state == State::Empty
    }

    pub fn is_complete(&self) -> bool {
        self.state == State::Complete
    }

    /// Takes the next piece; says how much of it belongs to the object, blanks behind it included.
    pub fn take(&mut self, piece: &str) -> usize {
        for (at, byte) in piece.bytes().enumerate() {
            match self.state {
                State::Shapeless => return piece.len(),
                State::Empty => match byte {
                    b'{' => {
                        (self.state, self.depth) = (State::Begun, 1);
                    }
                    byte if byte.is_ascii_whitespace() => {}
                    _ => self.state = State::Shapeless,
                },
                State::Begun => self.within(byte),
                State::Complete if byte.is_ascii_whitespace() => {}
                State::Complete => return at,
            }
        }
        piece.len()
    }

    fn within(&mut self, byte: u8) {
        match (self.in_string, byte) {
            (true, _) if self.escaped => self.escaped = false,
            (true, b'\\') => self.escaped = true,
            (_, b'"') => self.in_string = !self.in_string,
            (false, b'{' | b'[') => self.depth += 1,
            (false, b'}' | b']') => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.state = State::Complete;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn check(text: &str, complete: bool, own: usize) {
        let mut whole = Extent::default();
        assert_eq!(whole.take(text), own, "{text}");
        assert_eq!(whole.is_complete(), complete, "{text}");
    }

    #[test]
    fn an_object_ends_with_its_last_bracket() {
        check("", false, 0);
        check("  ", false, 2);
        check("{}", true, 2);
        check(r#" {"a":"}\"{"} "#, true, 14);
        check(r#"{"a":[{}]}{"b":1}"#, true, 10);
        check(r#"{"a":1} junk"#, true, 8);
        check(r#""path":"a"}"#, false, 11);
        check("[{}]{}", false, 6);
        check(r#"{"a":"#, false, 5);
    }

    proptest! {
        /// However it is cut, an object is complete with its last byte and not before.
        #[test]
        fn pieces_make_no_difference(keys in prop::collection::btree_map(".*", ".*", 0..4), cuts in prop::collection::vec(0..200_usize, 0..6)) {
            let text = serde_json::to_string(&Value::from_iter(keys)).unwrap();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| text.floor_char_boundary(cut.min(text.len()))).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut extent = Extent::default();
            for pair in cuts.windows(2) {
                prop_assert!(!extent.is_complete() || pair[0] == pair[1] );
                let piece = &text[pair[0]..pair[1]];
                prop_assert_eq!(extent.take(piece), piece.len());
            }
            prop_assert!(extent.is_complete());
        }
    }
}
