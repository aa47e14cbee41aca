//! Task: hands a piece of work to a sub-agent, which has a context of its own and the same tools.
//!
//! Owns what a model is told about it and what its arguments mean. A sub-agent is a turn, and turns are the worker's
//! business (`../worker/agent.rs`): to a toolbox alone the tool says that it needs one. It counts as a reader, so that
//! several tasks of one step run side by side; what a sub-agent writes is ordered, and asked about, call by call.
//! It refuses to know providers and how deep tasks may nest.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Access, Intent, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec};

/// Characters of a description in a sentence.
const TOLD: usize = 80;

pub struct Task {
    spec: ToolSpec,
}

impl Task {
    pub fn new() -> Self {
        let text = |about: &str| json!({"type": "string", "description": about});
        let schema = json!({
            "type": "object",
            "required": ["description", "prompt"],
            "properties": {
                "description": text("the task in three to five words"),
                "prompt": text("all that the sub-agent needs to know: it sees nothing of this conversation"),
                "subagent_type": text("may be left out; there is one kind, general"),
            },
        });
        Self {
            spec: ToolSpec {
                name: "Task",
                kind: ToolKind::Think,
                description: "Hands a piece of work to a sub-agent, which has a context of its own and the same tools, and returns \
                    its last message. Good for searches that would fill this conversation, and for parts that do not \
                    depend on each other: several tasks of one answer run side by side. Say in the prompt what to do, \
                    where to look, and what to report. Do not give two tasks the same files to change.",
                schema,
                access: Access::Reads,
            },
        }
    }
}

impl Tool for Task {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, _: &Value, _: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        Err(ToolFailure::new(
            "Task: only a turn can run a sub-agent; ask for it in a chat or with `carpel exec`",
        ))
    }

    fn intent(&self, arguments: &Value, _: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        let arguments = Arguments(arguments);
        if arguments.string("prompt").unwrap_or_default().trim().is_empty() {
            return Err(ToolFailure::new("Task: `prompt` is empty; say what the sub-agent shall do"));
        }
        let description: String =
            arguments.string("description").unwrap_or_default().chars().take(TOLD).collect();
        Ok(Intent::plain(Access::Reads, format!("run a sub-agent: {description}")))
    }

    fn assignment(&self, arguments: &Value) -> Option<String> {
        Some(Arguments(arguments).string("prompt").unwrap_or_default().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cancel, Workspace, check_arguments};
    use super::*;

    #[test]
    fn arguments_as_other_programs_name_them() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
        let check = |arguments: Value, expected: Result<&str, &str>| {
            let task = Task::new();
            let intent = check_arguments(task.spec(), &arguments).and_then(|()| task.intent(&arguments, &cx));
            let got = intent.map(|intent| intent.title).map_err(|failure| failure.summary);
            assert_eq!(got, expected.map(str::to_owned).map_err(str::to_owned), "{arguments}");
        };
        check(json!({"description": "Look around", "prompt": "go"}), Ok("run a sub-agent: Look around"));
        check(
            json!({"description": "x", "prompt": "go", "subagent_type": "general-purpose"}),
            Ok("run a sub-agent: x"),
        );
        check(
            json!({"description": "x", "prompt": " "}),
            Err("Task: `prompt` is empty; say what the sub-agent shall do"),
        );
        check(
            json!({"description": "x"}),
            Err(
                "Task: `prompt` is missing; expected a string: all that the sub-agent needs to know: it sees nothing of this conversation",
            ),
        );
    }
}
