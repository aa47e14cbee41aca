//! What programs and projects are made of: languages by file ending, markers, ways to define a name, well-known files.
//!
//! Tables only, each used by the parser, the planner and the answers alike. It refuses to know requests and results.
//! Read next: `parse/object.rs`, which matches the words of a request with these.

use super::step::DefKind;

/// A language: names that people use, file endings, and the name shown.
pub struct Language {
    pub name: &'static str,
    pub words: &'static [&'static str],
    pub endings: &'static [&'static str],
}

const fn language(
    name: &'static str,
    words: &'static [&'static str],
    endings: &'static [&'static str],
) -> Language {
    Language { name, words, endings }
}

pub const LANGUAGES: &[Language] = &[
    language("Rust", &["rust", "rs"], &["rs"]),
    language("Python", &["python", "py"], &["py", "pyi"]),
    language("JavaScript", &["javascript", "js"], &["js", "jsx", "mjs", "cjs"]),
    language("TypeScript", &["typescript", "ts"], &["ts", "tsx", "mts", "cts"]),
    language("Go", &["go", "golang"], &["go"]),
    language("C", &["c"], &["c", "h"]),
    language("C++", &["c++", "cpp"], &["cpp", "cc", "cxx", "hpp", "hh"]),
    language("C#", &["c#", "csharp"], &["cs"]),
    language("Java", &["java"], &["java"]),
    language("Kotlin", &["kotlin"], &["kt", "kts"]),
    language("Swift", &["swift"], &["swift"]),
    language("Ruby", &["ruby", "rb"], &["rb"]),
    language("PHP", &["php"], &["php"]),
    language("Shell", &["shell", "bash", "sh"], &["sh", "bash", "zsh"]),
    language("HTML", &["html"], &["html", "htm"]),
    language("CSS", &["css"], &["css", "scss"]),
    language("SQL", &["sql"], &["sql"]),
    language("Markdown", &["markdown", "md"], &["md", "markdown"]),
    language("TOML", &["toml"], &["toml"]),
    language("JSON", &["json"], &["json", "jsonl"]),
    language("YAML", &["yaml", "yml"], &["yaml", "yml"]),
    language("Text", &["text", "txt"], &["txt"]),
];

impl Language {
    pub fn glob(&self) -> String {
        match self.endings {
            [one] => format!("*.{one}"),
            many => format!("*.{{{}}}", many.join(",")),
        }
    }
}

pub fn by_word(word: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.words.contains(&word))
}

/// Words for the whole project that folders are called by as well.
const PROJECT_OR_FOLDER: &[&str] = &["code", "tree", "repo", "workspace"];

/// Whether a bare word in "in X" means something that is no folder, and may be the name of one all the same.
pub fn may_be_folder(word: &str) -> bool {
    let word = word.to_lowercase();
    by_word(&word).is_some() || PROJECT_OR_FOLDER.contains(&word.as_str())
}

pub fn of_path(path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, ending) = name.rsplit_once('.')?;
    LANGUAGES.iter().find(|language| language.endings.contains(&ending))
}

/// Comments that mark work to do, as they stand in code.
const MARKERS: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

/// The marker that this word names, in any case, also in plural. `hack` in small letters is an ordinary word.
pub fn marker(word: &str) -> Option<&'static str> {
    let upper = word.to_uppercase();
    let bare = upper.strip_suffix("'S").or(upper.strip_suffix('S')).unwrap_or(&upper);
    let found = MARKERS.iter().find(|marker| **marker == bare)?;
    (*found != "HACK" || word.starts_with("HACK")).then_some(*found)
}

/// Files that people name without an ending, and the glob that finds them.
pub const KNOWN_FILES: &[(&str, &[&str], &str)] = &[
    ("README", &["readme"], "{README,Readme,readme}*"),
    ("LICENSE", &["license", "licence"], "{LICENSE,LICENCE,License}*"),
    ("CHANGELOG", &["changelog", "changes"], "{CHANGELOG,CHANGES,Changelog}*"),
    ("manifest", &["manifest", "manifests"], MANIFESTS),
];

