//! The Messages API: bytes in, events out; conversations in, requests out.

use serde_json::{Value, json};

use super::events::Events;
use super::quirks::Quirks;
use super::request::body;
use crate::provider::endpoint::{Endpoint, Key, Thinking};
use crate::provider::played::{play, settled};
use crate::provider::trouble::Service;
use crate::provider::{Message, Request, StreamEvent, Tokens, ToolOffer};

fn service() -> Service {
    let key = Some(Key::new("sk-secret", "ANTHROPIC_API_KEY"));
    let endpoint = Endpoint { base_url: String::new(), key, model: "claude-x".into() };
    Service::new("anthropic", "https://api.example", &endpoint)
}

fn stream(events: &[Value]) -> Vec<u8> {
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("x"));
    events.iter().map(event).collect::<String>().into_bytes()
}

fn events(events: &[Value]) -> Vec<StreamEvent> {
    play(|| Events::new(service()), &stream(events))
}

fn check(sent: &[Value], expected: &[&str]) {
    assert_eq!(settled(&events(sent)), expected);
}

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn text(index: u64, text: &str) -> Value {
    delta(index, json!({"type": "text_delta", "text": text}))
}

fn call(index: u64, id: &str) -> Value {
    start(index, json!({"type": "tool_use", "id": id, "name": "Read", "input": {}}))
}

fn args(index: u64, piece: &str) -> Value {
    delta(index, json!({"type": "input_json_delta", "partial_json": piece}))
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn reason(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}})
}

fn end() -> Value {
    json!({"type": "message_stop"})
}

