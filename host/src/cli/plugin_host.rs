//! `carpel plugin-host FILE`: the process of one plugin, which opens the library or becomes the program.
//!
//! Owns what holds for the process whatever it runs: a session of its own, so that it has no terminal and is ended with all
//! that it started; bounds on its memory; its end with the chat's. What it cannot do it says in one line of its diagnostics,
//! where the chat finds the reason. `plugin_host/library.rs` opens libraries, and nothing else in carpel does.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use carpel_slots::Printable;
use clap::Args;
use rustix::process::{Resource, Rlimit, Signal};

use crate::cli::exit::Exit;
use crate::cli::out;
use crate::plugins::REFUSES;

mod library;

/// Bytes of memory that a plugin may map: runtimes map much more than they use.
const MEMORY: u64 = 4 * 1024 * 1024 * 1024;

/// Run a plugin within limits.
#[derive(Args)]
pub struct PluginHost {
    /// What follows is a program and its arguments; otherwise it is the file of a library.
    #[arg(long)]
    run: bool,
    /// The library, or the program and its arguments.
    #[arg(value_name = "FILE", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl PluginHost {
    pub(super) fn run(&self) -> Exit {
        restrict();
        let [file, arguments @ ..] = self.words.as_slice() else { return Exit::Failed };
        if self.run {
            let error = Command::new(file).args(arguments).exec();
            return refuse(&format!("cannot be run: {error}"));
        }
        match library::serve(Path::new(file)) {
            Ok(()) => Exit::Done,
            Err(reason) => refuse(&reason),
        }
    }
}

/// Says why the plugin cannot be run.
fn refuse(reason: &str) -> Exit {
    out::error(&Printable::line(&format!("{REFUSES}{}", reason.replace('\n', " "))));
    Exit::Failed
}

/// Sets the limits. One that cannot be set holds up nothing: the chat has its own.
fn restrict() {
    // The leader of a group, which a shell makes of it, stays in its session.
    let _ = rustix::process::setsid();
    for (resource, most) in [(Resource::As, MEMORY), (Resource::Core, 0)] {
        let limit = rustix::process::getrlimit(resource);
        let most = limit.maximum.map_or(most, |maximum| maximum.min(most));
        let _ = rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}