pub const README: &str = "{README,Readme,readme}*";
const MANIFESTS: &str = "{Cargo.toml,package.json,pyproject.toml,setup.py,go.mod,pom.xml,build.gradle,build.gradle.kts,Gemfile,composer.json,CMakeLists.txt,Makefile}";
/// The same in calls that a person can read.
pub const MANIFEST_GLOBS: &[&str] = &[
    "**/{Cargo,pyproject}.toml",
    "**/{package,composer}.json",
    "**/{go.mod,pom.xml,setup.py}",
    "**/build.gradle{,.kts}",
    "**/{Gemfile,Makefile,CMakeLists.txt}",
];
pub const TEST_FILES: &str =
    "**/{tests/**/*,test/**/*,*_test.*,*_tests.*,*.test.*,*.spec.*,test_*.*,tests.rs,*Test.java}";
/// Files in which programs begin.
pub const ENTRY_FILES: &str = "*.{rs,py,go,java,kt,c,cc,cpp,cxx}";
/// Where programs begin, and some lines more; [`is_entry_point`] says which.
pub const ENTRY_POINTS: &str = r"(fn|func|void|int) main\(|__main__";

pub fn known_file(word: &str) -> Option<(&'static str, &'static str)> {
    let found = KNOWN_FILES.iter().find(|(_, words, _)| words.contains(&word))?;
    Some((found.0, found.2))
}

pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.trim_matches(['{', '}']).split(',').any(|manifest| manifest == name)
}

pub fn known_glob(name: &str) -> &'static str {
    KNOWN_FILES.iter().find(|known| known.0 == name).map_or(README, |known| known.2)
}

/// Nouns for things that are defined, singular and plural.
pub fn def_kind(word: &str) -> Option<DefKind> {
    Some(match word {
        "function" | "functions" | "fn" | "fns" | "method" | "methods" | "func" | "def" => DefKind::Function,
        "struct" | "structs" | "class" | "classes" | "type" | "types" | "enum" | "enums" | "trait"
        | "traits" | "interface" | "interfaces" => DefKind::Type,
        "constant" | "constants" | "const" => DefKind::Constant,
        "macro" | "macros" => DefKind::Macro,
        "module" | "modules" => DefKind::Module,
        "test" | "tests" => DefKind::Test,
        "definition" | "definitions" => DefKind::Any,
        _ => return None,
    })
}

/// Words that begin a definition of this kind.
fn keywords(kind: DefKind) -> &'static [&'static str] {
    match kind {
        DefKind::Function => &["fn", "def", "function", "func"],
        DefKind::Type => &["struct", "enum", "union", "trait", "class", "interface", "type"],
        DefKind::Constant => &["const", "static"],
        DefKind::Macro => &["macro_rules!", "macro"],
        DefKind::Module => &["mod", "module", "namespace", "package"],
        DefKind::Test => &["fn", "def", "func", "function"],
        DefKind::Any => &[
            "fn",
            "struct",
            "enum",
            "union",
            "trait",
            "type",
            "const",
            "static",
            "mod",
            "class",
            "def",
            "function",
            "func",
            "interface",
            "let",
            "var",
            "macro_rules!",
        ],
    }
}

/// Words that may stand before the keyword.
const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "unsafe",
    "extern",
    "static",
    "const",
    "public",
    "private",
    "protected",
    "internal",
    "abstract",
    "final",
    "sealed",
    "override",
    "inline",
    "declare",
];

