//! `carpel doctor`: what carpel finds where it is started, and what is missing with the way to it.
//!
//! This file gathers, and changes nothing by it; each file in `doctor/` makes lines of one kind of facts, and
//! `doctor/report.rs` is what all of them become. No address is asked that a start would not ask, unless `--online`
//! says so. A mistake in a manifest is told and stops nothing here. Exit code 0 when carpel can be used, else 1.

mod paths;
mod programs;
mod provider;
mod report;
mod sessions;
mod settings;
mod terminal;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use carpel_pod::choice::Name;
use carpel_pod::choice::decide::key_variable;
use carpel_pod::guide::Pace;
use carpel_pod::log::list::{SessionState, list};
use carpel_pod::log::place::{check_sessions, sessions_folder};
use carpel_pod::server::place::{running, socket_path};
use carpel_slots::Printable;
use clap::Args;

use self::paths::{Place, Use, Way};
use self::provider::{Chosen, Other};
use self::report::{Fact, Report, Section};
use crate::chat::editor;
use crate::cli::common::{Examined, Given};
use crate::cli::exit::Exit;
use crate::cli::{live, log, look, out, person_file, trust};
use crate::link::PodOptions;
use crate::sentence;
use crate::terminal::dialect::{Age, age};
use crate::terminal::input::ask;
use crate::terminal::tty::Tty;

/// How long the provider's address may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Say what carpel finds here: terminal, provider, paths, permissions, and what is missing.
#[derive(Args)]
pub struct Doctor {
    /// Also ask the provider's address which models it has.
    #[arg(long)]
    online: bool,
    /// As one JSON object.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) fn run(&self, given: Given) -> anyhow::Result<Exit> {
        let examined = given.examined()?;
        let pod = examined.common.pod()?;
        let settings = settings(&examined, &pod);
        let report = Report::new(vec![
            Section { name: "terminal", facts: terminal(&examined) },
            Section { name: "provider", facts: self.provider(&examined, &pod) },
            Section { name: "manifest", facts: settings::facts(&settings) },
            Section { name: "permissions", facts: settings::permissions(&settings) },
            Section { name: "paths", facts: paths() },
            Section { name: "sessions", facts: sessions::facts(&sessions(&pod.cwd)) },
            Section { name: "programs", facts: programs() },
        ]);
        let columns =
            std::io::stdout().is_terminal().then(Tty::open).and_then(Result::ok).map(|tty| tty.size().width);
        let columns = columns.filter(|columns| *columns > 0).map(usize::from);
        if self.json {
            out::json(&report.json()?)?;
        } else {
            let text = report.text(look::is_utf8(variable), columns);
            out::rows(&text.lines().map(Printable::line).collect::<Vec<_>>())?;
        }
        Ok(if report.usable { Exit::Done } else { Exit::Failed })
    }

    fn provider(&self, examined: &Examined, pod: &PodOptions) -> Vec<Fact> {
        if !examined.mistakes.is_empty() {
            // Nothing that needs a manifest starts, and what is in it is not known.
            let chosen =
                Err("nobody answers while a manifest has mistakes; mend those named below".to_owned());
            return provider::facts(&provider::Provider { chosen, others: Vec::new() });
        }
        let chosen = pod.how();
        let name = chosen.as_ref().map_or_else(|_| wished(pod), |how| Some(how.provider));
        let chosen = chosen.map_err(|error| sentence::of(&error)).map(|how| Chosen {
            name: how.provider.text(),
            how: how.to_string(),
            model: how.model,
            key: key_variable(how.provider).map(|key| (key, is_set(key))),
            models: how.base_url.as_ref().filter(|_| self.online).map(|_| models(pod)),
            base_url: how.base_url,
            passed: how.passed,
        });
        let others = Name::NAMES.into_iter().filter(|(_, other)| Some(*other) != name);
        let others = others.map(|(text, _)| (text, self.other(pod, text)));
        provider::facts(&provider::Provider { chosen, others: others.collect() })
    }

    /// Whether another provider could be chosen. Only `--online` finds out whether an address answers.
    fn other(&self, pod: &PodOptions, name: &str) -> Other {
        let mut other = pod.clone();
        other.line.provider = Some(name.to_owned());
        (other.line.model, other.line.base_url) = (None, None);
        let found = if self.online { other.how().map(drop) } else { other.check() };
        match found {
            Err(error) => Other::Lacks(sentence::of(&error)),
            Ok(()) if name == Name::Ollama.text() && !self.online => Other::IfItAnswers,
            Ok(()) => Other::Could,
        }
    }
}

/// Who would answer if it could: as the person says, or as a key does.
fn wished(pod: &PodOptions) -> Option<Name> {
    let named = pod.line.provider.as_ref().or(pod.manifest.model.provider.as_ref());
    let with_key = || {
        let mut names = [Name::Anthropic, Name::OpenAi].into_iter();
        names.find(|name| key_variable(*name).is_some_and(is_set))
    };
    named.map_or_else(with_key, |name| name.parse().ok())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| !value.trim().is_empty())
}

/// The models that the address lists, or a sentence.
fn models(pod: &PodOptions) -> Result<Vec<String>, String> {
    let asked = || -> anyhow::Result<Result<Vec<String>, String>> {
        let provider = pod.config(Pace::instant())?.provider;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answer = runtime.block_on(async { tokio::time::timeout(PATIENCE, provider.models()).await });
        // A name that is still being looked up must not hold this up.
        runtime.shutdown_background();
        let silent = || {
            format!("the address does not answer within {} s; see whether it is right", PATIENCE.as_secs())
        };
        Ok(answer.unwrap_or_else(|_| Err(silent())))
    };
    asked().unwrap_or_else(|error| Err(sentence::of(&error)))
}

