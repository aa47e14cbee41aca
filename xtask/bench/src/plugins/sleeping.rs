//! A plugin that sleeps ten seconds over a card: frames come as they do without it.
//!
//! The same turn twice: a call is written, then Markdown streams while it waits, so that the call is in every frame. What is
//! compared is the time from one frame to the next.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use mock_llm::{Answer, Delivery, Pace, Reply, Script, When};
use serde_json::{Value, json};

use super::script;
use crate::perform::{REST, at_prompt};
use crate::report::table;
use crate::stats::{median, percentile};
use crate::subject::{Place, Subject};
use crate::workloads::{ASKED, END, markdown_text};

/// Draws the commands; says in a file that it was asked, then sleeps.
const SLEEPER: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if request["request"] == "hello":
        print(json.dumps({"reply": "hello", "abi": 1, "name": "sleeper", "version": "1", "views": ["Bash"]}), flush=True)
    elif request["request"] == "card":
        open(os.path.join(os.environ["HOME"], "asked"), "w").close()
        time.sleep(10)
        print(json.dumps({"reply": "card", "id": request["id"], "card": {"title": "late"}}), flush=True)
"#;

pub fn measure(carpel: &Path) -> Result<(String, Value)> {
    let (mut rows, mut all) = (Vec::new(), Vec::new());
    for (who, is_there) in [("without it", false), ("with it", true)] {
        let gaps = gaps(carpel, is_there)?;
        let of = |percent: f64| percentile(&gaps, percent).unwrap_or(0.0);
        let middle = median(&gaps).unwrap_or(0.0);
        rows.push(vec![
            who.to_owned(),
            (gaps.len() + 1).to_string(),
            format!("{middle:.1} / {:.1} / {:.1}", of(99.0), of(100.0)),
        ]);
        all.push(json!({"plugin": is_there, "frames": gaps.len() + 1, "median_ms": middle, "p99_ms": of(99.0), "most_ms": of(100.0)}));
    }
    let head = ["a plugin that sleeps 10 s", "frames", "from frame to frame, ms: median / p99 / most"];
    Ok((table(&head, rows.into_iter()), all.into()))
}

/// Milliseconds from frame to frame while the text streams.
fn gaps(carpel: &Path, is_there: bool) -> Result<Vec<f64>> {
    let (text, _) = markdown_text(1_200 * 5);
    let text = text.replace(END, "streamed-to-its-end");
    let answer = Answer::new().call("c", "Bash", r#"{"command":"true"}"#).text(&text);
    let delivery =
        Delivery { fragment: 5, pace: Pace::Every(Duration::from_millis(5)), ..Delivery::default() };
    let script_of = Script::new().when(When::round(0), Reply::Say { answer, delivery });
    let place = Place::new(script_of.otherwise(Answer::new().text(END)))?;
    if is_there {
        script(&place.plugins(), "sleeper", SLEEPER)?;
    }
    let running = at_prompt(&Subject::Carpel { program: carpel.to_owned() }, &place)?;
    let terminal = &running.terminal;
    terminal.write(&format!("{ASKED}\r"))?;
    let from = terminal.wait("the text", |screen| screen.shows("Section"))?;
    let to = terminal.wait("the end of the text", |screen| screen.shows("streamed-to-its-end"))?;
    terminal.wait("the last text", |screen| screen.shows(END))?;
    terminal.rest(REST);
    if is_there && !place.has_in_home("asked") {
        bail!("the plugin was never asked");
    }
    let frames = terminal.look(|screen| screen.frames.clone());
    let frames: Vec<_> = frames.into_iter().filter(|frame| (from..=to).contains(frame)).collect();
    Ok(frames.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1e3).collect())
}
