//! Where the body of a call with calls below it stands: behind them, once it is settled.
//!
//! While such a call works, its body says what goes on and stands below its header. Its answer came last, so it is drawn
//! last, as a card of rows without a header; what it was asked stays where it was. It knows no views: any body of a
//! settled call with calls below it moves.

use std::sync::Arc;

use crate::paint::CardRows;
use crate::row::Row;

/// Moves bodies behind the cards that stand below them. `apart` gives the header and the body of the card at a place.
pub fn last(
    cards: &[Arc<CardRows>],
    mut apart: impl FnMut(usize) -> (Arc<CardRows>, Arc<CardRows>),
) -> Vec<Arc<CardRows>> {
    let mut placed = Vec::with_capacity(cards.len());
    let mut held: Vec<Arc<CardRows>> = Vec::new();
    for (at, card) in cards.iter().enumerate() {
        while let Some(answer) = held.pop_if(|answer| answer.depth >= card.depth) {
            push_apart(&mut placed, answer);
        }
        let has_below = cards.get(at + 1).is_some_and(|next| next.depth > card.depth);
        if has_below && card.state.is_settled() && card.body.len() > card.asked {
            let (head, body) = apart(at);
            placed.push(head);
            held.push(body);
        } else {
            placed.push(Arc::clone(card));
        }
    }
    while let Some(answer) = held.pop() {
        push_apart(&mut placed, answer);
    }
    placed
}

/// What an answer follows may have a body at the same indent: a blank row tells them apart.
fn push_apart(placed: &mut Vec<Arc<CardRows>>, mut answer: Arc<CardRows>) {
    if placed.last().is_some_and(|card| !card.body.is_empty()) {
        Arc::make_mut(&mut answer).body.insert(0, Row::default());
    }
    placed.push(answer);
}

/// A card's header, with what was asked, and the rest of its body as cards of their own.
pub fn apart(card: &CardRows) -> (CardRows, CardRows) {
    let (asked, rest) = card.body.split_at(card.asked.min(card.body.len()));
    let head = CardRows { body: asked.to_vec(), ..card.clone() };
    let body = CardRows { header: Vec::new(), body: rest.to_vec(), asked: 0, ..card.clone() };
    (head, body)
}

#[cfg(test)]
mod tests {
    use carpel_slots::{CallKey, CallState};

    use super::*;

    /// Cards as `depth`, `!` for one that runs, `+` for one with a body, `?` for a row of it that says what was asked.
    fn check(cards: &str, expected: &str) {
        let card = |(at, text): (usize, &str)| CardRows {
            key: CallKey { turn: 1, id: Arc::from(at.to_string()), occurrence: 0 },
            depth: text[..1].parse().unwrap(),
            state: if text.contains('!') { CallState::Executing } else { CallState::Done },
            header: vec![Row::default()],
            body: vec![Row::default(); text.matches(['+', '?']).count()],
            asked: text.matches('?').count(),
        };
        let cards: Vec<Arc<CardRows>> = cards.split(' ').enumerate().map(card).map(Arc::new).collect();
        let cards = last(&cards, |at| {
            let (head, body) = apart(&cards[at]);
            (Arc::new(head), Arc::new(body))
        });
        let row = |card: &Arc<CardRows>| {
            let (head, body) = (card.header.len(), card.body.len());
            let what = ["", "-", "_-", "h", "hb"][3 * head + body];
            format!("{}{what}", card.key.id)
        };
        assert_eq!(cards.iter().map(row).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn an_answer_stands_behind_what_it_came_of() {
        check("0+", "0hb");
        check("0+ 1 1", "0h 1h 2h 0-");
        check("0!+ 1 1", "0hb 1h 2h");
        check("0+ 1+ 2 1", "0h 1h 2h 1- 3h 0-");
        check("0+ 1+ 2", "0h 1h 2h 1- 0_-");
        check("0 1+ 2+ 3", "0h 1h 2h 3h 2- 1_-");
        check("0+ 1+", "0h 1hb 0_-");
        check("0? 1", "0hb 1h");
        check("0?+ 1", "0hb 1h 0-");
        check("0!? 1", "0hb 1h");
    }
}
