//! The ways in which a text of somebody else reaches the screen: a pod's events around it.
//!
//! One row each. A new event, view or field that shows text belongs here.

use serde_json::{Value, json};

/// How a text arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Whole,
    /// A piece for each character, so that every escape, tag and letter is split at every place.
    Chars,
}

/// What must be readable while the events come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Every word.
    All,
    /// What a terminal would show of a program's output.
    Output,
    /// Nothing: the place shows only a part, or never shows it.
    Nothing,
}

/// A way to the screen.
pub struct Carrier {
    pub name: &'static str,
    pub keeps: Keeps,
    pub events: fn(&str, Cut) -> Vec<Value>,
}

const fn all(name: &'static str, events: fn(&str, Cut) -> Vec<Value>) -> Carrier {
    Carrier { name, keeps: Keeps::All, events }
}

const fn output(name: &'static str, events: fn(&str, Cut) -> Vec<Value>) -> Carrier {
    Carrier { name, keeps: Keeps::Output, events }
}

const fn inert(name: &'static str, events: fn(&str, Cut) -> Vec<Value>) -> Carrier {
    Carrier { name, keeps: Keeps::Nothing, events }
}

/// What the model says.
pub const SPOKEN: &[Carrier] = &[
    all("answer", answer),
    all("answer in a list", |text, cut| answer(&format!("- one\n- {text}\n- two"), cut)),
    all("answer in a quote", |text, cut| answer(&format!("> {text}\n\nend"), cut)),
    all("heading", |text, cut| answer(&format!("## {text}\n\nend"), cut)),
    all("bold", |text, cut| answer(&format!("so **{text}** it is"), cut)),
    all("code in a sentence", |text, cut| answer(&format!("run ``{text}`` now"), cut)),
    all("fenced code", |text, cut| answer(&format!("```rust\n{text}\n```\nend"), cut)),
    all("fenced diff", |text, cut| answer(&format!("```diff\n-{text}\n+{text}\n```\nend"), cut)),
    all("indented code", |text, cut| {
        answer(&format!("so\n\n    {}\n\nend", text.replace('\n', "\n    ")), cut)
    }),
    inert("info of a fence", |text, cut| answer(&format!("```{text}\ncode\n```\nend"), cut)),
    inert("open fence", |text, cut| answer(&format!("~~~\n{text}"), cut)),
    all("cell of a table", |text, cut| {
        answer(&format!("| a | b |\n|---|---|\n| {} | 1 |\n\nend", row(text)), cut)
    }),
    all("head of a table", |text, cut| {
        answer(&format!("| {} | b |\n|---|---|\n| 1 | 2 |\n\nend", row(text)), cut)
    }),
    all("text of a link", |text, cut| answer(&format!("see [{text}](https://example.invalid/)"), cut)),
    inert("target of a link", |text, cut| answer(&format!("see [here](<{text}>) end"), cut)),
    inert("title of a link", |text, cut| {
        answer(&format!("see [here](https://example.invalid/ \"{text}\") end"), cut)
    }),
    inert("definition of a link", |text, cut| answer(&format!("see [here]\n\n[here]: <{text}>\n\nend"), cut)),
    inert("picture", |text, cut| answer(&format!("![{text}](<{text}>)"), cut)),
    inert("autolink", |text, cut| answer(&format!("<https://example.invalid/{text}> end"), cut)),
    all("HTML", |text, cut| answer(&format!("<div>\n{text}\n</div>\n\nend"), cut)),
    inert("HTML in a sentence", |text, cut| answer(&format!("so <a href=\"{text}\">here</a> end"), cut)),
    inert("HTML entities", |text, cut| answer(&entities(text), cut)),
    all("thinking", |text, cut| {
        let mut events = vec![json!({"event":"thinking_start"})];
        events.extend(parts(text, cut).into_iter().map(|text| json!({"event":"thinking_delta","text":text})));
        events.push(json!({"event":"thinking_done","text":text,"elapsed_ms":1000}));
        events
    }),
    all("summary of hidden thinking", |text, _| {
        vec![
            json!({"event":"history","more":false,"items":[{"kind":"reasoning","text":"","summary":[text,"two"]}]}),
        ]
    }),
    all("thinking of a sub-agent", |text, cut| {
        let mut events = open("Task", &json!({"prompt":"look"}), Cut::Whole);
        events.push(json!({"event":"thinking_start","parent":"c1"}));
        events.extend(
            parts(text, cut)
                .into_iter()
                .map(|text| json!({"event":"thinking_delta","text":text,"parent":"c1"})),
        );
        events.push(result(&json!({})));
        events
    })
    .inert(),
    inert("answer of a sub-agent", |text, cut| {
        let mut events = open("Task", &json!({"prompt":"look"}), Cut::Whole);
        events.extend(
            parts(text, cut).into_iter().map(|text| json!({"event":"text_delta","text":text,"parent":"c1"})),
        );
        events.push(json!({"event":"text_done","text":text,"parent":"c1"}));
        events.push(result(&json!({})));
        events
    }),
];

