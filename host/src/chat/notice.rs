//! Whether a person who looks elsewhere is called: a turn has ended, or a question waits.
//!
//! Once for each, and only where the terminal says that its window has not got the keyboard; where it says nothing, only
//! for a turn that took long enough for somebody to have gone away. It looks at the chat and writes nothing; how it
//! sounds is `terminal::announce`'s.

use std::time::Duration;

use carpel_protocol::word::PodState;
use carpel_slots::Printable;

use crate::chat::approval;
use crate::chat::state::Chat;
use crate::manifest::Notify;
use crate::terminal::announce::Announcement;

/// Who asked for something waits for so long; afterwards a terminal that does not tell its focus is taken for left alone.
const STAYS: Duration = Duration::from_secs(10);

/// What was seen of the chat, and of the window.
#[derive(Debug, Default)]
pub(super) struct Lookout {
    how: Notify,
    /// Whether the window has the keyboard; `None` until the terminal has told.
    is_focused: Option<bool>,
    /// When the turn began that runs.
    since: Option<Duration>,
    /// The question that waited last.
    asked: Option<String>,
}

impl Lookout {
    pub(super) fn new(how: Notify) -> Lookout {
        Lookout { how, ..Lookout::default() }
    }

    /// Whether anybody wants to be called at all.
    pub(super) fn calls(&self) -> bool {
        self.how != Notify::Off
    }

    pub(super) fn focus(&mut self, is_focused: bool) {
        self.is_focused = Some(is_focused);
    }

    /// What is to be announced of how the chat stands at `now`.
    pub(super) fn look(&mut self, chat: &Chat, now: Duration) -> Option<Announcement> {
        let request = approval::waiting(chat) > 0;
        let first = chat.transcript.session().approvals.first().filter(|_| request);
        let first = first.map(|request| request.request.clone());
        let is_asked = first.is_some() && first != self.asked;
        self.asked = first;
        let works = chat.pod_state() != PodState::Idle;
        let began = match (works, self.since) {
            (true, None) => {
                self.since = Some(now);
                None
            }
            (true, Some(_)) => None,
            (false, _) => self.since.take(),
        };
        let words = match (is_asked, began) {
            (true, _) => "waits for you",
            (false, Some(_)) => "is done",
            (false, None) => return None,
        };
        let since = began.or(self.since).unwrap_or(now);
        let is_away = self.is_focused.map_or(now.saturating_sub(since) >= STAYS, |is_focused| !is_focused);
        match self.how {
            Notify::Bell if is_away => Some(Announcement::Bell),
            Notify::Notification if is_away => {
                let title = &chat.transcript.session().title;
                let name = if title.trim().is_empty() { "the session" } else { title.trim() };
                Some(Announcement::Notification(Printable::line(&format!("carpel: {name} {words}"))))
            }
            Notify::Off | Notify::Bell | Notify::Notification => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use carpel_slots::{Density, Registry};
    use ratatui::layout::Size;

    use super::*;
    use crate::chat::event::{HostEvent, LinkEvent};
    use crate::chat::update::update;
    use crate::flow::FlowOptions;

    /// What a chat announces while this happens: `+N` so many seconds pass, `in`, `out` the focus, else a line of the pod.
    fn check(how: Notify, steps: &[&str], expected: &[&str]) {
        let mut chat =
            Chat::new(Registry::linked(), FlowOptions { resume: false }, Size::new(80, 24), Density::Normal);
        let mut lookout = Lookout::new(how);
        let mut now = Duration::ZERO;
        let mut told = Vec::new();
        for step in steps {
            match *step {
                "in" | "out" => lookout.focus(*step == "in"),
                step if step.starts_with('+') => now += Duration::from_secs(step[1..].parse().unwrap()),
                line => {
                    let line = serde_json::from_str(line).unwrap();
                    update(&mut chat, HostEvent::Link(LinkEvent::Event(Box::new(line))), now);
                }
            }
            told.extend(lookout.look(&chat, now).map(|announcement| match announcement {
                Announcement::Bell => "bell".to_owned(),
                Announcement::Notification(words) => words.as_str().to_owned(),
            }));
        }
        assert_eq!(told, expected, "{how:?} {steps:?}");
    }

    const WORKS: &str = r#"{"event":"state","state":"running"}"#;
    const IDLE: &str = r#"{"event":"state","state":"idle"}"#;
    const ASKS: &str = r#"{"event":"approval_request","request":"r","call":"c","title":"Bash","options":[]}"#;
    const NAMED: &str = "{\"event\":\"session\",\"id\":\"s\",\"title\":\"a\\u001b]0;b\",\"segment\":1}";

    #[test]
    fn who_looks_elsewhere_is_called_once_for_each() {
        let bell = Notify::Bell;
        check(bell, &["out", WORKS, IDLE, "+1"], &["bell"]);
        check(bell, &["in", WORKS, "+60", IDLE], &[]);
        check(bell, &["in", WORKS, "out", "+1", IDLE], &["bell"]);
        // A terminal that does not tell: only after a while.
        check(bell, &[WORKS, "+9", IDLE], &[]);
        check(bell, &[WORKS, "+10", IDLE], &["bell"]);
        check(bell, &["out", WORKS, ASKS, "+1", "+1"], &["bell"]);
        check(bell, &["out", WORKS, ASKS, IDLE], &["bell", "bell"]);
        check(bell, &[WORKS, "+10", ASKS], &["bell"]);
        check(Notify::Off, &["out", WORKS, ASKS, IDLE], &[]);
        check(Notify::Notification, &["out", WORKS, IDLE], &["carpel: the session is done"]);
        check(Notify::Notification, &["out", NAMED, WORKS, ASKS], &["carpel: a0;b waits for you"]);
    }
}
