//! Inputs grown from a corpus, without a compiler that tells what they reach.
//!
//! It owns the ways in which an input is changed: bytes, cuts, copies, splices with other inputs, words that mean
//! something to a reader of JSON, Markdown or terminals. What follows from a seed is the same everywhere. It knows no target.

use crate::random::Random;

/// No input grows beyond.
const MOST: usize = 16 * 1024;

/// What opens, ends or changes the meaning of what stands beside it.
const WORDS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud83d",
    b"\\ude00",
    b":",
    b",",
    b"null",
    b"true",
    b"-1e9",
    b"18446744073709551616",
    b"0.1",
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b"\0",
    b" ",
    b"    ",
    b"\"content\":\"",
    b"\"id\":",
    b"\"seq\":1",
    b"\"at\":",
    b"\"v\":1",
    b"\"kind\":",
    b"\"event\":",
    b"\"reply\":\"card\"",
    b"\"card\":{",
    b"\"body\":[",
    b"\"table\":",
    b"\x1b",
    b"\x1b[",
    b"\x1b]",
    b"\x1bP",
    b"\x1b\\",
    b"\x1bO",
    b"\x1b[200~",
    b"\x1b[201~",
    b"\x1b[6n",
    b"\x1b[97;5u",
    b"\x1b[M",
    b"\x1b[1;1R",
    b"\x07",
    b"\x9b",
    b"\xc2\x9b",
    b"\xff",
    b"\xe2\x80\xae",
    b"\xe2\x80\x8b",
    b"\xe2\x80\x8d",
    b"\xef\xb8\x8f",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\xcc\x81",
    b"\xe6\xbc\xa2",
    b"\xf0\x9f\x91\xa9",
    b"\xf0\x9f\x8f\xbd",
    b"\xe0\xb8\xb3",
    b"```",
    b"~~~",
    b"# ",
    b"- ",
    b"1. ",
    b"> ",
    b"| a | b |\n|---|---|\n",
    b"|",
    b"**",
    b"_",
    b"`",
    b"[x](u)",
    b"<b>",
    b"<!--",
    b"-->",
    b"===",
    b"---",
    b"&amp;",
    b"https://x.y/z",
];

/// An input that comes from one of the corpus.
pub fn mutated(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = random.one_of(corpus).cloned().unwrap_or_default();
    for _ in 0..random.within(1..6) {
        change(&mut input, corpus, random);
    }
    input.truncate(MOST);
    input
}

fn change(input: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let most = if random.once_in(4) { 400 } else { 9 };
    let length = random.within(1..most);
    let end = (at + length).min(input.len());
    match random.below(8) {
        0 => {
            let byte = random.number().to_le_bytes()[0];
            match input.get_mut(at) {
                Some(place) => *place = byte,
                None => input.push(byte),
            }
        }
        1 => {
            if let Some(place) = input.get_mut(at) {
                *place ^= 1 << random.below(8);
            }
        }
        2 => drop(input.drain(at..end)),
        3 => {
            let copy = input.get(at..end).unwrap_or_default().repeat(random.within(1..5));
            insert(input, at, &copy);
        }
        4 => input.truncate(at),
        5 => {
            let other = random.one_of(corpus).cloned().unwrap_or_default();
            let from = random.below(other.len() + 1);
            let to = (from + length * 8).min(other.len());
            insert(input, at, other.get(from..to).unwrap_or_default());
        }
        _ => {
            let word = random.one_of(WORDS).copied().unwrap_or_default();
            insert(input, at, word);
        }
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}
