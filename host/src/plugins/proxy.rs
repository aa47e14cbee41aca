//! What stands in the registry for a plugin: views and commands that pass on to its instance and never wait.
//!
//! What a plugin leaves out, and a card that failed, is what the call would have without it; the latter below a line that
//! names the plugin. Texts of a plugin's commands are kept for the
//! life of the program, each once, since a command says of itself what is static. Refuses to know processes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use carpel_slots::command::{CommandCx, CommandEffect, CommandRun, CommandSpec, Completion, When};
use carpel_slots::registry::{Owner, Rank, RegistryBuilder};
use carpel_slots::wire::{CommandLine, Hello};
use carpel_slots::{Card, CardCx, Command, ToolCall, ToolView};
use carpel_tool_views::tree;

use crate::plugins::desk::Told;
use crate::plugins::instance::Instance;

/// Registers all that a plugin says it has.
pub(super) fn register(
    builder: &mut RegistryBuilder,
    owner: &Owner,
    hello: &Hello,
    instance: &Arc<Instance>,
) {
    for key in &hello.views {
        let instance = Arc::clone(instance);
        let view = ProxyView { plugin: hello.name.clone(), key: key.clone(), instance };
        builder.view(key, owner, Arc::new(view));
    }
    // A person finds `:quit` and `:plugins` whatever is installed; who is put first in the manifest is so by their own word.
    let behind = match owner.rank {
        Rank::Plugin => owner.clone().ranked(Rank::Yielding),
        _ => owner.clone(),
    };
    for command in &hello.commands {
        let instance = Arc::clone(instance);
        let proxy = ProxyCommand { plugin: hello.name.clone(), spec: spec(command), instance };
        builder.command(&command.name, &behind, Arc::new(proxy));
    }
}

struct ProxyView {
    plugin: String,
    key: String,
    instance: Arc<Instance>,
}

impl ToolView for ProxyView {
    fn card(&self, call: &ToolCall, cx: &CardCx) -> Card {
        match self.instance.card(&self.key, call, cx) {
            Told::Nothing => tree::built_in(call, cx),
            Told::Card(card) if card.title.is_some() && card.note.is_some() && card.body.is_some() => {
                Arc::unwrap_or_clone(card)
            }
            Told::Card(card) => {
                let (card, beneath) = (Arc::unwrap_or_clone(card), tree::built_in(call, cx));
                Card {
                    title: card.title.or(beneath.title),
                    note: card.note.or(beneath.note),
                    body: card.body.or(beneath.body),
                    actions: card.actions,
                }
            }
            Told::Failed(reason) => self.failed(&reason, call, cx),
        }
    }

    fn stand_in(&self, call: &ToolCall, cx: &CardCx) -> Option<Card> {
        match self.instance.card(&self.key, call, cx) {
            Told::Failed(reason) => Some(self.failed(&reason, call, cx)),
            Told::Nothing | Told::Card(_) => None,
        }
    }

    fn is_awaited(&self, call: &ToolCall, cx: &CardCx) -> bool {
        self.instance.is_awaited(call, cx)
    }
}

impl ProxyView {
    fn failed(&self, reason: &str, call: &ToolCall, cx: &CardCx) -> Card {
        let why = format!("plugin `{}`: {reason}; this is carpel's own card", self.plugin);
        tree::diagnosed(tree::built_in(call, cx), &why)
    }
}

struct ProxyCommand {
    plugin: String,
    spec: CommandSpec,
    instance: Arc<Instance>,
}

impl Command for ProxyCommand {
    fn spec(&self) -> CommandSpec {
        self.spec.clone()
    }

    fn complete(&self, typed: &str, _cx: &CommandCx) -> Vec<Completion> {
        let offers = self.instance.complete(self.spec.name, typed).into_iter();
        offers.map(|offer| Completion { insert: offer.insert, summary: offer.summary }).collect()
    }

    fn run(&self, arguments: &str, _cx: &CommandCx) -> Result<CommandRun, String> {
        let ask = CommandEffect::AskPlugin {
            plugin: self.plugin.clone(),
            command: self.spec.name.to_owned(),
            arguments: arguments.to_owned(),
        };
        Ok(CommandRun { effects: vec![ask], ..CommandRun::default() })
    }
}

fn spec(command: &CommandLine) -> CommandSpec {
    CommandSpec {
        name: kept(&command.name),
        summary: kept(&command.summary),
        usage: kept(&command.usage),
        example: kept(&command.example),
        when: When::Always,
    }
}

/// The text for the life of the program. The same text is kept once, so that reloading does not add up.
fn kept(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = texts.get(text) {
        return kept;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    texts.insert(kept);
    kept
}
