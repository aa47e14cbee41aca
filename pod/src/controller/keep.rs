//! What is settled goes to the disk before anybody hears of it; and what becomes of the pod when it cannot.
//!
//! Owns the order of record and event, and that nobody waits for a slow disk under the hub's lock: records are written under
//! it, which the system takes at once, and made durable outside of it. It refuses to know files (`../log.rs`) and what the
//! records say. Read next: `trouble.rs`.

use std::io;
use std::path::Path;

use carpel_protocol::event::{Bye, Notice};
use carpel_protocol::item::Item;
use carpel_protocol::word::NoticeLevel;
use carpel_protocol::{Event, EventLine};

use super::hub::{Hub, Inner};
use super::trouble::Trouble;
use crate::log::error::LogError;
use crate::tools::count;

impl Hub {
    /// Appends a record and sends the event that settles it. Where the log cannot be written the event goes without a
    /// number, the record waits, and the turn ends.
    pub fn settle(&self, inner: &mut Inner, item: Item, event: Event) {
        let at = self.now();
        let mut line = EventLine::from(event);
        line.at = Some(at);
        if inner.trouble.is_none() {
            match inner.session.append(item.clone(), at) {
                Ok(seq) => line.seq = Some(seq),
                Err(error) => self.stumble(inner, &error),
            }
        }
        if let Some(trouble) = &mut inner.trouble {
            trouble.add(item, at, line.clone());
        }
        self.send(inner, line);
    }

    /// Notes in the log what is being written, so that a pod that is killed now leaves it.
    pub fn draft(&self, inner: &mut Inner) {
        if inner.trouble.is_none() {
            let at = self.now();
            for call in inner.open.drafts() {
                inner.session.draft(Some(&call), at);
            }
        }
    }

    /// Notes in the log that a call may run now. False where the log cannot be written; everybody knows then.
    pub fn begun(&self, id: &str) -> bool {
        let mut inner = self.lock();
        if inner.trouble.is_some() {
            return false;
        }
        let noted = inner.session.begun(id, self.now());
        noted.map_err(|error| self.stumble(&mut inner, &error)).is_ok()
    }

    /// Makes all records so far durable. The lock is free meanwhile: a slow disk holds up whoever waits here, and
    /// nobody else. False where the log cannot be written; everybody knows then.
    pub async fn durable(&self) -> bool {
        let unsynced = {
            let inner = self.lock();
            if inner.trouble.is_some() {
                return false;
            }
            inner.session.unsynced()
        };
        let synced = match unsynced {
            Ok(None) => return true,
            Ok(Some(unsynced)) => {
                tokio::task::spawn_blocking(|| unsynced.sync()).await.unwrap_or_else(|error| {
                    Err(LogError::io("sync", Path::new("the log"))(io::Error::other(error)))
                })
            }
            Err(error) => Err(error),
        };
        let mut inner = self.lock();
        match synced {
            Ok(synced) => inner.session.synced(&synced),
            Err(error) if inner.trouble.is_none() => self.stumble(&mut inner, &error),
            Err(_) => {}
        }
        inner.trouble.is_none()
    }

    /// Tries to write what could not be written.
    ///
    /// # Errors
    /// The sentence about it, when that is still so.
    pub fn recover(&self, inner: &mut Inner) -> Result<(), String> {
        let Some(mut trouble) = inner.trouble.take() else {
            return Ok(());
        };
        if trouble.overcome(&mut inner.session).is_err() {
            let sentence = trouble.sentence();
            inner.trouble = Some(trouble);
            return Err(sentence);
        }
        let text = "the session's log is written again, and nothing is missing from it".to_owned();
        let (level, code) = (NoticeLevel::Info, "log_restored".to_owned());
        self.tell(inner, Event::Notice(Notice { level, code, text }));
        Ok(())
    }

    fn stumble(&self, inner: &mut Inner, error: &LogError) {
        tracing::error!(%error, "the session's log cannot be written");
        let trouble = Trouble::new(error);
        // A turn that it ends says it at its end; saying it twice would be no clearer.
        let notice = inner.open.number().is_none().then(|| trouble.notice());
        inner.trouble = Some(trouble);
        if let Some(notice) = notice {
            self.tell(inner, notice);
        }
        if let Some(control) = &inner.control {
            control.cancel();
        }
    }

    /// Says `bye` and lets every client go once it has read that.
    pub fn leave(&self, inner: &mut Inner) {
        if *self.gone.borrow() {
            return;
        }
        let mut reason = inner.leaving.clone().unwrap_or_default();
        if self.recover(inner).is_err()
            && let Some(trouble) = &inner.trouble
        {
            reason.push_str(&format!(
                "; {} of the session could not be saved",
                count(trouble.waits() as u64, "item", "items")
            ));
        }
        self.tell(inner, Event::Bye(Bye { reason, attach_again: false }));
        inner.clients.clear();
        self.attached.send_replace(inner.attached());
        inner.session.close();
        self.gone.send_replace(true);
    }
}
