//! The fold table of DESIGN.md, row by row, and the recordings.

use std::sync::Arc;
use std::time::Duration;

use super::Transcript;
use super::dump::{dump, fold, recording};
use super::item::{ItemBody, ItemId};
use super::script::line;

const SECOND: Duration = Duration::from_secs(1);

/// Events, one a line (a line `+3` lets seconds pass, `mark` marks all so far as committed), and the dump after them.
fn check(name: &str, events: &str, want: &[&str]) {
    let mut transcript = Transcript::new();
    let mut now = SECOND * 10;
    for event in events.lines().map(str::trim).filter(|event| !event.is_empty()) {
        if let Some(seconds) = event.strip_prefix('+') {
            now += SECOND * seconds.parse::<u32>().unwrap();
        } else if event == "mark" {
            let last = transcript.items().last().map_or(ItemId(0), |item| item.id);
            transcript.mark_committed(last);
        } else if event == "gone" {
            transcript.pod_gone(now);
        } else if event == "lost" {
            transcript.connection_lost();
        } else {
            transcript.apply(&line(event), now);
        }
    }
    assert_eq!(dump(&mut transcript), want, "{name}");
}

#[test]
fn fold_table() {
    let rows: &[(&str, &str, &[&str])] = &[
        ("start", "start a Read", &["Read pending"]),
        (
            "start of an open call is the same call",
            "start a Read\nargs a {\nstart a Read",
            &["Read writing {…"],
        ),
        (
            "start after it settled is a new call",
            "start a Read\ndone a {}\nresult a one\nstart a Read",
            &["Read done {} = one", "Read pending"],
        ),
        ("pieces of arguments", "start a Read\nargs a {\"x\nargs a \":1", &["Read writing {\"x\":1…"]),
        ("a piece that replaces", "start a Read\nargs a {\"x\nargs= a {\"y", &["Read writing {\"y…"]),
        (
            "a piece that replaces by as many bytes",
            "start a Read\nargs a abc\nargs= a xyz",
            &["Read writing xyz…"],
        ),
        (
            "arguments fill in after settling, the state stays",
            "start a Read\nresult a early\nargs a {\nargs a }",
            &["Read done {}… = early"],
        ),
        ("pieces after the end", "start a Read\ndone a {}\nargs a x", &["Read running {}"]),
        ("done", "start a Read\nargs a {}\ndone a", &["Read running {}"]),
        ("done is the whole", "start a Read\nargs a {\ndone a {}", &["Read running {}"]),
        (
            "done while it is asked",
            "start a Read\nask q a\ndone a {}",
            &["Read waiting for you {} ask may I?"],
        ),
        ("done with an error", "start a Read\ndone a {\" no~JSON", &["Read failed {\" = no JSON"]),
        (
            "its result fills in the text",
            "start a Read\ndone a {\" no~JSON\nresult a not~run error",
            &["Read failed {\" = not run"],
        ),
        ("asked before the start", "ask q a\nstart a Read", &["Read waiting for you ask may I?"]),
        ("asked after done", "start a Read\ndone a {}\nask q a", &["Read waiting for you {} ask may I?"]),
        ("asked when settled", "start a Read\nresult a x\nask q a", &["Read done = x"]),
        ("once", "start a Read\ndone a {}\nask q a\nanswer q a once", &["Read running {}"]),
        ("session", "start a Read\nask q a\nanswer q a session", &["Read running"]),
        ("deny", "start a Read\ndone a {}\nask q a\nanswer q a deny", &["Read rejected {}"]),
        (
            "the result of a denied call fills in the text",
            "start a Read\ndone a {}\nask q a\nanswer q a deny\nresult a user~said~no rejected",
            &["Read rejected {} = user said no"],
        ),
        ("withdrawn", "start a Read\nargs a {\nask q a\nanswer q a withdrawn", &["Read writing {…"]),
        (
            "withdrawn after done",
            "start a Read\nask q a\ndone a {}\nanswer q a withdrawn",
            &["Read running {}"],
        ),
        (
            "two questions for one call",
            "start a Read\ndone a {}\nask q a\nask r a\nanswer q a once",
            &["Read waiting for you {} ask may I?"],
        ),
        ("progress", "start a Read\ndone a {}\nout a 1\nout a 2", &["Read running {} tail \"12\""]),
        ("progress that replaces", "start a Read\nout a 1\nout= a 2", &["Read pending tail \"2\""]),
        ("progress after settling", "start a Read\nresult a x\nout a 1", &["Read done = x"]),
        ("outcome beats is_error", "start a Read\nresult a x cancelled", &["Read cancelled = x"]),
        ("error", "start a Read\nresult a x error", &["Read failed = x"]),
        ("rejected", "start a Read\nresult a x rejected", &["Read rejected = x"]),
        ("interrupted", "start a Read\nresult a x interrupted", &["Read incomplete = x"]),
        ("a word of the future", "start a Read\nresult a x odd", &["Read done = x"]),
        ("the first result stands", "start a Read\nresult a x error\nresult a y", &["Read failed = x"]),
        ("result before its start", "result a x\nstart a Read\ndone a {}", &["Read done {} = x"]),
        (
            "result without a start",
            "turn 1\nresult a x\nstart b Read\nend 1",
            &["Read incomplete", "orphan a x"],
        ),
        (
            "a child before its parent",
            "start b Read a\nresult b x\nstart a Task",
            &["Task pending", "  Read done = x"],
        ),
        ("a child whose parent never comes", "turn 1\nstart b Read a\nend 1", &["Read incomplete"]),
        (
            "a parent of an earlier turn",
            "turn 1\nstart a Task\nresult a x\nend 1\nturn 2\nstart b Read a",
            &["Task done = x", "Read pending"],
        ),
        ("its own parent", "start a Task a", &["Task pending"]),
        ("a circle of two", "start a A b\nstart b B a", &["A pending", "  B pending"]),
        (
            "a circle of three",
            "start a A b\nstart c C a\nstart b B c",
            &["A pending", "  C pending", "    B pending"],
        ),
        (
            "a parent settles before its children",
            "start a A\nstart b B a\nstart c C b\nresult a x",
            &["A done = x", "  B incomplete", "    C incomplete"],
        ),
        (
            "their own results still count",
            "start a A\nstart b B a\nstart c C b\nresult a x\nresult c y",
            &["A done = x", "  B incomplete", "    C done = y"],
        ),
        (
            "until the turn ends",
            "turn 1\nstart a A\nstart b B a\nresult a x\nend 1\nresult b y",
            &["A done = x", "  B incomplete"],
        ),
        (
            "a child of a settled parent",
            "start a A\nresult a x\nstart b B a",
            &["A done = x", "  B incomplete"],
        ),
        ("turn end", "turn 1\nstart a A\ntext+ t\nend 1", &["A incomplete", "text \"t\""]),
        (
            "turn end by cancel",
            "turn 1\nthink\nthink+ x\nstart a A\nend 1 cancelled",
            &["thinking done 0s \"x\"", "A cancelled", "turn ended cancelled"],
        ),
        (
            "open thinking at turn end",
            "turn 1\nthink\nthink+ x\n+4\nend 1",
            &["thinking interrupted 4s \"x\""],
        ),
        ("after the turn's end", "turn 1\nend 1\ntext+ x\nthink\nstart a A\nresult b y\nend 1 failed", &[]),
        (
            "a result of an earlier turn's call",
            "turn 1\nstart a A\nend 1 cancelled\nturn 2\nresult a late\nend 2",
            &["A cancelled", "turn ended cancelled"],
        ),
        ("the next turn ends this one", "turn 1\nstart a A\nturn 2\nuser x", &["A incomplete", "user x"]),
        ("thinking, then text", "think\n+3\ntext+ t", &["thinking done 3s \"\"", "text open \"t\""]),
        (
            "text after thinking is a new block",
            "text+ a\nthink\nthink+ t\ntext+ b",
            &["text \"a\"", "thinking done 0s \"t\"", "text open \"b\""],
        ),
        (
            "a call closes the text",
            "text+ a\nstart c C\ntext+ b",
            &["text \"a\"", "C pending", "text open \"b\""],
        ),
        (
            "a call of a sub-agent does not",
            "start a A\ntext+ t\nstart b B a",
            &["A pending", "  B pending", "text open \"t\""],
        ),
        ("a thinking delta without a start", "think+ x", &[]),
        ("thinking whose text comes at the end", "think\nthink. whole 1500", &["thinking done 1s \"whole\""]),
        ("deltas win over the end", "think\nthink+ a\nthink. other", &["thinking done 0s \"a\""]),
        (
            "a late end of thinking",
            "think\n+1\nstart a A\nthink. x 9000",
            &["thinking done 9s \"x\"", "A pending"],
        ),
        ("thinking without text", "think\n+83\nthink.", &["thinking done 83s \"\""]),
        ("the end of text adds what is missing", "text+ ab\ntext. abcd", &["text \"abcd\""]),
        ("but replaces nothing", "text+ ab\ntext. xy", &["text \"ab\""]),
        ("text in one piece", "text. whole", &["text \"whole\""]),
        ("a late end of text", "text+ ab\nstart a A\ntext. abcd", &["text \"abcd\"", "A pending"]),
        (
            "the end of another text",
            "text+ ab\nstart a A\ntext. other",
            &["text \"ab\"", "A pending", "text \"other\""],
        ),
        ("text that is replaced", "text+ ab\ntext= xy", &["text open \"xy\""]),
        ("text that is told again", "text+ ab\ntext= abc", &["text open \"abc\""]),
        (
            "text that is replaced after a part was committed",
            "text+ ab\nmark\ntext= xy",
            &["text \"ab\"", "cut off", "text open \"xy\""],
        ),
        (
            "a step is abandoned",
            "turn 1\nuser q\nthink\nthink+ x\ntext+ y\nstart a A\nabandon died\ntext+ z",
            &["user q", "text open \"z\""],
        ),
        (
            "a step is abandoned after its text was committed",
            "turn 1\nuser q\ntext+ y\nmark\nstart a A\nabandon died\ntext+ z",
            &["user q", "text \"y\"", "cut off died", "text open \"z\""],
        ),
        (
            "what ran in the step before stays",
            "turn 1\nuser q\nstart a A\ndone a {}\nresult a x\ntext+ y\nabandon died",
            &["user q", "A done {} = x"],
        ),
        (
            "an id of an abandoned step comes again",
            "turn 1\nstart a A\nargs a x\nabandon\nstart a B\nresult a y",
            &["B done = y"],
        ),
        ("a notice stays", "turn 1\ntext+ y\nnotice n\nabandon died", &["notice info n"]),
        (
            "what is open, seen again after an attach",
            "hello running\nturn 1\nuser q\nthink\nthink+ a\nlost\nhello running\nhistory []\nturn 1\nuser q\nthink\nthink= ab",
            &["user q", "thinking open \"ab\""],
        ),
        ("the same words as a steer", "turn 1\nuser q\nuser q", &["user q", "user q"]),
        (
            "records seen twice",
            "hello idle\n#1 user q\n#2 text. a\n#1 user q\n#2 text. a\n#3 notice n\n#3 notice n",
            &["user q", "text \"a\"", "notice info n"],
        ),
        (
            "an open text that ended while away",
            "hello running\nturn 1\ntext+ ab\nlost\nhello running\nhistory [{\"kind\":\"assistant_text\",\"seq\":4,\"text\":\"abc\"}]\nturn 1",
            &["text \"abc\""],
        ),
        (
            "calls of a history without a result",
            "hello idle\nhistory [{\"kind\":\"tool_call\",\"id\":\"a\",\"name\":\"A\",\"arguments\":\"{}\"}]",
            &["A incomplete {}"],
        ),
        (
            "a start opens one again",
            "hello idle\nhistory [{\"kind\":\"tool_call\",\"id\":\"a\",\"name\":\"A\",\"arguments\":\"{}\"}]\nstart a A\nargs= a {}\ndone a {}\nresult a x",
            &["A done {} = x"],
        ),
        (
            "a history that a running turn goes on with",
            "hello running\nhistory [{\"kind\":\"user_message\",\"text\":\"q\"},{\"kind\":\"tool_call\",\"id\":\"a\",\"name\":\"A\",\"arguments\":\"{}\"}]\nturn 7\nuser q\nstart a A\nargs= a {}\ndone a {}\nout= a 1",
            &["user q", "A running {} tail \"1\""],
        ),
        (
            "sub-agents speak into their call's tail",
            "start a A\ndone a {}\nthink a\nthink+ hm a\ntext+ so a\ntext+ on a\ntext. soon! a",
            &["A running {} tail \"hm\\nsoon!\\n\""],
        ),
        ("sub-agents of nobody are not heard", "text+ so a", &[]),
        (
            "the pod is gone",
            "turn 1\ntext+ t\nstart a A\ngone",
            &["text \"t\"", "A incomplete = not started"],
        ),
        (
            "the pod is gone with a question open",
            "turn 1\nstart a A\ndone a {}\nask q a\n+9\ngone",
            &["A incomplete {} = not started"],
        ),
        (
            "the pod is gone while a call runs",
            "turn 1\nstart a A\ndone a {}\nask q a\nanswer q a once\ngone",
            &["A incomplete {} = interrupted: nothing is known of what it did"],
        ),
        ("the connection is lost", "turn 1\nstart a A\nlost", &["A pending"]),
        ("compaction", "compacted short", &["compaction 9 to 1 short"]),
        (
            "a notice that comes again at once",
            "notice x\nnotice x\nnotice y\nnotice x\nturn 1\nnotice x\nuser q\nnotice x",
            &["notice info x", "notice info y", "notice info x", "notice info x", "user q", "notice info x"],
        ),
        (
            "a compaction that fails again",
            "compacts auto\nuncompacted a~b\ncompacts auto\nuncompacted a~b\ncompacts manual\nuncompacted a~b",
            &[
                "notice error compaction failed: a b; nothing was changed",
                "notice error compaction failed: a b; nothing was changed",
            ],
        ),
    ];
    for (name, events, want) in rows {
        check(name, events, want);
    }
}

