//! Cuts a request into words; what stands in quotes, backticks or slashes is one word and kept as it is.
//!
//! Owns quoting and punctuation, nothing else: what the words mean is `parse.rs`. Every text is accepted; a quote that
//! never closes is an ordinary character.

/// One word of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As the person wrote it, without quotes and without punctuation after it.
    pub text: String,
    /// In lower case when it is plain, empty when it is quoted: a quoted word is never a keyword.
    pub key: String,
    pub form: Form,
    /// A comma, semicolon, full stop or line end stands after it.
    pub stop: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    /// In quotes or backticks.
    Quoted,
    /// Between slashes.
    Regex,
}

impl Word {
    pub fn is_plain(&self) -> bool {
        self.form == Form::Plain
    }

    /// The path that it names: what stands between slashes was meant as one here.
    pub fn path(&self) -> String {
        if self.form == Form::Regex { format!("/{}/", self.text) } else { self.text.clone() }
    }

    pub fn is(&self, key: &str) -> bool {
        self.key == key
    }

    pub fn is_one_of(&self, keys: &[&str]) -> bool {
        keys.contains(&self.key.as_str())
    }
}

/// One plain word.
pub fn word(key: &str) -> Word {
    Word { text: key.to_owned(), key: key.to_owned(), form: Form::Plain, stop: false }
}

/// `@src/main.rs` as the path that it names, `None` for another word. `@"two words.txt"` is a quoted word already.
pub fn named_path(word: &Word) -> Option<Word> {
    let path = word.text.strip_prefix('@').filter(|path| word.is_plain() && !path.is_empty())?;
    Some(Word { text: path.to_owned(), key: String::new(), form: Form::Quoted, stop: word.stop })
}

pub fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        let blank = &rest[..rest.len() - trimmed.len()];
        if blank.contains('\n')
            && let Some(word) = words.last_mut()
        {
            word.stop = true;
        }
        rest = trimmed;
        if rest.is_empty() {
            return words;
        }
        // `@` before a quote says that it is a path.
        let named = rest.strip_prefix("@\"").and_then(|_| quoted(&rest[1..]));
        let (word, length) = match named {
            Some((word, length)) => (word, length + 1),
            None => quoted(rest).unwrap_or_else(|| plain(rest)),
        };
        rest = &rest[length..];
        match word {
            Some(word) => words.push(word),
            // Punctuation that stands alone ends the word before it.
            None => {
                if let Some(word) = words.last_mut() {
                    word.stop = true;
                }
            }
        }
    }
}

/// A word in quotes at the start of `text`, and the bytes it takes.
fn quoted(text: &str) -> Option<(Option<Word>, usize)> {
    let open = text.chars().next()?;
    let close = match open {
        '"' | '\'' | '`' | '/' => open,
        '“' | '„' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    };
    let start = open.len_utf8();
    // In `/tmp/.cache/x` the dot goes on.
    let ends_here = |tail: &str| {
        let after = tail.trim_start_matches([',', '.', ';', ':', '!', '?', ')']);
        after.chars().next().is_none_or(char::is_whitespace)
    };
    let is_close = |at: usize, found: char| {
        (found == close || (open == '„' && found == '“'))
            // `""` is an empty text, `//` is nothing.
            && (at > 0 || open != '/')
            && ends_here(&text[start + at + found.len_utf8()..])
    };
    let (at, found) = text[start..].char_indices().find(|(at, found)| is_close(*at, *found))?;
    let inner = &text[start..start + at];
    if inner.contains('\n') || (open == '/' && inner.contains(' ') && inner.contains('/')) {
        return None;
    }
    let end = start + at + found.len_utf8();
    let tail = &text[end..];
    let marks = tail.len() - tail.trim_start_matches([',', '.', ';', ':', '!', '?', ')']).len();
    let form = if open == '/' { Form::Regex } else { Form::Quoted };
    let stop = tail[..marks].contains([',', '.', ';']);
    Some((Some(Word { text: inner.to_owned(), key: String::new(), form, stop }), end + marks))
}

fn plain(text: &str) -> (Option<Word>, usize) {
    let length = text.find(char::is_whitespace).unwrap_or(text.len());
    let raw = &text[..length];
    let body = raw.trim_start_matches(['(', '"', '`']);
    // A path such as `.` or `../` keeps its dots.
    let dots_only = body.chars().all(|c| matches!(c, '.' | '/'));
    let kept = if dots_only {
        body
    } else {
        body.trim_end_matches([',', '.', ';', ':', '!', '?', ')', '"', '`', '…'])
    };
    if kept.is_empty() {
        let asks = raw == "?";
        let word = Word { text: raw.to_owned(), key: raw.to_owned(), form: Form::Plain, stop: false };
        return (asks.then_some(word), length);
    }
    // A pattern such as `file?` is seldom meant; a question mark ends a question.
    let stop = body[kept.len()..].contains([',', '.', ';']);
    let key = kept.to_lowercase().replace('’', "'");
    (Some(Word { text: kept.to_owned(), key, form: Form::Plain, stop }), length)
}
