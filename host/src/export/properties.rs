//! Whatever stands in a session, its export has the structure of the session: a parser finds our headings and no others,
//! output within code, no HTML, nothing that holds beyond its place.

use std::collections::BTreeMap;
use std::sync::Arc;

use carpel_slots::{
    Args, CallKey, CallResult, CallState, CardCx, Density, Line, Printable, Registry, ToolCall,
    protocol::word::{NoticeLevel, Outcome},
};
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::answer::OPTIONS;
use super::{About, ExportCx, markdown};
use crate::transcript::item::{FlowItem, ItemBody, ItemId, Thinking, ThinkingState};

const PIECES: &[&str] = &[
    "```",
    "~~~",
    "````rs",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "# ",
    "## x",
    "###### y",
    "---",
    "===",
    "***",
    "<b>",
    "<!--",
    "-->",
    "<script>",
    "</div>",
    "<div a=\"b\">",
    "<?x",
    "<![CDATA[",
    "- ",
    "* ",
    "1. ",
    "> ",
    "    ",
    "  ",
    "|",
    "| --- |",
    "`",
    "``",
    "*",
    "**",
    "_",
    "~~",
    "[a]: http://e",
    "[a]",
    "[a][a]",
    "![x](y)",
    "](",
    "\\",
    "&amp;",
    "&lt;",
    "word",
    "\t",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{2028}",
    "[^1]: x",
    "[^1]",
    "$x$",
    "<http://x>",
    "<javascript:x>",
    "[l](javascript:x)",
    " ",
    ":",
    "+",
    "#",
    "\u{0}",
    "é",
    "終",
];

fn hostile() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..14).prop_map(|pieces| pieces.concat())
}

#[derive(Debug, Clone)]
enum Given {
    User(String),
    Thinking(String),
    Text(String),
    Call(String, String, String, Option<Box<Given>>),
    Command(String, String),
    Notice(String),
    Compaction(String),
}

fn given() -> impl Strategy<Value = Given> {
    let name =
        || prop_oneof![Just("Bash".to_owned()), Just("Grep".to_owned()), Just("Edit".to_owned()), hostile()];
    let call = move || {
        (name(), hostile(), hostile())
            .prop_map(|(name, argument, output)| Given::Call(name, argument, output, None))
    };
    let tree = (call(), call()).prop_map(|(root, sub)| match root {
        Given::Call(name, argument, output, _) => Given::Call(name, argument, output, Some(Box::new(sub))),
        other => other,
    });
    prop_oneof![
        hostile().prop_map(Given::User),
        hostile().prop_map(Given::Thinking),
        hostile().prop_map(Given::Text),
        call(),
        tree,
        (hostile(), hostile()).prop_map(|(line, outcome)| Given::Command(line, outcome)),
        hostile().prop_map(Given::Notice),
        hostile().prop_map(Given::Compaction),
    ]
}

fn call(given: &Given) -> ToolCall {
    let Given::Call(name, argument, output, sub) = given else { panic!("no call") };
    let arguments =
        serde_json::json!({ "command": argument, "pattern": argument, "new_string": argument, "other": 1 });
    ToolCall {
        args: Args::complete(arguments.to_string()),
        state: CallState::Done,
        result: Some(CallResult {
            summary: output.clone(),
            output: Some(format!("{output}\nINSIDE")),
            output_total: None,
            outcome: Outcome::Ok,
            structured: None,
        }),
        sub_calls: sub.iter().map(|sub| Arc::new(call(sub))).collect(),
        ..ToolCall::new(CallKey { turn: 1, id: Arc::from("id"), occurrence: 0 }, name)
    }
}

fn body(given: &Given) -> ItemBody {
    match given {
        Given::User(text) => ItemBody::User { text: text.clone() },
        Given::Thinking(text) => ItemBody::Thinking(Thinking {
            text: text.clone(),
            summary: Vec::new(),
            state: ThinkingState::Done { elapsed: None },
        }),
        Given::Text(text) => ItemBody::Text { text: text.clone(), closed: true },
        Given::Call(..) => ItemBody::Call(Arc::new(call(given))),
        Given::Command(line, outcome) => ItemBody::Command {
            line: line.clone(),
            ok: true,
            outcome: outcome.clone(),
            lines: vec![Line::from(outcome.as_str())],
        },
        Given::Notice(text) => ItemBody::Notice { level: NoticeLevel::Warning, text: text.clone() },
        Given::Compaction(summary) => ItemBody::Compaction { summary: summary.clone(), before: 2, after: 1 },
    }
}

