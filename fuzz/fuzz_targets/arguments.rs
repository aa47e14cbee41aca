//! `xtask/trials/src/fuzz/arguments.rs` for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trials::fuzz::arguments::run(data));
