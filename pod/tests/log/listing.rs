//! What a picker is told: titles, times, who holds a session, and garbage that does not disturb.

use std::os::unix::fs::PermissionsExt;

use carpel_pod::log::SessionLog;
use carpel_pod::log::header::Header;
use carpel_pod::log::list::{SessionState, list};

use super::common::{Sessions, item, said};

#[test]
fn sessions_are_listed_newest_first() {
    let sessions = Sessions::new();
    let mut old = SessionLog::create(sessions.path(), Header::new("old", "", "/a"), 10).unwrap();
    old.append(&item(r#"{"kind":"user_message","text":" what is this?"}"#), 30).unwrap();
    drop(old);
    let mut new = SessionLog::create(sessions.path(), Header::new("new", "first", "/b"), 20).unwrap();
    new.append(&said("x"), 40).unwrap();
    new.rename("second", 50).unwrap();

    let found = list(sessions.path()).unwrap();
    let brief: Vec<_> = found
        .iter()
        .map(|info| {
            (
                info.id.as_str(),
                info.title.as_str(),
                info.cwd.as_str(),
                info.created_at,
                info.last_at,
                info.items,
            )
        })
        .collect();
    assert_eq!(
        brief,
        [
            ("new", "second", "/b", Some(20), Some(50), 1),
            ("old", "what is this?", "/a", Some(10), Some(30), 1)
        ]
    );
    let SessionState::Held(holder) = &found[0].state else { panic!("{:?}", found[0]) };
    assert_eq!((holder.pid, holder.since), (Some(std::process::id()), Some(20)));
    assert_eq!(found[1].state, SessionState::Free);
}

/// The title of a long log stands in its middle, and still in what a listing reads.
#[test]
fn a_title_given_late_is_found_in_a_long_log() {
    let sessions = Sessions::new();
    let mut log = sessions.create();
    let long = said(&"x".repeat(10_000));
    for at in 0..20 {
        log.append(&long, at).unwrap();
    }
    log.rename("renamed", 20).unwrap();
    let mut last = 0;
    for at in 0..200 {
        last = log.append(&long, at).unwrap().seq.unwrap();
    }
    log.append(&said(&"y".repeat(1 << 20)), 300).unwrap();
    drop(log);
    let info = list(sessions.path()).unwrap().remove(0);
    assert_eq!((info.title.as_str(), info.last_at), ("renamed", Some(300)));
    assert!(info.items.abs_diff(221) < 20 && last > 221, "{info:?}");
    let (log, restored) = sessions.open();
    assert_eq!((restored.records.len(), restored.header.title.as_str()), (221, "renamed"));
    assert_eq!(restored.problems, []);
    assert_eq!(log.header().title, "renamed");
}

/// What another program wrote into a log says nothing of when the session was used.
#[test]
fn times_that_cannot_be_right_do_not_move_a_session() {
    let known = r#"{"v":1,"seq":2,"at":1000,"kind":"assistant_text","text":"x"}"#;
    for alien in [
        r#"{"v":1,"seq":3,"at":1,"kind":"of_tomorrow"}"#,
        r#"{"v":1,"seq":3,"at":9007199254740991,"kind":"of_tomorrow"}"#,
        r#"{"v":1,"seq":3,"at":9007199254740991,"kind":"assistant_text","text":"y"}"#,
        r#"{"v":1,"seq":3,"at":-5,"kind":"assistant_text","text":"y"}"#,
    ] {
        for lines in [[known, alien], [alien, known]] {
            let sessions = Sessions::with(format!("{}\n", lines.join("\n")).as_bytes());
            let info = list(sessions.path()).unwrap().remove(0);
            assert_eq!((info.created_at, info.last_at), (Some(1000), Some(1000)), "{lines:?}");
        }
    }
}

#[test]
fn log_7_16_garbage_does_not_disturb() {
    let sessions = Sessions::with(b"");
    let dir = sessions.path();
    std::fs::write(dir.join("a-file"), "x").unwrap();
    std::fs::create_dir_all(dir.join("no-log/outputs")).unwrap();
    std::fs::create_dir_all(dir.join("bad name/x")).unwrap();
    std::fs::create_dir_all(dir.join("folder/0001.jsonl")).unwrap();
    std::fs::create_dir(dir.join("noise")).unwrap();
    std::fs::write(dir.join("noise/0001.jsonl"), [0xff, 0, b'\n', 0xfe]).unwrap();
    std::fs::create_dir(dir.join("pipe")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.join("pipe/0001.jsonl")).status().unwrap();
    assert!(made.success());

    let mut found: Vec<_> = list(dir)
        .unwrap()
        .into_iter()
        .map(|info| (info.id, info.items, matches!(info.state, SessionState::Unreadable(_))))
        .collect();
    found.sort();
    let expected = [("folder", 0, true), ("noise", 0, false), ("pipe", 0, true), ("s", 0, false)];
    assert_eq!(found, expected.map(|(id, items, bad)| (id.to_owned(), items, bad)));
    assert_eq!(list(&dir.join("not-there")).unwrap(), []);
}

#[test]
fn log_7_15_an_unreadable_folder_is_told_with_path_and_cause() {
    let sessions = Sessions::new();
    let file = sessions.path().join("sessions");
    std::fs::write(&file, "a file in the place of the folder").unwrap();
    let error = list(&file).unwrap_err().to_string();
    assert_eq!(error, format!("cannot list {}: Not a directory (os error 20)", file.display()));

    if rustix_is_root() {
        eprintln!("skipped in part: root may read a folder without permissions");
        return;
    }
    let log = sessions.create();
    drop(log);
    let folder = sessions.path().join("s");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o000)).unwrap();
    let info = list(sessions.path()).unwrap().remove(0);
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
    let SessionState::Unreadable(reason) = info.state else { panic!("{info:?}") };
    assert_eq!(reason, format!("cannot list {}: Permission denied (os error 13)", folder.display()));
}

fn rustix_is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("Uid:\t0"))
}

#[test]
fn modes_keep_others_out() {
    let sessions = Sessions::new();
    let dir = sessions.path().join("deep/sessions");
    let log = SessionLog::create(&dir, Header::new("s", "", ""), 1).unwrap();
    log.outputs().spill(&"x".repeat(70_000)).unwrap();
    for (path, expected) in
        [("", 0o700), ("s", 0o700), ("s/outputs", 0o700), ("s/0001.jsonl", 0o600), ("s/lock", 0o600)]
    {
        let mode = std::fs::metadata(dir.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{path}");
    }
    let output = std::fs::read_dir(dir.join("s/outputs")).unwrap().next().unwrap().unwrap();
    assert_eq!(output.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
