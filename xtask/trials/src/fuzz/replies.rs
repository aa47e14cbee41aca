//! Target: what a plugin and the host say to each other, line by line, and the card that a plugin sent.
//!
//! Holds: a line that can be read is written in a way that reads as the same; a card of any content becomes rows that
//! are no wider than asked and have no character that is not one to be seen. It starts no plugin.

use std::sync::Arc;
use std::time::Duration;

use carpel::paint::{Paint, PaintCx, Place};
use carpel::render::painter::{Folders, Painter};
use carpel::render::{Highlighter, Look};
use carpel_slots::registry::Owner;
use carpel_slots::testing::Sample;
use carpel_slots::wire::{Reply, Request};
use carpel_slots::{CallState, Card, CardCx, Density, Registry, ToolCall, ToolView};

use super::markdown::check;

/// Widths that rows are asked in.
const WIDTHS: [usize; 3] = [1, 17, 80];

pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        if let Ok(request) = Request::decode(line)
            && !matches!(request, Request::Unknown { .. })
        {
            assert_eq!(Request::decode(&request.encode()), Ok(request));
        }
        let Ok(reply) = Reply::decode(line) else { continue };
        if !matches!(reply, Reply::Unknown { .. }) {
            assert_eq!(Reply::decode(&reply.encode()).as_ref(), Ok(&reply));
        }
        if let Reply::Card { card, .. } = reply {
            draw(card);
        }
    }
}

/// A view that returns what a plugin returned.
struct Fixed(Card);

impl ToolView for Fixed {
    fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
        self.0.clone()
    }
}

fn draw(card: Card) {
    let mut builder = Registry::linked().to_builder();
    builder.view("T", &Owner::built_in("trials", "here"), Arc::new(Fixed(card)));
    let mut painter = Painter::new(Look::COLOUR, builder.build(), Folders::default(), Highlighter::inline());
    let call = Sample::new("T").arguments(r#"{"path":"a.rs"}"#).output("its output");
    for (place, state) in [(Place::Live, CallState::Executing), (Place::Settled, CallState::Done)] {
        let call = Arc::new(call.in_state(state));
        for width in WIDTHS {
            for density in [Density::Overview, Density::Normal, Density::Detail] {
                let cx = PaintCx { width, density, now: Duration::ZERO, place };
                for card in painter.call(&call, None, &cx).iter() {
                    check(&card.header, width, place);
                    check(&card.body, width, place);
                }
            }
        }
    }
}
