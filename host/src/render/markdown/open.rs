//! Inline spans that are still open: emphasis, code, links that a later line could close.
//!
//! A line of a paragraph may be final only when nothing in it can still become part of a span. The answer may be "open"
//! once too often, which only delays a row; it is the same for the same text always. It parses nothing.

/// What would close the spans that are open at the end of the text, innermost first. Empty when none is.
pub fn closers(text: &str) -> Vec<String> {
    let mut open: Vec<Delimiter> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let run = run_length(&text[at..], c);
        match c {
            '\\' => {
                let escaped = text[at + 1..].chars().next().map_or(0, char::len_utf8);
                at += 1 + escaped;
                continue;
            }
            '`' => match closing_ticks(&text[at + run..], run) {
                Some(end) => {
                    at += run + end;
                    continue;
                }
                None => {
                    open.push(Delimiter { mark: '`', count: run });
                    break;
                }
            },
            '*' | '_' | '~' => emphasis(&mut open, text, at, c, run),
            '[' => open.push(Delimiter { mark: '[', count: 1 }),
            ']' => {
                if let Some(opener) = open.iter().rposition(|delimiter| delimiter.mark == '[') {
                    open.truncate(opener);
                    if text[at + 1..].starts_with('(') {
                        match text[at + 2..].find(')') {
                            Some(end) => {
                                at += 2 + end;
                                continue;
                            }
                            None => {
                                open.push(Delimiter { mark: '(', count: 1 });
                                break;
                            }
                        }
                    }
                }
            }
            '<' => {
                let begins =
                    text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
                match text[at + 1..].find('>') {
                    Some(end) if begins => {
                        at += 1 + end;
                        continue;
                    }
                    None if begins => {
                        open.push(Delimiter { mark: '<', count: 1 });
                        break;
                    }
                    _ => {}
                }
            }
            _ => {
                at += c.len_utf8();
                continue;
            }
        }
        at += run.max(1) * c.len_utf8();
    }
    open.iter().rev().map(Delimiter::closer).collect()
}

struct Delimiter {
    mark: char,
    count: usize,
}

impl Delimiter {
    fn closer(&self) -> String {
        let mark = match self.mark {
            '[' => ']',
            '(' => ')',
            '<' => '>',
            mark => mark,
        };
        std::iter::repeat_n(mark, self.count).collect()
    }
}

fn run_length(text: &str, c: char) -> usize {
    if matches!(c, '`' | '*' | '_' | '~') { text.chars().take_while(|other| *other == c).count() } else { 1 }
}

/// The place behind the run of exactly so many backticks.
fn closing_ticks(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = run_length(&text[at + found..], '`');
        at += found + run;
        if run == length {
            return Some(at);
        }
    }
    None
}

fn emphasis(open: &mut Vec<Delimiter>, text: &str, at: usize, mark: char, run: usize) {
    let before = text[..at].chars().next_back().unwrap_or(' ');
    let after = text[at + run..].chars().next().unwrap_or(' ');
    let (blank_before, blank_after) = (before.is_whitespace(), after.is_whitespace());
    let (sign_before, sign_after) = (is_sign(before), is_sign(after));
    let left = !blank_after && (!sign_after || blank_before || sign_before);
    let right = !blank_before && (!sign_before || blank_after || sign_after);
    let within = mark == '_' && left && right;
    let can_close = right && (!within || sign_after);
    let can_open = left && (!within || sign_before);
    let mut left_over = run;
    if can_close {
        while left_over > 0 {
            let Some(opener) = open.iter().rposition(|delimiter| delimiter.mark == mark) else { break };
            open.truncate(opener + 1);
            let used = open[opener].count.min(left_over);
            open[opener].count -= used;
            left_over -= used;
            if open[opener].count == 0 {
                open.truncate(opener);
            }
        }
    }
    if can_open && left_over > 0 {
        open.push(Delimiter { mark, count: left_over });
    }
}

fn is_sign(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_alphanumeric() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_spans_are_found() {
        let rows: [(&str, &[&str]); 16] = [
            ("plain text", &[]),
            ("**bold", &["**"]),
            ("**bold** and *it", &["*"]),
            ("***both", &["***"]),
            ("`code", &["`"]),
            ("`` a ` b", &["``"]),
            ("`a` b", &[]),
            ("2 * 3 * 4", &[]),
            ("snake_case_name", &[]),
            ("[text", &["]"]),
            ("[text](http://x", &[")"]),
            ("[text](http://x) end", &[]),
            ("a < b", &[]),
            ("<http://x", &[">"]),
            ("\\*not", &[]),
            ("**a *b", &["*", "**"]),
        ];
        for (text, want) in rows {
            assert_eq!(closers(text), want, "{text:?}");
        }
    }
}
