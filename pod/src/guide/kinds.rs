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
pub const MANIFESTS: &str = "{Cargo.toml,package.json,pyproject.toml,setup.py,go.mod,pom.xml,build.gradle,build.gradle.kts,Gemfile,composer.json,CMakeLists.txt,Makefile}";
pub const TEST_FILES: &str =
    "**/{tests/**/*,test/**/*,*_test.*,*_tests.*,*.test.*,*.spec.*,test_*.*,tests.rs,*Test.java}";
/// Files in which programs begin.
pub const ENTRY_FILES: &str = "*.{rs,py,go,java,kt,c,cc,cpp,cxx}";
/// Where programs begin.
pub const ENTRY_POINTS: &str = r#"^\s*(?:pub(?:\([^)]*\))? )?(?:async )?fn main\(|^func main\(|^if __name__ == .__main__.|\bpublic static void main\(|^int main\("#;

pub fn known_file(word: &str) -> Option<(&'static str, &'static str)> {
    let found = KNOWN_FILES.iter().find(|(_, words, _)| words.contains(&word))?;
    Some((found.0, found.2))
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

/// The regular expression of a definition; without a name, of every definition of that kind.
pub fn definition(kind: DefKind, name: Option<&str>) -> String {
    let words = match kind {
        DefKind::Function => "fn|def|function|func",
        DefKind::Type => "struct|enum|union|trait|class|interface|type",
        DefKind::Constant => "const|static",
        DefKind::Macro => "macro_rules!|macro",
        DefKind::Module => "mod|module|namespace|package",
        DefKind::Test => {
            return r"#\[(?:\w+::)?test\b|^\s*(?:async )?def test_|^func Test|^\s*(?:it|test)\(|@Test\b"
                .to_owned();
        }
        DefKind::Any => {
            "fn|struct|enum|union|trait|type|const|static|mod|class|def|function|func|interface|let|var|macro_rules!"
        }
    };
    match name {
        Some(name) => {
            let edge = if name.ends_with(|c: char| c.is_alphanumeric() || c == '_') { r"\b" } else { "" };
            format!(r"\b(?:{words})\s+(?:mut\s+|\([^)]*\)\s*)?{}{edge}", escape(name))
        }
        None => format!(
            r"^\s*(?:(?:pub(?:\([^)]*\))?|export|default|async|unsafe|static|public|private|protected|abstract|final)\s+)*(?:{words})\s+\w"
        ),
    }
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
