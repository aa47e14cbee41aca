//! What a tool is: a name with a JSON schema and a blocking `run` that returns one line for people, a text for the
//! model and typed data for views.
//!
//! This file owns the contract between the worker and a tool. It refuses to know which tools exist
//! (`tools/toolbox.rs`), how a turn orders calls, and how results travel. A tool never prints, never asks a person
//! and never leaves the workspace: paths go through `Workspace::resolve`, long loops look at `Cancel`.
//! Read next: `tools/toolbox.rs`, `tools/workspace.rs`, then one tool, for example `tools/read.rs`.

pub mod arguments;
mod bash;
pub mod cancel;
mod change;
mod edit;
mod glob;
mod grep;
pub mod instructions;
pub mod intent;
mod near;
pub(crate) mod open;
pub mod path_text;
mod read;
pub mod read_record;
pub mod screen;
pub mod skill;
mod task;
pub mod toolbox;
mod walk;
pub mod workspace;
mod write;

pub use carpel_protocol::word::ToolKind;
use serde_json::Value;

pub use arguments::check_arguments;
pub(crate) use bash::plain;
pub use cancel::Cancel;
pub use intent::{Intent, IntentPath};
pub use read_record::ReadRecord;
pub use screen::Screen;
#[cfg(test)]
pub(crate) use task::Task;
pub use toolbox::{ToolReport, Toolbox, run_tool};
pub use workspace::Workspace;

/// One tool. `run` blocks; whoever calls it does so on a thread that may block.
pub trait Tool: Send + Sync {
    fn spec(&self) -> &ToolSpec;

    /// Runs with arguments that [`check_arguments`] has accepted. When `cx.cancel` fires it returns soon, with a
    /// failure; whether the call counts as cancelled is the caller's decision.
    fn run(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure>;

    /// Says what `run` would do, without any effect. A call that cannot succeed fails here, before anybody is asked.
    fn intent(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        let _ = (arguments, cx);
        Ok(Intent::plain(self.spec().access, self.spec().name))
    }

    /// Runs what `intent` said, after it was approved: paths that it names outside the workspace may be used, and what
    /// it prepared is done as it was shown.
    fn run_approved(
        &self,
        arguments: &Value,
        intent: &Intent,
        cx: &ToolCx<'_>,
    ) -> Result<ToolOutput, ToolFailure> {
        let _ = intent;
        self.run(arguments, cx)
    }

    /// The prompt that a call hands to a sub-agent; `None` for a tool that does its work itself. Whoever can run a
    /// sub-agent does that in place of `run`.
    fn assignment(&self, arguments: &Value) -> Option<String> {
        let _ = arguments;
        None
    }
}

/// What a model is told about a tool, and what the worker needs to schedule it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: &'static str,
    pub kind: ToolKind,
    pub description: &'static str,
    /// JSON schema of the arguments, an object.
    pub schema: Value,
    pub access: Access,
}

/// Adjacent readers run in parallel; a writer is a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Reads,
    Writes,
}

/// What a call did. `output` is what a model reads, absent rather than empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    pub summary: String,
    pub output: Option<String>,
    pub structured: Option<Value>,
}

/// Why a call did nothing, told to the model and the person alike: the thing, the fact, the way out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolFailure {
    pub summary: String,
    pub output: Option<String>,
    pub structured: Option<Value>,
}

impl ToolFailure {
    /// A failure of one line; control characters of what it quotes are made visible.
    pub fn new(summary: impl AsRef<str>) -> Self {
        Self { summary: one_line(summary.as_ref()), output: None, structured: None }
    }

    /// The failure of a tool that saw its `Cancel` fire.
    pub fn cancelled() -> Self {
        Self::new("cancelled before it was done")
    }
}

/// What a running tool may reach.
pub struct ToolCx<'a> {
    pub workspace: &'a Workspace,
    pub cancel: &'a Cancel,
    /// Live output while the tool runs; each text is appended to what was said before.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// Text that somebody else chose, inside a sentence: in back-ticks, on one line, its middle left out when it is long.
pub(crate) fn quoted(text: &str) -> String {
    let characters = text.chars().count();
    if characters <= QUOTED {
        return format!("`{}`", one_line(text));
    }
    let head: String = text.chars().take(QUOTED * 3 / 4).collect();
    let tail: String = text.chars().skip(characters - QUOTED / 4).collect();
    format!("`{}...{}`", one_line(&head), one_line(&tail))
}

/// Characters of foreign text that a sentence carries.
const QUOTED: usize = 160;

/// Control characters as their pictures: the signs in which a person sees the same name in the header of the call.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character) {
            code @ 0..0x20 => line.extend(char::from_u32(0x2400 + code)),
            0x7f => line.push('\u{2421}'),
            code if character.is_control() => line += &format!("<U+{code:04X}>"),
            _ => line.push(character),
        }
    }
    line
}

/// A number with its noun: `1 line`, `12,345 lines`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Digits in groups of three, so that a person can read a size at a glance.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let check = |number: u64, expected: &str| assert_eq!(count(number, "line", "lines"), expected);
        check(0, "0 lines");
        check(1, "1 line");
        check(999, "999 lines");
        check(1_000, "1,000 lines");
        check(12_345_678, "12,345,678 lines");
    }

    #[test]
    fn quoted_text_is_one_short_line() {
        assert_eq!(quoted("src/a b.rs"), "`src/a b.rs`");
        assert_eq!(quoted("a\nb\u{1b}]0;x\u{7}\u{7f}\t\u{9b}"), "`a␊b␛]0;x␇␡␉<U+009B>`");
        let long = quoted(&format!("{}end", "\u{e9}".repeat(5_000)));
        assert!(
            long.starts_with("`\u{e9}\u{e9}")
                && long.ends_with("\u{e9}end`")
                && long.contains("\u{e9}...\u{e9}"),
            "{long}"
        );
        assert!(long.chars().count() < 200);
        assert_eq!(ToolFailure::new("a\r\nb").summary, "a␍␊b");
    }
}
