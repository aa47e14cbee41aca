//! All hostile texts in a real tmux that would obey every one of them: what is left of it while they stand there, and
//! after the program has gone.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::carriers::{CALLS, Cut, SPOKEN, TOLD};
use crate::strict::{self, Stream};
use crate::texts;

/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Everything about a pane that a program can change.
const STATE: &str = "#{pane_title}|#{window_name}|#{alternate_on}|#{cursor_flag}|#{insert_flag}|#{wrap_flag}|#{origin_flag}|\
    #{keypad_cursor_flag}|#{keypad_flag}|#{mouse_any_flag}|#{mouse_sgr_flag}|#{scroll_region_upper}|#{scroll_region_lower}|\
    #{pane_path}|#{pane_bg}|#{pane_fg}";

struct Pane(tempfile::TempDir);

impl Pane {
    /// `None`, and a word why, where tmux is missing.
    fn start() -> Option<Pane> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CARPEL_TESTS_COMPLETE").is_none(), "tmux is not installed");
            eprintln!("skipped: tmux is not installed");
            return None;
        }
        let folder = tempfile::Builder::new().prefix("carpel-hostile-").tempdir().unwrap();
        let config = "set -g history-limit 100000\nset -g status off\nset -g allow-rename on\nset -s set-clipboard on\n\
            set -g allow-passthrough on\nset -g set-titles on\n";
        fs::write(folder.path().join("conf"), config).unwrap();
        let pane = Pane(folder);
        let shell = "exec env PS1='$ ' HOME=$PWD LC_ALL=C.UTF-8 sh";
        pane.tmux(&["-f", "conf", "new-session", "-d", "-x", "100", "-y", "30", shell]);
        Some(pane)
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-u", "-S", "socket"]).args(arguments).current_dir(self.0.path());
        let output = command.env_remove("TMUX").env("LC_ALL", "C.UTF-8").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn all(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-E", "-"])
    }

    fn wait_for(&self, what: &str) {
        let since = Instant::now();
        while !self.all().contains(what) {
            assert!(since.elapsed() < PATIENCE, "waited in vain for {what}:\n{}", self.all());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn state(&self) -> (String, String) {
        (self.tmux(&["display-message", "-p", STATE]), self.tmux(&["show-buffer"]))
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ =
            Command::new("tmux").args(["-S", "socket", "kill-server"]).current_dir(self.0.path()).output();
    }
}

/// One turn for each text, with a few carriers each, so that every carrier has its turn.
fn recording() -> String {
    let carriers: Vec<_> = [SPOKEN, CALLS, TOLD].into_iter().flatten().collect();
    let mut lines = String::new();
    let mut add = |event: Value| lines.push_str(&format!("{event}\n"));
    add(json!({"event":"hello","protocol":1,"provider":"guide","model":"guide","state":"idle"}));
    let texts = texts::all();
    for (at, carrier) in carriers.iter().enumerate() {
        // No goodbye: the pod would be gone for what follows.
        if carrier.name == "goodbye" {
            continue;
        }
        for step in 0..4 {
            let text = &texts[(at * 4 + step) % texts.len()];
            let turn = at * 4 + step + 1;
            add(json!({"event":"turn_start","turn":turn}));
            (carrier.events)(&text.text, Cut::Whole).into_iter().for_each(&mut add);
            add(json!({"event":"turn_end","turn":turn,"reason":"completed"}));
        }
    }
    add(json!({"event":"turn_start","turn":9999}));
    add(json!({"event":"text_delta","text":"THE END lqqk"}));
    add(json!({"event":"turn_end","turn":9999,"reason":"completed"}));
    lines
}

#[test]
fn a_terminal_that_obeys_is_as_it_was() {
    let Some(pane) = Pane::start() else { return };
    fs::write(pane.0.path().join("all.jsonl"), recording()).unwrap();
    pane.tmux(&["set-buffer", "MINE"]);
    let enter = |text: &str| {
        pane.tmux(&["send-keys", "-l", text]);
        pane.tmux(&["send-keys", "Enter"]);
    };
    enter("printf '\\033]2;MY TITLE\\007\\033kMINE\\033\\\\'; for n in 1 2 3; do echo EARLIER $n; done");
    pane.wait_for("EARLIER 3");
    let (before, _) = pane.state();
    assert!(before.starts_with("MY TITLE|"), "{before}");
    pane.tmux(&["pipe-pane", "-O", "cat > bytes"]);
    enter(&format!("{} replay all.jsonl --density detail; echo LEFT", env!("CARGO_BIN_EXE_carpel")));
    pane.wait_for("THE END lqqk");
    assert_eq!(pane.state(), (before.clone(), "MINE".to_owned()), "while it runs");
    pane.tmux(&["send-keys", "q"]);
    pane.wait_for("\nLEFT");
    assert_eq!(pane.state(), (before, "MINE".to_owned()), "after it has gone");
    let all = pane.all();
    for earlier in ["\nEARLIER 1\nEARLIER 2\nEARLIER 3\n", "THE END lqqk"] {
        assert_eq!(all.matches(earlier).count(), 1, "{earlier:?} in\n{all}");
    }
    // A question that had reached the terminal would be answered into the shell.
    assert_eq!(all.trim_end().lines().last(), Some("$"), "{all}");
    strict::check(&fs::read(pane.0.path().join("bytes")).unwrap(), Stream::Session).unwrap();
}
