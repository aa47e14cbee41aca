//! Completion: what may be meant by a word that begins with a sigil, `@` for files say.
//!
//! A [`CompletionSource`] is the entry of the slot `completion` under its sigil. It gets what is typed and what is known
//! of the workspace, and returns what it offers, as plain data: it reads no files and filters nothing. The host looks
//! around in the workspace on a thread of its own, finds the offers that fit what is typed, draws them and puts the
//! chosen one into the draft. Read [`crate::command`] for completion behind a colon.

use std::sync::Arc;

/// An entry of the slot `completion`.
///
/// ```
/// use std::sync::Arc;
/// use carpel_slots::completion::{CompletionCx, CompletionSource, Offer, Offers};
///
/// struct Tickets;
///
/// impl CompletionSource for Tickets {
///     fn offers(&self, typed: &str, _cx: &CompletionCx) -> Offers {
///         let ticket = Offer::new("!17 ", "!17", "the pod does not stop");
///         Offers { rows: Arc::new([ticket]), pattern: typed.to_owned(), ..Offers::default() }
///     }
/// }
///
/// assert_eq!(Tickets.offers("1", &CompletionCx::default()).rows.len(), 1);
/// ```
pub trait CompletionSource: Send + Sync {
    /// What may stand where the person is typing. `typed` is what stands behind the sigil, without quotes. It is asked
    /// at every key, so what takes long is made once and shared.
    fn offers(&self, typed: &str, cx: &CompletionCx) -> Offers;

    /// True when the word counts at the very beginning of a draft only, as `/` does.
    fn leads(&self) -> bool {
        false
    }
}

/// What a source offers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offers {
    /// Everything, the likeliest first where nothing is typed.
    pub rows: Arc<[Offer]>,
    /// What the rows are to be searched for; their [`Offer::shown`] is looked at.
    pub pattern: String,
    /// Shown before the others and not searched: what fits exactly.
    pub exact: Vec<Offer>,
    /// A folder that has to be listed for more: [`CompletionCx::folder`] has it later.
    pub wants: Option<String>,
    /// True when there is more than what stands in `rows`.
    pub more: bool,
}

/// One thing that is offered. Strings are raw: the host cleans what it shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offer {
    /// What is put into the draft in place of the sigil and what is typed.
    pub insert: String,
    /// Bytes of `insert` that stand before the cursor afterwards, when the person goes on there: a folder. `None` ends
    /// the word.
    pub goes_on: Option<usize>,
    /// What stands in the list, and what is searched.
    pub shown: String,
    /// What it is, in a few words.
    pub summary: String,
}

impl Offer {
    /// An offer that ends the word.
    pub fn new(insert: &str, shown: &str, summary: &str) -> Offer {
        Offer {
            insert: insert.to_owned(),
            goes_on: None,
            shown: shown.to_owned(),
            summary: summary.to_owned(),
        }
    }
}

/// What is known of the workspace. Paths are text in which control characters and bytes that are no UTF-8 are written
/// as `\xNN`; the tools take them as they stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletionCx {
    /// Files and folders below the workspace that no ignore file leaves out, ready to be offered.
    pub files: Arc<[Offer]>,
    /// True when there are more files than are known.
    pub more_files: bool,
    /// The folder that was listed last, by the name that was asked for, and what is in it.
    pub folder: Option<(String, Arc<[Offer]>)>,
    /// Standing instructions and notes about the project.
    pub knowledge: Arc<[Offer]>,
    /// Skills and workflows.
    pub skills: Arc<[Offer]>,
}
