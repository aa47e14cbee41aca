//! Signals and requests of the host as bits and one pipe that wakes the input thread.
//!
//! A handler only sets a bit and writes a byte, so it is safe at any moment. Once the reader is gone each signal has
//! its default effect again. It says what was asked since the last look and decides nothing; `input.rs` does.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};

use super::StopSignal;

/// What was asked since the last look.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) resized: bool,
    pub(super) suspend: bool,
    pub(super) continued: bool,
    pub(super) measure: bool,
    pub(super) abort: bool,
    pub(super) stop: Option<(StopSignal, i32)>,
}

/// The input thread's end.
pub(super) struct Signals {
    pipe: OwnedFd,
    control: Arc<Control>,
    resized: Arc<AtomicBool>,
    suspend: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
    abort: Arc<AtomicBool>,
    stops: Vec<(Arc<AtomicBool>, StopSignal, i32)>,
    ids: Vec<SigId>,
}

/// The host's end.
pub(super) struct Control {
    wake: OwnedFd,
    measure: AtomicBool,
    paused: AtomicBool,
    /// When the terminal was asked for its background, until it has told it.
    background: Mutex<Option<Instant>>,
    quit: Arc<AtomicBool>,
}

impl Signals {
    pub(super) fn install() -> io::Result<Self> {
        let (pipe, wake) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let control = Control {
            wake,
            measure: AtomicBool::default(),
            paused: AtomicBool::default(),
            background: Mutex::default(),
            quit: Arc::default(),
        };
        let mut signals = Self {
            pipe,
            control: Arc::new(control),
            resized: Arc::default(),
            suspend: Arc::default(),
            continued: Arc::default(),
            abort: Arc::default(),
            stops: Vec::new(),
            ids: Vec::new(),
        };
        signals.listen(SIGWINCH, &signals.resized.clone())?;
        signals.listen(SIGTSTP, &signals.suspend.clone())?;
        signals.listen(SIGCONT, &signals.continued.clone())?;
        signals.listen(SIGQUIT, &signals.abort.clone())?;
        let stops =
            [(StopSignal::Terminate, SIGTERM), (StopSignal::HangUp, SIGHUP), (StopSignal::Interrupt, SIGINT)];
        for (signal, number) in stops {
            let flag = Arc::default();
            signals.listen(number, &flag)?;
            signals.stops.push((flag, signal, number));
        }
        Ok(signals)
    }

    pub(super) fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    pub(super) fn pipe(&self) -> &OwnedFd {
        &self.pipe
    }

    pub(super) fn quitting(&self) -> bool {
        self.control.quit.load(Ordering::Acquire)
    }

    pub(super) fn paused(&self) -> bool {
        self.control.paused.load(Ordering::Acquire)
    }

    /// Empties the pipe, then takes the bits: a bit set later has its byte in the pipe.
    pub(super) fn take(&self) -> Taken {
        let mut bytes = [0; 64];
        while rustix::io::read(&self.pipe, &mut bytes).is_ok_and(|read| read > 0) {}
        let taken = |flag: &AtomicBool| flag.swap(false, Ordering::AcqRel);
        let mut stop = None;
        for (flag, signal, number) in &self.stops {
            if taken(flag) {
                stop = Some((*signal, *number));
            }
        }
        Taken {
            resized: taken(&self.resized),
            suspend: taken(&self.suspend),
            continued: taken(&self.continued),
            measure: taken(&self.control.measure),
            abort: taken(&self.abort),
            stop,
        }
    }

    fn listen(&mut self, signal: i32, flag: &Arc<AtomicBool>) -> io::Result<()> {
        use signal_hook::{flag as flags, low_level};
        let quit = Arc::clone(&self.control.quit);
        // In this order: what happens after the reader, the bit, the byte that makes it seen.
        self.ids.push(flags::register_conditional_default(signal, quit)?);
        self.ids.push(flags::register(signal, Arc::clone(flag))?);
        self.ids.push(low_level::pipe::register(signal, self.control.wake.try_clone()?)?);
        Ok(())
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // The default effect stays registered: a handler cannot be taken away again, only left without effect.
        for (index, id) in self.ids.drain(..).enumerate() {
            if index % 3 != 0 {
                signal_hook::low_level::unregister(id);
            }
        }
    }
}

impl Control {
    pub(super) fn set_background(&self, asked: Option<Instant>) {
        *self.background.lock().unwrap_or_else(PoisonError::into_inner) = asked;
    }

    pub(super) fn background(&self) -> Option<Instant> {
        *self.background.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn measure(&self) {
        self.measure.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Release);
        self.wake();
    }

    pub(super) fn quit(&self) {
        self.quit.store(true, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        // A full pipe wakes just as well.
        let _ = rustix::io::write(&self.wake, b"!");
    }
}
