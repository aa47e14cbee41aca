//! Typed data of a result, read by the view that it is for.
//!
//! Only an object counts: serde would take a list for one as well, field after field, and draw what was never meant.
//! What the fields are is each view's own.

use carpel_slots::ToolCall;
use serde::de::DeserializeOwned;

/// The data, when it has that shape.
pub fn of<T: DeserializeOwned>(call: &ToolCall) -> Option<T> {
    let structured = call.result.as_ref()?.structured.as_ref()?;
    structured.is_object().then(|| T::deserialize(structured).ok())?
}
