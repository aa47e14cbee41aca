//! One client on one pair of byte streams: hello both ways, then lines both ways.
//!
//! Owns the handshake, the reading of methods and the writing of events. The two directions do not wait for each
//! other, so that a client that sends nothing still hears everything, and one that reads nothing holds up nobody but
//! itself. It refuses to know what a method does and where the bytes come from.

use std::time::Duration;

use carpel_protocol::event::{Bye, Rejected};
use carpel_protocol::frame::{LineBuffer, LineError};
use carpel_protocol::method::ClientHello;
use carpel_protocol::{Event, Method, MethodLine, PROTOCOL};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::controller::feed::{FeedLines, Line};
use crate::controller::hub::{Attach, ClientId};
use crate::controller::{Controller, Leave};

const READ: usize = 64 * 1024;

/// How long a client that did not read may take to read why it is let go.
const PARTING: Duration = Duration::from_secs(30);

/// What the end of a client's input means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtEnd {
    /// The client has left.
    Detach,
    /// It has said all that it wants to say: the pod ends with the running turn.
    Finish,
}

/// How one client is served.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) at_end: AtEnd,
    /// Bytes that may wait for it before it is given up.
    pub(super) unread: usize,
}

/// Serves one client until it leaves or the pod does.
pub(super) async fn serve<R, W>(
    pod: &Controller,
    mut from: Reader<R>,
    mut to: W,
    manner: Manner,
) -> std::io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let hello = pod.hub().hello();
    let known_title = hello.title.clone();
    to.write_all(pod.hub().hello_line(hello).bytes()).await?;
    to.flush().await?;
    let first = tokio::select! {
        first = from.next() => first?,
        () = pod.gone() => None,
    };
    let Some(first) = first else {
        return Ok(());
    };
    let hello = match greeting(first) {
        Ok(hello) => hello,
        Err(reason) => {
            tracing::info!(reason, "a client was sent away");
            to.write_all(Line::new(Event::Bye(Bye { reason, attach_again: false })).bytes()).await?;
            return to.flush().await;
        }
    };
    let attach = Attach { name: hello.client, since: hello.since, known_title, limit: Some(manner.unread) };
    let (client, mut feed) = pod.attach(attach);
    let done = {
        let writing = write(&mut feed.lines, &mut to);
        tokio::pin!(writing);
        tokio::select! {
            done = &mut writing => done,
            done = read(pod, client, &mut from, manner.at_end) => done,
            // The line that is on its way is written to its end, then the reason; if only the client reads.
            () = feed.overrun.fired() => tokio::time::timeout(PARTING, &mut writing).await.unwrap_or(Ok(())),
        }
    };
    pod.detach(client);
    done
}

/// Checks a client's first line; the error is a sentence for it.
fn greeting(line: Result<MethodLine, LineError>) -> Result<ClientHello, String> {
    let expected =
        format!("this pod speaks protocol {PROTOCOL} and expects `hello` as a client's first line");
    match line {
        Ok(MethodLine { method: Method::Hello(hello), .. }) if hello.protocol == PROTOCOL => Ok(hello),
        Ok(MethodLine { method: Method::Hello(hello), .. }) => Err(format!(
            "this pod speaks protocol {PROTOCOL}, the client protocol {}; use the same carpel for both",
            hello.protocol
        )),
        Ok(MethodLine { method: Method::Unknown(unknown), .. }) if unknown.problem.is_some() => Err(format!(
            "{expected}; `{}` was not understood: {}",
            unknown.tag,
            unknown.problem.unwrap_or_default()
        )),
        Ok(line) => Err(format!("{expected}, not `{}`", line.method.tag())),
        Err(error) => Err(format!("{expected}; the line is {error}")),
    }
}

/// Writes what the client is to hear. Ends well when the pod has said `bye` or has dropped the client.
async fn write<W: AsyncWrite + Unpin>(lines: &mut FeedLines, to: &mut W) -> std::io::Result<()> {
    let mut batch = Vec::new();
    while let Some(line) = lines.next().await {
        batch.extend_from_slice(line.bytes());
        while batch.len() < READ
            && let Some(line) = lines.try_next()
        {
            batch.extend_from_slice(line.bytes());
        }
        to.write_all(&batch).await?;
        to.flush().await?;
        batch.clear();
    }
    Ok(())
}

/// Reads methods to the end of the input. Never returns after `AtEnd::Finish`: the pod's `bye` ends the connection.
async fn read<R: AsyncRead + Unpin>(
    pod: &Controller,
    client: ClientId,
    from: &mut Reader<R>,
    at_end: AtEnd,
) -> std::io::Result<()> {
    while let Some(line) = from.next().await? {
        match line {
            Ok(line) => pod.handle(client, line),
            Err(error) => {
                let message = format!("a line could not be read and was skipped: {error}");
                let (method, code) = (String::new(), "bad_line".to_owned());
                pod.answer(client, Event::Rejected(Rejected { method, id: None, code, message }));
            }
        }
    }
    match at_end {
        AtEnd::Detach => Ok(()),
        AtEnd::Finish => {
            pod.stop("the input ended", Leave::AfterTheTurn);
            std::future::pending().await
        }
    }
}

/// Reads lines of methods.
pub(super) struct Reader<R> {
    from: R,
    lines: LineBuffer,
    chunk: Vec<u8>,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, lines: LineBuffer::default(), chunk: vec![0; READ], ended: false }
    }

    /// The next line; `None` at the end. May be dropped while it waits: nothing that was read is lost.
    async fn next(&mut self) -> std::io::Result<Option<Result<MethodLine, LineError>>> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Ok(Some(line.and_then(|line| MethodLine::decode(&line))));
            }
            if self.ended {
                return Ok(None);
            }
            match self.from.read(&mut self.chunk).await? {
                0 => {
                    self.ended = true;
                    // A last line without its LF is a line all the same.
                    return Ok(self.lines.rest().map(|line| MethodLine::decode(&line)));
                }
                count => self.lines.push(&self.chunk[..count]),
            }
        }
    }
}
