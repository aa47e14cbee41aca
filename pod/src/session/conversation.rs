//! What a model is told of a session.
//!
//! Owns the way from records to messages: results in call order whatever order they were written in, an "interrupted"
//! result for a call without one, nothing of an abandoned step, of commands and of notices, nothing of sub-agents; of what
//! was compacted the summary, and word for word what was kept.
//! The records are not changed. It refuses to know providers, which shape messages for their wire.

use carpel_protocol::item::{ToolCall, ToolResult};
use carpel_protocol::word::Outcome;
use carpel_protocol::{Item, Record};
use serde_json::Value;

use crate::provider::Message;
use crate::worker::call::result_message;

/// Code of the notice that follows the whole blocks of a step that was asked again.
pub const ABANDONED: &str = "step_abandoned";

/// How a summary begins, for the model that goes on with it.
const SUMMARY: &str = "[What was said before, summed up to make room]";

/// The field of what a provider wants back that says which model it is of.
const MODEL: &str = "model";

/// Notes of what a provider wants back with a block which model it is of.
pub fn of_model(mut opaque: Value, model: &str) -> Value {
    if let Value::Object(fields) = &mut opaque {
        fields.insert(MODEL.to_owned(), model.into());
    }
    opaque
}

/// What `model` is told: signed or hidden thinking of another model would be refused, or be read as its own.
pub fn messages_for(model: &str, records: &[Record]) -> Vec<Message> {
    let mut messages = messages_of(records);
    for message in &mut messages {
        if let Message::Reasoning { opaque, .. } = message {
            let is_of_another = |opaque: &mut Value| opaque[MODEL].as_str().is_some_and(|of| of != model);
            opaque.take_if(is_of_another);
        }
    }
    messages
}

pub fn messages_of(records: &[Record]) -> Vec<Message> {
    let View { summary, rest } = view(records);
    let mut told = Told::default();
    if let Some(Item::Compaction(compaction)) = summary.map(|record| &record.item) {
        told.messages.push(summary_message(&compaction.summary));
    }
    for record in rest {
        told.take(&record.item);
    }
    told.close();
    told.messages
}

/// What counts of a session: the last summary, and what stands beside it.
pub struct View<'a> {
    pub summary: Option<&'a Record>,
    /// What the last compaction kept, and all that came after.
    pub rest: Vec<&'a Record>,
}

pub fn view(records: &[Record]) -> View<'_> {
    let is_mark = |record: &Record| matches!(record.item, Item::Compaction(_));
    let Some(at) = records.iter().rposition(is_mark) else {
        return View { summary: None, rest: records.iter().collect() };
    };
    let kept_from = match &records[at].item {
        Item::Compaction(compaction) => compaction.kept_from,
        _ => None,
    };
    // In file order the kept records are the end of those before; a number tells where they begin.
    let first = kept_from
        .and_then(|from| records[..at].iter().position(|record| record.seq.is_some_and(|seq| seq >= from)));
    let kept = records[first.unwrap_or(at)..at].iter().filter(|record| !is_mark(record));
    View { summary: Some(&records[at]), rest: kept.chain(&records[at + 1..]).collect() }
}

/// What a model reads first in a compacted conversation.
pub fn summary_message(summary: &str) -> Message {
    Message::User { text: format!("{SUMMARY}\n\n{summary}") }
}

/// Whether it is what [`summary_message`] made.
pub fn is_summary(text: &str) -> bool {
    text.strip_prefix(SUMMARY).is_some_and(|rest| rest.starts_with("\n\n"))
}

#[derive(Default)]
struct Told<'a> {
    messages: Vec<Message>,
    /// Calls of the present step with what came of them, in call order.
    calls: Vec<(&'a str, Option<Message>)>,
    /// A turn has begun and not ended.
    in_turn: bool,
}

impl<'a> Told<'a> {
    fn take(&mut self, item: &'a Item) {
        match item {
            Item::UserMessage(message) => {
                self.close();
                let text = message.text.clone();
                // What waited in the queue and enters where no turn has ended enters one.
                let steers = self.in_turn && message.item.is_some();
                self.messages.push(if steers { Message::Steer { text } } else { Message::User { text } });
                self.in_turn = true;
            }
            Item::TurnEnd(_) => self.in_turn = false,
            Item::AssistantText(text) if text.parent.is_none() => {
                self.close();
                self.messages.push(Message::Assistant { text: text.text.clone() });
            }
            Item::Reasoning(block) if block.parent.is_none() => {
                self.close();
                let (text, opaque) = (block.text.clone(), block.opaque.clone());
                self.messages.push(Message::Reasoning { text, opaque });
            }
            Item::ToolCall(call) if call.parent.is_none() => self.call(call),
            Item::ToolResult(result) => self.result(result),
            Item::Notice(notice) if notice.code == ABANDONED => self.abandon(),
            Item::Compaction(_)
            | Item::AssistantText(_)
            | Item::Reasoning(_)
            | Item::ToolCall(_)
            | Item::Command(_)
            | Item::Notice(_)
            | Item::Unknown(_) => {}
        }
    }

