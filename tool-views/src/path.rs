//! Paths as a person reads them: below the workspace without its prefix, below home with `~`.
//!
//! Only whole components count: `/work-evil` is not below `/work`. The result is for the eye; what is opened is the
//! path as it came.

use std::path::Path;

use carpel_slots::CardCx;

/// `path` shortened by the folders of `cx`.
pub fn short(path: &str, cx: &CardCx) -> String {
    let whole = Path::new(path);
    if !cx.cwd.is_empty()
        && let Ok(below) = whole.strip_prefix(&cx.cwd)
    {
        return if below.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            below.to_string_lossy().into_owned()
        };
    }
    let home = cx.home.as_deref().filter(|home| !home.is_empty() && *home != "/");
    if let Some(home) = home
        && let Ok(below) = whole.strip_prefix(home)
    {
        return if below.as_os_str().is_empty() {
            "~".to_owned()
        } else {
            format!("~/{}", below.to_string_lossy())
        };
    }
    path.to_owned()
}

/// What the host colours a file's text by: the ending of its name, or the name itself where it has none.
pub fn language(path: &str) -> Option<String> {
    let path = Path::new(path);
    let name = path.extension().or_else(|| path.file_name())?;
    Some(name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_paths() {
        let cx = CardCx { cwd: "/w/ork".into(), home: Some("/h/me".into()), ..CardCx::default() };
        let rows = [
            ("/w/ork/src/a.rs", "src/a.rs"),
            ("/w/ork", "."),
            ("/w/ork-evil/a.rs", "/w/ork-evil/a.rs"),
            ("/h/me/x", "~/x"),
            ("/h/me", "~"),
            ("src/a.rs", "src/a.rs"),
            ("", ""),
        ];
        for (path, want) in rows {
            assert_eq!(short(path, &cx), want, "{path}");
        }
    }

    #[test]
    fn languages() {
        for (path, want) in
            [("a/b.rs", Some("rs")), ("Makefile", Some("Makefile")), (".bashrc", Some(".bashrc")), ("", None)]
        {
            assert_eq!(language(path).as_deref(), want, "{path}");
        }
    }
}
