//! The desk alone: questions out, answers in, with time as an argument.

use carpel_slots::testing::Sample;
use carpel_slots::{Block, CallState, Card, Density};

use super::*;

fn call(id: u32) -> ToolCall {
    let mut call = Sample::new("tool").in_state(CallState::Done);
    call.key.occurrence = id;
    call
}

fn titled(title: &str) -> Card {
    Card { title: Some(Line::from(title)), ..Card::default() }
}

fn shown(told: &Told) -> String {
    match told {
        Told::Nothing => "nothing".to_owned(),
        Told::Card(card) => card.title.as_ref().map(Line::text).unwrap_or_default(),
        Told::Failed(reason) => format!("failed: {reason}"),
    }
}

/// Answers all that the desk asks; what it asked for.
fn serve(desk: &mut Desk, now: Instant, card: impl Fn(u64) -> Card) -> Vec<String> {
    let mut asked = Vec::new();
    while let Some(request) = desk.next(now) {
        let reply = match request {
            Request::Card { id, .. } => {
                asked.push("card".to_owned());
                Reply::Card { id, card: card(id) }
            }
            Request::CommandComplete { id, typed, .. } => {
                asked.push(format!("complete `{typed}`"));
                let offer = CompletionLine { insert: format!("{typed}!"), summary: String::new() };
                Reply::CommandComplete { id, completions: vec![offer] }
            }
            Request::CommandRun { id, .. } => {
                asked.push("run".to_owned());
                Reply::CommandRun { id, outcome: String::new(), lines: Vec::new() }
            }
            other => panic!("{other:?}"),
        };
        desk.reply(reply, now).unwrap();
    }
    asked
}

#[test]
fn a_draft_that_asks_for_two_texts_is_at_rest_once_both_are_told() {
    let (mut desk, now) = (Desk::default(), Instant::now());
    // As a list is drawn: what is typed, then all there is.
    let draw = |desk: &mut Desk| {
        let offers = ["n", ""].map(|typed| desk.complete("cmd", typed).0);
        offers.map(|offers| offers.into_iter().map(|offer| offer.insert).collect::<Vec<_>>().join(","))
    };
    assert_eq!(draw(&mut desk), ["", ""]);
    assert_eq!(serve(&mut desk, now, |_| Card::default()), ["complete `n`", "complete ``"]);
    for _ in 0..3 {
        assert_eq!(draw(&mut desk), ["n!", "!"]);
        assert!(!desk.has_work(), "nothing is asked again");
    }
    // A command that has run may have changed what there is.
    let cx = RunCx { cwd: String::new(), density: Density::Normal };
    let ask = RunAsk { line: "cmd".to_owned(), command: "cmd".to_owned(), arguments: String::new(), cx };
    desk.run(ask).unwrap();
    serve(&mut desk, now, |_| Card::default());
    assert_eq!(draw(&mut desk), ["", ""]);
    assert_eq!(serve(&mut desk, now, |_| Card::default()).len(), 2);
    // Of what was typed quickly the last is asked.
    for typed in ["a", "ab", "abc", "abcd", "abcde", "abcdef"] {
        desk.complete("cmd", typed);
    }
    assert_eq!(serve(&mut desk, now, |_| Card::default()).last().unwrap(), "complete `abcdef`");
}

#[test]
fn a_card_that_came_after_it_was_asked_for_is_awaited_until_it_is_drawn() {
    let (mut desk, now, cx, call) = (Desk::default(), Instant::now(), CardCx::default(), call(1));
    assert_eq!(shown(&desk.card("tool", &call, &cx).0), "nothing");
    // The answer comes between the drawing of a card and the question whether there will be another.
    serve(&mut desk, now, |_| titled("own"));
    assert!(desk.is_awaited(&call, &cx));
    assert_eq!(shown(&desk.card("tool", &call, &cx).0), "own");
    assert!(!desk.is_awaited(&call, &cx));
    let next = ToolCall { own_revision: call.own_revision + 1, ..call.clone() };
    assert_eq!(shown(&desk.card("tool", &next, &cx).0), "own", "the last one stands");
    assert!(desk.is_awaited(&next, &cx) && !desk.is_awaited(&call, &cx));
    desk.close("it rests", now);
    assert_eq!(shown(&desk.card("tool", &next, &cx).0), "failed: it rests");
    assert!(!desk.is_awaited(&next, &cx));
}

/// One that was ended is asked again by the next process; one that had all of its time is not waited for twice.
#[test]
fn what_had_its_time_is_not_asked_again() {
    for (after, want, is_asked) in [(HARD / 2, "failed: it ended", true), (HARD, "failed: it ended", false)] {
        let (mut desk, now, cx, call) = (Desk::default(), Instant::now(), CardCx::default(), call(1));
        desk.card("tool", &call, &cx);
        assert!(matches!(desk.next(now), Some(Request::Card { .. })));
        desk.interrupted("it ended", now + after);
        assert_eq!(shown(&desk.card("tool", &call, &cx).0), want);
        assert_eq!((desk.has_work(), desk.is_awaited(&call, &cx)), (is_asked, is_asked), "{after:?}");
    }
}

#[test]
fn what_is_kept_of_cards_is_bounded() {
    let (mut desk, now, cx) = (Desk::default(), Instant::now(), CardCx::default());
    let large = |_| Card { body: Some(vec![Block::Output("x".repeat(1 << 20))]), ..Card::default() };
    for id in 0..100 {
        desk.card("tool", &call(id), &cx);
        serve(&mut desk, now, large);
    }
    let kept = (0..100).filter(|id| matches!(desk.told(&call(*id), &cx), Told::Card(_))).count();
    assert!((16..=32).contains(&kept), "{kept} MiB");
    assert!(matches!(desk.told(&call(99), &cx), Told::Card(_)), "the last one is there");
    // One that was forgotten is asked for again.
    desk.card("tool", &call(0), &cx);
    assert_eq!(serve(&mut desk, now, large), ["card"]);
    assert!(matches!(desk.card("tool", &call(0), &cx).0, Told::Card(_)));
    // A card of many small parts takes more than its text.
    let spans =
        (0..200).map(|_| Line { spans: vec![carpel_slots::Span::new(carpel_slots::Role::Plain, "")] });
    let many = Card { body: Some(vec![Block::Text(spans.collect())]), ..Card::default() };
    assert!(bounds::bytes(&many) > 200 * 24);
}
