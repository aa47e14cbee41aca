//! `xtask/trials/src/fuzz/keys.rs` for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trials::fuzz::keys::run(data));
