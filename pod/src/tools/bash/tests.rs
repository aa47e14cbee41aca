//! Real commands: what is run, what comes back, and that nothing is left of it.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use super::run::{Bounds, Finished, Why};
use super::*;
use crate::tools::{Cancel, Workspace};

fn bash(folder: &Path, arguments: Value) -> Result<ToolOutput, ToolFailure> {
    let workspace = Workspace::open(folder).unwrap();
    let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
    Bash::new().run(&arguments, &cx)
}

/// What came of a command in an empty folder: the summary, and the output.
fn check(command: &str, summary: &str, output: &str) {
    let folder = tempfile::tempdir().unwrap();
    let got = bash(folder.path(), json!({"command": command})).unwrap();
    assert_eq!(
        (got.summary.as_str(), got.output.as_deref().unwrap_or_default()),
        (summary, output),
        "{command}"
    );
}

#[test]
fn a_command_and_its_exit_code() {
    check("echo hello", "exit 0", "hello\n");
    check("true", "exit 0, no output", "");
    check("false", "exit 1", "[exit 1]");
    check("echo no; exit 101", "exit 101", "no\n[exit 101]");
    check("printf no; exit 3", "exit 3", "no\n[exit 3]");
    check("kill -SEGV $$", "killed by SIGSEGV", "[killed by SIGSEGV]");
    check("echo a; echo b >&2; echo c", "exit 0", "a\nb\nc\n");
    check("-x 2>/dev/null", "exit 127", "[exit 127]");
    check("echo one\necho two", "exit 0", "one\ntwo\n");
    check("cat; echo end", "exit 0", "end\n");
    check("read -r line || echo nothing", "exit 0", "nothing\n");
    check("printf 'a\\xff\\xe6\\xbc\\xa2b'", "exit 0", "a\u{fffd}漢b");
    check("printf '\\xe6'; sleep 0.2; printf '\\xbc\\xa2'", "exit 0", "漢");
}

#[test]
fn typed_data_of_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let got = |command: &str| bash(folder.path(), json!({"command": command})).unwrap().structured.unwrap();
    assert_eq!(
        got("echo hi; exit 2"),
        json!({"command": "echo hi; exit 2", "exit_code": 2, "timed_out": false, "truncated": false, "output_total": 3, "output_lines": 1})
    );
    assert_eq!(
        got("kill -KILL $$"),
        json!({"command": "kill -KILL $$", "signal": "SIGKILL", "timed_out": false, "truncated": false, "output_total": 0, "output_lines": 0})
    );
    assert_eq!(got("printf '1\\r2'")["for_terminal"], json!(true));
}

#[test]
fn where_it_runs_and_with_what() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    check("test ! -t 0 && test ! -t 1 && echo none", "exit 0", "none\n");
    check("echo $PAGER $GIT_TERMINAL_PROMPT $EDITOR", "exit 0", "cat 0 false\n");
    check(
        "echo ${ANTHROPIC_API_KEY-none} ${OPENAI_API_KEY-none} ${GEMINI_API_KEY-none} ${BASH_ENV-none}",
        "exit 0",
        "none none none none\n",
    );
    let got = bash(&root, json!({"command": "pwd -P; ps -o pgid= -p $$ | tr -d ' '; echo $$"})).unwrap();
    let output = got.output.unwrap();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[0], root.to_str().unwrap());
    assert_eq!(lines[1], lines[2], "the shell leads its process group");
}

#[test]
fn what_cannot_be_run_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let check = |arguments: Value, expected: &str| {
        let failure = bash(folder.path(), arguments).unwrap_err();
        assert!(failure.summary.contains(expected), "{}", failure.summary);
    };
    check(json!({"command": " \n"}), "`command` is empty");
    check(json!({"command": "a\0b"}), "holds a NUL");
    check(json!({"command": "true", "timeout": 700_000}), "at most 600000");
    check(json!({"command": format!("true {}", "x".repeat(3_000_000))}), "could not be started");
    // As long as models write them.
    let long = format!("echo {}", "x".repeat(4_700));
    let got = bash(folder.path(), json!({"command": long})).unwrap();
    assert_eq!(got.output.unwrap().len(), 4_701);
}

#[test]
fn the_question_shows_the_command_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &|_| {} };
    let command = "cd x\nrm -rf \u{202e}y";
    let intent = Bash::new().intent(&json!({"command": command, "timeout": 90_000}), &cx).unwrap();
    let root = workspace.root().to_str().unwrap();
    assert_eq!(intent.title, format!("run a command in {root}, for at most 1m30s"));
    assert_eq!((intent.detail.as_str(), intent.command.as_deref()), (command, Some(command)));
    assert_eq!(intent.access, Access::Writes);
}

/// Runs a command with short times; what `meanwhile` does gets the output so far.
fn running(command: &str, bounds: Bounds, meanwhile: impl Fn(&str, &Cancel) + Sync) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let cancel = Cancel::new();
    let said = Mutex::new(String::new());
    let progress = |piece: &str| {
        let mut said = said.lock().unwrap();
        said.push_str(piece);
        meanwhile(&said, &cancel);
    };
    let cx = ToolCx { workspace: &workspace, cancel: &cancel, progress: &progress };
    run::run(shell::start(command, workspace.root()).unwrap(), &bounds, &cx)
}

