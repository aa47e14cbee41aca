//! The program as a job of a shell: stopped and continued, hung up, and with its terminal gone.
//!
//! The real binary with a real pod. The host ends when nobody can see it any more, and the pod's work goes on.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;

use std::process::Command;
use std::time::{Duration, Instant};

use pane::Pane;
use processes::ticks;
use pty::{Place, Pty, Setup};
use rustix::process::Signal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_carpel");
const READY: &str = "guide (no model)";

fn is_answered(text: &str) -> bool {
    text.contains("of text.") && text.contains(": for commands")
}

/// LOG 12.09: Ctrl+Z gives the shell its terminal back as it was, `fg` draws everything again, twice.
#[test]
fn log_12_09_ctrl_z_and_fg_in_tmux() {
    let Some(pane) = Pane::start(80, 24) else { return };
    pane.enter("PS1='job$ '; stty -a > before");
    pane.chat();
    for round in 1..=2 {
        pane.tmux(&["send-keys", "-l", "draft "]);
        pane.wait_for("the draft", |all| all.contains(&format!("› {}", "draft ".repeat(round).trim_end())));
        pane.tmux(&["send-keys", "C-z"]);
        pane.wait_for("the shell", |all| all.trim_end().ends_with("job$"));
        assert!(!pane.screen().contains("› draft"), "{}", pane.screen());
        pane.enter(&format!("stty -a > ../stopped{round}; echo STOPPED{round}"));
        pane.wait_for("the shell", |all| all.contains(&format!("\nSTOPPED{round}\n")));
        let modes =
            ["before", &format!("stopped{round}")].map(|name| std::fs::read(pane.path().join(name)).unwrap());
        assert!(modes[0] == modes[1], "the terminal's own mode while stopped");
        let bytes = pane.bytes();
        for (on, off) in [("\u{1b}[?2004h", "\u{1b}[?2004l"), ("\u{1b}[>1u", "\u{1b}[<1u")] {
            assert_eq!(bytes.matches(on).count(), bytes.matches(off).count(), "{on:?}");
        }
        pane.enter("fg");
        pane.wait_for("the draft again", |all| {
            all.rfind("› draft") > all.rfind("STOPPED") && all.trim_end().ends_with("draft")
        });
    }
    pane.enter("");
    pane.wait_for("the turn", |all| all.contains("› draft draft\n"));
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.trim_end().ends_with("job$"));
    assert_eq!(
        pane.all().matches("STOPPED1\n").count(),
        2,
        "nothing of the shell was erased: {}",
        pane.all()
    );
}

/// A stop and a continue from outside, with a turn going on: the modes come back and nothing is lost.
#[test]
fn a_stop_from_outside_in_mid_turn_loses_nothing() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Setup::new(80, 24), &[]);
    pty.wait_for("the prompt", |text| text.contains(READY));
    let modes = pty.modes();
    pty.press("explore this project\r");
    pty.wait_for("the turn", |text| text.contains("Esc cancels"));
    pty.signal(Signal::STOP);
    std::thread::sleep(Duration::from_millis(500));
    pty.press("typed while it slept");
    pty.signal(Signal::CONT);
    pty.wait_for("the answer", is_answered);
    pty.wait_for("what was typed", |text| text.contains("› typed while it slept"));
    assert_eq!(pty.modes(), modes);
    pty.press("\x03");
    assert_eq!(pty.leave(), 0);
}

/// LOG 12.09: where no shell could continue it Ctrl+Z does nothing, rather than to stop for ever.
#[test]
fn log_12_09_an_orphan_does_not_stop() {
    let place = Place::new();
    // The shell that started it is gone: its group is orphaned, and the kernel would drop the stop.
    let mut pty = Pty::carpel(&place, Setup::new(80, 24), &[]);
    pty.wait_for("the prompt", |text| text.contains(READY));
    for keys in ["\x1a", "a", "\x1a\x1a", "b"] {
        pty.press(keys);
    }
    pty.signal(Signal::TSTP);
    pty.press("c");
    pty.wait_for("the draft", |text| text.contains("› abc"));
    pty.press("\x03");
    assert_eq!(pty.leave(), 0);
}

