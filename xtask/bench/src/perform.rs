//! Carries out a workload with a subject and measures it.
//!
//! Owns when the metering begins and ends, and that nothing is reported unless the work was done. It refuses to know what
//! a workload says (`workloads.rs`) and how figures are shown (`report.rs`).

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::checks;
use crate::figures::{Delays, Figures, Start};
use crate::meter::{self, Meter};
use crate::stats::{median, percentile};
use crate::subject::{Place, Running, Subject};
use crate::workloads::{ASKED, END, Job, Kind, SESSION, session_log};

/// Nothing is written for so long: what was to be done is done.
pub const REST: Duration = Duration::from_millis(400);

/// How long nothing is asked.
const IDLE: Duration = Duration::from_secs(20);

const STARTS: usize = 7;

/// Pairs of a letter and a backspace.
const KEYS: usize = 100;

/// # Errors
/// When the work was not done.
pub fn perform(subject: &Subject, job: &Job) -> Result<Figures> {
    let place = Place::new(job.script.clone())?;
    for (name, contents) in &job.files {
        place.write(name, contents)?;
    }
    match job.kind {
        Kind::Turn => turn(subject, job, &place),
        Kind::Resume(items) => resume(subject, job, &place, items),
        Kind::Start => start(subject, &place),
        Kind::Echo => echo(subject, &place),
        Kind::Idle { tool } => idle(subject, &place, tool),
    }
}

/// The subject at its prompt, with its pod.
///
/// # Errors
/// When it does not come up.
pub fn at_prompt(subject: &Subject, place: &Place) -> Result<Running> {
    let mut running = subject.start(place, None)?;
    running.terminal.wait("the prompt", subject.prompts(""))?;
    if subject.is_carpel() {
        running.find_pod()?;
    }
    running.terminal.rest(REST);
    Ok(running)
}

fn pids(running: &Running) -> Vec<u32> {
    [Some(running.terminal.pid), running.pod].into_iter().flatten().collect()
}

fn turn(subject: &Subject, job: &Job, place: &Place) -> Result<Figures> {
    let running = at_prompt(subject, place)?;
    let terminal = &running.terminal;
    terminal.write(ASKED)?;
    terminal.rest(REST);
    let (bytes, frames) = terminal.look(|screen| (screen.bytes, screen.frames.len()));
    terminal.expect(|screen| screen.shows(END));
    let meter = Meter::start(&pids(&running));
    let began = meter.began();
    terminal.write("\r")?;
    let seen = terminal.seen("the last text")?;
    let wall = (seen - began).as_secs_f64();
    terminal.rest(REST);
    let used = meter.stop();
    let sent = place.mock.last_sent().context("nothing was sent")?;
    checks::hold(&job.checks, place, &terminal.look(|screen| screen.text()))?;
    let (all_bytes, all_frames) = terminal.look(|screen| (screen.bytes, screen.frames.len()));
    Ok(Figures {
        bytes: all_bytes - bytes,
        frames: all_frames - frames,
        wall_s: Some(wall),
        delay_ms: Some(ms(seen.saturating_duration_since(sent))),
        cpu_thirds_s: Some(meter::thirds(&used, 0.0, wall)),
        ..Figures::of(&used)
    })
}

fn resume(subject: &Subject, job: &Job, place: &Place, items: usize) -> Result<Figures> {
    let file = place.log(SESSION);
    fs::create_dir_all(file.parent().context("it lies in a folder")?)?;
    fs::write(&file, session_log(items, &place.workspace().canonicalize()?))?;
    let mut running = subject.start(place, Some(SESSION))?;
    running.terminal.expect(|screen| screen.shows(END));
    if subject.is_carpel() {
        running.find_pod()?;
    }
    let meter = Meter::from_start(&pids(&running));
    let terminal = &running.terminal;
    let seen = terminal.seen("the last text of the session")?;
    terminal.rest(REST);
    let used = meter.stop();
    checks::hold(&job.checks, place, &terminal.look(|screen| screen.text()))?;
    let (bytes, frames) = terminal.look(|screen| (screen.bytes, screen.frames.len()));
    let wall_s = Some((seen - terminal.started).as_secs_f64());
    Ok(Figures { bytes, frames, wall_s, ..Figures::of(&used) })
}

