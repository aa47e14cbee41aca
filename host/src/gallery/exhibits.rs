//! What is shown: each view that is seated, with its sample calls in every state; and the generic card.
//!
//! The calls of an exhibit are made once, each with a key of its own, so that a painter keeps their rows apart. Refuses
//! to know how they look.

use std::sync::Arc;

use carpel_slots::registry::SlotName;
use carpel_slots::testing::Sample;
use carpel_slots::{CallState, Registry, ToolCall};

use crate::gallery::samples::Samples;

/// A view with one sample in every state.
#[derive(Debug, Clone)]
pub struct Exhibit {
    /// The key of the view, or words for the generic card.
    pub title: String,
    /// Who registered the view.
    pub owner: Option<String>,
    /// In the order of [`CallState::ALL`].
    pub calls: Vec<Arc<ToolCall>>,
}

/// The exhibits of a registry, by key; the generic card last.
pub fn exhibits(registry: &Registry, samples: &Samples) -> Vec<Exhibit> {
    let views = registry.entries().into_iter();
    let views = views.filter(|entry| entry.slot == SlotName::ToolView && entry.seated);
    let of_views = views.flat_map(|entry| {
        let samples = samples.of(&entry.key).into_iter();
        samples.map(|sample| (entry.key.clone(), Some(entry.owner.name.clone()), sample)).collect::<Vec<_>>()
    });
    let generic = samples.of_no_view().into_iter().map(|sample| ("generic card".to_owned(), None, sample));
    let all = of_views.chain(generic).enumerate();
    all.map(|(at, (title, owner, sample))| Exhibit { title, owner, calls: calls(at, &sample) }).collect()
}

fn calls(at: usize, sample: &Sample) -> Vec<Arc<ToolCall>> {
    let call = |state: CallState| {
        let mut call = sample.in_state(state);
        call.key.id = Arc::from(format!("{at} {}", state.word()));
        Arc::new(call)
    };
    CallState::ALL.into_iter().map(call).collect()
}
