//! Whole requests over a loopback socket: what is sent, what comes of answers, silences and hang-ups.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use serde_json::{Value, json};

use super::anthropic::Anthropic;
use super::endpoint::{Endpoint, EndpointError, Key, Options};
use super::openai::OpenAi;
use super::played::settled;
use super::{Failure, Message, Provider, Request, StreamEvent};
use crate::tools::Workspace;
use crate::worker::scripted::puppets;
use crate::worker::turn::EndReason;
use crate::worker::{TurnControl, Worker, WorkerSettings};

/// What was asked: the head as it came, and the body.
struct Asked {
    head: String,
    body: Value,
}

/// Answers each connection with the next answer; says what was asked.
fn serve(answers: Vec<String>) -> (String, mpsc::Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            sender.send(asked(&stream)).unwrap();
            // Who has read enough may hang up.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (address, receiver)
}

fn asked(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
    }
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    Asked { head: head.to_lowercase(), body: serde_json::from_slice(&body).unwrap_or(Value::Null) }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n{body}")
}

fn ok(body: &str) -> String {
    answer("200 OK", "content-type: text/event-stream\r\n", body)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(future);
    runtime.shutdown_background();
    done
}

fn request() -> Arc<Request> {
    let messages = vec![Message::User { text: "go".into() }];
    Arc::new(Request { system: String::new(), messages, tools: Vec::new() })
}

fn endpoint(base_url: &str) -> Endpoint {
    Endpoint {
        base_url: base_url.into(),
        key: Some(Key::new("sk-secret", "SOME_KEY")),
        model: "claude-opus-4-7".into(),
    }
}

fn step(provider: &dyn Provider) -> Vec<StreamEvent> {
    block_on(async {
        let mut receiver = provider.stream(request());
        let mut events = Vec::new();
        while let Some(event) = receiver.recv().await {
            events.push(event);
        }
        events
    })
}

fn anthropic(base_url: &str) -> Anthropic {
    Anthropic::new(endpoint(base_url), Options::default()).unwrap()
}

fn openai(base_url: &str, idle: Duration) -> OpenAi {
    OpenAi::new("ollama", endpoint(base_url), Options { idle, ..Options::default() }).unwrap()
}

const HOUR: Duration = Duration::from_secs(3_600);
const ENDED: &str = "data: {\"type\":\"message_stop\"}\n\n";
const DONE: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n";

