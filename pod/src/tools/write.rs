//! The Write tool: a whole file, new or in the place of the old one.
//!
//! Owns what the content becomes: in the place of an old file, lines that do not change keep their bytes, the others
//! take its line ends, and its byte order mark stays; content that itself has CR LF is taken as it is. Finding the file,
//! the refusals and the disk are `change.rs`. Refuses to know approvals. Read next: `edit.rs`.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::change::text::{MARK, Region, View, in_common};
use super::change::{self, Plan, Target};
use super::read_record::MOST_BYTES;
use super::{
    Access, Intent, ReadRecord, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, count, grouped,
    quoted,
};

pub struct Write {
    spec: ToolSpec,
    record: ReadRecord,
}

impl Write {
    pub fn new(record: ReadRecord) -> Self {
        let schema = json!({
            "type": "object",
            "required": ["file_path", "content"],
            "properties": {
                "file_path": {"type": "string", "description": "the file to write, relative to the workspace or absolute; directories are made"},
                "content": {"type": "string", "description": "the whole content of the file"},
            },
        });
        Self {
            spec: ToolSpec {
                name: "Write",
                kind: ToolKind::Edit,
                description: "Writes a whole file: a new one, or over one that was read before with Read and has not changed \
                    since. Mode, line ends and byte order mark of an old file are kept. To change parts of a file use Edit.",
                schema,
                access: Access::Writes,
            },
            record,
        }
    }
}

impl Tool for Write {
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
        let content = arguments.string("content").unwrap_or_default();
        if content.len() as u64 > MOST_BYTES {
            return Err(ToolFailure::new(format!(
                "the content for {} is larger than {}; write less at once",
                quoted(named),
                count(MOST_BYTES, "byte", "bytes")
            )));
        }
        let target = Target::find(named, &self.record, cx)?;
        let plan = plan(&target, content);
        Ok(target.intent(plan))
    }

    fn run_approved(&self, _: &Value, intent: &Intent, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        change::make(intent, &self.record, cx)
    }
}

fn plan(target: &Target, content: &str) -> Plan {
    let shown = &target.place.shown;
    let Some(old) = &target.old else {
        let after = content.as_bytes().to_vec();
        return Plan {
            regions: vec![Region { old: 0..0, new: 0..after.len() }],
            title: format!("create {shown}"),
            summary: format!("Created {shown} ({})", count(after.len() as u64, "byte", "bytes")),
            output: None,
            replacements: None,
            after,
        };
    };
    let view = View::new(old);
    let body = if view.has_mark() { content.trim_start_matches('\u{feff}') } else { content };
    let (after, regions) = if content.contains("\r\n") {
        let mut after = if view.has_mark() { MARK.to_vec() } else { Vec::new() };
        after.extend_from_slice(body.as_bytes());
        let (lead, tail) = in_common(old, &after);
        let region = Region { old: lead..old.len() - tail, new: lead..after.len() - tail };
        (after, vec![region])
    } else {
        let whole = 0..view.text().len();
        view.replaced(std::slice::from_ref(&whole), &view.normalised(body))
    };
    Plan {
        replacements: None,
        title: format!("overwrite {shown}"),
        summary: format!(
            "Overwrote {shown} ({}, was {})",
            count(after.len() as u64, "byte", "bytes"),
            grouped(old.len() as u64)
        ),
        output: change::kept(&view).filter(|_| !content.contains("\r\n")).map(str::to_owned),
        after,
        regions,
    }
}
