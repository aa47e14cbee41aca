//! `xtask/trials/src/fuzz/printable.rs` for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| trials::fuzz::printable::run(data));
