//! A turn that is open: what was said of it so far, what comes next, and what a client that attaches now is told.
//!
//! It owns the texts and calls of the turn. It says nothing itself; the episode does, through the pod.

use serde_json::{Value, json};

use super::plugin;
use super::pod::Pod;
use super::tags::Tags;
use crate::random::Random;

/// A call without a result.
#[derive(Debug)]
struct Call {
    id: String,
    name: &'static str,
    arguments: String,
    /// Bytes of the arguments that were said.
    said: usize,
    complete: bool,
    progress: String,
}

/// A block of text that is being written.
#[derive(Debug)]
struct Text {
    thinking: bool,
    text: String,
}

/// An open turn.
#[derive(Debug)]
pub struct Turn {
    number: u64,
    /// The first tag that was given in it.
    pub first_tag: usize,
    text: Option<Text>,
    calls: Vec<Call>,
    begun: u64,
}

impl Turn {
    /// A turn begins with a prompt, and with the number of the method that sent it.
    pub fn begin(pod: &Pod, number: u64, prompt: &str, method: Option<&Value>, first_tag: usize) -> Turn {
        pod.runs(true);
        pod.settle(json!({"event": "turn_start", "turn": number}), None);
        prompted(pod, prompt, method);
        let turn = Turn { number, first_tag, text: None, calls: Vec::new(), begun: 0 };
        turn.tell(pod);
        turn
    }

    /// A prompt enters while it runs.
    pub fn steer(&mut self, pod: &Pod, prompt: &str, method: &Value) {
        self.close_text(pod);
        prompted(pod, prompt, Some(method));
        self.tell(pod);
    }

    /// Something more of it is said.
    pub fn go_on(&mut self, pod: &Pod, random: &mut Random, tags: &mut Tags) {
        match random.below(10) {
            0..5 => self.write(pod, random, tags),
            5 => self.close_text(pod),
            6 => self.begin_call(pod, random),
            _ => self.advance_call(pod, random),
        }
        self.tell(pod);
    }

    fn write(&mut self, pod: &Pod, random: &mut Random, tags: &mut Tags) {
        let text = self.text.get_or_insert_with(|| Text { thinking: random.once_in(5), text: String::new() });
        let more = if text.thinking {
            "a thought, 漢字 and more of it. ".to_owned()
        } else {
            passage(random, tags)
        };
        text.text.push_str(&more);
        let event = if text.thinking { "thinking_delta" } else { "text_delta" };
        let letters: Vec<char> = more.chars().collect();
        for piece in letters.chunks(random.within(1..40)) {
            pod.say(&json!({"event": event, "text": piece.iter().collect::<String>()}));
        }
    }

    fn close_text(&mut self, pod: &Pod) {
        let Some(Text { thinking, text }) = self.text.take() else { return };
        let (event, kind) =
            if thinking { ("thinking_done", "reasoning") } else { ("text_done", "assistant_text") };
        pod.settle(json!({"event": event, "text": text}), Some(json!({"kind": kind, "text": text})));
    }

    fn begin_call(&mut self, pod: &Pod, random: &mut Random) {
        self.close_text(pod);
        self.begun += 1;
        let lines = "let x = \"a line\"; // 漢字\n".repeat(random.within(1..60));
        let (name, arguments) = match random.below(4) {
            0 => ("Bash", json!({"command": "make all && ls -l"})),
            1 => ("Write", json!({"file_path": "src/parser.rs", "content": lines})),
            2 => (plugin::TOOL, json!({"topic": "weather"})),
            _ => ("Read", json!({"file_path": "src/parser.rs"})),
        };
        let id = format!("t{}c{}", self.number, self.begun);
        pod.say(&json!({"event": "tool_call_start", "id": id, "name": name}));
        let arguments = arguments.to_string();
        self.calls.push(Call { id, name, arguments, said: 0, complete: false, progress: String::new() });
    }

