//! What is left to do between a chat and its pod when the chat ends.
//!
//! The line carries methods in the background, so a prompt or an answer that was given right before the end may still be
//! on its way: it is waited for, within bounds, since the pod may be stuck. It refuses to know the terminal.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::chat::event::HostEvent;
use crate::chat::run::Line;
use crate::chat::state::{Chat, Link};
use crate::chat::update::update;

/// How long the pod may take to hear what was asked last.
const PATIENCE: Duration = Duration::from_millis(500);

/// What was asked last reaches the pod, and what it says to a prompt is heard, if that does not take long. Nothing can
/// be asked afterwards.
pub(super) async fn hand_over(chat: &mut Chat, line: &mut Line, started: Instant) {
    if chat.link != Link::Connected {
        return;
    }
    let handed = async {
        while chat.outbox.is_waiting()
            && let Some(event) = line.events.recv().await
        {
            update(chat, HostEvent::Link(event), started.elapsed());
        }
        // The connection ends by itself when everything is sent and nothing can come any more.
        line.methods = mpsc::unbounded_channel().0;
        while line.events.recv().await.is_some() {}
    };
    let _ = tokio::time::timeout(PATIENCE, handed).await;
}

#[cfg(test)]
mod tests {
    use carpel_protocol::{EventLine, Method, MethodLine};
    use carpel_slots::{Density, Registry};
    use ratatui::layout::Size;

    use super::*;
    use crate::chat::ending::{Does, remains};
    use crate::chat::event::LinkEvent;
    use crate::flow::FlowOptions;

    fn event(line: &str) -> LinkEvent {
        LinkEvent::Event(Box::new(EventLine::decode(line.as_bytes()).unwrap()))
    }

    /// A prompt that is on its way when its person leaves is not lost, and they are told that it is worked on.
    #[tokio::test]
    async fn a_prompt_that_was_just_sent_arrives() {
        let (events, receiver) = mpsc::channel(64);
        let (methods, mut requests) = mpsc::unbounded_channel::<MethodLine>();
        let mut line = Line { events: receiver, methods };
        let options = FlowOptions { resume: false };
        let mut chat = Chat::new(Registry::linked(), options, Size::new(80, 24), Density::Normal);
        let hello = event(r#"{"event":"hello","protocol":1,"session":"s","cwd":"/w","state":"idle"}"#);
        update(&mut chat, HostEvent::Link(hello), Duration::ZERO);
        let id = chat.outbox.put("go");
        let run = r#"{"method":"cancel"}"#;
        line.methods.send(MethodLine::decode(run.as_bytes()).unwrap()).unwrap();
        let pod = tokio::spawn(async move {
            let mut heard = 0;
            while let Some(MethodLine { method: Method::Cancel(_), .. }) = requests.recv().await {
                heard += 1;
                let echo = format!(r#"{{"event":"user_message","text":"go","method":"{id}"}}"#);
                for told in
                    [r#"{"event":"state","state":"running"}"#, r#"{"event":"turn_start","turn":1}"#, &echo]
                {
                    events.send(event(told)).await.unwrap();
                }
            }
            heard
        });
        hand_over(&mut chat, &mut line, Instant::now()).await;
        assert_eq!(remains(&chat).map(|remains| remains.does), Some(Does::Work));
        // The line has ended by itself: its pod's side saw the end of what was asked.
        assert_eq!(pod.await.unwrap(), 1);
    }
}
