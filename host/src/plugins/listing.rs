//! What is told of plugins, for `:plugins` and `carpel plugin list`: each with its state, its keys, and why it is not used.
//!
//! Everything of a plugin's own goes through `Printable` with its line. Refuses to know where it is printed.

use carpel_slots::registry::{Entry, Problem, SlotName};
use carpel_slots::{Line, Printable, Registry, Role};

use crate::plugins::PluginRow;

/// One line, e.g. `2 plugins, 1 not used`.
pub fn summary(rows: &[PluginRow]) -> String {
    let unused = rows.iter().filter(|row| !row.is_seated).count();
    match (rows.len(), unused) {
        (0, _) => "no plugins; docs/manifest.md says where they are looked for".to_owned(),
        (1, 0) => "1 plugin".to_owned(),
        (1, _) => "1 plugin, not used".to_owned(),
        (count, 0) => format!("{count} plugins"),
        (count, unused) => format!("{count} plugins, {unused} not used"),
    }
}

/// All of them.
pub fn lines(rows: &[PluginRow], registry: &Registry) -> Vec<Line> {
    let (entries, unasked) = (registry.entries(), registry.never_dispatched());
    rows.iter().flat_map(|row| plugin(row, registry, &entries, &unasked)).collect()
}

fn plugin(row: &PluginRow, registry: &Registry, entries: &[Entry], unasked: &[Entry]) -> Vec<Line> {
    // What names something hides nothing.
    let mut head = Line::of(Role::Strong, Printable::exact(&row.name).as_str());
    if !row.version.is_empty() {
        head = head.and(Role::Plain, " ").and(Role::Number, &row.version);
    }
    head = head.and(Role::Dim, "  ").and(Role::Path, &row.source);
    let mut lines = vec![head];
    if let Some(trouble) = &row.trouble {
        let role = if row.is_seated { Role::Warning } else { Role::Error };
        let words = if row.is_seated { trouble.clone() } else { format!("not used: it {trouble}") };
        lines.push(Line::of(Role::Plain, "  ").and(role, &words));
    }
    let is_own = |entry: &&Entry| entry.owner.name == row.name && entry.owner.source == row.source;
    for entry in entries.iter().filter(is_own) {
        let mut line = Line::of(Role::Plain, "  ");
        line = match entry.slot {
            SlotName::Command => line.and(Role::Command, &format!(":{}", entry.key)),
            _ => line.and(Role::Plain, "draws ").and(Role::Accent, &entry.key),
        };
        if !entry.seated {
            line = line.and(Role::Warning, &format!(", but {} comes first", holder(entry, entries)));
        } else if unasked.contains(entry) {
            line = line.and(Role::Dim, ", not called yet");
        }
        lines.push(line);
    }
    for problem in registry.problems() {
        if let Problem::BadKey { owner, .. } = problem
            && owner.name == row.name
        {
            lines.push(Line::of(Role::Plain, "  ").and(Role::Warning, &problem.to_string()));
        }
    }
    if let Some(log) = row.log.as_ref().filter(|log| log.exists()) {
        lines.push(Line::of(Role::Dim, "  its diagnostics: ").and(Role::Path, &log.to_string_lossy()));
    }
    lines
}

/// Who draws what an entry would draw.
fn holder(covered: &Entry, entries: &[Entry]) -> String {
    let same = |entry: &&Entry| entry.seated && entry.slot == covered.slot && entry.key == covered.key;
    entries.iter().find(same).map_or_else(|| "another".to_owned(), |entry| entry.owner.to_string())
}
