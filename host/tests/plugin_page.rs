//! `docs/writing-a-tool-view.md` followed to the letter: its steps are run in a shell, its code is that of the projects which
//! they build, its samples are shown.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../../slots/tests/plugin/needs.rs"]
mod needs;

use needs::{program, run};

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

/// Runs the steps of a language at home; `prepare` is run in the project before its first test. The file that they install.
fn follow(language: &str, home: &Path, prepare: &str) -> PathBuf {
    let steps = block_with("sh", &format!("--lang {language}"));
    let steps = steps.replacen("cd weather\n", &format!("cd weather\n{prepare}\n"), 1);
    let bin = Path::new(env!("CARGO_BIN_EXE_carpel")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.arg("-euc").arg(steps).current_dir(home).env("HOME", home).env("CARGO_NET_OFFLINE", "true");
    for name in ["CARPEL_HOME", "XDG_DATA_HOME", "CARGO_TARGET_DIR"] {
        shell.env_remove(name);
    }
    // rustup and cargo look for themselves below the home that they were installed in.
    let old = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        shell.env(name, std::env::var_os(name).unwrap_or_else(|| old.join(folder).into()));
    }
    run(shell.env("PATH", format!("{}:{path}", bin.display())));
    let installed = std::fs::read_dir(home.join(".local/share/carpel/plugins")).unwrap();
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
    let home = tempfile::tempdir().unwrap();
    let installed = follow("python", home.path(), "");
    assert_eq!(installed.file_name().unwrap(), "weather.py");
    shows("python", &home.path().join("weather/weather.py"));
    let mut python = Command::new(installed);
    let said = run(python.stdin(std::process::Stdio::null()));
    assert_eq!(said, "");
}

#[test]
fn steps_in_c() {
    if program("cc").is_none() || program("make").is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    assert_eq!(follow("c", home.path(), "").file_name().unwrap(), "weather.so");
    shows("c", &home.path().join("weather/plugin.c"));
}

#[test]
#[cfg(target_os = "linux")]
fn steps_in_rust() {
    let home = tempfile::tempdir().unwrap();
    // The versions of this workspace are there without a network; what was built stays for the next run.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin-page");
    std::fs::create_dir_all(&target).unwrap();
    let lock = root().join("Cargo.lock");
    let prepare = format!("cp '{}' . && ln -s '{}' target", lock.display(), target.display());
    let installed = follow("rust", home.path(), &prepare);
    assert_eq!(installed.file_name().unwrap(), "libweather.so");
    assert!(std::fs::read(installed).unwrap().starts_with(b"\x7fELF"));
    shows("rust", &home.path().join("weather/src/lib.rs"));
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
