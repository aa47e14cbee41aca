//! The options that every subcommand takes, and the settings that come of them with the manifests.
//!
//! Owns the order: command line, the person's manifest, what a trusted folder adds. What prints the same everywhere
//! (`replay --print`, `card`) takes [`Given::plain`] and reads no manifest. A chat may ask the person whether they trust
//! the folder; everything else goes by what is remembered. Refuses to know what the subcommands do.

use std::path::{Path, PathBuf};

use anyhow::Context;
use carpel_slots::registry::RegistryBuilder;
use carpel_slots::{Density, Registry, ThemeName};
use clap::Args;

use crate::chat::new_session::Wanted;
use crate::chat::screen::LiveRows;
use crate::cli::exit::WrongUsage;
use crate::cli::trust::{self, Asking, Folder};
use crate::cli::{log, look};
use crate::export::file::from as path_from;
use crate::link::{self, LineOptions, PodOptions, Start};
use crate::manifest::mistake::BadManifest;
use crate::manifest::{self, Manifest, Motion, Whose, file};
use crate::plugins::{self, Places, found};

/// Options that may stand before or after the subcommand.
#[derive(Args, Clone)]
#[command(next_help_heading = "Settings, before or after the subcommand")]
pub struct Given {
    /// Who answers: guide (no model and no network), anthropic, openai (and all that speak its chat completions) or
    /// ollama [default: the manifest's, one with a key, an Ollama that answers, guide].
    #[arg(long, global = true, value_name = "NAME")]
    provider: Option<String>,
    /// The model, as the provider names it.
    #[arg(long, global = true, value_name = "NAME")]
    model: Option<String>,
    /// Where the provider is reached: for anthropic without /v1, for openai with it.
    #[arg(long, global = true, value_name = "URL", value_parser = link::base_url)]
    base_url: Option<String>,
    /// The workspace folder [default: the current folder].
    #[arg(long, global = true, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// What may be done without asking: ask, edits, all or read-only [default: the manifest's, or ask].
    #[arg(long, global = true, value_name = "MODE", value_parser = approval_mode)]
    approval_mode: Option<String>,
    /// How much of each item is shown: overview, normal or detail [default: the manifest's, or normal].
    #[arg(long, global = true, value_name = "NAME", value_parser = density)]
    density: Option<Density>,
    /// Which colours are used: auto (as the background asks for), dark, light, high-contrast or none [default: the
    /// manifest's, or auto].
    #[arg(long, global = true, value_name = "NAME", value_parser = theme)]
    theme: Option<ThemeName>,
    /// Make the chat to be heard: lines only, each written once, words for signs [default: the manifest's, or what
    /// ACCESSIBLE says].
    #[arg(long, global = true)]
    screen_reader: bool,
    /// Use what the folder brings (instructions, skills, a manifest) in this run, without asking.
    #[arg(long, global = true)]
    trust: bool,
}

/// What a subcommand goes by.
#[derive(Clone)]
pub struct Common {
    given: Given,
    /// How much of each item is shown.
    pub density: Density,
    /// Which colours are used, where somebody says so.
    pub theme: Option<ThemeName>,
    /// The name of what may be done without asking.
    pub approval_mode: String,
    /// The person's manifest with what a trusted folder adds; empty where none is read.
    pub manifest: Manifest,
    /// The workspace and what it brings; absent where that is not asked.
    folder: Option<Folder>,
    /// What the person typed before the chat began.
    pub typed: String,
}

impl Given {
    /// The command line alone.
    pub fn plain(self) -> Common {
        self.with(Manifest::default(), None)
    }

    /// The command line and the person's manifest.
    ///
    /// # Errors
    /// When the manifest has mistakes.
    pub fn of_person(self) -> anyhow::Result<Common> {
        let manifest = person()?;
        Ok(self.with(manifest, None))
    }

    /// The command line, the person's manifest, and what a trusted folder adds.
    ///
    /// # Errors
    /// When the workspace cannot be opened, a manifest has mistakes, or the person leaves at the question.
    pub fn settled(self, asking: Asking) -> anyhow::Result<Common> {
        let manifest = person()?;
        let mut folder = Folder::look(self.workspace()?);
        let mut typed = String::new();
        if self.trust {
            folder.trust_for_now();
        } else if asking == Asking::Person && folder.is_open_question() {
            typed = trust::ask(&mut folder)?;
        }
        let manifest = if folder.is_trusted() { manifest.with_folder(folder.manifest()?) } else { manifest };
        Ok(Common { typed, ..self.with(manifest, Some(folder)) })
    }

