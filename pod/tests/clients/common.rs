//! A client on a socket that folds what it hears into the texts of a session, whole and in order.

use std::path::Path;

use carpel_protocol::frame::LineBuffer;
use carpel_protocol::{Event, EventLine, Item};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

pub struct Client {
    stream: UnixStream,
    lines: LineBuffer,
    /// The number of the last record that it has.
    pub last: u64,
    /// The texts that are whole, in the order of their records.
    pub whole: Vec<String>,
    /// What has come of the block that is being written.
    open: String,
    pub ended: bool,
}

impl Client {
    pub async fn attach(path: &Path) -> Self {
        let stream = loop {
            match UnixStream::connect(path).await {
                Ok(stream) => break stream,
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
            }
        };
        let lines = LineBuffer::default();
        let mut client =
            Self { stream, lines, last: 0, whole: Vec::new(), open: String::new(), ended: false };
        client.say(r#"{"method":"hello","protocol":1,"client":"load"}"#).await;
        client
    }

    /// Comes back with what it has.
    pub async fn again(&mut self, path: &Path) {
        self.stream = UnixStream::connect(path).await.unwrap();
        self.lines = LineBuffer::default();
        let hello = format!(r#"{{"method":"hello","protocol":1,"since":{}}}"#, self.last);
        self.say(&hello).await;
    }

    pub async fn say(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Takes what comes, up to a line with this tag, and looks at it later: as fast as any client could.
    pub async fn read(&mut self, tag: &str) {
        let tag = format!("{{\"event\":\"{tag}\"");
        let mut chunk = vec![0; 256 * 1024];
        // It is among the last lines that come, and they are short.
        let mut last = Vec::new();
        loop {
            let count = self.stream.read(&mut chunk).await.unwrap();
            assert!(count > 0, "the end came before {tag}");
            self.lines.push(&chunk[..count]);
            last.extend_from_slice(&chunk[count.saturating_sub(1024)..count]);
            last.drain(..last.len().saturating_sub(1024));
            if last.ends_with(b"\n") && String::from_utf8_lossy(&last).contains(&tag) {
                return;
            }
        }
    }

    /// The next line; `None` when the pod has hung up.
    pub async fn hear(&mut self) -> Option<EventLine> {
        loop {
            if let Some(line) = self.lines.next_line() {
                let line = EventLine::decode(&line.unwrap()).unwrap();
                self.fold(&line);
                return Some(line);
            }
            let mut chunk = vec![0; 64 * 1024];
            match self.stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.lines.push(&chunk[..count]),
            }
        }
    }

    pub async fn until(&mut self, tag: &str) -> EventLine {
        loop {
            let line = self.hear().await.unwrap_or_else(|| panic!("the end came before `{tag}`"));
            if line.event.tag() == tag {
                return line;
            }
        }
    }

    fn fold(&mut self, line: &EventLine) {
        match &line.event {
            Event::History(history) => {
                for record in &history.items {
                    self.number(record.seq);
                    match &record.item {
                        Item::AssistantText(text) => self.whole.push(text.text.clone()),
                        Item::TurnEnd(_) => self.ended = true,
                        _ => {}
                    }
                }
            }
            Event::TextDelta(delta) if delta.reset => self.open.clone_from(&delta.text),
            Event::TextDelta(delta) => self.open.push_str(&delta.text),
            Event::TextDone(done) => {
                // Every piece came, once and in order.
                assert_eq!(std::mem::take(&mut self.open), done.text);
                self.whole.push(done.text.clone());
            }
            Event::TurnEnd(_) => self.ended = true,
            _ => {}
        }
        self.number(line.seq);
    }

    fn number(&mut self, seq: Option<u64>) {
        if let Some(seq) = seq {
            assert!(seq > self.last, "record {seq} behind {}", self.last);
            self.last = seq;
        }
    }
}
