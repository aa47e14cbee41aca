//! What `carpel exec` tells of a turn while it runs: the answer on stdout, the rest on stderr.
//!
//! Events are folded as the chat folds them; an item is told once, when nothing will change it any more. What a session
//! had before the turn is not told again. It refuses to know how a turn ends.

use std::io;
use std::time::Duration;

use carpel_protocol::word::TurnEndReason;
use carpel_protocol::{Event, EventLine};
use carpel_slots::{Density, Printable};

use crate::cli::out::{self, Heard};
use crate::paint::{Paint, PaintCx, Place};
use crate::render::painter::Painter;
use crate::transcript::Transcript;
use crate::transcript::item::{FlowItem, ItemBody};

/// Columns of what goes to stderr.
const WIDTH: usize = 100;

/// What has been told of the turn.
pub struct Told {
    transcript: Transcript,
    painter: Painter,
    density: Density,
    /// How many items have been told.
    next: usize,
    /// Whether a part of the answer stands on stdout already.
    answered: bool,
}

impl Told {
    pub fn new(painter: Painter, density: Density) -> Self {
        Self { transcript: Transcript::new(), painter, density, next: 0, answered: false }
    }

    /// Folds an event and tells the items that nothing will change any more.
    ///
    /// # Errors
    /// When stdout cannot be written to.
    pub fn event(&mut self, line: &EventLine, now: Duration) -> io::Result<Heard> {
        self.transcript.apply(line, now);
        if let Event::StepAbandoned(abandoned) = &line.event {
            // At once: a wait follows, in which nothing else is to be seen.
            out::error(&Printable::prose(&abandoned.reason));
        }
        let is_over = matches!(line.event, Event::TurnEnd(_));
        let items = self.transcript.items();
        if matches!(line.event, Event::History(_)) {
            self.next = items.len();
            return Ok(Heard::Yes);
        }
        let settled = |at: usize, item: &FlowItem| is_over || (at + 1 < items.len() && is_settled(item));
        let mut due = Vec::new();
        while let Some(item) = items.get(self.next).filter(|item| settled(self.next, item)) {
            due.push(item.clone());
            self.next += 1;
        }
        let mut heard = Heard::Yes;
        for item in &due {
            if self.tell(item, now)? == Heard::NobodyReads {
                heard = Heard::NobodyReads;
            }
        }
        Ok(heard)
    }

    fn tell(&mut self, item: &FlowItem, now: Duration) -> io::Result<Heard> {
        let cx = PaintCx { width: WIDTH, density: self.density, now, place: Place::Settled };
        let rows = match &item.body {
            // Told as it happened.
            ItemBody::CutOff { .. } => return Ok(Heard::Yes),
            // The prompt is known, and why a turn failed is the error that the program ends with.
            ItemBody::User { .. } => return Ok(Heard::Yes),
            ItemBody::TurnEnded(end) if end.reason != TurnEndReason::Cancelled => return Ok(Heard::Yes),
            ItemBody::Text { text, .. } => return self.answer(text),
            ItemBody::Call(call) => {
                self.painter.call(call, None, &cx).iter().flat_map(|card| card.all()).cloned().collect()
            }
            _ => self.painter.item(item, &cx),
        };
        rows.iter().for_each(|row| out::error(&Printable::prose(row.text().trim_end())));
        Ok(Heard::Yes)
    }

    /// A block of the answer, as text; an empty line parts it from the one before.
    fn answer(&mut self, text: &str) -> io::Result<Heard> {
        let text = text.trim_end();
        if text.is_empty() {
            return Ok(Heard::Yes);
        }
        let mut rows = Printable::prose_lines(text);
        if self.answered {
            rows.insert(0, Printable::default());
        }
        self.answered = true;
        out::rows(&rows)
    }
}

fn is_settled(item: &FlowItem) -> bool {
    match &item.body {
        ItemBody::Call(call) => call.state.is_settled(),
        ItemBody::Text { closed, .. } => *closed,
        _ => true,
    }
}
