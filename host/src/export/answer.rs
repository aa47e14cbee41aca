//! A model's Markdown, kept and contained: it reads as it was meant and changes nothing outside its place.
//!
//! What would reach further is made harmless where it stands, with the parser as the judge: headings go below the
//! document's own, HTML and pictures (which a reader would fetch) become their text, definitions that would hold for the
//! whole document too, a fence that was cut off is closed. Then it is parsed once more in front of a heading; what does
//! not leave that heading alone stands in a fence. It knows no cards. Read `text.rs` next.

use std::ops::Range;

use carpel_slots::Printable;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::text::{fence, lines};

/// What readers of Markdown commonly understand.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES);

/// Headings of the document itself have levels up to this one.
const OURS: usize = 3;
/// Making one thing harmless can uncover another, a few times.
const PASSES: usize = 8;

/// The Markdown as a part of a document; a part that comes before it must not be a list.
pub fn contained(markdown: &str) -> String {
    let printable: Vec<String> = Printable::prose_lines(markdown).into_iter().map(String::from).collect();
    let text = printable.join("\n");
    let text = text.trim_start_matches('\n').trim_end();
    let unindented = text.trim_start_matches(' ');
    let tame = if text.len() - unindented.len() < 4 { tamed(unindented.to_owned()) } else { None };
    let whole = tame.and_then(|text| {
        if is_alone(&text) {
            return Some(text);
        }
        closed(text).filter(|text| is_alone(text))
    });
    whole.unwrap_or_else(|| fence("markdown", lines(markdown)).join("\n\n"))
}

/// The text once nothing in it reaches out of its place; `None` where that comes to no end.
fn tamed(mut text: String) -> Option<String> {
    for _ in 0..PASSES {
        let mut edits = edits(&text)?;
        if edits.is_empty() {
            return Some(text);
        }
        edits.sort_by_key(|edit| edit.at.start);
        for edit in edits.into_iter().rev() {
            text.replace_range(edit.at, &edit.with);
        }
    }
    None
}

struct Edit {
    at: Range<usize>,
    with: String,
}

impl Edit {
    fn insert(at: usize, with: &str) -> Edit {
        Edit { at: at..at, with: with.to_owned() }
    }
}

/// What has to change; `None` for what cannot be changed in place.
fn edits(text: &str) -> Option<Vec<Edit>> {
    let parser = Parser::new_ext(text, OPTIONS);
    let definitions = parser.reference_definitions().iter();
    let mut edits: Vec<Edit> =
        definitions.map(|(_, definition)| Edit::insert(definition.span.start, "\\")).collect();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => edits.extend(below_ours(text, range, level)?),
            Event::Start(Tag::HtmlBlock) => {
                let signs = text[range.clone()].match_indices('<');
                edits.extend(signs.map(|(at, _)| Edit::insert(range.start + at, "\\")));
            }
            Event::InlineHtml(_) | Event::Start(Tag::Image { .. } | Tag::FootnoteDefinition(_)) => {
                edits.push(Edit::insert(range.start, "\\"));
            }
            Event::Start(Tag::Link { dest_url, .. }) if !is_harmless(&dest_url) => {
                edits.push(Edit::insert(range.start, "\\"));
            }
            _ => {}
        }
    }
    Some(edits)
}

/// What puts a heading below those of the document.
fn below_ours(text: &str, range: Range<usize>, level: HeadingLevel) -> Option<Vec<Edit>> {
    let level = level as usize;
    let heading = text[range.clone()].trim_end();
    if heading.starts_with('#') {
        let more = (level + OURS).min(6) - level;
        return Some(if level > OURS {
            Vec::new()
        } else {
            vec![Edit::insert(range.start, &"#".repeat(more))]
        });
    }
    // Underlined: one line can have its signs in front instead.
    let (words, underline) = heading.split_once('\n')?;
    if underline.contains('\n') {
        return None;
    }
    let line = Edit { at: range.start + words.len()..range.start + heading.len(), with: String::new() };
    Some(vec![Edit::insert(range.start, &format!("{} ", "#".repeat(level + OURS))), line])
}

/// Places that a reader can go to without running anything.
fn is_harmless(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme {
        Some(scheme) if scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) => {
            ["http", "https", "mailto"].contains(&scheme.as_str())
        }
        _ => !address.starts_with(|c: char| c.is_ascii_control() || c == ' '),
    }
}

/// The text with its last fence closed, where that was cut off.
fn closed(text: String) -> Option<String> {
    let fences = Parser::new_ext(&text, OPTIONS).into_offset_iter().filter_map(|(event, range)| {
        matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))).then_some(range.start)
    });
    let start = fences.last()?;
    let sign = text[start..].chars().next()?;
    let length = text[start..].chars().take_while(|c| *c == sign).count();
    let fence: String = std::iter::repeat_n(sign, length).collect();
    Some(format!("{text}\n{fence}"))
}

/// Whether a heading behind the text is still one, the only one of the document's own, and no HTML is left.
fn is_alone(text: &str) -> bool {
    let text = format!("{text}\n\n# end\n");
    let mut depth = 0;
    let mut ours = 0;
    let mut last_is_ours = false;
    for event in Parser::new_ext(&text, OPTIONS) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if level as usize <= OURS => {
                ours += 1;
                last_is_ours = depth == 0;
                depth += 1;
            }
            Event::Start(_) => {
                last_is_ours &= depth > 0;
                depth += 1;
            }
            Event::End(TagEnd::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => return false,
            Event::End(_) => depth -= 1,
            Event::Rule => last_is_ours &= depth > 0,
            _ => {}
        }
    }
    ours == 1 && last_is_ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_and_what_changes() {
        let rows = [
            ("Plain **bold** and `code`.", "Plain **bold** and `code`."),
            ("# One\n## Two\n#### Four", "#### One\n##### Two\n#### Four"),
            ("One\n===\n\nTwo\n---\n\ntext", "#### One\n\n##### Two\n\ntext"),
            ("> # in a quote", "> #### in a quote"),
            ("- One\n  ===", "- #### One"),
            ("a <b>c</b> <!-- d", "a \\<b>c\\</b> <!-- d"),
            ("<div>\n# x\n</div>", "\\<div>\n#### x\n\\</div>"),
            ("![p](http://e/p.png)", "\\![p](http://e/p.png)"),
            ("[a](javascript:x) [b](https://e) [c](d.md)", "\\[a](javascript:x) [b](https://e) [c](d.md)"),
            ("see [1]\n\n[1]: http://e", "see [1]\n\n\\[1]: http://e"),
            ("```rs\nfn a() {", "```rs\nfn a() {\n```"),
            ("~~~~\n```\nx", "~~~~\n```\nx\n~~~~"),
            ("```\n<b> # x\n```", "```\n<b> # x\n```"),
            (
                "- [ ] a\n- b\n\n| a | b |\n|---|---|\n| c | d |",
                "- [ ] a\n- b\n\n| a | b |\n|---|---|\n| c | d |",
            ),
            ("\n\n  indented\n\n", "indented"),
            ("    code", "```markdown\n    code\n```"),
            ("one\ntwo\n===", "```markdown\none\ntwo\n===\n```"),
            ("- ```\n  x", "- ```\n  x"),
            ("\u{1b}[31mred\u{1b}[0m\u{202e}x", "red<U+202E>x"),
        ];
        for (markdown, want) in rows {
            assert_eq!(contained(markdown), want, "{markdown:?}");
        }
    }
}
