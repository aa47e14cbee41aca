//! The program in a terminal, with plugins that are slow, that end, and that rest.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::chat_pty::{Chat, Terminal, folder};
use crate::needs::program;
use crate::stage::rogue;

fn manifest(folder: &TempDir) -> PathBuf {
    folder.path().join("home/.config/carpel/manifest.toml")
}

/// A folder whose manifest lists the rogue in these modes.
fn home(modes: &[&str]) -> TempDir {
    let folder = folder();
    let manifest = manifest(&folder);
    fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    let list = |mode: &&str| {
        format!("[[plugins]]\ncommand = [\"python3\", \"{}\", \"{mode}\"]\n", rogue().display())
    };
    fs::write(manifest, modes.iter().map(list).collect::<String>()).unwrap();
    folder
}

fn start(folder: TempDir) -> Chat {
    let mut chat = Chat::start_in(folder, Terminal::Kitty, &[]);
    chat.wait("the plugins", |chat| {
        let known = fs::read_to_string(chat.state().join("plugin-state/known.json")).unwrap_or_default();
        let listed = fs::read_to_string(manifest(&chat.folder)).unwrap();
        known.matches("\"stamp\"").count() == listed.matches("[[plugins]]").count()
    });
    chat
}

/// A prompt whose turn stays open.
fn prompt(chat: &mut Chat) {
    chat.pod.hangs();
    chat.write(b"go\r");
    chat.wait("the prompt", |chat| !chat.pod.prompts().is_empty());
}

fn begins(chat: &Chat, tool: &str) {
    chat.pod.say(&json!({"event":"tool_call_start","id":"a","name":tool}));
    chat.pod.say(&json!({"event":"tool_call_args_delta","id":"a","delta":"{\"path\":"}));
}

fn ends(chat: &Chat) {
    chat.pod.say(&json!({"event":"tool_call_args_delta","id":"a","delta":"\"a.rs\"}"}));
    chat.pod.say(&json!({"event":"tool_call_done","id":"a"}));
    chat.pod.say(&json!({"event":"tool_result","id":"a","summary":"fine","outcome":"ok"}));
    chat.pod.say(&json!({"event":"turn_end","turn":1,"reason":"completed"}));
    chat.pod.say(&json!({"event":"state","state":"idle"}));
}

fn has(chat: &Chat, text: &str) -> bool {
    chat.rows().iter().any(|row| row.contains(text))
}

#[test]
fn keys_are_echoed_while_a_plugin_sleeps() {
    let Some(_) = program("python3") else { return };
    let mut chat = start(home(&["sleep"]));
    prompt(&mut chat);
    begins(&chat, "rogue_sleep");
    chat.wait_for("the call", |rows| rows.iter().any(|row| row.contains("rogue_sleep")));
    for typed in ["a", "ab", "abc"] {
        chat.write(&typed.as_bytes()[typed.len() - 1..]);
        chat.drafts(&[typed]);
    }
    assert!(!has(&chat, "did not answer"), "the keys came first");
    chat.wait_for("the fault", |rows| {
        rows.iter().any(|row| row.contains("plugin `rogue-sleep`: did not answer"))
    });
    ends(&chat);
    chat.wait("the end", |chat| has(chat, "fine"));
    chat.drafts(&["abc"]);
}

#[test]
fn one_that_is_killed_during_a_call_draws_it_in_the_end() {
    let Some(_) = program("python3") else { return };
    let mut chat = start(home(&["fine"]));
    prompt(&mut chat);
    begins(&chat, "rogue_fine");
    chat.wait("the card", |chat| has(chat, "drawn by fine"));
    let pid = |chat: &Chat| -> Option<i32> {
        chat.rows().iter().find_map(|row| row.trim().trim_start_matches('│').trim().parse().ok())
    };
    chat.wait("its process", |chat| pid(chat).is_some());
    let first = pid(&chat).unwrap();
    let process = rustix::process::Pid::from_raw(first).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    chat.wait("its end", |_| !crate::faults::is_alive(first));
    chat.pod.say(&json!({"event":"tool_call_args_delta","id":"a","delta":" "}));
    chat.wait("the card of another process", |chat| pid(chat).is_some_and(|pid| pid != first));
    ends(&chat);
    chat.wait("the frame in the scrollback", |chat| chat.rows().iter().any(|row| row.starts_with('✓')));
    chat.wait("silence", |chat| chat.is_silent());
    let rows = chat.rows();
    assert_eq!(rows.iter().filter(|row| row.contains("rogue_fine")).count(), 1, "{rows:#?}");
    // Where its card took too long it is the generic one, and never one of another state.
    assert_ne!(pid(&chat), Some(first), "{rows:#?}");
    assert!(!has(&chat, "plugin `"), "{rows:#?}");
}

