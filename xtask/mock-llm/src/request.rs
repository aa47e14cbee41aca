//! A request as it came, and what scripts and tests ask of it.
//!
//! Owns reading one HTTP request from a connection, within bounds, and the questions about its body that have the
//! same meaning in both formats.
//! The last byte of a request stays unread until [`Incoming::finish`]: a connection that is closed over unread bytes
//! is reset, and that is the one way to reset without reaching below the standard library.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::answer::Wire;

const MAX_HEAD: usize = 64 << 10;
const MAX_BODY: usize = 64 << 20;

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    /// In order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Null when there is none, or when it is not JSON.
    pub body: Value,
    /// The body as it came.
    pub bytes: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(is, _)| is == name).map(|(_, value)| value.as_str())
    }

    pub fn wire(&self) -> Option<Wire> {
        Wire::of_path(&self.path)
    }

    /// Empty when the request names none.
    pub fn model(&self) -> String {
        self.body["model"].as_str().unwrap_or_default().to_owned()
    }

    /// Names of the tools that are offered.
    pub fn tools(&self) -> Vec<String> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        let name =
            |tool: &Value| tool["name"].as_str().or(tool["function"]["name"].as_str()).map(str::to_owned);
        tools.filter_map(name).collect()
    }

    /// What the person wrote last.
    pub fn prompt(&self) -> String {
        let last = self.messages().iter().rev().find(|message| is_prompt(message));
        last.map(|message| text(&message["content"])).unwrap_or_default()
    }

    /// The last paragraph of what the person wrote last. A prompt that got no answer stands before the next one in the
    /// same message: as a block of its own, or as a paragraph.
    pub fn last_words(&self) -> String {
        let prompt = self.prompt();
        prompt.trim_end().rsplit("\n\n").next().unwrap_or_default().to_owned()
    }

    /// Texts of the tool results since the last prompt.
    pub fn results(&self) -> Vec<String> {
        let since = self.since_prompt().iter();
        since
            .flat_map(|message| match message["role"].as_str() {
                Some("tool") => vec![text(&message["content"])],
                Some("user") => {
                    let blocks = message["content"].as_array().into_iter().flatten();
                    let results = blocks.filter(|block| block["type"] == "tool_result");
                    results.map(|block| text(&block["content"])).collect()
                }
                _ => Vec::new(),
            })
            .collect()
    }

    /// How many answers with calls were given since the last prompt.
    pub fn round(&self) -> usize {
        let calls = |message: &&Value| {
            let blocks = message["content"].as_array().into_iter().flatten();
            message["tool_calls"].is_array() || blocks.into_iter().any(|block| block["type"] == "tool_use")
        };
        self.since_prompt().iter().filter(calls).count()
    }

    fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    fn since_prompt(&self) -> &[Value] {
        let messages = self.messages();
        let start = messages.iter().rposition(is_prompt).map_or(0, |at| at + 1);
        &messages[start..]
    }
}

/// A message of the user that carries text and no results.
fn is_prompt(message: &Value) -> bool {
    let blocks = message["content"].as_array().into_iter().flatten();
    message["role"] == "user" && !blocks.into_iter().any(|block| block["type"] == "tool_result")
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            texts.join("\n\n")
        }
        _ => String::new(),
    }
}

/// A request whose last byte is still in the socket.
pub(crate) struct Incoming {
    pub request: Request,
}

/// Why there is no request.
pub(crate) enum Refused {
    /// The connection ended, or broke.
    Gone,
    /// Not something that this server reads; the status says what.
    Status(u16),
}

impl From<io::Error> for Refused {
    fn from(_: io::Error) -> Self {
        Refused::Gone
    }
}

impl Incoming {
    pub fn read(stream: &mut TcpStream) -> Result<Incoming, Refused> {
        let head = read_head(stream)?;
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut lines = head.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(path)) = (first.next(), first.next()) else {
            return Err(Refused::Status(400));
        };
        let pair = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        };
        let mut request = Request {
            method: method.to_owned(),
            path: path.split('?').next().unwrap_or_default().to_owned(),
            headers: lines.filter_map(pair).collect(),
            body: Value::Null,
            bytes: Vec::new(),
        };
        if request.header("transfer-encoding").is_some() {
            return Err(Refused::Status(411));
        }
        let length = request.header("content-length").map_or(Ok(0), str::parse);
        let length: usize = length.map_err(|_| Refused::Status(400))?;
        if length > MAX_BODY {
            return Err(Refused::Status(413));
        }
        if length > 0 {
            take(stream, 1)?;
            if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
                stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            }
            let mut bytes = take(stream, length - 1)?;
            bytes.push(peek(stream)?);
            request.body = serde_json::from_slice(&bytes).unwrap_or_default();
            request.bytes = bytes;
        }
        Ok(Incoming { request })
    }

    /// Takes the last byte, so that the connection may be closed, or used again, in peace.
    pub fn finish(&self, stream: &mut TcpStream) -> io::Result<()> {
        take(stream, 1).map(drop)
    }
}

/// Everything before the empty line; the last byte of that line stays in the socket.
fn read_head(stream: &mut TcpStream) -> Result<Vec<u8>, Refused> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r") {
        if head.len() >= MAX_HEAD {
            return Err(Refused::Status(431));
        }
        head.append(&mut take(stream, 1)?);
    }
    if peek(stream)? != b'\n' {
        return Err(Refused::Status(400));
    }
    head.truncate(head.len() - 3);
    Ok(head)
}

fn take(stream: &mut TcpStream, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn peek(stream: &TcpStream) -> io::Result<u8> {
    let mut byte = [0];
    match stream.peek(&mut byte)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(byte[0]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Request;

    fn of(messages: serde_json::Value) -> Request {
        let body = json!({"model": "m", "messages": messages});
        Request { method: "POST".into(), path: "/v1/messages".into(), headers: vec![], body, bytes: vec![] }
    }

    #[test]
    fn questions_mean_the_same_in_both_formats() {
        let anthropic = of(json!([
            {"role": "user", "content": [{"type": "text", "text": "first"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "0", "name": "Read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "0", "content": "old"}]},
            {"role": "user", "content": "second"},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look"},
                {"type": "tool_use", "id": "1", "name": "Read", "input": {}},
                {"type": "tool_use", "id": "2", "name": "Read", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "a"},
                {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "b"}]},
            ]},
        ]));
        let chat = of(json!([
            {"role": "system", "content": "s"},
            {"role": "user", "content": "second"},
            {"role": "assistant", "content": "I look", "tool_calls": [{"id": "1"}, {"id": "2"}]},
            {"role": "tool", "tool_call_id": "1", "content": "a"},
            {"role": "tool", "tool_call_id": "2", "content": "b"},
        ]));
        for request in [anthropic, chat] {
            assert_eq!(request.prompt(), "second");
            assert_eq!(request.results(), ["a", "b"]);
            assert_eq!(request.round(), 1);
            assert_eq!(request.model(), "m");
        }
        let unanswered = [
            json!([{"type": "text", "text": "please bad-key"}, {"type": "text", "text": "hello\nyou"}]),
            json!("please bad-key\n\nhello\nyou\n"),
        ];
        for content in unanswered {
            assert_eq!(of(json!([{"role": "user", "content": content}])).last_words(), "hello\nyou");
        }
        let nothing = of(json!(null));
        assert_eq!((nothing.prompt(), nothing.results(), nothing.round()), (String::new(), vec![], 0));
    }
}
