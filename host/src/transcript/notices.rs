//! Notices: what is said where no frame can say it, and once when it comes again at once.
//!
//! A notice that repeats the item right before it, within a turn, is left out: the first one is in the scrollback
//! already, so that it could not count the others. What a person asked for by hand is always answered. It knows no
//! rows.

use carpel_protocol::event::CompactFailed;
use carpel_protocol::word::{CompactTrigger, NoticeLevel};

use super::item::{ItemBody, ItemId};
use super::items::Items;

/// What was told last.
#[derive(Debug, Default)]
pub struct Notices {
    /// The notice that is not told again while it is the last item.
    told: Option<ItemId>,
}

impl Notices {
    /// Tells it, unless it was just told.
    pub fn tell(&mut self, items: &mut Items, turn: u64, level: NoticeLevel, text: &str) {
        let is_told = items.all().last().is_some_and(|last| {
            let is_same = matches!(&last.body, ItemBody::Notice { level: of_last, text: said } if *of_last == level && said == text);
            is_same && last.turn == turn && self.told == Some(last.id)
        });
        if !is_told {
            self.told = Some(items.push(turn, ItemBody::Notice { level, text: text.to_owned() }));
        }
    }

    /// A compaction that a person asked for is told of again, whatever came of the one before.
    pub fn compaction_begins(&mut self, trigger: &CompactTrigger) {
        if *trigger == CompactTrigger::Manual {
            self.told = None;
        }
    }
}

/// What failed, why, and what can be done where the reason does not say so. A cancel is no error.
pub fn compaction_failed(failed: &CompactFailed) -> (NoticeLevel, String) {
    let message = failed.message.trim().trim_end_matches('.');
    let code = failed.code.trim();
    let is_sentence = message.contains(char::is_whitespace);
    let why = match (message, code) {
        ("", "") => String::new(),
        ("", code) => format!(": {code}"),
        (word, code) if is_sentence || code.is_empty() || word == code => format!(": {word}"),
        (word, code) => format!(": {word} ({code})"),
    };
    let way_out = if is_sentence { "" } else { "; start a new session or compact with other instructions" };
    let kept = if failed.changed { "" } else { "; nothing was changed" };
    if code == "cancelled" {
        return (NoticeLevel::Info, format!("compaction cancelled{kept}"));
    }
    (NoticeLevel::Error, format!("compaction failed{why}{kept}{way_out}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_failed_compaction() {
        let rows = [
            (
                "model",
                "the summary was cut off.",
                "compaction failed: the summary was cut off; nothing was changed",
            ),
            (
                "model",
                "context_length_exceeded",
                "compaction failed: context_length_exceeded (model); nothing was changed; start a new session or compact with other instructions",
            ),
            (
                "too_short",
                "",
                "compaction failed: too_short; nothing was changed; start a new session or compact with other instructions",
            ),
            (
                "",
                "",
                "compaction failed; nothing was changed; start a new session or compact with other instructions",
            ),
            ("cancelled", "compacting was cancelled", "compaction cancelled; nothing was changed"),
        ];
        for (code, message, want) in rows {
            let failed = CompactFailed { code: code.into(), message: message.into(), changed: false };
            let level = if code == "cancelled" { NoticeLevel::Info } else { NoticeLevel::Error };
            assert_eq!(compaction_failed(&failed), (level, want.to_owned()));
        }
    }
}