/// What tools say, and what is said of them.
pub const CALLS: &[Carrier] = &[
    output("output", |text, _| call("Bash", &json!({"command":"make"}), &json!({"output":text}))),
    output("output of an unknown tool", |text, _| call("mystery", &json!({}), &json!({"output":text}))),
    output("output of a failure", |text, _| {
        call("Bash", &json!({"command":"make"}), &json!({"output":text,"is_error":true,"outcome":"error"}))
    }),
    // One line, by contract: of more the first is shown.
    output("summary", |text, _| call("mystery", &json!({}), &json!({"summary":one_line(text)}))),
    inert("summary of several lines", |text, _| call("mystery", &json!({}), &json!({"summary":text}))),
    output("progress", |text, cut| {
        let mut events = open("Bash", &json!({"command":"make"}), Cut::Whole);
        events.extend(
            parts(text, cut)
                .into_iter()
                .map(|text| json!({"event":"tool_call_progress","id":"c1","text":text})),
        );
        events.push(result(&json!({"output":text})));
        events
    }),
    all("name of a tool", |text, cut| [open(text, &json!({"a":1}), cut), vec![result(&json!({}))]].concat()),
    all("id of a call", |text, _| vec![json!({"event":"tool_result","id":text,"summary":"orphan"})]),
    all("argument", |text, cut| {
        [open("mystery", &json!({"text":text}), cut), vec![result(&json!({}))]].concat()
    }),
    all("argument in escapes", |text, cut| {
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let arguments = format!("{{\"text\":\"{escaped}\"}}");
        [raw("mystery", &arguments, cut), vec![result(&json!({}))]].concat()
    }),
    all("name of an argument", |text, cut| {
        [open("mystery", &json!({text:"x"}), cut), vec![result(&json!({}))]].concat()
    }),
    inert("arguments that are no JSON", |text, cut| {
        [raw("mystery", text, cut), vec![result(&json!({}))]].concat()
    }),
    inert("arguments of a view that are no JSON", |text, cut| {
        raw("Write", &format!("{{\"file_path\":\"a.md\",\"content\":\"{text}"), cut)
    }),
    all("command", |text, cut| {
        [open("Bash", &json!({"command":text}), cut), vec![result(&json!({"output":"ok"}))]].concat()
    }),
    output("error of arguments", |text, _| {
        vec![
            json!({"event":"tool_call_start","id":"c1","name":"mystery"}),
            json!({"event":"tool_call_done","id":"c1","arguments":"{}","error":one_line(text)}),
        ]
    }),
    all("name of a file that is read", |text, cut| {
        [
            open("Read", &json!({"file_path":text}), cut),
            vec![result(&json!({"summary":"1 line","output":"     1\tx\n","structured":{"path":text}}))],
        ]
        .concat()
    }),
    all("content that is read", |text, _| {
        let numbered: String =
            text.lines().enumerate().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect();
        call("Read", &json!({"file_path":"a.rs"}), &json!({"summary":"read","output":numbered}))
    }),
    all("content that is written", |text, cut| {
        [
            open("Write", &json!({"file_path":"a.rs","content":text}), cut),
            vec![result(&json!({"summary":"written"}))],
        ]
        .concat()
    }),
    all("name of a file that is written", |text, cut| {
        [open("Write", &json!({"file_path":text,"content":"x"}), cut), vec![result(&json!({}))]].concat()
    }),
    all("text of an edit", |text, cut| {
        let arguments = json!({"file_path":"a.rs","old_string":text,"new_string":format!("{text}new")});
        [open("Edit", &arguments, cut), vec![result(&json!({"summary":"edited"}))]].concat()
    }),
    all("name of a file that is edited", |text, cut| {
        [
            open("Edit", &json!({"file_path":text,"old_string":"a","new_string":"b"}), cut),
            vec![result(&json!({}))],
        ]
        .concat()
    }),
    all("hunks", |text, _| {
        let lines: Vec<Value> = text
            .split('\n')
            .flat_map(|line| {
                [json!({"tag":"removed","text":line}), json!({"tag":"added","text":format!("{line} +")})]
            })
            .collect();
        let structured = json!({"path":"a.rs","hunks":[{"old_start":1,"new_start":1,"lines":lines}]});
        call(
            "Edit",
            &json!({"file_path":"a.rs","old_string":"a","new_string":"b"}),
            &json!({"structured":structured}),
        )
    }),
    all("names that Glob found", |text, _| {
        call("Glob", &json!({"pattern":"*"}), &json!({"output":text,"structured":{"paths":[text,"b.txt"]}}))
    }),
    all("pattern of Glob", |text, cut| {
        [open("Glob", &json!({"pattern":text,"path":text}), cut), vec![result(&json!({}))]].concat()
    }),
    all("names that Grep found", |text, _| {
        call(
            "Grep",
            &json!({"pattern":"x"}),
            &json!({"output":text,"structured":{"mode":"files_with_matches","files":[{"path":text,"count":1}]}}),
        )
    }),
    all("lines that Grep found", |text, _| {
        let files = json!([{"path":"a.rs","count":1,"lines":[{"line":1,"text":text,"hits":[[0,1]]}]}]);
        call(
            "Grep",
            &json!({"pattern":"x","output_mode":"content"}),
            &json!({"output":text,"structured":{"mode":"content","files":files}}),
        )
    }),
    inert("hits inside a letter", |text, _| {
        let files = json!([{"path":text,"count":1,"lines":[{"line":1,"text":text,"hits":[[1,2],[5,3],[0,99999]],"context":true}]}]);
        call(
            "Grep",
            &json!({"pattern":text,"output_mode":"content"}),
            &json!({"structured":{"mode":"content","files":files}}),
        )
    }),
    all("description of a skill", |text, _| {
        call(
            "skill",
            &json!({"name":"a"}),
            &json!({"structured":{"description":text,"path":"b","files":["c"]}}),
        )
    }),
    inert("name and files of a skill", |text, cut| {
        [
            open("skill", &json!({"name":text}), cut),
            vec![result(&json!({"output":text,"structured":{"description":"d","path":text,"files":[text]}}))],
        ]
        .concat()
    }),
    inert("prompt of a sub-agent", |text, cut| open("Task", &json!({"prompt":text,"description":text}), cut)),
    inert("kind and places of a call", |text, _| {
        vec![
            json!({"event":"tool_call_start","id":"c1","name":"mystery","kind":text,"locations":[{"path":text}],"parent":text}),
        ]
    }),
    inert("outcome", |text, _| {
        call("mystery", &json!({}), &json!({"outcome":text,"output_ref":text,"output_total":9}))
    }),
    inert("piece of a long output", |text, _| vec![json!({"event":"output","call":text,"text":text})]),
    all("title of a question", |text, _| ask(text, "detail", "label")),
    all("detail of a question", |text, _| ask("do it", text, "label")),
    inert("choice of a question", |text, _| ask("do it", "detail", text)),
    inert("reason of a question", |text, _| {
        let mut events = ask("do it", "detail", "label");
        events[1]["reason"] = json!(text);
        events
    }),
    inert("question about a change", |text, _| {
        let arguments = json!({"file_path":text,"old_string":text,"new_string":format!("{text}x")});
        let mut events = open("Edit", &arguments, Cut::Whole);
        events.push(json!({"event":"approval_request","request":text,"call":"c1","title":format!("edit {text}"),"detail":format!("--- {text}\n+++ {text}\n@@ -1 +1 @@\n-{text}\n+{text}x\n")}));
        events
    }),
];

