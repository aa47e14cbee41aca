//! SIGKILL at moments spread over a session that compacts itself again and again; and a guide that compacts without a model.
//!
//! The child is this very test, told so by its environment: it prints every event of its pod. `CARPEL_KILLS` says how many
//! are killed; 20 when it is not set.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use carpel_pod::compaction::Settings;
use carpel_pod::guide::{Guide, Pace};
use carpel_pod::log::restore::restore;
use carpel_pod::provider::{PartKind, Provider, Request, StopReason, StreamEvent};
use carpel_pod::{Pod, PodHandle, SessionChoice};
use carpel_protocol::method::Compact;
use carpel_protocol::{Event, EventLine, Item, Method, Record};
use tokio::sync::mpsc;

use super::common::{config, first, new, resume, say, turn};

const CHILD: &str = "CARPEL_COMPACTED_FOLDER";

/// Answers at length, and sums up in a few pieces.
struct Talker;

impl Provider for Talker {
    fn name(&self) -> &str {
        "talker"
    }

    fn model(&self) -> &str {
        "none"
    }

    fn stream(&self, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        let (sender, receiver) = mpsc::channel(1);
        let sums_up = request.tools.is_empty();
        tokio::spawn(async move {
            let piece = |text: &str| StreamEvent::Delta { part: 0, text: text.to_owned() };
            let _ = sender.send(StreamEvent::Start { part: 0, kind: PartKind::Text }).await;
            for number in 0..6 {
                tokio::time::sleep(Duration::from_micros(300)).await;
                let text = if sums_up { format!("sum {number} ") } else { "word ".repeat(200) };
                let _ = sender.send(piece(&text)).await;
            }
            let _ = sender.send(StreamEvent::Stop(StopReason::EndTurn)).await;
        });
        receiver
    }
}

fn talker(folder: &Path, session: SessionChoice) -> PodHandle {
    let mut config = config(folder, session);
    config.provider = Arc::new(Talker);
    config.compaction = Some(Settings { keep: 300, ..Settings::default() });
    Pod::in_process(config, "test").unwrap()
}

/// Everything up to the end of a compaction and the idle pod behind it.
async fn compaction(pod: &mut PodHandle, mut heard: impl FnMut(&EventLine)) -> Event {
    pod.send(Method::Compact(Compact { instructions: None }));
    let mut end = None;
    while let Some(line) = pod.next().await {
        heard(&line);
        match &line.event {
            Event::CompactDone(_) | Event::CompactFailed(_) | Event::Rejected(_) => {
                end = Some(line.event.clone());
            }
            Event::State(state) if end.is_some() && state.state.as_str() == "idle" => break,
            _ => {}
        }
        if matches!(end, Some(Event::Rejected(_))) {
            break;
        }
    }
    end.unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn killed_at_any_moment_of_a_compaction_the_session_is_whole() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return child(Path::new(&folder));
    }
    let kills = std::env::var("CARPEL_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let mut within = 0;
    for number in 0..kills {
        let moment = 12 + (number * 7 + usize::from(std::process::id() as u8)) % 60;
        within += usize::from(kill(moment, number as u64));
    }
    eprintln!("{within} of {kills} kills fell into a compaction");
}

fn child(folder: &Path) {
    let tell = |line: &EventLine| {
        let mut out = std::io::stdout().lock();
        out.write_all(b"\n@ ").unwrap();
        out.write_all(&carpel_protocol::frame::encode(line)).unwrap();
        out.flush().unwrap();
    };
    runtime().block_on(async {
        let mut pod = talker(folder, new());
        for _ in 0..6 {
            say(&pod, "go");
            turn(&mut pod).await.iter().for_each(tell);
            compaction(&mut pod, tell).await;
        }
    });
}

