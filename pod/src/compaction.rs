//! A history made shorter, so that it fits the model's window: what goes, what stays, and who sums up.
//!
//! Owns the settings and the pure parts: how large a conversation is (`compaction/measure.rs`), where it is cut
//! (`compaction/plan.rs`), what is carried over word for word (`compaction/carry.rs`), what the model that sums up reads
//! (`compaction/transcript.rs`), whether its answer will do (`compaction/summary.rs`), and when it is tried by itself
//! (`compaction/attempts.rs`). It refuses to know clients and files: the life cycle is in `controller/compact.rs`, the
//! rotation of the log in `log/rotation.rs`.

pub mod attempts;
mod carry;
pub mod measure;
pub mod plan;
pub mod summary;
mod transcript;

/// When and how a history is compacted.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// At which share of the model's window it happens by itself.
    pub share: f64,
    /// Tokens of the end that stay as they are, at most.
    pub keep: u64,
    /// Who sums up: a model of the provider that answers, or `PROVIDER:MODEL`; absent: who answers.
    pub model: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { share: 0.8, keep: 20_000, model: None }
    }
}

impl Settings {
    /// What is left out is as usual.
    pub fn wished(share: Option<f64>, keep: Option<u64>, model: Option<String>) -> Self {
        let usual = Self::default();
        Self { share: share.unwrap_or(usual.share), keep: keep.unwrap_or(usual.keep), model }
    }

    /// From how many tokens on a history is compacted by itself.
    pub fn threshold(&self, window: u64) -> u64 {
        (window as f64 * self.share) as u64
    }
}
