//! Commands through a whole pod: asked for, run, told live, cancelled, kept.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use carpel_pod::guide::{Guide, Pace};
use carpel_pod::permission::Mode;
use carpel_pod::{Pod, PodConfig, PodHandle};
use carpel_protocol::event::ApprovalRequest;
use carpel_protocol::item::ToolResult;
use carpel_protocol::method::{Approve, Nothing, Run};
use carpel_protocol::word::{Decision, Outcome, RunMode};
use carpel_protocol::{Event, Method};

fn pod(folder: &Path, mode: Mode) -> PodHandle {
    let work = folder.join("work");
    fs::create_dir_all(&work).unwrap();
    let mut config = PodConfig::new(work, Arc::new(Guide::new(Pace::instant())));
    config.sessions = Some(folder.join("sessions"));
    config.permissions.mode = mode;
    Pod::in_process(config, "test").unwrap()
}

fn say(pod: &PodHandle, text: &str) {
    pod.send(Method::Run(Run { text: text.to_owned(), attachments: Vec::new(), mode: RunMode::Now }));
}

/// What a turn told until it ended.
#[derive(Default)]
struct Told {
    asked: Vec<ApprovalRequest>,
    progress: String,
    results: Vec<ToolResult>,
    answer: String,
}

/// Plays a turn; questions get this decision. `watch` sees the live output each time that more of it has come.
async fn turn(pod: &mut PodHandle, text: &str, decision: Decision, watch: impl Fn(&PodHandle, &str)) -> Told {
    say(pod, text);
    let mut told = Told::default();
    while let Some(line) = pod.next().await {
        match line.event {
            Event::ApprovalRequest(request) => {
                let (request_id, decision) = (request.request.clone(), decision.clone());
                told.asked.push(request);
                pod.send(Method::Approve(Approve { request: request_id, decision, message: None }));
            }
            Event::ToolCallProgress(progress) => {
                told.progress.push_str(&progress.text);
                watch(pod, &told.progress);
            }
            Event::ToolResult(result) => told.results.push(result),
            Event::TextDone(done) => told.answer = done.text,
            Event::TurnEnd(_) => break,
            _ => {}
        }
    }
    told
}

#[tokio::test]
async fn a_command_is_asked_for_as_it_is_and_once_for_the_very_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut pod = pod(folder.path(), Mode::Edits);
    let command = "echo one\necho two > made";
    let request = format!("run: {command}");
    let told = turn(&mut pod, &request, Decision::Deny, |_, _| {}).await;
    assert_eq!((told.asked.len(), told.results[0].outcome.clone()), (1, Some(Outcome::Rejected)));
    assert_eq!(told.asked[0].detail, command);
    assert!(!folder.path().join("work/made").exists());
    let told = turn(&mut pod, &request, Decision::Session, |_, _| {}).await;
    assert_eq!((told.asked.len(), told.results[0].output.as_deref()), (1, Some("one\n")));
    let told = turn(&mut pod, &request, Decision::Deny, |_, _| {}).await;
    assert_eq!((told.asked.len(), told.results[0].outcome.clone()), (0, Some(Outcome::Ok)));
    let told = turn(&mut pod, &format!("{request} "), Decision::Deny, |_, _| {}).await;
    assert_eq!(told.asked.len(), 0, "blanks around a request are not part of its command");
    let told = turn(&mut pod, &format!("{request}x"), Decision::Deny, |_, _| {}).await;
    assert_eq!(told.asked.len(), 1);
}

#[tokio::test]
async fn live_output_and_a_cancel_that_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut pod = pod(folder.path(), Mode::All);
    let request = "run: sleep 1000 & echo $!; (trap '' TERM; echo ready; sleep 1000 & echo $!; wait; wait)";
    let told = turn(&mut pod, request, Decision::Deny, |pod, progress| {
        if progress.lines().count() == 3 {
            pod.send(Method::Cancel(Nothing {}));
        }
    })
    .await;
    let result = &told.results[0];
    assert_eq!(result.outcome, Some(Outcome::Cancelled));
    assert_eq!(result.output.as_deref(), Some(told.progress.as_str()), "what it said until then is kept");
    for pid in told.progress.lines().filter_map(|line| line.parse::<i32>().ok()) {
        let stat = format!("/proc/{pid}/stat");
        while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// LOG 12.13: a pod that leaves takes its commands with it.
#[tokio::test]
async fn log_12_13_no_command_outlives_its_pod() {
    let folder = tempfile::tempdir().unwrap();
    let mut pod = pod(folder.path(), Mode::All);
    say(&pod, "run: trap '' TERM; sleep 1000 & echo $!; wait; wait");
    let pid = loop {
        if let Some(Event::ToolCallProgress(progress)) = pod.next().await.map(|line| line.event) {
            break progress.text.trim().to_owned();
        }
    };
    drop(pod);
    let stat = format!("/proc/{pid}/stat");
    assert!(pid.parse::<i32>().is_ok(), "{pid:?}");
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_long_output_is_kept_whole_in_a_file_that_the_result_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut pod = pod(folder.path(), Mode::All);
    let told = turn(&mut pod, "run: seq 50000; exit 3", Decision::Deny, |_, _| {}).await;
    let result = &told.results[0];
    let (output, data) = (result.output.as_deref().unwrap(), result.structured.as_ref().unwrap());
    assert!(output.starts_with("1\n2\n") && output.ends_with("\n50000\n[exit 3]"));
    assert!(output.len() < 64 << 10 && result.output_ref.is_some());
    let whole = fs::read_to_string(data["output_file"].as_str().unwrap()).unwrap();
    assert_eq!(whole.lines().count(), 50_001);
    assert_eq!(result.output_total, Some(whole.len() as u64));
    assert_eq!((&data["exit_code"], result.outcome.as_ref()), (&serde_json::json!(3), Some(&Outcome::Ok)));
    assert!(told.answer.contains("failed with exit code 3"), "{}", told.answer);
}
