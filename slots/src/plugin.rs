//! Plugins: what an author writes to have views and commands in a process of their own.
//!
//! A [`Plugin`] is a name with views and commands. [`crate::export!`] makes a library of it, which `carpel plugin-host`
//! opens; [`serve`] makes an executable of it. Either way the host sends lines and the plugin answers them, one at a time:
//! `plugin/answer.rs`. A view that panics costs its own card. Processes, deadlines and what is drawn in the meantime are the
//! host's. Read [`crate::wire`] for the lines and [`crate::testing`] for how to test a view without any of it.

use std::collections::BTreeSet;

use crate::card::Line;
use crate::view::ToolView;
use crate::wire::{ABI, CommandLine, CompletionLine, Hello, RunCx};

pub use serve::{serve, serve_lines};

mod answer;
pub mod c;
#[doc(hidden)]
pub mod export;
mod serve;

/// A name with views and commands.
///
/// ```
/// use carpel_slots::plugin::Plugin;
/// use carpel_slots::{Card, CardCx, Line, ToolCall, ToolView};
///
/// struct Clock;
///
/// impl ToolView for Clock {
///     fn card(&self, call: &ToolCall, _cx: &CardCx) -> Card {
///         let zone = call.args.partial_str("zone").unwrap_or_default();
///         Card { title: Some(Line::from(zone.as_str())), ..Card::default() }
///     }
/// }
///
/// let plugin = Plugin::new("clock", "1.0.0").view("clock_now", Clock);
/// let reply = plugin.answer_line(r#"{"request":"hello","abi":1}"#).unwrap();
/// assert!(reply.contains(r#""views":["clock_now"]"#));
/// ```
pub struct Plugin {
    name: String,
    version: String,
    views: Vec<(String, Box<dyn ToolView>)>,
    commands: Vec<(CommandLine, Box<dyn PluginCommand>)>,
}

impl Plugin {
    /// A plugin without views and commands. `name` is one word; all of it is registered and removed under that name.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Plugin {
        Plugin { name: name.into(), version: version.into(), views: Vec::new(), commands: Vec::new() }
    }

    /// Adds a view for a tool's name, for a prefix of names (`mcp__k8s__*`) or for a kind (`kind:read`). Of two under the
    /// same key the first one answers, and the host tells the person of the other.
    #[must_use]
    pub fn view(mut self, key: impl Into<String>, view: impl ToolView + 'static) -> Plugin {
        self.views.push((key.into(), Box::new(view)));
        self
    }

    /// Adds a command.
    #[must_use]
    pub fn command(mut self, command: impl PluginCommand + 'static) -> Plugin {
        self.commands.push((command.about(), Box::new(command)));
        self
    }

    /// The view that was added under that key.
    pub fn view_of(&self, key: &str) -> Option<&dyn ToolView> {
        self.views.iter().find(|(own, _)| own == key).map(|(_, view)| view.as_ref())
    }

    /// The command of that name.
    pub fn command_of(&self, name: &str) -> Option<&dyn PluginCommand> {
        self.commands.iter().find(|(about, _)| about.name == name).map(|(_, command)| command.as_ref())
    }

    /// What the plugin says of itself.
    pub fn hello(&self) -> Hello {
        Hello {
            abi: ABI,
            name: self.name.clone(),
            version: self.version.clone(),
            views: self.views.iter().map(|(key, _)| key.clone()).collect(),
            commands: self.commands.iter().map(|(about, _)| about.clone()).collect(),
            features: Vec::new(),
        }
    }

    /// The keys of its views, each once, by name.
    pub fn keys(&self) -> BTreeSet<&str> {
        self.views.iter().map(|(key, _)| key.as_str()).collect()
    }
}

/// A `:` word that a plugin brings. It runs in the plugin's process and changes nothing in the host: what it has to say
/// stands below its line in the flow.
///
/// ```
/// use carpel_slots::Line;
/// use carpel_slots::plugin::{CommandAnswer, PluginCommand};
/// use carpel_slots::wire::{CommandLine, RunCx};
///
/// struct Greet;
///
/// impl PluginCommand for Greet {
///     fn about(&self) -> CommandLine {
///         CommandLine {
///             name: "greet".into(),
///             summary: "says hello".into(),
///             usage: "NAME".into(),
///             example: ":greet ada".into(),
///         }
///     }
///
///     fn run(&self, arguments: &str, _cx: &RunCx) -> Result<CommandAnswer, String> {
///         if arguments.is_empty() {
///             return Err("greet: whom? write `:greet NAME`".into());
///         }
///         Ok(CommandAnswer { outcome: "hello".into(), lines: vec![Line::from(arguments)] })
///     }
/// }
/// ```
pub trait PluginCommand: Send + Sync {
    /// What the command says of itself. Asked once.
    fn about(&self) -> CommandLine;

    /// What may stand where the person is typing its arguments, the best first; `typed` is everything behind the name and
    /// one blank.
    fn complete(&self, typed: &str) -> Vec<CompletionLine> {
        let _ = typed;
        Vec::new()
    }

    /// Runs it. `arguments` is everything behind the name, trimmed. What takes longer than 2 seconds is a fault.
    ///
    /// # Errors
    /// A sentence for the person when the arguments are wrong; nothing has happened then.
    fn run(&self, arguments: &str, cx: &RunCx) -> Result<CommandAnswer, String>;
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandAnswer {
    /// One line for the record; empty for none.
    pub outcome: String,
    /// Lines shown below the record.
    pub lines: Vec<Line>,
}
