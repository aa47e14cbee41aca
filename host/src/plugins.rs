//! Plugins: views and commands that others wrote, each in a process of its own, in the registry beside the built-in ones.
//!
//! [`Plugins`] is the handle of the chat: it never waits. A thread keeps which plugins there are (`keeper.rs`, with `found.rs`
//! for where they are looked for and `watch.rs` for when they change), one thread each drives a process (`driver.rs`), and
//! what is asked and answered is kept at a desk (`desk.rs`) between them and the views in the registry (`proxy.rs`).
//! What goes over the pipes is `carpel_slots::wire`; whoever opens libraries is `cli/plugin_host.rs`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use carpel_slots::Registry;
use carpel_slots::registry::{Owner, Rank};
use tokio::sync::mpsc::UnboundedReceiver;

use self::keeper::{Keeper, Order, Snapshot};
use crate::manifest::BUILT_IN;

pub use self::desk::{Ran, RunAsk};
pub use self::found::{Places, own_folder};
pub use self::hello::{REFUSES, abi};
pub use self::keeper::PluginRow;

mod bounds;
mod child;
mod desk;
mod driver;
mod faults;
pub mod file;
pub mod found;
mod hello;
mod instance;
mod keeper;
mod known;
pub mod listing;
mod log_file;
mod proxy;
pub mod speaker;
mod watch;

/// Where logs, what is known of plugins, and copies of libraries lie below the state folder. Plugins themselves may lie
/// beside it, below one folder for everything.
pub const STATE: &str = "plugin-state";

/// What plugins are started with.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// Where they are looked for.
    pub places: Places,
    /// The file of this program, which starts them.
    pub carpel: PathBuf,
    /// The state folder, for logs and for what is known of plugins.
    pub state: Option<PathBuf>,
    /// Names of plugins, best first, as the manifest has them.
    pub precedence: Vec<String>,
}

/// Something about plugins has happened.
#[derive(Debug, Clone, PartialEq)]
pub enum PluginEvent {
    /// What is seated is another: [`Plugins::registry`].
    Changed,
    /// Cards or completions came.
    Seen,
    /// A command was run.
    Ran(Ran),
    /// A sentence for the person, raw.
    Said(String),
}

/// All plugins of a chat. They end with it.
pub struct Plugins {
    base: Registry,
    precedence: Vec<String>,
    order: Sender<Order>,
    events: UnboundedReceiver<PluginEvent>,
    seen: Arc<AtomicBool>,
    snapshot: Arc<Mutex<Snapshot>>,
    keeper: Option<JoinHandle<()>>,
}

impl Plugins {
    /// Starts looking for them. `base` is the registry without plugins.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn start(setting: Setting, base: Registry) -> std::io::Result<Plugins> {
        Plugins::start_as(setting, base, true)
    }

    /// The same without watching files.
    ///
    /// # Errors
    /// As [`Plugins::start`].
    pub fn start_once(setting: Setting, base: Registry) -> std::io::Result<Plugins> {
        Plugins::start_as(setting, base, false)
    }

    fn start_as(setting: Setting, base: Registry, watches: bool) -> std::io::Result<Plugins> {
        let Setting { places, carpel, state, precedence } = setting;
        let (order, orders) = std::sync::mpsc::channel();
        let (chat, events) = tokio::sync::mpsc::unbounded_channel();
        let (seen, snapshot) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Snapshot>>::default());
        let setting = keeper::Setting { places, carpel, state, watches };
        let channel = (order.clone(), orders);
        let (keeper_seen, keeper_snapshot) = (Arc::clone(&seen), Arc::clone(&snapshot));
        let keep = move || Keeper::new(setting, channel, chat, keeper_seen, keeper_snapshot).run();
        let keeper = std::thread::Builder::new().name("plugins".to_owned()).spawn(keep)?;
        Ok(Plugins { base, precedence, order, events, seen, snapshot, keeper: Some(keeper) })
    }

    /// The next event; none ever comes without plugins.
    pub async fn event(plugins: &mut Option<Plugins>) -> Option<PluginEvent> {
        let plugins = plugins.as_mut()?;
        let event = plugins.events.recv().await;
        plugins.seen.store(false, Ordering::Release);
        event
    }

    /// The next event, waited for on this thread.
    pub fn wait(&mut self) -> Option<PluginEvent> {
        let event = self.events.blocking_recv();
        self.seen.store(false, Ordering::Release);
        event
    }

    /// What there is now: what is built in, and all plugins that have said what they draw.
    pub fn registry(&self) -> Registry {
        let mut builder = self.base.to_builder();
        for seated in self.snapshot().seated {
            let owner =
                Owner::plugin(&seated.hello.name, &seated.source).ranked(self.rank(&seated.hello.name));
            proxy::register(&mut builder, &owner, &seated.hello, &seated.instance);
        }
        builder.build()
    }

    /// Which of several plugins, and of what is built in, draws a tool.
    fn rank(&self, name: &str) -> Rank {
        let place = |wanted: &str| self.precedence.iter().position(|name| name == wanted);
        match (place(name), place(BUILT_IN)) {
            (Some(own), Some(built_in)) if own > built_in => Rank::Yielding,
            (Some(own), _) => Rank::Preferred(u32::try_from(self.precedence.len() - own).unwrap_or(u32::MAX)),
            (None, _) => Rank::Plugin,
        }
    }

    /// What there is to tell of all that was found, in the order in which it was.
    pub fn rows(&self) -> Vec<PluginRow> {
        self.snapshot().rows
    }

    /// True once all that was found at first has said hello or failed.
    pub fn is_settled(&self) -> bool {
        self.snapshot().is_settled
    }

    /// Starts a plugin anew; all of them without a name. Says whether there is one.
    pub fn reload(&self, name: &str) -> bool {
        let is_there = name.is_empty() || self.snapshot().rows.iter().any(|row| row.name == name);
        if is_there {
            self.tell(Order::Reload(name.to_owned()));
        }
        is_there
    }

    /// Has a plugin run a command; what comes of it is an event, or comes back where it cannot be asked.
    pub fn run(&self, plugin: &str, ask: RunAsk) -> Option<Ran> {
        let seated = self.snapshot().seated.into_iter().find(|seated| seated.hello.name == plugin);
        match seated {
            Some(seated) => seated.instance.run(ask).err(),
            None => {
                let outcome = Err(format!("plugin `{plugin}` is not there any more; `:plugins` lists them"));
                Some(Ran { line: ask.line, outcome, lines: Vec::new() })
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn tell(&self, order: Order) {
        // A keeper that has ended keeps nothing.
        let _ = self.order.send(order);
    }
}

impl Drop for Plugins {
    fn drop(&mut self) {
        self.tell(Order::Stop);
        if let Some(keeper) = self.keeper.take() {
            // One that panicked has left processes to the kernel, which ends them with this one.
            let _ = keeper.join();
        }
    }
}
