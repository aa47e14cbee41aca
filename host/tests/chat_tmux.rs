//! The program itself in a real tmux, as a person would use it: a shell, the chat, a request, resizes, back to the shell.
//!
//! Every byte that reaches the pane is kept beside what the pane shows. Waiting is for what is to be seen, never for a
//! time; a test that waits in vain fails with the screen.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;
#[path = "support/pane.rs"]
mod pane;
#[path = "support/processes.rs"]
mod processes;
#[path = "support/session_log.rs"]
mod session_log;
#[path = "support/wakes.rs"]
mod wakes;

use std::process::Command;
use std::time::Duration;

use pane::Pane;

fn times(text: &str, needle: &str) -> usize {
    text.matches(needle).count()
}

#[test]
fn a_request_leads_to_frames_and_an_answer_made_of_them() {
    for (columns, rows) in [(120, 40), (80, 24)] {
        let Some(pane) = Pane::start(columns, rows) else { return };
        pane.chat();
        pane.enter("find every TODO in this project and read the file with the most");
        pane.wait_for("the answer", |all| all.contains("has the most (2)") && all.contains(": for commands"));
        let all = pane.all();
        for text in ["Thought", "✓ Grep  TODO in .  3 matches in 2 files", "✓ Read  src/parser.rs  3 lines"]
        {
            assert_eq!(times(&all, text).min(1), 1, "{text} in\n{all}");
        }
        assert_eq!(times(&all, "✓ Grep"), 1, "{all}");
        assert_eq!(times(&all, "✓ Read"), 1, "{all}");
        assert!(!all.contains('●') && !all.contains('◌'), "nothing live is left:\n{all}");
    }
}

/// LOG 1.01, 1.07: nothing that stood there before is lost or doubled, and nothing is cleared.
#[test]
fn log_1_01_shell_lines_survive_a_resize_in_mid_stream() {
    let Some(pane) = Pane::start(120, 30) else { return };
    pane.enter("for i in $(seq 60); do echo shell line $i.; done");
    pane.wait_for("the shell's lines", |all| all.contains("shell line 60."));
    pane.chat();
    pane.enter("explore this project");
    pane.wait_for("the first frame", |all| all.contains("Glob"));
    pane.resize(70, 30);
    pane.wait_for("more", |all| all.contains("Grep"));
    pane.resize(120, 30);
    pane.wait_for("the end", |all| all.contains(": for commands") && all.contains("There are"));
    let all = pane.all();
    for line in 1..=60 {
        assert_eq!(times(&all, &format!("shell line {line}.\n")), 1, "shell line {line} in\n{all}");
    }
    let bytes = pane.bytes();
    for sequence in ["\u{1b}[2J", "\u{1b}[3J", "\u{1b}c"] {
        assert!(!bytes.contains(sequence), "{sequence:?}");
    }
}

/// LOG 4.11: what was turned on is turned off, and the shell goes on below.
#[test]
fn log_4_11_the_shell_gets_its_terminal_back() {
    for leave in [":quit", "EOF", "TERM"] {
        let Some(pane) = Pane::start(80, 24) else { return };
        pane.enter("stty -a > before; echo READY");
        pane.wait_for("the shell", |all| times(all, "READY") > 1);
        pane.chat();
        match leave {
            "EOF" => drop(pane.tmux(&["send-keys", "C-d"])),
            "TERM" => {
                let shell = pane.tmux(&["display-message", "-p", "#{pane_pid}"]);
                let ended = Command::new("pkill").args(["-TERM", "-P", shell.trim()]).status();
                assert!(ended.unwrap().success());
            }
            command => pane.enter(command),
        }
        pane.wait_for("the shell", |all| all.trim_end().ends_with('$'));
        let all = pane.all();
        for live in ["guide (no model)", "›"] {
            assert_eq!(times(&all, live), 0, "live rows after {leave}:\n{all}");
        }
        pane.enter("cd ..; stty -a > after; cmp before after; echo SAME$?");
        pane.wait_for("the comparison", |all| {
            all.contains("SAME0\n") || all.contains("SAME1\n") || all.contains("SAME2\n")
        });
        assert!(pane.all().contains("SAME0\n"), "after {leave}:\n{}", pane.all());
        let bytes = pane.bytes();
        assert_eq!(
            times(&bytes, "\u{1b}[?2004h"),
            times(&bytes, "\u{1b}[?2004l"),
            "bracketed paste after {leave}"
        );
        assert!(bytes.rfind("\u{1b}[?25h") > bytes.rfind("\u{1b}[?25l"), "the cursor is shown after {leave}");
    }
}

