//! Exploring: several calls at once, then a structured answer with real figures.
//!
//! First everything that can be asked without knowing anything (files, README, markers, entry points, lengths), in
//! parallel; then the README and the manifest; then the answer. Each call is short enough to be read by a person. A part whose call failed or found nothing
//! is left out or told, never filled in. It refuses to judge what the project is good for.

use super::answer::{by_language, language_table, longest, place};
use super::calls::{Call, Got, Lines, Matches, Paths};
use super::files::{shallowest, told};
use super::kinds;
use super::markdown::{code, line};
use super::plan::lines_per_file;
use super::script::{Pause, Script};
use super::step::{Needle, Scope};
use crate::tools::{count, grouped};

pub fn project(script: &mut Script<'_>) -> Result<String, Pause> {
    let whole = Scope::default();
    let code_files = Scope { path: None, glob: Some(kinds::ENTRY_FILES.to_owned()) };
    let thinking = "look at everything at once: files, README, markers, entry points, lengths\nthen read the README \
                    and the manifest";
    let mut first = script
        .ask(
            thinking,
            vec![
                Call::glob("**/*", None),
                Call::glob(kinds::README, None),
                Call::grep(&needle("TODO|FIXME"), &whole, "count"),
                Call::grep(&needle(kinds::ENTRY_POINTS), &code_files, "content").whole(),
                lines_per_file(&whole),
            ],
        )?
        .into_iter();
    let files = first.next().unwrap_or_default().paths();
    let readme = first.next().unwrap_or_default().paths();
    let markers = first.next().unwrap_or_default().matches();
    let mut entries = first.next().unwrap_or_default().matches();
    let lengths = first.next().unwrap_or_default().matches();

    if let Ok(entries) = &mut entries {
        entries.keep_lines(kinds::is_entry_point);
    }
    let manifests = manifests(&files, script)?;

    let readme = readme.ok().as_ref().and_then(shallowest);
    let manifest = shallowest(&manifests);
    let mut calls = Vec::new();
    calls.extend(readme.as_ref().map(|path| Call::read(path, None, Some(40))));
    calls.extend(manifest.as_ref().map(|path| Call::read(path, None, Some(60))));
    let mut heads = if calls.is_empty() {
        Vec::new()
    } else {
        let names: Vec<&str> = [&readme, &manifest].into_iter().flatten().map(String::as_str).collect();
        script.ask(&format!("read the beginning of {}", names.join(" and ")), calls)?
    }
    .into_iter();
    let readme = readme.and_then(|_| heads.next()).and_then(|outcome| outcome.lines().ok());
    let manifest = manifest.and_then(|_| heads.next()).and_then(|outcome| outcome.lines().ok());

    if let Ok(lengths) = &lengths {
        script.memory.remember_matches(lengths, ("line", "lines"));
    }
    let files = match files {
        Ok(files) => files,
        Err(sentence) => return Ok(told(&sentence)),
    };
    if files.total == 0 {
        return Ok("There are no files here. (Files that `.gitignore` names are not looked at.)".to_owned());
    }
    let mut text = introduction(readme.as_ref(), manifest.as_ref());
    text.push_str(&figures(&files, &lengths));
    text.push_str(&parts(&files));
    text.push_str(&manifest_line(&manifests));
    text.push_str(&entry_line(&entries));
    text.push_str(&marker_line(&markers));
    if let Ok(lengths) = lengths.as_ref()
        && lengths.files.len() > 1
    {
        let cut = if lengths.truncated { " of those that the tool listed" } else { "" };
        text.push_str(&format!("\nThe longest files{cut}:\n\n"));
        text.push_str(&longest(lengths, 5));
    }
    Ok(text)
}

/// The manifests among the files; asked for one kind after the other where the list of files was cut.
fn manifests(files: &Got<Paths>, script: &mut Script<'_>) -> Result<Paths, Pause> {
    let Ok(files) = files else { return Ok(Paths::default()) };
    let mut paths: Vec<String> = Vec::new();
    if files.truncated {
        let calls = kinds::MANIFEST_GLOBS.iter().map(|glob| Call::glob(glob, None)).collect();
        for outcome in script.ask("the list of files was cut; look for manifests by their names", calls)? {
            paths.extend(outcome.paths().unwrap_or_default().paths);
        }
    } else {
        paths.extend(files.paths.iter().filter(|path| kinds::is_manifest(path)).cloned());
    }
    Ok(Paths { total: paths.len() as u64, truncated: false, paths })
}

