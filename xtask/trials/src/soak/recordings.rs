//! The recordings of the host's tests, as events for a pod to say.
//!
//! It owns which of their lines are said: events of turns. What they do to the connection and the window the episode does
//! itself.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use carpel_protocol::recording::{Step, decode_step};
use serde_json::Value;

/// Events of a recording that are not of a turn.
const OTHERS: [&str; 5] = ["hello", "history", "bye", "approval_request", "approval_resolved"];

/// The events of each recording.
///
/// # Errors
/// When the folder or a file cannot be read, or there is none.
pub fn all() -> Result<Vec<Vec<Value>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../host/tests/data/recordings");
    let listed = std::fs::read_dir(&folder).with_context(|| format!("{}: not readable", folder.display()))?;
    let mut paths = listed.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    let recordings = paths.iter().map(|path| {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{}: not readable", path.display()))?;
        Ok(events(&text))
    });
    let recordings: Vec<Vec<Value>> = recordings.collect::<Result<_>>()?;
    ensure!(!recordings.is_empty(), "{}: no recordings", folder.display());
    Ok(recordings)
}

fn events(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| matches!(decode_step(line.as_bytes()), Ok(Step::Event(_))));
    let values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values
        .filter(|value| !OTHERS.contains(&value.get("event").and_then(Value::as_str).unwrap_or_default()))
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_are_many() {
        let all = super::all().unwrap();
        assert!(all.len() > 20 && all.iter().all(|events| !events.is_empty()));
    }
}
