//! Every row of `data/keys.jsonl` through the program itself: its bytes into a pseudo-terminal, piece by piece, and then
//! what stands on the screen, where the cursor is, what the pod was sent, and whether the program still runs.
//!
//! Rows of the reported faults that they stand for: 4.01 paste_then_enter_at_once, 4.02 paste_never_ends, 4.03
//! paste_three_lines and paste_no_markers_burst, 4.07 altgr_at_sign, 4.08 csi_u_shift_enter and kitty_release_events,
//! 4.17 ctrl_d_empty_and_not, 12.03 osc11_reply_late, 12.09 ctrl_z_fg; the others of section 4 are in `keys_log.rs`.
//!
//! A mark is typed behind each row's bytes: it shows up where the cursor was, and it proves that all before it was read.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/chat_pty.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod chat_pty;

use std::time::Duration;

use alacritty_terminal::term::TermMode;
use chat_pty::{Chat, Terminal, hex, plain_modes};
use portable_pty::CommandBuilder;

/// One row of the table.
struct Case {
    chunks: Vec<Vec<u8>>,
    gap: Duration,
    terminal: Terminal,
}

/// Longer than an ESC waits for the rest of a sequence.
const AFTER_AN_ESC: Duration = Duration::from_millis(400);

const MARK: &str = "§";

impl Case {
    fn of(name: &str) -> Case {
        let rows = table();
        let row = rows.iter().find(|row| row["case"] == name).unwrap();
        let chunks = row["chunks_hex"].as_array().unwrap();
        Case {
            chunks: chunks.iter().map(|chunk| hex(chunk.as_str().unwrap())).collect(),
            gap: Duration::from_millis(row["gap_ms"].as_u64().unwrap()),
            terminal: match row["terminal"].as_str().unwrap() {
                "kitty" => Terminal::Kitty,
                "paste" | "no-paste-mode" => Terminal::Plain,
                other => panic!("no terminal is called {other}"),
            },
        }
    }

    fn start(&self) -> Chat {
        Chat::start(self.terminal)
    }

    /// Writes the row's bytes as they are to come.
    fn press(&self, chat: &mut Chat) {
        for chunk in &self.chunks {
            chat.write(chunk);
            std::thread::sleep(self.gap);
        }
    }

    /// The row's bytes lead from one draft to another, and nothing is sent. `‸` is the cursor. What is sent then is
    /// the text of the draft, byte by byte.
    fn leads(&self, from: &str, to: &str, sent: &str) {
        let mut chat = self.start();
        chat.write(from.as_bytes());
        chat.drafts(&[from]);
        self.press(&mut chat);
        stands(&mut chat, to);
        assert_eq!(chat.pod.methods(), Vec::<String>::new());
        chat.write(b"\x7f\r");
        chat.wait("the prompt", |chat| !chat.pod.prompts().is_empty());
        assert_eq!(chat.pod.prompts(), [sent]);
        chat.drafts(&[""]);
        assert_eq!(chat.seen(|seen| seen.titles.clone()), Vec::<String>::new());
    }
}

fn table() -> Vec<serde_json::Value> {
    include_str!("data/keys.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The draft is this one, with the cursor at `‸`; a mark typed there stays in it.
fn stands(chat: &mut Chat, draft: &str) {
    std::thread::sleep(AFTER_AN_ESC);
    chat.write(MARK.as_bytes());
    let marked = draft.replace('‸', MARK);
    let rows: Vec<&str> = marked.split('\n').map(str::trim_end).collect();
    chat.drafts(&rows);
    let (row, line) = rows.iter().enumerate().find(|(_, row)| row.contains(MARK)).unwrap();
    let column = 2 + carpel::render::wrap::text_width(&line[..line.find(MARK).unwrap()]) + 1;
    let first = chat.rows().iter().rposition(|row| row.starts_with('›')).unwrap();
    chat.wait("the cursor", |chat| {
        let cursor = chat.seen(|seen| seen.emulator.cursor());
        (usize::from(cursor.x), usize::from(cursor.y)) == (column, first + row)
    });
}

/// Each test is named after its row; a row without a test, and a test without a row, fails `every_row_has_its_test`.
macro_rules! rows {
    ($($name:ident($case:ident) $body:block)*) => {
        const ROWS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                let $case = Case::of(stringify!($name));
                $body
            }
        )*
    };
}

#[test]
fn every_row_has_its_test() {
    let rows = table();
    let names: Vec<&str> = rows.iter().map(|row| row["case"].as_str().unwrap()).collect();
    assert_eq!(names, ROWS);
}

