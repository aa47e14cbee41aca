//! What the pods that run now say of themselves: which session, where, and what they do.
//!
//! Each is asked for its first line, which it gives to whoever connects; that attaches nobody. A pod that is stopped or
//! stuck must not hold up a listing, so all are asked at once and each has a moment. Titles and folders are raw. It
//! refuses to know past sessions (`sessions.rs`).

use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use carpel_protocol::event::Hello;
use carpel_protocol::word::PodState;
use carpel_protocol::{Event, EventLine};

/// How long a pod may take to say hello.
const PATIENCE: Duration = Duration::from_millis(500);

/// Bytes of a hello; a title may be long.
const LONGEST: u64 = 1 << 20;

/// A pod that runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Live {
    /// Its session.
    pub id: String,
    /// The session's title, raw; may be empty.
    pub title: String,
    /// The workspace folder, raw.
    pub folder: String,
    /// What it does, in a few words.
    pub state: String,
}

/// What these pods say of themselves: sessions with their sockets, in the same order.
pub fn ask_all(pods: Vec<(String, PathBuf)>) -> Vec<Live> {
    std::thread::scope(|scope| {
        let asked: Vec<_> =
            pods.into_iter().map(|(id, socket)| scope.spawn(move || ask(id, &socket))).collect();
        asked.into_iter().filter_map(|asked| asked.join().ok()).collect()
    })
}

fn ask(id: String, socket: &Path) -> Live {
    match hello(socket) {
        Some(hello) => Live { id, state: state(&hello), title: hello.title, folder: hello.cwd },
        None => Live { id, state: "runs, but does not answer".to_owned(), ..Live::default() },
    }
}

fn hello(socket: &Path) -> Option<Hello> {
    let stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut line = Vec::new();
    BufReader::new(stream).take(LONGEST).read_until(b'\n', &mut line).ok()?;
    match EventLine::decode(&line).ok()?.event {
        Event::Hello(hello) => Some(hello),
        _ => None,
    }
}

fn state(hello: &Hello) -> String {
    match (&hello.state, hello.waiting) {
        (PodState::Idle, _) => "runs, idle".to_owned(),
        (PodState::Stopping, _) => "is ending".to_owned(),
        (_, 1..) => "waits for your answer".to_owned(),
        (PodState::Running, 0) => "at work".to_owned(),
        (state, 0) => format!("at work: {state}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pod_does_in_words() {
        for (line, expected) in [
            (r#"{"event":"hello","protocol":1,"state":"idle"}"#, "runs, idle"),
            (r#"{"event":"hello","protocol":1,"state":"running"}"#, "at work"),
            (r#"{"event":"hello","protocol":1,"state":"running","waiting":2}"#, "waits for your answer"),
            (r#"{"event":"hello","protocol":1,"state":"cancelling"}"#, "at work: cancelling"),
            (r#"{"event":"hello","protocol":1,"state":"stopping"}"#, "is ending"),
        ] {
            let Event::Hello(hello) = EventLine::decode(line.as_bytes()).unwrap().event else {
                panic!("{line}")
            };
            assert_eq!(state(&hello), expected);
        }
    }

    #[test]
    fn a_pod_that_says_nothing_holds_up_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s.sock");
        let _deaf = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let live = ask("s".to_owned(), &socket);
        assert_eq!((live.id.as_str(), live.state.as_str()), ("s", "runs, but does not answer"));
    }
}
