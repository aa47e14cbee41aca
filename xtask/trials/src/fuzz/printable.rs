//! Target: the door through which foreign text becomes visible.
//!
//! Holds: no form of [`Printable`] has a character that is not one to be seen; its width is what it says; a terminal that
//! is fed with it shows it between its neighbours and does nothing else. It knows no rows and no styles.

use carpel::terminal::emulator::{Asked, Emulator};
use carpel_slots::Printable;
use unicode_width::UnicodeWidthStr;

use crate::strict;

pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (form, row) in [
        ("exact", Printable::exact(&text)),
        ("line", Printable::line(&text)),
        ("prose", Printable::prose(&text)),
    ] {
        assert_eq!(strict::check_row(row.as_str()), Ok(()), "{form} of {text:?}");
        assert_eq!(row.width(), row.as_str().width(), "{form} of {text:?}");
        shows_only_itself(&row, form);
    }
}

fn shows_only_itself(row: &Printable, form: &str) {
    let mut emulator = Emulator::new(80, 4, 1000);
    let modes = emulator.modes();
    emulator.feed(format!("above\r\n{row}\r\nbelow").as_bytes());
    assert_eq!(emulator.take_asked(), Asked::default(), "{form}: {row:?}");
    assert_eq!(emulator.modes(), modes, "{form}: {row:?}");
    let mut lines = emulator.text();
    lines.retain(|line| !line.is_empty());
    assert_eq!(lines.first().map(String::as_str), Some("above"), "{form}: {row:?}");
    assert_eq!(lines.last().map(String::as_str), Some("below"), "{form}: {row:?}");
    // Blanks at the end of a folded row are no part of a line; all else is.
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let between = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default().concat();
    assert_eq!(squeezed(&between), squeezed(row.as_str()), "{form}");
}
