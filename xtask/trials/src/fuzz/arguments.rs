//! Target: the arguments of a call while they are written.
//!
//! Holds: however the text is cut, the reading of what has come is the one of the same text in one piece; where the whole
//! is JSON, the reading is serde_json's; a string that is being written only grows. It knows no tool.

use carpel_slots::Args;
use serde_json::Value;

pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let whole = Args::complete(text.as_ref());
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        assert_eq!(whole.partial(), Some(&value));
        // A number alone may go on.
        if !value.is_number() {
            assert_eq!(Args::streaming(text.as_ref()).partial(), Some(&value));
        }
    }
    for pieces in super::text_cuttings(&text) {
        check(&text, &pieces);
    }
}

fn check(text: &str, pieces: &[&str]) {
    let is_json = serde_json::from_str::<Value>(text).is_ok();
    let mut args = Args::streaming("");
    let mut before: Option<String> = None;
    let mut end = 0;
    for piece in pieces {
        let copy = args.clone();
        let read_before = copy.partial().cloned();
        args.push(piece);
        end += piece.len();
        let field = args.partial_end("content", usize::MAX).map(|end| end.text);
        assert_eq!(field, args.partial_str("content"), "{:?}", &text[..end]);
        assert_eq!(copy.partial(), read_before.as_ref(), "a copy stays as it was");
        // Quadratic, so for small ones only.
        if text.len() <= 512 {
            assert_eq!(args.partial(), Args::streaming(&text[..end]).partial(), "{:?}", &text[..end]);
        }
        if is_json
            && text.matches("content").count() == 1
            && let (Some(was), Some(is)) = (&before, &field)
        {
            assert!(is.starts_with(was.as_str()), "{was:?} became {is:?}");
        }
        before = field;
    }
    assert_eq!(args.raw(), text);
    assert_eq!(args.partial(), Args::streaming(text).partial(), "{text:?} in {pieces:?}");
}
