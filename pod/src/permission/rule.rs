//! A rule of the manifest: a tool and where it holds.
//!
//! Written `Tool`, `Tool(glob)` or `Bash(command)`; `*` stands for every tool. A glob is matched against whole paths: relative to the
//! workspace (`Edit(src/**)`), absolute (`Read(/etc/hosts)`) or in the home folder (`Read(~/notes/**)`); `*` stays
//! within a component, `**` does not, and a glob that names a folder holds for everything in it. A glob without a slash
//! holds at any depth of the workspace (`Edit(*.md)`). A command is its plain words (`Bash(cargo fmt)`), with `:*` behind
//! them where more may follow (`Bash(cargo test:*)`); `command.rs` compares them.
//! Pure. Refuses to know what a rule is for: `permission.rs` has allow, ask and deny.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};

use super::Permissions;
use super::command::{CommandLine, CommandPattern};

#[derive(Debug, Clone)]
pub struct Rule {
    text: String,
    tool: String,
    place: Option<Place>,
    command: Option<CommandPattern>,
}

#[derive(Debug, Clone)]
struct Place {
    glob: String,
    base: Base,
    matcher: GlobMatcher,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Workspace,
    Home,
    Root,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("`{0}` is no rule; write `Tool` or `Tool(glob)`, for example `Edit(src/**)`")]
    Shape(String),
    #[error("`{rule}`: {problem}, for example `Bash(cargo test:*)`")]
    Command { rule: String, problem: String },
    #[error("`{rule}`: {problem}; write a glob such as `src/**` or `~/notes/*.md`")]
    Glob { rule: String, problem: String },
}

/// The tool whose rules speak of commands.
const RUNS_COMMANDS: &str = "Bash";

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let shape = || RuleError::Shape(text.to_owned());
        let (tool, glob) = match text.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(shape)?)),
            None => (text, None),
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        if tool != "*" && (tool.is_empty() || !tool.bytes().all(is_name)) {
            return Err(shape());
        }
        let (text, tool) = (text.to_owned(), tool.to_owned());
        if tool == RUNS_COMMANDS {
            let command = glob.map(CommandPattern::parse).transpose();
            let command = command.map_err(|problem| RuleError::Command { rule: text.clone(), problem })?;
            return Ok(Self { text, tool, place: None, command });
        }
        let place = glob.map(|glob| Place::parse(glob, &text)).transpose()?;
        Ok(Self { text, tool, place, command: None })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Rule {
    pub fn is_for(&self, tool: &str) -> bool {
        self.tool == "*" || self.tool == tool
    }

    /// Whether it holds wherever the tool is used.
    pub fn is_whole_tool(&self) -> bool {
        self.place.is_none() && self.command.is_none()
    }

    /// Whether any part of this command is, or may be, what it speaks of.
    pub fn concerns(&self, line: &CommandLine) -> bool {
        self.command.as_ref().is_some_and(|command| command.concerns(line))
    }

    /// The command that it speaks of.
    pub fn command(&self) -> Option<&CommandPattern> {
        self.command.as_ref()
    }

    /// Whether it holds at this absolute path. A rule for a whole tool holds at none in particular.
    pub fn matches(&self, permissions: &Permissions, path: &Path) -> bool {
        let Some(place) = &self.place else { return false };
        let below = match place.base {
            Base::Root => path.strip_prefix("/").ok(),
            Base::Workspace => path.strip_prefix(&permissions.root).ok(),
            Base::Home => permissions.home.as_ref().and_then(|home| path.strip_prefix(home).ok()),
        };
        below.is_some_and(|below| below.ancestors().any(|above| place.matcher.is_match(above)))
    }

    /// Whether the glob speaks of this component itself, not just of anything.
    pub fn names(&self, part: &str) -> bool {
        let Some(place) = &self.place else { return false };
        place.glob.split('/').filter(|piece| piece.bytes().any(|byte| byte.is_ascii_alphanumeric())).any(
            |piece| {
                let glob = GlobBuilder::new(piece).case_insensitive(true).build();
                glob.is_ok_and(|glob| glob.compile_matcher().is_match(part))
            },
        )
    }
}

impl Place {
    fn parse(glob: &str, rule: &str) -> Result<Self, RuleError> {
        let problem = |problem: String| RuleError::Glob { rule: rule.to_owned(), problem };
        let (base, below) = if let Some(below) = glob.strip_prefix("~/") {
            (Base::Home, below)
        } else if let Some(below) = glob.strip_prefix('/') {
            (Base::Root, below)
        } else {
            (Base::Workspace, glob.strip_prefix("./").unwrap_or(glob))
        };
        if below.split('/').any(|part| part == "..") {
            return Err(problem("`..` leads nowhere in a rule".to_owned()));
        }
        let below = below.trim_end_matches('/');
        if below.is_empty() {
            return Err(problem("the glob is empty".to_owned()));
        }
        let pattern = if base == Base::Workspace && !below.contains('/') {
            format!("**/{below}")
        } else {
            below.to_owned()
        };
        let built = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build();
        let matcher = built.map_err(|error| problem(error.kind().to_string()))?.compile_matcher();
        Ok(Self { glob: below.to_owned(), base, matcher })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn check(rule: &str, path: &str, expected: bool) {
        let permissions = Permissions {
            root: PathBuf::from("/w"),
            home: Some(PathBuf::from("/home/me")),
            ..Permissions::default()
        };
        let rule: Rule = rule.parse().unwrap();
        assert_eq!(rule.matches(&permissions, Path::new(path)), expected, "{rule} {path}");
    }

    #[test]
    fn where_a_rule_holds() {
        check("Edit(src/**)", "/w/src/a/b.rs", true);
        check("Edit(src/**)", "/w/src-evil/a.rs", false);
        check("Edit(src)", "/w/src/a.rs", true);
        check("Edit(src/*.rs)", "/w/src/a.rs", true);
        check("Edit(src/*.rs)", "/w/src/b/a.rs", false);
        check("Edit(*.md)", "/w/docs/a.md", true);
        check("Edit(*.md)", "/x/a.md", false);
        check("Edit(./docs/)", "/w/docs/a.md", true);
        check("Read(/etc/hosts)", "/etc/hosts", true);
        check("Read(/etc)", "/etc/hosts", true);
        check("Read(~/notes/**)", "/home/me/notes/a", true);
        check("Read(~/notes/**)", "/home/you/notes/a", false);
        check("Read(**)", "/etc/hosts", false);
        check("Read", "/w/a", false);
    }

    #[test]
    fn what_is_no_rule() {
        let check = |rule: &str, expected: &str| {
            let error = rule.parse::<Rule>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "is no rule");
        check("Edit(src", "is no rule");
        check("Ed it", "is no rule");
        check("(x)", "is no rule");
        check("Edit()", "the glob is empty");
        check("Edit(../x)", "leads nowhere");
        check("Edit([)", "unclosed character class");
        check("Bash(cargo test; rm x)", "the plain words of one");
    }

    #[test]
    fn what_a_rule_names() {
        let check = |rule: &str, part: &str, expected: bool| {
            assert_eq!(rule.parse::<Rule>().unwrap().names(part), expected, "{rule} {part}");
        };
        check("Write(.git/**)", ".git", true);
        check("Write(**)", ".git", false);
        check("Write(.*)", ".git", false);
        check("Write(**/*)", "agents.md", false);
        check("Write(AGENTS.md)", "agents.md", true);
        check("Read(certs/*.pem)", "server.pem", true);
        check("Write", ".git", false);
    }
}
