//! Output of programs: what a terminal would have shown of it, line by line.
//!
//! Colours are kept, a line that was written again over a carriage return is its last text, overstruck letters are one
//! letter, tabs go to their stops. What is a sequence, and how long it is, `Printable` says, so that output hides no more
//! and no less than any other text. It knows no limits and no rows.

use std::borrow::Cow;

use carpel_slots::Printable;
use ratatui::style::{Color, Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::render::theme::{ColorMode, Theme};
use crate::render::wrap::expand_tabs;
use crate::row::RowSpan;

const TAB: usize = 8;

/// Turns lines into spans; colours go on from line to line.
#[derive(Debug, Clone)]
pub struct Screen {
    theme: Theme,
    style: Style,
}

impl Screen {
    /// A screen in the theme's colours, with no style set.
    pub fn new(theme: Theme) -> Screen {
        Screen { theme, style: Style::new() }
    }

    /// The spans of one line, given without its line feed.
    pub fn line(&mut self, text: &str) -> Vec<RowSpan> {
        let mut column_text = String::new();
        let mut spans = Vec::new();
        for (text, style) in self.pieces(text) {
            let expanded = expand_from(&mut column_text, &text);
            let text = Printable::line(&expanded);
            if !text.as_str().is_empty() {
                spans.push(RowSpan { text, style });
            }
        }
        spans
    }

    /// The text with its sequences taken out, folded where it was written over.
    fn pieces(&mut self, text: &str) -> Vec<(String, Style)> {
        let mut before: Vec<(String, Style)> = Vec::new();
        let mut pieces: Vec<(String, Style)> = Vec::new();
        let mut rest = text;
        let mut pops = 0;
        while let Some(at) = rest.find(is_special) {
            let (plain, special) = rest.split_at(at);
            self.print(&mut pieces, plain, &mut pops);
            if let Some(length) = Printable::sequence(special) {
                let (sequence, after) = special.split_at(length);
                if let Some(parameters) = colours(sequence) {
                    self.style = styled(self.style, parameters);
                }
                rest = after;
                continue;
            }
            let mut chars = special.chars();
            match chars.next() {
                Some('\u{8}') => pops += 1,
                Some('\r') => {
                    // A rewritten line is its last text; one that was only rewound keeps what it had.
                    let written = std::mem::take(&mut pieces);
                    if is_seen(&written) {
                        before = written;
                    }
                    pops = 0;
                }
                // Shown here: together with what follows it, it would be taken for the beginning of a sequence.
                Some(alone) => {
                    let shown = Printable::exact(alone.encode_utf8(&mut [0; 4]));
                    self.print(&mut pieces, shown.as_str(), &mut pops);
                }
                None => {}
            }
            rest = chars.as_str();
        }
        self.print(&mut pieces, rest, &mut pops);
        if is_seen(&pieces) || before.is_empty() { pieces } else { before }
    }

    /// Adds text; letters that were stepped back over are struck over by it.
    fn print(&self, pieces: &mut Vec<(String, Style)>, text: &str, pops: &mut usize) {
        if text.is_empty() {
            return;
        }
        for _ in 0..std::mem::take(pops) {
            while let Some((last, _)) = pieces.last_mut() {
                match last.grapheme_indices(true).next_back().map(|(at, _)| at) {
                    Some(at) => {
                        last.truncate(at);
                        break;
                    }
                    None => drop(pieces.pop()),
                }
            }
        }
        let shown = self.shown();
        match pieces.last_mut() {
            Some((last, style)) if *style == shown => last.push_str(text),
            _ => pieces.push((text.to_owned(), shown)),
        }
    }

    /// The style as the theme lets it through.
    fn shown(&self) -> Style {
        let Style { fg, bg, .. } = self.style;
        // Text in the colour of its own background could not be read.
        let bg = bg.filter(|bg| fg != Some(*bg));
        Style {
            fg: fg.and_then(|fg| self.theme.foreign(fg, bg)),
            bg: bg.filter(|_| self.theme.mode() == ColorMode::Colour),
            ..self.style
        }
    }
}

/// Expands tabs by the columns that stand before them in the line.
fn expand_from<'a>(before: &mut String, text: &'a str) -> Cow<'a, str> {
    if !text.contains('\t') {
        before.push_str(text);
        return text.into();
    }
    let whole = expand_tabs(&format!("{before}{text}"), TAB).into_owned();
    let expanded = whole[before.len()..].to_owned();
    *before = whole;
    expanded.into()
}

fn is_seen(pieces: &[(String, Style)]) -> bool {
    pieces.iter().any(|(text, _)| !text.trim().is_empty())
}

/// What may begin a sequence, and what moves back within the line.
fn is_special(c: char) -> bool {
    matches!(c, '\u{8}' | '\r' | '\u{1b}' | '\u{80}'..='\u{9f}')
}

