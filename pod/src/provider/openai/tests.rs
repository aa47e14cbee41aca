//! Chat completions: bytes in, events out; conversations in, requests out.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::chunks::Chunks;
use super::quirks::{Quirks, Replay};
use super::request::body;
use crate::provider::assembler::Assembler;
use crate::provider::decode::Decoder;
use crate::provider::endpoint::{Endpoint, Thinking};
use crate::provider::played::{play, settled};
use crate::provider::trouble::Service;
use crate::provider::{Message, Request, StreamEvent, Tokens, ToolOffer};

fn chunks() -> Chunks {
    let endpoint = Endpoint { base_url: String::new(), key: None, model: "m".into() };
    Chunks::new("ollama", Service::new("ollama", "http://localhost:1/v1", &endpoint))
}

fn stream(chunks: &[Value], done: bool) -> Vec<u8> {
    let mut bytes: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    if done {
        bytes.push_str("data: [DONE]\n\n");
    }
    bytes.into_bytes()
}

fn check(sent: &[Value], expected: &[&str]) {
    assert_eq!(settled(&play(chunks, &stream(sent, true))), expected);
}

fn check_cut(sent: &[Value], expected: &[&str]) {
    assert_eq!(settled(&play(chunks, &stream(sent, false))), expected);
}

fn delta(delta: Value) -> Value {
    json!({"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn text(text: &str) -> Value {
    delta(json!({"content": text}))
}

fn calls(calls: Value) -> Value {
    delta(json!({"tool_calls": calls}))
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

const CUT: &str = "failed true ollama broke its answer off before it was whole";
const EMPTY: &str = "failed true ollama at http://localhost:1/v1 sent an empty answer; see what the server says of it in its log, or check the base URL";

#[test]
fn a_whole_step() {
    let usage =
        json!({"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 6}});
    let sent = [
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"reasoning_content": "hm"})),
        delta(json!({"reasoning_content": "!"})),
        text("I "),
        text("read."),
        calls(
            json!([{"index": 0, "id": "a", "type": "function", "function": {"name": "Read", "arguments": ""}}]),
        ),
        calls(json!([{"index": 0, "function": {"arguments": "{\"p\""}}])),
        calls(
            json!([{"index": 0, "function": {"arguments": ":1}"}}, {"index": 1, "id": "b", "function": {"name": "Grep"}}]),
        ),
        calls(json!([{"index": 1, "function": {"arguments": "{}"}}])),
        finish("tool_calls"),
        json!({"choices": [], "usage": usage}),
    ];
    check(
        &sent,
        &[
            r#"thinking hm! <{"field":"reasoning_content","provider":"ollama"}>"#,
            "text I read.",
            r#"Read {"p":1}"#,
            "Grep {}",
            "ToolUse",
        ],
    );
    let events = play(chunks, &stream(&sent, true));
    assert!(events.contains(&StreamEvent::Usage(Tokens { input: 10, output: 4, cached: 6 })));
}

#[test]
fn reasons_to_stop() {
    for (told, expected) in [
        ("stop", "EndTurn"),
        ("eos", "EndTurn"),
        ("length", "MaxTokens"),
        ("content_filter", "Refusal"),
        ("tool_calls", "EndTurn"),
    ] {
        check(&[text("a"), finish(told)], &["text a", expected]);
        check_cut(&[text("a"), finish(told)], &["text a", expected]);
    }
    check(&[text("a"), finish("error")], &["text a", CUT]);
    check(&[text("a"), finish("insufficient_system_resource")], &["text a", CUT]);
    check(
        &[delta(json!({"refusal": "I "})), delta(json!({"refusal": "won't"})), finish("stop")],
        &["text I won't", "Refusal"],
    );
}

#[test]
fn misbehaviour_01_02_03_calls_are_numbered_badly() {
    let head = |index: Value, id: &str, args: &str| {
        calls(
            json!([{"index": index, "id": id, "type": "function", "function": {"name": "Read", "arguments": args}}]),
        )
    };
    let expected = &[r#"Read {"p":1}"#, r#"Read {"p":2}"#, "ToolUse"];
    for index in [json!(null), json!(0), json!("zero"), json!(-1)] {
        check(
            &[head(index.clone(), "a", r#"{"p":1}"#), head(index, "b", r#"{"p":2}"#), finish("tool_calls")],
            expected,
        );
    }
    check(
        &[
            head(json!(0), "a", r#"{"p""#),
            calls(json!([{"index": 1, "function": {"arguments": ":1}"}}])),
            finish("stop"),
        ],
        &[r#"Read {"p":1}"#, "ToolUse"],
    );
}

#[test]
fn misbehaviour_05_06_07_08_identities_are_missing_change_or_repeat() {
    let piece = |id: Value, name: Value, args: &str| {
        calls(json!([{"index": 0, "id": id, "function": {"name": name, "arguments": args}}]))
    };
    let one = &[r#"Read {"p":1}"#, "ToolUse"];
    check(
        &[piece(json!(null), json!("Read"), r#"{"p""#), piece(json!(""), json!(null), ":1}"), finish("stop")],
        one,
    );
    check(
        &[piece(json!("a"), json!("Read"), r#"{"p""#), piece(json!("b"), json!(""), ":1}"), finish("stop")],
        one,
    );
    let share = |index: u64, args: &str| {
        calls(json!([{"index": index, "id": "same", "function": {"name": "Read", "arguments": args}}]))
    };
    check(
        &[share(0, r#"{"p":1}"#), share(1, r#"{"p":2}"#), finish("tool_calls")],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#, "ToolUse"],
    );
}

#[test]
fn misbehaviour_12_13_16_17_arguments_are_empty_glued_or_whole() {
    let call = |arguments: Value| {
        calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": arguments}}]))
    };
    check(&[call(json!("")), finish("tool_calls")], &["Read ", "ToolUse"]);
    check(&[call(json!(null)), finish("tool_calls")], &["Read ", "ToolUse"]);
    check(&[call(json!({"p": 1})), finish("tool_calls")], &[r#"Read {"p":1}"#, "ToolUse"]);
    check(
        &[call(json!(r#"{"p":1}{"p":2}"#)), finish("tool_calls")],
        &[r#"Read {"p":1}"#, r#"Read {"p":2}"#, "ToolUse"],
    );
}

#[test]
fn misbehaviour_20_an_empty_custom_beside_the_function() {
    let call = json!({"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{}"}, "custom": {}});
    check(&[calls(json!([call])), finish("tool_calls")], &["Read {}", "ToolUse"]);
    let custom =
        json!({"index": 0, "id": "a", "type": "custom", "custom": {"name": "Patch", "input": "text"}});
    check(&[calls(json!([custom])), finish("tool_calls")], &["Patch text", "ToolUse"]);
}

#[test]
fn the_old_way_to_call() {
    let call = |call: Value| delta(json!({"function_call": call}));
    check(
        &[
            call(json!({"name": "Read", "arguments": ""})),
            call(json!({"arguments": "{\"p\":1}"})),
            finish("function_call"),
        ],
        &[r#"Read {"p":1}"#, "ToolUse"],
    );
}

/// A call in plain text is text: what a model only writes about must not run.
#[test]
fn misbehaviour_22_a_call_written_as_text_is_text() {
    let written = r#"<tool_call>{"name":"Read","arguments":{}}</tool_call>"#;
    check(&[text(written), finish("stop")], &[&format!("text {written}"), "EndTurn"]);
}

#[test]
fn misbehaviour_24_25_26_reasons_are_wrong_missing_or_two() {
    let call = calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{}"}}]));
    check(&[call.clone(), finish("stop")], &["Read {}", "ToolUse"]);
    check(std::slice::from_ref(&call), &["Read {}", "ToolUse"]);
    check(&[text("a")], &["text a", "EndTurn"]);
    check(&[call, finish("tool_calls"), finish("stop")], &["Read {}", "ToolUse"]);
    check(&[text("a"), finish("length"), finish("stop")], &["text a", "MaxTokens"]);
}

#[test]
fn misbehaviour_27_the_stream_ends_before_its_end() {
    check_cut(&[], &[EMPTY]);
    check_cut(&[text("half")], &["text half", CUT]);
    // Nothing at all is no answer, even with an end.
    check(&[], &[EMPTY]);
    check(&[delta(json!({"role": "assistant", "content": ""}))], &[EMPTY]);
}

#[test]
fn misbehaviour_28_an_error_behind_a_200() {
    let error = |error: Value| json!({"error": error});
    check(
        &[text("half"), error(json!({"message": "busy", "type": "server_error", "code": null}))],
        &["text half", "failed true ollama has a fault of its own (500: busy)"],
    );
    check(
        &[error(json!({"message": "slow down", "code": 429}))],
        &["failed true ollama is asked too often (429: slow down)"],
    );
    check(&[error(json!("runner died"))], &["failed true ollama broke its answer off (runner died)"]);
    check(
        &[error(json!({"message": "no", "code": "context_length_exceeded"}))],
        &[
            "failed false the conversation is longer than the model's window (413: no); start a new session, or choose a model with a larger one",
        ],
    );
    let in_choice = json!({"choices": [{"delta": {"content": ""}, "error": {"message": "up", "code": 502}, "finish_reason": "error"}]});
    check(&[in_choice], &["failed true ollama has a fault of its own (502: up)"]);
}

#[test]
fn misbehaviour_30_the_limit_inside_a_call() {
    let call = calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p\":"}}]));
    check(&[call, finish("length")], &[r#"Read {"p":"#, "MaxTokens"]);
}

#[test]
fn misbehaviour_31_empty_and_odd_chunks() {
    check(
        &[
            json!({}),
            json!({"choices": null}),
            json!({"choices": []}),
            json!({"choices": [{}]}),
            json!({"choices": [{"delta": null}], "error": null}),
            delta(json!({"content": null, "tool_calls": null, "refusal": null, "reasoning": null})),
            delta(json!({"content": [{"type": "text", "text": "a"}]})),
            json!({"object": "of.a.later.version", "usage": null}),
            finish("stop"),
        ],
        &["text a", "EndTurn"],
    );
}

#[test]
fn misbehaviour_32_33_reasoning_and_text_in_one_chunk() {
    let opaque = r#"<{"field":"reasoning","provider":"ollama"}>"#;
    check(
        &[
            delta(json!({"content": "a", "reasoning": "hm"})),
            delta(json!({"content": "b", "reasoning": ""})),
            finish("stop"),
        ],
        &[&format!("thinking hm {opaque}"), "text ab", "EndTurn"],
    );
    let call = calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{}"}}]));
    check(
        &[delta(json!({"reasoning": "hm"})), call, delta(json!({"reasoning": "m"})), finish("stop")],
        &[&format!("thinking hm {opaque}"), "Read {}", &format!("thinking m {opaque}"), "ToolUse"],
    );
}

#[test]
fn misbehaviour_35_signed_reasoning_is_kept_whole() {
    let details = |details: Value| delta(json!({"content": "", "reasoning_details": details}));
    check(
        &[
            details(json!([{"type": "reasoning.text", "index": 0, "text": "h"}])),
            details(json!([{"type": "reasoning.text", "index": 0, "text": "m", "signature": "s"}])),
            text("a"),
            details(json!([{"type": "reasoning.encrypted", "index": 1, "data": "d"}])),
            finish("stop"),
        ],
        &[
            r#"thinking hm <{"details":[{"index":0,"signature":"s","text":"hm","type":"reasoning.text"}],"provider":"ollama"}>"#,
            "text a",
            r#"thinking  <{"details":[{"data":"d","index":1,"type":"reasoning.encrypted"}],"provider":"ollama"}>"#,
            "EndTurn",
        ],
    );
}

#[test]
fn misbehaviour_37_tokens_in_three_places() {
    let used = |sent: &[Value]| {
        let mut events = play(chunks, &stream(sent, true));
        events.retain(|event| matches!(event, StreamEvent::Usage(_)));
        events
    };
    let tokens = |input, output, cached| StreamEvent::Usage(Tokens { input, output, cached });
    let in_choice = json!({"choices": [{"delta": {"content": "a"}, "usage": {"prompt_tokens": 3, "completion_tokens": 1}}]});
    assert_eq!(used(&[in_choice]), [tokens(3, 1, 0)]);
    let each = |output: u64| json!({"choices": [{"delta": {"content": "a"}}], "usage": {"prompt_tokens": 3, "completion_tokens": output}});
    assert_eq!(used(&[each(1), each(2), each(2)]), [tokens(3, 1, 0), tokens(3, 2, 0)]);
    assert_eq!(
        used(&[
            text("a"),
            json!({"choices": [], "usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}})
        ]),
        [tokens(9, 0, 4)]
    );
    assert_eq!(
        used(&[
            text("a"),
            json!({"choices": [], "usage": {"prompt_tokens": -1, "completion_tokens": "many"}})
        ]),
        []
    );
}

#[test]
fn a_server_that_does_not_stream() {
    let message = json!({"role": "assistant", "content": "a", "tool_calls": [{"id": "t", "function": {"name": "Read", "arguments": "{}"}}]});
    let whole = json!({"object": "chat.completion", "choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let got = |bytes: &str| settled(&play(chunks, bytes.as_bytes()));
    assert_eq!(got(&whole.to_string()), ["text a", "Read {}", "ToolUse"]);
    assert_eq!(
        got(r#"{"error":"model runner has stopped"}"#),
        ["failed true ollama broke its answer off (model runner has stopped)"]
    );
    assert_eq!(
        got("<html>"),
        ["failed false ollama at http://localhost:1/v1 answers HTML, not the API; is the base URL right?"]
    );
}

#[test]
fn misbehaviour_38_39_line_ends_and_halves_of_characters() {
    let bytes = "\u{feff}: hello\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\u{2028}漢👍\"}}]}\r\n\r\ndata: [DONE]";
    assert_eq!(settled(&play(chunks, bytes.as_bytes())), ["text a\u{2028}漢👍", "EndTurn"]);
}

#[test]
fn half_a_character_in_an_escape_ends_nothing() {
    let bytes = br#"data: {"choices":[{"delta":{"content":"a\ud83d"}}]}

data: [DONE]
"#;
    assert_eq!(settled(&play(chunks, bytes)), ["text a\u{fffd}", "EndTurn"]);
}

fn request() -> Request {
    let tool = ToolOffer {
        name: "Read".into(),
        description: "Reads".into(),
        schema: json!({"type": "object"}),
        kind: carpel_protocol::word::ToolKind::Read,
    };
    let reasoning =
        |text: &str, opaque: Value| Message::Reasoning { text: text.into(), opaque: Some(opaque) };
    let call = |id: &str, arguments: &str| Message::ToolCall {
        id: id.into(),
        name: "Read".into(),
        arguments: arguments.into(),
    };
    let result =
        Message::ToolResult { id: "c1".into(), text: "of c1".into(), structured: None, is_error: false };
    let messages = vec![
        Message::User { text: "go".into() },
        reasoning("hm", json!({"provider": "deepseek", "field": "reasoning_content"})),
        reasoning("foreign", json!({"provider": "anthropic", "type": "thinking", "signature": "s"})),
        call("c1", r#"{"path": "a"}"#),
        call("c2", r#"{"path": "#),
        result,
        reasoning(
            "",
            json!({"provider": "deepseek", "details": [{"type": "reasoning.encrypted", "data": "d"}]}),
        ),
        Message::Assistant { text: "found".into() },
        Message::User { text: "and?".into() },
    ];
    Request { system: "Be brief.".into(), messages, tools: vec![tool] }
}

fn messages(provider: &str, reasoning: Replay) -> Value {
    body(provider, "m", &request(), &Quirks { reasoning, ..Quirks::of(None) })["messages"].clone()
}

#[test]
fn a_request() {
    let calls = json!([
        {"id": "c00000001", "type": "function", "function": {"name": "Read", "arguments": "{\"path\": \"a\"}"}},
        {"id": "c00000002", "type": "function", "function": {"name": "Read", "arguments": "{\"unreadable_arguments\":\"{\\\"path\\\": \"}"}},
    ]);
    assert_eq!(
        body("deepseek", "m", &request(), &Quirks::of(None)),
        json!({
            "model": "m",
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": {"name": "Read", "description": "Reads", "parameters": {"type": "object"}}}],
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": null, "tool_calls": calls, "reasoning_content": "hm"},
                {"role": "tool", "tool_call_id": "c00000001", "content": "of c1"},
                {"role": "tool", "tool_call_id": "c00000002", "content": "interrupted: nothing is known of what it did"},
                {"role": "assistant", "content": "found", "reasoning_details": [{"type": "reasoning.encrypted", "data": "d"}]},
                {"role": "user", "content": "and?"},
            ],
        })
    );
    let bare = Quirks { usage: false, ..Quirks::of(Some(Thinking::Off)) };
    let bare =
        body("m", "m", &Request { tools: Vec::new(), system: String::new(), messages: Vec::new() }, &bare);
    assert_eq!(bare, json!({"model": "m", "stream": true, "reasoning_effort": "none", "messages": []}));
}

#[test]
fn reasoning_goes_back_to_whom_it_came_from() {
    let fields = |provider, replay| -> Vec<String> {
        let messages = messages(provider, replay);
        let steps = messages.as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
        steps
            .map(|step| format!("{} {}", step["reasoning_content"], step["reasoning_details"][0]["data"]))
            .collect()
    };
    assert_eq!(fields("deepseek", Replay::AsItCame), [r#""hm" null"#, r#"null "d""#]);
    assert_eq!(fields("deepseek", Replay::Everywhere), [r#""hm" null"#, r#""" "d""#]);
    assert_eq!(fields("deepseek", Replay::Never), ["null null", "null null"]);
    assert_eq!(fields("ollama", Replay::AsItCame), ["null null", "null null"]);
}

proptest! {
    /// Whatever bytes come: no panic, and exactly one end.
    #[test]
    fn any_bytes_end_once(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let call = calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p\":1}"}}]));
        let mut bytes = stream(&[text("a"), delta(json!({"reasoning": "hm"})), call, finish("stop")], true);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let (mut decoder, mut assembler) = (Decoder::new(chunks()), Assembler::default());
        decoder.push(&bytes, &mut assembler);
        if !assembler.is_over() {
            decoder.end(None, &mut assembler);
        }
        prop_assert!(assembler.is_over());
        settled(&assembler.events());
    }
}
