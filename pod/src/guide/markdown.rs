//! Puts foreign text into Markdown so that it stays what it is.
//!
//! Owns code spans, code blocks, table cells and numbers with their nouns. It refuses to know what is told; making
//! control characters visible is the client's part.

/// `text` as a code span, whatever backticks it holds.
pub fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r', '\t'], " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    if text.is_empty() {
        "``` ```".to_owned()
    } else if text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// `text` as a code block.
pub fn block(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    let text = text.trim_end_matches('\n');
    format!("{fence}{language}\n{text}\n{fence}\n")
}

/// A line of a file as a code span: without indentation, cut to a length that one row can show.
pub fn line(text: &str) -> String {
    const MOST: usize = 120;
    let text = text.trim();
    if text.chars().count() <= MOST {
        return code(text);
    }
    let head: String = text.chars().take(MOST).collect();
    format!("{} …", code(&head))
}

/// Text for one cell of a table.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
