//! The way of a card of 40 rows: within this process, through a library in a child, through a script.
//!
//! Each is asked as the host asks: the call is told on the wire, the reply is read into a card, one at a time. Only a card
//! that has all its rows counts.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use carpel_slots::testing::Sample;
use carpel_slots::wire::{ABI, Reply, Request, WireCall};
use carpel_slots::{Block, CallState, Card, CardCx, ToolCall};
use serde_json::{Value, json};

use crate::process;
use crate::report::table;
use crate::stats::{median, percentile};

const ROWS: usize = 40;
const CARDS: usize = 2_000;
/// Asked before anything counts: what is loaded at first use is there then.
const WARM: usize = 50;

pub fn measure(carpel: &Path, library: &Path, script: &Path) -> Result<(String, Value)> {
    let (pods, sql) = (pods(), sql());
    let plugin = kubectl_table::carpel_plugin();
    let view = plugin.view_of("kubectl").context("the example draws kubectl")?;
    let within = timed(&mut |_| Ok(view.card(&pods, &CardCx::default())))?;
    let library = library.to_str().context("a path that is text")?;
    let mut rust = Plugin::start(carpel, &["plugin-host", library], "kubectl")?;
    let through_rust = timed(&mut |id| rust.card(id, &pods))?;
    let script = script.to_str().context("a path that is text")?;
    let mut python = Plugin::start(carpel, &["plugin-host", "--run", script], "sql_query")?;
    let through_python = timed(&mut |id| python.card(id, &sql))?;

    let memory = |plugin: &Plugin| process::memory(plugin.child.id()).unwrap_or_default();
    let mut rows = Vec::new();
    let mut of_all = Vec::new();
    for (name, (median, p99), memory) in [
        ("within the process", within, None),
        ("a library in Rust, in a child", through_rust, Some(memory(&rust))),
        ("a script in Python", through_python, Some(memory(&python))),
    ] {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        let told = memory
            .map_or("-".to_owned(), |memory| format!("{:.1} ({:.1})", mb(memory.peak), mb(memory.anonymous)));
        rows.push(vec![
            name.to_owned(),
            format!("{median:.1} / {p99:.1}"),
            format!("{:.1}", median / within.0),
            told,
        ]);
        of_all.push(json!({"way": name, "median_us": median, "p99_us": p99,
            "peak_mb": memory.map(|memory| mb(memory.peak)), "anonymous_mb": memory.map(|memory| mb(memory.anonymous))}));
    }
    let head = ["a card of 40 rows", "there and back, µs: median / p99", "x", "MB (anonymous) of the child"];
    Ok((table(&head, rows.into_iter()), of_all.into()))
}

/// Median and 99th percentile, in microseconds.
fn timed(card: &mut dyn FnMut(u64) -> Result<Card>) -> Result<(f64, f64)> {
    let mut times = Vec::new();
    for id in 0..WARM + CARDS {
        let began = Instant::now();
        let card = card(id as u64 + 1)?;
        times.push(began.elapsed().as_secs_f64() * 1e6);
        let rows = card.body.iter().flatten().find_map(|block| match block {
            Block::Table { rows, .. } => Some(rows.len()),
            _ => None,
        });
        if rows != Some(ROWS) {
            bail!("a card has a table of {rows:?} rows, not {ROWS}");
        }
    }
    let times = &times[WARM..];
    median(times).zip(percentile(times, 99.0)).context("no card was made")
}

struct Plugin {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    view: &'static str,
}

impl Plugin {
    fn start(carpel: &Path, words: &[&str], view: &'static str) -> Result<Plugin> {
        let mut child =
            Command::new(carpel).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.context("the child has pipes")?;
        let mut plugin = Plugin { child, input, output: BufReader::new(output), view };
        let hello = Request::Hello { abi: ABI, carpel: "0.1.0".to_owned(), features: Vec::new() };
        match plugin.ask(&hello)? {
            Reply::Hello(hello) if hello.views.iter().any(|key| key == view) => Ok(plugin),
            other => bail!("the plugin does not draw {view}: {other:?}"),
        }
    }

    fn card(&mut self, id: u64, call: &ToolCall) -> Result<Card> {
        let call = Box::new(WireCall::of(call));
        match self.ask(&Request::Card { id, view: self.view.to_owned(), call, cx: CardCx::default() })? {
            Reply::Card { id: of, card } if of == id => Ok(card),
            other => bail!("no card came: {other:?}"),
        }
    }

    fn ask(&mut self, request: &Request) -> Result<Reply> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        let mut reply = String::new();
        self.output.read_line(&mut reply)?;
        serde_json::from_str(&reply).with_context(|| format!("the plugin said {reply:?}"))
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A call whose result is a table of kubectl.
fn pods() -> ToolCall {
    let row = |row: usize| format!("web-7d4b9c6f5d-{row:05}   1/1     Running   {row}          5d    one\n");
    let rows: String = (0..ROWS).map(row).collect();
    let output = format!("NAME                   READY   STATUS    RESTARTS   AGE   NODE\n{rows}");
    let sample = Sample::new("kubectl").arguments(r#"{"command":"get pods -n web"}"#);
    sample.summary("40 lines").output(&output).in_state(CallState::Done)
}

/// The same as the result of a query.
fn sql() -> ToolCall {
    let row = |row: usize| format!("web-7d4b9c6f5d-{row:05}\t1/1\tRunning\t{row}\t5d\tone\n");
    let rows: String = (0..ROWS).map(row).collect();
    let output = format!("name\tready\tstatus\trestarts\tage\tnode\n{rows}");
    let sample = Sample::new("sql_query").arguments(r#"{"query":"select * from pods"}"#);
    sample.summary("40 rows").output(&output).in_state(CallState::Done)
}

#[cfg(test)]
mod tests {
    use super::{pods, sql, timed};
    use carpel_slots::{Card, CardCx};

    #[test]
    fn the_example_makes_a_table_of_the_call_and_nothing_else_counts() {
        let plugin = kubectl_table::carpel_plugin();
        let view = plugin.view_of("kubectl").unwrap();
        let (median, p99) = timed(&mut |_| Ok(view.card(&pods(), &CardCx::default()))).unwrap();
        assert!(0.0 < median && median <= p99);
        assert!(timed(&mut |_| Ok(Card::default())).is_err());
        assert_eq!(sql().result.unwrap().output.unwrap().lines().count(), 41);
    }
}
