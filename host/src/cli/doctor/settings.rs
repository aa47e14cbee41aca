//! What doctor says of settings: manifests and every mistake in them, trust in the folder, and what may be done unasked.
//!
//! Facts in, lines out, each with where it comes from. Refuses to know how manifests are read and rules are followed.

use std::path::PathBuf;

use super::report::Fact;
use crate::cli::trust::Standing;

/// What was settled, and by whom.
pub struct Settings {
    /// The person's manifest, and whether there is one.
    pub person: Option<(PathBuf, bool)>,
    /// Mistakes of all manifests that were read, one line each.
    pub mistakes: Vec<String>,
    pub folder: Folder,
    /// The approval mode, and who says so.
    pub mode: (String, &'static str),
    /// `allow`, `ask` or `deny`, the rule, and who says so.
    pub rules: Vec<(&'static str, String, &'static str)>,
}

/// How it stands with the workspace.
pub struct Folder {
    pub path: PathBuf,
    /// What it brings, each in words.
    pub things: Vec<String>,
    pub standing: Standing,
    /// Whether what it brings is used.
    pub trusted: bool,
    /// The folder above that the trust comes from.
    pub by: Option<PathBuf>,
}

/// The lines of manifests and trust.
pub fn facts(settings: &Settings) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.push(match &settings.person {
        Some((file, true)) => Fact::ok("yours", file.display().to_string()),
        Some((file, false)) => Fact::ok("yours", format!("none at {}", file.display())),
        None => Fact::note("yours", "the environment names no place for one").way("set HOME or CARPEL_HOME"),
    });
    let mistakes = settings.mistakes.iter();
    facts.extend(
        mistakes
            .map(|line| Fact::missing("mistake", line).way("mend the line; docs/manifest.md has every key")),
    );
    facts.extend(of_folder(&settings.folder));
    facts
}

fn of_folder(folder: &Folder) -> Vec<Fact> {
    let path = Fact::ok("folder", folder.path.display().to_string());
    if folder.things.is_empty() {
        return vec![path, Fact::ok("brings", "nothing that tells an agent what to do")];
    }
    let things = Fact::ok("brings", folder.things.join(", "));
    let trust = match (folder.trusted, folder.standing) {
        (true, _) => match &folder.by {
            Some(above) => Fact::ok("trust", format!("it is used: you trust {}", above.display())),
            None if folder.standing == Standing::Trusted => {
                Fact::ok("trust", "it is used: you trust the folder")
            }
            None => Fact::ok("trust", "it is used in this run: --trust says so"),
        },
        (false, Standing::Refused) => Fact::ok("trust", "it is not used: you do not trust the folder")
            .way("`carpel trust` changes that"),
        (false, Standing::Changed) => {
            Fact::note("trust", "it is not used: its manifest has changed since you trusted the folder")
                .way("read it, then `carpel trust`")
        }
        (false, Standing::Trusted | Standing::Unknown) => {
            Fact::note("trust", "it is not used: nobody has asked you yet")
                .way("`carpel trust` uses it; the chat asks when it starts")
        }
    };
    vec![path, things, trust]
}

/// The lines of what may be done without asking.
pub fn permissions(settings: &Settings) -> Vec<Fact> {
    let (mode, by) = &settings.mode;
    let meaning = match mode.as_str() {
        "ask" => "reading inside of the folder needs no question",
        "edits" => "reading and writing inside of the folder need no question",
        "all" => "nothing needs a question but what is protected",
        "read-only" => "reading inside of the folder needs no question, writing is refused",
        _ => "",
    };
    let mut facts = vec![Fact::ok("mode", format!("{mode}: {meaning} ({by})"))];
    facts.extend(settings.rules.iter().map(|(kind, rule, by)| Fact::ok(kind, format!("{rule} ({by})"))));
    if settings.rules.is_empty() {
        facts.push(Fact::ok("rules", "none"));
    }
    facts.push(Fact::ok(
        "protected",
        "writing to .git, .carpel, .agents, .claude, AGENTS.md, CLAUDE.md and carpel's own folders asks in every mode",
    ));
    facts
}

#[cfg(test)]
mod tests {
    use super::super::report::brief;
    use super::*;

    fn settings(standing: Standing, trusted: bool, things: &[&str]) -> Settings {
        Settings {
            person: Some(("/me/manifest.toml".into(), true)),
            mistakes: Vec::new(),
            folder: Folder {
                path: "/w".into(),
                things: things.iter().map(ToString::to_string).collect(),
                standing,
                trusted,
                by: None,
            },
            mode: ("ask".to_owned(), "the default"),
            rules: Vec::new(),
        }
    }

    #[test]
    fn trust_in_words() {
        for (standing, trusted, things, expected) in [
            (Standing::Unknown, false, &[][..], "+ brings: nothing that tells an agent what to do"),
            (Standing::Trusted, true, &["x"], "+ trust: it is used: you trust the folder"),
            (Standing::Unknown, true, &["x"], "+ trust: it is used in this run: --trust says so"),
            (
                Standing::Unknown,
                false,
                &["x"],
                "! trust: it is not used: nobody has asked you yet -> `carpel trust` uses it; the chat asks when it starts",
            ),
            (
                Standing::Changed,
                false,
                &["x"],
                "! trust: it is not used: its manifest has changed since you trusted the folder -> read it, then `carpel trust`",
            ),
            (
                Standing::Refused,
                false,
                &["x"],
                "+ trust: it is not used: you do not trust the folder -> `carpel trust` changes that",
            ),
        ] {
            let got = brief(&facts(&settings(standing, trusted, things)));
            assert_eq!(got.last().map(String::as_str), Some(expected));
            assert_eq!(got[..2], ["+ yours: /me/manifest.toml", "+ folder: /w"]);
        }
    }

    #[test]
    fn mistakes_and_rules() {
        let mut settings = settings(Standing::Unknown, false, &[]);
        settings.mistakes = vec!["f:3: key `a`: wrong".to_owned()];
        settings.rules = vec![("deny", "Read(x)".to_owned(), "this folder's manifest")];
        settings.mode = ("read-only".to_owned(), "the command line");
        assert_eq!(
            brief(&facts(&settings))[1],
            "x mistake: f:3: key `a`: wrong -> mend the line; docs/manifest.md has every key"
        );
        let got = brief(&permissions(&settings));
        assert_eq!(
            got[..2],
            [
                "+ mode: read-only: reading inside of the folder needs no question, writing is refused (the command line)",
                "+ deny: Read(x) (this folder's manifest)"
            ]
        );
        assert!(got[2].starts_with("+ protected: "));
    }
}
