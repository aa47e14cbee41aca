//! Stdin and stdout as one stream that can be waited for.
//!
//! Owns two threads that copy between the standard streams and a socket pair. Reading a terminal or a file cannot be
//! broken off, and a runtime waits for its own blocking threads when it ends; these it does not know, so that a pod
//! leaves although its input is still open. It refuses to know lines.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream as StdStream;
use std::thread;

use tokio::net::UnixStream;
use tokio::sync::oneshot;

/// The pod's end of the standard streams.
pub(super) struct Stdio {
    pub(super) stream: UnixStream,
    /// Fires when all that was written to `stream` is on stdout, or cannot get there.
    pub(super) written: oneshot::Receiver<()>,
}

pub(super) fn open() -> io::Result<Stdio> {
    bridge(io::stdin(), io::stdout())
}

pub(super) fn bridge(
    mut input: impl Read + Send + 'static,
    mut output: impl Write + Send + 'static,
) -> io::Result<Stdio> {
    let (ours, theirs) = StdStream::pair()?;
    ours.set_nonblocking(true)?;
    let stream = UnixStream::from_std(ours)?;
    let mut to_pod = theirs.try_clone()?;
    let mut from_pod = theirs;
    thread::Builder::new().name("stdin".to_owned()).spawn(move || {
        if let Err(error) = io::copy(&mut input, &mut to_pod) {
            tracing::debug!(%error, "stdin ended with an error");
        }
        // When the pod has closed its end already there is nobody left to be told.
        let _ = to_pod.shutdown(Shutdown::Write);
    })?;
    let (done, written) = oneshot::channel();
    thread::Builder::new().name("stdout".to_owned()).spawn(move || {
        if let Err(error) = copy_flushing(&mut from_pod, &mut output) {
            tracing::debug!(%error, "stdout cannot be written any more");
        }
        // Nobody reads: the pod's next write must fail in place of waiting.
        let _ = from_pod.shutdown(Shutdown::Both);
        let _ = done.send(());
    })?;
    Ok(Stdio { stream, written })
}

/// Stdout holds back the last line of a piece; a client waits for it.
fn copy_flushing(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                to.write_all(&chunk[..count])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
