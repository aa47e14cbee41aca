//! `xtask/trials/src/fuzz/log.rs` for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trials::fuzz::log::run(data));
