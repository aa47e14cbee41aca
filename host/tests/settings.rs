//! The program, its manifests and folders that want trust: what is told, and how it ends.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

#[path = "support/apart.rs"]
mod apart;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

type Variables<'a> = &'a [(&'a str, &'a str)];

/// A home folder and a workspace beside it.
struct Place {
    folder: TempDir,
    work: PathBuf,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let folder = tempfile::Builder::new().prefix("carpel-settings-").tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(folder.path().join("me")).unwrap();
        fs::create_dir_all(&work).unwrap();
        apart::settle(&folder.path().join("me"));
        let place = Place { folder, work };
        files.iter().for_each(|(name, text)| place.write(name, text));
        place
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Exit code, stdout, stderr; the place's own folder is shown as `@`.
    fn run(&self, variables: Variables<'_>, arguments: &[&str]) -> (i32, String, String) {
        let mut command = apart::program(&self.folder.path().join("me"), &self.work);
        let output = command.envs(variables.iter().copied()).args(arguments).output().unwrap();
        let root = self.work.parent().unwrap().to_str().unwrap().to_owned();
        let given = self.folder.path().to_str().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&root, "@").replace(given, "@");
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }
}

const MANIFEST: &str = "me/.config/carpel/manifest.toml";
const FOLDERS: &str = "project/.carpel/manifest.toml";

#[test]
fn a_bad_manifest_is_told_and_nothing_starts() {
    let place =
        Place::new(&[(MANIFEST, "provider = \"guide\"\n[ui]\ndensty = 1\nlive_columns = \"wide\"\n")]);
    let told = "carpel: @/me/.config/carpel/manifest.toml:3: key `ui.densty`: there is no such key; did you mean `ui.density`?\n\
                carpel: @/me/.config/carpel/manifest.toml:4: key `ui.live_columns`: wants a whole number and has text; write `live_columns = 80`\n";
    for arguments in [&["exec", "hello"][..], &["pod", "--stdio"], &["tool", "Glob", "{\"pattern\":\"*\"}"]] {
        assert_eq!(place.run(&[], arguments), (2, String::new(), told.to_owned()), "{arguments:?}");
    }
    // What needs no settings is not held up by them.
    assert_eq!(place.run(&[], &["sessions"]).0, 0);
    fs::remove_file(place.folder.path().join(MANIFEST)).unwrap();
    fs::create_dir(place.folder.path().join(MANIFEST)).unwrap();
    let (code, _, told) = place.run(&[], &["exec", "hello"]);
    assert_eq!(
        (code, told.as_str()),
        (
            2,
            "carpel: @/me/.config/carpel/manifest.toml: is no regular file; put a text file there, or nothing\n"
        )
    );
    let (code, _, told) = place.run(&[("CARPEL_HOME", "/nowhere")], &["exec", "--provider=guide", "hello"]);
    assert_eq!(code, 0, "{told}");
}

