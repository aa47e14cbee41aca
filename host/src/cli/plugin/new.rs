//! `carpel plugin new NAME`: a project that builds and has a passing test.
//!
//! It is written into a folder of its own, which must not be there: nothing of anybody's is ever written over. What stands
//! in the files is `project.rs`'s business. carpel-slots is taken from the source that this program was built from while
//! that is there, so that the two fit together; else by its version.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use carpel_slots::Printable;
use clap::Args;

use crate::cli::exit::{Exit, WrongUsage};
use crate::cli::plugin::project::{self, CALL, Language, Names, ProjectFile};
use crate::cli::{chat, out};
use crate::plugins::own_folder;

/// Make a project of a plugin that builds and has a passing test.
#[derive(Args)]
pub struct New {
    /// The plugin's name, also that of its folder: small letters, digits and hyphens.
    #[arg(value_parser = project::name)]
    name: String,
    /// The language.
    #[arg(long, value_name = "LANG", value_enum, default_value_t = Language::Rust)]
    lang: Language,
    /// The tool whose calls it draws [default: the name, with _ for -].
    #[arg(long, value_name = "TOOL", value_parser = project::tool)]
    tool: Option<String>,
    /// For Rust: the folder of the crate carpel-slots [default: where this program was built from, else crates.io].
    #[arg(long, value_name = "DIR")]
    slots: Option<PathBuf>,
}

impl New {
    pub(super) fn run(&self, cwd: &Path) -> anyhow::Result<Exit> {
        let slots = self.slots()?;
        let tool = self.tool.clone().unwrap_or_else(|| self.name.replace('-', "_"));
        let names = Names { name: self.name.clone(), tool, slots };
        let folder = cwd.join(&self.name);
        write(&folder, &project::files(self.lang, &names))?;
        self.tell(&names)
    }

    /// How the project depends on carpel-slots, in TOML.
    fn slots(&self) -> anyhow::Result<String> {
        let version = env!("CARGO_PKG_VERSION");
        let folder = match &self.slots {
            Some(_) if self.lang != Language::Rust => {
                return Err(
                    WrongUsage("--slots goes with `--lang rust` only; leave it out".to_owned()).into()
                );
            }
            Some(folder) => {
                let crate_is_there =
                    folder.join("Cargo.toml").is_file() && folder.join("src/lib.rs").is_file();
                if !crate_is_there {
                    let sentence = format!(
                        "`{}` is no folder of a crate; name that of carpel-slots, `slots` in carpel's source",
                        folder.display()
                    );
                    return Err(WrongUsage(sentence).into());
                }
                Some(folder.clone())
            }
            None => {
                let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../slots");
                own.join("Cargo.toml").is_file().then_some(own)
            }
        };
        let Some(folder) = folder else { return Ok(quoted(version)) };
        let shown = folder.display().to_string();
        let folder = folder.canonicalize().with_context(|| format!("`{shown}` cannot be found"))?;
        let Some(path) = folder.to_str().filter(|path| !path.contains(char::is_control)) else {
            bail!("`{shown}` has characters that a Cargo.toml cannot have; name another folder with --slots");
        };
        Ok(format!("{{ path = {} }}", quoted(path)))
    }

    /// What was made, and the steps that come next.
    fn tell(&self, names: &Names) -> anyhow::Result<Exit> {
        let (test, build, file) = project::steps(self.lang, names);
        let name = &self.name;
        let plugins = own_folder(|variable| std::env::var_os(variable));
        // Without a home the shell of whoever has one knows it.
        let into = plugins.map_or("~/.local/share/carpel/plugins".to_owned(), |into| chat::word(&into));
        let build = build.map(|build| format!("{build} && ")).unwrap_or_default();
        let lines = [
            format!("`{name}` draws the calls of `{}`. What comes next:", names.tool),
            String::new(),
            format!("1. cd {name} && {test}"),
            format!(
                "2. {build}carpel plugin dev {file} shows its card; change it, see docs/writing-a-tool-view.md; {test}"
            ),
            format!("3. {build}mkdir -p {into} && cp {file} {into}"),
            format!("4. carpel replay {CALL} shows it in a chat"),
        ];
        let lines: Vec<Printable> = lines.iter().map(|line| Printable::line(line)).collect();
        out::rows(&lines)?;
        Ok(Exit::Done)
    }
}

/// A text as TOML and JSON write it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes the files into a folder that was not there.
fn write(folder: &Path, files: &[ProjectFile]) -> anyhow::Result<()> {
    let shown = folder.display();
    fs::create_dir(folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            WrongUsage(format!("`{shown}` is there already; take another name, or move it away")).into()
        }
        _ => anyhow::anyhow!("`{shown}` cannot be made: {error}; go to a folder that you may write to"),
    })?;
    for file in files {
        let path = folder.join(&file.path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
            let mode = if file.is_program { 0o777 } else { 0o666 };
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true).mode(mode).open(&path)?.write_all(file.text.as_bytes())
        });
        written.with_context(|| {
            format!("`{}` cannot be written; remove `{shown}`, make room and try again", path.display())
        })?;
    }
    Ok(())
}
