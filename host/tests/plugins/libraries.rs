//! Libraries that go wrong when they are opened: each is named with its reason, and one that is well is used beside them.

use std::fs;
use std::path::Path;
use std::process::Command;

use carpel::plugins::PluginRow;
use carpel_slots::Card;
use tempfile::TempDir;

use crate::needs::program;
use crate::stage::{Stage, call, diagnosis, title};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Builds a library of the example that goes wrong in that mode, or does not.
fn build(home: &TempDir, mode: &str) {
    let folder = home.path().join("plugins");
    fs::create_dir_all(&folder).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-O0", "-I"])
        .arg(root().join("slots/include"))
        .arg(format!("-DROGUE={mode}"))
        .arg("-o")
        .arg(folder.join(format!("rogue-{mode}.so")))
        .arg(root().join("examples/rogue/rogue.c"))
        .status()
        .unwrap();
    assert!(built.success(), "{mode}");
}

#[test]
fn every_library_that_cannot_be_used_says_why() {
    let Some(_) = program("cc") else { return };
    let home = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/plugins/make_bad_libs.sh");
    let folder = home.path().join("plugins");
    let made = Command::new("sh").arg(script).arg(&folder).arg("carpel_plugin_v1").output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    build(&home, "fine");
    let mut stage = Stage::with(home, |_| {});
    let rows = stage.settled();
    let no_table = "gives no table";
    let is_root = rustix::process::geteuid().is_root();
    for (file, reason) in [
        ("01_empty", "is empty"),
        ("02_text", "is neither a library nor a program"),
        ("03_no_entry", "has no function `carpel_plugin_v1`"),
        ("04_entry_is_data", "was ended by SIGSEGV"),
        ("05_undefined_lazy", "undefined symbol: not_there"),
        ("06_undefined_now", "undefined symbol: not_there"),
        ("07_ctor_segv", "was ended by SIGSEGV"),
        ("08_ctor_abort", "was ended by SIGABRT"),
        ("09_ctor_exit", "ended with exit code 0"),
        ("10_ctor_sleeps", "did not say hello within 5 s"),
        ("11_ctor_prints", no_table),
        ("12_ctor_steals_signals", no_table),
        ("13_dtor_segv", no_table),
        ("14_entry_null_table", no_table),
        ("15_entry_wild_pointer", "was ended by SIGSEGV"),
        ("16_entry_overflows_stack", "was ended by SIG"),
        ("17_truncated", "is cut off"),
        ("18_other_machine", "is for another kind of machine"),
        ("19_class_32", "is for 32-bit programs"),
        ("20_needs_missing_lib", "libgone.so"),
        ("21_same_a", no_table),
        ("21_same_b", no_table),
        ("21_same_link", "is the same file as "),
        ("22_fifo", "is no regular file, but a pipe"),
        ("23_directory", "is a folder"),
        ("24_dangling", "is a link to nothing"),
        ("25_loop", "cannot be looked at"),
        ("26_unreadable", if is_root { no_table } else { "cannot be read" }),
        ("27_world_writable", "may be written by anyone"),
        ("28_thread_outlives", no_table),
        ("29_\u{1b}]0;T\u{7}name", "has no function"),
    ] {
        let row: &PluginRow =
            rows.iter().find(|row| row.name == file).unwrap_or_else(|| panic!("{file}: {rows:?}"));
        let trouble = row.trouble.clone().unwrap_or_default();
        assert!(!row.is_seated && trouble.contains(reason), "{file}: {trouble}, not {reason}");
    }
    let unused = rows.iter().filter(|row| !row.is_seated).count();
    assert_eq!((unused, rows.len()), (31, 32));
    let asked = call("rogue");
    stage.card_until(&asked, |card| !title(card).is_empty());
    let copies = stage.home.path().join("state/plugin-state/open");
    assert!(!copies.exists() || fs::read_dir(copies).unwrap().count() == 0);
}

#[test]
fn every_mode_of_the_rogue_library_costs_its_own_card() {
    let Some(_) = program("cc") else { return };
    for (mode, reason) in [
        ("abort", "was ended by SIGABRT"),
        ("exit", "ended with exit code 0"),
        ("segfault", "was ended by SIGSEGV"),
        ("stack", "was ended by SIG"),
        ("hang", "did not answer within 2 s"),
        ("silent", "returned without a reply"),
        ("fails", "its function for requests returned"),
        ("not_json", "answered with what is no reply"),
        ("not_utf8", "returned without a reply"),
        ("line_feed", "returned without a reply"),
        ("negative", "returned without a reply"),
        ("null", "returned without a reply"),
        ("huge", "returned without a reply"),
        ("just_too_long", "returned without a reply"),
        ("deep", "answered with what is no reply"),
        ("bad_card", "answered with what is no reply"),
        ("wrong_id", "which was never asked"),
        ("endless_replies", "did not answer within 2 s"),
        ("endless_print", "did not answer within 2 s"),
    ] {
        let home = tempfile::tempdir().unwrap();
        build(&home, mode);
        let mut stage = Stage::with(home, |_| {});
        let rows = stage.settled();
        assert!(rows[0].is_seated, "{mode}: {rows:?}");
        let card = stage.card_until(&call("rogue"), |card| diagnosis(card).is_some());
        let told = diagnosis(&card).unwrap();
        assert!(told.contains(reason), "{mode}: {told}");
    }
}

#[test]
fn what_a_library_prints_is_no_reply() {
    let Some(_) = program("cc") else { return };
    let home = tempfile::tempdir().unwrap();
    build(&home, "prints");
    let mut stage = Stage::with(home, |_| {});
    let log = stage.settled()[0].log.clone().unwrap();
    let drawn = |card: &Card| !title(card).is_empty();
    stage.card_until(&call("rogue"), drawn);
    assert_eq!(stage.plugins().rows()[0].trouble, None);
    stage.until(|_| fs::metadata(&log).is_ok_and(|data| data.len() > 0));
}

#[test]
fn a_hello_that_is_wrong_says_what_to_do() {
    let Some(_) = program("cc") else { return };
    let home = tempfile::tempdir().unwrap();
    let rows = [
        ("wrong_abi", "was built for ABI 99 and this carpel speaks 1; use a newer carpel"),
        ("hello_abi", "was built for ABI 99 and this carpel speaks 1; use a newer carpel"),
        ("hello_not_json", "answered with what is no reply"),
        ("empty_name", "says no name"),
        ("small_table", "has a table of "),
        ("null_table", "gives no table"),
        ("null_request", "has no function for requests"),
        ("entry_aborts", "was ended by SIGABRT"),
        ("no_symbol", "has no function `carpel_plugin_v1`"),
    ];
    rows.iter().for_each(|(mode, _)| build(&home, mode));
    let mut stage = Stage::with(home, |_| {});
    let told = stage.settled();
    for (mode, reason) in rows {
        let row = told.iter().find(|row| row.name == format!("rogue-{mode}")).unwrap();
        let trouble = row.trouble.clone().unwrap_or_default();
        assert!(!row.is_seated && trouble.contains(reason), "{mode}: {trouble}");
    }
}