#[test]
fn recordings_fold_as_the_list_of_cases_says() {
    let rows: &[(&str, &[&str])] = &[
        ("e03", &["user go", "Read done {\"path\": \"a\"} = fine", "orphan c9 who asked?"]),
        ("e04", &["user go", "Bash done {\"cmd\": \"true\"} = early bird"]),
        ("e05", &["user go", "Edit done {\"path\": \"a\"} = done"]),
        ("e06", &["user go", "Bash failed {\"cmd\": \"false\"} = exit 1"]),
        (
            "e07",
            &[
                "user go",
                "Write failed {\"path\":\"a.txt\",\"content\":\"first half of the fi = arguments are not valid JSON",
                "turn ended limit",
            ],
        ),
        (
            "e09",
            &[
                "user go",
                "Bash cancelled {\"cmd\": \"sleep 600\"} tail \"tick 1\\n\"",
                "turn ended cancelled",
                "user next question",
                "text \"ok\"",
            ],
        ),
        (
            "e10",
            &[
                "user go",
                "Bash cancelled {\"cmd\": \"make\"}",
                "turn ended cancelled",
                "user hello",
                "text \"hi\"",
            ],
        ),
        (
            "e12",
            &[
                "user go",
                "Task done {\"goal\": \"outer\"} = outer finished",
                "  Task incomplete {\"goal\": \"inner\"}",
                "    Read done {\"path\": \"x\"} = x text",
            ],
        ),
        (
            "e21",
            &[
                "user go",
                "thinking done 0s \"\"",
                "text \"A\"",
                "thinking done 0s \"second thought\\u{1b}[31m\"",
                "text \"B\"",
                "thinking interrupted 0s \"never ended\"",
            ],
        ),
        (
            "r01",
            &[
                "user fix both",
                "Edit done {\"file_path\": \"a.rs\", \"old_string\": \"ALPHA_OLD\", \"new_string\": \"ALPHA_NEW\"} = Edited a.rs: 1 replacement",
                "Edit rejected {\"file_path\": \"b.rs\", \"old_string\": \"BETA_OLD\", \"new_string\": \"BETA_NEW\"} = rejected by the user",
                "text \"One edit done, one left alone.\"",
            ],
        ),
        (
            "r02",
            &[
                "user FIRST_QUESTION",
                "thinking done - \"\" SUMMARY_LINE_ONE|SUMMARY_LINE_TWO",
                "Read done {\"file_path\":\"old.txt\"} = READ_SUMMARY 10 lines",
                "Grep done {\"pattern\":\"NEEDLE\"} = GREP_SUMMARY 3 matches",
                "Write incomplete {\"file_path\":\"never.txt\",\"content\":\"x\"}",
                "text \"OLD_ANSWER\"",
                "command compact: COMMAND_OUTCOME",
                "compaction 1000 to 100 COMPACTION_SUMMARY",
                "user NEW_QUESTION",
                "text \"NEW_ANSWER\"",
            ],
        ),
        (
            "r03",
            &[
                "user go",
                "thinking done 0s \"second try\"",
                "Read done {\"file_path\": \"REAL.txt\"} = Read REAL.txt",
                "text \"DONE_ONCE\"",
            ],
        ),
        ("r04", &["user go", "Bash done {\"command\": \"sleep 5\"} = exit 0", "text \"AFTER_RECONNECT\""]),
        (
            "r05",
            &[
                "user explore",
                "Task done {\"prompt\": \"OUTER\"} = OUTER_ANSWER",
                "  Task done {\"prompt\": \"MIDDLE\"} = MIDDLE_ANSWER",
                "    Grep done {\"pattern\": \"DEEP\"} = 2 matches",
                "    Bash failed {\"command\": \"cargo test\"} = exit 101",
                "  Read done {\"file_path\": \"one.rs\"} = Read one.rs",
                "text \"All explored.\"",
            ],
        ),
        (
            "r06",
            &[
                "user think",
                "thinking done 3s \"alpha\\nbeta\\n\"",
                "text \"A\"",
                "thinking done 83s \"\"",
                "text \"B\"",
                "thinking done 0s \"whole only in done\"",
                "text \"C\"",
                "thinking interrupted 0s \"never ends\"",
            ],
        ),
    ];
    for (name, want) in rows {
        assert_eq!(dump(&mut fold(&recording(name))), *want, "{name}");
    }
}

