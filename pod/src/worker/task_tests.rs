//! Sub-agents, with a provider that plays a script for each prompt: who is asked what, in which order they end, and
//! what stops them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::overseer::{Answer, Kept, Overseer, Permit, Question};
use super::scripted::{Scripted, puppets_and_task};
use super::tests::{Log, block_on, listening_with, settings, user};
use super::turn::EndReason;
use super::*;
use crate::provider::Tokens;
use crate::worker::call::CallId;

const END: &str = "text 0\n+0 done\nstop end\n";

fn task(part: u32, prompt: &str) -> String {
    format!("call {part} Task\n+{part} {{\"description\":\"{prompt}\",\"prompt\":\"{prompt}\"}}\n")
}

fn look(part: u32, what: &str, tag: &str) -> String {
    format!("call {part} Look\n+{part} {{\"do\":\"{what}\",\"tag\":\"{tag}\"}}\n")
}

fn make(part: u32, tag: &str) -> String {
    format!("call {part} Make\n+{part} {{\"tag\":\"{tag}\"}}\n")
}

/// A step with calls, then the answer.
fn calls(prompt: &str, calls: &[String]) -> String {
    format!("=== {prompt}\n{}stop tools\n---\n{END}", calls.concat())
}

struct Seen {
    report: TurnReport,
    heard: Vec<String>,
    tools: Vec<String>,
    provider: Arc<Scripted>,
}

impl Seen {
    /// What was heard of one call, or of the agent that works for it (`c1/`).
    fn of(&self, mark: &str) -> Vec<&str> {
        let heard = self.heard.iter().filter_map(|line| line.strip_prefix(mark));
        heard.filter(|line| !line.contains("+ ")).collect()
    }

    fn results(&self) -> Vec<&str> {
        self.heard.iter().filter(|line| line.contains(" -> ")).map(String::as_str).collect()
    }

    fn place(&self, line: &str) -> usize {
        self.heard
            .iter()
            .position(|heard| heard == line)
            .unwrap_or_else(|| panic!("{line}: {:#?}", self.heard))
    }
}

fn run(script: &str, settings: WorkerSettings) -> Seen {
    steered(script, settings, |_, _, _| false)
}

/// Runs a turn and cancels it when `when` says so of what was heard and done.
fn steered(
    script: &str,
    settings: WorkerSettings,
    when: impl Fn(&[String], &[String], &TurnControl) -> bool,
) -> Seen {
    let provider = Scripted::new(script);
    let (worker, heard, log) = listening_with(puppets_and_task(), provider.clone(), settings);
    let control = TurnControl::new();
    let copy = |log: &Log| log.lock().unwrap().clone();
    let report = block_on(async {
        let running = worker.run(user(), &control);
        tokio::pin!(running);
        loop {
            tokio::select! {
                report = &mut running => break report,
                () = tokio::time::sleep(Duration::from_millis(1)) => {
                    if when(&copy(&heard), &copy(&log), &control) {
                        control.cancel();
                    }
                }
            }
        }
    });
    Seen { report, heard: copy(&heard), tools: copy(&log), provider }
}

