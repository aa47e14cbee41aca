//! Plugins as a person has them, in a real tmux with a real pod: those that cannot be used are named, one that hangs holds
//! up no key, one that is killed draws again, and those that rest wake nobody.
//!
//! What each fault is called is in `plugins/`; here is what of it reaches the screen and the session.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "plugins/needs.rs"]
mod needs;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;
#[path = "support/session_log.rs"]
mod session_log;
#[path = "support/wakes.rs"]
mod wakes;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mock_llm::{Answer, Delivery, MockLlm, Pace, Reply, Script, When};
use needs::program;
use pane::Pane;
use session_log::of_kind;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/plugins").join(name)
}

/// The folder of the person's own plugins, made.
fn own(pane: &Pane) -> PathBuf {
    let folder = pane.path().join("home/.local/share/carpel/plugins");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The rogue in that mode as a program in a folder, drawing the tool `rogue_MODE` or another.
fn rogue(folder: &Path, mode: &str, draws: &str) {
    let text = std::fs::read_to_string(data("rogue.py")).unwrap();
    let text = text.replace("mode = sys.argv[1]", &format!("mode = \"{mode}\""));
    let text = text.replace(r#"["rogue_" + mode]"#, &format!(r#"["{draws}"]"#));
    let path = folder.join(mode);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Waits until as many plugins have said hello.
fn are_known(pane: &Pane, count: usize) {
    let known = pane.path().join("home/.local/state/carpel/plugin-state/known.json");
    pane.wait_for("the plugins", |_| {
        std::fs::read_to_string(&known).is_ok_and(|text| text.matches("\"stamp\"").count() == count)
    });
}

fn is_idle(all: &str) -> bool {
    all.trim_end().lines().rev().take(3).any(|row| row.ends_with(": for commands"))
}

/// Without the places where a row ends.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_library_that_cannot_be_used_is_in_the_list_with_its_reason() {
    let (Some(_), Some(_)) = (program("cc"), program("python3")) else { return };
    let Some(pane) = Pane::start(120, 40) else { return };
    let folder = own(&pane);
    let made = Command::new("sh").arg(data("make_bad_libs.sh")).arg(&folder).arg("carpel_plugin_v1").output();
    assert!(made.as_ref().unwrap().status.success(), "{made:?}");
    rogue(&folder, "fine", "Read");
    let manifest = "provider = \"guide\"\n[guide]\npace = \"instant\"\n";
    std::fs::write(pane.path().join("home/.config/carpel/manifest.toml"), manifest).unwrap();
    pane.chat();
    // The first of them takes its time to be found out; the chat does not. A card that comes late is the generic one, so it may take
    // more than one call until the one that is well is seen to draw.
    let known = pane.path().join("home/.local/state/carpel/plugin-state/known.json");
    pane.wait_for("its hello", |_| {
        std::fs::read_to_string(&known).is_ok_and(|text| text.contains("rogue-fine"))
    });
    let calls = (1..30).find(|count| {
        pane.enter("read src/parser.rs");
        pane.wait_for("the answer", |all| {
            all.matches("src/parser.rs has 3 lines").count() == *count && is_idle(all)
        });
        pane.all().contains("✓ Read  drawn by fine")
    });
    pane.wait_for("a word about the others", |all| {
        all.contains("31 plugins are not used; `:plugins` says why")
    });
    pane.enter(":plugins");
    pane.wait_for("the list", |all| all.contains("32 plugins, 31 not used") && is_idle(all));
    let shown = pane.all();
    let shown = &shown[shown.find("32 plugins, 31 not used").unwrap()..];
    // Each begins in the second column, and what is said of it stands further in.
    let of_each: Vec<String> = shown.split("\n  ").fold(Vec::new(), |mut of_each: Vec<String>, part| {
        match of_each.last_mut().filter(|_| part.starts_with(' ')) {
            Some(last) => last.push_str(part),
            None => of_each.push(part.to_owned()),
        }
        of_each
    });
    let is_root = rustix::process::geteuid().is_root();
    for (name, reason) in [
        ("01_empty", "is empty"),
        ("02_text", "is neither a library nor a program"),
        ("03_no_entry", "has no function `carpel_plugin_v1`"),
        ("04_entry_is_data", "was ended by SIGSEGV"),
        ("05_undefined_lazy", "undefined symbol: not_there"),
        ("06_undefined_now", "undefined symbol: not_there"),
        ("07_ctor_segv", "was ended by SIGSEGV"),
        ("08_ctor_abort", "was ended by SIGABRT"),
        ("09_ctor_exit", "ended with exit code 0"),
        ("10_ctor_sleeps", "did not say hello within 5 s"),
        ("11_ctor_prints", "gives no table"),
        ("12_ctor_steals_signals", "gives no table"),
        ("13_dtor_segv", "gives no table"),
        ("14_entry_null_table", "gives no table"),
        ("15_entry_wild_pointer", "was ended by SIGSEGV"),
        ("16_entry_overflows_stack", "was ended by SIG"),
        ("17_truncated", "is cut off"),
        ("18_other_machine", "is for another kind of machine"),
        ("19_class_32", "is for 32-bit programs"),
        ("20_needs_missing_lib", "libgone.so"),
        ("21_same_a", "gives no table"),
        ("21_same_b", "gives no table"),
        ("21_same_link", "is the same file as "),
        ("22_fifo", "is no regular file, but a pipe"),
        ("23_directory", "is a folder"),
        ("24_dangling", "is a link to nothing"),
        ("25_loop", "cannot be looked at"),
        ("26_unreadable", if is_root { "gives no table" } else { "cannot be read" }),
        ("27_world_writable", "may be written by anyone"),
        ("28_thread_outlives", "gives no table"),
        ("29_␛]0;T␇name", "has no function"),
    ] {
        let told = of_each.iter().find(|told| told.starts_with(&format!("{name}  /")));
        let told = flat(told.unwrap_or_else(|| panic!("{name} in\n{shown}")));
        assert!(told.contains("not used: it ") && told.contains(reason), "{name}: {reason} in {told}");
    }
    // Nothing that they wrote reached the terminal.
    let bytes = pane.bytes();
    assert!(!bytes.contains("noise on stdout") && !bytes.contains("\u{1b}[2J"), "what a library prints");
    let results = of_kind(&session_log::segments(&pane.path().join("home")), "tool_result");
    assert_eq!(Some(results.len()), calls, "the session knows nothing of plugins: {results:?}");
}

#[test]
fn one_that_hangs_holds_up_no_key_and_one_that_is_killed_draws_again() {
    let Some(_) = program("python3") else { return };
    let Some(pane) = Pane::start(100, 30) else { return };
    let folder = own(&pane);
    rogue(&folder, "fine", "Write");
    rogue(&folder, "hang", "Read");
    let gated = |answer| {
        let delivery = Delivery { fragment: 4, pace: Pace::Gated, ..Delivery::default() };
        Reply::Say { answer, delivery }
    };
    let write = r#"{"file_path":"notes.txt","content":"one\ntwo\nthree\nfour\n"}"#;
    let read = r#"{"file_path":"src/parser.rs"}"#;
    let script = Script::new()
        .step(
            When { round: Some(0), ..When::prompt("look") },
            gated(Answer::new().call("r", "Read", read)),
            Some(1),
        )
        .step(
            When { round: Some(0), ..When::prompt("write") },
            gated(Answer::new().call("w", "Write", write)),
            Some(1),
        )
        .otherwise(Answer::new().text("That was it."));
    let server = MockLlm::start(script).unwrap();
    pane.enter(&format!(
        "cd work && OPENAI_API_KEY=k OPENAI_BASE_URL={} {} --approval-mode edits --provider openai --model mock-1",
        server.openai_base_url(),
        env!("CARGO_BIN_EXE_carpel")
    ));
    pane.wait_for("the prompt", |all| all.contains("mock-1 by openai"));
    are_known(&pane, 2);

    // Its card was asked for, and does not come: what is typed stands there before that is told.
    pane.enter("look at it");
    pane.wait_for("the turn", |_| pane.screen().contains("running"));
    server.release(4);
    pane.wait_for("the call", |_| pane.screen().contains("◌ Read"));
    for typed in ["t", "ty", "typ", "type", "typed"] {
        pane.tmux(&["send-keys", "-l", &typed[typed.len() - 1..]]);
        pane.wait_for(typed, |_| pane.screen().contains(&format!("› {typed}\n")));
    }
    assert!(!pane.all().contains("did not answer"), "the keys came first:\n{}", pane.all());
    pane.wait_for("what is wrong with it", |all| {
        all.contains("plugin `rogue-hang`: did not answer within 2 s")
    });
    server.release(read.len().div_ceil(4) - 4);
    pane.wait_for("the answer", |all| all.contains("That was it.") && is_idle(all));
    let all = pane.all();
    assert!(all.contains("✓ Read  src/parser.rs  3 lines"), "the card is the generic one:\n{all}");
    pane.wait_for("the draft", |_| pane.screen().contains("› typed\n"));
    pane.tmux(&["send-keys", "C-c"]);

    // The one that draws is killed while the arguments come.
    pane.enter("write it");
    pane.wait_for("the turn", |_| pane.screen().contains("running"));
    server.release(8);
    let drawn = || -> Option<i32> {
        let screen = pane.screen();
        let rows: Vec<&str> = screen.lines().collect();
        let at = rows.iter().rposition(|row| row.contains("Write  drawn by fine"))?;
        rows.get(at + 1)?.trim().trim_start_matches('│').trim().parse().ok()
    };
    pane.wait_for("the card", |_| drawn().is_some());
    let first = drawn().unwrap();
    let process = rustix::process::Pid::from_raw(first).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    pane.wait_for("its end", |_| processes::ticks(first).is_none());
    server.release(2);
    pane.wait_for("the card of another", |_| drawn().is_some_and(|pid| pid != first));
    server.release(write.len().div_ceil(4) - 10);
    pane.wait_for("the end", |all| all.matches("That was it.").count() == 2 && is_idle(all));
    let all = pane.all();
    let frames: Vec<&str> = all.lines().filter(|row| row.starts_with("✓ Write")).collect();
    assert_eq!(frames.len(), 1, "{all}");
    // Where its card takes too long the frame is the generic one; it never is that of the one that was killed.
    assert!(frames[0].contains("drawn by fine") || frames[0].contains("notes.txt"), "{all}");
    assert!(!all.contains(&format!("{first}\n")) && !all.contains("plugin `rogue-fine`"), "{all}");
    assert!(!all.contains('◌') && !all.contains('●'), "{all}");

    let log = session_log::segments(&pane.path().join("home"));
    let calls = of_kind(&log, "tool_call");
    let told: Vec<_> = calls.iter().map(|call| call["arguments"].as_str().unwrap()).collect();
    assert_eq!(told, [read, write]);
    assert!(of_kind(&log, "tool_result").iter().all(|result| result["outcome"] == "ok"), "{log:?}");
    assert_eq!(
        std::fs::read_to_string(pane.path().join("work/notes.txt")).unwrap(),
        "one\ntwo\nthree\nfour\n"
    );
}

#[test]
fn ten_that_rest_wake_nobody() {
    let Some(_) = program("python3") else { return };
    let Some(pane) = Pane::start(80, 24) else { return };
    let folder = own(&pane);
    (0..10).for_each(|number| rogue(&folder, &format!("idle{number}"), &format!("idle{number}")));
    pane.chat();
    are_known(&pane, 10);
    let shell = pane.tmux(&["display-message", "-p", "#{pane_pid}"]);
    let all = wakes::below(shell.trim());
    assert_eq!(all.len(), 12, "the chat, its pod and ten plugins: {all:?}");
    // What starting them led to is over at some time.
    let rests = (0..5).any(|_| {
        let before = (wakes::of(&all), pane.bytes().len());
        std::thread::sleep(Duration::from_secs(3));
        before == (wakes::of(&all), pane.bytes().len())
    });
    assert!(rests, "something went on in each of five spans of three seconds");
    assert!(session_log::segments(&pane.path().join("home")).concat().len() <= 1, "nothing was said");
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.contains("LEFT\n"));
    pane.wait_for("their end", |_| wakes::below(shell.trim()).is_empty());
}
