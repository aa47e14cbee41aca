//! What Linux tells of a process: its memory, its wake-ups, its CPU clock, its children.
//!
//! Owns how `/proc` is read; what is read is parsed by functions of the text alone. A process that has gone is absent.
//! It refuses to know which processes are looked at, and why.

use std::fs;

use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::Pid;

/// Memory of a process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    /// The most that was ever resident.
    pub peak: u64,
    /// What is resident now and backed by no file.
    pub anonymous: u64,
}

pub fn memory(pid: u32) -> Option<Memory> {
    Some(memory_of(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?))
}

/// CPU time that the process has used, its threads that ended too, in seconds.
pub fn cpu(pid: u32) -> Option<f64> {
    let clock: ClockId = clock_getcpuclockid(Pid::from_raw(i32::try_from(pid).ok()?)).ok()?;
    let time = clock.now().ok()?;
    Some(time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

/// How often a thread of the process gave the processor up to wait, in all.
pub fn waits(pid: u32) -> Option<u64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let status = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok());
    Some(status.map(|text| field(&text, "voluntary_ctxt_switches").unwrap_or(0)).sum())
}

/// The arguments of the process, its program first.
pub fn arguments(pid: u32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Its children that live.
pub fn children(pid: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |child: &u32| {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        parent_of(&stat) == Some(pid)
    };
    pids.filter(is_child).collect()
}

/// Of a text like `/proc/PID/status`.
fn memory_of(status: &str) -> Memory {
    let bytes = |name| field(status, name).unwrap_or(0) * 1024;
    Memory { peak: bytes("VmHWM"), anonymous: bytes("RssAnon") }
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Of a text like `/proc/PID/stat`. The program's name is in parentheses and may hold anything.
fn parent_of(stat: &str) -> Option<u32> {
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Memory, arguments, children, cpu, field, memory, memory_of, parent_of, waits};

    const STATUS: &str = "Name:\tcat\nVmHWM:\t    2048 kB\nVmRSS:\t    1000 kB\nRssAnon:\t     100 kB\n\
        voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t9\n";

    #[test]
    fn fields_of_a_status() {
        assert_eq!(memory_of(STATUS), Memory { peak: 2048 * 1024, anonymous: 100 * 1024 });
        assert_eq!(memory_of("Name:\tkthread\n"), Memory::default());
        assert_eq!(field(STATUS, "voluntary_ctxt_switches"), Some(7));
        assert_eq!(field(STATUS, "VmRS"), None, "a part of a name is none");
    }

    #[test]
    fn the_parent_is_behind_the_name_whatever_that_is() {
        for (stat, expected) in [
            ("12 (cat) S 4 12 12 0", Some(4)),
            ("12 (a) R 9 (b) S 4 12", Some(4)),
            ("12 (cat", None),
            ("", None),
        ] {
            assert_eq!(parent_of(stat), expected, "{stat}");
        }
    }

    #[test]
    fn of_this_very_process_and_a_child() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let me = std::process::id();
        let own = memory(me).unwrap();
        assert!(own.peak >= own.anonymous && own.anonymous > 0);
        assert!(cpu(me).unwrap() > 0.0);
        assert!(waits(me).is_some());
        assert!(children(me).contains(&child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((memory(child.id()), cpu(child.id())), (None, None));
        assert_eq!(arguments(child.id()), [""; 0]);
    }
}
