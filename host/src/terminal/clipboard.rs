//! The terminal's clipboard: OSC 52, by which a terminal, also at the far end of an ssh, takes text to its own screen's
//! clipboard.
//!
//! Only what a person chose goes this way. Terminals bound how long a sequence may be, and some print what is beyond;
//! so more than [`MOST`] bytes are not sent. Nothing is ever asked back.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The longest text that is sent, in bytes.
pub const MOST: usize = 100 * 1024;

/// Appends the sequence; false, and nothing, for a text that is too long.
pub(super) fn put(text: &str, out: &mut Vec<u8>) -> bool {
    if text.len() > MOST {
        return false;
    }
    out.extend_from_slice(b"\x1b]52;c;");
    out.extend_from_slice(STANDARD.encode(text).as_bytes());
    out.extend_from_slice(b"\x1b\\");
    true
}

#[cfg(test)]
mod tests {
    use super::{MOST, put};

    #[test]
    fn a_text_is_sent_whole_or_not_at_all() {
        let check = |text: &str, want: Option<&str>| {
            let mut out = Vec::new();
            assert_eq!(put(text, &mut out), want.is_some());
            assert_eq!(String::from_utf8(out).unwrap(), want.unwrap_or_default());
        };
        check("hé\n", Some("\x1b]52;c;aMOpCg==\x1b\\"));
        // Nothing in the text can end the sequence.
        check("\x1b\\\x07", Some("\x1b]52;c;G1wH\x1b\\"));
        check(&"x".repeat(MOST + 1), None);
    }
}