#[test]
fn plugins_that_rest_wake_nothing() {
    let Some(_) = program("python3") else { return };
    let folder = home(&[]);
    let plugins = folder.path().join("home/.local/share/carpel/plugins");
    fs::create_dir_all(&plugins).unwrap();
    for number in 0..10 {
        let path = plugins.join(format!("idle{number}"));
        let text = fs::read_to_string(rogue()).unwrap();
        let text = text.replace("mode = sys.argv[1]", &format!("mode = \"idle{number}\""));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut chat = Chat::start_in(folder, Terminal::Kitty, &[]);
    let chat_pid = chat.child.process_id().unwrap();
    let children = || -> Vec<u32> {
        let tasks = fs::read_dir(format!("/proc/{chat_pid}/task")).unwrap().flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        lists
            .flat_map(|list| list.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>())
            .collect()
    };
    chat.wait("ten hellos", |chat| {
        let known = fs::read_to_string(chat.state().join("plugin-state/known.json")).unwrap_or_default();
        known.matches("\"stamp\"").count() == 10
    });
    let wakes = || -> u64 {
        let of = |pid: u32| -> u64 {
            let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
            let counts = tasks.filter_map(|task| {
                let status = fs::read_to_string(task.path().join("status")).ok()?;
                let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches"))?;
                line.split_whitespace().last()?.parse::<u64>().ok()
            });
            counts.sum()
        };
        of(chat_pid) + children().into_iter().map(of).sum::<u64>()
    };
    assert_eq!(children().len(), 10);
    // What starting them led to is over at some time.
    chat.wait("rest", |_| {
        let before = wakes();
        std::thread::sleep(Duration::from_millis(700));
        before == wakes()
    });
    let before = wakes();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(wakes() - before, 0, "something woke");
    chat.write(b"\x03\x03\x03");
    let all = children();
    chat.ends();
    chat.wait("their end", |_| all.iter().all(|pid| !crate::faults::is_alive(*pid as i32)));
}

#[test]
fn the_list_says_what_is_wrong() {
    let Some(_) = program("python3") else { return };
    let folder = home(&["fine", "hello_abi"]);
    let plugins = folder.path().join("home/.local/share/carpel/plugins");
    fs::create_dir_all(plugins.join("folder.so")).unwrap();
    fs::write(plugins.join("bad\u{1b}[2Jname"), "text").unwrap();
    let output = list(folder.path());
    for text in [
        "4 plugins, 3 not used",
        "rogue-fine 1  python3 ",
        "  draws rogue_fine, not called yet",
        "  :rogue-fine, not called yet",
        "not used: it was built for ABI 99",
        "not used: it is a folder",
        "not used: it is neither a library nor a program",
    ] {
        assert!(output.contains(text), "{text}:\n{output}");
    }
    assert!(!output.contains('\u{1b}'), "{output:?}");
    let mut chat = Chat::start_in(folder, Terminal::Kitty, &[]);
    chat.wait("a word about it", |chat| has(chat, "3 plugins are not used; `:plugins` says why"));
    chat.write(b":plugins\r");
    chat.wait("the list", |chat| {
        has(chat, "4 plugins, 3 not used") && has(chat, "not used: it was built for ABI 99")
    });
    chat.write(b":rogue-fine x\r");
    chat.wait("what it ran", |chat| has(chat, "rogue-fine x") && has(chat, "ran"));
}

fn list(folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_carpel"))
        .args(["plugin", "list"])
        .current_dir(folder)
        .env_remove("CARPEL_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_DATA_HOME")
        .env("HOME", folder.join("home"))
        .env("XDG_STATE_HOME", folder.join("state"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