#[test]
fn what_is_sent_where() {
    for base in ["", "/", "/v1", "/v1/"] {
        let (address, asked) = serve(vec![ok(ENDED)]);
        assert_eq!(settled(&step(&anthropic(&format!("{address}{base}")))), ["EndTurn"]);
        let asked = asked.recv().unwrap();
        assert!(asked.head.starts_with("post /v1/messages http/1.1\r\n"), "{}", asked.head);
        for header in
            ["x-api-key: sk-secret", "anthropic-version: 2023-06-01", "content-type: application/json"]
        {
            assert!(asked.head.contains(&format!("\r\n{header}\r\n")), "{}", asked.head);
        }
        assert_eq!(asked.body["stream"], true);
    }
    for (base, path) in [
        ("", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/api/v3/", "/api/v3/chat/completions"),
    ] {
        let (address, asked) = serve(vec![ok(DONE)]);
        assert_eq!(settled(&step(&openai(&format!("{address}{base}"), HOUR))), ["text a", "EndTurn"]);
        let asked = asked.recv().unwrap();
        assert!(asked.head.starts_with(&format!("post {path} http/1.1\r\n")), "{}", asked.head);
        assert!(asked.head.contains("\r\nauthorization: bearer sk-secret\r\n"), "{}", asked.head);
    }
}

#[test]
fn what_a_server_does_not_know_is_left_out_and_not_tried_again() {
    let refusal = |message: &str| {
        answer(
            "400 Bad Request",
            "",
            &json!({"error": {"type": "invalid_request_error", "message": message}}).to_string(),
        )
    };
    let (address, asked) = serve(vec![
        refusal("thinking: adaptive is not supported"),
        refusal("max_tokens: 64000 > 8192"),
        ok(ENDED),
        ok(ENDED),
        refusal("odd"),
    ]);
    let provider = anthropic(&address);
    assert_eq!(settled(&step(&provider)), ["EndTurn"]);
    assert_eq!(settled(&step(&provider)), ["EndTurn"]);
    let odd = "failed false anthropic refused the request (400: odd); choose another model with --model or :model, or report it";
    assert_eq!(settled(&step(&provider)), [odd]);
    let asked: Vec<String> = asked
        .iter()
        .map(|asked| format!("{} {}", asked.body["thinking"]["type"], asked.body["max_tokens"]))
        .collect();
    let learned = r#""enabled" 8192"#;
    assert_eq!(asked, [r#""adaptive" 64000"#, r#""enabled" 64000"#, learned, learned, learned]);

    let (address, asked) = serve(vec![refusal("Unknown parameter: stream_options"), ok(DONE)]);
    assert_eq!(settled(&step(&openai(&address, HOUR))), ["text a", "EndTurn"]);
    let asked: Vec<Value> = asked.iter().map(|asked| asked.body["stream_options"].clone()).collect();
    assert_eq!(asked, [json!({"include_usage": true}), Value::Null]);
}

#[test]
fn refusals_say_how_long_to_wait() {
    let check = |status: &str, headers: &str, expected: Option<u64>| {
        let (address, _asked) = serve(vec![answer(status, headers, "{}")]);
        let events = step(&anthropic(&address));
        let [StreamEvent::Failed(Failure { retryable: true, wait, .. })] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!(*wait, expected.map(Duration::from_millis));
    };
    check("429 Too Many Requests", "retry-after: 2\r\n", Some(2_000));
    check("529 Overloaded", "retry-after-ms: 1500\r\nretry-after: 9\r\n", Some(1_500));
    check("503 Service Unavailable", "retry-after: -1\r\n", None);
    check("503 Service Unavailable", "retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n", None);
    let date = |seconds: u32| format!("Fri, 31 Dec 1999 23:59:{seconds:02} GMT\r\n");
    let dates = format!("date: {}retry-after: {}", date(10), date(52));
    check("429 Too Many Requests", &dates, Some(42_000));
    check("429 Too Many Requests", "retry-after: soon\r\n", None);
    check("500 Oops", "", None);
}

#[test]
fn misbehaviour_40_a_silent_server_is_left_and_a_slow_one_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for slow in [false, true] {
            let (mut stream, _) = listener.accept().unwrap();
            asked(&stream);
            stream.write_all(ok("").as_bytes()).unwrap();
            // Longer than the idle time in all, with something to hear in between.
            for byte in DONE.as_bytes().iter().take(if slow { usize::MAX } else { 0 }) {
                std::thread::sleep(Duration::from_millis(20));
                stream.write_all(&[*byte]).unwrap();
            }
            if !slow {
                std::mem::forget(stream);
            }
        }
    });
    let provider = openai(&address, Duration::from_millis(700));
    assert_eq!(settled(&step(&provider)), ["failed true ollama said nothing for 0.7 s"]);
    assert_eq!(settled(&step(&provider)), ["text a", "EndTurn"]);
}

#[test]
fn a_dropped_receiver_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        for answers in [false, true] {
            let (mut stream, _) = listener.accept().unwrap();
            asked(&stream);
            if answers {
                stream
                    .write_all(ok("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n").as_bytes())
                    .unwrap();
            }
            // Returns when the other side is gone.
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
        }
    });
    block_on(async {
        let provider = openai(&address, HOUR);
        let before = provider.stream(request());
        // The request is on its way, and nothing has come back.
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(before);
        let mut within = provider.stream(request());
        assert!(matches!(within.recv().await, Some(StreamEvent::Start { .. })));
        drop(within);
        tokio::task::spawn_blocking(move || server.join().unwrap()).await.unwrap();
    });
}

