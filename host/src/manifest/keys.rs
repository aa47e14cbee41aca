//! Every key of a manifest: its name, a line of help, what it may be, an example, who may say it, and how it is read.
//!
//! A key is added here and described in `docs/manifest.md`; a test holds the two together. Refuses to know the walk
//! through the file (`reader.rs`) and what becomes of a setting.

use std::path::PathBuf;
use std::time::Duration;

use carpel_slots::{Density, ThemeName};

use super::value::Value;
use super::{GuidePace, ListedPlugin, Manifest, Motion, Notify, Plugin, WindowTitle};
use crate::link::{self, Mode, Rule, Thinking};

/// A key.
pub struct Key {
    /// With its table: `ui.density`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Its type, and what it may be.
    pub values: &'static str,
    /// What holds where it is left out.
    pub default: &'static str,
    /// How it is written below its table.
    pub example: &'static str,
    /// Whether a folder's manifest may say it.
    pub of_folder: bool,
    pub(super) read: fn(&mut Manifest, &mut Value<'_>),
}

/// The tables that keys stand in.
pub fn sections() -> impl Iterator<Item = &'static str> {
    let tables = KEYS.iter().filter_map(|key| key.name.rsplit_once('.').map(|(table, _)| table));
    let mut seen = Vec::new();
    tables.filter(move |table| {
        let is_new = !seen.contains(table);
        seen.push(*table);
        is_new
    })
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// All of them, in the order of the documentation.
pub const KEYS: &[Key] = &[
    Key {
        name: "provider",
        about: "Who answers: guide, anthropic, openai (and all that speak its chat completions) or ollama.",
        values: "text: guide, anthropic, openai, ollama",
        default: "see \"Who answers\"",
        example: "provider = \"anthropic\"",
        of_folder: false,
        read: |to, value| to.model.provider = value.parsed(link::provider_name),
    },
    Key {
        name: "model",
        about: "The model, as the provider names it.",
        values: "text",
        default: "the provider's usual one",
        example: "model = \"claude-sonnet-5\"",
        of_folder: false,
        read: |to, value| to.model.model = value.text(),
    },
    Key {
        name: "base_url",
        about: "Where the provider is reached; `provider` must be said with it.",
        values: "text: a URL",
        default: "the vendor's, or what its variable says",
        example: "base_url = \"http://127.0.0.1:8080/v1\"",
        of_folder: false,
        read: |to, value| to.model.base_url = value.parsed(link::base_url),
    },
    Key {
        name: "thinking",
        about: "How much a model thinks before it answers: off, auto, or up to that many tokens.",
        values: "text: off, auto; or a number from 1024 to 1000000",
        default: "auto",
        example: "thinking = \"auto\"",
        of_folder: false,
        read: |to, value| to.model.thinking = thinking(value),
    },
    Key {
        name: "linger",
        about: "How long a session without a client goes on waiting for one.",
        values: "text: a time, up to 7 days",
        default: "10m",
        example: "linger = \"10m\"",
        of_folder: false,
        read: |to, value| to.linger = value.time(Duration::ZERO..=7 * DAY),
    },
    Key {
        name: "compaction.share",
        about: "At which share of the context limit a conversation is summed up.",
        values: "number from 0.1 to 0.95",
        default: "0.8",
        example: "share = 0.8",
        of_folder: false,
        read: |to, value| to.compaction.share = value.fraction(0.1..=0.95),
    },
    Key {
        name: "compaction.keep",
        about: "How many tokens of the end are kept as they are.",
        values: "number from 0 to 10000000",
        default: "20000",
        example: "keep = 20000",
        of_folder: false,
        read: |to, value| to.compaction.keep = value.whole(0..=10_000_000),
    },
    Key {
        name: "compaction.model",
        about: "Which model sums up: one of the provider that answers, or PROVIDER:MODEL.",
        values: "text",
        default: "the one that answers",
        example: "model = \"claude-haiku-4-5\"",
        of_folder: false,
        read: |to, value| to.compaction.model = value.text(),
    },
    Key {
        name: "permissions.mode",
        about: "What may be done without asking; a folder's can only make it stricter.",
        values: "text: ask, edits, all, read-only",
        default: "ask",
        example: "mode = \"ask\"",
        of_folder: true,
        read: |to, value| to.permissions.mode = value.word(&Mode::NAMES),
    },
    Key {
        name: "permissions.allow",
        about: "Rules for what needs no question.",
        values: "list of rules",
        default: "none",
        example: "allow = [\"Edit(docs/**)\"]",
        of_folder: false,
        read: |to, value| to.permissions.allow = rules(value),
    },
    Key {
        name: "permissions.ask",
        about: "Rules for what is asked about though it would be allowed.",
        values: "list of rules",
        default: "none",
        example: "ask = [\"Write(src/**)\"]",
        of_folder: true,
        read: |to, value| to.permissions.ask = rules(value),
    },
    Key {
        name: "permissions.deny",
        about: "Rules for what is never done.",
        values: "list of rules",
        default: "none",
        example: "deny = [\"Read(secrets/**)\"]",
        of_folder: true,
        read: |to, value| to.permissions.deny = rules(value),
    },
    Key {
        name: "ui.density",
        about: "How much of each item is shown at first.",
        values: "text: overview, normal, detail",
        default: "normal",
        example: "density = \"normal\"",
        of_folder: false,
        read: |to, value| {
            to.ui.density = value.word(&Density::ALL.map(|density| (density.name(), density)));
        },
    },
    Key {
        name: "ui.active_max",
        about: "How many rows live items may take.",
        values: "number from 1 to 500",
        default: "half the window",
        example: "active_max = 12",
        of_folder: false,
        read: |to, value| to.ui.active_max = value.whole(1..=500).and_then(|rows| rows.try_into().ok()),
    },
    Key {
        name: "ui.live_columns",
        about: "How wide live rows may be; windows that become narrower than this may show copies of them.",
        values: "number from 20 to 500",
        default: "80",
        example: "live_columns = 80",
        of_folder: false,
        read: |to, value| {
            to.ui.live_columns = value.whole(20..=500).and_then(|columns| columns.try_into().ok())
        },
    },
    Key {
        name: "ui.theme",
        about: "Which colours: auto goes by the terminal's background.",
        values: "text: auto, dark, light, high-contrast, none",
        default: "auto",
        example: "theme = \"auto\"",
        of_folder: false,
        read: |to, value| to.ui.theme = value.word(&ThemeName::ALL.map(|theme| (theme.name(), theme))),
    },
    Key {
        name: "ui.motion",
        about: "Whether anything moves by itself; reduced shows times once they stand still.",
        values: "text: full, reduced",
        default: "full",
        example: "motion = \"reduced\"",
        of_folder: false,
        read: |to, value| {
            to.ui.motion =
                value.word(&[("full", Motion::Full), ("reduced", Motion::Reduced)]).unwrap_or_default();
        },
    },
    Key {
        name: "ui.screen_reader",
        about: "Whether the chat is made to be heard: lines only, each written once, words for signs.",
        values: "text: on, off",
        default: "off, unless ACCESSIBLE is set",
        example: "screen_reader = \"on\"",
        of_folder: false,
        read: |to, value| to.ui.screen_reader = value.word(&[("on", true), ("off", false)]),
    },
    Key {
        name: "ui.title",
        about: "Whether the window's title tells the session and whether it works or waits.",
        values: "text: on, off",
        default: "on",
        example: "title = \"on\"",
        of_folder: false,
        read: |to, value| {
            to.ui.title =
                value.word(&[("on", WindowTitle::On), ("off", WindowTitle::Off)]).unwrap_or_default();
        },
    },
    Key {
        name: "ui.notify",
        about: "How you are called when a turn ends or a question waits while you look elsewhere.",
        values: "text: off, bell, notification",
        default: "off",
        example: "notify = \"bell\"",
        of_folder: false,
        read: |to, value| {
            let ways = [("off", Notify::Off), ("bell", Notify::Bell), ("notification", Notify::Notification)];
            to.ui.notify = value.word(&ways).unwrap_or_default();
        },
    },
    Key {
        name: "tool_views.aliases",
        about: "Tools, each with the tool whose view draws it.",
        values: "table of a text for each tool",
        default: "none",
        example: "aliases = { read_text = \"Read\" }",
        of_folder: true,
        read: |to, value| {
            value.entries(|name, value| {
                if let Some(view) = value.text() {
                    to.tool_views.aliases.insert(name.to_owned(), view);
                }
            });
        },
    },
    Key {
        name: "tool_views.precedence",
        about: "Plugins, best first, for a tool that several draw; those behind `built-in` yield to what is built in.",
        values: "list of texts",
        default: "none",
        example: "precedence = [\"clock\"]",
        of_folder: true,
        read: |to, value| to.tool_views.precedence = value.list(|value| value.text()),
    },
    Key {
        name: "plugins",
        about: "Plugins, each by the path of its file or by a command.",
        values: "list of tables with path or command",
        default: "none",
        example: "plugins = [{ path = \"clock.so\" }]",
        of_folder: true,
        read: |to, value| {
            let listed = |plugin| ListedPlugin { plugin, folder: PathBuf::new() };
            to.plugins = value.list(plugin).into_iter().map(listed).collect();
        },
    },
    Key {
        name: "guide.pace",
        about: "How fast guide plays its answers in a chat.",
        values: "text: chat, instant",
        default: "chat",
        example: "pace = \"instant\"",
        of_folder: false,
        read: |to, value| {
            to.guide_pace = value.word(&[("chat", GuidePace::Chat), ("instant", GuidePace::Instant)]);
        },
    },
];

fn thinking(value: &mut Value<'_>) -> Option<Thinking> {
    if value.is_text() {
        return value.word(&[("off", Thinking::Off), ("auto", Thinking::Adaptive)]);
    }
    value.whole(1024..=1_000_000).and_then(|tokens| tokens.try_into().ok()).map(Thinking::Budget)
}

fn rules(value: &mut Value<'_>) -> Vec<Rule> {
    value.list(|value| value.parsed(|text| text.parse().map_err(|error: link::RuleError| error.to_string())))
}

fn plugin(value: &mut Value<'_>) -> Option<Plugin> {
    let (mut path, mut command, mut wrong) = (None, None, false);
    value.entries(|name, value| match name {
        "path" => path = value.text().map(|text| Plugin::Path(PathBuf::from(text))),
        "command" if value.is_list() => command = Some(value.list(|value| value.text())),
        "command" => command = value.text().map(|program| vec![program]),
        _ => {
            wrong = true;
            value.wrong::<()>("there is no such key; a plugin has `path` or `command`");
        }
    });
    match (path, command) {
        (Some(path), None) => Some(path),
        (None, Some(command)) if !command.is_empty() => Some(Plugin::Command(command)),
        _ if wrong => None,
        (Some(_), Some(_)) => value.wrong("has both `path` and `command`; leave one of them out"),
        _ => value.wrong("has neither `path` nor `command`; give it one of them"),
    }
}
