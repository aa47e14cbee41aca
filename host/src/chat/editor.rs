//! The draft in the person's own editor: `$VISUAL`, else `$EDITOR`.
//!
//! The draft goes through a file that only its owner can read and that is gone afterwards. The terminal is lent to the
//! editor by whoever calls this. An editor that fails, or a file that cannot be read, leaves the draft as it was.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

/// The editor of that environment.
pub fn editor(var: impl Fn(&str) -> Option<String>) -> Option<String> {
    let set = |name| var(name).filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR"))
}

/// Has a draft edited and returns what became of it.
///
/// # Errors
/// A sentence for the person.
pub fn edit(editor: &str, draft: &str) -> anyhow::Result<String> {
    let name = format!("carpel-draft-{}.md", std::process::id());
    let path = std::env::temp_dir().join(name);
    let edited = through(editor, draft, &path);
    // It may never have been made.
    let _ = fs::remove_file(&path);
    edited
}

fn through(editor: &str, draft: &str, path: &Path) -> anyhow::Result<String> {
    let file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path);
    let mut file = file.with_context(|| format!("no file for the editor at `{}`", path.display()))?;
    file.write_all(draft.as_bytes())?;
    drop(file);
    // Through a shell, since the variable may hold arguments.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(path).status();
    let status = status.with_context(|| format!("the editor `{editor}` cannot be started"))?;
    if !status.success() {
        bail!("the editor `{editor}` failed ({status}); the draft is as it was");
    }
    let bytes = fs::read(path).context("what the editor wrote cannot be read; the draft is as it was")?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // An editor ends the last line of a file; the draft had no such end.
    let ended = text.ends_with('\n') && !draft.ends_with('\n');
    Ok(if ended { text.trim_end_matches('\n').to_owned() } else { text })
}

#[cfg(test)]
mod tests {
    use super::{editor, through};

    #[test]
    fn the_environment_names_it() {
        let check = |set: &[(&str, &str)], want: Option<&str>| {
            let var = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(editor(var).as_deref(), want);
        };
        check(&[], None);
        check(&[("EDITOR", "vi")], Some("vi"));
        check(&[("EDITOR", "vi"), ("VISUAL", "code -w")], Some("code -w"));
        check(&[("EDITOR", "vi"), ("VISUAL", " ")], Some("vi"));
    }

    #[test]
    fn the_draft_goes_through_it() {
        let check = |editor: &str, want: Result<&str, &str>| {
            let folder = tempfile::tempdir().unwrap();
            let found = through(editor, "one\ntwo", &folder.path().join("draft"));
            match want {
                Ok(text) => assert_eq!(found.unwrap(), text),
                Err(part) => assert!(found.unwrap_err().to_string().contains(part)),
            }
        };
        check("true", Ok("one\ntwo"));
        check("sed -i s/one/ONE/", Ok("ONE\ntwo"));
        check("echo >>", Ok("one\ntwo"));
        check("exit 3;", Err("failed"));
        check("rm", Err("cannot be read"));
    }
}
