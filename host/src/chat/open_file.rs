//! A file at its line in the person's editor.
//!
//! Editors take a line in a few ways; [`SYNTAXES`] has those that differ from `+LINE FILE`. The path is a call's, so it
//! is untrusted: it reaches the editor as one argument, whole and absolute, never through the shell's reading. Only
//! files that are there are opened.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::inspector::subject::Target;

/// How an editor takes a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `+12 FILE`
    Plus,
    /// `FILE:12`
    Colon,
    /// `--goto FILE:12`
    Goto,
    /// `--line 12 FILE`
    Line,
}

/// Editors by name, and how they take a line.
const SYNTAXES: &[(&[&str], Syntax)] = &[
    (&["hx", "helix", "zed", "zeditor", "zed-editor", "subl", "sublime_text", "micro"], Syntax::Colon),
    (&["code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "positron"], Syntax::Goto),
    (&["idea", "pycharm", "webstorm", "goland", "clion", "rustrover", "kate", "mate"], Syntax::Line),
];

/// The file that a call names, from the folder of its session.
///
/// # Errors
/// A sentence for the person where there is no such file.
pub fn path(target: &Target, folder: &str) -> Result<PathBuf, String> {
    let path = Path::new(folder).join(&target.path);
    let path = std::path::absolute(&path).unwrap_or(path);
    match path.metadata() {
        Ok(file) if file.is_file() => Ok(path),
        Ok(file) if file.is_dir() => Err(format!("`{}` is a folder; only files are opened", target.path)),
        Ok(_) => Err(format!("`{}` is no ordinary file; it is not opened", target.path)),
        Err(_) => Err(format!("`{}` is not there", target.path)),
    }
}

/// Shows a file in an editor and waits for its end.
///
/// # Errors
/// A sentence for the person.
pub fn open(editor: &str, path: &Path, line: Option<u64>) -> anyhow::Result<()> {
    // Through a shell, since the variable may hold arguments.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg("sh").args(arguments(editor, path, line));
    let status = command.status().with_context(|| format!("the editor `{editor}` cannot be started"))?;
    if !status.success() {
        bail!("the editor `{editor}` failed ({status})");
    }
    Ok(())
}

fn arguments(editor: &str, path: &Path, line: Option<u64>) -> Vec<std::ffi::OsString> {
    let Some(line) = line else { return vec![path.into()] };
    let with_line = || {
        let mut text = path.as_os_str().to_owned();
        text.push(format!(":{line}"));
        text
    };
    match syntax(editor) {
        Syntax::Plus => vec![format!("+{line}").into(), path.into()],
        Syntax::Colon => vec![with_line()],
        Syntax::Goto => vec!["--goto".into(), with_line()],
        Syntax::Line => vec!["--line".into(), line.to_string().into(), path.into()],
    }
}

fn syntax(editor: &str) -> Syntax {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    let known = SYNTAXES.iter().find(|(names, _)| names.contains(&name));
    known.map_or(Syntax::Plus, |(_, syntax)| *syntax)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_gets_the_line_in_its_way() {
        let check = |editor: &str, line: Option<u64>, want: &[&str]| {
            assert_eq!(arguments(editor, Path::new("/w/a b.rs"), line), want, "{editor}");
        };
        check("vim", Some(12), &["+12", "/w/a b.rs"]);
        check("nvim -R", Some(12), &["+12", "/w/a b.rs"]);
        check("nano", Some(12), &["+12", "/w/a b.rs"]);
        check("emacsclient -t", Some(12), &["+12", "/w/a b.rs"]);
        check("/usr/bin/hx", Some(12), &["/w/a b.rs:12"]);
        check("zed --wait", Some(12), &["/w/a b.rs:12"]);
        check("code -w", Some(12), &["--goto", "/w/a b.rs:12"]);
        check("kate -b", Some(12), &["--line", "12", "/w/a b.rs"]);
        check("vim", None, &["/w/a b.rs"]);
        check("code -w", None, &["/w/a b.rs"]);
    }

    #[test]
    fn only_files_that_are_there_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("-rf a;b"), "").unwrap();
        let check = |path: &str, want: Result<&str, &str>| {
            let target = Target { path: path.to_owned(), line: None };
            let found = super::path(&target, &folder.path().display().to_string());
            let want = want.map(|name| folder.path().join(name)).map_err(str::to_owned);
            assert_eq!(found, want);
        };
        check("-rf a;b", Ok("-rf a;b"));
        check("gone.rs", Err("`gone.rs` is not there"));
        check(".", Err("`.` is a folder; only files are opened"));
        check("/dev/null", Err("`/dev/null` is no ordinary file; it is not opened"));
    }

    #[test]
    fn a_name_is_never_read_by_the_shell() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("$(touch x) 'a'\n;b");
        std::fs::write(&odd, "text\n").unwrap();
        let told = folder.path().join("told");
        let editor = format!("printf '%s|' > {}", told.display());
        open(&editor, &odd, Some(3)).unwrap();
        assert_eq!(std::fs::read_to_string(told).unwrap(), format!("+3|{}|", odd.display()));
        assert!(open("exit 3;", &odd, None).unwrap_err().to_string().contains("failed"));
    }
}
