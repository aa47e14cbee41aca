//! What a person can do, above the composer of a chat in which nothing was said yet.
//!
//! Two dim rows: what to write, and the ways in and out. They belong to the live rows, so nothing of them is left once the
//! first message is sent. What does not fit is left out from the end, as in the status row. A recording that is played has
//! nobody to tell; a window of few rows has no room. Read next: `chat/screen.rs`, which places them.

use carpel_slots::Printable;

use crate::chat::state::{Chat, Link};
use crate::render::look::Look;
use crate::render::wrap::text_width;
use crate::row::Row;

/// Fewer rows are the draft's, its list's and the status row's.
const LEAST_HEIGHT: u16 = 10;

/// Without a model: what guide understands.
const GUIDE: &[&str] = &["try: explore this project", "help says more"];
const MODEL: &[&str] = &["write what you want done", "@ names a file"];
const WAYS: &[&str] = &["Ctrl+D leaves", "Ctrl+T looks back", ":keys lists the keys"];

/// The rows; none where they would tell nothing.
pub fn rows(chat: &Chat, look: &Look, width: usize) -> Vec<Row> {
    let (turn, _) = chat.transcript.turn();
    let is_new = turn == 0
        && !chat.outbox.is_waiting()
        && chat.link == Link::Connected
        && !chat.transcript.is_restoring();
    if !chat.below.welcomes || !is_new || chat.window.height < LEAST_HEIGHT {
        return Vec::new();
    }
    let what = if chat.transcript.session().provider == "guide" { GUIDE } else { MODEL };
    [what, WAYS].iter().map(|parts| joined(parts, look, width)).filter(|row| !row.spans.is_empty()).collect()
}

/// As many parts as fit.
fn joined(parts: &[&str], look: &Look, width: usize) -> Row {
    let mut text = String::new();
    for part in parts {
        let longer = match text.as_str() {
            "" => (*part).to_owned(),
            before => format!("{before} {} {part}", look.glyphs.separator),
        };
        if text_width(&longer) > width {
            break;
        }
        text = longer;
    }
    let mut row = Row::default();
    if !text.is_empty() {
        row.push(look.theme.dim(), Printable::line(&text));
    }
    row
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use carpel_protocol::EventLine;
    use carpel_slots::Density;
    use carpel_slots::registry::RegistryBuilder;
    use ratatui::layout::Size;

    use super::*;
    use crate::flow::FlowOptions;
    use crate::render::glyph::Glyphs;
    use crate::render::theme::Theme;

    fn check(events: &[&str], window: (u16, u16), welcomes: bool, expected: &[&str]) {
        let size = Size::new(window.0, window.1);
        let registry = RegistryBuilder::linked().build();
        let mut chat = Chat::new(registry, FlowOptions::default(), size, Density::Normal);
        chat.below.welcomes = welcomes;
        chat.link = Link::Connected;
        for event in events {
            chat.transcript.apply(&serde_json::from_str::<EventLine>(event).unwrap(), Duration::ZERO);
        }
        let look = Look { theme: Theme::NONE, glyphs: &Glyphs::UNICODE };
        let got: Vec<String> =
            rows(&chat, &look, usize::from(window.0)).iter().map(|row| row.text()).collect();
        assert_eq!(got, expected, "{events:?} {window:?}");
    }

    #[test]
    fn what_is_told_before_the_first_message() {
        let guide = r#"{"event":"hello","protocol":1,"features":[],"pod":"1","session":"s","title":"","cwd":"/w","provider":"guide","model":"guide (no model)","state":"idle"}"#;
        let model = &guide.replace("guide (no model)", "m").replace("guide", "openai");
        let notice = r#"{"event":"notice","level":"info","code":"x","text":"y"}"#;
        let turn = r#"{"event":"turn_start","turn":1}"#;
        let ways = "Ctrl+D leaves · Ctrl+T looks back · :keys lists the keys";
        let with_guide = ["try: explore this project · help says more", ways];
        check(&[guide], (80, 24), true, &with_guide);
        check(&[guide, notice], (80, 24), true, &with_guide);
        check(&[model], (80, 24), true, &["write what you want done · @ names a file", ways]);
        check(&[guide], (40, 12), true, &["try: explore this project", "Ctrl+D leaves · Ctrl+T looks back"]);
        check(&[guide], (15, 12), true, &["Ctrl+D leaves"]);
        check(&[guide], (80, 9), true, &[]);
        check(&[guide], (80, 24), false, &[]);
        check(&[guide, turn], (80, 24), true, &[]);
    }
}
