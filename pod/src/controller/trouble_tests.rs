//! A log that cannot be written, at every byte (LOG 7.07, 7.08): what clients hear, what is on the disk, the way back.

use carpel_protocol::word::PodState;
use carpel_protocol::{Event, Record};

use super::approvals::Approvals;
use super::tests::{attach, method, pod_on, until_idle};
use crate::log::tests::log_on;
use crate::permission::{Mode, Permissions};
use crate::session::Session;

const SCRIPT: &str = "thinking 0\n+0 hm\n/0\ncall 1 Make\n+1 {\"tag\":\"a\"}\nstop tools\n---\ntext 0\n+0 ok\nstop end\n---\ntext 0\n+0 after\nstop end\n---\nstop end";

/// The numbers and kinds of the records on a disk.
fn on_disk(bytes: &[u8]) -> Vec<(u64, String)> {
    let records = bytes.split(|byte| *byte == b'\n').filter_map(|line| Record::decode(line).ok());
    records.skip(1).filter_map(|record| Some((record.seq?, record.item.tag().to_owned()))).collect()
}

#[tokio::test]
async fn a_full_disk_ends_the_turn_and_loses_nothing() {
    let (mut refused, mut failed, mut whole) = (0, 0, 0);
    for room in (0..1_500).step_by(41) {
        let (_dir, log, disk) = log_on(room);
        let permissions = Permissions { mode: Mode::All, ..Permissions::default() };
        let (pod, _, done) = pod_on(SCRIPT, Session::on_log(log), Approvals::new(permissions, true));
        let (client, mut feed) = pod.attach(attach("a", None));
        pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
        if pod.hub().lock().state == PodState::Idle {
            // Not even the prompt could be written: it is refused, and nothing has happened.
            refused += 1;
            let mut codes = Vec::new();
            while let Some(line) = feed.lines.try_next() {
                if let Event::Rejected(no) = &line.event().event {
                    codes.push(no.code.clone());
                }
            }
            assert_eq!(codes, ["log_failed"]);
            assert!(on_disk(&disk.0.lock().unwrap().bytes).is_empty());
            continue;
        }
        let events = until_idle(&mut feed).await;
        let sent: Vec<u64> = events.iter().filter_map(|line| line.seq).collect();
        let kept = on_disk(&disk.0.lock().unwrap().bytes);
        assert_eq!(sent, kept.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), "room {room}");
        // By a notice or by the turn's end, never by both.
        let told = events.iter().filter(|line| match &line.event {
            Event::Notice(notice) => notice.code == "log_failed" && notice.text.contains("0001.jsonl"),
            Event::TurnEnd(end) => end.message.as_ref().is_some_and(|text| text.contains("0001.jsonl")),
            _ => false,
        });
        let end = events.iter().find_map(|line| match &line.event {
            Event::TurnEnd(end) => Some((end.reason.as_str().to_owned(), line.seq)),
            _ => None,
        });
        let trouble = told.count();
        assert!(trouble < 2);
        match end {
            Some((reason, seq)) if trouble == 1 => {
                failed += 1;
                assert!(reason == "failed" || reason == "completed" && seq.is_none(), "{reason}");
                // No further turn, and the reason is told.
                pod.handle(client, method(r#"{"method":"run","text":"next"}"#));
                let Some(line) = feed.lines.try_next() else { panic!("no refusal") };
                assert!(matches!(&line.event().event, Event::Rejected(no) if no.code == "log_failed"));
            }
            Some((reason, seq)) => {
                whole += 1;
                assert!(reason == "completed" && seq.is_some());
            }
            None => unreachable!("until_idle waits for the end"),
        }
        // Nor does a client that comes now hear it twice.
        let (_, mut late) = pod.attach(attach("b", None));
        let mut told = 0;
        while let Some(line) = late.lines.try_next() {
            told += serde_json::to_string(line.event()).unwrap().matches("cannot be written").count();
        }
        assert_eq!(told, trouble, "room {room}");
        disk.0.lock().unwrap().room = 1 << 20;
        pod.handle(client, method(r#"{"method":"run","text":"next"}"#));
        let events = until_idle(&mut feed).await;
        let restored = events
            .iter()
            .any(|line| matches!(&line.event, Event::Notice(notice) if notice.code == "log_restored"));
        assert_eq!(restored, trouble == 1, "room {room}");
        let kept = on_disk(&disk.0.lock().unwrap().bytes);
        assert!(kept.windows(2).all(|two| two[0].0 < two[1].0), "{kept:?}");
        let prompts = kept.iter().filter(|(_, kind)| kind == "user_message").count();
        let ends = kept.iter().filter(|(_, kind)| kind == "turn_end").count();
        let results = kept.iter().filter(|(_, kind)| kind == "tool_result").count();
        let calls = kept.iter().filter(|(_, kind)| kind == "tool_call").count();
        assert_eq!((prompts, ends), (2, 2), "room {room}: {kept:?}");
        assert_eq!(calls, results, "room {room}: {kept:?}");
        let runs = done.lock().unwrap().iter().filter(|line| line.as_str() == "start a").count();
        assert!(runs <= 1, "room {room}");
    }
    assert!(refused > 0 && failed > 5 && whole > 1, "{refused} {failed} {whole}");
}

/// A disk that takes its time holds up the turn, and neither clients nor what they ask.
#[tokio::test]
async fn a_disk_that_is_stuck_holds_up_no_client() {
    let (_dir, log, disk) = log_on(1 << 20);
    let permissions = Permissions { mode: Mode::All, ..Permissions::default() };
    let (pod, provider, _) = pod_on(SCRIPT, Session::on_log(log), Approvals::new(permissions, true));
    let (client, mut feed) = pod.attach(attach("a", None));
    disk.0.lock().unwrap().stuck = true;
    pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
    let heard = |feed: &mut super::feed::Feed| {
        let mut tags = Vec::new();
        while let Some(line) = feed.lines.try_next() {
            tags.push(line.event().event.tag().to_owned());
        }
        tags
    };
    // The turn's task has come to the disk once it has been given every chance.
    for _ in 0..50 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert!(heard(&mut feed).contains(&"user_message".to_owned()));
    assert!(provider.asked().is_empty(), "the prompt is durable before a model hears it");
    let (_, mut late) = pod.attach(attach("b", None));
    assert!(heard(&mut late).contains(&"turn_start".to_owned()));
    pod.handle(client, method(r#"{"method":"run","text":"more","mode":"follow_up"}"#));
    pod.handle(client, method(r#"{"method":"rename","title":"t"}"#));
    assert_eq!(heard(&mut feed), ["clients", "queue", "session"]);
    // Nor does it keep who has cancelled.
    pod.handle(client, method(r#"{"method":"cancel"}"#));
    until_idle(&mut feed).await;
    assert!(provider.asked().is_empty());
    pod.handle(client, method(r#"{"method":"resume"}"#));
    disk.0.lock().unwrap().stuck = false;
    let events = until_idle(&mut feed).await;
    assert!(
        events
            .iter()
            .any(|line| matches!(&line.event, Event::UserMessage(message) if message.text == "more"))
    );
    assert!(!provider.asked().is_empty());
}
