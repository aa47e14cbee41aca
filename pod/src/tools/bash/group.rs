//! The process group of a command, and who of it still runs.
//!
//! Owns sending signals to it. A group without members answers every signal with "no such process"; where nobody has waited
//! for the dead, `/proc` tells them from the living. What has left the group (`setsid`) is not seen here. Refuses to know when it is ended: `run.rs`.

use std::fs;
use std::process::Child;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

#[derive(Debug, Clone, Copy)]
pub struct Group(Pid);

impl Group {
    /// The group that this child was started to lead.
    pub fn led_by(child: &Child) -> Option<Self> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw).map(Self)
    }

    /// Asks every member to end; a stopped one goes on first, so that it can.
    pub fn terminate(self) {
        self.send(Signal::TERM);
        self.send(Signal::CONT);
    }

    pub fn kill(self) {
        self.send(Signal::KILL);
    }

    /// Whether nobody in it is alive, once the leader has been waited for.
    pub fn is_empty(self) -> bool {
        test_kill_process_group(self.0) == Err(Errno::SRCH) || self.has_only_dead().unwrap_or(false)
    }

    /// In a container nobody may wait for orphans: they stay in their group after their end. `None` where this cannot be
    /// told.
    fn has_only_dead(self) -> Option<bool> {
        let processes = fs::read_dir("/proc").ok()?;
        let stats = processes
            .flatten()
            .filter(|entry| entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit));
        let group = self.number().to_string();
        let is_alive = |stat: &[u8]| {
            // The name stands in brackets and may hold anything; behind it: state, parent, group.
            let after = stat.rsplit(|byte| *byte == b')').next().unwrap_or_default();
            let fields: Vec<&[u8]> =
                after.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).take(3).collect();
            matches!(fields.as_slice(), [state, _, of] if *of == group.as_bytes() && !matches!(*state, b"Z" | b"X"))
        };
        let mut seen = false;
        for entry in stats {
            // One that ends in the middle of this is no longer there.
            let Ok(stat) = fs::read(entry.path().join("stat")) else { continue };
            seen = true;
            if is_alive(&stat) {
                return Some(false);
            }
        }
        seen.then_some(true)
    }

    pub fn number(self) -> i32 {
        self.0.as_raw_nonzero().get()
    }

    fn send(self, signal: Signal) {
        // Whoever is gone already needs no signal.
        let _ = kill_process_group(self.0, signal);
    }
}
