//! Puts a response on a connection, with its pauses and its fault.
//!
//! Owns HTTP framing on the way out. A body that is cut is cut within well-formed framing, unless the fault says half a
//! chunk.
//! It refuses to know requests and scripts. `server.rs` closes, or resets, as it is told here.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::reply::{Fault, Framing, Response};
use crate::server::Shared;

/// What becomes of the connection.
pub(crate) enum After {
    /// It may bring another request.
    Next,
    Close,
    Reset,
}

impl Response {
    /// Whether it ends in a reset.
    pub(crate) fn resets(&self) -> bool {
        matches!(self.fault, Some(Fault::ResetAtOnce | Fault::ResetAfter(_)))
    }

    /// After how many bytes of the body something happens.
    fn until(&self) -> Option<usize> {
        match self.fault? {
            Fault::NoAnswer | Fault::Silence | Fault::ResetAtOnce => Some(0),
            Fault::CutAfter(at)
            | Fault::HalfChunkAfter(at)
            | Fault::StallAfter(at)
            | Fault::ResetAfter(at) => Some(at),
        }
    }
}

pub(crate) fn perform(stream: &mut TcpStream, response: &Response, shared: &Shared) -> io::Result<After> {
    match response.fault {
        Some(Fault::NoAnswer) => return Ok(After::Close),
        Some(Fault::ResetAtOnce) => return Ok(After::Reset),
        Some(Fault::Silence) => return stall(stream),
        Some(Fault::CutAfter(_) | Fault::HalfChunkAfter(_) | Fault::StallAfter(_) | Fault::ResetAfter(_))
        | None => {}
    }
    stream.write_all(head(response).as_bytes())?;
    let mut sent = 0;
    for chunk in &response.body {
        shared.pause(chunk.wait)?;
        let room = response.until().map_or(chunk.bytes.len(), |until| until.saturating_sub(sent));
        let bytes = &chunk.bytes[..room.min(chunk.bytes.len())];
        write(stream, response.framing, bytes)?;
        sent += bytes.len();
        if bytes.len() < chunk.bytes.len() {
            break;
        }
    }
    end(stream, response)
}

fn end(stream: &mut TcpStream, response: &Response) -> io::Result<After> {
    match response.fault {
        Some(Fault::StallAfter(_) | Fault::Silence) => stall(stream),
        Some(Fault::ResetAfter(_) | Fault::ResetAtOnce) => Ok(After::Reset),
        Some(Fault::HalfChunkAfter(_)) => {
            stream.write_all(b"20\r\ndata: {\"half")?;
            Ok(After::Close)
        }
        Some(Fault::CutAfter(_) | Fault::NoAnswer) => Ok(After::Close),
        None => match response.framing {
            Framing::Chunked => stream.write_all(b"0\r\n\r\n").map(|()| After::Next),
            Framing::Length => Ok(After::Next),
            Framing::UntilClose => Ok(After::Close),
        },
    }
}

fn head(response: &Response) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match response.framing {
        Framing::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
        Framing::Length => {
            let length: usize = response.body.iter().map(|chunk| chunk.bytes.len()).sum();
            head.push_str(&format!("content-length: {length}\r\n"));
        }
        Framing::UntilClose => head.push_str("connection: close\r\n"),
    }
    head.push_str("\r\n");
    head
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Unnamed",
    }
}

/// One write for each piece, so that it travels on its own. An empty chunk would end a chunked body.
fn write(stream: &mut TcpStream, framing: Framing, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    if framing != Framing::Chunked {
        return stream.write_all(bytes);
    }
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    stream.write_all(&chunk)
}

/// Sends nothing and waits until the client gives up or the server stops, which ends the reading too.
fn stall(stream: &mut TcpStream) -> io::Result<After> {
    let mut rest = [0; 256];
    while stream.read(&mut rest)? > 0 {}
    Ok(After::Close)
}
