//! The benchmark of plugins: what a card costs by where it is made, what plugins cost that rest, and one that sleeps.
//!
//! Owns where the plugins come from: the projects in `examples/`, built beside carpel, and a script of its own. What each
//! part measures stands in the files below.

mod resting;
mod round_trip;
mod sleeping;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Tables and JSON; `carpel` is the program, with the example plugin that is a library beside it.
///
/// # Errors
/// When a plugin does not do what it is there for.
pub fn run(carpel: &Path) -> Result<(String, Value)> {
    let carpel = carpel.canonicalize().with_context(|| format!("{}: is not there", carpel.display()))?;
    let library = carpel.with_file_name("libkubectl_table.so");
    if !library.is_file() {
        bail!("{}: is not there; `cargo xtask bench` builds it beside carpel", library.display());
    }
    let (cards, of_cards) = round_trip::measure(&carpel, &library, &example("sql-result/sql-result"))?;
    let (rest, of_rest) = resting::measure(&carpel)?;
    let (frames, of_frames) = sleeping::measure(&carpel)?;
    let json = json!({"cards": of_cards, "resting": of_rest, "sleeping": of_frames});
    Ok((format!("{cards}\n{rest}\n{frames}"), json))
}

/// A file of the examples.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A script that can be run.
fn script(folder: &Path, name: &str, text: &str) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join(name);
    std::fs::write(&file, text)?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}
