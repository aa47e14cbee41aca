//! Refusals in, sentences out: who, what, the way out, and whether asking again may help.

use serde_json::{Value, json};

use super::*;
use crate::provider::ToolOffer;
use crate::provider::endpoint::{Endpoint, Key};
use crate::provider::http::Proxy;

fn tools() -> Vec<ToolOffer> {
    let tool = |name: &str| ToolOffer {
        name: name.into(),
        description: String::new(),
        schema: json!({}),
        kind: carpel_protocol::word::ToolKind::Read,
    };
    vec![tool("Read"), tool("Grep")]
}

fn service(key: Option<Key>) -> Service {
    let endpoint = Endpoint { base_url: String::new(), key, model: "m-1".into() };
    Service::new("acme", "https://api.example/v1", &endpoint)
}

fn refused(status: u16, body: &str) -> Failure {
    let key = Key::new("sk-secret", "ACME_API_KEY");
    service(Some(key)).refused(&Refusal::of_body(status, body.as_bytes()), &tools())
}

#[track_caller]
fn check(status: u16, body: Value, retryable: bool, expected: &str) {
    let failure = refused(status, &body.to_string());
    assert_eq!((failure.clone().sentence().as_str(), failure.retryable), (expected, retryable));
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

#[test]
fn keys_and_accounts() {
    check(
        401,
        error("authentication_error", "invalid x-api-key"),
        false,
        "acme does not know the key from ACME_API_KEY (401: invalid x-api-key); put a valid one into ACME_API_KEY",
    );
    check(
        403,
        json!({"error": {"message": "no"}}),
        false,
        "acme does not let the key from ACME_API_KEY use `m-1` (403: no); check what that key may do",
    );
    let credit = "the account at acme behind ACME_API_KEY has no credit left";
    check(
        402,
        json!({"error": {"message": "Insufficient Balance"}}),
        false,
        &format!("{credit} (402: Insufficient Balance); add some, or use another key"),
    );
    check(
        400,
        error("invalid_request_error", "Your credit balance is too low"),
        false,
        &format!("{credit} (400: Your credit balance is too low); add some, or use another key"),
    );
    check(
        429,
        json!({"error": {"message": "quota", "code": "insufficient_quota"}}),
        false,
        &format!("{credit} (429: quota); add some, or use another key"),
    );
    let none = service(None).refused(&Refusal::of_body(401, b""), &[]);
    assert_eq!(none.sentence(), "acme at https://api.example/v1 wants a key and has none (401); give it one");
}

#[test]
fn a_proxy_is_named() {
    let variable = |name: &str| (name == "HTTPS_PROXY").then(|| "http://me:pw@proxy:3128".to_owned());
    let mut service = service(None);
    service.proxy = Proxy::before(&"https://api.example/v1".parse().unwrap(), &variable);
    let failure = service.refused(&Refusal::of_body(407, b"<html>"), &[]);
    assert_eq!(
        (failure.clone().sentence().as_str(), failure.retryable),
        (
            "acme: the proxy http://proxy:3128 from HTTPS_PROXY wants a name and a password (407); put them into HTTPS_PROXY, as in http://NAME:PASSWORD@HOST:PORT",
            false
        )
    );
}

#[test]
fn models_tools_and_windows() {
    check(
        404,
        error("not_found_error", "model: m-1"),
        false,
        "acme has no model `m-1` (404: model: m-1); name another with --model or :model",
    );
    check(
        404,
        json!({"error": {"message": "x", "code": "model_not_found"}}),
        false,
        "acme has no model `m-1` (404: x); name another with --model or :model",
    );
    check(
        404,
        json!({"detail": "Not Found"}),
        false,
        "acme does not answer at https://api.example/v1 (404: Not Found); check the base URL, and the model `m-1`",
    );
    check(
        400,
        error("invalid_request_error", "tools.1.custom.input_schema: JSON schema is invalid"),
        false,
        "acme refused the schema of the tool `Grep` (400: tools.1.custom.input_schema: JSON schema is invalid); choose another model with --model or :model",
    );
    check(
        400,
        json!({"error": {"message": "Invalid schema for function 'Read': no", "param": "tools[0].function.parameters"}}),
        false,
        "acme refused the schema of the tool `Read` (400: Invalid schema for function 'Read': no); choose another model with --model or :model",
    );
    check(
        400,
        error("invalid_request_error", "tools.7.x: no"),
        false,
        "acme refused a tool's schema (400: tools.7.x: no); choose another model with --model or :model",
    );
    check(
        400,
        json!({"error": "m-1 does not support tools"}),
        false,
        "the model `m-1` cannot call tools (400: m-1 does not support tools); choose one that can with --model or :model",
    );
    let window = "the conversation is longer than the model's window";
    check(
        413,
        json!({}),
        false,
        &format!("{window} (413); start a new session, or choose a model with a larger one"),
    );
    check(
        400,
        error("invalid_request_error", "prompt is too long: 9 > 8"),
        false,
        &format!(
            "{window} (400: prompt is too long: 9 > 8); start a new session, or choose a model with a larger one"
        ),
    );
    check(
        400,
        json!({"error": {"message": "This model's maximum context length is 8"}}),
        false,
        &format!(
            "{window} (400: This model's maximum context length is 8); start a new session, or choose a model with a larger one"
        ),
    );
    check(
        400,
        json!({"error": {"message": "odd"}}),
        false,
        "acme refused the request (400: odd); choose another model with --model or :model, or report it",
    );
}

#[test]
fn lists_that_are_refused() {
    let rows = [
        (
            404,
            "acme at https://api.example/v1 does not list its models (404: no); name one, or check the base URL",
        ),
        (
            405,
            "acme at https://api.example/v1 does not list its models (405: no); name one, or check the base URL",
        ),
        (401, "acme at https://api.example/v1 wants a key and has none (401: no); give it one"),
        (529, "acme is overloaded (529: no); name a model, or try again later"),
    ];
    for (status, expected) in rows {
        assert_eq!(service(None).unlisted(&Refusal::of_body(status, b"no")).sentence(), expected);
    }
}

#[test]
fn what_passes_by_itself() {
    check(429, error("rate_limit_error", "slow"), true, "acme is asked too often (429: slow)");
    check(529, error("overloaded_error", "Overloaded"), true, "acme is overloaded (529: Overloaded)");
    check(503, json!("loading model"), true, "acme is overloaded (503: loading model)");
    check(500, json!({"message": "oops"}), true, "acme has a fault of its own (500: oops)");
    check(408, json!({}), true, "acme was too slow to take the request (408)");
}

#[test]
fn waits_are_honoured_within_bounds() {
    let check = |wait: Option<u64>, retry: Option<bool>, retryable: bool, expected: Option<u64>| {
        let wait = wait.map(Duration::from_secs);
        let refusal = Refusal { status: 429, wait, retry, ..Refusal::default() };
        let failure = service(None).refused(&refusal, &[]);
        assert_eq!(
            (failure.retryable, failure.wait),
            (retryable, expected.map(Duration::from_secs)),
            "{failure:?}"
        );
        failure.sentence()
    };
    check(None, None, true, None);
    check(Some(7), None, true, Some(7));
    let told = check(Some(7), Some(false), false, None);
    assert_eq!(
        told,
        "acme is asked too often (429); try again later, or choose another model with --model or :model"
    );
    let told = check(Some(3_601), None, false, None);
    assert_eq!(
        told,
        "acme is asked too often (429); it wants to be left alone for 61 min; try again later, or choose another model with --model or :model"
    );
}

#[test]
fn a_servers_words_are_one_bounded_line_without_our_secret() {
    let key =
        refused(401, &json!({"error": {"message": "wrong key sk-secret\n\tgo\u{1b}[31m away"}}).to_string());
    assert!(key.message.contains("(401: wrong key [the key] go\u{1b}[31m away)"), "{}", key.message);
    for body in ["x".repeat(100_000), json!({"error": {"message": "漢".repeat(100_000)}}).to_string()] {
        assert!(refused(500, &body).message.chars().count() < 400);
    }
    let page = refused(502, "<html><script>alert(1)</script>");
    assert_eq!(page.message, "acme has a fault of its own (502: a web page)");
    for odd in ["", "[]", "null", "[{}]", "{\"error\":[]}", "{\"error\":{\"message\":{}}}", "\0\u{feff}"] {
        assert!(refused(418, odd).message.starts_with("acme refused the request (418"), "{odd}");
    }
    assert_eq!(
        Refusal::of_value(&json!([{"error": {"code": 400, "message": "listed", "status": "X"}}])).words,
        "listed"
    );
}

#[test]
fn another_address_is_named_and_not_followed() {
    let refusal =
        Refusal { status: 307, location: "https://elsewhere.example/".into(), ..Refusal::default() };
    let failure = service(None).refused(&refusal, &[]);
    assert_eq!(
        (failure.clone().sentence().as_str(), failure.retryable),
        (
            "acme at https://api.example/v1 points elsewhere (https://elsewhere.example/); set that address as base URL if you trust it",
            false
        )
    );
}
