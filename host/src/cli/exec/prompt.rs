//! The prompt of `carpel exec`: as it is given, or read from stdin.
//!
//! What is read has a bound and must be UTF-8; a prompt without a word is refused. It refuses to know what a prompt means.

use std::io::{IsTerminal, Read};

use anyhow::Context;

use crate::cli::exit::WrongUsage;

/// A longer text is a file, and belongs in one.
const MOST_BYTES: u64 = 1024 * 1024;

/// The prompt for what the command line says: a text, `-` for stdin, or nothing.
///
/// # Errors
/// When there is none, or stdin has none that can be used.
pub fn of(given: Option<&str>) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    let text = match given {
        Some(text) if text != "-" => text.to_owned(),
        None if stdin.is_terminal() => {
            let sentence =
                "there is no prompt; say what to do, as in `carpel exec \"PROMPT\"`, or pipe it in";
            return Err(WrongUsage(sentence.to_owned()).into());
        }
        Some(_) | None => read(stdin.lock())?,
    };
    if text.trim().is_empty() {
        return Err(WrongUsage("the prompt is empty; say what to do".to_owned()).into());
    }
    Ok(text)
}

fn read(source: impl Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    // One byte more than may be, to see that there is more.
    source
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("the prompt cannot be read from stdin; give it as an argument")?;
    if bytes.len() as u64 > MOST_BYTES {
        let sentence = "the prompt on stdin is larger than 1 MiB; put the text in a file and name the file";
        return Err(WrongUsage(sentence.to_owned()).into());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        WrongUsage(format!("the prompt on stdin is not UTF-8 at byte {at}; convert it first"))
    })?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_prompts() {
        let most = usize::try_from(MOST_BYTES).unwrap();
        let rows: [(Vec<u8>, Result<&str, &str>); 6] = [
            (b"hi\n".to_vec(), Ok("hi")),
            (b"a\r\nb\r\n\n".to_vec(), Ok("a\r\nb")),
            ("größe".into(), Ok("größe")),
            (b"".to_vec(), Ok("")),
            (b"ab\xffc".to_vec(), Err("not UTF-8 at byte 2")),
            (vec![b'x'; most + 1], Err("larger than 1 MiB")),
        ];
        for (bytes, want) in rows {
            match (read(bytes.as_slice()), want) {
                (Ok(got), Ok(want)) => assert_eq!(got, want),
                (Err(got), Err(want)) => assert!(got.to_string().contains(want), "{got}"),
                (got, want) => panic!("{got:?} instead of {want:?}"),
            }
        }
        assert_eq!(read(vec![b'x'; most].as_slice()).unwrap().len(), most);
    }
}
