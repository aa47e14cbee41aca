//! Which modes of the terminal are on, and the bytes that turn them on and off in the right order.
//!
//! Bracketed paste and the keyboard protocol on the main screen; the keyboard protocol again on the alternate screen,
//! since terminals keep one stack a screen. The protocol is asked for and pushed only where the terminal has answered
//! that it has it. Off goes in the order mouse, focus, title, paste, keyboard, alternate screen; each is written only when it is on,
//! so that nothing is popped that was not pushed. An old terminal gets none of the input modes. It does no IO; raw mode
//! is `guard.rs`.

use super::dialect::Age;

/// Which flags are on: a terminal that has the keyboard protocol answers, any other says nothing.
const KEYBOARD_ASK: &[u8] = b"\x1b[?u";
/// Disambiguated keys only: releases and plain text keep their legacy form.
const KEYBOARD_ON: &[u8] = b"\x1b[>1u";
const KEYBOARD_OFF: &[u8] = b"\x1b[<1u";
const PASTE_ON: &[u8] = b"\x1b[?2004h";
const PASTE_OFF: &[u8] = b"\x1b[?2004l";
const ALTERNATE_ON: &[u8] = b"\x1b[?1049h";
const ALTERNATE_OFF: &[u8] = b"\x1b[?1049l";
const FOCUS_ON: &[u8] = b"\x1b[?1004h";
const FOCUS_OFF: &[u8] = b"\x1b[?1004l";
/// The window's title is put on the terminal's stack of titles, and taken from it.
const TITLE_PUSH: &[u8] = b"\x1b[22;2t";
const TITLE_POP: &[u8] = b"\x1b[23;2t";
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1000l";

/// The modes that are on now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    input: bool,
    alternate: bool,
    mouse: bool,
    focus: bool,
    /// The title that was found waits on the terminal's stack.
    title: bool,
    keyboard: Keyboard,
    age: Age,
}

/// How it stands with the keyboard protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Keyboard {
    asked: bool,
    offered: bool,
    /// It was pushed on the main screen's stack.
    main: bool,
    /// It was pushed on the alternate screen's stack.
    alternate: bool,
}

impl Modes {
    /// No mode on, in a terminal of this age.
    pub fn of(age: Age) -> Self {
        Self { age, ..Self::default() }
    }

    /// Whether the terminal is an old one.
    pub fn is_old(self) -> bool {
        self.age == Age::Old
    }

    /// Whether the alternate screen is shown.
    pub fn alternate(self) -> bool {
        self.alternate
    }

    /// Whether paste and keyboard modes are on.
    pub fn input(self) -> bool {
        self.input
    }

    /// Whether the terminal was asked for the keyboard protocol and has not answered.
    pub fn awaits_keyboard(self) -> bool {
        self.keyboard.asked && !self.keyboard.offered
    }

    /// Turns bracketed paste on, and the keyboard protocol where it is offered. The first time the terminal is asked.
    pub fn input_on(&mut self, out: &mut Vec<u8>) {
        if !self.input {
            self.input = true;
            self.modern(PASTE_ON, out);
            self.push_keyboard(out);
            if !self.keyboard.asked && self.age == Age::Modern {
                self.keyboard.asked = true;
                out.extend_from_slice(KEYBOARD_ASK);
            }
        }
    }

    /// The terminal has the keyboard protocol.
    pub fn keyboard_offered(&mut self, out: &mut Vec<u8>) {
        self.keyboard.offered = self.age == Age::Modern;
        self.push_keyboard(out);
    }

    /// Shows the alternate screen, with the keyboard protocol pushed on its own stack.
    pub fn alternate_on(&mut self, out: &mut Vec<u8>) {
        if !self.alternate {
            out.extend_from_slice(ALTERNATE_ON);
            self.alternate = true;
            self.push_keyboard(out);
        }
    }

    /// Goes back to the main screen, which is as it was left.
    pub fn alternate_off(&mut self, out: &mut Vec<u8>) {
        self.mouse_off(out);
        if self.alternate {
            pop(&mut self.keyboard.alternate, out);
            out.extend_from_slice(ALTERNATE_OFF);
            self.alternate = false;
            // The offer may have come while the main screen was away.
            self.push_keyboard(out);
        }
    }

    /// Asks for mouse clicks and the wheel; for the alternate screen only, the main screen scrolls by itself.
    pub fn mouse_on(&mut self, out: &mut Vec<u8>) {
        if !self.mouse {
            out.extend_from_slice(MOUSE_ON);
            self.mouse = true;
        }
    }

    /// Leaves the mouse to the terminal.
    pub fn mouse_off(&mut self, out: &mut Vec<u8>) {
        if self.mouse {
            out.extend_from_slice(MOUSE_OFF);
            self.mouse = false;
        }
    }

    /// Asks to be told when the window gets and loses the keyboard.
    /// Returns whether anything was written.
    pub fn focus_on(&mut self, out: &mut Vec<u8>) -> bool {
        let asks = self.input && !self.focus && self.age == Age::Modern;
        if asks {
            out.extend_from_slice(FOCUS_ON);
            self.focus = true;
        }
        asks
    }

