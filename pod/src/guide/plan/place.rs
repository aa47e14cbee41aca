//! A place that may be two things: "in text" is the folder `text` where there is one, and text files where there is not.
//!
//! The parser knows no files, so it hands on the bare word as a glob; here one Glob tells which it is. A folder that
//! exists wins: it is what a person sees in the project. It refuses to know requests and answers.

use super::super::calls::Call;
use super::super::files::glob_literal;
use super::super::kinds;
use super::super::script::{Pause, Script};
use super::super::step::{Scope, Step, Target};

/// The step with its place settled.
pub fn settled(step: &Step, script: &mut Script<'_>) -> Result<Step, Pause> {
    let mut step = step.clone();
    let Some(scope) = scope_of(&mut step) else { return Ok(step) };
    let Some(word) = scope.glob.clone() else { return Ok(step) };
    if !kinds::may_be_folder(&word) {
        return Ok(step);
    }
    let kind = kinds::by_word(&word.to_lowercase()).map(kinds::Language::glob);
    let is_folder = if scope.path.is_some() {
        false
    } else {
        let other = if kind.is_some() { "a kind of file" } else { "the whole project" };
        let thinking = format!("{word} may be a folder or {other}; see whether there is such a folder");
        let inside = Call::glob(&format!("{}/**", glob_literal(&word)), None);
        script.ask_one(&thinking, inside)?.paths().is_ok_and(|inside| inside.total > 0)
    };
    if is_folder {
        *scope = Scope { path: Some(word), glob: None };
        return Ok(step);
    }
    scope.glob.clone_from(&kind);
    if let (Step::Find { files, .. }, Some(kind)) = (&mut step, kind)
        && files.glob == "**/*"
    {
        files.glob = format!("**/{kind}");
    }
    Ok(step)
}

/// Puts the home folder in the place of a `~` that begins a path of the step.
pub fn at_home(step: &mut Step, home: &str) {
    let settle = |path: &mut String| {
        let rest = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = rest {
            *path = format!("{}{rest}", home.trim_end_matches('/'));
        }
    };
    match step {
        Step::Read { targets, .. } => {
            targets.iter_mut().for_each(|target| {
                if let Target::Path(path) = target {
                    settle(path);
                }
            });
        }
        Step::CountLines { target: Some(Target::Path(path)), .. }
        | Step::CountWords { target: Target::Path(path) }
        | Step::Write { path, .. } => settle(path),
        Step::Explore { path } | Step::Folders { path } | Step::Tasks { path, .. } => {
            path.iter_mut().for_each(settle)
        }
        Step::Find { scope, .. }
        | Step::Search { scope, .. }
        | Step::Define { scope, .. }
        | Step::CountLines { scope, .. }
        | Step::Again { scope } => scope.path.iter_mut().for_each(settle),
        Step::Replace { scopes, .. } => {
            scopes.iter_mut().for_each(|scope| scope.path.iter_mut().for_each(settle))
        }
        Step::Task { .. }
        | Step::CountWords { .. }
        | Step::CountList
        | Step::Skill { .. }
        | Step::Run { .. }
        | Step::Help
        | Step::Hello
        | Step::Thanks
        | Step::Unknown { .. } => {}
    }
}

fn scope_of(step: &mut Step) -> Option<&mut Scope> {
    match step {
        Step::Find { scope, .. }
        | Step::Search { scope, .. }
        | Step::Define { scope, .. }
        | Step::CountLines { scope, .. } => Some(scope),
        _ => None,
    }
}
