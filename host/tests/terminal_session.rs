//! The example program in a pty: however it ends, the terminal is as it was and the cursor below the last row.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

use std::io::{Read as _, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use alacritty_terminal::term::TermMode;
use carpel::terminal::emulator::Emulator;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const SIZE: PtySize = PtySize { rows: 12, cols: 60, pixel_width: 0, pixel_height: 0 };

struct Program {
    master: Option<Box<dyn MasterPty + Send>>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    emulator: Arc<Mutex<Emulator>>,
    before: String,
    modes: TermMode,
}

impl Program {
    fn start() -> Self {
        let mut program = Self::run(CommandBuilder::new(example()));
        program.wait_for("the first frame", |rows| rows.iter().any(|row| row == ">"));
        program
    }

    fn run(mut command: CommandBuilder) -> Self {
        command.env("TERM", "xterm-256color");
        let pair = native_pty_system().openpty(SIZE).unwrap();
        let before = termios(&*pair.master);
        let mut emulator = Emulator::new(SIZE.cols.into(), SIZE.rows.into(), 1000);
        emulator.feed(b"shell line\r\n");
        let modes = emulator.modes();
        let emulator = Arc::new(Mutex::new(emulator));
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let mut output = pair.master.try_clone_reader().unwrap();
        let (screen, answers) = (Arc::clone(&emulator), Arc::clone(&keyboard));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = output.read(&mut buffer) {
                if read == 0 {
                    break;
                }
                let asked = {
                    let mut screen = screen.lock().unwrap();
                    screen.feed(&buffer[..read]);
                    screen.take_asked()
                };
                let _ = answers.lock().unwrap().write_all(asked.answers.as_bytes());
            }
        });
        let child = pair.slave.spawn_command(command).unwrap();
        let keyboard = Box::new(Shared(keyboard));
        Self { master: Some(pair.master), keyboard, child, emulator, before, modes }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    fn rows(&self) -> Vec<String> {
        self.emulator.lock().unwrap().rows()
    }

    fn wait_for(&mut self, what: &str, seen: impl Fn(&[String]) -> bool) {
        for _ in 0..2000 {
            if seen(&self.rows()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("never seen: {what}, but {:#?}", self.rows());
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.process_id().unwrap() as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// The program has ended and left everything as it was; what a shell prints next stands below the last row.
    fn check_end(mut self) -> Vec<String> {
        self.child.wait().unwrap();
        // The reader sees everything the program wrote, since the pty outlives it: a mark comes last.
        self.emulator_settles();
        assert_eq!(termios(&**self.master.as_ref().unwrap()), self.before);
        let mut emulator = self.emulator.lock().unwrap();
        assert_eq!(emulator.modes(), self.modes);
        assert_eq!(emulator.cursor().x, 0);
        emulator.feed(b"prompt$");
        let rows = emulator.rows();
        let prompt = rows.iter().position(|row| row == "prompt$").unwrap();
        assert!(rows[prompt + 1..].iter().all(String::is_empty), "{rows:#?}");
        assert_eq!(rows[0], "shell line");
        rows
    }

    fn emulator_settles(&self) {
        let mut last = Vec::new();
        loop {
            std::thread::sleep(Duration::from_millis(300));
            let now = self.rows();
            if now == last {
                return;
            }
            last = now;
        }
    }
}

struct Shared(Arc<Mutex<Box<dyn Write + Send>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap().flush()
    }
}

/// The example, built if this test is run alone: cargo builds examples beside the tests only when it runs them all.
fn example() -> PathBuf {
    static BUILT: Once = Once::new();
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().unwrap().parent().unwrap();
    let profile = folder.file_name().unwrap().to_str().unwrap().replace("debug", "dev");
    BUILT.call_once(|| {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--quiet",
            "--package",
            "carpel",
            "--example",
            "terminal",
            "--profile",
            &profile,
        ]);
        assert!(cargo.status().unwrap().success());
    });
    folder.join("examples/terminal")
}

fn termios(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

#[test]
fn leaving_by_ctrl_c_restores_everything() {
    let mut program = Program::start();
    program.press("one\rtwo");
    program.wait_for("the draft", |rows| rows.iter().any(|row| row == "> two"));
    program.press("\x03");
    let rows = program.check_end();
    assert_eq!(rows[..5], ["shell line", "one", "echo", "> two", "prompt$"]);
}

#[test]
fn a_panic_restores_everything_and_its_report_comes_after() {
    let mut program = Program::start();
    program.press("one\r\x10");
    let rows = program.check_end();
    assert!(rows.iter().any(|row| row.contains("asked to panic")), "{rows:#?}");
    assert_eq!(rows.iter().filter(|row| *row == "one").count(), 1);
}

#[test]
fn termination_and_hangup_restore_everything() {
    use rustix::process::Signal;
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let program = Program::start();
        program.signal(signal);
        program.check_end();
    }
}

