//! What doctor says of who answers: which provider, why, with what model and key, and who else could.
//!
//! Facts in, lines out. A key is never here: only the variable that holds it. Refuses to know how a provider is chosen
//! (the pod does) and how it is asked.

use super::report::Fact;

/// Who answers.
pub struct Provider {
    /// Name, and the sentence that says why; or why nobody can.
    pub chosen: Result<Chosen, String>,
    /// The others, by name.
    pub others: Vec<(&'static str, Other)>,
}

/// Whether another one could be chosen.
pub enum Other {
    Could,
    /// It hangs on what an address answers, and none was asked.
    IfItAnswers,
    /// A sentence with what it lacks and the way to it.
    Lacks(String),
}

pub struct Chosen {
    pub name: &'static str,
    /// Why it is this one and this model.
    pub how: String,
    pub model: Option<String>,
    pub base_url: Option<String>,
    /// The variable that its key comes from, and whether it is set; absent for those that take none.
    pub key: Option<(&'static str, bool)>,
    /// What was looked at and passed over.
    pub passed: Vec<String>,
    /// What its address answered, when it was asked.
    pub models: Option<Result<Vec<String>, String>>,
}

/// The lines.
pub fn facts(provider: &Provider) -> Vec<Fact> {
    let mut facts = match &provider.chosen {
        Ok(chosen) => of_chosen(chosen),
        Err(sentence) => vec![parted(sentence, |fact| Fact::missing("chosen", fact))],
    };
    facts.extend(provider.others.iter().map(|(name, other)| match other {
        Other::Could => Fact::ok(name, format!("could be chosen: `--provider {name}`")),
        Other::IfItAnswers => Fact::ok(
            name,
            format!("where it answers: `--provider {name}`; `carpel doctor --online` asks whether it does"),
        ),
        Other::Lacks(sentence) => parted(sentence, |fact| Fact::note(name, fact)),
    }));
    facts
}

/// A sentence as a fact with its way out, which is what follows the last semicolon.
fn parted(sentence: &str, fact: impl FnOnce(&str) -> Fact) -> Fact {
    match sentence.trim_end_matches('.').rsplit_once("; ") {
        Some((what, way_out)) => fact(what).way(way_out),
        None => fact(sentence),
    }
}

fn of_chosen(chosen: &Chosen) -> Vec<Fact> {
    let mut facts = vec![Fact::ok("chosen", &chosen.how)];
    facts.extend(chosen.passed.iter().map(|sentence| Fact::note("passed over", sentence)));
    if chosen.name == "guide" {
        facts.push(Fact::note("model", "none: guide follows a few plain requests").way(
            "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama; docs/providers.md has every way",
        ));
    }
    facts.extend(chosen.model.as_ref().map(|model| Fact::ok("model", model)));
    facts.extend(chosen.base_url.as_ref().map(|url| match chosen.models {
        Some(_) => Fact::ok("address", url),
        None => Fact::ok("address", format!("{url} (`carpel doctor --online` asks whether it answers)")),
    }));
    facts.extend(chosen.key.map(|(variable, is_set)| match is_set {
        true => Fact::ok("key", format!("{variable} holds one")),
        false => Fact::note("key", format!("{variable} is not set; none is sent to this address")),
    }));
    facts.extend(answered(chosen));
    facts
}

/// What the address answered.
fn answered(chosen: &Chosen) -> Option<Fact> {
    let models = chosen.models.as_ref()?;
    let known = |models: &[String]| chosen.model.as_ref().is_none_or(|model| models.contains(model));
    Some(match models {
        Err(sentence) => parted(sentence, |fact| Fact::missing("answer", fact)),
        Ok(models) if known(models) => Fact::ok("answer", format!("it lists {}", count(models.len()))),
        Ok(models) if models.is_empty() => Fact::note("answer", "it answers, but lists no models"),
        Ok(models) => Fact::note(
            "answer",
            format!(
                "it lists {}, but not {}",
                count(models.len()),
                chosen.model.as_deref().unwrap_or_default()
            ),
        )
        .way(format!("name one with --model, for example {}", first_few(models))),
    })
}

fn count(models: usize) -> String {
    if models == 1 { "1 model".to_owned() } else { format!("{models} models") }
}

fn first_few(models: &[String]) -> String {
    models.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::report::brief;
    use super::*;

    #[test]
    fn what_is_said_of_a_provider() {
        let openai = |models: Option<Result<&[&str], &str>>, is_set: bool| {
            Ok(Chosen {
                name: "openai",
                how: "openai answers with m: the manifest says so.".to_owned(),
                model: Some("m".to_owned()),
                base_url: Some("http://x/v1".to_owned()),
                key: Some(("OPENAI_API_KEY", is_set)),
                passed: Vec::new(),
                models: models.map(|models| {
                    models.map(|all| all.iter().map(ToString::to_string).collect()).map_err(str::to_owned)
                }),
            })
        };
        let check = |chosen: Result<Chosen, String>, expected: &[&str]| {
            let provider = Provider {
                chosen,
                others: vec![
                    ("guide", Other::Could),
                    ("ollama", Other::IfItAnswers),
                    ("anthropic", Other::Lacks("it needs a key; set ANTHROPIC_API_KEY".to_owned())),
                ],
            };
            let got = brief(&facts(&provider));
            let (own, others) = got.split_at(got.len() - 3);
            assert_eq!(own, expected);
            assert_eq!(
                others,
                [
                    "+ guide: could be chosen: `--provider guide`",
                    "+ ollama: where it answers: `--provider ollama`; `carpel doctor --online` asks whether it does",
                    "! anthropic: it needs a key -> set ANTHROPIC_API_KEY"
                ]
            );
        };
        let begin = |rest: &[&'static str]| {
            let mut all = vec!["+ chosen: openai answers with m: the manifest says so.", "+ model: m"];
            all.extend(rest);
            all
        };
        check(
            openai(None, true),
            &begin(&[
                "+ address: http://x/v1 (`carpel doctor --online` asks whether it answers)",
                "+ key: OPENAI_API_KEY holds one",
            ]),
        );
        check(
            openai(Some(Ok(&["l", "m"])), false),
            &begin(&[
                "+ address: http://x/v1",
                "! key: OPENAI_API_KEY is not set; none is sent to this address",
                "+ answer: it lists 2 models",
            ]),
        );
        check(
            openai(Some(Ok(&["l"])), true),
            &begin(&[
                "+ address: http://x/v1",
                "+ key: OPENAI_API_KEY holds one",
                "! answer: it lists 1 model, but not m -> name one with --model, for example l",
            ]),
        );
        check(
            openai(Some(Err("the key is wrong; see there.")), true),
            &begin(&[
                "+ address: http://x/v1",
                "+ key: OPENAI_API_KEY holds one",
                "x answer: the key is wrong -> see there",
            ]),
        );
        check(Err("it needs a key; set X".to_owned()), &["x chosen: it needs a key -> set X"]);
        check(Err("no".to_owned()), &["x chosen: no"]);
        let guide = Chosen {
            name: "guide",
            how: "guide answers.".to_owned(),
            model: None,
            base_url: None,
            key: None,
            passed: vec!["OLLAMA_HOST is set, but silent.".to_owned()],
            models: None,
        };
        check(
            Ok(guide),
            &[
                "+ chosen: guide answers.",
                "! passed over: OLLAMA_HOST is set, but silent.",
                "! model: none: guide follows a few plain requests -> set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama; docs/providers.md has every way",
            ],
        );
    }
}
