//! What is held of counts: ratios in `xtask/trials/counts.toml`, and how far a count may be from them.
//!
//! It owns the file and the table that is shown. A part that costs less than is held is told as well, so that the file is
//! renewed and the gain is held. It counts nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::work::flat::FLAT;
use crate::work::parts::WORK;

/// How far a part may be from what is held, and late work above early work: a tenth.
const MARGIN: f64 = 0.10;

const HEAD: &str = "\
# Instructions of each part of the host, as a multiple of the yardstick's in the same run, debug build.
# Held by `cargo xtask counts` within a tenth; `cargo xtask counts --renew` writes this file, for a change that is meant to
# cost more or less (its reason goes into the commit) and for another compiler.
";

/// What was counted in one run.
#[derive(Debug, PartialEq)]
pub struct Counted {
    /// Instructions of the yardstick.
    pub yardstick: u64,
    /// Each part and its instructions.
    pub parts: Vec<(&'static str, u64)>,
    /// Each pair: its early and late instructions, the late ones divided by how much more there was to do.
    pub flat: Vec<(&'static str, u64, u64)>,
}

impl Counted {
    /// Counts in the order of the work.
    ///
    /// # Errors
    /// When there are not as many as there is work.
    pub fn of(counts: &[u64]) -> Result<Counted> {
        ensure!(
            counts.len() == WORK.len() + 2 * FLAT.len(),
            "{} counts for another number of works",
            counts.len()
        );
        let (parts, pairs) = counts.split_at(WORK.len());
        let parts: Vec<(&str, u64)> = WORK.iter().map(|work| work.name).zip(parts.iter().copied()).collect();
        let pairs = pairs.chunks_exact(2).zip(FLAT);
        let flat = pairs.filter_map(|(pair, flat)| match pair {
            [early, late] => Some((flat.name, *early, late / u64::from(flat.scale))),
            _ => None,
        });
        let (first, parts) = parts.split_first().context("no work")?;
        Ok(Counted { yardstick: first.1, parts: parts.to_vec(), flat: flat.collect() })
    }

    fn ratios(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.parts.iter().map(|(name, count)| (*name, ratio(*count, self.yardstick)))
    }
}

/// What the file says.
#[derive(Debug, Default)]
pub struct Held {
    parts: BTreeMap<String, f64>,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.toml")
}

impl Held {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is not there or not a table of numbers.
    pub fn read() -> Result<Held> {
        let path = path();
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("{}: not readable", path.display()))?;
        let parts =
            toml::from_str(&text).with_context(|| format!("{}: not a table of numbers", path.display()))?;
        Ok(Held { parts })
    }
}

/// Writes what was counted as what is held.
///
/// # Errors
/// When the file cannot be written.
pub fn write(counted: &Counted) -> Result<()> {
    let lines: String = counted.ratios().map(|(name, ratio)| format!("{name} = {ratio:.3}\n")).collect();
    let path = path();
    std::fs::write(&path, format!("{HEAD}{lines}"))
        .with_context(|| format!("{}: not writable", path.display()))
}

/// A table of everything, and whether all is within its bounds.
pub fn verdict(counted: &Counted, held: &Held) -> (String, bool) {
    let mut table = format!("{:<24}{:>14}{:>10}{:>10}\n", "work", "instructions", "ratio", "held");
    let mut wrong = 0;
    for ((name, count), (_, ratio)) in counted.parts.iter().zip(counted.ratios()) {
        let (held, word) = match held.parts.get(*name) {
            None => ("-".to_owned(), "  <- not held; run `cargo xtask counts --renew`".to_owned()),
            Some(held) => (format!("{held:.3}"), word(ratio / held)),
        };
        wrong += usize::from(!word.is_empty());
        _ = writeln!(table, "{name:<24}{count:>14}{ratio:>10.3}{held:>10}{word}");
    }
    for name in held.parts.keys().filter(|name| !counted.parts.iter().any(|(part, _)| part == name)) {
        wrong += 1;
        _ = writeln!(
            table,
            "{name:<24}  <- held, but there is no such work; run `cargo xtask counts --renew`"
        );
    }
    _ = writeln!(table, "\n{:<24}{:>14}{:>14}{:>10}", "flat work", "early", "late", "late/early");
    for (name, early, late) in &counted.flat {
        let ratio = ratio(*late, *early);
        let is_flat = ratio <= 1.0 + MARGIN;
        wrong += usize::from(!is_flat);
        let word = if is_flat { "" } else { "  <- it grows with what came before" };
        _ = writeln!(table, "{name:<24}{early:>14}{late:>14}{ratio:>10.3}{word}");
    }
    (table, wrong == 0)
}

fn word(change: f64) -> String {
    let percent = (change - 1.0) * 100.0;
    if change > 1.0 + MARGIN {
        format!(
            "  <- {percent:.0} % more; if it must be, `cargo xtask counts --renew` and the reason in the commit"
        )
    } else if change < 1.0 - MARGIN {
        format!("  <- {:.0} % less; `cargo xtask counts --renew` holds the gain", -percent)
    } else {
        String::new()
    }
}

/// Counts are far below what a double holds exactly.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{Counted, Held, verdict};

    #[test]
    fn what_is_off_is_told() {
        for (count, late, expected) in [
            (200, 100, None),
            (219, 109, None),
            (181, 90, None),
            (221, 100, Some("10 % more")),
            (179, 100, Some("10 % less")),
            (200, 111, Some("it grows")),
        ] {
            let counted = Counted { yardstick: 100, parts: vec![("a", count)], flat: vec![("f", 100, late)] };
            let held = Held { parts: [("a".to_owned(), 2.0)].into() };
            let (table, fine) = verdict(&counted, &held);
            assert_eq!(fine, expected.is_none(), "{table}");
            assert!(expected.is_none_or(|word| table.contains(word)), "{table}");
        }
        let counted = Counted { yardstick: 100, parts: vec![("a", 1)], flat: Vec::new() };
        let (table, fine) = verdict(&counted, &Held { parts: [("b".to_owned(), 2.0)].into() });
        assert!(!fine && table.contains("not held") && table.contains("no such work"), "{table}");
    }
}
