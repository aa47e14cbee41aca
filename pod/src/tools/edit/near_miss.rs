//! What to say when a text is not found: the place that was probably meant, and in what it differs.
//!
//! It only tells; a text that is nearly there is never replaced. Owns the comparisons: line numbers copied along, line
//! ends at the edges, blanks, letter case, a first line that is there while the next is not. Bounded in cost: only the
//! first megabyte is looked at. Pure.

const LOOKED_AT: usize = 1024 * 1024;

/// The second half of a sentence.
pub fn hint(text: &[u8], wanted: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(LOOKED_AT)]);
    let wanted = String::from_utf8_lossy(wanted);
    let there: Vec<&str> = text.lines().collect();
    let lines: Vec<&str> = wanted.lines().collect();

    if let Some(bare) = without_numbers(&lines)
        && text.contains(&bare)
    {
        return "it is there without the line numbers; leave these out".to_owned();
    }
    let trimmed = wanted.trim_matches('\n');
    if !trimmed.is_empty()
        && trimmed != wanted
        && let Some(at) = text.find(trimmed)
    {
        let line = number(&text, at);
        return format!("it is at line {line} but for empty lines or line ends around it");
    }
    if let Some(line) = find_lines(&there, &lines, |line| line.split_whitespace().collect::<String>()) {
        let indented = |lines: &[&str], with: char| lines.iter().any(|line| line.starts_with(with));
        let shown = &there[line..(line + lines.len()).min(there.len())];
        let kind = if indented(shown, '\t') && indented(&lines, ' ') {
            " (the file has tabs there)"
        } else if indented(shown, ' ') && indented(&lines, '\t') {
            " (the file has blanks there)"
        } else {
            ""
        };
        return format!("only blanks differ at line {}{kind}; copy it exactly as Read shows it", line + 1);
    }
    if let Some(line) = find_lines(&there, &lines, |line| line.to_lowercase()) {
        return format!("only upper and lower case differ at line {}", line + 1);
    }
    if let Some((line, differs)) = longest_start(&there, &lines) {
        return format!("it begins at line {line} but differs from line {differs} on; read the file again");
    }
    "read the file again and copy the text exactly".to_owned()
}

fn number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The lines without the number and tab that Read puts before each.
fn without_numbers(lines: &[&str]) -> Option<String> {
    let bare = |line: &&str| {
        let (before, text) = line.split_once('\t')?;
        let number = before.trim_start();
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
    };
    let bare: Option<Vec<String>> = lines.iter().map(bare).collect();
    bare.map(|lines| lines.join("\n")).filter(|text| !text.is_empty())
}

/// Where the lines stand when all are seen through `through`.
fn find_lines(there: &[&str], lines: &[&str], through: impl Fn(&str) -> String) -> Option<usize> {
    let wanted: Vec<String> = lines.iter().map(|line| through(line)).collect();
    if wanted.iter().all(String::is_empty) {
        return None;
    }
    let there: Vec<String> = there.iter().map(|line| through(line)).collect();
    // One line may be a part of one; several must be whole lines, save the outer ends.
    match wanted.as_slice() {
        [one] => there.iter().position(|line| line.contains(one)),
        several => there.windows(several.len()).position(|window| {
            let last = several.len() - 1;
            window[0].ends_with(&several[0])
                && window[last].starts_with(&several[last])
                && window[1..last] == several[1..last]
        }),
    }
}

/// The place where most of the first lines stand, from 1, and the number of the first line that differs.
fn longest_start(there: &[&str], lines: &[&str]) -> Option<(usize, usize)> {
    let first = lines.first().filter(|first| !first.trim().is_empty())?;
    if lines.len() < 2 {
        return None;
    }
    let same = |at: usize| there[at..].iter().zip(lines).take_while(|(a, b)| a == b).count();
    let places = there.iter().enumerate().filter(|(_, line)| line == &first).map(|(at, _)| at).take(1_000);
    let (at, same) =
        places.map(|at| (at, same(at))).max_by_key(|(at, same)| (*same, std::cmp::Reverse(*at)))?;
    Some((at + 1, at + same + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str, expected: &str) {
        let got = hint(text.as_bytes(), wanted.as_bytes());
        assert!(got.contains(expected), "{got} lacks {expected:?}");
    }

    #[test]
    fn what_was_probably_meant() {
        check("a\nb\n", "     1\ta\n     2\tb", "without the line numbers");
        check("a\nb", "b\n", "at line 2 but for");
        check("\tif x:\n\t\ty\n", "    if x:", "at line 1 (the file has tabs there)");
        check("  if x:\n    y\n", "\tif x:\n\t\ty", "at line 1 (the file has blanks there)");
        check("a\nlet  x = 1;\n", "let x = 1;", "only blanks differ at line 2;");
        check("a\nHello\n", "hello", "case differ at line 2");
        check("x\na\nb\na\nb\nc\n", "a\nb\nd", "begins at line 2 but differs from line 4 on");
        check("abc\n", "xyz", "read the file again and copy");
        check("", "x", "read the file again");
        check("a\n", "\n\n", "read the file again");
    }
}
