//! What of a stream of bytes is a control sequence, and whether a kind of terminal knows it.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

/// The sequences of a stream: `ESC` and what belongs to it.
pub fn sequences(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut found = Vec::new();
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('\u{1b}') {
        rest = &rest[at + 1..];
        let length = match rest.chars().next() {
            Some('[') => {
                rest.find(|c: char| c != '[' && ('@'..='~').contains(&c)).map_or(rest.len(), |end| end + 1)
            }
            Some(']') => rest.find('\u{1b}').map_or(rest.len(), |end| end + 2),
            Some(first) => first.len_utf8(),
            None => 0,
        };
        found.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    found
}

/// The parameters of every SGR.
pub fn colours(bytes: &[u8]) -> Vec<u16> {
    let sgr =
        sequences(bytes).into_iter().filter(|sequence| sequence.starts_with('[') && sequence.ends_with('m'));
    sgr.flat_map(|sequence| {
        let numbers = sequence[1..sequence.len() - 1].to_owned();
        numbers.split(';').filter_map(|number| number.parse().ok()).collect::<Vec<u16>>()
    })
    .collect()
}

/// Every sequence is one that a VT100 knows.
pub fn check_vt100(bytes: &[u8]) {
    for sequence in sequences(bytes) {
        let (head, last) = sequence.split_at(sequence.len() - 1);
        let numbers =
            head.strip_prefix('[').map(|head| head.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'));
        let known = match last {
            "A" | "C" | "K" | "H" | "n" => numbers == Some(true),
            "m" => ["[", "[0", "[1", "[4", "[7", "[1;4", "[1;7", "[4;7", "[1;4;7"].contains(&head),
            "h" | "l" => head == "[?7",
            "7" | "8" => head.is_empty(),
            _ => false,
        };
        assert!(known, "ESC {sequence} is not a VT100's");
    }
}

/// Every sequence is one of the few that our writer has: no scroll region, no clearing of the screen, nothing
/// that a multiplexer would not swallow or understand.
pub fn check_modern(bytes: &[u8]) {
    const MODES: [&str; 7] = ["[?25", "[?7", "[?2004", "[?2026", "[?1049", "[?1000", "[?1006"];
    for sequence in sequences(bytes) {
        let (head, last) = sequence.split_at(sequence.len() - 1);
        let numbers =
            head.strip_prefix('[').map(|head| head.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'));
        let known = match last {
            "A" | "C" | "G" | "K" | "H" | "n" | "m" => numbers == Some(true),
            "h" | "l" => MODES.contains(&head),
            "u" => ["[?", "[>1", "[<1"].contains(&head),
            "7" | "8" => head.is_empty(),
            "t" => ["[22;2", "[23;2"].contains(&head),
            "\\" => head.starts_with("]11;?") || head.starts_with("]2;"),
            _ => false,
        };
        assert!(known, "ESC {sequence} is not one that we write");
    }
}
