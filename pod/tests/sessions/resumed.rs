//! A session that goes on: the same history, its title, its outputs; a second pod; a full disk.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use carpel_pod::tools::{Access, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, Toolbox};
use carpel_pod::{Pod, PodConfig, PodError};
use carpel_protocol::method::{Output, Rename};
use carpel_protocol::{Event, Item, Method};

use super::common::{config, first, new, pod, resume, say, turn};

#[tokio::test]
async fn a_resumed_session_tells_what_the_first_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = pod(folder.path(), new());
    let (records, _) = first(&mut one).await;
    assert!(records.is_empty() && !folder.path().join("sessions").exists(), "nothing is kept of nothing");
    say(&one, "2");
    let heard = turn(&mut one).await;
    one.send(Method::Rename(Rename { title: "two files".to_owned() }));
    say(&one, "0");
    let heard = [heard, turn(&mut one).await].concat();
    drop(one);
    let told: Vec<(u64, &str)> =
        heard.iter().filter_map(|line| Some((line.seq?, line.event.tag()))).collect();

    let mut histories = Vec::new();
    for _ in 0..2 {
        let mut again = pod(folder.path(), resume());
        let hello = again.next().await.unwrap().event;
        assert!(matches!(hello, Event::Hello(hello) if hello.title == "two files" && hello.session == "s"));
        let (records, rest) = first(&mut again).await;
        assert!(rest.is_empty(), "{rest:?}");
        let same: Vec<u64> = records.iter().filter_map(|record| record.seq).collect();
        assert_eq!(same, told.iter().map(|(seq, _)| *seq).collect::<Vec<_>>());
        histories.push(records);
    }
    assert_eq!(histories[0], histories[1]);
    let ends = histories[0].iter().filter(|record| matches!(record.item, Item::TurnEnd(_))).count();
    assert_eq!(ends, 2);

    // Numbers of turns and calls go on.
    let mut again = pod(folder.path(), resume());
    first(&mut again).await;
    say(&again, "1");
    for line in turn(&mut again).await {
        match line.event {
            Event::TurnStart(start) => assert_eq!(start.turn, 3),
            Event::ToolCallStart(start) => assert_eq!(start.id, "c3"),
            _ => {}
        }
    }
    again.send(Method::Output(Output { call: "c1".to_owned(), offset: 0 }));
    let answer = again.next().await.unwrap().event;
    assert!(
        matches!(&answer, Event::Rejected(no) if no.code == "no_output"),
        "Write says all in its summary: {answer:?}"
    );
}

#[tokio::test]
async fn a_second_pod_is_refused_and_told_who_has_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = pod(folder.path(), new());
    say(&one, "0");
    turn(&mut one).await;
    let refused = Pod::in_process(config(folder.path(), resume()), "other").err().unwrap();
    let PodError::Held { id, holder, socket } = &refused else { panic!("{refused}") };
    assert_eq!((id.as_str(), holder.pid, socket), ("s", Some(std::process::id()), &None));
    drop(one);
    // A handle that is dropped ends its pod, and with it the lock, once its tasks have seen it.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let mut again = pod(folder.path(), resume());
    assert_eq!(first(&mut again).await.0.len(), 4);
}

#[tokio::test]
async fn a_session_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = Pod::in_process(config(folder.path(), resume()), "t").err().unwrap();
    assert!(matches!(error, PodError::Log(_)) && error.to_string().contains("no session s"), "{error}");
}

