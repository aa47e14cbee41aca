//! Completion in the chat without a terminal: keys and what was found out in, effects and the screen out.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use carpel::chat::event::{Effect, HostEvent, LinkEvent};
use carpel::completion::quoted;
use carpel::headless::Headless;
use carpel::key_names::keys;
use carpel::naming::{Ask, Told};
use carpel::render::look::Look;
use carpel_protocol::{EventLine, Method};
use carpel_slots::Density;
use carpel_slots::completion::{CompletionCx, Offer};
use proptest::prelude::*;
use ratatui::layout::Size;

const HELLO: &str = r#"{"event":"hello","protocol":1,"provider":"guide","model":"guide","state":"idle"}"#;

struct Chat {
    host: Headless,
    effects: Vec<Effect>,
}

impl Chat {
    fn sized(cols: u16, rows: u16, files: impl IntoIterator<Item = String>) -> Chat {
        let host = Headless::new(Size::new(cols, rows), Density::Normal, Look::PLAIN);
        let mut chat = Chat { host, effects: Vec::new() };
        let line = EventLine::decode(HELLO.as_bytes()).unwrap();
        chat.host.event(HostEvent::Link(LinkEvent::Event(Box::new(line))));
        chat.tell(Told::Everything(CompletionCx {
            files: files.into_iter().map(|path| quoted::offer(&path, &path, "")).collect(),
            knowledge: Arc::new([quoted::offer("AGENTS.md", "Tests", "AGENTS.md")]),
            skills: Arc::new([Offer::new("/release ", "release", "how a version is made")]),
            ..CompletionCx::default()
        }));
        chat
    }

    fn new(files: &[&str]) -> Chat {
        Chat::sized(80, 24, files.iter().map(|file| (*file).to_owned()))
    }

    fn tell(&mut self, told: Told) {
        self.host.event(HostEvent::Named(told));
        self.host.frame();
    }

    fn type_in(&mut self, text: &str) -> &mut Chat {
        for key in keys(text) {
            self.effects.extend(self.host.event(HostEvent::Key(key)));
            self.host.frame();
        }
        self
    }

    /// Letters as they are, whatever they mean in the names of keys.
    fn letters(&mut self, text: &str) -> &mut Chat {
        for c in text.chars() {
            match c {
                '<' => self.type_in("<lt>"),
                c => self.type_in(&c.to_string()),
            };
        }
        self
    }

    /// The draft with the cursor as a bar.
    fn draft(&self) -> String {
        let buffer = &self.host.chat.composer.buffer;
        let (before, behind) = buffer.text().split_at(buffer.cursor());
        format!("{before}|{behind}")
    }

