//! What guide remembers of the conversation: the last list, the file spoken of last, the last request.
//!
//! Filled while a plan runs, so that "read the second one" and "and in docs?" have something to point at. It is made
//! anew from the conversation each time and never stored. It refuses to know how entries were found.

use super::calls::{Hits, Matches, Paths};
use super::step::{Pick, Step};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    pub list: Vec<Hits>,
    /// Whether the entries carry counts.
    pub counted: bool,
    /// Whether the tool cut the list.
    pub partial: bool,
    /// What was counted, in singular and plural.
    pub noun: (String, String),
    pub focus: Option<String>,
    pub last: Option<Step>,
    /// Whether it has been said that no model is behind the answers.
    pub introduced: bool,
}

/// What a pointer comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Picked {
    Paths(Vec<String>),
    /// The counts have to be made first.
    NeedsLengths,
    /// A sentence that says why there is none.
    Nothing(String),
}

/// "read them" reads this many files at most.
const MOST_READ: usize = 5;

impl Memory {
    pub fn remember_matches(&mut self, matches: &Matches, noun: (&str, &str)) {
        self.list.clone_from(&matches.files);
        self.counted = true;
        self.partial = matches.truncated;
        self.noun = (noun.0.to_owned(), noun.1.to_owned());
        self.focus_if_single();
    }

    pub fn remember_paths(&mut self, paths: &Paths) {
        self.list = paths.paths.iter().map(|path| Hits { path: path.clone(), ..Hits::default() }).collect();
        self.counted = false;
        self.partial = paths.truncated;
        self.focus_if_single();
    }

    fn focus_if_single(&mut self) {
        // After a longer list, "it" is its first entry and no longer the file from before.
        self.focus = match self.list.as_slice() {
            [one] => Some(one.path.clone()),
            _ => None,
        };
    }

    pub fn hits(&self, path: &str) -> Option<&Hits> {
        self.list.iter().find(|entry| entry.path == path && !entry.lines.is_empty())
    }

    pub fn pick(&self, pick: Pick) -> Picked {
        if matches!(pick, Pick::Longest | Pick::LongestFile) {
            return Picked::NeedsLengths;
        }
        if let (Pick::It, Some(focus)) = (pick, &self.focus) {
            return Picked::Paths(vec![focus.clone()]);
        }
        let known = self.list.len();
        if known == 0 {
            return Picked::Nothing(match pick {
                Pick::It => "No file has been spoken of yet; name one, for example by its path.".to_owned(),
                _ => {
                    "There is no list to pick from: nothing was found before. Find or search something first."
                        .to_owned()
                }
            });
        }
        let path = |entry: &Hits| Picked::Paths(vec![entry.path.clone()]);
        match pick {
            Pick::Most | Pick::Fewest if !self.counted => Picked::NeedsLengths,
            Pick::Nth(nth) => self.list.get(nth - 1).map_or_else(
                || {
                    let entries = if known == 1 { "entry" } else { "entries" };
                    Picked::Nothing(format!("The last list has {known} {entries}; there is no number {nth}."))
                },
                path,
            ),
            Pick::Last => self.list.last().map_or(Picked::NeedsLengths, path),
            Pick::Fewest => {
                let fewest = self.list.iter().min_by(|one, other| one.count.cmp(&other.count));
                fewest.map_or(Picked::NeedsLengths, path)
            }
            Pick::It | Pick::Most => self.list.first().map_or(Picked::NeedsLengths, path),
            Pick::All => {
                Picked::Paths(self.list.iter().take(MOST_READ).map(|entry| entry.path.clone()).collect())
            }
            Pick::Longest | Pick::LongestFile => Picked::NeedsLengths,
        }
    }
}