/// Lines in which nothing but words stands before the name; [`is_definition`] says which of them define it. Short,
/// because a person reads it in the call.
pub fn before_name(name: &str) -> String {
    let edge = if name.ends_with(|c: char| c.is_alphanumeric() || c == '_') { r"\b" } else { "" };
    format!(r#"^[\w\s(),*:"!\[\]]+\s{}{edge}"#, escape(name))
}

/// Whether this line begins a definition of `name`: modifiers, a keyword, the name. Prose that quotes one does not.
pub fn is_definition(line: &str, kind: DefKind, name: &str) -> bool {
    let mut rest = line.trim_start();
    loop {
        let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_keyword = keywords(kind).contains(&word);
        if is_keyword && names(after, name) {
            return true;
        }
        // `extern "C" fn`, `pub(crate) fn`.
        let is_abi = word.starts_with('"') && word.ends_with('"') && word.len() > 2;
        if !MODIFIERS.contains(&word) && !is_abi {
            return false;
        }
        rest = match after.strip_prefix('(').and_then(|inside| inside.split_once(')')) {
            Some((_, after)) => after.trim_start(),
            None => after.trim_start(),
        };
    }
}

/// Whether the name comes next, after `mut` or the receiver of a Go method.
fn names(after: &str, name: &str) -> bool {
    let mut rest = after.trim_start();
    if rest.len() == after.len() {
        return false;
    }
    if let Some((_, after)) = rest.strip_prefix('(').and_then(|inside| inside.split_once(')')) {
        rest = after.trim_start();
    }
    if let Some(after) = rest.strip_prefix("mut ") {
        rest = after.trim_start();
    }
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    rest.strip_prefix(name).is_some_and(|tail| !name.ends_with(in_word) || !tail.starts_with(in_word))
}

/// Whether a program begins on this line.
pub fn is_entry_point(line: &str) -> bool {
    let text = line.trim_start();
    let is_python = text.starts_with("if __name__ ==");
    let is_c = text.len() == line.len() && (text.starts_with("int main(") || text.starts_with("void main("));
    is_python
        || is_c
        || is_definition(line, DefKind::Function, "main")
        || text.starts_with("public static void main(")
        || text.starts_with("static void main(")
}

/// The regular expression of every definition of a kind.
pub fn definitions(kind: DefKind) -> String {
    if kind == DefKind::Test {
        return r"#\[(?:\w+::)?test\b|^\s*(?:async )?def test_|^func Test|^\s*(?:it|test)\(|@Test\b"
            .to_owned();
    }
    let words = keywords(kind).join("|");
    format!(
        r"^\s*(?:(?:pub(?:\([^)]*\))?|export|default|async|unsafe|static|public|private|protected|abstract|final)\s+)*(?:{words})\s+\w"
    )
}

/// The text as a regular expression that matches just it.
pub fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_what_they_define() {
        let check = |line: &str, kind: DefKind, name: &str, expected: bool| {
            assert_eq!(is_definition(line, kind, name), expected, "{line}");
            // The search finds every line that is one.
            let found = matches(&before_name(name), line);
            assert!(found || !expected, "{line}");
        };
        for line in [
            "fn main() {",
            "    pub(crate) async fn main<T>() {",
            "pub const unsafe extern \"C\" fn main() {",
            "func main() {",
            "func (s *Server) main() {",
            "\tdef main(self):",
            "export default function main() {",
            "const main = 3;",
            "static mut main: u8 = 3;",
            "let mut main = 3;",
            "macro_rules! main {",
            "class main:",
        ] {
            check(line, DefKind::Any, "main", true);
        }
        for line in [
            "grep 'fn main'",
            "- where is fn main defined",
            "// fn main() is there",
            "the function main is called first",
            "fn mainly() {}",
            "main();",
            "fn other() { main() }",
            "let x = main;",
        ] {
            check(line, DefKind::Any, "main", false);
        }
        check("struct main;", DefKind::Function, "main", false);
        check("struct main;", DefKind::Type, "main", true);
    }

    fn matches(pattern: &str, line: &str) -> bool {
        use grep_matcher::Matcher;
        grep_regex::RegexMatcher::new(pattern).unwrap().is_match(line.as_bytes()).unwrap()
    }

    #[test]
    fn lines_where_programs_begin() {
        for (line, expected) in [
            ("fn main() -> ExitCode {", true),
            ("pub async fn main() {", true),
            ("func main() {", true),
            ("int main(int argc, char **argv)", true),
            ("if __name__ == \"__main__\":", true),
            ("    public static void main(String[] args) {", true),
            ("    // fn main() {", false),
            ("    let text = \"fn main() {\";", false),
            ("    int main(", false),
        ] {
            assert_eq!(is_entry_point(line), expected, "{line}");
            assert!(matches(ENTRY_POINTS, line) || !expected, "{line}");
        }
    }
}
