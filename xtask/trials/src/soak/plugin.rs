//! A plugin of moods: a script that draws its calls, until it does not.
//!
//! It owns the faults and their order. What the program makes of them is not its business.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::random::Random;

/// The tool that it draws.
pub const TOOL: &str = "moody";

/// What it does with a request, in the words of a shell; `$id` is the request's number.
const MOODS: [&str; 9] = [
    r#"printf '{"reply":"card","id":%s,"card":{"title":"drawn","body":["fine"]}}\n' "$id""#,
    r#"printf '{"reply":"card","id":%s,"card":{"title":"\\u001b[2J\\u202e","body":["\\u001b[3J"]}}\n' "$id""#,
    r#"sleep 0.2; printf '{"reply":"card","id":%s,"card":{"title":"late"}}\n' "$id""#,
    r#"printf '\033[3Jnonsense\n'"#,
    r#"printf '{"reply":"card","id":%s,"card":{"body":[{"tabel":1}]}}\n' "$id""#,
    r#"printf '{"reply":"card","id":999999,"card":{}}\n'"#,
    "exit 3",
    "exec sleep 1000",
    r#"printf '\033]0;a title\007' >&2; head -c 2000000 /dev/zero | tr '\0' x"#,
];

/// Writes the plugin into the folder of a person's own plugins; its moods follow from the random numbers.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(folder: &Path, random: &mut Random) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    let cases = (1..20).map(|number| {
        let mood = if random.once_in(2) { MOODS.first() } else { random.one_of(&MOODS) };
        format!("    {number}) {} ;;\n", mood.copied().unwrap_or_default())
    });
    let cases: String = cases.collect();
    let script = format!(
        "#!/bin/sh\nread -r line\n\
         printf '{{\"reply\":\"hello\",\"abi\":1,\"name\":\"{TOOL}\",\"version\":\"1\",\"views\":[\"{TOOL}\"]}}\\n'\n\
         number=0\nwhile read -r line; do\n  case $line in *'\"request\":\"card\"'*) ;; *) continue ;; esac\n  \
         number=$((number % 19 + 1))\n  id=$(expr \"$line\" : '.*\"request\":\"card\",\"id\":\\([0-9]*\\)')\n  \
         case $number in\n{cases}  esac\ndone\n"
    );
    let path = folder.join(TOOL);
    std::fs::write(&path, script).with_context(|| format!("{}: cannot be written", path.display()))?;
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&path, mode)
        .with_context(|| format!("{}: its mode cannot be set", path.display()))
}