#[test]
fn three_levels_of_parallel_tasks() {
    let script = [
        calls("go", &[task(0, "a"), task(1, "b"), look(2, "ok", "root")]),
        calls("a", &[task(0, "deep"), look(1, "ok", "of a")]).replace("done", "a is done"),
        calls("deep", &[look(0, "fail", "x"), look(1, "ok", "y")])
            .replace("+0 done", "+0 deep is done\ntokens 30 3"),
        format!("=== b\nthinking 0\n+0 hm\n/0\n{END}").replace("+0 done", "+0 b is done\ntokens 500 50"),
    ]
    .concat();
    let seen = run(&script, settings());
    assert_eq!(seen.report.end.reason, EndReason::Completed);
    assert_eq!(seen.report.end.tokens, Tokens { input: 530, output: 53, cached: 0 });
    assert_eq!(
        seen.of("c1 "),
        ["start Task Some(\"think\")", r#"= {"description":"a","prompt":"a"}"#, "-> Ok 4 calls, 1 failed"]
    );
    assert_eq!(seen.of("c2 ")[2], "-> Ok no calls");
    assert_eq!(
        seen.of("c2/"),
        ["thinking start", "thinking = hm", "text start", "text = b is done", "used 500 50"]
    );
    let started: Vec<&str> =
        seen.heard.iter().filter_map(|line| Some(line.split_once(" start ")?.0)).collect();
    let ids: BTreeSet<&str> =
        started.iter().filter_map(|id| id.rsplit('/').next()).filter(|id| id.starts_with('c')).collect();
    assert_eq!(ids, BTreeSet::from(["c1", "c2", "c3", "c4", "c5", "c6", "c7"]));
    // Below the task of a task.
    let deep = seen
        .heard
        .iter()
        .find_map(|line| line.strip_prefix("c1/")?.strip_suffix(" start Task Some(\"think\")"));
    let deep = deep.unwrap();
    assert_eq!(
        seen.of(&format!("{deep} ")),
        [r#"= {"description":"deep","prompt":"deep"}"#, "-> Ok 2 calls, 1 failed"]
    );
    assert_eq!(seen.of(&format!("{deep}/")).len(), 5, "two starts, a text, its end, tokens");
    // What is below a call ends before it.
    assert!(
        seen.place(&format!("{deep} -> Ok 2 calls, 1 failed")) < seen.place("c1 -> Ok 4 calls, 1 failed")
    );
    // Each agent was told its prompt and its own calls only; the root reads the answers.
    let asked = seen.provider.asked();
    let of = |prompt: &str| {
        let first = |request: &Arc<crate::provider::Request>| matches!(&request.messages[0], Message::User { text } if text == prompt);
        asked.iter().filter(|request| first(request)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(of("b")[0].messages.len(), 1);
    assert!(of("b")[0].system.contains("You are a sub-agent") && !of("go")[0].system.contains("sub-agent"));
    assert!(of("deep")[0].tools.iter().any(|tool| tool.name == "Task"));
    let told: Vec<String> = of("go")[1]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["a is done", "b is done", "output of root"]);
    let structured = seen.report.messages.iter().find_map(|message| match message {
        Message::ToolResult { structured, .. } => structured.clone(),
        _ => None,
    });
    assert_eq!(
        structured.unwrap(),
        serde_json::json!({"answer": "a is done", "calls": 4, "failed": 1, "tokens": {"input": 30, "output": 3, "cached": 0}})
    );
}

/// LOG 5.07: what a sub-agent has begun ends with it, deepest first, although a tool far below ignores the cancel.
#[test]
fn log_5_07_a_cancel_reaches_grandchildren() {
    let script = [
        calls("go", &[task(0, "a"), task(1, "waits")]),
        calls("a", &[task(0, "deep")]),
        calls("deep", &[look(0, "ignore", "deaf"), look(1, "wait", "hears"), make(2, "never")]),
        "=== waits\ntext 0\n+0 half\nhang\n".to_owned(),
    ]
    .concat();
    let grace = WorkerSettings { cancel_grace: Duration::from_millis(30), ..settings() };
    let half = |heard: &[String]| heard.iter().any(|line| line == "c2/text + half");
    let seen = steered(&script, grace, |heard, tools, _| tools.len() >= 2 && half(heard));
    assert_eq!(seen.report.end.reason, EndReason::Cancelled);
    assert!(!seen.tools.iter().any(|line| line == "end deaf" || line.contains("never")), "{:?}", seen.tools);
    let ids: Vec<&str> = seen.results().iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "each has one result");
    assert_eq!(ids.len(), 6, "{ids:?}");
    assert!(seen.results().iter().all(|line| line.contains("-> Cancelled")), "{:?}", seen.results());
    // The task of a task before its parent, and the deaf one before that.
    let at = |id: &str| ids.iter().position(|other| *other == id).unwrap();
    assert!(at("c4") < at("c3") && at("c3") < at("c1"), "{ids:?}");
    assert_eq!(seen.of("c2/"), ["text start", "text = half"]);
}

/// LOG 5.09: a task that is done has its result while its sibling still works.
#[test]
fn log_5_09_each_task_ends_on_its_own() {
    let script = [
        calls("go", &[task(0, "slow"), task(1, "quick")]),
        calls("slow", &[look(0, "wait", "slow")]),
        calls("quick", &[look(0, "ok", "quick")]),
    ]
    .concat();
    let quick = |heard: &[String]| heard.iter().any(|line| line == "c2 -> Ok 1 call");
    let seen = steered(&script, settings(), |heard, tools, _| {
        quick(heard) && tools.contains(&"start slow".to_owned())
    });
    assert_eq!(seen.report.end.reason, EndReason::Cancelled);
    assert!(seen.place("c2 -> Ok 1 call") < seen.place("c1 -> Cancelled cancelled"));
}

/// A task whose turn comes after the cancel asks nobody.
#[test]
fn a_child_after_the_cancel_is_stopped_too() {
    let script = [calls("go", &[make(0, "first"), task(1, "late")])].concat();
    let seen = steered(&script, settings(), |_, tools, _| !tools.is_empty());
    assert_eq!(seen.report.end.reason, EndReason::Cancelled);
    assert_eq!(seen.provider.asked().len(), 1);
    assert_eq!(seen.of("c2 ").last().unwrap(), &"-> Cancelled cancelled");
}

#[test]
fn a_pause_holds_every_depth() {
    let script = [calls("go", &[task(0, "a")]), calls("a", &[look(0, "ok", "x")])].concat();
    let provider = Scripted::new(&script);
    let (worker, heard, log) = listening_with(puppets_and_task(), provider.clone(), settings());
    let control = TurnControl::new();
    let report = block_on(async {
        let steer = async {
            while log.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            control.pause();
            while !heard.lock().unwrap().iter().any(|line| line.starts_with("c2 ->")) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            assert_eq!(provider.asked().len(), 2, "neither the sub-agent nor the root goes on");
            control.resume();
        };
        tokio::join!(worker.run(user(), &control), steer).0
    });
    assert_eq!(report.end.reason, EndReason::Completed);
    assert_eq!(provider.asked().len(), 4);
}

#[test]
fn an_abandoned_step_takes_back_its_own_agent_only() {
    let script = [
        calls("go", &[task(0, "a"), task(1, "b")]),
        format!("=== a\ntext 0\n+0 half\ncall 1 Look\ncut\n---\n{END}"),
        calls("b", &[look(0, "ok", "x")]),
    ]
    .concat();
    let seen = run(&script, settings());
    assert_eq!(seen.report.end.reason, EndReason::Completed);
    let abandoned: Vec<&String> = seen.heard.iter().filter(|line| line.contains("abandoned")).collect();
    assert_eq!(abandoned, ["c1/abandoned the model's stream broke off before its answer was whole true"]);
    assert_eq!(seen.results().len(), 3, "{:?}", seen.results());
    assert!(seen.results().iter().all(|line| line.contains("-> Ok")));
}

#[test]
fn a_sub_agent_that_fails_is_an_error_with_the_reason() {
    let check = |section: &str, summary: &str, output: &str| {
        let script =
            [calls("go", &[task(0, "a"), task(1, "b")]), section.to_owned(), format!("=== b\n{END}")]
                .concat();
        let seen = run(&script, settings());
        assert_eq!(seen.report.end.reason, EndReason::Completed, "the turn goes on");
        assert!(seen.results().contains(&format!("c1 -> Error {summary}").as_str()), "{:?}", seen.results());
        assert!(seen.results().contains(&"c2 -> Ok no calls"));
        let text = seen.report.messages.iter().find_map(|message| match message {
            Message::ToolResult { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(text.unwrap(), format!("{summary}{output}"));
    };
    check("=== a\nfail the key is wrong\n", "the sub-agent failed: the key is wrong", "");
    check(
        "=== a\ntext 0\n+0 so far\nfail no more credit\n",
        "the sub-agent failed: no more credit",
        "\nso far",
    );
    let steps = format!("=== a\n{}", "call 0 Look\nstop tools\n---\n".repeat(5));
    check(&steps, "the sub-agent is not done: stopped after 4 steps; say \"go on\" to continue", "");
}

#[test]
fn tasks_nest_so_deep_and_no_deeper() {
    let script = [
        calls("go", &[task(0, "one")]),
        calls("one", &[task(0, "two")]),
        calls("two", &[task(0, "three"), look(1, "ok", "x")]),
    ]
    .concat();
    let seen = run(&script, WorkerSettings { depth: 2, ..settings() });
    assert_eq!(seen.report.end.reason, EndReason::Completed);
    assert_eq!(
        seen.of("c3 ").last().unwrap(),
        &"-> Error not run: tasks are nested 2 deep here; do this part yourself"
    );
    let offered: Vec<bool> = seen
        .provider
        .asked()
        .iter()
        .map(|request| request.tools.iter().any(|tool| tool.name == "Task"))
        .collect();
    assert_eq!(offered, [true, true, false, false, true, true]);
}

/// A model cannot make more and more of itself.
#[test]
fn the_calls_of_a_turn_are_bounded_over_all_agents() {
    let script = [
        calls("go", &[task(0, "a"), task(1, "a")]),
        format!("=== a\n{}", format!("{}{}stop tools\n---\n", task(0, "a"), task(1, "a")).repeat(40)),
    ]
    .concat();
    let seen = run(&script, WorkerSettings { calls: 20, depth: 50, ..settings() });
    assert_eq!(seen.report.end.reason, EndReason::Limit);
    assert_eq!(seen.report.end.message.as_deref(), Some("stopped after 20 calls in one turn"));
    assert!(seen.provider.asked().len() <= 21, "{}", seen.provider.asked().len());
    let started = seen.heard.iter().filter(|line| line.contains(" start Task")).count();
    assert_eq!(seen.results().len(), started, "each has a result");
    assert!(seen.results().iter().any(|line| {
        line.ends_with("-> Error not run: this turn has made its 20 calls; answer with what is known")
    }));
}

/// So many tools at a time, whatever the tree looks like, and one writer among them.
#[test]
fn the_work_of_all_agents_has_one_bound() {
    let both =
        |prompt: &str| calls(prompt, &[look(0, "ok", "r"), look(1, "ok", "r"), make(2, "w"), make(3, "w")]);
    let tasks: Vec<String> = (0..4).map(|part| task(part, &format!("p{part}"))).collect();
    let script = [calls("go", &tasks), both("p0"), both("p1"), both("p2"), both("p3")].concat();
    let seen = run(&script, WorkerSettings { parallel: 3, ..settings() });
    assert_eq!(seen.report.end.reason, EndReason::Completed);
    let (mut at_work, mut writers) = (0, 0);
    for line in &seen.tools {
        let step = if line.starts_with("start") { 1 } else { -1 };
        at_work += step;
        writers += if line.ends_with('w') { step } else { 0 };
        assert!(at_work <= 3 && writers <= 1, "{:?}", seen.tools);
    }
    assert_eq!(seen.tools.len(), 32);
}

/// A question about a call of a sub-agent of a sub-agent names that call, and a cancel takes it back.
#[test]
fn a_grandchild_may_be_asked_about() {
    struct Asks(Arc<std::sync::Mutex<Vec<String>>>, Option<Permit>);
    impl Overseer for Asks {
        fn permit(&self, question: Question) -> Answer {
            let asked = (question.tool == "Make").then(|| self.1.clone());
            if asked.is_some() {
                self.0.lock().unwrap().push(question.call.to_string());
            }
            Box::pin(async move {
                match asked {
                    None => Permit::Run,
                    Some(Some(permit)) => permit,
                    Some(None) => std::future::pending().await,
                }
            })
        }
        fn keep(&self, _: &str) -> Option<Kept> {
            None
        }
    }
    let script =
        [calls("go", &[task(0, "a")]), calls("a", &[task(0, "deep")]), calls("deep", &[make(0, "w")])]
            .concat();
    let rows = [
        (Some(Permit::Run), "c3 -> Ok w done", EndReason::Completed),
        (Some(Permit::Reject("no".to_owned())), "c3 -> Rejected no", EndReason::Completed),
        (None, "c3 -> Cancelled cancelled", EndReason::Cancelled),
    ];
    for (permit, expected, end) in rows {
        let asked = Arc::default();
        let (mut worker, heard, _) = listening_with(puppets_and_task(), Scripted::new(&script), settings());
        worker.oversee(Arc::new(Asks(Arc::clone(&asked), permit.clone())));
        let control = TurnControl::new();
        let report = block_on(async {
            let steer = async {
                while permit.is_none() && asked.lock().unwrap().is_empty() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                if permit.is_none() {
                    control.cancel();
                }
            };
            tokio::join!(worker.run(user(), &control), steer).0
        });
        assert_eq!(asked.lock().unwrap().as_slice(), ["c3"]);
        assert_eq!(report.end.reason, end);
        assert!(heard.lock().unwrap().iter().any(|line| line == expected), "{:#?}", heard.lock().unwrap());
    }
}

/// The tree that a person sees without a model: guide hands folders to guide.
#[test]
fn guide_explores_in_tasks_of_tasks() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["src/a/1.rs", "src/a/2.rs", "src/b/1.rs", "docs/x.md", "docs/y.md", "bin/run"] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "one line\n").unwrap();
    }
    let workspace = Arc::new(crate::tools::Workspace::open(folder.path()).unwrap());
    let toolbox = Toolbox::with_writers(&crate::tools::ReadRecord::new(), Vec::new());
    let guide = Arc::new(crate::guide::Guide::new(crate::guide::Pace::instant()));
    let mut worker = Worker::new(guide, toolbox, workspace, WorkerSettings::default());
    let started = Log::default();
    worker.on_tool_use({
        let started = started.clone();
        move |call| {
            let parent = call.parent().map_or("-", CallId::as_str);
            if call.name() == "Task" {
                started.lock().unwrap().push(format!("{} {parent}", call.id()));
            }
        }
    });
    let messages = vec![Message::User { text: "explore this project in three tasks".to_owned() }];
    let report = block_on(worker.run(messages, &TurnControl::new()));
    assert_eq!(report.end.reason, EndReason::Completed);
    let mut started = started.lock().unwrap().clone();
    started.sort();
    let parents: Vec<&str> = started.iter().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(parents.iter().filter(|parent| **parent == "-").count(), 3, "{started:?}");
    // Only `src` has folders of its own.
    assert_eq!(parents.len(), 5, "{started:?}");
    let Some(Message::Assistant { text }) = report.messages.last() else { panic!("no answer") };
    for part in [
        "3 tasks explored a folder each",
        "### `src/`",
        "### `src/a/`",
        "`docs/x.md`: 1 line",
        "In `bin` is 1 file",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}
