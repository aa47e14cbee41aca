//! What kind of plugin a file is, by its kind, its rights, its size and its first bytes: nothing is opened that could hold
//! up or crash whoever opens it.
//!
//! Owns the reasons for which a file is refused before anything of it runs. What the dynamic loader would say is its own
//! business, in a process of its own.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// A larger file is no plugin.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// Bytes of the header of a 64-bit ELF file, and of one of its program headers.
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;

/// How a file is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is opened by `carpel plugin-host`.
    Library,
    /// It is run.
    Program,
}

/// The kind of a file.
///
/// # Errors
/// Why it is no plugin, with the way out.
pub fn kind(path: &Path) -> Result<Kind, String> {
    let data = look(path)?;
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let cannot = |error: std::io::Error| format!("cannot be read ({error}); see who may read it");
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(cannot)?;
    // What was looked at may have been replaced meanwhile.
    if !file.metadata().map_err(cannot)?.is_file() {
        return Err("is no regular file any more".to_owned());
    }
    let mut first = Vec::new();
    (&mut file).take(HEADER as u64).read_to_end(&mut first).map_err(cannot)?;
    let is_executable = data.mode() & 0o111 != 0;
    if first.starts_with(b"#!") {
        return match is_executable {
            true => Ok(Kind::Program),
            false => Err("is a script that may not be executed; `chmod +x` it".to_owned()),
        };
    }
    if !first.starts_with(b"\x7fELF") {
        return Err("is neither a library nor a program; a script begins with `#!`".to_owned());
    }
    match elf(&mut file, &first, data.len())? {
        Kind::Program if !is_executable => {
            Err("is a program that may not be executed; `chmod +x` it".to_owned())
        }
        kind => Ok(kind),
    }
}

/// What is known of the file without opening it.
///
/// # Errors
/// Why nothing of a plugin is read from it.
pub fn look(path: &Path) -> Result<Metadata, String> {
    let data = path.metadata().map_err(|error| match error.kind() {
        ErrorKind::NotFound if path.is_symlink() => "is a link to nothing".to_owned(),
        ErrorKind::NotFound => "is not there".to_owned(),
        _ => format!("cannot be looked at ({error})"),
    })?;
    if data.is_dir() {
        return Err("is a folder, not a library or a program".to_owned());
    }
    if !data.is_file() {
        return Err("is no regular file, but a pipe, a socket or a device".to_owned());
    }
    if data.len() == 0 {
        return Err("is empty".to_owned());
    }
    if data.len() > MOST_BYTES {
        return Err(format!("is larger than {} MiB", MOST_BYTES / 1024 / 1024));
    }
    if data.mode() & 0o002 != 0 {
        return Err("may be written by anyone on this machine; `chmod o-w` it".to_owned());
    }
    let me = rustix::process::geteuid().as_raw();
    if data.uid() != me && data.uid() != 0 {
        return Err(format!(
            "belongs to another user (number {}); copy it to a file of your own",
            data.uid()
        ));
    }
    Ok(data)
}

