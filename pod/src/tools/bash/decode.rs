//! Bytes that come in pieces, as text: a character that is cut between two pieces stays whole.
//!
//! Owns the few bytes that wait for the rest of their character. What is no UTF-8 becomes U+FFFD, as everywhere.

#[derive(Debug, Default)]
pub struct Decoder {
    held: Vec<u8>,
}

impl Decoder {
    /// The text of these bytes, as far as it is whole.
    pub fn text(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let whole = self.held.len() - unfinished(&self.held);
        let text = String::from_utf8_lossy(&self.held[..whole]).into_owned();
        self.held.drain(..whole);
        text
    }

    /// What is left when nothing more will come.
    pub fn rest(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.held)).into_owned()
    }
}

/// How many bytes at the end begin a character that they do not finish.
fn unfinished(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    // A character may begin at each of the last three bytes; the first that is cut there is the one.
    (from..bytes.len())
        .find(|at| match std::str::from_utf8(&bytes[*at..]) {
            Ok(_) => false,
            Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
        })
        .map_or(0, |at| bytes.len() - at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut decoder = Decoder::default();
        let mut text: String = pieces.into_iter().map(|piece| decoder.text(piece)).collect();
        text.push_str(&decoder.rest());
        text
    }

    #[test]
    fn a_character_is_never_torn() {
        let bytes = "aé漢😀z".as_bytes();
        assert_eq!(decoded(bytes.chunks(1)), "aé漢😀z");
        assert_eq!(decoded([&b"\xf0\x9f"[..], b"x"]), "\u{fffd}x");
        assert_eq!(decoded([&b"\xff\xfe"[..]]), "\u{fffd}\u{fffd}");
        assert_eq!(decoded([&b"a\xe6\xbc"[..]]), "a\u{fffd}");
    }

    proptest! {
        #[test]
        fn pieces_are_read_like_the_whole(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xf0), Just(0x9f), Just(0x98), Just(b'a')], 0..60),
            size in 1_usize..7,
        ) {
            prop_assert_eq!(decoded(bytes.chunks(size)), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