/// The folders right below a folder, or the project, with how many files they hold.
pub fn folders(path: Option<&str>, script: &mut Script<'_>) -> Result<String, Pause> {
    let scope = Scope { path: path.map(str::to_owned), glob: None };
    let files =
        match script.ask_one("folders are seen by the files in them", Call::glob("**/*", path))?.paths() {
            Ok(files) => files,
            Err(sentence) => return Ok(told(&sentence)),
        };
    let prefix = path.filter(|path| *path != ".").map_or(String::new(), |path| format!("{path}/"));
    let mut folders = folders_of(&files, &prefix);
    folders.sort_by(|one, other| one.0.cmp(other.0));
    let cut = if files.truncated {
        let listed = grouped(files.paths.len() as u64);
        format!(
            "\nThe tool listed the {listed} newest files; a folder without any of them is not seen here.\n"
        )
    } else {
        String::new()
    };
    if folders.is_empty() {
        return Ok(format!("There are no folders with files{}.\n{cut}", place(&scope)));
    }
    let verb = if folders.len() == 1 { "is" } else { "are" };
    let number = count(folders.len() as u64, "folder", "folders");
    let here = if path.is_some() { place(&scope) } else { " at the top of the project".to_owned() };
    let mut text = format!("There {verb} {number} with files{here}, by name:\n\n");
    let paths: Vec<String> = folders.iter().map(|(folder, _)| format!("{prefix}{folder}")).collect();
    for (at, (path, (_, held))) in paths.iter().zip(&folders).enumerate().take(50) {
        let held =
            if files.truncated { String::new() } else { format!(": {}", count(*held, "file", "files")) };
        text.push_str(&format!("{}. {}{held}\n", at + 1, code(&format!("{path}/"))));
    }
    if paths.len() > 50 {
        text.push_str(&format!("\n… and {} more.\n", paths.len() - 50));
    }
    text.push_str(&cut);
    script.memory.remember_paths(&Paths { total: paths.len() as u64, truncated: files.truncated, paths });
    Ok(text)
}

pub fn folder(path: &str, script: &mut Script<'_>) -> Result<String, Pause> {
    let path = path.trim_end_matches('/');
    let scope = Scope { path: Some(path.to_owned()), glob: None };
    let calls = vec![
        Call::glob("**/*", Some(path)),
        lines_per_file(&scope),
        Call::grep(&needle("TODO|FIXME"), &scope, "count"),
    ];
    let mut outcomes = script.ask(&format!("list what is in {path}, and count it"), calls)?.into_iter();
    let files = outcomes.next().unwrap_or_default().paths();
    let lengths = outcomes.next().unwrap_or_default().matches();
    let markers = outcomes.next().unwrap_or_default().matches();
    let files = match files {
        Ok(files) => files,
        Err(sentence) => return Ok(told(&sentence)),
    };
    script.memory.remember_paths(&files);
    if files.total == 0 {
        return Ok(format!(
            "There are no files{}. (Files that `.gitignore` names are not looked at.)",
            place(&scope)
        ));
    }
    let mut text = format!("In {} ", code(path));
    let verb = if files.total == 1 { "is" } else { "are" };
    text.push_str(&format!("{verb} {}", count(files.total, "file", "files")));
    if let Ok(lengths) = lengths.as_ref()
        && lengths.total > 0
    {
        text.push_str(&format!(" with {}", count(lengths.total, "line", "lines")));
    }
    text.push_str(if files.paths.len() > 1 { ", newest first:\n\n" } else { ":\n\n" });
    let length_of = |path: &str| {
        let found = lengths.as_ref().ok()?.files.iter().find(|file| file.path == path)?;
        Some(count(found.count, "line", "lines"))
    };
    for (at, path) in files.paths.iter().take(20).enumerate() {
        let length = length_of(path).map_or(String::new(), |length| format!(": {length}"));
        text.push_str(&format!("{}. {}{length}\n", at + 1, code(path)));
    }
    let rest = files.total.saturating_sub(files.paths.len().min(20) as u64);
    if rest > 0 {
        text.push_str(&format!("\n… and {} more.\n", grouped(rest)));
    }
    text.push('\n');
    text.push_str(marker_line(&markers).trim_start_matches("- "));
    Ok(text)
}

fn needle(pattern: &str) -> Needle {
    Needle { pattern: pattern.to_owned(), label: pattern.to_owned(), ignore_case: false }
}

/// Name and first paragraph of the README; name, version and description of the manifest.
fn introduction(readme: Option<&Lines>, manifest: Option<&Lines>) -> String {
    let mut text = String::new();
    if let Some(readme) = readme {
        let title = readme.lines.iter().find(|line| line.1.starts_with("# ")).map(|line| line.1[2..].trim());
        if let Some(title) = title {
            text.push_str(&format!("**{}**", title.replace('*', "")));
        }
        let paragraph: Vec<&str> = readme
            .lines
            .iter()
            .map(|line| line.1.trim())
            .skip_while(|line| line.is_empty() || line.starts_with(['#', '[', '!', '<', '=', '-', '|', '`']))
            .take_while(|line| !line.is_empty() && !line.starts_with(['#', '`', '|']))
            .take(4)
            .collect();
        if !paragraph.is_empty() {
            let separator = if text.is_empty() { "" } else { "\n\n" };
            text.push_str(&format!("{separator}{} says:\n\n", code(&readme.path)));
            text.push_str(&format!("> {}", paragraph.join("\n> ")));
        }
    }
    if let Some(manifest) = manifest {
        let facts: Vec<String> = ["name", "version", "description"]
            .iter()
            .filter_map(|key| value_of(manifest, key).map(|value| format!("{key} {}", code(&value))))
            .collect();
        if !facts.is_empty() {
            let separator = if text.is_empty() { "" } else { "\n\n" };
            text.push_str(&format!("{separator}{} says: {}.", code(&manifest.path), facts.join(", ")));
        }
    }
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text
}