    fn screen(&self) -> Vec<String> {
        let mut rows = self.host.emulator.screen_rows();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// The rows below the draft.
    fn list(&self) -> Vec<String> {
        self.screen().into_iter().filter(|row| row.starts_with("    ") || row.starts_with("  › ")).collect()
    }

    fn chosen(&self) -> Option<String> {
        let row = self.list().into_iter().find(|row| row.starts_with("  › "))?;
        Some(row.trim_start_matches("  › ").to_owned())
    }

    fn sent(&self) -> Vec<String> {
        let sent = self.effects.iter().filter_map(|effect| match effect {
            Effect::Send(line) => match &line.method {
                Method::Run(run) => Some(run.text.clone()),
                method => Some(method.tag().to_owned()),
            },
            _ => None,
        });
        sent.collect()
    }
}

const FILES: &[&str] = &["src/", "README.md", "two words.txt", "src/main.rs", "src/parser.rs"];

#[test]
fn keys_in_a_list() {
    for (typed, draft, list) in [
        ("@", "@|", 5),
        ("see @par", "see @par|", 1),
        ("see @par<tab>", "see @src/parser.rs |", 0),
        ("see @par<down><enter>", "see @src/parser.rs |", 0),
        ("@two<tab>", "@\"two words.txt\" |", 0),
        ("@src<tab>", "@src/|", 2),
        ("@src<tab>ma<tab>", "@src/main.rs |", 0),
        ("@<down><down><tab>", "@README.md |", 0),
        ("@<up><tab>", "@src/parser.rs |", 0),
        ("@par<esc>", "@par|", 0),
        ("@par<esc>s<tab>", "@pars|", 0),
        ("@par<esc> @par", "@par @par|", 1),
        ("me@par", "me@par|", 0),
        ("@nothing-like-it", "@nothing-like-it|", 0),
        ("#te<tab>", "@AGENTS.md |", 0),
        ("/re<tab>now", "/release now|", 0),
        ("and /re<tab>", "and /re|", 0),
        ("older<enter>", "|", 0),
    ] {
        let mut chat = Chat::new(FILES);
        chat.type_in(typed);
        assert_eq!((chat.draft().as_str(), chat.list().len()), (draft, list), "{typed}: {:?}", chat.screen());
    }
}

#[test]
fn a_word_in_the_middle_is_replaced_and_its_blank_is_kept() {
    let mut chat = Chat::new(FILES);
    chat.type_in("see  now<left><left><left><left>@par<tab>");
    assert_eq!(chat.draft(), "see @src/parser.rs| now");
}

#[test]
fn what_is_recalled_opens_no_list() {
    let mut chat = Chat::new(FILES);
    chat.host.chat.composer.history.remember("first", true);
    chat.host.chat.composer.history.remember("see @par", true);
    chat.type_in("<up>");
    assert_eq!((chat.draft().as_str(), chat.list().len()), ("see @par|", 0));
    chat.type_in("<up>");
    assert_eq!(chat.draft(), "first|");
}

#[test]
fn log_9_01_a_path_at_the_start_is_sent() {
    for text in
        ["/etc/hosts is odd", "/tmp", "/a/b 接口", "/release", "/rel", "#compact", "/compact", "/ foo"]
    {
        let mut chat = Chat::new(FILES);
        chat.letters(text).type_in("<enter>");
        assert_eq!(chat.sent(), [text], "{:?}", chat.screen());
    }
}

#[test]
fn a_command_of_another_program_is_told_to_be_text() {
    for (text, told) in
        [("/compact", true), ("#compact", true), ("/quit", true), ("/release", false), ("/tmp", false)]
    {
        let mut chat = Chat::new(FILES);
        chat.letters(text).type_in("<enter>");
        let is_told =
            chat.screen().iter().any(|row| row.contains("it is no command, those begin with a colon"));
        assert_eq!(is_told, told, "{text}: {:?}", chat.screen());
    }
}

#[test]
fn log_9_02_an_unknown_command_stays_in_the_draft() {
    for (typed, told) in
        [(":exi", "unknown command `exi`"), (":qit", "did you mean `quit`?"), (":!x", "unknown command `!x`")]
    {
        let mut chat = Chat::new(FILES);
        chat.type_in(typed).type_in("<esc>").letters(typed);
        // Without its list: what is typed stands for itself.
        chat.host.chat.below.closed = true;
        chat.type_in("<enter>");
        assert_eq!(chat.draft(), format!("{typed}|"));
        assert!(chat.screen().iter().any(|row| row.contains(told)), "{:?}", chat.screen());
        assert_eq!(chat.sent(), Vec::<String>::new());
    }
}

#[test]
fn log_9_03_arguments_are_the_rest_of_the_line() {
    for title in ["'two words.txt'", "\"open quote", "back\\slash", "''"] {
        let mut chat = Chat::new(FILES);
        chat.letters(&format!(":rename {title}")).type_in("<enter>");
        let titles: Vec<String> = chat
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Send(line) => match &line.method {
                    Method::Rename(rename) => Some(rename.title.clone()),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(titles, [title], "{:?}", chat.screen());
    }
}

#[test]
fn log_9_13_a_list_stays_in_the_live_rows() {
    let mut chat = Chat::sized(60, 10, (0..300).map(|number| format!("abcdefghij/{number}.txt")));
    let before = chat.host.emulator.text().len();
    for typed in ["/releaserel", "<c-u>@abcdefghij", "<c-u>:abcdefghij"] {
        chat.type_in(typed);
        assert_eq!(chat.host.emulator.text().len(), before, "{typed}: {:?}", chat.screen());
        assert!(chat.screen().len() <= 10);
    }
}

#[test]
fn how_a_list_looks() {
    let long = "a/very/long/way/down/into/the/tree/of/folders/parser_of_everything.rs";
    let names = [long, "src/parser.rs", "\u{202e}parser", "parser 漢字.txt"];
    let more = (0..9).map(|number| format!("parser{number}"));
    let mut chat = Chat::sized(40, 12, names.iter().map(|name| (*name).to_owned()).chain(more));
    chat.type_in("@parser<up>");
    let rows = chat.screen();
    assert!(rows.iter().all(|row| row.chars().count() <= 40), "{rows:#?}");
    assert!(rows.last().unwrap().starts_with("    13 of 13"), "{rows:#?}");
    let text = rows.join("\n");
    assert!(text.contains("  › "), "{text}");
    assert_eq!(chat.list().len(), 8, "{text}");
    chat.type_in("<c-u>@everything");
    assert_eq!(chat.list(), ["    a/very/long…/parser_of_everything.rs"]);
    chat.type_in("<c-u>@gpjpars<c-u>@\u{202e}");
    assert_eq!(chat.list(), ["    <U+202E>parser"]);
}

#[test]
fn fifty_thousand_files_cost_each_key_a_bounded_piece() {
    let mut chat = Chat::sized(80, 24, (0..50_000).map(|number| format!("many/f{number}.txt")));
    chat.type_in("@f49999.");
    // One key has looked at a piece; the frames look at the others, and ask to be drawn again until then.
    let mut frames = 0;
    while chat.host.due == Some(chat.host.now()) {
        chat.host.frame();
        frames += 1;
    }
    assert!((3..=7).contains(&frames), "{frames}");
    assert_eq!(chat.list(), ["    many/f49999.txt"]);
}

#[test]
fn what_is_asked_for() {
    let mut chat = Chat::new(FILES);
    let asked = |chat: &mut Chat| -> Vec<Ask> {
        let asks = chat.effects.drain(..).filter_map(|effect| match effect {
            Effect::Name(ask) => Some(ask),
            _ => None,
        });
        asks.collect()
    };
    chat.type_in("@");
    assert_eq!(asked(&mut chat), [Ask::Folder(String::new())]);
    chat.type_in("../x");
    assert_eq!(asked(&mut chat), [Ask::Folder("../".to_owned())]);
    let listed: Arc<[Offer]> = Arc::new([quoted::offer("../xylo/", "../xylo/", "")]);
    chat.tell(Told::Folder("../".to_owned(), listed));
    assert_eq!(chat.list(), ["    ../xylo/"]);
    chat.host.advance(Duration::from_secs(10));
    chat.type_in("<c-u>@");
    assert_eq!(asked(&mut chat), [Ask::Everything, Ask::Folder(String::new())]);
    // Not twice while the answer is awaited.
    chat.type_in("<c-u>@");
    assert_eq!(asked(&mut chat), []);
}

#[test]
fn a_chosen_row_stays_chosen_when_more_is_found_out() {
    let mut chat = Chat::new(FILES);
    chat.type_in("@<down><down>");
    let chosen = chat.chosen();
    let files = ["a", "b", "c"].map(|path| quoted::offer(path, path, ""));
    chat.tell(Told::Everything(CompletionCx { files: Arc::new(files), ..CompletionCx::default() }));
    assert_eq!(chat.chosen(), chosen);
    chat.type_in("<enter>");
    assert_eq!(chat.draft(), "@README.md |");
}

fn pressed() -> impl Strategy<Value = Vec<&'static str>> {
    let keys = [
        "@", "a", "b", "s", " ", "/", "\"", "#", ":", "q", "d", "<down>", "<up>", "<tab>", "<enter>",
        "<esc>", "<bs>", "<left>",
    ];
    prop::collection::vec(prop::sample::select(keys.to_vec()), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Enter sends what is typed, or puts in the row that the screen shows as chosen; nothing else.
    #[test]
    fn enter_takes_nothing_that_is_not_shown(keys in pressed(), rows in 4u16..20) {
        let files = ["a/", "a/b", "as", "sab", "b a"].map(str::to_owned);
        let mut chat = Chat::sized(60, rows, files.clone());
        let mut moved = false;
        for key in keys {
            let (draft, chosen, list) = (chat.draft().replacen('|', "", 1), chat.chosen(), chat.list());
            let is_command = draft.starts_with(':');
            chat.type_in(key);
            let after = chat.draft().replacen('|', "", 1);
            match key {
                "<enter>" if is_command => {
                    // A command runs under the name that is typed, or that of a row that an arrow has led to; a row that
                    // completes it is shown.
                    let shown = chosen.clone().unwrap_or_default();
                    let name = draft.split_whitespace().next().unwrap_or_default().to_owned();
                    let is_own = after == draft || list.iter().any(|row| row.contains(after.trim_end()));
                    let ran = after.is_empty();
                    prop_assert!(if ran { moved || shown.is_empty() || shown.starts_with(&name) || draft.contains(' ') } else { is_own },
                        "{draft} {after} {list:?}");
                    if ran { return Ok(()); }
                }
                "<enter>" if chosen.is_some() => {
                    let shown = chosen.unwrap();
                    let row = files.iter().find(|file| shown == **file);
                    let insert = row.map(|row| quoted::offer(row, row, "").insert);
                    let insert = insert.or((shown.starts_with("Tests")).then(|| "@AGENTS.md ".to_owned()));
                    let insert = insert.or((shown.starts_with("release")).then(|| "/release ".to_owned()));
                    prop_assert!(insert.is_some_and(|insert| after.contains(insert.trim_end())), "{draft} {after} {list:?}");
                }
                "<enter>" if !draft.trim().is_empty() => {
                    prop_assert_eq!(chat.sent(), [draft]);
                    return Ok(());
                }
                "<tab>" => {
                    let is_same = after == draft;
                    prop_assert!(is_same || !list.is_empty(), "{draft} {after}");
                }
                _ => {}
            }
            moved = matches!(key, "<down>" | "<up>");
        }
    }
}
