//! `xtask/trials/src/fuzz/markdown.rs` for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trials::fuzz::markdown::run(data));
