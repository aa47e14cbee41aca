//! Every way to misbehave that the server knows, through both wires: as one step, and as a whole turn.

use std::collections::BTreeSet;

use carpel_pod::provider::{Message, Tokens};
use carpel_pod::worker::turn::EndReason;
use mock_llm::{Answer, Block, End, Misbehaviour, MockLlm, Request, Script, Wire, misbehaviours};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::common::{Seen, events, normal, provider, seen, turn};

/// The server for one, which is done after what it has to say.
fn serve(one: &Misbehaviour) -> MockLlm {
    let script = one.replies.iter().fold(Script::new(), |script, reply| script.then(reply.clone()));
    MockLlm::start(script.otherwise(Answer::new().text("done"))).unwrap()
}

/// Runs all at once, so that those that wait for silence wait together; tells every one that is wrong.
async fn all<F: Future<Output = Result<(), String>> + Send + 'static>(check: fn(Misbehaviour) -> F) {
    let mut running = JoinSet::new();
    for one in Wire::ALL.into_iter().flat_map(misbehaviours) {
        running.spawn(async move {
            let name = format!("{:?} {} {}", one.wire, one.number, one.about);
            check(one).await.map_err(|problem| format!("{name}:\n    {problem}"))
        });
    }
    let mut wrong = BTreeSet::new();
    while let Some(done) = running.join_next().await {
        wrong.extend(done.map_err(|error| error.to_string()).and_then(|result| result).err());
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), Vec::from_iter(wrong).join("\n"));
}

#[tokio::test]
async fn each_step_is_understood() {
    all(step).await;
}

async fn step(one: Misbehaviour) -> Result<(), String> {
    let mock = serve(&one);
    let provider = provider(one.wire, &mock);
    for _ in 1..one.replies.len() {
        let seen = seen(&events(provider.as_ref()).await);
        equal("the first try", &seen.end, &Some(End::Failed { retry: true }))?;
    }
    let Seen { blocks, end, usage } = seen(&events(provider.as_ref()).await);
    equal("the end", &end, &Some(one.end))?;
    if !matches!(one.end, End::Failed { .. }) {
        let outcomes = outcomes(&one);
        if !outcomes.contains(&blocks) {
            return Err(format!("{}\n    wanted: {outcomes:?}", short(&blocks)));
        }
    }
    if let Some(wanted) = one.usage {
        let wanted = Tokens { input: wanted.input, output: wanted.output, cached: wanted.cached };
        equal("the usage", &usage, &Some(wanted))?;
    }
    Ok(())
}

#[tokio::test]
async fn each_turn_runs_what_is_whole_and_once() {
    all(whole_turn).await;
}

async fn whole_turn(one: Misbehaviour) -> Result<(), String> {
    let mock = serve(&one);
    let turn = turn(provider(one.wire, &mock)).await;
    let runs: Vec<Vec<String>> = outcomes(&one).iter().map(|blocks| to_run(one.end, blocks)).collect();
    if !runs.contains(&turn.runs) {
        return Err(format!("ran {:?}, wanted {runs:?}", turn.runs));
    }
    let retries = one.replies.len() - 1 + usize::from(one.end == End::Failed { retry: true });
    equal("steps asked again", &turn.abandoned.len(), &retries)?;
    let reason = match one.end {
        End::Failed { retry: false } => EndReason::Failed,
        _ => EndReason::Completed,
    };
    equal("the turn's end", &turn.report.end.reason, &reason)?;
    let calls = ids(&turn.report.messages, true);
    equal("results of calls", &ids(&turn.report.messages, false), &calls)?;
    sent_back(&one, &mock.asked())
}

/// The runs that a step should lead to.
fn to_run(end: End, blocks: &[Block]) -> Vec<String> {
    let arguments = blocks.iter().filter_map(|block| match block {
        Block::Call { arguments, .. } => Some(arguments),
        Block::Thinking(_) | Block::Text(_) => None,
    });
    let is_object = |text: &&String| serde_json::from_str(text).is_ok_and(|value: Value| value.is_object());
    match end {
        End::Failed { .. } => Vec::new(),
        End::Whole | End::Limit => arguments.filter(is_object).cloned().collect(),
    }
}

/// Ids of the calls, or of the results, in order.
fn ids(messages: &[Message], calls: bool) -> Vec<String> {
    let id = |message: &Message| match message {
        Message::ToolCall { id, .. } if calls => Some(id.clone()),
        Message::ToolResult { id, .. } if !calls => Some(id.clone()),
        _ => None,
    };
    messages.iter().filter_map(id).collect()
}

/// What the last request holds of the answer: what has to come back, and ids that any provider takes.
fn sent_back(one: &Misbehaviour, asked: &[Request]) -> Result<(), String> {
    let body = &asked.last().ok_or("nothing was asked")?.body;
    let messages = body["messages"].as_array().ok_or("no messages")?;
    let blocks: Vec<&Value> =
        messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten()).collect();
    let kept: Vec<&Value> = blocks
        .iter()
        .copied()
        .filter(|block| ["thinking", "redacted_thinking"].iter().any(|kind| block["type"] == *kind))
        .collect();
    if !one.replayed.is_empty() {
        equal("thinking sent back", &kept, &one.replayed.iter().collect())?;
    }
    let (calls, results): (Vec<&Value>, Vec<&Value>) = match one.wire {
        Wire::Anthropic => {
            let of = |kind: &str, key: &str| {
                blocks.iter().filter(|block| block["type"] == kind).map(|block| &block[key]).collect()
            };
            (of("tool_use", "id"), of("tool_result", "tool_use_id"))
        }
        Wire::Chat => (
            messages
                .iter()
                .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten())
                .map(|call| &call["id"])
                .collect(),
            messages.iter().filter(|m| m["role"] == "tool").map(|m| &m["tool_call_id"]).collect(),
        ),
    };
    equal("ids of results", &results, &calls)?;
    let fit = |id: &Value| {
        let id = id.as_str().unwrap_or_default();
        (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let unique: BTreeSet<&str> = calls.iter().filter_map(|id| id.as_str()).collect();
    if unique.len() != calls.len() || !calls.iter().all(|id| fit(id)) {
        return Err(format!("ids that are sent back: {calls:?}"));
    }
    Ok(())
}

fn outcomes(one: &Misbehaviour) -> Vec<Vec<Block>> {
    one.outcomes.iter().map(|blocks| blocks.iter().cloned().map(normal).collect()).collect()
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, is: &T, wanted: &T) -> Result<(), String> {
    if is == wanted { Ok(()) } else { Err(format!("{what}: {}, wanted {}", short(is), short(wanted))) }
}

/// As much of it as a person reads.
fn short(what: &impl std::fmt::Debug) -> String {
    let text = format!("{what:?}");
    if text.chars().count() > 600 { text.chars().take(600).chain("...".chars()).collect() } else { text }
}
