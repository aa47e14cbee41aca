//! The folders that a field for one may mean: a list below the field, as the draft has one behind `@`.
//!
//! The field holds a path and nothing else, so there is no sigil and nothing is quoted. One folder is listed at a time, that
//! of what is typed up to its last slash; it is asked for and comes back. What cannot be typed as it is written is not
//! offered. Refuses to know keys and rows on the screen (`../chat/new_session.rs`).

use std::sync::Arc;

use carpel_slots::completion::{Offer, Offers};

use super::filter::{self, Filter};
use crate::naming::Ask;

/// The list of a field.
#[derive(Debug, Default)]
pub struct FolderList {
    /// The folder that was listed last, as it was typed, and what is in it.
    listed: Option<(String, Arc<[Offer]>)>,
    asked: Option<String>,
    /// What fits the text of the field; absent while the list is closed.
    fitting: Option<Filter>,
    selected: Option<usize>,
}

impl FolderList {
    /// The field was edited: the list follows its text. What has to be listed is returned.
    pub fn follow(&mut self, text: &str) -> Option<Ask> {
        let folder = &text[..text.rfind('/').map_or(0, |slash| slash + 1)];
        let rows =
            self.listed.as_ref().filter(|(listed, _)| listed == folder).map(|(_, rows)| Arc::clone(rows));
        let is_known = rows.is_some();
        let rows = rows.unwrap_or_default();
        let mut fitting = Filter::new(Offers { rows, pattern: text.to_owned(), ..Offers::default() });
        while fitting.step(filter::STEP) {}
        (self.fitting, self.selected) = (Some(fitting), None);
        if is_known || self.asked.as_deref() == Some(folder) {
            return None;
        }
        self.asked = Some(folder.to_owned());
        Some(Ask::Folder(folder.to_owned()))
    }

    /// What is in a folder. A list in which the person has chosen a row stays as it is.
    pub fn told(&mut self, folder: &str, offers: &[Offer], text: &str) {
        if self.asked.as_deref() == Some(folder) {
            self.asked = None;
        }
        let is_typed = |offer: &&Offer| offer.goes_on.is_some() && !offer.shown.contains('\\');
        self.listed = Some((folder.to_owned(), offers.iter().filter(is_typed).cloned().collect()));
        if self.fitting.is_some() && self.selected.is_none() {
            // Where another folder is typed meanwhile, that one is on its way.
            self.follow(text);
        }
    }

    /// The paths that fit, best first, each with whether it is the chosen one.
    pub fn rows(&self) -> impl Iterator<Item = (&str, bool)> {
        let offers = self.fitting.iter().flat_map(|fitting| (0..fitting.shown()).map(|at| fitting.offer(at)));
        offers.flatten().enumerate().map(|(at, offer)| (offer.shown.as_str(), self.selected == Some(at)))
    }

    /// True while there is something to choose from.
    pub fn is_open(&self) -> bool {
        self.fitting.as_ref().is_some_and(|fitting| fitting.shown() > 0)
    }

    /// True once the person has chosen a row.
    pub fn is_chosen(&self) -> bool {
        self.is_open() && self.selected.is_some()
    }

    /// Chooses the next row, or the one before.
    pub fn select(&mut self, forward: bool) {
        let Some(last) = self.fitting.as_ref().and_then(|fitting| fitting.shown().checked_sub(1)) else {
            return;
        };
        self.selected = Some(match (self.selected, forward) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => {
                if at >= last {
                    0
                } else {
                    at + 1
                }
            }
            (Some(at), false) => at.checked_sub(1).unwrap_or(last),
        });
    }

    /// The chosen path, else the best.
    pub fn take(&self) -> Option<String> {
        Some(self.fitting.as_ref()?.offer(self.selected.unwrap_or(0))?.shown.clone())
    }

    pub fn close(&mut self) {
        (self.fitting, self.selected) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::super::quoted;
    use super::*;

    fn shown(list: &FolderList) -> Vec<String> {
        list.rows().map(|(path, chosen)| format!("{}{path}", if chosen { "> " } else { "" })).collect()
    }

    #[test]
    fn a_folder_is_asked_for_once_and_its_folders_are_offered() {
        let mut list = FolderList::default();
        let asks = |folder: &str| Some(Ask::Folder(folder.to_owned()));
        assert_eq!(list.follow("/w/s"), asks("/w/"));
        assert_eq!(list.follow("/w/su"), None);
        assert!(!list.is_open() && list.take().is_none());
        let offers = ["/w/src/", "/w/sub/", "/w/summary.txt", "/w/s\\x0a/", "/w/two words/"];
        let offers = offers.map(|path| quoted::offer(path, path, ""));
        list.told("/w/", &offers, "/w/su");
        assert_eq!(shown(&list), ["/w/sub/"]);
        assert_eq!(list.follow("/w/s"), None);
        assert_eq!(shown(&list).len(), 3, "{:?}", shown(&list));
        list.select(false);
        list.told("/w/", &offers[..1], "/w/s");
        assert_eq!(shown(&list).len(), 3, "a chosen row does not move");
        assert!(list.is_chosen());
        list.close();
        assert!(!list.is_open() && !list.is_chosen());
        // What is typed meanwhile is another folder, which is on its way.
        assert_eq!(list.follow("/w/src/"), asks("/w/src/"));
        list.told("/w/", &offers, "/w/src/");
        assert!(!list.is_open());
        list.told("/w/src/", &[quoted::offer("/w/src/a/", "/w/src/a/", "")], "/w/src/");
        assert_eq!((shown(&list), list.take()), (vec!["/w/src/a/".to_owned()], Some("/w/src/a/".to_owned())));
    }
}
