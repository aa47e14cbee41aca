//! A hunt: a target under its corpus, then under mutations of it, until a count or a time is reached.
//!
//! It owns what becomes of an input that fails: it is made small and handed back. It keeps no files but reads the corpus.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;

use super::mutate::mutated;
use super::{Target, digest};
use crate::random::Random;

/// An input for which something did not hold.
#[derive(Debug)]
pub struct Finding {
    /// The file of the corpus, or how the input can be had again.
    pub from: String,
    /// The input, as small as it could be made.
    pub input: Vec<u8>,
    /// What did not hold.
    pub said: String,
}

/// The folder with the corpus of a target.
pub fn corpus_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus").join(name)
}

/// The files of a corpus in the order of their names, each with its bytes.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn corpus(name: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(corpus_folder(name))? {
        let entry = entry?;
        files.push((entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path())?));
    }
    files.sort();
    Ok(files)
}

/// Runs a target over the files of its corpus.
///
/// # Errors
/// The first [`Finding`].
pub fn over(target: Target, files: &[(String, Vec<u8>)]) -> Result<(), Finding> {
    files.iter().try_for_each(|(name, input)| attempt(target, input, name))
}

/// Runs a target over mutations while `goes_on` says so of their number. How many were run comes back.
///
/// # Errors
/// The first [`Finding`], made small.
pub fn mutations(
    target: Target,
    files: &[(String, Vec<u8>)],
    seed: u64,
    goes_on: impl Fn(u64) -> bool,
) -> Result<u64, Finding> {
    let corpus: Vec<Vec<u8>> = files.iter().map(|(_, input)| input.clone()).collect();
    let mut random = Random::new(seed ^ digest(target.name.as_bytes()));
    let mut count = 0;
    while goes_on(count) {
        count += 1;
        let input = mutated(&corpus, &mut random);
        if let Err(finding) = attempt(target, &input, &format!("mutation {count} of seed {seed}")) {
            return Err(smaller(target, finding));
        }
    }
    Ok(count)
}

thread_local! {
    static ATTEMPTS: Cell<bool> = const { Cell::new(false) };
}

/// Panics of targets are told with what is found, not as they happen: a finding is made small by many of them.
pub fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !ATTEMPTS.get() {
                tell(info);
            }
        }));
    });
}

fn attempt(target: Target, input: &[u8], from: &str) -> Result<(), Finding> {
    ATTEMPTS.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    ATTEMPTS.set(false);
    outcome.map_err(|said| {
        let said = match (said.downcast_ref::<String>(), said.downcast_ref::<&str>()) {
            (Some(said), _) => said.clone(),
            (None, Some(said)) => (*said).to_owned(),
            (None, None) => String::new(),
        };
        Finding { from: from.to_owned(), input: input.to_vec(), said }
    })
}

/// Leaves out what can be left out, in pieces that get smaller.
fn smaller(target: Target, mut finding: Finding) -> Finding {
    let mut piece = finding.input.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < finding.input.len() {
            let mut less = finding.input.clone();
            less.drain(at..(at + piece).min(less.len()));
            match attempt(target, &less, &finding.from) {
                Err(found) => finding = found,
                Ok(()) => at += piece,
            }
        }
        piece /= 2;
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::{Target, mutations};

    #[test]
    fn what_fails_is_found_and_made_small() {
        fn run(bytes: &[u8]) {
            assert!(!bytes.contains(&b'|'), "a bar");
        }
        let target = Target { name: "bars", run };
        let files =
            vec![("a".to_owned(), b"some text | with a bar".to_vec()), ("b".to_owned(), b"none".to_vec())];
        let finding = mutations(target, &files, 1, |count| count < 1000).unwrap_err();
        assert_eq!((finding.input.as_slice(), finding.said.as_str()), (&b"|"[..], "a bar"));
        let fine = Target { name: "fine", run: |_| () };
        assert_eq!(mutations(fine, &files, 1, |count| count < 10).unwrap(), 10);
    }
}