/// A height that changes and changes back before the kernel is told: tmux moves its rows at once and tells later.
#[test]
fn fast_heights_lose_nothing_that_stood_there_before() {
    let smooth: Vec<u16> = (20..=40).rev().chain(20..=40).collect();
    for heights in [&smooth[..], &[20, 40], &[40, 24, 12, 50, 30, 12, 40]] {
        let Some(pane) = Pane::start(120, 40) else { return };
        pane.enter("seq -f BEFORE%g. 60");
        pane.wait_for("the shell's lines", |all| all.contains("\nBEFORE60."));
        pane.chat();
        for height in heights {
            pane.resize(120, *height);
            std::thread::sleep(Duration::from_millis(20));
        }
        pane.enter(":quit");
        pane.wait_for("the shell", |all| all.trim_end().ends_with("LEFT\n$"));
        let all = pane.all();
        for line in 1..=60 {
            assert_eq!(times(&all, &format!("BEFORE{line}.")), 1, "line {line} after {heights:?}:\n{all}");
        }
    }
}

/// Status and draft are gone and what was said stays, in mid-turn too.
#[test]
fn a_turn_that_is_ended_from_outside_leaves_only_what_is_settled() {
    let Some(pane) = Pane::start(80, 24) else { return };
    pane.chat();
    pane.enter("explore this project");
    pane.wait_for("the turn", |all| all.contains("Esc cancels"));
    pane.tmux(&["send-keys", "-l", "half a draft"]);
    pane.wait_for("the draft", |all| all.contains("› half a draft"));
    let shell = pane.tmux(&["display-message", "-p", "#{pane_pid}"]);
    assert!(Command::new("pkill").args(["-TERM", "-P", shell.trim()]).status().unwrap().success());
    pane.wait_for("the shell", |all| all.trim_end().ends_with('$'));
    let all = pane.all();
    for live in ["Esc cancels", "› half", "half a draft"] {
        assert_eq!(times(&all, live), 0, "{live} in\n{all}");
    }
    assert_eq!(times(&all, "explore this project"), 1, "{all}");
}

/// Events that come before the window is known are not laid out for a window of no width.
#[test]
fn a_recording_that_plays_at_once_is_as_wide_as_the_window() {
    let Some(pane) = Pane::start(80, 24) else { return };
    let words = "these are some words that fit into one row of the window";
    let recording = format!(
        "{{\"event\":\"turn_start\",\"turn\":1}}\n{{\"event\":\"user_message\",\"text\":\"{words}\"}}\n\
         {{\"event\":\"text_delta\",\"text\":\"answer\"}}\n\
         {{\"event\":\"turn_end\",\"turn\":1,\"reason\":\"completed\"}}\n"
    );
    std::fs::write(pane.path().join("recording.jsonl"), recording).unwrap();
    for round in 1..=6 {
        pane.enter(&format!("{} replay recording.jsonl; echo LEFT{round}", env!("CARGO_BIN_EXE_carpel")));
        pane.wait_for("the answer", |all| times(all, "answer") == round);
        pane.tmux(&["send-keys", "-l", "q"]);
        pane.wait_for("the shell", |all| all.contains(&format!("\nLEFT{round}\n")));
        assert_eq!(times(&pane.screen(), words).min(1), 1, "{}", pane.screen());
        assert_eq!(times(&pane.all(), words), round, "{}", pane.all());
    }
}

