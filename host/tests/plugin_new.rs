//! `carpel plugin new` as an author calls it: what it makes builds, its tests pass, and nothing is written over.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "../../slots/tests/plugin/needs.rs"]
mod needs;

use needs::{program, run};

fn plugin_new(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
    command.args(["plugin", "new"]).args(arguments).current_dir(folder);
    command.env("CARPEL_HOME", folder.join("home")).output().unwrap()
}

fn made(folder: &Path, arguments: &[&str]) -> String {
    let output = plugin_new(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Everything below a folder, by path.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push((path.clone(), std::fs::read(path).unwrap()))
            }
        }
    }
    found.sort();
    found
}

#[test]
fn rust_project_builds_and_its_tests_pass() {
    let folder = tempfile::tempdir().unwrap();
    let said = made(folder.path(), &["sql-result", "--tool", "sql_query"]);
    for step in
        ["1. cd sql-result && cargo test", "2. ", "3. cargo build --release && mkdir -p ", "libsql_result"]
    {
        assert!(said.contains(step), "{said}");
    }
    let project = folder.path().join("sql-result");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // The versions of this workspace are there without a network.
    std::fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin-new");
    for verb in ["test", "build"] {
        let mut cargo = Command::new(env!("CARGO"));
        let warnings = ("RUSTFLAGS", "-D warnings");
        run(cargo
            .args([verb, "--offline", "--target-dir"])
            .arg(&target)
            .current_dir(&project)
            .env(warnings.0, warnings.1));
    }
    let library = format!("debug/{}sql_result{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    assert!(target.join(library).is_file());
}

#[test]
fn c_project_builds_and_its_tests_pass() {
    if program("cc").is_none() || program("make").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), &["unit-tests", "--lang", "c"]);
    let project = folder.path().join("unit-tests");
    let flags = "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror -fsanitize=undefined -fno-sanitize-recover=all";
    for target in ["test", "unit-tests.so"] {
        run(program("make").unwrap().arg("-C").arg(&project).args([flags, target]));
    }
    assert!(project.join("unit-tests.so").is_file());
}

#[test]
fn python_project_passes_its_tests() {
    let Some(mut python) = program("python3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let said = made(folder.path(), &["sql", "--lang", "python"]);
    assert!(said.contains("1. cd sql && python3 -m unittest"), "{said}");
    run(python.args(["-m", "unittest"]).current_dir(folder.path().join("sql")));
}

#[test]
fn nothing_is_written_over_and_bad_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), &["mine", "--lang", "python"]);
    std::fs::write(folder.path().join("file"), "text").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
    let before = tree(&folder.path().join("mine"));
    for (arguments, reason) in [
        (&["mine"][..], "is there already"),
        (&["file"], "is there already"),
        (&["link"], "is there already"),
        (&["../mine"], "a name is at most 40 small letters"),
        (&["fn"], "take e.g. `fn-view`"),
        (&["other", "--tool", "a\"b"], "a tool's name is"),
        (&["other", "--lang", "cobol"], "rust, c, python"),
        (&["other", "--slots", "nowhere"], "is no folder of a crate"),
        (&["other", "--lang", "c", "--slots", "."], "--slots goes with"),
    ] {
        let output = plugin_new(folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
    assert_eq!(tree(&folder.path().join("mine")), before);
    let mut there: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    there.retain(|name| name != "home");
    assert_eq!(there, ["file", "link", "mine"]);
}
