//! `cargo xtask mock-llm`: the scripted server, for use by hand.
//!
//! This file owns its command line and what it tells: the address, the lines for the environment, each request.
//! It refuses to know how the server works and what a scenario says; that is the crate `mock-llm`.

use std::io::Write;

use anyhow::{Context, Result};
use mock_llm::{MockLlm, Request, Scenario};

pub const USAGE: &str = "\
usage: cargo xtask mock-llm [--port N] [SCENARIO or FILE]   answer as a provider does, by a script
       cargo xtask mock-llm --list                          list the scenarios";

/// What the words of the command line ask for.
#[derive(Debug, PartialEq, Eq)]
enum Wanted<'a> {
    List,
    Serve { port: u16, scenario: &'a str },
}

/// Serves until it is stopped. `None`: the words are not understood.
pub fn run(words: &[&str], out: &mut dyn Write) -> Option<Result<bool>> {
    Some(match wanted(words)? {
        Wanted::List => list(out),
        Wanted::Serve { port, scenario } => serve(port, scenario, out),
    })
}

fn wanted<'a>(words: &[&'a str]) -> Option<Wanted<'a>> {
    match words {
        ["--list"] => Some(Wanted::List),
        [] => Some(Wanted::Serve { port: 0, scenario: "echo" }),
        ["--port", port] => Some(Wanted::Serve { port: port.parse().ok()?, scenario: "echo" }),
        ["--port", port, scenario] | [scenario, "--port", port] => {
            Some(Wanted::Serve { port: port.parse().ok()?, scenario })
        }
        [scenario] if !scenario.starts_with('-') => Some(Wanted::Serve { port: 0, scenario }),
        _ => None,
    }
}

fn list(out: &mut dyn Write) -> Result<bool> {
    for scenario in Scenario::built_in()? {
        writeln!(out, "{:<13} {}", scenario.name, scenario.about)?;
    }
    Ok(true)
}

fn serve(port: u16, name: &str, out: &mut dyn Write) -> Result<bool> {
    let Scenario { name, about, script } = Scenario::find(name)?;
    let mock = MockLlm::start_at(port, script).with_context(|| format!("port {port}: cannot be taken"))?;
    writeln!(out, "{name}: {about}")?;
    writeln!(out, "Listening on http://{}; Ctrl+C ends it. In another terminal, one of:\n", mock.address())?;
    writeln!(out, "export ANTHROPIC_BASE_URL={} ANTHROPIC_API_KEY=mock", mock.anthropic_base_url())?;
    writeln!(out, "export OPENAI_BASE_URL={} OPENAI_API_KEY=mock\n", mock.openai_base_url())?;
    out.flush()?;
    for count in 1.. {
        let Some(request) = mock.wait_for(count) else { break };
        writeln!(out, "{count}: {}", told(&request))?;
        out.flush()?;
    }
    Ok(true)
}

/// A request in a line. What a client sent is quoted, so that it cannot command the terminal.
fn told(request: &Request) -> String {
    let head = format!("{} {}", request.method.escape_debug(), request.path.escape_debug());
    if request.wire().is_none() {
        return head;
    }
    let prompt: String = request.prompt().chars().take(60).collect();
    let model = request.model();
    let (round, results) = (request.round(), request.results().len());
    format!("{head} model {model:?}, prompt {prompt:?}, round {round}, {results} results")
}

#[cfg(test)]
mod tests {
    use super::{Wanted, list, wanted};

    #[test]
    fn the_command_line() {
        let serve = |port, scenario| Some(Wanted::Serve { port, scenario });
        for (words, expected) in [
            (&[][..], serve(0, "echo")),
            (&["errors"], serve(0, "errors")),
            (&["a/b.jsonl"], serve(0, "a/b.jsonl")),
            (&["--port", "4000"], serve(4000, "echo")),
            (&["--port", "4000", "errors"], serve(4000, "errors")),
            (&["errors", "--port", "4000"], serve(4000, "errors")),
            (&["--list"], Some(Wanted::List)),
            (&["--port", "many"], None),
            (&["--prot"], None),
            (&["a", "b"], None),
        ] {
            assert_eq!(wanted(words), expected, "{words:?}");
        }
    }

    #[test]
    fn every_scenario_is_listed_with_a_line() {
        let mut out = Vec::new();
        list(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() >= 6, "{text}");
        assert!(
            text.lines().all(|line| line.split_once(' ').is_some_and(|(_, about)| about.trim().len() > 10))
        );
    }
}
