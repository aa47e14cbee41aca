//! The cards of a plugin drawn as a chat would draw them, at several widths.
//!
//! It owns a registry in which the one view gives the card that was put in last, so that no other one can draw in its
//! place. The drawing itself is the painter's, which bears any card; that no row is wider than asked for is looked at
//! here once more.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use carpel_slots::registry::{Owner, Problem};
use carpel_slots::{Card, CardCx, Density, Registry, ToolCall, ToolView};

use crate::gallery::samples::folders;
use crate::paint::{Paint, PaintCx, Place};
use crate::render::{Highlighter, Look, Painter};

/// Draws the cards of one view.
pub struct Drawing {
    card: Arc<Mutex<Card>>,
    registry: Registry,
    painter: Painter,
    count: u64,
}

/// Gives the card that was put in.
struct Put(Arc<Mutex<Card>>);

impl ToolView for Put {
    fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drawing {
    /// Columns at which each card is drawn.
    pub const WIDTHS: [usize; 4] = [20, 40, 80, 120];

    /// For the view of that key.
    pub fn new(key: &str) -> Drawing {
        let card = Arc::new(Mutex::new(Card::default()));
        let mut builder = Registry::default().to_builder();
        builder.view(key, &Owner::plugin("checked", ""), Arc::new(Put(Arc::clone(&card))));
        let registry = builder.build();
        let painter = Painter::new(Look::PLAIN, registry.clone(), folders(), Highlighter::inline());
        Drawing { card, registry, painter, count: 0 }
    }

    /// Draws it at each width; what is wrong with the rows.
    pub fn fault(&mut self, call: &ToolCall, card: Card, density: Density) -> Option<String> {
        if self.registry.view(&call.name, call.kind.as_ref()).is_none() {
            return Some(format!("a call of `{}` is not one that this view draws", call.name));
        }
        *self.card.lock().unwrap_or_else(PoisonError::into_inner) = card;
        let mut call = call.clone();
        // Rows are kept by the call's key: each drawing is of another call.
        self.count += 1;
        call.key.id = Arc::from(self.count.to_string());
        let place = if call.state.is_settled() { Place::Settled } else { Place::Live };
        let call = Arc::new(call);
        Drawing::WIDTHS.into_iter().find_map(|width| {
            let cards =
                self.painter.call(&call, None, &PaintCx { width, density, now: Duration::ZERO, place });
            let mut rows = cards.iter().flat_map(|card| card.all());
            let wide = rows.find(|row| !row.unbroken && row.width() > width)?;
            Some(format!("a row of {} cells at {width} columns", wide.width()))
        })
    }
}

/// What the registry says of keys that it cannot seat.
pub fn key_faults(keys: &[String]) -> Vec<String> {
    let mut builder = Registry::default().to_builder();
    let view = Arc::new(Put(Arc::new(Mutex::new(Card::default()))));
    for key in keys.iter().collect::<std::collections::BTreeSet<_>>() {
        builder.view(key, &Owner::plugin("plugin", ""), view.clone());
    }
    let fault = |problem: &Problem| match problem {
        Problem::BadKey { key, reason, .. } => format!("the key `{key}`: {reason}"),
        other => other.to_string(),
    };
    builder.build().problems().iter().map(fault).collect()
}

#[cfg(test)]
mod tests {
    use carpel_slots::testing::hostile;

    use super::*;
    use crate::gallery::samples::Samples;

    #[test]
    fn every_call_that_a_plugin_is_asked_for_is_drawn_by_its_view() {
        let own = r#"{"view":"kind:fetch","name":"get","arguments":{"url":"a"}}"#;
        for samples in [Samples::default(), Samples::read(own).unwrap()] {
            for key in ["sql_query", "mcp__db__*", "kind:fetch"] {
                let mut drawing = Drawing::new(key);
                for sample in samples.of(key) {
                    for (what, call) in sample.all().into_iter().chain(hostile(&sample)) {
                        assert_eq!(
                            drawing.fault(&call, Card::default(), Density::Overview),
                            None,
                            "{key}, {what}"
                        );
                    }
                }
            }
        }
        let other = Samples::read(r#"{"view":"a","name":"b"}"#).unwrap().of("a");
        let call = other[0].in_state(carpel_slots::CallState::Done);
        let fault = Drawing::new("a").fault(&call, Card::default(), Density::Normal).unwrap();
        assert!(fault.contains("a call of `b` is not one"), "{fault}");
    }
}
