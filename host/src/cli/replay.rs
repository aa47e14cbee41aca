//! `carpel replay FILE`: a recording through the real host.
//!
//! With `--print` it plays on a virtual clock against a terminal in memory and prints scrollback, then screen, as
//! plain text: a line that the terminal folded is one line. Without, it plays on the terminal with its waits and stays
//! open until `q`. There plugins draw as they do in a chat; what is printed is the same everywhere, so without them.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use carpel_protocol::recording::{Directive, Step, decode_step};
use carpel_slots::Printable;
use clap::Args;
use ratatui::layout::Size;
use tokio::sync::mpsc;

use crate::chat::ending::Ended;
use crate::chat::event::LinkEvent;
use crate::chat::run::{self, Line, Options};
use crate::chat::window::Signs;
use crate::cli::exit::Exit;
use crate::cli::{Common, look, out};
use crate::flow::FlowOptions;
use crate::headless::Headless;
use crate::manifest::{Notify, WindowTitle};
use crate::render::look::Look;
use crate::render::painter::Folders;
use crate::terminal::dialect;

/// Play a recording of events through the real host; `q` ends it.
#[derive(Args)]
pub struct Replay {
    /// The recording: JSON Lines of events and directives; `-` reads stdin.
    file: PathBuf,
    /// Print scrollback and screen as text instead of playing on the terminal.
    #[arg(long)]
    print: bool,
    /// The window that is printed, columns x rows.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "80x24")]
    size: Size,
}

fn size(text: &str) -> Result<Size, String> {
    let (width, height) = text.split_once(['x', 'X']).ok_or("columns and rows, e.g. 80x24")?;
    let number = |text: &str| text.parse::<u16>().map_err(|_| format!("`{text}` is no number of cells"));
    let size = Size::new(number(width)?, number(height)?);
    if too_large(size) {
        Err(format!("a window has at most {MOST} columns and {MOST} rows"))
    } else {
        Ok(size)
    }
}

/// Columns and rows that a window may have in memory: more than any screen, and each row of it is stored whole.
const MOST: u16 = 1000;

fn too_large(size: Size) -> bool {
    size.width > MOST || size.height > MOST
}

impl Replay {
    /// Whether it only prints.
    pub(super) fn prints(&self) -> bool {
        self.print
    }

    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let steps = read(&self.file)?;
        if self.print {
            check_sizes(&steps)?;
            let mut host = Headless::new(self.size, common.density, Look::PLAIN);
            host.frame();
            for step in &steps {
                host.play(step);
            }
            let mut lines = host.emulator.text();
            while lines.len() > 1 && lines.last().is_some_and(|line| line.trim_end().is_empty()) {
                lines.pop();
            }
            out::rows(&lines.iter().map(|line| Printable::prose(line)).collect::<Vec<_>>())?;
            return Ok(Exit::Done);
        }
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            bail!("a replay plays on a terminal; with --print it is text, which goes to a pipe");
        }
        play(steps, common)
    }
}

fn check_sizes(steps: &[Step]) -> anyhow::Result<()> {
    for step in steps {
        if let Step::Directive(Directive::Resize(to)) = step
            && too_large(Size::new(to.cols, to.rows))
        {
            let (cols, rows) = (to.cols, to.rows);
            bail!(
                "the recording asks for a window of {cols}x{rows}; it has at most {MOST} columns and {MOST} rows"
            );
        }
    }
    Ok(())
}

fn read(file: &PathBuf) -> anyhow::Result<Vec<Step>> {
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
            .context("stdin could not be read")?;
        bytes
    } else {
        std::fs::read(file).map_err(|error| {
            anyhow::anyhow!(
                "the recording `{}` could not be read ({error}); name a file of events",
                file.display()
            )
        })?
    };
    let mut steps = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match decode_step(line) {
            Ok(step) => steps.push(step),
            Err(error) => bail!(
                "line {} of `{}` is no event and no directive: {error}; see docs/protocol.md",
                at + 1,
                file.display()
            ),
        }
    }
    Ok(steps)
}

fn play(steps: Vec<Step>, common: &Common) -> anyhow::Result<Exit> {
    if let Some(reason) = dialect::refusal(std::env::var("TERM").ok().as_deref()) {
        bail!("{reason}; use `carpel replay --print FILE`, or set TERM");
    }
    let look = look::from_environment(common.theme);
    let live = common.live_rows();
    let options = Options {
        plugins: common.plugins(&common.workspace()?),
        density: common.density,
        themes: look.themes,
        glyphs: if live.spoken { look.glyphs.heard() } else { look.glyphs },
        dialect: look.dialect,
        colourless: look.colourless,
        flow: FlowOptions { resume: false },
        folders: Folders::default(),
        registry: common.registry(),
        live,
        sessions: || Ok(Vec::new()),
        beginning: Box::new(|_| Err("a recording begins no session".to_owned())),
        history: None,
        naming: None,
        q_leaves: true,
        typed: String::new(),
        signs: Signs { title: WindowTitle::Off, notify: Notify::Off },
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (ended, _) = runtime.block_on(async {
        let (events, receiver) = mpsc::channel(64);
        // Nobody listens: there is no pod behind a recording.
        let (methods, _) = mpsc::unbounded_channel();
        let player = tokio::spawn(feed(steps, events));
        let ended = run::run(options, Line { events: receiver, methods }).await;
        player.abort();
        ended
    })?;
    Ok(if ended == Ended::Stopped { Exit::Interrupted } else { Exit::Done })
}

/// Plays events with their waits. Sizes and keys are the person's own here. The channel stays open at the end.
async fn feed(steps: Vec<Step>, events: mpsc::Sender<LinkEvent>) {
    for step in steps {
        let event = match step {
            Step::Event(line) => LinkEvent::Event(line),
            Step::Directive(Directive::Wait(wait)) => {
                tokio::time::sleep(Duration::from_millis(wait.ms)).await;
                continue;
            }
            Step::Directive(Directive::Drop(_)) => LinkEvent::Lost,
            Step::Directive(Directive::Resize(_) | Directive::Key(_) | Directive::Unknown(_)) => continue,
        };
        if events.send(event).await.is_err() {
            return;
        }
    }
    std::future::pending::<()>().await;
}

#[cfg(test)]
mod tests {
    use super::{check_sizes, decode_step, size};

    /// A window of 65,535 columns took gigabytes.
    #[test]
    fn a_window_larger_than_any_screen_is_refused() {
        let rows =
            [("80x24", true), ("1000x1000", true), ("1001x24", false), ("80x65535", false), ("0x0", true)];
        for (text, fits) in rows {
            assert_eq!(size(text).is_ok(), fits, "{text}");
            let (cols, rows) = text.split_once('x').unwrap();
            let line = format!("{{\"do\":\"resize\",\"cols\":{cols},\"rows\":{rows}}}");
            assert_eq!(check_sizes(&[decode_step(line.as_bytes()).unwrap()]).is_ok(), fits, "{text}");
        }
    }
}
