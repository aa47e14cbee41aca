//! Every hostile text through every carrier: what reaches the terminal, and what a person can read.

use carpel::chat::event::{HostEvent, LinkEvent};
use carpel::chat::picker::SessionRow;
use carpel::headless::Headless;
use carpel::key_names;
use carpel::render::look::Look;
use carpel::terminal::emulator::Asked;
use carpel_protocol::recording::decode_step;
use carpel_slots::Density;
use ratatui::layout::Size;
use serde_json::{Value, json};

use crate::carriers::{CALLS, Carrier, Cut, Keeps, SPOKEN, TOLD};
use crate::strict::{self, Stream};
use crate::texts::{self, Text};

/// A window in which every word of a text has room, and a narrow one.
const ROOMY: Size = Size::new(240, 60);
const NARROW: Size = Size::new(40, 12);

/// What stands above.
const ABOVE: [&str; 3] = ["ABOVE one", "", "ABOVE two"];

/// A host that has shown something already.
struct Run {
    host: Headless,
    missing: Vec<String>,
}

impl Run {
    fn new(size: Size, words: Vec<String>) -> Run {
        let density = if size == ROOMY { Density::Detail } else { Density::Normal };
        let mut host = Headless::new(size, density, Look::PLAIN);
        host.frame();
        let mut run = Run { host, missing: words };
        for event in [
            json!({"event":"hello","protocol":1,"provider":"guide","model":"guide","state":"idle"}),
            json!({"event":"turn_start","turn":1}),
            json!({"event":"text_delta","text":"ABOVE one\n\nABOVE two"}),
            json!({"event":"text_done","text":"ABOVE one\n\nABOVE two"}),
            json!({"event":"turn_end","turn":1,"reason":"completed"}),
            json!({"event":"turn_start","turn":2}),
            json!({"event":"user_message","text":"go on"}),
        ] {
            run.event(&event).unwrap();
        }
        run
    }

    /// One event and its frame; what is wrong with it.
    fn event(&mut self, event: &Value) -> Result<(), String> {
        // What is no event at all does not get past the reader.
        let Ok(step) = decode_step(event.to_string().as_bytes()) else { return Ok(()) };
        let bytes = self.host.play(&step);
        self.look(&bytes)
    }

    fn frame(&mut self) -> Result<(), String> {
        let bytes = self.host.frame();
        self.look(&bytes)
    }

    fn look(&self, bytes: &[u8]) -> Result<(), String> {
        strict::check(bytes, Stream::Frame)?;
        self.host.alternate.iter().flatten().try_for_each(|row| strict::check_row(&row.text()))
    }

    /// Notes what can be read now: a question goes when the turn ends.
    fn read(&mut self) {
        if self.missing.is_empty() {
            return;
        }
        let shown = match &self.host.alternate {
            Some(rows) => rows.iter().map(carpel::row::Row::text).collect(),
            None => self.host.emulator.text().concat(),
        };
        self.note(&squeezed(&shown));
    }

    fn note(&mut self, shown: &str) {
        self.missing.retain(|word| !shown.contains(&squeezed(word)));
    }

