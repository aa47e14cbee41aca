//! Output that was written for a terminal, as a reader without one wants it.
//!
//! Owns taking out what moves and colours, and folding: a line that was written again over a carriage return is its last
//! text, a letter that was struck over is gone. Models read this; the session keeps the bytes as they came, and whoever
//! shows them cleans them again. Pure.

/// What only a terminal can make something of.
pub fn is_special(character: char) -> bool {
    matches!(character, '\u{1b}' | '\r' | '\u{8}' | '\u{7}' | '\u{9b}' | '\u{9d}' | '\u{90}')
}

/// The text without sequences, its lines folded.
pub fn plain(text: &str) -> String {
    if !text.contains(is_special) {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    for line in without_sequences(text).split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        kept.push_str(&struck(folded(body)));
        kept.push_str(end);
    }
    kept
}

/// What was written last over the beginning of the line.
fn folded(line: &str) -> &str {
    line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default()
}

fn struck(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut back = 0;
    for character in line.chars() {
        match character {
            '\u{8}' => back += 1,
            '\u{7}' => {}
            character => {
                // Only what is written over is gone: a step back at the end of a line hides nothing.
                for _ in 0..std::mem::take(&mut back) {
                    kept.pop();
                }
                kept.push(character);
            }
        }
    }
    kept
}

fn without_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}', '\u{9d}', '\u{90}']) {
        kept.push_str(&rest[..at]);
        rest = &rest[at + length(&rest[at..])..];
    }
    kept.push_str(rest);
    kept
}

/// Bytes of the sequence at the start of `text`, at least its first character. One without an end goes to the end of
/// its line.
fn length(text: &str) -> usize {
    let mut characters = text.char_indices();
    let Some((_, first)) = characters.next() else { return 0 };
    let introducer = match first {
        '\u{9b}' => '[',
        '\u{9d}' => ']',
        '\u{90}' => 'P',
        _ => match characters.next() {
            Some((_, second)) if !second.is_control() => second,
            _ => return first.len_utf8(),
        },
    };
    let line = text.find('\n').unwrap_or(text.len());
    match introducer {
        '[' => characters
            .find(|(_, character)| matches!(character, '@'..='~' | '\n'))
            .map_or(text.len(), |(at, character)| if character == '\n' { at } else { at + 1 }),
        ']' | 'P' | '_' | '^' | 'X' => {
            let start = characters.offset();
            let end = text[start..].find(['\u{7}', '\u{9c}']).map(|at| start + at + 1);
            let string_end = text[start..].find("\u{1b}\\").map(|at| start + at + 2);
            let end = end.into_iter().chain(string_end).min().unwrap_or(line);
            text.ceil_char_boundary(end.min(line))
        }
        '(' | ')' | '#' | '%' | ' ' => {
            characters.next().map_or(text.len(), |(at, character)| at + character.len_utf8())
        }
        _ => characters.offset(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOG 3.20: what a model reads of captured output holds no control sequences. LOG 5.17: nor frames of progress.
    #[test]
    fn log_3_20_sequences_do_not_reach_a_model() {
        let rows = [
            ("plain\ntext\n", "plain\ntext\n"),
            ("\u{1b}[1;31mred\u{1b}[0m\n", "red\n"),
            ("a\u{1b}[2J\u{1b}[3Jb\u{1b}c", "ab"),
            ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\y", "xy"),
            ("\u{1b}]0;never ended\nnext", "\nnext"),
            ("\u{1b}[31\nnext", "\nnext"),
            ("\u{1b}(Bx\u{1b}7y\u{1b}=z", "xyz"),
            ("1 %\r50 %\r100 %\ndone\n", "100 %\ndone\n"),
            ("100 %\r", "100 %"),
            ("done\r\u{1b}[K\r\n", "done\n"),
            ("dos\r\nlines\r\n", "dos\nlines\n"),
            ("ab\u{8}c\u{8}", "ac"),
            ("bell\u{7}", "bell"),
            ("end\u{1b}", "end"),
            ("\u{9b}31mc1", "c1"),
            ("é\u{1b}[mè", "éè"),
        ];
        for (text, expected) in rows {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }
}
