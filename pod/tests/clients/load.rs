//! One pod, 20 clients, 500 deltas a second, two of the clients stuck.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use carpel_pod::provider::{PartKind, Provider, Request, StopReason, StreamEvent};
use carpel_pod::{Pod, PodConfig};
use carpel_protocol::Event;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use super::common::Client;

const CHILD: &str = "CARPEL_LOAD_FOLDER";

const CLIENTS: usize = 20;
const STUCK: usize = 2;
/// Blocks of an answer, pieces of a block, bytes of a piece: with the whole of each block 12 MiB, half as much again as
/// may wait for a client.
const BLOCKS: usize = 20;
const PIECES: usize = 100;
const PIECE: usize = 3 * 1024;
/// What a pod may need at its most: the answer a few times over, and the bounded wait of those who are stuck.
const MEMORY_KIB: u64 = 128 * 1024;

/// Five hundred pieces a second.
struct Steady;

impl Provider for Steady {
    fn name(&self) -> &str {
        "steady"
    }

    fn model(&self) -> &str {
        "none"
    }

    fn stream(&self, _: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        let (sender, receiver) = mpsc::channel(64);
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_millis(2));
            tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
            for part in 0..BLOCKS as u32 {
                let _ = sender.send(StreamEvent::Start { part, kind: PartKind::Text }).await;
                for piece in 0..PIECES {
                    tick.tick().await;
                    let text = format!("{part}.{piece} {}", "x".repeat(PIECE));
                    let _ = sender.send(StreamEvent::Delta { part, text }).await;
                }
                let _ = sender.send(StreamEvent::End { part, opaque: None }).await;
            }
            let _ = sender.send(StreamEvent::Stop(StopReason::EndTurn)).await;
        });
        receiver
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("carpel/s.sock")
}

fn child(folder: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::fs::create_dir_all(folder.join("work")).unwrap();
    let mut config = PodConfig::new(folder.join("work"), Arc::new(Steady));
    config.sessions = Some(folder.join("sessions"));
    config.trusted = false;
    runtime.block_on(Pod::serve_socket(config, &socket(folder))).unwrap();
}

/// A process that does not outlive the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Served {
    /// The most memory that it has had, in KiB; `None` where the system does not tell.
    fn most_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

#[test]
fn twenty_clients_of_which_two_are_stuck() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return child(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let served = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "load::twenty_clients_of_which_two_are_stuck"])
        .env(CHILD, folder.path())
        .spawn()
        .unwrap();
    let served = Served(served);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(load(&socket(folder.path()), &served));
}

async fn load(path: &Path, served: &Served) {
    let mut stuck = Vec::new();
    for _ in 0..STUCK {
        let mut client = Client::attach(path).await;
        client.until("state").await;
        stuck.push(client);
    }
    let mut readers = Vec::new();
    for _ in STUCK..CLIENTS {
        let mut client = Client::attach(path).await;
        client.until("state").await;
        readers.push(client);
    }
    readers[0].say(r#"{"method":"run","text":"go"}"#).await;
    let began = std::time::Instant::now();
    let reading = readers.into_iter().map(|mut client| {
        tokio::spawn(async move {
            client.read("turn_end").await;
            client
        })
    });
    let mut whole = Vec::new();
    for reading in reading.collect::<Vec<_>>() {
        whole.push(reading.await.unwrap());
    }
    let took = began.elapsed();
    for client in &mut whole {
        client.until("turn_end").await;
    }
    // Whole and in order, for each of them.
    let expected: Vec<String> = (0..BLOCKS)
        .map(|part| (0..PIECES).map(|piece| format!("{part}.{piece} {}", "x".repeat(PIECE))).collect())
        .collect();
    assert!(whole.iter().all(|client| client.whole == expected), "a client lacks something");
    // Those that were stuck read at last: they hear that they were let go, come back and have everything.
    for mut client in stuck {
        let bye = loop {
            match client.hear().await {
                Some(line) => {
                    if let Event::Bye(bye) = line.event {
                        break bye;
                    }
                }
                None => panic!("it was not told why it was let go"),
            }
        };
        assert!(bye.attach_again && client.whole.len() < BLOCKS && !client.ended, "{bye:?}");
        client.again(path).await;
        client.until("state").await;
        assert!(client.ended && client.whole == expected, "{} of {BLOCKS}", client.whole.len());
    }
    let memory = served.most_memory();
    eprintln!("{} pieces in {took:?}; the pod had {memory:?} KiB at its most", BLOCKS * PIECES);
    assert!(memory.is_none_or(|memory| memory < MEMORY_KIB), "{memory:?} KiB");
    let mut last = Client::attach(path).await;
    last.say(r#"{"method":"shutdown"}"#).await;
    last.until("bye").await;
}