    /// The same by what is remembered, where mistakes in manifests are found and stop nothing: a manifest with mistakes
    /// counts as empty.
    ///
    /// # Errors
    /// When the workspace cannot be opened.
    pub fn examined(self) -> anyhow::Result<Examined> {
        let mut mistakes = Vec::new();
        let mut read = |manifest: Result<Manifest, BadManifest>| {
            manifest.unwrap_or_else(|bad| {
                mistakes.push(bad);
                Manifest::default()
            })
        };
        let person = read(
            person_file()
                .map_or_else(|| Ok(Manifest::default()), |file| manifest::read(&file, Whose::Person)),
        );
        let mut folder = Folder::look(self.workspace()?);
        if self.trust {
            folder.trust_for_now();
        }
        let manifest = if folder.is_trusted() {
            person.clone().with_folder(read(folder.manifest()))
        } else {
            person.clone()
        };
        Ok(Examined { common: self.with(manifest, Some(folder)), person, mistakes })
    }

    /// The same for another workspace.
    pub fn in_folder(self, folder: PathBuf) -> Given {
        Given { cwd: Some(folder), ..self }
    }

    /// The workspace folder. A wrong one is told here, before anything starts.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn workspace(&self) -> anyhow::Result<PathBuf> {
        let cwd = match &self.cwd {
            Some(cwd) => cwd.clone(),
            None => {
                std::env::current_dir().context("the current folder cannot be found; name one with --cwd")?
            }
        };
        let shown = cwd.display();
        let whole = cwd.canonicalize().map_err(|error| {
            WrongUsage(format!(
                "the workspace `{shown}` cannot be opened ({error}); name a folder that exists with --cwd"
            ))
        })?;
        if !whole.is_dir() {
            return Err(
                WrongUsage(format!("the workspace `{shown}` is no folder; name one with --cwd")).into()
            );
        }
        Ok(whole)
    }

    fn with(self, manifest: Manifest, folder: Option<Folder>) -> Common {
        let density = self.density.or(manifest.ui.density).unwrap_or_default();
        let mode = manifest.permissions.mode.unwrap_or_default().to_string();
        let approval_mode = self.approval_mode.clone().unwrap_or(mode);
        let theme = self.theme.or(manifest.ui.theme);
        Common { given: self, density, theme, approval_mode, manifest, folder, typed: String::new() }
    }
}

/// Settings, and where they come from.
pub struct Examined {
    /// What a subcommand would go by.
    pub common: Common,
    /// The person's manifest alone.
    pub person: Manifest,
    /// What is wrong in the manifests that were read.
    pub mistakes: Vec<BadManifest>,
}

impl Examined {
    /// Who names the theme.
    pub fn theme_by(&self) -> &'static str {
        if self.common.given.theme.is_some() { "the command line" } else { "the manifest" }
    }

    /// Who says what may be done without asking. A folder's word that is no stricter changes nothing.
    pub fn mode_by(&self) -> &'static str {
        let of_person = self.person.permissions.mode;
        let of_all = self.common.manifest.permissions.mode;
        if self.common.given.approval_mode.is_some() {
            "the command line"
        } else if of_all.unwrap_or_default() != of_person.unwrap_or_default() {
            "this folder's manifest"
        } else if of_person.is_some() {
            "your manifest"
        } else {
            "the default"
        }
    }
}

impl Common {
    /// The workspace and what it brings; absent where that was not looked at.
    pub fn folder(&self) -> Option<&Folder> {
        self.folder.as_ref()
    }

    /// What a pod is started with.
    ///
    /// # Errors
    /// When the workspace cannot be opened.
    pub fn pod(&self) -> anyhow::Result<PodOptions> {
        let Given { provider, model, base_url, approval_mode, .. } = self.given.clone();
        // A trust that could not be written down is told to the pod.
        let trust = self.given.trust || self.folder.as_ref().is_some_and(Folder::is_trusted_for_now);
        Ok(PodOptions {
            cwd: self.workspace()?,
            line: LineOptions { provider, model, base_url, approval_mode, trust },
            manifest: self.manifest.clone(),
            trusted: self.folder.as_ref().is_some_and(Folder::is_trusted),
            unused: self.folder.as_ref().and_then(Folder::unused),
            start: Start::New,
        })
    }

