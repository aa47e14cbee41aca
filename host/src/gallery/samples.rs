//! What the tools of the exhibits are told and answer: one sample a line, built in or an author's own.
//!
//! A line has `view` (the key that the sample is for; empty for the generic card), `name` (the tool's, where the key is
//! none) and the parts of a call: `arguments`, `progress`, `summary`, `output`, `structured`. A key without a sample gets
//! one that fits any tool. Refuses to know states, which `carpel_slots::testing` makes of a sample.

use std::path::Path;

use anyhow::Context;
use carpel_slots::protocol::word::ToolKind;
use carpel_slots::testing;
use carpel_slots::{CardCx, Density};
use serde::Deserialize;
use serde_json::Value;

use crate::render::painter::Folders;

/// The samples of the views that are built in.
const BUILT_IN: &str = include_str!("samples.jsonl");

/// The workspace and the home that the samples speak of.
const PLACES: (&str, &str) = ("/w", "/home/ada");

/// The folders that the samples speak of.
pub fn folders() -> Folders {
    let (cwd, home) = PLACES;
    Folders { cwd: cwd.to_owned(), home: Some(home.to_owned()) }
}

/// What a view is told besides a sample.
pub fn card_cx(density: Density) -> CardCx {
    let (cwd, home) = PLACES;
    CardCx { cwd: cwd.to_owned(), home: Some(home.to_owned()), density }
}

/// A line of a file of samples.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleLine {
    /// The key of the view; empty for the generic card.
    view: String,
    /// The tool's name.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Value>,
    #[serde(default)]
    progress: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    output: Option<String>,
    #[serde(default)]
    structured: Option<Value>,
}

/// Samples, by the keys that they are for.
#[derive(Debug, Clone, Default)]
pub struct Samples(Vec<SampleLine>);

impl Samples {
    /// Those that are built in.
    pub fn built_in() -> Samples {
        // They are part of the program, and a test reads them.
        Samples::read(BUILT_IN).unwrap_or_default()
    }

    /// Reads lines; blank ones are skipped.
    ///
    /// # Errors
    /// A sentence that names the line that is no sample.
    pub fn read(text: &str) -> Result<Samples, String> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read = |(at, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| format!("line {} is no sample: {error}", at + 1))
        };
        Ok(Samples(lines.map(read).collect::<Result<_, _>>()?))
    }

    /// Reads a file of lines.
    ///
    /// # Errors
    /// When it cannot be read, or a line is no sample.
    pub fn of_file(file: &Path) -> anyhow::Result<Samples> {
        let shown = file.display();
        let text = std::fs::read_to_string(file).with_context(|| format!("`{shown}` could not be read"))?;
        Samples::read(&text).map_err(|reason| anyhow::anyhow!("`{shown}`: {reason}"))
    }

    /// The samples of a key, at least one.
    pub fn of(&self, key: &str) -> Vec<testing::Sample> {
        let own: Vec<_> = self.0.iter().filter(|line| line.view == key).map(sample).collect();
        if own.is_empty() { vec![any(key)] } else { own }
    }

    /// The samples that no view is meant for.
    pub fn of_no_view(&self) -> Vec<testing::Sample> {
        self.0.iter().filter(|line| line.view.is_empty()).map(sample).collect()
    }
}

/// A tool and a kind that find the view of a key.
fn found_by(key: &str) -> (String, Option<ToolKind>) {
    match key.strip_prefix("kind:") {
        Some(kind) => ("example_tool".to_owned(), Some(ToolKind::from(kind))),
        None => (key.strip_suffix('*').map_or(key.to_owned(), |prefix| format!("{prefix}example")), None),
    }
}

fn sample(line: &SampleLine) -> testing::Sample {
    let (name, kind) = found_by(&line.view);
    let mut sample = testing::Sample::new(line.name.as_deref().unwrap_or(&name));
    if let Some(kind) = kind {
        sample = sample.kind(kind);
    }
    if let Some(arguments) = &line.arguments {
        sample = sample.arguments(&arguments.to_string());
    }
    if let Some(output) = &line.output {
        sample = sample.output(output);
    }
    if let Some(structured) = &line.structured {
        sample = sample.structured(structured.clone());
    }
    sample.progress(&line.progress).summary(&line.summary)
}

/// A call that any tool might have had.
fn any(key: &str) -> testing::Sample {
    let (name, kind) = found_by(key);
    let sample = testing::Sample::new(&name)
        .arguments(r#"{"query":"one two three","path":"/w/src/parser.rs","command":"make all","limit":3}"#)
        .progress("first step\nsecond step\n")
        .summary("3 lines")
        .output("first line\nsecond line\nthird line\n");
    match kind {
        Some(kind) => sample.kind(kind),
        None => sample,
    }
}

#[cfg(test)]
mod tests {
    use carpel_slots::{CallState, Registry};

    use super::*;

    #[test]
    fn what_is_built_in_can_be_read_and_finds_its_view() {
        let samples = Samples::read(BUILT_IN).unwrap();
        let registry = Registry::linked();
        for line in &samples.0 {
            let call = sample(line).in_state(CallState::Done);
            assert_eq!(
                registry.view(&call.name, call.kind.as_ref()).is_some(),
                !line.view.is_empty(),
                "{}",
                line.view
            );
        }
    }

    #[test]
    fn a_key_without_a_sample_gets_one_that_finds_it() {
        for (key, name, kind) in [
            ("sql_query", "sql_query", None),
            ("mcp__db__*", "mcp__db__example", None),
            ("kind:fetch", "example_tool", Some("fetch")),
        ] {
            let [only] = &Samples::default().of(key)[..] else { panic!("{key}") };
            let call = only.in_state(CallState::Done);
            assert_eq!((call.name.as_str(), call.kind.as_ref().map(ToolKind::as_str)), (name, kind));
        }
    }

    #[test]
    fn an_authors_mistake_names_its_line() {
        let lines = "{\"view\":\"a\",\"arguments\":{\"x\":1}}\n\n{\"view\":\"a\",\"argumets\":{}}\n";
        let error = Samples::read(lines).unwrap_err();
        assert!(error.starts_with("line 3 is no sample: unknown field `argumets`"), "{error}");
        assert_eq!(Samples::read(lines.lines().next().unwrap()).unwrap().of("a").len(), 1);
    }
}
