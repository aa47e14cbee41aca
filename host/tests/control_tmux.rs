//! Control as a person has it, in a real tmux: compacting by hand, by itself, refused, failed, cancelled and killed; a
//! Task that one terminal watches while another comes and goes. Each holds what is seen against what the session holds.
//!
//! A scripted server is the model; it holds its answers where the test says, so that no state has to be met by chance.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;
#[path = "support/session_log.rs"]
mod session_log;

use mock_llm::{Answer, Delivery, Fault, MockLlm, Pace, Reply, Script, Trouble, When};
use pane::Pane;
use serde_json::Value;
use session_log::{of_kind, prompts};

const MODEL: &str = "claude-mock";
/// How a request for a summary ends; no person writes it.
const SUM_UP: &str = "Sum it up now.";
const SUMMARY: &str = "The person wants the parser read. It holds two TODOs.";

fn times(text: &str, needle: &str) -> usize {
    text.matches(needle).count()
}

/// Without the places where a row ends.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Held until it is let go, in one piece.
fn gated(answer: Answer) -> Reply {
    Reply::Say { answer, delivery: Delivery { pace: Pace::Gated, ..Delivery::default() } }
}

/// Never comes, however long one waits.
fn silent() -> Reply {
    Reply::broken(Answer::new().text("never"), Fault::Silence)
}

/// An answer long enough to be worth a summary.
fn long(first: &str) -> Answer {
    Answer::new().text(&format!("{first}\n\n{}", "These are words of no weight. ".repeat(40)))
}

fn segments(pane: &Pane) -> Vec<Vec<Value>> {
    session_log::segments(&pane.path().join("home"))
}

fn is_idle(all: &str) -> bool {
    all.trim_end().lines().rev().take(3).any(|row| row.ends_with(": for commands"))
}

/// Shell words for the program with this server behind it.
fn with_model(server: &MockLlm, options: &str) -> String {
    format!(
        "ANTHROPIC_API_KEY=k ANTHROPIC_BASE_URL={} {} --provider anthropic --model {MODEL} {options}",
        server.anthropic_base_url(),
        env!("CARGO_BIN_EXE_carpel")
    )
}

/// A chat with a model behind it, in the little project.
fn chat(pane: &Pane, server: &MockLlm, options: &str) {
    pane.enter(&format!("cd {}/work; clear; {}", pane.path().display(), with_model(server, options)));
    pane.wait_for("the prompt", |all| all.contains("claude-mock by anthropic") && is_idle(all));
}

fn settings(pane: &Pane, compaction: &str) {
    let text = format!("provider = \"guide\"\n[compaction]\n{compaction}\n");
    std::fs::write(pane.path().join("home/.config/carpel/manifest.toml"), text).unwrap();
}

/// What is said, and the end of it, with the pod at rest.
fn says(pane: &Pane, prompt: &str, answer: &str) {
    pane.enter(prompt);
    pane.wait_for(answer, |all| {
        all.rfind(&format!("› {prompt}")).is_some_and(|at| all[at..].contains(answer)) && is_idle(all)
    });
}

/// A command that the pod refuses: its record has the reason, and nothing else is told.
fn is_refused(pane: &Pane, reason: &str) {
    let record = format!("✗ :compact {reason}");
    let before = times(&flat(&pane.all()), &record);
    pane.enter(":compact");
    pane.wait_for(&record, |all| times(&flat(all), &record) == before + 1);
}

