//! Where diagnostics of the program itself go: a file under the state folder, never the screen.
//!
//! Nothing depends on them: without a folder that can be written to the program runs the same.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::link::{Kind, own_folder};

/// Starts writing diagnostics. Without a folder that can be written to there are none.
pub fn start() {
    if let Some(file) = open() {
        // A second start in one process finds the first one in place, which is as good.
        // A diagnostic that cannot be written is lost; the subscriber's own word on stderr would stand on the screen.
        let _ = tracing_subscriber::fmt()
            .with_ansi(false)
            .log_internal_errors(false)
            .with_writer(Mutex::new(file))
            .try_init();
    }
}

fn open() -> Option<File> {
    let path = state_folder()?.join("carpel.log");
    // Sessions lie in there, too, which are nobody else's to see.
    DirBuilder::new().recursive(true).mode(0o700).create(path.parent()?).ok()?;
    OpenOptions::new().create(true).append(true).open(path).ok()
}

/// `$CARPEL_HOME`, else `$XDG_STATE_HOME/carpel`, else `~/.local/state/carpel`.
pub fn state_folder() -> Option<PathBuf> {
    own_folder(Kind::State, |name| std::env::var_os(name))
}
