//! The skill tool: hands a model the instructions of one skill, a folder with a `SKILL.md`.
//!
//! Owns the schema (the names there are), and what a model gets: the body, the folder, the list of its files, which it
//! may open with Read. Where skills are found and how the head of the file is read: `skill/discover.rs`,
//! `skill/frontmatter.rs`. Without skills there is no tool. A skill is text by somebody else; it changes no permission.

mod discover;
mod frontmatter;

use std::fmt::Write;

use serde_json::{Value, json};

pub use self::discover::{Skill, Skills, discover};
use super::arguments::Arguments;
use super::{
    Access, Intent, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, count, path_text, quoted,
};

/// Text of a description in the list that every request carries.
const TOLD: usize = 400;

pub struct SkillTool {
    spec: ToolSpec,
    skills: Vec<Skill>,
}

impl SkillTool {
    /// `None` when there are no skills: a model is not offered what it cannot use.
    pub fn new(skills: Vec<Skill>) -> Option<Self> {
        if skills.is_empty() {
            return None;
        }
        let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        let mut about = "which skill:".to_owned();
        for skill in &skills {
            let told: String = skill.description.chars().take(TOLD).collect();
            // Writing to a string cannot fail, so the result is dropped.
            let _ = write!(about, "\n- {}: {told}", skill.name);
        }
        let schema = json!({
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string", "enum": names, "description": about}},
        });
        Some(Self {
            spec: ToolSpec {
                name: "skill",
                kind: ToolKind::Read,
                description: "Loads the instructions of a skill before a task that it describes. Returns its text, its folder \
                    and the list of its files, which can be opened with Read.",
                schema,
                access: Access::Reads,
            },
            skills,
        })
    }

    fn wanted(&self, arguments: &Value) -> Result<&Skill, ToolFailure> {
        let name = Arguments(arguments).string("name").unwrap_or_default();
        self.skills.iter().find(|skill| skill.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.skills.iter().map(|skill| skill.name.as_str()).collect();
            ToolFailure::new(format!("there is no skill {}; there are {}", quoted(name), names.join(", ")))
        })
    }
}

impl Tool for SkillTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        let skill = self.wanted(arguments)?;
        let body = skill.body()?;
        let files = skill.files(cx.cancel).ok_or_else(ToolFailure::cancelled)?;
        let mut output = body.trim().to_owned();
        let _ = write!(output, "\n\nFolder of this skill: {}\n", path_text::encode(&skill.folder));
        if !files.shown.is_empty() {
            output.push_str("Its files:\n");
            for file in &files.shown {
                let _ = writeln!(output, "- {file}");
            }
        }
        if files.more {
            let _ = writeln!(output, "(only the first {} are listed)", files.shown.len());
        }
        Ok(ToolOutput {
            summary: match files.shown.len() as u64 {
                0 => format!("skill {}", skill.name),
                number => format!("skill {}, {}", skill.name, count(number, "more file", "more files")),
            },
            output: Some(output),
            structured: Some(json!({
                "name": skill.name,
                "description": skill.description,
                "path": path_text::encode(&skill.folder),
                "files": files.shown,
            })),
        })
    }

    fn intent(&self, arguments: &Value, _: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        let skill = self.wanted(arguments)?;
        Ok(Intent::plain(Access::Reads, format!("use the skill {}", skill.name)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::{Cancel, Workspace, check_arguments};
    use super::*;

    fn skill(folder: &Path, name: &str, text: &str) {
        fs::create_dir_all(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("SKILL.md"), text).unwrap();
    }

    #[test]
    fn a_skill_is_its_body_its_folder_and_its_files() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(".agents/skills");
        skill(&folder, "pdf", "---\nname: pdf\ndescription: Reads PDF: all kinds\n---\n\n# How\nuse it\n");
        fs::create_dir(folder.join("pdf/scripts")).unwrap();
        fs::write(folder.join("pdf/scripts/run.sh"), "x").unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let skills = discover(&workspace, None, true).skills;
        let tool = SkillTool::new(skills).unwrap();
        assert_eq!(tool.spec().schema["properties"]["name"]["enum"], json!(["pdf"]));
        let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
        let got = tool.run(&json!({"name": "pdf"}), &cx).unwrap();
        let place = workspace.root().join(".agents/skills/pdf");
        let place = place.to_str().unwrap();
        assert_eq!(got.summary, "skill pdf, 1 more file");
        assert_eq!(
            got.output.unwrap(),
            format!("# How\nuse it\n\nFolder of this skill: {place}\nIts files:\n- scripts/run.sh\n")
        );
        assert_eq!(
            got.structured.unwrap(),
            json!({"name": "pdf", "description": "Reads PDF: all kinds", "path": place, "files": ["scripts/run.sh"]})
        );
        assert!(check_arguments(tool.spec(), &json!({"name": "other"})).is_err());
        assert!(tool.intent(&json!({"name": "other"}), &cx).is_err());
        assert!(SkillTool::new(Vec::new()).is_none());
    }
}
