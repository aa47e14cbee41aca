//! What doctor says, as data: sections of facts, each with a mark, what is so, and the way out of it.
//!
//! Owns the two forms, text for a person and JSON for a program, and whether carpel can be used. Every text becomes
//! printable here, so that no name of a file and no answer of a server reaches the terminal as it is. Refuses to know
//! where facts come from. Read next: `doctor/terminal.rs`, and `cli/doctor.rs`, which gathers.

use std::fmt::Write as _;

use carpel_slots::Printable;
use serde::Serialize;

use crate::render::wrap::text_width;

/// Fewest cells beside the names that a sentence reads well in.
const LEAST_BESIDE: usize = 20;

/// How it stands with a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// As it should be.
    Ok,
    /// Worth knowing; carpel works all the same.
    Note,
    /// Something that is needed is broken or not there.
    Missing,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub mark: Mark,
    pub name: Line,
    pub text: Line,
    /// What a person can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way_out: Option<Line>,
}

/// Text that was made printable, as one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Line(String);

impl Line {
    fn of(text: &str) -> Line {
        Line(Printable::exact(text).to_string())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Fact {
    pub fn ok(name: &str, text: impl AsRef<str>) -> Fact {
        Fact::new(Mark::Ok, name, text.as_ref())
    }

    pub fn note(name: &str, text: impl AsRef<str>) -> Fact {
        Fact::new(Mark::Note, name, text.as_ref())
    }

    pub fn missing(name: &str, text: impl AsRef<str>) -> Fact {
        Fact::new(Mark::Missing, name, text.as_ref())
    }

    #[must_use]
    pub fn way(self, way_out: impl AsRef<str>) -> Fact {
        Fact { way_out: Some(Line::of(way_out.as_ref())), ..self }
    }

    fn new(mark: Mark, name: &str, text: &str) -> Fact {
        Fact { mark, name: Line::of(name), text: Line::of(text), way_out: None }
    }
}

/// Facts about one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    pub name: &'static str,
    pub facts: Vec<Fact>,
}

/// All that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub version: &'static str,
    /// Whether nothing that is needed is broken.
    pub usable: bool,
    pub sections: Vec<Section>,
}

impl Report {
    pub fn new(sections: Vec<Section>) -> Report {
        let mut facts = sections.iter().flat_map(|section| &section.facts);
        let usable = facts.all(|fact| fact.mark != Mark::Missing);
        Report { version: env!("CARGO_PKG_VERSION"), usable, sections }
    }

    /// For a person. `is_utf8` says which signs the locale has; lines are broken for a window of so many columns.
    pub fn text(&self, is_utf8: bool, columns: Option<usize>) -> String {
        let mut text = format!("carpel {}\n", self.version);
        let facts = || self.sections.iter().flat_map(|section| &section.facts);
        let width = facts().map(|fact| fact.name.as_str().chars().count()).max().unwrap_or_default();
        for section in &self.sections {
            let _ = write!(text, "\n{}\n", section.name);
            for fact in &section.facts {
                let (sign, word) = sign(fact.mark, is_utf8);
                let (name, arrow) = (fact.name.as_str(), if is_utf8 { "→ " } else { "> " });
                let head = format!("  {sign} {word:<7}  {name:<width$}  ");
                let columns = columns.unwrap_or(usize::MAX);
                let beside = head.chars().count();
                // A window that leaves too little room beside the name has the text below it.
                let is_beside = columns >= beside + LEAST_BESIDE;
                let indent = if is_beside { beside } else { 4 };
                let room = columns.saturating_sub(indent + if fact.way_out.is_some() { 2 } else { 0 }).max(1);
                if !is_beside {
                    let _ = writeln!(text, "{}", head.trim_end());
                }
                let told = broken(fact.text.as_str(), room).into_iter().map(|line| ("", line));
                let way_out = fact.way_out.iter().flat_map(|way_out| broken(way_out.as_str(), room));
                let way_out =
                    way_out.enumerate().map(|(at, line)| (if at == 0 { arrow } else { "  " }, line));
                for (at, (lead, line)) in told.chain(way_out).enumerate() {
                    let before = if at == 0 && is_beside { head.clone() } else { " ".repeat(indent) };
                    let _ = writeln!(text, "{before}{lead}{line}");
                }
            }
        }
        let _ = writeln!(text, "\n{}", self.sum());
        text
    }

    /// For a program.
    ///
    /// # Errors
    /// Never in practice: these are plain texts.
    pub fn json(&self) -> serde_json::Result<String> {
        Ok(format!("{}\n", serde_json::to_string(self)?))
    }

