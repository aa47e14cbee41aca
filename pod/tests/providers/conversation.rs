//! The same conversation through both wires: thinking, text, two parallel calls, a failing call, a write, an answer.

use std::fs;
use std::sync::{Arc, Mutex};

use carpel_pod::provider::Message;
use carpel_pod::tools::ReadRecord;
use carpel_pod::tools::Workspace;
use carpel_pod::tools::toolbox::Toolbox;
use carpel_pod::worker::listen::BlockScope;
use carpel_pod::worker::turn::EndReason;
use carpel_pod::worker::{TurnControl, Worker};
use mock_llm::{Answer, MockLlm, Reply, Script, When, Wire};

use crate::common::{provider, settings};

fn script() -> Script {
    let say = |answer: Answer| Reply::fragments(answer, 3);
    Script::new()
        .when(
            When::round(0),
            say(Answer::new()
                .thinking("A README says what it is.", "c2ln")
                .text("I look.")
                .call("one", "Read", r#"{"file_path":"README.md"}"#)
                .call("two", "Glob", r#"{"pattern":"*.md"}"#)),
        )
        .when(When::round(1), say(Answer::new().call("three", "Read", r#"{"file_path":"missing.md"}"#)))
        .when(
            When::round(2),
            say(Answer::new().thinking("Now I write.", "c2ln").call(
                "four",
                "Write",
                r#"{"file_path":"new.txt","content":"a\nb\n"}"#,
            )),
        )
        .when(When::round(3), say(Answer::new().text("That is **all**.")))
}

type Log = Arc<Mutex<Vec<String>>>;

fn blocks(log: &Log, what: &'static str) -> impl Fn(&mut BlockScope) + Send + Sync + 'static {
    let log = log.clone();
    move |block| {
        let (pieces, ends) = (log.clone(), log.clone());
        log.lock().unwrap().push(format!("{what} starts"));
        block.on_delta(move |piece| pieces.lock().unwrap().push(format!("{what} + {piece}")));
        block.on_stop(move |whole| ends.lock().unwrap().push(format!("{what} = {}", whole.text)));
    }
}

/// The conversation in a fresh folder: what was heard, and the messages without what only one provider wants back.
async fn hold(wire: Wire) -> (Vec<String>, Vec<Message>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("README.md"), "# It\n").unwrap();
    let mock = MockLlm::start(script()).unwrap();
    let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
    let toolbox = Toolbox::with_writers(&ReadRecord::new(), Vec::new());
    let mut worker = Worker::new(provider(wire, &mock), toolbox, workspace, settings());
    let log = Log::default();
    worker.on_text_block(blocks(&log, "text"));
    worker.on_thinking_block(blocks(&log, "thinking"));
    worker.on_tool_use({
        let log = log.clone();
        move |call| {
            let id = call.id().to_string();
            log.lock().unwrap().push(format!("{id} {} starts", call.name()));
            let (pieces, ends, end) = (log.clone(), log.clone(), id.clone());
            call.on_delta(move |piece| pieces.lock().unwrap().push(format!("{id} + {piece}")));
            call.on_stop(move |whole| ends.lock().unwrap().push(format!("{end} = {}", whole.text)));
        }
    });
    let prompt = vec![Message::User { text: "What is this?".to_owned() }];
    let report = worker.run(prompt, &TurnControl::new()).await;
    assert_eq!(report.end.reason, EndReason::Completed, "{:?}", report.end);
    assert_eq!((report.end.tokens.input, report.end.tokens.output), (4_000, 400));
    assert_eq!(fs::read_to_string(folder.path().join("new.txt")).unwrap(), "a\nb\n");
    assert_eq!(mock.asked().len(), 4);
    let plain = |message| match message {
        Message::Reasoning { text, .. } => Message::Reasoning { text, opaque: None },
        other => other,
    };
    let log = log.lock().unwrap().clone();
    (log, report.messages.into_iter().map(plain).collect())
}

#[tokio::test]
async fn one_conversation_is_the_same_through_both_wires() {
    let (anthropic, chat) = (hold(Wire::Anthropic).await, hold(Wire::Chat).await);
    assert_eq!(anthropic.1, chat.1);
    assert_eq!(anthropic.0, chat.0);
    let (heard, messages) = anthropic;
    // Arguments arrive in pieces, as they were sent.
    assert!(heard.iter().filter(|line| line.starts_with("c4 + ")).count() > 10, "{heard:?}");
    let results: Vec<bool> = messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { is_error, .. } => Some(*is_error),
            _ => None,
        })
        .collect();
    assert_eq!(results, [false, false, true, false]);
    assert_eq!(messages.last(), Some(&Message::Assistant { text: "That is **all**.".to_owned() }));
}
