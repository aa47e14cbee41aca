//! Requests in, steps out.
//!
//! `tests/data/guide/requests.txt` has a request a line, and below it its steps. The table of verbs is held against the
//! parser and the book, and no text makes the parser panic or come back without a step.

use proptest::prelude::*;

use super::*;
use crate::guide::connect::CONNECT;
use crate::guide::verbs::VERBS;

const CASES: &str = include_str!("../../../tests/data/guide/requests.txt");

fn dump(request: &str) -> Vec<String> {
    parse(request).iter().map(ToString::to_string).collect()
}

#[test]
fn requests_and_their_steps() {
    let mut cases = 0;
    let mut wrong = String::new();
    let mut lines = CASES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).peekable();
    while let Some(request) = lines.next() {
        cases += 1;
        let mut expected = Vec::new();
        while let Some(step) = lines.next_if(|line| line.starts_with("    ")) {
            expected.push(step.trim_start().to_owned());
        }
        let got = dump(&request.replace("\\n", "\n"));
        if got != expected {
            let steps: String = got.iter().map(|step| format!("    {step}\n")).collect();
            wrong.push_str(&format!("{request}\n{steps}"));
        }
    }
    assert!(wrong.is_empty(), "these came out otherwise:\n{wrong}");
    assert!(cases >= 60, "{cases}");
}

#[test]
fn every_example_is_its_verb() {
    for verb in VERBS {
        let steps = parse(verb.example);
        let id = match steps.as_slice() {
            [Step::Read { .. }] => VerbId::Read,
            [Step::Find { .. }] => VerbId::Find,
            [Step::Search { .. }] => VerbId::Search,
            [Step::Define { .. }] => VerbId::Define,
            [Step::CountLines { .. }] => VerbId::Count,
            [Step::Explore { .. }] => VerbId::Explore,
            [Step::Task { .. } | Step::Tasks { .. }] => VerbId::Task,
            [Step::Write { .. }] => VerbId::Write,
            [Step::Replace { .. }] => VerbId::Replace,
            [Step::Skill { .. }] => VerbId::Skill,
            [Step::Run { .. }] => VerbId::Run,
            [Step::Help] => VerbId::Help,
            other => panic!("{}: {other:?}", verb.example),
        };
        assert_eq!(id, verb.id, "{}", verb.example);
    }
}

#[test]
fn every_word_of_the_table_begins_a_request() {
    for verb in VERBS {
        for phrase in std::iter::once(&verb.word).chain(verb.synonyms) {
            let found = verbs::leading(phrase.split(' ')).map(|(found, length)| (found.id, length));
            assert_eq!(found, Some((verb.id, phrase.split(' ').count())), "{phrase}");
        }
    }
}

#[test]
fn the_book_has_the_table() {
    let book = include_str!("../../../../docs/guide.md");
    assert!(book.contains(&verbs::table()), "docs/guide.md lacks this table:\n{}", verbs::table());
    let words: Vec<&str> = book.split_whitespace().collect();
    assert!(words.join(" ").contains(CONNECT), "docs/guide.md lacks: {CONNECT}");
}

/// Words that mean something to the parser, in any order: more telling than random letters.
fn wordy() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "find",
        "read",
        "show",
        "count",
        "search",
        "for",
        "the",
        "one",
        "with",
        "most",
        "and",
        "then",
        "in",
        "of",
        "lines",
        "10-40",
        "line",
        "first",
        "last",
        "20",
        "TODO",
        "files",
        "rust",
        "\"a b\"",
        "`x",
        "/re/",
        "where",
        "is",
        "defined",
        "it",
        "second",
        "src/",
        "README",
        "*.toml",
        ",",
        ".",
        "?",
        "how",
        "many",
        "what",
        "about",
        "don't",
        "#2",
        "tell",
        "me",
        "functions",
        "-",
        "99999999999999999999",
        "ü",
        "„a“",
        "\n",
    ]);
    prop::collection::vec(words, 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_has_steps(text in "\\PC{0,80}") {
        let steps = parse(&text);
        prop_assert!(!steps.is_empty() && steps.len() <= MOST_STEPS + 1);
    }

    #[test]
    fn any_words_have_steps(text in wordy()) {
        let steps = parse(&text);
        prop_assert!(!steps.is_empty() && steps.len() <= MOST_STEPS + 1);
        for step in steps {
            if let Step::Read { lines: Lines::Range(first, last), .. } = step {
                prop_assert!(first >= 1 && first <= last);
            }
        }
    }
}
