//! The Grep tool: a regular expression over the files that `rg` would search.
//!
//! Owns the arguments, the order of work (walk, search in parallel, page, report) and the bounds. The walk is `walk.rs`,
//! the expression `grep/matcher.rs`, one file `grep/search.rs`, which results are kept `grep/page.rs`, the wording
//! `grep/report.rs`. Results come in path order whatever the threads do. Refuses to follow links.

mod excerpt;
mod matcher;
mod page;
mod report;
mod search;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_regex::RegexMatcher;
use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use serde_json::{Value, json};

use self::page::{Page, Window};
use self::search::{FileHits, Searched, search_file};
use super::arguments::Arguments;
use super::open::open_regular;
use super::walk::{self, Narrowing};
use super::{Access, Intent, Tool, ToolCx, ToolFailure, ToolKind, ToolOutput, ToolSpec, Workspace, quoted};

/// Results shown when no `head_limit` is given.
const DEFAULT_HEAD: u64 = 250;
/// Lines around a match beyond this are for Read.
const MOST_CONTEXT: u64 = 1_000;
/// Files searched between two merges; bounds what is held before paging.
const BATCH: usize = 256;

pub struct Grep {
    spec: ToolSpec,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Content,
    Files,
    Count,
}

/// What is wanted of each file.
#[derive(Debug, Clone)]
pub struct Request {
    pub mode: Mode,
    pub before: usize,
    pub after: usize,
    pub numbers: bool,
    pub only_matching: bool,
    pub multiline: bool,
    pub ignore_case: bool,
}

impl Grep {
    pub fn new() -> Self {
        Self {
            spec: ToolSpec {
                name: "Grep",
                kind: ToolKind::Search,
                description: "Searches file contents with a regular expression (Rust syntax, as ripgrep: escape literal \
                    brackets, no look-around). Hidden files and files excluded by .gitignore or .ignore are left out, links \
                    are not followed. `output_mode` content shows matching lines as path:line:text, files_with_matches \
                    (default) paths, count paths with their number of matching lines (with -o: of matches). A binary file is told to \
                    match, its lines are neither shown nor counted. Results are in path order.",
                schema: schema(),
                access: Access::Reads,
            },
        }
    }
}

fn schema() -> Value {
    let lines = |what: &str| json!({"type": "integer", "minimum": 0, "description": what});
    json!({
        "type": "object",
        "required": ["pattern"],
        "properties": {
            "pattern": {"type": "string", "description": "the regular expression to search for"},
            "path": {"type": "string", "description": "file or directory to search, taken literally (default: the workspace)"},
            "glob": {"type": "string", "description": "search only files that match this glob, as rg -g: *.rs, !*.md"},
            "type": {"type": "string", "description": "search only files of this type, as rg -t: rust, py, js, md"},
            "output_mode": {
                "type": "string",
                "enum": ["content", "files_with_matches", "count"],
                "description": "what to show (default files_with_matches)",
            },
            "-A": lines("lines to show after each match, with output_mode content"),
            "-B": lines("lines to show before each match, with output_mode content"),
            "-C": lines("lines to show before and after each match, with output_mode content"),
            "context": lines("the same as -C"),
            "-n": {"type": "boolean", "description": "show line numbers (default true)"},
            "-i": {"type": "boolean", "description": "ignore case"},
            "-o": {"type": "boolean", "description": "show only the matching parts of lines"},
            "head_limit": lines("show at most this many lines or files (default 250, 0 for as many as possible)"),
            "offset": lines("skip this many lines or files first"),
            "multiline": {"type": "boolean", "description": "let a match span lines; . matches a line end too"},
        },
    })
}

impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn intent(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        let named = Arguments(arguments).string("path").filter(|named| !named.is_empty());
        Intent::read(cx.workspace, "search", named.unwrap_or("."))
    }

    fn run(&self, arguments: &Value, cx: &ToolCx<'_>) -> Result<ToolOutput, ToolFailure> {
        let arguments = Arguments(arguments);
        let request = request(arguments);
        let matcher = matcher::build(arguments.string("pattern").unwrap_or_default(), &request)?;
        let root = walk::root(cx, arguments.string("path"))?;
        check_root(cx.workspace, &root)?;
        let narrowing = narrowing(arguments, cx.workspace)?;
        let window = Window::new(
            arguments.integer("offset").unwrap_or(0),
            arguments.integer("head_limit").unwrap_or(DEFAULT_HEAD),
        );

        let found = walk::files(&root, narrowing, cx).ok_or_else(ToolFailure::cancelled)?;
        let mut page = Page::new(request.mode, window, found.problems);
        for batch in found.files.chunks(BATCH) {
            let hits = search_batch(batch, &matcher, &request, page.room(), cx);
            if cx.cancel.is_cancelled() {
                return Err(ToolFailure::cancelled());
            }
            for (file, searched) in batch.iter().zip(hits) {
                page.add(cx.workspace.display(file), searched);
            }
        }
        page.withheld = found.withheld.len() as u64;
        Ok(report::report(&page, &request))
    }
}

fn request(arguments: Arguments<'_>) -> Request {
    let around = arguments.integer("-C").or_else(|| arguments.integer("context"));
    let context = |name| arguments.integer(name).or(around).unwrap_or(0).min(MOST_CONTEXT) as usize;
    let flag = |name, default| arguments.boolean(name).unwrap_or(default);
    let mode = match arguments.string("output_mode") {
        Some("content") => Mode::Content,
        Some("count") => Mode::Count,
        Some(_) | None => Mode::Files,
    };
    Request {
        mode,
        before: context("-B"),
        after: context("-A"),
        numbers: flag("-n", true),
        only_matching: flag("-o", false),
        multiline: flag("multiline", false),
        ignore_case: flag("-i", false),
    }
}

/// A root that is a file must be one that can be read; a directory is left to the walk.
fn check_root(workspace: &Workspace, root: &Path) -> Result<(), ToolFailure> {
    if root.is_dir() {
        return Ok(());
    }
    open_regular(root).map(drop).map_err(|error| {
        ToolFailure::new(format!(
            "`{}` {}; name a file or directory to search",
            workspace.display(root),
            error.fact()
        ))
    })
}

fn narrowing(arguments: Arguments<'_>, workspace: &Workspace) -> Result<Narrowing, ToolFailure> {
    let mut narrowing = Narrowing::default();
    if let Some(glob) = arguments.string("glob").filter(|glob| !glob.is_empty()) {
        let mut globs = OverrideBuilder::new(workspace.root());
        let built = globs.add(glob).and_then(|globs| globs.build());
        narrowing.globs = Some(built.map_err(|error| {
            ToolFailure::new(format!("glob {}: {error}; correct the glob", quoted(glob)))
        })?);
    }
    if let Some(name) = arguments.string("type").filter(|name| !name.is_empty()) {
        let mut types = TypesBuilder::new();
        let built = types.add_defaults().select(name).build();
        narrowing.types = Some(built.map_err(|_| {
            ToolFailure::new(format!(
                "type {} is not known; use `glob` instead, for example \"*.rs\"",
                quoted(name)
            ))
        })?);
    }
    Ok(narrowing)
}

/// Searches the files on several threads; the answers are in the order of the files.
fn search_batch(
    files: &[std::path::PathBuf],
    matcher: &RegexMatcher,
    request: &Request,
    room: usize,
    cx: &ToolCx<'_>,
) -> Vec<Searched> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut searcher = search::searcher(request, matcher);
        let mut done: Vec<(usize, Searched)> = Vec::new();
        while let Some((at, file)) = take(&next, files) {
            if cx.cancel.is_cancelled() {
                break;
            }
            done.push((at, search_file(&mut searcher, matcher, file, request, room, cx.cancel)));
        }
        done
    };
    let mut done = if files.len() < 4 {
        work()
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (1..walk::threads()).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            // A worker that broke down takes its files with it; `broken` below tells of each.
            done.extend(workers.into_iter().filter_map(|worker| worker.join().ok()).flatten());
            done
        })
    };
    done.sort_unstable_by_key(|(at, _)| *at);
    let mut done = done.into_iter().peekable();
    (0..files.len())
        .map(|at| match done.next_if(|(done, _)| *done == at) {
            Some((_, searched)) => searched,
            None => Searched { hits: FileHits::default(), problem: Some("the search broke down".to_owned()) },
        })
        .collect()
}

fn take<'a>(next: &AtomicUsize, files: &'a [std::path::PathBuf]) -> Option<(usize, &'a Path)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, files.get(at)?))
}
