//! `xtask/tidy.toml`: the numbers and allow-lists that rules hold.
//!
//! This file owns how that table is read and where an entry of it stands, so that a finding can point there.
//! Each rule judges its own part: an entry that is too high or no longer needed is a finding too, which is
//! how the numbers go down.
//! It refuses to know what the numbers mean.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Where the table stands.
pub const PATH: &str = "xtask/tidy.toml";

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Distinct packages beneath each workspace crate.
    pub packages: BTreeMap<String, usize>,
    /// Files that are longer than the rule wants, with their length.
    pub long_files: BTreeMap<String, usize>,
    /// Files that may hold unsafe code.
    pub unsafe_files: Vec<String>,
    /// SPDX names of licences that a package may come under.
    pub licences: Vec<String>,
}

impl Limits {
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).with_context(|| format!("{PATH}: not a table of limits"))
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn a_misspelt_table_is_named() {
        let wrong = Limits::parse("unsafe_files = []\nlicences = []\n[packages]\n[long_file]\n").unwrap_err();
        assert!(format!("{wrong:#}").contains("long_file"), "{wrong:#}");
    }
}
