//! The plugins in `examples/`, built and run as their authors would: against the crate, the header or the lines alone.
//!
//! A library is opened by `tests/data/host.c`, which knows `carpel.h` and nothing else.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use carpel_slots::testing::{Sample, card_text, hostile};
use carpel_slots::wire::{Hello, Reply, Request, RunCx, WireCall};
use carpel_slots::{CallState, CardCx, Density, ToolCall};
use serde_json::json;

use crate::needs::{program, run};
use crate::table::include;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A folder for what is built here; it stays, so that the next run builds what changed.
fn built(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The little host in C, once it is built; `None` without a C compiler.
pub fn host() -> Option<&'static Path> {
    static HOST: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let file = built("host").join("host");
        let source = root().join("slots/tests/data/host.c");
        let mut compiler = program("cc")?;
        compiler
            .args(["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-I"])
            .arg(include())
            .arg("-o")
            .arg(&file);
        run(compiler.arg(source).arg("-ldl"));
        Some(file)
    };
    HOST.get_or_init(build).as_deref()
}

/// Builds a Rust example with its own manifest and target folder, as its author would, but with the versions of this
/// workspace, which are there without a network.
fn cargo(example: &str, arguments: &[&str]) -> PathBuf {
    let (target, project) = (built("cargo"), root().join("examples").join(example));
    std::fs::copy(root().join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    run(cargo.args(arguments).arg("--offline").arg("--target-dir").arg(&target).current_dir(project));
    target
}

/// Builds a library of a C example with its Makefile.
fn make(example: &str, arguments: &[String]) -> Option<()> {
    host()?;
    let mut make = program("make")?;
    run(make.arg("-C").arg(root().join("examples").join(example)).args(arguments));
    Some(())
}

/// Something that speaks the lines.
enum Speaker {
    Library(PathBuf),
    Executable(PathBuf),
}

impl Speaker {
    fn run(&self, lines: &[String]) -> (Vec<String>, ExitStatus) {
        let mut command = match self {
            Speaker::Library(file) => {
                let mut command = Command::new(host().unwrap());
                command.arg(file);
                command
            }
            Speaker::Executable(file) => Command::new(file),
        };
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut input = child.stdin.take().unwrap();
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        // A plugin that went wrong may read no further.
        let writer = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (said.lines().map(str::to_owned).collect(), output.status)
    }

    /// The replies to a hello and these requests; none may be missing and nothing else may be said.
    fn ask(&self, requests: &[Request]) -> (Hello, Vec<Reply>) {
        let hello = Request::Hello { abi: 1, carpel: "0.1.0".to_owned(), features: Vec::new() };
        let lines: Vec<String> = std::iter::once(&hello).chain(requests).map(Request::encode).collect();
        let (said, status) = self.run(&lines);
        assert!(status.success(), "{status}: {said:#?}");
        let sign = |line: &String| match self {
            Speaker::Library(_) => line.strip_prefix("< ").map(str::to_owned),
            Speaker::Executable(_) => Some(line.clone()),
        };
        let unexpected: Vec<&String> =
            said.iter().filter(|line| sign(line).is_none() && !line.starts_with(". ")).collect();
        assert!(unexpected.is_empty(), "{unexpected:#?}");
        let decode = |line: String| Reply::decode(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let mut replies: Vec<Reply> = said.iter().filter_map(sign).map(decode).collect();
        let Reply::Hello(hello) = replies.remove(0) else { panic!("no hello: {said:#?}") };
        (hello, replies)
    }

    /// Asks for the card of each call, which has to be one, in order; as text at 60 columns.
    fn cards(&self, view: &str, calls: &[ToolCall], density: Density) -> Vec<String> {
        let (_, replies) = self.ask(&requests(view, calls, density));
        assert_eq!(replies.len(), calls.len());
        let text = |(at, (reply, call)): (usize, (Reply, &ToolCall))| match reply {
            Reply::Card { id, card } if id == at as u64 => card_text(&card, call, 60, density),
            other => panic!("{at}: {other:?} for {call:?}"),
        };
        replies.into_iter().zip(calls).enumerate().map(text).collect()
    }

    /// Every sample and every hostile call gets a card, and a word that is not known an error.
    fn stands(&self, view: &str, sample: &Sample) {
        let calls: Vec<ToolCall> =
            sample.all().into_iter().chain(hostile(sample)).map(|(_, call)| call).collect();
        for density in [Density::Overview, Density::Detail] {
            self.cards(view, &calls, density);
        }
        let later = |request: &str, id: Option<u64>| Request::Unknown { request: request.to_owned(), id };
        let lines = [
            r#"{"request":"hello","abi":1,"zz":[{}]}"#.to_owned(),
            r#"{"request":"later","id":7,"zz":null}"#.to_owned(),
            r#"{"request":"later"}"#.to_owned(),
            r#"{"request":"cancel","id":3}"#.to_owned(),
            r#"{ "zz" : "\u00e9\ud83d\ude00\"" , "id" : 8 , "request" : "later" }"#.to_owned(),
        ];
        assert_eq!(Request::decode(&lines[1]), Ok(later("later", Some(7))));
        let (said, _) = self.run(&lines);
        let ids: Vec<Option<u64>> = said
            .iter()
            .filter(|line| !line.starts_with(". "))
            .map(|line| Reply::decode(line.trim_start_matches("< ")).unwrap().id())
            .collect();
        assert_eq!(ids, [None, Some(7), Some(8)], "{said:#?}");
    }
}

fn requests(view: &str, calls: &[ToolCall], density: Density) -> Vec<Request> {
    let cx = CardCx { cwd: "/work".to_owned(), home: None, density };
    let request = |(at, call): (usize, &ToolCall)| Request::Card {
        id: at as u64,
        view: view.to_owned(),
        call: Box::new(WireCall::of(call)),
        cx: cx.clone(),
    };
    calls.iter().enumerate().map(request).collect()
}

fn run_command(command: &str, arguments: &str) -> Request {
    Request::CommandRun {
        id: 1,
        command: command.to_owned(),
        arguments: arguments.to_owned(),
        cx: RunCx::default(),
    }
}

fn complete(command: &str, typed: &str) -> Request {
    Request::CommandComplete { id: 1, command: command.to_owned(), typed: typed.to_owned() }
}

fn library(target: &Path, profile: &str, name: &str) -> Speaker {
    let name = format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Speaker::Library(target.join(profile).join(name))
}

#[test]
fn kubectl_table_in_rust() {
    if host().is_none() {
        return;
    }
    cargo("kubectl-table", &["test"]);
    let target = cargo("kubectl-table", &["build"]);
    let plugin = library(&target, "debug", "kubectl_table");
    let pods = "NAME   READY   STATUS    NODE\nweb    1/1     Running   one\n";
    let sample = Sample::new("kubectl").arguments(r#"{"command":"get pods"}"#).output(pods);
    let calls = [sample.in_state(CallState::Done), sample.in_state(CallState::Pending)];
    assert_eq!(
        plugin.cards("kubectl", &calls, Density::Normal),
        [
            "✓ kubectl  get pods  1 found\n    NAME  READY  STATUS\n    web   1/1    Running\n",
            "○ kubectl  (generic title)  pending\n    (generic body)\n",
        ]
    );
    plugin.stands("mcp__k8s__*", &sample);
    let (hello, replies) = plugin.ask(&[
        complete("kubectl-columns", "NA"),
        run_command("kubectl-columns", "NA"),
        run_command("kubectl-columns", "x"),
    ]);
    assert_eq!((hello.name.as_str(), hello.version.as_str()), ("kubectl-table", "1.0.0"));
    let told: Vec<String> = replies.iter().map(Reply::encode).collect();
    assert!(told[0].contains(r#"{"insert":"NAMESPACE","summary":"column"}"#), "{told:#?}");
    assert!(told[1].contains(r#""outcome":"2 columns""#), "{told:#?}");
    assert!(told[2].contains(r#""reply":"error""#) && told[2].contains("leave it out"), "{told:#?}");
}

#[test]
fn test_summary_in_c() {
    let flags = "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror -fsanitize=undefined -fno-sanitize-recover=all";
    let folder = built("c");
    if make("test-summary", &[flags.to_owned(), format!("OUT={}", folder.display())]).is_none() {
        return;
    }
    let file = folder.join("test-summary.so");
    let plugin = Speaker::Library(file);
    let tap = "1..3\nok 1 - adds\nnot ok 2 - says \"é\" \u{1f600}\\\nok 3 - later # SKIP no network\n";
    let sample = Sample::new("run_tests").arguments(r#"{"filter":"a\u00e9\ud83d\ude00\"b"}"#).output(tap);
    let cargo = "running 2 tests\ntest a::b ... ok\ntest c ... FAILED\ntest d ... ignored\n";
    let live = Sample::new("run_tests").progress(cargo);
    let odd = Sample::new("run_tests").arguments("[1]").output("no tests at all");
    let names = "not ok 1 - 2 + 2 is 4\nnot ok 2 3d view\nnot ok - 7 dwarfs\nnot ok 4 -1 is odd\nnot ok 5\n";
    let numbers = Sample::new("run_tests").output(names);
    let calls = [
        sample.in_state(CallState::Error),
        live.in_state(CallState::Executing),
        odd.in_state(CallState::Done),
        numbers.in_state(CallState::Error),
    ];
    assert_eq!(
        plugin.cards("run_tests", &calls, Density::Normal),
        [
            "✗ run_tests  aé😀\"b  1 passed, 1 failed, 1 skipped\n    failed says \"é\" 😀\\\n",
            "● run_tests  all tests  1 passed, 1 failed, 1 skipped\n    failed c\n",
            "✓ run_tests  all tests\n    (generic body)\n",
            "✗ run_tests  all tests  5 failed\n    failed 2 + 2 is 4\n    failed 3d view\n    failed 7 dwarfs\n    \
             failed -1 is odd\n    failed 5\n",
        ]
    );
    plugin.stands("run_tests", &sample);
}

#[test]
fn sql_result_in_python() {
    if program("python3").is_none() {
        return;
    }
    let plugin = Speaker::Executable(root().join("examples/sql-result/sql-result"));
    let sample = Sample::new("sql_query")
        .arguments(r#"{"query":"select id, name\nfrom people"}"#)
        .structured(json!({"columns": ["id", "name"], "rows": [[1, "ada"], [2, null], "odd"]}));
    let plain = Sample::new("sql_query").arguments(r#"{"query":"select 1"}"#).output("a\tb\n1\tx\n");
    let calls = [
        sample.in_state(CallState::Done),
        plain.in_state(CallState::Done),
        sample.in_state(CallState::Executing),
        plain.streaming(16),
    ];
    assert_eq!(
        plugin.cards("sql_query", &calls, Density::Normal),
        [
            "✓ sql_query  select id, name …  2 rows\n    select id, name\n    from people\n    id  name\n     1  ada\n     2  NULL\n",
            "✓ sql_query  select 1  1 row\n    a  b\n    1  x\n",
            "● sql_query  select id, name …  running\n    select id, name\n    from people\n",
            "◌ sql_query  select  writing\n    (generic body)\n",
        ]
    );
    plugin.stands("sql_query", &sample);
    let mut requests =
        vec![complete("sql-rows", "2"), run_command("sql-rows", "no"), run_command("sql-rows", "1")];
    requests.extend(self::requests("sql_query", &[sample.in_state(CallState::Done)], Density::Normal));
    let (hello, replies) = plugin.ask(&requests);
    assert_eq!(hello.commands[0].name, "sql-rows");
    let told: Vec<String> = replies.iter().map(Reply::encode).collect();
    assert!(told[0].contains("2000") && told[1].contains("write `:sql-rows 50`"), "{told:#?}");
    assert!(told[2].contains("1 rows") && told[3].contains("and 1 more"), "{told:#?}");
}

#[test]
fn rogue_panics_cost_their_card() {
    if host().is_none() {
        return;
    }
    let target = cargo("rogue-panic", &["build"]);
    let plugin = library(&target, "debug", "rogue_panic");
    let panics = Sample::new("rogue_panic").in_state(CallState::Done);
    let calm = Sample::new("rogue_panic").arguments(r#"{"calm":true}"#).in_state(CallState::Done);
    let mut requests = self::requests("rogue_panic", &[panics, calm], Density::Normal);
    requests.extend([complete("rogue-panic", ""), run_command("rogue-panic", "")]);
    let (_, replies) = plugin.ask(&requests);
    assert_eq!(replies.len(), requests.len());
    let told: Vec<String> = replies.iter().map(Reply::encode).collect();
    for (told, want) in told.iter().zip([
        "view `rogue_panic` panicked: this view is not calm",
        "calm",
        "command `rogue-panic` panicked: in its completion",
        "command `rogue-panic` panicked: in its command",
    ]) {
        assert!(told.contains(want), "{want}: {told}");
    }
    // Built so that a panic ends the process, it does.
    let target = cargo("rogue-panic", &["build", "--profile", "abort"]);
    let lines: Vec<String> = requests.iter().map(Request::encode).collect();
    let (_, status) = library(&target, "abort", "rogue_panic").run(&lines);
    assert!(!status.success(), "{status}");
}

/// What each library does, as the little host sees it: lines that it printed, or that the process ended. Those that never
/// end are built and not run.
#[test]
fn rogue_has_a_library_for_each_fault() {
    let folder = built("rogue");
    let arguments = [
        "-j2".to_owned(),
        format!("OUT={}", folder.display()),
        "CFLAGS=-O1 -Wall -Wextra -Werror".to_owned(),
    ];
    if make("rogue", &arguments).is_none() {
        return;
    }
    let calls = [Sample::new("rogue").in_state(CallState::Done)];
    let hello = Request::Hello { abi: 1, carpel: String::new(), features: Vec::new() };
    let lines = [hello.encode(), requests("rogue", &calls, Density::Normal)[0].encode()];
    let title = |mode: &str| format!(r#"< {{"reply":"card","id":0,"card":{{"title":"rogue {mode}"}}}}"#);
    let dies = "dies".to_owned();
    let rows: [(&str, Vec<String>); 32] = [
        ("fine", vec![title("fine"), ". 1".into()]),
        ("silent", vec![". 0".into()]),
        ("fails", vec!["! failed with -7".into(), ". 0".into()]),
        ("abort", vec![dies.clone()]),
        ("exit", vec![]),
        ("segfault", vec![dies.clone()]),
        ("bus", vec![dies.clone()]),
        ("stack", vec![dies.clone()]),
        ("not_json", vec!["< this is {no] JSON".into(), ". 1".into()]),
        ("not_utf8", vec!["! not text".into(), ". 1".into()]),
        ("line_feed", vec!["! not text".into(), ". 1".into()]),
        ("null", vec!["! not text".into(), ". 1".into()]),
        ("negative", vec!["! too long".into(), ". 1".into()]),
        ("huge", vec!["! too long".into(), ". 1".into()]),
        ("just_too_long", vec!["! too long".into(), ". 1".into()]),
        (
            "bad_card",
            vec![r#"< {"reply":"card","id":0,"card":{"body":[{"tabel":[]}]}}"#.into(), ". 1".into()],
        ),
        ("wrong_id", vec![r#"< {"reply":"card","id":4000000000,"card":{}}"#.into(), ". 1".into()]),
        ("twice", vec![title("twice"), title("twice"), ". 2".into()]),
        ("steals_signals", vec![title("steals_signals"), ". 1".into()]),
        ("duplicate", vec![title("duplicate"), ". 1".into()]),
        ("bad_key", vec![title("bad_key"), ". 1".into()]),
        ("empty_name", vec![title("empty_name"), ". 1".into()]),
        ("hello_abi", vec![title("hello_abi"), ". 1".into()]),
        ("hello_not_json", vec![title("hello_not_json"), ". 1".into()]),
        ("wrong_abi", vec!["! another ABI".into()]),
        ("small_table", vec!["! a small table".into()]),
        ("null_table", vec!["! no table".into()]),
        ("null_request", vec!["! no function".into()]),
        ("no_symbol", vec!["! no symbol".into()]),
        ("wild_table", vec![dies.clone()]),
        ("entry_aborts", vec![dies.clone()]),
        ("ctor_segfault", vec![dies.clone()]),
    ];
    for (mode, want) in &rows {
        let (mut said, status) = Speaker::Library(folder.join(format!("rogue-{mode}.so"))).run(&lines);
        if said.first().is_some_and(|line| line.starts_with("< {\"reply\":\"hello\"") || line == "< hello") {
            let hello = said.drain(..2).next().unwrap();
            assert_eq!(Reply::decode(&hello[2..]).is_err(), *mode == "hello_not_json", "{mode}: {hello}");
        }
        if status.code().is_none() {
            said = vec![dies.clone()];
        }
        assert_eq!(&said, want, "{mode}: {status}");
    }
    // A card full of what a terminal obeys can be read, and is cleaned on the way.
    let (said, _) = Speaker::Library(folder.join("rogue-hostile.so")).run(&lines);
    let Ok(Reply::Card { card, .. }) = Reply::decode(&said[2][2..]) else { panic!("{said:#?}") };
    assert_eq!(card.title.as_ref().unwrap().text(), "title");
    let text = card_text(&card, &calls[0], 40, Density::Detail);
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    let source = std::fs::read_to_string(root().join("examples/rogue/rogue.c")).unwrap();
    let modes = source.lines().filter_map(|line| line.strip_prefix("    X(")?.split_once(','));
    let seen: Vec<&str> = rows.iter().map(|(mode, _)| *mode).chain(["hostile"]).chain(NOT_RUN).collect();
    let missing: Vec<&str> = modes.map(|(mode, _)| mode).filter(|mode| !seen.contains(mode)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for mode in NOT_RUN {
        assert!(folder.join(format!("rogue-{mode}.so")).exists(), "{mode}");
    }
}

/// They never end, or take what the test itself needs, or say more than is compared here.
const NOT_RUN: [&str; 12] = [
    "hang",
    "sleep",
    "endless_replies",
    "endless_print",
    "memory",
    "hello_hangs",
    "entry_hangs",
    "ctor_hangs",
    "ctor_exit",
    "deep",
    "prints",
    "closes",
];
