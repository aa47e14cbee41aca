//! What a plugin does wrong costs its own cards: each fault is named, and the others draw meanwhile.

use std::time::Duration;

use carpel::plugins::{PluginEvent, RunAsk};
use carpel_slots::command::{CommandCx, CommandEffect, ModelList};
use carpel_slots::protocol::word::PodState;
use carpel_slots::wire::RunCx;
use carpel_slots::{Density, ThemeName};

use crate::needs::program;
use crate::stage::{Stage, call, changed, diagnosis, title};

#[test]
fn a_card_comes_when_it_comes_and_stands_until_there_is_another() {
    let Some(_) = program("python3") else { return };
    let mut stage = Stage::rogues(&["fine", "sleep"]);
    stage.settled();
    let first = call("rogue_fine");
    let registry = stage.plugins().registry();
    let view = registry.view("rogue_fine", None).unwrap();
    let cx = carpel_slots::CardCx::default();
    assert_eq!(title(&view.card(&first, &cx)), "a.rs", "nothing is waited for");
    stage.card_until(&first, |card| title(card) == "drawn by fine");
    assert!(!view.is_awaited(&first, &cx));
    let second = changed(&first);
    assert_eq!(title(&view.card(&second, &cx)), "drawn by fine", "the last one stands");
    stage.until(|_| {
        view.card(&second, &cx);
        !view.is_awaited(&second, &cx)
    });
    let late = call("rogue_sleep");
    let view = registry.view("rogue_sleep", None).unwrap();
    view.card(&late, &cx);
    assert!(view.is_awaited(&late, &cx));
}

#[test]
fn every_fault_is_named_and_costs_its_own_card() {
    let Some(_) = program("python3") else { return };
    let rows = [
        ("exit", "ended with exit code 0"),
        ("abort", "was ended by SIGABRT"),
        ("segfault", "was ended by SIGSEGV"),
        ("bus", "was ended by SIGBUS"),
        ("hang", "did not answer within 2 s"),
        ("sleep", "did not answer within 2 s"),
        ("silent", "did not answer within 2 s"),
        ("ignores_signals", "did not answer within 2 s"),
        ("flood", "did not answer within 2 s"),
        ("endless", "wrote a line of more than 1024 KiB"),
        ("endless_lines", "writes lines that answer nothing, without end"),
        ("not_json", "answered with what is no reply: not JSON"),
        ("not_utf8", "wrote a line that is not UTF-8"),
        ("huge", "wrote a line of more than 1024 KiB"),
        ("wrong_id", "which was never asked"),
        ("other_kind", "with a reply of another kind"),
        ("bad_card", "answered with what is no reply: `card`"),
        ("negative", "answered with what is no reply: `card`"),
        ("deep", "answered with what is no reply: not JSON"),
        ("memory", "ended with exit code 1; its last words: "),
        ("closes", "closed its output and went on"),
        ("error", "the moon is wrong"),
    ];
    let modes: Vec<&str> = rows.iter().map(|(mode, _)| *mode).chain(["fine", "twice"]).collect();
    let mut stage = Stage::rogues(&modes);
    stage.settled();
    let calls: Vec<_> = rows.iter().map(|(mode, _)| call(&format!("rogue_{mode}"))).collect();
    for call in &calls {
        stage.card(call);
    }
    stage.card_until(&call("rogue_fine"), |card| title(card) == "drawn by fine");
    for ((mode, reason), call) in rows.iter().zip(&calls) {
        let card = stage.card_until(call, |card| diagnosis(card).is_some());
        let told = diagnosis(&card).unwrap();
        assert!(told.starts_with(&format!("plugin `rogue-{mode}`: ")), "{told}");
        assert!(told.contains(reason) && told.ends_with("; this is carpel's own card"), "{mode}: {told}");
    }
    // The first of two answers is a card; the second one is the fault.
    stage.card_until(&call("rogue_twice"), |card| title(card) == "drawn by twice");
    stage.until(|stage| stage.row("rogue-twice").trouble.is_some_and(|told| told.contains("twice")));
    // `error` is no fault.
    assert_eq!(stage.row("rogue-error").trouble, None);
}

#[test]
fn three_faults_in_a_minute_are_the_end_until_it_is_loaded_anew() {
    let Some(_) = program("python3") else { return };
    let mut stage = Stage::rogues(&["abort"]);
    stage.settled();
    let mut asked = call("rogue_abort");
    // It is asked again and again, for each state of the call anew.
    while stage.plugins().rows()[0].is_seated {
        asked = changed(&asked);
        stage.card(&asked);
        std::thread::sleep(Duration::from_millis(5));
    }
    let trouble = stage.plugins().rows()[0].trouble.clone().unwrap();
    assert!(
        trouble.starts_with("is left alone after three faults in a minute; the last: was ended by"),
        "{trouble}"
    );
    while stage.said.is_empty() {
        stage.event();
    }
    assert!(stage.said[0].contains("`:plugins reload rogue-abort` tries it again"), "{:?}", stage.said);
    assert!(stage.plugins().registry().view("rogue_abort", None).is_none(), "what it covered is uncovered");
    assert!(!stage.plugins().reload("nobody") && stage.plugins().reload("rogue-abort"));
    stage.until(|stage| stage.plugins().rows()[0].is_seated);
    assert!(stage.plugins().registry().view("rogue_abort", None).is_some());
}