/// LOG 5.03, 5.09: each sibling ends when its own result comes.
#[test]
fn log_5_03_5_09_each_sibling_ends_on_its_own() {
    let steps = recording("e11");
    let states: Vec<String> = (0..=steps.len())
        .map(|count| {
            let mut transcript = fold(&steps[..count]);
            let states = transcript.items().iter().filter_map(|item| match &item.body {
                ItemBody::Call(call) => Some(call.state.word()),
                _ => None,
            });
            states.collect::<Vec<_>>().join(" ")
        })
        .collect();
    for want in ["running running done", "done running done", "done done done"] {
        assert!(states.iter().any(|states| states == want), "{want} in {states:?}");
    }
}

#[test]
fn elapsed_is_given_or_measured_or_not_known() {
    let rows = [
        ("start a A\n+1\ndone a {}\n+4\nresult a x", Some(4000)),
        ("start a A\ndone a {}\n+4\nresult a x ok 1234", Some(1234)),
        ("history [{\"kind\":\"tool_call\",\"id\":\"a\"},{\"kind\":\"tool_result\",\"id\":\"a\"}]", None),
        (
            "history [{\"kind\":\"tool_call\",\"id\":\"a\"},{\"kind\":\"tool_result\",\"id\":\"a\",\"elapsed_ms\":7}]",
            Some(7),
        ),
    ];
    for (events, want) in rows {
        let mut transcript = Transcript::new();
        let mut now = SECOND;
        for event in events.lines() {
            match event.strip_prefix('+') {
                Some(seconds) => now += SECOND * seconds.parse::<u32>().unwrap(),
                None => transcript.apply(&line(event), now),
            }
        }
        let ItemBody::Call(call) = &transcript.items()[0].body else { panic!("{events}") };
        assert_eq!(call.elapsed, want.map(Duration::from_millis), "{events}");
    }
}

