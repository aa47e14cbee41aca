//! One line of Markdown at the top level: what block it could begin.
//!
//! This is the part of the grammar that has to be known before a block is whole, to find where blocks begin and end; the
//! blocks themselves are parsed by pulldown-cmark. It looks at one line only. Read `blocks` for what is made of it.

use std::borrow::Cow;

/// The same text, as long in bytes, with string terminators of one character: the backslash of the longer form would be
/// Markdown's own.
pub fn terminated(source: &str) -> Cow<'_, str> {
    let long = "\u{1b}\\";
    if source.contains(long) { source.replace(long, "\u{9c}").into() } else { source.into() }
}

/// What a line could begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind<'a> {
    /// Nothing but blanks.
    Blank,
    /// A code fence.
    Fence(Fence<'a>),
    /// `# ...`
    Heading,
    /// A thematic break.
    Rule,
    /// An item of a list.
    Item(Item),
    /// `> ...`
    Quote,
    /// HTML, with what ends it and whether it may interrupt a paragraph.
    Html(HtmlEnd, bool),
    /// A definition of a link or footnote.
    Definition,
    /// Four blanks or more.
    Indented,
    /// Anything else.
    Text,
}

/// A code fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence<'a> {
    /// Blanks in front, which its lines lose.
    pub indent: usize,
    /// Backtick or tilde.
    pub mark: char,
    /// How many of them.
    pub length: usize,
    /// What follows them.
    pub info: &'a str,
}

/// The marker of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// The column where its content begins.
    pub content: usize,
    /// Its number, where it has one, and what stands behind the number.
    pub number: Option<(u64, char)>,
    /// True when nothing follows the marker.
    pub is_empty: bool,
}

/// What ends a block of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HtmlEnd {
    /// A line that holds this.
    Holds(&'static str),
    /// A blank line.
    Blank,
}

/// Blanks in front of a line, tabs counted to stops of four.
pub fn indent(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// What a line, given without its line feed, could begin.
pub fn kind(line: &str) -> LineKind<'_> {
    let text = line.trim_start_matches([' ', '\t']);
    if text.trim_end().is_empty() {
        return LineKind::Blank;
    }
    let indent = indent(line);
    if indent >= 4 {
        return LineKind::Indented;
    }
    if let Some(fence) = fence(text, indent) {
        return LineKind::Fence(fence);
    }
    if is_heading(text) {
        return LineKind::Heading;
    }
    if is_rule(text) {
        return LineKind::Rule;
    }
    if let Some(item) = item(text, indent) {
        return LineKind::Item(item);
    }
    if text.starts_with('>') {
        return LineKind::Quote;
    }
    if let Some((end, interrupts)) = html(text) {
        return LineKind::Html(end, interrupts);
    }
    if is_definition(text) { LineKind::Definition } else { LineKind::Text }
}

fn fence(text: &str, indent: usize) -> Option<Fence<'_>> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    (length >= 3 && !(mark == '`' && info.contains('`'))).then(|| Fence {
        indent,
        mark,
        length,
        info: info.trim(),
    })
}

/// True when a line ends a fence of that mark and length.
pub fn closes(line: &str, mark: char, length: usize) -> bool {
    let text = line.trim();
    indent(line) < 4 && text.len() >= length && !text.is_empty() && text.chars().all(|c| c == mark)
}

fn is_heading(text: &str) -> bool {
    let rest = text.trim_start_matches('#');
    (1..=6).contains(&(text.len() - rest.len())) && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))
}

fn is_rule(text: &str) -> bool {
    let Some(mark) = text.chars().next().filter(|c| matches!(c, '*' | '-' | '_')) else {
        return false;
    };
    text.chars().all(|c| c == mark || c.is_ascii_whitespace())
        && text.chars().filter(|c| *c == mark).count() >= 3
}

fn item(text: &str, indent: usize) -> Option<Item> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (marker, number) = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => (1, None),
        delimiter @ (b'.' | b')') if (1..=9).contains(&digits) => {
            (digits + 1, Some((text[..digits].parse().ok()?, char::from(*delimiter))))
        }
        _ => return None,
    };
    let rest = &text[marker..];
    let is_empty = rest.trim().is_empty();
    if !is_empty && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let blanks = self::indent(rest);
    // Five blanks are one and an indented code block.
    let blanks = if is_empty || blanks > 4 { 1 } else { blanks };
    Some(Item { content: indent + marker + blanks, number, is_empty })
}

