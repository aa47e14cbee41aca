//! Rows of the bug log that need a disk, a second process or a large log.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use carpel_pod::log::SessionLog;
use carpel_pod::log::error::LogError;
use carpel_pod::log::list::{SessionState, list};
use carpel_pod::log::restore::restore;

use super::common::{Sessions, problems, said};

const HOLD: &str = "CARPEL_TEST_HOLD_SESSIONS";

/// Both processes: started anew with `HOLD` it is the one that holds the session until it is killed.
#[test]
fn log_7_05_a_second_process_is_refused_and_told_who_holds_the_session() {
    if let Some(dir) = std::env::var_os(HOLD) {
        let (_log, _) = SessionLog::open(Path::new(&dir), "s", 1_748_772_000_000).unwrap();
        println!("\nholding");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    let sessions = Sessions::new();
    drop(sessions.create());
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "rows::log_7_05_a_second_process_is_refused_and_told_who_holds_the_session",
        ])
        .env(HOLD, sessions.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said_so = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(said_so.any(|line| line.unwrap() == "holding"));

    let error = SessionLog::open(sessions.path(), "s", 2).err().unwrap();
    assert!(matches!(error, LogError::Held { .. }));
    let sentence = error.to_string();
    let begin = format!("session s is in use by process {} on ", holder.id());
    assert!(
        sentence.starts_with(&begin) && sentence.contains(" since 2025-06-01T10:00:00Z; attach"),
        "{sentence}"
    );
    assert_eq!(restore(sessions.path(), "s").unwrap().problems, [], "reading goes on");

    holder.kill().unwrap();
    holder.wait().unwrap();
    let (mut log, restored) = sessions.open();
    log.append(&said("mine now"), 3).unwrap();
    let SessionState::Held(holder) = list(sessions.path()).unwrap().remove(0).state else {
        panic!("held by us")
    };
    assert_eq!(
        (holder.pid, holder.since),
        (Some(std::process::id()), Some(2000)),
        "not the one that was killed"
    );
    assert_eq!(restored.problems, []);
    let refused = SessionLog::create(sessions.path(), log.header().clone(), 4).err().unwrap();
    assert!(matches!(refused, LogError::Exists { .. }), "{refused}");
}

/// A tmpfs that goes when this is dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(dir.path());
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("skipped: a tmpfs cannot be mounted here");
        }
        mounted.then_some(Self(dir))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn log_7_07_and_7_08_a_full_tmpfs() {
    let Some(disk) = SmallDisk::mount("128k") else { return };
    let sessions = disk.0.path().join("sessions");
    let header = carpel_pod::log::header::Header::new("s", "t", "/w");
    let mut log = SessionLog::create(&sessions, header, 1).unwrap();
    let ballast = disk.0.path().join("ballast");
    std::fs::write(&ballast, vec![1; 40 << 10]).unwrap();
    let mut written = Vec::new();
    let error = loop {
        match log.append(&said(&"x".repeat(5000)), 2) {
            Ok(record) => written.push(record),
            Err(error) => break error,
        }
    };
    assert!(written.len() > 5 && error.is_full(), "{error}");
    let path = sessions.join("s/0001.jsonl");
    let expected = format!("cannot write to {}: No space left on device (os error 28)", path.display());
    assert_eq!(error.to_string(), expected);
    assert!(log.retry().unwrap_err().is_full());
    let spilled = log.outputs().spill(&"y".repeat(100_000)).unwrap_err();
    assert!(spilled.is_full(), "{spilled}");
    let restored = restore(&sessions, "s").unwrap();
    assert_eq!(
        (restored.records, restored.problems),
        (written.clone(), vec![]),
        "whole records and no torn one"
    );

    std::fs::remove_file(&ballast).unwrap();
    assert!(log.append(&said("short"), 3).is_ok(), "what fits is taken at once");
    drop(log);
    let (_, restored) = SessionLog::open(&sessions, "s", 4).unwrap();
    assert_eq!((restored.records.len(), restored.problems), (written.len() + 1, vec![]));
}