#[test]
fn freezing_copies_only_the_path_to_the_root() {
    let mut transcript = Transcript::new();
    let roots = |transcript: &mut Transcript| -> Vec<Arc<carpel_slots::ToolCall>> {
        let calls = transcript.items().iter().filter_map(|item| match &item.body {
            ItemBody::Call(call) => Some(Arc::clone(call)),
            _ => None,
        });
        calls.collect()
    };
    for event in ["start a A", "start b B a", "start c C b", "start d D a", "start e E"] {
        transcript.apply(&line(event), SECOND);
    }
    let before = roots(&mut transcript);
    transcript.apply(&line("args c x"), SECOND);
    let after = roots(&mut transcript);
    let (a, b, c) = (&after[0], &after[0].sub_calls[0], &after[0].sub_calls[0].sub_calls[0]);
    assert!(!Arc::ptr_eq(a, &before[0]) && !Arc::ptr_eq(b, &before[0].sub_calls[0]));
    assert!(Arc::ptr_eq(&a.sub_calls[1], &before[0].sub_calls[1]), "a sibling is shared");
    assert!(Arc::ptr_eq(&after[1], &before[1]), "another root is shared");
    assert_eq!(c.args.raw(), "x");
    assert_eq!(before[0].sub_calls[0].sub_calls[0].args.raw(), "", "what was frozen stays as it was");
    assert!(c.own_revision > before[0].sub_calls[0].sub_calls[0].own_revision);
    assert_eq!(a.own_revision, before[0].own_revision, "only what is below has changed");
    assert!(a.tree_revision > before[0].tree_revision);
    let again = roots(&mut transcript);
    assert!(Arc::ptr_eq(&again[0], &after[0]), "nothing changed, nothing is copied");
}