/// The first `key = "value"` or `"key": "value"`.
fn value_of(manifest: &Lines, key: &str) -> Option<String> {
    manifest.lines.iter().find_map(|(_, text)| {
        let rest = text.trim().trim_start_matches('"').strip_prefix(key)?;
        let rest = rest.trim_start_matches('"').trim_start();
        let value = rest.strip_prefix(['=', ':'])?.trim().trim_end_matches(',');
        let inner = value.strip_prefix('"')?.strip_suffix('"')?;
        (!inner.is_empty() && !inner.contains('"')).then(|| inner.to_owned())
    })
}

fn figures(files: &Paths, lengths: &Got<Matches>) -> String {
    let verb = if files.total == 1 { "is" } else { "are" };
    let mut text = format!("There {verb} {}", count(files.total, "file", "files"));
    let counted = lengths.as_ref().ok().filter(|lengths| lengths.total > 0);
    if let Some(lengths) = counted {
        text.push_str(&format!(", with {} of text", count(lengths.total, "line", "lines")));
    }
    text.push_str(".\n");
    // Lines of files that are not in the table would make it wrong, so a cut list has no lines column.
    let lines = counted.filter(|lengths| !lengths.truncated && !files.truncated);
    text.push_str(&language_table(&by_language(&files.paths), lines));
    if files.truncated {
        text.push_str(&format!(
            "\nThe table covers the {} newest of them, which the tool listed.\n",
            grouped(files.paths.len() as u64)
        ));
    }
    text
}

/// The folders right below `prefix`, those with the most files first.
pub fn greatest_folders<'a>(files: &'a Paths, prefix: &str) -> Vec<(&'a str, u64)> {
    let mut folders = folders_of(files, prefix);
    folders.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    folders
}

/// Folders at the top, with how many files they hold.
fn parts(files: &Paths) -> String {
    let folders = greatest_folders(files, "");
    if folders.is_empty() {
        return String::new();
    }
    let listed: Vec<String> = folders
        .iter()
        .take(8)
        .map(|(folder, files)| format!("{} ({files})", code(&format!("{folder}/"))))
        .collect();
    let rest = folders.len().saturating_sub(8);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("\n- Folders: {}{more}\n", listed.join(", "))
}

/// The folders right below `prefix`, each with the number of files in it and below.
fn folders_of<'a>(files: &'a Paths, prefix: &str) -> Vec<(&'a str, u64)> {
    let mut folders: Vec<(&str, u64)> = Vec::new();
    for path in &files.paths {
        let Some((folder, _)) = path.strip_prefix(prefix).and_then(|below| below.split_once('/')) else {
            continue;
        };
        match folders.iter_mut().find(|entry| entry.0 == folder) {
            Some(entry) => entry.1 += 1,
            None => folders.push((folder, 1)),
        }
    }
    folders
}

fn manifest_line(manifests: &Paths) -> String {
    if manifests.paths.is_empty() {
        return String::new();
    }
    let mut paths = manifests.paths.clone();
    paths.sort_by_key(|path| (path.matches('/').count(), path.clone()));
    let listed: Vec<String> = paths.iter().take(6).map(|path| code(path)).collect();
    let rest = manifests.total.saturating_sub(listed.len() as u64);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("- Manifests: {}{more}\n", listed.join(", "))
}

fn entry_line(entries: &Got<Matches>) -> String {
    let Ok(entries) = entries else { return String::new() };
    let mut places: Vec<(String, &str)> = Vec::new();
    for file in &entries.files {
        places.extend(
            file.lines
                .iter()
                .take(1)
                .map(|(number, text)| (format!("{}:{number}", file.path), text.as_str())),
        );
    }
    places.sort_by_key(|place| (place.0.matches('/').count(), place.0.clone()));
    if places.is_empty() {
        return String::new();
    }
    let listed: Vec<String> =
        places.iter().take(5).map(|(place, text)| format!("{} {}", code(place), line(text))).collect();
    let rest = entries.total_files.saturating_sub(listed.len() as u64);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("- Entry points: {}{more}\n", listed.join(", "))
}

fn marker_line(markers: &Got<Matches>) -> String {
    let Ok(markers) = markers else { return String::new() };
    if markers.total == 0 {
        return "- TODO and FIXME: none\n".to_owned();
    }
    let most = markers.files.first().map_or(String::new(), |file| {
        if markers.files.len() > 1 {
            format!("; {} in {}", grouped(file.count), code(&file.path))
        } else {
            format!(", {}", code(&file.path))
        }
    });
    let on_lines = if markers.on_lines == markers.total {
        String::new()
    } else {
        format!(" on {}", count(markers.on_lines, "line", "lines"))
    };
    format!(
        "- TODO and FIXME: {}{on_lines} in {}{most}\n",
        grouped(markers.total),
        count(markers.total_files, "file", "files")
    )
}
