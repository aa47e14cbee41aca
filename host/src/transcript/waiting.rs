//! Which of the calls that may run have to wait: a pod runs adjacent readers side by side and each writer alone.
//!
//! The protocol says that a call *may* run, not when its turn comes; that follows from this rule of DESIGN.md and from
//! what is open. Only tools of which it is known that they change something hold others back, so that a recording of
//! another program with tools of its own shows no call waiting that runs. Whatever a pod says of a call that waits (a
//! question, live output, a result) shows that it waits no longer. It decides nothing else about states; `calls` does.

use std::time::Duration;

use carpel_protocol::word::ToolKind;
use carpel_slots::CallState;

use super::calls::Calls;
use super::node::Ix;

impl Calls {
    /// True when a call before it, made by the same parent, holds it back. The nearest one that is open tells: it is a
    /// writer, or waits itself, or nothing before it is in the way.
    pub(super) fn is_blocked(&self, ix: Ix) -> bool {
        let node = &self.nodes[ix];
        let before = self.open.range(..ix).rev().map(|other| &self.nodes[*other]);
        let nearest = before.filter(|other| other.parent == node.parent).find(|other| other.ran);
        nearest.is_some_and(|other| other.waits || writes(other.call.kind.as_ref()) || self.writes(ix))
    }

    /// A call has ended: those that waited for it run.
    pub(super) fn wake_after(&mut self, ix: Ix, now: Option<Duration>) {
        let parent = self.nodes[ix].parent;
        let after = self.open.range(ix + 1..).copied();
        let waiting: Vec<Ix> =
            after.filter(|next| self.nodes[*next].parent == parent && self.nodes[*next].waits).collect();
        for next in waiting {
            if self.is_blocked(next) {
                return;
            }
            self.nodes[next].waits = false;
            self.nodes[next].since = now.or(self.nodes[next].since);
            if self.nodes[next].call.state == CallState::Pending {
                self.change(next).state = CallState::Executing;
            }
        }
    }

    fn writes(&self, ix: Ix) -> bool {
        writes(self.nodes[ix].call.kind.as_ref())
    }
}