#[test]
fn a_process_that_is_killed_is_started_again_and_draws() {
    let Some(_) = program("python3") else { return };
    let mut stage = Stage::rogues(&["once", "fine"]);
    stage.settled();
    let asked = call("rogue_once");
    stage.card_until(&asked, |card| title(card) == "drawn by once");
    assert!(stage.row("rogue-once").trouble.unwrap().contains("SIGABRT"));
    // A person kills one that rests: nothing is seen, and the next card comes from another process.
    let asked = call("rogue_fine");
    let pid = |card: &carpel_slots::Card| match &card.body.as_ref().unwrap()[0] {
        carpel_slots::Block::Text(lines) => lines[0].text().parse::<i32>().unwrap(),
        other => panic!("{other:?}"),
    };
    let first = pid(&stage.card_until(&asked, |card| title(card) == "drawn by fine"));
    kill(first);
    stage.until(|stage| stage.row("rogue-fine").trouble.is_some_and(|told| told.contains("SIGKILL")));
    let again = changed(&asked);
    let card =
        stage.card_until(&again, |card| card.body.is_some() && !title(card).is_empty() && pid(card) != first);
    assert_ne!(pid(&card), first);
}

#[test]
fn whatever_it_started_ends_with_it_and_it_has_no_terminal() {
    let Some(_) = program("python3") else { return };
    let mut stage = Stage::rogues(&["child", "tty"]);
    stage.settled();
    stage.card(&call("rogue_child"));
    let note = stage.home.path().join("note-child");
    stage.until(|_| note.exists());
    let child: i32 = std::fs::read_to_string(&note).unwrap().parse().unwrap();
    assert!(is_alive(child));
    stage.card_until(&call("rogue_tty"), |card| title(card) == "has no terminal");
    stage.plugins = None;
    stage.until(|_| !is_alive(child));
}

#[test]
fn one_that_cannot_say_hello_is_named_with_its_reason() {
    let Some(_) = program("python3") else { return };
    let rows = [
        ("hello_exit", "ended with exit code 3; its last words: I do not like it here"),
        ("hello_hangs", "did not say hello within 5 s"),
        ("hello_not_json", "answered with what is no reply: not JSON"),
        ("hello_huge", "wrote a line of more than 1024 KiB"),
        ("hello_card", "its first line is no hello"),
        ("hello_abi", "was built for ABI 99 and this carpel speaks 1; use a newer carpel"),
        ("hello_nameless", "says no name"),
        ("hello_hostile", "calls itself `a\u{1b}[2Jb`"),
        ("hello_other_abi_field", "answered with what is no reply: `hello`"),
    ];
    for (mode, reason) in rows {
        let mut stage = Stage::rogues(&[mode]);
        let row = stage.settled().remove(0);
        let trouble = row.trouble.unwrap();
        assert!(!row.is_seated && trouble.contains(reason), "{mode}: {trouble}");
    }
    let mut stage = Stage::listed(vec![crate::stage::command(&["no-such-program-here"])]);
    let trouble = stage.settled().remove(0).trouble.unwrap();
    assert!(trouble.starts_with("cannot be run: "), "{trouble}");
}

#[test]
fn a_command_of_a_plugin_runs_and_its_faults_are_told() {
    let Some(_) = program("python3") else { return };
    let mut stage = Stage::rogues(&["fine"]);
    stage.settled();
    let registry = stage.plugins().registry();
    let command = registry.command("rogue-fine").unwrap();
    let spec = command.spec();
    assert_eq!((spec.name, spec.summary, spec.usage), ("rogue-fine", "fails", "[TEXT]"));
    let cx = CommandCx {
        state: PodState::Idle,
        density: Density::Normal,
        theme: ThemeName::Auto,
        provider: String::new(),
        model: String::new(),
        models: ModelList::Unknown,
        commands: Vec::new(),
    };
    stage.until(|_| command.complete("", &cx).iter().any(|offer| offer.insert == "now"));
    let effect = CommandEffect::AskPlugin {
        plugin: "rogue-fine".to_owned(),
        command: "rogue-fine".to_owned(),
        arguments: "x".to_owned(),
    };
    assert_eq!(command.run("x", &cx).unwrap().effects, [effect]);
    for (arguments, outcome, lines) in [
        ("x", Ok("ran"), vec!["in /w"]),
        ("wrong", Err("it is wrong"), vec![]),
        ("abort", Err("was ended by SIGABRT"), vec![]),
    ] {
        let cx = RunCx { cwd: "/w".to_owned(), density: Density::Normal };
        let ask = RunAsk {
            line: format!("rogue-fine {arguments}"),
            command: "rogue-fine".to_owned(),
            arguments: arguments.to_owned(),
            cx,
        };
        assert_eq!(stage.plugins().run("rogue-fine", ask), None);
        let ran = loop {
            if let PluginEvent::Ran(ran) = stage.event() {
                break ran;
            }
        };
        assert_eq!(ran.line, format!("rogue-fine {arguments}"));
        match (&ran.outcome, outcome) {
            (Ok(told), Ok(want)) => assert_eq!(told, want),
            (Err(told), Err(want)) => assert!(told.starts_with(want), "{told}"),
            (told, _) => panic!("{arguments}: {told:?}"),
        }
        assert_eq!(ran.lines.iter().map(carpel_slots::Line::text).collect::<Vec<_>>(), lines);
    }
    let gone = RunAsk {
        line: String::new(),
        command: String::new(),
        arguments: String::new(),
        cx: RunCx::default(),
    };
    assert!(
        stage.plugins().run("nobody", gone).unwrap().outcome.unwrap_err().contains("is not there any more")
    );
}

#[test]
fn its_diagnostics_are_in_a_file() {
    let Some(_) = program("python3") else { return };
    let mut stage = Stage::rogues(&["hello_exit"]);
    let log = stage.settled().remove(0).log.unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains("I do not like it here"), "{text}");
    assert!(log.starts_with(stage.home.path().join("state/plugin-state")));
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    std::thread::sleep(Duration::from_millis(1));
}

/// A process that has ended and was not waited for by its parent has no memory any more.
pub fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
