//! `carpel export SESSION [FILE]`: a session's log as Markdown.
//!
//! The items of the log fold through the transcript that draws them in the chat, so both say the same. It reads only: a
//! session that runs can be exported, as far as it has come. What could not be read of a log is told on stderr.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use carpel_protocol::event::{Hello, History};
use carpel_protocol::word::PodState;
use carpel_protocol::{Event, EventLine};
use carpel_slots::{CardCx, Density, Printable};
use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::sessions::{self, Past};
use crate::cli::{Common, folders, out, which};
use crate::export::{self, About, ExportCx, file};
use crate::transcript::Transcript;

/// Write a session as Markdown.
#[derive(Args)]
pub struct Export {
    /// Its id or the beginning of it.
    session: String,
    /// The file; without one, or with `-`, the text goes to stdout.
    #[arg(value_name = "FILE", default_value = "-")]
    file: String,
    /// Replace a file that is there already.
    #[arg(long)]
    force: bool,
    /// Leave out what was thought.
    #[arg(long)]
    no_thinking: bool,
}

impl Export {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let here = std::env::current_dir().context("the current folder cannot be found")?;
        let folders = folders(&here);
        let home = folders.home.as_deref().map(Path::new);
        let path = match self.file.as_str() {
            "-" => None,
            file => Some(file::resolve(file, &here, home)?),
        };
        let past = sessions::past(&which::named(&self.session)?.id)?;
        past.problems.iter().for_each(|problem| out::error(&Printable::line(problem)));
        let registry = common.registry();
        let cx = ExportCx {
            registry: &registry,
            card: CardCx { cwd: past.folder.clone(), home: folders.home.clone(), density: Density::Detail },
            thinking: !self.no_thinking,
            side_files: past.side_files.clone(),
        };
        let text = export::markdown(&about(&past), fold(past).items(), &cx);
        match path {
            // It is printable already, and stays as it is.
            None => drop(out::rows(&Printable::prose_lines(&text))?),
            Some(path) => {
                file::write(&path, &text, self.force)?;
                out::error(&Printable::line(&format!("written to {}", path.display())));
            }
        }
        Ok(Exit::Done)
    }
}

fn about(past: &Past) -> About {
    About {
        title: past.title.clone(),
        session: past.id.clone(),
        began: past.began.and_then(export::date).unwrap_or_default(),
        exported: export::now(),
        folder: past.folder.clone(),
        provider: past.provider.clone(),
        note: if past.in_use { "the session was in use; it may go on".to_owned() } else { String::new() },
    }
}

/// The log as the chat would have heard it.
fn fold(past: Past) -> Transcript {
    let mut transcript = Transcript::new();
    let state = if past.in_use { PodState::Running } else { PodState::Idle };
    let hello = Hello {
        protocol: carpel_protocol::PROTOCOL,
        features: Vec::new(),
        pod: String::new(),
        session: past.id,
        title: past.title,
        cwd: past.folder,
        provider: past.provider,
        model: String::new(),
        state,
        waiting: 0,
    };
    for event in [Event::Hello(hello), Event::History(History { items: past.records, more: false })] {
        transcript.apply(&EventLine::from(event), Duration::ZERO);
    }
    transcript
}
