//! The head of a `SKILL.md`: `name` and `description` between two lines of dashes, read leniently.
//!
//! People write these heads by hand, with colons that YAML would want quoted, so this is no YAML reader: a key at the
//! start of a line, its value to the end of the line, and indented lines that go on with it (also after `>` or `|`).
//! Other keys are passed over. Pure. Refuses to judge names; `discover.rs` does.

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontmatter<'a> {
    pub name: Option<String>,
    pub description: Option<String>,
    pub body: &'a str,
}

/// A text without a head is all body.
pub fn parse(text: &str) -> Frontmatter<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((head, body)) = split(text) else {
        return Frontmatter { body: text, ..Frontmatter::default() };
    };
    Frontmatter { name: value(head, "name"), description: value(head, "description"), body }
}

fn split(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_end() == "---";
        match start {
            None if is_fence => start = Some(at + line.len()),
            None => return None,
            Some(start) if is_fence => return Some((&text[start..at], &text[at + line.len()..])),
            Some(_) => {}
        }
        at += line.len();
    }
    None
}

fn value(head: &str, key: &str) -> Option<String> {
    let mut lines = head.lines();
    let first = lines.by_ref().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?;
    let first = first.trim();
    let is_block = matches!(first.trim_end_matches(['-', '+']), ">" | "|");
    let mut words: Vec<&str> = if is_block { Vec::new() } else { vec![first] };
    words.extend(
        lines.take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t'])).map(str::trim),
    );
    let joined = words.join(" ");
    let joined = joined.trim();
    let bare = ['"', '\''].iter().find_map(|quote| joined.strip_prefix(*quote)?.strip_suffix(*quote));
    Some(bare.unwrap_or(joined).to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: Option<&str>, description: Option<&str>, body: &str) {
        let got = parse(text);
        assert_eq!((got.name.as_deref(), got.description.as_deref(), got.body), (name, description, body));
    }

    #[test]
    fn heads_as_people_write_them() {
        check(
            "---\nname: a\ndescription: Does it: well\n---\nbody",
            Some("a"),
            Some("Does it: well"),
            "body",
        );
        check("---\r\nname: \"a\"\r\ndescription: 'x'\r\n---\r\nb\r\n", Some("a"), Some("x"), "b\r\n");
        check("---\ndescription: >-\n  one\n  two\nname: a\n---\n", Some("a"), Some("one two"), "");
        check("---\ndescription: one\n  two\n---\n", None, Some("one two"), "");
        check("---\nname: a\nmetadata:\n  description: no\ndescription:\n---\n", Some("a"), None, "");
        check("---\nnames: x\n---\n", None, None, "");
        check("---\nname: a\nno end\n", None, None, "---\nname: a\nno end\n");
        check("just text", None, None, "just text");
        check("", None, None, "");
        check("\u{feff}---\nname: a\n---\nb", Some("a"), None, "b");
    }
}
