//! Syntax highlighting off the draw path.
//!
//! Text goes in by line and comes back as pieces with a [`Syntax`]; the theme gives them colours. A worker thread holds
//! the grammars and loads them at its first job, so that neither start nor drawing waits for them. The queue is
//! bounded, and long lines, big blocks and slow ones stay plain. For replays and tests the same worker runs in place.
//! It knows no rows; `grammar` has the worker.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc::{self, Receiver, SyncSender};

use crate::render::theme::Syntax;

mod grammar;

use grammar::Grammar;

/// Lines of more bytes than this stay plain.
pub const LINE_BYTES: usize = 2_000;
/// A block of more bytes than this stays plain from there on.
pub const BLOCK_BYTES: usize = 256 * 1024;
/// So many lines may wait for the worker.
const QUEUE: usize = 1_024;
/// So many excerpts are kept.
const KEPT: usize = 128;

/// A run of bytes of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// How many bytes.
    pub bytes: usize,
    /// What they are.
    pub syntax: Syntax,
}

/// A text that is highlighted line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DocId(u64);

/// The pieces of one line, or that they are not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// They are known; none at all means plain.
    Ready(&'a [Piece]),
    /// The worker still has it.
    Waiting,
}

struct Doc {
    lang: String,
    lines: Vec<Option<Vec<Piece>>>,
    bytes: usize,
    plain: bool,
}

enum Job {
    Line { doc: DocId, number: usize, lang: String, text: String },
    Close(DocId),
}

struct Done {
    doc: DocId,
    number: usize,
    pieces: Vec<Piece>,
}

enum Engine {
    Inline(Grammar),
    Threaded {
        jobs: SyncSender<Job>,
        done: Receiver<Done>,
    },
    /// The thread could not be started: everything is plain.
    Off,
}

/// Highlights texts.
pub struct Highlighter {
    engine: Engine,
    docs: HashMap<DocId, Doc>,
    next: u64,
    excerpts: Vec<(u64, DocId)>,
    generation: u64,
}

impl Highlighter {
    /// With a thread of its own; `wake` is called there whenever something has become ready.
    pub fn threaded(wake: Box<dyn Fn() + Send>) -> Highlighter {
        Highlighter::on_thread(wake, Grammar::with_time_limit())
    }

    fn on_thread(wake: Box<dyn Fn() + Send>, mut grammar: Grammar) -> Highlighter {
        let (jobs, inbox) = mpsc::sync_channel::<Job>(QUEUE);
        let (outbox, done) = mpsc::channel::<Done>();
        let thread = std::thread::Builder::new().name("highlight".to_owned()).spawn(move || {
            let mut closed: HashSet<DocId> = HashSet::new();
            while let Ok(job) = inbox.recv() {
                match job {
                    Job::Close(doc) => {
                        grammar.close(doc);
                        closed.insert(doc);
                    }
                    Job::Line { doc, number, lang, text } => {
                        if closed.contains(&doc) {
                            continue;
                        }
                        let pieces = grammar.line(doc, &lang, &text);
                        if outbox.send(Done { doc, number, pieces }).is_err() {
                            return;
                        }
                        wake();
                    }
                }
            }
        });
        Highlighter::with(match thread {
            Ok(_) => Engine::Threaded { jobs, done },
            Err(_) => Engine::Off,
        })
    }

    /// In place: every line is ready at once.
    pub fn inline() -> Highlighter {
        Highlighter::with(Engine::Inline(Grammar::unhurried()))
    }

    /// One whose worker never answers; the receiver keeps its queue alive.
    #[cfg(test)]
    pub fn stalled() -> (Highlighter, impl Sized) {
        let (jobs, inbox) = mpsc::sync_channel::<Job>(QUEUE);
        let (outbox, done) = mpsc::channel::<Done>();
        (Highlighter::with(Engine::Threaded { jobs, done }), (inbox, outbox))
    }

    fn with(engine: Engine) -> Highlighter {
        Highlighter { engine, docs: HashMap::new(), next: 0, excerpts: Vec::new(), generation: 0 }
    }

    /// Grows whenever something became ready, so that rows made before can be made again.
    pub fn generation(&mut self) -> u64 {
        self.collect();
        self.generation
    }

    /// Begins a text in a language, by its name or file name ending.
    pub fn open(&mut self, lang: &str) -> DocId {
        let doc = DocId(self.next);
        self.next += 1;
        self.docs
            .insert(doc, Doc { lang: lang.to_owned(), lines: Vec::new(), bytes: 0, plain: lang.is_empty() });
        doc
    }

    /// Adds the next line, without its line end.
    pub fn feed(&mut self, id: DocId, text: &str) {
        let Some(doc) = self.docs.get_mut(&id) else { return };
        let number = doc.lines.len();
        doc.bytes += text.len() + 1;
        doc.plain |= doc.bytes > BLOCK_BYTES;
        if doc.plain || text.len() > LINE_BYTES || text.is_empty() {
            doc.lines.push(Some(Vec::new()));
            return;
        }
        let lang = doc.lang.clone();
        match &mut self.engine {
            Engine::Inline(grammar) => {
                let pieces = grammar.line(id, &lang, text);
                doc.lines.push(Some(pieces));
            }
            Engine::Threaded { jobs, .. } => {
                let sent = jobs.try_send(Job::Line { doc: id, number, lang, text: text.to_owned() });
                // What finds no room in the queue would come too late anyway.
                doc.plain |= sent.is_err();
                doc.lines.push(sent.is_err().then(Vec::new));
            }
            Engine::Off => doc.lines.push(Some(Vec::new())),
        }
    }