    fn sum(&self) -> String {
        let count = |mark: Mark| {
            self.sections.iter().flat_map(|section| &section.facts).filter(|fact| fact.mark == mark).count()
        };
        let plural = |count: usize, one: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {one}s"),
        };
        match (count(Mark::Missing), count(Mark::Note)) {
            (0, 0) => "All is well.".to_owned(),
            (0, notes) => format!("carpel can be used; {}.", plural(notes, "note")),
            (missing, _) => {
                format!("{} in the way; what to do stands below each.", plural(missing, "thing"))
            }
        }
    }
}

/// Text in lines of so many cells, broken between words. A word that is longer stays whole: it may be copied.
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if text_width(line) + 1 + text_width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn sign(mark: Mark, is_utf8: bool) -> (&'static str, &'static str) {
    match (mark, is_utf8) {
        (Mark::Ok, true) => ("✓", "ok"),
        (Mark::Ok, false) => ("+", "ok"),
        (Mark::Note, _) => ("!", "note"),
        (Mark::Missing, true) => ("✗", "missing"),
        (Mark::Missing, false) => ("x", "missing"),
    }
}

/// Facts as lines for tests: mark, name, text and way out.
#[cfg(test)]
pub fn brief(facts: &[Fact]) -> Vec<String> {
    let line = |fact: &Fact| {
        let way = fact.way_out.as_ref().map_or_else(String::new, |way| format!(" -> {}", way.as_str()));
        format!("{} {}: {}{way}", sign(fact.mark, false).0, fact.name.as_str(), fact.text.as_str())
    };
    facts.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(facts: Vec<Fact>) -> Report {
        Report::new(vec![Section { name: "paths", facts }])
    }

    #[test]
    fn as_text() {
        let text = report(vec![
            Fact::ok("a", "is there"),
            Fact::note("longer", "is not\u{1b}[31m there").way("make\nit"),
            Fact::missing("b", "\u{202e}gone"),
        ])
        .text(true, None);
        let expected = "\npaths\n  ✓ ok       a       is there\n  ! note     longer  is not␛[31m there\n";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("\n                     → make"), "{text}");
        assert!(text.contains("  ✗ missing  b       ") && !text.contains('\u{202e}'), "{text}");
        assert!(text.ends_with("\n\n1 thing in the way; what to do stands below each.\n"), "{text}");
        assert_eq!(text.lines().count(), 9, "{text}");
        assert!(!text.contains('\u{1b}'));
        assert!(report(vec![Fact::missing("b", "gone").way("x")]).text(false, None).is_ascii());
    }

    #[test]
    fn lines_are_broken_between_words() {
        for (text, room, expected) in [
            ("one two three", usize::MAX, &["one two three"][..]),
            ("one two three", 7, &["one two", "three"]),
            ("a /very/long/path b", 4, &["a", "/very/long/path", "b"]),
            ("", 4, &[""]),
        ] {
            assert_eq!(broken(text, room), expected, "{text} {room}");
        }
        let text =
            report(vec![Fact::note("a", "one two three four five six").way("seven eight nine ten eleven")])
                .text(true, Some(38));
        let expected = "  ! note     a  one two three four\n                five six\n                → seven eight nine ten\n                  eleven\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn every_window_breaks_lines() {
        let all = report(vec![Fact::note("a longer name", "one two three four five").way("six seven eight")]);
        let expected = "  ! note     a longer name\n    one two three four five\n    → six seven eight\n";
        let text = all.text(true, Some(40));
        assert!(text.contains(expected), "{text}");
        for columns in 1..100 {
            let text = all.text(true, Some(columns));
            let longest = text.lines().skip(1).filter(|line| line.starts_with("    ")).map(text_width).max();
            assert!(longest.unwrap_or_default() <= columns.max(11), "{columns}\n{text}");
        }
    }

    #[test]
    fn whether_carpel_can_be_used() {
        for (facts, usable, sum) in [
            (vec![Fact::ok("a", "")], true, "All is well."),
            (vec![Fact::ok("a", ""), Fact::note("b", "")], true, "carpel can be used; 1 note."),
            (
                vec![Fact::missing("a", ""), Fact::missing("b", ""), Fact::note("c", "")],
                false,
                "2 things in the way; what to do stands below each.",
            ),
        ] {
            let report = report(facts);
            assert_eq!((report.usable, report.sum().as_str()), (usable, sum));
        }
    }

    #[test]
    fn as_json() {
        let json = report(vec![Fact::note("a\u{7}", "b").way("c")]).json().unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["usable"], true);
        assert_eq!(
            value["sections"][0],
            serde_json::json!({"name": "paths", "facts": [{"mark": "note", "name": "a␇", "text": "b", "way_out": "c"}]})
        );
    }
}