/// True when the child was killed within a compaction.
fn kill(moment: usize, number: u64) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("compacted::killed_at_any_moment_of_a_compaction_the_session_is_whole")
        .env(CHILD, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let mut heard: Vec<EventLine> = Vec::new();
    for line in out.lines() {
        let Ok(line) = line else { break };
        let Some(line) = line.strip_prefix("@ ") else { continue };
        // The last line may be cut: then it was not heard.
        let Ok(line) = EventLine::decode(line.as_bytes()) else { continue };
        heard.push(line);
        if heard.len() == moment {
            std::thread::sleep(Duration::from_micros(number * 397 % 6_000));
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    check(folder.path(), &heard);
    let last = heard.iter().rev().find(|line| line.event.tag().starts_with("compact_"));
    matches!(last.map(|line| &line.event), Some(Event::CompactStart(_)))
}

fn check(folder: &Path, heard: &[EventLine]) {
    let restored = restore(&folder.join("sessions"), "s").unwrap();
    let kept: BTreeMap<u64, &Record> =
        restored.records.iter().filter_map(|record| Some((record.seq?, record))).collect();
    for line in heard {
        let Some(seq) = line.seq else { continue };
        let record =
            kept.get(&seq).unwrap_or_else(|| panic!("{} {seq} was told and is lost", line.event.tag()));
        if let (Event::CompactDone(told), Item::Compaction(kept)) = (&line.event, &record.item) {
            assert_eq!((&told.summary, told.before, told.after), (&kept.summary, kept.before, kept.after));
            assert_eq!(told.segment, kept.from_segment + 1);
        }
    }
    let marks = restored.records.iter().filter(|record| matches!(record.item, Item::Compaction(_))).count();
    let told = heard.iter().filter(|line| matches!(line.event, Event::CompactDone(_))).count();
    // One may have been done that nobody could be told of.
    assert!((told..=told + 1).contains(&marks), "{told} told, {marks} there");
    assert_eq!(restored.header.segment, marks as u64 + 1);
    runtime().block_on(async {
        let mut pod = talker(folder, resume());
        let (records, rest) = first(&mut pod).await;
        assert!(records.len() >= restored.records.len());
        for event in rest {
            if let Event::Notice(notice) = event {
                assert!(["interrupted", "log_problem"].contains(&notice.code.as_str()), "{notice:?}");
                // A line that was being written is set aside; nothing else may be amiss.
                assert!(notice.code != "log_problem" || notice.text.contains("torn"), "{notice:?}");
            }
        }
        say(&pod, "on");
        let lines = turn(&mut pod).await;
        assert!(
            lines
                .iter()
                .any(|line| matches!(&line.event, Event::TurnEnd(end) if end.reason.as_str() == "completed"))
        );
        let end = compaction(&mut pod, |_| {}).await;
        assert!(matches!(end, Event::CompactDone(_)), "{end:?}");
    });
}

/// By hand and by itself, without a model.
#[tokio::test]
async fn guide_compacts_with_a_plain_digest() {
    let folder = tempfile::tempdir().unwrap();
    let guide = |share: f64, session| {
        let mut config = config(folder.path(), session);
        for number in 0..4 {
            let text = format!("line {number}\n").repeat(5_000);
            std::fs::write(folder.path().join(format!("work/f{number}.txt")), text).unwrap();
        }
        config.provider = Arc::new(Guide::new(Pace::instant()));
        config.compaction = Some(Settings { share, keep: 1_000, model: None });
        Pod::in_process(config, "test").unwrap()
    };
    let mut pod = guide(0.8, new());
    say(&pod, "read f0.txt");
    turn(&mut pod).await;
    let Event::CompactDone(done) = compaction(&mut pod, |_| {}).await else { panic!("not compacted") };
    assert!(
        done.summary.contains("- read f0.txt") && done.summary.contains("Read, 1 time: f0.txt"),
        "{}",
        done.summary
    );
    assert!(done.after < done.before && done.segment == 2);
    drop(pod);
    // Now with a window that two files fill.
    let mut pod = guide(0.1, resume());
    first(&mut pod).await;
    let mut starts = Vec::new();
    for number in 0..4 {
        say(&pod, &format!("read f{number}.txt"));
        for line in turn(&mut pod).await {
            match line.event {
                Event::CompactStart(start) => starts.push(start.trigger.as_str().to_owned()),
                Event::CompactFailed(failed) => panic!("{failed:?}"),
                Event::TurnEnd(end) => assert_eq!(end.reason.as_str(), "completed"),
                _ => {}
            }
        }
    }
    assert!(!starts.is_empty() && starts.iter().all(|trigger| trigger == "auto"), "{starts:?}");
    let restored = restore(&folder.path().join("sessions"), "s");
    assert_eq!(restored.unwrap().header.segment, starts.len() as u64 + 2);
}
