//! What an unknown tool answered, where it is data: tables, named values, and the parts of an answer of the Model
//! Context Protocol (texts, images, resources).
//!
//! It guesses from the shape alone, so everything here answers `None` rather than draw what it does not know. Pictures
//! are not decoded: their kind and size stand for them. `generic.rs` decides when this is asked.

use std::collections::HashSet;

use carpel_slots::{Block, Line, Role};
use serde_json::{Map, Value};

/// So many rows of a table are given, which is more than an item shows.
const ROWS: usize = 1_000;
/// And so many columns; what has more is no table that a person reads.
const COLUMNS: usize = 40;
/// So many parts of an answer are drawn.
const PARTS: usize = 200;
/// A longer text is not looked into for data.
const TEXT: usize = 256 * 1024;
/// A value in a cell has no more bytes than this.
const CELL: usize = 2_000;

/// Typed data as blocks; `None` where the result's text tells more.
pub fn typed(value: &Value) -> Option<Vec<Block>> {
    match value {
        Value::Array(parts) if are_parts(parts) => Some(part_blocks(parts)),
        Value::Array(rows) => table(rows),
        Value::Object(fields) => answer(fields).or_else(|| described_table(fields)),
        _ => None,
    }
}

/// The same for what has no text at all: named values, or the value as it is.
pub fn untold(value: &Value) -> Option<Vec<Block>> {
    match value {
        Value::Null => None,
        Value::Object(fields) if !fields.is_empty() => Some(vec![Block::Fields(pairs(fields))]),
        Value::Object(_) => None,
        Value::Array(values) if values.is_empty() => None,
        value => Some(vec![Block::Output(cell(value))]),
    }
}

/// Text that is data.
pub fn told(text: &str) -> Option<Vec<Block>> {
    let text = text.trim();
    if text.len() > TEXT || !text.starts_with(['[', '{']) {
        return None;
    }
    typed(&serde_json::from_str(text).ok()?)
}

/// Named values, one for each field.
pub fn pairs(fields: &Map<String, Value>) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| (name.clone(), cell(value))).collect()
}

/// An answer of the protocol: `content`, and the same as data.
fn answer(fields: &Map<String, Value>) -> Option<Vec<Block>> {
    let parts = fields.get("content")?.as_array().filter(|parts| are_parts(parts))?;
    let Some(data) = fields.get("structuredContent").and_then(typed) else {
        return Some(part_blocks(parts));
    };
    // The protocol wants the texts to say the same as the data.
    let others = parts.iter().filter(|part| kind(part) != Some("text")).take(PARTS).flat_map(part_block);
    Some(data.into_iter().chain(others).collect())
}

fn are_parts(parts: &[Value]) -> bool {
    const KINDS: [&str; 5] = ["text", "image", "audio", "resource", "resource_link"];
    !parts.is_empty() && parts.iter().all(|part| kind(part).is_some_and(|kind| KINDS.contains(&kind)))
}

fn kind(part: &Value) -> Option<&str> {
    part.get("type")?.as_str()
}

fn part_blocks(parts: &[Value]) -> Vec<Block> {
    let mut blocks: Vec<Block> = parts.iter().take(PARTS).flat_map(part_block).collect();
    if parts.len() > PARTS {
        let rest = format!("and {} more parts", parts.len() - PARTS);
        blocks.push(Block::Text(vec![Line::of(Role::Dim, &rest)]));
    }
    blocks
}

fn part_block(part: &Value) -> Vec<Block> {
    let text = |name: &str| part.get(name).and_then(Value::as_str);
    match kind(part) {
        Some("text") => text_blocks(text("text").unwrap_or_default()),
        Some("resource") => resource(part.get("resource").unwrap_or(part)),
        Some("resource_link") => {
            let uri = text("uri").unwrap_or_default();
            let line = match text("title").or(text("name")).filter(|name| *name != uri) {
                Some(name) => Line::from(name).and(Role::Plain, "  ").and(Role::Path, uri),
                None => Line::of(Role::Path, uri),
            };
            let size = part.get("size").and_then(Value::as_u64);
            vec![Block::Text(vec![with_size(line, text("mimeType"), size)])]
        }
        Some(kind) => vec![Block::Text(vec![media(kind, part)])],
        None => Vec::new(),
    }
}

fn text_blocks(text: &str) -> Vec<Block> {
    let is_parts = |blocks: &Vec<Block>| matches!(blocks.as_slice(), [.., Block::Table { .. }]);
    match told(text).filter(is_parts) {
        Some(blocks) => blocks,
        None if text.is_empty() => Vec::new(),
        None => vec![Block::Output(text.to_owned())],
    }
}

fn resource(resource: &Value) -> Vec<Block> {
    let text = |name: &str| resource.get(name).and_then(Value::as_str);
    let line = Line::of(Role::Path, text("uri").unwrap_or_default());
    let size = text("blob").map(decoded);
    let mut blocks = vec![Block::Text(vec![with_size(line, text("mimeType"), size)])];
    blocks.extend(text("text").into_iter().flat_map(text_blocks));
    blocks
}

/// A picture or sound that is not shown: `image/png, 34 kB`.
fn media(kind: &str, part: &Value) -> Line {
    let source = part.get("source").unwrap_or(part);
    let text = |name: &str| source.get(name).and_then(Value::as_str);
    let mime = text("mimeType").or(text("media_type")).unwrap_or(kind);
    with_size(Line::default(), Some(mime), text("data").map(decoded))
}

fn with_size(line: Line, mime: Option<&str>, size: Option<u64>) -> Line {
    let about: Vec<String> = mime.map(str::to_owned).into_iter().chain(size.map(bytes)).collect();
    match (line.spans.is_empty(), about.join(", ")) {
        (_, about) if about.is_empty() => line,
        (true, about) => Line::of(Role::Dim, &about),
        (false, about) => line.and(Role::Dim, &format!("  {about}")),
    }
}

