//! `carpel gallery`: every registered view in every state.
//!
//! On a terminal it is live until `q`; with `--print` it is text, the same everywhere.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::bail;
use carpel_slots::{CallState, Registry};
use clap::Args;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::chat::ending::Ended;
use crate::cli::exit::{Exit, WrongUsage};
use crate::cli::{Common, look, out};
use crate::gallery::exhibits::{Exhibit, exhibits};
use crate::gallery::run::Change;
use crate::gallery::samples::{Samples, folders};
use crate::gallery::{Gallery, draw, run};
use crate::render::{Highlighter, Look, Painter};
use crate::terminal::dialect;

/// Show every registered view in every state; `q` ends it.
#[derive(Args)]
pub struct GalleryArgs {
    /// Print all of it as text instead.
    #[arg(long)]
    print: bool,
    /// Columns of a card [default: 80 in print, else the window's].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    width: Option<u16>,
    /// Show this view alone, by its key, e.g. Read or kind:edit.
    #[arg(long, value_name = "KEY")]
    view: Option<String>,
    /// Show this state alone, e.g. done.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<CallState>,
    /// Calls to show instead of those that are built in: JSON Lines, see docs/writing-a-tool-view.md.
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
}

/// A state by its word on the plugin wire.
fn state(word: &str) -> Result<CallState, String> {
    CallState::ALL.into_iter().find(|state| state_name(*state).as_deref() == Some(word)).ok_or_else(|| {
        let all: Vec<String> = CallState::ALL.into_iter().filter_map(state_name).collect();
        format!("one of {}", all.join(", "))
    })
}

/// The word of a state on the plugin wire.
pub(super) fn state_name(state: CallState) -> Option<String> {
    serde_json::to_value(state).ok().and_then(|name| name.as_str().map(str::to_owned))
}

/// What a view can be named by.
pub(super) fn keys(registry: &Registry) -> Vec<String> {
    let mut keys: Vec<String> =
        exhibits(registry, &Samples::built_in()).into_iter().map(|exhibit| exhibit.title).collect();
    keys.dedup();
    keys
}

impl GalleryArgs {
    /// Whether it only prints.
    pub(super) fn prints(&self) -> bool {
        self.print
    }

    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let registry = common.registry();
        let gallery = Gallery {
            exhibits: self.exhibits(&registry)?,
            state: self.state,
            density: common.density,
            width: self.width.map(usize::from),
            ..Gallery::default()
        };
        if self.print {
            return print(&gallery, registry);
        }
        check_terminal("the gallery is shown on a terminal; with --print it is text, which goes to a pipe")?;
        show(gallery, registry, common, None)
    }

    fn exhibits(&self, registry: &Registry) -> anyhow::Result<Vec<Exhibit>> {
        let samples = match &self.samples {
            None => Samples::built_in(),
            Some(file) => Samples::of_file(file)?,
        };
        let all = exhibits(registry, &samples);
        let Some(key) = &self.view else { return Ok(all) };
        let mut keys: Vec<String> = all.iter().map(|exhibit| format!("`{}`", exhibit.title)).collect();
        keys.dedup();
        let mut wanted = all;
        wanted.retain(|exhibit| exhibit.title == *key);
        if wanted.is_empty() {
            let sentence = format!("no view is registered under `{key}`; there are {}", keys.join(", "));
            return Err(WrongUsage(sentence).into());
        }
        Ok(wanted)
    }
}

fn print(gallery: &Gallery, registry: Registry) -> anyhow::Result<Exit> {
    let look = Look::PLAIN;
    let mut painter = Painter::new(look, registry, folders(), Highlighter::inline());
    out::rows(&draw::all(gallery, &mut painter, look, gallery.width.unwrap_or(80)))?;
    Ok(Exit::Done)
}

/// Refuses where nothing can be shown; `otherwise` says what to do where there is no terminal.
pub(super) fn check_terminal(otherwise: &str) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        bail!("{otherwise}");
    }
    if let Some(reason) = dialect::refusal(std::env::var("TERM").ok().as_deref()) {
        bail!("{reason}; set TERM");
    }
    Ok(())
}

/// Shows it on the terminal until the person leaves.
pub(super) fn show(
    gallery: Gallery,
    registry: Registry,
    common: &Common,
    changes: Option<UnboundedReceiver<Change>>,
) -> anyhow::Result<Exit> {
    let chosen = look::from_environment(common.theme);
    let options = run::Options {
        registry,
        folders: folders(),
        glyphs: chosen.glyphs,
        dialect: chosen.dialect,
        changes,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(run::run(Gallery { themes: chosen.themes, ..gallery }, options))?;
    Ok(if ended == Ended::Stopped { Exit::Interrupted } else { Exit::Done })
}
