//! `/` at the very beginning: skills and workflows. A skill's name stays text in the prompt; who answers loads it.
//!
//! It is no command: nothing here runs, and a path such as `/etc/hosts` is sent as it stands.

use std::sync::Arc;

use carpel_slots::completion::{CompletionCx, CompletionSource, Offers};
use carpel_slots::register_completion;

register_completion!("/", Skills);

struct Skills;

impl CompletionSource for Skills {
    fn offers(&self, typed: &str, cx: &CompletionCx) -> Offers {
        Offers { rows: Arc::clone(&cx.skills), pattern: typed.to_owned(), ..Offers::default() }
    }

    fn leads(&self) -> bool {
        true
    }
}
