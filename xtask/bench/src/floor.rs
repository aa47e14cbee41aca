//! The floor: a chat that only prints. Reads the same stream, runs the same tools, writes each text as it stands.
//!
//! `bench floor` asks as Anthropic Messages does and prints texts and arguments as they come, results when they are
//! there; `bench floor --log FILE` prints the texts of a session's log. It draws nothing, keeps the conversation, and its
//! cost is what the work costs before anybody makes a screen of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

/// What stands in front of what is typed.
pub const PROMPT: &str = "plain> ";

/// Chats until the terminal ends.
///
/// # Errors
/// When the provider cannot be reached or says something else than it should.
pub fn chat(out: &mut dyn Write) -> Result<()> {
    let base = std::env::var("ANTHROPIC_BASE_URL").context("ANTHROPIC_BASE_URL is not set")?;
    let address = base.strip_prefix("http://").context("only http:// is spoken here")?.to_owned();
    let mut messages = Vec::new();
    let mut line = String::new();
    loop {
        write!(out, "\n{PROMPT}")?;
        out.flush()?;
        line.clear();
        if std::io::stdin().read_line(&mut line)? == 0 {
            return Ok(());
        }
        messages.push(json!({"role": "user", "content": line.trim_end()}));
        turn(&address, &mut messages, out)?;
    }
}

/// Prints the texts of a log.
///
/// # Errors
/// When the file cannot be read.
pub fn log(file: &Path, out: &mut dyn Write) -> Result<()> {
    for line in BufReader::new(std::fs::File::open(file)?).lines() {
        let line: LogLine = serde_json::from_str(&line?)?;
        for text in [line.text, line.arguments, line.summary, line.output].into_iter().flatten() {
            writeln!(out, "{text}")?;
        }
    }
    write!(out, "\n{PROMPT}")?;
    out.flush()?;
    _ = std::io::stdin().read_line(&mut String::new())?;
    Ok(())
}

#[derive(Deserialize)]
struct LogLine {
    text: Option<String>,
    arguments: Option<String>,
    summary: Option<String>,
    output: Option<String>,
}

/// Asks until an answer has no calls; that answer's text.
fn turn(address: &str, messages: &mut Vec<Value>, out: &mut dyn Write) -> Result<String> {
    loop {
        let body = json!({"model": "mock-1", "max_tokens": 64_000, "stream": true, "messages": messages})
            .to_string();
        let blocks = answer(address, &body, out)?;
        let mut results = Vec::new();
        for block in blocks.iter().filter(|block| block["type"] == "tool_use") {
            let result = call(address, block, out)?;
            results.push(json!({"type": "tool_result", "tool_use_id": block["id"], "content": result}));
        }
        let text =
            blocks.iter().rev().find_map(|block| block["text"].as_str()).unwrap_or_default().to_owned();
        messages.push(json!({"role": "assistant", "content": blocks}));
        if results.is_empty() {
            return Ok(text);
        }
        messages.push(json!({"role": "user", "content": results}));
    }
}

/// Runs a call and prints what came of it.
fn call(address: &str, block: &Value, out: &mut dyn Write) -> Result<String> {
    let word = |name: &str| block["input"][name].as_str().unwrap_or_default();
    let result = match block["name"].as_str().unwrap_or_default() {
        "Bash" => {
            let done = Command::new("bash").arg("-c").arg(word("command")).output()?;
            String::from_utf8_lossy(&done.stdout).into_owned()
        }
        "Read" => std::fs::read_to_string(word("file_path"))?,
        "Write" => {
            std::fs::write(word("file_path"), word("content"))?;
            "written".to_owned()
        }
        "Task" => {
            let mut below = vec![json!({"role": "user", "content": word("prompt")})];
            return turn(address, &mut below, out);
        }
        other => bail!("the floor has no tool {other}"),
    };
    writeln!(out, "\n{result}")?;
    out.flush()?;
    Ok(result)
}

#[derive(Deserialize)]
struct Event {
    content_block: Option<Value>,
    delta: Option<Delta>,
}

#[derive(Deserialize)]
struct Delta {
    text: Option<String>,
    partial_json: Option<String>,
}

