//! Turns a step into the events of a stream, and decides how fast they come.
//!
//! A person in a chat can follow words that arrive one after the other; `exec` and tests want all at once. The task
//! that waits between events ends when nobody listens any more. It refuses to know what is said.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::plan::Next;
use crate::provider::{PartKind, StopReason, StreamEvent};

/// Waits in milliseconds. All zero: everything at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// Before a block of thinking, a call or a text.
    pub block_ms: u64,
    /// After each word of thinking.
    pub thinking_ms: u64,
    /// After each fragment of arguments.
    pub fragment_ms: u64,
    /// After each word of text.
    pub word_ms: u64,
    /// A text takes no longer than this: a long one comes faster.
    pub text_most_ms: u64,
    /// And so do all the calls of a step together: forty of them come faster.
    pub calls_most_ms: u64,
}

impl Pace {
    pub const fn chat() -> Self {
        Self {
            block_ms: 250,
            thinking_ms: 60,
            fragment_ms: 30,
            word_ms: 25,
            text_most_ms: 4_000,
            calls_most_ms: 3_000,
        }
    }

    pub const fn instant() -> Self {
        Self { block_ms: 0, thinking_ms: 0, fragment_ms: 0, word_ms: 0, text_most_ms: 0, calls_most_ms: 0 }
    }
}

/// Characters of arguments that come at once.
const FRAGMENT: usize = 8;

/// An event and the wait before it.
type Timed = (Duration, StreamEvent);

/// The stream of one step.
pub fn stream(next: Next, pace: Pace) -> mpsc::Receiver<StreamEvent> {
    let events = events(next, pace);
    let runtime = Handle::try_current().ok().filter(|_| pace != Pace::instant());
    let Some(runtime) = runtime else {
        let (sender, receiver) = mpsc::channel(events.len().max(1));
        for (_, event) in events {
            // There is room for all of them.
            let _ = sender.try_send(event);
        }
        return receiver;
    };
    let (sender, receiver) = mpsc::channel(16);
    runtime.spawn(async move {
        for (wait, event) in events {
            if !wait.is_zero() {
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = sender.closed() => return,
                }
            }
            if sender.send(event).await.is_err() {
                return;
            }
        }
    });
    receiver
}

/// Every event of a step, in order, each with the wait before it.
fn events(next: Next, pace: Pace) -> Vec<Timed> {
    let mut parts = Parts { events: Vec::new(), part: 0, block: ms(pace.block_ms) };
    let reason = match next {
        Next::Calls { said, thinking, calls } => {
            if !said.is_empty() {
                parts.say(&said, pace);
            }
            if !thinking.is_empty() {
                parts.add(PartKind::Thinking, words(&thinking), ms(pace.thinking_ms));
            }
            let first = parts.events.len();
            for call in calls {
                let kind = PartKind::ToolCall { name: call.tool.to_owned() };
                parts.add(kind, fragments(&call.arguments()), ms(pace.fragment_ms));
            }
            hurry(&mut parts.events[first..], ms(pace.calls_most_ms));
            StopReason::ToolUse
        }
        Next::Answer { text } => {
            parts.say(&text, pace);
            StopReason::EndTurn
        }
    };
    parts.events.push((Duration::ZERO, StreamEvent::Stop(reason)));
    parts.events
}

/// Shortens the waits in proportion, so that they are no longer than `most` together.
fn hurry(events: &mut [Timed], most: Duration) {
    let all: Duration = events.iter().map(|event| event.0).sum();
    if all > most {
        let share = most.as_secs_f64() / all.as_secs_f64();
        events.iter_mut().for_each(|event| event.0 = event.0.mul_f64(share));
    }
}

struct Parts {
    events: Vec<Timed>,
    part: u32,
    block: Duration,
}

impl Parts {
    fn say(&mut self, text: &str, pace: Pace) {
        let words = words(text);
        let most = pace.text_most_ms / (words.len() as u64).max(1);
        self.add(PartKind::Text, words, ms(pace.word_ms.min(most)));
    }

