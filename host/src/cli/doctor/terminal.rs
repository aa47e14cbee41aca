//! What doctor says of the terminal: what its name, the environment and its own answers tell.
//!
//! Facts in, lines out: variables come through a function, answers are given. What carpel does with each is said beside
//! it. Refuses to know how a terminal is asked (`terminal/input/ask.rs`).

use carpel_slots::ThemeName;
use ratatui::layout::Size;

use super::report::Fact;
use crate::cli::chat::too_small;
use crate::cli::look;
use crate::render::ground::Ground;
use crate::terminal::dialect::{Age, age, refusal};
use crate::terminal::input::ask::Answers;

/// What is known of the terminal.
pub struct Terminal<'a> {
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Of the window, where standard input and output are a terminal.
    pub size: Option<Size>,
    /// What it said, where it was asked.
    pub answers: Option<Answers>,
    /// The theme that somebody named, and who.
    pub theme: Option<(ThemeName, &'static str)>,
    /// Settings of tmux, name and value, where carpel runs in it.
    pub tmux: Vec<(&'static str, Option<String>)>,
}

/// The lines.
pub fn facts(terminal: &Terminal<'_>) -> Vec<Fact> {
    let term = (terminal.variable)("TERM");
    let mut facts = vec![name(terminal, term.as_deref())];
    facts.extend(terminal.size.map(size));
    facts.extend(colours(terminal));
    if terminal.size.is_some() {
        facts.extend(answered(terminal, age(term.as_deref())));
    }
    facts.extend(multiplexer(terminal));
    facts.push(locale(terminal.variable));
    facts
}

fn name(terminal: &Terminal<'_>, term: Option<&str>) -> Fact {
    let shown = term.unwrap_or("not set");
    match (refusal(term), terminal.size) {
        (Some(reason), Some(_)) => Fact::missing("TERM", reason)
            .way("set TERM to what the terminal is, for example xterm-256color; `carpel exec` works without"),
        (_, None) => Fact::note(
            "TERM",
            format!("{shown}; standard input and output are no terminal, so nothing was asked"),
        )
        .way("run `carpel doctor` in the terminal that you chat in; without one there is `carpel exec`"),
        (None, Some(_)) => match age(term) {
            Age::Modern => Fact::ok("TERM", shown),
            Age::Old => Fact::note("TERM", format!("{shown}, an old terminal: it gets what a VT100 knows"))
                .way("set TERM to what the terminal is, if it is more"),
        },
    }
}

fn size(size: Size) -> Fact {
    let shown = format!("{} columns, {} rows", size.width, size.height);
    if size.width == 0 || size.height == 0 {
        return Fact::note("window", format!("{shown}: not known yet"))
            .way("`stty size` shows it; `stty cols 80 rows 24` sets it");
    }
    match too_small(size) {
        Some(_) => Fact::missing("window", format!("{shown}: too small for the chat")).way("enlarge it"),
        None if size.width < 40 || size.height < 8 => {
            Fact::note("window", format!("{shown}: cramped; 40 columns and 8 rows show everything"))
        }
        None => Fact::ok("window", shown),
    }
}

/// Depth, theme, background.
fn colours(terminal: &Terminal<'_>) -> Vec<Fact> {
    let chosen = look::chosen(terminal.theme.map(|(theme, _)| theme), terminal.variable);
    let colours = match &chosen.colourless {
        None => Fact::ok("colours", "the terminal's own sixteen"),
        Some(why) => Fact::note("colours", format!("none: {why}")),
    };
    let theme = match terminal.theme {
        Some((_, by)) => format!("{}: {by} says so", chosen.themes.name.name()),
        None => format!("{}: nobody names one", chosen.themes.name.name()),
    };
    let by_variable = chosen.themes.ground;
    let asked = terminal.answers.and_then(|answers| answers.background);
    let background = match (by_variable, asked.map(Ground::of_rgb)) {
        (Some(ground), _) if (terminal.variable)("COLORFGBG").is_some() => {
            Fact::ok("background", format!("{}: COLORFGBG says so", word(ground)))
        }
        (Some(ground), _) => Fact::ok("background", format!("{}: as on every Linux console", word(ground))),
        (None, Some(ground)) => Fact::ok("background", format!("{}: the terminal says so", word(ground))),
        (None, None) if !chosen.themes.wants_ground() => Fact::ok("background", "not needed for this theme"),
        (None, None) if terminal.size.is_none() => Fact::ok("background", "no terminal to ask"),
        (None, None) => Fact::note("background", "not known: colours that read on any are used")
            .way("`--theme dark` or `--theme light`, or `theme` under [ui] in the manifest"),
    };
    vec![colours, Fact::ok("theme", theme), background]
}

fn word(ground: Ground) -> &'static str {
    match ground {
        Ground::Dark => "dark",
        Ground::Light => "light",
    }
}

