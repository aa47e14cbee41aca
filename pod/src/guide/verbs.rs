//! What guide understands: one table of verbs.
//!
//! Each row explains itself: the word, other ways to say it, one line of meaning, an example. The parser matches these
//! words, the help answer and `docs/guide.md` print the rows, and a test parses every example back to its verb.
//! It refuses to know how a request is carried out; read `parse.rs` for the words around a verb, `plan.rs` for the rest.

/// What a request wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerbId {
    Read,
    Find,
    Search,
    Define,
    Count,
    Explore,
    Write,
    Replace,
    Skill,
    Run,
    Task,
    Help,
}

/// One row of the table.
#[derive(Debug)]
pub struct Verb {
    pub id: VerbId,
    pub word: &'static str,
    /// Other beginnings of a request; several words count as one.
    pub synonyms: &'static [&'static str],
    pub meaning: &'static str,
    pub example: &'static str,
}

pub const VERBS: &[Verb] = &[
    Verb {
        id: VerbId::Read,
        word: "read",
        synonyms: &[
            "show",
            "open",
            "view",
            "cat",
            "print",
            "display",
            "look at",
            "look into",
            "see",
            "summarize",
        ],
        meaning: "show a file, or lines of it, as in: lines 10-40 of NAME",
        example: "read the longest file",
    },
    Verb {
        id: VerbId::Find,
        word: "find",
        synonyms: &["list", "ls", "locate", "glob", "get", "which", "what"],
        meaning: "list files by name, kind or folder",
        example: "list all files",
    },
    Verb {
        id: VerbId::Search,
        word: "search",
        synonyms: &[
            "search for",
            "grep",
            "grep for",
            "rg",
            "look for",
            "uses of",
            "usages of",
            "occurrences of",
        ],
        meaning: "find text, TODOs or a /regular expression/ in files",
        example: "search for \"main\"",
    },
    Verb {
        id: VerbId::Define,
        word: "define",
        synonyms: &["definition of", "definitions of", "go to", "where is", "where are", "where's"],
        meaning: "find where a name is defined",
        example: "where is `main` defined",
    },
    Verb {
        id: VerbId::Count,
        word: "count",
        synonyms: &["how many", "number of", "how long is", "how big is"],
        meaning: "count files, lines, TODOs or matches",
        example: "count the lines of code",
    },
    Verb {
        id: VerbId::Explore,
        word: "explore",
        synonyms: &["overview", "describe", "inspect", "tour", "what is in", "what's in", "tell me about"],
        meaning: "look around a project and say what is in it, with figures",
        example: "explore this project",
    },
    Verb {
        id: VerbId::Write,
        word: "write",
        synonyms: &["create", "save", "overwrite", "put", "make a file", "make a new file"],
        meaning: "write a file: a text in quotes, and a name",
        example: "write \"hello\" to notes.txt",
    },
    Verb {
        id: VerbId::Replace,
        word: "replace",
        synonyms: &["substitute", "rename", "change", "swap"],
        meaning: "replace one text by another, in one file or many",
        example: "replace foo with bar in every .md file",
    },
    Verb {
        id: VerbId::Skill,
        word: "skill",
        synonyms: &[
            "use the skill",
            "use skill",
            "load the skill",
            "list skills",
            "list the skills",
            "skills",
            "which skills",
        ],
        meaning: "list the skills, or show what one says",
        example: "list skills",
    },
    Verb {
        id: VerbId::Run,
        word: "run",
        synonyms: &["execute", "run the command", "run command"],
        meaning: "run a command in the project: all that stands behind `run:`, or a command in backticks",
        example: "run: ls",
    },
    Verb {
        id: VerbId::Task,
        word: "task",
        synonyms: &[
            "use a task to",
            "use a task for",
            "start a task to",
            "run a task to",
            "hand to a task",
            "delegate",
        ],
        meaning: "let a sub-agent carry out a request; `explore this project in 3 tasks` splits an exploration by folders",
        example: "use a task to explore this project",
    },
    Verb {
        id: VerbId::Help,
        word: "help",
        synonyms: &["commands", "what can you do", "who are you", "what are you", "how do you work"],
        meaning: "say what these requests are",
        example: "help",
    },
];

/// The table as a list, narrow enough for a terminal, for the help answer.
pub fn list() -> String {
    let entry =
        |verb: &Verb| format!("- **{}**: {}. For example: {}\n", verb.word, verb.meaning, verb.example);
    VERBS.iter().map(entry).collect()
}

/// The table as Markdown, for `docs/guide.md`.
pub fn table() -> String {
    let mut text = String::from("| verb | also | what it does | example |\n|---|---|---|---|\n");
    for verb in VERBS {
        let also = verb.synonyms.join(", ");
        text.push_str(&format!("| {} | {also} | {} | {} |\n", verb.word, verb.meaning, verb.example));
    }
    text
}

/// The verb that these lower-case words begin with, and how many words it takes. The longest beginning wins.
pub fn leading<'a>(words: impl Iterator<Item = &'a str>) -> Option<(&'static Verb, usize)> {
    let words: Vec<&str> = words.take(5).collect();
    let mut best: Option<(&'static Verb, usize)> = None;
    for verb in VERBS {
        for phrase in std::iter::once(&verb.word).chain(verb.synonyms) {
            let parts: Vec<&str> = phrase.split(' ').collect();
            if words.starts_with(&parts) && best.is_none_or(|(_, length)| parts.len() > length) {
                best = Some((verb, parts.len()));
            }
        }
    }
    best
}
