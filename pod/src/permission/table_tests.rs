//! The whole matrix: mode by kind of path by reading or writing; then rules, grants and names.

use std::path::{Path, PathBuf};

use super::{Mode, Permissions, Rule, SessionGrants, Verdict, decide};
use crate::tools::{Access, Intent, IntentPath};

fn rules(rules: &[&str]) -> Vec<Rule> {
    rules.iter().map(|rule| rule.parse().unwrap()).collect()
}

fn permissions(mode: Mode) -> Permissions {
    Permissions {
        mode,
        root: PathBuf::from("/w"),
        home: Some(PathBuf::from("/home/me")),
        own: vec![PathBuf::from("/home/me/.config/carpel")],
        ..Permissions::default()
    }
}

/// A call on one path; `named` when a link leads there.
fn call(path: &str, named: &str, write: bool) -> Intent {
    let inside = |path: &str| Path::new(path).starts_with("/w");
    let place = IntentPath {
        path: path.into(),
        named: named.into(),
        shown: path.strip_prefix("/w/").unwrap_or(path).to_owned(),
        outside: !inside(path),
        write,
    };
    let access = if write { Access::Writes } else { Access::Reads };
    Intent { paths: vec![place], ..Intent::plain(access, "x") }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask { .. } => "ask",
        Verdict::Deny { .. } => "deny",
    }
}

fn check_with(
    permissions: &Permissions,
    grants: &SessionGrants,
    tool: &str,
    intent: &Intent,
    expected: &str,
) -> Verdict {
    let got = decide(intent, tool, permissions, grants);
    assert_eq!(word(&got), expected, "{tool} {:?} {}: {got:?}", intent.paths, permissions.mode);
    if let Verdict::Ask { why } | Verdict::Deny { why } = &got {
        assert!(why.ends_with('.') && !why.contains('\n'), "{why}");
    }
    got
}

#[test]
fn every_mode_by_every_kind_of_path() {
    // path, write, then ask, edits, all, read-only
    let table = [
        ("/w/src/a.rs", false, ["allow", "allow", "allow", "allow"]),
        ("/w/src/a.rs", true, ["ask", "allow", "allow", "deny"]),
        ("/w/.env", false, ["ask", "ask", "allow", "ask"]),
        ("/w/.env", true, ["ask", "ask", "allow", "deny"]),
        ("/w/.git/config", false, ["allow", "allow", "allow", "allow"]),
        ("/w/.git/config", true, ["ask", "ask", "ask", "deny"]),
        ("/w/.carpel/manifest.toml", true, ["ask", "ask", "ask", "deny"]),
        ("/w/.agents/skills/a/SKILL.md", true, ["ask", "ask", "ask", "deny"]),
        ("/w/.claude/settings.json", true, ["ask", "ask", "ask", "deny"]),
        ("/w/AGENTS.md", false, ["allow", "allow", "allow", "allow"]),
        ("/w/sub/AGENTS.md", true, ["ask", "ask", "ask", "deny"]),
        ("/w/CLAUDE.md", true, ["ask", "ask", "ask", "deny"]),
        ("/etc/hosts", false, ["ask", "ask", "allow", "ask"]),
        ("/etc/hosts", true, ["ask", "ask", "allow", "deny"]),
        ("/w-evil/a.rs", false, ["ask", "ask", "allow", "ask"]),
        ("/w-evil/a.rs", true, ["ask", "ask", "allow", "deny"]),
        ("/home/me/.ssh/id_rsa", false, ["ask", "ask", "allow", "ask"]),
        ("/home/me/.config/carpel/manifest.toml", true, ["ask", "ask", "ask", "deny"]),
        ("/other/.git/config", true, ["ask", "ask", "ask", "deny"]),
    ];
    for (path, write, expected) in table {
        for ((_, mode), expected) in Mode::NAMES.into_iter().zip(expected) {
            let intent = call(path, path, write);
            check_with(&permissions(mode), &SessionGrants::default(), "Tool", &intent, expected);
        }
    }
    for (access, expected) in [
        (Access::Reads, ["allow", "allow", "allow", "allow"]),
        (Access::Writes, ["ask", "ask", "allow", "deny"]),
    ] {
        for ((_, mode), expected) in Mode::NAMES.into_iter().zip(expected) {
            let intent = Intent::plain(access, "no path");
            check_with(&permissions(mode), &SessionGrants::default(), "Tool", &intent, expected);
        }
    }
}

