//! stub
use anyhow::Result;
pub fn run(_: &std::path::Path) -> Result<(String, serde_json::Value)> { anyhow::bail!("not yet") }
