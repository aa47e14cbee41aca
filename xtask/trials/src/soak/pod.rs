//! The pod of an episode: it says what it is told to, keeps the records, and begins anew when its connection is dropped.
//!
//! It owns the socket, the numbers of records and what a client that attaches is told: what it has not seen, then what is
//! open, as `docs/protocol.md` says. It decides nothing: turns come from the episode, prompts are handed to it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// What a client asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// A prompt, with the number of the method.
    Run { text: String, method: Value },
    /// The end of the turn.
    Cancel,
}

#[derive(Default)]
struct State {
    client: Option<UnixStream>,
    /// Clients that have attached so far.
    attached: u64,
    asked: Vec<Asked>,
    records: Vec<Value>,
    seq: u64,
    running: bool,
    /// What a client that attaches now is told of the open turn.
    open: Vec<Value>,
}

/// A pod that is played.
#[derive(Clone)]
pub struct Pod {
    state: Arc<Mutex<State>>,
}

impl Pod {
    /// A pod that listens there.
    ///
    /// # Errors
    /// When the socket cannot be made.
    pub fn start(socket: &Path) -> Result<Pod> {
        let listener =
            UnixListener::bind(socket).with_context(|| format!("{}: cannot be made", socket.display()))?;
        let pod = Pod { state: Arc::default() };
        let serving = pod.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let pod = serving.clone();
                std::thread::spawn(move || pod.serve(client));
            }
        });
        Ok(pod)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something that no record keeps.
    pub fn say(&self, event: &Value) {
        self.locked().say(event);
    }

    /// Says what settles a record, with its number; the record is kept.
    pub fn settle(&self, mut event: Value, record: Option<Value>) {
        let mut state = self.locked();
        state.seq += 1;
        let seq = state.seq;
        if let Some(fields) = event.as_object_mut() {
            fields.insert("seq".to_owned(), json!(seq));
        }
        if let Some(mut record) = record {
            if let Some(fields) = record.as_object_mut() {
                fields.insert("seq".to_owned(), json!(seq));
            }
            state.records.push(record);
        }
        state.say(&event);
    }

    /// Whether a turn runs.
    pub fn runs(&self, running: bool) {
        let mut state = self.locked();
        state.running = running;
        let word = if running { "running" } else { "idle" };
        state.say(&json!({"event": "state", "state": word}));
    }

    /// What is open, for those who attach.
    pub fn is_open(&self, events: Vec<Value>) {
        self.locked().open = events;
    }

    /// What was asked for since the last time.
    pub fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.locked().asked)
    }

    /// How many clients have attached so far.
    pub fn attached(&self) -> u64 {
        self.locked().attached
    }

    /// The connection is gone. Whoever attaches meets a pod that was started anew.
    pub fn drop_client(&self) {
        if let Some(client) = self.locked().client.take() {
            _ = client.shutdown(Shutdown::Both);
        }
    }

    /// One client. Who only looks whether somebody answers says nothing and goes.
    fn serve(&self, client: UnixStream) {
        let Ok(reading) = client.try_clone() else { return };
        for line in BufReader::new(reading).lines().map_while(Result::ok) {
            let Ok(method) = serde_json::from_str::<Value>(&line) else { continue };
            let mut state = self.locked();
            match method.get("method").and_then(Value::as_str).unwrap_or_default() {
                "hello" => {
                    let Ok(client) = client.try_clone() else { return };
                    state.attach(client, method.get("since").and_then(Value::as_u64).unwrap_or(0));
                }
                "run" => {
                    let text = method.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
                    let method = method.get("id").cloned().unwrap_or_default();
                    state.asked.push(Asked::Run { text, method });
                }
                "cancel" => state.asked.push(Asked::Cancel),
                _ => {}
            }
        }
    }
}

impl State {
    fn say(&mut self, event: &Value) {
        if let Some(client) = &mut self.client
            && client.write_all(format!("{event}\n").as_bytes()).is_err()
        {
            self.client = None;
        }
    }

    fn attach(&mut self, client: UnixStream, since: u64) {
        self.client = Some(client);
        self.attached += 1;
        let word = if self.running { "running" } else { "idle" };
        let pod = format!("p-{}", self.attached);
        self.say(
            &json!({"event": "hello", "protocol": 1, "session": "soak", "pod": pod, "provider": "scripted",
            "model": "scripted", "state": word}),
        );
        let is_new =
            |record: &&Value| record.get("seq").and_then(Value::as_u64).is_some_and(|seq| seq > since);
        let items: Vec<Value> = self.records.iter().filter(is_new).cloned().collect();
        self.say(&json!({"event": "history", "items": items, "more": false}));
        for event in self.open.clone() {
            self.say(&event);
        }
    }
}
