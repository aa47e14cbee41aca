//! When the session's log cannot be written: what is not on the disk yet, and the way back.
//!
//! Owns the items that settled since the first failure, in order, and the sentence about it. While there is trouble no
//! turn runs: the running one is ended, new ones are refused. Each new prompt asks the disk again; once it takes them, the
//! waiting items are written first, so nothing is missing. It refuses to know what the items are. Read next: `hub.rs`.

use carpel_protocol::event::Notice;
use carpel_protocol::word::NoticeLevel;
use carpel_protocol::{Event, EventLine, Item};

use crate::log::error::LogError;
use crate::session::Session;

#[derive(Debug)]
pub struct Trouble {
    sentence: String,
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    item: Item,
    at: i64,
    /// What clients were told of it; without a number, since it has none yet.
    line: EventLine,
}

impl Trouble {
    pub fn new(error: &LogError) -> Self {
        Self { sentence: sentence(error), waiting: Vec::new() }
    }

    /// The thing, the fact and the way out.
    pub fn sentence(&self) -> String {
        self.sentence.clone()
    }

    /// Whether the end of a turn has told it, which a client hears again with what waits.
    pub fn is_told(&self) -> bool {
        let tells = |waiting: &Waiting| matches!(&waiting.item, Item::TurnEnd(end) if end.message.as_ref() == Some(&self.sentence));
        self.waiting.iter().any(tells)
    }

    pub fn notice(&self) -> Event {
        let (level, code) = (NoticeLevel::Error, "log_failed".to_owned());
        Event::Notice(Notice { level, code, text: self.sentence() })
    }

    /// How many items are not on the disk.
    pub fn waits(&self) -> usize {
        self.waiting.len()
    }

    pub fn add(&mut self, item: Item, at: i64, line: EventLine) {
        self.waiting.push(Waiting { item, at, line });
    }

    /// What clients were told that no record stands behind yet, for one that attaches.
    pub fn lines(&self) -> impl Iterator<Item = EventLine> {
        self.waiting.iter().map(|waiting| waiting.line.clone())
    }

    /// Writes what waits. What could not be written goes on waiting.
    pub fn overcome(&mut self, session: &mut Session) -> Result<(), LogError> {
        let overcome = self.write(session);
        if let Err(error) = &overcome {
            self.sentence = sentence(error);
        }
        overcome
    }

    fn write(&mut self, session: &mut Session) -> Result<(), LogError> {
        session.retry()?;
        let mut written = 0;
        let all = self.waiting.iter().try_for_each(|waiting| {
            session.append(waiting.item.clone(), waiting.at)?;
            written += 1;
            Ok(())
        });
        self.waiting.drain(..written);
        all
    }
}

pub fn sentence(error: &LogError) -> String {
    format!(
        "the session's log cannot be written: {error}; no turn is taken until that is possible again: {}",
        error.way_out()
    )
}
