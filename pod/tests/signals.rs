//! SIGTERM ends a pod with a `bye`. Alone in its file: a signal reaches the whole process.

use std::sync::Arc;

use carpel_pod::provider::{Provider, Request, StreamEvent};
use carpel_pod::server::Linger;
use carpel_pod::{Pod, PodConfig};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::mpsc;

/// Never answers.
struct Silent;

impl Provider for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn model(&self) -> &str {
        "silent"
    }

    fn stream(&self, _: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move { sender.closed().await });
        receiver
    }
}

#[tokio::test]
async fn sigterm_in_the_middle_of_a_turn_ends_with_bye() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("carpel/s.sock");
    let mut config = PodConfig::new(folder.path(), Arc::new(Silent));
    config.sessions = None;
    config.linger = Linger { first: std::time::Duration::from_secs(3600), ..Linger::default() };
    let serving = tokio::spawn({
        let path = path.clone();
        async move { Pod::serve_socket(config, &path).await }
    });
    let stream = loop {
        match UnixStream::connect(&path).await {
            Ok(stream) => break stream,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    let (from, mut to) = stream.into_split();
    to.write_all(b"{\"method\":\"hello\",\"protocol\":1}\n{\"method\":\"run\",\"text\":\"go\"}\n")
        .await
        .unwrap();
    let mut lines = BufReader::new(from).lines();
    let mut tags = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        let event = carpel_protocol::EventLine::decode(line.as_bytes()).unwrap().event;
        tags.push(event.tag().to_owned());
        if event.tag() == "user_message" {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM).unwrap();
        }
        if let carpel_protocol::Event::Bye(bye) = event {
            assert_eq!(bye.reason, "SIGTERM came");
        }
    }
    assert_eq!(tags[tags.len() - 3..], ["state", "turn_end", "bye"]);
    serving.await.unwrap().unwrap();
    assert!(!path.exists());
}
