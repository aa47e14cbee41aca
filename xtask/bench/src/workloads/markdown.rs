//! Answers of Markdown: all at once, and at the pace of a model.
//!
//! Owns the text: headings, wrapped paragraphs, lists, code and tables, each with a numbered tag, so that what is lost,
//! doubled or out of order shows.

use std::time::Duration;

use mock_llm::{Answer, Pace, Script};

use super::{Check, END, Job, Kind, Workload, said};

/// Characters of a delta.
const FRAGMENT: usize = 5;

pub(super) const LIST: &[Workload] = &[
    Workload {
        name: "markdown-burst",
        about: "20,000 deltas of Markdown at once",
        job: || job(20_000, Pace::AtOnce),
    },
    Workload {
        name: "markdown-burst-5k",
        about: "5,000 deltas of Markdown at once, for the growth",
        job: || job(5_000, Pace::AtOnce),
    },
    Workload {
        name: "markdown-paced",
        about: "1,600 deltas of Markdown, 200 a second",
        job: || job(1_600, Pace::Every(Duration::from_millis(5))),
    },
    Workload {
        name: "markdown-long",
        about: "12,000 deltas of Markdown, 1,000 a second",
        job: || job(12_000, Pace::Over(Duration::from_secs(12))),
    },
];

fn job(deltas: usize, pace: Pace) -> Job {
    let (text, tags) = text(deltas * FRAGMENT);
    let script = Script::new().otherwise(said(Answer::new().text(&text), FRAGMENT, pace));
    Job { checks: vec![Check::Tags(tags)], ..Job::new(Kind::Turn, script) }
}

/// A text of exactly so many characters that ends with [`END`], and its tags.
pub fn text(characters: usize) -> (String, Vec<String>) {
    let end = format!("\n\n{END}");
    let room = characters.saturating_sub(end.len());
    let (mut text, mut tags) = (String::new(), Vec::new());
    loop {
        let (section, of_section) = section(tags.len());
        if text.len() + section.len() > room {
            break;
        }
        text.push_str(&section);
        tags.extend(of_section);
    }
    let words = "and so on, until the end is reached ".chars().cycle();
    text.extend(words.take(room - text.len()));
    text.push_str(&end);
    (text, tags)
}

fn section(number: usize) -> (String, Vec<String>) {
    let tags: Vec<String> = (number..number + 6).map(|tag| format!("t{tag:05}")).collect();
    let [heading, words, first, second, code, cell] = &tags[..] else { return (String::new(), tags) };
    let section = format!(
        "## Section {heading}\n\n\
        This paragraph has **bold** and *slanted* words, some `code`, the word {words}, and goes on until a line of a \
        hundred and twenty columns is not enough for it, as most paragraphs do.\n\n\
        - the first point, {first}\n- the second one, with `code` and {second}\n\n\
        ```rust\nfn {code}(limit: usize) -> Option<&'static str> {{ (limit > 5).then_some(\"enough\") }}\n```\n\n\
        | name | value |\n|---|---|\n| {cell} | 12 |\n| other | 7 |\n\n"
    );
    (section, tags)
}

#[cfg(test)]
mod tests {
    use super::{END, text};

    #[test]
    fn the_text_is_as_long_as_it_should_and_holds_each_tag_once() {
        for characters in [8_000, 99_999, 100_000] {
            let (text, tags) = text(characters);
            assert!(text.is_ascii() && text.ends_with(END));
            assert_eq!(text.len(), characters);
            assert!(tags.len() > characters / 120, "{}", tags.len());
            assert!(tags.iter().all(|tag| text.matches(tag.as_str()).count() == 1));
        }
    }
}