#[test]
fn a_wish_that_cannot_be_followed_is_one_sentence() {
    let place = Place::new(&[]);
    let rows: [(Variables<'_>, &[&str], &str); 7] = [
        (
            &[],
            &["--provider=nobody"],
            "there is no provider `nobody` in this version; there are guide, anthropic, openai, ollama",
        ),
        (
            &[],
            &["--provider=gemini"],
            "the provider `gemini` is not in this version; there are guide, anthropic, openai, ollama",
        ),
        (
            &[],
            &["--model=x"],
            "the provider `guide` has no models, so `x` cannot be chosen; leave --model out, or say --provider",
        ),
        (&[], &["--provider=anthropic"], "the provider `anthropic` needs a key; set ANTHROPIC_API_KEY"),
        (
            &[("ANTHROPIC_API_KEY", "")],
            &["--provider=anthropic"],
            "the provider `anthropic` needs a key; set ANTHROPIC_API_KEY",
        ),
        (
            &[],
            &["--base-url=http://x"],
            "the provider `guide` is at no address; leave --base-url out, or say --provider",
        ),
        (
            &[("OPENAI_BASE_URL", "nonsense")],
            &["--provider=openai"],
            "the address `nonsense` from OPENAI_BASE_URL begins with neither http:// nor https://; write for example `https://host/v1`",
        ),
    ];
    for (variables, options, sentence) in rows {
        let (code, out, told) = place.run(variables, &[options, &["exec", "hello"]].concat());
        // A key that is missing is no mistake in the command line.
        let wanted = if sentence.contains("needs a key") { 1 } else { 2 };
        let told = (code, out.as_str(), told.as_str());
        assert_eq!(told, (wanted, "", format!("carpel: {sentence}\n").as_str()));
    }
}

#[test]
fn the_manifest_says_what_may_be_done() {
    let place = Place::new(&[(
        MANIFEST,
        "provider = \"guide\"\n[permissions]\nmode = \"edits\"\ndeny = [\"Write(secret*)\"]\n",
    )]);
    let write = |name: &str, options: &[&str]| {
        let arguments = format!("{{\"file_path\":\"{name}\",\"content\":\"x\"}}");
        place.run(&[], &[options, &["tool", "Write", &arguments]].concat()).0
    };
    assert_eq!(write("a", &[]), 0);
    assert_eq!(write("secret", &[]), 1);
    assert_eq!(write("b", &["--approval-mode=ask"]), 1, "the command line's mode is the last word");
    assert_eq!(write("secret", &["--approval-mode=all"]), 1, "a rule is no mode");
}

#[test]
fn what_a_folder_brings_waits_for_trust() {
    let place = Place::new(&[
        (MANIFEST, "provider = \"guide\"\n[permissions]\nmode = \"edits\"\n"),
        (FOLDERS, "[permissions]\ndeny = [\"Write(vendor/**)\"]\n"),
        ("project/AGENTS.md", "Say moo."),
        ("project/.agents/skills/pdf/SKILL.md", "---\ndescription: x\n---\nDo.\n"),
        ("project/vendor/old", ""),
    ]);
    let write = |options: &[&str]| {
        let arguments = "{\"file_path\":\"vendor/new\",\"content\":\"x\"}";
        let done = place.run(&[], &[options, &["tool", "Write", arguments]].concat());
        let _ = fs::remove_file(place.work.join("vendor/new"));
        done
    };
    let notice = "3 things of this folder are not used until you trust it (instructions (AGENTS.md), a skill (pdf), \
                  a manifest (.carpel/manifest.toml)): `carpel trust`";
    let told = || {
        let (code, _, told) = place.run(&[], &["exec", "hello"]);
        assert_eq!(code, 0, "{told}");
        let flat: Vec<&str> = told.split_whitespace().collect();
        flat.join(" ").contains(notice)
    };
    assert!(told());
    assert_eq!(write(&[]).0, 0);
    assert_eq!(write(&["--trust"]).0, 1, "the folder's rule holds in this run");
    assert!(told(), "and only in it");

    let trusted = "@/project is trusted; it brings instructions (AGENTS.md), a skill (pdf), a manifest (.carpel/manifest.toml)\n";
    assert_eq!(place.run(&[], &["trust"]), (0, trusted.to_owned(), String::new()));
    assert!(!told());
    assert_eq!(write(&[]).0, 1);

    // A manifest that changes is another one.
    place.write(FOLDERS, "[permissions]\nallow = [\"Write\"]\n");
    assert!(told());
    assert_eq!(write(&[]).0, 0);
    assert_eq!(place.run(&[], &["trust"]).0, 0);
    let (code, _, told_now) = write(&[]);
    assert_eq!(
        (code, told_now.as_str()),
        (
            2,
            "carpel: @/project/.carpel/manifest.toml:2: key `permissions.allow`: a folder's manifest cannot say this, only your own can; take it out\n"
        )
    );

    assert_eq!(place.run(&[], &["trust", "--forget"]).1, "@/project is forgotten; the chat asks again\n");
    assert!(told());
    assert_eq!(place.run(&[], &["trust", "--forget"]).1, "nothing was remembered about @/project\n");
}

/// Nothing answers at an address that takes connections: a pod begins all the same, soon.
#[test]
fn an_address_that_says_nothing_holds_nothing_up() {
    let place = Place::new(&[(MANIFEST, "")]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = silent.local_addr().unwrap().to_string();
    let began = Instant::now();
    let (code, out, told) = place.run(&[("OLLAMA_HOST", &host)], &["exec", "hello"]);
    assert_eq!(code, 0, "{told}");
    assert!(out.contains("No model is behind"), "{out}");
    let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&format!("OLLAMA_HOST is set, but ollama at http://{host}/v1 ")), "{told}");
    eprintln!("begun and ended after {:?}", began.elapsed());
}

/// A key is in no argument list and in no output.
#[test]
fn a_key_stays_in_the_environment() {
    let place = Place::new(&[(MANIFEST, "")]);
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", server.local_addr().unwrap());
    // Answers whoever comes with a refusal.
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
            );
        }
    });
    let variables = [("OPENAI_API_KEY", "sk-very-secret"), ("OPENAI_BASE_URL", url.as_str())];
    let (code, out, told) = place.run(&variables, &["exec", "--model=m", "--json", "hello"]);
    assert_eq!(code, 1, "{out}{told}");
    assert!(!out.contains("sk-very-secret") && !told.contains("sk-very-secret"), "{out}{told}");
    assert!(out.contains("openai answers with m: OPENAI_API_KEY is set"), "{out}");
}

#[test]
fn doctor_says_who_decides_the_mode() {
    let mode = |mode: &str| format!("provider = \"guide\"\n[permissions]\nmode = \"{mode}\"\n");
    let of_folder = |mode: &str| format!("[permissions]\nmode = \"{mode}\"\n");
    for (yours, folders, arguments, expected) in [
        (None, None, &[][..], "ask: reading inside of the folder needs no question (the default)"),
        (None, Some("edits"), &["--trust"], "(the default)"),
        (None, Some("ask"), &["--trust"], "(the default)"),
        (None, Some("read-only"), &["--trust"], "(this folder's manifest)"),
        (None, Some("read-only"), &[], "(the default)"),
        (Some("edits"), None, &[], "(your manifest)"),
        (Some("edits"), Some("all"), &["--trust"], "(your manifest)"),
        (Some("edits"), Some("ask"), &["--trust"], "(this folder's manifest)"),
        (Some("edits"), Some("ask"), &["--trust", "--approval-mode=all"], "(the command line)"),
        (Some("edits"), None, &["--approval-mode=edits"], "(the command line)"),
    ] {
        let place = Place::new(&[]);
        if let Some(yours) = yours {
            place.write(MANIFEST, &mode(yours));
        }
        if let Some(folders) = folders {
            place.write(FOLDERS, &of_folder(folders));
        }
        let (_, out, _) = place.run(&[], &[&["doctor"], arguments].concat());
        let line = out.lines().find(|line| line.contains("  mode ")).unwrap_or_default();
        assert!(line.ends_with(expected), "{yours:?} {folders:?} {arguments:?}: {line}");
    }
}