/// LOG 12.17: a terminal gets what it knows, and one that cannot be drawn on a sentence.
#[test]
fn log_12_17_the_terminals_name_is_heeded() {
    let program = env!("CARGO_BIN_EXE_carpel");
    for unfit in ["-u TERM", "TERM=", "TERM=dumb", "TERM=unknown"] {
        let Some(pane) = Pane::start(80, 24) else { return };
        pane.enter(&format!("cd work && env {unfit} {program}; echo RC$?"));
        pane.wait_for("the refusal", |all| all.contains("\nRC1\n") || all.contains("\nRC2\n"));
        assert!(pane.all().contains("carpel exec"), "{}", pane.all());
        assert_eq!(times(&pane.bytes(), "\u{1b}[6n"), 0, "{unfit}");
    }
    let Some(pane) = Pane::start(80, 24) else { return };
    pane.enter(&format!("cd work && TERM=vt100 {program} && echo LEFT"));
    pane.wait_for("the prompt", |all| all.contains("guide (no model)"));
    pane.enter("explore this project");
    pane.wait_for("the end", |all| all.contains(": for commands") && all.contains("There are"));
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.trim_end().ends_with("LEFT\n$"));
    let bytes = pane.bytes();
    for sequence in ["\u{1b}[?2026", "\u{1b}[?2004", "\u{1b}[>", "\u{1b}[<", "\u{1b}[?25"] {
        assert_eq!(times(&bytes, sequence), 0, "{sequence:?}");
    }
    for sequence in bytes.split("\u{1b}[").skip(1) {
        let end = sequence.find(|character: char| ('@'..='~').contains(&character)).unwrap();
        let known = ["m", "1m", "4m", "7m", "1;4m", "1;7m", "4;7m", "1;4;7m"].contains(&&sequence[..=end]);
        assert!(known || !sequence[..=end].ends_with('m'), "CSI {}", &sequence[..=end]);
    }
}

/// One file's change is refused, the others are allowed for the session; what was seen comes back with `--continue`.
#[test]
fn changes_are_asked_for_and_a_session_goes_on() {
    let Some(pane) = Pane::start(100, 40) else { return };
    let work = pane.path().join("work");
    for (name, text) in
        [("a.md", "foo and foo\n"), ("b.md", "one foo\n"), ("c.md", "x\nfoo\n"), ("d.txt", "foo\n")]
    {
        std::fs::write(work.join(name), text).unwrap();
    }
    pane.chat();
    pane.enter("replace foo with bar in every .md file");
    pane.wait_for("the first question", |all| all.contains("carpel wants to edit a.md"));
    let screen = pane.screen();
    assert!(screen.contains("1 - foo and foo") && screen.contains("1 + bar and bar"), "{screen}");
    assert_eq!(std::fs::read_to_string(work.join("a.md")).unwrap(), "foo and foo\n", "nothing before a yes");
    pane.answer("n");
    pane.wait_for("the second question", |all| all.contains("carpel wants to edit b.md"));
    pane.answer("s");
    pane.wait_for("the answer", |all| all.contains("Not changed:") && all.contains(": for commands"));
    let files =
        ["a.md", "b.md", "c.md", "d.txt"].map(|name| std::fs::read_to_string(work.join(name)).unwrap());
    assert_eq!(files, ["foo and foo\n", "one bar\n", "x\nbar\n", "foo\n"]);

    let settled = |all: &str| {
        let from = all.rfind("› replace foo with bar").unwrap();
        let to = all.rfind("guide (no model)").unwrap();
        all[from..to].to_owned()
    };
    let before = settled(&pane.all());
    for frame in ["⊝ Edit  a.md", "✓ Edit  b.md", "✓ Edit  c.md", "rejected by the person"] {
        assert_eq!(times(&before, frame), 1, "{frame} in\n{before}");
    }
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.trim_end().ends_with('$'));
    pane.enter(&format!("{} --continue", env!("CARGO_BIN_EXE_carpel")));
    // Colours are awaited for a moment before the rows are committed.
    pane.wait_for("the session as it was seen", |all| {
        times(all, "Not changed:") == 2 && settled(all) == before
    });
}

