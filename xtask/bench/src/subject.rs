//! Who is measured: carpel, or the floor. How each is started, recognised and typed at.
//!
//! Owns the environment, which is the same for both and nothing of this machine but its PATH, and how the process of
//! carpel's pod is found. It refuses to know workloads and figures.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use mock_llm::{MockLlm, Script};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::floor;
use crate::process;
use crate::screen::Screen;
use crate::terminal::Terminal;

/// How long a pod may take to appear.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone)]
pub enum Subject {
    Carpel { program: PathBuf },
    Floor,
}

/// A folder and a provider, in which a subject can be started.
pub struct Place {
    pub mock: MockLlm,
    folder: TempDir,
}

/// A subject that runs. Its processes end with it.
pub struct Running {
    pub terminal: Terminal,
    pub pod: Option<u32>,
}

impl Subject {
    pub fn is_carpel(&self) -> bool {
        matches!(self, Subject::Carpel { .. })
    }

    /// Whether the prompt is there and holds this. The prompt of carpel is the last one on the screen.
    pub fn prompts(&self, draft: &'static str) -> impl Fn(&Screen) -> bool + Send + 'static {
        let sign = if self.is_carpel() { "›" } else { floor::PROMPT.trim_end() };
        move |screen| {
            let rows = screen.rows();
            let prompt = rows.iter().rev().find_map(|row| row.strip_prefix(sign));
            prompt.is_some_and(|row| match draft {
                // An empty draft may show a hint.
                "" => !row.trim_start().starts_with('q'),
                draft => row.trim() == draft,
            })
        }
    }

    /// Starts it there. `resume` names a session that goes on.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self, place: &Place, resume: Option<&str>) -> Result<Running> {
        let mut command = match self {
            Subject::Carpel { program } => {
                let mut command = CommandBuilder::new(program);
                command.args(["--approval-mode", "all"]);
                command.args(resume.iter().flat_map(|session| ["--resume", *session]));
                command
            }
            Subject::Floor => {
                let mut command = CommandBuilder::new(std::env::current_exe()?);
                command.arg("floor");
                if let Some(session) = resume {
                    command.arg("--log");
                    command.arg(place.log(session));
                }
                command
            }
        };
        command.env_clear();
        command.cwd(place.workspace());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (name, folder) in [("HOME", "home"), ("CARPEL_HOME", "state"), ("XDG_RUNTIME_DIR", "run")] {
            command.env(name, place.folder.path().join(folder));
        }
        for (name, value) in [
            ("TERM", "xterm-256color"),
            ("LC_ALL", "C.UTF-8"),
            ("ANTHROPIC_API_KEY", "mock"),
            ("ANTHROPIC_BASE_URL", &place.mock.anthropic_base_url()),
        ] {
            command.env(name, value);
        }
        Ok(Running { terminal: Terminal::start(command)?, pod: None })
    }
}

impl Place {
    /// # Errors
    /// When there is no room for it.
    pub fn new(script: Script) -> Result<Place> {
        let folder = tempfile::Builder::new().prefix("carpel-bench-").tempdir()?;
        for name in ["home", "state/sessions", "run", "workspace"] {
            fs::DirBuilder::new().mode(0o700).recursive(true).create(folder.path().join(name))?;
        }
        Ok(Place { mock: MockLlm::start(script)?, folder })
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// Where plugins of the person's own lie.
    pub fn plugins(&self) -> PathBuf {
        self.folder.path().join("state/plugins")
    }

    /// The log of a session.
    pub fn log(&self, session: &str) -> PathBuf {
        self.folder.path().join("state/sessions").join(session).join("0001.jsonl")
    }

    /// Whether something made this file in the home folder.
    pub fn has_in_home(&self, name: &str) -> bool {
        self.folder.path().join("home").join(name).exists()
    }

    pub fn write(&self, name: &str, contents: &str) -> Result<()> {
        write(&self.workspace().join(name), contents)
    }
}

impl Running {
    /// Waits until carpel has its pod.
    ///
    /// # Errors
    /// When there is none.
    pub fn find_pod(&mut self) -> Result<()> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            let is_pod = |pid: &u32| process::arguments(*pid).get(1).is_some_and(|word| word == "pod");
            self.pod = process::children(self.terminal.pid).into_iter().find(is_pod);
            if self.pod.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None.context("carpel has no pod")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A pod outlives its host for a while, so that a session can be joined again; nobody will.
        let pid = self.pod.and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid {
            _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
    }
}

fn write(path: &Path, contents: &str) -> Result<()> {
    fs::write(path, contents).with_context(|| format!("{}: cannot be written", path.display()))
}
