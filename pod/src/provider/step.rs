//! One step over HTTP, the same for every wire: ask, read, hand on, until the terminal event.
//!
//! Owns the seam [`Wire`] and [`Reader`], the retry without what a server does not know, and that a receiver that is
//! dropped closes the connection at once. It refuses to know the shapes of requests and events, and does not ask again
//! after a failure: the turn decides that. Read next: `decode.rs`, `assembler.rs`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;

use super::assembler::Assembler;
use super::decode::Decoder;
use super::http::{Http, Incoming, Trouble};
use super::trouble::{Failure, Refusal, Unreadable};
use super::{Request, StreamEvent};

/// How often a request may be changed to a server's liking.
const CHANGES: usize = 6;
/// How long a server may take to end a stream whose answer is whole.
const FORMALITIES: Duration = Duration::from_secs(5);

/// How a service is asked.
pub trait Wire: Send + Sync + 'static {
    type Reader: Reader;

    fn http(&self) -> &Http;
    /// Where questions go, below the base address.
    fn path(&self) -> &'static [&'static str];
    fn body(&self, request: &Request) -> Value;
    /// Learns from a refusal. True when the next body will be another one.
    fn adapt(&self, request: &Request, refusal: &Refusal) -> bool;
    fn reader(&self) -> Self::Reader;
}

/// Reads the events of a stream.
pub trait Reader: Send + 'static {
    /// One event, or a whole answer that came at once.
    fn take(&mut self, data: &Value, to: &mut Assembler);
    /// `[DONE]`.
    fn done(&mut self, to: &mut Assembler);
    /// The stream ended; `failure` tells how when it did so badly.
    fn end(&mut self, failure: Option<Failure>, to: &mut Assembler);
    /// What came cannot be read.
    fn unreadable(&mut self, what: Unreadable, to: &mut Assembler);
}

/// Begins a step. Must be called within a tokio runtime.
pub fn begin<W: Wire>(wire: Arc<W>, request: Arc<Request>) -> mpsc::Receiver<StreamEvent> {
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        tokio::select! {
            biased;
            () = sender.closed() => {}
            () = play(&*wire, &request, &sender) => {}
        }
    });
    receiver
}

async fn play<W: Wire>(wire: &W, request: &Request, sender: &mpsc::Sender<StreamEvent>) {
    let incoming = match ask(wire, request).await {
        Ok(incoming) => incoming,
        Err(failure) => {
            // Nobody listening any more is no trouble of ours, here and below.
            let _ = sender.send(StreamEvent::Failed(failure)).await;
            return;
        }
    };
    read(wire.reader(), incoming, sender).await;
}

async fn ask<W: Wire>(wire: &W, request: &Request) -> Result<Incoming, Failure> {
    let mut changes = 0;
    loop {
        match wire.http().post(wire.path(), &wire.body(request)).await {
            Ok(incoming) => return Ok(incoming),
            Err(Trouble::Broken(failure)) => return Err(failure),
            Err(Trouble::Refused(refusal)) => {
                let words = wire.http().service.own(&refusal.words);
                tracing::debug!(refusal.status, refusal.kind, refusal.param, words, "a request was refused");
                changes += 1;
                if changes > CHANGES || !wire.adapt(request, &refusal) {
                    return Err(wire.http().service.refused(&refusal, &request.tools));
                }
            }
        }
    }
}

async fn read<R: Reader>(reader: R, mut incoming: Incoming, sender: &mpsc::Sender<StreamEvent>) {
    let mut decoder = Decoder::new(reader);
    let mut assembler = Assembler::default();
    while !assembler.is_over() {
        let patience = assembler.is_answered().then_some(FORMALITIES);
        match incoming.piece(patience).await {
            Ok(Some(piece)) => decoder.push(&piece, &mut assembler),
            Ok(None) => decoder.end(None, &mut assembler),
            Err(failure) => decoder.end(Some(failure), &mut assembler),
        }
        for event in assembler.events() {
            // What comes behind the end is read in peace, so that the connection serves again.
            if matches!(event, StreamEvent::Stop(_)) {
                let _ = sender.send(event).await;
                return drop(tokio::spawn(drain(incoming)));
            }
            if sender.send(event).await.is_err() {
                return;
            }
        }
    }
}

async fn drain(mut incoming: Incoming) {
    for _ in 0..8 {
        let Ok(Some(_)) = incoming.piece(Some(Duration::from_secs(1))).await else { return };
    }
}
