//! The grammars: lines to pieces, one state per text.
//!
//! Scopes of the grammars become the few kinds of the theme by one small table. It knows no threads; a text that takes
//! too long in the worker stays plain from there on. Read `highlight` for who calls it.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::{DocId, Piece};
use crate::render::theme::Syntax;

/// Scope prefixes and what they mean. The innermost scope that has an entry decides, by its longest prefix.
const MEANINGS: &[(&str, Syntax)] = &[
    ("comment", Syntax::Comment),
    ("string", Syntax::String),
    ("constant", Syntax::Constant),
    ("keyword", Syntax::Keyword),
    ("keyword.operator", Syntax::Plain),
    ("keyword.operator.word", Syntax::Keyword),
    ("storage", Syntax::Keyword),
    ("entity.name.type", Syntax::Type),
    ("entity.name.class", Syntax::Type),
    ("entity.name.struct", Syntax::Type),
    ("entity.name.enum", Syntax::Type),
    ("entity.name.trait", Syntax::Type),
    ("entity.name.interface", Syntax::Type),
    ("entity.name.tag", Syntax::Type),
    ("entity.name.section", Syntax::Type),
    ("entity.other.attribute-name", Syntax::Constant),
    ("support.type", Syntax::Type),
    ("support.class", Syntax::Type),
    ("support.constant", Syntax::Constant),
    ("meta.mapping.key", Syntax::Type),
    ("meta.interpolation", Syntax::Plain),
    ("markup.heading", Syntax::Type),
    ("markup.raw", Syntax::String),
    ("markup.inserted", Syntax::Added),
    ("markup.deleted", Syntax::Removed),
];

/// A text may take so long in all before it stays plain.
const PATIENCE: Duration = Duration::from_millis(500);

/// Loaded at the first line that asks for it, which is off the draw path, and shared from then on.
static LOADED: OnceLock<Loaded> = OnceLock::new();

/// The state of each open text.
pub struct Grammar {
    open: HashMap<DocId, Open>,
    patience: Option<Duration>,
}

struct Loaded {
    syntaxes: SyntaxSet,
    meanings: Vec<(Scope, Syntax)>,
}

struct Open {
    parse: ParseState,
    scopes: ScopeStack,
    spent: Duration,
}

impl Grammar {
    /// For a thread: a text that takes too long is left plain.
    pub fn with_time_limit() -> Grammar {
        Grammar { open: HashMap::new(), patience: Some(PATIENCE) }
    }

    /// For replays and tests, where the same text must always look the same.
    pub fn unhurried() -> Grammar {
        Grammar { open: HashMap::new(), patience: None }
    }

    /// The pieces of the next line of a text; none where nothing is known of its language.
    pub fn line(&mut self, doc: DocId, lang: &str, text: &str) -> Vec<Piece> {
        let loaded = LOADED.get_or_init(Loaded::new);
        let Some(syntax) = loaded.syntaxes.find_syntax_by_token(lang) else {
            return Vec::new();
        };
        let open = self.open.entry(doc).or_insert_with(|| Open {
            parse: ParseState::new(syntax),
            scopes: ScopeStack::new(),
            spent: Duration::ZERO,
        });
        let Some(patience) = self.patience else {
            return loaded.pieces(open, text);
        };
        if open.spent > patience {
            return Vec::new();
        }
        let begin = Instant::now();
        let pieces = loaded.pieces(open, text);
        open.spent += begin.elapsed();
        pieces
    }

    /// Forgets a text.
    pub fn close(&mut self, doc: DocId) {
        self.open.remove(&doc);
    }
}

impl Loaded {
    fn new() -> Loaded {
        let meanings =
            MEANINGS.iter().filter_map(|(scope, syntax)| Some((Scope::new(scope).ok()?, *syntax))).collect();
        Loaded { syntaxes: two_face::syntax::extra_newlines(), meanings }
    }

    fn pieces(&self, open: &mut Open, text: &str) -> Vec<Piece> {
        // The grammars were built for lines that still have their end.
        let Ok(steps) = open.parse.parse_line(&format!("{text}\n"), &self.syntaxes) else {
            return Vec::new();
        };
        let mut pieces = Vec::new();
        let mut from = 0;
        for (at, step) in steps {
            let at = at.min(text.len());
            self.piece(&mut pieces, at - from.min(at), &open.scopes);
            from = from.max(at);
            if open.scopes.apply(&step).is_err() {
                break;
            }
        }
        self.piece(&mut pieces, text.len() - from, &open.scopes);
        pieces
    }

    fn piece(&self, pieces: &mut Vec<Piece>, bytes: usize, scopes: &ScopeStack) {
        if bytes == 0 {
            return;
        }
        let syntax = self.meaning(scopes);
        match pieces.last_mut() {
            Some(last) if last.syntax == syntax => last.bytes += bytes,
            _ => pieces.push(Piece { bytes, syntax }),
        }
    }

    fn meaning(&self, scopes: &ScopeStack) -> Syntax {
        let of = |scope: &Scope| {
            self.meanings
                .iter()
                .filter(|(prefix, _)| prefix.is_prefix_of(*scope))
                .max_by_key(|(prefix, _)| prefix.len())
                .map(|(_, syntax)| *syntax)
        };
        scopes.as_slice().iter().rev().find_map(of).unwrap_or(Syntax::Plain)
    }
}