/// A question goes to a screen of its own in a window that shrinks, and the window grows again meanwhile: nothing of that
/// screen comes into the scrollback.
#[test]
fn a_question_leaves_no_row_behind_when_the_window_changes() {
    for sizes in
        [[(80, 40), (40, 12), (80, 40)], [(80, 50), (40, 12), (80, 24)], [(80, 50), (40, 50), (80, 50)]]
    {
        let Some(pane) = Pane::start(sizes[0].0, sizes[0].1) else { return };
        std::fs::write(pane.path().join("work/a.md"), "foo and foo\nfoo\n").unwrap();
        pane.enter("seq -f BEFORE%g. 5");
        pane.wait_for("the shell's lines", |all| all.contains("\nBEFORE5."));
        pane.chat();
        pane.enter("replace foo with bar in a.md");
        pane.wait_for("the question", |all| all.contains("carpel wants to edit a.md"));
        for (columns, rows) in &sizes[1..] {
            pane.resize(*columns, *rows);
            let narrow = *columns < 60;
            pane.wait_for("the question in this window", |_| {
                let screen = pane.screen();
                screen.contains("y once") && screen.contains("Esc back to the chat") != narrow
            });
        }
        pane.answer("n");
        pane.wait_for("the answer", |all| all.contains("Not changed:") && all.contains(": for commands"));
        let all = pane.all();
        for line in 1..=5 {
            assert_eq!(times(&all, &format!("BEFORE{line}.\n")), 1, "line {line} after {sizes:?}:\n{all}");
        }
        for stale in ["carpel wants", "y once", "back to the chat", "waiting for you"] {
            assert_eq!(times(&all, stale), 0, "{stale} after {sizes:?}:\n{all}");
        }
    }
}

/// A window that is lowered pushes the status row into the scrollback before anybody can erase it. A higher one shows it
/// again, and there it is taken back, whatever the windows between them were.
#[test]
fn a_low_window_leaves_no_live_row_behind() {
    for between in [&[(60, 1)][..], &[(60, 1), (3, 2)], &[(60, 1), (20, 2)], &[(20, 2), (60, 1), (20, 10)]] {
        let Some(pane) = Pane::start(60, 24) else { return };
        let text: String = (0..30).map(|line| format!("LINE{line}.\n")).collect();
        std::fs::write(pane.path().join("work/long.md"), text).unwrap();
        pane.chat();
        pane.enter("read long.md");
        pane.wait_for("the answer", |all| {
            all.contains("LINE29.") && all.trim_end().ends_with("for commands\n›")
        });
        // What is committed while the window is low would stand below the row that it pushed away.
        pane.wait_for("the commit of its last row", |_| pane.bytes().contains("LINE29.\r\n"));
        let before = pane.all();
        for (columns, rows) in between {
            let frames = pane.bytes().len();
            pane.resize(*columns, *rows);
            pane.wait_for("a frame in this window", |_| pane.bytes().len() > frames);
        }
        pane.resize(60, 24);
        pane.wait_for("the same as before", |all| all.trim_end() == before.trim_end());
    }
}

/// A session that is picked in another folder goes on in its own, and the word on leaving says where.
#[test]
fn a_picked_session_goes_on_in_its_own_folder() {
    let Some(pane) = Pane::start(100, 30) else { return };
    let program = env!("CARGO_BIN_EXE_carpel");
    std::fs::write(pane.path().join("work/only-here.md"), "words of this folder\n").unwrap();
    std::fs::create_dir(pane.path().join("elsewhere")).unwrap();
    pane.chat();
    pane.enter("what can you do?");
    pane.wait_for("the answer", |_| pane.screen().trim_end().ends_with(": for commands\n›"));
    pane.enter(":quit");
    pane.wait_for("the shell", |_| pane.screen().lines().any(|line| line == "LEFT"));
    pane.enter(&format!("clear; cd ../elsewhere && {program}"));
    pane.wait_for("the prompt", |_| pane.screen().contains("guide (no model)"));
    pane.enter(":sessions");
    pane.wait_for("the list", |_| pane.screen().contains("what can you do?"));
    pane.enter("");
    pane.wait_for("the session", |all| all.contains("› what can you do?"));
    pane.enter("read only-here.md");
    pane.wait_for("the file of the session's folder", |all| {
        all.contains("words of this folder") && pane.screen().contains(": for commands")
    });
    pane.enter(":quit");
    pane.wait_for("the way back", |all| all.contains("carpel --cwd ") && all.contains("/work --resume "));
}