#[test]
fn deny_beats_ask_beats_allow() {
    let check = |allow: &[&str], ask: &[&str], deny: &[&str], path: &str, expected: &str| {
        for (_, mode) in Mode::NAMES {
            let permissions =
                Permissions { allow: rules(allow), ask: rules(ask), deny: rules(deny), ..permissions(mode) };
            let expected = if mode == Mode::ReadOnly { "deny" } else { expected };
            check_with(&permissions, &SessionGrants::default(), "Edit", &call(path, path, true), expected);
        }
    };
    check(&["Edit(src/**)"], &[], &[], "/w/src/a.rs", "allow");
    check(&["Edit"], &[], &[], "/w/src/a.rs", "allow");
    check(&["*"], &[], &[], "/w/src/a.rs", "allow");
    check(&["Edit(src/**)"], &["Edit(src/a.rs)"], &[], "/w/src/a.rs", "ask");
    check(&["Edit(src/**)"], &["Edit"], &[], "/w/src/a.rs", "ask");
    check(&["Edit(src/**)"], &["Edit(src/a.rs)"], &["Edit(*.rs)"], "/w/src/a.rs", "deny");
    check(&["Edit"], &[], &["*"], "/w/src/a.rs", "deny");
    check(&[], &[], &["Edit(.env)"], "/w/sub/.env", "deny");
    // Guarded places: only by their name, and then an ask rule still holds.
    check(&["Edit"], &[], &[], "/w/.git/config", "ask");
    check(&["Edit(**)"], &[], &[], "/w/.git/config", "ask");
    check(&["Edit(.git/**)"], &[], &[], "/w/.git/config", "allow");
    check(&["Edit(.git/**)"], &["Edit"], &[], "/w/.git/config", "ask");
    check(&["Edit(AGENTS.md)"], &[], &[], "/w/AGENTS.md", "allow");
    check(&["Edit(/etc/hosts)"], &[], &[], "/etc/hosts", "allow");
}

#[test]
fn an_allow_rule_reaches_no_further_than_it_says() {
    let check = |allow: &str, path: &str, write: bool, expected: &str| {
        let permissions = Permissions { allow: rules(&[allow]), ..permissions(Mode::Ask) };
        check_with(&permissions, &SessionGrants::default(), "Edit", &call(path, path, write), expected);
    };
    check("Write", "/w/a", true, "ask");
    check("Edit", "/etc/hosts", false, "ask");
    check("Edit(**)", "/etc/hosts", false, "ask");
    check("Edit", "/w/.env", false, "ask");
    check("Edit(**)", "/w/.env", false, "ask");
    check("Edit(.env)", "/w/.env", false, "allow");
    check("Edit(*.pem)", "/w/certs/x.pem", false, "allow");
    check("Edit(~/notes)", "/home/me/notes/a", true, "allow");
    check("Edit(/w-evil/**)", "/w-evil/a", true, "allow");
}

