//! The Edit tool: one text in the place of another, in one file.
//!
//! Owns the rules: the old text is literal, occurs once unless all are meant, and is never guessed at; the new text is
//! literal too. Where it stands is `edit/find.rs`, what to say when it is not there `edit/near_miss.rs`; finding the
//! file, the refusals and the disk are `change.rs`. Refuses to know approvals.

mod find;
mod near_miss;

use serde_json::{Value, json};

use self::find::find;
use super::arguments::Arguments;
use super::change::text::View;
use super::change::{self, Plan, Target};
use super::{
    Access, Intent, ReadRecord, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, count, near,
    quoted,
};

/// Line numbers that a sentence carries.
const NUMBERS: usize = 8;

pub struct Edit {
    spec: ToolSpec,
    record: ReadRecord,
}

impl Edit {
    pub fn new(record: ReadRecord) -> Self {
        let schema = json!({
            "type": "object",
            "required": ["file_path", "old_string", "new_string"],
            "properties": {
                "file_path": {"type": "string", "description": "the file to edit, relative to the workspace or absolute"},
                "old_string": {"type": "string", "description": "the text to replace, exactly as Read shows it, without line numbers"},
                "new_string": {"type": "string", "description": "the text to put there"},
                "replace_all": {"type": "boolean", "description": "replace every occurrence (default false: there must be exactly one)"},
            },
        });
        Self {
            spec: ToolSpec {
                name: "Edit",
                kind: ToolKind::Edit,
                description: "Replaces text in a file that was read before with Read. `old_string` is literal, blanks and \
                    indentation count, and it must occur exactly once; add lines around it, or set `replace_all`. Line \
                    ends, byte order mark, mode and every other byte of the file stay as they are.",
                schema,
                access: Access::Writes,
            },
            record,
        }
    }
}

impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        // Unasked, nothing outside is even looked at.
        cx.workspace.resolve(Arguments(arguments).string("file_path").unwrap_or_default())?;
        change::make(&self.intent(arguments, cx)?, &self.record, cx)
    }

    fn intent(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        let arguments = Arguments(arguments);
        let named = arguments.string("file_path").unwrap_or_default();
        let wanted = Wanted {
            old: arguments.string("old_string").unwrap_or_default(),
            new: arguments.string("new_string").unwrap_or_default(),
            all: arguments.boolean("replace_all").unwrap_or(false),
        };
        if wanted.old.is_empty() {
            return Err(ToolFailure::new(
                "Edit: `old_string` is empty; give the text to replace, or use Write for a whole file",
            ));
        }
        let target = Target::find(named, &self.record, cx)?;
        let Some(old) = &target.old else {
            return Err(near::missing(cx.workspace, named, &target.place.path));
        };
        let plan = plan(&target, old, &wanted)?;
        Ok(target.intent(plan))
    }

    fn run_approved(&self, _: &Value, intent: &Intent, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        change::make(intent, &self.record, cx)
    }
}

struct Wanted<'a> {
    old: &'a str,
    new: &'a str,
    all: bool,
}

fn plan(target: &Target, bytes: &[u8], wanted: &Wanted<'_>) -> Result<Plan, ToolFailure> {
    let named = quoted(&target.place.shown);
    let view = View::new(bytes);
    let (old, new) = (view.normalised(wanted.old), view.normalised(wanted.new));
    if old == new {
        let but = if wanted.old == wanted.new { "" } else { " but for line ends, which the file keeps" };
        return Err(ToolFailure::new(format!(
            "Edit: `old_string` and `new_string` are the same{but}; nothing to change in {named}"
        )));
    }
    let found = find(view.text(), &old, wanted.all);
    let numbers = find::line_numbers(view.text(), found.iter().map(|range| range.start));
    match found.len() {
        0 => {
            let hint = near_miss::hint(view.text(), &old);
            return Err(ToolFailure::new(format!("`old_string` is not in {named}; {hint}")));
        }
        several @ 2.. if !wanted.all => {
            return Err(ToolFailure::new(format!(
                "`old_string` is {several} times in {named} ({}); add lines around it until it occurs once, or set `replace_all`",
                listed(&numbers)
            )));
        }
        _ => {}
    }
    let (after, regions) = view.replaced(&found, &new);
    let shown = &target.place.shown;
    let replaced = format!("replaced at {}", listed(&numbers));
    Ok(Plan {
        title: format!("edit {shown}"),
        summary: format!("Edited {shown}: {}", count(found.len() as u64, "replacement", "replacements")),
        output: Some(match change::kept(&view) {
            Some(kept) => format!("{replaced}; {kept}"),
            None => replaced,
        }),
        replacements: Some(found.len()),
        after,
        regions,
    })
}

fn listed(numbers: &[usize]) -> String {
    let mut numbers = numbers.to_vec();
    numbers.dedup();
    let shown: Vec<String> = numbers.iter().take(NUMBERS).map(ToString::to_string).collect();
    let word = if numbers.len() == 1 { "line" } else { "lines" };
    match numbers.len() - shown.len() {
        0 => format!("{word} {}", shown.join(", ")),
        more => format!("{word} {} and {more} more", shown.join(", ")),
    }
}
