//! The projects that `carpel plugin new` makes: which files each language has, and what stands in them.
//!
//! The files are templates in `templates/`, with `@WORD@` where a name goes. The names are checked before: what goes into
//! a string, a path and an identifier of three languages is letters, digits and little else. Nothing is written here; read
//! `new.rs` for that.

use carpel_slots::plugin::c::HEADER;
use clap::ValueEnum;

/// In which language a plugin is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// A library, against the crate carpel-slots.
    Rust,
    /// A library, against carpel.h.
    C,
    /// A script, which needs the standard library alone.
    Python,
}

/// What a project is called and draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The plugin's name, checked by [`name`].
    pub name: String,
    /// The tool's name, checked by [`tool`].
    pub tool: String,
    /// Where cargo finds carpel-slots: the value of a dependency in TOML.
    pub slots: String,
}

/// A file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// Below the project's folder.
    pub path: String,
    /// What stands in it.
    pub text: String,
    /// Whether it is run.
    pub is_program: bool,
}

type Template = (&'static str, &'static str);

const RUST: &[Template] = &[
    ("Cargo.toml", include_str!("templates/rust/Cargo.toml.in")),
    ("src/lib.rs", include_str!("templates/rust/lib.rs.in")),
    ("tests/cards.rs", include_str!("templates/rust/cards.rs.in")),
    (".gitignore", include_str!("templates/rust/gitignore.in")),
];

const C: &[Template] = &[
    ("Makefile", include_str!("templates/c/Makefile.in")),
    ("plugin.c", include_str!("templates/c/plugin.c.in")),
    ("test.c", include_str!("templates/c/test.c.in")),
    ("json.h", include_str!("../../../../examples/test-summary/json.h")),
    ("carpel.h", HEADER),
    (".gitignore", include_str!("templates/c/gitignore.in")),
];

const PYTHON: &[Template] = &[
    (PROGRAM, include_str!("templates/python/plugin.py.in")),
    ("test_cards.py", include_str!("templates/python/test_cards.py.in")),
    (".gitignore", include_str!("templates/python/gitignore.in")),
];

const PROGRAM: &str = "@NAME@.py";

/// A recording of a call of the tool.
pub const CALL: &str = "call.jsonl";

/// What every language has.
const ALL: &[Template] = &[(CALL, include_str!("templates/call.jsonl.in"))];

/// The files of a project.
pub fn files(language: Language, names: &Names) -> Vec<ProjectFile> {
    let templates = match language {
        Language::Rust => RUST,
        Language::C => C,
        Language::Python => PYTHON,
    };
    let file = |(path, text): &Template| ProjectFile {
        path: filled(path, names),
        text: filled(text, names),
        is_program: *path == PROGRAM,
    };
    templates.iter().chain(ALL).map(file).collect()
}

/// What runs the project's tests, what builds the plugin where that is needed, and where it is then.
pub fn steps(language: Language, names: &Names) -> (&'static str, Option<&'static str>, String) {
    let (test, build, file) = match language {
        Language::Rust => ("cargo test", Some("cargo build --release"), "target/release/@LIBRARY@"),
        Language::C => ("make test", Some("make"), "@NAME@.so"),
        Language::Python => ("python3 -m unittest", None, PROGRAM),
    };
    (test, build, filled(file, names))
}

fn filled(template: &str, names: &Names) -> String {
    let crate_name = names.name.replace('-', "_");
    let library = format!("{}{crate_name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    template
        .replace("@LIBRARY@", &library)
        .replace("@CRATE@", &crate_name)
        .replace("@NAME@", &names.name)
        .replace("@TOOL@", &names.tool)
        .replace("@SLOTS@", &names.slots)
}

/// Names that cargo or a compiler has another use for.
const TAKEN: [&str; 57] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "carpel-slots",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "unsafe",
    "use",
    "where",
    "while",
];

/// Checks a plugin's name, which is also that of its folder and its crate.
///
/// # Errors
/// A sentence that says what a name is.
pub fn name(text: &str) -> Result<String, String> {
    let is_letter = |c: char| c.is_ascii_lowercase();
    let has_form = text.starts_with(is_letter)
        && text.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '-')
        && !text.ends_with('-')
        && !text.contains("--");
    if !has_form || text.len() > 40 {
        return Err("a name is at most 40 small letters, digits and single hyphens, a letter first, e.g. \
                    `sql-result`"
            .to_owned());
    }
    if TAKEN.contains(&text) {
        return Err(format!("a compiler has another use for that word; take e.g. `{text}-view`"));
    }
    Ok(text.to_owned())
}

/// Checks the name of a tool.
///
/// # Errors
/// A sentence that says what a name is.
pub fn tool(text: &str) -> Result<String, String> {
    let has_form = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if text.is_empty() || !has_form || text.len() > 128 {
        return Err(
            "a tool's name is at most 128 letters, digits, `_`, `-` and `.`, e.g. `sql_query`".to_owned()
        );
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for good in ["a", "sql-result", "k8s", "a1-b2-c3", &"a".repeat(40)] {
            assert_eq!(name(good), Ok(good.to_owned()));
        }
        let long = "a".repeat(41);
        for bad in [
            "", "A", "1a", "-a", "a-", "a--b", "a_b", "a b", "a/b", "..", "../a", "a.b", "é", "a\"", "a\n",
            "fn", "self", "test", &long,
        ] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn tools() {
        for good in ["Read", "mcp__db__query", "a.b-c", "1"] {
            assert_eq!(tool(good), Ok(good.to_owned()));
        }
        for bad in ["", "a b", "a\"", "a\\", "mcp__db__*", "é", "a\n", &"a".repeat(129)] {
            assert!(tool(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn nothing_is_left_to_fill_in() {
        let names = Names { name: "a-b".into(), tool: "the_tool".into(), slots: "\"1\"".into() };
        for language in Language::value_variants() {
            let files = files(*language, &names);
            for file in &files {
                let left = |word: &str| file.path.contains(word) || file.text.contains(word);
                let words = ["@NAME@", "@CRATE@", "@TOOL@", "@SLOTS@", "@LIBRARY@"];
                assert!(!words.into_iter().any(left), "{}:\n{}", file.path, file.text);
            }
            assert!(files.iter().any(|file| file.text.contains("the_tool")));
        }
    }
}
