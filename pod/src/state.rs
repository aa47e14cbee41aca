//! Which method is legal in which state, and what a refusal says.
//!
//! Owns the one table: method by state to "go on" or a code with a sentence. It changes nothing and knows nothing of
//! what a legal method does (`controller.rs`). What this version cannot do yet is refused here with the code `not_yet`,
//! so that a client is told the truth in place of silence.

use carpel_protocol::Method;
use carpel_protocol::word::PodState;

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

/// Whether `method` may be done in `state`.
pub fn verdict(method: &Method, state: &PodState) -> Result<(), Refusal> {
    match (method, state) {
        (Method::Unknown(unknown), _) => Err(unreadable(&unknown.tag, unknown.problem.as_deref())),
        (Method::Hello(_), _) => {
            Err(Refusal::new("already_attached", "hello is the first line of a connection, and only that"))
        }
        (Method::Shutdown(_), _) => Ok(()),
        (_, PodState::Stopping | PodState::Other(_)) => {
            Err(Refusal::new("stopping", "the pod is leaving; start a new one with `carpel`"))
        }
        (Method::Run(_), state) => run(state),
        (Method::Cancel(_), PodState::Idle) => {
            Err(Refusal::new("nothing_runs", "nothing runs, so there is nothing to cancel"))
        }
        (Method::SetModel(_), PodState::Idle) => Ok(()),
        (Method::SetModel(_), _) => Err(Refusal::new(
            "busy",
            "a turn runs, and the model can be changed between turns only; wait for its end or cancel it",
        )),
        (
            Method::Cancel(_)
            | Method::Rename(_)
            | Method::Approve(_)
            | Method::Output(_)
            | Method::Models(_),
            _,
        ) => Ok(()),
        (Method::Pause(_) | Method::Resume(_), _) => {
            Err(not_yet("pausing a turn", "cancel it and ask again"))
        }
        (Method::Compact(_), _) => Err(not_yet("compacting", "start a new session")),
        (Method::Dequeue(_), _) => Err(not_yet("the queue", "nothing waits in it")),
    }
}

/// The log cannot be written, says `sentence`.
pub fn log_failed(sentence: impl Into<String>) -> Refusal {
    Refusal::new("log_failed", sentence)
}

fn run(state: &PodState) -> Result<(), Refusal> {
    match state {
        PodState::Idle => Ok(()),
        PodState::Running | PodState::Paused => Err(Refusal::new(
            "busy",
            "a turn runs and prompts cannot be queued yet; wait for its end or cancel it, then send again",
        )),
        PodState::Cancelling => {
            Err(Refusal::new("cancelling", "the turn is being cancelled; send again when it has ended"))
        }
        PodState::Compacting => {
            Err(Refusal::new("compacting", "the history is being compacted; send again when that is done"))
        }
        PodState::Stopping | PodState::Other(_) => Err(Refusal::new("stopping", "the pod is leaving")),
    }
}

fn not_yet(what: &str, way_out: &str) -> Refusal {
    Refusal::new("not_yet", format!("{what} is not in this version; {way_out}"))
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

    #[test]
    fn the_whole_table() {
        let methods = [
            r#"{"method":"hello","protocol":1}"#,
            r#"{"method":"run","text":"x"}"#,
            r#"{"method":"run","text":"x","mode":"steer"}"#,
            r#"{"method":"dequeue","item":"q1"}"#,
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
        let mut table = String::new();
        for line in methods {
            let method = method(line);
            table.push_str(method.tag());
            for state in &STATES {
                table.push_str(&match verdict(&method, state) {
                    Ok(()) => format!(" | {state}: ok"),
                    Err(refusal) => format!(" | {state}: {}", refusal.code),
                });
            }
            table.push('\n');
        }
        let all = |word: &str| STATES.iter().map(|state| format!(" | {state}: {word}")).collect::<String>();
        let but_stopping = |word: &str| all(word).replace(&format!("stopping: {word}"), "stopping: stopping");
        let run = "run | idle: ok | running: busy | paused: busy | cancelling: cancelling | compacting: compacting | stopping: stopping";
        let expected = [
            format!("hello{}", all("already_attached")),
            run.to_owned(),
            run.to_owned(),
            format!("dequeue{}", but_stopping("not_yet")),
            "cancel | idle: nothing_runs | running: ok | paused: ok | cancelling: ok | compacting: ok | stopping: stopping".to_owned(),
            format!("pause{}", but_stopping("not_yet")),
            format!("resume{}", but_stopping("not_yet")),
            format!("compact{}", but_stopping("not_yet")),
            format!("approve{}", but_stopping("ok")),
            format!("output{}", but_stopping("ok")),
            format!("rename{}", but_stopping("ok")),
            "set_model | idle: ok | running: busy | paused: busy | cancelling: busy | compacting: busy | stopping: stopping".to_owned(),
            format!("models{}", but_stopping("ok")),
            format!("shutdown{}", all("ok")),
            format!("run{}", all("bad_fields")),
            format!("from_the_future{}", all("unknown_method")),
        ];
        assert_eq!(table, expected.map(|row| row + "\n").concat());
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        let check = |json: &str, state: PodState, expected: &str| {
            let refusal = verdict(&method(json), &state).unwrap_err();
            assert!(refusal.message.contains(expected), "{}", refusal.message);
        };
        check(r#"{"method":"run"}"#, PodState::Idle, "missing field `text`");
        check(r#"{"method":"walk"}"#, PodState::Idle, "`walk`");
        check(r#"{"method":"pause"}"#, PodState::Running, "not in this version");
        check(r#"{"method":"run","text":"x"}"#, PodState::Running, "cancel it");
    }
}
