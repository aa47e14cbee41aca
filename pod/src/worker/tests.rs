//! The worker with a scripted provider and puppets for tools: what the callbacks hear.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::scripted::{Scripted, puppets};
use super::turn::{EndReason, Whole};
use super::*;
use crate::provider::Tokens;
use crate::tools::Workspace;
use crate::worker::call::CallId;

/// What was heard or done, in order.
pub(super) type Log = Arc<Mutex<Vec<String>>>;

struct Run {
    report: TurnReport,
    heard: Vec<String>,
    tools: Vec<String>,
    provider: Arc<Scripted>,
}

fn say(heard: &Log, line: String) {
    heard.lock().unwrap().push(line);
}

fn stopped(whole: &Whole) -> String {
    let problem = whole.problem.as_ref().map_or(String::new(), |problem| format!(" ({problem})"));
    let opaque = whole.opaque.as_ref().map_or(String::new(), |opaque| format!(" {opaque}"));
    format!("{}{opaque}{problem}", whole.text)
}

/// A worker whose callbacks write down what they hear.
fn listening(provider: Arc<Scripted>, settings: WorkerSettings) -> (Worker, Log, Log) {
    listening_with(puppets(), provider, settings)
}

/// As `listening`, with these tools. What a sub-agent says and does is marked with the call that it works for.
pub(super) fn listening_with(
    (toolbox, log): (Toolbox, Log),
    provider: Arc<Scripted>,
    settings: WorkerSettings,
) -> (Worker, Log, Log) {
    // Puppets leave it as it is.
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = Arc::new(Workspace::open(folder).unwrap());
    let mut worker = Worker::new(provider, toolbox, workspace, settings);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let blocks = |what: &'static str| {
        let heard = heard.clone();
        move |block: &mut BlockScope| {
            let what = format!("{}{what}", under(block.parent()));
            say(&heard, format!("{what} start"));
            let (pieces, piece_of) = (heard.clone(), what.clone());
            let heard = heard.clone();
            block.on_stop(move |whole| say(&heard, format!("{what} = {}", stopped(whole))));
            block.on_delta(move |piece| say(&pieces, format!("{piece_of} + {piece}")));
        }
    };
    worker.on_text_block(blocks("text"));
    worker.on_thinking_block(blocks("thinking"));
    worker.on_tool_use({
        let heard = heard.clone();
        move |call| {
            let id = call.id().to_string();
            let parent = under(call.parent());
            let kind = call.kind().map(ToString::to_string);
            say(&heard, format!("{parent}{id} start {} {kind:?}", call.name()));
            let (heard, pieces, progress) = (heard.clone(), heard.clone(), heard.clone());
            let (a, b, c) = (id.clone(), id.clone(), id);
            call.on_delta(move |piece| say(&pieces, format!("{a} + {piece}")));
            call.on_progress(move |piece| say(&progress, format!("{b} says {}", piece.trim())));
            call.on_stop(move |whole| say(&heard, format!("{c} = {}", stopped(whole))));
        }
    });
    worker.on_tool_result({
        let heard = heard.clone();
        move |result| say(&heard, format!("{} -> {:?} {}", result.id, result.ended, result.summary))
    });
    worker.on_step_abandoned({
        let heard = heard.clone();
        move |step| {
            say(&heard, format!("{}abandoned {} {}", under(step.parent), step.reason, step.kept));
        }
    });
    worker.on_usage({
        let heard = heard.clone();
        move |used| {
            let (at, Tokens { input, output, .. }) = (under(used.parent), used.tokens);
            say(&heard, format!("{at}used {input} {output}"));
        }
    });
    (worker, heard, log)
}

fn under(parent: Option<&CallId>) -> String {
    parent.map_or(String::new(), |parent| format!("{parent}/"))
}

pub(super) fn user() -> Vec<Message> {
    vec![Message::User { text: "go".to_owned() }]
}

