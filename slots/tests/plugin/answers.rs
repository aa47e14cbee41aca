//! What a plugin answers where something goes wrong, and that a worst call still fits into a line.

use carpel_slots::call::{CallKey, CallResult};
use carpel_slots::plugin::{CommandAnswer, Plugin, PluginCommand, serve};
use carpel_slots::protocol::word::Outcome;
use carpel_slots::wire::{CommandLine, MAX_REPLY, MAX_REQUEST, Reply, Request, RunCx, WireCall};
use carpel_slots::{Approval, Args, Block, CallState, Card, CardCx, Line, Tail, ToolCall, ToolView};
use serde_json::json;

struct Faulty;

impl ToolView for Faulty {
    fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
        match call.name.as_str() {
            "panic" => panic!("at {}", call.name),
            "other panic" => std::panic::panic_any(7),
            "huge" => Card { body: Some(vec![Block::Output("x".repeat(MAX_REPLY))]), ..Card::default() },
            name => Card { title: Some(Line::from(name)), ..Card::default() },
        }
    }
}

struct Refuse;

impl PluginCommand for Refuse {
    fn about(&self) -> CommandLine {
        CommandLine { name: "refuse".to_owned(), ..CommandLine::default() }
    }

    fn run(&self, arguments: &str, _cx: &RunCx) -> Result<CommandAnswer, String> {
        Err(format!("refuse: not `{arguments}`"))
    }
}

fn plugin() -> Plugin {
    Plugin::new("faulty", "0").view("t", Faulty).view("t", Faulty).command(Refuse)
}

#[test]
fn a_fault_costs_its_own_request() {
    let card = |id: u64, name: &str| {
        json!({"request": "card", "id": id, "view": "t", "call": {"name": name, "state": "done"}}).to_string()
    };
    let error = |id: u64, message: &str| Some(Reply::Error { id, message: message.to_owned() });
    let title = |id: u64, title: &str| {
        Some(Reply::Card { id, card: Card { title: Some(Line::from(title)), ..Card::default() } })
    };
    let plugin = plugin();
    for (line, want) in [
        (card(1, "fine"), title(1, "fine")),
        (card(2, "panic"), error(2, "view `t` panicked: at panic")),
        (card(3, "other panic"), error(3, "view `t` panicked: without a word")),
        (card(4, "huge"), error(4, "the reply has 1048669 bytes; at most 1048576 are read, so show less")),
        (card(5, "fine"), title(5, "fine")),
        (
            r#"{"request":"card","id":6,"view":"u","call":{"name":"a","state":"done"}}"#.into(),
            error(6, "view `u`: it has no such view"),
        ),
        (
            r#"{"request":"command.run","id":7,"command":"refuse","arguments":"a b"}"#.into(),
            error(7, "refuse: not `a b`"),
        ),
        (
            r#"{"request":"command.run","id":8,"command":"other"}"#.into(),
            error(8, "command `other`: it has no such command"),
        ),
        (
            r#"{"request":"command.complete","id":9,"command":"refuse","typed":"a"}"#.into(),
            Some(Reply::CommandComplete { id: 9, completions: vec![] }),
        ),
        (r#"{"request":"dance","id":10}"#.into(), error(10, "`dance` is no request that it knows")),
        (r#"{"request":"dance"}"#.into(), None),
        (r#"{"request":"cancel","id":1}"#.into(), None),
        (
            r#"{"request":"card","id":11,"view":"t"}"#.into(),
            error(11, "the request: `card`: missing field `call`"),
        ),
        (r#"{"id":12}"#.into(), error(12, "the request: no object with a word in `request`")),
        ("not JSON".into(), None),
        ("[]".into(), None),
        ("{}".into(), None),
    ] {
        let reply = plugin.answer_line(&line).map(|reply| Reply::decode(&reply).unwrap());
        assert_eq!(reply, want, "{line}");
    }
}

#[test]
fn a_served_plugin_answers_to_the_end() {
    let lines = "{\"request\":\"hello\",\"abi\":1}\n\n{\"request\":\"dance\",\"id\":3}\r\nnoise\n{\"request\":\"dance\",\"id\":4}";
    let mut output = Vec::new();
    serve(&plugin(), std::io::Cursor::new(lines), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let ids: Vec<_> = output.lines().map(|line| Reply::decode(line).unwrap().id()).collect();
    assert_eq!(ids, [None, Some(3), Some(4)], "{output}");
    assert!(output.ends_with('\n'));
}

/// Control characters take six bytes each in JSON.
#[test]
fn a_worst_call_fits_into_a_line() {
    let long = "\u{1}".repeat(3 * MAX_REQUEST);
    let mut progress = Tail::default();
    progress.push(&long);
    let result = CallResult {
        summary: long.clone(),
        output: Some(long.clone()),
        output_total: None,
        outcome: Outcome::Ok,
        structured: Some(json!({"a": "x".repeat(60_000)})),
    };
    for result in [Some(result), None] {
        let call = ToolCall {
            args: Args::streaming(format!("{{\"a\": \"{long}")),
            state: CallState::AwaitingApproval,
            approval: Some(Approval { title: long.clone(), detail: long.clone() }),
            progress: progress.clone(),
            result,
            ..ToolCall::new(CallKey { turn: 1, id: "c".into(), occurrence: 0 }, &long)
        };
        let call = Box::new(WireCall::of(&call));
        let line = Request::Card { id: u64::MAX, view: "a".to_owned(), call, cx: CardCx::default() }.encode();
        assert!(line.len() > MAX_REQUEST / 4 && line.len() <= MAX_REQUEST, "{}", line.len());
    }
}