/// Without a model, and without a network: what is compacted, what is no command, and where a command cannot be typed.
#[test]
fn a_person_compacts_on_the_guide() {
    let Some(pane) = Pane::start(120, 40) else { return };
    settings(&pane, "[guide]\npace = \"instant\"");
    pane.chat();
    is_refused(&pane, "there is nothing to compact: all that was said would stay as it is");
    assert_eq!(times(&pane.all(), "✓ :compact"), 0, "{}", pane.all());
    for (line, told) in [
        (":compcat", "unknown command `compcat`; did you mean `compact`?"),
        (":pause for a while", "takes no arguments"),
        (":rename", "a title is missing"),
    ] {
        pane.enter(line);
        pane.wait_for(told, |_| pane.screen().contains(told));
        assert!(pane.screen().contains(&format!("  {line}\n")), "it can be mended: {}", pane.screen());
        pane.tmux(&["send-keys", "C-c"]);
        pane.wait_for("an empty draft", |_| !pane.screen().contains(&line[1..]) || line == ":rename");
    }
    says(&pane, "find every TODO in this project and read the file with the most", "has the most (2)");
    pane.enter(":compact keep the file names");
    pane.wait_for("the mark", |all| all.contains("· compacted  ") && is_idle(all));
    let log = segments(&pane);
    let marks = of_kind(&log, "compaction");
    assert_eq!((log.len(), marks.len()), (2, 1), "{log:?}");
    let tokens = |at: &str| {
        let number = marks[0][at].as_u64().unwrap();
        assert!((1_000..1_000_000).contains(&number), "{number}");
        format!("{},{:03}", number / 1_000, number % 1_000)
    };
    let all = pane.all();
    let mark = format!("· compacted  {} to {} tokens\n", tokens("before"), tokens("after"));
    assert_eq!(
        (times(&all, "✓ :compact keep the file names"), times(&all, &mark)),
        (1, 1),
        "{mark} in\n{all}"
    );
    assert_eq!(prompts(&log), ["find every TODO in this project and read the file with the most"]);

    // What other programs take for a command is text here, and that is said.
    for text in ["/compact", "#compact"] {
        pane.enter(text);
        let word = format!("`{text}` went out as text; it is no command, those begin with a colon");
        pane.wait_for(&word, |all| {
            all.contains(&word) && all.contains(&format!("› {text}\n")) && is_idle_above(all)
        });
    }
    assert_eq!(prompts(&segments(&pane))[1..], ["/compact", "#compact"]);

    // Where something else has the keys no command can be given.
    pane.enter(":sessions");
    pane.wait_for("the list", |_| pane.screen().contains("Esc goes back"));
    pane.tmux(&["send-keys", "-l", ":compact"]);
    pane.wait_for("a search for it", |_| pane.screen().contains("session :compact"));
    pane.tmux(&["send-keys", "Enter"]);
    pane.tmux(&["send-keys", "Escape"]);
    pane.wait_for("the chat", |all| {
        all.contains("for commands") && !pane.screen().contains("session :compact")
    });
    pane.enter(":new");
    pane.wait_for("the dialog", |_| pane.screen().contains("Enter begins"));
    pane.tmux(&["send-keys", "-l", ":compact"]);
    pane.wait_for("a folder of that name", |_| pane.screen().contains("/work:compact"));
    pane.tmux(&["send-keys", "Enter"]);
    pane.wait_for("that there is none", |_| pane.screen().contains("is no folder"));
    pane.tmux(&["send-keys", "Escape"]);
    pane.wait_for("the chat", |all| all.contains("for commands") && !pane.screen().contains("Enter begins"));
    assert_eq!(of_kind(&segments(&pane), "compaction").len(), 1);

    // Another terminal has the mark where this one has it.
    let settled = |all: &str| {
        let from = all.rfind("› find every TODO").unwrap();
        let to = all.rfind("guide (no model)").unwrap();
        all[from..to].replace("✓ :compact keep the file names\n\n", "")
    };
    let before = settled(&pane.all());
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.trim_end().ends_with('$'));
    pane.enter(&format!("{} --continue", env!("CARGO_BIN_EXE_carpel")));
    pane.wait_for("the session as it was seen", |all| times(all, &mark) == 2 && settled(all) == before);
}

/// The row below the draft holds a word meanwhile.
fn is_idle_above(all: &str) -> bool {
    all.trim_end().lines().rev().take(4).any(|row| row.ends_with(": for commands"))
}

