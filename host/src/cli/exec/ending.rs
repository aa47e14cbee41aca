//! How a turn of `carpel exec` ended: its exit code, and the sentence about what was refused.
//!
//! One rule, which `HELP` says to the person: 0 only when the turn completed, none of its calls was refused, and neither
//! every call nor every change of a file failed. A call that failed among others that worked is the answer's to tell: a model looks for a file
//! that is not there, and goes on. It refuses to know what is printed while the turn runs.

use std::collections::HashMap;

use carpel_protocol::Event;
use carpel_protocol::event::{ToolCallDone, ToolCallStart, TurnEnd};
use carpel_protocol::item::ToolResult;
use carpel_protocol::word::{Outcome, ToolKind, TurnEndReason};
use carpel_slots::Printable;

use crate::cli::exit::Exit;

/// What `carpel exec --help` says below its options.
pub const HELP: &str = "\
Exit codes:
  0    the turn completed, no tool call was refused, and something worked
  1    the turn failed, a call was refused, or every call or every change of a file failed; stderr says which
  2    wrong usage
  130  a signal (SIGINT, SIGTERM, SIGHUP) cancelled the turn

Nobody can be asked here, so what would need a person's yes is refused; --approval-mode says what needs none.
stdout has the answer and nothing else, stderr the tool calls, neither has colours.";

/// Names that a sentence carries.
const FEW: usize = 3;

/// What is known of the turn so far.
#[derive(Debug, Default)]
pub struct Ending {
    approval_mode: String,
    calls: HashMap<String, Call>,
    refused: Vec<Refused>,
    all: Tally,
    changes: Tally,
    end: Option<TurnEnd>,
}

/// Calls that ran, by how they ended.
#[derive(Debug, Default)]
struct Tally {
    worked: usize,
    failed: usize,
}

#[derive(Debug, Default)]
struct Call {
    name: String,
    object: Option<String>,
    kind: Option<ToolKind>,
}

#[derive(Debug)]
struct Refused {
    /// The tool and what it was about.
    what: String,
    way: Way,
}

/// What would have allowed a call, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Edits,
    All,
    /// No mode does: a person has to be asked, or a rule to be changed.
    Chat,
}

impl Ending {
    pub fn new(approval_mode: &str) -> Self {
        Self { approval_mode: approval_mode.to_owned(), ..Self::default() }
    }

    pub fn event(&mut self, event: &Event) {
        match event {
            Event::ToolCallStart(start) => self.start(start),
            Event::ToolCallDone(done) => self.done(done),
            Event::ToolResult(result) => self.result(result),
            Event::TurnEnd(end) => self.end = Some(end.clone()),
            _ => {}
        }
    }

    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// How the program ends.
    ///
    /// # Errors
    /// With the one sentence about why it is not 0.
    pub fn exit(&self) -> anyhow::Result<Exit> {
        let Some(end) = &self.end else { anyhow::bail!("the turn did not end") };
        match (&end.reason, &end.message) {
            (TurnEndReason::Completed, _) => {}
            (TurnEndReason::Cancelled, _) => return Ok(Exit::Interrupted),
            (reason, None) => anyhow::bail!("the turn ended: {reason}"),
            (_, Some(message)) => anyhow::bail!("{message}"),
        }
        if let Some(sentence) = self.refusal() {
            anyhow::bail!("{sentence}");
        }
        for (tally, one, many) in
            [(&self.all, "tool call", "tool calls"), (&self.changes, "change of a file", "changes of files")]
        {
            match tally {
                Tally { worked: 0, failed: 0 } | Tally { worked: 1.., .. } => {}
                Tally { failed: 1, .. } => anyhow::bail!("the only {one} failed; the answer says why"),
                Tally { failed, .. } => {
                    anyhow::bail!("each of the {failed} {many} failed; the answer says why")
                }
            }
        }
        Ok(Exit::Done)
    }