pub(super) fn settings() -> WorkerSettings {
    WorkerSettings { retry_delays: vec![Duration::ZERO; 2], steps: 4, ..WorkerSettings::default() }
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(future);
    runtime.shutdown_background();
    done
}

fn run(script: &str) -> Run {
    let provider = Scripted::new(script);
    let (worker, heard, log) = listening(provider.clone(), settings());
    let report = block_on(worker.run(user(), &TurnControl::new()));
    let (heard, tools) = (heard.lock().unwrap().clone(), log.lock().unwrap().clone());
    Run { report, heard, tools, provider }
}

fn check(script: &str, expected: &[&str], end: EndReason) -> Run {
    let run = run(script);
    assert_eq!(run.heard, expected);
    assert_eq!(run.report.end.reason, end, "{:?}", run.report.end);
    run
}

#[test]
fn blocks_start_and_stop() {
    check(
        "thinking 0
         +0 let me
         +0 see
         /0 sig
         text 1
         +1 hello
         /1
         tokens 10 3
         stop end",
        &[
            "thinking start",
            "thinking + let me",
            "thinking + see",
            r#"thinking = let mesee "sig""#,
            "text start",
            "text + hello",
            "text = hello",
            "used 10 3",
        ],
        EndReason::Completed,
    );
}

#[test]
fn an_empty_thinking_block_starts_and_stops_and_an_empty_text_does_not() {
    check("thinking 0\n/0\ntext 1\n/1\nstop end", &["thinking start", "thinking = "], EndReason::Completed);
}

#[test]
fn calls_run_after_the_terminal_event_and_the_model_is_asked_again() {
    let run = check(
        r#"call 0 Look
           +0 {"tag":
           +0 "a"}
           /0
           stop tools
           ---
           text 0
           +0 done
           stop end"#,
        &[
            r#"c1 start Look Some("read")"#,
            r#"c1 + {"tag":"#,
            r#"c1 + "a"}"#,
            r#"c1 = {"tag":"a"}"#,
            "c1 -> Ok a done",
            "text start",
            "text + done",
            "text = done",
        ],
        EndReason::Completed,
    );
    let asked = run.provider.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[1].messages.len(), 3);
    assert!(
        matches!(&asked[1].messages[2], Message::ToolResult { id, text, structured: Some(_), is_error: false } if id == "c1" && text == "output of a")
    );
    assert_eq!(run.report.messages.len(), 4);
}

