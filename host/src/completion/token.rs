//! The word that is being written: a sigil at the beginning of a word, and what stands between it and the cursor.
//!
//! An address such as `me@example.org` has its sigil within a word and is none. Behind a quote a word may have blanks.
//! Refuses to know what the sigils mean; which there are it asks the registry.

use carpel_slots::Registry;

/// Such a word. Offsets are bytes of the draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it begins with.
    pub sigil: char,
    /// Where the sigil stands.
    pub start: usize,
    /// Behind the last byte that a completion replaces: the cursor, or the closing quote right behind it.
    pub end: usize,
    /// What is typed so far, without sigil and quote.
    pub typed: String,
    /// The word as it stands in the draft.
    word: String,
    cursor: usize,
}

impl Token {
    /// True when the draft still has this word with the cursor behind it.
    pub fn stands(&self, draft: &str, cursor: usize) -> bool {
        self.cursor == cursor && draft.get(self.start..self.end) == Some(self.word.as_str())
    }
}

/// The word behind which the cursor stands, if it begins with a sigil.
pub fn token(draft: &str, cursor: usize, registry: &Registry) -> Option<Token> {
    let line = draft[..cursor].rfind('\n').map_or(0, |at| at + 1);
    let mut before = None;
    let mut at = line;
    while let Some(c) = draft[at..cursor].chars().next() {
        let begins = before.is_none_or(|c: char| c.is_whitespace() || "([{".contains(c));
        let source = registry.completion(c).filter(|source| begins && (at == 0 || !source.leads()));
        let length = if source.is_some() {
            match word(draft, at, at + c.len_utf8(), cursor) {
                Word::Open(end, typed) => {
                    let word = draft[at..end].to_owned();
                    return Some(Token { sigil: c, start: at, end, typed, word, cursor });
                }
                Word::Ends(end) => end - at,
            }
        } else {
            c.len_utf8()
        };
        before = draft[at..at + length].chars().next_back();
        at += length;
    }
    None
}

enum Word {
    /// The cursor stands at its end: where the part to replace ends, and what is typed.
    Open(usize, String),
    /// It ends here, before the cursor or around it.
    Ends(usize),
}

/// The word whose text begins at `start`.
fn word(draft: &str, sigil: usize, start: usize, cursor: usize) -> Word {
    let text = &draft[start..cursor];
    if let Some(inner) = text.strip_prefix('"') {
        return match inner.find('"') {
            Some(close) => Word::Ends(start + close + 2),
            None => {
                let end = if draft[cursor..].starts_with('"') { cursor + 1 } else { cursor };
                Word::Open(end, inner.to_owned())
            }
        };
    }
    match text.find(char::is_whitespace) {
        Some(0) => Word::Ends(start.max(sigil + 1)),
        Some(blank) => Word::Ends(start + blank),
        None if draft[cursor..].chars().next().is_none_or(char::is_whitespace) => {
            Word::Open(cursor, text.to_owned())
        }
        None => Word::Ends(cursor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` is the cursor; the answer is the part that is replaced and what is typed.
    fn check(marked: &str, want: Option<(&str, &str)>) {
        let cursor = marked.find('|').unwrap();
        let draft = marked.replacen('|', "", 1);
        let got = token(&draft, cursor, &Registry::linked());
        let got = got.as_ref().map(|token| (&draft[token.start..token.end], token.typed.as_str()));
        assert_eq!(got, want, "{marked}");
    }

    #[test]
    fn words_with_a_sigil() {
        check("@|", Some(("@", "")));
        check("read @sr| now", Some(("@sr", "sr")));
        check("read @sr|c", None);
        check("read @src |", None);
        check("mail me@example.org|", None);
        check("(@src/|", Some(("@src/", "src/")));
        check("see @\"two wo|", Some(("@\"two wo", "two wo")));
        check("see @\"dir /|\" now", Some(("@\"dir /\"", "dir /")));
        check("see @\"a b\" and @c|", Some(("@c", "c")));
        check("see @\"a b\"|", None);
        check("one\n@two|", Some(("@two", "two")));
        check("#ar|", Some(("#ar", "ar")));
        check("# a|", None);
        check("/re|", Some(("/re", "re")));
        check("and /re|", None);
        check("/re and|", None);
        check("@@at|", Some(("@@at", "@at")));
        check("@ x|", None);
        check("漢字 @漢|", Some(("@漢", "漢")));
    }
}
