//! Sessions and their text: one that holds a bit of everything, and every recording.

use std::collections::BTreeMap;
use std::time::Duration;

use carpel_protocol::EventLine;
use carpel_protocol::recording::Step;
use carpel_slots::{CardCx, Density, Registry};

use super::{About, ExportCx, answerer, date, markdown};
use crate::transcript::Transcript;
use crate::transcript::dump::recordings;

fn export(transcript: &mut Transcript, thinking: bool) -> String {
    let about = About {
        title: "find the *TODO*s".to_owned(),
        session: "s-1".to_owned(),
        began: date(1_700_000_000_000).unwrap(),
        folder: "/home/ada/work".to_owned(),
        provider: "guide".to_owned(),
        ..About::default()
    };
    let registry = Registry::linked();
    let card = CardCx { cwd: "/home/ada/work".to_owned(), home: None, density: Density::Detail };
    let side_files = BTreeMap::from([("c3".to_owned(), "/s/outputs/ab".to_owned())]);
    markdown(&about, transcript.items(), &ExportCx { registry: &registry, card, thinking, side_files })
}

const SESSION: &[&str] = &[
    r#"{"event":"turn_start","turn":1}"#,
    r##"{"event":"user_message","text":"find every TODO\n# now"}"##,
    r#"{"event":"thinking_start"}"#,
    r#"{"event":"thinking_done","text":"look for *markers* first","elapsed_ms":2000}"#,
    r#"{"event":"tool_call_start","id":"c1","name":"Task"}"#,
    r#"{"event":"tool_call_done","id":"c1","arguments":"{\"description\":\"look\"}"}"#,
    r#"{"event":"tool_call_start","id":"c2","name":"fetch","parent":"c1"}"#,
    r#"{"event":"tool_call_done","id":"c2","arguments":"{\"url\":\"http://e\",\"body\":\"a\\nb\"}"}"#,
    r#"{"event":"tool_result","id":"c2","summary":"no such host","output":"no such host\nreally","is_error":true,"outcome":"error"}"#,
    r#"{"event":"tool_result","id":"c1","summary":"looked","outcome":"ok","elapsed_ms":100}"#,
    r#"{"event":"tool_call_start","id":"c3","name":"list"}"#,
    r#"{"event":"tool_call_done","id":"c3","arguments":"{}"}"#,
    r#"{"event":"tool_result","id":"c3","summary":"2 lines","output":"\u001b[31mred\u001b[0m\n```\n","outcome":"ok"}"#,
    r##"{"event":"text_done","text":"# Done\nThere are <b>7</b>.\n\n```rs\nfn a() {"}"##,
    r#"{"event":"notice","level":"warning","code":"x","text":"slow"}"#,
    r#"{"event":"turn_end","turn":1,"reason":"failed","message":"no key"}"#,
];

#[test]
fn a_session_as_markdown() {
    let mut transcript = Transcript::new();
    for line in SESSION {
        transcript.apply(&EventLine::decode(line.as_bytes()).unwrap(), Duration::ZERO);
    }
    transcript.command("density detail", true, "everything", Vec::new());
    transcript.command("compact", false, "not while a turn runs", Vec::new());
    let want = include_str!("../../tests/data/export/session.md");
    let got = export(&mut transcript, true);
    assert_eq!(got, want, "{got}");
    let quiet = export(&mut transcript, false);
    assert!(!quiet.contains("markers") && quiet.contains("### Answer"));
}

#[test]
fn every_recording_can_be_exported() {
    for (name, steps) in recordings() {
        let mut transcript = Transcript::new();
        for step in &steps {
            if let Step::Event(line) = step {
                transcript.apply(line, Duration::ZERO);
            }
        }
        let text = export(&mut transcript, true);
        assert!(text.starts_with("# find the \\*TODO\\*s\n\n| session"), "{name}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{name}");
    }
}

#[test]
fn who_answered() {
    let rows = [
        ("guide", "guide (no model)", "guide (no model)"),
        ("anthropic", "opus", "anthropic opus"),
        ("anthropic", "", "anthropic"),
        ("", "", ""),
    ];
    for (provider, model, want) in rows {
        assert_eq!(answerer(provider, model), want);
    }
}

#[test]
fn moments() {
    let rows = [
        (0, Some("1970-01-01 00:00:00 UTC")),
        (1_700_000_000_000, Some("2023-11-14 22:13:20 UTC")),
        (-5_000, None),
        (i64::MAX, None),
    ];
    for (at, want) in rows {
        assert_eq!(date(at).as_deref(), want, "{at}");
    }
}
