//! The program apart from whoever runs the tests: no keys, no manifest, no Ollama of theirs has a say.
//!
//! Every test that starts the binary goes through here. A manifest in the home folder names guide, so that no address is
//! asked; the variables that would say otherwise are taken out.

#![allow(dead_code, reason = "each test file that includes this one uses its own part of it")]

use std::path::Path;
use std::process::Command;

/// Variables by which a person's own settings would be found, or a provider chosen.
pub const OWN: [&str; 14] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "GEMINI_API_KEY",
    "OLLAMA_HOST",
    "CARPEL_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "ACCESSIBLE",
];

/// Names guide in the manifest of that home folder.
pub fn settle(home: &Path) {
    let folder = home.join(".config/carpel");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("manifest.toml"), "provider = \"guide\"\n").unwrap();
}

/// `env` with arguments that take the variables out, for a shell.
pub fn env() -> String {
    OWN.iter().fold("env".to_owned(), |line, name| format!("{line} -u {name}"))
}

/// The program with a home folder of its own, in the folder `cwd`.
pub fn program(home: &Path, cwd: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
    for name in OWN {
        command.env_remove(name);
    }
    command.env("HOME", home).env("LC_ALL", "C.UTF-8").current_dir(cwd).stdin(std::process::Stdio::null());
    command
}
