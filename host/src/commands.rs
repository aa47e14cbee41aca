//! The built-in commands, one file each.
//!
//! A command registers itself beside its definition; what it says of itself makes help and completion. It sees a
//! context and returns effects as data, so none of them knows the chat. [`specs`] lists what is registered.

mod density;
mod export;
mod help;
mod inspect;
mod keys;
mod model;
mod new;
mod pause;
mod quit;
mod rename;
mod resume;
mod sessions;
mod theme;

use carpel_slots::Registry;
use carpel_slots::command::CommandSpec;

/// For a command that takes no arguments.
///
/// # Errors
/// When there are some.
fn no_arguments(arguments: &str) -> Result<(), String> {
    if arguments.is_empty() { Ok(()) } else { Err(format!("`{arguments}` is one word too many")) }
}

/// What every registered command says of itself, by name.
pub fn specs(registry: &Registry) -> Vec<CommandSpec> {
    registry.commands().map(|(_, command)| command.spec()).collect()
}
