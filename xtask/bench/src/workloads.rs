//! The workloads: what the provider says, what lies in the workspace, and what has to be seen for the work to count.
//!
//! Owns the list and the vocabulary; each file below owns some of the workloads. They are plain data, and the same for
//! carpel and the floor. How one is carried out and measured is `perform.rs`.

mod calls;
mod markdown;
mod resting;
mod results;
mod sessions;

pub use markdown::text as markdown_text;
pub use sessions::{NAME as SESSION, log as session_log};

use mock_llm::{Answer, Delivery, Pace, Reply, Script};

/// The last text of every answer: when it is on the screen the work is done.
pub const END: &str = "the-very-last-word";

/// What is typed to begin.
pub const ASKED: &str = "go";

#[derive(Clone, Copy)]
pub struct Workload {
    pub name: &'static str,
    /// A line for a person.
    pub about: &'static str,
    pub job: fn() -> Job,
}

pub struct Job {
    pub script: Script,
    pub kind: Kind,
    /// Files of the workspace: name and contents.
    pub files: Vec<(String, String)>,
    pub checks: Vec<Check>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// From Enter to the last text on the screen.
    Turn,
    /// From exec to the last text of a session of so many items.
    Resume(usize),
    /// From exec to the prompt and to the first key.
    Start,
    /// Keys, at rest and while an answer streams.
    Echo,
    /// Nothing is asked; with a tool, one runs all the while.
    Idle { tool: bool },
}

/// What shows that the work was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// These stand in what can be scrolled to, each once and in this order.
    Tags(Vec<String>),
    /// These stand there, in whatever order, at least once.
    Shown(Vec<String>),
    /// So many results of tools were sent to the provider.
    Results(usize),
    /// The provider was sent a result of at least so many bytes.
    ResultBytes(usize),
    /// This file of the workspace has these contents.
    File { name: &'static str, contents: String },
}

pub fn all() -> Vec<Workload> {
    [resting::LIST, markdown::LIST, calls::LIST, results::LIST, sessions::LIST].concat()
}

impl Job {
    fn new(kind: Kind, script: Script) -> Job {
        Job { script, kind, files: Vec::new(), checks: Vec::new() }
    }
}

/// An answer in fragments of so many characters.
fn said(answer: Answer, fragment: usize, pace: Pace) -> Reply {
    Reply::Say { answer, delivery: Delivery { fragment, pace, ..Delivery::default() } }
}

fn end() -> Answer {
    Answer::new().text(END)
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn each_has_a_name_of_its_own_and_a_line() {
        let list = all();
        let mut names: Vec<&str> = list.iter().map(|workload| workload.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), list.len());
        assert!(list.iter().all(|workload| workload.about.len() > 10));
    }
}
