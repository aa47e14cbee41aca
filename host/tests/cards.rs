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
