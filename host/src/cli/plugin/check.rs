//! `carpel plugin check FILE`: a plugin asked for everything that a chat could ask it for, and a report of its faults.
//!
//! Every view is asked for the cards of samples in every state, of arguments that are cut off, and of hostile calls, at
//! each density; each card is drawn at several widths. Commands are completed, never run: who knows what they do. The
//! questions are here, the process is the business of [`crate::plugins::speaker`], the calls `carpel_slots::testing`'s.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use carpel_slots::testing::{Sample, hostile};
use carpel_slots::wire::{Hello, Reply, Request};
use carpel_slots::{Density, Printable, ToolCall};
use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::out;
use crate::cli::plugin::drawing::{Drawing, key_faults};
use crate::gallery::samples::{Samples, card_cx};
use crate::plugins::found::{Found, named};
use crate::plugins::speaker::{Fault, Speaker, shown};

/// A plugin that had to be started so often is not asked on.
const STARTS: usize = 10;

/// So many faults are named; the others are counted.
const NAMED: usize = 20;

/// Run a plugin through every state, density, width and hostile input, and print what is wrong with it.
#[derive(Args)]
pub struct Check {
    /// The plugin: a library or an executable.
    file: PathBuf,
    /// Calls to ask for besides: JSON Lines, see docs/writing-a-tool-view.md.
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
}

