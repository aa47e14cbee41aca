//! SIGKILL at random moments of a session that writes files.
//!
//! The child is this very test, told so by its environment: it prints every event of its pod. `CARPEL_KILLS` says how many
//! are killed; 20 when it is not set.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use carpel_pod::log::restore::restore;
use carpel_protocol::word::Outcome;
use carpel_protocol::{Event, EventLine, Item, Record};

use super::common::{SIZE, first, new, pod, resume, say, turn};

const CHILD: &str = "CARPEL_KILLED_FOLDER";

#[test]
fn killed_at_any_moment_nothing_is_lost_or_done_twice() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return child(Path::new(&folder));
    }
    let kills = std::env::var("CARPEL_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let mut interrupted = 0;
    for number in 0..kills {
        // Spread over the session, and not the same in each run of the tests.
        let moment = (number * 7 + usize::from(std::process::id() as u8)) % 120;
        interrupted += usize::from(kill(moment, number as u64));
    }
    eprintln!("{interrupted} of {kills} kills left an open call");
}

fn child(folder: &Path) {
    runtime().block_on(async {
        let mut pod = pod(folder, new());
        say(&pod, "12");
        while let Some(line) = pod.next().await {
            let mut out = std::io::stdout().lock();
            out.write_all(b"\n@ ").unwrap();
            out.write_all(&carpel_protocol::frame::encode(&line)).unwrap();
            out.flush().unwrap();
            if matches!(line.event, Event::TurnEnd(_)) {
                break;
            }
        }
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Kills a child after it has told `moment` events. True when a call was open.
fn kill(moment: usize, number: u64) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "killed::killed_at_any_moment_nothing_is_lost_or_done_twice"])
        .env(CHILD, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let mut heard = Vec::new();
    for line in out.lines() {
        let Ok(line) = line else { break };
        let Some(line) = line.strip_prefix("@ ") else { continue };
        // The last line may be cut: then it was not heard.
        let Ok(line) = EventLine::decode(line.as_bytes()) else { continue };
        heard.push(line);
        if heard.len() == moment {
            // Between two events as well.
            std::thread::sleep(std::time::Duration::from_micros(number * 97 % 1500));
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    if !folder.path().join("sessions/s").exists() {
        assert!(heard.iter().all(|line| line.seq.is_none()), "a record was told and is not there");
        return false;
    }
    check(folder.path(), &heard)
}

fn check(folder: &Path, heard: &[EventLine]) -> bool {
    let kept: BTreeMap<u64, Record> = restore(&folder.join("sessions"), "s")
        .unwrap()
        .records
        .into_iter()
        // A call that was still being written has no number.
        .filter_map(|record| Some((record.seq?, record)))
        .collect();
    for line in heard {
        let Some(seq) = line.seq else { continue };
        let record =
            kept.get(&seq).unwrap_or_else(|| panic!("{} {seq} was told and is lost", line.event.tag()));
        if let (Event::ToolResult(told), Item::ToolResult(kept)) = (&line.event, &record.item) {
            assert_eq!(told, kept);
        }
    }
    let written = whole_files(&folder.join("work"));
    runtime().block_on(async {
        let mut pod = pod(folder, resume());
        let (records, _) = first(&mut pod).await;
        let (mut calls, mut results, mut open) = (BTreeSet::new(), BTreeSet::new(), false);
        for record in &records {
            match &record.item {
                Item::ToolCall(call) => assert!(calls.insert(call.id.clone()), "{} twice", call.id),
                Item::ToolResult(result) => {
                    assert!(results.insert(result.id.clone()), "two results of {}", result.id);
                    open |= result.settled() == Outcome::Interrupted;
                    let done = written.contains(&format!("f{}.txt", number(&result.id)));
                    assert!(done || result.settled() != Outcome::Ok, "{} is not on the disk", result.id);
                }
                _ => {}
            }
        }
        assert_eq!(calls, results, "each call has a result");
        // It goes on behind what was, and nothing runs again: a file that is there would not be overwritten unread.
        say(&pod, "2");
        for line in turn(&mut pod).await {
            match &line.event {
                Event::ToolCallStart(start) => assert!(calls.insert(start.id.clone()), "{} twice", start.id),
                Event::ToolResult(result) => assert_eq!(result.settled(), Outcome::Ok, "{result:?}"),
                Event::TurnEnd(end) => assert_eq!(end.reason.as_str(), "completed"),
                _ => {}
            }
        }
        whole_files(&folder.join("work"));
        open
    })
}

/// The file that a call writes: calls are numbered from 1, files from 0.
fn number(call: &str) -> u64 {
    call.trim_start_matches('c').parse::<u64>().unwrap() - 1
}

/// The files there are; none is half written, and nothing else lies in view.
fn whole_files(work: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(work).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with('.') {
            continue;
        }
        let number = name.strip_prefix('f').and_then(|name| name.strip_suffix(".txt")).expect("a stray file");
        let content = std::fs::read_to_string(work.join(&name)).unwrap();
        assert_eq!(content, format!("{number}\n").repeat(SIZE / (number.len() + 1)), "{name}");
        names.insert(name);
    }
    names
}
