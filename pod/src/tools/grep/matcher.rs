//! The regular expression of a search, or what is wrong with it.
//!
//! Owns the settings (as `rg --crlf`: `$` stands before a CR LF too) and the wording of a mistake: which part, at which
//! column, what to do. A bad pattern is never "no matches". Refuses to search; read `search.rs` for that.

use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::Position;
use regex_syntax::{Error as SyntaxError, ParserBuilder};

use super::{Request, ToolFailure, quoted};

pub fn build(pattern: &str, request: &Request) -> Result<RegexMatcher, ToolFailure> {
    check_syntax(pattern)?;
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).octal(false).case_insensitive(request.ignore_case);
    builder.ban_byte(Some(0)).crlf(true);
    if request.multiline {
        builder.line_terminator(None).dot_matches_new_line(true);
    }
    let built = match builder.build(pattern) {
        // A pattern that asks for a CR cannot also treat it as part of a line end.
        Err(error) if asks_for_line_end(&error) => {
            builder.crlf(false).line_terminator(Some(b'\n')).build(pattern)
        }
        built => built,
    };
    built.map_err(|error| cannot_be_searched(pattern, &error))
}

/// The matcher puts a group around a pattern before it parses it, which moves the place of a mistake and makes `a)(b`
/// good; so the pattern is parsed as it stands first.
fn check_syntax(pattern: &str) -> Result<(), ToolFailure> {
    let parsed = ParserBuilder::new().utf8(false).multi_line(true).build().parse(pattern);
    let (fact, place, whole) = match parsed {
        Ok(_) => return Ok(()),
        Err(SyntaxError::Parse(error)) => (error.kind().to_string(), error.span().start, error.to_string()),
        Err(SyntaxError::Translate(error)) => {
            (error.kind().to_string(), error.span().start, error.to_string())
        }
        Err(error) => {
            return Err(ToolFailure::new(format!("pattern {}: {error}; {}", quoted(pattern), way_out(""))));
        }
    };
    let summary = format!("pattern {}: {fact} at {}; {}", quoted(pattern), spot(place), way_out(&fact));
    Err(ToolFailure { output: Some(whole), ..ToolFailure::new(summary) })
}

fn spot(place: Position) -> String {
    match place.line {
        1 => format!("column {}", place.column),
        line => format!("line {line} column {}", place.column),
    }
}

fn asks_for_line_end(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotAllowed(_))
}

fn cannot_be_searched(pattern: &str, error: &Error) -> ToolFailure {
    let pattern = quoted(pattern);
    ToolFailure::new(match error.kind() {
        ErrorKind::NotAllowed(_) => {
            format!(
                "pattern {pattern} asks for a line end, which no single line has; set `multiline` to true"
            )
        }
        ErrorKind::Banned(_) => {
            format!(
                "pattern {pattern} asks for a NUL byte, which text files do not have; search for other text"
            )
        }
        _ => {
            let fact = error.to_string();
            format!("pattern {pattern}: {fact}; {}", way_out(&fact))
        }
    })
}

fn way_out(fact: &str) -> &'static str {
    if fact.contains("look-around") || fact.contains("backreferences") {
        "this syntax has neither look-around nor backreferences, search for less and look at the lines"
    } else if fact.contains("size limit") {
        "make the repetitions smaller"
    } else {
        "correct it, or put a backslash before characters meant literally"
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, Request};
    use super::*;

    fn check(pattern: &str, multiline: bool, expected: Result<(), &str>) {
        let request = Request {
            mode: Mode::Content,
            before: 0,
            after: 0,
            numbers: true,
            only_matching: false,
            multiline,
            ignore_case: false,
        };
        let got = build(pattern, &request).map(drop).map_err(|failure| failure.summary);
        assert_eq!(got, expected.map_err(str::to_owned), "{pattern}");
    }

    #[test]
    fn log_10_18_a_bad_pattern_is_told() {
        let correct = "correct it, or put a backslash before characters meant literally";
        check("(", false, Err(&format!("pattern `(`: unclosed group at column 1; {correct}")));
        check("ab[", false, Err(&format!("pattern `ab[`: unclosed character class at column 3; {correct}")));
        check(
            "*a",
            false,
            Err(&format!("pattern `*a`: repetition operator missing expression at column 1; {correct}")),
        );
        check(
            "\\",
            false,
            Err(&format!(
                "pattern `\\`: incomplete escape sequence, reached end of pattern prematurely at column 1; {correct}"
            )),
        );
        check(
            "a(?=b)",
            false,
            Err(
                "pattern `a(?=b)`: look-around, including look-ahead and look-behind, is not supported at column 2; \
             this syntax has neither look-around nor backreferences, search for less and look at the lines",
            ),
        );
        check(
            "a\\nb",
            false,
            Err("pattern `a\\nb` asks for a line end, which no single line has; set `multiline` to true"),
        );
        check(
            "\\x00",
            false,
            Err("pattern `\\x00` asks for a NUL byte, which text files do not have; search for other text"),
        );
    }

    #[test]
    fn good_patterns() {
        check("fn \\w+\\(", false, Ok(()));
        check("a\\r", false, Ok(()));
        check("a\\nb", true, Ok(()));
        check("a.*b", true, Ok(()));
        check("", false, Ok(()));
    }
}