/// Looks at the header of an ELF file, of which `first` are the first bytes.
fn elf(file: &mut File, first: &[u8], size: u64) -> Result<Kind, String> {
    if first.len() < HEADER {
        return Err("is cut off within its header".to_owned());
    }
    let own = own_header();
    // Class, order of bytes, machine: those of this program, as far as its own file can be read.
    if let Some(own) = own {
        if first[4] != own[4] {
            return Err(format!(
                "is for {}-bit programs; build it for this machine",
                if first[4] == 1 { 32 } else { 64 }
            ));
        }
        if first[5] != own[5] || first[18..20] != own[18..20] {
            return Err("is for another kind of machine; build it for this one".to_owned());
        }
    }
    if first[4] != 2 || first[5] != 1 {
        // Another layout than the one below; the loader reads it.
        return Ok(Kind::Library);
    }
    let word = |at: usize| u64::from(u16::from_le_bytes([first[at], first[at + 1]]));
    let long =
        |at: usize| first[at..at + 8].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let cut_off = || "is cut off: its header tells of more than there is; build it again".to_owned();
    let (programs, program_size, count) = (long(32), word(54), word(56));
    let (sections, section_size, section_count) = (long(40), word(58), word(60));
    let ends = |at: u64, size: u64, count: u64| at.checked_add(size.saturating_mul(count));
    for end in [ends(programs, program_size, count), ends(sections, section_size, section_count)] {
        if end.is_none_or(|end| end > size) {
            return Err(cut_off());
        }
    }
    match word(16) {
        2 => return Ok(Kind::Program),
        3 => {}
        _ => return Err("is neither a library nor a program, but a part of one; link it".to_owned()),
    }
    if program_size != PROGRAM_HEADER as u64 {
        return Ok(Kind::Library);
    }
    let mut headers = vec![0; PROGRAM_HEADER * usize::try_from(count).unwrap_or_default()];
    file.seek(SeekFrom::Start(programs))
        .and_then(|_| file.read_exact(&mut headers))
        .map_err(|_| cut_off())?;
    let mut kind = Kind::Library;
    for header in headers.chunks_exact(PROGRAM_HEADER) {
        let long =
            |at: usize| header[at..at + 8].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        match header[0..4] {
            // What names a loader is started by it.
            [3, 0, 0, 0] => kind = Kind::Program,
            [1, 0, 0, 0] if long(8).checked_add(long(32)).is_none_or(|end| end > size) => {
                return Err(cut_off());
            }
            _ => {}
        }
    }
    Ok(kind)
}

/// The first bytes of this program's own file, where that is an ELF file.
fn own_header() -> Option<[u8; HEADER]> {
    let mut header = [0; HEADER];
    File::open(std::env::current_exe().ok()?).ok()?.read_exact(&mut header).ok()?;
    header.starts_with(b"\x7fELF").then_some(header)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_a_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        let mut other = own.clone();
        other[18] ^= 1;
        let mut narrow = own.clone();
        narrow[4] = 1;
        let mut object = own.clone();
        object[16] = 1;
        for (name, bytes, mode) in [
            ("empty", &b""[..], 0o755),
            ("text", b"hello", 0o755),
            ("script", b"#!/bin/sh\n", 0o755),
            ("no_script", b"#!/bin/sh\n", 0o644),
            ("program", &own, 0o755),
            ("no_program", &own, 0o644),
            ("cut", &own[..600], 0o755),
            ("cut_header", &own[..20], 0o755),
            ("other", &other, 0o755),
            ("narrow", &narrow, 0o755),
            ("object", &object, 0o755),
            ("open", b"#!/bin/sh\n", 0o757),
        ] {
            fs::write(at(name), bytes).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir(at("folder.so")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        symlink("script", at("link")).unwrap();
        symlink("/dev/zero", at("device")).unwrap();
        for (name, want) in [
            ("empty", Err("is empty")),
            ("text", Err("is neither a library nor a program; a script")),
            ("script", Ok(Kind::Program)),
            ("link", Ok(Kind::Program)),
            ("no_script", Err("is a script that may not be executed")),
            ("program", Ok(Kind::Program)),
            ("no_program", Err("is a program that may not be executed")),
            ("cut", Err("is cut off: its header tells")),
            ("cut_header", Err("is cut off within")),
            ("other", Err("is for another kind of machine")),
            ("narrow", Err("is for 32-bit programs")),
            ("object", Err("but a part of one")),
            ("open", Err("may be written by anyone")),
            ("folder.so", Err("is a folder")),
            ("dangling", Err("is a link to nothing")),
            ("loop", Err("cannot be looked at")),
            ("device", Err("is no regular file")),
            ("gone", Err("is not there")),
        ] {
            let got = kind(&at(name));
            let is_as_wanted = match (&got, want) {
                (Ok(got), Ok(want)) => *got == want,
                (Err(got), Err(want)) => got.contains(want),
                _ => false,
            };
            assert!(is_as_wanted, "{name}: {got:?}, not {want:?}");
        }
    }
}
