//! Command mode: what a draft that begins with `:` means.
//!
//! It finds the commands that a typed name may mean, says on the spot what is wrong with a line, and runs the rest.
//! It owns no commands (they are entries of the slot `command`, see [`crate::commands`]) and no text (the composer
//! does). Everything here is pure: line and context in, candidates or a run out.

use std::sync::Arc;

use carpel_protocol::word::PodState;
use carpel_slots::Registry;
use carpel_slots::command::{Command, CommandCx, CommandRun, CommandSpec, Completion, When};
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher};

/// What a draft in command mode begins with.
pub const SIGIL: char = ':';

/// One row of the list below the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The whole draft that choosing it leads to.
    pub draft: String,
    /// What stands in the row: the command with its arguments, or an argument.
    pub label: String,
    /// What it is, in a few words.
    pub summary: String,
    /// Clusters of `label` that fit what is typed.
    pub marks: Vec<u32>,
    /// Why it cannot run now.
    pub disabled: Option<String>,
}

/// What a line leads to.
#[derive(Debug, PartialEq)]
pub struct Ran {
    /// The line without its colon, with the command's full name.
    pub line: String,
    /// False when the command may not run now.
    pub ok: bool,
    /// What came of it.
    pub run: CommandRun,
}

/// A line as name and arguments. `None` when it is not in command mode.
pub fn split(draft: &str) -> Option<(&str, &str)> {
    let line = draft.strip_prefix(SIGIL)?;
    Some(match line.split_once(char::is_whitespace) {
        Some((name, arguments)) => (name, arguments.trim()),
        None => (line, ""),
    })
}

/// The rows to show for a draft, best first: commands while the name is typed, then what the command offers.
pub fn candidates(registry: &Registry, draft: &str, cx: &CommandCx) -> Vec<Candidate> {
    let Some(line) = draft.strip_prefix(SIGIL) else {
        return Vec::new();
    };
    match line.split_once(char::is_whitespace) {
        None => names(line, cx),
        Some((name, typed)) => arguments(registry, name, typed.trim_start(), cx),
    }
}

fn names(typed: &str, cx: &CommandCx) -> Vec<Candidate> {
    let pattern = pattern(typed);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let specs = cx.commands.iter().filter_map(|spec| {
        let name = nucleo_matcher::Utf32String::from(spec.name);
        let mut marks = Vec::new();
        let score = pattern.indices(name.slice(..), &mut matcher, &mut marks)?;
        Some((score, spec, marks))
    });
    let mut specs: Vec<(u16, &CommandSpec, Vec<u32>)> = specs.collect();
    // A name that begins with what was typed comes before one that merely contains its letters.
    specs.sort_by_key(|(score, spec, _)| {
        (!spec.name.starts_with(typed), std::cmp::Reverse(*score), spec.name)
    });
    specs.into_iter().map(|(_, spec, marks)| candidate(spec, marks, cx)).collect()
}

fn candidate(spec: &CommandSpec, mut marks: Vec<u32>, cx: &CommandCx) -> Candidate {
    // The label begins with the colon.
    marks.iter_mut().for_each(|mark| *mark += 1);
    marks.sort_unstable();
    let label = if spec.usage.is_empty() {
        format!("{SIGIL}{}", spec.name)
    } else {
        format!("{SIGIL}{} {}", spec.name, spec.usage)
    };
    let blank = if spec.usage.is_empty() { "" } else { " " };
    Candidate {
        draft: format!("{SIGIL}{}{blank}", spec.name),
        label,
        summary: spec.summary.to_owned(),
        marks,
        disabled: refusal(spec, &cx.state),
    }
}

