//! One small answer, its bytes cut at every offset, and its stream ended at every offset.

use carpel_pod::provider::StreamEvent;
use mock_llm::{Answer, Cut, Delivery, End, Fault, MockLlm, Reply, Script, Wire};

use crate::common::{events, provider, seen};

fn answer() -> Answer {
    Answer::new().thinking("h\u{e9}", "c2ln").text("\u{1f30d}").call("call_1", "Read", r#"{"a":"\n"}"#)
}

fn delivered(cut: Cut, fault: Option<Fault>) -> Reply {
    Reply::Say { answer: answer(), delivery: Delivery { fragment: 5, cut, fault, ..Delivery::default() } }
}

/// What is heard of each of these replies, in order.
async fn heard(wire: Wire, replies: Vec<Reply>) -> Vec<Vec<StreamEvent>> {
    let count = replies.len();
    let mock = MockLlm::start(replies.into_iter().fold(Script::new(), Script::then)).unwrap();
    let provider = provider(wire, &mock);
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(events(provider.as_ref()).await);
    }
    all
}

#[tokio::test]
async fn where_bytes_are_cut_changes_nothing() {
    for wire in Wire::ALL {
        let length = answer().bytes(wire, 5).len();
        let whole = heard(wire, vec![delivered(Cut::Whole, None)]).await.remove(0);
        assert_eq!(seen(&whole).end, Some(End::Whole));
        let replies = (1..length).map(|at| delivered(Cut::At(vec![at]), None)).collect();
        for (at, events) in (1..).zip(heard(wire, replies).await) {
            assert_eq!(events, whole, "{wire:?} cut at {at}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_early_is_never_taken_for_whole() {
    for wire in Wire::ALL {
        let bytes = answer().bytes(wire, 5);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // The first byte of the event that makes the answer whole.
        let terminal = match wire {
            Wire::Anthropic => text.find("event: message_stop").unwrap(),
            Wire::Chat => text.find("\"finish_reason\":\"tool_calls\"").unwrap(),
        };
        // Ended in the midst of chunked encoding, and ended as a whole body would.
        let broken = (0..terminal).map(|at| delivered(Cut::Whole, Some(Fault::CutAfter(at))));
        let ended = (0..terminal).map(|at| mock_llm::Response::cut(&bytes[..at], &Cut::Whole).into());
        for (at, events) in (0..).zip(heard(wire, broken.chain(ended).collect()).await) {
            let end = seen(&events).end;
            assert_eq!(end, Some(End::Failed { retry: true }), "{wire:?} ended after {}", at % terminal);
        }
    }
}
