//! The server: a listener on loopback, a thread for each connection, the requests that came.
//!
//! Owns threads and their end: dropping [`MockLlm`] closes every connection, stalled ones too, and waits for the
//! threads. What is kept is bounded.
//! It refuses to know what is answered (`script.rs`) and how bytes are put on a connection (`perform.rs`).

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::perform::{After, perform};
use crate::reply::{Response, Wait};
use crate::request::{Incoming, Refused, Request};
use crate::script::Script;

/// Connections at a time; one more is closed at once.
const MAX_CONNECTIONS: usize = 128;
/// Requests that are kept; the oldest go first.
const MAX_REQUESTS: usize = 10_000;

/// A running server. Stops when it is dropped.
pub struct MockLlm {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    script: Script,
    requests: Vec<Request>,
    /// How many came, those that are no longer kept too.
    count: usize,
    /// How many gates may still be passed.
    released: usize,
    /// When the last answer was handed over whole.
    sent: Option<Instant>,
    stopped: bool,
    /// Second handles, to close from outside.
    connections: HashMap<u64, TcpStream>,
}

impl MockLlm {
    /// Serves the script on a free port of loopback.
    pub fn start(script: Script) -> io::Result<MockLlm> {
        Self::start_at(0, script)
    }

    /// Serves the script on this port of loopback; 0 takes a free one.
    pub fn start_at(port: u16, script: Script) -> io::Result<MockLlm> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let state = State {
            script,
            requests: Vec::new(),
            count: 0,
            released: 0,
            sent: None,
            stopped: false,
            connections: HashMap::new(),
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let accepting = thread::spawn({
            let shared = shared.clone();
            move || accept(&listener, &shared)
        });
        Ok(MockLlm { address, shared, accepting: Some(accepting) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT`, as Anthropic's clients take it.
    pub fn anthropic_base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// `http://127.0.0.1:PORT/v1`, as OpenAI's clients take it.
    pub fn openai_base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What came so far, in order, lists of models included.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// The requests for answers, without those for lists.
    pub fn asked(&self) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.wire().is_some()).collect()
    }

    /// Waits until so many requests came, and returns the one that made it so.
    pub fn wait_for(&self, count: usize) -> Option<Request> {
        let mut state = self.shared.lock();
        while state.count < count && !state.stopped {
            state = self.shared.wait(state);
        }
        let gone = state.count - state.requests.len();
        state.requests.get(count.checked_sub(1 + gone)?).cloned()
    }

    /// When the last answer was handed to the connection whole; what the client has read of it then is not known.
    pub fn last_sent(&self) -> Option<Instant> {
        self.shared.lock().sent
    }

    /// Waits until no connection is open: the clients have gone, or the answers ended them.
    pub fn wait_until_left(&self) {
        let mut state = self.shared.lock();
        while !state.connections.is_empty() && !state.stopped {
            state = self.shared.wait(state);
        }
    }

    /// Lets so many gated fragments pass; see [`crate::Pace::Gated`].
    pub fn release(&self, count: usize) {
        let mut state = self.shared.lock();
        state.released = state.released.saturating_add(count);
        self.shared.changed.notify_all();
    }
}

impl Drop for MockLlm {
    fn drop(&mut self) {
        self.shared.stop();
        // Wakes the accepting thread; when that fails it is not waiting.
        _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            _ = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut serving: Vec<JoinHandle<()>> = Vec::new();
    for (id, stream) in (0..).zip(listener.incoming()) {
        serving.retain(|thread| !thread.is_finished());
        let Ok(stream) = stream else { continue };
        if shared.lock().stopped {
            break;
        }
        if serving.len() < MAX_CONNECTIONS {
            let shared = shared.clone();
            serving.push(thread::spawn(move || serve(id, stream, &shared)));
        }
    }
    for thread in serving {
        _ = thread.join();
    }
}

/// Serves one connection to its end. An error on it is the client's doing, or the script's.
fn serve(id: u64, mut stream: TcpStream, shared: &Shared) {
    _ = stream.set_nodelay(true);
    if !shared.register(id, &stream) {
        return;
    }
    while serve_one(&mut stream, shared) {}
    // The last handle goes with `stream`, which closes, or resets when something is unread.
    shared.lock().connections.remove(&id);
    drop(stream);
    shared.changed.notify_all();
}

/// Serves one request; true when the connection may bring another.
fn serve_one(stream: &mut TcpStream, shared: &Shared) -> bool {
    let incoming = match Incoming::read(stream) {
        Ok(incoming) => incoming,
        Err(Refused::Gone) => return false,
        Err(Refused::Status(status)) => {
            let response = Response::with_length(status, "text/plain", "not a request that is read here");
            _ = perform(stream, &response, shared);
            _ = stream.shutdown(Shutdown::Write);
            return false;
        }
    };
    let response = shared.take(incoming.request.clone());
    if !response.resets() && incoming.finish(stream).is_err() {
        return false;
    }
    let after = perform(stream, &response, shared);
    if after.is_ok() {
        shared.lock().sent = Some(Instant::now());
    }
    match after {
        Ok(After::Next) => true,
        Ok(After::Close) => {
            _ = stream.shutdown(Shutdown::Write);
            false
        }
        Ok(After::Reset) | Err(_) => false,
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn register(&self, id: u64, stream: &TcpStream) -> bool {
        let Ok(second) = stream.try_clone() else { return false };
        let mut state = self.lock();
        let open = !state.stopped;
        if open {
            state.connections.insert(id, second);
        }
        open
    }

    fn take(&self, request: Request) -> Response {
        let mut state = self.lock();
        let response = state.script.answer(&request);
        if state.requests.len() == MAX_REQUESTS {
            state.requests.remove(0);
        }
        state.requests.push(request);
        state.count += 1;
        self.changed.notify_all();
        response
    }

    fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        for stream in state.connections.values() {
            _ = stream.shutdown(Shutdown::Both);
        }
        self.changed.notify_all();
    }

    /// Waits as said; an error when the server stops meanwhile.
    pub(crate) fn pause(&self, wait: Wait) -> io::Result<()> {
        match wait {
            Wait::None => Ok(()),
            Wait::For(time) => self.sleep(time),
            Wait::Gate => self.pass_gate(),
        }
    }

    fn sleep(&self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while !state.stopped {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let waited = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
        }
        Err(stopped())
    }

    fn pass_gate(&self) -> io::Result<()> {
        let mut state = self.lock();
        while !state.stopped {
            if state.released > 0 {
                state.released -= 1;
                return Ok(());
            }
            state = self.wait(state);
        }
        Err(stopped())
    }
}

fn stopped() -> io::Error {
    io::Error::other("the server stops")
}
