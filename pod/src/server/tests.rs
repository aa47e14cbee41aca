//! Real sockets and streams: who is let in, who is dropped, when the pod ends.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use carpel_protocol::frame::LineBuffer;
use carpel_protocol::{Event, EventLine};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

use super::*;
use crate::controller::approvals::Approvals;
use crate::controller::tests::{attach, method, pod, pod_in, until_idle};
use crate::permission::{Mode, Permissions};
use crate::session::Session;

/// Long enough that only a pod that hangs comes near it.
const NEVER: Duration = Duration::from_secs(3600);

struct Served {
    pod: Controller,
    path: PathBuf,
    done: JoinHandle<Result<(), ServeError>>,
    _folder: TempDir,
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("carpel/s.sock");
    (folder, path)
}

fn our_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// A pod on a script that serves a socket, ready for clients.
async fn served(script: &str, linger: Linger) -> Served {
    served_on(script, Terms { linger, uid: our_uid(), unread: UNREAD }).await
}

async fn served_on(script: &str, terms: Terms) -> Served {
    let (folder, path) = place();
    let (pod, _) = pod(script);
    let done = tokio::spawn({
        let (pod, path) = (pod.clone(), path.clone());
        async move { serve_on(&pod, &path, terms).await }
    });
    while !path.exists() && !done.is_finished() {
        tokio::task::yield_now().await;
    }
    Served { pod, path, done, _folder: folder }
}

fn lingering(first: Duration, last: Duration) -> Linger {
    Linger { first, last }
}

struct Client {
    stream: UnixStream,
    lines: LineBuffer,
}

impl Client {
    async fn connect(path: &Path) -> Self {
        Self { stream: UnixStream::connect(path).await.unwrap(), lines: LineBuffer::default() }
    }

    async fn attach(path: &Path) -> Self {
        let mut client = Self::connect(path).await;
        client.say(r#"{"method":"hello","protocol":1,"client":"t"}"#).await;
        client
    }

    async fn say(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Option<Event> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Some(EventLine::decode(&line.unwrap()).unwrap().event);
            }
            let mut chunk = vec![0; 64 * 1024];
            match self.stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.lines.push(&chunk[..count]),
            }
        }
    }

    async fn until(&mut self, tag: &str) -> Event {
        loop {
            let event = self.hear().await.unwrap_or_else(|| panic!("the end came before `{tag}`"));
            if event.tag() == tag {
                return event;
            }
        }
    }

    /// The tags of all that comes, to the end.
    async fn rest(&mut self) -> Vec<String> {
        let mut tags = Vec::new();
        while let Some(event) = self.hear().await {
            tags.push(event.tag().to_owned());
        }
        tags
    }
}

