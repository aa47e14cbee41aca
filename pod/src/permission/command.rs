//! A command line taken apart, as far as that is certain, and the rules that speak of commands.
//!
//! Owns which texts can be read without being a shell: plain words, quotes without anything to expand, and `;`, `&`, `|`,
//! `&&`, `||` and line ends between them. Everything else (a `$`, a backtick, a redirection into a file, a subshell, a
//! reserved word, an assignment) makes the command unclear: no allow rule holds for it. A rule that forbids or wants to
//! ask holds for any part, and in what is unclear, or run by another program (`sudo`, `xargs`, `bash -c`), wherever its
//! words stand. Pure. Refuses to know what a program does with its arguments. Read next: `rule.rs`.

/// A command as rules see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    parts: Vec<Part>,
    /// Whether the parts are all that it runs.
    is_clear: bool,
    /// Every word of it, quotes and backslashes taken out, whatever it is for.
    loose: Vec<String>,
}

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Part {
    words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Word {
    text: String,
    /// False for a pattern (`*.rs`, `~`) that the shell puts something else for.
    is_literal: bool,
}

/// The words that a rule gives, and whether more may follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    words: Vec<String>,
    more: bool,
}

impl CommandPattern {
    /// `cargo test:*` or `cargo test *`: these words and any more; `cargo test`: these alone; `*`: every command.
    ///
    /// # Errors
    /// A sentence, when it is not plain words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let trimmed = text.trim();
        let open = trimmed.strip_suffix(":*").or_else(|| trimmed.strip_suffix(" *"));
        let (body, more) = match open {
            Some(body) => (body, true),
            None if trimmed == "*" => ("", true),
            None => (trimmed, false),
        };
        let line = CommandLine::read(body);
        let words = match line.parts.as_slice() {
            [] if more && line.is_clear => Vec::new(),
            [part] if line.is_clear && part.words.iter().all(|word| word.is_literal) => {
                part.words.iter().map(|word| word.text.clone()).collect()
            }
            _ => {
                return Err(
                    "a rule for commands is the plain words of one, `:*` behind them where more may \
                     follow"
                        .to_owned(),
                );
            }
        };
        Ok(Self { words, more })
    }

    fn fits(&self, words: &[Word]) -> bool {
        let enough =
            if self.more { words.len() >= self.words.len() } else { words.len() == self.words.len() };
        enough && self.words.iter().zip(words).all(|(mine, word)| word.is_literal && word.text == *mine)
    }

    /// Whether it says of this part that it may run.
    fn allows(&self, part: &Part) -> bool {
        self.fits(&part.words)
    }

    /// Whether any part of the command is, or may be, what it speaks of.
    pub fn concerns(&self, line: &CommandLine) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let stands = |part: &Part| {
            // A path to a program is the program.
            let mut words = part.words.clone();
            if let (Some(first), Some(mine)) = (words.first_mut(), self.words.first())
                && !mine.contains('/')
            {
                first.text = name(&first.text).to_owned();
            }
            self.fits(&words)
        };
        if line.parts.iter().any(stands) {
            return true;
        }
        let in_doubt = !line.is_clear || line.parts.iter().any(Part::runs_another);
        in_doubt && self.is_among(&line.loose)
    }

    fn is_among(&self, loose: &[String]) -> bool {
        loose.windows(self.words.len()).any(|words| {
            let first = words.first().zip(self.words.first());
            first.is_some_and(|(word, mine)| word == mine || name(word) == mine)
                && words.iter().zip(&self.words).skip(1).all(|(word, mine)| word == mine)
        })
    }
}

impl CommandLine {
    pub fn read(text: &str) -> Self {
        let mut reader = Reader::default();
        let is_clear = reader.read(text).is_some();
        let mut parts = reader.parts;
        parts.retain(|part| !part.words.is_empty());
        let is_clear = is_clear && parts.iter().all(Part::is_plain);
        Self { parts, is_clear, loose: loose(text) }
    }

    /// Whether it is certain what it runs.
    pub fn is_clear(&self) -> bool {
        self.is_clear
    }