/// The parameters of a sequence that sets colours and the like.
fn colours(sequence: &str) -> Option<&str> {
    let body = sequence.strip_prefix("\u{1b}[").or_else(|| sequence.strip_prefix('\u{9b}'))?;
    body.strip_suffix('m').filter(|body| body.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')))
}

fn styled(style: Style, parameters: &str) -> Style {
    let mut style = style;
    let mut numbers = parameters.split([';', ':']).map(|number| number.parse::<u16>().unwrap_or(0));
    while let Some(number) = numbers.next() {
        style = match number {
            0 => Style::new(),
            1 => style.add_modifier(Modifier::BOLD),
            2 => style.add_modifier(Modifier::DIM),
            3 => style.add_modifier(Modifier::ITALIC),
            4 => style.add_modifier(Modifier::UNDERLINED),
            7 => style.add_modifier(Modifier::REVERSED),
            9 => style.add_modifier(Modifier::CROSSED_OUT),
            22 => without(style, Modifier::BOLD | Modifier::DIM),
            23 => without(style, Modifier::ITALIC),
            24 => without(style, Modifier::UNDERLINED),
            27 => without(style, Modifier::REVERSED),
            29 => without(style, Modifier::CROSSED_OUT),
            30..=37 => style.fg(sixteen(number - 30)),
            90..=97 => style.fg(sixteen(number - 90 + 8)),
            40..=47 => style.bg(sixteen(number - 40)),
            100..=107 => style.bg(sixteen(number - 100 + 8)),
            38 => extended(&mut numbers).map_or(style, |colour| style.fg(colour)),
            48 => extended(&mut numbers).map_or(style, |colour| style.bg(colour)),
            39 => Style { fg: None, ..style },
            49 => Style { bg: None, ..style },
            _ => style,
        };
    }
    style
}

fn without(style: Style, modifier: Modifier) -> Style {
    Style { add_modifier: style.add_modifier - modifier, ..style }
}

/// The terminal's own sixteen, by their numbers.
pub(super) const SIXTEEN: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

fn sixteen(number: u16) -> Color {
    SIXTEEN.get(usize::from(number)).copied().unwrap_or(Color::Reset)
}

fn extended(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let byte = |number: u16| u8::try_from(number).ok();
    match numbers.next()? {
        5 => {
            let number = numbers.next()?;
            if number < 16 { Some(sixteen(number)) } else { byte(number).map(Color::Indexed) }
        }
        2 => Some(Color::Rgb(byte(numbers.next()?)?, byte(numbers.next()?)?, byte(numbers.next()?)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str]) -> Vec<String> {
        let mut screen = Screen::new(Theme::COLOUR);
        lines.iter().map(|line| screen.line(line).iter().map(|span| span.text.as_str()).collect()).collect()
    }

    /// LOG 5.17: carriage-return progress is its last text. LOG 3.21, 3.22: nothing is swallowed.
    #[test]
    fn a_line_is_what_it_came_to() {
        let rows = [
            ("1 %\r50 %\r100 %", "100 %"),
            ("done\r", "done"),
            ("done\r\u{1b}[K", "done"),
            ("_\u{8}a_\u{8}b", "ab"),
            ("e\u{301}\u{8}x", "x"),
            ("a\tb", "a       b"),
            ("\u{1b}[31mred\u{1b}[0m\tb", "red     b"),
            ("copy me \u{1b}]52;c;ZXZpbA==\u{7} end", "copy me  end"),
            ("\u{1b}P1$r0m\u{1b}\\seen", "seen"),
            ("\u{1b}Ptmux;\u{1b}\u{1b}]0;x\u{7}\u{1b}\\seen", "seen"),
            ("\u{1b}kscreen-title\u{1b}\\visible", "visible"),
            ("\u{1b}]0;a\rb\u{7}seen", "seen"),
            ("a\u{1b}\u{8}[31mb", "a[31mb"),
            ("a\u{1b}é \u{90}b", "a␛é <U+0090>b"),
            ("\u{1b}[2J\u{1b}(0keep\u{1b}c", "keep"),
        ];
        for (text, want) in rows {
            assert_eq!(check(&[text]), [want], "{text:?}");
        }
        // One without an end is its opener alone, as everywhere.
        let unfinished = check(&["first \u{1b}]0;never ended", "second"]);
        assert_eq!(unfinished, ["first 0;never ended", "second"]);
    }

    #[test]
    fn colours_are_kept_and_go_on() {
        let mut screen = Screen::new(Theme::COLOUR);
        let first = screen.line("\u{1b}[1;31mbad");
        let second = screen.line("still\u{1b}[0m good");
        let red = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        assert_eq!((first[0].style, second[0].style, second[1].style), (red, red, Style::new()));
        let extended = screen.line("\u{1b}[38;5;9ma\u{1b}[38;2;1;2;3mb\u{1b}[39;48;5;200mc");
        let colours: Vec<_> = extended.iter().map(|span| (span.style.fg, span.style.bg)).collect();
        let want = [
            (Some(Color::LightRed), None),
            (Some(Color::Rgb(1, 2, 3)), None),
            (None, Some(Color::Indexed(200))),
        ];
        assert_eq!(colours, want);
        assert_eq!(Screen::new(Theme::NONE).line("\u{1b}[31mred")[0].style, Style::new());
        assert_eq!(Screen::new(Theme::COLOUR).line("\u{1b}[31;41mred")[0].style.bg, None);
    }

    /// Whatever a program writes, its output shows what any other place would show of it.
    #[test]
    fn hostile_text_is_what_printable_makes_of_it() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../slots/tests/data/hostile");
        // Blanks do not count: tabs of programs go to stops of eight.
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let raw = String::from_utf8_lossy(&bytes).into_owned();
            let decoded = raw.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            let texts: Vec<String> = decoded.flat_map(|value| strings(&value)).chain([raw.clone()]).collect();
            for line in texts.iter().flat_map(|text| text.lines()) {
                if line.contains('\u{8}') || line.contains('\r') {
                    continue;
                }
                assert_eq!(squeeze(&check(&[line])[0]), squeeze(Printable::line(line).as_str()), "{line:?}");
                seen += 1;
            }
        }
        assert!(seen > 50, "{seen} lines in {folder}");
    }

    fn strings(value: &serde_json::Value) -> Vec<String> {
        match value {
            serde_json::Value::String(text) => vec![text.clone()],
            serde_json::Value::Array(values) => values.iter().flat_map(strings).collect(),
            serde_json::Value::Object(fields) => fields.values().flat_map(strings).collect(),
            _ => Vec::new(),
        }
    }
}
