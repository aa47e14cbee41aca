//! Where a person's own files of carpel lie: the one order in which the environment is asked.
//!
//! `$CARPEL_HOME`, else the folder of that kind that the XDG base directory specification names, else its usual place in the
//! home folder. The environment is an argument. It refuses to know what lies there.

use std::ffi::OsString;
use std::path::PathBuf;

/// What kind of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What the person writes: the manifest.
    Config,
    /// What the person installs: plugins.
    Data,
    /// What carpel remembers: sessions, its log, which folders are trusted.
    State,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Config, Self::Data, Self::State];

    /// The variable that names the folder of such files, and where below the home folder it usually is.
    pub const fn xdg(self) -> (&'static str, &'static str) {
        match self {
            Self::Config => ("XDG_CONFIG_HOME", ".config"),
            Self::Data => ("XDG_DATA_HOME", ".local/share"),
            Self::State => ("XDG_STATE_HOME", ".local/state"),
        }
    }
}

/// The folder of carpel's files of a kind; `None` where the environment names no place.
pub fn own_folder(kind: Kind, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let (name, usual) = kind.xdg();
    set("CARPEL_HOME").or_else(|| {
        // A relative XDG folder is to be ignored, says the XDG base directory specification.
        let folder = set(name).filter(|path| path.is_absolute());
        Some(folder.or_else(|| set("HOME").map(|home| home.join(usual)))?.join("carpel"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_in_order() {
        for kind in Kind::ALL {
            let (xdg, usual) = kind.xdg();
            let in_home = format!("/h/{usual}/carpel");
            for (environment, expected) in [
                (&[("CARPEL_HOME", "/c"), (xdg, "/x"), ("HOME", "/h")][..], Some("/c")),
                (&[("CARPEL_HOME", ""), (xdg, "/x"), ("HOME", "/h")], Some("/x/carpel")),
                (&[(xdg, "relative"), ("HOME", "/h")], Some(in_home.as_str())),
                (&[(xdg, ""), ("HOME", "/h")], Some(in_home.as_str())),
                (&[("HOME", "")], None),
                (&[], None),
            ] {
                let variable = |name: &str| {
                    environment.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
                };
                assert_eq!(
                    own_folder(kind, variable),
                    expected.map(PathBuf::from),
                    "{kind:?} {environment:?}"
                );
            }
        }
    }
}