fn export(title: &str, given: &[Given]) -> String {
    let about = About {
        title: title.to_owned(),
        session: "s1".to_owned(),
        folder: title.to_owned(),
        ..About::default()
    };
    let items: Vec<FlowItem> = (0..)
        .zip(given)
        .map(|(id, given)| FlowItem { id: ItemId(id), revision: 0, turn: 1, body: body(given) })
        .collect();
    let registry = Registry::linked();
    let card = CardCx { density: Density::Detail, ..CardCx::default() };
    markdown(
        &about,
        &items,
        &ExportCx { registry: &registry, card, thinking: true, side_files: BTreeMap::new() },
    )
}

/// The first word of each heading that may only be ours, with its level.
fn wanted(given: &[Given]) -> Vec<(usize, String)> {
    let heading = |given: &Given| match given {
        Given::User(_) => Some((2, "You".to_owned())),
        Given::Text(text) if !text.trim().is_empty() => Some((3, "Answer".to_owned())),
        Given::Call(..) => Some((3, "✓".to_owned())),
        _ => None,
    };
    given.iter().filter_map(heading).collect()
}

/// What a parser finds.
fn check(title: &str, given: &[Given]) {
    let page = export(title, given);
    let parser = Parser::new_ext(&page, OPTIONS);
    assert_eq!(parser.reference_definitions().iter().count(), 0, "{page}");
    let mut depth = 0;
    let mut heading: Option<String> = None;
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut in_code = false;
    let mut inside = 0;
    for event in parser {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => panic!("HTML in\n{page}"),
            Event::Start(tag) => {
                match tag {
                    Tag::Heading { level, .. } if level as usize <= 3 => {
                        assert_eq!(depth, 0, "a heading within something in\n{page}");
                        heading = Some(String::new());
                        found.push((level as usize, String::new()));
                    }
                    Tag::CodeBlock(_) => in_code = true,
                    Tag::Image { .. } | Tag::FootnoteDefinition(_) | Tag::HtmlBlock => {
                        panic!("{tag:?} in\n{page}")
                    }
                    Tag::Link { dest_url, .. } => assert!(!dest_url.starts_with("javascript:"), "{page}"),
                    _ => {}
                }
                depth += 1;
            }
            Event::End(end) => {
                depth -= 1;
                in_code &= end != TagEnd::CodeBlock;
                if let (TagEnd::Heading(_), Some(text)) = (end, heading.take_if(|_| depth == 0)) {
                    found.last_mut().unwrap().1 = text;
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
                inside += text.matches("INSIDE").count() * usize::from(in_code);
                assert!(
                    in_code || heading.is_some() || !text.contains("INSIDE"),
                    "output outside code in\n{page}"
                );
            }
            _ => {}
        }
    }
    let first = found.remove(0);
    let shown =
        title.split(['\n', '\r']).map(|part| Printable::prose(part.trim()).as_str().trim().to_owned());
    let shown = shown.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if !shown.is_empty() && shown.chars().count() <= 160 {
        assert_eq!(first, (1, shown), "{page}");
    }
    let words: Vec<(usize, String)> = found
        .into_iter()
        .map(|(level, text)| (level, text.split(' ').next().unwrap_or_default().to_owned()))
        .collect();
    assert_eq!(words, wanted(given), "{page}");
    let calls = page.matches("INSIDE").count();
    assert!(inside >= calls.min(1), "{page}");
    assert!(!page.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{page:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_structure_is_the_sessions(title in hostile(), given in proptest::collection::vec(given(), 0..6)) {
        check(&title, &given);
    }
}

#[test]
fn cut_off_answers_hold_nothing_after_them() {
    let after = Given::User("next".to_owned());
    let call = Given::Call("Bash".to_owned(), "ls".to_owned(), "```\n# no\n~~~".to_owned(), None);
    for text in [
        "```rs\nfn a",
        "<!-- open",
        "<script>\nx",
        "- a\n  ```\n  b",
        "> ~~~\n> x",
        "[a]: <",
        "| a |\n| - |",
        "*open",
        "`open",
    ] {
        check(
            "t",
            &[
                Given::Text(text.to_owned()),
                after.clone(),
                call.clone(),
                Given::Text(text.to_owned()),
                call.clone(),
            ],
        );
    }
}
