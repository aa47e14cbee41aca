//! Names of tools that a server of the Model Context Protocol offers: `mcp__server__tool`.
//!
//! It takes such a name apart, nothing else. How their results look is in `content.rs`.

/// The server and the tool in such a name.
///
/// ```
/// assert_eq!(carpel_tool_views::mcp::parts("mcp__github__list_issues"), Some(("github", "list_issues")));
/// assert_eq!(carpel_tool_views::mcp::parts("mcp__github"), None);
/// ```
pub fn parts(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}
