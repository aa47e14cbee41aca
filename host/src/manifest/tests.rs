//! Manifests as text in, settings or sentences out.

use std::fs;
use std::path::Path;

use super::*;

fn mistakes(text: &[u8], whose: Whose) -> Vec<String> {
    match from_bytes(Path::new("m.toml"), text, whose) {
        Ok(_) => Vec::new(),
        Err(bad) => bad.lines(),
    }
}

#[test]
fn every_mistake_is_told_with_file_line_and_key() {
    let rows: &[(&str, &[&str])] = &[
        ("", &[]),
        ("\u{feff}# only a comment\n", &[]),
        (
            "provdier = \"guide\"",
            &["m.toml:1: key `provdier`: there is no such key; did you mean `provider`?"],
        ),
        (
            "[ui]\ndensty = 1",
            &["m.toml:2: key `ui.densty`: there is no such key; did you mean `ui.density`?"],
        ),
        ("density = 1", &["m.toml:1: key `density`: there is no such key; did you mean `ui.density`?"]),
        ("[uii]\nx = 1", &["m.toml:1: key `uii`: there is no such key; did you mean `ui`?"]),
        (
            "[ui]\nmode = 1",
            &["m.toml:2: key `ui.mode`: there is no such key; did you mean `permissions.mode`?"],
        ),
        (
            "quux_frobnicate = 1",
            &["m.toml:1: key `quux_frobnicate`: there is no such key; docs/manifest.md lists them"],
        ),
        ("ui = 3", &["m.toml:1: key `ui`: is a table; write `[ui]` and its keys below"]),
        (
            "model = 3",
            &["m.toml:1: key `model`: wants text and has a number; write `model = \"claude-sonnet-5\"`"],
        ),
        (
            "model = \" \"",
            &["m.toml:1: key `model`: is empty; write `model = \"claude-sonnet-5\"` or take it out"],
        ),
        (
            "\n[ui]\ndensity = \"huge\"\nlive_columns = 5\nactive_max = true\n",
            &[
                "m.toml:3: key `ui.density`: `huge` is none of its values; there are overview, normal, detail",
                "m.toml:4: key `ui.live_columns`: 5 is out of bounds; 20 to 500 is possible",
                "m.toml:5: key `ui.active_max`: wants a whole number and has true or false; write `active_max = 12`",
            ],
        ),
        (
            "provider = \"gemini\"",
            &[
                "m.toml:1: key `provider`: the provider `gemini` is not in this version; there are guide, anthropic, openai, ollama",
            ],
        ),
        (
            "provider = \"openai\"\nbase_url = \"host\"",
            &[
                "m.toml:2: key `base_url`: the address `host` begins with neither http:// nor https://; write for example `https://host/v1`, or `https://host` for anthropic",
            ],
        ),
        (
            "base_url = \"http://x/v1\"",
            &["m.toml:1: key `base_url`: stands alone; say with `provider` who is to be spoken to there"],
        ),
        ("linger = 3", &["m.toml:1: key `linger`: wants text and has a number; write `linger = \"10m\"`"]),
        ("linger = \"soon\"", &["m.toml:1: key `linger`: `soon` is no time; write `linger = \"10m\"`"]),
        (
            "linger = \"8days\"",
            &["m.toml:1: key `linger`: `8days` is out of bounds; 0s to 7days is possible"],
        ),
        (
            "thinking = \"much\"",
            &["m.toml:1: key `thinking`: `much` is none of its values; there are off, auto"],
        ),
        ("thinking = 3", &["m.toml:1: key `thinking`: 3 is out of bounds; 1024 to 1000000 is possible"]),
        (
            "[compaction]\nshare = 1.5",
            &["m.toml:2: key `compaction.share`: 1.5 is out of bounds; 0.1 to 0.95 is possible"],
        ),
        (
            "[compaction]\nkeep = -1",
            &["m.toml:2: key `compaction.keep`: -1 is out of bounds; 0 to 10000000 is possible"],
        ),
        (
            "[permissions]\nallow = [\"Edit(src/**)\",\n  \"Ed it\", 3]",
            &[
                "m.toml:3: key `permissions.allow`: `Ed it` is no rule; write `Tool` or `Tool(glob)`, for example `Edit(src/**)`",
                "m.toml:3: key `permissions.allow`: wants text and has a number; write `allow = [\"Edit(docs/**)\"]`",
            ],
        ),
        (
            "[permissions]\ndeny = \"Write\"",
            &[
                "m.toml:2: key `permissions.deny`: wants a list and has text; write `deny = [\"Read(secrets/**)\"]`",
            ],
        ),
        (
            "[tool_views.aliases]\na = 1",
            &[
                "m.toml:2: key `tool_views.aliases.a`: wants text and has a number; write `aliases = { read_text = \"Read\" }`",
            ],
        ),
        (
            "[[plugins]]\npath = \"a\"\n[[plugins]]\n[[plugins]]\nfile = \"b\"\n[[plugins]]\npath = \"a\"\ncommand = \"b\"",
            &[
                "m.toml:3: key `plugins`: has neither `path` nor `command`; give it one of them",
                "m.toml:5: key `plugins.file`: there is no such key; a plugin has `path` or `command`",
                "m.toml:6: key `plugins`: has both `path` and `command`; leave one of them out",
            ],
        ),
        ("\u{1b}[31m = 1", &["m.toml:1: is no TOML: key with no value, expected `=`; mend this line"]),
        ("\"\\u001b[31m\" = 1", &["m.toml:1: key ``: there is no such key; docs/manifest.md lists them"]),
    ];
    for (text, expected) in rows {
        assert_eq!(mistakes(text.as_bytes(), Whose::Person), *expected, "{text}");
    }
    assert_eq!(
        mistakes(b"a = 1\n\xff", Whose::Person),
        ["m.toml:2: is not UTF-8 here; save the file as UTF-8"]
    );
    let syntax = mistakes(b"model = \nlinger = \"1m\"\nlinger = \"2m\"", Whose::Person);
    assert_eq!(syntax.len(), 2, "{syntax:?}");
    assert!(
        syntax[0].starts_with("m.toml:1: is no TOML: ") && syntax[1].starts_with("m.toml:3: "),
        "{syntax:?}"
    );
    let many: String = (0..30).map(|number| format!("zzzzzzzz{number} = 1\n")).collect();
    let many = mistakes(many.as_bytes(), Whose::Person);
    assert_eq!((many.len(), many[20].as_str()), (21, "m.toml: 10 more mistakes"));
}

