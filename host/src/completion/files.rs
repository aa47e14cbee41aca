//! `@`: files and folders of the workspace, and with `./`, `../`, `/` or `~/` of any other folder.
//!
//! Letters are looked for in every path that ignore files leave in. A word with a folder in it also lists that folder, so
//! that what is left out is found by writing its path. Read [`super::quoted`] for how a path gets into the draft.

use std::sync::Arc;

use carpel_slots::completion::{CompletionCx, CompletionSource, Offer, Offers};
use carpel_slots::register_completion;

register_completion!("@", Files);

struct Files;

impl CompletionSource for Files {
    fn offers(&self, typed: &str, cx: &CompletionCx) -> Offers {
        let (folder, name) = typed.split_at(typed.rfind('/').map_or(0, |at| at + 1));
        let listed = cx.folder.as_ref().filter(|(listed, _)| listed == folder).map(|(_, offers)| offers);
        let all = Offers { pattern: typed.to_owned(), wants: Some(folder.to_owned()), ..Offers::default() };
        // A folder that is left out, or elsewhere, is known by its listing only.
        let is_known = folder.is_empty() || cx.files.iter().any(|file| file.shown == folder);
        if !is_known {
            return Offers { rows: listed.map(Arc::clone).unwrap_or_default(), ..all };
        }
        let is_meant = |offer: &&Offer| !name.is_empty() && offer.shown.trim_end_matches('/') == typed;
        let exact = listed.and_then(|offers| offers.iter().find(is_meant)).cloned();
        let rows = Arc::clone(&cx.files);
        Offers { rows, exact: exact.into_iter().collect(), more: cx.more_files, ..all }
    }
}

#[cfg(test)]
mod tests {
    use super::super::quoted;
    use super::*;

    fn offers(paths: &[&str]) -> Arc<[Offer]> {
        paths.iter().map(|path| quoted::offer(path, path, "")).collect()
    }

    #[test]
    fn log_9_05_what_is_offered() {
        for (typed, folder, listed, exact, rows) in [
            ("", "", &["a", "target/"][..], "", "src/ .env src/x"),
            (".e", "", &["a", "target/"], "", "src/ .env src/x"),
            ("target", "", &["a", "target/"], "target/", "src/ .env src/x"),
            ("target/", "target/", &["target/debug/"], "", "target/debug/"),
            ("target/", "elsewhere/", &["x"], "", ""),
            ("src/", "src/", &["src/x", "src/ignored"], "", "src/ .env src/x"),
            ("src/ignored", "src/", &["src/x", "src/ignored"], "src/ignored", "src/ .env src/x"),
            ("../", "../", &["../work-evil/"], "", "../work-evil/"),
        ] {
            let cx = CompletionCx {
                files: offers(&["src/", ".env", "src/x"]),
                folder: Some((folder.to_owned(), offers(listed))),
                ..CompletionCx::default()
            };
            let got = Files.offers(typed, &cx);
            let shown =
                |rows: &[Offer]| rows.iter().map(|row| row.shown.clone()).collect::<Vec<_>>().join(" ");
            assert_eq!((shown(&got.exact).as_str(), shown(&got.rows).as_str()), (exact, rows), "{typed}");
        }
    }
}
