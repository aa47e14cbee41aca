//! What the program may write, and nothing else: the oracle on the bytes of a frame.
//!
//! It reads bytes as a terminal does and knows no sequence that is not listed here: no title, no link, no clipboard, no
//! query, no character set, no scroll region, no clearing of the screen. Text may hold no control and no character that
//! hides or turns what stands beside it.

use unicode_width::UnicodeWidthChar;

/// What a stream may hold beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// A pipe or a file: rows of text.
    Pipe,
    /// Frames of the chat: styles, moves within the live rows, erasing to the end of a row, a synchronised update.
    Frame,
    /// A whole run on a terminal: frames, the modes around them, and the questions where the cursor is.
    Session,
    /// The same on a terminal that shows titles and tells of the keyboard's focus.
    Run,
}

/// What is wrong with the bytes, if anything.
pub fn check(bytes: &[u8], stream: Stream) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    let mut rest = text;
    let mut styled = false;
    while let Some(c) = rest.chars().next() {
        if c == '\u{1b}' && stream != Stream::Pipe {
            let length =
                sequence(rest, stream).ok_or_else(|| format!("no sequence of ours: {:?}", head(rest)))?;
            if rest[..length].ends_with('m') {
                styled = &rest[..length] != "\u{1b}[m";
            }
            rest = &rest[length..];
            continue;
        }
        let is_line = c == '\n' || (c == '\r' && stream != Stream::Pipe);
        if !is_line && !is_text(c) {
            return Err(format!("{c:?} in {:?}", head(rest)));
        }
        rest = &rest[c.len_utf8()..];
    }
    if styled { Err("a style is left on".to_owned()) } else { Ok(()) }
}

/// What is wrong with text that stands in a row, if anything.
pub fn check_row(text: &str) -> Result<(), String> {
    match text.chars().find(|c| !is_text(*c)) {
        Some(c) => Err(format!("{c:?} in the row {text:?}")),
        None => Ok(()),
    }
}

/// Bytes of the sequence of ours at the start of `text`.
fn sequence(text: &str, stream: Stream) -> Option<usize> {
    const FRAME: [&str; 7] = ["[?2026h", "[?2026l", "[?25h", "[?25l", "[?7h", "[?7l", "[K"];
    // The two questions of the start are known together only: a hostile text asks one of them as well.
    const SESSION: [&str; 15] = [
        "[?2004h",
        "[?2004l",
        "[>1u",
        "[<1u",
        "[?1049h",
        "[?1049l",
        "[?1000h",
        "[?1000l",
        "[?1006h",
        "[?1006l",
        "[6n",
        "7",
        "8",
        "[?u\u{1b}]11;?\u{1b}\\",
        "[9999;9999H",
    ];
    let body = text.strip_prefix('\u{1b}')?;
    const RUN: [&str; 4] = ["[22;2t", "[23;2t", "[?1004h", "[?1004l"];
    let session = matches!(stream, Stream::Session | Stream::Run);
    let known = FRAME.iter().chain(if session { SESSION.as_slice() } else { &[] });
    let known = known.chain(if stream == Stream::Run { RUN.as_slice() } else { &[] });
    if let Some(found) = known.filter(|known| body.starts_with(**known)).map(|known| known.len()).max() {
        return Some(1 + found);
    }
    if stream == Stream::Run
        && let Some(title) = body.strip_prefix("]2;")
    {
        let end = title.find('\u{1b}').filter(|end| title[*end..].starts_with("\u{1b}\\"))?;
        return title[..end].chars().all(is_text).then_some(1 + 3 + end + 2);
    }
    let numbers = body.strip_prefix('[')?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    matches!(numbers.as_bytes().get(end)?, b'm' | b'A' | b'G' | b'C' | b'H').then_some(2 + end + 1)
}

fn head(text: &str) -> String {
    text.chars().take(24).collect()
}

/// True for a character that only shows itself. Joiners and selectors may stay in prose, where they shape emoji and
/// the letters of some scripts.
fn is_text(c: char) -> bool {
    let hides = matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180e | 0x200b
        | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0xe0000..=0xe00ff | 0xe01f0..=0xe0fff);
    c.width().is_some() && !c.is_control() && !hides
}

#[cfg(test)]
mod tests {
    use super::{Stream, check};

    #[test]
    fn ours_passes_and_nothing_else_does() {
        let fine = [
            "plain\r\n",
            "\u{1b}[?2026h\u{1b}[?25l\u{1b}[2A\u{1b}[G\u{1b}[1;31mx\u{1b}[m\u{1b}[K\u{1b}[?2026l",
        ];
        for text in fine {
            assert_eq!(check(text.as_bytes(), Stream::Frame), Ok(()), "{text:?}");
        }
        let foreign = [
            "\u{1b}]0;t\u{7}",
            "\u{1b}]52;c;aGk=\u{7}",
            "\u{1b}]8;;x\u{1b}\\",
            "\u{1b}[2J",
            "\u{1b}[6n",
            "\u{1b}c",
            "\u{1b}(0",
            "\u{1b}[?1049h",
            "\u{1b}[5;10r",
            "\u{1b}[4h",
            "\u{e}",
            "\u{7}",
            "\u{8}",
            "\u{9b}31m",
            "\u{202e}",
            "\u{200b}",
            "\u{1b}",
            "\u{1b}[31mx",
        ];
        for text in foreign {
            assert!(check(text.as_bytes(), Stream::Frame).is_err(), "{text:?}");
        }
        assert!(check(b"\x1b[m", Stream::Pipe).is_err());
        assert!(check(b"\xff", Stream::Frame).is_err());
        assert_eq!(check(b"\x1b[6n\x1b[?1049h", Stream::Session), Ok(()));
        let run = "\u{1b}[22;2t\u{1b}]2;a title\u{1b}\\\u{1b}[?1004h\u{1b}[23;2t";
        assert_eq!(check(run.as_bytes(), Stream::Run), Ok(()));
        assert!(check(run.as_bytes(), Stream::Session).is_err());
        for title in
            ["\u{1b}]2;a\u{7}", "\u{1b}]2;a\u{202e}\u{1b}\\", "\u{1b}]2;a\u{1b}[2J\u{1b}\\", "\u{1b}[3J"]
        {
            assert!(check(title.as_bytes(), Stream::Run).is_err(), "{title:?}");
        }
    }
}