#[test]
fn a_link_counts_under_both_its_names() {
    let linked = call("/w/docs/rules.txt", "/w/AGENTS.md", true);
    let none = SessionGrants::default();
    check_with(&permissions(Mode::All), &none, "Edit", &linked, "ask");
    let deny = |rule: &str| Permissions { deny: rules(&[rule]), ..permissions(Mode::All) };
    for rule in ["Edit(docs/**)", "Edit(AGENTS.md)"] {
        check_with(&deny(rule), &none, "Edit", &linked, "deny");
    }
    let plain = call("/w/secret/a", "/w/src/link", true);
    let allow = |allow: &[&str]| Permissions { allow: rules(allow), ..permissions(Mode::Ask) };
    check_with(&allow(&["Edit(src/**)"]), &none, "Edit", &plain, "ask");
    check_with(&allow(&["Edit(secret/**)"]), &none, "Edit", &plain, "ask");
    check_with(&allow(&["Edit(**)"]), &none, "Edit", &plain, "allow");
    let out = call("/opt/data/a", "/w/data/a", true);
    check_with(&allow(&["Edit(data/**)"]), &none, "Edit", &out, "ask");
    check_with(&allow(&["Edit(/opt/data/**)"]), &none, "Edit", &out, "allow");
}

#[test]
fn what_was_allowed_for_the_session_runs() {
    let permissions = permissions(Mode::Ask);
    let granted = |path: &str, write: bool| {
        let mut grants = SessionGrants::default();
        for grant in SessionGrants::offer(&call(path, path, write), "Edit", &permissions) {
            grants.add(grant);
        }
        grants
    };
    let check = |grants: &SessionGrants, tool: &str, path: &str, write: bool, expected: &str| {
        check_with(&permissions, grants, tool, &call(path, path, write), expected);
    };
    let inside = granted("/w/a.md", true);
    check(&inside, "Edit", "/w/docs/b.md", true, "allow");
    check(&inside, "Write", "/w/a.md", true, "ask");
    check(&inside, "Edit", "/w/.env", true, "ask");
    check(&inside, "Edit", "/w/.git/config", true, "ask");
    check(&inside, "Edit", "/w/AGENTS.md", true, "ask");
    check(&inside, "Edit", "/etc/hosts", true, "ask");

    let one = granted("/etc/hosts", true);
    check(&one, "Edit", "/etc/hosts", true, "allow");
    check(&one, "Edit", "/etc/passwd", true, "ask");
    let secret = granted("/w/.env", false);
    check(&secret, "Edit", "/w/.env", false, "allow");
    check(&secret, "Edit", "/w/sub/.env", false, "ask");
    let folder = granted("/opt/docs", false);
    check(&folder, "Edit", "/opt/docs/a/b", false, "allow");
    check(&folder, "Edit", "/opt/docs-evil", false, "ask");
    assert!(
        SessionGrants::offer(&call("/w/AGENTS.md", "/w/AGENTS.md", true), "Edit", &permissions).is_empty()
    );

    let mut forbidden = permissions.clone();
    forbidden.deny = rules(&["Edit(docs/**)"]);
    check_with(&forbidden, &inside, "Edit", &call("/w/docs/b.md", "/w/docs/b.md", true), "deny");
    forbidden.mode = Mode::ReadOnly;
    check_with(&forbidden, &inside, "Edit", &call("/w/a.md", "/w/a.md", true), "deny");
}

#[test]
fn one_path_that_asks_is_enough() {
    let mut intent = call("/w/a", "/w/a", false);
    intent.paths.extend(call("/etc/hosts", "/etc/hosts", false).paths);
    let verdict = check_with(&permissions(Mode::Edits), &SessionGrants::default(), "Read", &intent, "ask");
    assert_eq!(verdict, Verdict::Ask { why: "/etc/hosts is outside the workspace.".to_owned() });
}

#[test]
fn modes_have_the_names_of_the_command_line() {
    for (name, mode) in Mode::NAMES {
        assert_eq!((name.parse(), mode.to_string().as_str()), (Ok(mode), name));
    }
    let error = "yolo".parse::<Mode>().unwrap_err().to_string();
    assert_eq!(error, "`yolo` is no approval mode; there are ask, edits, all and read-only");
}

fn command(text: &str) -> Intent {
    Intent { command: Some(text.to_owned()), ..Intent::plain(Access::Writes, "run") }
}