fn arguments(registry: &Registry, name: &str, typed: &str, cx: &CommandCx) -> Vec<Candidate> {
    let Some(command) = registry.command(name) else {
        return Vec::new();
    };
    let pattern = pattern(typed);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut score = |offer: &Completion| {
        let mut marks = Vec::new();
        let text = nucleo_matcher::Utf32String::from(offer.insert.as_str());
        let score = pattern.indices(text.slice(..), &mut matcher, &mut marks);
        marks.sort_unstable();
        marks.dedup();
        score.map(|score| (score, marks))
    };
    // What the command finds fitting comes first; then what else it has that has those letters in that order.
    let own = command.complete(typed, cx);
    let all = if typed.is_empty() { Vec::new() } else { command.complete("", cx) };
    let others = all.into_iter().filter(|offer| own.iter().all(|known| known.insert != offer.insert));
    let others = others.filter_map(|offer| score(&offer).map(|(score, marks)| (score, offer, marks)));
    let mut others: Vec<(u16, Completion, Vec<u32>)> = others.collect();
    others.sort_by_key(|(score, _, _)| std::cmp::Reverse(*score));
    let own = own.into_iter().map(|offer| (score(&offer).map_or_else(Vec::new, |(_, marks)| marks), offer));
    let own: Vec<(Vec<u32>, Completion)> = own.collect();
    let others = others.into_iter().map(|(_, offer, marks)| (marks, offer));
    let offers = own.into_iter().chain(others).map(|(marks, offer)| Candidate {
        draft: format!("{SIGIL}{name} {}", offer.insert),
        label: offer.insert,
        summary: offer.summary,
        marks,
        disabled: None,
    });
    offers.collect()
}

/// All that is typed is searched for as it stands: no sign in it means something else.
fn pattern(typed: &str) -> Atom {
    Atom::new(typed, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy, false)
}

/// Runs a line.
///
/// # Errors
/// A sentence for the person when there is no such command or its arguments are wrong; nothing has happened then, and
/// the draft should stay.
pub fn run(registry: &Registry, draft: &str, cx: &CommandCx) -> Result<Ran, String> {
    let (name, arguments) = split(draft).ok_or_else(|| format!("a command begins with `{SIGIL}`"))?;
    let command = resolve(registry, name, cx)?;
    let spec = command.spec();
    let line = format!("{} {arguments}", spec.name).trim_end().to_owned();
    if let Some(reason) = refusal(&spec, &cx.state) {
        return Ok(Ran { line, ok: false, run: CommandRun { outcome: reason, ..CommandRun::default() } });
    }
    let run = command.run(arguments, cx).map_err(|reason| {
        let usage = if spec.usage.is_empty() { "it takes no arguments" } else { spec.usage };
        format!("{SIGIL}{}: {reason} (usage: {usage}; for example {})", spec.name, spec.example)
    })?;
    Ok(Ran { line, ok: true, run })
}

/// An exact name, else the only name that begins so.
fn resolve(registry: &Registry, name: &str, cx: &CommandCx) -> Result<Arc<dyn Command>, String> {
    if let Some(command) = registry.command(name) {
        return Ok(Arc::clone(command));
    }
    let starting: Vec<&str> = cx
        .commands
        .iter()
        .map(|spec| spec.name)
        .filter(|full| !name.is_empty() && full.starts_with(name))
        .collect();
    match starting.as_slice() {
        [only] => registry
            .command(only)
            .map(Arc::clone)
            .ok_or_else(|| format!("`{only}` is not registered any more")),
        [] => Err(unknown(name, cx)),
        several => Err(format!("`{name}` may mean {}; type more of it", several.join(" or "))),
    }
}

fn unknown(name: &str, cx: &CommandCx) -> String {
    if name.is_empty() {
        return "no name behind the colon; `:help` lists the commands".to_owned();
    }
    let nearest = cx
        .commands
        .iter()
        .map(|spec| (strsim::normalized_damerau_levenshtein(name, spec.name), spec.name))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness >= 0.4);
    match nearest {
        Some((_, nearest)) => format!("unknown command `{name}`; did you mean `{nearest}`?"),
        None => {
            format!("unknown command `{name}`; `:help` lists them, a blank before the colon sends it as text")
        }
    }
}

