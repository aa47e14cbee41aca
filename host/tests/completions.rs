//! `carpel completions SHELL`, sourced in that shell, which is then asked what may stand at the cursor.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

#[path = "support/apart.rs"]
mod apart;
#[path = "../../slots/tests/plugin/needs.rs"]
mod needs;

use needs::{program, run};
use tempfile::TempDir;

/// A line, what must be offered at its end, and what must not. `SESSION` stands for the id of the session that there is.
const LINES: [(&str, &[&str], &[&str]); 16] = [
    ("carpel ses", &["sessions"], &["attach"]),
    ("carpel compl", &["completions"], &[]),
    ("carpel completions ", &["bash", "zsh", "fish", "elvish", "powershell"], &[]),
    ("carpel --appr", &["--approval-mode"], &["--cwd"]),
    ("carpel --approval-mode ", &["ask", "edits", "all", "read-only"], &["guide"]),
    ("carpel --provider ", &["guide", "anthropic", "openai", "ollama"], &[]),
    ("carpel exec --density ", &["overview", "normal", "detail"], &[]),
    ("carpel --theme hi", &["high-contrast"], &["dark"]),
    ("carpel --resume ", &["SESSION"], &[]),
    ("carpel export ", &["SESSION"], &["notes.md"]),
    ("carpel attach ", &[], &["SESSION"]),
    ("carpel tool ", &["Read", "Bash", "Grep"], &[]),
    ("carpel gallery --view ", &["Read", "Edit"], &[]),
    ("carpel gallery --state ", &["done", "awaiting_approval"], &[]),
    ("carpel plugin check ", &["weather"], &["notes.md"]),
    ("carpel --cwd s", &["src"], &["sub.md"]),
];

struct Home {
    folder: TempDir,
    session: String,
}

impl Home {
    /// A home with one session, a plugin and files beside it.
    fn new() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        apart::settle(path);
        std::fs::create_dir(path.join("src")).unwrap();
        for name in ["notes.md", "sub.md", "weather"] {
            std::fs::write(path.join(name), "").unwrap();
        }
        std::fs::set_permissions(path.join("weather"), PermissionsExt::from_mode(0o755)).unwrap();
        // Pods of whoever runs the tests are not listed.
        let carpel =
            |arguments: &[&str]| run(apart::program(path, path).env("XDG_RUNTIME_DIR", path).args(arguments));
        carpel(&["exec", "help"]);
        let listed = carpel(&["sessions", "--all"]);
        let session = listed.split_whitespace().next().unwrap().to_owned();
        Home { folder, session }
    }

    /// The shell in this home, with the program that is tested first on its path.
    fn shell(&self, mut shell: Command, arguments: &[&str]) -> Command {
        let bin = Path::new(env!("CARGO_BIN_EXE_carpel")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        for name in apart::OWN {
            shell.env_remove(name);
        }
        shell.args(arguments).current_dir(self.folder.path()).env("HOME", self.folder.path());
        shell.env("PATH", path).env("XDG_RUNTIME_DIR", self.folder.path()).env("TERM", "dumb");
        shell
    }

    fn check(&self, shell: &str, line: &str, offered: &str, wanted: &[&str], unwanted: &[&str]) {
        let word = |row: &'_ str| row.split('\t').next().unwrap().trim_end().trim_end_matches('/').to_owned();
        let words: Vec<String> = offered.lines().map(word).collect();
        let meant = |word: &&str| if *word == "SESSION" { self.session.clone() } else { (*word).to_owned() };
        for word in wanted.iter().map(meant) {
            assert!(words.contains(&word), "{shell}: `{line}` does not offer {word}: {offered}");
        }
        for word in unwanted.iter().map(meant) {
            assert!(!words.contains(&word), "{shell}: `{line}` offers {word}: {offered}");
        }
    }
}

#[test]
fn bash_completes() {
    let Some(_) = program("bash") else { return };
    let home = Home::new();
    // What bash itself does at a Tab: it calls the function that was registered, with words, place and word in variables.
    let script = r#"
        source <(carpel completions bash)
        registered=$(complete -p carpel); function=${registered##*-F }; function=${function%% *}
        read -ra COMP_WORDS <<< "$1"; [[ $1 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
        "$function" carpel "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    for (line, wanted, unwanted) in LINES {
        let arguments = ["--norc", "--noprofile", "-c", script, "bash", line];
        let offered = run(&mut home.shell(Command::new("bash"), &arguments));
        home.check("bash", line, &offered, wanted, unwanted);
    }
}

#[test]
fn fish_completes() {
    let Some(_) = program("fish") else { return };
    let home = Home::new();
    for (line, wanted, unwanted) in LINES {
        let script = "carpel completions fish | source; complete -C $argv[1]";
        let offered = run(&mut home.shell(Command::new("fish"), &["--no-config", "-c", script, line]));
        home.check("fish", line, &offered, wanted, unwanted);
    }
}

#[test]
fn zsh_completes() {
    let Some(_) = program("zsh") else { return };
    let home = Home::new();
    // The real completion system, with the one function that shows matches replaced by one that prints them.
    let script = r#"
        autoload -Uz compinit; compinit -u -D
        source <(carpel completions zsh)
        (( $+_comps[carpel] )) || { print -u2 'nothing is registered'; exit 1 }
        _describe() { local -a all=("${(@P)3}"); print -rl -- "${(@)all%%:*}" }
        words=(${(z)1}); [[ $1 == *" " ]] && words+=('')
        CURRENT=$#words
        $_comps[carpel] || true
    "#;
    for (line, wanted, unwanted) in LINES {
        let offered = run(&mut home.shell(Command::new("zsh"), &["-f", "-c", script, "zsh", line]));
        home.check("zsh", line, &offered, wanted, unwanted);
    }
}

/// A variable that others use for the same is not ours.
#[test]
fn another_programs_variable_changes_nothing() {
    let home = Home::new();
    let path = home.folder.path();
    let said = run(apart::program(path, path).env("COMPLETE", "bash").arg("--version"));
    assert!(said.starts_with("carpel "), "{said}");
}
