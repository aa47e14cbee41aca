//! One tool without a turn: what `carpel tool` does.
//!
//! It is decided on as in a session, with nobody to ask: what would need a person's yes is refused, and the refusal says
//! which mode or which prompt does it. Nothing is kept between two of them, so Write and Edit have read nothing before.

use std::path::Path;

use super::config::placed;
use crate::permission::{Permissions, SessionGrants, Verdict, decide, way_out};
use crate::tools::skill::discover;
use crate::tools::toolbox::opened;
use crate::tools::{Cancel, ReadRecord, ToolCx, ToolFailure, ToolOutput, ToolReport, Toolbox};

/// The tool that is there only where there are skills.
const SKILL: &str = "skill";

/// Runs one tool on the folder `cwd` with arguments as JSON text, as `permissions` allow it.
pub fn run_tool_alone(name: &str, json_text: &str, cwd: &Path, permissions: Permissions) -> ToolReport {
    run(name, json_text, cwd, permissions).into()
}

fn run(name: &str, json_text: &str, cwd: &Path, permissions: Permissions) -> Result<ToolOutput, ToolFailure> {
    let (arguments, workspace) = opened(name, json_text, cwd)?;
    let permissions = placed(permissions, workspace.root());
    let skills = discover(&workspace, permissions.home.as_deref(), true).skills;
    let toolbox = Toolbox::with_writers(&ReadRecord::unkept(), skills);
    if name == SKILL && toolbox.get(SKILL).is_none() {
        let names: Vec<&str> = toolbox.specs().map(|spec| spec.name).collect();
        return Err(ToolFailure::new(format!(
            "there is no skill here, so the tool `{SKILL}` has nothing to use; put a folder with a SKILL.md into \
             .agents/skills here or in your home folder. The other tools are {}",
            names.join(", ")
        )));
    }
    let workspace = workspace.screened(permissions.screen(name)).at_home(permissions.home.clone());
    let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
    let intent = toolbox.intent(name, &arguments, &cx)?;
    match decide(&intent, name, &permissions, &SessionGrants::default()) {
        Verdict::Allow => toolbox.run_approved(name, &arguments, &intent, &cx),
        Verdict::Deny { why } => {
            let way = way_out(&intent, name, &permissions);
            Err(ToolFailure::new(if way.is_empty() { why } else { format!("{why} {way}") }))
        }
        Verdict::Ask { why } => Err(ToolFailure::new(format!(
            "{why} Nobody can be asked here, so nothing was done; {}",
            way_out(&intent, name, &permissions)
        ))),
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
            assert_eq!(hint, mode != Mode::All, "{}", report.summary);
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
            (Mode::Edits, r#"{"file_path":"~/out.txt","content":"x"}"#, false),
        ];
        for (mode, arguments, done) in rows {
            let folder = tempfile::tempdir().unwrap();
            let permissions = Permissions { mode, ..Permissions::default() };
            let report = run_tool_alone("Write", arguments, folder.path(), permissions);
            assert_eq!(!report.is_error, done, "{mode:?} {arguments}: {report:?}");
            assert_eq!(folder.path().join("a.txt").exists(), done, "{mode:?} {arguments}");
            assert!(!folder.path().join("~").exists(), "{mode:?} {arguments}");
        }
        let folder = tempfile::tempdir().unwrap();
        let report = run_tool_alone("Glob", r#"{"pattern":"*"}"#, folder.path(), Permissions::default());
        assert!(!report.is_error, "{report:?}");
    }

    /// What is advised is what helps: a mode, a rule, or the chat.
    #[test]
    fn the_advice_is_what_helps() {
        let chat = "no mode allows it without asking; the chat (`carpel`) asks";
        let rows = [
            (
                "Write",
                r#"{"file_path":"a","content":"x"}"#,
                "`--approval-mode edits` or `all` allows it, and the chat asks",
            ),
            (
                "Write",
                r#"{"file_path":"../a","content":"x"}"#,
                "`--approval-mode all` allows it, and the chat asks",
            ),
            (
                "Write",
                r#"{"file_path":".env","content":"x"}"#,
                "`--approval-mode all` allows it, and the chat asks",
            ),
            ("Read", r#"{"file_path":"/etc/hosts"}"#, "`--approval-mode all` allows it, and the chat asks"),
            ("Bash", r#"{"command":"true"}"#, "`--approval-mode all` allows it, and the chat asks"),
            (
                "Write",
                r#"{"file_path":".git/config","content":"x"}"#,
                "no mode allows it, but `allow = ['Write(./.git/config)']` under [permissions] in your manifest does, and the chat asks",
            ),
            ("Write", r#"{"file_path":".git/a*","content":"x"}"#, chat),
            ("Write", r#"{"file_path":"asked","content":"x"}"#, chat),
            ("Write", r#"{"file_path":"denied","content":"x"}"#, "forbids Write here."),
        ];
        let folder = tempfile::tempdir().unwrap();
        for (tool, arguments, expected) in rows {
            let permissions = Permissions {
                ask: vec!["Write(asked)".parse().unwrap()],
                deny: vec!["Write(denied)".parse().unwrap()],
                ..Permissions::default()
            };
            let report = run_tool_alone(tool, arguments, folder.path(), permissions);
            assert!(report.is_error && report.summary.ends_with(expected), "{arguments}: {}", report.summary);
        }
        let permissions = Permissions { mode: Mode::ReadOnly, ..Permissions::default() };
        let report = run_tool_alone("Write", rows[0].1, folder.path(), permissions);
        assert!(report.summary.ends_with("`--approval-mode edits` or `all` allows it"), "{}", report.summary);
        let rule =
            Permissions { allow: vec!["Write(./.git/config)".parse().unwrap()], ..Permissions::default() };
        assert!(!run_tool_alone("Write", rows[5].1, folder.path(), rule).is_error);
    }

    #[test]
    fn skill_without_a_name_says_which_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let home = Permissions { home: Some(folder.path().join("home")), ..Permissions::default() };
        let none = run_tool_alone("skill", "{}", folder.path(), home.clone()).summary;
        assert!(none.starts_with("there is no skill here") && none.ends_with("Bash, Task"), "{none}");
        let skill = folder.path().join(".agents/skills/pdf");
        std::fs::create_dir_all(&skill).unwrap();
        std::fs::write(skill.join("SKILL.md"), "---\nname: pdf\ndescription: does\n---\nbody\n").unwrap();
        let missing = run_tool_alone("skill", "{}", folder.path(), home).summary;
        assert_eq!(missing, "skill: `name` is missing; expected one of \"pdf\": which skill");
    }
}