/// What the terminal said of itself.
fn answered(terminal: &Terminal<'_>, age: Age) -> Vec<Fact> {
    let answers = match (age, terminal.answers) {
        (Age::Old, _) => {
            return vec![Fact::note("features", "an old terminal is asked nothing and gets no modes")];
        }
        (_, None) => {
            return vec![Fact::note("features", "not asked: the terminal belongs to another program now")];
        }
        (_, Some(Answers { any: false, .. })) => {
            return vec![Fact::note("features", "asked, and nothing was answered within half a second")];
        }
        (Age::Modern, Some(answers)) => answers,
    };
    let updates = match answers.updates {
        true => Fact::ok("updates", "synchronised: no frame is seen half"),
        false => Fact::note("updates", "not synchronised; each frame is one write all the same"),
    };
    let keyboard = match answers.keyboard {
        true => Fact::ok("keyboard", "the kitty protocol: Shift+Enter breaks the line"),
        false => Fact::note("keyboard", "Shift+Enter cannot be told from Enter here")
            .way("Alt+Enter breaks the line; kitty, foot, Ghostty and WezTerm know the protocol"),
    };
    vec![updates, keyboard]
}

fn multiplexer(terminal: &Terminal<'_>) -> Vec<Fact> {
    let set = |name: &str| (terminal.variable)(name).is_some_and(|value| !value.is_empty());
    if set("TMUX") {
        let settings = terminal.tmux.iter().map(|(name, value)| match value {
            Some(value) if value.is_empty() => format!("{name} is not set"),
            Some(value) => format!("{name} {value}"),
            None => format!("{name} is not known to it"),
        });
        let settings = settings.collect::<Vec<_>>().join(", ");
        let text = if settings.is_empty() { "its settings cannot be asked".to_owned() } else { settings };
        return vec![Fact::ok("tmux", format!("{text}; carpel depends on none of them"))];
    }
    if set("STY") {
        return vec![Fact::ok(
            "screen",
            "carpel runs in GNU screen, which passes over what it does not know",
        )];
    }
    Vec::new()
}

