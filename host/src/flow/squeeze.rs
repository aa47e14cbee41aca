//! A running tree of calls in few rows: which of its headers stay.
//!
//! The root stays; then what waits for a person, what failed, what runs, and last what is settled, of each the newest
//! first, since that is what a person watches. They are drawn in the order of the tree, and what is left out is
//! counted. It refuses to know how many rows there are for whom (`budget`).

use std::sync::Arc;

use carpel_slots::CallState;

use crate::paint::CardRows;
use crate::row::Row;

/// How many rows the headers of a tree take.
pub fn height(cards: &[Arc<CardRows>]) -> usize {
    headers(cards).count()
}

/// The headers in at most `room` rows, the root's in any case; `count` makes the row that tells of the rest.
pub fn squeeze(cards: &[Arc<CardRows>], room: usize, count: impl FnOnce(usize) -> Row) -> Vec<Row> {
    let all: Vec<(&Arc<CardRows>, &Row)> = headers(cards).collect();
    if all.len() <= room || all.is_empty() {
        return all.into_iter().map(|(_, row)| row.clone()).collect();
    }
    // The root's note counts its calls, so that where there are few rows the others are for calls.
    let counts = room > 3;
    let free = room.saturating_sub(1 + usize::from(counts));
    let all = &all;
    let of_rank = |wanted: u8| (1..all.len()).rev().filter(move |at| rank(all[*at].0.state) == wanted);
    let mut ranked: Vec<usize> = (0..=LEAST).flat_map(of_rank).take(free).collect();
    ranked.sort_unstable();
    let mut rows = vec![all[0].1.clone()];
    rows.extend(ranked.iter().map(|at| all[*at].1.clone()));
    if counts {
        rows.push(count(all.len() - rows.len()));
    }
    rows
}

fn headers(cards: &[Arc<CardRows>]) -> impl Iterator<Item = (&Arc<CardRows>, &Row)> {
    cards.iter().filter_map(|card| Some((card, card.header.first()?)))
}

/// The greatest rank: what matters least.
const LEAST: u8 = 3;

fn rank(state: CallState) -> u8 {
    match state {
        CallState::AwaitingApproval => 0,
        CallState::Error => 1,
        CallState::Streaming | CallState::Executing | CallState::Pending => 2,
        CallState::Done | CallState::Cancelled | CallState::Rejected | CallState::Incomplete => LEAST,
    }
}

#[cfg(test)]
mod tests {
    use carpel_slots::{CallKey, Printable};
    use ratatui::style::Style;

    use super::*;

    /// Cards as letters of their states: Executing, Done, Failed, Asks, and `-` for one without a header.
    fn check(states: &str, room: usize, expected: &str) {
        let row = |text: &str| Row::of(Style::new(), Printable::line(text));
        let card = |(at, letter): (usize, char)| CardRows {
            key: CallKey { turn: 1, id: Arc::from(at.to_string()), occurrence: 0 },
            depth: usize::from(at > 0),
            state: match letter {
                'E' => CallState::Executing,
                'F' => CallState::Error,
                'A' => CallState::AwaitingApproval,
                _ => CallState::Done,
            },
            header: if letter == '-' { Vec::new() } else { vec![row(&format!("{letter}{at}"))] },
            body: Vec::new(),
            asked: 0,
        };
        let cards: Vec<Arc<CardRows>> = states.chars().enumerate().map(card).map(Arc::new).collect();
        let rows = squeeze(&cards, room, |hidden| row(&format!("+{hidden}")));
        let text: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(text.join(" "), expected, "{states} in {room}");
        assert!(rows.len() <= room.max(1).min(height(&cards).max(1)));
    }

    #[test]
    fn what_matters_stays_in_the_order_of_the_tree() {
        check("EDDED", 9, "E0 D1 D2 E3 D4");
        check("EDDED", 4, "E0 E3 D4 +2");
        check("EDDED", 3, "E0 E3 D4");
        check("EDDED", 2, "E0 E3");
        check("EDDED", 1, "E0");
        check("EDDED", 0, "E0");
        check("EFEEEADE", 5, "E0 F1 A5 E7 +4");
        check("EFEEEADE", 3, "E0 F1 A5");
        check("EFEEEADE", 4, "E0 F1 A5 +5");
        check("ED-E", 3, "E0 D1 E3");
    }
}