    /// The workspace folder.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn workspace(&self) -> anyhow::Result<PathBuf> {
        self.given.workspace()
    }

    /// The same command line for another workspace, which has its own trust and its own manifest.
    ///
    /// # Errors
    /// As [`Given::settled`].
    pub fn in_folder(&self, folder: PathBuf) -> anyhow::Result<Common> {
        Given { trust: false, ..self.given.clone() }.in_folder(folder).settled(Asking::Person)
    }

    /// The same for a new session, as it is wanted beside one in the folder `from`: another provider brings its own
    /// model and address.
    ///
    /// # Errors
    /// When there is no such folder, and as [`Given::settled`].
    pub fn beginning(&self, wanted: &Wanted, from: &Path, asking: Asking) -> anyhow::Result<Common> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let folder = path_from(&wanted.folder, from, home.as_deref())?;
        anyhow::ensure!(
            folder.is_dir(),
            "there is no folder `{}`; write one that is there",
            folder.display()
        );
        let mut given = Given { trust: false, ..self.given.clone() };
        if wanted.provider.is_some() {
            given = Given { provider: wanted.provider.clone(), model: None, base_url: None, ..given };
        }
        if wanted.model.is_some() {
            given.model = wanted.model.clone();
        }
        given.in_folder(folder).settled(asking)
    }

    /// The folder that the command line names as the workspace, as it was given.
    pub fn cwd(&self) -> Option<&std::path::Path> {
        self.given.cwd.as_deref()
    }

    /// The views and commands that are linked in, with the person's aliases.
    pub fn registry(&self) -> Registry {
        let mut builder = RegistryBuilder::linked();
        for (from, to) in &self.manifest.tool_views.aliases {
            builder.settled_alias(from, to);
        }
        builder.build()
    }

    /// What the plugins of a chat in that workspace are started with.
    pub fn plugins(&self, workspace: &Path) -> Option<plugins::Setting> {
        Some(plugins::Setting {
            places: Places {
                listed: self.manifest.plugins.clone(),
                own: plugins::own_folder(|name| std::env::var_os(name)),
                workspace: Some(found::of_workspace(workspace)),
                trusted: self.folder.as_ref().filter(|folder| folder.is_trusted()).map(Folder::plugin_files),
                root: Some(workspace.to_owned()),
            },
            carpel: std::env::current_exe().ok()?,
            state: log::state_folder(),
            precedence: self.manifest.tool_views.precedence.clone(),
        })
    }

    /// How much room live rows have, and whether there are any.
    pub fn live_rows(&self) -> LiveRows {
        let usual = LiveRows::default();
        let spoken = self.given.screen_reader
            || self
                .manifest
                .ui
                .screen_reader
                .unwrap_or_else(|| look::asks_for_words(|name| std::env::var(name).ok()));
        LiveRows {
            // What is heard is not to be interrupted by a clock.
            motion: if spoken { Motion::Reduced } else { self.manifest.ui.motion },
            spoken,
            columns: self.manifest.ui.live_columns.unwrap_or(usual.columns),
            most: self.manifest.ui.active_max,
        }
    }
}

/// Where the person's manifest is, or would be.
pub fn person_file() -> Option<PathBuf> {
    file::of_person(|name| std::env::var_os(name))
}

fn person() -> anyhow::Result<Manifest> {
    match person_file() {
        Some(file) => Ok(manifest::read(&file, Whose::Person)?),
        None => Ok(Manifest::default()),
    }
}

fn approval_mode(name: &str) -> Result<String, String> {
    link::mode(name).map(|_| name.to_owned())
}

fn density(name: &str) -> Result<Density, String> {
    Density::from_name(name).ok_or_else(|| "one of overview, normal, detail".to_owned())
}

fn theme(name: &str) -> Result<ThemeName, String> {
    ThemeName::from_name(name).ok_or_else(|| "one of auto, dark, light, high-contrast, none".to_owned())
}
