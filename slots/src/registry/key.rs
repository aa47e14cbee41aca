//! Keys as registrations write them: an exact name, a prefix pattern, or a kind.
//!
//! Reads and refuses; says in words what is wrong with a key. Which key wins for a name is the slot's business.
//! Read `registry/slot.rs` next.

/// A key that has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// `Read`
    Exact(String),
    /// `mcp__github__*`, without its star.
    Prefix(String),
    /// `kind:read`, without `kind:`.
    Kind(String),
}

impl Key {
    /// Reads a key; the error says what is wrong with it and what to write instead.
    pub(super) fn of_view(text: &str) -> Result<Key, &'static str> {
        if let Some(kind) = text.strip_prefix("kind:") {
            return match kind {
                "" => Err("names no kind; write `kind:` and a word such as `read`"),
                kind if kind.contains('*') => Err("a kind is a whole word; leave out the `*`"),
                kind => Ok(Key::Kind(kind.to_owned())),
            };
        }
        match text.split_once('*') {
            Some(("", "")) => Err("would match every tool; write a prefix before the `*`"),
            Some((prefix, "")) => Ok(Key::Prefix(prefix.to_owned())),
            Some(_) => Err("a `*` stands at the end only"),
            None => Key::exact(text),
        }
    }

    /// Reads the name of a command.
    pub(super) fn of_command(text: &str) -> Result<Key, &'static str> {
        if text.contains(|c: char| c.is_whitespace() || c == '*' || c == ':') {
            return Err("the name of a command is one word without `:` and `*`");
        }
        Key::exact(text)
    }

    /// Reads the sigil that completion begins with.
    pub(super) fn of_completion(text: &str) -> Result<Key, &'static str> {
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(':'), None) => Err("is the colon, which begins commands; take another sign"),
            (Some(sigil), None) if !sigil.is_alphanumeric() && !sigil.is_whitespace() => Key::exact(text),
            _ => Err("is no sigil; write one sign that is neither letter, digit nor blank"),
        }
    }

    fn exact(text: &str) -> Result<Key, &'static str> {
        if text.is_empty() { Err("is empty; write the name") } else { Ok(Key::Exact(text.to_owned())) }
    }
}