/// Who leaves is told what goes on without them, and the way back that is told is one.
#[test]
fn what_goes_on_is_told_to_who_leaves() {
    let Some(pane) = Pane::start(120, 40) else { return };
    std::fs::write(pane.path().join("work/a.md"), "foo\n").unwrap();
    let program = env!("CARGO_BIN_EXE_carpel");
    pane.chat();
    pane.enter("replace foo with bar in a.md");
    pane.wait_for("the turn", |all| all.contains("Grep"));
    pane.tmux(&["send-keys", "C-d"]);
    pane.wait_for("that it works on", |all| {
        all.contains(" works on; `carpel attach ") && all.contains("LEFT")
    });
    let all = pane.all();
    let id = all.lines().find_map(|line| line.strip_prefix("session ")?.split(' ').next()).unwrap();
    assert!(all.contains(&format!("session {id} works on; `carpel attach {id}` comes back to it")), "{all}");

    // From another folder, by the beginning of its id.
    pane.enter(&format!("cd / && clear && {program} attach {}", &id[..id.len() - 3]));
    pane.wait_for("the question", |all| all.contains("carpel wants to edit a.md"));
    std::thread::sleep(Duration::from_millis(900));
    pane.tmux(&["send-keys", "Escape"]);
    pane.wait_for("the chat", |_| !pane.screen().contains("y once"));
    pane.enter(":quit");
    let waits = format!("session {id} waits for your answer; `carpel attach {id}` shows what it asks");
    pane.wait_for("that it waits", |all| all.contains(&waits));

    // The only one that runs needs no name.
    pane.enter(&format!("clear; {program} attach"));
    pane.wait_for("the question again", |all| times(all, "carpel wants to edit a.md") > 0);
    pane.answer("y");
    pane.wait_for("the answer", |all| {
        all.contains("Replaced foo with bar") && all.contains(": for commands")
    });
    pane.enter(":rename   a title  of mine");
    pane.wait_for("the record", |all| all.contains("it was: replace foo with bar in a.md"));
    pane.wait_for("the window's title", |_| {
        pane.tmux(&["display-message", "-p", "#{pane_title}"]).contains("a title of mine")
    });
    pane.enter(":quit");
    let work = pane.path().join("work").canonicalize().unwrap();
    let rests = format!("session {id}; `carpel --cwd {} --resume {id}` goes on with it", work.display());
    pane.wait_for("the way back", |all| all.contains(&rests));
    pane.enter(&format!("{program} sessions"));
    pane.wait_for("the title", |all| all.contains("  a title of mine  "));
}

/// Two terminals on one session: the one that is not asked any more is told who answered what, and can still end the turn.
#[test]
fn two_clients_are_asked_and_one_answers() {
    let Some(pane) = Pane::start(80, 24) else { return };
    let work = pane.path().join("work");
    for name in ["a.md", "b.md"] {
        std::fs::write(work.join(name), "foo\n").unwrap();
    }
    pane.chat();
    pane.enter("replace foo with bar in every .md file");
    pane.wait_for("the question", |all| all.contains("carpel wants to edit a.md"));
    let attach = format!(
        "exec env HOME={} XDG_RUNTIME_DIR={} LC_ALL=C.UTF-8 {} --continue",
        pane.path().join("home").display(),
        pane.path().join("run").display(),
        env!("CARGO_BIN_EXE_carpel")
    );
    pane.tmux(&["new-window", "-d", "-n", "other", "-c", &work.display().to_string(), &attach]);
    let other = || pane.tmux(&["capture-pane", "-p", "-t", ":other"]);
    pane.wait_for("the question in the other terminal", |_| other().contains("carpel wants to edit a.md"));
    pane.answer("n");
    pane.wait_for("a word and the next question in the other terminal", |_| {
        let screen = other();
        screen.contains("answered elsewhere: denied by carpel-")
            && screen.contains("carpel wants to edit b.md")
    });
    pane.tmux(&["send-keys", "-t", ":other", "C-c"]);
    pane.wait_for("the end of the turn", |all| all.contains("⊘ cancelled") && !all.contains("y once"));
    assert_eq!(std::fs::read_to_string(work.join("b.md")).unwrap(), "foo\n");
    let log = session_log::segments(&pane.path().join("home"));
    let outcomes: Vec<_> = session_log::of_kind(&log, "tool_result")
        .iter()
        .filter_map(|result| result["outcome"].as_str().filter(|is| *is != "ok").map(str::to_owned))
        .collect();
    assert_eq!(outcomes, ["rejected", "cancelled"], "one answer for each question: {log:?}");
    assert_eq!(session_log::of_kind(&log, "turn_end")[0]["reason"], "cancelled");
}

