//! One tool without a turn: what `carpel tool` does.
//!
//! It is decided on as in a session, with nobody to ask: what would need a person's yes is refused, and the refusal says
//! which mode or which prompt does it. Nothing is kept between two of them, so Write and Edit have read nothing before.

use std::path::Path;

use super::config::placed;
use crate::permission::{Permissions, SessionGrants, Verdict, decide};
use crate::tools::skill::discover;
use crate::tools::toolbox::opened;
use crate::tools::{Cancel, ReadRecord, ToolCx, ToolFailure, ToolOutput, ToolReport, Toolbox};

/// Runs one tool on the folder `cwd` with arguments as JSON text, as `permissions` allow it.
pub fn run_tool_alone(name: &str, json_text: &str, cwd: &Path, permissions: Permissions) -> ToolReport {
    run(name, json_text, cwd, permissions).into()
}

fn run(name: &str, json_text: &str, cwd: &Path, permissions: Permissions) -> Result<ToolOutput, ToolFailure> {
    let (arguments, workspace) = opened(name, json_text, cwd)?;
    let permissions = placed(permissions, workspace.root());
    let skills = discover(&workspace, permissions.home.as_deref(), true).skills;
    let toolbox = Toolbox::with_writers(&ReadRecord::unkept(), skills);
    let workspace = workspace.screened(permissions.screen(name));
    let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
    let intent = toolbox.intent(name, &arguments, &cx)?;
    match decide(&intent, name, &permissions, &SessionGrants::default()) {
        Verdict::Allow => toolbox.run_approved(name, &arguments, &intent, &cx),
        Verdict::Deny { why } => Err(ToolFailure::new(why)),
        Verdict::Ask { why } => {
            let allows =
                if intent.command.is_some() { "all` allows it" } else { "edits` or `all` allows more" };
            Err(ToolFailure::new(format!(
                "{why} Nobody can be asked here, so nothing was done; `--approval-mode {allows}, the chat asks"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::Mode;

    /// A search from above does not show what a deny rule keeps from it, and says that something is left out.
    #[test]
    fn searches_leave_out_what_a_rule_denies() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["secret/a.txt", "secret/deep/b.txt", "open/c.txt"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "the word").unwrap();
        }
        let rows = [
            ("Grep", r#"{"pattern":"word","output_mode":"content"}"#, "Grep(secret)", true),
            ("Grep", r#"{"pattern":"word"}"#, "Read(secret/**)", true),
            ("Grep", r#"{"pattern":"word","output_mode":"count"}"#, "*(secret)", true),
            ("Grep", r#"{"pattern":"word","path":"."}"#, "Edit(secret)", false),
            ("Glob", r#"{"pattern":"**/*.txt"}"#, "Glob(secret)", true),
            ("Glob", r#"{"pattern":"**/*.txt"}"#, "Read(secret)", false),
        ];
        for (tool, arguments, rule, hides) in rows {
            let permissions = Permissions { deny: vec![rule.parse().unwrap()], ..Permissions::default() };
            let report = run_tool_alone(tool, arguments, folder.path(), permissions);
            let output = report.output.clone().unwrap_or_default();
            assert!(output.contains("open/c.txt") && !report.is_error, "{tool} {rule}: {report:?}");
            assert_eq!(output.contains("secret/"), !hides, "{tool} {rule}: {output}");
            let told = "2 files left out by a deny rule";
            assert_eq!(report.summary.contains(told), hides, "{tool} {rule}: {}", report.summary);
            assert_eq!(output.contains(told), hides, "{tool} {rule}: {output}");
        }
        let permissions =
            Permissions { deny: vec!["Glob(secret)".parse().unwrap()], ..Permissions::default() };
        let report = run_tool_alone("Glob", r#"{"pattern":"*.md"}"#, folder.path(), permissions);
        assert_eq!(report.summary, "no files");
    }

    #[test]
    fn a_command_runs_in_one_mode() {
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in Mode::NAMES {
            let permissions = Permissions { mode, ..Permissions::default() };
            let report = run_tool_alone("Bash", r#"{"command":"echo hi"}"#, folder.path(), permissions);
            assert_eq!(!report.is_error, mode == Mode::All, "{name}: {report:?}");
            let hint = report.summary.contains("`--approval-mode all` allows it");
            assert_eq!(hint, matches!(mode, Mode::Ask | Mode::Edits), "{}", report.summary);
        }
    }

    #[test]
    fn what_would_be_asked_is_refused() {
        let write = r#"{"file_path":"a.txt","content":"x"}"#;
        let rows = [
            (Mode::Ask, write, false),
            (Mode::ReadOnly, write, false),
            (Mode::Edits, write, true),
            (Mode::All, write, true),
            (Mode::Edits, r#"{"file_path":"../out.txt","content":"x"}"#, false),
            (Mode::Edits, r#"{"file_path":".git/config","content":"x"}"#, false),
        ];
        for (mode, arguments, done) in rows {
            let folder = tempfile::tempdir().unwrap();
            let permissions = Permissions { mode, ..Permissions::default() };
            let report = run_tool_alone("Write", arguments, folder.path(), permissions);
            assert_eq!(!report.is_error, done, "{mode:?} {arguments}: {report:?}");
            assert_eq!(folder.path().join("a.txt").exists(), done, "{mode:?} {arguments}");
        }
        let folder = tempfile::tempdir().unwrap();
        let report = run_tool_alone("Glob", r#"{"pattern":"*"}"#, folder.path(), Permissions::default());
        assert!(!report.is_error, "{report:?}");
    }
}
