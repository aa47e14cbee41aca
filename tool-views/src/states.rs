//! Every built-in view in every state, as text. One table for each view: what is given, what the card says.

use carpel_slots::protocol::word::{Outcome, ToolKind};
use carpel_slots::registry::Registry;
use carpel_slots::{CallState, CardCx, Density, Role};
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
        (call().done("empty file", Some("(the file is empty)")), "src/a.rs from 4 to 5 | empty file"),
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
                .structured(json!({"mode":"count","files":[{"path":"a.rs","count":2},
                    {"path":"b.rs","count":1,"occurrences":3},{"path":"c.bin","count":0,"binary":true}]})),
            "TODO in . of *.rs | 1 file\n  a.rs  2\n  b.rs  3\n  c.bin",
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
        (
            call().done("9 files", None).structured(
                json!({"total":9,"truncated":true,"paths":["/w/src/a/x.rs","/w/b.rs","/w/src/a/y.rs"]}),
            ),
            "**/*.rs in src | 9 files\n  b.rs\n  src/a/  2\n    x.rs\n    y.rs\n  and 6 more files",
        ),
        (call().done("odd", Some("a")).structured(json!({"paths":[1]})), "**/*.rs in src | odd\n  output: a"),
        (call().done("odd", Some("a")).structured(json!([["b"]])), "**/*.rs in src | odd\n  output: a"),
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
fn write() {
    let arguments = r#"{"file_path":"/w/src/a.rs","content":"fn a() {\n}\n"}"#;
    let call = || Fixture::new("Write").arguments(arguments);
    let intended = "src/a.rs\n  diff /w/src/a.rs\n  @@ ? ?\n  +fn a() {\n  +}";
    let applied = json!({"path":"src/a.rs","created":false,"bytes":11,"truncated":true,"hunks":[
        {"old_start":4,"new_start":4,"lines":[
            {"tag":"context","text":"x"},{"tag":"removed","text":"a","open":true},{"tag":"added","text":"b"}]}]});
    check(vec![
        (Fixture::new("Write"), ""),
        (Fixture::new("Write").streaming(r#"{"file_path":"/w/src/a.rs","con"#), "src/a.rs"),
        (
            Fixture::new("Write").streaming(r#"{"file_path":"/w/src/a.rs","content":"a\nb\nc"#),
            "src/a.rs | 3 lines so far\n  diff /w/src/a.rs\n  @@ ? ?\n  +a\n  +b\n  +c",
        ),
        (
            Fixture::new("Write").streaming(r#"{"content":"a\nb"#),
            " | 2 lines so far\n  diff -\n  @@ ? ?\n  +a\n  +b",
        ),
        (call().state(CallState::AwaitingApproval), intended),
        (
            call().asked("@@ -1 +1 @@\n-old\n+fn a() {\n"),
            "src/a.rs\n  diff /w/src/a.rs\n  @@ 1 1\n  -old\n  +fn a() {",
        ),
        (call().asked("fn a() {\n}\n"), intended),
        (call(), intended),
        (
            call().done("Overwrote src/a.rs (11 bytes)", None).structured(applied),
            "src/a.rs | Overwrote src/a.rs (11 bytes)\n  diff /w/src/a.rs\n  @@ 4 4\n   x\n  -a (open)\n  +b\n  more was changed than the tool has listed",
        ),
        (call().done("ok", Some("written")), "src/a.rs | ok\n  output: written"),
        (call().done("ok", Some("why")).structured(json!({"hunks": 7})), "src/a.rs | ok\n  output: why"),
        (
            ended("Write", arguments, CallState::Error, "not written", Some("the disk is full")),
            "src/a.rs | not written\n  output: the disk is full",
        ),
        (ended("Write", arguments, CallState::Cancelled, "cancelled", None), "src/a.rs | cancelled"),
        (ended("Write", arguments, CallState::Rejected, "not now", None), "src/a.rs | not now"),
        (call().state(CallState::Incomplete), intended),
        (
            Fixture::new("write_file").arguments(r#"{"path":"b","contents":"x"}"#),
            "b\n  diff b\n  @@ ? ?\n  +x",
        ),
        (Fixture::new("create_file").arguments(r#"{"name":"b","body":"x"}"#), "b"),
    ]);
}

#[test]
fn edit() {
    let arguments = r#"{"file_path":"/w/a.rs","old_string":"x\na\ny","new_string":"x\nb\nc\ny"}"#;
    let call = || Fixture::new("Edit").arguments(arguments);
    let intended = "a.rs\n  diff /w/a.rs\n  @@ ? ?\n   x\n  -a\n  +b\n  +c\n   y";
    let applied = json!({"path":"a.rs","created":false,"bytes":9,"truncated":false,"hunks":[
        {"old_start":12,"new_start":12,"lines":[{"tag":"removed","text":"a"},{"tag":"added","text":"b"}]}]});
    check(vec![
        (Fixture::new("Edit"), ""),
        (
            Fixture::new("Edit").streaming(r#"{"file_path":"/w/a.rs","old_string":"x\na"#),
            "a.rs | -2 +0 lines so far\n  diff /w/a.rs\n  @@ ? ?\n  -x\n  -a",
        ),
        (
            Fixture::new("Edit").streaming(r#"{"file_path":"/w/a.rs","old_string":"x\n","new_string":"x\nb"#),
            "a.rs | -1 +2 lines so far\n  diff /w/a.rs\n  @@ ? ?\n  -x\n  +x\n  +b",
        ),
        (call().state(CallState::AwaitingApproval), intended),
        (call().asked("@@ -7 +7 @@\n-a\n+b\n"), "a.rs\n  diff /w/a.rs\n  @@ 7 7\n  -a\n  +b"),
        (call(), intended),
        (
            call().done("Edited a.rs: 1 replacement", Some("fine")).structured(applied),
            "a.rs | Edited a.rs: 1 replacement\n  diff /w/a.rs\n  @@ 12 12\n  -a\n  +b",
        ),
        (call().done("done", Some("fine")), "a.rs | done\n  output: fine"),
        (
            call().done("done", Some("done")),
            "a.rs | done\n  diff /w/a.rs\n  @@ ? ?\n   x\n  -a\n  +b\n  +c\n   y",
        ),
        (call().done("done", Some("@@ -7 +7 @@\n-a\n+b\n")), "a.rs | done\n  diff -\n  @@ 7 7\n  -a\n  +b"),
        (
            ended("Edit", arguments, CallState::Error, "not found", Some("`old_string` is not in a.rs")),
            "a.rs | not found\n  output: `old_string` is not in a.rs",
        ),
        (ended("Edit", arguments, CallState::Cancelled, "cancelled", None), "a.rs | cancelled"),
        (ended("Edit", arguments, CallState::Rejected, "rejected", None), "a.rs | rejected"),
        (call().state(CallState::Incomplete), intended),
        (
            Fixture::new("str_replace")
                .arguments(r#"{"path":"b","old_str":"x","new_str":"","replace_all":true}"#),
            "b, every occurrence\n  diff b\n  @@ ? ?\n  -x",
        ),
    ]);
    let cx = CardCx { cwd: "/w".into(), density: Density::Detail, ..CardCx::default() };
    for state in [CallState::Cancelled, CallState::Rejected, CallState::Incomplete] {
        let card = card_of(&call().state(state).build(), &Registry::linked(), &cx);
        assert_eq!(dump(&card), intended, "what did not happen is shown at detail: {state:?}");
    }
    let failed = ended("Edit", arguments, CallState::Error, "not found", Some("there is none"));
    let card = card_of(&failed.build(), &Registry::linked(), &cx);
    assert_eq!(
        dump(&card),
        intended.replace("a.rs\n  diff", "a.rs | not found\n  output: there is none\n  diff")
    );
}

/// A file of one line of 10 MB, and one of a million lines: what is given does not grow with them.
#[test]
fn what_streams_is_given_from_its_end() {
    let texts = ["x".repeat(10_000_000), "line\\n".repeat(1_000_000)];
    for text in texts {
        let raw = format!(r#"{{"file_path":"a","content":"{text}"#);
        let whole = format!("{raw}\"}}");
        let calls = [Fixture::new("Write").streaming(&raw), Fixture::new("Write").arguments(&whole)];
        for call in calls.map(Fixture::build) {
            for density in Density::ALL {
                let cx = CardCx { density, ..CardCx::default() };
                let rows = dump(&card_of(&call, &Registry::linked(), &cx));
                assert!(rows.len() < 10_000, "{density:?}: {} bytes", rows.len());
            }
        }
    }
    let cx = CardCx { density: Density::Detail, ..CardCx::default() };
    let many = format!(r#"{{"file_path":"a","content":"{}"}}"#, "line\\n".repeat(3_000));
    let card = card_of(
        &Fixture::new("Write").arguments(&many).state(CallState::Rejected).build(),
        &Registry::linked(),
        &cx,
    );
    assert!(dump(&card).ends_with("\n  +line\n  and 1000 more lines"));
}

#[test]
fn bash() {
    let arguments = r#"{"command":"cargo test","description":"run the tests","timeout":1000}"#;
    let call = || Fixture::new("Bash").arguments(arguments);
    let exit =
        |code: i64| json!({"command":"cargo test","exit_code":code,"timed_out":false,"truncated":false});
    check(vec![
        (Fixture::new("Bash"), ""),
        (Fixture::new("Bash").streaming(r#"{"command":"cargo te"#), "cargo te"),
        (call().state(CallState::AwaitingApproval), "cargo test"),
        (call(), "cargo test"),
        (call().progress("one\ntwo"), "cargo test\n  output: one\n  output: two"),
        (call().done("exit 0", Some("ok\n")).structured(exit(0)), "cargo test\n  output: ok"),
        (call().done("exit 0, no output", None).structured(exit(0)), "cargo test | no output"),
        (
            call().done("exit 101", Some("bad\n[exit 101]")).structured(exit(101)),
            "cargo test | exit 101\n  output: bad",
        ),
        (call().done("exit 1", Some("[exit 1]")).structured(exit(1)), "cargo test | exit 1"),
        (
            call().done("exit 1", Some("a [exit 2]")).structured(exit(1)),
            "cargo test | exit 1\n  output: a [exit 2]",
        ),
        (
            call()
                .done("killed by SIGSEGV", Some("[killed by SIGSEGV]"))
                .structured(json!({"signal":"SIGSEGV"})),
            "cargo test | killed by SIGSEGV",
        ),
        (
            call()
                .done("exit 0", Some("head"))
                .structured(json!({"exit_code":0,"output_file":"/w/outputs/abc"})),
            "cargo test\n  output: head\n  the whole output: outputs/abc",
        ),
        (call().done("done", Some("text")), "cargo test | done\n  output: text"),
        (call().done("text", Some("text\n")), "cargo test | text"),
        (call().done("exit 0", Some("exit 0\n")).structured(exit(0)), "cargo test\n  output: exit 0"),
        (
            call().done("odd", Some("text")).structured(json!({"exit_code":"zero"})),
            "cargo test | odd\n  output: text",
        ),
        (
            ended("Bash", arguments, CallState::Error, "timed out after 2m", Some("so far")),
            "cargo test | timed out after 2m\n  output: so far",
        ),
        (
            ended("Bash", arguments, CallState::Cancelled, "cancelled", None).progress("so far"),
            "cargo test | cancelled\n  output: so far",
        ),
        (ended("Bash", arguments, CallState::Rejected, "not now", None), "cargo test | not now"),
        (call().state(CallState::Incomplete), "cargo test"),
        (
            Fixture::new("Bash").arguments(r#"{"command":"cd x\nrm y\n"}"#).done("exit 0", Some("ok")),
            "cd x | exit 0\n  code bash from 0:\n  rm y\n  \n  output: ok",
        ),
        (
            Fixture::new("shell").arguments(r#"{"command":["bash","-lc","ls -l"]}"#).done("0", None),
            "ls -l | 0",
        ),
        (Fixture::new("exec_command").arguments(r#"{"cmd":"ls -l"}"#), "ls -l"),
        (Fixture::new("run_shell_command").arguments(r#"{"command":"ls"}"#), "ls"),
        (Fixture::new("execute").arguments(r#"{"query":"select 1"}"#), "select 1"),
    ]);
    let cx = CardCx { cwd: "/w".into(), density: Density::Detail, ..CardCx::default() };
    let done = call().done("exit 0", Some("ok")).structured(exit(0));
    assert_eq!(
        dump(&card_of(&done.build(), &Registry::linked(), &cx)),
        "cargo test\n  description = run the tests\n  timeout = 1000 ms\n  output: ok"
    );
    let failed = call().done("exit 1", None).structured(exit(1));
    let note = card_of(&failed.build(), &Registry::linked(), &cx).note.unwrap();
    assert_eq!(note.spans[0].role, Role::Error);
}

#[test]
fn skill() {
    let arguments = r#"{"name":"release"}"#;
    let call = || Fixture::new("skill").arguments(arguments);
    let found = json!({"name":"release","description":"Makes a release.","path":"/w/.agents/skills/release",
        "files":["notes.md","tag.sh"]});
    check(vec![
        (Fixture::new("skill"), ""),
        (Fixture::new("skill").streaming(r#"{"name":"rel"#), "rel"),
        (call().state(CallState::AwaitingApproval), "release"),
        (call(), "release"),
        (
            call().done("Loaded release", Some("# Steps")).structured(found.clone()),
            "release | Loaded release\n  Makes a release.\n  notes.md\n  tag.sh",
        ),
        (call().done("skill release", Some("# Steps")), "release\n  output: # Steps"),
        (
            call().done("skill release, 1 more file", Some("# Steps")),
            "release | 1 more file\n  output: # Steps",
        ),
        (call().done("skill releases", Some("# Steps")), "release | skill releases\n  output: # Steps"),
        (call().done("Loaded release", Some("# Steps")), "release | Loaded release\n  output: # Steps"),
        (
            ended("skill", arguments, CallState::Error, "no such skill", Some("there are: a, b")),
            "release | no such skill\n  output: there are: a, b",
        ),
        (ended("skill", arguments, CallState::Cancelled, "cancelled", None), "release | cancelled"),
        (ended("skill", arguments, CallState::Rejected, "rejected", None), "release | rejected"),
        (call().state(CallState::Incomplete), "release"),
    ]);
    let cx = CardCx { cwd: "/w".into(), density: Density::Detail, ..CardCx::default() };
    let card = card_of(
        &call().done("Loaded release", Some("# Steps")).structured(found).build(),
        &Registry::linked(),
        &cx,
    );
    assert_eq!(
        dump(&card),
        "release | Loaded release\n  Makes a release.\n  .agents/skills/release\n  notes.md\n  tag.sh\n  markdown: # Steps"
    );
}

#[test]
fn task() {
    let arguments = r#"{"description":"Look around","prompt":"go\nthere\nand\nback"}"#;
    let call = || Fixture::new("Task").arguments(arguments);
    let child = |state| Fixture::new("Read").state(state).build();
    let prompt = "Look around\n  go\n  there\n  and\n  and 1 more lines";
    let answer = json!({"answer":"**found**","calls":2,"failed":1});
    check(vec![
        (Fixture::new("Task"), ""),
        (Fixture::new("Task").streaming(r#"{"desc"#), "\n  {\"desc"),
        (Fixture::new("Task").streaming(r#"{"description":"Look ar"#), "Look ar"),
        (Fixture::new("Task").streaming(r#"{"description":"Look","prompt":"go\nth"#), "Look\n  go\n  th"),
        (call().state(CallState::AwaitingApproval), prompt),
        (call(), prompt),
        (call().progress("one\n\ntwo\nthree\nfour\nfive"), "Look around\n  two\n  three\n  four\n  five"),
        (
            call().sub_calls(vec![
                child(CallState::Executing),
                child(CallState::Error),
                child(CallState::AwaitingApproval),
            ]),
            "Look around | 3 calls, 1 failed, 1 waiting for you",
        ),
        (
            call().done("2 calls, 1 failed", Some("found")).structured(answer),
            "Look around | 2 calls, 1 failed\n  markdown: **found**",
        ),
        (call().done("Agent finished", Some("found")), "Look around | Agent finished\n  markdown: found"),
        (call().done("ok", Some("x")).structured(json!(["odd"])), "Look around | ok\n  markdown: x"),
        (
            ended("Task", arguments, CallState::Error, "the sub-agent failed: no credit", Some("so far")),
            "Look around | the sub-agent failed: no credit\n  markdown: so far",
        ),
        (
            ended("Task", arguments, CallState::Cancelled, "cancelled", None)
                .sub_calls(vec![child(CallState::Error)]),
            "Look around | 1 call, 1 failed",
        ),
        (ended("Task", arguments, CallState::Cancelled, "cancelled", None), "Look around | cancelled"),
        (ended("Task", arguments, CallState::Rejected, "rejected", None), "Look around | rejected"),
        (call().state(CallState::Incomplete), "Look around"),
        (Fixture::new("Agent").arguments(r#"{"task":"Count\nthem"}"#), "Count...\n  Count\n  them"),
    ]);
    let cx = CardCx { cwd: "/w".into(), density: Density::Detail, ..CardCx::default() };
    let card = card_of(&call().done("2 calls", Some("found")).build(), &Registry::linked(), &cx);
    assert_eq!(dump(&card), "Look around | 2 calls\n  go\n  there\n  and\n  back\n  \n  markdown: found");
}

#[test]
fn foreign_names() {
    let registry = Registry::linked();
    assert_eq!(registry.problems(), []);
    check(vec![
        (
            Fixture::new("read_file").arguments(r#"{"path":"a.rs"}"#).done("1 line", Some("     1\tx\n")),
            "a.rs | 1 line\n  code rs from 1:\n  x",
        ),
        (Fixture::new("view").arguments(r#"{"filePath":"/w/a.rs","offset":3}"#), "a.rs from 3 on"),
        (Fixture::new("view").arguments(r#"{"filePath":"/w/a.rs","offset":3,"limit":1}"#), "a.rs line 3"),
        (Fixture::new("view").arguments(r#"{"url":"https://example.org"}"#), "https://example.org"),
        (Fixture::new("grep_search").arguments(r#"{"query":"x","include":"*.c"}"#), "x in . of *.c"),
        (Fixture::new("find_files").arguments(r#"{"pattern":"*.c","dir_path":"src"}"#), "*.c in src"),
        (
            Fixture::new("list_files").arguments(r#"{"path":"src"}"#).done("2", Some("a\nb")),
            "src | 2\n  output: a\n  output: b",
        ),
        (
            Fixture::new("apply")
                .kind(ToolKind::Edit)
                .done("1 file", Some("--- a/x.c\n+++ b/x.c\n@@ -7 +7 @@\n-a\n+b\n")),
            " | 1 file\n  x.c\n  diff x.c\n  @@ 7 7\n  -a\n  +b",
        ),
        (
            Fixture::new("apply").kind(ToolKind::Read).done("1", Some("@@ -7 +7 @@\n-a\n")),
            " | 1\n  output: @@ -7 +7 @@\n  output: -a",
        ),
    ]);
}

/// What a server offers, by the name of the tool, by its kind, and by what it answers.
#[test]
fn mcp_and_kinds() {
    let call = |name: &str, arguments: &str| Fixture::new(name).arguments(arguments);
    let image = json!({"content":[{"type":"text","text":"two"},
        {"type":"image","mimeType":"image/png","data":"A".repeat(45_334)}]});
    let edit = r#"{"path":"a","old_str":"x","new_str":"y"}"#;
    let changed = "a\n  diff a\n  @@ ? ?\n  -x\n  +y";
    check(vec![
        (Fixture::new("mcp__fs__read_file"), ""),
        (
            call("mcp__fs__read_file", r#"{"path":"a.rs"}"#).done("1 line", Some("     1\tx\n")),
            "a.rs | 1 line\n  code rs from 1:\n  x",
        ),
        (
            call("mcp__fs__read_file", r#"{"path":"a.rs"}"#).done("ok", Some("plain")),
            "a.rs | ok\n  output: plain",
        ),
        (call("mcp__fs__edit_file", edit), changed),
        (call("mcp__x__do", r#"{"id":5}"#), "id 5"),
        (
            call("mcp__x__shot", r#"{"url":"https://a"}"#).done("ok", Some("two [image]")).structured(image),
            "https://a | ok\n  output: two\n  image/png, 34 kB",
        ),
        (
            call("mcp__x__list", "{}").done("ok", Some("[{\"id\":1,\"title\":\"a\"},{\"id\":2}]")),
            " | ok\n  | id | title |\n  | 1 | a |\n  | 2 |  |",
        ),
        (call("mcp__x__list", "{}").done("ok", None).structured(json!({"id":1})), " | ok\n  id = 1"),
        (call("mcp__x__list", "{}").done("ok", Some("t")).structured(json!({"id":1})), " | ok\n  output: t"),
        (
            call("mcp__x__list", "{}")
                .done("ok", Some("same"))
                .structured(json!([{"type":"text","text":"ok"}])),
            " | ok",
        ),
        (call("peek", r#"{"path":"a.rs","offset":2}"#).kind(ToolKind::Read), "a.rs from 2 on"),
        (call("peek", r#"{"path":"a.rs","query":"x"}"#).kind(ToolKind::Read), "a.rs"),
        (call("peek", r#"{"url":"https://a"}"#).kind(ToolKind::Read), "https://a"),
        (call("patch", edit).kind(ToolKind::Edit), changed),
        (call("put", r#"{"path":"a","content":"y"}"#).kind(ToolKind::Edit), "a\n  diff a\n  @@ ? ?\n  +y"),
        (call("rename", r#"{"path":"a","to":"b"}"#).kind(ToolKind::Edit), "a"),
        (
            call("zsh", r#"{"cmd":"ls","x":1}"#).kind(ToolKind::Execute).done("exit 0", Some("a")),
            "ls | exit 0\n  output: a",
        ),
        (call("start", r#"{"id":"web"}"#).kind(ToolKind::Execute), "web"),
        (
            call("mcp__x__f", "{}").result(CallState::Error, Outcome::Error, "", Some("no such id\n"), None),
            " | no such id",
        ),
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

/// LOOK 5: what a title says is not said again by the raw arguments, what the note says not by the output.
#[test]
fn nothing_is_told_twice() {
    let searched = r#"{"pattern":"TODO","path":"src"#;
    let read = r#"{"file_path":"src/a.rs","offset":4"#;
    let one = r#"{"command":"ls"#;
    for (name, half) in [("Glob", searched), ("Grep", searched), ("Read", read), ("Bash", one), ("Any", one)]
    {
        for state in [CallState::Cancelled, CallState::Error, CallState::Incomplete] {
            let call = || ended(name, half, state, "why", None).build();
            let card = |density| {
                dump(&card_of(&call(), &Registry::linked(), &CardCx { density, ..CardCx::default() }))
            };
            assert!(!card(Density::Normal).contains('{'), "{name} {state:?}: {}", card(Density::Normal));
            let (detail, raw) = (card(Density::Detail), format!("\n  {half}"));
            // What was refused is shown as it came; of what was stopped, what can be read.
            assert_eq!(detail.ends_with(&raw), state == CallState::Error, "{name} {state:?}: {detail}");
            let is_read =
                detail.contains(" = TODO") || detail.contains("ls") || detail.contains(" = src/a.rs");
            assert!(state == CallState::Error || is_read, "{name} {state:?}: {detail}");
        }
    }
    check(vec![
        // Where the title does not say all, the rest is shown as it came.
        (
            ended("Any", searched, CallState::Error, "why", None),
            "src | why\n  {\"pattern\":\"TODO\",\"path\":\"src",
        ),
        (ended("Read", r#"{"file_p"#, CallState::Cancelled, "why", None), " | why\n  {\"file_p"),
        (
            ended("Any", r#"{"name":"x"}"#, CallState::Error, "no such thing", Some("no such thing\n")),
            "x | no such thing",
        ),
        (
            Fixture::new("Any").arguments("{}").done("one\ntwo", Some("one\ntwo")),
            " | one\n  output: one\n  output: two",
        ),
        (Fixture::new("Any").arguments("{}").progress("done\n").done("done", None), " | done"),
    ]);
}