/// While a history is summed up there is one row that says so; what is asked meanwhile waits or is refused, and what was
/// said stays. Then the same while a turn runs, is paused, and is cancelled.
#[test]
fn compacting_is_refused_while_something_else_goes_on() {
    let Some(pane) = Pane::start(80, 24) else { return };
    let stubborn = r#"{"command":"trap '' TERM INT HUP; echo STARTED; while :; do sleep 0.1; done"}"#;
    let script = Script::new()
        .models(&[MODEL])
        .step(When::prompt(SUM_UP), gated(Answer::new().text(SUMMARY)), Some(1))
        .when(When::prompt(SUM_UP), Answer::new().text(SUMMARY))
        .when(When::prompt("first"), long("An answer."))
        .when(When::prompt("held"), gated(long("Let go.")))
        .step(
            When { round: Some(0), ..When::prompt("stubborn") },
            Answer::new().call("b", "Bash", stubborn),
            None,
        )
        .otherwise(Answer::new().text("Said."));
    let server = MockLlm::start(script).unwrap();
    chat(&pane, &server, "--approval-mode all");
    says(&pane, "the first thing", "An answer.");
    pane.enter(":compact");
    pane.wait_for("that it is compacted", |_| pane.screen().contains("compacting · "));
    is_refused(&pane, "the history is being compacted; wait for its end or cancel it");
    pane.enter(":pause");
    pane.wait_for("that too", |all| all.contains("✗ :pause  the history is being compacted"));
    pane.enter("meanwhile");
    pane.wait_for("what waits", |_| {
        let screen = pane.screen();
        screen.contains("1 queued") && screen.contains("steers  meanwhile")
    });
    let screen = pane.screen();
    assert_eq!(times(&screen, "compacting ·"), 1, "{screen}");
    assert!(!screen.contains("compacted  "), "{screen}");
    assert_eq!((segments(&pane).len(), prompts(&segments(&pane)).len()), (1, 1));
    server.release(1);
    pane.wait_for("what waited", |all| all.contains("› meanwhile") && all.contains("Said.") && is_idle(all));
    let all = pane.all();
    assert!(all.find("· compacted  ") < all.find("› meanwhile"), "{all}");
    assert_eq!(times(&all, "✓ :compact"), 1, "the one that began:\n{all}");
    let log = segments(&pane);
    assert_eq!((log.len(), of_kind(&log, "compaction").len()), (2, 1));
    assert_eq!(prompts(&log), ["the first thing", "meanwhile"]);
    let asked = server.asked().last().unwrap().body.to_string();
    assert!(
        asked.contains(SUMMARY) && asked.contains("meanwhile") && !asked.contains("no weight"),
        "{asked}"
    );

    pane.enter("held");
    pane.wait_for("the turn", |_| pane.screen().contains("running"));
    is_refused(&pane, "a turn is running; compact when it has ended");
    pane.enter(":pause");
    pane.wait_for("the pause", |all| all.contains("✓ :pause\n") && pane.screen().contains("paused ·"));
    is_refused(&pane, "a turn is paused; resume it or cancel it, and compact when it has ended");
    pane.enter(":resume");
    pane.wait_for("the turn", |all| all.contains("✓ :resume\n") && pane.screen().contains("running"));
    server.release(1);
    pane.wait_for("its end", |all| all.contains("Let go.") && is_idle(all));

    // A tool that ignores the cancel is waited for less than a second; who types slower than that finds the pod at rest.
    let word = "✗ :compact  the turn is being cancelled; send again when it has ended";
    let was_met = (1..20).any(|round| {
        pane.enter("stubborn");
        pane.wait_for("the command", |all| {
            times(all, "Bash  trap") == round && pane.screen().contains("STARTED")
        });
        pane.tmux(&["send-keys", "C-c"]);
        pane.enter(":compact");
        pane.wait_for("an answer", |all| times(all, " :compact") == 4 + round && is_idle(all));
        pane.all().contains(word)
    });
    assert!(was_met, "{}", pane.all());
}

/// A summary that does not come about leaves the history and the log as they are, says why, and the model is told the same
/// as before.
#[test]
fn a_compaction_that_fails_or_is_cancelled_changes_nothing() {
    let Some(pane) = Pane::start(120, 40) else { return };
    settings(&pane, "model = \"openai:small\"");
    let sum_up = || When::prompt(SUM_UP);
    let refusal = Trouble::BadRequest("no summaries on Sundays".to_owned());
    let script = Script::new()
        .models(&[MODEL])
        .step(sum_up(), refusal, Some(1))
        .step(sum_up(), Answer::new().text("  \n"), Some(1))
        .step(sum_up(), silent(), Some(1))
        .step(sum_up(), Answer::new().text(SUMMARY), Some(1))
        .when(When::prompt("first"), long("An answer."))
        .otherwise(Answer::new().text("Said."));
    let server = MockLlm::start(script).unwrap();

    // The model that should sum up is none that can be had.
    chat(&pane, &server, "");
    says(&pane, "the first thing", "An answer.");
    pane.enter(":compact");
    pane.wait_for("what to set", |all| {
        all.contains("✗ :compact  the model `openai:small` cannot sum up: ")
            && all.contains("set `model` below [compaction]")
    });
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.trim_end().ends_with('$'));
    // The pod would serve on with what it was started with.
    processes::end_pods(pane.path());
    settings(&pane, "");
    chat(&pane, &server, "--continue");

    pane.enter(":compact");
    pane.wait_for("a failure", |all| {
        all.contains("error: compaction failed: ") && all.contains("no summaries on Sundays") && is_idle(all)
    });
    pane.enter(":compact");
    let empty = "error: compaction failed: the model's summary is empty; nothing was changed";
    pane.wait_for("another", |all| times(all, empty) == 1 && is_idle(all));
    pane.enter(":compact");
    pane.wait_for("a summary that does not come", |_| pane.screen().contains("compacting · "));
    pane.tmux(&["send-keys", "Escape"]);
    let cancelled = "\ncompaction cancelled; nothing was changed\n";
    pane.wait_for("the end", |all| times(all, cancelled) == 1 && is_idle(all));
    assert_eq!(times(&pane.all(), "error: compaction"), 2, "{}", pane.all());

    let log = segments(&pane);
    assert_eq!((log.len(), of_kind(&log, "compaction").len(), prompts(&log).len()), (1, 0, 1), "{log:?}");
    says(&pane, "what now", "Said.");
    let asked = server.asked().last().unwrap().body.to_string();
    assert!(
        asked.contains("the first thing") && asked.contains("no weight") && asked.contains("what now"),
        "{asked}"
    );
    // Nothing stands in the way of one that works.
    pane.enter(":compact");
    pane.wait_for("the mark", |all| times(all, "· compacted  ") == 1 && is_idle(all));
    assert_eq!(
        of_kind(&segments(&pane), "compaction")[0]["summary"].as_str().map(|text| text.contains(SUMMARY)),
        Some(true)
    );
}