    /// Whether the title that was found is kept.
    pub fn has_title(self) -> bool {
        self.title
    }

    /// Keeps the window's title for the end; false where the terminal has none.
    pub fn keep_title(&mut self, out: &mut Vec<u8>) -> bool {
        if !self.title && self.age == Age::Modern {
            out.extend_from_slice(TITLE_PUSH);
            self.title = true;
        }
        self.title
    }

    /// Everything off: mouse, focus, title, paste, keyboard, alternate screen.
    pub fn off(&mut self, out: &mut Vec<u8>) {
        self.mouse_off(out);
        if std::mem::take(&mut self.focus) {
            out.extend_from_slice(FOCUS_OFF);
        }
        if std::mem::take(&mut self.title) {
            out.extend_from_slice(TITLE_POP);
        }
        if std::mem::take(&mut self.input) {
            self.modern(PASTE_OFF, out);
        }
        // Each screen has its own stack: pop on the alternate one before it goes, then on the main one.
        self.alternate_off(out);
        pop(&mut self.keyboard.main, out);
    }

    /// Pushes the keyboard protocol on the stack of the screen that is shown.
    fn push_keyboard(&mut self, out: &mut Vec<u8>) {
        let wanted = self.keyboard.offered && self.input;
        let pushed = if self.alternate { &mut self.keyboard.alternate } else { &mut self.keyboard.main };
        if wanted && !std::mem::replace(pushed, *pushed || wanted) {
            out.extend_from_slice(KEYBOARD_ON);
        }
    }

    fn modern(self, sequence: &[u8], out: &mut Vec<u8>) {
        if self.age == Age::Modern {
            out.extend_from_slice(sequence);
        }
    }
}

fn pop(pushed: &mut bool, out: &mut Vec<u8>) {
    if std::mem::take(pushed) {
        out.extend_from_slice(KEYBOARD_OFF);
    }
}

#[cfg(test)]
mod tests {
    use super::Modes;

    fn check(steps: impl Fn(&mut Modes, &mut Vec<u8>), expected: &str) {
        let (mut modes, mut out) = (Modes::default(), Vec::new());
        steps(&mut modes, &mut out);
        assert_eq!(String::from_utf8(out).unwrap().replace('\x1b', "^"), expected);
    }

    #[test]
    fn an_old_terminal_gets_no_input_mode() {
        let (mut modes, mut out) = (Modes::of(super::Age::Old), Vec::new());
        modes.input_on(&mut out);
        modes.keyboard_offered(&mut out);
        assert!(modes.input() && !modes.awaits_keyboard());
        modes.off(&mut out);
        assert_eq!(out, b"");
    }

    #[test]
    fn off_is_the_reverse_of_on_and_pops_what_was_pushed() {
        check(|_, _| {}, "");
        check(|modes, out| modes.off(out), "");
        check(
            |modes, out| {
                modes.input_on(out);
                modes.input_on(out);
                modes.off(out);
                modes.off(out);
            },
            "^[?2004h^[?u^[?2004l",
        );
        check(
            |modes, out| {
                modes.input_on(out);
                modes.keyboard_offered(out);
                modes.keyboard_offered(out);
                modes.off(out);
                modes.off(out);
            },
            "^[?2004h^[?u^[>1u^[?2004l^[<1u",
        );
        check(
            |modes, out| {
                modes.input_on(out);
                modes.keyboard_offered(out);
                modes.alternate_on(out);
                modes.mouse_on(out);
                out.push(b' ');
                modes.off(out);
            },
            "^[?2004h^[?u^[>1u^[?1049h^[>1u^[?1000h^[?1006h ^[?1006l^[?1000l^[?2004l^[<1u^[?1049l^[<1u",
        );
    }

    #[test]
    fn an_offer_is_pushed_on_each_screen_once_whenever_it_comes() {
        // After a stop it is known, and not asked for again.
        check(
            |modes, out| {
                modes.input_on(out);
                modes.off(out);
                modes.keyboard_offered(out);
                modes.input_on(out);
                modes.off(out);
            },
            "^[?2004h^[?u^[?2004l^[?2004h^[>1u^[?2004l^[<1u",
        );
        // While the alternate screen is shown: there, and on the main screen when that is back.
        check(
            |modes, out| {
                modes.input_on(out);
                modes.alternate_on(out);
                modes.keyboard_offered(out);
                modes.alternate_off(out);
                modes.off(out);
            },
            "^[?2004h^[?u^[?1049h^[>1u^[<1u^[?1049l^[>1u^[?2004l^[<1u",
        );
        check(
            |modes, out| {
                modes.input_on(out);
                modes.alternate_on(out);
                modes.keyboard_offered(out);
                modes.off(out);
            },
            "^[?2004h^[?u^[?1049h^[>1u^[?2004l^[<1u^[?1049l",
        );
    }
}