/// The bytes in so much base64.
fn decoded(base64: &str) -> u64 {
    base64.trim_end_matches(['=', '\n']).len() as u64 * 3 / 4
}

fn bytes(size: u64) -> String {
    let (value, unit) = match size {
        0..1_000 => return if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") },
        1_000..1_000_000 => (size as f64 / 1e3, "kB"),
        1_000_000..1_000_000_000 => (size as f64 / 1e6, "MB"),
        _ => (size as f64 / 1e9, "GB"),
    };
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// One list of objects among simple values, as pages of results come: `{"total": 2, "items": [...]}`.
fn described_table(fields: &Map<String, Value>) -> Option<Vec<Block>> {
    let mut lists = fields.values().filter(|value| value.is_array() || value.is_object());
    let list = lists.next()?.as_array()?;
    if lists.next().is_some() {
        return None;
    }
    let table = table(list)?;
    let simple: Vec<(String, String)> = fields
        .iter()
        .filter(|(_, value)| !value.is_array())
        .map(|(name, value)| (name.clone(), cell(value)))
        .collect();
    let about = (!simple.is_empty()).then_some(Block::Fields(simple));
    Some(about.into_iter().chain(table).collect())
}

/// Objects as rows; a column for each name, in the order in which they come up.
fn table(values: &[Value]) -> Option<Vec<Block>> {
    let objects: Vec<&Map<String, Value>> = values.iter().map(Value::as_object).collect::<Option<_>>()?;
    let given = &objects[..objects.len().min(ROWS)];
    let mut columns: Vec<&String> = Vec::new();
    let mut known = HashSet::new();
    for name in given.iter().flat_map(|object| object.keys()) {
        if known.insert(name) {
            columns.push(name);
        }
        if columns.len() > COLUMNS {
            return None;
        }
    }
    if columns.is_empty() {
        return None;
    }
    let row = |object: &&Map<String, Value>| {
        columns.iter().map(|name| object.get(*name).map(cell).unwrap_or_default()).collect()
    };
    let rows = given.iter().map(row).collect();
    let mut blocks = vec![Block::Table { columns: columns.into_iter().cloned().collect(), rows }];
    if objects.len() > given.len() {
        let rest = format!("and {} more rows", objects.len() - given.len());
        blocks.push(Block::Text(vec![Line::of(Role::Dim, &rest)]));
    }
    Some(blocks)
}

/// A value in few words: text as it is, nothing for null, what is nested as JSON.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if text.len() <= CELL {
        return text;
    }
    let end = text.floor_char_boundary(CELL);
    format!("{} {} more bytes", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::block_rows;

    fn check(value: Value, want: Option<&str>) {
        let rows =
            typed(&value).map(|blocks| blocks.iter().flat_map(block_rows).collect::<Vec<_>>().join("\n"));
        assert_eq!(rows.as_deref(), want, "{value}");
    }

    #[test]
    fn shapes() {
        check(
            json!([{"a": 1, "b": "x"}, {"b": null, "c": [2]}]),
            Some("| a | b | c |\n| 1 | x |  |\n|  |  | [2] |"),
        );
        check(json!({"total": 9, "items": [{"a": 1}]}), Some("total = 9\n| a |\n| 1 |"));
        check(
            json!([{"type": "text", "text": "hi"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]),
            Some("output: hi\nimage/png, 3 bytes"),
        );
        check(
            json!({"content": [{"type": "image", "source": {"media_type": "image/gif", "data": "A".repeat(45_334)}}]}),
            Some("image/gif, 34 kB"),
        );
        check(json!({"content": [{"type": "text", "text": "[{\"a\":1}]"}]}), Some("| a |\n| 1 |"));
        check(
            json!({"content": [{"type": "text", "text": "a: 1"}, {"type": "audio", "mimeType": "audio/wav"}],
            "structuredContent": {"result": [{"a": 1}]}}),
            Some("| a |\n| 1 |\naudio/wav"),
        );
        check(
            json!([{"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain", "size": 1}]),
            Some("a  file:///a  text/plain, 1 byte"),
        );
        check(
            json!([{"type": "resource", "resource": {"uri": "db://x", "text": "row"}}]),
            Some("db://x\noutput: row"),
        );
        check(
            json!([{"type": "resource", "resource": {"uri": "db://x", "blob": "AAAA"}}]),
            Some("db://x  3 bytes"),
        );
        for nothing in [
            json!([]),
            json!({}),
            json!([1]),
            json!([{}]),
            json!(7),
            json!("x"),
            json!(null),
            json!({"a": 1}),
            json!({"a": [{"b": 1}], "c": [{"d": 1}]}),
            json!({"content": "text"}),
            json!([{"type": "text"}, 7]),
        ] {
            check(nothing, None);
        }
    }

    #[test]
    fn sizes() {
        for (size, want) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_500, "1.5 kB"),
            (9_960, "10 kB"),
            (34_000, "34 kB"),
            (2_000_000, "2.0 MB"),
            (3_000_000_000, "3.0 GB"),
        ] {
            assert_eq!(bytes(size), want);
        }
    }

    #[test]
    fn what_is_given_is_bounded() {
        let many = json!(vec![json!({"a": "x".repeat(3_000)}); 1_500]);
        let blocks = typed(&many).unwrap();
        assert_eq!(block_rows(&blocks[1]), ["and 500 more rows"]);
        let Block::Table { rows, .. } = &blocks[0] else { panic!("no table") };
        assert_eq!((rows.len(), rows[0][0].len()), (1_000, 2_000 + " 1000 more bytes".len()));
    }
}
