//! A log as it was read, made whole for clients: every record has a number where one can be told, every call a result.
//!
//! Owns what stands in for what a pod that died could not write: calls without a result get an interrupted one at the
//! end of their turn, and the person is told. Nothing is written: the log stays as it is, and the same log gives the same
//! records each time. What a model is told is made of the same records (`conversation.rs`).

use std::collections::BTreeSet;
use std::mem::discriminant;

use carpel_protocol::event::Notice;
use carpel_protocol::word::NoticeLevel;
use carpel_protocol::{Extra, Item, Record};

use crate::log::pairing::{interrupted, pairing};
use crate::log::problem::Problem;
use crate::log::restore::Restored;

pub(super) fn whole(found: Restored) -> (Vec<Record>, Vec<Notice>) {
    let Restored { mut records, never_begun, problems, next_seq, .. } = found;
    let warning =
        |code: &str, text: String| Notice { level: NoticeLevel::Warning, code: code.to_owned(), text };
    let mut notices: Vec<Notice> =
        in_sentences(&problems).into_iter().map(|text| warning("log_problem", text)).collect();
    if was_cut_off(&records) {
        let text =
            "the pod ended in the middle of the last turn; what it had not finished is marked as interrupted";
        notices.push(warning("interrupted", text.to_owned()));
    }
    number(&mut records, next_seq);
    (answered(records, &never_begun), notices)
}

/// One sentence for all of a kind in a file: the first of them, and how many follow.
fn in_sentences(problems: &[Problem]) -> Vec<String> {
    let mut kinds: Vec<(&Problem, usize)> = Vec::new();
    for problem in problems {
        let is_like = |(first, _): &&mut (&Problem, usize)| {
            first.path == problem.path && discriminant(&first.what) == discriminant(&problem.what)
        };
        match kinds.iter_mut().find(is_like) {
            Some((_, more)) => *more += 1,
            None => kinds.push((problem, 0)),
        }
    }
    let sentence = |(first, more): (&Problem, usize)| match more {
        0 => first.to_string(),
        more => format!("{first}; and {more} more like this in that file"),
    };
    kinds.into_iter().map(sentence).collect()
}

/// Old records may have no numbers. They are counted where that meets no number that stands in the log, so that a client
/// can say which it has.
fn number(records: &mut [Record], next_seq: u64) {
    let mut limits = vec![next_seq; records.len()];
    let mut limit = next_seq;
    for (at, record) in records.iter().enumerate().rev() {
        limits[at] = limit;
        limit = record.seq.unwrap_or(limit);
    }
    let mut last = 0;
    for (record, limit) in records.iter_mut().zip(limits) {
        if record.seq.is_none() && last + 1 < limit {
            record.seq = Some(last + 1);
        }
        last = record.seq.unwrap_or(last);
    }
}

fn answered(records: Vec<Record>, never_begun: &BTreeSet<usize>) -> Vec<Record> {
    let unanswered = pairing(&records).unanswered;
    if unanswered.is_empty() {
        return records;
    }
    let mut waiting = Vec::new();
    let mut whole = Vec::with_capacity(records.len() + unanswered.len());
    for (at, record) in records.into_iter().enumerate() {
        if ends_a_turn(&record.item) {
            whole.append(&mut waiting);
        }
        if let Item::ToolCall(call) = &record.item
            && unanswered.binary_search(&at).is_ok()
        {
            let item = Item::ToolResult(interrupted(call, never_begun.contains(&at)));
            waiting.push(Record { seq: None, at: record.at, item, extra: Extra::new() });
        }
        whole.push(record);
    }
    whole.append(&mut waiting);
    whole
}

/// Whether what stands before it in the log belongs to an earlier turn, or to one that is over.
fn ends_a_turn(item: &Item) -> bool {
    matches!(item, Item::UserMessage(_) | Item::Compaction(_) | Item::TurnEnd(_))
}

fn was_cut_off(records: &[Record]) -> bool {
    let last = records
        .iter()
        .rev()
        .find(|record| !matches!(record.item, Item::Notice(_) | Item::Command(_) | Item::Compaction(_)));
    // Logs of other versions do not say how a turn ended; one that ends with an answer has nothing to tell.
    match last.map(|record| &record.item) {
        None | Some(Item::TurnEnd(_) | Item::AssistantText(_) | Item::Unknown(_)) => false,
        Some(_) => true,
    }
}
