//! Every view in every state at four widths and three densities, as files that a person reads; and what is hidden counts.
//!
//! `data/views/NAME.txt` is all that a view's calls come to; what they are made of is in `support/view_calls.rs`. With
//! `CARPEL_BLESS` set the texts are written anew, to be read before they are committed. A line that is left to the
//! terminal to fold is one line here, as a copy would give it.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use carpel::paint::{CardRows, Paint, PaintCx, Place};
use carpel::render::painter::Folders;
use carpel::render::{Highlighter, Look, Painter};
use carpel::row::Row;
use carpel_slots::{CallState, Density, Registry, ToolCall};
use proptest::prelude::*;

#[path = "support/view_calls.rs"]
mod view_calls;

fn painter() -> Painter {
    let folders = Folders { cwd: "/w".to_owned(), home: None };
    Painter::new(Look::PLAIN, Registry::linked(), folders, Highlighter::inline())
}

fn rows(painter: &mut Painter, call: &ToolCall, width: usize, density: Density) -> Vec<CardRows> {
    let place = if call.state.is_settled() { Place::Settled } else { Place::Live };
    let cx = PaintCx { width, density, now: Duration::from_secs(9), place };
    painter.call(&Arc::new(call.clone()), None, &cx).iter().map(|card| CardRows::clone(card)).collect()
}

fn flat(cards: Vec<CardRows>) -> Vec<Row> {
    cards.into_iter().flat_map(|card| card.header.into_iter().chain(card.body)).collect()
}

#[test]
fn every_view_in_every_state() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/views");
    let mut names = BTreeSet::new();
    for sample in view_calls::SAMPLES {
        let mut got = String::new();
        for width in [20, 40, 80, 120] {
            for density in Density::ALL {
                got.push_str(&format!("===== {width} {density:?}\n"));
                for state in CallState::ALL {
                    for row in flat(rows(&mut painter(), &sample.call(state), width, density)) {
                        let may_fold = row.unbroken && state.is_settled();
                        assert!(row.width() <= width || may_fold, "{} {width}: {}", sample.file, row.text());
                        got.push_str(row.text().trim_end());
                        got.push('\n');
                    }
                }
                got.push('\n');
            }
        }
        names.insert(format!("{}.txt", sample.file));
        let expected = folder.join(format!("{}.txt", sample.file));
        if std::env::var_os("CARPEL_BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(expected, got).unwrap();
        } else {
            assert_eq!(got, fs::read_to_string(expected).unwrap(), "{}", sample.file);
        }
    }
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), names);
}

/// The number in rows such as `… 38 more lines` and `… 4 more in 2 files`.
fn hidden(row: &str) -> usize {
    let count = row.trim_start().strip_prefix("… ").and_then(|rest| rest.split_once(" more"));
    count.and_then(|(count, _)| count.parse().ok()).unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Rows shown and rows hidden are all there are, at any width, in a window whose width changes.
    #[test]
    fn what_is_hidden_is_counted(
        kind in prop::sample::select(view_calls::LISTS.to_vec()),
        lines in 0usize..40,
        widths in prop::collection::vec(24usize..130, 1..5),
        is_narrow: bool,
    ) {
        let call = view_calls::list(kind, lines);
        let mut painter = painter();
        for width in widths {
            let width = if is_narrow { width.min(30) } else { width };
            for density in [Density::Normal, Density::Detail] {
                let texts: Vec<String> =
                    flat(rows(&mut painter, &call, width, density)).iter().map(Row::text).collect();
                let hidden: usize = texts.iter().map(|row| hidden(row)).sum();
                prop_assert!(density == Density::Normal || hidden == 0, "{texts:#?}");
                let shown = texts.iter().filter(|row| row.contains("L#")).count();
                prop_assert_eq!(shown + hidden, lines, "{:?} {} {:#?}", density, width, texts);
            }
        }
    }

    /// An answer is counted in rows: its lines have no rows of their own.
    #[test]
    fn what_is_hidden_of_an_answer_is_counted(
        lines in 1usize..40, widths in prop::collection::vec(24usize..130, 1..5),
    ) {
        let call = view_calls::list("answer", lines);
        let mut painter = painter();
        for width in widths {
            let mut count = |density| {
                let body = rows(&mut painter, &call, width, density).remove(0).body;
                let texts: Vec<String> = body.iter().map(Row::text).collect();
                let hidden: usize = texts.iter().map(|row| hidden(row)).sum();
                texts.len() + hidden - usize::from(hidden > 0)
            };
            prop_assert_eq!(count(Density::Normal), count(Density::Detail), "{}", width);
        }
    }
}
