//! Whether a call may run: only whole, valid arguments of a known tool do.
//!
//! Owns the sentences that a model gets back in place of a result. Broken text is never mended, never replaced by `{}`
//! and never run in part; no text at all is an empty object, unless the answer was cut there. It refuses to know when
//! a call runs (`batch.rs`).

use serde_json::{Map, Value};

use super::answer::AskedCall;
use crate::provider::StopReason;
use crate::tools::{Access, ToolFailure, ToolSpec, check_arguments};

/// Names closer than this are worth naming; 1 is equal.
const NEAR: f64 = 0.7;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    Run {
        arguments: Value,
        access: Access,
    },
    /// The arguments are no JSON; the sentence says why.
    Broken(String),
    /// They are, but the call cannot be done.
    Refused(ToolFailure),
}

pub(super) fn judge(tools: &[ToolSpec], call: &AskedCall, stop: StopReason) -> Verdict {
    if stop == StopReason::Refusal {
        return Verdict::Refused(ToolFailure::new("not run: the model ended its answer with a refusal"));
    }
    let cut = matches!(stop, StopReason::MaxTokens | StopReason::WindowFull);
    let arguments = match parse(call, cut) {
        Ok(arguments) => arguments,
        Err(problem) => return Verdict::Broken(problem),
    };
    let Some(spec) = tools.iter().find(|spec| spec.name == call.name) else {
        return Verdict::Refused(unknown(tools, &call.name));
    };
    match check_arguments(spec, &arguments) {
        Ok(()) => Verdict::Run { arguments, access: spec.access },
        Err(failure) => Verdict::Refused(failure),
    }
}

fn parse(call: &AskedCall, cut: bool) -> Result<Value, String> {
    if cut && (!call.ended || call.arguments.trim().is_empty()) {
        return Err(cut_off());
    }
    if call.arguments.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_str(&call.arguments).map_err(|error| {
        if cut {
            return cut_off();
        }
        format!(
            "not run: the arguments are not valid JSON ({error}); send the call again with one whole object"
        )
    })
}

fn cut_off() -> String {
    "not run: the answer reached its output limit inside this call; send it again, with shorter arguments"
        .to_owned()
}

fn unknown(tools: &[ToolSpec], name: &str) -> ToolFailure {
    let likeness = |spec: &&ToolSpec| strsim::jaro_winkler(&spec.name.to_lowercase(), &name.to_lowercase());
    let nearest = tools.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let way_out = match nearest {
        Some(spec) if likeness(&spec) >= NEAR => format!("did you mean `{}`?", spec.name),
        Some(_) => {
            let names: Vec<&str> = tools.iter().map(|spec| spec.name).collect();
            format!("there are {}", names.join(", "))
        }
        None => "there are none".to_owned(),
    };
    ToolFailure::new(format!("there is no tool `{name}`; {way_out}"))
}
