//! Every built-in view in every state, as text. One table for each view: what is given, what the card says.

use carpel_slots::protocol::word::Outcome;
use carpel_slots::registry::Registry;
use carpel_slots::{CallState, CardCx, Density};
use serde_json::json;

use crate::fixture::{Fixture, dump};
use crate::tree::card_of;

fn check(rows: Vec<(Fixture, &str)>) {
    let registry = Registry::linked();
    for (fixture, want) in rows {
        let call = fixture.build();
        let cx = CardCx { cwd: "/w".into(), ..CardCx::default() };
        assert_eq!(dump(&card_of(&call, &registry, &cx)), want, "{:?} {:?}", call.name, call.state);
    }
}

fn ended(name: &str, arguments: &str, state: CallState, summary: &str, output: Option<&str>) -> Fixture {
    let outcome = match state {
        CallState::Error => Outcome::Error,
        CallState::Cancelled => Outcome::Cancelled,
        CallState::Rejected => Outcome::Rejected,
        CallState::Incomplete => Outcome::Interrupted,
        _ => Outcome::Ok,
    };
    Fixture::new(name).arguments(arguments).result(state, outcome, summary, output, None)
}

#[test]
fn read() {
    let arguments = r#"{"file_path":"/w/src/a.rs","offset":4,"limit":2}"#;
    let subject = "src/a.rs from 4 to 5";
    let call = || Fixture::new("Read").arguments(arguments);
    check(vec![
        (Fixture::new("Read"), ""),
        (Fixture::new("Read").streaming(r#"{"fi"#), "\n  {\"fi"),
        (Fixture::new("Read").streaming(r#"{"file_path":"/w/src/a"#), "src/a"),
        (call().state(CallState::AwaitingApproval), subject),
        (call(), subject),
        (
            call().done("lines 4-5 of 9", Some("     4\tfn a() {\n     5\t}\n")),
            "src/a.rs from 4 to 5 | lines 4-5 of 9\n  code rs from 4:\n  fn a() {\n  }",
        ),
        (call().done("odd", Some("no numbers")), "src/a.rs from 4 to 5 | odd\n  output: no numbers"),
        (
            ended("Read", arguments, CallState::Error, "no such file", Some("src/a.rs does not exist")),
            "src/a.rs from 4 to 5 | no such file\n  output: src/a.rs does not exist",
        ),
        (
            ended("Read", arguments, CallState::Cancelled, "cancelled", None),
            "src/a.rs from 4 to 5 | cancelled",
        ),
        (ended("Read", arguments, CallState::Rejected, "rejected", None), "src/a.rs from 4 to 5 | rejected"),
        (call().state(CallState::Incomplete), subject),
    ]);
}

#[test]
fn grep() {
    let arguments = r#"{"pattern":"TODO","path":"/w","glob":"*.rs"}"#;
    let call = || Fixture::new("Grep").arguments(arguments);
    let found = json!({"mode":"content","total_matches":2,"total_files":1,"truncated":false,"files":[
        {"path":"/w/a.rs","count":2,"lines":[
            {"line":3,"text":"// TODO: x","hits":[[3,7]]},
            {"line":4,"text":"next","hits":[[0,1]],"context":true}]}]});
    check(vec![
        (Fixture::new("Grep"), ""),
        (Fixture::new("Grep").streaming(r#"{"pattern":"TO"#), "TO"),
        (call().state(CallState::AwaitingApproval), "TODO in . of *.rs"),
        (call(), "TODO in . of *.rs"),
        (
            call().done("2 matches in 1 file", Some("a.rs:3: // TODO: x")).structured(found.clone()),
            "TODO in . of *.rs | 2 matches in 1 file\n  a.rs (2)\n  3: // TODO: x [(3, 7)]\n  4: next []",
        ),
        (
            call()
                .done("1 file", Some("a.rs"))
                .structured(json!({"mode":"count","files":[{"path":"a.rs","count":2}]})),
            "TODO in . of *.rs | 1 file\n  a.rs  2",
        ),
        (
            call().done("odd", Some("plain")).structured(json!({"files":"what?"})),
            "TODO in . of *.rs | odd\n  output: plain",
        ),
        (
            ended("Grep", arguments, CallState::Error, "the pattern is not valid", Some("unclosed group")),
            "TODO in . of *.rs | the pattern is not valid\n  output: unclosed group",
        ),
        (ended("Grep", arguments, CallState::Cancelled, "cancelled", None), "TODO in . of *.rs | cancelled"),
        (ended("Grep", arguments, CallState::Rejected, "rejected", None), "TODO in . of *.rs | rejected"),
        (call().state(CallState::Incomplete), "TODO in . of *.rs"),
    ]);
}

#[test]
fn glob() {
    let arguments = r#"{"pattern":"**/*.rs","path":"src"}"#;
    let call = || Fixture::new("Glob").arguments(arguments);
    let subject = "**/*.rs in src";
    check(vec![
        (Fixture::new("Glob"), ""),
        (Fixture::new("Glob").streaming(r#"{"pattern":"**/"#), "**/"),
        (call().state(CallState::AwaitingApproval), subject),
        (call(), subject),
        (
            call()
                .done("2 files", Some("a\nb"))
                .structured(json!({"total":2,"truncated":false,"paths":["/w/a.rs","b.rs"]})),
            "**/*.rs in src | 2 files\n  a.rs\n  b.rs",
        ),
        (call().done("2 files", Some("a\nb")), "**/*.rs in src | 2 files\n  output: a\n  output: b"),
        (
            ended("Glob", arguments, CallState::Error, "no such folder", None),
            "**/*.rs in src | no such folder",
        ),
        (ended("Glob", arguments, CallState::Cancelled, "cancelled", None), "**/*.rs in src | cancelled"),
        (ended("Glob", arguments, CallState::Rejected, "rejected", None), "**/*.rs in src | rejected"),
        (call().state(CallState::Incomplete), subject),
    ]);
}

#[test]
fn generic() {
    let arguments = r#"{"command":"ls -l\n# more","timeout":5}"#;
    let call = || Fixture::new("Custom").arguments(arguments);
    check(vec![
        (Fixture::new("Custom"), ""),
        (Fixture::new("Custom").streaming("{\"command\":\"ls\nx"), "ls\n  {\"command\":\"ls\n  x"),
        (call().state(CallState::AwaitingApproval), "ls -l"),
        (call().progress("tick"), "ls -l\n  output: tick"),
        (call().done("exit 0", Some("a\nb")), "ls -l | exit 0\n  output: a\n  output: b"),
        (call().done("same", Some("same")), "ls -l | same"),
        (call().progress("half").state(CallState::Cancelled), "ls -l\n  output: half"),
        (Fixture::new("Custom").arguments("{\"a\": ").state(CallState::Error), "\n  {\"a\": "),
    ]);
    let cx = CardCx { density: Density::Detail, ..CardCx::default() };
    let card = card_of(&call().done("exit 0", None).build(), &Registry::linked(), &cx);
    assert_eq!(dump(&card), "ls -l | exit 0\n  command = ls -l\n# more\n  timeout = 5");
}