/// Between two steps of a turn, before the model is asked more than fits its window; the same row, the same mark.
#[test]
fn a_history_that_fills_the_window_is_compacted_by_itself() {
    let Some(pane) = Pane::start(80, 24) else { return };
    settings(&pane, "keep = 0");
    let read = Answer::new().call("r", "Read", r#"{"file_path":"src/parser.rs"}"#);
    let script = Script::new()
        .models(&[MODEL])
        .step(When::prompt(SUM_UP), gated(Answer::new().text(SUMMARY)), Some(1))
        .when(When::prompt("first"), long("An answer."))
        .step(When { round: Some(0), ..When::prompt("read") }, read.usage(190_000, 0, 100), Some(1))
        .otherwise(Answer::new().text("Two TODOs."));
    let server = MockLlm::start(script).unwrap();
    chat(&pane, &server, "");
    says(&pane, "the first thing", "An answer.");
    pane.enter("read the parser");
    pane.wait_for("that it is compacted", |all| {
        all.contains("✓ Read  src/parser.rs") && pane.screen().contains("compacting · ")
    });
    let screen = pane.screen();
    assert!(times(&screen, "compacting") == 1 && screen.contains("190k of 200k"), "{screen}");
    is_refused(&pane, "the history is being compacted; wait for its end or cancel it");
    server.release(1);
    pane.wait_for("the answer", |all| all.contains("Two TODOs.") && is_idle(all));
    let all = pane.all();
    let places = [
        "✓ Read  src/parser.rs",
        "· compacted  190k to ",
        "The person wants the parser read.",
        "\nTwo TODOs.",
    ];
    let found: Vec<_> = places.iter().map(|text| all.find(text)).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?} in\n{all}");
    assert!(!all.contains("✓ :compact") && times(&all, "· compacted") == 1, "{all}");

    let log = segments(&pane);
    assert_eq!((log.len(), of_kind(&log, "compaction").len()), (2, 1));
    assert_eq!(prompts(&log), ["the first thing", "read the parser"]);
    assert_eq!(of_kind(&log, "turn_end").len(), 2, "one turn, before and behind it: {log:?}");
    let asked = server.asked().last().unwrap().body.to_string();
    assert!(
        asked.contains(SUMMARY) && asked.contains("read the parser") && !asked.contains("no weight"),
        "{asked}"
    );
}

/// A pod that is killed while a summary is being made has not compacted, and has lost nothing.
#[test]
fn a_pod_killed_while_it_compacts_has_lost_nothing() {
    let Some(pane) = Pane::start(80, 24) else { return };
    let script = Script::new()
        .models(&[MODEL])
        .step(When::prompt(SUM_UP), silent(), Some(1))
        .when(When::prompt(SUM_UP), Answer::new().text(SUMMARY))
        .when(When::prompt("first"), long("An answer."))
        .otherwise(Answer::new().text("Said."));
    let server = MockLlm::start(script).unwrap();
    chat(&pane, &server, "");
    says(&pane, "the first thing", "An answer.");
    pane.enter(":compact");
    pane.wait_for("that it is compacted", |_| pane.screen().contains("compacting · "));
    pane.enter("what waits");
    pane.wait_for("the queue", |_| pane.screen().contains("1 queued"));
    processes::end_pods(pane.path());
    pane.wait_for("that it is gone", |all| all.contains("error: ") && !pane.screen().contains("compacting"));
    assert_eq!((segments(&pane).len(), prompts(&segments(&pane)).len()), (1, 1));
    pane.tmux(&["send-keys", "C-c"]);
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.trim_end().ends_with('$'));

    chat(&pane, &server, "--continue");
    pane.wait_for("all that was said", |all| {
        all.contains("› the first thing") && times(&flat(all), "These are words of no weight.") == 40
    });
    pane.wait_for("what waits still", |_| pane.screen().contains("what waits"));
    assert_eq!(times(&pane.all(), "compacted  "), 0, "{}", pane.all());
    pane.enter(":compact");
    pane.wait_for("the mark", |all| times(all, "· compacted  ") == 1);
    let log = segments(&pane);
    assert_eq!((log.len(), of_kind(&log, "compaction").len()), (2, 1));
}

