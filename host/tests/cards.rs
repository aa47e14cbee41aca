//! Settled cards as they stand on the terminal, at four widths and three densities.
//!
//! `data/cards/NAME.jsonl` is a recording, `NAME.txt` all that it comes to. With `CARPEL_BLESS` set the texts are written
//! anew, to be read before they are committed. A line that the terminal folded is one line here, as a copy would give it.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;

use carpel::headless::Headless;
use carpel::render::look::Look;
use carpel_protocol::recording::decode_step;
use carpel_slots::Density;
use ratatui::layout::Size;

fn shown(recording: &str, width: u16, density: Density) -> String {
    let mut host = Headless::new(Size::new(width, 40), density, Look::PLAIN);
    for line in recording.lines().filter(|line| !line.trim().is_empty()) {
        host.play(&decode_step(line.as_bytes()).unwrap());
    }
    host.frame();
    let rows: Vec<String> = host.emulator.text().iter().map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim().to_owned()
}

#[test]
fn cards_at_every_width_and_density() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cards");
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        seen += 1;
        let recording = fs::read_to_string(&path).unwrap();
        let mut got = String::new();
        for width in [20, 40, 80, 120] {
            for density in Density::ALL {
                let text = shown(&recording, width, density);
                got.push_str(&format!("===== {width} {density:?}\n{text}\n\n"));
            }
        }
        let expected = path.with_extension("txt");
        if std::env::var_os("CARPEL_BLESS").is_some() {
            fs::write(expected, got).unwrap();
        } else {
            assert_eq!(got, fs::read_to_string(expected).unwrap(), "{path:?}");
        }
    }
    assert!(seen > 0, "{folder:?}");
}

/// What the pod's own tool says.
fn told(tool: &str, arguments: &str, workspace: &Path) -> String {
    let mut carpel = std::process::Command::new(env!("CARGO_BIN_EXE_carpel"));
    carpel.args(["tool", tool, arguments, "--cwd"]).arg(workspace).env("HOME", workspace);
    let answer: serde_json::Value = serde_json::from_slice(&carpel.output().unwrap().stdout).unwrap();
    answer["summary"].as_str().unwrap().to_owned()
}

/// A name with controls in it reads the same in the header, in the row of its argument and in the tool's own error, and
/// nothing of it is gone.
#[test]
fn a_name_has_one_notation() {
    let workspace = tempfile::tempdir().unwrap();
    let (name, seen) = ("a\u{1b}]0;owned\u{7}b.txt", "a␛]0;owned␇b.txt");
    for (tool, argument) in [("Read", "file_path"), ("Grep", "path"), ("Elsewhere", "name")] {
        let mut arguments = serde_json::json!({argument: name});
        if tool == "Grep" {
            arguments["pattern"] = name.into();
        }
        let arguments = arguments.to_string();
        let summary = match tool {
            // Nobody's tool: what it says is foreign text.
            "Elsewhere" => format!("no {name}"),
            _ => told(tool, &arguments, workspace.path()),
        };
        let line = |value: serde_json::Value| format!("{value}\n");
        let recording = [
            line(serde_json::json!({"event": "tool_call_start", "id": "c1", "name": tool})),
            line(serde_json::json!({"event": "tool_call_done", "id": "c1", "arguments": arguments})),
            line(serde_json::json!({"event": "tool_result", "id": "c1", "is_error": true, "outcome": "error", "summary": summary})),
        ]
        .concat();
        for (density, least) in [(Density::Normal, 2), (Density::Detail, 3)] {
            let text = shown(&recording, 120, density);
            assert!(text.matches(seen).count() >= least, "{tool} {density:?}\n{text}\n{recording}");
            assert_eq!(
                text.matches("owned").count(),
                text.matches(seen).count(),
                "{tool} {density:?}\n{text}"
            );
        }
    }
}