/// One answer, printed as it comes; its blocks come back as they go into the conversation.
fn answer(address: &str, body: &str, out: &mut dyn Write) -> Result<Vec<Value>> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )?;
    let mut input = BufReader::with_capacity(1 << 16, stream);
    head(&mut input)?;
    let mut blocks: Vec<(Value, String)> = Vec::new();
    let mut events = Vec::new();
    while chunk(&mut input, &mut events)? {
        let whole = events.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in events[..whole].split(|byte| *byte == b'\n') {
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            take(serde_json::from_slice(data)?, &mut blocks, out)?;
        }
        events.drain(..whole);
        // What has come is shown before more is waited for.
        if input.buffer().is_empty() {
            out.flush()?;
        }
    }
    out.flush()?;
    blocks.into_iter().map(closed).collect()
}

fn take(event: Event, blocks: &mut Vec<(Value, String)>, out: &mut dyn Write) -> Result<()> {
    if let Some(block) = event.content_block {
        if let Some(name) = block["name"].as_str() {
            write!(out, "\n[{name}] ")?;
        }
        blocks.push((block, String::new()));
    }
    let text = event.delta.and_then(|delta| delta.text.or(delta.partial_json));
    if let (Some(text), Some((_, said))) = (text, blocks.last_mut()) {
        out.write_all(text.as_bytes())?;
        said.push_str(&text);
    }
    Ok(())
}

fn closed((mut block, said): (Value, String)) -> Result<Value> {
    if block["type"] == "tool_use" {
        block["input"] = serde_json::from_str(&said)?;
    } else {
        block["text"] = said.into();
    }
    Ok(block)
}

fn head(input: &mut impl BufRead) -> Result<()> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    if !line.starts_with("HTTP/1.1 200") {
        bail!("the provider says {}", line.trim_end());
    }
    while line.trim_end() != "" {
        line.clear();
        input.read_line(&mut line)?;
    }
    Ok(())
}

/// Appends the next chunk of the body; false at its end.
fn chunk(input: &mut impl BufRead, to: &mut Vec<u8>) -> Result<bool> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let size = u64::from_str_radix(line.trim_end(), 16).context("the body is not chunked")?;
    let read = input.take(size).read_to_end(to)?;
    if read as u64 != size {
        bail!("the answer ended within a chunk");
    }
    line.clear();
    input.read_line(&mut line)?;
    Ok(size > 0)
}

#[cfg(test)]
mod tests {
    use mock_llm::{Answer, MockLlm, Reply, Script, When};

    use super::{LogLine, turn};

    #[test]
    fn texts_arguments_and_results_are_printed_and_calls_are_answered() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        let path = serde_json::Value::from(file.to_str().unwrap());
        let write = format!(r#"{{"file_path":{path},"content":"kept"}}"#);
        let first = Answer::new().text("look").call("c1", "Write", &write);
        let second = Answer::new().call("c2", "Read", &format!(r#"{{"file_path":{path}}}"#));
        let third = Answer::new().call("c3", "Task", r#"{"prompt":"below"}"#);
        let script = Script::new()
            .when(When::prompt("below"), Answer::new().text("from below"))
            .when(When::round(0), Reply::fragments(first, 3))
            .when(When::round(1), Reply::fragments(second, 3))
            .when(When::round(2), third)
            .otherwise(Answer::new().text("done"));
        let mock = MockLlm::start(script).unwrap();
        let mut out = Vec::new();
        let mut messages = vec![serde_json::json!({"role": "user", "content": "go"})];
        let said = turn(&mock.address().to_string(), &mut messages, &mut out).unwrap();
        assert_eq!(said, "done");
        let results = mock.requests().last().unwrap().results();
        assert_eq!(results, ["written", "kept", "from below"]);
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("look") && out.contains(&write) && out.contains("\nkept\n"), "{out}");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "kept");
    }

    #[test]
    fn a_line_of_a_log_may_hold_anything_else() {
        let line: LogLine = serde_json::from_str(r#"{"kind":"x","seq":1,"text":"a","v":[1]}"#).unwrap();
        assert_eq!(line.text.as_deref(), Some("a"));
    }
}
