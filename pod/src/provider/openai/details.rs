//! Signed reasoning in pieces (`reasoning_details`), put together as it must be sent back.
//!
//! Owns the joining: pieces of one number and kind are one entry, their texts added, everything else as it came last. It
//! refuses to know what is in them.

use serde_json::{Map, Value};

/// Fields that arrive in pieces.
const GROWING: &[&str] = &["text", "summary", "data"];

#[derive(Debug, Default)]
pub struct Details {
    entries: Vec<Value>,
}

impl Details {
    pub fn take(&mut self, pieces: &[Value]) {
        for piece in pieces.iter().filter_map(Value::as_object) {
            let last = self.entries.last_mut().and_then(Value::as_object_mut);
            match last.filter(|last| last.get("type") == piece.get("type") && same_number(last, piece)) {
                Some(last) => join(last, piece),
                None => self.entries.push(piece.clone().into()),
            }
        }
    }

    pub fn entries(&self) -> &[Value] {
        &self.entries
    }

    /// The texts in some pieces that a person may read.
    pub fn text(pieces: &[Value]) -> String {
        let readable =
            |piece: &Value| Some(piece.get("text").or_else(|| piece.get("summary"))?.as_str()?.to_owned());
        pieces.iter().filter_map(readable).collect()
    }
}

fn same_number(last: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let number = piece.get("index");
    number.is_none() || number == last.get("index")
}

fn join(last: &mut Map<String, Value>, piece: &Map<String, Value>) {
    for (key, value) in piece {
        match (last.get_mut(key), value) {
            (Some(Value::String(so_far)), Value::String(more)) if GROWING.contains(&key.as_str()) => {
                so_far.push_str(more);
            }
            (Some(_), Value::Null) => {}
            _ => {
                last.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_one_number_are_one_entry() {
        let mut details = Details::default();
        details.take(&[
            json!({"type": "reasoning.text", "index": 0, "text": "a", "format": "f", "signature": null}),
        ]);
        details.take(&[json!({"type": "reasoning.text", "index": 0, "text": "b"})]);
        details.take(&[json!({"type": "reasoning.text", "index": 0, "signature": "sig"})]);
        details.take(&[json!({"type": "reasoning.encrypted", "index": 1, "data": "xx"}), json!("odd")]);
        assert_eq!(
            details.entries(),
            [
                json!({"type": "reasoning.text", "index": 0, "text": "ab", "format": "f", "signature": "sig"}),
                json!({"type": "reasoning.encrypted", "index": 1, "data": "xx"}),
            ]
        );
    }
}