#[test]
fn nobody_there() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let check = |base: &str, expected: &str| {
        let events = step(&openai(base, HOUR));
        let [StreamEvent::Failed(failure @ Failure { retryable: false, .. })] = &events[..] else {
            panic!("{events:?}")
        };
        let message = failure.clone().sentence();
        assert!(message.starts_with(expected), "{message}");
        assert!(!message.contains("sk-secret") && !message.contains("pass"), "{message}");
    };
    check(
        &format!("http://{free}"),
        &format!("ollama: nothing answers at http://{free}/v1 (Connection refused"),
    );
    check(
        &format!("http://user:pass@{free}/x"),
        &format!("ollama: nothing answers at http://{free}/x (Connection refused"),
    );
}

#[test]
fn a_connection_that_is_not_safe() {
    let (address, _asked) = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        });
        (format!("https://{address}"), thread)
    };
    match OpenAi::new("ollama", endpoint(&address), Options::default()) {
        Ok(provider) => {
            let events = step(&provider);
            let [StreamEvent::Failed(failure @ Failure { retryable: false, .. })] = &events[..] else {
                panic!("{events:?}")
            };
            let message = &failure.message;
            assert!(
                message.starts_with(&format!("ollama: no safe connection to {address}/v1 (")),
                "{message}"
            );
        }
        // A machine without certificates says so at once.
        Err(error) => assert!(matches!(error, EndpointError::Tls { .. }), "{error}"),
    }
}

/// It accepts and never says a word of TLS: one unreachable address, not a stream to be asked for again.
#[test]
fn a_silent_port_with_tls_is_left_and_tls_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let options = Options { connect: Duration::from_millis(300), ..Options::default() };
    match OpenAi::new("ollama", endpoint(&address), options) {
        Ok(provider) => assert_eq!(
            settled(&step(&provider)),
            [format!(
                "failed false ollama: no TLS connection to {address}/v1 within 0.3 s; check the address and the network, and whether TLS is spoken there"
            )]
        ),
        Err(error) => assert!(matches!(error, EndpointError::Tls { .. }), "{error}"),
    }
}

/// A date is honoured within the bounds of a number of seconds, whatever the clock here says.
#[test]
fn a_date_to_come_back_at_may_be_too_far_away() {
    let (address, _asked) =
        serve(vec![answer("429 X", "retry-after: Fri, 31 Dec 2999 23:59:59 GMT\r\n", "{}")]);
    let told = settled(&step(&openai(&address, HOUR))).remove(0);
    assert!(told.starts_with("failed false ollama is asked too often (429); it wants to be left"), "{told}");
}

