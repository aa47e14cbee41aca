//! What carpel costs, measured: `cargo xtask bench` builds both and starts this program.
//!
//! This file owns the order of a run: each workload with the floor, then with carpel, and what is told meanwhile. A
//! workload whose work was not done is an error and has no figures.
//! It refuses to know what a workload is (`workloads.rs`), how one is measured (`perform.rs`) and what the floor does
//! (`floor.rs`). `plugins.rs` is the benchmark of plugins.

mod checks;
mod command_line;
mod figures;
mod floor;
mod meter;
mod perform;
mod plugins;
mod process;
mod report;
mod screen;
mod stats;
mod subject;
mod terminal;
mod workloads;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use command_line::{Common, Wanted};
use report::Row;
use subject::Subject;
use workloads::Workload;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // Nobody is left to tell when stderr itself is closed.
            _ = writeln!(std::io::stderr(), "bench: {error:#}");
            ExitCode::from(1)
        }
    }
}

fn run(words: &[String]) -> Result<bool> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match command_line::wanted(words)? {
        Wanted::List => {
            for Workload { name, about, .. } in workloads::all() {
                writeln!(out, "{name:<21} {about}")?;
            }
            Ok(true)
        }
        Wanted::Floor { log: Some(file) } => floor::log(&file, &mut out).map(|()| true),
        Wanted::Floor { log: None } => floor::chat(&mut out).map(|()| true),
        Wanted::Workloads { only, common } => compare(&only, &common, &mut out),
        Wanted::Plugins(common) => {
            let (tables, json) = plugins::run(&common.carpel)?;
            writeln!(out, "{tables}")?;
            keep(common.json.as_deref(), &json)?;
            Ok(true)
        }
    }
}

/// Measures and shows; false when a workload failed.
fn compare(only: &[String], common: &Common, out: &mut dyn Write) -> Result<bool> {
    let mut list = workloads::all();
    if let Some(unknown) = only.iter().find(|name| list.iter().all(|workload| workload.name != **name)) {
        bail!("there is no workload `{unknown}`; --list names them");
    }
    list.retain(|workload| only.is_empty() || only.iter().any(|name| name == workload.name));
    let (mut rows, mut failed) = (Vec::new(), 0);
    for workload in &list {
        tell(&format!("{}: {}", workload.name, workload.about));
        match row(workload, &common.carpel) {
            Ok(row) => rows.push(row),
            Err(error) => {
                tell(&format!("{} FAILED: {error:#}", workload.name));
                failed += 1;
            }
        }
    }
    write!(out, "{}", report::tables(&rows))?;
    keep(common.json.as_deref(), &report::json(&rows))?;
    Ok(failed == 0)
}

fn row(workload: &Workload, carpel: &Path) -> Result<Row> {
    let job = (workload.job)();
    let floor = perform::perform(&Subject::Floor, &job).context("the floor")?;
    // It is started in another folder.
    let program = carpel.canonicalize().with_context(|| format!("{}: is not there", carpel.display()))?;
    let carpel = perform::perform(&Subject::Carpel { program }, &job).context("carpel")?;
    Ok(Row { name: workload.name.to_owned(), about: workload.about.to_owned(), carpel, floor })
}

fn keep(file: Option<&Path>, json: &serde_json::Value) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    std::fs::write(file, format!("{json:#}\n"))
        .with_context(|| format!("{}: cannot be written", file.display()))
}

/// Progress, which is no figure.
fn tell(line: &str) {
    _ = writeln!(std::io::stderr(), "{line}");
}
