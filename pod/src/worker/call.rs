//! A call's identity and what came of it, as the worker and those who listen to it speak of them.
//!
//! Owns [`CallId`] with its mint, [`CallResult`], and the one rule of how a result reads for a model. It refuses to
//! know the wire's event types and when a call runs (`turn/batch.rs`). Long outputs are cut here, once, so that what
//! is kept, what is shown and what a model reads are the same text. Read next: `turn.rs`.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::overseer::Kept;
use crate::provider::Message;
use crate::tools::{ToolFailure, ToolOutput, plain};

/// Bytes of a result's output that are kept; of more, the head and the tail are.
pub const MAX_OUTPUT: usize = 64 * 1024;

/// Identity of a call, unique in its session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(Arc<str>);

impl CallId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Mints call ids. Clones share one counter, so that turns and sub-agents of a session never repeat an id.
#[derive(Debug, Clone, Default)]
pub struct CallIds(Arc<AtomicU64>);

impl CallIds {
    /// Goes on behind the number `last`.
    pub fn after(last: u64) -> Self {
        Self(Arc::new(AtomicU64::new(last)))
    }

    pub fn mint(&self) -> CallId {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        CallId(format!("c{number}").into())
    }

    /// The number in an id of ours; 0 in any other.
    pub fn number(id: &str) -> u64 {
        id.strip_prefix('c').and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Ok,
    Error,
    Cancelled,
    /// Somebody said no; it never ran.
    Rejected,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    pub id: CallId,
    pub ended: Ended,
    /// One line for people.
    pub summary: String,
    pub output: Option<String>,
    /// Bytes of the whole output when `output` is cut.
    pub output_total: Option<u64>,
    /// What the whole output is kept under when `output` is cut.
    pub output_ref: Option<String>,
    pub structured: Option<Value>,
    /// How long it ran; `None` when it never did.
    pub elapsed: Option<Duration>,
}

impl CallResult {
    /// What a tool returned.
    pub fn of(id: CallId, returned: Result<ToolOutput, ToolFailure>, elapsed: Duration) -> Self {
        let (ended, summary, output, structured) = match returned {
            Ok(output) => (Ended::Ok, output.summary, output.output, output.structured),
            Err(failure) => (Ended::Error, failure.summary, failure.output, failure.structured),
        };
        let kept = cut(output);
        Self::with(id, ended, summary, kept, structured, Some(elapsed))
    }

    /// What a tool returned, its output kept elsewhere.
    pub fn kept(
        id: CallId,
        returned: Result<ToolOutput, ToolFailure>,
        elapsed: Duration,
        kept: Kept,
    ) -> Self {
        let mut result = Self::of(id, returned, elapsed);
        result.output = Some(kept.text);
        result.output_total = Some(kept.total);
        result.output_ref = kept.reference;
        // A view names it, so that a person can open it.
        if let (Some(Value::Object(data)), Some(file)) = (&mut result.structured, kept.file) {
            data.insert("output_file".to_owned(), Value::String(file));
        }
        result
    }

    /// Of a call that somebody did not allow.
    pub fn rejected(id: CallId, summary: impl Into<String>) -> Self {
        Self::unrun(id, Ended::Rejected, summary.into(), None)
    }

    /// Of a call that was refused: it never ran.
    pub fn refused(id: CallId, summary: impl Into<String>, output: Option<String>) -> Self {
        Self::unrun(id, Ended::Error, summary.into(), output)
    }

    /// Of a call without a result when its turn was cancelled.
    pub fn cancelled(id: CallId) -> Self {
        Self::unrun(id, Ended::Cancelled, "cancelled".to_owned(), None)
    }

    fn unrun(id: CallId, ended: Ended, summary: String, output: Option<String>) -> Self {
        Self::with(id, ended, summary, cut(output), None, None)
    }

    fn with(
        id: CallId,
        ended: Ended,
        summary: String,
        (output, output_total): (Option<String>, Option<u64>),
        structured: Option<Value>,
        elapsed: Option<Duration>,
    ) -> Self {
        Self { id, ended, summary, output, output_total, output_ref: None, structured, elapsed }
    }

