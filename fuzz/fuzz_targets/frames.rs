//! `xtask/trials/src/fuzz/frames.rs` for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trials::fuzz::frames::run(data));
