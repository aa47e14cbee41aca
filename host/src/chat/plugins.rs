//! The chat and its plugins: what a command asks of them, and what becomes of what they tell.
//!
//! Owns the sentences of `:plugins`. How plugins run is the business of [`crate::plugins`]; how they are loaded anew while
//! the chat runs is the loop's, which hands the new registry in.

use carpel_protocol::word::NoticeLevel;
use carpel_slots::wire::RunCx;
use carpel_slots::{Line, Registry};

use crate::chat::inspect;
use crate::chat::state::Chat;
use crate::plugins::{PluginEvent, Plugins, Ran, RunAsk, Setting, listing};
use crate::render::painter::{PATIENCE, Painter};

/// What a command asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginAsk {
    /// Which there are.
    List,
    /// Starts one anew; all without a name.
    Reload(String),
    /// Has one run a command.
    Run {
        /// The plugin's name.
        plugin: String,
        /// The command's.
        command: String,
        /// Everything behind it.
        arguments: String,
    },
}

/// What has happened.
#[derive(Clone)]
pub enum PluginNews {
    /// A command was run, or refused.
    Ran(Ran),
    /// A sentence for the person, raw.
    Said(String),
    /// What is seated is another.
    Registry(Box<Registry>),
}

impl std::fmt::Debug for PluginNews {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PluginNews::Ran(ran) => f.debug_tuple("Ran").field(ran).finish(),
            PluginNews::Said(text) => f.debug_tuple("Said").field(text).finish(),
            PluginNews::Registry(_) => f.write_str("Registry"),
        }
    }
}

/// Starts the plugins. Those of which it is known what they draw are there when a history is drawn: that is awaited for a
/// moment.
pub async fn start(setting: Option<Setting>, base: &Registry) -> Option<Plugins> {
    let mut plugins = match Plugins::start(setting?, base.clone()) {
        Ok(plugins) => Some(plugins),
        Err(error) => {
            tracing::warn!(%error, "there are no plugins");
            None
        }
    };
    // The first event tells of what was found.
    let _ = tokio::time::timeout(PATIENCE, Plugins::event(&mut plugins)).await;
    plugins
}

/// What an event of plugins means for the chat; the painter hears of it first.
pub fn news(event: PluginEvent, plugins: Option<&Plugins>, painter: &mut Painter) -> Option<PluginNews> {
    match event {
        PluginEvent::Seen => {
            painter.cards_came();
            None
        }
        PluginEvent::Changed => {
            let registry = plugins?.registry();
            painter.set_registry(registry.clone());
            Some(PluginNews::Registry(Box::new(registry)))
        }
        PluginEvent::Ran(ran) => Some(PluginNews::Ran(ran)),
        PluginEvent::Said(text) => Some(PluginNews::Said(text)),
    }
}

/// Takes what has happened.
pub fn take(chat: &mut Chat, news: PluginNews) {
    match news {
        PluginNews::Ran(Ran { line, outcome, lines }) => {
            let ok = outcome.is_ok();
            let (Ok(text) | Err(text)) = outcome;
            chat.transcript.command(&line, ok, &text, lines);
        }
        PluginNews::Said(text) => chat.transcript.notice(NoticeLevel::Warning, &text),
        PluginNews::Registry(registry) => {
            chat.registry = *registry;
            inspect::views_changed(chat);
        }
    }
}

/// Asks the plugins; what is known at once comes back.
pub fn ask(plugins: Option<&Plugins>, chat: &Chat, line: String, ask: PluginAsk) -> Option<PluginNews> {
    let told = |outcome: Result<String, String>, lines: Vec<Line>| {
        Some(PluginNews::Ran(Ran { line: line.clone(), outcome, lines }))
    };
    let Some(plugins) = plugins else {
        return told(
            Err("this program's own file cannot be found, which would start them".to_owned()),
            Vec::new(),
        );
    };
    match ask {
        PluginAsk::List => {
            let rows = plugins.rows();
            told(Ok(listing::summary(&rows)), listing::lines(&rows, &chat.registry))
        }
        PluginAsk::Reload(name) => match plugins.reload(&name) {
            true => told(Ok("being loaded anew".to_owned()), Vec::new()),
            false => told(Err(format!("there is no plugin `{name}`; `:plugins` lists them")), Vec::new()),
        },
        PluginAsk::Run { plugin, command, arguments } => {
            let cwd = chat.transcript.session().cwd.clone();
            let cx = RunCx { cwd, density: chat.density };
            plugins.run(&plugin, RunAsk { line, command, arguments, cx }).map(PluginNews::Ran)
        }
    }
}
