//! Watches the processes of a subject: CPU and memory, over the time of a run.
//!
//! Owns a thread that reads every 20 ms, which costs the machine about half a percent; CPU comes from the processes' own
//! clocks, so only the peaks of anonymous memory depend on it. It refuses to know what the processes do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::process::{self, Memory};
use crate::stats;

const EVERY: Duration = Duration::from_millis(20);

/// What a process used from the begin of the metering to its end.
#[derive(Debug, Clone, Default)]
pub struct Used {
    /// CPU, in seconds.
    pub cpu: f64,
    /// The most of each, in bytes; `peak` over the whole life of the process.
    pub memory: Memory,
    /// How often a thread of it waited.
    pub waits: u64,
    /// Seconds since the metering began, and CPU at that time.
    series: Vec<(f64, f64)>,
}

pub struct Meter {
    began: Instant,
    stopped: Arc<AtomicBool>,
    used: Arc<Mutex<Vec<Used>>>,
    before: Vec<(f64, u64)>,
    pids: Vec<u32>,
    thread: Option<JoinHandle<()>>,
}

impl Meter {
    /// Meters these processes from now on; the figures count from zero.
    pub fn start(pids: &[u32]) -> Meter {
        let before: Vec<_> = pids
            .iter()
            .map(|pid| (process::cpu(*pid).unwrap_or(0.0), process::waits(*pid).unwrap_or(0)))
            .collect();
        Self::since(pids, before)
    }

    /// Meters these processes; the figures count from their start.
    pub fn from_start(pids: &[u32]) -> Meter {
        Self::since(pids, vec![(0.0, 0); pids.len()])
    }

    fn since(pids: &[u32], before: Vec<(f64, u64)>) -> Meter {
        let began = Instant::now();
        let stopped = Arc::new(AtomicBool::new(false));
        let used = Arc::new(Mutex::new(vec![Used::default(); pids.len()]));
        let thread = std::thread::spawn({
            let (stopped, used) = (Arc::clone(&stopped), Arc::clone(&used));
            let (pids, before) = (pids.to_vec(), before.clone());
            move || {
                while !stopped.load(Ordering::Relaxed) {
                    read(&pids, &before, began, &used);
                    std::thread::sleep(EVERY);
                }
            }
        });
        Meter { began, stopped, used, before, pids: pids.to_vec(), thread: Some(thread) }
    }

    /// What each process used, in their order. Reads a last time.
    pub fn stop(mut self) -> Vec<Used> {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
        read(&self.pids, &self.before, self.began, &self.used);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for ((used, pid), (_, waits)) in used.iter_mut().zip(&self.pids).zip(&self.before) {
            used.waits = process::waits(*pid).unwrap_or(*waits).saturating_sub(*waits);
        }
        used
    }

    pub fn began(&self) -> Instant {
        self.began
    }
}

fn read(pids: &[u32], before: &[(f64, u64)], began: Instant, used: &Mutex<Vec<Used>>) {
    let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
    for ((pid, (before, _)), used) in pids.iter().zip(before).zip(used.iter_mut()) {
        let time = began.elapsed().as_secs_f64();
        if let (Some(cpu), Some(memory)) = (process::cpu(*pid), process::memory(*pid)) {
            used.cpu = cpu - before;
            used.series.push((time, used.cpu));
            used.memory.peak = used.memory.peak.max(memory.peak);
            used.memory.anonymous = used.memory.anonymous.max(memory.anonymous);
        }
    }
}

/// CPU of all processes in each third of a time, in seconds since the metering began.
pub fn thirds(used: &[Used], start: f64, end: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for used in used {
        for (sum, part) in sum.iter_mut().zip(stats::growth(&used.series, start, end, 3)) {
            *sum += part;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::Meter;

    #[test]
    fn work_is_seen() {
        let meter = Meter::start(&[std::process::id()]);
        let mut sum = 0_u64;
        while meter.began().elapsed().as_millis() < 60 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let used = &meter.stop()[0];
        assert!(used.cpu > 0.0 && used.memory.anonymous > 0 && used.series.len() >= 2, "{used:?}");
    }
}