    pub fn message(&self) -> Message {
        result_message(
            self.id.as_str(),
            &self.summary,
            self.output.as_deref(),
            self.structured.clone(),
            self.ended != Ended::Ok,
        )
    }
}

/// What a model reads of a result: the output; of a failure the summary first, since it says what to do.
pub fn result_message(
    id: &str,
    summary: &str,
    output: Option<&str>,
    structured: Option<Value>,
    is_error: bool,
) -> Message {
    // What was written for a terminal stays so in the session; a model reads what one would have shown.
    let for_terminal =
        structured.as_ref().is_some_and(|data| data.get("for_terminal") == Some(&Value::Bool(true)));
    let output = output.map(|output| if for_terminal { plain(output) } else { output.to_owned() });
    let text = match output {
        None => summary.to_owned(),
        Some(output) if is_error => format!("{summary}\n{output}"),
        Some(output) => output,
    };
    // Several services refuse a request that holds a NUL, and with it every later one of the session.
    let text = text.replace('\0', "\u{2400}");
    Message::ToolResult { id: id.to_owned(), text, structured, is_error }
}

fn cut(output: Option<String>) -> (Option<String>, Option<u64>) {
    let Some(output) = output.filter(|output| !output.is_empty()) else {
        return (None, None);
    };
    if output.len() <= MAX_OUTPUT {
        return (Some(output), None);
    }
    let head = &output[..output.floor_char_boundary(MAX_OUTPUT / 2)];
    let tail = &output[output.ceil_char_boundary(output.len() - MAX_OUTPUT / 2)..];
    let left_out = output.len() - head.len() - tail.len();
    let kept = format!("{head}\n[{left_out} bytes left out]\n{tail}");
    (Some(kept), Some(output.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_do_not_repeat_across_clones() {
        let ids = CallIds::default();
        let other = ids.clone();
        let minted: Vec<String> =
            [ids.mint(), other.mint(), ids.mint()].iter().map(ToString::to_string).collect();
        assert_eq!(minted, ["c1", "c2", "c3"]);
    }

    #[test]
    fn what_a_model_reads() {
        let check = |output: Option<&str>, is_error: bool, expected: &str| {
            let Message::ToolResult { text, .. } = result_message("c1", "said", output, None, is_error)
            else {
                panic!("no result")
            };
            assert_eq!(text, expected);
        };
        check(None, false, "said");
        check(None, true, "said");
        check(Some("out"), false, "out");
        check(Some("out"), true, "said\nout");
    }

    /// LOG 3.20: output of a program is cleaned for a model; a file that holds such bytes is not.
    #[test]
    fn log_3_20_output_of_a_program_is_cleaned_for_a_model() {
        let check = |structured: Option<Value>, expected: &str| {
            let message = result_message("c1", "exit 0", Some("1 %\r\u{1b}[2Jdone"), structured, false);
            let Message::ToolResult { text, .. } = message else { panic!("no result") };
            assert_eq!(text, expected);
        };
        check(Some(serde_json::json!({"for_terminal": true})), "done");
        check(Some(serde_json::json!({"path": "a"})), "1 %\r\u{1b}[2Jdone");
        check(None, "1 %\r\u{1b}[2Jdone");
    }

    /// LOG 5.19: a NUL in a result makes all later requests invalid.
    #[test]
    fn log_5_19_a_nul_is_not_sent() {
        let message = result_message("c1", "", Some("a\0b"), None, false);
        assert!(matches!(message, Message::ToolResult { text, .. } if text == "a\u{2400}b"));
    }

    #[test]
    fn long_outputs_keep_head_and_tail_at_character_borders() {
        let check = |output: String, cut_expected: bool| {
            let (kept, total) = cut(Some(output.clone()));
            let kept = kept.unwrap();
            assert_eq!(total.is_some(), cut_expected);
            assert_eq!(total.unwrap_or(kept.len() as u64), output.len() as u64);
            assert!(kept.len() <= MAX_OUTPUT + 64);
            assert_eq!(kept.chars().next(), output.chars().next());
            assert_eq!(kept.chars().last(), output.chars().last());
        };
        check("x".repeat(MAX_OUTPUT), false);
        check("x".repeat(MAX_OUTPUT + 1), true);
        check("漢".repeat(MAX_OUTPUT), true);
        check(format!("a{}z", "é".repeat(MAX_OUTPUT)), true);
        assert_eq!(cut(Some(String::new())), (None, None));
    }
}