fn writes(kind: Option<&ToolKind>) -> bool {
    match kind {
        Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Execute) => true,
        Some(
            ToolKind::Read
            | ToolKind::Search
            | ToolKind::Think
            | ToolKind::Fetch
            | ToolKind::Unspecified
            | ToolKind::Other(_),
        )
        | None => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use carpel_protocol::EventLine;

    use crate::transcript::Transcript;
    use crate::transcript::item::ItemBody;

    /// Each event with the second at which it is heard.
    fn told(events: &[(u64, String)]) -> Transcript {
        let mut transcript = Transcript::new();
        for (second, event) in events {
            let line = EventLine::decode(event.as_bytes()).unwrap();
            transcript.apply(&line, Duration::from_secs(*second));
        }
        transcript
    }

    fn calls(transcript: &mut Transcript) -> Vec<(String, Option<u64>)> {
        let call = |body: &ItemBody| match body {
            ItemBody::Call(call) => {
                Some((format!("{:?}", call.state), call.elapsed.map(|time| time.as_secs())))
            }
            _ => None,
        };
        transcript.items().iter().filter_map(|item| call(&item.body)).collect()
    }

    fn start(id: &str, kind: &str) -> String {
        format!(r#"{{"event":"tool_call_start","id":"{id}","name":"T","kind":"{kind}"}}"#)
    }

    fn done(id: &str) -> String {
        format!(r#"{{"event":"tool_call_done","id":"{id}","arguments":"{{}}"}}"#)
    }

    fn result(id: &str) -> String {
        format!(r#"{{"event":"tool_result","id":"{id}","summary":"s","is_error":false,"outcome":"ok"}}"#)
    }

    fn asked(id: &str, decision: Option<&str>) -> String {
        match decision {
            None => format!(
                r#"{{"event":"approval_request","request":"q{id}","call":"{id}","title":"t","options":[]}}"#
            ),
            Some(decision) => format!(
                r#"{{"event":"approval_resolved","request":"q{id}","call":"{id}","decision":"{decision}"}}"#
            ),
        }
    }

    /// Calls of these kinds begin and may run; then this happens. Letters of the states: Pending, Executing, Done,
    /// AwaitingApproval, Rejected.
    #[test]
    fn readers_run_side_by_side_and_a_writer_alone() {
        let out = |id: &str| format!(r#"{{"event":"tool_call_progress","id":"{id}","text":"x"}}"#);
        let rows: &[(&[&str], &[String], &str)] = &[
            (&["read", "search", "read"], &[], "EEE"),
            (&["read", "edit", "edit", "read"], &[], "EPPP"),
            (&["read", "edit", "edit", "read"], &[result("0")], "DEPP"),
            (&["read", "edit", "edit", "read"], &[result("0"), result("1")], "DDEP"),
            (&["edit", "read", "read", "edit"], &[], "EPPP"),
            (&["edit", "read", "read", "edit"], &[result("0")], "DEEP"),
            (&["edit", "read", "read", "edit"], &[result("0"), result("1")], "DDEP"),
            (&["edit", "read", "read", "edit"], &[result("0"), result("2"), result("1")], "DDDE"),
            (&["edit", "edit"], &[asked("0", None)], "AP"),
            (&["edit", "edit"], &[asked("0", None), asked("0", Some("once"))], "EP"),
            (&["edit", "edit"], &[asked("0", None), asked("0", Some("deny"))], "RE"),
            (&["edit", "edit"], &[result("0"), asked("1", None), asked("1", Some("withdrawn"))], "DE"),
            // What is told of a call that was thought to wait shows that it runs.
            (&["execute", "execute"], &[out("1")], "EE"),
            // Of tools that nobody knows nothing is said.
            (&["other", "other"], &[], "EE"),
            (&["odd", "odd"], &[], "EE"),
        ];
        for (kinds, then, expected) in rows {
            let mut events = vec![(1, r#"{"event":"turn_start","turn":1}"#.to_owned())];
            for (at, kind) in kinds.iter().enumerate() {
                events.push((1, start(&at.to_string(), kind)));
            }
            events.extend((0..kinds.len()).map(|at| (1, done(&at.to_string()))));
            events.extend(then.iter().map(|event| (2, event.clone())));
            let got: String =
                calls(&mut told(&events)).iter().filter_map(|(state, _)| state.chars().next()).collect();
            assert_eq!(got, *expected, "{kinds:?} {then:?}");
        }
    }

    /// A call that ran before this client came goes on from there, by the pod's clock alone.
    #[test]
    fn the_time_of_a_running_call_goes_on_over_an_attach() {
        let hello = |at: &str| {
            (5, format!(r#"{{"event":"hello"{at},"protocol":1,"session":"s","state":"running"}}"#))
        };
        let history = || {
            let items = r#"[{"kind":"user_message","seq":1,"text":"x"},{"kind":"tool_call","seq":2,"id":"0","name":"T","arguments":"{}"}]"#;
            (5, format!(r#"{{"event":"history","items":{items},"more":false}}"#))
        };
        let again = |second: u64, at: &str| {
            vec![
                (second, r#"{"event":"turn_start","turn":1}"#.to_owned()),
                (second, start("0", "execute")),
                (second, done("0").replace(r#","id""#, &format!(r#"{at},"id""#))),
            ]
        };
        for (hello_at, done_at, expected) in [
            (r#","at":100000"#, r#","at":40000"#, Some(60)),
            (r#","at":100000"#, "", None),
            ("", r#","at":40000"#, None),
            (r#","at":100000"#, r#","at":900000"#, None),
            (r#","at":9007199254740991"#, r#","at":1"#, None),
            (r#","at":100000"#, r#","at":99900"#, None),
        ] {
            let mut events = vec![hello(hello_at), history()];
            events.extend(again(5, done_at));
            let expected = vec![("Executing".to_owned(), expected)];
            assert_eq!(calls(&mut told(&events)), expected, "{hello_at} {done_at}");
            // A second attach of the same client doubles nothing.
            events.push((35, hello(r#","at":130000"#).1));
            events.push((35, r#"{"event":"history","items":[],"more":false}"#.to_owned()));
            events.extend(again(35, done_at));
            assert_eq!(calls(&mut told(&events)), expected, "{hello_at} {done_at}, twice");
        }
    }

    /// What a restored session cannot know is not shown live either.
    #[test]
    fn a_stopped_call_has_the_time_that_its_pod_tells() {
        for (elapsed, expected) in [("", None), (r#","elapsed_ms":3000"#, Some(3))] {
            for outcome in ["cancelled", "rejected"] {
                let result =
                    format!(r#""id":"0","summary":"s","is_error":true,"outcome":"{outcome}"{elapsed}"#);
                let mut live = told(&[
                    (1, r#"{"event":"turn_start","turn":1}"#.to_owned()),
                    (1, start("0", "read")),
                    (1, done("0")),
                    (9, format!(r#"{{"event":"tool_result",{result}}}"#)),
                ]);
                let call = r#"{"kind":"tool_call","seq":2,"id":"0","name":"T","arguments":"{}"}"#;
                let items = format!(r#"[{call},{{"kind":"tool_result","seq":3,{result}}}]"#);
                let mut past = told(&[(1, format!(r#"{{"event":"history","items":{items},"more":false}}"#))]);
                assert_eq!(calls(&mut live)[0].1, expected, "{outcome}");
                assert_eq!(calls(&mut live), calls(&mut past), "{outcome}");
            }
        }
    }
}
