//! Scenarios: scripts in files of JSON Lines, for use by hand.
//!
//! Owns the format: a line is `{"about": ...}`, or a step: `when` (round, prompt, model), `times`, and one of `say` (a
//! list of parts), `error`, `echo`; with `fragment`, `every_ms`, `over_ms`, `fault`, `after` for the delivery; or all of the
//! catalogue by `{"misbehaviours": true}`. The files that come with the program stand in `scenarios/` and are compiled in.
//! It refuses to know what a script does with the steps.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::answer::{Answer, Part, Stop, Wire};
use crate::misbehaviour::misbehaviours;
use crate::reply::{Delivery, Fault, Pace, Reply};
use crate::script::{Script, When};
use crate::trouble::Trouble;

/// A script with a word about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    pub name: String,
    pub about: String,
    pub script: Script,
}

/// Why there is no scenario.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    #[error("{}: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("{name}, line {line}: {what}")]
    Line { name: String, line: usize, what: String },
}

const BUILT_IN: &[(&str, &str)] = &[
    ("echo", include_str!("../scenarios/echo.jsonl")),
    ("conversation", include_str!("../scenarios/conversation.jsonl")),
    ("slow-write", include_str!("../scenarios/slow-write.jsonl")),
    ("long-answer", include_str!("../scenarios/long-answer.jsonl")),
    ("errors", include_str!("../scenarios/errors.jsonl")),
    ("hostile", include_str!("../scenarios/hostile.jsonl")),
    ("misbehave", include_str!("../scenarios/misbehave.jsonl")),
];

impl Scenario {
    /// Those that come with the program.
    pub fn built_in() -> Result<Vec<Scenario>, ScenarioError> {
        BUILT_IN.iter().map(|(name, text)| Scenario::parse(name, text)).collect()
    }

    /// The built-in scenario of this name, else the file of this name.
    pub fn find(name: &str) -> Result<Scenario, ScenarioError> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(is, _)| *is == name) {
            return Scenario::parse(name, text);
        }
        let path = PathBuf::from(name);
        let text =
            std::fs::read_to_string(&path).map_err(|error| ScenarioError::Unreadable { path, error })?;
        Scenario::parse(name, &text)
    }

    /// Reads the lines of a scenario.
    pub fn parse(name: &str, text: &str) -> Result<Scenario, ScenarioError> {
        let mut scenario =
            Scenario { name: name.to_owned(), about: String::new(), script: Script::echo(by_hand()) };
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: String| ScenarioError::Line { name: name.to_owned(), line: at + 1, what };
            let line: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            if let Some(about) = line["about"].as_str() {
                scenario.about = about.to_owned();
                continue;
            }
            if line["misbehaviours"] == true {
                scenario.script = with_misbehaviours(scenario.script);
                continue;
            }
            let (when, times) = (when(&line["when"]), number(&line["times"]));
            // A step without a condition would hide those after it for ever.
            let times = times.or((when == When::default()).then_some(1));
            scenario.script = scenario.script.step(when, reply(&line, at).map_err(wrong)?, times);
        }
        Ok(scenario)
    }
}

/// A prompt that holds `#19` gets number 19, each of its forms in turn.
fn with_misbehaviours(mut script: Script) -> Script {
    for one in Wire::ALL.into_iter().flat_map(misbehaviours) {
        let prompt = Some(format!("#{:02}", one.number));
        for reply in one.replies {
            let when =
                When { wire: Some(one.wire), prompt: prompt.clone(), round: Some(0), ..When::default() };
            script = script.step(when, reply, Some(1));
        }
    }
    script
}

/// As fast as a model that a person can follow.
fn by_hand() -> Delivery {
    Delivery { fragment: 6, pace: Pace::Every(Duration::from_millis(15)), ..Delivery::default() }
}

fn when(value: &Value) -> When {
    let word = |key: &str| value[key].as_str().map(str::to_owned);
    When { model: word("model"), prompt: word("prompt"), round: number(&value["round"]), ..When::default() }
}

