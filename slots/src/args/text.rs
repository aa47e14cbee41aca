//! Text that grows at its end and is kept by many as it was at some time.
//!
//! It is made of shared pieces, each at least twice as long as the next, so that keeping it costs a few counts and
//! growing it copies each byte a few times in all. Whoever wants it in one piece pays for that once.

use std::sync::{Arc, OnceLock};

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    pieces: Vec<Arc<String>>,
    length: usize,
    whole: Arc<OnceLock<String>>,
}

impl Text {
    pub(super) fn new(text: String) -> Text {
        let length = text.len();
        Text { pieces: vec![Arc::new(text)], length, whole: Arc::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn push(&mut self, piece: &str) {
        self.length += piece.len();
        self.whole = Arc::default();
        // What nobody else keeps grows in place.
        if let Some(last) = self.pieces.last_mut().and_then(Arc::get_mut) {
            last.push_str(piece);
            return;
        }
        let mut last = piece.to_owned();
        while let Some(before) = self.pieces.pop_if(|before| before.len() < 2 * last.len()) {
            let mut joined = String::with_capacity(before.len() + last.len());
            joined.push_str(&before);
            joined.push_str(&last);
            last = joined;
        }
        self.pieces.push(Arc::new(last));
    }

    pub(super) fn whole(&self) -> &str {
        match self.pieces.as_slice() {
            [] => "",
            [one] => one,
            pieces => self.whole.get_or_init(|| {
                let mut whole = String::with_capacity(self.length);
                pieces.iter().for_each(|piece| whole.push_str(piece));
                whole
            }),
        }
    }

    /// True when somebody has paid for one piece.
    #[cfg(test)]
    pub(super) fn is_joined(&self) -> bool {
        self.whole.get().is_some()
    }

    /// The last bytes, at most so many, from a character on.
    pub(super) fn end(&self, most: usize) -> String {
        self.behind(self.length.saturating_sub(most)).collect()
    }

    /// The first bytes, at most so many, up to a character.
    pub(super) fn beginning(&self, most: usize) -> &str {
        let first = self.pieces.first().map_or("", |piece| piece.as_str());
        &first[..first.floor_char_boundary(most)]
    }

    /// The pieces from byte `from` on.
    pub(super) fn behind(&self, from: usize) -> impl Iterator<Item = &str> {
        let mut skip = from;
        self.pieces.iter().filter_map(move |piece| {
            let here = piece.ceil_char_boundary(skip);
            skip = skip.saturating_sub(piece.len());
            piece.get(here..).filter(|rest| !rest.is_empty())
        })
    }
}
