//! What ends a command when the pod is gone without having done so: killed, or out of memory.
//!
//! Owns a small shell that waits on a pipe whose other end only this process holds. A line means that all is well; the
//! pipe's end means that this process is gone, and the group is ended. Without it a `kill -9` would leave the command
//! running for ever. It is no part of the group. Refuses to know commands.

use std::io::{self, PipeWriter, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use super::group::Group;

/// Ends the watch, not the group, when it is dropped.
#[derive(Debug)]
pub struct Watch {
    child: Child,
    line: PipeWriter,
}

const WAIT_AND_END: &str = r#"read -r line && exit 0
kill -s TERM -- "-$1"
sleep 0.3
kill -s KILL -- "-$1""#;

impl Watch {
    /// # Errors
    /// When there is no `sh`, or no more processes can be started.
    pub fn over(group: Group) -> io::Result<Self> {
        let (waits, line) = io::pipe()?;
        let child = Command::new("sh")
            .args(["-c", WAIT_AND_END, "carpel-watch", &group.number().to_string()])
            .stdin(waits)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn()?;
        Ok(Self { child, line })
    }
}

#[cfg(test)]
impl Watch {
    /// What a kill of this process does to the watch.
    pub fn lose(self) {
        let mut gone = std::mem::ManuallyDrop::new(self);
        let (_, closed) = io::pipe().unwrap();
        drop(std::mem::replace(&mut gone.line, closed));
        gone.child.wait().unwrap();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // One that cannot be told is gone; either way it must not become a zombie.
        let told = self.line.write_all(b"\n");
        if told.is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