    /// The pieces of a line, counted from 0.
    pub fn line(&mut self, id: DocId, number: usize) -> Lookup<'_> {
        self.collect();
        match self.docs.get(&id).and_then(|doc| doc.lines.get(number)) {
            Some(Some(pieces)) => Lookup::Ready(pieces),
            Some(None) => Lookup::Waiting,
            None => Lookup::Ready(&[]),
        }
    }

    /// Takes what has not come yet as plain: it was waited for long enough.
    pub fn give_up(&mut self, id: DocId) {
        if let Some(doc) = self.docs.get_mut(&id) {
            doc.plain = true;
            for line in &mut doc.lines {
                line.get_or_insert_with(Vec::new);
            }
        }
    }

    /// Forgets a text.
    pub fn close(&mut self, id: DocId) {
        self.docs.remove(&id);
        match &mut self.engine {
            Engine::Inline(grammar) => grammar.close(id),
            Engine::Threaded { jobs, .. } => drop(jobs.try_send(Job::Close(id))),
            Engine::Off => {}
        }
    }

    /// An excerpt as a whole, kept for a while: asking again costs nothing.
    pub fn excerpt(&mut self, lang: &str, lines: &[std::borrow::Cow<'_, str>]) -> DocId {
        let mut hasher = DefaultHasher::new();
        (lang, lines).hash(&mut hasher);
        let hash = hasher.finish();
        if let Some((_, doc)) = self.excerpts.iter().find(|(kept, _)| *kept == hash) {
            return *doc;
        }
        if self.excerpts.len() >= KEPT {
            let (_, oldest) = self.excerpts.remove(0);
            self.close(oldest);
        }
        let doc = self.open(lang);
        for line in lines {
            self.feed(doc, line);
        }
        self.excerpts.push((hash, doc));
        doc
    }

    fn collect(&mut self) {
        let Engine::Threaded { done, .. } = &self.engine else { return };
        while let Ok(Done { doc, number, pieces }) = done.try_recv() {
            self.generation += 1;
            if let Some(line) = self.docs.get_mut(&doc).and_then(|doc| doc.lines.get_mut(number)) {
                line.get_or_insert(pieces);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(highlighter: &mut Highlighter, doc: DocId, number: usize) -> Vec<Piece> {
        loop {
            match highlighter.line(doc, number) {
                Lookup::Ready(pieces) => return pieces.to_vec(),
                Lookup::Waiting => std::thread::yield_now(),
            }
        }
    }

    #[test]
    fn the_thread_says_the_same_as_the_worker_in_place() {
        let text = ["/* a", "comment */ fn main() {", "    let x = \"s\"; // 1", "}"];
        let mut inline = Highlighter::inline();
        let (wake, woken) = mpsc::channel();
        let mut threaded = Highlighter::on_thread(
            Box::new(move || {
                let _ = wake.send(());
            }),
            Grammar::unhurried(),
        );
        let docs = (inline.open("rs"), threaded.open("rs"));
        for line in text {
            inline.feed(docs.0, line);
            threaded.feed(docs.1, line);
        }
        for (number, line) in text.iter().enumerate() {
            let want = pieces(&mut inline, docs.0, number);
            assert_eq!(want.iter().map(|piece| piece.bytes).sum::<usize>(), line.len(), "{line}");
            assert_eq!(pieces(&mut threaded, docs.1, number), want, "{line}");
        }
        assert_eq!(pieces(&mut inline, docs.0, 0), [Piece { bytes: 4, syntax: Syntax::Comment }]);
        assert!(woken.recv().is_ok());
    }

    /// LOG 5.21: a one-line command of 4.7 kB.
    #[test]
    fn long_lines_and_big_blocks_stay_plain() {
        let mut highlighter = Highlighter::inline();
        let doc = highlighter.open("sh");
        highlighter.feed(doc, &"echo \"$((1+2))\" | ".repeat(260));
        assert_eq!(highlighter.line(doc, 0), Lookup::Ready(&[]));
        highlighter.feed(doc, "echo fine");
        assert_ne!(highlighter.line(doc, 1), Lookup::Ready(&[]));
        for _ in 0..=BLOCK_BYTES / 1_900 {
            highlighter.feed(doc, &"#".repeat(1_900));
        }
        highlighter.feed(doc, "echo fine");
        assert_eq!(highlighter.line(doc, BLOCK_BYTES / 1_900 + 3), Lookup::Ready(&[]));
    }

    #[test]
    fn unknown_languages_are_plain() {
        let mut highlighter = Highlighter::inline();
        for lang in ["", "no such language"] {
            let doc = highlighter.open(lang);
            highlighter.feed(doc, "fn main() {}");
            assert_eq!(highlighter.line(doc, 0), Lookup::Ready(&[]), "{lang:?}");
        }
    }

    #[test]
    fn giving_up_makes_everything_ready() {
        let mut highlighter = Highlighter::threaded(Box::new(|| {}));
        let doc = highlighter.open("rs");
        highlighter.feed(doc, "fn main() {}");
        highlighter.give_up(doc);
        assert!(matches!(highlighter.line(doc, 0), Lookup::Ready(_)));
    }
}
