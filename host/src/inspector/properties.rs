//! Random sessions, keys, windows and growth: what is selected is in sight, stays what it is, and no row is too wide.

use carpel_slots::Density;
use proptest::prelude::*;

use super::Mode;
use super::cursor::Want;
use super::needle::Needle;
use super::search::Search;
use super::tests::Stage;
use super::texts;
use crate::render::Look;
use crate::render::glyph::Glyphs;
use crate::render::theme::Theme;
use crate::render::wrap::spans_width;
use crate::transcript::item::{FlowItem, ItemBody};

/// One thing that happens.
#[derive(Debug, Clone)]
enum Op {
    Events(Vec<String>),
    Keys(&'static str),
    Window(usize, usize),
    Wait,
}

fn events() -> impl Strategy<Value = Vec<String>> {
    let id = || prop_oneof![Just("a"), Just("b"), Just("c"), Just("d"), Just("e")];
    let text = || {
        prop_oneof![
            Just("short"),
            Just("one\\ntwo\\nthree\\nfour"),
            Just("漢字~and~words~that~are~wrapped~somewhere"),
            Just("|t|\\n"),
            Just("```\\ncode")
        ]
    };
    let event = prop_oneof![
        3 => (id(), prop::option::of(id())).prop_map(|(id, parent)| match parent {
            Some(parent) => format!("start {id} Task {parent}"),
            None => format!("start {id} Grep"),
        }),
        2 => (id(), text()).prop_map(|(id, text)| format!("done {id} {{\"prompt\":\"{}\"}}", text.replace("\\n", ""))),
        2 => (id(), text()).prop_map(|(id, text)| format!("out {id} {text}")),
        3 => (id(), prop_oneof![Just("ok"), Just("error")]).prop_map(|(id, end)| format!("result {id} r {end}")),
        4 => text().prop_map(|text| format!("text+ {text}")),
        1 => text().prop_map(|text| format!("text. {text}")),
        1 => Just("think".to_owned()),
        1 => Just("think. ".to_owned()),
        1 => text().prop_map(|text| format!("think+ {text}")),
        2 => (1..4_u64).prop_map(|turn| format!("turn {turn}")),
        1 => (1..4_u64).prop_map(|turn| format!("end {turn}")),
        2 => text().prop_map(|text| format!("user {text}")),
        1 => Just("abandon died".to_owned()),
        1 => Just("notice n".to_owned()),
        1 => (id(), id()).prop_map(|(request, call)| format!("ask {request} {call}")),
    ];
    prop::collection::vec(event, 1..12)
}

fn op() -> impl Strategy<Value = Op> {
    let keys = prop::sample::select(vec![
        "j",
        "k",
        "J",
        "K",
        "g",
        "G",
        "<pagedown>",
        "<pageup>",
        "<c-d>",
        "<c-u>",
        "l",
        "h",
        " ",
        "<c-o>",
        "n",
        "N",
        "u",
        "U",
        "f",
        "F",
        "d",
        "D",
        "<enter>",
        "<esc>",
        "/o<enter>",
        "/wra",
        "<enter>",
        "yy",
        "?",
        "jjj",
        "kkk",
    ]);
    let size = (prop_oneof![1..9_usize, 20..60_usize, 99..130_usize], prop_oneof![1..8_usize, 8..40_usize]);
    prop_oneof![
        4 => events().prop_map(Op::Events),
        8 => keys.prop_map(Op::Keys),
        2 => size.prop_map(|(width, height)| Op::Window(width, height)),
        1 => Just(Op::Wait),
    ]
}

/// What holds after every drawing.
fn check(stage: &mut Stage) {
    let (width, height) = stage.window;
    let picture = stage.draw();
    assert_eq!(picture.rows.len(), height);
    for row in &picture.rows {
        assert!(spans_width(&row.spans) <= width, "{width}: {:?}", row.text());
        assert!(!row.unbroken);
    }
    let has_rows = stage.inspector.cursor.spot.is_some();
    let shows_list = !matches!(stage.inspector.mode, Mode::Keys(_));
    if has_rows && shows_list && width > 6 && height > 2 {
        let sign = stage.look.glyphs.selected;
        let seen = picture.rows.iter().any(|row| row.text().starts_with(sign));
        assert!(seen, "{:#?}", stage.rows());
    }
}

fn spot(stage: &Stage) -> Option<super::cursor::Spot> {
    stage.inspector.cursor.spot.clone()
}

/// The row of the screen on which the selection begins.
fn row(stage: &Stage) -> Option<isize> {
    stage.inspector.cursor.drawn.as_ref().map(|(_, row)| *row)
}

/// True for an item that is there and cannot lose its rows: a short thought without words does.
fn still_there(items: &[FlowItem], spot: &super::cursor::Spot) -> bool {
    items.iter().any(|item| item.id == spot.item && !matches!(item.body, ItemBody::Thinking(_)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_selection_is_in_sight_and_stays(ops in prop::collection::vec(op(), 1..40), ascii in any::<bool>()) {
        let mut stage = Stage::new((80, 24), Density::Normal, &["hello running", "turn 1", "user begin"]);
        if ascii {
            stage.look = Look { theme: Theme::NONE, glyphs: &Glyphs::ASCII };
        }
        check(&mut stage);
        for op in &ops {
            // A selection that no drawing has had room for is not settled yet.
            let cursor = &stage.inspector.cursor;
            let is_settled = cursor.want == Want::Stay && cursor.drawn.as_ref().map(|(spot, _)| spot) == cursor.spot.as_ref();
            let before = (spot(&stage).filter(|_| is_settled), row(&stage), cursor.follows);
            match op {
                Op::Events(events) => {
                    let events: Vec<&str> = events.iter().map(String::as_str).collect();
                    stage.events(&events);
                    check(&mut stage);
                    let (Some(spot_before), row_before, false) = before else { continue };
                    // What comes elsewhere moves neither the selection nor the row on which it stands, as long as it
                    // has rows and all of it stood in sight.
                    if still_there(stage.transcript.refreshed(), &spot_before) && spot_before.call.is_none() {
                        prop_assert_eq!(spot(&stage).map(|spot| spot.item), Some(spot_before.item));
                        if row_before == Some(0) {
                            prop_assert!(row(&stage) <= Some(0), "{:?}", row(&stage));
                        }
                    }
                }
                Op::Keys(keys) => {
                    stage.keys(keys);
                    check(&mut stage);
                }
                Op::Window(width, height) => {
                    stage.window = (*width, *height);
                    check(&mut stage);
                    if let (Some(before), false) = (before.0, before.2) {
                        prop_assert_eq!(spot(&stage), Some(before));
                    }
                }
                Op::Wait => {
                    stage.wait(2);
                    check(&mut stage);
                }
            }
        }
    }

    #[test]
    fn the_count_is_what_reading_everything_gives(
        all in prop::collection::vec(events(), 1..12),
        query in prop_oneof![Just("o"), Just("r"), Just("漢"), Just("WORDS"), Just("words"), Just("two\n"), Just("zzz")],
        step in 1..200_usize,
    ) {
        let mut stage = Stage::new((80, 24), Density::Normal, &["hello running", "turn 1"]);
        let mut search = Search::default();
        search.look_for(query, None);
        for events in &all {
            let events: Vec<&str> = events.iter().map(String::as_str).collect();
            stage.events(&events);
            stage.transcript.refresh();
            search.read_bytes(stage.transcript.refreshed(), step);
        }
        while !search.read_bytes(stage.transcript.refreshed(), step) {}
        let mut parts = Vec::new();
        for item in stage.transcript.refreshed() {
            texts::each(item, |call, text| {
                let found = if query.chars().any(char::is_uppercase) {
                    text.contains(query)
                } else {
                    text.to_lowercase().contains(query)
                };
                if found && parts.last() != Some(&(item.id, call)) {
                    parts.push((item.id, call));
                }
            });
        }
        prop_assert_eq!(search.count(), parts.len());
    }

    #[test]
    fn letters_are_found_where_lower_case_finds_them(needle in "[a-cä漢]{1,3}", text in "[a-cA-CäÄ漢 ]{0,20}") {
        let naive = text.to_lowercase().find(&needle);
        let found = Needle::new(&needle).find(&text);
        prop_assert_eq!(found.clone().map(|range| range.start), naive);
        if let Some(range) = found {
            prop_assert_eq!(text[range].to_lowercase(), needle);
        }
    }
}
