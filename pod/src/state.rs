//! Which method is legal in which state, and what a refusal says.
//!
//! Owns the one table: method by state to "go on" or a code with a sentence; `docs/control.md` shows it. It changes nothing
//! and knows nothing of what a legal method does (`controller.rs`): what depends on more than the state, such as an item
//! that is not in the queue, is refused there. Read next: `controller.rs`.

use carpel_protocol::Method;
use carpel_protocol::word::{PodState, RunMode};

/// Why a method cannot be done now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A word for programs.
    pub code: &'static str,
    /// A sentence for the person.
    pub message: String,
}

impl Refusal {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// The log cannot be written, says `sentence`.
pub fn log_failed(sentence: impl Into<String>) -> Refusal {
    Refusal::new("log_failed", sentence)
}

/// Whether `method` may be done in `state`.
pub fn verdict(method: &Method, state: &PodState) -> Result<(), Refusal> {
    match row(method)?[column(state)] {
        None => Ok(()),
        Some((code, message)) => Err(Refusal::new(code, message)),
    }
}

/// Absent: the method is done. Else a code and a sentence.
type Cell = Option<(&'static str, &'static str)>;

const OK: Cell = None;
const BUSY: Cell = Some(("busy", "a turn runs; steer it or queue the prompt behind it"));
const ENDING: Cell = Some(("cancelling", "the turn is being cancelled; send again when it has ended"));
const IDLE: Cell = Some(("nothing_runs", "nothing runs, so there is nothing to cancel or to pause"));
const LEAVING: Cell = Some(("stopping", "the pod is leaving; start a new one with `carpel`"));
const PAUSED: Cell = Some(("already_paused", "the turn is paused already; resume it or cancel it"));
const GOING: Cell = Some(("not_paused", "the turn is not paused, it goes on"));
const COMPACTING: Cell =
    Some(("compacting", "the history is being compacted; wait for its end or cancel it"));
const COMPACT_RUNNING: Cell = Some(("running", "a turn is running; compact when it has ended"));
const COMPACT_PAUSED: Cell =
    Some(("paused", "a turn is paused; resume it or cancel it, and compact when it has ended"));
const MODEL: Cell = Some((
    "busy",
    "a turn runs, and the model can be changed between turns only; wait for its end or cancel it",
));
const HELLO: Cell = Some(("already_attached", "hello is the first line of a connection, and only that"));

/// A cell for each state, in the order of [`column`].
type Row = [Cell; 6];

#[rustfmt::skip]
fn row(method: &Method) -> Result<Row, Refusal> {
    Ok(match method {
        // method                 idle   running          paused          cancelling  compacting  stopping
        Method::Hello(_)      => [HELLO, HELLO,           HELLO,          HELLO,      HELLO,      HELLO],
        Method::Run(run)      => return row_of_prompt(&run.mode),
        Method::Dequeue(_)    => [OK,    OK,              OK,             OK,         OK,         LEAVING],
        Method::Edit(_)       => [OK,    OK,              OK,             OK,         OK,         LEAVING],
        Method::Cancel(_)     => [IDLE,  OK,              OK,             OK,         OK,         LEAVING],
        Method::Pause(_)      => [IDLE,  OK,              PAUSED,         ENDING,     COMPACTING, LEAVING],
        Method::Resume(_)     => [OK,    GOING,           OK,             ENDING,     COMPACTING, LEAVING],
        Method::Compact(_)    => [OK,    COMPACT_RUNNING, COMPACT_PAUSED, ENDING,     COMPACTING, LEAVING],
        Method::Approve(_)    => [OK,    OK,              OK,             OK,         OK,         LEAVING],
        Method::Output(_)     => [OK,    OK,              OK,             OK,         OK,         LEAVING],
        Method::Rename(_)     => [OK,    OK,              OK,             OK,         OK,         LEAVING],
        Method::SetModel(_)   => [OK,    MODEL,           MODEL,          MODEL,      COMPACTING, LEAVING],
        Method::Models(_)     => [OK,    OK,              OK,             OK,         OK,         LEAVING],
        Method::Shutdown(_)   => [OK,    OK,              OK,             OK,         OK,         OK],
        Method::Unknown(unknown) => return Err(unreadable(&unknown.tag, unknown.problem.as_deref())),
    })
}

#[rustfmt::skip]
fn row_of_prompt(mode: &RunMode) -> Result<Row, Refusal> {
    Ok(match mode {
        // mode                   idle   running          paused          cancelling  compacting  stopping
        RunMode::Now          => [OK,    BUSY,            BUSY,           ENDING,     OK,         LEAVING],
        RunMode::Steer        => [OK,    OK,              OK,             ENDING,     OK,         LEAVING],
        RunMode::FollowUp     => [OK,    OK,              OK,             OK,         OK,         LEAVING],
        RunMode::Other(word)  => {
            let text = format!("`{word}` is no mode of a prompt; send it with now, steer or follow_up");
            return Err(Refusal::new("bad_fields", text));
        }
    })
}

fn column(state: &PodState) -> usize {
    match state {
        PodState::Idle => 0,
        PodState::Running => 1,
        PodState::Paused => 2,
        PodState::Cancelling => 3,
        PodState::Compacting => 4,
        // A state of another version is none in which anything should be begun.
        PodState::Stopping | PodState::Other(_) => 5,
    }
}

fn unreadable(tag: &str, problem: Option<&str>) -> Refusal {
    match problem {
        Some(problem) => Refusal::new("bad_fields", format!("`{tag}` was not understood: {problem}")),
        None => Refusal::new(
            "unknown_method",
            format!("this pod knows no method `{tag}`; is it older than the client?"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use carpel_protocol::MethodLine;

    use super::*;

    /// In the order of the columns.
    const STATES: [PodState; 6] = [
        PodState::Idle,
        PodState::Running,
        PodState::Paused,
        PodState::Cancelling,
        PodState::Compacting,
        PodState::Stopping,
    ];

    fn method(json: &str) -> Method {
        MethodLine::decode(json.as_bytes()).unwrap().method
    }

    /// Every method that the protocol knows, each mode of a prompt, and two that it does not.
    const METHODS: [&str; 18] = [
        r#"{"method":"hello","protocol":1}"#,
        r#"{"method":"run","text":"x"}"#,
        r#"{"method":"run","text":"x","mode":"steer"}"#,
        r#"{"method":"run","text":"x","mode":"follow_up"}"#,
        r#"{"method":"dequeue","item":"q1"}"#,
        r#"{"method":"edit","item":"q1","text":"x"}"#,
        r#"{"method":"cancel"}"#,
        r#"{"method":"pause"}"#,
        r#"{"method":"resume"}"#,
        r#"{"method":"compact"}"#,
        r#"{"method":"approve","request":"r","decision":"once"}"#,
        r#"{"method":"output","call":"c1"}"#,
        r#"{"method":"rename","title":"t"}"#,
        r#"{"method":"set_model","model":"m"}"#,
        r#"{"method":"models"}"#,
        r#"{"method":"shutdown"}"#,
        r#"{"method":"run"}"#,
        r#"{"method":"from_the_future"}"#,
    ];

    /// The table as a person reads it, made of verdicts.
    fn shown() -> String {
        let mut table = "| method |".to_owned();
        STATES.iter().for_each(|state| table.push_str(&format!(" {state} |")));
        table.push_str(&format!("\n|---|{}\n", "---|".repeat(STATES.len())));
        let mut sentences: Vec<(&str, String)> = Vec::new();
        for method in METHODS[..METHODS.len() - 2].iter().map(|json| method(json)) {
            let mode = match &method {
                Method::Run(run) => format!(" `{}`", run.mode),
                _ => String::new(),
            };
            table.push_str(&format!("| `{}`{mode} |", method.tag()));
            for state in &STATES {
                table.push_str(&match verdict(&method, state) {
                    Ok(()) => " done |".to_owned(),
                    Err(refusal) => {
                        let sentence = (refusal.code, refusal.message);
                        let code = sentence.0;
                        if !sentences.contains(&sentence) {
                            sentences.push(sentence);
                        }
                        format!(" `{code}` |")
                    }
                });
            }
            table.push('\n');
        }
        table.push_str("\n| code | what is said |\n|---|---|\n");
        sentences.iter().for_each(|(code, said)| table.push_str(&format!("| `{code}` | {said} |\n")));
        table
    }

    #[test]
    fn the_whole_table_stands_in_the_documentation() {
        let documented = include_str!("../../docs/control.md");
        let begin = documented.find("| method |").expect("docs/control.md has no table");
        let table = shown();
        let there = &documented[begin..documented.len().min(begin + table.len())];
        assert_eq!(there, table, "docs/control.md shows another table; it should be this one:\n{table}");
    }

    #[test]
    fn the_columns_stand_in_their_order() {
        assert_eq!(STATES.each_ref().map(column), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn every_method_has_a_row_and_what_is_no_method_is_refused_in_each_state() {
        let tags: std::collections::BTreeSet<String> =
            METHODS.iter().map(|json| method(json).tag().to_owned()).collect();
        let known = Method::TAGS.iter().map(|tag| (*tag).to_owned());
        assert!(known.into_iter().all(|tag| tags.contains(&tag)), "a method without a row");
        let later = PodState::Other("dreaming".to_owned());
        for state in STATES.iter().chain([&later]) {
            for (json, code) in [
                (METHODS[16], "bad_fields"),
                (METHODS[17], "unknown_method"),
                (r#"{"method":"run","text":"x","mode":"yesterday"}"#, "bad_fields"),
            ] {
                assert_eq!(verdict(&method(json), state).unwrap_err().code, code, "{json} {state}");
            }
        }
        assert_eq!(verdict(&method(METHODS[1]), &later).unwrap_err().code, "stopping");
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        let check = |json: &str, state: PodState, expected: &str| {
            let refusal = verdict(&method(json), &state).unwrap_err();
            assert!(refusal.message.contains(expected), "{}", refusal.message);
        };
        check(r#"{"method":"run"}"#, PodState::Idle, "missing field `text`");
        check(r#"{"method":"walk"}"#, PodState::Idle, "`walk`");
        check(r#"{"method":"run","text":"x"}"#, PodState::Running, "steer it or queue");
    }
}
