//! `carpel tool NAME JSON`: one tool, run as the pod would run it.
//!
//! There is nobody to ask, so what would need a person's yes is refused.

use std::path::Path;

use anyhow::Context;
use carpel_pod::run_tool_alone;
use carpel_pod::tools::ReadRecord;
use carpel_pod::tools::toolbox::Toolbox;
use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::{Common, out};

/// Run one tool and print what came of it as JSON.
#[derive(Args)]
pub struct Tool {
    /// The tool, e.g. Read.
    name: String,
    /// Its arguments, one JSON object.
    #[arg(value_name = "JSON")]
    arguments: String,
}

impl Tool {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let cwd = common.cwd().unwrap_or(Path::new("."));
        let permissions = common.pod()?.permissions()?;
        let report = run_tool_alone(&self.name, &self.arguments, cwd, permissions);
        let text =
            serde_json::to_string_pretty(&report).context("the result could not be written as JSON")?;
        out::json(&format!("{text}\n"))?;
        Ok(if report.is_error { Exit::Failed } else { Exit::Done })
    }
}

/// The tools that can be run so, but for `skill`, which is there where a folder has skills.
pub(super) fn names() -> Vec<&'static str> {
    Toolbox::with_writers(&ReadRecord::unkept(), Vec::new()).specs().map(|spec| spec.name).collect()
}
