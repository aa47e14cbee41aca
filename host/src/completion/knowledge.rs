//! `#`: notes about the project by their headings. What is put into the draft names the file, as `@` does.
//!
//! Which files these are is said where they are read, see [`crate::naming`].

use std::sync::Arc;

use carpel_slots::completion::{CompletionCx, CompletionSource, Offers};
use carpel_slots::register_completion;

register_completion!("#", Knowledge);

struct Knowledge;

impl CompletionSource for Knowledge {
    fn offers(&self, typed: &str, cx: &CompletionCx) -> Offers {
        Offers { rows: Arc::clone(&cx.knowledge), pattern: typed.to_owned(), ..Offers::default() }
    }
}