#[tokio::test]
async fn a_client_is_greeted_runs_a_turn_and_ends_the_pod() {
    let served = served("text 0\n+0 hi\nstop end", lingering(NEVER, NEVER)).await;
    let mut client = Client::attach(&served.path).await;
    let Some(Event::Hello(hello)) = client.hear().await else { panic!("no hello") };
    assert_eq!((hello.protocol, hello.session.as_str(), hello.provider.as_str()), (1, "s", "scripted"));
    client.say(r#"{"method":"run","text":"go"}"#).await;
    client.until("turn_end").await;
    client.say(r#"{"method":"shutdown","reason":"enough"}"#).await;
    assert!(matches!(client.until("bye").await, Event::Bye(bye) if bye.reason == "enough"));
    assert!(client.rest().await.is_empty());
    served.done.await.unwrap().unwrap();
    assert!(!served.path.exists());
}

#[tokio::test]
async fn directory_and_socket_are_for_their_owner_alone() {
    let served = served("", lingering(NEVER, NEVER)).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    let _client = Client::attach(&served.path).await;
    assert_eq!(mode(served.path.parent().unwrap()), 0o700);
    assert_eq!(mode(&served.path), 0o600);
}

#[tokio::test]
async fn a_directory_that_others_may_enter_is_refused() {
    let (_folder, path) = place();
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    std::fs::set_permissions(path.parent().unwrap(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let refused = serve_socket(&pod("").0, &path, Linger::default()).await.unwrap_err();
    assert!(matches!(refused, ServeError::Directory { .. }), "{refused}");
}

#[tokio::test]
async fn a_client_of_another_user_hears_nothing() {
    let served =
        served_on("", Terms { linger: lingering(NEVER, NEVER), uid: our_uid() + 1, unread: UNREAD }).await;
    let mut client = Client::connect(&served.path).await;
    assert!(client.rest().await.is_empty());
    assert_eq!(served.pod.hub().attached.borrow().ever, 0);
}

#[tokio::test]
async fn a_first_line_that_does_not_fit_ends_with_a_clear_word() {
    let check = async |line: &str, expected: &str| {
        let served = served("", lingering(NEVER, NEVER)).await;
        let mut client = Client::connect(&served.path).await;
        client.say(line).await;
        assert!(matches!(client.hear().await, Some(Event::Hello(_))));
        let Some(Event::Bye(bye)) = client.hear().await else { panic!("no bye to {line}") };
        assert!(bye.reason.contains(expected), "{}", bye.reason);
        assert!(client.hear().await.is_none());
        assert_eq!(served.pod.hub().attached.borrow().ever, 0);
    };
    check(r#"{"method":"hello","protocol":7}"#, "this pod speaks protocol 1, the client protocol 7").await;
    check(r#"{"method":"run","text":"x"}"#, "expects `hello`").await;
    check(r#"{"method":"hello","protocol":"one"}"#, "was not understood").await;
    check("GET / HTTP/1.1", "not JSON").await;
}

#[tokio::test]
async fn a_stale_socket_is_replaced_and_a_served_one_is_not() {
    let (_folder, path) = place();
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    std::fs::set_permissions(path.parent().unwrap(), std::fs::Permissions::from_mode(0o700)).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let (pod, _) = pod("");
    let serving = serve_socket(&pod, &path, lingering(NEVER, NEVER));
    let meanwhile = async {
        let mut client = loop {
            // The stale file is there from the start; only the new one lets anybody in.
            match UnixStream::connect(&path).await {
                Ok(stream) => break Client { stream, lines: LineBuffer::default() },
                Err(_) => tokio::task::yield_now().await,
            }
        };
        let refused = serve_socket(&self::pod("").0, &path, Linger::default()).await.unwrap_err();
        assert!(matches!(refused, ServeError::InUse { .. }), "{refused}");
        client.say(r#"{"method":"hello","protocol":1}"#).await;
        client.until("state").await;
        client.say(r#"{"method":"shutdown"}"#).await;
        client.until("bye").await;
    };
    tokio::join!(async { serving.await.unwrap() }, meanwhile);
}

#[tokio::test]
async fn what_is_no_socket_is_left_alone() {
    let (_folder, path) = place();
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    std::fs::set_permissions(path.parent().unwrap(), std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(&path, "precious").unwrap();
    let refused = serve_socket(&pod("").0, &path, Linger::default()).await.unwrap_err();
    assert!(matches!(refused, ServeError::NotASocket { .. }), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[tokio::test]
async fn a_busy_pod_outlives_its_clients_and_an_idle_one_ends_with_the_last() {
    let served = served("text 0\n+0 x\nhang", lingering(NEVER, Duration::ZERO)).await;
    let mut first = Client::attach(&served.path).await;
    first.until("state").await;
    let mut second = Client::attach(&served.path).await;
    second.until("state").await;
    drop(first);
    second.say(r#"{"method":"run","text":"go"}"#).await;
    second.until("text_delta").await;
    drop(second);
    served.pod.hub().attached.subscribe().wait_for(|attached| attached.now == 0).await.unwrap();
    let mut third = Client::attach(&served.path).await;
    let Event::State(state) = third.until("state").await else { unreachable!() };
    assert_eq!(state.state.as_str(), "running");
    third.say(r#"{"method":"cancel"}"#).await;
    third.until("turn_end").await;
    third.until("state").await;
    assert!(!served.done.is_finished());
    drop(third);
    served.done.await.unwrap().unwrap();
    assert_eq!(served.pod.hub().lock().session.records().len(), 3);
    assert!(!served.path.exists(), "a stale socket");
}

/// A question about a folder that is gone keeps no pod for ever.
#[tokio::test]
async fn a_pod_whose_workspace_was_deleted_ends_without_a_client() {
    let (folder, path) = place();
    let work = tempfile::tempdir().unwrap();
    let approvals = Approvals::new(Permissions::default(), true);
    let script = "call 0 Make\n+0 {\"tag\":\"a\"}\nstop tools\n---\nstop end";
    let (pod, _, done) = pod_in(work.path(), script, Session::in_memory("s"), approvals);
    let terms = Terms { linger: lingering(NEVER, Duration::ZERO), uid: our_uid(), unread: UNREAD };
    let serving = tokio::spawn({
        let (pod, path) = (pod.clone(), path.clone());
        async move { serve_on(&pod, &path, terms).await }
    });
    while !path.exists() {
        tokio::task::yield_now().await;
    }
    let mut client = Client::attach(&path).await;
    client.say(r#"{"method":"run","text":"go"}"#).await;
    client.until("approval_request").await;
    assert_eq!(pod.hub().hello().waiting, 1);
    drop(client);
    tokio::time::sleep(2 * SHORTEST_LOOK).await;
    assert!(!serving.is_finished(), "while the folder is there the question waits");
    drop(work);
    serving.await.unwrap().unwrap();
    assert!(done.lock().unwrap().is_empty() && !folder.path().join("carpel/s.sock").exists());
}

/// Calls in a folder that is gone fail with a sentence, and the person hears it before they do.
#[tokio::test]
async fn a_workspace_that_was_deleted_is_told() {
    let work = tempfile::tempdir().unwrap();
    let approvals = Approvals::new(Permissions { mode: Mode::All, ..Permissions::default() }, true);
    let script = "call 0 Look\n+0 {\"tag\":\"a\"}\nstop tools\n---\nstop end";
    let (pod, ..) = pod_in(work.path(), script, Session::in_memory("s"), approvals);
    let (client, mut feed) = pod.attach(attach("a", None));
    drop(work);
    pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
    let events = until_idle(&mut feed).await;
    let told: Vec<&str> = events
        .iter()
        .filter_map(|line| match &line.event {
            Event::Notice(notice) => Some(notice.text.as_str()),
            Event::ToolResult(result) if result.is_error => Some(result.summary.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|text| text.contains("is not there any more; put it back")), "{told:?}");
}

#[tokio::test]
async fn a_turn_that_ends_without_a_client_ends_the_pod() {
    let served = served(
        "call 0 Look\n+0 {\"do\":\"ignore\"}\nstop tools\n---\nstop end",
        lingering(NEVER, Duration::ZERO),
    )
    .await;
    let mut client = Client::attach(&served.path).await;
    client.say(r#"{"method":"run","text":"go"}"#).await;
    client.until("tool_call_done").await;
    drop(client);
    served.done.await.unwrap().unwrap();
    let last = served.pod.hub().lock().session.records().last().cloned().unwrap();
    assert_eq!(last.item.tag(), "turn_end");
}

#[tokio::test]
async fn a_pod_that_nobody_comes_to_ends() {
    let served = served("", lingering(Duration::from_millis(1), NEVER)).await;
    served.done.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_read_is_dropped_and_holds_up_nobody() {
    const TURNS: usize = 12;
    let step = format!("text 0\n{}stop end\n---\n", format!("+0 {}\n", "x".repeat(10_000)).repeat(20));
    let terms = Terms { linger: lingering(NEVER, NEVER), uid: our_uid(), unread: 500_000 };
    let served = served_on(&step.repeat(TURNS), terms).await;
    let mut deaf = Client::attach(&served.path).await;
    deaf.until("state").await;
    let mut client = Client::attach(&served.path).await;
    client.until("state").await;
    for _ in 0..TURNS {
        client.say(r#"{"method":"run","text":"go"}"#).await;
        client.until("turn_end").await;
        client.until("state").await;
    }
    // Far more than may wait was sent: one has read it, the other was given up.
    assert_eq!(served.pod.hub().attached.borrow().now, 1);
    let mut heard = 0;
    let bye = loop {
        match deaf.hear().await {
            Some(Event::Bye(bye)) => break bye,
            Some(_) => heard += 1,
            None => panic!("it was not told why it was dropped"),
        }
    };
    assert!(heard < TURNS * 20 && bye.attach_again && bye.reason.contains("unread"), "{heard} {bye:?}");
    assert_eq!(deaf.rest().await, Vec::<String>::new());
    // It may come back and gets what it has missed.
    let mut again = Client::attach(&served.path).await;
    let mut items = 0;
    loop {
        let Event::History(history) = again.until("history").await else { unreachable!() };
        items += history.items.len();
        if !history.more {
            break;
        }
    }
    assert_eq!(items, 3 * TURNS);
}

/// The echo of a prompt of any legal size finds a client that has not read yet.
#[tokio::test]
async fn one_large_line_drops_nobody() {
    let terms = Terms { linger: lingering(NEVER, NEVER), uid: our_uid(), unread: 500_000 };
    let served = served_on("text 0\n+0 read\nstop end\n---\nstop end", terms).await;
    let mut slow = Client::attach(&served.path).await;
    slow.until("state").await;
    let mut client = Client::attach(&served.path).await;
    client.until("state").await;
    let text = "x".repeat(9_000_000);
    client.say(&format!(r#"{{"method":"run","text":"{text}"}}"#)).await;
    client.until("turn_end").await;
    assert_eq!(served.pod.hub().attached.borrow().now, 2);
    let Event::UserMessage(message) = slow.until("user_message").await else { unreachable!() };
    assert_eq!(message.text.len(), text.len());
    slow.until("turn_end").await;
}

#[tokio::test]
async fn bad_lines_are_answered_and_the_connection_goes_on() {
    let served = served("", lingering(NEVER, NEVER)).await;
    let mut client = Client::attach(&served.path).await;
    client.until("state").await;
    client.say("not json\n\n{\"method\":\"from_the_future\",\"id\":\"1\"}\n{\"method\":\"hello\",\"protocol\":1}").await;
    let mut codes = Vec::new();
    while codes.len() < 3 {
        if let Event::Rejected(rejected) = client.until("rejected").await {
            codes.push(rejected.code);
        }
    }
    assert_eq!(codes, ["bad_line", "unknown_method", "already_attached"]);
    client.say(r#"{"method":"shutdown"}"#).await;
    client.until("bye").await;
}

/// A stdout that tests can look into.
#[derive(Clone, Default)]
struct Written(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn over_stdio_the_running_turn_ends_before_the_pod_does() {
    let check = async |input: &'static str, expected: &[&str]| {
        let written = Written::default();
        let stdio = stdio::bridge(input.as_bytes(), written.clone()).unwrap();
        serve_bridge(&pod("text 0\n+0 hi\nstop end").0, stdio).await.unwrap();
        let bytes = written.0.lock().unwrap().clone();
        let tags: Vec<String> = String::from_utf8(bytes)
            .unwrap()
            .lines()
            .map(|line| EventLine::decode(line.as_bytes()).unwrap().event.tag().to_owned())
            .collect();
        assert_eq!(tags, expected, "{input}");
    };
    // The last line has no LF.
    check(
        "{\"method\":\"hello\",\"protocol\":1}\n{\"method\":\"run\",\"text\":\"go\"}",
        &[
            "hello",
            "history",
            "state",
            "state",
            "turn_start",
            "user_message",
            "session",
            "state",
            "text_delta",
            "text_done",
            "turn_end",
            "bye",
        ],
    )
    .await;
    check("{\"method\":\"hello\",\"protocol\":1}\n", &["hello", "history", "state", "state", "bye"]).await;
    check("{\"method\":\"hello\",\"protocol\":2}\n", &["hello", "bye"]).await;
    check("", &["hello"]).await;
}
