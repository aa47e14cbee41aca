//! `cargo xtask bench`: builds what is measured and what measures, then measures.
//!
//! Both are release builds in the folder that cargo builds into. The benchmark is a crate of its own, `xtask/bench`, so that
//! nobody who only wants the rules checked has to compile it; its words are its own, and go on as they are.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

pub const USAGE: &str = "\
usage: cargo xtask bench [--only NAME]... [--json FILE]   measure carpel beside a program that only prints
       cargo xtask bench plugins [--json FILE]            measure plugins
       cargo xtask bench --list                           list the workloads";

/// True when everything that was asked for was measured.
///
/// # Errors
/// When something does not build or start.
pub fn run(words: &[&str]) -> Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // The example is a plugin that the benchmark opens.
    let packages = ["carpel", "bench", "kubectl-table"].iter().flat_map(|name| ["--package", *name]);
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release"])
        .args(packages)
        .status()
        .context("cargo cannot be started")?;
    if !built.success() {
        bail!("the release build failed");
    }
    let folder = release_folder()?;
    let status = Command::new(folder.join("bench"))
        .arg("--carpel")
        .arg(folder.join("carpel"))
        .args(words)
        .status()
        .context("the benchmark cannot be started")?;
    Ok(status.success())
}

/// Where release builds lie: beside the folder that this program was built into.
fn release_folder() -> Result<PathBuf> {
    let own = std::env::current_exe().context("the program's own file cannot be found")?;
    let target = own.ancestors().nth(2).context("the program lies in no folder of cargo's")?;
    Ok(target.join("release"))
}