#[test]
fn what_a_folder_may_say() {
    for key in keys::KEYS {
        let text = match key.name.rsplit_once('.') {
            Some((table, _)) => format!("[{table}]\n{}", key.example),
            None => key.example.to_owned(),
        };
        let told = mistakes(text.as_bytes(), Whose::Folder);
        assert_eq!(told.is_empty(), key.of_folder, "{text}: {told:?}");
    }
    let widens = ["provider", "model", "base_url", "permissions.allow", "guide.pace"];
    assert!(keys::KEYS.iter().filter(|key| widens.contains(&key.name)).all(|key| !key.of_folder));
    assert_eq!(
        mistakes(b"[permissions]\nallow = [\"Write\"]", Whose::Folder),
        [
            "m.toml:2: key `permissions.allow`: a folder's manifest cannot say this, only your own can; take it out"
        ]
    );
}

/// A folder makes it stricter, never looser.
#[test]
fn a_folder_cannot_widen() {
    let manifest = |text: &str, whose| from_bytes(Path::new("m"), text.as_bytes(), whose).unwrap();
    let names = Mode::NAMES.map(|(name, _)| name);
    // From the strictest to the loosest.
    let order = ["read-only", "ask", "edits", "all"];
    for person in names.map(Some).into_iter().chain([None]) {
        for folder in names.map(Some).into_iter().chain([None]) {
            let text = |mode: Option<&str>| {
                mode.map_or(String::new(), |mode| format!("[permissions]\nmode = \"{mode}\""))
            };
            let both =
                manifest(&text(person), Whose::Person).with_folder(manifest(&text(folder), Whose::Folder));
            let rank = |mode: &str| order.iter().position(|name| *name == mode).unwrap();
            let expected = rank(person.unwrap_or("ask")).min(folder.map_or(9, rank));
            let got = both.permissions.mode.unwrap_or_default().to_string();
            assert_eq!(rank(&got), expected, "{person:?} {folder:?}");
        }
    }
    let person = manifest(
        "[permissions]\nallow = [\"Edit(a)\"]\ndeny = [\"Write(b)\"]\n[tool_views.aliases]\nx = \"Read\"",
        Whose::Person,
    );
    let folder = manifest(
        "[permissions]\nask = [\"Edit(c)\"]\ndeny = [\"Write(d)\"]\n[tool_views.aliases]\nx = \"Write\"\ny = \"Grep\"",
        Whose::Folder,
    );
    let both = person.with_folder(folder);
    let rules = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(rules(&both.permissions.allow), "Edit(a)");
    assert_eq!(rules(&both.permissions.ask), "Edit(c)");
    assert_eq!(rules(&both.permissions.deny), "Write(b) Write(d)");
    assert_eq!(both.tool_views.aliases["x"], "Read");
    assert_eq!(both.tool_views.aliases["y"], "Grep");
}

#[test]
fn where_the_person_has_it() {
    let check = |set: &[(&str, &str)], expected: Option<&str>| {
        let variable =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into());
        assert_eq!(file::of_person(variable).as_deref(), expected.map(Path::new), "{set:?}");
    };
    check(&[], None);
    check(&[("HOME", "/h")], Some("/h/.config/carpel/manifest.toml"));
    check(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")], Some("/x/carpel/manifest.toml"));
    check(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "x")], Some("/h/.config/carpel/manifest.toml"));
    check(&[("CARPEL_HOME", "/c"), ("XDG_CONFIG_HOME", "/x")], Some("/c/manifest.toml"));
    check(&[("CARPEL_HOME", ""), ("HOME", "/h")], Some("/h/.config/carpel/manifest.toml"));
}

#[test]
fn what_stands_in_the_place_of_a_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(read(&at("gone"), Whose::Person).is_ok());
    fs::write(at("file"), "").unwrap();
    assert!(read(&at("file/below"), Whose::Person).is_ok());
    fs::create_dir(at("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("device")).unwrap();
    for name in ["folder", "pipe", "socket", "device"] {
        let told = read(&at(name), Whose::Person).unwrap_err().to_string();
        assert!(
            told.ends_with(&format!("{name}: is no regular file; put a text file there, or nothing")),
            "{told}"
        );
    }
    fs::write(at("huge"), "# ".repeat(200_000)).unwrap();
    let told = read(&at("huge"), Whose::Person).unwrap_err().to_string();
    assert!(told.ends_with("is larger than 256 KiB; a manifest is not"), "{told}");
}