#[test]
fn trees_may_be_deeper_than_a_stack() {
    for order in [false, true] {
        let mut transcript = Transcript::new();
        let mut starts: Vec<String> =
            (1..20_000).map(|call| format!("start c{call} C c{}", call - 1)).collect();
        starts.insert(0, "start c0 ROOT".to_owned());
        if order {
            starts.reverse();
        }
        transcript.apply(&line("turn 1"), SECOND);
        for start in &starts {
            transcript.apply(&line(start), SECOND);
        }
        transcript.apply(&line("end 1"), SECOND);
        let calls: usize = transcript
            .items()
            .iter()
            .map(|item| match &item.body {
                ItemBody::Call(call) => {
                    let walk = call.walk();
                    assert!(walk.iter().all(|(depth, _)| *depth <= crate::transcript::pairing::MAX_DEPTH));
                    walk.len()
                }
                _ => 0,
            })
            .sum();
        assert_eq!(calls, 20_000, "each is somewhere");
    }
}

/// LOG 6.05: what a piece costs does not depend on how much came before. Measured in bytes that are copied: between
/// two freezes the text grows in place.
#[test]
fn log_6_05_many_pieces_between_two_frames_copy_nothing() {
    let mut transcript = Transcript::new();
    transcript.apply(&line("start a A"), SECOND);
    transcript.items();
    let piece = line("args a 0123456789");
    for _ in 0..20_000 {
        transcript.apply(&piece, SECOND);
    }
    assert!(Arc::strong_count(&transcript.calls.nodes[0].call) == 1, "copied once, then changed in place");
    transcript.items();
    assert_eq!(transcript.calls.nodes[0].call.args.raw().len(), 200_000);
}

