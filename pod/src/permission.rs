//! Whether a call may run, must be asked about, or is refused: one pure function over an intent.
//!
//! Owns the modes, the order of the rules and the wording of the reasons. In this order: a deny rule refuses; read-only
//! refuses writing; what guards the agent itself (`permission/guarded.rs`) asks in every mode; what a person allowed
//! for the session runs; an ask rule asks; then each path is allowed by the mode or by an allow rule, or asks. A path
//! counts under its real name and under the name it was called by. Deny beats ask beats allow. A command is allowed by
//! the mode `all`, or by rules that together cover each part of it (`permission/command.rs`); where some rule forbids
//! commands, one that cannot be read for certain asks even then.
//! Refuses to know who asks and how. Read next: `permission/rule.rs`, `permission/grants.rs`.

mod command;
mod grants;
mod guarded;
mod rule;
#[cfg(test)]
mod table_tests;
mod way;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use self::command::CommandLine;
pub use self::grants::{Grant, Scope, SessionGrants};
use self::guarded::Guard;
pub use self::rule::{Rule, RuleError};
pub use self::way::way_out;
use crate::tools::{Access, Intent, IntentPath, Screen};

/// What needs no question. `--approval-mode`, and `mode` under `[permissions]` in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Reading inside the workspace.
    #[default]
    Ask,
    /// And writing files inside the workspace.
    Edits,
    /// Everything, save what guards the agent itself.
    All,
    /// Reading as in `Ask`; writing is refused.
    ReadOnly,
}

/// What the manifest and the command line say, and the places that rules speak of.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    pub mode: Mode,
    pub allow: Vec<Rule>,
    pub ask: Vec<Rule>,
    pub deny: Vec<Rule>,
    /// Physical root of the workspace; a pattern without `/` or `~/` in front is relative to it.
    pub root: PathBuf,
    pub home: Option<PathBuf>,
    /// Folders with carpel's own configuration and plugins, wherever they are.
    pub own: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// `why` is a whole sentence for the person who is asked.
    Ask {
        why: String,
    },
    /// `why` is a whole sentence for the model and the person.
    Deny {
        why: String,
    },
}

pub fn decide(intent: &Intent, tool: &str, permissions: &Permissions, grants: &SessionGrants) -> Verdict {
    let command = intent.command.as_deref().map(CommandLine::read);
    if let Some(rule) = permissions.matching(&permissions.deny, intent, command.as_ref(), tool) {
        return Verdict::Deny { why: format!("The rule `{rule}` under `deny` forbids {tool} here.") };
    }
    let writes = intent.access == Access::Writes || intent.paths.iter().any(|place| place.write);
    if writes && permissions.mode == Mode::ReadOnly {
        return Verdict::Deny {
            why: match &command {
                Some(_) => "This session is read-only, so no command may be run.".to_owned(),
                None => format!("This session is read-only, so {tool} may not write anything."),
            },
        };
    }
    if let Some(why) = intent.paths.iter().find_map(|place| permissions.protected(place, tool)) {
        return Verdict::Ask { why };
    }
    if grants.cover(intent, tool, permissions) {
        return Verdict::Allow;
    }
    if let Some(rule) = permissions.matching(&permissions.ask, intent, command.as_ref(), tool) {
        return Verdict::Ask { why: format!("The rule `{rule}` wants to be asked.") };
    }
    let question = match &command {
        Some(line) => permissions.question_of_command(line, tool),
        None => permissions.question(intent, tool),
    };
    match question {
        Some(why) => Verdict::Ask { why },
        None => Verdict::Allow,
    }
}

impl Permissions {
    /// What a search of `tool` must not show, although it may search the folder above: the places of deny rules for it.
    /// A search for text shows what is in the files, so what Read may not read it does not show either.
    pub fn screen(&self, tool: &str) -> Screen {
        let concerns = |rule: &&Rule| {
            !rule.is_whole_tool() && (rule.is_for(tool) || tool == "Grep" && rule.is_for("Read"))
        };
        let deny: Vec<Rule> = self.deny.iter().filter(concerns).cloned().collect();
        if deny.is_empty() {
            return Screen::default();
        }
        let places =
            Permissions { root: self.root.clone(), home: self.home.clone(), ..Permissions::default() };
        Screen::new(move |path| deny.iter().any(|rule| rule.matches(&places, path)))
    }

