//! Tool calls that guide makes, and their results as typed data.
//!
//! Owns the argument names and the shape of `structured` of the tools as guide reads them. A result that
//! lacks a field is read as far as it goes. It refuses to know why a call is made (`plan.rs`) and what is said about its
//! result (`answer.rs`).

use serde_json::{Value, json};

use super::step::{Needle, Scope};

/// A call, its arguments in the order in which a reader wants them.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub tool: &'static str,
    arguments: Vec<(&'static str, Value)>,
}

impl Call {
    pub fn glob(pattern: &str, path: Option<&str>) -> Self {
        let mut arguments = vec![("pattern", json!(pattern))];
        arguments.extend(path.map(|path| ("path", json!(path))));
        Self { tool: "Glob", arguments }
    }

    /// `mode` is `content` or `count`.
    pub fn grep(needle: &Needle, scope: &Scope, mode: &str) -> Self {
        let mut arguments = vec![("pattern", json!(needle.pattern))];
        arguments.extend(scope.path.as_ref().map(|path| ("path", json!(path))));
        arguments.extend(scope.glob.as_ref().map(|glob| ("glob", json!(glob))));
        arguments.push(("output_mode", json!(mode)));
        if mode == "content" {
            arguments.push(("-n", json!(true)));
        } else {
            // Counts of files left out would make every figure wrong.
            arguments.push(("head_limit", json!(0)));
        }
        if needle.ignore_case {
            arguments.push(("-i", json!(true)));
        }
        Self { tool: "Grep", arguments }
    }

    /// Every line with a match, not only the first of them.
    pub fn whole(mut self) -> Self {
        self.arguments.push(("head_limit", json!(0)));
        self
    }

    pub fn read(path: &str, offset: Option<u64>, limit: Option<u64>) -> Self {
        let mut arguments = vec![("file_path", json!(path))];
        arguments.extend(offset.map(|offset| ("offset", json!(offset))));
        arguments.extend(limit.map(|limit| ("limit", json!(limit))));
        Self { tool: "Read", arguments }
    }

    pub fn write(path: &str, content: &str) -> Self {
        Self { tool: "Write", arguments: vec![("file_path", json!(path)), ("content", json!(content))] }
    }

    pub fn edit_all(path: &str, old: &str, new: &str) -> Self {
        let arguments = vec![
            ("file_path", json!(path)),
            ("old_string", json!(old)),
            ("new_string", json!(new)),
            ("replace_all", json!(true)),
        ];
        Self { tool: "Edit", arguments }
    }

    pub fn skill(name: &str) -> Self {
        Self { tool: "skill", arguments: vec![("name", json!(name))] }
    }

    pub fn bash(command: &str) -> Self {
        Self { tool: "Bash", arguments: vec![("command", json!(command))] }
    }

    pub fn task(description: &str, prompt: &str) -> Self {
        Self { tool: "Task", arguments: vec![("description", json!(description)), ("prompt", json!(prompt))] }
    }

    /// The arguments as JSON text.
    pub fn arguments(&self) -> String {
        let fields: Vec<String> =
            self.arguments.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        format!("{{{}}}", fields.join(","))
    }
}

/// What came of a call: the text that a model would read, and typed data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    pub text: String,
    pub structured: Value,
    pub is_error: bool,
}

/// A result, or the tool's own sentence about why there is none.
pub type Got<T> = Result<T, String>;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines {
    pub path: String,
    pub first: u64,
    pub count: u64,
    /// Unknown when the file is too long to be counted.
    pub total: Option<u64>,
    pub lines: Vec<(u64, String)>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// Matches in text files.
    pub total: u64,
    /// Lines that have one or more of them.
    pub on_lines: u64,
    pub total_files: u64,
    /// Binary files that match as well; nothing in them is counted.
    pub binary_files: u64,
    pub binary_paths: Vec<String>,
    pub truncated: bool,
    pub files: Vec<Hits>,
}

/// A file with what was found in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    pub path: String,
    /// Matches, of which a line may have several.
    pub count: u64,
    pub on_lines: u64,
    pub lines: Vec<(u64, String)>,
}

/// What Write or Edit did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    pub created: bool,
    pub bytes: u64,
    pub replacements: u64,
}

/// How a command ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    pub exit_code: Option<i64>,
    pub signal: Option<String>,
    /// What it wrote, as far as the tool gives it.
    pub output: String,
    /// Lines of all that it wrote, which may be more than the output has.
    pub lines: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paths {
    pub total: u64,
    pub truncated: bool,
    pub paths: Vec<String>,
}

