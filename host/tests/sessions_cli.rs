//! The subcommands about sessions, as a person calls them: what is told, where, and with which exit code.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use carpel_protocol::{Event, EventLine};
use tempfile::TempDir;

/// A home, a workspace and a place for sockets.
struct Place(TempDir);

struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "run", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Place(folder)
    }

    fn path(&self, below: &str) -> std::path::PathBuf {
        self.0.path().join(below)
    }

    fn command(&self, home: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carpel"));
        command.args(arguments).current_dir(self.path("work")).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("CARPEL_HOME", home).env("HOME", self.path("home"));
        command.env("XDG_RUNTIME_DIR", self.path("run")).stdin(Stdio::null());
        command
    }

    fn run(&self, home: &Path, arguments: &[&str]) -> Said {
        let output = self.command(home, arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Where the pod of a session listens, once one has; each home has a folder of sockets of its own.
    fn socket(&self, session: &str) -> std::path::PathBuf {
        let folders = std::fs::read_dir(self.path("run")).into_iter().flatten().flatten();
        let mut sockets = folders.map(|folder| folder.path().join(format!("{session}.sock")));
        sockets.find(|socket| socket.exists()).unwrap_or_default()
    }

    /// A pod of this session; it has a client and does what `prompt` says.
    fn pod(&self, session: &str, prompt: &str, until: &str) -> Running {
        let mut command =
            self.command(&self.path("home"), &["pod", "--session", session, "--provider", "guide"]);
        let pod = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut stream = loop {
            match UnixStream::connect(self.socket(session)) {
                Ok(stream) => break stream,
                Err(_) => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        };
        writeln!(stream, r#"{{"method":"hello","protocol":1,"client":"t"}}"#).unwrap();
        writeln!(stream, r#"{{"method":"run","text":"{prompt}"}}"#).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let mut ran = false;
        loop {
            let event = EventLine::decode(lines.next().unwrap().unwrap().as_bytes()).unwrap().event;
            ran |= matches!(event, Event::TurnEnd(_));
            let idle = ran && matches!(event, Event::State(_));
            if event.tag() == until && (until != "state" || idle) {
                break;
            }
        }
        Running { pod, _stream: stream }
    }
}

struct Running {
    pod: Child,
    _stream: UnixStream,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.pod.kill();
        let _ = self.pod.wait();
    }
}

#[test]
fn an_absent_home_has_no_sessions_and_an_unusable_one_is_an_error() {
    let place = Place::new();
    std::fs::write(place.path("file"), "").unwrap();
    let said = place.run(&place.path("not/yet"), &["sessions"]);
    assert_eq!((said.code, said.err.trim()), (0, "no sessions yet; `carpel` begins one"));
    for (home, fact) in [("file", "file"), ("file/below", "file/below")] {
        let said = place.run(&place.path(home), &["sessions"]);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{}", said.err);
        assert!(said.err.starts_with("carpel: past sessions cannot be listed: ") && said.err.contains(fact));
        assert!(said.err.contains("Not a directory") && said.err.contains("CARPEL_HOME"), "{}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        // What a prompt would run into is told before it is taken.
        let said = place.run(&place.path(home), &["exec", "hello"]);
        assert!(said.code == 1 && said.err.starts_with("carpel: cannot keep sessions in "), "{}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
    // A session whose folder holds no readable log is named, and nothing that was asked for could be read.
    std::fs::create_dir_all(place.path("home/sessions/s/0001.jsonl")).unwrap();
    let said = place.run(&place.path("home"), &["sessions"]);
    assert_eq!(said.code, 1, "{}", said.out);
    assert_eq!(said.out.matches("not a regular file").count(), 1, "{}", said.out);
}

/// Whoever needs a log that cannot be opened says so once: the thing, the fact, the way out.
#[test]
fn a_log_that_cannot_be_opened_is_told_once() {
    let place = Place::new();
    let home = place.path("home");
    std::fs::create_dir_all(place.path("home/sessions/closed/0001.jsonl")).unwrap();
    for arguments in [
        &["--resume", "closed", "exec", "hello"][..],
        &["exec", "--resume", "clo", "hello"],
        &["export", "closed"],
        &["pod", "--stdio", "--resume", "closed"],
    ] {
        let said = place.run(&home, arguments);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{arguments:?} {}", said.err);
        for (part, count) in [
            ("\n", 1),
            ("closed/0001.jsonl", 1),
            ("not a regular file", 1),
            ("cannot", 1),
            ("move it away", 1),
        ] {
            assert_eq!(said.err.matches(part).count(), count, "{arguments:?} {part:?} {}", said.err);
        }
    }
}

/// The program's own log is nobody's business on the screen, whether it can be written or not.
#[test]
fn a_log_file_that_cannot_be_written_says_nothing_on_stderr() {
    let place = Place::new();
    std::os::unix::fs::symlink("/dev/full", place.path("home/carpel.log")).unwrap();
    // A skill without a head is told in the log.
    std::fs::create_dir_all(place.path("work/.agents/skills/bad")).unwrap();
    std::fs::write(place.path("work/.agents/skills/bad/SKILL.md"), "no head").unwrap();
    let said = place.run(&place.path("home"), &["exec", "hello", "--provider", "guide"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.err.contains("tracing") && !said.err.contains("No space"), "{}", said.err);
}

#[test]
fn log_7_07_exec_tells_of_a_full_disk_once() {
    let place = Place::new();
    std::fs::create_dir(place.path("home/sessions")).unwrap();
    let sessions = place.path("home/sessions");
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=8k", "tmpfs"])
        .arg(&sessions)
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        eprintln!("skipped: a tmpfs cannot be mounted here");
        return;
    }
    // One page for the lock, one for the log: the prompt fits, the answer does not; then not even the prompt.
    for length in [3_500, 5_000] {
        let said =
            place.run(&place.path("home"), &["exec", &"word ".repeat(length / 5), "--provider", "guide"]);
        assert_eq!(said.code, 1, "{}", said.err);
        let told: Vec<&str> = said.err.lines().filter(|line| line.contains("No space left")).collect();
        assert!(told.len() == 1 && told[0].contains("make room"), "{length}: {}", said.err);
        std::fs::read_dir(&sessions)
            .unwrap()
            .for_each(|entry| std::fs::remove_dir_all(entry.unwrap().path()).unwrap());
    }
    let _ = Command::new("umount").arg("-l").arg(&sessions).status();
}

#[test]
fn what_running_sessions_do_is_listed_and_a_dead_one_leaves_no_socket() {
    let place = Place::new();
    std::fs::write(place.path("work/a.md"), "foo\n").unwrap();
    let idle = place.pod("idle-one", "hello", "state");
    let _asking = place.pod("asking", "replace foo with bar in a.md", "approval_request");
    let home = place.path("home");
    let line = |said: &Said, id: &str| {
        let all = format!("{}{}", said.out, said.err);
        all.lines().find(|line| line.starts_with(id)).map(str::to_owned).unwrap_or_else(|| panic!("{all}"))
    };
    let said = place.run(&home, &["sessions"]);
    assert_eq!(said.code, 0);
    assert!(line(&said, "idle-one").ends_with("runs, idle"), "{}", said.out);
    assert!(line(&said, "asking").ends_with("waits for your answer"), "{}", said.out);

    // Of several none is guessed: each is told with what tells it from the others, and how to choose.
    let said = place.run(&home, &["attach"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    let work = place.path("work").canonicalize().unwrap();
    for (id, title, state) in
        [("idle-one", "hello", "runs, idle"), ("asking", "replace foo with bar", "waits for your answer")]
    {
        let line = line(&said, id);
        for part in ["just now", title, work.to_str().unwrap(), state] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
    let last = said.err.lines().last().unwrap();
    assert_eq!(
        last,
        "carpel: 2 sessions run; `carpel attach ID` opens one, the beginning of its id is enough"
    );

    // A name is taken before a terminal is missed.
    let also = place.pod("asking-too", "replace foo with baz in a.md", "approval_request");
    for (name, told) in [
        ("idle", "carpel: the chat needs a terminal"),
        ("asking", "carpel: the chat needs a terminal"),
        ("ask", "carpel: `ask` begins the ids of 2 sessions that run; type more of one"),
        ("none", "carpel: there is no session `none`; `carpel sessions` lists them"),
        ("", "carpel: the id of a session is missing; `carpel sessions` lists them"),
    ] {
        let said = place.run(&home, &["attach", name]);
        let last = said.err.lines().last().unwrap();
        assert!(said.code == 1 && last.starts_with(told), "{name:?}: {}", said.err);
        assert_eq!(said.err.contains("asking-too  "), name == "ask", "{name:?}: {}", said.err);
    }
    drop(also);

    // Sessions of another home are none of this one's, though their pods run.
    let said = place.run(&place.path("other"), &["sessions"]);
    assert!(said.out.is_empty() && said.err.starts_with("no sessions yet"), "{}{}", said.out, said.err);

    drop(idle);
    assert!(place.socket("idle-one").exists(), "it was killed");
    let said = place.run(&home, &["sessions"]);
    assert!(!line(&said, "idle-one").contains("runs"), "{}", said.out);
    assert!(!place.socket("idle-one").exists());
    assert!(place.socket("asking").exists());
    // What does not run any more is said to be so.
    let said = place.run(&home, &["attach", "idle"]);
    assert!(said.err.contains("session `idle-one` does not run; `carpel --resume idle-one`"), "{}", said.err);
}

/// Runs of `carpel exec` are many and seldom gone back to; a session that has no prompt yet is one all the same.
#[test]
fn what_a_listing_shows() {
    let place = Place::new();
    let home = place.path("home");
    for prompt in ["first run", "second run"] {
        assert_eq!(place.run(&home, &["exec", prompt, "--provider", "guide"]).code, 0);
    }
    let _pod = place.pod("a-chat", "hello", "state");
    let titles = |arguments: &[&str]| {
        let said = place.run(&home, arguments);
        let seen = |word: &&str| said.out.contains(*word);
        let seen: Vec<&str> = ["first run", "second run", "a-chat"].into_iter().filter(seen).collect();
        (seen.join(", "), said.err.trim().to_owned())
    };
    let left_out = "2 runs of `carpel exec` left out; `carpel sessions --all` lists all";
    assert_eq!(titles(&["sessions"]), ("a-chat".to_owned(), left_out.to_owned()));
    assert_eq!(titles(&["sessions", "--all"]), ("first run, second run, a-chat".to_owned(), String::new()));
}

/// Where a session cannot be had the sentence says what is so, and names a way that leads somewhere.
#[test]
fn ways_out_lead_somewhere() {
    let place = Place::new();
    let (home, other) = (place.path("home"), place.path("other"));
    std::fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    let last = |home: &Path, arguments: &[&str]| {
        let said = place.run(home, arguments);
        (said.code, said.err.lines().last().unwrap_or_default().to_owned())
    };
    let none = "no sessions yet; `carpel` begins one".to_owned();
    assert_eq!(last(&home, &["sessions", "--here"]), (0, none));
    let pod = place.pod("chat-1", "hello", "state");
    let of_others = "no sessions of this folder yet; `carpel` begins one, `carpel sessions` lists all";
    assert_eq!(last(&home, &["sessions", "--here", "--cwd", other]), (0, of_others.to_owned()));

    // A pod is reached whatever is wrong where its log is.
    std::fs::rename(place.path("home/sessions"), place.path("kept")).unwrap();
    std::fs::write(place.path("home/sessions"), "").unwrap();
    for arguments in [&["attach"][..], &["attach", "chat"], &["--provider", "anthropic", "attach"]] {
        let (code, told) = last(&home, arguments);
        assert!(code == 1 && told.contains("needs a terminal"), "{arguments:?} {told}");
    }
    std::fs::remove_file(place.path("home/sessions")).unwrap();
    std::fs::rename(place.path("kept"), place.path("home/sessions")).unwrap();

    // Nothing was said in it yet, so nothing is on the disk.
    let mut command = place.command(&home, &["pod", "--session", "unborn", "--provider", "guide"]);
    let mut unborn = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while UnixStream::connect(place.socket("unborn")).is_err() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let told = "carpel: nothing was said in session `unborn` yet; `carpel attach unborn` opens it";
    assert_eq!(last(&home, &["export", "unb"]), (1, told.to_owned()));
    unborn.kill().unwrap();
    unborn.wait().unwrap();
    drop(pod);

    let none_runs = "carpel: no session runs; `carpel --continue` opens the latest of this folder";
    assert_eq!(last(&home, &["attach"]), (1, none_runs.to_owned()));
    let none_here = "carpel: no session runs; `carpel` begins one";
    assert_eq!(last(&home, &["attach", "--cwd", other]), (1, none_here.to_owned()));
    let (code, told) = last(&home, &["--resume", "chat", "--cwd", other, "exec", "hello"]);
    assert!(code == 2 && told.contains("/work`; say `--cwd /"), "{told}");

    // Its folder is gone: to name it would lead nowhere.
    std::fs::rename(place.path("work"), place.path("moved")).unwrap();
    let mut command = place.command(&home, &["--resume", "chat", "exec", "hello"]);
    let output = command.current_dir(other).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("is not there any more") && told.contains("`carpel export chat-1`"), "{told}");
}

/// What cannot be printed is one sentence, and a reader that goes away is none.
#[test]
fn what_cannot_be_printed() {
    let place = Place::new();
    for arguments in [
        &["sessions", "--all"][..],
        &["tool", "Glob", "{\"pattern\":\"*\"}"],
        &["--help"],
        &["doctor"],
        &["exec", "hello", "--provider", "guide"],
    ] {
        assert_eq!(place.run(&place.path("home"), &["exec", "hello", "--provider", "guide"]).code, 0);
        let run = |stdout: Stdio| {
            let mut carpel = place.command(&place.path("home"), arguments);
            let output = carpel.stdout(stdout).output().unwrap();
            (output.status.code(), String::from_utf8(output.stderr).unwrap())
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, err) = run(full.into());
        assert_eq!(code, Some(1), "{arguments:?} {err}");
        assert!(
            err.starts_with("carpel: stdout cannot be written to: ") && err.contains("make room"),
            "{err}"
        );
        assert_eq!((err.lines().count(), err.matches("cannot be written").count()), (1, 1), "{err}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (_, err) = run(writer.into());
        assert_eq!(err, "", "{arguments:?}");
    }
}
