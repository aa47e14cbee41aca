//! Every recording through the whole host, in four windows: what stands on the terminal at the end.
//!
//! One row a recording: texts and how often each stands there, then texts in the order in which they stand. Blanks do
//! not count, since narrow windows break where wide ones do not.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::PathBuf;

use carpel::chat::event::HostEvent;
use carpel::headless::Headless;
use carpel::key_names;
use carpel::render::glyph::Glyphs;
use carpel::render::look::Look;
use carpel_protocol::recording::{Step, decode_step};
use carpel_slots::Density;
use ratatui::layout::Size;

const SIZES: [(u16, u16); 4] = [(120, 40), (80, 24), (40, 12), (20, 6)];

struct Expect {
    file: &'static str,
    /// Texts and how often they stand on the terminal.
    times: &'static [(&'static str, usize)],
    /// Texts in their order.
    order: &'static [&'static str],
}

const EXPECT: &[Expect] = &[
    Expect {
        file: "e01_interleaved_args_no_id",
        times: &[("A_ONLY.txt", 1), ("text of A", 1), ("B_ONLY.txt", 1), ("text of B", 1)],
        order: &["✓ Read  A_ONLY.txt", "text of A", "✓ Read  B_ONLY.txt", "text of B"],
    },
    Expect {
        file: "e02_same_index_new_id",
        times: &[("✓ Grep", 2)],
        order: &["one", "1 hit", "two", "2 hits"],
    },
    Expect {
        file: "e03_result_unknown_id",
        times: &[("✓ Read", 1), ("fine", 1), ("c9", 1), ("who asked?", 1)],
        order: &["result without a call", "c9"],
    },
    Expect {
        file: "e04_result_before_start",
        times: &[("✓ Bash", 1), ("early bird", 1), ("●", 0), ("◐", 0)],
        order: &[],
    },
    Expect {
        file: "e05_duplicate_start",
        times: &[("Edit", 1), ("✓ Edit", 1), ("○", 0), ("●", 0)],
        order: &[],
    },
    Expect {
        file: "e06_fail_then_completed", times: &[("✗ Bash", 1), ("✓", 0), ("exit 1", 1)], order: &[]
    },
    Expect {
        file: "e07_args_never_valid_json",
        times: &[("✗ Write", 1), ("not valid JSON", 1), ("✓", 0), ("first half of the fi", 1)],
        order: &[],
    },
    Expect {
        file: "e08_args_bad_escapes",
        times: &[("✗ Edit", 1), ("not valid JSON", 1), ("✓", 0)],
        order: &[],
    },
    Expect {
        file: "e09_cancel_mid_tool_no_result",
        times: &[("⊘ Bash", 1), ("sleep 600", 1), ("●", 0)],
        order: &["⊘ Bash", "next question", "ok"],
    },
    Expect {
        file: "e10_late_result_after_cancel",
        times: &[("⊘ Bash", 1), ("✓", 0), ("●", 0), ("make", 1)],
        order: &["⊘ Bash", "› hello", "hi"],
    },
    Expect {
        file: "e11_siblings_out_of_order",
        times: &[("✓ Bash", 3), ("4s done", 1), ("10s done", 1), ("2s done", 1)],
        order: &["sleep 4", "sleep 10", "sleep 2"],
    },
    Expect {
        file: "e12_nested_parent_ends_first",
        times: &[("✓ Task", 1), ("outer finished", 1), ("◐ Task", 1), ("✓ Read", 1), ("●", 0)],
        order: &["✓ Task", "outer", "◐ Task", "inner", "✓ Read"],
    },
    Expect {
        file: "e13_result_control_bytes",
        times: &[("10%", 0), ("100%", 0), ("tabbed", 1), ("\u{7}", 0), ("\0", 0), ("a␀b␇d", 1)],
        order: &["✓ Bash", "done", "tabbed"],
    },
    Expect {
        file: "e14_table_split_over_deltas",
        times: &[("seen while streaming", 1), ("漢字", 1), ("marker after table", 1), ("| --- |", 0)],
        order: &["alpha", "beta", "marker after table"],
    },
    Expect {
        file: "e15_fence_never_closed",
        times: &[("fn main() {}", 1), ("// no closing fence", 1), ("```", 0)],
        order: &["Code:", "fn main() {}", "// no closing fence"],
    },
    Expect {
        file: "e16_live_tail_shrinks_by_two",
        times: &[("working", 1)],
        order: &["line 1", "line 2", "line 39", "line 40", "working"],
    },
    Expect {
        file: "e17_resize_storm_in_stream",
        times: &[("L00", 1), ("L14", 1), ("L29", 1)],
        order: &["L00", "L01", "L29"],
    },
    Expect {
        file: "e18_same_size_resize",
        times: &[("row 0", 1), ("row 99", 1)],
        order: &["row 0", "row 50", "row 99"],
    },
    Expect {
        file: "e19_compaction_while_tool_runs",
        times: &[("sleep 5", 1), ("✓ Bash", 1), ("●", 0), ("compacted", 2)],
        order: &["sleep 5", "compacted"],
    },
    Expect {
        file: "e20_compaction_fails_three_times",
        times: &[("context_length_exceeded", 1), ("nothing was changed", 1), ("the turn failed", 1)],
        order: &["compaction failed", "start a new session", "the turn failed"],
    },
    Expect {
        file: "e21_thinking_shapes",
        times: &[("second thought", 1), ("Thought", 1), ("interrupted", 1), ("\u{1b}", 0)],
        order: &["A", "second thought", "B", "interrupted"],
    },
    Expect {
        file: "e22_grapheme_split",
        times: &[("👩‍🔬", 1), ("e\u{301}", 1), ("नमस्ते", 1), ("✔", 1), ("done", 1)],
        order: &["👩‍🔬", "नमस्ते", "✔", "done"],
    },
    Expect {
        file: "r01_approval_once_and_denied",
        times: &[("✓ Edit", 1), ("⊝ Edit", 1), ("a.rs: 1 replacement", 1), ("rejected", 1)],
        order: &["✓ Edit", "⊝ Edit", "One edit done, one left alone."],
    },
    Expect {
        file: "r02_history_restore",
        times: &[
            ("FIRST_QUESTION", 1),
            ("SUMMARY_LINE_ONE", 1),
            ("SUMMARY_LINE_TWO", 1),
            ("READ_SUMMARY 10 lines", 1),
            ("GREP_SUMMARY 3 matches", 1),
            ("◐ Write", 1),
            ("OLD_ANSWER", 1),
            ("COMMAND_OUTCOME", 1),
            ("COMPACTION_SUMMARY", 1),
            ("from_the_future", 0),
            ("NEW_QUESTION", 1),
            ("NEW_ANSWER", 1),
        ],
        order: &[
            "FIRST_QUESTION",
            "Thought",
            "✓ Read",
            "READ_SUMMARY",
            "✓ Grep",
            "GREP_SUMMARY",
            "◐ Write",
            "OLD_ANSWER",
            "COMMAND_OUTCOME",
            "COMPACTION_SUMMARY",
            "NEW_QUESTION",
            "NEW_ANSWER",
        ],
    },
    Expect {
        file: "r03_step_abandoned",
        times: &[("GHOST.txt", 0), ("✓ Read", 1), ("REAL.txt", 2), ("DONE_ONCE", 1)],
        order: &[],
    },
    Expect {
        file: "r04_drop_and_reconnect",
        times: &[("✓ Bash", 1), ("exit 0", 1), ("tick 1", 1), ("tick 2", 1), ("AFTER_RECONNECT", 1)],
        order: &["✓ Bash", "tick 1", "tick 2", "AFTER_RECONNECT"],
    },
    Expect {
        file: "r05_three_levels",
        times: &[("OUTER_ANSWER", 1), ("MIDDLE_ANSWER", 1), ("✗ Bash", 1), ("SUB_AGENT", 0)],
        order: &["✓ Task  OUTER", "✓ Task  MIDDLE", "✓ Grep", "✗ Bash", "✓ Read  one.rs", "All explored."],
    },
    Expect {
        file: "r06_thinking_matrix",
        times: &[
            ("Thought for 3s", 1),
            ("Thought for 1m23s", 1),
            ("whole only in done", 1),
            ("interrupted", 1),
        ],
        order: &["Thought for 3s", "A", "Thought for 1m23s", "B", "whole only in done", "C", "interrupted"],
    },
    Expect {
        file: "r07_long_group_over_budget",
        times: &[("FILE_0.rs", 1), ("FILE_39.rs", 1), ("✓ Read", 40), ("END_MARK", 1)],
        order: &["FILE_0.rs", "FILE_1.rs", "FILE_39.rs", "END_MARK"],
    },
    Expect {
        file: "r08_command_like_text",
        times: &[("/etc/hosts is odd", 1), (":quit is a command, /compact is not", 1)],
        order: &[],
    },
    // Three levels, two or four of each at a time, their pieces between each other and their results in another order:
    // each call stands below its own parent, in the order in which they began.
    Expect {
        file: "r09_parallel_tasks",
        times: &[("✓ Task", 6), ("✓ Read", 4), ("✓ Grep", 3), ("✗ Grep", 1), ("SAYS_", 0), ("THOUGHT_", 0)],
        order: &[
            "✓ Task  TASK_A  ",
            "✓ Task  TASK_A1",
            "✓ Read  A1x.rs",
            "✗ Grep  IN_A1y",
            "✓ Task  TASK_A2",
            "✓ Read  A2x.rs",
            "✓ Grep  IN_A2y",
            "✓ Task  TASK_B  ",
            "✓ Task  TASK_B1",
            "✓ Read  B1x.rs",
            "✓ Grep  IN_B1y",
            "✓ Task  TASK_B2",
            "✓ Read  B2x.rs",
            "✓ Grep  IN_B2y",
            "Both halves are explored.",
        ],
    },
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/recordings")
}

