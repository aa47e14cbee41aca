//! What the kernel says of us as a job of a shell.
//!
//! A container sees only its own processes: the parent, the group leader and the session leader may stand outside of it,
//! and the kernel then says 0 for them. Two that are 0 are taken for the same one, since nothing nearer is known.
//! `session.rs` asks before it stops, `input/ask.rs` before it reads.

use std::io;
use std::os::fd::AsFd;

use nix::unistd::{Pid, getpgrp, getppid, getsid, tcgetpgrp};

/// Whether a shell would continue us: our parent is in our session. The kernel ignores Ctrl+Z otherwise, too.
pub fn has_job_control() -> bool {
    let parent = getppid();
    // Zero is a parent outside of what we see, and to `getsid` it means ourselves.
    parent != Pid::from_raw(0) && getsid(Some(parent)).is_ok_and(|session| getsid(None) == Ok(session))
}

/// Whether the terminal would let us read: our group is the one in front.
///
/// # Errors
/// When it is not our terminal.
pub fn is_in_foreground(terminal: impl AsFd) -> io::Result<bool> {
    Ok(tcgetpgrp(terminal)? == getpgrp())
}
