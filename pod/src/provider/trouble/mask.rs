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
        let before = text[..at].chars().next_back();
        let after = text[end..].chars().next();
        if [before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        masked.push_str(&text[rest..at]);
        masked.push_str(MASK);
        rest = end;
    }
    masked.push_str(&text[rest..]);
    masked
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
            ("漢字漢字", "漢字漢字: x漢字漢字", "[the key]: x漢字漢字"),
            ("sk-secret", "xsk-secretx sk-secret", "x[the key]x [the key]"),
            ("", "nothing", "nothing"),
        ];
        for (secret, text, expected) in rows {
            assert_eq!(masked(text, secret), expected, "{secret}");
        }
    }
}