#[test]
fn log_5_07_a_step_of_a_sub_agent_is_taken_back_alone() {
    let events = "turn 1\nstart t Task\ndone t {}\nstart u Task\ndone u {}\n\
        text+ kept t\ntext. kept t\nstart a Read t\ndone a {}\nresult a fine\n\
        text+ half t\ntext. half t\nthink t\nthink+ hm t\nstart b Read t\nargs b {\nstart c Read u\ntext+ other u\n\
        abandon cut t\nstart d Read t\ntext+ again t";
    let mut transcript = Transcript::new();
    let mut lines = events.lines().map(str::trim);
    lines.by_ref().take_while(|event| !event.starts_with("abandon")).for_each(|event| {
        transcript.apply(&line(event), SECOND);
        transcript.refresh();
    });
    transcript.apply(&line("abandon cut t"), SECOND);
    for event in lines {
        transcript.apply(&line(event), SECOND);
    }
    let roots: Vec<_> = transcript
        .items()
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Call(call) => Some(call.clone()),
            _ => None,
        })
        .collect();
    let below = |root: usize| -> Vec<String> {
        roots[root].sub_calls.iter().map(|call| format!("{} {:?}", call.key.id, call.state)).collect()
    };
    assert_eq!(below(0), ["a Done", "d Pending"]);
    assert_eq!(below(1), ["c Pending"]);
    assert_eq!(roots[0].progress.text(), "kept\nagain");
    assert_eq!(roots[1].progress.text(), "other");
}

