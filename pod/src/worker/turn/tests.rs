//! The machine of a turn: scripts in, actions out, and promises that hold for every order of inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use carpel_protocol::word::ToolKind;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::provider::PartKind;
use crate::tools::{Access, ToolOutput, ToolSpec};
use crate::worker::call::{CallId, CallIds};
use crate::worker::scripted::{Played, steps_of};

fn tools() -> Arc<[ToolSpec]> {
    let tool = |name, access| ToolSpec {
        name,
        kind: ToolKind::Unspecified,
        description: "",
        schema: json!({"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}),
        access,
    };
    let free = ToolSpec { schema: json!({"type": "object"}), ..tool("Free", Access::Reads) };
    [tool("Read", Access::Reads), tool("Write", Access::Writes), free].into()
}

fn begin(bounds: Bounds) -> (Turn, Vec<Action>) {
    begin_with(bounds, Between::Nothing)
}

fn begin_with(bounds: Bounds, between: Between) -> (Turn, Vec<Action>) {
    let messages = vec![Message::User { text: "go".to_owned() }];
    let retry_waits = vec![Duration::from_secs(2)];
    Turn::begin(TurnSetup { messages, tools: tools(), ids: CallIds::default(), bounds, retry_waits, between })
}

const BOUNDS: Bounds = Bounds { steps: 3, parallel: 8 };

fn inputs(script: &str) -> Vec<Input> {
    steps_of(script)
        .into_iter()
        .map(|played| match played {
            Played::Event(event) => Input::Stream(event),
            Played::Hang => Input::StreamCut,
        })
        .collect()
}

fn dump(action: &Action) -> String {
    match action {
        Action::Enter { at_the_end } => format!("enter{}", if *at_the_end { " at the end" } else { "" }),
        Action::Ask => "ask".to_owned(),
        Action::HangUp => "hang up".to_owned(),
        Action::Wait(wait) => format!("wait {wait:?}"),
        Action::Run(call) => format!("run {} {} {}", call.id, call.name, call.arguments),
        Action::StopRunning => "stop running".to_owned(),
        Action::End(end) => format!("end {:?} {}", end.reason, end.message.as_deref().unwrap_or("-")),
        Action::Report(report) => match report {
            Report::ThinkingStart => "thinking".to_owned(),
            Report::TextStart => "text".to_owned(),
            Report::ThinkingDelta(text) | Report::TextDelta(text) => format!("+ {text}"),
            Report::ThinkingStop(Whole { text, opaque: Some(opaque), .. }) => {
                format!("thought {text} {opaque}")
            }
            Report::ThinkingStop(whole) => format!("thought {}", whole.text),
            Report::TextStop(whole) => format!("said {}", whole.text),
            Report::CallStart { id, name } => format!("{id} {name}"),
            Report::CallDelta { id, text } => format!("{id} + {text}"),
            Report::CallStop { id, whole: Whole { text, problem, .. } } => {
                format!("{id} = {text}{}", if problem.is_some() { " (broken)" } else { "" })
            }
            Report::Result(result) => format!("{} -> {:?} {}", result.id, result.ended, result.summary),
            Report::Abandoned { reason, kept } => format!("abandoned {reason} {kept}"),
            Report::Usage(tokens) => format!("used {} {}", tokens.input, tokens.output),
        },
    }
}

/// What one step does after its `ask`; `hang` in a script is the end of the stream.
fn check(script: &str, expected: &[&str]) -> Turn {
    let (mut turn, actions) = begin(BOUNDS);
    assert_eq!(actions, [Action::Ask]);
    let got: Vec<String> =
        inputs(script).into_iter().flat_map(|input| turn.take(input)).map(|action| dump(&action)).collect();
    assert_eq!(got, expected, "{script}");
    turn
}

#[test]
fn parts_that_interleave_become_blocks_in_a_row() {
    check(
        "thinking 0\n+0 a\ntext 1\n+1 b\n+0 c\n/0\n+1 d\n/1\nstop end",
        &[
            "thinking",
            "+ a",
            "thought a",
            "text",
            "+ b",
            "said b",
            "thinking",
            "+ c",
            "thought c",
            "text",
            "+ d",
            "said d",
            "hang up",
            "end Completed -",
        ],
    );
}

#[test]
fn what_a_provider_wants_back_is_never_lost() {
    // In time, after a call began, and after its block had to make room.
    check(
        "thinking 0\n+0 a\ncall 1 Free\n/0 sig\nstop tools",
        &["thinking", "+ a", "c1 Free", r#"thought a "sig""#, "hang up", "c1 = {}", "run c1 Free {}"],
    );
    check(
        "thinking 0\n+0 a\ntext 1\n+1 b\n/0 sig\nstop end",
        &[
            "thinking",
            "+ a",
            "thought a",
            "text",
            "+ b",
            "said b",
            "thinking",
            r#"thought  "sig""#,
            "hang up",
            "end Completed -",
        ],
    );
    check(
        "thinking 0\n/0 redacted\nstop end",
        &["thinking", r#"thought  "redacted""#, "hang up", "end Completed -"],
    );
}

#[test]
fn text_after_a_call_is_a_block_of_its_own() {
    check(
        "text 0\n+0 a\ncall 1 Free\n+0 b\nthinking 2\n+2 c\ncall 3 Free\n+2 d\nstop tools",
        &[
            "text",
            "+ a",
            "said a",
            "c1 Free",
            "text",
            "+ b",
            "said b",
            "thinking",
            "+ c",
            "c2 Free",
            "thought c",
            "thinking",
            "+ d",
            "hang up",
            "thought d",
            "c1 = {}",
            "c2 = {}",
            "run c1 Free {}",
            "run c2 Free {}",
        ],
    );
}

#[test]
fn parts_that_are_not_open_and_numbers_that_come_again() {
    check(
        "+9 lost\n/9\ntext 0\n+0\n/0\ntext 0\n+0 a\ntext 0\n+0 b\n/0\n+0 lost\nstop end",
        &["text", "+ a", "said a", "text", "+ b", "said b", "hang up", "end Completed -"],
    );
}

#[test]
fn the_ends_of_a_step() {
    check(
        "text 0\n+0 a\nstop max",
        &["text", "+ a", "hang up", "said a", "end Limit the answer was cut at the model's output limit"],
    );
    check("stop tools", &["hang up", "end Completed -"]);
    check("stop refusal", &["hang up", "end Failed the model refused to answer"]);
    check(
        "call 0 Free\nstop refusal",
        &[
            "c1 Free",
            "hang up",
            "c1 = {}",
            "c1 -> Error not run: the model ended its answer with a refusal",
            "end Failed the model refused to go on",
        ],
    );
    // Some services say that they stopped although they called.
    check("call 0 Free\nstop end", &["c1 Free", "hang up", "c1 = {}", "run c1 Free {}"]);
    check(
        "call 0 Free\nfail gone\nstop tools",
        &[
            "c1 Free",
            "hang up",
            "c1 = ",
            "c1 -> Error not run: the model's answer broke off",
            "end Failed gone",
        ],
    );
    check(
        "tokens 5 1\ntokens 5 2\ntext 0\n+0 a\nhang",
        &[
            "text",
            "+ a",
            "hang up",
            "abandoned the model's stream broke off before its answer was whole; asking again in 2 s (2 of 2) false",
            "wait Retry(2s)",
        ],
    );
    check(
        "text 0\n+0 a\n/0\nretry busy",
        &[
            "text",
            "+ a",
            "said a",
            "hang up",
            "abandoned busy; asking again in 2 s (2 of 2) true",
            "wait Retry(2s)",
        ],
    );
}

/// The server's wish counts where it is longer than our own wait.
#[test]
fn a_server_may_ask_for_a_longer_wait() {
    check(
        "later 30 busy",
        &["hang up", "abandoned busy; asking again in 30 s (2 of 2) false", "wait Retry(30s)"],
    );
    check(
        "later 1 busy",
        &["hang up", "abandoned busy; asking again in 2 s (2 of 2) false", "wait Retry(2s)"],
    );
}

#[test]
fn a_full_window_ends_the_turn_and_a_pause_goes_on() {
    let full = "the answer was cut: the model's window is full; make room with :compact";
    check("text 0\n+0 a\nstop full", &["text", "+ a", "hang up", "said a", &format!("end Limit {full}")]);
    check("text 0\n+0 a\nstop pause", &["text", "+ a", "hang up", "said a", "ask"]);
    check("stop pause", &["hang up", "ask"]);
    let cut = "not run: the answer reached its output limit inside this call; send it again, with shorter arguments";
    check(
        "call 0 Free\n+0 {\nstop full",
        &[
            "c1 Free",
            "c1 + {",
            "hang up",
            "c1 = { (broken)",
            &format!("c1 -> Error {cut}"),
            &format!("end Limit {full}"),
        ],
    );
}

#[test]
fn thinking_that_is_broken_off_stays_open_and_text_is_kept() {
    let check = |script: &str, expected: &[&str], kept: usize| {
        let (mut turn, _) = begin(BOUNDS);
        let mut answer = inputs(script);
        answer.push(Input::Cancel);
        let got: Vec<String> =
            answer.into_iter().flat_map(|input| turn.take(input)).map(|action| dump(&action)).collect();
        assert_eq!(got, expected);
        assert_eq!(turn.messages().len(), 1 + kept);
    };
    check("thinking 0\n+0 a", &["thinking", "+ a", "hang up", "end Cancelled -"], 0);
    check("text 0\n+0 a", &["text", "+ a", "hang up", "said a", "end Cancelled -"], 1);
}

/// How a single call with these arguments is answered: `run ARGUMENTS` or the error.
fn check_call(name: &str, arguments: &str, stop: &str, expected: &str) {
    let (mut turn, _) = begin(BOUNDS);
    let mut answer = inputs(&format!("call 0 {name}"));
    // Not part of the script, whose lines are trimmed.
    answer.push(Input::Stream(StreamEvent::Delta { part: 0, text: arguments.to_owned() }));
    answer.extend(inputs(stop));
    let actions: Vec<Action> = answer.into_iter().flat_map(|input| turn.take(input)).collect();
    let answered = actions.iter().find_map(|action| match action {
        Action::Run(call) => Some(format!("run {}", call.arguments)),
        Action::Report(Report::Result(result)) => Some(format!("{:?} {}", result.ended, result.summary)),
        _ => None,
    });
    let answered = answered.expect("each call is run or answered");
    assert!(answered.starts_with(expected), "{name} {arguments:?}: {answered}");
    // The raw text is kept as it came; only no text at all becomes an empty object, and not when it was cut.
    let kept = turn.messages().iter().find_map(|message| match message {
        Message::ToolCall { arguments, .. } => Some(arguments.as_str()),
        _ => None,
    });
    let whole =
        if arguments.trim().is_empty() && !answered.starts_with("Error not run") { "{}" } else { arguments };
    assert_eq!(kept, Some(whole));
}

#[test]
fn calls_and_whether_they_run() {
    let run = r#"run {"path":"a"}"#;
    check_call("Read", r#"{"path":"a"}"#, "/0\nstop tools", run);
    check_call("Read", r#" {"path": "a"} "#, "stop tools", run);
    check_call("Free", "", "/0\nstop tools", "run {}");
    check_call("Free", "  ", "/0\nstop tools", "run {}");
    check_call("Read", "", "/0\nstop tools", "Error Read: `path` is missing");
    check_call("Read", r#"{"path":7}"#, "/0\nstop tools", "Error Read: `path` is");
    check_call("Read", "[]", "/0\nstop tools", "Error Read: the arguments are an array");
    check_call(
        "Raed",
        r#"{"path":"a"}"#,
        "/0\nstop tools",
        "Error there is no tool `Raed`; did you mean `Read`?",
    );
    check_call("read", "{}", "/0\nstop tools", "Error there is no tool `read`; did you mean `Read`?");
    check_call(
        "Teleport",
        "{}",
        "/0\nstop tools",
        "Error there is no tool `Teleport`; there are Read, Write, Free",
    );
    for broken in
        [r#"{"path":"a"#, r#"{"path":"a"}{"path":"b"}"#, r#"{"path":"a"} tail"#, r#"{"path":"\x"}"#, "}"]
    {
        check_call("Read", broken, "/0\nstop tools", "Error not run: the arguments are not valid JSON");
    }
}

/// LOG 5.14: cut arguments are not swapped for `{}` and run; an empty remainder is cut too.
#[test]
fn log_5_14_cut_arguments_are_never_an_empty_object() {
    let cut = "Error not run: the answer reached its output limit inside this call";
    for end in ["stop max", "/0\nstop max"] {
        check_call("Free", "", end, cut);
        check_call("Free", r#"{"path":"first half of the fi"#, end, cut);
    }
    check_call("Free", "{", "stop max", cut);
    // A call that was whole before the limit came is not cut.
    check_call("Free", r#"{"path":"a"}"#, "/0\nstop max", r#"run {"path":"a"}"#);
    check_call("Free", r#"{"path":"a"}"#, "stop max", cut);
}

/// What happens to a turn, chosen by numbers so that shrinking stays meaningful.
#[derive(Debug, Clone)]
enum Step {
    /// The next event of the answer.
    Stream,
    /// A result for the n-th of the calls that are known; whether it runs or not.
    Result {
        call: usize,
        ok: bool,
    },
    StreamCut,
    TimeUp,
    Cancel,
    Pause,
    Resume,
    /// What enters between two steps, and whether it replaces what was said.
    Enter {
        said: bool,
        replaced: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => Just(Step::Stream),
        8 => (0..12_usize, any::<bool>()).prop_map(|(call, ok)| Step::Result { call, ok }),
        1 => Just(Step::StreamCut),
        2 => Just(Step::TimeUp),
        1 => Just(Step::Cancel),
        1 => Just(Step::Pause),
        2 => Just(Step::Resume),
        6 => (any::<bool>(), any::<bool>()).prop_map(|(said, replaced)| Step::Enter { said, replaced }),
    ];
    prop::collection::vec(step, 0..120)
}

/// The calls of one answer: the name, and how much of its arguments comes.
fn answer() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    let name = prop_oneof![5 => Just("Read"), 3 => Just("Write"), 1 => Just("Unknown")];
    let arguments = prop_oneof![6 => Just(r#"{"path":"a"}"#), 1 => Just(r#"{"path":"#), 1 => Just("")];
    prop::collection::vec((name, arguments), 0..6)
}

fn events_of(calls: &[(&'static str, &'static str)]) -> Vec<StreamEvent> {
    let mut events = vec![StreamEvent::Start { part: 0, kind: PartKind::Thinking }];
    for (part, (name, arguments)) in (1..).zip(calls) {
        let kind = PartKind::ToolCall { name: (*name).to_owned() };
        events.push(StreamEvent::Start { part, kind });
        events.push(StreamEvent::Delta { part, text: (*arguments).to_owned() });
    }
    events.push(StreamEvent::Stop(StopReason::ToolUse));
    events
}

/// What the reports so far say, kept by an observer that knows nothing of the machine.
#[derive(Default)]
struct Seen {
    started: Vec<CallId>,
    stopped: BTreeSet<CallId>,
    dropped: BTreeSet<CallId>,
    ran: BTreeSet<CallId>,
    running: BTreeMap<CallId, String>,
    results: BTreeSet<CallId>,
    asked: u32,
    entering: bool,
    entered: u32,
    waiting: bool,
    ended: bool,
}

impl Seen {
    fn take(&mut self, action: &Action, parallel: usize) -> Result<(), TestCaseError> {
        prop_assert!(!self.ended, "nothing comes after the end: {action:?}");
        match action {
            Action::Ask => {
                prop_assert!(!self.entering, "asked before what enters was known");
                self.asked += 1;
            }
            Action::Enter { .. } => {
                prop_assert!(self.results.len() == self.calls().len(), "entered before every result");
                self.entering = true;
            }
            Action::Wait(_) => self.waiting = true,
            Action::End(_) => {
                (self.ended, self.entering) = (true, false);
            }
            Action::Run(call) => {
                prop_assert!(self.stopped.contains(&call.id), "run before its arguments were whole");
                prop_assert!(self.ran.insert(call.id.clone()), "run twice");
                let writes = call.name == "Write";
                prop_assert!(!writes || self.running.is_empty(), "a writer beside another call");
                prop_assert!(!self.running.values().any(|name| name == "Write"), "a call beside a writer");
                self.running.insert(call.id.clone(), call.name.clone());
                prop_assert!(self.running.len() <= parallel);
            }
            Action::Report(Report::CallStart { id, .. }) => self.started.push(id.clone()),
            Action::Report(Report::CallStop { id, .. }) => {
                prop_assert!(self.stopped.insert(id.clone()), "stopped twice");
            }
            Action::Report(Report::Result(result)) => {
                prop_assert!(self.stopped.contains(&result.id), "a result before the end of the arguments");
                prop_assert!(self.results.insert(result.id.clone()), "two results");
                self.running.remove(&result.id);
            }
            Action::Report(Report::Abandoned { .. }) => {
                let open = self.started.iter().filter(|id| !self.stopped.contains(id)).cloned();
                self.dropped.extend(open.collect::<Vec<_>>());
            }
            Action::HangUp | Action::StopRunning | Action::Report(_) => {}
        }
        Ok(())
    }

    fn calls(&self) -> Vec<&CallId> {
        self.started.iter().filter(|id| !self.dropped.contains(id)).collect()
    }
}

/// What enters does so before the model is asked, and never between a call and its result.
#[test]
fn what_enters_between_two_steps() {
    let check = |inputs: Vec<Input>, expected: &[&str]| {
        let (mut turn, mut actions) = begin_with(BOUNDS, Between::Entry);
        for input in inputs {
            actions.extend(turn.take(input));
        }
        let told: Vec<String> = actions.iter().map(dump).filter(|line| is_of_steps(line)).collect();
        assert_eq!(told, expected);
        turn.messages().iter().filter(|message| matches!(message, Message::User { .. })).count()
    };
    let says = |texts: &[&str]| {
        let said = texts.iter().map(|text| Message::User { text: (*text).to_owned() }).collect();
        Input::Entry(Entry { replaced: None, said })
    };
    let nothing = || says(&[]);
    let call = || inputs("call 1 Free\n+1 {}\nstop tools");
    let ends = || inputs("text 1\n+1 a\nstop end");
    let done = |turn: &str| {
        let id = CallIds::default().mint();
        assert_eq!(id.as_str(), turn);
        Input::Result(CallResult::of(id, Ok(ToolOutput::default()), Duration::ZERO))
    };
    let joined = |parts: Vec<Vec<Input>>| parts.into_iter().flatten().collect::<Vec<_>>();
    let run = "run c1 Free {}";
    // After the results of the step, before the next is asked.
    let inputs_of =
        joined(vec![vec![nothing()], call(), vec![done("c1"), says(&["x", "y"])], ends(), vec![nothing()]]);
    let expected = ["enter", "ask", run, "enter", "ask", "enter at the end", "end Completed -"];
    assert_eq!(check(inputs_of, &expected), 3);
    // At the end of the turn: it goes on.
    let inputs_of = joined(vec![vec![nothing()], ends(), vec![says(&["x"])], ends(), vec![nothing()]]);
    let expected = ["enter", "ask", "enter at the end", "ask", "enter at the end", "end Completed -"];
    assert_eq!(check(inputs_of, &expected), 2);
    // A cancel does not wait for it, and what comes then is too late.
    assert_eq!(check(vec![Input::Cancel, says(&["x"])], &["enter", "end Cancelled -"]), 1);
    // A pause holds the step that it would begin.
    let paused = joined(vec![vec![Input::Pause, says(&["x"]), Input::Resume], ends(), vec![nothing()]]);
    assert_eq!(check(paused, &["enter", "ask", "enter at the end", "end Completed -"]), 2);
    // The last step that there is room for asks nobody.
    let one = |_: ()| joined(vec![vec![nothing()], call(), vec![done("c1"), nothing()]]);
    let (mut turn, mut actions) = begin_with(Bounds { steps: 1, parallel: 8 }, Between::Entry);
    one(()).into_iter().for_each(|input| actions.extend(turn.take(input)));
    let told: Vec<String> = actions.iter().map(dump).filter(|line| is_of_steps(line)).collect();
    assert_eq!(told, ["enter", "ask", run, "end Limit stopped after 1 steps; say \"go on\" to continue"]);
}

fn is_of_steps(line: &str) -> bool {
    ["enter", "ask", "run", "end"].contains(&line.split(' ').next().unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// For any order of results, cancels, pauses, cuts and waits: each call gets exactly one result, none runs twice,
    /// a writer is alone, and the conversation has the results in call order.
    #[test]
    fn each_call_has_one_result_whatever_happens(
        answers in prop::collection::vec(answer(), 1..4),
        steps in steps(),
        parallel in 1..4_usize,
        enters in any::<bool>(),
    ) {
        let bounds = Bounds { steps: 3, parallel };
        let between = if enters { Between::Entry } else { Between::Nothing };
        let (mut turn, mut actions) = begin_with(bounds, between);
        let mut seen = Seen::default();
        let mut left: Vec<StreamEvent> = Vec::new();
        // What is still open when the steps are used up ends by a cancel, with deaf tools.
        let endgame = [Step::Cancel, Step::TimeUp, Step::Stream, Step::Result { call: 0, ok: true }];
        for step in steps.iter().chain(&endgame) {
            let asked = seen.asked;
            for action in actions.drain(..) {
                seen.take(&action, parallel)?;
            }
            if seen.asked > asked {
                left = events_of(&answers[(seen.asked as usize - 1) % answers.len()]);
                left.reverse();
            }
            let input = match step {
                Step::Stream => left.pop().map_or(Input::StreamCut, Input::Stream),
                Step::Result { call, ok } => {
                    let id = seen.started.get(*call).cloned().unwrap_or_else(|| CallIds::default().mint());
                    // A tool can only end when it has begun; a stray result of another is tried all the same.
                    let returned = if *ok { Ok(ToolOutput::default()) } else { Err(crate::tools::ToolFailure::cancelled()) };
                    Input::Result(CallResult::of(id, returned, std::time::Duration::ZERO))
                }
                Step::StreamCut => Input::StreamCut,
                Step::TimeUp => Input::TimeUp,
                Step::Cancel => Input::Cancel,
                Step::Pause => Input::Pause,
                Step::Resume => Input::Resume,
                Step::Enter { said, replaced } => {
                    let user = |text: &str| Message::User { text: text.to_owned() };
                    let replaced = replaced.then(|| turn.messages().to_vec());
                    let said: Vec<Message> = said.then(|| user("steer")).into_iter().collect();
                    if std::mem::take(&mut seen.entering) {
                        seen.entered += said.len() as u32;
                    }
                    Input::Entry(Entry { replaced, said })
                }
            };
            actions = turn.take(input);
        }
        for action in actions.drain(..) {
            seen.take(&action, parallel)?;
        }
        prop_assert!(seen.ended && turn.is_ended());
        let said = turn.messages().iter().filter(|message| matches!(message, Message::User { .. })).count();
        prop_assert_eq!(said, 1 + seen.entered as usize, "what entered is there once");
        let calls = seen.calls();
        prop_assert_eq!(seen.results.iter().collect::<BTreeSet<_>>(), calls.iter().copied().collect::<BTreeSet<_>>());
        let told = |wanted: fn(&Message) -> Option<&str>| turn.messages().iter().filter_map(wanted).map(str::to_owned).collect::<Vec<_>>();
        let of_calls = told(|message| match message { Message::ToolCall { id, .. } => Some(id), _ => None });
        let of_results = told(|message| match message { Message::ToolResult { id, .. } => Some(id), _ => None });
        prop_assert_eq!(&of_calls, &calls.iter().map(ToString::to_string).collect::<Vec<_>>());
        prop_assert_eq!(&of_results, &of_calls);
        // A result never comes before its call, nor after something else was said.
        let mut open = BTreeSet::new();
        for message in turn.messages() {
            match message {
                Message::ToolCall { id, .. } => prop_assert!(open.insert(id.clone())),
                Message::ToolResult { id, .. } => prop_assert!(open.remove(id)),
                Message::User { .. } | Message::Steer { .. } | Message::Assistant { .. } | Message::Reasoning { .. } => prop_assert!(open.is_empty()),
            }
        }
        prop_assert!(open.is_empty());
    }
}
