//! The loop of a plugin: lines in, answers out, and what was cancelled in time is not answered.
//!
//! Lines are read on a thread of their own, so that a `cancel` that came meanwhile is seen before the request that it takes
//! back is begun. It knows of a line only its word and its id; `plugin/answer.rs` knows the rest. `carpel plugin-host` runs
//! the same loop over a library's table.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, channel};

use super::Plugin;
use super::answer::Head;

/// Serves a plugin on two streams until the first one ends: the `main` of a plugin that is an executable.
///
/// ```no_run
/// use carpel_slots::plugin::{Plugin, serve};
///
/// fn main() -> std::io::Result<()> {
///     serve(&Plugin::new("nothing", "1.0.0"), std::io::stdin(), std::io::stdout())
/// }
/// ```
///
/// Nothing else may write to that output: what a plugin has to say to its author goes to standard error, which the host
/// keeps in a log.
///
/// # Errors
/// When the output is gone, which means that the host is. What cannot be read of the input ends it.
pub fn serve(plugin: &Plugin, input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
    serve_lines(input, output, |line, reply| {
        if let Some(text) = plugin.answer_line(line) {
            reply(&text);
        }
    })
}

/// The loop alone. `answer` gets each line without its end and hands its replies, none or more, to the function beside
/// it, each without a line feed.
///
/// # Errors
/// As [`serve`].
pub fn serve_lines(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    mut answer: impl FnMut(&str, &mut dyn FnMut(&str)),
) -> io::Result<()> {
    let (sender, lines) = channel();
    let reader = move || {
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.is_empty() && sender.send(text.to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    };
    std::thread::Builder::new().name("plugin lines".to_owned()).spawn(reader)?;
    let mut waiting = Waiting { lines, queue: VecDeque::new() };
    while let Some(line) = waiting.next() {
        let mut replies = String::new();
        answer(&line, &mut |reply| {
            replies.push_str(reply);
            replies.push('\n');
        });
        output.write_all(replies.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// Lines that have come and were not begun.
struct Waiting {
    lines: Receiver<String>,
    queue: VecDeque<(Option<u64>, String)>,
}

impl Waiting {
    /// The next line to answer, once there is one; `None` at the end.
    fn next(&mut self) -> Option<String> {
        loop {
            while let Ok(line) = self.lines.try_recv() {
                self.take(line);
            }
            if let Some((_, line)) = self.queue.pop_front() {
                return Some(line);
            }
            let line = self.lines.recv().ok()?;
            self.take(line);
        }
    }

    fn take(&mut self, line: String) {
        let head = Head::of(&line);
        match (head.request.as_str(), head.id) {
            ("cancel", Some(id)) => self.queue.retain(|(own, _)| *own != Some(id)),
            ("cancel", None) => {}
            (_, id) => self.queue.push_back((id, line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The queue alone: what has come before the first line is begun.
    fn left(lines: &[&str]) -> Vec<String> {
        let (sender, receiver) = channel();
        lines.iter().for_each(|line| sender.send((*line).to_owned()).unwrap());
        drop(sender);
        let mut waiting = Waiting { lines: receiver, queue: VecDeque::new() };
        std::iter::from_fn(|| waiting.next()).collect()
    }

    #[test]
    fn what_was_cancelled_in_time_is_not_begun() {
        let (one, two) = (r#"{"request":"card","id":1}"#, r#"{"request":"card","id":2}"#);
        let cancel = r#"{"request":"cancel","id":1}"#;
        for (lines, want) in [
            (vec![one, two], vec![one, two]),
            (vec![one, two, cancel], vec![two]),
            (vec![cancel, one], vec![one]),
            (vec![one, r#"{"request":"cancel"}"#], vec![one]),
            (vec!["no JSON", one, cancel], vec!["no JSON"]),
            (vec![], vec![]),
        ] {
            assert_eq!(left(&lines), want, "{lines:?}");
        }
    }

    #[test]
    fn lines_in_and_lines_out() {
        for (input, want) in [
            (&b"a\nb\r\n\nc"[..], "a1\na2\nb1\nb2\nc1\nc2\n"),
            (b"\xff\n", "\u{fffd}1\n\u{fffd}2\n"),
            (b"", ""),
        ] {
            let mut output = Vec::new();
            serve_lines(input, &mut output, |line, reply| {
                reply(&format!("{line}1"));
                reply(&format!("{line}2"));
            })
            .unwrap();
            assert_eq!(String::from_utf8_lossy(&output), want);
        }
    }

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn without_a_host_it_ends() {
        let error = serve_lines(&b"a\nb\n"[..], Closed, |_, reply| reply("x")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
