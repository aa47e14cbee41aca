//! Numbers 24 to 31: how an answer ends, and what stands in between.
//!
//! Owns streams that end with the wrong reason, none, two, an error or nothing, and streams full of noise. Only a
//! terminal event makes an answer whole.
//! It refuses to know retries.

use serde_json::{Value, json};

use super::{
    A, Block, End, MODEL, Misbehaviour, USAGE, adds, chunks, message, opened, opens, read, text, text_block,
    tool_block,
};
use crate::answer::{Stop, Wire};
use crate::{anthropic, chat};

pub(super) fn all(wire: Wire) -> Vec<Misbehaviour> {
    match wire {
        Wire::Anthropic => anthropic(),
        Wire::Chat => [chat_reasons(), chat_cuts(), vec![chat_noise()]].concat(),
    }
}

fn anthropic() -> Vec<Misbehaviour> {
    let call = || tool_block(0, "toolu_1", &[A]);
    let begun = |inner: Vec<Vec<u8>>| [vec![anthropic::start(MODEL, USAGE)], inner].concat();
    let of = |number, about, body| Misbehaviour::anthropic(number, about, body, vec![read(A)]);
    let error = |kind: &str| {
        anthropic::event("error", json!({"error": {"type": kind, "message": "it broke in the middle"}}))
    };
    let cut = tool_block(0, "toolu_1", &[r#"{"file_path":"a.t"#]);
    vec![
        of(24, "calls, and the stop reason is end_turn", message(call(), Stop::EndTurn)),
        of(25, "no stop reason, only message_stop", [begun(call()), vec![anthropic::end()]].concat()),
        of(26, "two stop reasons, the last one wrong", {
            let first = anthropic::stop(Stop::ToolUse, USAGE.output);
            message([call(), vec![first]].concat(), Stop::EndTurn)
        }),
        of(27, "the stream ends after the call, without message_stop", begun(call()))
            .ends(End::Failed { retry: true }),
        of(27, "the stream ends within the arguments", begun(cut[..2].to_vec()))
            .ends(End::Failed { retry: true }),
        of(27, "the stream ends before anything", Vec::new()).ends(End::Failed { retry: true }),
        of(
            28,
            "overloaded, in the middle of the stream",
            [begun(call()), vec![error("overloaded_error")]].concat(),
        )
        .ends(End::Failed { retry: true }),
        of(28, "an error that stays, in the middle of the stream", {
            [begun(call()), vec![error("invalid_request_error")]].concat()
        })
        .ends(End::Failed { retry: false }),
        Misbehaviour::anthropic(
            30,
            "the output limit cuts a call",
            message(cut, Stop::MaxTokens),
            vec![read(r#"{"file_path":"a.t"#)],
        )
        .ends(End::Limit),
        Misbehaviour::anthropic(
            31,
            "empty, unknown and null between the events",
            noise(),
            vec![text("so far")],
        ),
    ]
}

fn noise() -> Vec<Vec<u8>> {
    let unknown = json!({"index": 0, "delta": {"type": "of_the_future", "what": 1}});
    let mut body = vec![
        b": a comment\n\n".to_vec(),
        b"data:\n\n".to_vec(),
        anthropic::event("ping", json!({})),
        anthropic::start(MODEL, USAGE),
        anthropic::event("of_the_future", json!({"index": 0})),
        anthropic::open(0, json!({"type": "block_of_the_future", "what": []})),
        anthropic::event("content_block_delta", unknown),
        anthropic::close(0),
        anthropic::delta_of(9, json!({"type": "citations_delta", "citation": {}})),
    ];
    let mut rest = text_block(1, "so far");
    rest.insert(1, anthropic::text_of(1, ""));
    rest.insert(1, anthropic::event("content_block_delta", json!({"index": 1, "delta": null})));
    body.extend(rest);
    body.extend([
        anthropic::event("message_delta", json!({"delta": {"stop_reason": null}, "usage": null})),
        anthropic::stop(Stop::EndTurn, USAGE.output),
        anthropic::end(),
    ]);
    body
}

fn call() -> Vec<Value> {
    vec![opens(0, "call_1"), adds(0, A)]
}

fn chat_reasons() -> Vec<Misbehaviour> {
    let of = |number, about, body| Misbehaviour::chat(number, about, body, vec![read(A)]);
    let finish = |stop| chat::finish(MODEL, stop);
    let raw = |reason: Value| {
        chat::data(&chat::of_choices(MODEL, json!([{"index": 0, "delta": {}, "finish_reason": reason}])))
    };
    vec![
        of(24, "calls, and the finish reason is stop", chunks(call(), Stop::EndTurn)),
        of(24, "calls, and the finish reason is an unknown word", {
            [opened(call()), vec![raw(json!("eos_token")), chat::done()]].concat()
        }),
        of(25, "no finish reason, only [DONE]", [opened(call()), vec![chat::done()]].concat()),
        of(26, "two finish reasons, the last one wrong", {
            [opened(call()), vec![finish(Stop::ToolUse), finish(Stop::EndTurn), chat::done()]].concat()
        }),
        of(27, "a finish reason and no [DONE]", [opened(call()), vec![finish(Stop::ToolUse)]].concat()),
        Misbehaviour::chat(
            30,
            "the output limit cuts a call",
            chunks(vec![opens(0, "call_1"), adds(0, r#"{"file_path":"a.t"#)], Stop::MaxTokens),
            vec![read(r#"{"file_path":"a.t"#)],
        )
        .ends(End::Limit),
    ]
}

fn chat_cuts() -> Vec<Misbehaviour> {
    let failed = |number, about, body, retry| {
        Misbehaviour::chat(number, about, body, Vec::<Block>::new()).ends(End::Failed { retry })
    };
    let error = |kind: &str, code: Value| {
        chat::data(&json!({"error": {"message": "it broke in the middle", "type": kind, "code": code}}))
    };
    let named = |error: Vec<u8>| [b"event: error\n".to_vec(), error].concat();
    vec![
        failed(27, "the stream ends after the call, without a reason", opened(call()), true),
        failed(
            27,
            "the stream ends within the arguments",
            opened(vec![opens(0, "call_1"), adds(0, &A[..8])]),
            true,
        ),
        failed(27, "the stream ends before anything", Vec::new(), true),
        failed(
            28,
            "an error of the server in the middle of the stream",
            [opened(call()), vec![error("server_error", Value::Null)]].concat(),
            true,
        ),
        failed(
            28,
            "an error of the server in the middle of the stream, then [DONE]",
            [opened(call()), vec![named(error("server_error", json!(502))), chat::done()]].concat(),
            true,
        ),
        failed(
            28,
            "an error that stays, in the middle of the stream",
            [opened(call()), vec![error("invalid_request_error", json!("invalid_prompt"))]].concat(),
            false,
        ),
    ]
}

fn chat_noise() -> Misbehaviour {
    let mut body = vec![
        b": OPENROUTER PROCESSING\n\n".to_vec(),
        b"data:\n\n".to_vec(),
        chat::data(&json!({"id": "x", "object": "chat.completion.chunk"})),
        chat::data(&chat::of_choices(MODEL, json!([]))),
        chat::data(&chat::of_choices(MODEL, Value::Null)),
        chat::data(&chat::of_choices(MODEL, json!([{"index": 0, "delta": null, "finish_reason": null}]))),
        chat::data(&chat::of_choices(MODEL, json!([{"index": 0}]))),
        chat::data(&json!({"object": "of.the.future", "choices": {"what": 1}})),
        chat::data(&Value::Null),
        chat::chunk(MODEL, json!({"role": "assistant", "content": null, "tool_calls": null})),
    ];
    body.extend(
        chunks(
            vec![
                json!({"content": "so far", "refusal": null, "tool_calls": []}),
                json!({"content": ""}),
                json!({"content": null, "reasoning_content": null}),
            ],
            Stop::EndTurn,
        )
        .split_off(1),
    );
    Misbehaviour::chat(
        31,
        "empty, unknown and null chunks, and none with choices",
        body,
        vec![text("so far")],
    )
}