#[test]
fn a_command_by_mode_and_rule() {
    let check = |allow: &[&str], ask: &[&str], deny: &[&str], text: &str, expected: [&str; 4]| {
        for ((_, mode), expected) in Mode::NAMES.into_iter().zip(expected) {
            let permissions =
                Permissions { allow: rules(allow), ask: rules(ask), deny: rules(deny), ..permissions(mode) };
            check_with(&permissions, &SessionGrants::default(), "Bash", &command(text), expected);
        }
    };
    let asks = ["ask", "ask", "allow", "deny"];
    let runs = ["allow", "allow", "allow", "deny"];
    let always_asks = ["ask", "ask", "ask", "deny"];
    let never = ["deny"; 4];
    check(&[], &[], &[], "cargo test", asks);
    check(&["Bash"], &[], &[], "rm -rf $HOME", runs);
    check(&["*"], &[], &[], "cargo test", runs);
    check(&["Bash(cargo test:*)"], &[], &[], "cargo test -p x", runs);
    check(&["Bash(cargo test:*)"], &[], &[], "cargo test; rm x", asks);
    check(&["Bash(cargo test:*)"], &[], &[], "cargo test `rm x`", asks);
    check(&["Bash(cargo test:*)", "Bash(git status)"], &[], &[], "git status && cargo test", runs);
    check(&["Edit(src/**)", "Read"], &[], &[], "cargo test", asks);
    check(&["Bash"], &["Bash(git push:*)"], &[], "cargo test && git push", always_asks);
    check(&["Bash"], &["Bash(git push:*)"], &[], "cargo test", runs);
    check(&["Bash"], &[], &["Bash(rm:*)"], "ls; rm x", never);
    check(&["Bash"], &[], &["Bash(rm:*)"], "bash -c 'rm x'", never);
    check(&["Bash"], &[], &["Bash(rm:*)"], "ls", runs);
    // Not certain, and something is forbidden: a person decides, in every mode.
    check(&["Bash"], &[], &["Bash(rm:*)"], "$(echo r)m x", always_asks);
    check(&["Bash"], &[], &["Bash"], "ls", never);
    check(&["Bash"], &[], &["Edit(src/**)"], "echo $HOME", runs);
}

#[test]
fn a_yes_for_the_session_is_for_the_very_same_command() {
    let permissions = permissions(Mode::Ask);
    let mut grants = SessionGrants::default();
    for grant in SessionGrants::offer(&command("cargo test | head"), "Bash", &permissions) {
        grants.add(grant);
    }
    let check = |text: &str, expected: &str| {
        check_with(&permissions, &grants, "Bash", &command(text), expected);
    };
    check("cargo test | head", "allow");
    check("cargo test", "ask");
    check("cargo test | head ", "ask");
    check("cargo test | head; rm x", "ask");
    check_with(&permissions, &grants, "Other", &command("cargo test | head"), "ask");
}

/// What the answer "for this session" says that it covers is what it covers.
#[test]
fn what_a_yes_for_the_session_is_called() {
    let permissions = permissions(Mode::Ask);
    for (call, tool, expected) in [
        (call("/w/src/a.rs", "/w/src/a.rs", true), "Write", Some("every Write anywhere in w")),
        (call("/x/a.rs", "/x/a.rs", true), "Write", Some("every Write of /x/a.rs")),
        (call("/x/a.rs", "/x/a.rs", false), "Read", Some("every Read of /x/a.rs")),
        (call("/usr", "/usr", false), "Grep", Some("every Grep in /usr")),
        (call("/w/.env", "/w/.env", true), "Edit", Some("every Edit of .env")),
        (call("/w/.git/config", "/w/.git/config", true), "Edit", None),
        (command("cargo test"), "Bash", Some("this very command")),
    ] {
        let grants = SessionGrants::offer(&call, tool, &permissions);
        assert_eq!(SessionGrants::tell(&grants, &permissions).as_deref(), expected, "{tool} {call:?}");
    }
}
