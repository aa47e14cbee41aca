//! Where a person's plugins lie.
//!
//! It owns the folder's name and nothing that is in it. A workspace has plugins of its own in `.carpel/plugins`, which
//! are used only where the person trusts the folder.

use std::ffi::OsString;
use std::path::PathBuf;

/// `$CARPEL_HOME/plugins`, else `$XDG_DATA_HOME/carpel/plugins`, else `~/.local/share/carpel/plugins`; `None` where none of
/// the three is set.
pub fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CARPEL_HOME")
        .map(|home| home.join("plugins"))
        .or_else(|| set("XDG_DATA_HOME").map(|data| data.join("carpel/plugins")))
        .or_else(|| set("HOME").map(|home| home.join(".local/share/carpel/plugins")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_in_order() {
        type Row<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let rows: [Row; 4] = [
            (&[("CARPEL_HOME", "/c"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")], Some("/c/plugins")),
            (&[("XDG_DATA_HOME", "/x"), ("HOME", "/h")], Some("/x/carpel/plugins")),
            (&[("CARPEL_HOME", ""), ("HOME", "/h")], Some("/h/.local/share/carpel/plugins")),
            (&[], None),
        ];
        for (set, want) in rows {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            assert_eq!(folder(variable), want.map(PathBuf::from), "{set:?}");
        }
    }
}
