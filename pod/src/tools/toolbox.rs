//! The tools there are, by name, and the one way to run one: look it up, check its arguments, run it.
//!
//! Owns the list of standard tools and the report that `carpel tool NAME JSON` prints. Refuses to know about turns,
//! approvals and threads: `run` blocks. A panic in a tool is contained here and becomes a failure of that call.
//! Read next: `arguments.rs`, then the tools themselves: `read.rs`, `glob.rs`, `grep.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::bash::Bash;
use super::edit::Edit;
use super::glob::Glob;
use super::grep::Grep;
use super::read::Read;
use super::skill::{Skill, SkillTool};
use super::task::Task;
use super::write::Write;
use super::{
    Cancel, Intent, ReadRecord, Tool, ToolCx, ToolFailure, ToolOutput, ToolSpec, Workspace, check_arguments,
    path_text, quoted,
};

#[derive(Clone)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
}

impl Toolbox {
    /// The built-in tools that only read.
    pub fn standard() -> Self {
        Self::new(vec![Arc::new(Read::new()), Arc::new(Glob::new()), Arc::new(Grep::new())])
    }

    /// Every built-in tool, those that write, run commands and hand work on included. What Read shows is noted in
    /// `record`; Write and Edit look there. Without skills there is no skill tool.
    pub fn with_writers(record: &ReadRecord, skills: Vec<Skill>) -> Self {
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Read::recording(record.clone())),
            Arc::new(Write::new(record.clone())),
            Arc::new(Edit::new(record.clone())),
            Arc::new(Glob::new()),
            Arc::new(Grep::new()),
            Arc::new(Bash::new()),
        ];
        if let Some(skill) = SkillTool::new(skills) {
            tools.push(Arc::new(skill));
        }
        tools.push(Arc::new(Task::new()));
        Self::new(tools)
    }

    /// These tools; of two with one name the first is used.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { tools }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().map(|tool| tool.spec())
    }

    /// The prompt that a call hands to a sub-agent. See [`Tool::assignment`].
    pub fn assignment(&self, name: &str, arguments: &Value) -> Option<String> {
        self.get(name)?.assignment(arguments)
    }

    /// What a call is about to do, for `crate::permission` to decide on. Has no effect.
    pub fn intent(&self, name: &str, arguments: &Value, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        self.contained(name, arguments, cx, |tool| tool.intent(arguments, cx))
    }

    /// Runs one call to its end. Blocks. Whatever lies outside the workspace is refused.
    pub fn run(&self, name: &str, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        self.contained(name, arguments, cx, |tool| tool.run(arguments, cx))
    }

    /// Runs one call as it was approved. Blocks. What `intent` names outside the workspace may be used.
    pub fn run_approved(
        &self,
        name: &str,
        arguments: &Value,
        intent: &Intent,
        cx: &ToolCx<'_>,
    ) -> Result<ToolOutput, ToolFailure> {
        let workspace = intent.widened(cx.workspace);
        let cx = ToolCx { workspace: &workspace, ..*cx };
        self.contained(name, arguments, &cx, |tool| tool.run_approved(arguments, intent, &cx))
    }

    fn contained<T>(
        &self,
        name: &str,
        arguments: &Value,
        cx: &ToolCx<'_>,
        act: impl FnOnce(&dyn Tool) -> Result<T, ToolFailure>,
    ) -> Result<T, ToolFailure> {
        let tool = self.get(name).ok_or_else(|| self.unknown(name))?;
        check_arguments(tool.spec(), arguments)?;
        if cx.cancel.is_cancelled() {
            return Err(ToolFailure::cancelled());
        }
        catch_unwind(AssertUnwindSafe(|| act(tool.as_ref()))).unwrap_or_else(|_| {
            Err(ToolFailure::new(format!(
                "{name}: the tool broke down on these arguments; try others, and report it"
            )))
        })
    }

    fn unknown(&self, name: &str) -> ToolFailure {
        let names: Vec<&str> = self.specs().map(|spec| spec.name).collect();
        ToolFailure::new(format!("there is no tool {}; there are {}", quoted(name), names.join(", ")))
    }
}

/// What `carpel tool` prints: a result in the shape of a `tool_result` event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolReport {
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    pub is_error: bool,
}

