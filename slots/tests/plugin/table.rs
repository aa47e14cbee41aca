//! The C table: that `carpel.h` and `plugin::c` say the same.

use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use carpel_slots::plugin::c;
use carpel_slots::wire::{ABI, MAX_REPLY};

use crate::examples::host;
use crate::needs::{program, run};

#[test]
fn the_header_and_the_crate_agree() {
    let Some(host) = host() else { return };
    let numbers = format!(
        "{ABI} {MAX_REPLY} {} {} {} {}\n{} {} {} {} {}\n",
        c::Table::SIZE,
        offset_of!(c::Table, size),
        offset_of!(c::Table, request),
        size_of::<c::RequestFn>(),
        c::ANSWERED,
        c::FAILED,
        c::TAKEN,
        c::TOO_LONG,
        c::NOT_TEXT
    );
    assert_eq!(run(&mut Command::new(host)), numbers);
    let header = std::fs::read_to_string(include().join("carpel.h")).unwrap();
    assert!(header.contains(&format!("{}(void);", c::SYMBOL.to_str().unwrap())));
}

/// The header is for C and C++ alike, and makes no compiler speak up.
#[test]
fn the_header_is_quiet() {
    for (compiler, language) in [("cc", "c"), ("c++", "c++")] {
        let Some(mut compiler) = program(compiler) else { continue };
        let header = include().join("carpel.h");
        compiler
            .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", language])
            .arg(header);
        run(&mut compiler);
    }
}

pub fn include() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}