fn locale(variable: &dyn Fn(&str) -> Option<String>) -> Fact {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| Some((name, variable(name).filter(|value| !value.is_empty())?)));
    // Only the variable that decides can change anything, and LC_ALL decides over all others.
    let way_out = match &set {
        Some(("LC_ALL", _)) => "unset LC_ALL, or set it to",
        Some(("LC_CTYPE", _)) => "unset LC_CTYPE, or set it to",
        _ => "set LANG to",
    };
    let shown =
        set.as_ref().map_or_else(|| "none is set".to_owned(), |(name, value)| format!("{name}={value}"));
    if look::is_utf8(variable) {
        Fact::ok("locale", format!("{shown}: UTF-8, so signs are ✓ ✗ ›"))
    } else {
        Fact::note("locale", format!("{shown}: no UTF-8, so signs are + x >"))
            .way(format!("{way_out} a locale with UTF-8, for example C.UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::brief;
    use super::*;

    fn check(
        variables: &[(&str, &str)],
        size: Option<(u16, u16)>,
        answers: Option<Answers>,
        expected: &[&str],
    ) {
        let variable = |wanted: &str| {
            variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
        };
        let terminal = Terminal {
            variable: &variable,
            size: size.map(|(width, height)| Size::new(width, height)),
            answers,
            theme: None,
            tmux: vec![("set-clipboard", Some("external".to_owned())), ("allow-passthrough", None)],
        };
        let got = brief(&facts(&terminal));
        for expected in expected {
            assert!(got.iter().any(|line| line.starts_with(expected)), "{expected} in {got:#?}");
        }
        assert!(got.len() >= expected.len());
    }

    #[test]
    fn the_variable_that_decides_is_the_one_to_change() {
        let way_out = |set: &[(&str, &str)]| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            locale(&variable).way_out.map(|way| way.as_str().to_owned())
        };
        let expected = |change: &str| Some(format!("{change} a locale with UTF-8, for example C.UTF-8"));
        assert_eq!(way_out(&[("LC_ALL", "C"), UTF8]), expected("unset LC_ALL, or set it to"));
        assert_eq!(way_out(&[("LC_CTYPE", "C"), UTF8]), expected("unset LC_CTYPE, or set it to"));
        assert_eq!(way_out(&[("LANG", "C")]), expected("set LANG to"));
        assert_eq!(way_out(&[("LC_ALL", "")]), expected("set LANG to"));
        assert_eq!(way_out(&[("LANG", "C"), ("LC_ALL", "C.UTF-8")]), None);
    }

    const XTERM: (&str, &str) = ("TERM", "xterm-256color");
    const UTF8: (&str, &str) = ("LANG", "C.UTF-8");

    #[test]
    fn what_is_said_of_a_terminal() {
        let all = Answers { any: true, updates: true, keyboard: true, background: Some([255; 3]) };
        check(
            &[XTERM, UTF8],
            Some((80, 24)),
            Some(all),
            &[
                "+ TERM: xterm-256color",
                "+ window: 80 columns, 24 rows",
                "+ colours: the terminal's own sixteen",
                "+ theme: auto: nobody names one",
                "+ background: light: the terminal says so",
                "+ updates: synchronised",
                "+ keyboard: the kitty protocol",
                "+ locale: LANG=C.UTF-8",
            ],
        );
        check(
            &[XTERM, ("NO_COLOR", "1"), ("TMUX", "x")],
            Some((30, 24)),
            Some(Answers { any: true, ..Answers::default() }),
            &[
                "! window: 30 columns, 24 rows: cramped",
                "! colours: none: NO_COLOR is set",
                "+ theme: none",
                "+ background: not needed",
                "! updates: not synchronised",
                "! keyboard: Shift+Enter cannot be told from Enter here -> Alt+Enter",
                "+ tmux: set-clipboard external, allow-passthrough is not known to it; ",
                "! locale: none is set: no UTF-8",
            ],
        );
        check(
            &[("TERM", "dumb"), UTF8],
            Some((3, 2)),
            Some(Answers::default()),
            &[
                "x TERM: the terminal says",
                "x window: 3 columns, 2 rows: too small",
                "! features: asked, and nothing",
            ],
        );
        check(
            &[("TERM", "vt100"), ("COLORFGBG", "0;15"), ("STY", "1")],
            Some((0, 0)),
            None,
            &[
                "! TERM: vt100, an old terminal",
                "! window: 0 columns, 0 rows: not known",
                "! colours: none: TERM=vt100 knows none",
                "+ background: light: COLORFGBG",
                "! features: an old terminal is asked nothing",
                "+ screen: ",
            ],
        );
        check(
            &[],
            None,
            None,
            &[
                "! TERM: not set; standard input and output are no terminal",
                "+ background: no terminal to ask",
            ],
        );
    }
}