/// What passes is waited out once; what lasts is not. Each ends with a way out.
#[test]
fn a_list_is_asked_for_once_more() {
    let options = || Options { list_again: Some(Duration::ZERO), ..Options::default() };
    let check = |answers: &[&str], expected: Result<&[&str], &str>| {
        let (address, asked) = serve(answers.iter().map(ToString::to_string).collect());
        let provider = OpenAi::new("ollama", endpoint(&address), options()).unwrap();
        let listed = block_on(provider.models()).map_err(|problem| problem.replace(&address, "ADDRESS"));
        let expected = expected.map(|ids| ids.iter().map(ToString::to_string).collect());
        assert_eq!(listed, expected.map_err(str::to_owned), "{answers:?}");
        assert_eq!(asked.iter().count(), answers.len(), "{answers:?}");
    };
    let fault = answer("500 Oops", "", "boom");
    let list = answer("200 OK", "", "{\"data\":[{\"id\":\"a\"}]}");
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n{";
    let late = answer("503 Busy", "retry-after: 60\r\n", "");
    let boom = "ollama has a fault of its own (500: boom); name a model, or try again later";
    check(&[&fault, &list], Ok(&["a"]));
    check(&["", &list], Ok(&["a"]));
    check(&[cut, &list], Ok(&["a"]));
    check(&[&fault, &fault], Err(boom));
    check(&[&late], Err("ollama is overloaded (503); name a model, or try again later"));
    let broken = "ollama: the connection to ADDRESS/v1 broke off (connection closed before message completed); check the server and its address, name a model, or try again later";
    check(&["", ""], Err(broken));
    let key = answer("401 No", "", "");
    let refused = "ollama does not know the key from SOME_KEY (401); put a valid one into SOME_KEY";
    check(&[&key], Err(refused));
}

/// A server that answers without a word of an answer is named with its address: it may be another one.
#[test]
fn answers_without_anything_in_them() {
    let empty = "sent an empty answer; see what the server says of it in its log, or check the base URL";
    for reply in [
        "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".to_owned(),
        ok(""),
        ok("\n\n"),
        ok(": keep-alive\n\n"),
        ok("data: [DONE]\n\n"),
        ok("\u{1f}\u{8b}\u{8}\0junk"),
    ] {
        let (address, _asked) = serve(vec![reply.clone(), reply]);
        let at = format!("at {address}");
        let expected = |provider: &str, path: &str| [format!("failed true {provider} {at}{path} {empty}")];
        assert_eq!(settled(&step(&openai(&address, HOUR))), expected("ollama", "/v1"));
        assert_eq!(settled(&step(&anthropic(&address))), expected("anthropic", ""));
    }
}

#[test]
fn what_is_no_http_is_not_asked_again() {
    for banner in ["SSH-2.0-OpenSSH\r\n", "220 mail ESMTP\r\n"] {
        let (address, _asked) = serve(vec![banner.to_owned()]);
        let expected = format!(
            "ollama at {address}/v1 answers something that is no HTTP, not the API; is the base URL right?"
        );
        assert_eq!(settled(&step(&openai(&address, HOUR))), [format!("failed false {expected}")]);
    }
}

/// Answers that come from something else than the service, to a question and to the wish for a list.
#[test]
fn what_is_not_the_api() {
    let page = "<!doctype html><p>Welcome</p>";
    let rows = [
        ("200 OK", page, "answers HTML, not the API; is the base URL right?"),
        (
            "200 OK",
            "{\"hello\":1}",
            "answers something that is no answer, not the API; is the base URL right?",
        ),
        (
            "407 Proxy Authentication Required",
            page,
            "answers as a proxy that wants a name and a password (407: a web page); check the base URL",
        ),
    ];
    for (status, body, expected) in rows {
        let (address, _asked) = serve(vec![answer(status, "", body)]);
        let events = step(&openai(&address, HOUR));
        assert_eq!(settled(&events), [format!("failed false ollama at {address}/v1 {expected}")]);
    }
    let lists = |body: &str| {
        let (address, _asked) = serve(vec![answer("200 OK", "", body)]);
        let problem = block_on(openai(&address, HOUR).models()).unwrap_err();
        problem.replace(&address, "ADDRESS")
    };
    assert_eq!(lists(page), "ollama at ADDRESS/v1 answers HTML, not the API; is the base URL right?");
    assert_eq!(
        lists("hello"),
        "ollama at ADDRESS/v1 answers something that is no JSON, not the API; is the base URL right?"
    );
}

#[test]
fn what_is_too_large_is_told_with_its_size() {
    let piece = "x".repeat(33 * 1024 * 1024);
    let (address, _asked) = serve(vec![ok(&format!("data: {piece}"))]);
    assert_eq!(
        settled(&step(&openai(&address, HOUR))),
        [format!(
            "failed false ollama at {address}/v1 sent more than 32 MiB in one piece, which is not read; is the base URL right?"
        )]
    );
    let (address, _asked) = serve(vec![answer("200 OK", "", &format!("{{\"data\":[\"{piece}"))]);
    assert_eq!(
        block_on(openai(&address, HOUR).models()),
        Err(format!(
            "ollama at {address}/v1 answers with a list of 16 MiB or more, which is not read; name a model with --model"
        ))
    );
}

#[test]
fn settings_that_cannot_work_are_refused_at_once() {
    let check = |base: &str, key: &str, model: &str, expected: &str| {
        let endpoint =
            Endpoint { base_url: base.into(), key: Some(Key::new(key, "SOME_KEY")), model: model.into() };
        let error = OpenAi::new("openai", endpoint, Options::default()).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    let example = "it looks like http://localhost:11434/v1";
    check(
        "localhost:1",
        "k",
        "m",
        &format!(
            "the address `localhost:1` of openai cannot be read (it begins with neither http:// nor https://); {example}"
        ),
    );
    check(
        "http://u:p@h:x/",
        "k",
        "m",
        &format!("the address `…@h:x/` of openai cannot be read (invalid port number); {example}"),
    );
    check(
        "http://localhost",
        "a\nb",
        "m",
        "the key from SOME_KEY holds characters that no key has; copy it again, as one line",
    );
    check("http://localhost", "k", " ", "no model is named for openai; name one with --model");
}

#[test]
fn models_are_listed_and_tell_the_window() {
    let page = |ids: &[&str], more: bool| {
        let data: Vec<Value> = ids.iter().map(|id| json!({"id": id, "max_input_tokens": 500_000})).collect();
        answer("200 OK", "", &json!({"data": data, "has_more": more, "last_id": ids.last()}).to_string())
    };
    let (address, asked) = serve(vec![page(&["a", "b"], true), page(&["claude-opus-4-7"], false)]);
    let provider = anthropic(&address);
    assert_eq!(provider.context_limit(), Some(1_000_000));
    assert_eq!(block_on(provider.models()), Ok(vec!["a".into(), "b".into(), "claude-opus-4-7".into()]));
    assert_eq!(provider.context_limit(), Some(500_000));
    let heads: Vec<String> =
        asked.iter().map(|asked| asked.head.lines().next().unwrap().to_owned()).collect();
    assert_eq!(heads, ["get /v1/models?limit=100 http/1.1", "get /v1/models?limit=100&after_id=b http/1.1"]);

    let (address, _asked) = serve(vec![answer("401 No", "", "{}")]);
    let provider = openai(&address, HOUR);
    let refused = "ollama does not know the key from SOME_KEY (401); put a valid one into SOME_KEY";
    assert_eq!(block_on(provider.models()), Err(refused.to_owned()));
    assert_eq!(provider.context_limit(), None);
}

/// A turn over a real connection: refused for now, cut in the middle of a call, then whole.
#[test]
fn misbehaviour_41_a_turn_asks_again_and_runs_a_tool_once() {
    let call = json!([{"index": 0, "id": "a", "function": {"name": "Make", "arguments": "{\"tag\":\"x\"}"}}]);
    let call =
        format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "I make.", "tool_calls": call}}]}));
    let (address, asked) = serve(vec![
        answer("529 Overloaded", "retry-after: 0\r\n", "{}"),
        ok(&call),
        ok(&format!("{call}data: [DONE]\n\n")),
        ok(DONE),
    ]);
    let (toolbox, log) = puppets();
    let folder = tempfile::tempdir().unwrap();
    let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
    let settings = WorkerSettings { retry_delays: vec![Duration::ZERO; 3], ..WorkerSettings::default() };
    let mut worker = Worker::new(Arc::new(openai(&address, HOUR)), toolbox, workspace, settings);
    let abandoned = Arc::new(Mutex::new(Vec::new()));
    worker.on_step_abandoned({
        let abandoned = abandoned.clone();
        move |step| abandoned.lock().unwrap().push(step.reason.to_owned())
    });
    let report = block_on(worker.run(request().messages.clone(), &TurnControl::new()));
    assert_eq!((report.end.reason, report.end.message), (EndReason::Completed, None));
    assert_eq!(log.lock().unwrap().as_slice(), ["start x", "end x"]);
    assert_eq!(
        abandoned.lock().unwrap().as_slice(),
        ["ollama is overloaded (529)", "ollama broke its answer off before it was whole"]
    );
    let roles: Vec<String> = asked
        .iter()
        .map(|asked| {
            let messages = asked.body["messages"].as_array().unwrap().clone();
            messages.iter().map(|message| message["role"].as_str().unwrap().to_owned() + " ").collect()
        })
        .collect();
    assert_eq!(roles, ["user ", "user ", "user ", "user assistant tool "]);
}