fn terminal(examined: &Examined) -> Vec<Fact> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let tty = is_terminal.then(Tty::open).and_then(Result::ok);
    let theme = examined.common.theme.map(|theme| (theme, examined.theme_by()));
    let is_modern = age(variable("TERM").as_deref()) == Age::Modern;
    let wants_ground = look::chosen(examined.common.theme, variable).themes.wants_ground();
    let answers =
        tty.as_ref().filter(|_| is_modern).and_then(|tty| ask::ask(tty, wants_ground).ok().flatten());
    let setting = |name: &'static str| (name, programs::asked("tmux", &["show-options", "-gv", name]));
    let tmux = if is_set("TMUX") {
        ["set-clipboard", "allow-passthrough", "default-terminal", "escape-time"].map(setting).to_vec()
    } else {
        Vec::new()
    };
    let size = tty.as_ref().map(Tty::size);
    terminal::facts(&terminal::Terminal { variable: &variable, size, answers, theme, tmux })
}

fn settings(examined: &Examined, pod: &PodOptions) -> settings::Settings {
    let (person, all) = (&examined.person.permissions, &pod.manifest.permissions);
    let by = |at: usize, own: usize| if at < own { "your manifest" } else { "this folder's manifest" };
    let kinds = [
        ("allow", &all.allow, &person.allow),
        ("ask", &all.ask, &person.ask),
        ("deny", &all.deny, &person.deny),
    ];
    let rules = kinds.into_iter().flat_map(|(kind, all, own)| {
        all.iter().enumerate().map(move |(at, rule)| (kind, rule.to_string(), by(at, own.len())))
    });
    let folder = examined.common.folder();
    settings::Settings {
        person: person_file().map(|file| {
            let is_there = file.symlink_metadata().is_ok();
            (file, is_there)
        }),
        mistakes: examined.mistakes.iter().flat_map(|bad| bad.lines()).collect(),
        folder: settings::Folder {
            path: pod.cwd.clone(),
            things: folder.map(trust::Folder::things).unwrap_or_default(),
            standing: folder.map_or(trust::Standing::Unknown, trust::Folder::standing),
            trusted: folder.is_some_and(trust::Folder::is_trusted),
            by: folder.and_then(trust::Folder::trusted_by).map(Path::to_owned),
        },
        mode: (examined.common.approval_mode.clone(), examined.mode_by()),
        rules: rules.collect(),
    }
}

fn paths() -> Vec<Fact> {
    let state = log::state_folder();
    let below = |name: &str| state.as_ref().map(|state| state.join(name));
    let sessions = sessions_folder(|name| std::env::var_os(name)).ok();
    let mut facts: Vec<Fact> = [
        Place { name: "manifest", path: person_file(), used: Use::Read },
        Place { name: "state", path: state.clone(), used: Use::Folder },
        Place { name: "log", path: below("carpel.log"), used: Use::File },
        Place { name: "trust", path: trust::store_file(), used: Use::Replaced },
        Place { name: "sessions", path: sessions.clone(), used: Use::Private },
    ]
    .iter()
    .map(|place| match (place.used, sessions.as_deref().map(check_sessions)) {
        // As a start would refuse it.
        (Use::Private, Some(Err(error))) => Fact::missing(place.name, error.to_string()).way(error.way_out()),
        _ => {
            let unseen = paths::Found::Absent { in_the_way: None };
            let found = place.path.as_deref().map_or(unseen, |path| paths::look(path, Way::Made));
            paths::fact(place, &found)
        }
    })
    .collect();
    let sockets: Option<PathBuf> = socket_path("any").ok().and_then(|path| path.parent().map(Path::to_owned));
    facts.extend(sockets.map(|folder| paths::sockets(&folder, &paths::look(&folder, Way::Exact))));
    facts
}

fn sessions(cwd: &Path) -> sessions::Sessions {
    let Ok(folder) = sessions_folder(|name| std::env::var_os(name)) else {
        return sessions::Sessions::default();
    };
    let all = match list(&folder) {
        Ok(all) => all,
        Err(error) => {
            let failed = Some((error.to_string(), error.way_out().to_owned()));
            return sessions::Sessions { failed, ..sessions::Sessions::default() };
        }
    };
    let here = cwd.to_string_lossy();
    let pods = live::ask_all(running().into_iter().map(|pod| (pod.session, pod.socket)).collect());
    let unreadable = all.iter().filter_map(|session| match &session.state {
        SessionState::Unreadable(why) => Some((session.id.clone(), why.clone())),
        SessionState::Free | SessionState::Held(_) => None,
    });
    sessions::Sessions {
        failed: None,
        count: all.len(),
        here: all.iter().filter(|session| session.cwd == here).count(),
        running: pods.into_iter().map(|pod| (pod.id, pod.state)).collect(),
        unreadable: unreadable.collect(),
        torn: all.iter().map(|session| torn(&folder.join(&session.id))).sum(),
    }
}

/// Ends of logs that were cut off and kept.
fn torn(session: &Path) -> usize {
    let entries = std::fs::read_dir(session).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().contains(".torn-")).count()
}

fn programs() -> Vec<Fact> {
    let path = std::env::var_os("PATH");
    programs::facts(editor::editor(variable).as_deref(), &|name| programs::find(name, path.as_deref()))
}