#[test]
fn readers_run_side_by_side_and_a_writer_alone() {
    let run = run(r#"call 0 Look
           +0 {"tag":"a"}
           call 1 Make
           +1 {"tag":"b"}
           call 2 Look
           +2 {"tag":"c"}
           call 3 Look
           +3 {"tag":"d"}
           stop tools
           ---
           stop end"#);
    let at = |what: &str| run.tools.iter().position(|seen| seen == what).unwrap();
    assert!(at("end a") < at("start b"));
    assert!(at("end b") < at("start c") && at("end b") < at("start d"));
    let results: Vec<_> = run
        .report
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(results, ["c1", "c2", "c3", "c4"]);
}

#[test]
fn two_readers_are_under_way_at_once() {
    // Each waits for the cancel: were they run one after the other, only one would have begun.
    let provider = Scripted::new(
        "call 0 Look\n+0 {\"do\":\"wait\",\"tag\":\"a\"}\ncall 1 Look\n+1 {\"do\":\"wait\",\"tag\":\"b\"}\nstop tools",
    );
    let (worker, _, log) = listening(provider, settings());
    let control = TurnControl::new();
    let report = block_on(async {
        let cancel = async {
            while log.lock().unwrap().len() < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            control.cancel();
        };
        tokio::join!(worker.run(user(), &control), cancel).0
    });
    assert_eq!(report.end.reason, EndReason::Cancelled);
}

#[test]
fn a_tool_that_panics_or_fails_is_that_calls_error() {
    check(
        r#"call 0 Look
           +0 {"do":"panic"}
           stop tools
           ---
           call 0 Look
           +0 {"do":"fail","tag":"x"}
           stop tools
           ---
           stop end"#,
        &[
            r#"c1 start Look Some("read")"#,
            r#"c1 + {"do":"panic"}"#,
            r#"c1 = {"do":"panic"}"#,
            "c1 -> Error Look: the tool broke down on these arguments; try others, and report it",
            r#"c2 start Look Some("read")"#,
            r#"c2 + {"do":"fail","tag":"x"}"#,
            r#"c2 = {"do":"fail","tag":"x"}"#,
            "c2 -> Error x failed",
        ],
        EndReason::Completed,
    );
}

#[test]
fn progress_is_heard_before_the_result() {
    let run = run("call 0 Look\n+0 {\"do\":\"say\",\"tag\":\"a\"}\nstop tools\n---\nstop end");
    assert_eq!(run.heard[3..], ["c1 says tick", "c1 -> Ok a said"]);
}

#[test]
fn a_cut_stream_is_asked_again_and_no_tool_runs_twice() {
    let run = check(
        r#"call 0 Make
           +0 {"tag":"ghost"}
           cut
           ---
           retry overloaded
           ---
           call 0 Make
           +0 {"tag":"real"}
           stop tools
           ---
           stop end"#,
        &[
            r#"c1 start Make Some("edit")"#,
            r#"c1 + {"tag":"ghost"}"#,
            "abandoned the model's stream broke off before its answer was whole false",
            "abandoned overloaded false",
            r#"c2 start Make Some("edit")"#,
            r#"c2 + {"tag":"real"}"#,
            r#"c2 = {"tag":"real"}"#,
            "c2 -> Ok real done",
        ],
        EndReason::Completed,
    );
    assert_eq!(run.tools, ["start real", "end real"]);
}

#[test]
fn retries_end() {
    let given_up = run("retry a\n---\nretry b\n---\nretry c");
    assert_eq!(given_up.report.end.reason, EndReason::Failed);
    assert_eq!(
        given_up.report.end.message.as_deref(),
        Some("c; asked 3 times: try again later, or choose another model with --model or :model")
    );
    assert_eq!(given_up.heard, ["abandoned a false", "abandoned b false"]);
    // What lasts has its own way out, whatever came before it; so has what passes and can be helped.
    let message = |script: &str| run(script).report.end.message.unwrap_or_default();
    assert_eq!(message("retry a\n---\nlasting refused; choose another"), "refused; choose another");
    assert_eq!(message("helped a; b\n---\nhelped a; b\n---\nhelped a; b"), "a; asked 3 times: b");
}

/// The wait before a retry is long here; only a cancel can end the turn in time.
#[tokio::test]
async fn a_wait_before_a_retry_can_be_cancelled() {
    let provider = Scripted::new("text 0\n+0 a\n/0\nlater 200 busy");
    let (worker, heard, _) = listening(provider.clone(), settings());
    let control = TurnControl::new();
    let abandoned = "abandoned busy; asking again in 200 s (2 of 3) true";
    let (report, ()) = tokio::join!(worker.run(user(), &control), async {
        while heard.lock().unwrap().last().is_none_or(|last| last != abandoned) {
            tokio::task::yield_now().await;
        }
        control.cancel();
    });
    assert_eq!(report.end.reason, EndReason::Cancelled);
    assert_eq!(provider.asked().len(), 1);
    // Nothing of the abandoned answer is in the conversation.
    assert_eq!(report.messages, user());
}

#[test]
fn what_helps_nothing_is_not_asked_again() {
    let run = run("fail the key is wrong");
    assert_eq!(run.report.end.message.as_deref(), Some("the key is wrong"));
    assert_eq!(run.provider.asked().len(), 1);
}

#[test]
fn the_step_limit_ends_a_turn() {
    let step = "call 0 Look\nstop tools\n---\n";
    let run = run(&step.repeat(5));
    assert_eq!(run.report.end.reason, EndReason::Limit);
    assert_eq!(run.provider.asked().len(), 4);
}

#[tokio::test]
async fn a_cancel_is_told_to_running_tools() {
    let provider = Scripted::new("call 0 Look\n+0 {\"do\":\"wait\",\"tag\":\"a\"}\ncall 1 Make\nstop tools");
    let (worker, heard, log) = listening(provider, settings());
    let control = TurnControl::new();
    let (report, ()) = tokio::join!(worker.run(user(), &control), async {
        while log.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        control.cancel();
        control.cancel();
    });
    assert_eq!(report.end.reason, EndReason::Cancelled);
    assert_eq!(log.lock().unwrap().as_slice(), ["start a", "end a"]);
    let heard = heard.lock().unwrap();
    assert_eq!(
        heard[heard.len() - 2..],
        ["c2 -> Cancelled cancelled", "c1 -> Cancelled cancelled before it was done"]
    );
}

/// LOG 4.19, 5.05: a tool that ignores its cancel does not hold the turn, and its call has a result.
#[test]
fn log_5_05_a_deaf_tool_does_not_hold_a_cancelled_turn() {
    let provider = Scripted::new("call 0 Look\n+0 {\"do\":\"ignore\"}\nstop tools");
    let grace = WorkerSettings { cancel_grace: Duration::from_millis(5), ..settings() };
    let (worker, heard, log) = listening(provider, grace);
    let control = TurnControl::new();
    let report = block_on(async {
        let cancel = async {
            while log.lock().unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            control.cancel();
        };
        tokio::join!(worker.run(user(), &control), cancel).0
    });
    assert_eq!(report.end.reason, EndReason::Cancelled);
    // It is still at work: nobody waited for it.
    assert_eq!(log.lock().unwrap().as_slice(), ["start Look"]);
    assert_eq!(heard.lock().unwrap().last().unwrap(), "c1 -> Cancelled cancelled");
    assert!(matches!(report.messages.last(), Some(Message::ToolResult { is_error: true, .. })));
}

#[tokio::test]
async fn a_cancel_while_the_model_speaks_keeps_what_was_said() {
    let provider = Scripted::new("text 0\n+0 half\ncall 1 Look\n+1 {\"ta\nhang");
    let (worker, heard, _) = listening(provider, settings());
    let control = TurnControl::new();
    let (report, ()) = tokio::join!(worker.run(user(), &control), async {
        while heard.lock().unwrap().len() < 5 {
            tokio::task::yield_now().await;
        }
        control.cancel();
    });
    assert_eq!(report.end.reason, EndReason::Cancelled);
    assert_eq!(
        heard.lock().unwrap().as_slice(),
        [
            "text start",
            "text + half",
            "text = half",
            r#"c1 start Look Some("read")"#,
            r#"c1 + {"ta"#,
            r#"c1 = {"ta"#,
            "c1 -> Cancelled cancelled"
        ]
    );
    assert_eq!(report.messages.len(), 4);
}

#[tokio::test]
async fn a_turn_that_was_cancelled_before_it_began_asks_nobody() {
    let provider = Scripted::new("hang");
    let (worker, heard, _) = listening(provider.clone(), settings());
    let control = TurnControl::new();
    control.cancel();
    control.resume();
    let report = worker.run(user(), &control).await;
    assert_eq!(report.end.reason, EndReason::Cancelled);
    assert!(heard.lock().unwrap().is_empty());
    assert!(provider.asked().is_empty());
}

#[tokio::test]
async fn a_pause_holds_the_next_step_until_resume() {
    let provider = Scripted::new("call 0 Look\nstop tools\n---\nstop end");
    let (worker, heard, _) = listening(provider.clone(), settings());
    let control = TurnControl::new();
    control.pause();
    let (report, ()) = tokio::join!(worker.run(user(), &control), async {
        while heard.lock().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(provider.asked().len(), 1);
        assert!(!heard.lock().unwrap().iter().any(|line| line.contains("->")));
        control.resume();
    });
    assert_eq!(report.end.reason, EndReason::Completed);
    assert!(heard.lock().unwrap().iter().any(|line| line.contains("->")));
}