    fn start(&mut self, start: &ToolCallStart) {
        let call = Call { name: start.name.clone(), object: None, kind: start.kind.clone() };
        self.calls.insert(start.id.clone(), call);
    }

    fn done(&mut self, done: &ToolCallDone) {
        let Some(call) = self.calls.get_mut(&done.id) else { return };
        let arguments: serde_json::Value = serde_json::from_str(&done.arguments).unwrap_or_default();
        let named = ["file_path", "path", "name", "command"].iter().find_map(|key| arguments[*key].as_str());
        call.object = named.map(|named| Printable::exact(named).to_string());
    }

    fn result(&mut self, result: &ToolResult) {
        let outcome = result.outcome.clone();
        let failed = match outcome.unwrap_or(if result.is_error { Outcome::Error } else { Outcome::Ok }) {
            Outcome::Ok => false,
            Outcome::Rejected => {
                let refused = self.refused_by(result);
                self.refused.push(refused);
                return;
            }
            Outcome::Error | Outcome::Cancelled | Outcome::Interrupted | Outcome::Other(_) => true,
        };
        let kind = self.calls.get(&result.id).and_then(|call| call.kind.as_ref());
        let changes = matches!(kind, Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move));
        self.all.take(failed);
        if changes {
            self.changes.take(failed);
        }
    }

    fn refused_by(&self, result: &ToolResult) -> Refused {
        let call = self.calls.get(&result.id);
        let what = match call {
            Some(Call { name, object: Some(object), .. }) => format!("{name} {object}"),
            Some(call) => call.name.clone(),
            None => "a call".to_owned(),
        };
        let edits = call.is_some_and(|call| call.kind == Some(ToolKind::Edit));
        let runs = call.is_some_and(|call| call.kind == Some(ToolKind::Execute));
        let said = result.summary.as_str();
        // The permission's own sentences (`pod/src/permission.rs`); a test of the program holds them against these words.
        let outside = said.contains("outside the workspace");
        let way = match self.approval_mode.as_str() {
            _ if said.contains("always asks") || said.contains("The rule `") => Way::Chat,
            "read-only" if runs => Way::All,
            "read-only" => Way::Edits,
            "ask" if edits && !outside => Way::Edits,
            "all" => Way::Chat,
            _ => Way::All,
        };
        Refused { what, way }
    }

    /// `refused: Write a.md and 2 more; `--approval-mode edits` would allow them`.
    fn refusal(&self) -> Option<String> {
        let most = self.refused.iter().map(|refused| refused.way).max()?;
        let mut named: Vec<&str> = Vec::new();
        for refused in &self.refused {
            if named.len() < FEW && !named.contains(&refused.what.as_str()) {
                named.push(&refused.what);
            }
        }
        let rest = self.refused.len() - named.len();
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let them = if self.refused.len() == 1 { "it" } else { "them" };
        let way = match most {
            Way::Edits => format!("`--approval-mode edits` would allow {them}"),
            Way::All => format!("`--approval-mode all` would allow {them}"),
            Way::Chat => format!("no mode allows {them} without asking; the chat (`carpel`) asks"),
        };
        Some(format!("refused: {}{more}; {way}", named.join(", ")))
    }
}

impl Tally {
    fn take(&mut self, failed: bool) {
        *(if failed { &mut self.failed } else { &mut self.worked }) += 1;
    }
}

#[cfg(test)]
mod tests {
    use carpel_protocol::EventLine;

    use super::*;

    /// Events as JSON lines and what becomes of them: the exit code, or the sentence.
    fn check(mode: &str, events: &[&str], want: Result<Exit, &str>) {
        let mut ending = Ending::new(mode);
        for event in events {
            ending.event(&EventLine::decode(event.as_bytes()).unwrap().event);
        }
        match (ending.exit(), want) {
            (Ok(got), Ok(want)) => assert_eq!(got, want, "{events:?}"),
            (Err(got), Err(want)) => assert_eq!(got.to_string(), want, "{events:?}"),
            (got, want) => panic!("{got:?} instead of {want:?}: {events:?}"),
        }
    }

