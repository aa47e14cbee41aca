//! A Rust file as tokens: what rules about code look at, so that comments and strings never count as code.
//!
//! This file owns the flat token list, the lines that hold test modules, and the modules declared for tests
//! only. Reading Rust text is proc-macro2's work.
//! It refuses to know rules, and it does not resolve names: a macro that builds code out of pieces gets round it.
//!
//! Read next: `imports.rs`, which looks for a pattern of tokens.

use std::ops::RangeInclusive;
use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Word(String),
    Mark(char),
    Open(char),
    Close(char),
    /// A literal or the text of a doc comment; no rule looks inside.
    Literal,
}

#[derive(Debug, Clone)]
pub struct Token {
    pub line: usize,
    pub kind: Kind,
}

/// The code of one file. Text that is not Rust has no tokens and a `problem`.
#[derive(Debug, Clone, Default)]
pub struct Code {
    pub tokens: Vec<Token>,
    /// Lines of `#[cfg(test)] mod name { ... }`.
    pub test_blocks: Vec<RangeInclusive<usize>>,
    /// Names in `#[cfg(test)] mod name;`, whose files hold tests only.
    pub test_modules: Vec<String>,
    pub problem: Option<(usize, String)>,
}

impl Code {
    pub fn parse(text: &str) -> Self {
        let mut code = Self::default();
        match TokenStream::from_str(text) {
            Ok(stream) => flatten(stream, &mut code.tokens),
            Err(error) => code.problem = Some((error.span().start().line, error.to_string())),
        }
        code.find_test_modules();
        code
    }

    pub fn is_test_line(&self, line: usize) -> bool {
        self.test_blocks.iter().any(|block| block.contains(&line))
    }

    /// The word at `at`, when there is one.
    pub fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at)?.kind {
            Kind::Word(ref word) => Some(word),
            Kind::Mark(_) | Kind::Open(_) | Kind::Close(_) | Kind::Literal => None,
        }
    }

    pub fn is(&self, at: usize, kind: &Kind) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == *kind)
    }

    /// Positions of the tokens of the attribute that starts at `at`, brackets included.
    pub fn attribute(&self, at: usize) -> Option<RangeInclusive<usize>> {
        if !self.is(at, &Kind::Mark('#')) {
            return None;
        }
        let open = if self.is(at + 1, &Kind::Mark('!')) { at + 2 } else { at + 1 };
        self.is(open, &Kind::Open('[')).then(|| open..=self.closing(open))
    }

    /// The bracket that closes the one at `open`; proc-macro2 has checked that there is one.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Open(_) => depth += 1,
                Kind::Close(_) if depth <= 1 => return at,
                Kind::Close(_) => depth -= 1,
                Kind::Word(_) | Kind::Mark(_) | Kind::Literal => {}
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    fn find_test_modules(&mut self) {
        for start in 0..self.tokens.len() {
            let Some(attribute) = self.attribute(start) else { continue };
            if !self.is_cfg_test(attribute.clone()) {
                continue;
            }
            let Some(module) = self.module_after(*attribute.end() + 1) else { continue };
            if self.is(module + 2, &Kind::Mark(';')) {
                self.test_modules.extend(self.word(module + 1).map(str::to_owned));
            } else if self.is(module + 2, &Kind::Open('{')) {
                let end = self.tokens[self.closing(module + 2)].line;
                self.test_blocks.push(self.tokens[start].line..=end);
            }
        }
    }

    /// `cfg(test)`, also within `all(..)` or `any(..)`; `not(test)` is production code.
    fn is_cfg_test(&self, attribute: RangeInclusive<usize>) -> bool {
        let mut words = attribute.filter_map(|at| self.word(at));
        if words.next() != Some("cfg") {
            return false;
        }
        let words: Vec<&str> = words.collect();
        words.contains(&"test") && !words.contains(&"not")
    }

    /// Position of `mod` when the item at `at` is a module, past further attributes and its visibility.
    fn module_after(&self, mut at: usize) -> Option<usize> {
        while let Some(attribute) = self.attribute(at) {
            at = *attribute.end() + 1;
        }
        if self.word(at) == Some("pub") {
            at += 1;
            if self.is(at, &Kind::Open('(')) {
                at = self.closing(at) + 1;
            }
        }
        (self.word(at) == Some("mod")).then_some(at)
    }
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => flatten_group(&group, tokens),
            TokenTree::Ident(word) => tokens.push(Token { line, kind: Kind::Word(word.to_string()) }),
            TokenTree::Punct(mark) => tokens.push(Token { line, kind: Kind::Mark(mark.as_char()) }),
            TokenTree::Literal(_) => tokens.push(Token { line, kind: Kind::Literal }),
        }
    }
}

fn flatten_group(group: &Group, tokens: &mut Vec<Token>) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ('(', ')'),
        Delimiter::Brace => ('{', '}'),
        Delimiter::Bracket => ('[', ']'),
        Delimiter::None => return flatten(group.stream(), tokens),
    };
    tokens.push(Token { line: group.span_open().start().line, kind: Kind::Open(open) });
    flatten(group.stream(), tokens);
    tokens.push(Token { line: group.span_close().start().line, kind: Kind::Close(close) });
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn test_modules_are_found() {
        for (text, blocks, modules) in [
            ("fn a() {}\n", vec![], vec![]),
            ("fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\n", vec![2..=5], vec![]),
            ("#[cfg(all(test, unix))]\n#[allow(x)]\npub(crate) mod t { }\nfn c() {}", vec![1..=3], vec![]),
            ("#[cfg(not(test))]\nmod real {\n}\n", vec![], vec![]),
            ("#[cfg(test)]\nmod tests;\nfn a() {}\n", vec![], vec!["tests"]),
            ("#[cfg(test)]\nfn helper() {\n}\n", vec![], vec![]),
            ("// #[cfg(test)] mod a {\nconst A: &str = \"#[cfg(test)] mod b {\";\n", vec![], vec![]),
        ] {
            let code = Code::parse(text);
            assert_eq!(
                (code.test_blocks, code.test_modules),
                (blocks, modules.iter().map(ToString::to_string).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn text_that_is_not_rust_is_a_problem_with_its_line() {
        let code = Code::parse("fn a() {\n}\n}\n");
        assert_eq!(code.problem.map(|(line, _)| line), Some(3));
    }
}
