//! How requests begin and end: polite words, greetings, and the first words of what is not in the table.
//!
//! Owns the lists of these words and what is taken away before a verb is looked for. It refuses to know the verbs
//! (`../verbs.rs`) and what they are about.

use super::super::step::Step;
use super::super::verbs;
use super::super::words::Word;
use super::keys;

const FILLERS: &[&str] = &[
    "please",
    "just",
    "now",
    "also",
    "hey",
    "ok",
    "okay",
    "so",
    "well",
    "kindly",
    "then",
    "and",
    "finally",
    "next",
    "afterwards",
    "carpel",
    "guide",
    "first",
    "quickly",
    "simply",
    "maybe",
    "perhaps",
];
const POLITE: &[&[&str]] = &[
    &["can", "you"],
    &["could", "you"],
    &["would", "you"],
    &["will", "you"],
    &["can", "i"],
    &["i", "want", "you", "to"],
    &["i", "want", "to"],
    &["i'd", "like", "you", "to"],
    &["i'd", "like", "to"],
    &["i", "would", "like", "to"],
    &["i", "need", "to"],
    &["let's"],
    &["let", "us"],
    &["let", "me"],
    &["go", "ahead", "and"],
    &["after", "that"],
    &["tell", "me", "how", "many"],
    &["give", "me"],
    &["tell", "me", "where"],
    &["tell", "me", "what"],
    &["tell", "me", "which"],
    &["do", "you", "know"],
    &["could", "i"],
    &["may", "i"],
    &["i", "want"],
    &["we", "need", "to"],
    &["you", "should"],
    &["try", "to"],
    &["be", "so", "kind", "and"],
    &["would", "you", "be", "so", "kind", "as", "to"],
    &["if", "you", "could"],
    &["help", "me", "to"],
    &["help", "me"],
];
pub const CHANGES: &[&str] = &[
    "edit", "delete", "remove", "add", "build", "compile", "install", "commit", "move", "insert", "append",
    "format", "update", "push", "test", "start", "stop", "copy", "mkdir", "rm", "mv", "cp",
];
/// What begins a request that takes an understanding of the text.
pub const FOR_A_MODEL: &[&str] = &[
    "explain",
    "fix",
    "refactor",
    "implement",
    "rewrite",
    "why",
    "review",
    "improve",
    "optimize",
    "optimise",
    "debug",
    "translate",
    "document",
    "design",
    "think",
    "plan",
    "compare",
    "analyze",
    "analyse",
    "suggest",
    "solve",
    "clean",
    "simplify",
    "generate",
    "convert",
    "port",
    "migrate",
    "how",
    "should",
    "could",
    "can",
    "draft",
    "make",
];
const GREETINGS: &[&str] =
    &["hello", "hi", "hey", "hallo", "moin", "servus", "good", "morning", "evening", "there"];
const THANKS: &[&str] =
    &["thanks", "thank", "you", "thx", "very", "much", "a", "lot", "great", "many", "cheers"];

/// The words without what is said before a request to be polite.
pub fn without_fillers(mut words: &[Word]) -> &[Word] {
    loop {
        let before = words.len();
        if let Some(first) = words.first()
            && first.is_one_of(FILLERS)
        {
            words = &words[1..];
        }
        for phrase in POLITE {
            if words.len() > phrase.len() && keys(words).take(phrase.len()).eq(phrase.iter().copied()) {
                // The question word at the end of a polite phrase belongs to the request.
                let kept = match phrase.last() {
                    Some(&"many") => 2,
                    Some(&("where" | "what" | "which")) => 1,
                    _ => 0,
                };
                words = &words[phrase.len() - kept..];
            }
        }
        if words.len() == before {
            return words;
        }
    }
}

/// Whether a request that begins so takes an understanding of the text.
pub fn takes_a_model(first: &Word, second: &Word) -> bool {
    if first.is("what") {
        return second.is_one_of(&["does", "do", "should", "would", "happens"]);
    }
    if first.is("how") {
        return second.is_one_of(&["do", "does", "did", "to", "can", "could", "should", "would"]);
    }
    first.is_one_of(FOR_A_MODEL) && !second.is("about")
}

/// "in src, find TODOs" is "find TODOs in src".
pub fn place_last(words: &mut [Word]) {
    if !words.first().is_some_and(|word| word.is_one_of(&["in", "inside", "within", "under"])) {
        return;
    }
    let verb = (2..words.len().min(5)).find(|at| verbs::leading(keys(&words[*at..])).is_some());
    if let Some(at) = verb {
        words.rotate_left(at);
    }
}

/// First words of what is typed in a shell. They are looked at when nothing else fits: "search for git" is a search.
pub const PROGRAMS: &[&str] = &[
    "git", "cargo", "npm", "pip", "python", "node", "docker", "cd", "pwd", "undo", "revert", "kill", "sudo",
    "bash", "touch", "chmod", "curl",
];

/// A greeting or thanks.
pub fn social(words: &[Word]) -> Option<Step> {
    let only = |list: &[&str]| words.iter().all(|word| word.is_one_of(list));
    if words.len() <= 5 && only(GREETINGS) && !words[0].is("there") {
        return Some(Step::Hello);
    }
    let thanks = words.iter().any(|word| word.is_one_of(&["thanks", "thank", "thx", "cheers"]));
    (thanks && words.len() <= 6 && only(THANKS)).then_some(Step::Thanks)
}

/// Takes away what is said after a request to be polite.
pub fn trim_end(words: &mut Vec<Word>) {
    while let Some(last) = words.last() {
        let for_me = last.is("me") && words.len() > 2 && words[words.len() - 2].is("for");
        if for_me {
            words.truncate(words.len() - 2);
        } else if words.len() > 1
            && last.is_one_of(&["please", "now", "thanks", "too", "again", "?", "and", "then"])
        {
            words.pop();
        } else {
            return;
        }
    }
}