impl From<Result<ToolOutput, ToolFailure>> for ToolReport {
    fn from(result: Result<ToolOutput, ToolFailure>) -> Self {
        match result {
            Ok(ToolOutput { summary, output, structured }) => {
                Self { summary, output, structured, is_error: false }
            }
            Err(ToolFailure { summary, output, structured }) => {
                Self { summary, output, structured, is_error: true }
            }
        }
    }
}

/// Runs one standard tool on the folder `workspace` with arguments as JSON text.
pub fn run_tool(name: &str, json_text: &str, workspace: &Path) -> ToolReport {
    try_run(name, json_text, workspace).into()
}

fn try_run(name: &str, json_text: &str, workspace: &Path) -> Result<ToolOutput, ToolFailure> {
    let (arguments, workspace) = opened(name, json_text, workspace)?;
    let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
    Toolbox::standard().run(name, &arguments, &cx)
}

/// What a tool without a turn is given: arguments as JSON text and a folder, read and opened.
pub(crate) fn opened(name: &str, json_text: &str, folder: &Path) -> Result<(Value, Workspace), ToolFailure> {
    let arguments: Value = serde_json::from_str(json_text).map_err(|error| {
        ToolFailure::new(format!("{name}: the arguments are not valid JSON ({error}); pass one JSON object"))
    })?;
    let workspace = Workspace::open(folder).map_err(|error| {
        let folder = path_text::encode(folder);
        ToolFailure::new(format!(
            "the workspace `{folder}` cannot be opened: {error}; name a folder that exists"
        ))
    })?;
    Ok((arguments, workspace))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn standard_tools_explain_themselves() {
        let toolbox = Toolbox::standard();
        let names: Vec<&str> = toolbox.specs().map(|spec| spec.name).collect();
        assert_eq!(names, ["Read", "Glob", "Grep"]);
        let skill = Skill { name: "s".to_owned(), description: "x".to_owned(), folder: "/s".into() };
        let toolbox = Toolbox::with_writers(&ReadRecord::new(), vec![skill]);
        let names: Vec<&str> = toolbox.specs().map(|spec| spec.name).collect();
        assert_eq!(names, ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "skill", "Task"]);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for spec in toolbox.specs() {
            assert!(spec.description.len() > 40, "{}", spec.name);
            assert_eq!(spec.schema["type"], "object", "{}", spec.name);
            for (name, property) in spec.schema["properties"].as_object().unwrap() {
                assert!(
                    property["description"].as_str().is_some_and(|text| !text.is_empty()),
                    "{} {name}",
                    spec.name
                );
            }
        }
    }

    #[test]
    fn report_of_a_run() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "x\n").unwrap();
        let report = run_tool("Read", r#"{"file_path":"a.txt"}"#, folder.path());
        assert_eq!(
            serde_json::to_value(report).unwrap(),
            json!({
                "summary": "1 line",
                "output": "     1\tx\n",
                "structured": {"path": "a.txt", "start_line": 1, "num_lines": 1, "total_lines": 1, "truncated": false},
                "is_error": false,
            })
        );
    }

    #[test]
    fn failures_name_the_thing_the_fact_and_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str, json_text: &str, expected: &str| {
            let report = run_tool(name, json_text, folder.path());
            assert!(report.is_error);
            assert_eq!(report.summary, expected);
        };
        check("Raed", "{}", "there is no tool `Raed`; there are Read, Glob, Grep");
        check(
            "Read",
            "{",
            "Read: the arguments are not valid JSON (EOF while parsing an object at line 1 column 1); pass one JSON object",
        );
        check("Read", r#"{"file_path":1}"#, "Read: `file_path` is a number, expected a string");
    }

    #[test]
    fn a_panic_in_a_tool_is_that_calls_failure() {
        struct Broken(ToolSpec);
        impl Tool for Broken {
            fn spec(&self) -> &ToolSpec {
                &self.0
            }
            fn run(&self, _: &Value, _: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
                panic!("on purpose")
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let spec = Toolbox::standard().get("Read").unwrap().spec().clone();
        let toolbox = Toolbox::new(vec![Arc::new(Broken(spec))]);
        let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
        let failure = toolbox.run("Read", &json!({"file_path": "x"}), &cx).unwrap_err();
        assert!(failure.summary.starts_with("Read: the tool broke down"), "{}", failure.summary);
    }
}