/// What a sub-agent says is whole, told live, from the history, and over a second attach.
#[test]
fn passages_of_a_sub_agent() {
    let check = |events: &[&str], want: &[&str]| {
        let mut transcript = Transcript::new();
        for event in ["hello running", "turn 1", "user go", "start t Task", "done t {}"].iter().chain(events)
        {
            transcript.apply(&line(event), Duration::ZERO);
        }
        let ItemBody::Call(call) = &transcript.items()[1].body else { panic!("{events:?}") };
        let told =
            call.said.passages().iter().map(|passage| format!("{:?} {}", passage.voice, passage.text()));
        assert_eq!(told.collect::<Vec<_>>(), want, "{events:?}");
    };
    let long = "word~".repeat(40_000);
    let whole = format!("Text {}", long.replace('~', " "));
    check(&[&format!("text+ {long} t"), &format!("text. {long} t"), "result t fine"], &[&whole]);
    let said = ["think t", "think+ hm t", "think. hm 5 t", "text+ on t", "text+ e t", "text. one~two t"];
    check(&said, &["Thinking hm", "Text one two"]);
    check(
        &["text. one t", "start c Read t", "done c {}", "result c fine", "text. two t"],
        &["Text one", "Text two"],
    );
    check(&["think t", "think.  5 t"], &[]);
    // What a step said goes when it is asked again, what an earlier one said stays.
    let again =
        ["start c Read t", "done c {}", "result c ok", "text+ two t", "abandon died t", "text. three t"];
    check(&[&["text. one t"], &again[..]].concat(), &["Text one", "Text three"]);
    // A second attach tells the open block again.
    let attach = ["think t", "think+ a t", "hello running", "think t", "think= ab t", "think+ c t"];
    check(&attach, &["Thinking abc"]);
    check(&["think. a 1 t", "think t", "think+ b t"], &["Thinking a", "Thinking b"]);
    let past = r#"history [{"kind":"reasoning","text":"hm","parent":"t"},{"kind":"assistant_text","text":"one","parent":"t"},{"kind":"tool_result","id":"t","summary":"s","outcome":"ok"}]"#;
    check(&[past], &["Thinking hm", "Text one"]);
    check(&["result t fine", "text. late t"], &[]);
}