    fn call(&mut self, call: &'a ToolCall) {
        // A call after a result belongs to the next step.
        if self.calls.iter().any(|(_, result)| result.is_some()) {
            self.close();
        }
        self.calls.push((&call.id, None));
        let (id, name, arguments) = (call.id.clone(), call.name.clone(), call.arguments.clone());
        self.messages.push(Message::ToolCall { id, name, arguments });
    }

    /// The first result of a call counts; one without a call is left out.
    fn result(&mut self, result: &ToolResult) {
        // Its pod is gone, and nobody goes on with that turn.
        self.in_turn &= result.settled() != Outcome::Interrupted;
        let waiting = |(id, message): &&mut (&str, Option<Message>)| *id == result.id && message.is_none();
        if let Some((_, message)) = self.calls.iter_mut().find(waiting) {
            *message = Some(result_message(
                &result.id,
                &result.summary,
                result.output.as_deref(),
                result.structured.clone(),
                result.settled() != Outcome::Ok,
            ));
        }
    }

    fn close(&mut self) {
        for (id, result) in self.calls.drain(..) {
            let interrupted =
                || result_message(id, "interrupted: nothing is known of what it did", None, None, true);
            self.messages.push(result.unwrap_or_else(interrupted));
        }
    }

    /// Takes back what the abandoned step had said; its calls were never recorded.
    fn abandon(&mut self) {
        self.close();
        let said =
            |message: &Message| matches!(message, Message::Assistant { .. } | Message::Reasoning { .. });
        while self.messages.last().is_some_and(said) {
            self.messages.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(records: &[&str], expected: &[&str]) {
        let records: Vec<Record> =
            records.iter().map(|line| Record::decode(line.as_bytes()).unwrap()).collect();
        let got: Vec<String> = messages_of(&records).iter().map(dump).collect();
        assert_eq!(got, expected);
    }

    fn dump(message: &Message) -> String {
        match message {
            Message::User { text } => format!("user {text}"),
            Message::Steer { text } => format!("steer {text}"),
            Message::Reasoning { text, .. } => format!("thought {text}"),
            Message::Assistant { text } => format!("said {text}"),
            Message::ToolCall { id, name, arguments } => format!("call {id} {name} {arguments}"),
            Message::ToolResult { id, text, is_error, .. } => format!("result {id} {text} {is_error}"),
        }
    }

    #[test]
    fn results_follow_in_call_order() {
        check(
            &[
                r#"{"kind":"user_message","text":"go"}"#,
                r#"{"kind":"reasoning","text":"hm"}"#,
                r#"{"kind":"tool_call","id":"c1","name":"Read","arguments":"{}"}"#,
                r#"{"kind":"tool_call","id":"c2","name":"Read","arguments":"{}"}"#,
                r#"{"kind":"tool_result","id":"c2","summary":"two","outcome":"ok"}"#,
                r#"{"kind":"tool_result","id":"c1","summary":"one","outcome":"error","is_error":true}"#,
                r#"{"kind":"tool_call","id":"c3","name":"Read","arguments":"{}"}"#,
                r#"{"kind":"tool_result","id":"c3","summary":"three","output":"long","outcome":"ok"}"#,
                r#"{"kind":"assistant_text","text":"done"}"#,
            ],
            &[
                "user go",
                "thought hm",
                "call c1 Read {}",
                "call c2 Read {}",
                "result c1 one true",
                "result c2 two false",
                "call c3 Read {}",
                "result c3 long false",
                "said done",
            ],
        );
    }

    #[test]
    fn what_enters_a_turn_that_is_under_way_steers_it() {
        let call = r#"{"kind":"tool_call","id":"c1","name":"Read","arguments":"{}"}"#;
        let result = r#"{"kind":"tool_result","id":"c1","summary":"one","outcome":"ok"}"#;
        let (go, left) = (
            r#"{"kind":"user_message","text":"go"}"#,
            r#"{"kind":"user_message","text":"left","item":"q1"}"#,
        );
        let called = ["user go", "call c1 Read {}", "result c1 one false"];
        check(&[go, call, result, left], &[&called[..], &["steer left"]].concat());
        for reason in ["completed", "cancelled"] {
            let end = format!(r#"{{"kind":"turn_end","turn":1,"reason":"{reason}"}}"#);
            check(&[go, call, result, &end, left], &[&called[..], &["user left"]].concat());
        }
        // Without an item it came between two turns, whatever the log lacks.
        check(&[go, call, result, go], &[&called[..], &["user go"]].concat());
        let dead =
            r#"{"kind":"tool_result","id":"c1","summary":"?","outcome":"interrupted","is_error":true}"#;
        check(&[go, call, dead, left], &["user go", "call c1 Read {}", "result c1 ? true", "user left"]);
    }

    /// LOG 5.05: a call without a result makes each later request fail.
    #[test]
    fn log_5_05_a_call_without_a_result_gets_one() {
        check(
            &[
                r#"{"kind":"user_message","text":"go"}"#,
                r#"{"kind":"tool_call","id":"c1","name":"Bash","arguments":"{}"}"#,
                r#"{"kind":"user_message","text":"next"}"#,
                r#"{"kind":"tool_result","id":"c1","summary":"late","outcome":"ok"}"#,
                r#"{"kind":"tool_result","id":"c9","summary":"of nothing"}"#,
            ],
            &[
                "user go",
                "call c1 Bash {}",
                "result c1 interrupted: nothing is known of what it did true",
                "user next",
            ],
        );
    }

    /// LOG 8.05: shortening from the front leaves results without calls.
    #[test]
    fn log_8_05_a_result_goes_with_its_call() {
        let gone = r#"{"kind":"tool_result","seq":4,"id":"gone","summary":"left over from cut history"}"#;
        check(&[gone, r#"{"kind":"user_message","seq":5,"text":"q"}"#], &["user q"]);
        check(
            &[
                r#"{"kind":"user_message","seq":2,"text":"go"}"#,
                r#"{"kind":"tool_call","seq":3,"id":"gone","name":"Read","arguments":"{}"}"#,
                gone,
                r#"{"kind":"assistant_text","seq":5,"text":"kept"}"#,
                r#"{"kind":"compaction","seq":6,"summary":"s","kept_from":4}"#,
                r#"{"kind":"compaction","seq":7,"summary":"t","kept_from":4}"#,
                r#"{"kind":"user_message","seq":8,"text":"q"}"#,
            ],
            &["user [What was said before, summed up to make room]\n\nt", "said kept", "user q"],
        );
        check(
            &[
                r#"{"kind":"user_message","seq":2,"text":"go"}"#,
                r#"{"kind":"compaction","seq":6,"summary":"s"}"#,
            ],
            &["user [What was said before, summed up to make room]\n\ns"],
        );
        assert!(is_summary("[What was said before, summed up to make room]\n\ns") && !is_summary("s"));
    }

    #[test]
    fn hidden_thinking_goes_back_to_its_own_model() {
        let record = |opaque: &Value| {
            let line = format!(r#"{{"kind":"reasoning","text":"hm","opaque":{opaque}}}"#);
            Record::decode(line.as_bytes()).unwrap()
        };
        let signed = serde_json::json!({"provider": "anthropic", "signature": "s"});
        let kept = |opaque: &Value, model: &str| match &messages_for(model, &[record(opaque)])[..] {
            [Message::Reasoning { opaque, .. }] => opaque.is_some(),
            other => panic!("{other:?}"),
        };
        let stamped = of_model(signed.clone(), "a");
        assert_eq!([kept(&stamped, "a"), kept(&stamped, "b")], [true, false]);
        // What older logs hold says of no model.
        assert!(kept(&signed, "b"));
    }

    #[test]
    fn an_abandoned_step_is_not_told() {
        check(
            &[
                r#"{"kind":"user_message","text":"go"}"#,
                r#"{"kind":"reasoning","text":"gone"}"#,
                r#"{"kind":"assistant_text","text":"gone too"}"#,
                r#"{"kind":"notice","level":"warning","code":"step_abandoned","text":"cut off"}"#,
                r#"{"kind":"assistant_text","text":"here"}"#,
                r#"{"kind":"command","line":"help"}"#,
                r#"{"kind":"assistant_text","text":"of a sub-agent","parent":"c1"}"#,
                r#"{"kind":"from_the_future"}"#,
            ],
            &["user go", "said here"],
        );
    }
}