/// The numbers that a command has printed, each on a line of its own.
fn numbers(text: &str) -> Vec<i32> {
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// Waits until none of these processes is there; one that nobody has waited for yet counts as gone.
fn await_gone(pids: &[i32]) {
    let is_there = |pid: &&i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
    };
    while pids.iter().find(is_there).is_some() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_cancel_ends_the_whole_group() {
    // The second ignores what asks it to end, and has a child that does so too.
    let command = "sleep 1000 & echo $!; (trap '' TERM; sleep 1000 & echo $!; wait) & echo $!; wait";
    let finished = running(command, Bounds::default(), |said, cancel| {
        if numbers(said).len() == 3 {
            cancel.cancel();
        }
    });
    assert_eq!(finished.why, Why::Cancelled);
    let pids = numbers(&finished.kept.text);
    assert_eq!(pids.len(), 3, "{}", finished.kept.text);
    await_gone(&pids);
}

#[test]
fn time_that_is_up_ends_the_whole_group() {
    let bounds = Bounds { timeout: Duration::from_secs(1), ..Bounds::default() };
    let finished = running("trap '' TERM; sleep 1000 & echo $!; wait; wait", bounds, |_, _| {});
    assert_eq!(finished.why, Why::TimedOut);
    await_gone(&numbers(&finished.kept.text));
    let folder = tempfile::tempdir().unwrap();
    let failure =
        bash(folder.path(), json!({"command": "echo before; sleep 1000", "timeout": 2_000})).unwrap_err();
    assert_eq!(failure.summary, "timed out after 2s");
    assert_eq!(failure.output.as_deref(), Some("before\n"));
    assert_eq!(failure.structured.unwrap()["timed_out"], json!(true));
}

/// LOG 12.13: what runs in a group of its own outlives nobody. A child that keeps the pipe open does not hold the call.
#[test]
fn log_12_13_what_stays_in_the_background_ends_with_the_call() {
    let folder = tempfile::tempdir().unwrap();
    for command in
        ["sleep 1000 & echo $!", "sleep 1000 >/dev/null 2>&1 & echo $!", "nohup sleep 1000 & echo $!"]
    {
        let got = bash(folder.path(), json!({"command": command})).unwrap();
        let output = got.output.unwrap();
        assert!(output.contains("[what it left running in the background was ended with it]"), "{output}");
        assert_eq!(got.summary, "exit 0");
        await_gone(&numbers(&output));
    }
    let patient = Bounds { drain: Duration::from_secs(60), ..Bounds::default() };
    let finished = running("sleep 0.1 && echo late &", patient, |_, _| {});
    assert_eq!((finished.kept.text.as_str(), finished.left_running), ("late\n", false));
}

/// LOG 12.13: a pod that is killed takes its commands with it: its end of the watch's pipe is closed then.
#[test]
fn log_12_13_the_watch_ends_a_group_whose_pod_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut started = shell::start("sleep 1000 & echo $!; wait", folder.path()).unwrap();
    let group = group::Group::led_by(&started.child).unwrap();
    watch::Watch::over(group).unwrap().lose();
    // Reaped here, as init would.
    started.child.wait().unwrap();
    while !group.is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// LOG 6.10: memory does not grow with the output.
#[test]
fn log_6_10_output_without_end_is_bounded() {
    let pieces = Mutex::new((0_usize, 0_usize));
    let bounds = Bounds { timeout: Duration::from_secs(2), ..Bounds::default() };
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let progress = |piece: &str| {
        let mut pieces = pieces.lock().unwrap();
        *pieces = (pieces.0 + 1, pieces.1.max(piece.len()));
    };
    let cx = ToolCx { workspace: &workspace, cancel: &Cancel::new(), progress: &progress };
    let finished = run::run(shell::start("yes", workspace.root()).unwrap(), &bounds, &cx);
    let (_, longest) = *pieces.lock().unwrap();
    assert!(finished.kept.is_cut && finished.kept.total > 4 << 20, "{}", finished.kept.total);
    assert!(finished.kept.text.len() < (4 << 20) + 100);
    assert!(longest < 32 << 10, "{longest} bytes at once");
}

#[test]
fn a_million_lines_keep_head_and_tail() {
    let folder = tempfile::tempdir().unwrap();
    let got = bash(folder.path(), json!({"command": "seq 1000000"})).unwrap();
    let output = got.output.unwrap();
    assert!(output.starts_with("1\n2\n") && output.ends_with("\n1000000\n"));
    let structured = got.structured.unwrap();
    assert_eq!((&structured["truncated"], &structured["output_total"]), (&json!(true), &json!(6_888_896)));
}

#[test]
fn live_output_is_told_while_it_runs() {
    let finished = running("echo first; sleep 1000", Bounds::default(), |said, cancel| {
        if said == "first\n" {
            cancel.cancel();
        }
    });
    assert_eq!(finished.kept.text, "first\n");
}

#[test]
fn times_for_people() {
    let check = |milliseconds: u64, expected: &str| {
        assert_eq!(time(Duration::from_millis(milliseconds)), expected);
    };
    check(90, "90ms");
    check(1_500, "1.500s");
    check(45_000, "45s");
    check(120_000, "2m");
    check(90_000, "1m30s");
    check(600_000, "10m");
}