#[test]
fn leaving_from_the_alternate_screen_restores_the_main_one() {
    let mut program = Program::start();
    program.press("one\r\x14");
    program.wait_for("the alternate screen", |rows| rows.iter().any(|row| row == "the alternate screen"));
    program.press("\x03");
    let rows = program.check_end();
    assert_eq!(rows[..5], ["shell line", "one", "echo", ">", "prompt$"]);
}

#[test]
fn what_is_committed_behind_the_alternate_screen_comes_once_on_return() {
    let mut program = Program::start();
    program.press("\x14");
    program.wait_for("the alternate screen", |rows| rows.iter().any(|row| row == "the alternate screen"));
    program.press("held\r");
    program.press("\x14");
    program.wait_for("the held row", |rows| rows.iter().any(|row| row == "held"));
    program.press("\x03");
    let rows = program.check_end();
    assert_eq!(rows[..5], ["shell line", "held", "echo", ">", "prompt$"]);
}

#[test]
fn a_resize_is_drawn_once_it_has_settled() {
    let mut program = Program::start();
    program.press("one\r");
    program.wait_for("the row", |rows| rows.iter().any(|row| row == "one"));
    for cols in [59, 50, 45, 70] {
        program.emulator.lock().unwrap().resize(cols, 10);
        let size = PtySize { rows: 10, cols: cols as u16, ..SIZE };
        program.master.as_ref().unwrap().resize(size).unwrap();
    }
    program.press("x");
    program.wait_for("the draft", |rows| rows.iter().any(|row| row == "> x"));
    program.emulator_settles();
    program.press("\x03");
    let rows = program.check_end();
    assert_eq!(rows[..5], ["shell line", "one", "echo", "> x", "prompt$"]);
}

/// tmux tells the kernel late, and other things never do: folds are not counted for a size that is not the terminal's.
#[test]
fn a_kernel_that_says_another_size_than_the_terminal_costs_no_row() {
    let mut program = Program::start();
    let draft = "x".repeat(50);
    program.press(&format!("one\r{draft}"));
    program.wait_for("the draft", |rows| rows.iter().any(|row| *row == format!("> {draft}")));
    for (cols, rows) in [(20, 12), (60, 5), (20, 40)] {
        program.master.as_ref().unwrap().resize(PtySize { cols, rows, ..SIZE }).unwrap();
        let clipped = format!("> {draft}").chars().take(cols.into()).collect::<String>();
        program.wait_for("the draft", |rows| rows.contains(&clipped));
    }
    program.press("\x03");
    let rows = program.check_end();
    assert_eq!(rows[..3], ["shell line", "one", "echo"]);
}

#[test]
fn at_rest_no_thread_wakes_up() {
    let program = Program::start();
    std::thread::sleep(Duration::from_millis(300));
    let tasks = format!("/proc/{}/task", program.child.process_id().unwrap());
    let Ok(_) = std::fs::read_dir(&tasks) else {
        eprintln!("skipped: no /proc on this system");
        return;
    };
    let switches = || -> Vec<String> {
        let mut found: Vec<_> = std::fs::read_dir(&tasks)
            .unwrap()
            .map(|task| std::fs::read_to_string(task.unwrap().path().join("status")).unwrap())
            .map(|status| status.lines().filter(|line| line.starts_with("voluntary")).collect())
            .collect();
        found.sort();
        found
    };
    let before = switches();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(switches(), before);
    program.signal(rustix::process::Signal::TERM);
    program.check_end();
}

#[test]
fn ctrl_z_stops_like_a_job_and_fg_draws_everything_again() {
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "--noediting", "-i"]);
    command.env("PS1", "bash$ ");
    let mut program = Program::run(command);
    program.wait_for("the shell", |rows| rows.iter().any(|row| row == "bash$"));
    program.press(&format!("{}\r", example().display()));
    program.wait_for("the first frame", |rows| rows.iter().any(|row| row == ">"));
    program.press("one\rtwo\x1a");
    program.wait_for("the shell again", |rows| rows.iter().any(|row| row.contains("Stopped")));
    program.wait_for("its prompt", |rows| {
        rows.iter().rfind(|row| !row.is_empty()).is_some_and(|row| row == "bash$")
    });
    assert_eq!(program.emulator.lock().unwrap().modes(), program.modes);
    assert!(!program.rows().iter().any(|row| row == "> two"), "{:#?}", program.rows());
    program.press("fg\r");
    program.wait_for("the draft again", |rows| rows.iter().any(|row| row == "> two"));
    program.press("\x03");
    program.wait_for("the prompt", |rows| {
        rows.iter().rfind(|row| !row.is_empty()).is_some_and(|row| row == "bash$")
    });
    let rows = program.rows();
    assert_eq!(rows.iter().filter(|row| *row == "one").count(), 1, "{rows:#?}");
    assert_eq!(rows.iter().filter(|row| *row == "> two").count(), 1, "{rows:#?}");
    program.press("exit\r");
    program.child.wait().unwrap();
}