/// LOG 7.07, 7.08.
#[tokio::test]
async fn a_full_tmpfs_ends_the_turn_with_one_sentence_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    std::fs::create_dir(&sessions).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&sessions)
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        eprintln!("skipped: a tmpfs cannot be mounted here");
        return;
    }
    let _mounted = Unmount(&sessions);
    let mut pod = pod(folder.path(), new());
    first(&mut pod).await;
    // Each call has 20,000 bytes of arguments.
    say(&pod, "40");
    let heard = turn(&mut pod).await;
    let notices: Vec<&str> = heard
        .iter()
        .filter_map(|line| match &line.event {
            Event::Notice(notice) => Some(notice.text.as_str()),
            Event::TurnEnd(end) => end.message.as_deref(),
            _ => None,
        })
        .collect();
    assert!(
        notices.len() == 1 && notices[0].contains("No space left") && notices[0].contains("0001.jsonl"),
        "{notices:?}"
    );
    assert!(
        heard
            .iter()
            .any(|line| matches!(&line.event, Event::TurnEnd(end) if end.reason.as_str() == "failed"))
    );
    say(&pod, "1");
    let refused = pod.next().await.unwrap().event;
    assert!(matches!(&refused, Event::Rejected(no) if no.code == "log_failed"), "{refused:?}");
    let wider = Command::new("mount").args(["-o", "remount,size=8m"]).arg(&sessions).status().unwrap();
    assert!(wider.success());
    say(&pod, "1");
    let heard = turn(&mut pod).await;
    assert!(
        matches!(&heard[0].event, Event::Notice(notice) if notice.code == "log_restored"),
        "{:?}",
        heard[0]
    );
    drop(pod);
    let restored = carpel_pod::log::restore::restore(&sessions, "s").unwrap();
    assert_eq!(restored.problems, []);
    let count = |tag: &str| restored.records.iter().filter(|record| record.item.tag() == tag).count();
    assert_eq!((count("user_message"), count("turn_end")), (2, 2));
    assert_eq!(count("tool_call"), count("tool_result"));
}

/// A place that cannot be written to is told before anything is typed, each with the advice that fits.
#[tokio::test]
async fn a_place_that_cannot_be_written_is_told_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let told = || Pod::in_process(config(folder.path(), new()), "t").err().map(|error| error.to_string());
    let sessions = folder.path().join("sessions");
    std::fs::write(&sessions, "").unwrap();
    let file = told().unwrap();
    assert!(file.contains("sessions: not a directory") && file.contains("move it away"), "{file}");
    std::fs::remove_file(&sessions).unwrap();
    assert_eq!(told(), None);
    std::fs::create_dir(&sessions).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "ro", "tmpfs"])
        .arg(&sessions)
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        eprintln!("skipped in part: a tmpfs cannot be mounted here");
        return;
    }
    let _mounted = Unmount(&sessions);
    let read_only = told().unwrap();
    assert!(
        read_only.contains("Read-only file system") && read_only.contains("set CARPEL_HOME"),
        "{read_only}"
    );
    assert!(!read_only.contains("make room"), "{read_only}");
}

struct Unmount<'a>(&'a Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        // Lazily: the pod may not have closed its files yet.
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// A tool that says more than a result holds.
struct Long(ToolSpec);

impl Tool for Long {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn run(&self, _: &serde_json::Value, _: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput { summary: "long".to_owned(), output: Some(whole()), structured: None })
    }
}

fn whole() -> String {
    (0..30_000).map(|number| format!("{number} \u{20ac}\n")).collect()
}

#[tokio::test]
async fn a_long_output_is_kept_whole_and_told_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let long = || {
        let spec = ToolSpec {
            name: "Write",
            kind: ToolKind::Read,
            description: "long",
            schema: serde_json::json!({"type": "object"}),
            access: Access::Reads,
        };
        Some(Toolbox::new(vec![Arc::new(Long(spec))]))
    };
    let mut one =
        Pod::in_process(PodConfig { toolbox: long(), ..config(folder.path(), new()) }, "t").unwrap();
    first(&mut one).await;
    say(&one, "1");
    let heard = turn(&mut one).await;
    let result = heard.iter().find_map(|line| match &line.event {
        Event::ToolResult(result) => Some(result.clone()),
        _ => None,
    });
    let result = result.unwrap();
    assert_eq!(result.output_total, Some(whole().len() as u64));
    assert!(result.output_ref.is_some() && result.output.unwrap().len() < 64 * 1024);
    drop(one);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    // From a pod that has only read of it.
    let mut again = pod(folder.path(), resume());
    first(&mut again).await;
    let (mut text, mut next) = (String::new(), Some(0));
    while let Some(offset) = next {
        again.send(Method::Output(Output { call: "c1".to_owned(), offset }));
        let Event::Output(piece) = again.next().await.unwrap().event else { panic!("no piece") };
        assert_eq!((piece.offset, piece.total), (offset, whole().len() as u64));
        text.push_str(&piece.text);
        next = piece.next;
    }
    assert_eq!(text, whole());
}
