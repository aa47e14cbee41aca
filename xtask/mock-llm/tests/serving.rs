//! The server as a plain client meets it: bytes in, bytes out.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use mock_llm::{
    Answer, Chunk, Cut, Delivery, Fault, Framing, MockLlm, Pace, Reply, Response, Scenario, Script, Stop,
    Trouble, Wait, When, Wire, misbehaviours,
};
use serde_json::{Value, json};

const PATHS: [(Wire, &str); 3] = [
    (Wire::Anthropic, "/v1/messages"),
    (Wire::Chat, "/v1/chat/completions"),
    (Wire::Chat, "/chat/completions"),
];

fn send(mock: &MockLlm, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(mock.address()).unwrap();
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {length}\r\n\r\n{body}");
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

fn prompt(text: &str) -> String {
    let tools: Vec<Value> = ["Read", "Write"].iter().map(|name| json!({"name": name})).collect();
    json!({"model": "mock-1", "tools": tools, "messages": [{"role": "user", "content": text}]}).to_string()
}

fn ask(mock: &MockLlm, path: &str) -> TcpStream {
    send(mock, "POST", path, "", &prompt("go"))
}

/// Everything up to the end; then whether the end was a reset.
fn rest(mut stream: TcpStream) -> (String, bool) {
    let mut bytes = Vec::new();
    let reset = match stream.read_to_end(&mut bytes) {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
            true
        }
    };
    (String::from_utf8_lossy(&bytes).into_owned(), reset)
}

/// Everything up to this text.
fn until(stream: &mut TcpStream, end: &str) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(end.as_bytes()) {
        stream.read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).unwrap()
}

/// The chunks of a chunked body, and what follows the last whole one.
fn chunks(response: &str) -> (Vec<String>, String) {
    let mut rest = response.split_once("\r\n\r\n").unwrap().1;
    let mut chunks = Vec::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 || after.len() < size {
            break;
        }
        chunks.push(after[..size].to_owned());
        rest = &after[size + 2..];
    }
    (chunks, rest.to_owned())
}

