//! Text of others as Markdown that means that text: literal words, code, fences, quotations, tables.
//!
//! Everything goes through `Printable` first and is escaped after that, so that no carrier gets round either. What comes
//! out of each function is whole: it opens nothing that it does not close. It knows no items and no cards.

use carpel_slots::Printable;

/// A fence holds at most so many bytes; what is left out is counted.
const MOST: usize = 256 << 10;
/// A heading holds at most so many characters of somebody else's text.
const HEADING: usize = 160;

/// Any text as one line that is read as it is.
pub fn inline(text: &str) -> String {
    escaped(&one_line(text))
}

/// As [`inline`], cut to what a heading may take.
pub fn heading(text: &str) -> String {
    escaped(&shortened(&one_line(text), HEADING))
}

/// Whether [`heading`] leaves something of the text out.
pub fn is_cut(text: &str) -> bool {
    one_line(text).chars().nth(HEADING).is_some()
}

/// Any text within a code span of a heading or a sentence; the delimiters are for [`code`].
fn code_text(text: &str) -> String {
    shortened(&one_line_exact(text), HEADING)
}

/// One line as a code span; empty for nothing.
pub fn code(text: &str) -> String {
    let text = code_text(text);
    if text.is_empty() {
        return text;
    }
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Text of several lines that is read as it is: prose as lines of paragraphs, what has indents as a fence.
pub fn literal(text: &str) -> String {
    let lines: Vec<String> =
        Printable::prose_lines(text).iter().map(|line| line.as_str().trim_end().to_owned()).collect();
    if lines.iter().any(|line| line.starts_with(' ') || line.contains("   ")) {
        return fence("text", self::lines(text)).join("\n\n");
    }
    let paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    let paragraph = |lines: &[String]| {
        lines.iter().map(|line| at_line_start(&escaped(line))).collect::<Vec<_>>().join("\\\n")
    };
    paragraphs.map(paragraph).collect::<Vec<_>>().join("\n\n")
}

/// The lines of a text, strictly printable.
pub fn lines(text: &str) -> Vec<String> {
    Printable::lines(text).into_iter().map(String::from).collect()
}

/// Printable lines in a fence that none of them can close, and a word about what did not fit.
pub fn fence(info: &str, lines: Vec<String>) -> Vec<String> {
    let mut room = MOST;
    let fits = |line: &&String| {
        let left = room.checked_sub(line.len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let shown: Vec<&String> = lines.iter().take_while(fits).collect();
    let hidden = lines.len() - shown.len();
    let mut parts = Vec::new();
    if !shown.is_empty() {
        let ticks = shown.iter().map(|line| longest_run(line, '`')).max().unwrap_or_default().max(2) + 1;
        let ticks = "`".repeat(ticks);
        let mut text = format!("{ticks}{}\n", language(info));
        for line in shown {
            text.push_str(line);
            text.push('\n');
        }
        parts.push(text + &ticks);
    }
    if hidden > 0 {
        let noun = if hidden == 1 { "line" } else { "lines" };
        parts.push(format!("… {hidden} more {noun}"));
    }
    parts
}

/// Markdown as a quotation.
pub fn quoted(markdown: &str) -> String {
    let lines = markdown.split('\n').map(|line| format!("> {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// As many columns as the head has; each value one line.
pub fn table<'a>(head: &[&str], rows: impl IntoIterator<Item = Vec<&'a str>>) -> String {
    let row = |cells: &[&str]| -> String {
        let cells = (0..head.len()).map(|at| inline(cells.get(at).copied().unwrap_or_default()));
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut text = format!("{}\n|{}", row(head), " --- |".repeat(head.len()));
    for cells in rows {
        text.push('\n');
        text.push_str(&row(&cells));
    }
    text
}

/// The longest run of a character.
pub fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A language's name, of letters that mean nothing else.
fn language(info: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '_');
    info.chars().filter(fits).take(20).collect()
}

fn one_line(text: &str) -> String {
    let parts = text.split(['\n', '\r']).map(|part| Printable::prose(part.trim()).as_str().trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn one_line_exact(text: &str) -> String {
    let parts = text.split(['\n', '\r']).map(|part| Printable::exact(part.trim()).as_str().trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// Printable text with a backslash before each sign that means something within a line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        let means = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '|' | '$' | '#' => true,
            // Between letters it is one of them: a name such as `file_path`.
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
            '&' => next.is_ascii_alphanumeric() || next == '#',
            _ => false,
        };
        if means {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// An escaped line with a backslash before what means something at the start of a line only.
fn at_line_start(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &line[..digits], &line[digits..]),
        Some(b'-' | b'+' | b'=' | b'>' | b':') if digits == 0 => format!("\\{line}"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are() {
        let rows = [
            ("src/file_path.rs", "src/file_path.rs"),
            ("_x_ *y* `z`", "\\_x\\_ \\*y\\* \\`z\\`"),
            ("<b>&amp; & c", "\\<b>\\&amp; & c"),
            ("a\nb\r\nc", "a b c"),
            ("\u{1b}[31mred\u{7}", "red␇"),
            ("[x](y)", "\\[x\\](y)"),
        ];
        for (text, want) in rows {
            assert_eq!(inline(text), want, "{text:?}");
        }
    }

    #[test]
    fn lines_of_prose() {
        let rows = [
            ("# a\n- b\n1. c\n> d\n---", "\\# a\\\n\\- b\\\n1\\. c\\\n\\> d\\\n\\---"),
            ("a\n\n\nb\n", "a\n\nb"),
            ("fn a() {\n    b\n}", "```text\nfn a() {\n    b\n}\n```"),
            ("```\n  x", "````text\n```\n  x\n````"),
        ];
        for (text, want) in rows {
            assert_eq!(literal(text), want, "{text:?}");
        }
    }

    #[test]
    fn spans_of_code() {
        let rows = [("a", "`a`"), ("", ""), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("``x``", "``` ``x`` ```")];
        for (text, want) in rows {
            assert_eq!(code(text), want, "{text:?}");
        }
    }

    #[test]
    fn a_fence_is_bounded() {
        let parts = fence("r<s`", vec!["x".repeat(200 << 10), "y".repeat(60 << 10), "z".to_owned()]);
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("```rs\nxxx") && parts[0].ends_with("x\n```"));
        assert_eq!(parts[1], "… 2 more lines");
    }
}