#[test]
fn keys_are_echoed_while_a_turn_runs_and_esc_cancels_it() {
    let Some(pane) = Pane::start(80, 24) else { return };
    pane.chat();
    pane.enter("explore this project");
    pane.wait_for("the turn", |all| all.contains("Esc cancels"));
    pane.tmux(&["send-keys", "-l", "typed meanwhile"]);
    pane.wait_for("the draft", |all| all.contains("› typed meanwhile"));
    assert!(pane.screen().contains("Esc cancels"), "the turn still runs:\n{}", pane.screen());
    pane.tmux(&["send-keys", "Escape"]);
    pane.wait_for("the end", |all| all.contains("cancelled") && all.contains(": for commands"));
    assert!(pane.screen().contains("› typed meanwhile"), "{}", pane.screen());
}

/// LOG 6.01: nothing moves, so nothing runs and nothing is written: neither in the chat nor in its pod.
#[test]
fn log_6_01_an_idle_chat_does_nothing() {
    let Some(pane) = Pane::start(80, 24) else { return };
    pane.chat();
    let shell = pane.tmux(&["display-message", "-p", "#{pane_pid}"]);
    let all = wakes::below(shell.trim());
    assert_eq!(all.len(), 2, "the chat and its pod: {all:?}");
    // The first moments after the prompt still belong to the start.
    let idle = (0..5).any(|_| {
        let before = (wakes::of(&all), pane.bytes().len());
        std::thread::sleep(Duration::from_secs(3));
        before == (wakes::of(&all), pane.bytes().len())
    });
    assert!(idle, "something went on in each of five spans of three seconds");
}

const TRUST: &str = "y or n, then Enter:";

/// The question about a folder comes once, before the chat; what was said holds.
#[test]
fn a_folder_that_brings_instructions_is_asked_about_once() {
    let Some(pane) = Pane::start(80, 24) else { return };
    std::fs::write(pane.path().join("work/AGENTS.md"), "Say moo.\n").unwrap();
    let program = env!("CARGO_BIN_EXE_carpel");
    let prompt = || pane.wait_for("the prompt", |all| all.contains("guide (no model)"));
    pane.enter(&format!("cd work && {program}; echo A$?"));
    pane.wait_for("the question", |all| times(all, TRUST) == 1);
    let shown = pane.all();
    assert!(
        shown.contains("/work\nbrings what") && shown.contains("\n  instructions (AGENTS.md)\n"),
        "{shown}"
    );
    pane.enter("perhaps");
    pane.wait_for("the question again", |all| times(all, TRUST) == 2);
    pane.enter("n");
    prompt();
    // What was no answer was meant for the chat.
    pane.wait_for("the draft", |all| all.contains("\n› perhaps"));
    pane.tmux(&["send-keys", "C-c"]);
    pane.wait_for("the notice", |all| all.contains("1 thing of this folder is not used"));
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.contains("\nA0\n"));
    // No is remembered, too.
    pane.enter(&format!("{program}; echo B$?"));
    prompt();
    assert_eq!(times(&pane.all(), TRUST), 2, "{}", pane.all());
    pane.enter(":quit");
    pane.wait_for("the shell", |all| all.contains("\nB0\n"));
    // Forgotten, it is asked again; the end of the input leaves.
    pane.enter(&format!("{program} trust --forget; {program}; echo C$?"));
    pane.wait_for("the question", |all| times(all, TRUST) == 3);
    pane.tmux(&["send-keys", "C-d"]);
    pane.wait_for("the shell", |all| all.contains("\nC130\n"));
    // Nor is anybody asked for a session that there is not.
    pane.enter(&format!("{program} --resume zzz; echo D$?"));
    pane.wait_for("the shell", |all| all.contains("there is no session `zzz`") && all.contains("\nD"));
    assert_eq!(times(&pane.all(), TRUST), 3, "{}", pane.all());
    pane.enter(program);
    pane.wait_for("the question", |all| times(all, TRUST) == 4);
    pane.enter("y");
    prompt();
    pane.enter("hello");
    pane.wait_for("the answer", |all| all.contains("No model is behind"));
    assert_eq!(times(&pane.all(), "not used until"), 2, "{}", pane.all());
}
