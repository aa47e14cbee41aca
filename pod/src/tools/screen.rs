//! Which files of a folder a search must not look into, though it may search the folder.
//!
//! Owns only the question, asked for each file that a walk finds. `crate::permission` answers it from the deny rules; the
//! walk (`walk.rs`) counts what it left out, so that nobody takes silence for absence. A screen that hides nothing costs
//! nothing. Refuses to know rules.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

type Hides = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Hides files by their physical path.
#[derive(Clone, Default)]
pub struct Screen(Option<Hides>);

impl Screen {
    pub fn new(hides: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hides)))
    }

    pub fn hides(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|hides| hides(path))
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Screen(some)" } else { "Screen(nothing)" })
    }
}
