//! What the providers send: headers, tools, the conversation, in the words of each wire.

use carpel_pod::provider::StreamEvent;
use mock_llm::{Answer, Fault, MockLlm, Reply, Request, Script, Trouble, When, Wire};
use serde_json::{Value, json};

use crate::common::{SECRET, provider, request, turn, without_key};

/// The two requests of a turn with one call.
async fn asked(wire: Wire) -> Vec<Request> {
    let script = Script::new()
        .when(
            When::round(0),
            Reply::fragments(
                Answer::new().thinking("hm", "c2ln+/==").text("I look").call(
                    "call_1",
                    "Read",
                    r#"{"file_path":"a"}"#,
                ),
                0,
            ),
        )
        .when(When::round(1), Answer::new().text("done"));
    let mock = MockLlm::start(script).unwrap();
    turn(provider(wire, &mock)).await;
    let asked = mock.asked();
    assert_eq!(asked.len(), 2);
    asked
}

#[tokio::test]
async fn anthropic_is_asked_in_its_words() {
    let asked = asked(Wire::Anthropic).await;
    let [first, second] = [&asked[0], &asked[1]];
    assert_eq!(first.path, "/v1/messages");
    assert_eq!(first.header("x-api-key"), Some(SECRET));
    assert_eq!(first.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(first.body["stream"], true);
    assert_eq!(first.body["model"], "mock-1");
    assert!(first.body["max_tokens"].as_u64().is_some_and(|most| most > 0));
    for tool in first.body["tools"].as_array().unwrap() {
        assert_eq!(tool["eager_input_streaming"], true, "{tool}");
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
    }
    assert!(first.body.to_string().contains("\"cache_control\""), "{}", first.body);
    let messages = second.body["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let said = messages[1]["content"].as_array().unwrap();
    assert_eq!(said[0], json!({"type": "thinking", "thinking": "hm", "signature": "c2ln+/=="}));
    assert_eq!((&said[1]["type"], &said[1]["text"]), (&json!("text"), &json!("I look")));
    assert_eq!((&said[2]["name"], &said[2]["input"]), (&json!("Read"), &json!({"file_path": "a"})));
    let result = &messages[2]["content"][0];
    assert_eq!((&result["type"], &result["tool_use_id"]), (&json!("tool_result"), &said[2]["id"]));
}

#[tokio::test]
async fn chat_completions_are_asked_in_their_words() {
    let asked = asked(Wire::Chat).await;
    let [first, second] = [&asked[0], &asked[1]];
    assert_eq!(first.path, "/v1/chat/completions");
    assert_eq!(first.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert_eq!(first.body["stream"], true);
    assert_eq!(first.body["stream_options"]["include_usage"], true);
    assert_eq!(first.body["tools"][0]["type"], "function");
    assert_eq!(first.body["tools"][0]["function"]["parameters"]["type"], "object");
    let messages = second.body["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles[1..], ["user", "assistant", "tool"]);
    assert_eq!(messages[2]["content"], "I look");
    let call = &messages[2]["tool_calls"][0];
    assert_eq!(call["type"], "function");
    assert_eq!(call["function"], json!({"name": "Read", "arguments": "{\"file_path\":\"a\"}"}));
    assert_eq!(messages[3]["tool_call_id"], call["id"]);
    assert_eq!(messages[3]["content"], "the text");
}

#[tokio::test]
async fn models_are_listed() {
    for wire in Wire::ALL {
        let mock = MockLlm::start(Script::new().models(&["b", "a"])).unwrap();
        let mut models = provider(wire, &mock).models().await.unwrap();
        models.sort();
        assert_eq!(models, ["a", "b"], "{wire:?}");
    }
}

#[tokio::test]
async fn a_list_that_is_refused_is_told_in_one_sentence() {
    for wire in Wire::ALL {
        let script = Script::new().step(When::list(), Trouble::BadKey, None);
        let mock = MockLlm::start(script).unwrap();
        let sentence = provider(wire, &mock).models().await.unwrap_err();
        assert!(sentence.contains("MOCK_API_KEY") && !sentence.contains(SECRET), "{wire:?}: {sentence}");
    }
}

#[tokio::test]
async fn without_a_key_none_is_sent() {
    for wire in Wire::ALL {
        let mock = MockLlm::start(Script::new().then(Answer::new().text("hi"))).unwrap();
        turn(without_key(wire, &mock)).await;
        let asked = &mock.asked()[0];
        assert_eq!((asked.header("x-api-key"), asked.header("authorization")), (None, None), "{wire:?}");
    }
}

#[tokio::test]
async fn a_step_that_nobody_wants_any_more_closes_its_connection() {
    for wire in Wire::ALL {
        let answer = Answer::new().text("The first words, and then nothing for a long time.");
        let half = answer.bytes(wire, 4).len() / 2;
        let script = Script::new().then(Reply::broken(answer, Fault::StallAfter(half)));
        let mock = MockLlm::start(script).unwrap();
        let mut stream = provider(wire, &mock).stream(request());
        assert!(
            matches!(stream.recv().await, Some(StreamEvent::Start { .. } | StreamEvent::Usage(_))),
            "{wire:?}"
        );
        drop(stream);
        tokio::task::spawn_blocking(move || mock.wait_until_left()).await.unwrap();
    }
}
