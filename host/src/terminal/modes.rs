//! Which modes of the terminal are on, and the bytes that turn them on and off in the right order.
//!
//! Bracketed paste and the keyboard protocol on the main screen; the keyboard protocol again on the alternate screen,
//! since terminals keep one stack a screen. Off goes in the order mouse, paste, keyboard, alternate screen; each is
//! written only when it is on, so that nothing is popped that was not pushed. An old terminal gets none of the input
//! modes. It does no IO; raw mode is `guard.rs`.

use super::dialect::Age;

/// Disambiguated keys only: releases and plain text keep their legacy form.
const KEYBOARD_ON: &[u8] = b"\x1b[>1u";
const KEYBOARD_OFF: &[u8] = b"\x1b[<1u";
const PASTE_ON: &[u8] = b"\x1b[?2004h";
const PASTE_OFF: &[u8] = b"\x1b[?2004l";
const ALTERNATE_ON: &[u8] = b"\x1b[?1049h";
const ALTERNATE_OFF: &[u8] = b"\x1b[?1049l";
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1000l";

/// The modes that are on now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    input: bool,
    alternate: bool,
    mouse: bool,
    age: Age,
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

    /// Turns bracketed paste and the keyboard protocol on.
    pub fn input_on(&mut self, out: &mut Vec<u8>) {
        if !self.input {
            self.modern(PASTE_ON, out);
            self.modern(KEYBOARD_ON, out);
            self.input = true;
        }
    }

    /// Shows the alternate screen, with the keyboard protocol pushed on its own stack.
    pub fn alternate_on(&mut self, out: &mut Vec<u8>) {
        if !self.alternate {
            out.extend_from_slice(ALTERNATE_ON);
            if self.input {
                self.modern(KEYBOARD_ON, out);
            }
            self.alternate = true;
        }
    }

    /// Goes back to the main screen, which is as it was left.
    pub fn alternate_off(&mut self, out: &mut Vec<u8>) {
        self.mouse_off(out);
        if self.alternate {
            if self.input {
                self.modern(KEYBOARD_OFF, out);
            }
            out.extend_from_slice(ALTERNATE_OFF);
            self.alternate = false;
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

    /// Everything off: mouse, paste, keyboard, alternate screen.
    pub fn off(&mut self, out: &mut Vec<u8>) {
        self.mouse_off(out);
        if self.input {
            self.modern(PASTE_OFF, out);
        }
        // Each screen has its own stack: pop on the alternate one before it goes, then on the main one.
        self.alternate_off(out);
        if self.input {
            self.modern(KEYBOARD_OFF, out);
            self.input = false;
        }
    }

    fn modern(self, sequence: &[u8], out: &mut Vec<u8>) {
        if self.age == Age::Modern {
            out.extend_from_slice(sequence);
        }
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
        assert!(modes.input());
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
            "^[?2004h^[>1u^[?2004l^[<1u",
        );
        check(
            |modes, out| {
                modes.input_on(out);
                modes.alternate_on(out);
                modes.mouse_on(out);
                out.push(b' ');
                modes.off(out);
            },
            "^[?2004h^[>1u^[?1049h^[>1u^[?1000h^[?1006h ^[?1006l^[?1000l^[?2004l^[<1u^[?1049l^[<1u",
        );
    }
}
