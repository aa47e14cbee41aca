//! What a plugin says of itself, looked at before anything of it is used.
//!
//! Owns the greeting, how long its answer may take, what a name may be, how much may be registered, and the sentences for a
//! plugin of another ABI. What a key means is the registry's business.

use std::time::Duration;

use carpel_slots::wire::{ABI, Hello, Reply, Request};

/// A line of diagnostics that begins so is the reason why `carpel plugin-host` ended, whatever its exit code says.
pub const REFUSES: &str = "carpel plugin-host: ";

/// How long a plugin may take to say hello: an interpreter on a cold disk is slow.
pub(super) const GREETING: Duration = Duration::from_secs(5);

/// Bytes of a name and of a key.
const NAME: usize = 100;

/// Keys and commands of one plugin.
const MOST: usize = 256;

/// Bytes of what a command says of itself, a field each.
const WORDS: usize = 400;

/// The first line that a plugin is told.
pub(super) fn greeting() -> String {
    let carpel = env!("CARGO_PKG_VERSION").to_owned();
    Request::Hello { abi: ABI, carpel, features: Vec::new() }.encode()
}

/// The hello in a plugin's first line, if it can be used.
///
/// # Errors
/// A sentence that says what is wrong and what to do about it.
pub(super) fn taken(reply: Reply) -> Result<Hello, String> {
    match reply {
        Reply::Hello(hello) => checked(hello),
        // A library says in this way why it has no hello.
        Reply::Error { message, .. } => Err(message),
        _ => Err("its first line is no hello".to_owned()),
    }
}

/// The hello, if it can be used.
///
/// # Errors
/// A sentence that says what is wrong and what to do about it.
pub(super) fn checked(mut hello: Hello) -> Result<Hello, String> {
    abi(hello.abi)?;
    if hello.name.is_empty() {
        return Err("says no name; a plugin's hello names it in one word".to_owned());
    }
    if !is_word(&hello.name) {
        return Err(format!(
            "calls itself `{}`; a name is one word of letters, digits, `-`, `_` and `.`, at most {NAME} of them",
            hello.name.chars().take(NAME).collect::<String>()
        ));
    }
    for (what, count) in [("views", hello.views.len()), ("commands", hello.commands.len())] {
        if count > MOST {
            return Err(format!("registers {count} {what}; at most {MOST} are taken"));
        }
    }
    let words = hello.commands.iter().flat_map(|command| [&command.name, &command.usage, &command.example]);
    let summaries = hello.commands.iter().map(|command| &command.summary);
    let texts = hello.views.iter().chain(words).chain(summaries).chain([&hello.version]);
    if let Some(text) = texts.into_iter().find(|text| text.len() > WORDS) {
        return Err(format!("says a text of {} bytes of itself; at most {WORDS} are taken", text.len()));
    }
    let nameless = hello.commands.iter().position(|command| !is_word(&command.name));
    if let Some(at) = nameless {
        return Err(format!("has no name of one word for its command {}", at + 1));
    }
    hello.features.clear();
    Ok(hello)
}

/// Whether the number of the wire is ours.
///
/// # Errors
/// A sentence that says which side to build anew.
pub fn abi(abi: u32) -> Result<(), String> {
    match abi {
        ABI => Ok(()),
        older if older < ABI => Err(format!(
            "was built for ABI {older} and this carpel speaks {ABI}; build the plugin anew against a newer carpel-slots"
        )),
        newer => Err(format!(
            "was built for ABI {newer} and this carpel speaks {ABI}; use a newer carpel, or build the plugin against an \
             older carpel-slots"
        )),
    }
}

fn is_word(name: &str) -> bool {
    (1..=NAME).contains(&name.len()) && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}

#[cfg(test)]
mod tests {
    use carpel_slots::wire::CommandLine;

    use super::*;

    #[test]
    fn what_a_hello_may_be() {
        let hello = |name: &str| Hello { abi: ABI, name: name.to_owned(), ..Hello::default() };
        let command = |name: &str| CommandLine { name: name.to_owned(), ..CommandLine::default() };
        let many = vec!["a".to_owned(); 257];
        let rows: Vec<(Hello, Option<&str>)> = vec![
            (hello("sql-result_2.0"), None),
            (hello("é"), None),
            (hello(""), Some("says no name")),
            (hello("two words"), Some("calls itself `two words`")),
            (hello("a\u{1b}[2J"), Some("calls itself")),
            (hello(&"a".repeat(101)), Some("calls itself")),
            (Hello { abi: 0, ..hello("a") }, Some("build the plugin anew")),
            (Hello { abi: 99, ..hello("a") }, Some("use a newer carpel")),
            (Hello { views: many, ..hello("a") }, Some("registers 257 views")),
            (Hello { version: "1".repeat(401), ..hello("a") }, Some("a text of 401 bytes")),
            (Hello { commands: vec![command("a"), command("b c")], ..hello("a") }, Some("for its command 2")),
        ];
        for (hello, want) in rows {
            let got = checked(hello.clone());
            match want {
                None => assert_eq!(got, Ok(hello)),
                Some(want) => assert!(got.as_ref().unwrap_err().contains(want), "{got:?}"),
            }
        }
    }
}