fn start(subject: &Subject, place: &Place) -> Result<Figures> {
    let (mut prompts, mut keys) = (Vec::new(), Vec::new());
    let mut figures = Figures::default();
    // The first one does the work of a first run, and counts for nothing.
    for round in 0..=STARTS {
        let mut running = subject.start(place, None)?;
        let terminal = &running.terminal;
        let prompt = terminal.wait("the prompt", subject.prompts(""))?;
        terminal.expect(subject.prompts("q"));
        terminal.write("q")?;
        let key = terminal.seen("the first key")?;
        if round > 0 {
            prompts.push(ms(prompt - terminal.started));
            keys.push(ms(key - terminal.started));
        }
        if subject.is_carpel() {
            running.find_pod()?;
        }
        let meter = Meter::from_start(&pids(&running));
        running.terminal.rest(REST);
        figures = Figures::of(&meter.stop());
        (figures.bytes, figures.frames) = running.terminal.look(|screen| (screen.bytes, screen.frames.len()));
    }
    let start = median(&prompts).zip(median(&keys));
    let start = start.map(|(prompt_ms, first_key_ms)| Start { prompt_ms, first_key_ms });
    Ok(Figures { start, ..figures })
}

fn idle(subject: &Subject, place: &Place, tool: bool) -> Result<Figures> {
    let mut running = at_prompt(subject, place)?;
    if tool {
        running.terminal.write(&format!("{ASKED}\r"))?;
        let text = if subject.is_carpel() { "sleep 60" } else { "[Bash]" };
        running.terminal.wait("the running command", move |screen| screen.shows(text))?;
    }
    // Whatever comes of the start or of the call.
    std::thread::sleep(Duration::from_secs(2));
    let (bytes, frames) = running.terminal.look(|screen| (screen.bytes, screen.frames.len()));
    let meter = Meter::start(&pids(&running));
    std::thread::sleep(IDLE);
    let used = meter.stop();
    let (all_bytes, all_frames) = running.terminal.look(|screen| (screen.bytes, screen.frames.len()));
    let working = running.pod.or(Some(running.terminal.pid)).map(crate::process::children);
    if !running.terminal.lives() {
        bail!("it has ended while nothing was asked");
    }
    if tool && working.is_none_or(|children| children.is_empty()) {
        bail!("the command has ended before the time was over");
    }
    let waits = Some(used.iter().map(|used| used.waits).collect());
    Ok(Figures { bytes: all_bytes - bytes, frames: all_frames - frames, waits, ..Figures::of(&used) })
}

fn echo(subject: &Subject, place: &Place) -> Result<Figures> {
    let running = at_prompt(subject, place)?;
    let terminal = &running.terminal;
    let resting = keys(subject, &running)?;
    let figures = Figures { echo_resting: Some(resting), ..Figures::default() };
    if !subject.is_carpel() {
        // While it prints nobody can type at the floor.
        return Ok(figures);
    }
    terminal.write(&format!("{ASKED}\r"))?;
    terminal.wait("the answer", |screen| screen.shows("Section"))?;
    let streaming = keys(subject, &running)?;
    if terminal.look(|screen| screen.shows(END)) {
        bail!("the answer ended before all keys were typed");
    }
    Ok(Figures { echo_streaming: Some(streaming), ..figures })
}

/// How long letters and backspaces take to the screen, with pauses that keep step with nothing.
fn keys(subject: &Subject, running: &Running) -> Result<Delays> {
    let terminal = &running.terminal;
    let mut delays = Vec::new();
    for at in 0..KEYS as u64 {
        for (key, draft, pause) in [("q", "q", 23 + at * 7 % 31), ("\x7f", "", 23 + at * 5 % 29)] {
            std::thread::sleep(Duration::from_millis(pause));
            terminal.expect(subject.prompts(draft));
            let typed = Instant::now();
            terminal.write(key)?;
            delays.push(ms(terminal.seen("the key")?.saturating_duration_since(typed)));
        }
    }
    let delays = median(&delays).zip(percentile(&delays, 99.0));
    let (median_ms, p99_ms) = delays.context("no key was typed")?;
    Ok(Delays { median_ms, p99_ms })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