    /// The first of `rules` that concerns the call: any part of its command, any name of any of its paths.
    fn matching<'a>(
        &self,
        rules: &'a [Rule],
        intent: &Intent,
        command: Option<&CommandLine>,
        tool: &str,
    ) -> Option<&'a Rule> {
        rules.iter().find(|rule| {
            let concerns =
                |place: &IntentPath| rule.matches(self, &place.path) || rule.matches(self, &place.named);
            rule.is_for(tool)
                && (rule.is_whole_tool()
                    || intent.paths.iter().any(concerns)
                    || command.is_some_and(|line| rule.concerns(line)))
        })
    }

    /// Why this command, which no rule forbids, asks.
    fn question_of_command(&self, line: &CommandLine, tool: &str) -> Option<String> {
        let forbids = self.deny.iter().chain(&self.ask).any(|rule| rule.command().is_some());
        if forbids && !line.is_clear() {
            return Some("What this command runs cannot be told for certain; where rules speak against commands that always asks.".to_owned());
        }
        let mine = || self.allow.iter().filter(|rule| rule.is_for(tool));
        if self.mode == Mode::All || mine().any(Rule::is_whole_tool) {
            return None;
        }
        let patterns = mine().filter_map(Rule::command);
        if line.is_allowed_by(patterns.clone()) {
            return None;
        }
        Some(if patterns.count() > 0 && !line.is_clear() {
            "What this command runs cannot be told for certain, so no rule allows it.".to_owned()
        } else {
            "A command can change anything.".to_owned()
        })
    }

    /// Why writing here asks in every mode. Only an allow rule that names the guarded part lifts it.
    fn protected(&self, place: &IntentPath, tool: &str) -> Option<String> {
        if !place.write {
            return None;
        }
        let guard = self.guard(place, guarded::protected)?;
        (!self.is_allowed(place, tool, Some(&guard)))
            .then(|| format!("{} is {}; writing there always asks.", place.shown, guard.what))
    }

    fn secret(&self, place: &IntentPath) -> Option<Guard> {
        self.guard(place, |path, _| guarded::secret(path))
    }

    fn guard(&self, place: &IntentPath, by: impl Fn(&Path, &Permissions) -> Option<Guard>) -> Option<Guard> {
        // The way to the workspace is not the model's choice: what is asked about is what lies beneath it.
        let below = |path: &Path| path.strip_prefix(&self.root).unwrap_or(path).to_owned();
        [&place.path, &place.named]
            .into_iter()
            .find_map(|path| guarded::own(path, self).or_else(|| by(&below(path), self)))
    }

    fn question(&self, intent: &Intent, tool: &str) -> Option<String> {
        if self.mode == Mode::All {
            return None;
        }
        if intent.paths.is_empty() {
            let free = intent.access == Access::Reads
                || self.allow.iter().any(|rule| rule.is_for(tool) && rule.is_whole_tool());
            return (!free).then(|| format!("{tool} may change things."));
        }
        intent.paths.iter().find_map(|place| {
            let secret = self.secret(place);
            let why = if place.outside {
                format!("{} is outside the workspace.", place.shown)
            } else if let Some(guard) = &secret {
                format!("{} is {}.", place.shown, guard.what)
            } else if place.write && self.mode != Mode::Edits {
                writes(tool, place)
            } else {
                return None;
            };
            (!self.is_allowed(place, tool, secret.as_ref())).then_some(why)
        })
    }

    /// Whether an allow rule lets this path pass: under both of its names, and, when it is guarded, by naming the
    /// guarded part. A rule for a whole tool holds inside the workspace.
    fn is_allowed(&self, place: &IntentPath, tool: &str, guard: Option<&Guard>) -> bool {
        self.allow.iter().filter(|rule| rule.is_for(tool)).any(|rule| {
            let names_guard = guard.is_none_or(|guard| rule.names(&guard.part));
            if rule.is_whole_tool() {
                return guard.is_none() && !place.outside;
            }
            let named_inside = place.named.starts_with(&self.root);
            // A link inside the workspace that leads elsewhere is judged by where it leads.
            let under_its_name = place.outside && named_inside || rule.matches(self, &place.named);
            names_guard && rule.matches(self, &place.path) && under_its_name
        })
    }
}

/// The reason of a call that asks only because it writes. A title says as much.
pub fn writes(tool: &str, place: &IntentPath) -> String {
    format!("{tool} writes {}.", place.shown)
}

impl Mode {
    pub const NAMES: [(&'static str, Mode); 4] =
        [("ask", Mode::Ask), ("edits", Mode::Edits), ("all", Mode::All), ("read-only", Mode::ReadOnly)];
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no approval mode; there are ask, edits, all and read-only")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, mode)| *mode).ok_or_else(|| UnknownMode(text.to_owned()))
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, mode)| mode == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}
