//! Records inside a damaged line.
//!
//! A crash leaves the beginning of a record, and an older writer glued the next record to it; two writers run their
//! records together; a power cut puts NUL bytes between. What is taken is a record that begins at the start of a piece,
//! or the one that reaches from `{"v"` to the very end of it. A look-alike *within* the torn record (a tool's structured
//! result can hold any text) does neither, so nothing that a tool said becomes a message of a person.

use serde::de::IgnoredAny;

use super::entry::Entry;

/// How every record begins that was written with a version.
const BEGINNING: &[u8] = b"{\"v\"";

/// The records that can be found in a whole line that is not itself a record.
pub(super) fn salvage(line: &[u8]) -> Vec<Entry> {
    line.split(|byte| *byte == 0).flat_map(from_piece).collect()
}

fn from_piece(piece: &[u8]) -> Vec<Entry> {
    let (mut found, rest) = whole_objects(piece);
    // Each try costs what it reads; a line made to be slow is given up.
    let mut budget = rest.len().saturating_mul(4).saturating_add(1 << 16);
    for at in memchr::memmem::find_iter(rest, BEGINNING) {
        let (entries, left) = whole_objects(&rest[at..]);
        // Of several in a row the first may belong to the torn record.
        if left.is_empty() && entries.len() == 1 {
            found.extend(entries);
            break;
        }
        match budget.checked_sub(cost(&rest[at..])) {
            Some(left) => budget = left,
            None => break,
        }
    }
    found
}

/// The records at the front, and what stands behind them.
fn whole_objects(text: &[u8]) -> (Vec<Entry>, &[u8]) {
    let mut entries = Vec::new();
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    let mut end = 0;
    while let Some(Ok(_)) = values.next() {
        let Ok(entry) = Entry::decode(text[end..values.byte_offset()].trim_ascii()) else { break };
        entries.push(entry);
        end = values.byte_offset();
    }
    (entries, text[end..].trim_ascii())
}

/// How far a parser gets before it fails.
fn cost(text: &[u8]) -> usize {
    match serde_json::from_slice::<IgnoredAny>(text) {
        Ok(_) => text.len(),
        Err(error) => error.column(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[u64]) {
        let got: Vec<u64> = salvage(line.as_bytes()).iter().filter_map(Entry::seq).collect();
        assert_eq!(got, expected, "{line}");
    }

    #[test]
    fn records_are_found_and_look_alikes_are_not() {
        let record = |seq: u64| format!(r#"{{"v":1,"seq":{seq},"kind":"notice","level":"info","text":"t"}}"#);
        let [one, two] = [record(1), record(2)];
        check("Error: printed to the wrong stream", &[]);
        check("", &[]);
        check("12 \"text\" [1]", &[]);
        for cut in 1..one.len() {
            check(&format!("{}{two}", &one[..cut]), &[2]);
        }
        check(&format!("{one}{two}"), &[1, 2]);
        check(&format!("{one} {two} x"), &[1, 2]);
        check(&format!("x{one}{two}"), &[2]);
        check(&format!("{}{}{two}", &one[..9], &one[..20]), &[2]);
        check(&format!("{}\0\0{two}", &one[..9]), &[2]);
        check(&format!("{one}\0{two}\0x"), &[1, 2]);
        let holding = format!(r#"{{"v":1,"seq":3,"kind":"tool_result","id":"c","structured":{one},"summ"#);
        check(&holding, &[]);
        check(&format!("{holding}{two}"), &[2]);
        check(&format!("{}{two}", &holding[..holding.len() - 6]), &[2]);
    }

    #[test]
    fn a_line_made_to_be_slow_ends() {
        let nested = r#"{"v":{"v":["#.repeat(200_000);
        check(&nested, &[]);
        let flat = r#"{"v":1,"#.repeat(200_000);
        check(&flat, &[]);
    }
}
