//! Raw mode, and the promise that it ends: after a return, a panic, a signal, or a host that hangs.
//!
//! While a guard lives the terminal is in raw mode and its restoring is known to the whole process, so that the
//! panic hook and the input thread can do it too. A panic that somebody catches (a view of a plugin) must not end
//! the screen, so the hook only keeps the report; dropping the guard while unwinding restores the terminal and then
//! prints it. Which modes are on it is told; it refuses to know the screen. `session.rs` owns the one guard.

use std::io::{self, Write as _};
use std::panic::PanicHookInfo;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use carpel_slots::Printable;
use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};

use super::modes::Modes;
use super::tty::Tty;

/// Raw mode as long as it lives.
pub(super) struct Guard {
    tty: Tty,
    cooked: Termios,
}

impl Guard {
    pub(super) fn enter(tty: &Tty) -> io::Result<Self> {
        let cooked = tcgetattr(tty.input())?;
        let guard = Self { tty: tty.clone(), cooked };
        guard.raw_on()?;
        keep_panic_reports();
        Ok(guard)
    }

    /// Raw mode on, at the start and after a stop in the background.
    pub(super) fn raw_on(&self) -> io::Result<()> {
        let mut raw = self.cooked.clone();
        raw.make_raw();
        tcsetattr(self.tty.input(), OptionalActions::Now, &raw)?;
        *emergency() =
            Some(Emergency { tty: self.tty.clone(), cooked: self.cooked.clone(), modes: Modes::default() });
        Ok(())
    }

    /// The terminal's own mode again. What was typed and not read is dropped first: it was meant for carpel.
    pub(super) fn raw_off(&self) -> io::Result<()> {
        *emergency() = None;
        // A terminal that is gone has nothing to drain; setting its mode below says so.
        let _ = tcflush(self.tty.input(), QueueSelector::IFlush);
        Ok(tcsetattr(self.tty.input(), OptionalActions::Now, &self.cooked)?)
    }

    /// Tells which modes an emergency has to turn off.
    pub(super) fn note(&self, modes: Modes) {
        if let Some(emergency) = &mut *emergency() {
            emergency.modes = modes;
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let active = emergency().is_some();
        if active {
            let _ = self.raw_off();
        }
        print_panic_reports();
    }
}

/// What restores the terminal when nobody else will.
struct Emergency {
    tty: Tty,
    cooked: Termios,
    modes: Modes,
}

static EMERGENCY: Mutex<Option<Emergency>> = Mutex::new(None);
static REPORTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Restores the terminal from any thread, without the session: when the process is about to end by itself.
pub(super) fn restore_now() {
    let Some(mut emergency) = emergency().take() else { return };
    let old = emergency.modes.is_old();
    let mut out = if old { b"\x1b[m".to_vec() } else { b"\x1b[?2026l\x1b[m\x1b[?7h".to_vec() };
    emergency.modes.off(&mut out);
    // Where the last row is nobody knows here; below the bottom row is below it in any case.
    out.extend_from_slice(b"\x1b[9999;1H\r\n");
    if !old {
        out.extend_from_slice(b"\x1b[?25h");
    }
    let _ = emergency.tty.write(&out);
    let _ = tcflush(emergency.tty.input(), QueueSelector::IFlush);
    let _ = tcsetattr(emergency.tty.input(), OptionalActions::Now, &emergency.cooked);
    print_panic_reports();
}

fn keep_panic_reports() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| on_panic(info, &previous)));
    });
}

fn on_panic(info: &PanicHookInfo<'_>, previous: &(dyn Fn(&PanicHookInfo<'_>) + Send + Sync)) {
    let active = EMERGENCY.try_lock().map_or(true, |emergency| emergency.is_some());
    if !active {
        previous(info);
        return;
    }
    tracing::error!("{info}");
    let report = info.to_string();
    let aborts = cannot_unwind(&report);
    lock(&REPORTS).push(report);
    if aborts {
        restore_now();
    }
}

/// Whether the process ends right after this report, with nothing dropped. The standard library tells it by its
/// words only.
fn cannot_unwind(report: &str) -> bool {
    report.contains("cannot unwind") || report.contains("in a destructor during cleanup")
}

fn print_panic_reports() {
    for report in lock(&REPORTS).drain(..) {
        // A panic may quote text that it fell over.
        for row in Printable::lines(&report) {
            let _ = writeln!(io::stderr(), "{row}");
        }
    }
}

fn emergency() -> MutexGuard<'static, Option<Emergency>> {
    lock(&EMERGENCY)
}

/// What the lock holds is replaced whole, so it is sound even if its holder panicked.
fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
