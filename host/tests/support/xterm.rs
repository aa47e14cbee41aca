//! xterm.js as an oracle, through node and one pipe each way.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ratatui::layout::{Position, Size};
use serde_json::{Value, json};

use crate::steps::Oracle;

pub struct Xterm {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Xterm {
    /// `None`, and a word why, where node or its packages are missing.
    pub fn start(size: Size) -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/xterm");
        if !folder.join("node_modules/@xterm/headless").exists() {
            assert!(std::env::var_os("CARPEL_TESTS_COMPLETE").is_none(), "@xterm/headless is not installed");
            eprintln!("skipped: @xterm/headless is not installed; run `npm ci` in host/tests/xterm");
            return None;
        }
        let mut command = Command::new("node");
        command.arg("driver.mjs").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            assert!(std::env::var_os("CARPEL_TESTS_COMPLETE").is_none(), "node is not installed");
            eprintln!("skipped: node is not installed");
            return None;
        };
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut xterm = Self { child, input, output };
        xterm.ask(&json!({"op": "new", "cols": size.width, "rows": size.height}));
        Some(xterm)
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }
}

impl Oracle for Xterm {
    fn feed(&mut self, bytes: &[u8]) {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.ask(&json!({"op": "feed", "hex": hex}));
    }

    fn resize(&mut self, size: Size) {
        self.ask(&json!({"op": "resize", "cols": size.width, "rows": size.height}));
    }

    fn cursor(&mut self) -> Position {
        serde_json::from_value(self.ask(&json!({"op": "cursor"}))).map(|(x, y)| Position::new(x, y)).unwrap()
    }

    fn lines(&mut self) -> Vec<String> {
        let answer = self.ask(&json!({"op": "lines"}));
        serde_json::from_value(answer["lines"].clone()).unwrap()
    }
}

impl Drop for Xterm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
