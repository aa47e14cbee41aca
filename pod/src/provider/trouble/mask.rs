//! Takes a secret out of a server's words.
//!
//! Owns from which length on a key is one: servers that want none are given `x`, `none` or `ollama`, and an error that
//! says so must stay readable. It refuses to know whose words they are.

/// A shorter one is no secret: it is guessed at once.
const SHORTEST: usize = 4;
/// A longer one is not met by chance within a word.
const LONG: usize = 8;

/// The text with the secret masked, wherever that can be meant.
pub fn masked(text: &str, secret: &str) -> String {
    match secret.chars().count() {
        0..SHORTEST => text.to_owned(),
        SHORTEST..LONG => words_masked(text, secret),
        _ => text.replace(secret, MASK),
    }
}

const MASK: &str = "[the key]";

/// Only where it stands alone.
fn words_masked(text: &str, secret: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, _) in text.match_indices(secret) {
        let end = at + secret.len();
        if goes_on(text[..at].chars().rev()) || goes_on(text[end..].chars()) {
            continue;
        }
        masked.push_str(&text[rest..at]);
        masked.push_str(MASK);
        rest = end;
    }
    masked.push_str(&text[rest..]);
    masked
}

/// Whether a name goes on with these characters, those nearest to it first: `mock` is a part of `mock-1` and of
/// `a/mock`, and stands alone in `mock.`.
fn goes_on(mut beside: impl Iterator<Item = char>) -> bool {
    match beside.next() {
        Some('-' | '.' | '/') => beside.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric() || c == '_',
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_masked() {
        let rows = [
            ("a", "bad key: a banana", "bad key: a banana"),
            ("sk-", "sk-... is no key", "sk-... is no key"),
            ("test", "`test` is untested, test_1", "`[the key]` is untested, test_1"),
            (
                "mock",
                "`mock-1`, a/mock:2, mock.gguf: key=mock, mock. 'mock' -mock- mock",
                "`mock-1`, a/mock:2, mock.gguf: key=[the key], [the key]. '[the key]' -[the key]- [the key]",
            ),
            ("漢字漢字", "漢字漢字: x漢字漢字", "[the key]: x漢字漢字"),
            ("sk-secret", "xsk-secretx sk-secret", "x[the key]x [the key]"),
            ("", "nothing", "nothing"),
        ];
        for (secret, text, expected) in rows {
            assert_eq!(masked(text, secret), expected, "{secret}");
        }
    }
}
