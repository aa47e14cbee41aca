//! The fuzz targets: what may be fed to carpel from outside, each held against an oracle.
//!
//! A target takes any bytes and panics when something does not hold. It owns nothing and touches no network; the one
//! about logs writes below the folder for temporary files. How inputs come about is not its business: a test runs the
//! corpus in `tests/data/corpus/NAME/` and mutations of it (`mutate.rs`), `fuzz/` in the root of the repository is the
//! same for cargo-fuzz. A target about a new kind of input is one file here, a line in [`TARGETS`], a folder of the
//! corpus and a file in `fuzz/fuzz_targets/`. Read `frames.rs` next, the smallest.

use crate::random::Random;

pub mod arguments;
pub mod frames;
pub mod hunt;
pub mod keys;
pub mod log;
pub mod markdown;
pub mod mutate;
pub mod printable;
pub mod replies;

/// A target by its name.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The folder of its corpus, and what cargo-fuzz knows it by.
    pub name: &'static str,
    /// Panics when something does not hold.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 7] = [
    Target { name: "arguments", run: arguments::run },
    Target { name: "frames", run: frames::run },
    Target { name: "keys", run: keys::run },
    Target { name: "log", run: log::run },
    Target { name: "markdown", run: markdown::run },
    Target { name: "printable", run: printable::run },
    Target { name: "replies", run: replies::run },
];

/// The target of that name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}

/// A number that follows from the bytes: FNV-1a.
pub fn digest(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The bytes in pieces as they could come from a stream: a few ways of cutting them, which follow from the bytes.
fn cuttings(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut random = Random::new(digest(bytes));
    let mut ways: Vec<Vec<&[u8]>> = [3, 40, 400].map(|most| cutting(bytes, most, &mut random)).into();
    if bytes.len() <= 1024 {
        ways.push(bytes.chunks(1).collect());
    }
    ways
}

fn cutting<'a>(mut bytes: &'a [u8], most: usize, random: &mut Random) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(random.within(1..most + 1).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// The same for text, cut between characters.
fn text_cuttings(text: &str) -> Vec<Vec<&str>> {
    let cut = |pieces: Vec<&[u8]>| {
        let (mut at, mut end) = (0, 0);
        let mut texts = Vec::new();
        for piece in pieces {
            end += piece.len();
            let boundary = text.floor_char_boundary(end);
            texts.push(&text[at..boundary]);
            at = boundary;
        }
        texts
    };
    cuttings(text.as_bytes()).into_iter().map(cut).collect()
}