    /// Whether each of its parts is allowed by one of `patterns`.
    pub fn is_allowed_by<'a>(&self, patterns: impl Iterator<Item = &'a CommandPattern> + Clone) -> bool {
        self.is_clear
            && !self.parts.is_empty()
            && self.parts.iter().all(|part| patterns.clone().any(|pattern| pattern.allows(part)))
    }
}

/// Programs that run what their arguments say.
const RUNNERS: &[&str] = &[
    "sudo", "doas", "su", "env", "command", "builtin", "exec", "eval", "nohup", "nice", "ionice", "timeout",
    "time", "setsid", "stdbuf", "xargs", "parallel", "find", "watch", "bash", "sh", "dash", "zsh", "ksh",
    "fish", "busybox", "ssh", "script", "strace", "chroot", "unshare", "flock", "source", ".", "trap",
    "python", "python3", "perl", "ruby", "node", "awk",
];

/// Words that change what follows them.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "coproc", "[[", "]]", "!", "{", "}", "alias", "unalias", "shopt", "set",
    "enable", "hash",
];

impl Part {
    /// Whether its first word is the program, and nothing but that.
    fn is_plain(&self) -> bool {
        self.words.first().is_some_and(|first| {
            first.is_literal && !first.text.contains('=') && !RESERVED.contains(&first.text.as_str())
        })
    }

    fn runs_another(&self) -> bool {
        self.words.first().is_some_and(|first| RUNNERS.contains(&name(&first.text)))
    }
}

