//! Commands: the `:` words of the composer.
//!
//! A command is an entry of the slot `command` under its name. It sees a small context and returns effects as data;
//! it never touches the host. What it says of itself ([`CommandSpec`]) makes help, completion and a test.

use carpel_protocol::Method;
use carpel_protocol::word::PodState;

use crate::card::Line;
use crate::density::Density;
use crate::theme::ThemeName;

/// One `:` word.
///
/// ```
/// use carpel_slots::Command;
/// use carpel_slots::command::{CommandCx, CommandEffect, CommandRun, CommandSpec, When};
///
/// struct Quit;
///
/// impl Command for Quit {
///     fn spec(&self) -> CommandSpec {
///         CommandSpec { name: "quit", summary: "leaves carpel", usage: "", example: ":quit", when: When::Always }
///     }
///
///     fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
///         if !arguments.is_empty() {
///             return Err(format!("quit: takes no arguments, not `{arguments}`; write `:quit`"));
///         }
///         Ok(CommandRun { effects: vec![CommandEffect::Quit], ..CommandRun::default() })
///     }
/// }
/// ```
pub trait Command: Send + Sync {
    /// What the command says of itself.
    fn spec(&self) -> CommandSpec;

    /// What may stand where the person is typing its arguments; `typed` is everything after the name and one blank.
    /// Nothing typed asks for all there is: the host finds there what fits with its letters apart.
    fn complete(&self, typed: &str, cx: &CommandCx) -> Vec<Completion> {
        let _ = (typed, cx);
        Vec::new()
    }

    /// Runs it. `arguments` is everything after the name, trimmed.
    ///
    /// # Errors
    /// A sentence for the person when the arguments are wrong; nothing has happened then.
    fn run(&self, arguments: &str, cx: &CommandCx) -> Result<CommandRun, String>;
}

/// What a command says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    /// The word behind the colon.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// Its arguments, e.g. `NAME` or `[TEXT]`; empty when it takes none.
    pub usage: &'static str,
    /// A whole line that works, e.g. `:density detail`.
    pub example: &'static str,
    /// When it may run.
    pub when: When,
}

/// When a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In every state.
    Always,
    /// Only while the pod is idle.
    Idle,
}

/// What a command may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandCx {
    /// What the pod does now.
    pub state: PodState,
    /// The density of the flow.
    pub density: Density,
    /// The theme, as the person chose it.
    pub theme: ThemeName,
    /// Name of the provider that answers, raw.
    pub provider: String,
    /// Name of the model that answers, raw.
    pub model: String,
    /// The models that may be chosen.
    pub models: ModelList,
    /// All commands, by name.
    pub commands: Vec<CommandSpec>,
}

/// What is known of the models that the provider has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelList {
    /// They have not been told yet.
    #[default]
    Unknown,
    /// Their names, raw, in the provider's order.
    Known(Vec<String>),
    /// Why there is no list, as a sentence.
    Failed(String),
}

/// One thing that completion offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is put into the line.
    pub insert: String,
    /// What it is, in a few words.
    pub summary: String,
}

/// What a run of a command leads to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandRun {
    /// What the host does, in order.
    pub effects: Vec<CommandEffect>,
    /// One line for the record in the flow, e.g. `detail`; empty for none.
    pub outcome: String,
    /// Lines shown below the record.
    pub lines: Vec<Line>,
}

/// What a command can make the host do.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandEffect {
    /// Leaves the program.
    Quit,
    /// Changes how much the flow shows from now on.
    SetDensity(Density),
    /// Changes the colours of what is drawn from now on.
    SetTheme(ThemeName),
    /// Sends a method to the pod.
    Send(Box<Method>),
    /// Opens the inspector.
    OpenInspector,
    /// Writes the session to a file as Markdown; the record comes when it is written.
    Export {
        /// The file as the person wrote it.
        file: String,
        /// A file that is there already is replaced.
        force: bool,
        /// Thinking is written too.
        thinking: bool,
    },
    /// Opens the picker of past sessions.
    OpenSessions,
    /// Opens the dialog of a new session, with this folder, as the person wrote it; the session's own when it is empty.
    OpenNewSession(String),
    /// Lists the plugins; the record comes with them.
    ListPlugins,
    /// Starts a plugin anew, or all of them; the record comes when that is begun.
    ReloadPlugins {
        /// Its name; empty for all.
        name: String,
    },
    /// Has a plugin run its command; the record comes with its answer.
    AskPlugin {
        /// The plugin's name.
        plugin: String,
        /// The command's name.
        command: String,
        /// Everything behind the name.
        arguments: String,
    },
}