/// LOG 12.09: in a container the parent, the group and the session may stand outside of what is seen; the kernel then
/// says 0 for them, and nobody could continue the program.
#[test]
fn log_12_09_outside_of_a_shell_in_a_container() {
    const APART: [&str; 4] = ["unshare", "--fork", "--pid", "--mount-proc"];
    if !Command::new(APART[0]).args(&APART[1..]).arg("true").status().is_ok_and(|status| status.success()) {
        // Not asked of every machine: a container within a container may be refused.
        eprintln!("skipped: no namespace of processes can be made here");
        return;
    }
    let leads_a_session = format!("setsid --ctty --wait {PROGRAM}; exit $?");
    for line in [&[PROGRAM][..], &["sh", "-c", &leads_a_session]] {
        let place = Place::new();
        let mut pty = Pty::run(&place, Setup::new(80, 24), &[&APART[..], line].concat());
        pty.wait_for("the prompt", |text| text.contains(READY));
        for keys in ["\x1a", "a", "\x1a\x1a", "b"] {
            pty.press(keys);
        }
        pty.wait_for("the draft", |text| text.contains("› ab"));
        pty.press("\x03");
        assert_eq!(pty.leave(), 0, "{line:?}");
    }
}

/// LOG 12.13, 12.14: the window is closed while a turn runs. The host ends, using next to nothing of the processor;
/// the pod carries the turn to its end, and the session can be gone on with.
#[test]
fn log_12_13_12_14_a_closed_window_ends_the_host_and_not_the_work() {
    let Some(pane) = Pane::start(80, 24) else { return };
    let place = Place::new();
    let variables: String =
        place.variables().iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
    pane.enter(&format!("cd {} && env {variables} {PROGRAM}", place.work().display()));
    pane.wait_for("the prompt", |all| all.contains(READY));
    pane.enter("explore this project");
    pane.wait_for("the turn", |all| all.contains("Esc cancels"));
    let (hosts, pods) = (place.hosts(), place.pods());
    assert_eq!((hosts.len(), pods.len()), (1, 1), "one host and one pod");
    let before = ticks(hosts[0]).unwrap();
    pane.tmux(&["kill-server"]);
    let (mut last, since) = (before, Instant::now());
    while let Some(now) = ticks(hosts[0]) {
        last = now;
        assert!(since.elapsed() < Duration::from_secs(60), "the host does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    // A host that reads its closed input again and again uses a tick every ten milliseconds.
    assert!(last - before < 40, "{} ticks to end", last - before);
    assert_eq!(place.pods(), pods, "the pod goes on");
    check_goes_on(&place);
}

/// LOG 12.14: the same by a signal.
#[test]
fn log_12_14_a_hang_up_ends_the_host_and_not_the_work() {
    let place = Place::new();
    let mut pty = Pty::carpel(&place, Setup::new(80, 24), &[]);
    pty.wait_for("the prompt", |text| text.contains(READY));
    pty.press("explore this project\r");
    pty.wait_for("the turn", |text| text.contains("Esc cancels"));
    let pods = place.pods();
    assert_eq!(pods.len(), 1, "one pod");
    pty.signal(Signal::HUP);
    assert_ne!(pty.exit_code(), 0, "it was ended");
    assert_eq!(place.pods(), pods, "the pod goes on");
    check_goes_on(&place);
}

fn check_goes_on(place: &Place) {
    let mut again = Pty::carpel(place, Setup::new(80, 24), &["--continue"]);
    again.wait_for("the answer", is_answered);
    assert_eq!(again.leave(), 0);
}

/// LOG 12.14: standard input closed from the start, in the terminal and without one.
#[test]
fn log_12_14_closed_stdin_is_told() {
    let place = Place::new();
    for redirections in ["<&-", "<&- >&-", "</dev/null"] {
        let line = format!("{PROGRAM} {redirections}; echo RC$?");
        let mut pty = Pty::run(&place, Setup::new(80, 24), &["sh", "-c", &line]);
        pty.exit_code();
        pty.settle();
        let output = String::from_utf8(pty.bytes()).unwrap();
        assert!(output.contains("carpel exec") && output.contains("RC1"), "{redirections}: {output}");
        assert!(!output.contains('\u{1b}'), "{redirections}: {output:?}");
    }
}

/// SIGTERM during a turn, and a second one at once.
#[test]
fn log_12_14_sigterm_is_heeded() {
    for times in [1, 2] {
        let place = Place::new();
        let mut pty = Pty::carpel(&place, Setup::new(80, 24), &[]);
        pty.wait_for("the prompt", |text| text.contains(READY));
        pty.press("explore this project\r");
        pty.wait_for("the turn", |text| text.contains("Esc cancels"));
        for _ in 0..times {
            // The second one may find it gone.
            if pty.child.try_wait().unwrap().is_none() {
                pty.signal(Signal::TERM);
            }
        }
        assert_ne!(pty.exit_code(), 0);
        pty.settle();
        let bytes = String::from_utf8_lossy(&pty.bytes()).into_owned();
        assert!(bytes.rfind("\u{1b}[?2004l") > bytes.rfind("\u{1b}[?2004h"), "{bytes:?}");
        assert!(bytes.rfind("\u{1b}[?25h") > bytes.rfind("\u{1b}[?25l"), "{bytes:?}");
    }
}