/// LOG 7.06: one record, one write. Readers at any moment see whole records and at most one torn one at the end.
#[test]
fn log_7_06_a_reader_beside_the_writer_sees_whole_records() {
    let sessions = Sessions::new();
    let mut log = sessions.create();
    let dir = sessions.path().to_owned();
    let reader = std::thread::spawn(move || {
        let mut seen = 0;
        while seen < 200 {
            let restored = restore(&dir, "s").unwrap();
            assert!(
                problems(&restored).iter().all(|problem| problem.contains("cut off")),
                "{:?}",
                restored.problems
            );
            assert!(restored.records.len() >= seen);
            seen = restored.records.len();
        }
    });
    for at in 0..200 {
        log.append(&said(&"z".repeat(20_000)), at).unwrap();
    }
    reader.join().unwrap();
}

#[test]
fn log_7_11_a_record_of_12_mb() {
    let mut bytes = br#"{"v":1,"seq":1,"kind":"header","title":"big"}
{"v":1,"seq":2,"kind":"tool_use","id":"c","name":"diff","args":{}}
{"v":1,"seq":3,"kind":"tool_result","id":"c","ok":true,"summary":""#
        .to_vec();
    for number in 0..300_000 {
        write!(bytes, "+ changed line number {number:8} some text\\n").unwrap();
    }
    bytes.extend_from_slice(b"\"}\n{\"v\":1,\"seq\":4,\"kind\":\"user\",\"text\":\"after\"}\n");
    assert!(bytes.len() > 12 << 20);
    let sessions = Sessions::with(&bytes);
    let restored = restore(sessions.path(), "s").unwrap();
    assert_eq!((restored.records.len(), restored.next_seq, restored.problems.len()), (3, 5, 0));
    let info = list(sessions.path()).unwrap().remove(0);
    assert_eq!((info.title.as_str(), info.items), ("big", 3));
}

#[test]
fn log_7_12_80_records_among_200_000() {
    let mut bytes = b"{\"v\":1,\"seq\":1,\"kind\":\"header\",\"title\":\"many\"}\n".to_vec();
    for seq in 2..=200_000 {
        if seq % 2500 == 0 {
            writeln!(bytes, r#"{{"v":1,"seq":{seq},"kind":"user_message","text":"question {seq}"}}"#)
                .unwrap();
        } else {
            writeln!(
                bytes,
                r#"{{"v":1,"seq":{seq},"kind":"progress","id":"s{}","text":"tick tick tick"}}"#,
                seq % 404
            )
            .unwrap();
        }
    }
    bytes.extend_from_slice(b"Error: printed here\n");
    let sessions = Sessions::with(&bytes);
    let start = std::time::Instant::now();
    let restored = restore(sessions.path(), "s").unwrap();
    println!("200,000 records in {:?}", start.elapsed());
    assert_eq!((restored.records.len(), restored.passed_over, restored.next_seq), (80, 199_919, 200_001));
    assert_eq!(restored.problems.len(), 1, "{:?}", restored.problems);
    let info = list(sessions.path()).unwrap().remove(0);
    assert!(info.items.abs_diff(199_999) < 10 && info.title == "many", "{info:?}");
}

#[test]
fn log_7_09_a_newer_log_is_read_and_not_written() {
    let bytes = b"{\"v\":9,\"seq\":1,\"kind\":\"header\",\"title\":\"t\"}\n{\"v\":9,\"seq\":2,\"kind\":\"notice\",\"level\":\"info\"}\n{\"torn";
    let sessions = Sessions::with(bytes);
    let restored = restore(sessions.path(), "s").unwrap();
    assert_eq!(restored.records.len(), 1);
    assert!(problems(&restored)[0].contains("log format 9, this carpel knows 1"), "{:?}", restored.problems);
    let error = SessionLog::open(sessions.path(), "s", 1).err().unwrap().to_string();
    assert!(error.contains("has log format 9 and this carpel writes format 1"), "{error}");
    assert_eq!(sessions.bytes(), bytes, "nothing was changed");
}

#[test]
fn log_7_15_the_true_path_and_cause_are_told() {
    let sessions = Sessions::new();
    let dir = sessions.path();
    let error = SessionLog::open(dir, "s", 1).err().unwrap().to_string();
    assert_eq!(
        error,
        format!("no session s in {}; `carpel sessions` lists those that are there", dir.display())
    );
    let error = SessionLog::open(dir, "../s", 1).err().unwrap().to_string();
    assert!(error.starts_with("\"../s\" cannot name a session"), "{error}");
    std::fs::create_dir_all(dir.join("s/0001.jsonl")).unwrap();
    let error = SessionLog::open(dir, "s", 1).err().unwrap().to_string();
    assert!(error.contains(&dir.join("s/0001.jsonl").display().to_string()), "{error}");
    assert!(!error.contains("delete") && !error.contains("corrupt"), "{error}");
}

/// LOG 7.02 and 7.18 at the end and at the beginning: NUL bytes where a record should be, numbers that cannot be.
#[test]
fn log_7_02_damage_is_told_and_the_rest_loads() {
    for (bytes, records, told, next) in [
        (&b"{\"v\":1,\"seq\":1,\"kind\":\"x\"}\n\0\0\0"[..], 1, "cut off after 3 bytes", 2),
        (b"\0\0{\"v\":1,\"seq\":1,\"kind\":\"x\"}\n", 1, "2 NUL bytes", 2),
        (b"{\"v\":1,\"se\0\0{\"v\":1,\"seq\":4,\"kind\":\"x\"}\n", 1, "damaged", 5),
        (b"{\"v\":1,\"seq\":18446744073709551615,\"kind\":\"x\"}\n", 1, "cannot be right", 2),
        (b"{\"v\":1,\"seq\":3,\"kind\":\"user_message\",\"text\":7}\n", 1, "cannot be read", 4),
        (b"{\"v\":1,\"seq\":3,\"kind\":\"user_message\",\"text\":\"\xff\"}\n", 1, "not UTF-8", 4),
        (b"[1]\n{\"no\":\"kind\"}\n", 0, "not a JSON object", 1),
    ] {
        let sessions = Sessions::with(bytes);
        let (_, restored) = sessions.open();
        let sentences = problems(&restored);
        let case = String::from_utf8_lossy(bytes);
        assert_eq!((restored.records.len(), restored.next_seq), (records, next), "{case}");
        assert!(sentences.iter().any(|sentence| sentence.contains(told)), "{case}: {sentences:?}");
    }
    let record = "{\"v\":1,\"seq\":1,\"kind\":\"x\"}\n";
    let sessions = Sessions::with(format!("{record}{}", "x\n".repeat(5000)).as_bytes());
    let restored = restore(sessions.path(), "s").unwrap();
    assert_eq!(restored.problems.len(), 101);
    assert!(problems(&restored)[100].ends_with("more problems"), "{:?}", restored.problems[100]);
}

/// A file that is no log is called that, once, whatever its bytes; a log that was emptied is told to be empty; records
/// that two writers doubled are counted in one sentence.
#[test]
fn log_7_02_what_is_no_log_and_what_is_doubled_is_told_in_one_sentence() {
    let noise: Vec<u8> = (0u32..300).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    let mut lines = noise.clone();
    lines.iter_mut().step_by(50).for_each(|byte| *byte = b'\n');
    let doubled: String = (1..=20)
        .map(|seq| format!("{{\"v\":1,\"seq\":{seq},\"kind\":\"x\"}}\n"))
        .collect::<String>()
        .repeat(2);
    let rows: [(&[u8], &str); 5] = [
        (&noise, "no session log: nothing in its 300 bytes can be read"),
        (&lines, "no session log: nothing in its 300 bytes can be read"),
        (b"just some notes\nof mine\n", "no session log: nothing in its 24 bytes can be read"),
        (b"", "the file is empty, what stood there is gone; the session starts afresh"),
        (doubled.as_bytes(), "a copy of record number 1, and 19 more after it, skipped"),
    ];
    for (bytes, told) in rows {
        let sessions = Sessions::with(bytes);
        for restored in [restore(sessions.path(), "s").unwrap(), sessions.open().1] {
            let sentences = problems(&restored);
            let header = "no header";
            let told_of: Vec<&String> = sentences.iter().filter(|text| !text.contains(header)).collect();
            assert!(told_of.len() == 1 && told_of[0].contains(told), "{told}: {sentences:?}");
        }
    }
}
