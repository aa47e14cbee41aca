//! Ten plugins that have drawn once and rest: wake-ups, CPU and memory of all over ten seconds.
//!
//! Owns the ten: the example in Python under ten names, each for a tool of its own. They count only when all of them run.
//! How processes are metered is `../meter.rs`.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use mock_llm::{Answer, Script, When};
use serde_json::{Value, json};

use super::{example, script};
use crate::meter::Meter;
use crate::perform::{REST, at_prompt};
use crate::process;
use crate::report::table;
use crate::subject::{Place, Subject};
use crate::workloads::{ASKED, END};

const PLUGINS: usize = 10;
const TIME: Duration = Duration::from_secs(10);

pub fn measure(carpel: &Path) -> Result<(String, Value)> {
    let calls = (0..PLUGINS).fold(Answer::new(), |answer, at| {
        answer.call(&format!("c{at}"), &format!("sql_query_{at}"), r#"{"query":"select 1"}"#)
    });
    let place = Place::new(Script::new().when(When::round(0), calls).otherwise(Answer::new().text(END)))?;
    let text = std::fs::read_to_string(example("sql-result/sql-result"))?;
    for at in 0..PLUGINS {
        // Each under a name of its own, for a tool of its own.
        let own = text.replace("\"sql_query\"", &format!("\"sql_query_{at}\""));
        let own = own.replace("\"sql-result\"", &format!("\"sql-result-{at}\""));
        let own = own
            .replace("\"sql-rows\"", &format!("\"sql-rows-{at}\""))
            .replace(":sql-rows", &format!(":sql-rows-{at}"));
        script(&place.plugins(), &format!("sql-result-{at}"), &own)?;
    }
    let running = at_prompt(&Subject::Carpel { program: carpel.to_owned() }, &place)?;
    let terminal = &running.terminal;
    terminal.write(&format!("{ASKED}\r"))?;
    terminal.wait("the answer", |screen| screen.shows(END))?;
    terminal.rest(REST);
    std::thread::sleep(Duration::from_secs(2));
    let is_plugin = |pid: &u32| process::arguments(*pid).iter().any(|word| word.contains("/sql-result-"));
    let plugins: Vec<u32> = process::children(terminal.pid).into_iter().filter(is_plugin).collect();
    if plugins.len() != PLUGINS {
        bail!("{} of {PLUGINS} plugins run", plugins.len());
    }
    let bytes = terminal.look(|screen| screen.bytes);
    let meter = Meter::start(&[&[terminal.pid][..], &plugins].concat());
    std::thread::sleep(TIME);
    let used = meter.stop();
    let written = terminal.look(|screen| screen.bytes) - bytes;
    let (host, children) = used.split_at(1);
    let mb = |bytes: u64| bytes as f64 / 1e6;
    let (mut rows, mut all) = (Vec::new(), Vec::new());
    for (who, used) in [("host", host), ("the ten", children)] {
        let waits: u64 = used.iter().map(|used| used.waits).sum();
        let cpu: f64 = used.iter().map(|used| used.cpu * 1e3).sum();
        let each = used.len() as f64;
        let peak = used.iter().map(|used| mb(used.memory.peak)).sum::<f64>() / each;
        let anonymous = used.iter().map(|used| mb(used.memory.anonymous)).sum::<f64>() / each;
        rows.push(vec![
            who.to_owned(),
            waits.to_string(),
            format!("{cpu:.1}"),
            format!("{peak:.1} ({anonymous:.1})"),
        ]);
        all.push(json!({"who": who, "waits": waits, "cpu_ms": cpu, "peak_mb_each": peak, "anonymous_mb_each": anonymous}));
    }
    let head = ["ten plugins in Python at rest, 10 s", "waits", "CPU ms", "MB (anonymous) each"];
    let text = table(&head, rows.into_iter());
    Ok((text, json!({"processes": all, "bytes": written})))
}
