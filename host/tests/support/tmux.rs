//! A real tmux as an oracle: a server of its own, one pane that shows what is written into a pipe.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ratatui::layout::{Position, Size};
use tempfile::TempDir;

use crate::steps::Oracle;

pub struct Tmux {
    folder: TempDir,
    pane: File,
    marks: usize,
}

impl Tmux {
    /// `None`, and a word why, where tmux is missing.
    pub fn start(size: Size) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CARPEL_TESTS_COMPLETE").is_none(), "tmux is not installed");
            eprintln!("skipped: tmux is not installed");
            return None;
        }
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let prefix = format!("carpel-tmux-{}-", COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir().unwrap();
        let config = "set -g history-limit 100000\nset -g status off\nset -g allow-rename on\n";
        std::fs::write(folder.path().join("conf"), config).unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let show = format!("stty raw -echo; exec cat {}", pipe.display());
        let (width, height) = (size.width.to_string(), size.height.to_string());
        let started =
            command(&folder, &["-f", "conf", "new-session", "-d", "-x", &width, "-y", &height, &show]);
        assert!(started.status.success(), "{started:?}");
        // Opening waits until the pane's `cat` has opened the other end, after it made the pane raw.
        let pane = OpenOptions::new().write(true).open(&pipe).unwrap();
        Some(Self { folder, pane, marks: 0 })
    }

    pub fn tmux(&self, arguments: &[&str]) -> String {
        let output = command(&self.folder, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until the pane has shown everything: a title set last is seen only then.
    fn settle(&mut self) {
        self.marks += 1;
        let mark = format!("mark{}", self.marks);
        write!(self.pane, "\x1b]2;{mark}\x07").unwrap();
        while self.tmux(&["display-message", "-p", "#{pane_title}"]).trim_end() != mark {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn command(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new("tmux");
    command.args(["-u", "-S", "socket"]).args(arguments).current_dir(folder.path());
    command.env_remove("TMUX").env("LC_ALL", "C.UTF-8").output().unwrap()
}

impl Oracle for Tmux {
    fn feed(&mut self, bytes: &[u8]) {
        self.pane.write_all(bytes).unwrap();
    }

    fn resize(&mut self, size: Size) {
        self.settle();
        self.tmux(&["resize-window", "-x", &size.width.to_string(), "-y", &size.height.to_string()]);
    }

    fn cursor(&mut self) -> Position {
        self.settle();
        let answer = self.tmux(&["display-message", "-p", "#{cursor_x} #{cursor_y}"]);
        let (x, y) = answer.trim().split_once(' ').unwrap();
        Position::new(x.parse().unwrap(), y.parse().unwrap())
    }

    fn lines(&mut self) -> Vec<String> {
        self.settle();
        let text = self.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-E", "-"]);
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        command(&self.folder, &["kill-server"]);
    }
}
