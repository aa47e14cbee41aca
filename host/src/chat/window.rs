//! What the window is told besides its rows: a title, and calls for a person who looks elsewhere.
//!
//! Told after each frame, and written only where something changed. What it says is `title`'s and `notice`'s.

use std::io;
use std::time::Duration;

use crate::chat::notice::Lookout;
use crate::chat::state::Chat;
use crate::chat::title;
use crate::manifest::{Notify, WindowTitle};
use crate::terminal::session::Session;

/// What a window is told of, as the manifest says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs {
    /// Whether it is named after the session.
    pub title: WindowTitle,
    /// How a person who looks elsewhere is called.
    pub notify: Notify,
}

/// The window, as far as it has told of itself and was told.
pub(super) struct Window {
    title: WindowTitle,
    lookout: Lookout,
}

impl Window {
    pub(super) fn new(signs: Signs) -> Window {
        Window { title: signs.title, lookout: Lookout::new(signs.notify) }
    }

    /// The terminal says whether its window has the keyboard.
    pub(super) fn focus(&mut self, is_focused: bool) {
        self.lookout.focus(is_focused);
    }

    pub(super) fn tell(
        &mut self,
        session: &mut Session,
        chat: &Chat,
        separator: &str,
        now: Duration,
    ) -> io::Result<()> {
        if self.title == WindowTitle::On {
            session.set_title(title::of(chat, separator))?;
        }
        if !self.lookout.calls() {
            return Ok(());
        }
        session.watch_focus()?;
        match self.lookout.look(chat, now) {
            Some(announcement) => session.announce(&announcement),
            None => Ok(()),
        }
    }
}
