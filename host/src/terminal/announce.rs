//! What a terminal shows around its text: the window's title, the bell, a notification of the desktop.
//!
//! Texts are printable already, so none can end its sequence; how long they may be is bounded here, since some terminals
//! print what is beyond. When to call it refuses to know; that is `chat::notice`.

use carpel_slots::Printable;

/// Characters of a title or a notification.
const MOST: usize = 100;

/// How a person is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// The bell; a terminal may flash, mark its tab, or do nothing.
    Bell,
    /// A notification of the desktop (OSC 9). Terminals that lack it say nothing.
    Notification(Printable),
}

pub(super) fn title(title: &Printable, out: &mut Vec<u8>) {
    string("2;", title, out);
}

pub(super) fn call(announcement: &Announcement, is_old: bool, out: &mut Vec<u8>) {
    match announcement {
        Announcement::Notification(words) if !is_old => string("9;", words, out),
        Announcement::Notification(_) | Announcement::Bell => out.push(0x07),
    }
}

fn string(command: &str, text: &Printable, out: &mut Vec<u8>) {
    let text: String = text.as_str().chars().take(MOST).collect();
    out.extend_from_slice(b"\x1b]");
    out.extend_from_slice(command.as_bytes());
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"\x1b\\");
}

#[cfg(test)]
mod tests {
    use carpel_slots::Printable;

    use super::{Announcement, MOST, call, title};

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_title_is_one_bounded_string() {
        let check = |text: &str, want: &str| {
            assert_eq!(written(|out| title(&Printable::line(text), out)), format!("\x1b]2;{want}\x1b\\"));
        };
        check("work", "work");
        check(&"é".repeat(3 * MOST), &"é".repeat(MOST));
        // Whatever it holds, it holds one end.
        for text in ["a\x1b\\b", "a\x07b", "a\u{9c}b", "a\nb", "\x1b]0;x\x07"] {
            let out = written(|out| title(&Printable::line(text), out));
            assert_eq!(out.matches(['\x1b', '\x07', '\u{9c}', '\n']).count(), 2, "{out:?}");
        }
    }

    #[test]
    fn an_old_terminal_rings() {
        let words = Announcement::Notification(Printable::line("done"));
        assert_eq!(written(|out| call(&words, false, out)), "\x1b]9;done\x1b\\");
        assert_eq!(written(|out| call(&words, true, out)), "\x07");
        assert_eq!(written(|out| call(&Announcement::Bell, false, out)), "\x07");
    }
}
