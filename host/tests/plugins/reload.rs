//! Plugins come, change and go while the chat runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use carpel_slots::Registry;
use tempfile::TempDir;

use crate::needs::program;
use crate::stage::{Stage, call, changed, title};

/// Writes a plugin that draws `tool` with that title.
fn write(path: &Path, name: &str, tool: &str, title: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = format!(
        r#"#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["request"] == "hello":
        said = {{"reply": "hello", "abi": 1, "name": "{name}", "views": ["{tool}"]}}
    else:
        said = {{"reply": "card", "id": request["id"], "card": {{"title": "{title}"}}}}
    print(json.dumps(said), flush=True)
"#
    );
    install(path, &text);
}

/// As an editor or a linker does: beside, and then in its place.
fn install(path: &Path, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&new, path).unwrap();
}

fn home() -> (TempDir, std::path::PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("plugins/clock");
    (home, file)
}

#[test]
fn a_change_is_picked_up_and_a_removal_uncovers_what_is_built_in() {
    let Some(_) = program("python3") else { return };
    let (home, file) = home();
    // The folder is not there yet.
    let mut stage = Stage::with(home, |_| {});
    stage.settled();
    let asked = call("Read");
    let built_in = title(&stage.card(&asked));
    write(&file, "clock", "Read", "first");
    stage.card_until(&asked, |card| title(card) == "first");
    let mut shortest = Duration::MAX;
    for version in ["second", "third", "fourth", "fifth"] {
        write(&file, "clock", "Read", version);
        let written = Instant::now();
        let mut asked = asked.clone();
        while title(&stage.card(&asked)) != version {
            asked = changed(&asked);
            std::thread::sleep(Duration::from_millis(5));
        }
        shortest = shortest.min(written.elapsed());
    }
    #[allow(clippy::print_stderr, reason = "a measurement")]
    {
        eprintln!("picked up within {shortest:?}");
    }
    fs::remove_file(&file).unwrap();
    stage.card_until(&asked, |card| title(card) == built_in);
    assert!(stage.plugins().rows().is_empty());
}

#[test]
fn a_broken_build_keeps_the_last_good_one_and_says_so_once() {
    let Some(_) = program("python3") else { return };
    let (home, file) = home();
    write(&file, "clock", "Read", "good");
    let mut stage = Stage::with(home, |_| {});
    stage.settled();
    let asked = call("Read");
    stage.card_until(&asked, |card| title(card) == "good");
    install(&file, "#!/usr/bin/env python3\nthis is no python\n");
    while stage.said.is_empty() {
        stage.event();
    }
    assert!(
        stage.said[0].starts_with(
            "plugin `clock`: the version before goes on, since the new one ended with exit code 1"
        ),
        "{:?}",
        stage.said
    );
    // The old process answers, also for what is new.
    stage.card_until(&changed(&asked), |card| title(card) == "good");
    install(&file, "not even a script\n");
    while stage.said.len() < 2 {
        stage.event();
    }
    assert!(stage.said[1].contains("is neither a library nor a program"), "{:?}", stage.said);
    write(&file, "clock", "Read", "better");
    stage.card_until(&changed(&changed(&asked)), |card| title(card) == "better");
    assert_eq!((stage.said.len(), stage.plugins().rows()[0].trouble.clone()), (2, None));
}

#[test]
fn what_is_known_of_a_plugin_saves_its_start() {
    let Some(_) = program("python3") else { return };
    let (home, file) = home();
    write(&file, "clock", "Read", "good");
    let mut stage = Stage::with(home, |_| {});
    stage.settled();
    let running = |file: &Path| {
        let wanted = file.display().to_string();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok()).any(|line| {
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains(&wanted)
        })
    };
    assert!(running(&file));
    stage.plugins = None;
    assert!(!running(&file));
    let setting = Stage::setting(&stage.home, |_| {});
    let mut stage = Stage::of(stage.home, setting, Registry::linked());
    stage.settled();
    assert!(stage.row("clock").is_seated && !running(&file), "it is started at its first use");
    stage.card_until(&call("Read"), |card| title(card) == "good");
    assert!(running(&file));
}
