//! An error as one sentence: the error, then each cause that it has not told itself.
//!
//! Errors of libraries leave their cause to be read from the chain; errors of the pod tell theirs in their own words,
//! since they also travel as text. Printing the whole chain says the latter twice and three times. It refuses to know
//! what the errors are about, and to make them printable.

/// The sentence.
pub fn of(error: &anyhow::Error) -> String {
    let mut sentence = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !sentence.contains(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::{Context, anyhow};

    use super::of;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot open /s/0001.jsonl: {source}")]
    struct Unopened {
        source: io::Error,
    }

    #[test]
    fn each_cause_is_told_once() {
        let source = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        let of_log = || Unopened { source: source() };
        let told = "cannot open /s/0001.jsonl: not a regular file";
        for (error, expected) in [
            (anyhow!("alone"), "alone".to_owned()),
            (anyhow::Error::from(source()).context("the file"), "the file: not a regular file".to_owned()),
            (of_log().into(), told.to_owned()),
            (Err::<(), _>(of_log()).context("no history").unwrap_err(), format!("no history: {told}")),
            (
                anyhow!(source()).context("below").context("above"),
                "above: below: not a regular file".to_owned(),
            ),
            (anyhow!(of_log()).context(format!("{told}; move it away")), format!("{told}; move it away")),
        ] {
            assert_eq!(of(&error), expected);
        }
    }
}