    fn advance_call(&mut self, pod: &Pod, random: &mut Random) {
        let at = random.below(self.calls.len());
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.said < call.arguments.len() {
            let end = call.arguments.floor_char_boundary(call.said + random.within(1..600));
            let piece = call.arguments.get(call.said..end).unwrap_or_default();
            pod.say(&json!({"event": "tool_call_args_delta", "id": call.id, "delta": piece}));
            call.said = end;
        } else if !call.complete {
            call.complete = true;
            let record =
                json!({"kind": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments});
            pod.settle(
                json!({"event": "tool_call_done", "id": call.id, "arguments": call.arguments}),
                Some(record),
            );
        } else if random.once_in(2) {
            let more = "a line of output \u{1b}[31mred\u{1b}[0m \u{1b}[3J\n".repeat(random.within(1..20));
            call.progress.push_str(&more);
            pod.say(&json!({"event": "tool_call_progress", "id": call.id, "text": more}));
        } else {
            let outcome = if random.once_in(4) { "error" } else { "ok" };
            let call = self.calls.remove(at);
            result(pod, &call, outcome);
        }
    }

    /// The turn is over, with everything that was open.
    pub fn end(mut self, pod: &Pod, reason: &str) {
        self.close_text(pod);
        let outcome = if reason == "cancelled" { "cancelled" } else { "ok" };
        for mut call in std::mem::take(&mut self.calls) {
            if !call.complete {
                call.complete = true;
                let record = json!({"kind": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments});
                pod.settle(
                    json!({"event": "tool_call_done", "id": call.id, "arguments": call.arguments}),
                    Some(record),
                );
            }
            result(pod, &call, outcome);
        }
        pod.is_open(Vec::new());
        let end = |key: &str, word: &str| json!({key: word, "turn": self.number, "reason": reason});
        pod.settle(end("event", "turn_end"), Some(end("kind", "turn_end")));
        pod.runs(false);
    }

    /// Tells the pod what is open.
    fn tell(&self, pod: &Pod) {
        let mut events = vec![json!({"event": "turn_start", "turn": self.number})];
        if let Some(text) = &self.text {
            let event = if text.thinking { "thinking_delta" } else { "text_delta" };
            events.push(json!({"event": event, "text": text.text, "reset": true}));
        }
        for call in &self.calls {
            let said = call.arguments.get(..call.said).unwrap_or_default();
            events.push(json!({"event": "tool_call_start", "id": call.id, "name": call.name}));
            events
                .push(json!({"event": "tool_call_args_delta", "id": call.id, "delta": said, "reset": true}));
            if call.complete {
                events.push(json!({"event": "tool_call_done", "id": call.id, "arguments": call.arguments}));
            }
            if !call.progress.is_empty() {
                events.push(
                    json!({"event": "tool_call_progress", "id": call.id, "text": call.progress, "reset": true}),
                );
            }
        }
        pod.is_open(events);
    }
}

fn prompted(pod: &Pod, prompt: &str, method: Option<&Value>) {
    let mut event = json!({"event": "user_message", "text": prompt});
    if let (Some(method), Some(fields)) = (method, event.as_object_mut()) {
        fields.insert("method".to_owned(), method.clone());
    }
    pod.settle(event, Some(json!({"kind": "user_message", "text": prompt})));
}

fn result(pod: &Pod, call: &Call, outcome: &str) {
    let is_error = outcome == "error";
    let body = |key: &str| {
        json!({key: "tool_result", "id": call.id, "summary": "so many lines", "output": call.progress,
            "is_error": is_error, "outcome": outcome})
    };
    pod.settle(body("event"), Some(body("kind")));
}

/// Some Markdown in which every line that stays has a tag.
fn passage(random: &mut Random, tags: &mut Tags) -> String {
    let words = "some words of it, 漢字 too, ";
    match random.below(6) {
        0 => format!("- {} {words}\n- {} **bold** `code`\n", tags.word(), tags.word()),
        1 => format!("\n# {} a title\n\n", tags.word()),
        2 => format!(
            "\n\n```rs\nlet {} = call(\"two\"); // {}\n```\n\n",
            tags.word(),
            words.repeat(random.within(0..5))
        ),
        3 => format!("\n\n| a | b |\n|---|---|\n| {} | {} |\n\n", tags.word(), tags.word()),
        _ => {
            let parts = random.within(1..8);
            (0..parts).map(|_| format!("{} {words}", tags.word())).collect::<String>()
        }
    }
}