/// One terminal watches a Task, another comes, goes and comes again while it runs: what it shows then is what it would show
/// if it had stayed, live and in the end.
#[test]
fn a_terminal_that_comes_back_during_a_task_shows_the_same() {
    let Some(pane) = Pane::start(100, 40) else { return };
    let task = r#"{"description":"Read the parser","prompt":"report on the parser"}"#;
    let read = r#"{"file_path":"src/parser.rs"}"#;
    let script = Script::new()
        .models(&[MODEL])
        .step(
            When { round: Some(0), ..When::prompt("report") },
            gated(Answer::new().text("I read it.").call("r", "Read", read)),
            Some(1),
        )
        .when(When::prompt("report"), gated(Answer::new().text("The parser holds two TODOs.")))
        .step(When { round: Some(0), ..When::prompt("task") }, Answer::new().call("t", "Task", task), Some(1))
        .otherwise(Answer::new().text("The task is done."));
    let server = MockLlm::start(script).unwrap();
    chat(&pane, &server, "");
    let folder = pane.path().display();
    let come = format!(
        "exec {} HOME={folder}/home XDG_RUNTIME_DIR={folder}/run LC_ALL=C.UTF-8 {} attach",
        apart::env(),
        env!("CARGO_BIN_EXE_carpel")
    );
    let other = || pane.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-E", "-", "-t", ":other"]);
    let comes = || pane.tmux(&["new-window", "-d", "-n", "other", "-c", &format!("{folder}/work"), &come]);
    let both_show = |what: &str| {
        let here = |all: &str| still(&all[all.find("› a task").unwrap_or_default()..]);
        pane.wait_for(what, |all| {
            let (here, there) = (here(all), here(&other()));
            here == there && flat(&here).contains(what)
        });
    };
    pane.enter("a task, please");
    pane.wait_for("the task", |all| all.contains("● Task  Read the parser"));
    // It comes while the sub-agent's answer begins.
    comes();
    both_show("● Task Read the parser");
    server.release(1);
    both_show("I read it.");
    pane.tmux(&["send-keys", "-t", ":other", "C-d"]);
    pane.wait_for("that it has gone", |_| !pane.tmux(&["list-windows"]).contains("other"));
    server.release(1);
    pane.wait_for("a call of the sub-agent", |all| all.contains("✓ Read  src/parser.rs"));
    // What it missed is there when it comes back, and since when the turn runs.
    pane.wait_for("how long it takes", |_| still(&pane.screen()).contains("running · TIME · "));
    comes();
    both_show("✓ Read src/parser.rs");
    server.release(1);
    both_show("The task is done.");
    let all = pane.all();
    assert!(is_idle(&all) && times(&all, "✓ Task  Read the parser") == 1 && !all.contains('●'), "{all}");

    let log = segments(&pane);
    let calls = of_kind(&log, "tool_call");
    let names: Vec<_> =
        calls.iter().map(|call| (call["name"].as_str().unwrap(), call["parent"].as_str())).collect();
    assert_eq!(names, [("Task", None), ("Read", calls[0]["id"].as_str())]);
    assert!(of_kind(&log, "tool_result").iter().all(|result| result["outcome"] == "ok"), "{log:?}");
    assert_eq!(prompts(&log), ["a task, please"]);
}

/// What is shown with one word for each time, as they go on, and without rows that are held free.
fn still(all: &str) -> String {
    let row = |row: &str| {
        let words = row.split_whitespace().map(|word| if is_time(word) { "TIME" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    all.lines().map(row).filter(|row| !row.is_empty()).collect::<Vec<_>>().join("\n")
}

fn is_time(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|number| number.parse::<f64>().is_ok())
}