rows! {
    paste_three_lines(case) {
        case.leads("", "one\ntwo\nthree‸", "one\ntwo\nthree");
    }

    paste_then_enter_at_once(case) {
        let mut chat = case.start();
        case.press(&mut chat);
        chat.wait("the answer", |chat| chat.rows().iter().any(|row| row == "answer 1"));
        stands(&mut chat, "‸");
        assert_eq!(chat.pod.prompts(), ["one\ntwo"]);
    }

    paste_marker_split(case) {
        case.leads("", "ab\ncd‸", "ab\ncd");
    }

    paste_crlf(case) {
        case.leads("", "a\nb\nc\n‸", "a\nb\nc\n");
    }

    paste_no_markers_burst(case) {
        case.leads("", "line1\nline2\nline3\n‸", "line1\nline2\nline3\n");
    }

    paste_with_escape_sequences(case) {
        case.leads("", "x[31mred]0;ty‸", "x[31mred]0;ty");
    }

    paste_never_ends(case) {
        let mut chat = case.start();
        chat.write(&case.chunks[0]);
        // The end never comes, and the text is there all the same.
        chat.drafts(&["abc"]);
        std::thread::sleep(case.gap);
        for chunk in &case.chunks[1..] {
            chat.write(chunk);
            std::thread::sleep(case.gap.min(AFTER_AN_ESC));
        }
        // Enter sent it, Esc had nothing to do, and Ctrl+C is Ctrl+C.
        chat.drafts(&["", "Ctrl+C again leaves"]);
        assert_eq!(chat.pod.methods(), ["run"]);
        assert_eq!(chat.pod.prompts(), ["abc"]);
        stands(&mut chat, "‸");
    }

    paste_tabs_nul(case) {
        // A tab goes to the next stop, four cells on, and no list opens below.
        case.leads("", "a   bc‸", "a\tbc");
    }

    kitty_release_events(case) {
        case.leads("", "abb‸", "abb");
    }

    csi_u_shift_enter(case) {
        case.leads("one", "one\n‸", "one\n");
    }

    csi_u_ctrl_c(case) {
        // What the key does, and what the byte 03 does in its place: the same screens.
        let screens = [case.chunks[0].as_slice(), b"\x03"].map(|bytes| {
            let mut chat = case.start();
            chat.write(b"draft");
            chat.drafts(&["draft"]);
            chat.write(bytes);
            chat.drafts(&[""]);
            let cleared = chat.rows();
            chat.write(bytes);
            chat.drafts(&["", "Ctrl+C again leaves"]);
            let armed = chat.rows();
            chat.write(bytes);
            assert!(chat.ends().success());
            assert_eq!(chat.pod.prompts(), Vec::<String>::new());
            (cleared, armed)
        });
        assert_eq!(screens[0], screens[1]);
    }

    alt_enter(case) {
        case.leads("one", "one\n‸", "one\n");
    }

    esc_alone(case) {
        let mut chat = case.start();
        // In the picker Esc goes back; another would do nothing, and a letter behind it would be Alt and that letter.
        chat.write(b":sessions\r");
        chat.wait("the picker", |chat| chat.seen(|seen| seen.emulator.modes().contains(TermMode::ALT_SCREEN)));
        case.press(&mut chat);
        chat.wait("the chat", |chat| !chat.seen(|seen| seen.emulator.modes().contains(TermMode::ALT_SCREEN)));
        // Of a command it takes the whole: one Esc, and the draft is empty.
        chat.write(b":den");
        chat.wait("the command", |chat| chat.rows().iter().any(|row| row == "  :den"));
        case.press(&mut chat);
        stands(&mut chat, "‸");
        assert_eq!(chat.pod.methods(), Vec::<String>::new());
    }

    esc_then_letter_slow(case) {
        let mut chat = case.start();
        chat.write(b":den");
        chat.wait("the command", |chat| chat.rows().iter().any(|row| row == "  :den"));
        // Esc takes the command away, b is typed; Alt+b would have moved the cursor.
        case.press(&mut chat);
        stands(&mut chat, "b‸");
        assert_eq!(chat.pod.methods(), Vec::<String>::new());
    }

    esc_then_letter_fast(case) {
        let mut chat = case.start();
        chat.write(b"one two");
        chat.drafts(&["one two"]);
        case.press(&mut chat);
        stands(&mut chat, "one ‸two");
        chat.write(b"\r");
        chat.wait("the prompt", |chat| chat.pod.prompts() == ["one §two"]);
    }

    altgr_at_sign(case) {
        case.leads("", "@@{}[]\\|~‸", "@@{}[]\\|~");
    }

    osc11_reply_late(case) {
        case.leads("", "hello‸", "hello");
    }

    osc11_reply_split(case) {
        // The picture that an Esc press would leave: the draft of a command gone.
        case.leads("", "ok‸", "ok");
        let mut chat = case.start();
        chat.write(b":den");
        chat.wait("the command", |chat| chat.rows().iter().any(|row| row == "  :den"));
        case.press(&mut chat);
        chat.wait("the command", |chat| chat.rows().iter().any(|row| row == "  :denok"));
    }

    da_and_cpr_replies(case) {
        case.leads("", "z‸", "z");
    }

    focus_events(case) {
        case.leads("", "z‸", "z");
    }

    mouse_sgr_split(case) {
        case.leads("", "z‸", "z");
    }

    utf8_split_in_reads(case) {
        // This terminal shows the parts in cells of their own; what follows stands where two cells end.
        let joined = |chat: &mut Chat| {
            case.press(chat);
            chat.wait("the emoji", |chat| {
                chat.draft().first().is_some_and(|row| row.starts_with("👩\u{200d}"))
                    && chat.seen(|seen| seen.emulator.cursor().x) == 4
            });
        };
        let mut chat = case.start();
        joined(&mut chat);
        chat.write(b"\x7f");
        stands(&mut chat, "‸");
        let mut chat = case.start();
        joined(&mut chat);
        chat.write(b"\r");
        chat.wait("the prompt", |chat| chat.pod.prompts() == ["👩\u{200d}🔬"]);
    }

    invalid_utf8_key(case) {
        case.leads("", "ab‸", "ab");
    }

    ctrl_d_empty_and_not(case) {
        let mut chat = case.start();
        chat.write(&case.chunks[0]);
        assert!(chat.ends().success());
        let mut chat = case.start();
        chat.write(&case.chunks[1]);
        stands(&mut chat, "‸bc");
        assert_eq!(chat.pod.methods(), Vec::<String>::new());
    }

    ctrl_c_ladder(case) {
        let (draft, strokes) = case.chunks[0].split_at(5);
        let mut chat = case.start();
        chat.write(draft);
        chat.drafts(&["draft"]);
        chat.write(&strokes[..1]);
        chat.drafts(&[""]);
        chat.write(&strokes[1..2]);
        chat.drafts(&["", "Ctrl+C again leaves"]);
        chat.write(&strokes[2..]);
        assert!(chat.ends().success());
        assert_eq!(chat.pod.methods(), Vec::<String>::new());
        // All at once it is the same ladder.
        let mut chat = case.start();
        case.press(&mut chat);
        assert!(chat.ends().success());
        assert_eq!(chat.pod.methods(), Vec::<String>::new());
        // A turn that runs is stopped by the first one.
        let mut chat = case.start();
        chat.pod.hangs();
        chat.write(b"go\r");
        chat.wait("the turn", |chat| chat.rows().iter().any(|row| row == "› go"));
        chat.write(&strokes[..1]);
        chat.wait("the cancel", |chat| chat.pod.methods() == ["run", "cancel"]);
        stands(&mut chat, "‸");
    }

    ctrl_z_fg(case) {
        for terminal in [case.terminal, Terminal::Kitty] {
            let folder = chat_pty::folder();
            let mut command = CommandBuilder::new("bash");
            command.args(["--norc", "--noprofile", "--noediting", "-i"]);
            let mut chat = Chat::run(folder, terminal, command);
            let prompt = |rows: &[String]| rows.iter().rfind(|row| !row.is_empty()).is_some_and(|row| row == "bash$");
            chat.wait_for("the shell", prompt);
            let cooked = chat.termios();
            chat.write(format!("{} attach keys\r", env!("CARGO_BIN_EXE_carpel")).as_bytes());
            chat.is_up(terminal);
            chat.write(b"one\x1b\rtwo");
            chat.drafts(&["one", "two"]);
            let modes = chat.seen(|seen| seen.emulator.modes());
            case.press(&mut chat);
            chat.wait_for("the stop", |rows| rows.iter().any(|row| row.contains("Stopped")));
            chat.wait_for("the shell", prompt);
            assert_eq!(chat.termios(), cooked);
            chat.seen(|seen| assert_eq!(seen.emulator.modes(), plain_modes()));
            assert_eq!(chat.draft(), Vec::<String>::new());
            let stopped = chat.seen(|seen| seen.bytes.len());
            chat.write(b"fg\r");
            chat.drafts(&["one", "two"]);
            chat.wait("the modes", |chat| chat.seen(|seen| seen.emulator.modes()) == modes);
            // The whole picture came again, not only what changed.
            let again = chat.seen(|seen| String::from_utf8_lossy(&seen.bytes[stopped..]).into_owned());
            assert!(again.contains("scripted") && again.contains("one") && again.contains("two"), "{again:?}");
            stands(&mut chat, "one\ntwo‸");
            assert_eq!(chat.pod.methods(), Vec::<String>::new());
            chat.write(b"\x03\x03\x03");
            chat.wait_for("the shell", prompt);
            let pushed = if terminal == Terminal::Kitty { "+-+-" } else { "" };
            assert_eq!(chat.pushes(), pushed);
            chat.write(b"exit\r");
            chat.child.wait().unwrap();
        }
    }
}
