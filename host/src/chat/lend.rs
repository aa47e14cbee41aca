//! The terminal, lent to the person's editor: for the draft, or for a file at its line.
//!
//! The editor has the whole terminal until it ends. Its choice is `editor`'s, the path's meaning `open_file`'s; here is
//! the order of lending and taking back alone. An outer error is the terminal's and ends the chat; an inner one is a
//! word for the person.

use crate::chat::{editor, open_file};
use crate::inspector::subject::Target;
use crate::terminal::session::Session;

/// The draft as the editor leaves it.
///
/// # Errors
/// The terminal cannot be lent or taken back.
pub fn for_draft(session: &mut Session, draft: &str) -> anyhow::Result<Result<String, String>> {
    let Some(editor) = editor::editor(|name| std::env::var(name).ok()) else {
        return Ok(Err("set EDITOR or VISUAL to write the draft in it".to_owned()));
    };
    session.lend()?;
    let edited = editor::edit(&editor, draft);
    session.take_back()?;
    Ok(edited.map_err(|error| format!("{error:#}")))
}

/// Shows a file that a call names from `folder`, the folder of its session.
///
/// # Errors
/// The terminal cannot be lent or taken back.
pub fn for_file(session: &mut Session, target: &Target, folder: &str) -> anyhow::Result<Result<(), String>> {
    let path = match open_file::path(target, folder) {
        Ok(path) => path,
        Err(word) => return Ok(Err(word)),
    };
    let Some(editor) = editor::editor(|name| std::env::var(name).ok()) else {
        return Ok(Err("set EDITOR or VISUAL to open files in it".to_owned()));
    };
    session.lend()?;
    let opened = open_file::open(&editor, &path, target.line);
    session.take_back()?;
    Ok(opened.map_err(|error| format!("{error:#}")))
}
