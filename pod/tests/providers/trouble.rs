//! Errors of servers: which are asked again, which end the turn, and in what words. No tool runs twice.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use carpel_pod::worker::turn::EndReason;
use mock_llm::{Answer, Fault, MockLlm, Reply, Script, Trouble, Wire};

use crate::common::{SECRET, Turn, provider, provider_at, turn};

fn call() -> Answer {
    Answer::new().text("I look").call("call_1", "Read", r#"{"file_path":"a"}"#)
}

#[tokio::test]
async fn what_passes_is_asked_again_and_tools_run_once() {
    for wire in Wire::ALL {
        let late = call().bytes(wire, 0).len() / 2;
        for trouble in [
            Trouble::RateLimited { retry_after: None }.into(),
            Trouble::Internal.into(),
            Trouble::BadGateway.into(),
            Trouble::Unavailable.into(),
            Trouble::Overloaded.into(),
            Reply::broken(call(), Fault::CutAfter(late)),
            Reply::broken(call(), Fault::HalfChunkAfter(late)),
            Reply::broken(call(), Fault::StallAfter(late)),
            Reply::broken(call(), Fault::StallAfter(0)),
            Reply::broken(call(), Fault::Silence),
            Reply::broken(call(), Fault::ResetAfter(late)),
            Reply::broken(call(), Fault::ResetAtOnce),
            Reply::broken(call(), Fault::NoAnswer),
        ] {
            let about = format!("{wire:?} {trouble:?}");
            // In the first step, and again in the step after the call.
            let script =
                Script::new().then(trouble.clone()).then(call()).then(trouble).then(Answer::new().text("ok"));
            let mock = MockLlm::start(script).unwrap();
            let turn = turn(provider(wire, &mock)).await;
            assert_eq!(turn.report.end.reason, EndReason::Completed, "{about}: {:?}", turn.report.end);
            assert_eq!(turn.runs, [r#"{"file_path":"a"}"#], "{about}");
            assert_eq!(turn.abandoned.len(), 2, "{about}: {:?}", turn.abandoned);
            assert_eq!(mock.asked().len(), 4, "{about}");
            // The half answer is not in what is sent again.
            assert_eq!(mock.asked()[0].body, mock.asked()[1].body, "{about}");
        }
    }
}

#[tokio::test]
async fn a_server_that_says_when_is_left_alone_until_then() {
    for wire in Wire::ALL {
        let limited = Trouble::RateLimited { retry_after: Some(1) };
        let mock = MockLlm::start(Script::new().then(limited).then(Answer::new().text("ok"))).unwrap();
        let start = Instant::now();
        let turn = turn(provider(wire, &mock)).await;
        assert!(start.elapsed() >= Duration::from_secs(1), "{wire:?}");
        assert_eq!(turn.report.end.reason, EndReason::Completed);
    }
}

#[tokio::test]
async fn retries_have_an_end() {
    for wire in Wire::ALL {
        let mock = MockLlm::start(Script::new().otherwise(Trouble::Overloaded)).unwrap();
        let turn = turn(provider(wire, &mock)).await;
        assert_eq!(mock.asked().len(), 3, "{wire:?}");
        sentence(wire, &turn, &["verloaded"]);
    }
}

/// A turn that failed says so in one line, which holds these words and no secret.
fn sentence(wire: Wire, turn: &Turn, words: &[&str]) {
    assert_eq!(turn.report.end.reason, EndReason::Failed, "{wire:?}");
    let message = turn.report.end.message.clone().unwrap_or_default();
    for word in words {
        assert!(message.contains(word), "{wire:?}, without `{word}`: {message}");
    }
    assert!(
        !message.contains('\n') && !message.contains(SECRET) && message.len() < 600,
        "{wire:?}: {message}"
    );
}

#[tokio::test]
async fn what_stays_is_told_in_one_sentence_and_not_asked_again() {
    for wire in Wire::ALL {
        for (trouble, words) in [
            (Trouble::BadKey, &["MOCK_API_KEY"][..]),
            (Trouble::Forbidden, &["MOCK_API_KEY"]),
            (Trouble::UnknownModel, &["mock-1"]),
            (Trouble::RefusedSchema, &["Read", "schema"]),
            (Trouble::BadRequest("odd".to_owned()), &["odd"]),
            (Trouble::TooManyTokens, &["new session"]),
            (Trouble::TooLarge, &[]),
            (Trouble::NoQuota, &["credit"]),
            (Trouble::Html, &[]),
            (Trouble::NotAStream, &[]),
        ] {
            let mock = MockLlm::start(Script::new().then(trouble.clone()).otherwise(call())).unwrap();
            let turn = turn(provider(wire, &mock)).await;
            assert_eq!(mock.asked().len(), 1, "{wire:?} {trouble:?}");
            assert!(turn.runs.is_empty() && turn.abandoned.is_empty(), "{wire:?} {trouble:?}");
            sentence(wire, &turn, words);
        }
    }
}

#[tokio::test]
async fn a_key_does_not_follow_a_redirect_to_another_server() {
    for wire in Wire::ALL {
        let other = MockLlm::start(Script::new().otherwise(call())).unwrap();
        let path = if wire == Wire::Anthropic { "/v1/messages" } else { "/v1/chat/completions" };
        let away = Trouble::Redirect(format!("{}{path}", other.anthropic_base_url()));
        let mock = MockLlm::start(Script::new().otherwise(away)).unwrap();
        turn(provider(wire, &mock)).await;
        for request in other.requests() {
            let sent = format!("{:?}", request.headers);
            assert!(!sent.contains(SECRET), "{wire:?}: {sent}");
        }
    }
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_told_at_once() {
    for wire in Wire::ALL {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let turn = turn(provider_at(wire, format!("http://{address}"))).await;
        assert_eq!(turn.abandoned, Vec::<String>::new(), "{wire:?}");
        sentence(wire, &turn, &[&address.to_string()]);
    }
}