/// Why a command may not run in a state.
fn refusal(spec: &CommandSpec, state: &PodState) -> Option<String> {
    match (spec.when, state) {
        (When::Always, _) | (When::Idle, PodState::Idle) => None,
        (When::Idle, PodState::Running) => {
            Some("not while a turn runs; press Esc first or wait for the end".to_owned())
        }
        (When::Idle, other) => Some(format!("not while the pod is {other}; wait until it is idle")),
    }
}

#[cfg(test)]
mod tests {
    use carpel_slots::command::ModelList;
    use carpel_slots::{Density, ThemeName};

    use super::*;
    use crate::commands;

    fn cx(registry: &Registry, state: PodState) -> CommandCx {
        CommandCx {
            state,
            density: Density::Normal,
            theme: ThemeName::Auto,
            provider: "guide".to_owned(),
            model: "guide (no model)".to_owned(),
            models: ModelList::Unknown,
            commands: commands::specs(registry),
        }
    }

    #[test]
    fn lines() {
        let registry = Registry::linked();
        let cx = cx(&registry, PodState::Idle);
        let rows = [
            (":quit", "ok quit"),
            (":q", "ok quit"),
            (":density detail", "ok density detail"),
            (":den   detail ", "ok density detail"),
            (
                ":density",
                ":density: it is normal now; which shall it be? (usage: overview|normal|detail; for example :density detail)",
            ),
            (
                ":density huge",
                ":density: there is no density `huge` (usage: overview|normal|detail; for example :density detail)",
            ),
            (
                ":quit now",
                ":quit: `now` is one word too many (usage: it takes no arguments; for example :quit)",
            ),
            (":qit", "unknown command `qit`; did you mean `quit`?"),
            (":", "no name behind the colon; `:help` lists the commands"),
            (":)", "unknown command `)`; `:help` lists them, a blank before the colon sends it as text"),
            (": help", "no name behind the colon; `:help` lists the commands"),
            ("quit", "a command begins with `:`"),
        ];
        for (draft, want) in rows {
            let got = match run(&registry, draft, &cx) {
                Ok(ran) => format!("ok {}", ran.line),
                Err(reason) => reason,
            };
            assert_eq!(got, want, "{draft}");
        }
    }

    #[test]
    fn completion() {
        let registry = Registry::linked();
        let cx = cx(&registry, PodState::Running);
        let rows: [(&str, &[&str]); 12] = [
            (
                ":",
                &[
                    ":compact ",
                    ":density ",
                    ":export ",
                    ":help ",
                    ":inspect",
                    ":keys",
                    ":model ",
                    ":new ",
                    ":pause",
                    ":plugins ",
                    ":quit",
                    ":rename ",
                    ":resume",
                    ":sessions",
                    ":theme ",
                ],
            ),
            (":theme l", &[":theme light"]),
            (":qt", &[":quit"]),
            (":d", &[":density ", ":model "]),
            (":density ", &[":density overview", ":density normal", ":density detail"]),
            (":density d", &[":density detail"]),
            (":density dtl", &[":density detail"]),
            (":density VRW", &[":density overview"]),
            (":density no", &[":density normal"]),
            (":density zz", &[]),
            (":help xpt", &[":help export"]),
            ("text", &[]),
        ];
        for (draft, want) in rows {
            let got: Vec<String> =
                candidates(&registry, draft, &cx).into_iter().map(|row| row.draft).collect();
            assert_eq!(got, want, "{draft}");
        }
    }

    #[test]
    fn what_a_command_says_of_itself_works() {
        let registry = Registry::linked();
        let cx = cx(&registry, PodState::Idle);
        for spec in commands::specs(&registry) {
            assert!(run(&registry, spec.example, &cx).is_ok(), "{}", spec.example);
            assert!(!spec.summary.is_empty() && !spec.summary.ends_with('.'), "{}", spec.name);
        }
    }
}
