//! Whether the work of a workload was really done.
//!
//! Owns what each check of `workloads.rs` means: what was on the screen, what the provider was sent, what lies in the
//! workspace. A check that does not hold says what is there instead. It refuses to know figures.

use anyhow::{Context, Result, bail};

use crate::subject::Place;
use crate::workloads::Check;

/// # Errors
/// A sentence that says what is not as it has to be.
pub fn hold(checks: &[Check], place: &Place, text: &str) -> Result<()> {
    checks.iter().try_for_each(|check| holds(check, place, text))
}

fn holds(check: &Check, place: &Place, text: &str) -> Result<()> {
    match check {
        Check::Tags(tags) => tags_are_there(tags, text),
        Check::Shown(words) => match words.iter().find(|word| !text.contains(word.as_str())) {
            Some(word) => bail!("`{word}` is not to be seen"),
            None => Ok(()),
        },
        Check::Results(count) => {
            // Those of sub-agents went in requests of their own; each request carries all results since its prompt.
            let most = results(place).map(|results| results.len()).max();
            if most == Some(*count) { Ok(()) } else { bail!("{most:?} results were sent, not {count}") }
        }
        Check::ResultBytes(least) => {
            let most = results(place).flatten().map(|result| result.len()).max();
            if most >= Some(*least) { Ok(()) } else { bail!("the largest result has {most:?} bytes") }
        }
        Check::File { name, contents } => {
            let written = std::fs::read_to_string(place.workspace().join(name));
            if written.with_context(|| format!("`{name}` was not written"))? == *contents {
                Ok(())
            } else {
                bail!("`{name}` has other contents than the call said")
            }
        }
    }
}

fn results(place: &Place) -> impl Iterator<Item = Vec<String>> {
    place.mock.asked().into_iter().map(|request| request.results())
}

/// Each once, in their order.
fn tags_are_there(tags: &[String], text: &str) -> Result<()> {
    let mut rest = text;
    for tag in tags {
        let count = text.matches(tag.as_str()).count();
        if count != 1 {
            bail!("`{tag}` is there {count} times, not once");
        }
        let Some(at) = rest.find(tag.as_str()) else { bail!("`{tag}` is not in its order") };
        rest = &rest[at + tag.len()..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mock_llm::Script;

    use super::{hold, tags_are_there};
    use crate::subject::Place;
    use crate::workloads::Check;

    #[test]
    fn tags() {
        let tags = ["t1".to_owned(), "t2".to_owned()];
        for (text, holds) in
            [("t1 t2", true), ("t2 t1", false), ("t1", false), ("t1 t2 t2", false), ("t1 t1 t2", false)]
        {
            assert_eq!(tags_are_there(&tags, text).is_ok(), holds, "{text}");
        }
    }

    #[test]
    fn words_files_and_results() {
        let place = Place::new(Script::new()).unwrap();
        place.write("a.txt", "kept").unwrap();
        let file = |contents: &str| Check::File { name: "a.txt", contents: contents.to_owned() };
        for (check, holds) in [
            (file("kept"), true),
            (file("other"), false),
            (Check::File { name: "b.txt", contents: String::new() }, false),
            (Check::Shown(vec!["wor".to_owned()]), true),
            (Check::Shown(vec!["absent".to_owned()]), false),
            (Check::Results(1), false),
            (Check::ResultBytes(1), false),
        ] {
            assert_eq!(hold(std::slice::from_ref(&check), &place, "words").is_ok(), holds, "{check:?}");
        }
    }
}
