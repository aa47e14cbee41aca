//! The Glob tool: files whose path fits a pattern, newest first.
//!
//! Owns the meaning of the pattern: matched against the path below `path`; without a slash it is matched against the
//! name at any depth; a leading part that exists just as it is written (`app/[id]`) is literal as well. Which files are
//! looked at is `walk.rs`, the same as `rg --files`. Refuses to know file contents.

mod pattern;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use self::pattern::Pattern;
use super::arguments::Arguments;
use super::walk::{self, Found, Narrowing};
use super::{
    Access, Intent, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, count, grouped, quoted,
};

/// More paths than this are not listed; the total is always told.
const LISTED: usize = 1_000;

pub struct Glob {
    spec: ToolSpec,
}

impl Glob {
    pub fn new() -> Self {
        let schema = json!({
            "type": "object",
            "required": ["pattern"],
            "properties": {
                "pattern": {"type": "string", "description": "a glob such as **/*.rs, src/**/*.{ts,tsx} or *.md"},
                "path": {"type": "string", "description": "the directory to search, taken literally (default: the workspace)"},
            },
        });
        Self {
            spec: ToolSpec {
                name: "Glob",
                kind: ToolKind::Search,
                description: "Finds files by a glob pattern matched against their path below `path`; a pattern without a \
                    slash is matched against file names at any depth. Lists regular files only, newest first, then by \
                    name, at most 1000. Hidden files and files excluded by .gitignore or .ignore are left out, links are \
                    not followed, as with ripgrep.",
                schema,
                access: Access::Reads,
            },
        }
    }
}

impl Tool for Glob {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn intent(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        let named = Arguments(arguments).string("path").filter(|named| !named.is_empty());
        Intent::read(cx.workspace, "list", named.unwrap_or("."))
    }

    fn run(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        let arguments = Arguments(arguments);
        let root = walk::root(cx, arguments.string("path"))?;
        if !root.is_dir() {
            return Err(ToolFailure::new(format!(
                "`{}` is not a directory; set `path` to a directory, or open the file with Read",
                cx.workspace.display(&root)
            )));
        }
        let pattern = Pattern::new(arguments.string("pattern").unwrap_or_default(), &root)?;
        let mut found = walk::files(&root, Narrowing::default(), cx).ok_or_else(ToolFailure::cancelled)?;
        let fits = |file: &PathBuf| file.strip_prefix(&root).is_ok_and(|below| pattern.matches(below));
        found.files.retain(fits);
        found.withheld.retain(fits);
        newest_first(&mut found.files);
        Ok(report(&found, cx))
    }
}

fn newest_first(files: &mut Vec<PathBuf>) {
    let mut dated: Vec<(Option<SystemTime>, PathBuf)> =
        std::mem::take(files).into_iter().map(|file| (modified(&file), file)).collect();
    dated.sort_unstable_by(|(a_time, a), (b_time, b)| b_time.cmp(a_time).then_with(|| a.cmp(b)));
    files.extend(dated.into_iter().map(|(_, file)| file));
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.symlink_metadata().and_then(|metadata| metadata.modified()).ok()
}

fn report(found: &Found, cx: &ToolCx<'_>) -> ToolOutput {
    let total = found.files.len();
    let paths: Vec<String> = found.files.iter().take(LISTED).map(|file| cx.workspace.display(file)).collect();
    let mut lines = paths.clone();
    if total > paths.len() {
        lines.push(format!(
            "({} of {} files, the newest; narrow `pattern` or `path` to see others)",
            grouped(paths.len() as u64),
            grouped(total as u64)
        ));
    }
    lines.extend(found.problems.note().map(|note| format!("({note})")));
    let withheld = walk::withheld(found.withheld.len() as u64);
    let mut summary = if total == 0 { "no files".to_owned() } else { count(total as u64, "file", "files") };
    let mut structured = json!({"total": total, "truncated": total > paths.len(), "paths": paths});
    if !withheld.is_empty() {
        summary = format!("{summary}; {withheld}");
        structured["withheld"] = found.withheld.len().into();
        lines.push(format!("({withheld})"));
    }
    ToolOutput {
        summary,
        output: (!lines.is_empty()).then(|| lines.join("\n") + "\n"),
        structured: Some(structured),
    }
}
