//! A shell in a real tmux, and the program typed into it as a person would.
//!
//! Every byte that reaches the pane is kept beside what the pane shows. Waiting is for what is to be seen, never for a
//! time; a wait in vain fails with the screen.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{apart, processes};

/// How long something may take to be seen on a busy machine before the test gives up.
const PATIENCE: Duration = Duration::from_secs(90);

/// A tmux server with one pane, in which a shell runs.
pub struct Pane {
    folder: TempDir,
}

impl Pane {
    /// `None`, and a word why, where tmux is missing.
    pub fn start(columns: u16, rows: u16) -> Option<Pane> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CARPEL_TESTS_COMPLETE").is_none(), "tmux is not installed");
            eprintln!("skipped: tmux is not installed");
            return None;
        }
        let folder = tempfile::Builder::new().prefix("carpel-chat-").tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("work/src")).unwrap();
        apart::settle(&folder.path().join("home"));
        std::fs::write(
            folder.path().join("work/src/parser.rs"),
            "// TODO: one\nfn parse() {}\n// TODO: two\n",
        )
        .unwrap();
        std::fs::write(folder.path().join("work/src/lexer.rs"), "// TODO: three\n").unwrap();
        std::fs::write(folder.path().join("conf"), "set -g history-limit 100000\nset -g status off\n")
            .unwrap();
        let pane = Pane { folder };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        // Sockets of its own: a session of whoever runs the tests is not to be listed, still less attached to.
        std::fs::create_dir(pane.path().join("run")).unwrap();
        let own = "HOME=$PWD/home XDG_RUNTIME_DIR=$PWD/run LC_ALL=C.UTF-8";
        let shell = format!("exec {} PS1='$ ' {own} sh", apart::env());
        pane.tmux(&["-f", "conf", "new-session", "-d", "-x", &columns, "-y", &rows, &shell]);
        pane.tmux(&["pipe-pane", "-O", "cat > bytes"]);
        Some(pane)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-S", "socket"])
            .args(arguments)
            .current_dir(self.path())
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Types text and Enter.
    pub fn enter(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Answers a question, after the moment that a person needs to see it: a key in a burst is no answer.
    pub fn answer(&self, key: &str) {
        std::thread::sleep(Duration::from_millis(900));
        self.tmux(&["send-keys", "-l", key]);
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// Everything from the first row of the scrollback to the last of the screen, folded lines joined.
    pub fn all(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-E", "-"])
    }

    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub fn wait_for(&self, what: &str, seen: impl Fn(&str) -> bool) {
        let since = Instant::now();
        loop {
            let all = self.all();
            if seen(&all) {
                return;
            }
            assert!(since.elapsed() < PATIENCE, "waited in vain for {what}:\n{all}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn bytes(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path().join("bytes")).unwrap()).into_owned()
    }

    /// The chat on the little project, started from the shell.
    pub fn chat(&self) {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_carpel"));
        self.enter(&format!("cd work && {} && echo LEFT", program.display()));
        self.wait_for("the prompt", |all| all.contains("guide (no model)"));
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-S", "socket", "kill-server"]).current_dir(self.path()).output();
        processes::end_pods(self.path());
    }
}
