//! One run of the program, from its start to its end, under random work that follows from a seed.
//!
//! What must hold: each text of the session stands in the scrollback once, in a window that became narrower or lower
//! during its turn at least once; what stood above the live rows when a turn was over stands there unchanged ever after,
//! the lines of the shell first; nothing is written but what `strict.rs` lists, so no scrollback is cleared; the program
//! lives until it is told to leave, and then every mode is as it was; its memory is bounded.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use portable_pty::CommandBuilder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::pod::{Asked, Pod};
use super::tags::Tags;
use super::terminal::Terminal;
use super::turn::Turn;
use super::{plugin, recordings};
use crate::random::Random;
use crate::strict::{self, Stream};

/// Steps of an episode.
const STEPS: usize = 300;

/// Anonymous memory of the program, in bytes: what is shown and the items. An episode leaves it at about 11 MiB.
const MOST_MEMORY: u64 = 48 << 20;

/// So long without a byte is silence. It is shorter than the second in which a timer is drawn.
const SILENCE: Duration = Duration::from_millis(60);

/// The same behind a turn: colours and cards of plugins are awaited 150 ms before rows are settled without them.
const SETTLED: Duration = Duration::from_millis(400);

/// What is typed. Nothing of it ends the program, opens an editor or stops it.
const KEYS: [&str; 30] = [
    "a",
    "b",
    "ab ",
    "é漢",
    "\r",
    "\r",
    "\x1b",
    "\t",
    "\x0f",
    "\x0f",
    "\x0c",
    "\x14",
    "\x12",
    "\x7f",
    "\x15",
    "\x17",
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[H",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[I",
    "\x1b[O",
    "\x1b[200~two\nlines\x1b[201~",
    ":density detail\r",
    ":density overview\r",
    ":density normal\r",
    ":plugins\r",
];

/// What was done.
#[derive(Debug, Default, Clone, Copy)]
pub struct Report {
    pub steps: u64,
    pub turns: u64,
    pub texts: u64,
    pub resizes: u64,
    pub restarts: u64,
    pub keys: u64,
    pub bytes: u64,
    pub most_memory: u64,
}

impl Report {
    /// Adds another.
    pub fn add(&mut self, other: &Report) {
        self.steps += other.steps;
        self.turns += other.turns;
        self.texts += other.texts;
        self.resizes += other.resizes;
        self.restarts += other.restarts;
        self.keys += other.keys;
        self.bytes += other.bytes;
        self.most_memory = self.most_memory.max(other.most_memory);
    }
}

/// A run of the program.
pub struct Episode {
    random: Random,
    pod: Pod,
    terminal: Terminal,
    size: (u16, u16),
    turn: Option<Turn>,
    tags: Tags,
    /// Lines that will not change any more, without blanks.
    settled: Vec<String>,
    recordings: Vec<Vec<Value>>,
    report: Report,
    _folder: TempDir,
}

impl Episode {
    /// The program, attached to its pod and with its prompt drawn. It is the one that was built beside this program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(seed: u64) -> Result<Episode> {
        let mut random = Random::new(seed);
        let folder = tempfile::Builder::new().prefix("carpel-soak-").tempdir().context("no folder")?;
        for name in ["run/carpel", "home", "state"] {
            let path = folder.path().join(name);
            std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path).context("no folder")?;
        }
        plugin::write(&folder.path().join("state/plugins"), &mut random)?;
        let pod = Pod::start(&folder.path().join("run/carpel/soak.sock"))?;
        let size = (random_size(&mut random, 40..121), random_size(&mut random, 30..46));
        let shell: String = (0..40).map(|number| format!("shell line {number}.\r\n")).collect();
        let mut terminal = Terminal::start(command(folder.path())?, size.0, size.1, &shell)?;
        terminal.wait("the prompt", |terminal| {
            terminal.screen().1.iter().any(|row| row.starts_with("scripted"))
        })?;
        let settled = squeezed(&terminal.lines()).into_iter().take(40).collect();
        let recordings = recordings::all()?;
        let report = Report::default();
        let turn = None;
        let tags = Tags::default();
        Ok(Episode { random, pod, terminal, size, turn, tags, settled, recordings, report, _folder: folder })
    }

    /// All steps, then the end.
    ///
    /// # Errors
    /// What did not hold.
    pub fn play(mut self) -> Result<Report> {
        for step in 0..STEPS {
            self.step().with_context(|| format!("step {step}"))?;
            self.report.steps += 1;
        }
        self.end_turn("completed")?;
        self.leave()?;
        self.report.texts = self.tags.count() as u64;
        Ok(self.report)
    }

    fn step(&mut self) -> Result<()> {
        self.answer_prompts()?;
        self.terminal.is_alive()?;
        match (self.random.below(24), &mut self.turn) {
            (0, _) => self.resize()?,
            (1, _) => self.restart()?,
            (2..=6, _) => self.type_keys()?,
            (7, Some(_)) => self.end_turn("completed")?,
            (8 | 9, None) => self.play_recording()?,
            (_, Some(turn)) => turn.go_on(&self.pod, &mut self.random, &mut self.tags),
            (_, None) => {
                let first = self.tags.count();
                let prompt = format!("find {} in it", self.tags.word());
                self.begin_turn(&prompt, None, first);
            }
        }
        if self.random.once_in(3) {
            std::thread::sleep(Duration::from_millis(self.random.number() % 25));
        }
        Ok(())
    }

    fn begin_turn(&mut self, prompt: &str, method: Option<&Value>, first_tag: usize) {
        self.report.turns += 1;
        self.turn = Some(Turn::begin(&self.pod, self.report.turns, prompt, method, first_tag));
    }

    /// What was typed and sent is answered.
    fn answer_prompts(&mut self) -> Result<()> {
        for asked in self.pod.take_asked() {
            match (asked, &mut self.turn) {
                (Asked::Run { text, method }, Some(turn)) => turn.steer(&self.pod, &text, &method),
                (Asked::Run { text, method }, None) => {
                    let first = self.tags.count();
                    self.begin_turn(&text, Some(&method), first);
                }
                (Asked::Cancel, _) => self.end_turn("cancelled")?,
            }
        }
        Ok(())
    }

    fn end_turn(&mut self, reason: &str) -> Result<()> {
        if let Some(turn) = self.turn.take() {
            turn.end(&self.pod, reason);
            self.check()?;
        }
        Ok(())
    }

    fn type_keys(&mut self) -> Result<()> {
        for _ in 0..self.random.within(1..5) {
            let key = self.random.one_of(&KEYS).copied().unwrap_or_default();
            self.terminal.write(key.as_bytes())?;
            self.report.keys += 1;
        }
        Ok(())
    }

    /// The window changes when nothing is on its way: a change between a frame's question for the size and its bytes is
    /// not what is tried here.
    fn resize(&mut self) -> Result<()> {
        self.terminal.quiet(SILENCE)?;
        let size = (random_size(&mut self.random, 30..121), random_size(&mut self.random, 12..46));
        if let Some(turn) = &self.turn
            && (size.0 < self.size.0 || size.1 < self.size.1)
        {
            self.tags.may_repeat(turn.first_tag);
        }
        self.terminal.resize(size.0, size.1)?;
        self.size = size;
        self.report.resizes += 1;
        Ok(())
    }

    /// The pod is started anew: its connection goes, and whoever attaches is told what they have not seen.
    fn restart(&mut self) -> Result<()> {
        let attached = self.pod.attached();
        self.pod.drop_client();
        let pod = self.pod.clone();
        self.report.restarts += 1;
        self.terminal.wait("the chat to attach again", move |_| pod.attached() > attached)
    }

    fn play_recording(&mut self) -> Result<()> {
        let events = self.random.one_of(&self.recordings).cloned().unwrap_or_default();
        self.report.turns += 1;
        let number = self.report.turns;
        self.pod.runs(true);
        for mut event in events {
            if let Some(fields) = event.as_object_mut() {
                for key in ["id", "parent"] {
                    if let Some(Value::String(id)) = fields.get_mut(key) {
                        *id = format!("r{number}{id}");
                    }
                }
                if fields.contains_key("turn") {
                    fields.insert("turn".to_owned(), json!(number));
                }
            }
            self.pod.say(&event);
        }
        self.pod.settle(json!({"event": "turn_end", "turn": number, "reason": "completed"}), None);
        self.pod.runs(false);
        self.check()
    }

    /// Looks at everything, after a turn.
    fn check(&mut self) -> Result<()> {
        self.settle()?;
        let since = Instant::now();
        // What was said last may still be on its way on a busy machine.
        while let Some(wrong) = self.tags.check(&self.terminal.lines().join("\n")) {
            self.terminal.is_alive()?;
            ensure!(
                since.elapsed() < Duration::from_secs(15),
                "{wrong} in\n{}",
                self.terminal.lines().join("\n")
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let lines = squeezed(&self.terminal.lines());
        let changed = self.settled.iter().zip(&lines).position(|(was, is)| was != is);
        ensure!(
            changed.is_none() && lines.len() >= self.settled.len(),
            "a line above the live rows has changed: {:?} was {:?} in a window of {:?}\n{}",
            changed.map(|at| lines.get(at)),
            changed.map(|at| self.settled.get(at)),
            self.size,
            lines.join("\n")
        );
        let last = self.tags.last().and_then(|tag| lines.iter().rposition(|line| line.contains(tag)));
        if let Some(last) = last {
            self.settled = lines.get(..=last).unwrap_or_default().to_vec();
        }
        let memory = self.terminal.process().map_or(0, anonymous_memory);
        self.report.most_memory = self.report.most_memory.max(memory);
        ensure!(memory < MOST_MEMORY, "{memory} bytes of memory are taken");
        Ok(())
    }

    /// Waits until nothing happens, with the alternate screen closed.
    fn settle(&mut self) -> Result<()> {
        let since = Instant::now();
        self.terminal.quiet(SETTLED)?;
        while self.terminal.is_alternate() {
            self.terminal.write(b"\x1b")?;
            self.terminal.quiet(SETTLED)?;
            ensure!(
                since.elapsed() < Duration::from_secs(60),
                "Esc does not close:\n{}",
                self.terminal.screen().1.join("\n")
            );
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<()> {
        let by_key = self.random.once_in(2);
        if by_key {
            self.terminal.write(b"\x03\x03\x03")?;
        } else if let Some(pid) =
            self.terminal.process().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
        {
            kill_process(pid, Signal::TERM).context("it takes no signal")?;
        }
        let status = self.terminal.ends()?;
        ensure!(!by_key || status.success(), "it left with {status:?}");
        let bytes = self.terminal.bytes();
        self.report.bytes = bytes.len() as u64;
        let wrong = strict::check(&bytes, Stream::Run).err();
        ensure!(wrong.is_none(), "it wrote {}", wrong.unwrap_or_default());
        let after = self.tags.check(&self.terminal.lines().join("\n"));
        ensure!(after.is_none(), "after the end {}", after.unwrap_or_default());
        Ok(())
    }
}

fn random_size(random: &mut Random, range: std::ops::Range<usize>) -> u16 {
    u16::try_from(random.within(range)).unwrap_or(80)
}

fn command(folder: &Path) -> Result<CommandBuilder> {
    let own = std::env::current_exe().context("this program cannot be found")?;
    let program = own.with_file_name("carpel");
    ensure!(program.exists(), "{}: not there; `cargo build -p carpel` makes it", program.display());
    let mut command = CommandBuilder::new(program);
    command.args(["attach", "soak"]);
    command.cwd(folder);
    for (name, value) in [("XDG_RUNTIME_DIR", "run"), ("HOME", "home"), ("CARPEL_HOME", "state")] {
        command.env(name, folder.join(value));
    }
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    Ok(command)
}

/// Lines without their blanks, in which a terminal's folding leaves traces.
fn squeezed(lines: &[String]) -> Vec<String> {
    let squeezed = lines.iter().map(|line| line.split_whitespace().collect::<String>());
    squeezed.collect()
}

/// Bytes of memory of a process that no file stands behind; 0 where the system does not tell.
fn anonymous_memory(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes << 10)
}
