//! `xtask/trials/src/fuzz/replies.rs` for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trials::fuzz::replies::run(data));