impl Check {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let samples = self.samples.as_deref().map(Samples::of_file).transpose()?.unwrap_or_default();
        let found = usable(&self.file)?;
        let report = Checking::new(&found).report(&samples);
        let lines: Vec<Printable> = report.lines().iter().map(|line| Printable::line(line)).collect();
        out::rows(&lines)?;
        Ok(if report.faults.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

/// The plugin of that file, if it can be started.
///
/// # Errors
/// Why it cannot, with the way out.
pub(super) fn usable(file: &Path) -> anyhow::Result<Found> {
    let shown = file.display();
    let found = named(file).with_context(|| format!("`{shown}` cannot be found"))?;
    match &found.runs {
        Ok(_) => Ok(found),
        Err(reason) => bail!("`{shown}` {reason}"),
    }
}

/// What came of it.
#[derive(Debug, Default)]
struct Report {
    /// What the plugin says of itself, once it did.
    about: Option<String>,
    /// A sentence each.
    faults: Vec<String>,
    cards: usize,
    slowest: Duration,
}

impl Report {
    fn fault(&mut self, what: &str, why: &str) {
        self.faults.push(format!("{what}: {why}"));
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.about.iter().cloned().collect();
        lines.extend(self.faults.iter().take(NAMED).map(|fault| format!("fault: {fault}")));
        if let Some(more @ 1..) = self.faults.len().checked_sub(NAMED) {
            lines.push(format!("and {more} more faults"));
        }
        let took = format!("the slowest answer took {} ms", self.slowest.as_millis());
        lines.push(format!("{} cards drawn at {} widths; {took}", self.cards, Drawing::WIDTHS.len()));
        lines.push(match self.faults.len() {
            0 => "no faults".to_owned(),
            1 => "1 fault".to_owned(),
            count => format!("{count} faults"),
        });
        lines
    }
}

struct Checking<'a> {
    found: &'a Found,
    speaker: Option<Speaker>,
    starts: usize,
    report: Report,
}

impl<'a> Checking<'a> {
    fn new(found: &'a Found) -> Checking<'a> {
        Checking { found, speaker: None, starts: 0, report: Report::default() }
    }

    fn report(mut self, samples: &Samples) -> Report {
        let Some(hello) = self.hello() else { return self.report };
        self.report.about = Some(about(&hello));
        for fault in hello_faults(&hello) {
            self.report.fault("hello", &fault);
        }
        self.unknown();
        let views: BTreeSet<&String> = hello.views.iter().collect();
        for view in views {
            samples.of(view).iter().for_each(|sample| self.view(view, sample));
        }
        for command in &hello.commands {
            self.command(&command.name);
        }
        if let Some(Err(fault)) = self.speaker.take().map(Speaker::end) {
            self.report.fault("its end", fault.sentence());
        }
        self.report
    }

    /// Starts it and says hello.
    fn hello(&mut self) -> Option<Hello> {
        self.starts += 1;
        match Speaker::start(self.found, Box::new(|| true)) {
            Ok((speaker, hello)) => {
                self.speaker = Some(speaker);
                Some(hello)
            }
            Err(fault) => {
                self.report.fault("hello", fault.sentence());
                None
            }
        }
    }

    /// Asks; a plugin that is gone is started anew for the next question. `None` where nobody can be asked any more.
    fn ask<T>(&mut self, what: &str, question: impl FnOnce(&mut Speaker) -> Result<T, Fault>) -> Option<T> {
        if self.speaker.is_none() {
            if self.starts == STARTS {
                self.starts += 1;
                self.report.fault(what, &format!("not asked: it had to be started {STARTS} times"));
            }
            if self.starts > STARTS {
                return None;
            }
            self.hello()?;
        }
        let began = Instant::now();
        let asked = question(self.speaker.as_mut()?);
        self.report.slowest = self.report.slowest.max(began.elapsed());
        match asked {
            Ok(answer) => Some(answer),
            Err(fault) => {
                self.report.fault(what, fault.sentence());
                if matches!(fault, Fault::Gone(_)) {
                    self.speaker = None;
                }
                None
            }
        }
    }

    /// What is not known is skipped, or answered with an error where it has an id.
    fn unknown(&mut self) {
        if let Some(speaker) = &mut self.speaker {
            speaker.tell(r#"{"request":"of.a.later.time","more":[{}]}"#);
            speaker.tell(&Request::Cancel { id: 0 }.encode());
        }
        let what = "a request of a word that it does not know";
        let line = |id| format!(r#"{{"request":"of.a.later.time","id":{id},"more":[{{}}]}}"#);
        let reply = self.ask(what, |speaker| speaker.ask(line));
        match reply {
            Some(Reply::Error { .. }) | None => {}
            Some(other) => {
                self.report.fault(what, &format!("wants `error`, answered `{}`", shown(&other.encode())));
            }
        }
    }

    fn view(&mut self, view: &str, sample: &Sample) {
        let mut drawing = Drawing::new(view);
        for (what, call) in sample.all().into_iter().chain(hostile(sample)) {
            for density in Density::ALL {
                let what = format!("`{view}`, {what}, {}", density.name());
                self.card(&what, view, &call, density, &mut drawing);
            }
        }
    }

    fn card(&mut self, what: &str, view: &str, call: &ToolCall, density: Density, drawing: &mut Drawing) {
        let card = self.ask(what, |speaker| speaker.card(view, call, card_cx(density)));
        let Some(card) = card else { return };
        self.report.cards += 1;
        if let Some(fault) = drawing.fault(call, card, density) {
            self.report.fault(what, &fault);
        }
    }

    fn command(&mut self, name: &str) {
        for typed in ["", "a", "  ", "\u{1b}[31m", "é漢\u{202e}", &"x".repeat(10_000)] {
            let what = format!("completion of `{name}` behind `{}`", shown(typed));
            let (command, typed) = (name.to_owned(), typed.to_owned());
            let line = |id| Request::CommandComplete { id, command, typed }.encode();
            match self.ask(&what, |speaker| speaker.ask(line)) {
                Some(Reply::CommandComplete { .. }) | None => {}
                Some(other) => {
                    self.report.fault(&what, &format!("wants completions, got `{}`", shown(&other.encode())));
                }
            }
        }
    }
}

fn about(hello: &Hello) -> String {
    let list = |words: Vec<&str>| if words.is_empty() { "none".to_owned() } else { words.join(", ") };
    let views = list(hello.views.iter().map(String::as_str).collect());
    let commands = list(hello.commands.iter().map(|command| command.name.as_str()).collect());
    format!("{} {}, ABI {}; views: {views}; commands: {commands}", hello.name, hello.version, hello.abi)
}

/// What a chat would take and be the poorer for.
fn hello_faults(hello: &Hello) -> Vec<String> {
    let mut faults = Vec::new();
    if hello.views.is_empty() && hello.commands.is_empty() {
        faults.push("it has no views and no commands".to_owned());
    }
    let mut seen = BTreeSet::new();
    let views = hello.views.iter().map(|key| ("view", key));
    let commands = hello.commands.iter().map(|command| ("command", &command.name));
    for (what, key) in views.chain(commands) {
        if !seen.insert((what, key)) {
            faults.push(format!("the {what} `{}` is there twice", shown(key)));
        }
    }
    faults.extend(key_faults(&hello.views));
    for command in &hello.commands {
        let name = shown(&command.name);
        if command.summary.is_empty() {
            faults.push(format!("the command `{name}` has no summary, which help shows"));
        }
    }
    faults
}