    const COMPLETED: &str = r#"{"event":"turn_end","turn":1,"reason":"completed"}"#;
    const OK: &str = r#"{"event":"tool_result","id":"9","outcome":"ok"}"#;
    const FAILED: &str = r#"{"event":"tool_result","id":"8","outcome":"error","is_error":true}"#;
    const START: &str = r#"{"event":"tool_call_start","id":"1","name":"Write","kind":"edit"}"#;
    const DONE: &str = r#"{"event":"tool_call_done","id":"1","arguments":"{\"file_path\":\"a.md\"}"}"#;
    const REJECTED: &str =
        r#"{"event":"tool_result","id":"1","outcome":"rejected","summary":"Write writes a.md."}"#;
    const OUTSIDE: &str =
        r#"{"event":"tool_result","id":"1","outcome":"rejected","summary":"/a is outside the workspace."}"#;
    const GUARDED: &str = r#"{"event":"tool_result","id":"1","outcome":"rejected","summary":"AGENTS.md is x; writing there always asks."}"#;

    #[test]
    fn turns_and_exit_codes() {
        check("ask", &[COMPLETED], Ok(Exit::Done));
        check("ask", &[OK, FAILED, COMPLETED], Ok(Exit::Done));
        check("ask", &[FAILED, COMPLETED], Err("the only tool call failed; the answer says why"));
        check(
            "ask",
            &[FAILED, FAILED, COMPLETED],
            Err("each of the 2 tool calls failed; the answer says why"),
        );
        let bad = FAILED.replace("8", "1");
        check(
            "ask",
            &[OK, START, DONE, &bad, COMPLETED],
            Err("the only change of a file failed; the answer says why"),
        );
        check(
            "ask",
            &[OK, START, DONE, &bad, &bad, COMPLETED],
            Err("each of the 2 changes of files failed; the answer says why"),
        );
        check("ask", &[START, DONE, &bad, &OK.replace("9", "1"), COMPLETED], Ok(Exit::Done));
        let edits = "refused: Write a.md; `--approval-mode edits` would allow it";
        let all = "refused: Write a.md; `--approval-mode all` would allow it";
        let chat = "refused: Write a.md; no mode allows it without asking; the chat (`carpel`) asks";
        check("ask", &[OK, START, DONE, REJECTED, COMPLETED], Err(edits));
        check("read-only", &[OK, START, DONE, REJECTED, COMPLETED], Err(edits));
        check("ask", &[START, DONE, OUTSIDE, COMPLETED], Err(all));
        check("edits", &[START, DONE, OUTSIDE, COMPLETED], Err(all));
        check("edits", &[START, DONE, GUARDED, COMPLETED], Err(chat));
        check("all", &[START, DONE, REJECTED, COMPLETED], Err(chat));
        check(
            "ask",
            &[START, DONE, REJECTED, REJECTED, OUTSIDE, COMPLETED],
            Err("refused: Write a.md and 2 more; `--approval-mode all` would allow them"),
        );
        let runs =
            [r#"{"event":"tool_call_start","id":"1","name":"Bash","kind":"execute"}"#, REJECTED, COMPLETED];
        for mode in ["ask", "edits", "read-only"] {
            check(mode, &runs, Err("refused: Bash; `--approval-mode all` would allow it"));
        }
        check("ask", &[REJECTED, COMPLETED], Err("refused: a call; `--approval-mode all` would allow it"));
        check("ask", &[r#"{"event":"turn_end","turn":1,"reason":"cancelled"}"#], Ok(Exit::Interrupted));
        check("ask", &[r#"{"event":"turn_end","turn":1,"reason":"limit"}"#], Err("the turn ended: limit"));
        check(
            "ask",
            &[r#"{"event":"turn_end","turn":1,"reason":"failed","message":"no key"}"#],
            Err("no key"),
        );
    }
}
