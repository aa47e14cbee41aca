//! How a path is written in a prompt: `@src/main.rs`, or `@"two words.txt"`.
//!
//! It is quoted whenever a reader could see its end in another place. Paths come as the tools write them, with `\xNN` for
//! what is not to be printed; what a draft cannot hold, and a quote within quotes, is written so as well. So the text in
//! the prompt opens the very file that was chosen. Refuses to know which files there are.

use std::fmt::Write;

use carpel_slots::completion::Offer;

/// The offer of a path: a folder goes on, a file ends the word. `shown` is what stands in the list.
pub fn offer(path: &str, shown: &str, summary: &str) -> Offer {
    let goes_on = path.ends_with('/');
    let path = holdable(path);
    let end = if goes_on { "" } else { " " };
    if is_plain(&path) {
        let insert = format!("@{path}{end}");
        return Offer { goes_on: goes_on.then_some(insert.len()), ..Offer::new(&insert, shown, summary) };
    }
    let insert = format!("@\"{}\"{end}", path.replace('"', "\\x22"));
    // One goes on before the closing quote.
    Offer { goes_on: goes_on.then_some(insert.len() - 1), ..Offer::new(&insert, shown, summary) }
}

/// Without what a draft drops: other controls than those that are written out already, and a private plane.
fn holdable(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_control() || ('\u{f_0000}'..='\u{f_ffff}').contains(&c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// True when the path ends where the next blank stands, for any reader.
fn is_plain(path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "/._-+=~@%#".contains(c);
    path.chars().all(is_part) && path.ends_with(|c: char| c.is_alphanumeric() || "/_-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_9_04_paths_as_they_are_written() {
        for (path, want) in [
            ("src/main.rs", "@src/main.rs|"),
            ("names/two words.txt", "@\"names/two words.txt\"|"),
            ("dir /", "@\"dir /|\""),
            ("src/", "@src/|"),
            (" leading", "@\" leading\"|"),
            ("dq\"mid", "@\"dq\\x22mid\"|"),
            ("it's", "@\"it's\"|"),
            ("-rf", "@-rf|"),
            ("*", "@\"*\"|"),
            ("a:10", "@\"a:10\"|"),
            ("[id]/page.tsx", "@\"[id]/page.tsx\"|"),
            ("%20 encoded", "@\"%20 encoded\"|"),
            ("bad\\xffutf8", "@\"bad\\xffutf8\"|"),
            ("c1\u{85}", "@\"c1\\xc2\\x85\"|"),
            ("nnbsp\u{202f}here.png", "@\"nnbsp\u{202f}here.png\"|"),
            ("\u{202e}gpj.exe", "@\"\u{202e}gpj.exe\"|"),
            ("漢字ファイル.txt", "@漢字ファイル.txt|"),
            (".../", "@.../|"),
            ("ends.", "@\"ends.\"|"),
        ] {
            let offer = offer(path, path, "");
            let insert = offer.insert.strip_suffix(' ').unwrap_or(&offer.insert);
            let at = offer.goes_on.unwrap_or(insert.len());
            let (before, behind) = insert.split_at(at);
            assert_eq!(format!("{before}|{behind}"), want, "{path}");
        }
    }
}