    fn add(&mut self, kind: PartKind, pieces: Vec<String>, wait: Duration) {
        let part = self.part;
        self.part += 1;
        self.events.push((self.block, StreamEvent::Start { part, kind }));
        for text in pieces {
            self.events.push((wait, StreamEvent::Delta { part, text }));
        }
        self.events.push((Duration::ZERO, StreamEvent::End { part, opaque: None }));
    }
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn words(text: &str) -> Vec<String> {
    text.split_inclusive(char::is_whitespace).map(str::to_owned).collect()
}

fn fragments(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(FRAGMENT).map(|chunk| chunk.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::calls::Call;
    use super::*;

    fn calls() -> Next {
        let calls = vec![Call::glob("**/*.rs", None), Call::read("é/ü.rs", Some(3), None)];
        Next::Calls { said: String::new(), thinking: "look for the files".to_owned(), calls }
    }

    #[test]
    fn many_calls_take_no_longer_than_a_person_waits() {
        for (number, most) in [(1, 1_000), (40, 3_001), (1_000, 3_001)] {
            let calls = (0..number).map(|at| Call::read(&format!("many{at}.txt"), None, None)).collect();
            let all =
                events(Next::Calls { said: String::new(), thinking: String::new(), calls }, Pace::chat());
            let waits: Duration = all.iter().map(|event| event.0).sum();
            assert!(waits <= ms(most) && !waits.is_zero(), "{number}: {waits:?}");
        }
    }

    /// `T` thinking, `C` call, `X` text, then the pieces, then `.`.
    fn dump(events: &[Timed]) -> String {
        let mut text = String::new();
        for (_, event) in events {
            match event {
                StreamEvent::Start { kind: PartKind::Thinking, .. } => text.push_str("T["),
                StreamEvent::Start { kind: PartKind::Text, .. } => text.push_str("X["),
                StreamEvent::Start { kind: PartKind::ToolCall { name }, .. } => {
                    text.push_str(&format!("{name}["))
                }
                StreamEvent::Delta { text: piece, .. } => text.push_str(&format!("<{piece}>")),
                StreamEvent::End { .. } => text.push_str("] "),
                StreamEvent::Stop(reason) => text.push_str(&format!("{reason:?}")),
                other => text.push_str(&format!("{other:?}")),
            }
        }
        text
    }

    #[test]
    fn steps_and_their_events() {
        assert_eq!(
            dump(&events(calls(), Pace::chat())),
            "T[<look ><for ><the ><files>] Glob[<{\"patter><n\":\"**/*><.rs\"}>] \
             Read[<{\"file_p><ath\":\"é/><ü.rs\",\"o><ffset\":3><}>] ToolUse"
        );
        let answer = Next::Answer { text: "two words".to_owned() };
        assert_eq!(dump(&events(answer, Pace::instant())), "X[<two ><words>] EndTurn");
    }

    #[test]
    fn a_long_text_takes_no_longer_than_its_bound() {
        let text = "word ".repeat(5_000);
        let total: Duration = events(Next::Answer { text }, Pace::chat()).iter().map(|timed| timed.0).sum();
        assert!(total <= Duration::from_millis(4_250), "{total:?}");
    }

    #[test]
    fn at_once_without_a_runtime() {
        let mut receiver = stream(calls(), Pace::chat());
        let mut last = None;
        while let Ok(event) = receiver.try_recv() {
            last = Some(event);
        }
        assert_eq!(last, Some(StreamEvent::Stop(StopReason::ToolUse)));
    }

    #[test]
    fn paced_events_are_the_same_and_stop_when_nobody_listens() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let pace = Pace {
                block_ms: 1,
                thinking_ms: 1,
                fragment_ms: 1,
                word_ms: 1,
                text_most_ms: 50,
                calls_most_ms: 50,
            };
            let mut receiver = stream(calls(), pace);
            let mut got = Vec::new();
            while let Some(event) = receiver.recv().await {
                got.push((Duration::ZERO, event));
            }
            assert_eq!(dump(&got), dump(&events(calls(), pace)));

            let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
            let forever = Pace { block_ms: u64::MAX / 2, ..pace };
            let receiver = stream(calls(), forever);
            tokio::task::yield_now().await;
            assert_eq!(alive(), 1);
            drop(receiver);
            while alive() > 0 {
                tokio::task::yield_now().await;
            }
        });
    }
}