fn steps(file: &str) -> Vec<Step> {
    let text = fs::read_to_string(folder().join(format!("{file}.jsonl"))).unwrap();
    text.lines().map(|line| decode_step(line.as_bytes()).unwrap()).collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Plays a recording; the terminal's text at the end without blanks.
fn play(file: &str, (cols, rows): (u16, u16), density: Density) -> String {
    let mut host = Headless::new(Size::new(cols, rows), density, Look::PLAIN);
    host.frame();
    for step in steps(file) {
        host.play(&step);
    }
    squeeze(&host.emulator.text().join("\n"))
}

#[test]
fn every_recording_has_a_row() {
    let mut files: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let rows: Vec<String> = EXPECT.iter().map(|expect| format!("{}.jsonl", expect.file)).collect();
    assert_eq!(files, rows);
}

#[test]
fn what_stands_on_the_terminal_at_the_end() {
    for expect in EXPECT {
        for size in SIZES {
            let text = play(expect.file, size, Density::Normal);
            for (needle, times) in expect.times {
                assert_eq!(
                    text.matches(&squeeze(needle)).count(),
                    *times,
                    "{} at {size:?}: {needle:?} in\n{text}",
                    expect.file
                );
            }
            let mut rest = text.as_str();
            for needle in expect.order {
                let Some(at) = rest.find(&squeeze(needle)) else {
                    panic!("{} at {size:?}: {needle:?} is not in its place in\n{text}", expect.file)
                };
                rest = &rest[at..];
            }
        }
    }
}

#[test]
fn every_line_of_the_long_recordings_stands_there_once() {
    for size in SIZES {
        let storm = play("e17_resize_storm_in_stream", size, Density::Normal);
        for line in 0..30 {
            assert_eq!(
                storm.matches(&format!("L{line:02}")).count(),
                1,
                "L{line:02} at {size:?} in\n{storm}"
            );
        }
        let group = play("r07_long_group_over_budget", size, Density::Normal);
        for call in 0..40 {
            assert_eq!(
                group.matches(&format!("FILE_{call}.rs")).count(),
                1,
                "FILE_{call}.rs at {size:?} in\n{group}"
            );
        }
    }
}

#[test]
fn no_density_and_no_window_panics() {
    for expect in EXPECT {
        for density in Density::ALL {
            for size in [(120, 40), (20, 6), (3, 2), (1, 1), (0, 0)] {
                play(expect.file, size, density);
            }
        }
    }
}

/// LOG 12.12: without UTF-8 every sign of the program's own is ASCII.
#[test]
fn log_12_12_no_sign_leaves_ascii() {
    let look = Look { glyphs: &Glyphs::ASCII, ..Look::PLAIN };
    for expect in EXPECT {
        let input: String = fs::read_to_string(folder().join(format!("{}.jsonl", expect.file)))
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap().to_string())
            .collect();
        for density in Density::ALL {
            for (cols, rows) in SIZES {
                let mut host = Headless::new(Size::new(cols, rows), density, look);
                let mut bytes = host.frame();
                for step in steps(expect.file) {
                    bytes.extend(host.play(&step));
                }
                for key in key_names::keys(":d<down><esc>a<tab>") {
                    host.event(HostEvent::Key(key));
                    bytes.extend(host.frame());
                }
                let drawn = String::from_utf8(bytes).unwrap();
                let alien: String = drawn.chars().filter(|c| !c.is_ascii() && !input.contains(*c)).collect();
                assert_eq!(alien, "", "{} at {cols} columns, {density:?}", expect.file);
            }
        }
    }
}

#[test]
fn log_5_a_failure_is_seen_at_every_density() {
    for density in Density::ALL {
        for size in SIZES {
            let text = play("r05_three_levels", size, density);
            assert!(text.contains("✗Bash"), "{density:?} at {size:?} in\n{text}");
        }
    }
}

/// LOG 5.01, 5.02, 5.07: pieces go to their call, calls are never glued, nothing below an ended call goes on running.
#[test]
fn log_5_01_5_02_5_07_calls_keep_to_themselves() {
    for size in SIZES {
        let pieces = play("e01_interleaved_args_no_id", size, Density::Detail);
        assert!(pieces.find("A_ONLY.txt") < pieces.find("textofA"), "{pieces}");
        assert!(pieces.find("textofA") < pieces.find("B_ONLY.txt"), "{pieces}");
        let glued = play("e02_same_index_new_id", size, Density::Detail);
        assert!(!glued.contains("}{"), "{glued}");
        let below = play("e12_nested_parent_ends_first", size, Density::Detail);
        assert!(!below.contains('●') && below.contains("◐Task"), "{below}");
    }
}