/// Tags that begin a block of HTML anywhere.
const BLOCK_TAGS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

fn html(text: &str) -> Option<(HtmlEnd, bool)> {
    let rest = text.strip_prefix('<')?;
    for (open, end) in [("!--", "-->"), ("?", "?>"), ("![CDATA[", "]]>")] {
        if rest.starts_with(open) {
            return Some((HtmlEnd::Holds(end), true));
        }
    }
    if rest.strip_prefix('!').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
        return Some((HtmlEnd::Holds(">"), true));
    }
    let bare = rest.strip_prefix('/').unwrap_or(rest);
    let name_end = bare.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(bare.len());
    let name = bare[..name_end].to_ascii_lowercase();
    let after = &bare[name_end..];
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let ends_name = after.is_empty() || after.starts_with([' ', '\t', '\r', '>']) || after.starts_with("/>");
    for (tag, end) in
        [("script", "</script>"), ("pre", "</pre>"), ("style", "</style>"), ("textarea", "</textarea>")]
    {
        if name == tag && rest == bare && ends_name {
            return Some((HtmlEnd::Holds(end), true));
        }
    }
    if ends_name && BLOCK_TAGS.contains(&name.as_str()) {
        return Some((HtmlEnd::Blank, true));
    }
    // A whole tag alone on its line; an address in angle brackets is none.
    let alone = after.find('>').is_some_and(|at| after[at + 1..].trim().is_empty());
    (alone && ends_name).then_some((HtmlEnd::Blank, false))
}

fn is_definition(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('[') else { return false };
    rest.find("]:")
        .is_some_and(|at| at > 0 && !rest[..at].contains(['[', ']']) && !rest[at + 2..].trim().is_empty())
}

/// True for the line under a heading: only `=` or only `-`.
pub fn is_underline(line: &str) -> bool {
    let text = line.trim();
    indent(line) < 4
        && !text.is_empty()
        && (text.bytes().all(|byte| byte == b'=') || text.bytes().all(|byte| byte == b'-'))
}

/// The columns of a table's second row; `None` when it is none.
pub fn delimiter_columns(line: &str) -> Option<usize> {
    let text = line.trim();
    if indent(line) >= 4 || !text.contains('-') || !(text.contains('|') || text.contains(':')) {
        return None;
    }
    let cells = cells(text);
    let is_delimiter = |cell: &str| {
        let cell = cell.trim();
        let dashes = cell.strip_prefix(':').unwrap_or(cell);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    cells.iter().all(|cell| is_delimiter(cell)).then_some(cells.len())
}

/// The columns of a row.
pub fn row_columns(line: &str) -> usize {
    if line.contains('|') { cells(line.trim()).len() } else { 0 }
}

fn cells(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('|').unwrap_or(text);
    let mut cells = Vec::new();
    let mut from = 0;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == '|' && !escaped {
            cells.push(&text[from..at]);
            from = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    if from < text.len() {
        cells.push(&text[from..]);
    }
    cells
}

/// True for a line that ends a paragraph by beginning something else.
pub fn interrupts(content: &str) -> bool {
    match kind(content) {
        LineKind::Blank | LineKind::Fence(_) | LineKind::Heading | LineKind::Rule | LineKind::Quote => true,
        LineKind::Item(item) => !item.is_empty && item.number.is_none_or(|(number, _)| number == 1),
        LineKind::Html(_, interrupts) => interrupts,
        LineKind::Definition | LineKind::Indented | LineKind::Text => false,
    }
}

/// True for a line that a lazy one may follow.
pub fn is_text(content: &str) -> bool {
    matches!(kind(content), LineKind::Text | LineKind::Definition)
}

/// A line of a quotation without its signs.
pub fn unquoted(content: &str) -> &str {
    content.trim_start().trim_start_matches('>').trim_start()
}

/// The fence that a line opens: its mark and length.
pub fn fence_of(content: &str) -> Option<(char, usize)> {
    match kind(content) {
        LineKind::Fence(fence) => Some((fence.mark, fence.length)),
        _ => None,
    }
}
