//! Who draws a tool: plugins before what is built in, the manifest before both, and nobody twice.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use carpel::plugins::{Setting, found, listing};
use carpel_slots::protocol::word::ToolKind;
use carpel_slots::registry::SlotName;
use carpel_slots::{Registry, ToolCall};

use crate::needs::program;
use crate::stage::{Stage, call, title};

/// A plugin of that name that draws these keys, with its card as JSON; `NAME` in it stands for its name.
fn write(folder: &Path, name: &str, keys: &[&str], card: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    let keys = serde_json::to_string(keys).unwrap();
    let card = card.replace("NAME", name);
    let text = format!(
        r#"#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["request"] == "hello":
        said = {{"reply": "hello", "abi": 1, "name": "{name}", "views": {keys}}}
    else:
        said = {{"reply": "card", "id": request["id"], "card": json.loads('{card}')}}
    print(json.dumps(said), flush=True)
"#
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn who_draws_a_tool() {
    let Some(_) = program("python3") else { return };
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("plugins");
    let card = r#"{"title": "by NAME"}"#;
    write(&folder, "a", &["Read", "mcp__db__*", "kind:fetch", "both"], card);
    write(&folder, "b", &["mcp__*", "mcp__db__query", "both", "*"], card);
    let by = |name: &str, kind: Option<ToolKind>| ToolCall { kind, ..call(name) };
    let rows = |precedence: &[&str], expected: &[(&ToolCall, &str)]| {
        let setting = Setting {
            precedence: precedence.iter().map(|name| (*name).to_owned()).collect(),
            ..Stage::setting(&home, |_| {})
        };
        let place = tempfile::tempdir().unwrap();
        let mut stage = Stage::of(place, setting, Registry::linked());
        stage.settled();
        for (call, want) in expected {
            let card =
                carpel_tool_views::tree::card_of(call, &stage.plugins().registry(), &Default::default());
            let built_in = carpel_tool_views::tree::card_of(call, &Registry::linked(), &Default::default());
            if *want == "built-in" {
                assert_eq!(card.title, built_in.title, "{precedence:?} {}", call.name);
                continue;
            }
            stage.until(|stage| {
                let registry = stage.plugins().registry();
                let card = carpel_tool_views::tree::card_of(call, &registry, &Default::default());
                title(&card) == format!("by {want}")
            });
        }
        let registry = stage.plugins().registry();
        listing::lines(&stage.plugins().rows(), &registry)
            .iter()
            .map(carpel_slots::Line::text)
            .collect::<Vec<_>>()
    };
    let (read, both) = (by("Read", None), by("both", None));
    let told = rows(
        &[],
        &[
            (&read, "a"),
            (&by("mcp__db__query", None), "b"),
            (&by("mcp__db__list", None), "a"),
            (&by("mcp__web__get", None), "b"),
            (&by("curl", Some(ToolKind::Fetch)), "a"),
            (&both, "a"),
        ],
    );
    let has = |told: &[String], text: &str| {
        assert!(told.iter().any(|line| line.contains(text)), "{text}: {told:#?}")
    };
    has(&told, "draws both, but `a` (");
    has(&told, "would match every tool; write a prefix before the `*`");
    rows(&["b"], &[(&both, "b"), (&read, "a")]);
    rows(&["b", "a"], &[(&both, "b")]);
    rows(&["a", "b"], &[(&both, "a")]);
    rows(&["built-in", "a"], &[(&read, "built-in"), (&both, "b")]);
    rows(&["a", "built-in"], &[(&read, "a")]);
}

#[test]
fn a_header_or_a_body_alone() {
    let Some(_) = program("python3") else { return };
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("plugins");
    write(&folder, "head", &["one"], r#"{"title": "by NAME"}"#);
    write(&folder, "body", &["two"], r#"{"body": "by NAME"}"#);
    let mut stage = Stage::with(home, |_| {});
    stage.settled();
    let generic = carpel_tool_views::tree::card_of(&call("none"), &Registry::default(), &Default::default());
    let card = |stage: &mut Stage, name: &str| {
        let registry = stage.plugins().registry();
        carpel_tool_views::tree::card_of(&call(name), &registry, &Default::default())
    };
    stage.until(|stage| title(&card(stage, "one")) == "by head");
    assert_eq!(card(&mut stage, "one").body, generic.body);
    stage.until(|stage| card(stage, "two").body != generic.body);
    assert_eq!(card(&mut stage, "two").title, generic.title);
}

/// A person finds `:quit` and `:plugins` whatever is installed.
#[test]
fn a_command_that_is_built_in_stays() {
    let Some(_) = program("python3") else { return };
    let home = tempfile::tempdir().unwrap();
    let path = write(&home.path().join("plugins"), "p", &["one"], "{}");
    let text = fs::read_to_string(&path).unwrap();
    let commands =
        r#""views": ["one"], "commands": [{"name": "quit"}, {"name": "plugins"}, {"name": "mine"}]"#;
    fs::write(&path, text.replace(r#""views": ["one"]"#, commands)).unwrap();
    let mut stage = Stage::with(home, |_| {});
    stage.settled();
    let registry = stage.plugins().registry();
    let of_plugin: Vec<_> = registry
        .entries()
        .into_iter()
        .filter(|entry| entry.owner.name == "p" && entry.slot == SlotName::Command)
        .map(|entry| (entry.key, entry.seated))
        .collect();
    let want = [("mine", true), ("plugins", false), ("quit", false)];
    assert_eq!(of_plugin, want.map(|(name, seated)| (name.to_owned(), seated)));
    let told: Vec<String> =
        listing::lines(&stage.plugins().rows(), &registry).iter().map(|line| line.text()).collect();
    assert!(told.iter().any(|line| line.starts_with("  :quit, but `carpel`")), "{told:?}");
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let Some(_) = program("python3") else { return };
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("plugins");
    let first = write(&folder, "same", &["one"], "{}");
    fs::copy(&first, folder.join("zzz")).unwrap();
    std::os::unix::fs::symlink(&first, folder.join("zzz-link")).unwrap();
    let mut stage = Stage::with(home, |_| {});
    let rows = stage.settled();
    let refused: Vec<_> = rows.iter().filter(|row| !row.is_seated).collect();
    assert_eq!(refused.len(), 2, "{rows:?}");
    assert!(
        refused.iter().any(|row| row.trouble.as_ref().unwrap().starts_with("calls itself `same` as ")),
        "{rows:?}"
    );
    assert!(
        refused.iter().any(|row| row.trouble.as_ref().unwrap().starts_with("is the same file as ")),
        "{rows:?}"
    );
}

#[test]
fn a_workspace_runs_only_what_was_trusted() {
    let Some(_) = program("python3") else { return };
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path().to_owned();
    let folder = found::of_workspace(&root);
    let file = write(&folder, "ours", &["one"], r#"{"title": "by NAME"}"#);
    let start = |trusted: Option<BTreeMap<PathBuf, String>>| {
        Stage::with(tempfile::tempdir().unwrap(), |places| {
            places.workspace = Some(folder.clone());
            places.root = Some(root.clone());
            places.trusted = trusted;
        })
    };
    let trouble = |stage: &mut Stage| stage.settled().remove(0).trouble.unwrap_or_default();
    assert!(trouble(&mut start(None)).starts_with("is not run until you trust this folder"));
    assert!(trouble(&mut start(Some(BTreeMap::new()))).starts_with("has come after you trusted"));
    let trusted = BTreeMap::from([(file.clone(), found::fingerprint(&file).unwrap())]);
    let mut stage = start(Some(trusted.clone()));
    assert_eq!(trouble(&mut stage), "");
    // What replaces it while the chat runs is not run.
    write(&folder, "ours", &["one"], r#"{"title": "by another"}"#);
    while stage.said.is_empty() {
        stage.event();
    }
    assert!(stage.said[0].contains("is another one than you trusted"), "{:?}", stage.said);
    assert!(trouble(&mut start(Some(trusted))).starts_with("is another one than you trusted"));
}