/// What the pod says of itself, of the session and of the turn.
pub const TOLD: &[Carrier] = &[
    all("prompt", |text, _| vec![json!({"event":"user_message","text":text})]),
    inert("origin of a prompt", |text, _| {
        vec![
            json!({"event":"user_message","text":"x","origin":text,"method":text,"attachments":[{"path":text}]}),
        ]
    }),
    all("notice", |text, _| vec![json!({"event":"notice","level":"error","code":text,"text":text})]),
    all("information", |text, _| vec![json!({"event":"notice","level":"info","code":"x","text":text})]),
    inert("level of a notice", |text, _| vec![json!({"event":"notice","level":text,"code":text,"text":"x"})]),
    all("refusal", |text, _| vec![json!({"event":"rejected","method":"compact","code":"x","message":text})]),
    inert("method that was refused", |text, _| {
        vec![json!({"event":"rejected","method":text,"code":text,"message":"x"})]
    }),
    all("end of a turn", |text, _| {
        vec![json!({"event":"turn_end","turn":2,"reason":"failed","message":text})]
    }),
    all("reason of an end", |text, _| vec![json!({"event":"turn_end","turn":2,"reason":text})]),
    inert("step that was begun again", |text, cut| {
        [answer("some text\n\nmore", cut), vec![json!({"event":"step_abandoned","reason":text})]].concat()
    }),
    all("summary of a compaction", |text, _| {
        vec![
            json!({"event":"compact_start","trigger":"manual"}),
            json!({"event":"compact_done","summary":text,"before":9,"after":1}),
        ]
    }),
    all("compaction that failed", |text, _| {
        vec![
            json!({"event":"compact_start","trigger":"manual"}),
            json!({"event":"compact_failed","code":"x","message":text}),
        ]
    }),
    inert("trigger of a compaction", |text, _| vec![json!({"event":"compact_start","trigger":text})]),
    all("record of a command", |text, _| {
        vec![json!({"event":"history","more":false,"items":[{"kind":"command","line":text,"outcome":"x"}]})]
    }),
    all("outcome of a command", |text, _| {
        vec![
            json!({"event":"history","more":false,"items":[{"kind":"command","line":"help","outcome":text}]}),
        ]
    }),
    all("past answer", |text, _| {
        vec![json!({"event":"history","more":false,"items":[{"kind":"assistant_text","text":text}]})]
    }),
    all("past prompt", |text, _| {
        vec![json!({"event":"history","more":false,"items":[{"kind":"user_message","text":text}]})]
    }),
    all("past call", |text, _| {
        vec![
            json!({"event":"history","more":false,"items":[{"kind":"tool_call","id":"h1","name":text,"arguments":"{}"},{"kind":"tool_result","id":"h1","summary":text}]}),
        ]
    }),
    inert("unknown event and item", |text, _| {
        vec![
            json!({"event":text,"text":text}),
            json!({"event":"history","more":false,"items":[{"kind":text,"text":text}]}),
        ]
    }),
    inert("hello", |text, _| {
        vec![
            json!({"event":"hello","protocol":1,"features":[text],"pod":text,"session":text,"title":text,"cwd":text,"provider":text,"model":text,"state":"idle"}),
        ]
    }),
    inert("state", |text, _| vec![json!({"event":"state","state":text})]),
    inert("title of a session", |text, _| vec![json!({"event":"session","id":text,"title":text})]),
    inert("queue", |text, _| {
        vec![
            json!({"event":"queue","items":[{"id":text,"text":text,"mode":"steer"},{"id":"2","text":text,"mode":text}]}),
        ]
    }),
    inert("usage", |text, _| {
        vec![json!({"event":"usage","parent":text,"input":1,"output":1,"context_used":1,"context_limit":2})]
    }),
    inert("goodbye", |text, _| vec![json!({"event":"bye","reason":text})]),
];