impl Outcome {
    /// A call that could not be made or never came back.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: Value::Null, is_error: true }
    }

    fn ok(&self) -> Got<&Value> {
        let sentence =
            || self.text.lines().next().unwrap_or("the tool failed without a word").trim().to_owned();
        if self.is_error { Err(sentence()) } else { Ok(&self.structured) }
    }

    /// The text itself.
    pub fn said(&self) -> Got<&str> {
        self.ok().map(|_| self.text.as_str())
    }

    pub fn change(&self) -> Got<Change> {
        let data = self.ok()?;
        Ok(Change {
            created: data["created"].as_bool().unwrap_or(false),
            bytes: number(data, "bytes").unwrap_or_default(),
            replacements: number(data, "replacements").unwrap_or_default(),
        })
    }

    pub fn command(&self) -> Got<Command> {
        let data = self.ok()?;
        let exit_code = data["exit_code"].as_i64();
        let signal = data["signal"].as_str().map(str::to_owned);
        let ended = match (exit_code, &signal) {
            (Some(0), _) | (None, None) => None,
            (Some(code), _) => Some(format!("[exit {code}]")),
            (None, Some(signal)) => Some(format!("[killed by {signal}]")),
        };
        // Without output the text is the summary.
        let text = if number(data, "output_total") == Some(0) && ended.is_none() { "" } else { &self.text };
        let output = ended.and_then(|ended| text.strip_suffix(&ended)).unwrap_or(text);
        let lines = number(data, "output_lines");
        Ok(Command { exit_code, signal, output: output.to_owned(), lines })
    }

    pub fn lines(&self) -> Got<Lines> {
        let data = self.ok()?;
        let numbered = self.text.lines().filter_map(|line| {
            let (number, text) = line.split_once('\t')?;
            Some((number.trim().parse().ok()?, text.to_owned()))
        });
        Ok(Lines {
            path: string(data, "path"),
            first: number(data, "start_line").unwrap_or(1),
            count: number(data, "num_lines").unwrap_or_default(),
            total: number(data, "total_lines"),
            lines: numbered.collect(),
        })
    }

    pub fn matches(&self) -> Got<Matches> {
        let data = self.ok()?;
        let is_binary = |file: &Value| file["binary"].as_bool().unwrap_or(false);
        let (binary, text): (Vec<&Value>, Vec<&Value>) =
            array(data, "files").partition(|file| is_binary(file));
        let mut files: Vec<Hits> = text.into_iter().map(hits).collect();
        most_first(&mut files);
        let on_lines = number(data, "total_matches")
            .unwrap_or_else(|| files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.on_lines)));
        Ok(Matches {
            total: number(data, "total_occurrences").unwrap_or(on_lines),
            on_lines,
            total_files: number(data, "total_files").unwrap_or(files.len() as u64),
            binary_files: number(data, "binary_files").unwrap_or(binary.len() as u64),
            binary_paths: binary.into_iter().map(|file| string(file, "path")).collect(),
            truncated: data["truncated"].as_bool().unwrap_or(false),
            files,
        })
    }

    pub fn paths(&self) -> Got<Paths> {
        let data = self.ok()?;
        let paths: Vec<String> =
            array(data, "paths").filter_map(|path| path.as_str().map(str::to_owned)).collect();
        Ok(Paths {
            total: number(data, "total").unwrap_or(paths.len() as u64),
            truncated: data["truncated"].as_bool().unwrap_or(false),
            paths,
        })
    }
}

fn hits(file: &Value) -> Hits {
    let lines: Vec<(u64, String)> = array(file, "lines")
        .filter(|line| !line["context"].as_bool().unwrap_or(false))
        .map(|line| (number(line, "line").unwrap_or_default(), string(line, "text")))
        .collect();
    let on_lines = number(file, "count").unwrap_or(lines.len() as u64);
    let count = number(file, "occurrences").unwrap_or(on_lines);
    Hits { path: string(file, "path"), count, on_lines, lines }
}

/// The one with the most first: "the second one" then means the same to everybody.
fn most_first(files: &mut [Hits]) {
    files.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.path.cmp(&other.path)));
}

impl Matches {
    /// Leaves only the lines that `keep` says are meant; the figures follow.
    pub fn keep_lines(&mut self, keep: impl Fn(&str) -> bool) {
        for file in &mut self.files {
            file.lines.retain(|line| keep(&line.1));
            file.on_lines = file.lines.len() as u64;
            file.count = file.on_lines;
        }
        self.files.retain(|file| file.count > 0);
        most_first(&mut self.files);
        self.on_lines = self.files.iter().map(|file| file.count).sum();
        self.total = self.on_lines;
        self.total_files = self.files.len() as u64;
        self.binary_files = 0;
        self.binary_paths.clear();
    }
}

fn number(data: &Value, key: &str) -> Option<u64> {
    data[key].as_u64()
}

fn string(data: &Value, key: &str) -> String {
    data[key].as_str().unwrap_or_default().to_owned()
}

fn array<'a>(data: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    data[key].as_array().into_iter().flatten()
}