/// The program that a path leads to.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Every word, whatever quotes, operators and expansions stand around it.
fn loose(text: &str) -> Vec<String> {
    let bare: String = text.chars().filter(|character| !matches!(character, '"' | '\'' | '\\')).collect();
    bare.split(|character: char| character.is_whitespace() || ";|&()<>{}`$!=,".contains(character))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[derive(Default)]
struct Reader {
    parts: Vec<Part>,
    part: Part,
    word: Option<Word>,
    /// Whether any of the word stood in quotes.
    quoted: bool,
}

impl Reader {
    /// `None` where a shell would be needed to go on.
    fn read(&mut self, text: &str) -> Option<()> {
        let mut rest = text.chars().peekable();
        while let Some(character) = rest.next() {
            match character {
                ' ' | '\t' => self.end_word(),
                '\n' | ';' | '|' | '&' => {
                    // `&>` is one thing to bash and two to other shells; `;;` belongs to `case`.
                    match (character, rest.peek()) {
                        ('&', Some('>')) | (';', Some(';' | '&')) => return None,
                        ('&', Some('&')) | ('|', Some('|' | '&')) => drop(rest.next()),
                        _ => {}
                    }
                    self.end_part();
                }
                '\'' => loop {
                    self.quoted = true;
                    match rest.next()? {
                        '\'' => {
                            self.open();
                            break;
                        }
                        inner => self.open().text.push(inner),
                    }
                },
                '"' => loop {
                    self.quoted = true;
                    match rest.next()? {
                        '"' => {
                            self.open();
                            break;
                        }
                        '$' | '`' | '\\' => return None,
                        inner => self.open().text.push(inner),
                    }
                },
                '\\' => match rest.next()? {
                    escaped if escaped.is_ascii_graphic() => {
                        self.quoted = true;
                        self.open().text.push(escaped);
                    }
                    _ => return None,
                },
                '<' | '>' => self.redirection(character, &mut rest)?,
                '*' | '?' | '[' | ']' => {
                    let word = self.open();
                    word.text.push(character);
                    word.is_literal = false;
                }
                '~' | '#' if self.word.is_none() => {
                    if character == '#' {
                        return None;
                    }
                    let word = self.open();
                    word.text.push('~');
                    word.is_literal = false;
                }
                '$' | '`' | '(' | ')' | '{' | '}' => return None,
                control if control.is_control() => return None,
                plain => self.open().text.push(plain),
            }
        }
        self.end_part();
        Some(())
    }

    /// Into nothing, from nothing, or one stream into another: these change no file.
    fn redirection(&mut self, sign: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<()> {
        let is_descriptor = |word: &Word| word.text.len() == 1 && word.text.as_bytes()[0].is_ascii_digit();
        match &self.word {
            Some(word) if !self.quoted && is_descriptor(word) => self.word = None,
            _ => self.end_word(),
        }
        if sign == '>' && rest.peek() == Some(&'>') {
            rest.next();
        }
        let to_stream = rest.peek() == Some(&'&');
        if to_stream {
            rest.next();
        } else {
            while rest.peek() == Some(&' ') {
                rest.next();
            }
        }
        let mut target = String::new();
        while let Some(character) = rest.next_if(|character| {
            character.is_ascii_alphanumeric() || matches!(character, '/' | '.' | '-' | '_')
        }) {
            target.push(character);
        }
        // Whatever goes on with the target makes it another one.
        let ends = rest.peek().is_none_or(|next| matches!(next, ' ' | '\t' | '\n' | ';' | '|' | '&'));
        let harmless =
            if to_stream { matches!(target.as_str(), "0" | "1" | "2") } else { target == "/dev/null" };
        (ends && harmless).then_some(())
    }

    fn open(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word { text: String::new(), is_literal: true })
    }

    fn end_word(&mut self) {
        self.quoted = false;
        self.part.words.extend(self.word.take());
    }

    fn end_part(&mut self) {
        self.end_word();
        self.parts.push(std::mem::take(&mut self.part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a command, its words in brackets; `?` for what is unclear.
    fn read(text: &str) -> String {
        let line = CommandLine::read(text);
        if !line.is_clear() {
            return "?".to_owned();
        }
        let word = |word: &Word| {
            if word.is_literal { format!("[{}]", word.text) } else { format!("<{}>", word.text) }
        };
        let part = |part: &Part| part.words.iter().map(word).collect::<String>();
        line.parts.iter().map(part).collect::<Vec<_>>().join(" + ")
    }

    #[test]
    fn what_can_be_read_for_certain() {
        let check = |text: &str, expected: &str| assert_eq!(read(text), expected, "{text:?}");
        check("cargo test", "[cargo][test]");
        check("  cargo\ttest  ", "[cargo][test]");
        check("a && b || c; d | e & f\ng", "[a] + [b] + [c] + [d] + [e] + [f] + [g]");
        check("a |& b", "[a] + [b]");
        check("a;", "[a]");
        check("grep 'a; rm -rf $HOME' x", "[grep][a; rm -rf $HOME][x]");
        check("echo \"a; b\" c", "[echo][a; b][c]");
        check("r'm' \"-rf\" /", "[rm][-rf][/]");
        check("echo ''", "[echo][]");
        check("echo a\\;b", "[echo][a;b]");
        check("ls *.rs ~/x a[0]", "[ls]<*.rs><~/x><a[0]>");
        check("cargo test 2>&1", "[cargo][test]");
        check("cargo test 2>/dev/null >/dev/null", "[cargo][test]");
        check("cargo test > /dev/null; b", "[cargo][test] + [b]");
        check("cat < /dev/null", "[cat]");
        check("echo a=b", "[echo][a=b]");
        check("echo x#y", "[echo][x#y]");
        check("", "");
    }

    #[test]
    fn what_needs_a_shell_is_unclear() {
        for text in [
            "echo $HOME",
            "echo \"$(rm x)\"",
            "echo `rm x`",
            "echo \"`rm x`\"",
            "(cd x; rm y)",
            "{ rm x; }",
            "f() { rm x; }",
            "cat <(rm x)",
            "echo x > file",
            "echo x >> file",
            "echo x >| file",
            "echo x >file 2>&1",
            "echo x > /dev/null/../../etc/x",
            "echo x > /dev/null\"x\"",
            "echo x >&file",
            "echo x &>file",
            "echo x &>/dev/null",
            "cat < file",
            "cat <<EOF\nx\nEOF",
            "cat <<< x",
            "for i in 1 2; do rm x; done",
            "if true; then rm x; fi",
            "while true; do rm x; done",
            "! rm x",
            "time rm x",
            "FOO=bar cargo test",
            "echo x # rm",
            "echo 'open",
            "echo \"open",
            "echo \\",
            "cargo \\\ntest",
            "echo a\rb",
            "echo {a,b}",
            "echo \"a\\\"b\"",
            "r*m x",
            "~/bin/x",
            "alias ls=rm",
            "case x in y) rm z;; esac",
            "a ;; b",
        ] {
            assert_eq!(read(text), "?", "{text:?}");
        }
    }

    #[test]
    fn a_rule_allows_what_every_part_is() {
        let check = |rules: &[&str], command: &str, expected: bool| {
            let patterns: Vec<CommandPattern> =
                rules.iter().map(|rule| CommandPattern::parse(rule).unwrap()).collect();
            let line = CommandLine::read(command);
            assert_eq!(line.is_allowed_by(patterns.iter()), expected, "{rules:?} {command:?}");
        };
        check(&["cargo test:*"], "cargo test", true);
        check(&["cargo test:*"], "cargo test -p x 2>&1", true);
        check(&["cargo test *"], "cargo test -p x", true);
        check(&["cargo test:*"], "cargo testing", false);
        check(&["cargo test:*"], "cargo", false);
        check(&["cargo test"], "cargo test", true);
        check(&["cargo test"], "cargo  'test'", true);
        check(&["cargo test"], "cargo test -p x", false);
        check(&["cargo test:*"], "cargo test; rm -rf /", false);
        check(&["cargo test:*"], "cargo test && rm -rf /", false);
        check(&["cargo test:*"], "cargo test\nrm -rf /", false);
        check(&["cargo test:*"], "cargo test & rm -rf /", false);
        check(&["cargo test:*"], "cargo test | sh", false);
        check(&["cargo test:*"], "cargo test $(rm -rf /)", false);
        check(&["cargo test:*"], "cargo test > ~/.bashrc", false);
        check(&["cargo test:*"], "PATH=. cargo test", false);
        check(&["cargo test:*"], "/tmp/cargo test", false);
        check(&["cargo test:*"], "./cargo test", false);
        check(&["cargo test:*"], "cargo t*t", false);
        check(&["cargo test:*", "cargo fmt:*"], "cargo fmt && cargo test", true);
        check(&["*"], "anything at all", true);
        check(&["*"], "echo $HOME", false);
        check(&["*"], "", false);
    }

    #[test]
    fn a_rule_concerns_any_part_and_what_is_in_doubt() {
        let check = |rule: &str, command: &str, expected: bool| {
            let pattern = CommandPattern::parse(rule).unwrap();
            assert_eq!(pattern.concerns(&CommandLine::read(command)), expected, "{rule:?} {command:?}");
        };
        check("rm:*", "rm -rf x", true);
        check("rm:*", "ls && rm x", true);
        check("rm:*", "ls | /bin/rm x", true);
        check("rm:*", "'r'\"m\" x", true);
        check("rm:*", "sudo rm x", true);
        check("rm:*", "bash -c 'cd x; rm y'", true);
        check("rm:*", "find . -exec rm {} +", true);
        check("rm:*", "for f in *; do rm \"$f\"; done", true);
        check("rm:*", "echo $(r\\m x)", true);
        check("rm:*", "echo `rm x`", true);
        check("rm:*", "X=1 rm x", true);
        check("rm:*", "echo rm", false);
        check("rm:*", "echo alarm > x", false);
        check("rm:*", "cargo test", false);
        check("git push:*", "git push origin", true);
        check("git push:*", "git pull", false);
        check("git push:*", "cd x; git push", true);
        check("git push:*", "env git push", true);
        check("git push", "git push origin", false);
        check("*", "ls", true);
    }

    #[test]
    fn what_is_no_pattern() {
        for text in ["", "echo $x", "a; b", "a > b", "git * main", "a:*b*", "(x)"] {
            assert!(CommandPattern::parse(text).is_err(), "{text:?}");
        }
    }
}