impl Carrier {
    const fn inert(self) -> Carrier {
        Carrier { keeps: Keeps::Nothing, ..self }
    }
}

fn parts(text: &str, cut: Cut) -> Vec<String> {
    match cut {
        Cut::Whole => vec![text.to_owned()],
        Cut::Chars => text.chars().map(String::from).collect(),
    }
}

fn answer(text: &str, cut: Cut) -> Vec<Value> {
    let mut events: Vec<Value> =
        parts(text, cut).into_iter().map(|text| json!({"event":"text_delta","text":text})).collect();
    events.push(json!({"event":"text_done","text":text}));
    events
}

fn raw(name: &str, arguments: &str, cut: Cut) -> Vec<Value> {
    let mut events = vec![json!({"event":"tool_call_start","id":"c1","name":name})];
    events.extend(
        parts(arguments, cut)
            .into_iter()
            .map(|delta| json!({"event":"tool_call_args_delta","id":"c1","delta":delta})),
    );
    events.push(json!({"event":"tool_call_done","id":"c1","arguments":arguments}));
    events
}

fn open(name: &str, arguments: &Value, cut: Cut) -> Vec<Value> {
    raw(name, &arguments.to_string(), cut)
}

fn result(fields: &Value) -> Value {
    let mut event = json!({"event":"tool_result","id":"c1","summary":"","elapsed_ms":5});
    for (name, value) in fields.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}

fn call(name: &str, arguments: &Value, fields: &Value) -> Vec<Value> {
    [open(name, arguments, Cut::Whole), vec![result(fields)]].concat()
}

fn ask(title: &str, detail: &str, label: &str) -> Vec<Value> {
    let options = json!([{"kind":"once","label":label},{"kind":"deny","label":label}]);
    vec![
        json!({"event":"tool_call_start","id":"c1","name":"mystery"}),
        json!({"event":"approval_request","request":"q1","call":"c1","title":title,"detail":detail,"options":options}),
    ]
}

/// A text in one row of a table.
fn row(text: &str) -> String {
    text.replace(['\n', '|'], " ")
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Every character as an entity of HTML: what Markdown decodes is hostile only then.
fn entities(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' { "\n".to_owned() } else { format!("&#x{:x};", u32::from(c)) })
        .collect()
}