    /// The turn ends and something ordinary follows. What stands on the terminal then, without blanks.
    fn end(&mut self) -> Result<String, String> {
        for event in [
            json!({"event":"turn_end","turn":2,"reason":"completed"}),
            json!({"event":"turn_start","turn":3}),
            json!({"event":"text_delta","text":"BELOW lqqk"}),
            json!({"event":"turn_end","turn":3,"reason":"completed"}),
        ] {
            self.event(&event)?;
        }
        let lines = self.host.emulator.text();
        let shown = squeezed(&lines.concat());
        self.note(&shown);
        if !lines.iter().map(String::as_str).take(ABOVE.len()).eq(ABOVE) {
            return Err(format!("the rows above are others: {lines:#?}"));
        }
        if !lines.iter().any(|line| line.trim() == "BELOW lqqk") {
            return Err(format!("what follows is not what was written: {lines:#?}"));
        }
        if !self.missing.is_empty() {
            return Err(format!("{:?} cannot be read in\n{}", self.missing, lines.join("\n")));
        }
        match self.host.emulator.take_asked() {
            asked if asked == Asked::default() => Ok(shown),
            asked => Err(format!("the terminal was asked for {asked:?}")),
        }
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Plays one run; what stands there at the end, or what is wrong.
fn play(carrier: &Carrier, text: &Text, cut: Cut, size: Size) -> Result<String, String> {
    let mut words = Vec::new();
    if size == ROOMY && carrier.keeps != Keeps::Nothing {
        words.extend(text.words.iter().cloned());
    }
    if size == ROOMY && carrier.keeps == Keeps::All {
        words.extend(text.overwritten.iter().map(|word| (*word).to_owned()));
    }
    let mut run = Run::new(size, words);
    let before = run.host.emulator.modes();
    for event in &(carrier.events)(&text.text, cut) {
        run.event(event)?;
    }
    run.read();
    let shown = run.end()?;
    let after = run.host.emulator.modes();
    if after == before { Ok(shown) } else { Err(format!("modes are {after:?}, were {before:?}")) }
}

fn check(carriers: &[Carrier]) {
    let mut wrong = Vec::new();
    let texts = texts::all();
    for carrier in carriers {
        for text in &texts {
            // Where nothing is cut there is nothing to compare.
            let is_cut = (carrier.events)(&text.text, Cut::Whole) != (carrier.events)(&text.text, Cut::Chars);
            let cuts: &[Cut] =
                if is_cut && text.text.len() < 1000 { &[Cut::Whole, Cut::Chars] } else { &[Cut::Whole] };
            // What is folded is told by the longer texts.
            let is_file = !text.name.contains(':');
            let mut ends = Vec::new();
            for cut in cuts.iter().copied() {
                for size in [ROOMY, NARROW]
                    .into_iter()
                    .filter(|size| *size == ROOMY || (cut == Cut::Whole && is_file))
                {
                    match play(carrier, text, cut, size) {
                        Ok(shown) if size == ROOMY => ends.push(shown),
                        Ok(_) => {}
                        Err(error) => wrong.push(format!(
                            "{} as {} ({cut:?}, {}): {error}",
                            text.name, carrier.name, size.width
                        )),
                    }
                }
            }
            if ends.len() == 2 && ends[0] != ends[1] {
                wrong.push(format!(
                    "{} as {}: cut, it ends as\n{}\nwhole, as\n{}",
                    text.name, carrier.name, ends[1], ends[0]
                ));
            }
        }
    }
    let brief: Vec<&str> = wrong.iter().filter_map(|wrong| wrong.lines().next()).collect();
    assert!(wrong.is_empty(), "{}\n\nand the first of them whole:\n{}", brief.join("\n"), wrong[0]);
}

/// What comes neither from the pod nor in a turn: lists of sessions, why a pod has gone, what a person pastes.
#[test]
fn what_comes_another_way() {
    for text in texts::all() {
        let row = || SessionRow {
            id: text.text.clone(),
            title: text.text.clone(),
            folder: text.text.clone(),
            when: "now".to_owned(),
            note: text.text.clone(),
            runs: true,
            is_run: false,
        };
        let ways = [
            ("a list of sessions", HostEvent::Sessions(Ok(vec![row(), row()]))),
            ("no list of sessions", HostEvent::Sessions(Err(text.text.clone()))),
            ("the end of a pod", HostEvent::Link(LinkEvent::Gone(text.text.clone()))),
            ("a paste", HostEvent::Paste(text.text.clone())),
        ];
        for (name, event) in ways {
            for size in [ROOMY, NARROW] {
                let is_long = text.text.len() > 200 || name == "a paste";
                let words = if size == ROOMY && !is_long { text.words.clone() } else { Vec::new() };
                let mut run = Run::new(size, words);
                run.host.event(event.clone());
                let frame = run.frame().and_then(|()| {
                    run.read();
                    run.host.event(HostEvent::Key(key_names::keys("<esc>").remove(0)));
                    run.frame()
                });
                assert_eq!(frame, Ok(()), "{} in {name}", text.name);
                assert!(run.missing.is_empty(), "{} in {name}: {:?}", text.name, run.missing);
                let lines = run.host.emulator.text();
                assert!(
                    lines.iter().map(String::as_str).take(3).eq(ABOVE),
                    "{} in {name}: {lines:#?}",
                    text.name
                );
                assert_eq!(run.host.emulator.take_asked(), Asked::default(), "{} in {name}", text.name);
            }
        }
    }
}

#[test]
fn log_3_03_answers_thinking_and_notices_are_inert() {
    let texts = texts::files();
    let cleared = texts.iter().find(|text| text.name.starts_with("h06")).unwrap();
    for name in ["answer", "thinking", "notice"] {
        let carrier = [SPOKEN, TOLD].into_iter().flatten().find(|carrier| carrier.name == name).unwrap();
        for cut in [Cut::Whole, Cut::Chars] {
            assert!(play(carrier, cleared, cut, ROOMY).unwrap().contains("after"), "{name}");
        }
    }
}

#[test]
fn what_a_model_says() {
    check(SPOKEN);
}

#[test]
fn what_tools_say_and_what_is_asked() {
    check(CALLS);
}

#[test]
fn what_a_pod_tells() {
    check(TOLD);
}
