//! `docs/tour.md` to the letter: what it says to type is typed, and what it shows is compared with what comes.
//!
//! A block `sh` is run; `text` below it is what it prints. Where a block to be seen or typed follows instead, it is the chat.
//! Each line of `type` is typed with Enter, each of `press` is a key, and the rows of `screen` have to come, one below the
//! other. A row of three dots stands for any rows. Times and ids are masked, and the home folder is ada's.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[path = "support/processes.rs"]
mod processes;
#[path = "support/pty.rs"]
mod pty;

use pty::{Place, Pty, Setup};

/// Longer than a question has to be in sight before a letter answers it.
const A_LOOK: Duration = Duration::from_millis(900);

struct Block {
    kind: String,
    lines: Vec<String>,
    /// Where it stands on the page.
    line: usize,
}

fn blocks() -> Vec<Block> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tour.md");
    let text = std::fs::read_to_string(page).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(kind) if !is_open => {
                blocks.push(Block { kind: kind.to_owned(), lines: Vec::new(), line: at + 1 });
                is_open = true;
            }
            Some(_) => is_open = false,
            None if is_open => blocks.last_mut().unwrap().lines.push(line.to_owned()),
            None => {}
        }
    }
    blocks
}

struct Tour {
    place: Place,
    cwd: PathBuf,
    chat: Option<Pty>,
    printed: String,
}

impl Tour {
    fn new() -> Tour {
        let place = Place::new();
        let cwd = place.path().join("tour");
        std::fs::create_dir(&cwd).unwrap();
        Tour { place, cwd: cwd.canonicalize().unwrap(), chat: None, printed: String::new() }
    }

    fn path() -> String {
        let bin = Path::new(env!("CARGO_BIN_EXE_carpel")).parent().unwrap();
        format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
    }

    /// What is particular to a run, as the page has it.
    fn masked(&self, text: &str) -> String {
        let home = self.place.path().join("tour");
        let home = home.canonicalize().unwrap().display().to_string();
        let text = text.replace(&home, "/home/ada");
        let words = text.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '-' || c == '.'));
        words.map(masked_word).collect()
    }

    fn run(&mut self, script: &str) {
        // The next block goes on in the folder where this one ends.
        let whole = format!("{script}\npwd > \"$AFTER\"\n");
        let after = self.place.path().join("after");
        let mut shell = Command::new("sh");
        shell.args(["-euc", &whole]).current_dir(&self.cwd).env_clear();
        shell.envs(self.place.variables()).env("PATH", Tour::path()).env("AFTER", &after);
        let output = shell.stdin(std::process::Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{said}");
        self.printed = format!("{}{said}", String::from_utf8_lossy(&output.stdout));
        self.cwd = PathBuf::from(std::fs::read_to_string(after).unwrap().trim_end());
    }

    fn begin_chat(&mut self, script: &str) {
        let line = format!("cd '{}' && {script}", self.cwd.display());
        let setup = Setup::new(80, 24).variable("PATH", Some(&Tour::path()));
        let chat = Pty::run(&self.place, setup, &["sh", "-c", &line]);
        chat.wait_for("the chat", |text| text.contains("guide (no model)"));
        self.chat = Some(chat);
    }

    fn chat(&self) -> &Pty {
        self.chat.as_ref().unwrap()
    }

    fn press(&self, key: &str) {
        std::thread::sleep(A_LOOK);
        match key.strip_prefix("Ctrl+") {
            Some(letter) => {
                let code = letter.chars().next().unwrap() as u8 & 0x1f;
                self.chat().press(&char::from(code).to_string());
            }
            None => self.chat().press(key),
        }
    }
}

/// A time becomes `0s`, an id ones of eight and eight signs.
fn masked_word(word: &str) -> String {
    let (bare, rest) = match word.char_indices().last() {
        Some((at, c)) if !(c.is_alphanumeric() || c == '-' || c == '.') => word.split_at(at),
        _ => (word, ""),
    };
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_hex = |text: &str| text.len() == 8 && text.chars().all(|c| c.is_ascii_hexdigit());
    if bare.strip_suffix('s').is_some_and(is_number) {
        return format!("0s{rest}");
    }
    if bare.split_once('-').is_some_and(|(first, second)| is_hex(first) && is_hex(second)) {
        return format!("ID{rest}");
    }
    word.to_owned()
}

/// Whether the rows stand in the text one below the other.
fn stands(wanted: &[String], text: &str) -> bool {
    let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
    (0..=rows.len()).any(|start| stands_at(wanted, &rows[start..]))
}

fn stands_at(wanted: &[String], rows: &[&str]) -> bool {
    match (wanted.split_first(), rows.split_first()) {
        (None, _) => true,
        (Some((dots, wanted)), _) if dots == "..." => {
            (0..=rows.len()).any(|at| stands_at(wanted, &rows[at..]))
        }
        (Some((first, wanted)), Some((row, rows))) => first.trim_end() == *row && stands_at(wanted, rows),
        (Some(_), None) => false,
    }
}

#[test]
fn everything_on_the_page_comes_true() {
    let blocks = blocks();
    let mut tour = Tour::new();
    let (mut typed, mut compared) = (0, 0);
    for (at, block) in blocks.iter().enumerate() {
        let place = format!("docs/tour.md:{}", block.line);
        let wanted: Vec<String> = block.lines.iter().map(|row| tour.masked(row)).collect();
        let next = blocks.get(at + 1).map_or("", |next| next.kind.as_str());
        match block.kind.as_str() {
            "sh" if ["screen", "type", "press"].contains(&next) => tour.begin_chat(&block.lines.join("\n")),
            "sh" => tour.run(&block.lines.join("\n")),
            "text" => {
                let printed = tour.masked(&tour.printed);
                let rows: Vec<&str> = printed.lines().map(str::trim_end).collect();
                let is_whole = wanted.last().is_some_and(|last| last == "...") || rows.len() == wanted.len();
                assert!(is_whole && stands_at(&wanted, &rows), "{place}: it printed\n{printed}");
                compared += 1;
            }
            "type" => {
                for line in &block.lines {
                    tour.chat().wait_for("rest", |text| text.contains("for commands"));
                    tour.chat().press(line);
                    tour.chat().wait_for("what was typed", |text| text.contains(line));
                    // Keys that come in one burst are a paste, and Enter in it is a line break.
                    tour.press("\r");
                    std::thread::sleep(A_LOOK);
                    typed += 1;
                }
            }
            "press" => block.lines.iter().for_each(|key| tour.press(key)),
            "screen" => {
                tour.chat().wait_for(&place, |text| {
                    stands(&wanted, &tour.masked(text))
                        || stands(&wanted, &tour.masked(&tour.chat().rows().join("\n")))
                });
                compared += 1;
            }
            other => panic!("{place}: nobody knows how to try a block `{other}`"),
        }
    }
    assert!(typed >= 5 && compared >= 14, "{typed} lines typed, {compared} blocks compared");
}

#[test]
fn masks_and_dots() {
    for (word, expected) in
        [("0.1s", "0s"), ("12s)", "0s)"), ("6b0e614b-60772275;", "ID;"), ("lines", "lines"), ("s", "s")]
    {
        assert_eq!(masked_word(word), expected, "{word}");
    }
    let rows = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (wanted, text, expected) in [
        ("a\nb", "x\na\nb\ny", true),
        ("a\nb", "a\nx\nb", false),
        ("a\n...\nb", "a\nx\nb", true),
        ("a\n...\nb", "b\na", false),
        ("a\n...", "a", true),
    ] {
        assert_eq!(stands(&rows(wanted), text), expected, "{wanted:?} in {text:?}");
    }
}
