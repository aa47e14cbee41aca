//! What was measured of one subject in one workload.
//!
//! Owns the names and units of the figures, which are those of the JSON. It refuses to know how they come about
//! (`perform.rs`, `meter.rs`) and how they are shown (`report.rs`).

use serde::Serialize;

use crate::meter::Used;

const MB: f64 = 1e6;

/// Units stand in the names. What a workload does not have is absent.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    pub cpu_s: f64,
    /// Of `cpu_s` that of the host; the floor is one process.
    pub cpu_host_s: f64,
    pub cpu_pod_s: f64,
    /// Of each process; the floor has one.
    pub peak_mb: Vec<f64>,
    pub anonymous_mb: Vec<f64>,
    /// To the terminal.
    pub bytes: u64,
    pub frames: usize,
    /// From Enter, or from exec, to the last text on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
    /// From when the provider had handed over all of the last answer, to its last text on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<f64>,
    /// CPU in each third of the wall time, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_thirds_s: Option<[f64; 3]>,
    /// How often a thread of each process waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echo_resting: Option<Delays>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echo_streaming: Option<Delays>,
}

/// Medians, in milliseconds from exec.
#[derive(Debug, Clone, Serialize)]
pub struct Start {
    pub prompt_ms: f64,
    /// Until a key that was typed at once is on the screen.
    pub first_key_ms: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct Delays {
    pub median_ms: f64,
    pub p99_ms: f64,
}

impl Figures {
    /// Those of a host and its pod, or of a floor.
    pub fn of(used: &[Used]) -> Figures {
        let cpu = |at: usize| used.get(at).map_or(0.0, |used| used.cpu);
        Figures {
            cpu_s: cpu(0) + cpu(1),
            cpu_host_s: cpu(0),
            cpu_pod_s: cpu(1),
            peak_mb: used.iter().map(|used| used.memory.peak as f64 / MB).collect(),
            anonymous_mb: used.iter().map(|used| used.memory.anonymous as f64 / MB).collect(),
            ..Figures::default()
        }
    }
}
