//! Instructions of work, counted by callgrind: the same on a busy machine and on an idle one.
//!
//! It owns the run of this program under callgrind, what is held (`xtask/trials/counts.toml`) and the verdict. Counts
//! differ between machines and compilers, so none is held as such: a part is held as a ratio to the yardstick of the same
//! run, and flat work as the ratio of its late count to its early one. It refuses to know what the work is. Read
//! `counts/held.rs` next for the file and the bounds.

use std::any::Any;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::work::Task;
use crate::work::flat::FLAT;
use crate::work::parts::WORK;

pub mod held;

use held::{Counted, Held};

/// What callgrind calls the function whose instructions count.
const MEASURED: &str = "*carpel_measured";

/// Does all work in its order, once; what callgrind counts of it is in [`carpel_measured`].
pub fn work() {
    crate::work::warm();
    for work in WORK {
        drop(carpel_measured((work.prepare)()));
    }
    for flat in FLAT {
        drop(carpel_measured((flat.early)()));
        drop(carpel_measured((flat.late)()));
    }
}

/// Found by its name in what callgrind writes.
#[inline(never)]
fn carpel_measured(task: Task) -> Box<dyn Any> {
    std::hint::black_box(task())
}

/// Counts all work and holds it against the file; with `renew` the file is written instead. The table comes back, and
/// whether all is as it should be.
///
/// # Errors
/// When valgrind is not there or fails, or the file is not there.
pub fn check(renew: bool) -> Result<(String, bool)> {
    let folder = tempfile::tempdir().context("no folder for temporary files")?;
    let counts = counted(folder.path())?;
    let counted = Counted::of(&counts)?;
    if renew {
        held::write(&counted)?;
    }
    Ok(held::verdict(&counted, &Held::read()?))
}

/// Runs this program under callgrind; the instructions of each piece of work in their order.
fn counted(folder: &Path) -> Result<Vec<u64>> {
    let program = std::env::current_exe().context("this program cannot be found")?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet", "--compress-strings=yes"]);
    command.arg(format!("--callgrind-out-file={}", folder.join("out").display()));
    command.args([format!("--toggle-collect={MEASURED}"), format!("--dump-after={MEASURED}")]);
    let output = command.env("RUST_BACKTRACE", "0").arg(program).args(["counts", "--work"]).output();
    let output = output.context("valgrind: cannot be started; on Debian: apt-get install valgrind")?;
    ensure!(output.status.success(), "valgrind: {}", String::from_utf8_lossy(&output.stderr).trim());
    let expected = WORK.len() + 2 * FLAT.len();
    (1..=expected).map(|number| total(&folder.join(format!("out.{number}")))).collect()
}

/// The number of instructions in one of callgrind's files.
fn total(path: &Path) -> Result<u64> {
    let text =
        std::fs::read(path).with_context(|| format!("{}: callgrind wrote no such file", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let line =
        text.lines().find_map(|line| line.strip_prefix("summary:").or_else(|| line.strip_prefix("totals:")));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    let number = number.with_context(|| format!("{}: no total", path.display()))?;
    ensure!(number > 1000, "{}: only {number} instructions were counted", path.display());
    Ok(number)
}