#[test]
fn a_whole_step() {
    let usage = json!({"input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 1});
    let sent = [
        json!({"type": "message_start", "message": {"id": "m", "usage": usage}}),
        json!({"type": "ping"}),
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm "})),
        delta(0, json!({"type": "thinking_delta", "thinking": "é"})),
        delta(0, json!({"type": "signature_delta", "signature": "c2ln+/=="})),
        stop(0),
        start(1, json!({"type": "text", "text": ""})),
        text(1, "I read "),
        text(1, "both."),
        stop(1),
        call(2, "toolu_1"),
        args(2, ""),
        args(2, r#"{"path":"#),
        args(2, r#""a.rs"}"#),
        stop(2),
        call(3, "toolu_2"),
        stop(3),
        reason("tool_use"),
        end(),
    ];
    check(
        &sent,
        &[
            r#"thinking hm é <{"provider":"anthropic","signature":"c2ln+/==","type":"thinking"}>"#,
            "text I read both.",
            r#"Read {"path":"a.rs"}"#,
            "Read ",
            "ToolUse",
        ],
    );
    let events = events(&sent);
    let usages: Vec<_> = events.iter().filter(|event| matches!(event, StreamEvent::Usage(_))).collect();
    let used = |output| StreamEvent::Usage(Tokens { input: 10, output, cached: 5 });
    assert_eq!(usages, [&used(1), &used(9)]);
    // Pieces are handed on as they come, thinking begins before its first word.
    assert!(matches!(events[1], StreamEvent::Start { part: 0, .. }));
    assert_eq!(events[2], StreamEvent::Delta { part: 0, text: "hm ".into() });
}

#[test]
fn reasons_to_stop() {
    let said = [start(0, json!({"type": "text", "text": ""})), text(0, "a"), stop(0)];
    for (told, expected) in [
        ("end_turn", "EndTurn"),
        ("stop_sequence", "EndTurn"),
        ("max_tokens", "MaxTokens"),
        ("model_context_window_exceeded", "WindowFull"),
        ("refusal", "Refusal"),
        ("pause_turn", "Pause"),
        ("of_a_later_version", "EndTurn"),
    ] {
        check(&[&said[..], &[reason(told), end()]].concat(), &["text a", expected]);
    }
}

#[test]
fn misbehaviour_17_and_18_arguments_at_the_start_and_pieces_before_it() {
    let whole = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "a"}});
    check(&[start(0, whole), stop(0), reason("tool_use"), end()], &[r#"Read {"path":"a"}"#, "ToolUse"]);
    check(
        &[args(0, r#"{"path":"#), call(0, "t"), args(0, r#""a"}"#), stop(0), end()],
        &[r#"Read {"path":"a"}"#, "ToolUse"],
    );
    check(&[text(0, "no start"), end()], &["text no start", "EndTurn"]);
}

#[test]
fn misbehaviour_04_blocks_interleave() {
    check(
        &[
            call(0, "a"),
            call(1, "b"),
            args(1, "{\"q\""),
            args(0, "{\"p\""),
            args(1, ":2}"),
            args(0, ":1}"),
            end(),
        ],
        &[r#"Read {"p":1}"#, r#"Read {"q":2}"#, "ToolUse"],
    );
}

#[test]
fn misbehaviour_21_text_in_the_start() {
    check(
        &[start(0, json!({"type": "text", "text": "al"})), text(0, "ready"), stop(0), end()],
        &["text already", "EndTurn"],
    );
}

#[test]
fn misbehaviour_24_the_reason_says_end_though_there_are_calls() {
    check(&[call(0, "t"), args(0, "{}"), stop(0), reason("end_turn"), end()], &["Read {}", "ToolUse"]);
}

#[test]
fn misbehaviour_27_the_stream_ends_before_its_end() {
    let cut = "failed true anthropic broke its answer off before it was whole";
    check(
        &[],
        &[
            "failed true anthropic at https://api.example sent an empty answer; see what the server says of it in its log, or check the base URL",
        ],
    );
    check(&[text(0, "half")], &["text half", cut]);
    check(&[text(0, "whole"), stop(0), reason("end_turn")], &["text whole", cut]);
}

#[test]
fn misbehaviour_28_an_error_behind_a_200() {
    let error = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "Overloaded"}});
    check(
        &[text(0, "half"), error("overloaded_error")],
        &["text half", "failed true anthropic is overloaded (529: Overloaded)"],
    );
    check(&[error("api_error")], &["failed true anthropic has a fault of its own (500: Overloaded)"]);
    check(
        &[error("authentication_error")],
        &[
            "failed false anthropic does not know the key from ANTHROPIC_API_KEY (401: Overloaded); put a valid one into ANTHROPIC_API_KEY",
        ],
    );
    check(&[error("of_a_later_version")], &["failed true anthropic broke its answer off (Overloaded)"]);
    check(
        &[json!({"error": {"message": "no type"}})],
        &["failed true anthropic broke its answer off (no type)"],
    );
}

#[test]
fn misbehaviour_30_the_limit_inside_a_call() {
    check(
        &[call(0, "t"), args(0, r#"{"path":"a"#), stop(0), reason("max_tokens"), end()],
        &[r#"Read {"path":"a"#, "MaxTokens"],
    );
}

#[test]
fn misbehaviour_31_what_is_not_known_is_skipped() {
    check(
        &[
            json!({"type": "of_a_later_version", "index": 0}),
            json!({}),
            json!({"type": "content_block_start"}),
            json!({"type": "content_block_delta", "index": 0, "delta": null}),
            start(0, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}})),
            stop(0),
            delta(1, json!({"type": "citations_delta", "citation": {}})),
            json!({"type": "message_delta", "delta": {"stop_reason": null}, "usage": null}),
            text(2, "a"),
            end(),
        ],
        &["text a", "EndTurn"],
    );
    let words = b"data: keep-alive\n\n: comment\n\ndata: {\"type\":\"message_stop\"}\n\n";
    assert_eq!(settled(&play(|| Events::new(service()), words)), ["EndTurn"]);
    let broken = b"data: {\"type\":\n\n";
    let expected = ["failed true anthropic sent an event that cannot be read"];
    assert_eq!(settled(&play(|| Events::new(service()), broken)), expected);
}

#[test]
fn misbehaviour_34_hidden_thinking_is_kept() {
    check(
        &[
            start(0, json!({"type": "redacted_thinking", "data": "xyz=="})),
            stop(0),
            start(1, json!({"type": "thinking", "thinking": ""})),
            delta(1, json!({"type": "signature_delta", "signature": "a"})),
            delta(1, json!({"type": "signature_delta", "signature": "b"})),
            stop(1),
            end(),
        ],
        &[
            r#"thinking  <{"data":"xyz==","provider":"anthropic","type":"redacted_thinking"}>"#,
            r#"thinking  <{"provider":"anthropic","signature":"ab","type":"thinking"}>"#,
            "EndTurn",
        ],
    );
}

#[test]
fn a_server_that_does_not_stream() {
    let content = json!([{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "Read", "input": {"p": 1}}]);
    let whole = json!({"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 1}});
    let got = settled(&play(|| Events::new(service()), whole.to_string().as_bytes()));
    assert_eq!(got, ["text a", r#"Read {"p":1}"#, "ToolUse"]);
    let page = settled(&play(|| Events::new(service()), b"<!DOCTYPE html><p>hello"));
    assert_eq!(
        page,
        ["failed false anthropic at https://api.example answers HTML, not the API; is the base URL right?"]
    );
}

fn request(messages: Vec<Message>) -> Request {
    let tool = |name: &str| ToolOffer {
        name: name.into(),
        description: format!("{name}s"),
        schema: json!({"type": "object"}),
        kind: carpel_protocol::word::ToolKind::Read,
    };
    Request { system: "Be brief.".into(), messages, tools: vec![tool("Read"), tool("Grep")] }
}

fn reasoning(text: &str, opaque: Option<Value>) -> Message {
    Message::Reasoning { text: text.into(), opaque }
}

fn conversation() -> Vec<Message> {
    let call = |id: &str, arguments: &str| Message::ToolCall {
        id: id.into(),
        name: "Read".into(),
        arguments: arguments.into(),
    };
    let result = |id: &str, is_error| Message::ToolResult {
        id: id.into(),
        text: format!("of {id}"),
        structured: Some(json!({"for": "nobody here"})),
        is_error,
    };
    vec![
        Message::User { text: "go".into() },
        reasoning("hm", Some(json!({"provider": "anthropic", "type": "thinking", "signature": "s+/="}))),
        reasoning("", Some(json!({"provider": "anthropic", "type": "redacted_thinking", "data": "d=="}))),
        reasoning("unsigned", None),
        reasoning("foreign", Some(json!({"provider": "openrouter", "field": "reasoning"}))),
        Message::Assistant { text: "I look.".into() },
        call("c1", r#"{"path": "a"}"#),
        call("c2", r#"{"path": "#),
        result("c2", true),
        result("c1", false),
        Message::User { text: "and?".into() },
    ]
}

#[test]
fn misbehaviour_34_35_a_request() {
    let cache = json!({"type": "ephemeral"});
    assert_eq!(
        body("claude-opus-4-7", &request(conversation()), &Quirks::of("claude-opus-4-7", None)),
        json!({
            "model": "claude-opus-4-7",
            "max_tokens": 64_000,
            "stream": true,
            "thinking": {"type": "adaptive", "display": "summarized"},
            "system": [{"type": "text", "text": "Be brief.", "cache_control": cache}],
            "tools": [
                {"name": "Read", "description": "Reads", "input_schema": {"type": "object"}, "eager_input_streaming": true},
                {"name": "Grep", "description": "Greps", "input_schema": {"type": "object"}, "eager_input_streaming": true, "cache_control": cache},
            ],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "go"}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s+/="},
                    {"type": "redacted_thinking", "data": "d=="},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c00000001", "name": "Read", "input": {"path": "a"}},
                    {"type": "tool_use", "id": "c00000002", "name": "Read", "input": {"unreadable_arguments": "{\"path\": "}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c00000001", "content": "of c1"},
                    {"type": "tool_result", "tool_use_id": "c00000002", "content": "of c2", "is_error": true},
                    {"type": "text", "text": "and?", "cache_control": cache},
                ]},
            ],
        })
    );
}

#[test]
fn misbehaviour_36_thinking_that_is_refused_is_forgotten_and_the_session_goes_on() {
    let mut quirks = Quirks::of("claude-x", Some(Thinking::Off));
    (quirks.eager, quirks.caching, quirks.forget_before) = (false, false, 3);
    let mut request = request(conversation());
    request.tools.pop();
    request.messages.truncate(6);
    request.messages.push(Message::User { text: "on".into() });
    request
        .messages
        .push(reasoning("new", Some(json!({"provider": "anthropic", "type": "thinking", "signature": "n"}))));
    request.messages.push(Message::Assistant { text: "b".into() });
    assert_eq!(
        body("claude-x", &request, &quirks),
        json!({
            "model": "claude-x",
            "max_tokens": 64_000,
            "stream": true,
            "thinking": {"type": "disabled"},
            "system": [{"type": "text", "text": "Be brief."}],
            "tools": [{"name": "Read", "description": "Reads", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "go"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "I look."}]},
                {"role": "user", "content": [{"type": "text", "text": "on"}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "new", "signature": "n"},
                    {"type": "text", "text": "b"},
                ]},
                {"role": "user", "content": [{"type": "text", "text": "Go on."}]},
            ],
        })
    );
}
