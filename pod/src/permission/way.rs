//! What would let a call run that is not allowed: modes, or a rule, found by trying them.
//!
//! Owns the advice to somebody who cannot be asked. Each mode and the rule for this very place or command is put to
//! [`decide`] itself, so nothing is advised that would not help. It refuses to know who reads it. Pure.

use super::{Mode, Permissions, Rule, SessionGrants, Verdict, decide};
use crate::tools::Intent;

/// A clause about how this call can run, e.g. "`--approval-mode edits` or `all` allows it, and the chat asks". Empty
/// where a deny rule forbids it.
pub fn way_out(intent: &Intent, tool: &str, permissions: &Permissions) -> String {
    let allows = |permissions: &Permissions| {
        decide(intent, tool, permissions, &SessionGrants::default()) == Verdict::Allow
    };
    let asks = |mode| !matches!(decide_in(intent, tool, permissions, mode), Verdict::Deny { .. });
    let modes: Vec<String> = [Mode::Ask, Mode::Edits, Mode::All]
        .into_iter()
        .filter(|mode| allows(&Permissions { mode: *mode, ..permissions.clone() }))
        .map(|mode| format!("`{mode}`"))
        .collect();
    if !modes.is_empty() {
        let named = modes.join(" or ").replacen('`', "`--approval-mode ", 1);
        let asks = if asks(permissions.mode) { ", and the chat asks" } else { "" };
        return format!("{named} allows it{asks}");
    }
    if !asks(Mode::All) {
        return String::new();
    }
    let rule = candidate(intent, tool, permissions).filter(|rule| {
        let mut with = permissions.clone();
        with.allow.push(rule.clone());
        allows(&with)
    });
    match rule {
        Some(rule) => format!(
            "no mode allows it, but `allow = ['{rule}']` under [permissions] in your manifest does, and the chat asks"
        ),
        None => "no mode allows it without asking; the chat (`carpel`) asks".to_owned(),
    }
}

fn decide_in(intent: &Intent, tool: &str, permissions: &Permissions, mode: Mode) -> Verdict {
    let permissions = Permissions { mode, ..permissions.clone() };
    decide(intent, tool, &permissions, &SessionGrants::default())
}

/// The narrowest rule that could allow the call, when one can be written for it.
fn candidate(intent: &Intent, tool: &str, permissions: &Permissions) -> Option<Rule> {
    if let Some(command) = &intent.command {
        return format!("{tool}({command})").parse().ok();
    }
    let [place] = intent.paths.as_slice() else { return None };
    let path = &place.path;
    let home = permissions.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
    let text = match (path.strip_prefix(&permissions.root), home) {
        (Ok(below), _) => format!("./{}", below.to_str()?),
        (Err(_), Some(below)) => format!("~/{}", below.to_str()?),
        (Err(_), None) => path.to_str()?.to_owned(),
    };
    // In a manifest it stands between quotes; a name that a glob or a quote would change is left to the person.
    let is_plain = |c: char| !c.is_control() && !"*?[]{}()\\'!".contains(c);
    text.chars().all(is_plain).then(|| format!("{tool}({text})").parse().ok()).flatten()
}
