//! `docs/writing-a-tool-view.md` followed to the letter: its steps are run in a shell on a terminal until the card is in a chat,
//! its code is that of the projects which they build, its samples are shown.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[path = "../../slots/tests/plugin/needs.rs"]
mod needs;
#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;

use needs::{program, run};
use pty::{Place, Pty, Setup};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The blocks of the page in that language.
fn blocks(language: &str) -> Vec<String> {
    let page = std::fs::read_to_string(root().join("docs/writing-a-tool-view.md")).unwrap();
    let begin = format!("\n```{language}\n");
    let blocks = page.split(&begin).skip(1).map(|rest| format!("{}\n", rest.split("\n```").next().unwrap()));
    blocks.collect()
}

/// The one block that has this in it.
fn block_with(language: &str, what: &str) -> String {
    let mut found: Vec<String> = blocks(language).into_iter().filter(|block| block.contains(what)).collect();
    assert_eq!(found.len(), 1, "{what}");
    found.remove(0)
}

/// Runs the steps of a language in a shell on a terminal; `prepare` is run in the project before its first test. They end
/// with the card in a chat, as the page shows it, and leave one file where plugins are.
fn follow(language: &str, place: &Place, prepare: &str) -> PathBuf {
    let steps = block_with("sh", &format!("--lang {language}"));
    let steps = steps.replacen("cd weather\n", &format!("cd weather\n{prepare}\n"), 1);
    let bin = Path::new(env!("CARGO_BIN_EXE_carpel")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut setup = Setup::new(80, 30)
        .variable("CARPEL_HOME", None)
        .variable("CARGO_NET_OFFLINE", Some("true"))
        .variable("PATH", Some(&format!("{}:{path}", bin.display())));
    // rustup and cargo look for themselves below the home that they were installed in.
    let old = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let own = std::env::var(name).unwrap_or_else(|_| old.join(folder).display().to_string());
        setup = setup.variable(name, Some(&own));
    }
    let mut pty = Pty::run(place, setup, &["sh", "-euc", &steps]);
    let shown = block_with("text", "get_weather");
    let (_, last) = shown.trim_end().rsplit_once('\n').unwrap();
    // A compiler takes its time; a step that fails ends the shell.
    while !pty.text().contains(last) {
        let ended = pty.child.try_wait().unwrap();
        assert!(ended.is_none(), "the steps ended without a chat:\n{}", pty.text());
        std::thread::sleep(Duration::from_millis(50));
    }
    let text: Vec<String> = pty.text().lines().map(|row| row.trim_end().to_owned()).collect();
    assert!(text.join("\n").contains(shown.trim_end()), "{text:#?}");
    assert!(pty.text().contains("\nno faults"), "{}", pty.text());
    pty.press(":plugins\r");
    pty.wait_for("the plugin's row", |all| all.contains("weather 0.1.0"));
    pty.press("q");
    assert_eq!(pty.exit_code(), 0, "{}", pty.text());
    let installed = std::fs::read_dir(place.path().join("home/.local/share/carpel/plugins")).unwrap();
    let mut files: Vec<PathBuf> = installed.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// The page shows what stands in a file of the project.
fn shows(language: &str, file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    let shown = blocks(language);
    assert!(!shown.is_empty());
    for block in shown {
        assert!(text.contains(&block), "{} has another form of:\n{block}", file.display());
    }
}

#[test]
fn steps_in_python() {
    if program("python3").is_none() {
        return;
    }
    let place = Place::new();
    let installed = follow("python", &place, "");
    assert_eq!(installed.file_name().unwrap(), "weather.py");
    shows("python", &place.work().join("weather/weather.py"));
    let mut python = Command::new(installed);
    let said = run(python.stdin(std::process::Stdio::null()));
    assert_eq!(said, "");
}

#[test]
fn steps_in_c() {
    if program("cc").is_none() || program("make").is_none() {
        return;
    }
    let place = Place::new();
    assert_eq!(follow("c", &place, "").file_name().unwrap(), "weather.so");
    shows("c", &place.work().join("weather/plugin.c"));
}

#[test]
#[cfg(target_os = "linux")]
fn steps_in_rust() {
    let place = Place::new();
    // The versions of this workspace are there without a network; what was built stays for the next run.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin-page");
    std::fs::create_dir_all(&target).unwrap();
    let lock = root().join("Cargo.lock");
    let prepare = format!("cp '{}' . && ln -s '{}' target", lock.display(), target.display());
    let installed = follow("rust", &place, &prepare);
    assert_eq!(installed.file_name().unwrap(), "libweather.so");
    assert!(std::fs::read(installed).unwrap().starts_with(b"\x7fELF"));
    shows("rust", &place.work().join("weather/src/lib.rs"));
}

#[test]
fn its_samples_can_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own"), block_with("json", "\"view\":\"Bash\"")).unwrap();
    let mut carpel = Command::new(env!("CARGO_BIN_EXE_carpel"));
    carpel.args(["gallery", "--print", "--view", "Bash", "--state", "done", "--samples", "own"]);
    let said = run(carpel.current_dir(folder.path()).env("CARPEL_HOME", folder.path()));
    assert!(said.contains("✓ Bash  make all  exit 0"), "{said}");
}