fn answer() -> Answer {
    Answer::new().thinking("hm", "sig").text("Hello").call("call_1", "Read", r#"{"file_path":"a"}"#)
}

#[test]
fn one_answer_is_written_in_both_formats() {
    for (wire, path) in PATHS {
        let mock = MockLlm::start(Script::new().then(Reply::fragments(answer(), 3))).unwrap();
        let mut stream = ask(&mock, path);
        let response = until(&mut stream, "\r\n0\r\n\r\n");
        assert!(response.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"), "{response}");
        let body = chunks(&response).0.concat();
        assert_eq!(body.as_bytes(), answer().bytes(wire, 3), "{path}");
        let data: Vec<Value> = body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter(|line| *line != "[DONE]")
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let texts = |pointer: &str| -> Vec<String> {
            let found = data.iter().filter_map(|event| event.pointer(pointer)?.as_str());
            found.filter(|text| !text.is_empty()).map(str::to_owned).collect()
        };
        let arguments = vec![r#"{"f"#, "ile", "_pa", "th\"", ":\"a", "\"}"];
        match wire {
            Wire::Anthropic => {
                assert_eq!(texts("/delta/thinking"), ["hm"]);
                assert_eq!(texts("/delta/signature"), ["sig"]);
                assert_eq!(texts("/delta/text"), ["Hel", "lo"]);
                assert_eq!(texts("/delta/partial_json"), arguments);
                assert_eq!(texts("/content_block/name"), ["Read"]);
                assert_eq!(texts("/delta/stop_reason"), ["tool_use"]);
            }
            Wire::Chat => {
                assert_eq!(texts("/choices/0/delta/reasoning_content"), ["hm"]);
                assert_eq!(texts("/choices/0/delta/content"), ["Hel", "lo"]);
                assert_eq!(texts("/choices/0/delta/tool_calls/0/function/arguments"), arguments);
                assert_eq!(texts("/choices/0/delta/tool_calls/0/function/name"), ["Read"]);
                assert_eq!(texts("/choices/0/finish_reason"), ["tool_calls"]);
                assert!(body.ends_with("data: [DONE]\n\n"));
            }
        }
    }
}

#[test]
fn a_body_is_cut_where_it_is_said() {
    let whole = answer().bytes(Wire::Chat, 0);
    for (cut, sizes) in [
        (Cut::Whole, vec![whole.len()]),
        (Cut::At(vec![5, 1, 5, 0, 99_999]), vec![1, 4, whole.len() - 5]),
        (Cut::Every(whole.len() - 2), vec![whole.len() - 2, 2]),
        (Cut::Every(1), vec![1; whole.len()]),
    ] {
        let delivery = Delivery { cut: cut.clone(), ..Delivery::default() };
        let script = Script::new().then(Reply::Say { answer: answer(), delivery });
        let mock = MockLlm::start(script).unwrap();
        let pieces = chunks(&until(&mut ask(&mock, "/v1/chat/completions"), "\r\n0\r\n\r\n")).0;
        assert_eq!(pieces.iter().map(String::len).collect::<Vec<_>>(), sizes, "{cut:?}");
        assert_eq!(pieces.concat().as_bytes(), whole);
    }
}

#[test]
fn faults_are_what_they_say() {
    let body = answer().bytes(Wire::Chat, 0);
    let at = 100;
    for (fault, sent, tail, reset) in [
        (Fault::NoAnswer, None, "", false),
        (Fault::ResetAtOnce, None, "", true),
        (Fault::CutAfter(at), Some(at), "", false),
        (Fault::CutAfter(0), Some(0), "", false),
        (Fault::CutAfter(99_999), Some(body.len()), "", false),
        (Fault::HalfChunkAfter(at), Some(at), "20\r\ndata: {\"half", false),
        (Fault::ResetAfter(at), Some(at), "", true),
    ] {
        let mock = MockLlm::start(Script::new().then(Reply::broken(answer(), fault))).unwrap();
        let (response, was_reset) = rest(ask(&mock, "/v1/chat/completions"));
        assert_eq!(was_reset, reset, "{fault:?}");
        match sent {
            None => assert_eq!(response, "", "{fault:?}"),
            Some(sent) => {
                let (pieces, left) = chunks(&response);
                assert_eq!(pieces.concat().as_bytes(), &body[..sent], "{fault:?}");
                assert_eq!(left, tail, "{fault:?}");
            }
        }
    }
}

#[test]
fn a_reset_needs_no_body_to_leave_unread() {
    let mock = MockLlm::start(Script::new().step(
        When::list(),
        Response::json(200, &json!({})).fault(Fault::ResetAtOnce),
        None,
    ))
    .unwrap();
    let mut stream = TcpStream::connect(mock.address()).unwrap();
    stream.write_all(b"GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    assert_eq!(rest(stream), (String::new(), true));
}

#[test]
fn what_stalls_ends_with_the_server_or_the_client() {
    let script = Script::new()
        .then(Reply::broken(answer(), Fault::StallAfter(0)))
        .then(Reply::broken(answer(), Fault::Silence));
    let mock = MockLlm::start(script).unwrap();
    let mut headers = ask(&mock, "/v1/messages");
    until(&mut headers, "\r\n\r\n");
    let silent = ask(&mock, "/v1/messages");
    mock.wait_for(2);
    silent.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let error = (&silent).read(&mut [0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    silent.set_read_timeout(None).unwrap();
    drop(mock);
    assert_eq!(rest(headers).0, "");
    assert_eq!(rest(silent).0, "");
}

#[test]
fn a_client_that_leaves_is_noticed() {
    let mock = MockLlm::start(Script::new().then(Reply::broken(answer(), Fault::StallAfter(50)))).unwrap();
    let mut stream = ask(&mock, "/v1/messages");
    until(&mut stream, "\r\n\r\n");
    drop(stream);
    mock.wait_until_left();
}

#[test]
fn gated_fragments_wait_for_a_release() {
    let delivery = Delivery { fragment: 1, pace: Pace::Gated, ..Delivery::default() };
    let mock = MockLlm::start(Script::new().then(Reply::Say { answer: Answer::new().text("abc"), delivery }))
        .unwrap();
    let mut stream = ask(&mock, "/v1/messages");
    for letter in ["a", "b", "c"] {
        mock.release(1);
        let come = until(&mut stream, &format!("\"text\":\"{letter}\""));
        assert!(!come.contains("message_stop"), "{come}");
    }
    until(&mut stream, "\r\n0\r\n\r\n");
}

#[test]
fn a_gate_ends_with_the_server() {
    let chunk = Chunk { wait: Wait::Gate, bytes: b"x".to_vec() };
    let mock = MockLlm::start(Script::new().then(Response::events(vec![chunk]))).unwrap();
    let mut stream = ask(&mock, "/v1/messages");
    until(&mut stream, "\r\n\r\n");
    drop(mock);
    assert_eq!(rest(stream).0, "");
}

#[test]
fn errors_have_their_vendors_shape() {
    let retry = Trouble::RateLimited { retry_after: Some(7) };
    for (trouble, status, anthropic, chat) in [
        (Trouble::BadKey, 401, "authentication_error", "invalid_api_key"),
        (Trouble::Forbidden, 403, "permission_error", "forbidden"),
        (Trouble::UnknownModel, 404, "model: mock-1", "The model `mock-1` does not exist"),
        (Trouble::RefusedSchema, 400, "tools.0.custom.input_schema", "Invalid schema for function 'Read'"),
        (Trouble::BadRequest("why".into()), 400, "why", "why"),
        (Trouble::TooManyTokens, 400, "prompt is too long", "context_length_exceeded"),
        (Trouble::TooLarge, 413, "request_too_large", "request_too_large"),
        (retry, 429, "retry-after: 7\r\n", "retry-after: 7\r\n"),
        (Trouble::Internal, 500, "api_error", "server_error"),
        (Trouble::BadGateway, 502, "<h1>502 Bad Gateway</h1>", "content-type: text/html"),
        (Trouble::Unavailable, 503, "api_error", "temporarily"),
        (Trouble::Overloaded, 529, "overloaded_error", "Overloaded"),
        (Trouble::Html, 200, "<!doctype html>", "content-type: text/html"),
        (Trouble::NotAStream, 200, "application/json", "{\"status\":\"ok\"}"),
        (Trouble::Redirect("http://x/".into()), 307, "location: http://x/", "location: http://x/"),
    ] {
        for (wire, path) in PATHS {
            let mock = MockLlm::start(Script::new().then(trouble.clone())).unwrap();
            let stream = ask(&mock, path);
            mock.wait_for(1);
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let response = rest(stream).0;
            assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{response}");
            let part = if wire == Wire::Anthropic { anthropic } else { chat };
            assert!(response.contains(part), "{part}: {response}");
            if response.contains("application/json") && status != 200 {
                let body: Value = serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap();
                assert_eq!(body["type"] == "error", wire == Wire::Anthropic, "{body}");
                assert!(body["error"]["message"].is_string() && body["error"]["type"].is_string(), "{body}");
            }
        }
    }
}

#[test]
fn steps_are_used_in_order_and_by_condition() {
    let say = |text: &str| Answer::new().text(text);
    let script = Script::new()
        .when(When::model("mock-2"), say("other model"))
        .when(When::round(1), say("after results"))
        .then(say("first"))
        .then(say("second").stop(Stop::MaxTokens))
        .otherwise(say("for ever"));
    let mock = MockLlm::start(script).unwrap();
    let user = json!({"role": "user", "content": "x"});
    let called = json!({"role": "assistant", "content": null, "tool_calls": []});
    let result = json!({"role": "tool", "content": "found"});
    for (model, messages, expected) in [
        ("mock-1", json!([user]), "\"first\""),
        ("mock-1", json!([user, called, result]), "after results"),
        ("mock-2", json!([user]), "other model"),
        ("mock-1", json!([user]), "second"),
        ("mock-1", json!([user]), "for ever"),
        ("mock-1", json!([user]), "for ever"),
    ] {
        let body = json!({"model": model, "messages": messages}).to_string();
        let response = until(&mut send(&mock, "POST", "/v1/chat/completions", "", &body), "\r\n0\r\n\r\n");
        assert!(response.contains(expected), "{expected}: {response}");
    }
    assert_eq!(mock.asked().len(), 6);
    assert_eq!(mock.asked()[1].results(), ["found"]);
}

#[test]
fn requests_are_kept_as_they_came_on_one_connection() {
    let mock = MockLlm::start(Script::new().otherwise(Answer::new().text("hi"))).unwrap();
    let mut stream = send(&mock, "POST", "/v1/messages?beta=true", "X-Api-Key: mock\r\n", &prompt("one"));
    until(&mut stream, "\r\n0\r\n\r\n");
    let body = prompt("two");
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    until(&mut stream, "\r\n0\r\n\r\n");
    let requests = mock.requests();
    let seen: Vec<_> = requests.iter().map(|r| (r.method.as_str(), r.path.as_str(), r.prompt())).collect();
    assert_eq!(
        seen,
        [("POST", "/v1/messages", "one".to_owned()), ("POST", "/v1/chat/completions", "two".to_owned())]
    );
    assert_eq!(requests[0].header("x-api-key"), Some("mock"));
    assert_eq!(requests[1].bytes, body.as_bytes());
    assert_eq!(requests[0].tools(), ["Read", "Write"]);
}

#[test]
fn lists_of_models_are_in_the_shape_that_is_asked_for() {
    let mock = MockLlm::start(Script::new().models(&["a", "b"])).unwrap();
    for (path, headers, pointer) in [
        ("/v1/models", "anthropic-version: 2023-06-01\r\n", "/data/1/display_name"),
        ("/v1/models", "authorization: Bearer mock\r\n", "/data/1/id"),
        ("/models", "", "/data/1/id"),
        ("/api/tags", "", "/models/1/name"),
    ] {
        let mut stream = send(&mock, "GET", path, &format!("{headers}x: y\r\n"), "");
        let head = until(&mut stream, "\r\n\r\n");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        stream.read_exact(&mut body).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body.pointer(pointer), Some(&json!("b")), "{path} {body}");
    }
    assert_eq!(mock.asked(), []);
}

#[test]
fn what_is_no_request_gets_a_status() {
    let mock = MockLlm::start(Script::new()).unwrap();
    for (bytes, status) in [
        ("GET /nowhere HTTP/1.1\r\n\r\n", 404),
        ("nonsense\r\n\r\n", 400),
        ("POST /v1/messages HTTP/1.1\r\ncontent-length: many\r\n\r\n", 400),
        ("POST /v1/messages HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n", 413),
        ("POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", 411),
        ("POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}", 400),
    ] {
        let mut stream = TcpStream::connect(mock.address()).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let line = until(&mut stream, "\r\n");
        assert!(line.starts_with(&format!("HTTP/1.1 {status} ")), "{bytes}: {line}");
    }
}

#[test]
fn many_clients_at_once() {
    let mock = MockLlm::start(Script::new().otherwise(Reply::fragments(answer(), 1))).unwrap();
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| until(&mut ask(&mock, "/v1/messages"), "\r\n0\r\n\r\n"));
        }
    });
    assert_eq!(mock.asked().len(), 20);
}

#[test]
fn an_echo_does_what_it_is_told() {
    let mock = MockLlm::start(Script::echo(Delivery::default())).unwrap();
    for (text, parts) in [
        ("hello", &["> hello", "scripted server"][..]),
        ("read a.txt; write b.txt", &["\"name\":\"Read\"", "\"name\":\"Write\"", "\"tool_use\""]),
        ("bash ls", &["I was offered no tool `Bash`"]),
        ("think about it\nlong", &["thinking_delta", "# A long answer"]),
    ] {
        let mut stream = send(&mock, "POST", "/v1/messages", "", &prompt(text));
        let response = until(&mut stream, "\r\n0\r\n\r\n");
        for part in parts {
            assert!(response.contains(part), "{text}: {part}: {response}");
        }
    }
}

#[test]
fn every_scenario_can_be_read_and_answers() {
    let all = Scenario::built_in().unwrap();
    let names: Vec<&str> = all.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(
        names,
        ["echo", "conversation", "slow-write", "long-answer", "errors", "hostile", "misbehave"]
    );
    for scenario in all {
        assert!(!scenario.about.is_empty(), "{}", scenario.name);
        let mock = MockLlm::start(scenario.script).unwrap();
        let line = until(&mut ask(&mock, "/v1/messages"), "\r\n");
        let expected = if scenario.name == "errors" { "401" } else { "200" };
        assert_eq!(line.split(' ').nth(1), Some(expected), "{}", scenario.name);
    }
}

#[test]
fn a_wrong_line_of_a_scenario_is_named() {
    for (text, expected) in [
        ("\n{", "s, line 2: EOF while parsing an object at line 1 column 1"),
        ("{}", "s, line 1: a step has one of `say`, `error`, `echo`"),
        (r#"{"say":[{}]}"#, "s, line 1: a part has one of `thinking`, `text`, `call`"),
        (r#"{"error":"odd"}"#, "s, line 1: there is no error `odd`"),
        (
            r#"{"say":[],"fault":"odd"}"#,
            "s, line 1: `fault` is close, silence, reset, half-chunk or stall, not `odd`",
        ),
        (r#"{"say":[],"stop":"odd"}"#, "s, line 1: `stop` is max_tokens or refusal, not `odd`"),
    ] {
        assert_eq!(Scenario::parse("s", text).unwrap_err().to_string(), expected);
    }
    let error = Scenario::find("no/such.jsonl").unwrap_err().to_string();
    assert!(error.starts_with("no/such.jsonl: "), "{error}");
}

#[test]
fn every_misbehaviour_can_be_served() {
    for (wire, path) in &PATHS[..2] {
        for one in misbehaviours(*wire) {
            let script = one.replies.iter().fold(Script::new(), |script, reply| script.then(reply.clone()));
            let mock = MockLlm::start(script).unwrap();
            for at in 1..=one.replies.len() {
                let stream = ask(&mock, path);
                // What says nothing, or goes on for long, ends with the server.
                mock.wait_for(at);
                drop(stream);
            }
            assert_eq!(mock.asked().len(), one.replies.len(), "{} {}", one.number, one.about);
        }
    }
}

#[test]
fn a_body_may_end_with_the_connection() {
    let response = Response { framing: Framing::UntilClose, ..Response::cut(b"data: x\n\n", &Cut::Every(2)) };
    let mock = MockLlm::start(Script::new().then(response)).unwrap();
    let (text, reset) = rest(ask(&mock, "/v1/messages"));
    assert!(text.ends_with("\r\n\r\ndata: x\n\n") && !reset, "{text}");
}

#[test]
fn a_prompt_with_a_number_gets_that_fault_in_its_forms() {
    let mock = MockLlm::start(Scenario::find("misbehave").unwrap().script).unwrap();
    for (path, text, part) in [
        ("/v1/messages", "#24", "\"stop_reason\":\"end_turn\""),
        ("/v1/chat/completions", "do #24 please", "\"finish_reason\":\"stop\""),
        ("/v1/chat/completions", "#24", "eos_token"),
        ("/v1/messages", "#24", "You said"),
        ("/v1/messages", "#01", "You said"),
    ] {
        let mut stream = send(&mock, "POST", path, "", &prompt(text));
        let response = until(&mut stream, "\r\n0\r\n\r\n");
        let said: String = chunks(&response).0.concat();
        let texts: String =
            said.split("\"text\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(said.contains(part) || texts.contains(part), "{path} {text}: {said}");
    }
}
