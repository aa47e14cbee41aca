//! What a request comes down to: steps, each with all it needs.
//!
//! Plain data between the parser and the planner, with one line of text for each step, which tests and logs show.
//! It refuses to know words (`parse.rs`) and tools (`plan.rs`).

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Read {
        targets: Vec<Target>,
        lines: Lines,
    },
    Find {
        files: Files,
        scope: Scope,
        want: Want,
    },
    Search {
        needle: Needle,
        scope: Scope,
        want: Want,
    },
    Define {
        kind: DefKind,
        name: Option<String>,
        scope: Scope,
        want: Want,
    },
    /// The folders there are, in a folder or in the project.
    Folders {
        path: Option<String>,
    },
    /// Words are not counted; what can be said of the file is.
    CountWords {
        target: Target,
    },
    CountLines {
        target: Option<Target>,
        scope: Scope,
    },
    /// How many there are in the last list.
    CountList,
    Explore {
        path: Option<String>,
    },
    /// The last request once more, elsewhere.
    Again {
        scope: Scope,
    },
    Write {
        path: String,
        content: String,
    },
    Replace {
        old: String,
        new: String,
        /// At least one.
        scopes: Vec<Scope>,
    },
    /// Without a name: the list of them.
    Skill {
        name: Option<String>,
    },
    Run {
        command: String,
    },
    /// A request for a sub-agent.
    Task {
        prompt: String,
    },
    /// An exploration by several sub-agents.
    Tasks {
        path: Option<String>,
        number: usize,
    },
    Help,
    Hello,
    Thanks,
    Unknown {
        text: String,
        why: Why,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Path(String),
    /// A file that people name without its ending: README, LICENSE, manifest.
    Known(&'static str),
    Pick(Pick),
}

/// One entry of the last list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    Nth(usize),
    Last,
    Most,
    Fewest,
    /// Of the last list by lines.
    Longest,
    /// Of the whole project.
    LongestFile,
    /// The file spoken of last.
    It,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    All,
    Range(u64, u64),
    From(u64),
    First(u64),
    Last(u64),
}

/// Which files: a glob, and what to call them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub glob: String,
    pub label: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    pub path: Option<String>,
    /// A bare word that names a kind of file, such as `text`, may be a folder too; the plan looks (`plan/place.rs`).
    pub glob: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    /// The regular expression for Grep.
    pub pattern: String,
    /// What the person wrote.
    pub label: String,
    pub ignore_case: bool,
}

/// What an answer tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Lines,
    Files,
    Count,
    Most,
    Fewest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefKind {
    Any,
    Function,
    Type,
    Constant,
    Macro,
    Module,
    Test,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// No verb of the table.
    NotUnderstood,
    /// It asks for a change that is not in the table.
    Changes,
    /// It asks to leave the chat.
    Leaves,
    /// It asks for what only a model can do.
    NeedsModel,
    /// A file to be written, with a text of several bare words or none.
    QuotesToWrite,
    /// A replacement that is not whole, or with texts of several bare words.
    QuotesToReplace,
    /// A command that is not marked as one.
    MarkToRun,
    /// Several bare words where a name or a quoted text would do.
    NeedsQuotes,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { targets, lines } => {
                let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
                write!(f, "read {}{lines}", targets.join(" + "))
            }
            Self::Find { files, scope, want } => {
                write!(f, "find {} ({}){scope}{want}", files.glob, files.label)
            }
            Self::Search { needle, scope, want } => {
                let case = if needle.ignore_case { " any-case" } else { "" };
                write!(f, "search `{}`{case}{scope}{want}", needle.pattern)
            }
            Self::Define { kind, name, scope, want } => {
                let name = name.as_deref().unwrap_or("*");
                write!(f, "define {kind:?} {name}{scope}{want}")
            }
            Self::CountLines { target: Some(target), .. } => write!(f, "count lines of {target}"),
            Self::CountLines { target: None, scope } => write!(f, "count lines{scope}"),
            Self::Folders { path } => write!(f, "folders of {}", path.as_deref().unwrap_or(".")),
            Self::CountWords { target } => write!(f, "count words of {target}"),
            Self::CountList => write!(f, "count the list"),
            Self::Explore { path } => write!(f, "explore {}", path.as_deref().unwrap_or(".")),
            Self::Again { scope } => write!(f, "again{scope}"),
            Self::Write { path, content } => write!(f, "write {path}: {content:?}"),
            Self::Replace { old, new, scopes } => {
                let scopes: Vec<String> = scopes.iter().map(ToString::to_string).collect();
                write!(f, "replace `{old}` with `{new}`{}", scopes.join(" and"))
            }
            Self::Skill { name } => write!(f, "skill {}", name.as_deref().unwrap_or("*")),
            Self::Run { command } => write!(f, "run {command:?}"),
            Self::Task { prompt } => write!(f, "task: {prompt}"),
            Self::Tasks { path, number } => {
                write!(f, "explore {} in {number} tasks", path.as_deref().unwrap_or("."))
            }
            Self::Help => write!(f, "help"),
            Self::Hello => write!(f, "hello"),
            Self::Thanks => write!(f, "thanks"),
            Self::Unknown { text, why } => write!(f, "unknown ({why:?}): {text}"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{path}"),
            Self::Known(name) => write!(f, "the {name}"),
            Self::Pick(pick) => write!(f, "pick {pick:?}"),
        }
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Range(first, last) => write!(f, " lines {first}-{last}"),
            Self::From(first) => write!(f, " from line {first}"),
            Self::First(count) => write!(f, " first {count}"),
            Self::Last(count) => write!(f, " last {count}"),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, " in {path}")?;
        }
        if let Some(glob) = &self.glob {
            write!(f, " in {glob}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines => Ok(()),
            Self::Files => write!(f, " -> files"),
            Self::Count => write!(f, " -> count"),
            Self::Most => write!(f, " -> most"),
            Self::Fewest => write!(f, " -> fewest"),
        }
    }
}
