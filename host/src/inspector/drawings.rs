//! Drawings of one session at several sizes, compared with files that a person has read.
//!
//! `CARPEL_BLESS=1` writes the files anew.

use std::path::PathBuf;

use carpel_slots::Density;

use super::tests::{SESSION, Stage};

fn check(name: &str, stage: &mut Stage) {
    let drawn = stage.rows().join("\n") + "\n";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/inspector").join(name);
    if std::env::var_os("CARPEL_BLESS").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    assert_eq!(drawn, std::fs::read_to_string(&path).unwrap_or_default(), "{name}");
}

#[test]
fn drawings() {
    let sizes = [(80, 24), (100, 30), (120, 40), (40, 12), (20, 5)];
    for (width, height) in sizes {
        for (name, keys) in
            [("end", ""), ("search", "/needle<enter>n"), ("open", "gf<enter>"), ("copy", "gdy")]
        {
            let mut stage = Stage::new((width, height), Density::Normal, SESSION);
            stage.keys(keys);
            check(&format!("{width}x{height}-{name}.txt"), &mut stage);
        }
    }
    let mut stage = Stage::new((80, 24), Density::Overview, SESSION);
    check("80x24-overview.txt", &mut stage);
    stage.keys("?");
    check("80x24-keys.txt", &mut stage);
}

#[test]
fn the_smallest_windows_are_drawn() {
    for width in 1..12 {
        for height in 1..6 {
            for keys in ["", "g", "/x", "y", "?", "<enter>"] {
                let mut stage = Stage::new((width, height), Density::Normal, SESSION);
                stage.keys(keys);
                assert_eq!(stage.rows().len(), height, "{width}x{height} {keys}");
            }
        }
    }
    let mut stage = Stage::new((0, 0), Density::Normal, SESSION);
    assert!(stage.rows().is_empty());
    let mut stage = Stage::new((30, 4), Density::Normal, &[]);
    assert_eq!(stage.rows(), [" 0 of 0        normal · ? keys", "", "", ""]);
}