fn reply(line: &Value, at: usize) -> Result<Reply, String> {
    if let Some(error) = line["error"].as_str() {
        return trouble(error, line).map(Reply::Fail);
    }
    let delivery = delivery(line)?;
    if line["echo"] == true {
        return Ok(Reply::Echo(delivery));
    }
    let parts = line["say"].as_array();
    let parts = parts.ok_or("a step has one of `say`, `error`, `echo`")?;
    let mut answer = Answer::new();
    for (index, value) in parts.iter().enumerate() {
        answer.parts.push(part(value, &format!("call_mock_{at}_{index}"))?);
    }
    answer.stop = match line["stop"].as_str() {
        None => None,
        Some("max_tokens") => Some(Stop::MaxTokens),
        Some("refusal") => Some(Stop::Refusal),
        Some(other) => return Err(format!("`stop` is max_tokens or refusal, not `{other}`")),
    };
    Ok(Reply::Say { answer, delivery })
}

fn part(value: &Value, id: &str) -> Result<Part, String> {
    let repeat = number(&value["repeat"]).unwrap_or(1);
    let word = |key: &str| value[key].as_str().map(|text| text.repeat(repeat));
    if let Some(text) = word("thinking") {
        let signature = word("signature").unwrap_or_else(|| "c2lnbmF0dXJlIG9mIGEgbW9jaw==".to_owned());
        return Ok(Part::Thinking { text, signature });
    }
    if let Some(text) = word("text") {
        return Ok(Part::Text(text));
    }
    let name = value["call"].as_str().ok_or("a part has one of `thinking`, `text`, `call`")?.to_owned();
    let arguments = value["raw"].as_str().map_or_else(|| value["arguments"].to_string(), str::to_owned);
    let id = value["id"].as_str().unwrap_or(id).to_owned();
    Ok(Part::Call { id, name, arguments })
}

fn delivery(line: &Value) -> Result<Delivery, String> {
    let time = |key: &str| line[key].as_u64().map(Duration::from_millis);
    let pace = match (time("every_ms"), time("over_ms")) {
        (Some(pause), _) => Pace::Every(pause),
        (None, Some(time)) => Pace::Over(time),
        (None, None) => by_hand().pace,
    };
    let fragment = number(&line["fragment"]).unwrap_or(by_hand().fragment);
    let fault = line["fault"].as_str().map(|word| fault(word, line)).transpose()?;
    Ok(Delivery { fragment, pace, fault, ..Delivery::default() })
}

fn fault(word: &str, line: &Value) -> Result<Fault, String> {
    let after = number(&line["after"]);
    Ok(match (word, after) {
        ("close", None) => Fault::NoAnswer,
        ("silence", _) => Fault::Silence,
        ("reset", None) => Fault::ResetAtOnce,
        ("reset", Some(after)) => Fault::ResetAfter(after),
        ("close", Some(after)) => Fault::CutAfter(after),
        ("half-chunk", after) => Fault::HalfChunkAfter(after.unwrap_or(0)),
        ("stall", after) => Fault::StallAfter(after.unwrap_or(0)),
        _ => return Err(format!("`fault` is close, silence, reset, half-chunk or stall, not `{word}`")),
    })
}

fn trouble(word: &str, line: &Value) -> Result<Trouble, String> {
    let after = number(&line["retry_after"]).and_then(|seconds| u32::try_from(seconds).ok());
    Ok(match word {
        "bad-key" => Trouble::BadKey,
        "forbidden" => Trouble::Forbidden,
        "unknown-model" => Trouble::UnknownModel,
        "refused-schema" => Trouble::RefusedSchema,
        "too-many-tokens" => Trouble::TooManyTokens,
        "too-large" => Trouble::TooLarge,
        "rate-limited" => Trouble::RateLimited { retry_after: after },
        "no-quota" => Trouble::NoQuota,
        "internal" => Trouble::Internal,
        "bad-gateway" => Trouble::BadGateway,
        "unavailable" => Trouble::Unavailable,
        "overloaded" => Trouble::Overloaded,
        "html" => Trouble::Html,
        "not-a-stream" => Trouble::NotAStream,
        _ => return Err(format!("there is no error `{word}`")),
    })
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}
