//! The one signal that ends running tools.
//!
//! Owns a flag that goes from false to true once and never back. Blocking code asks `is_cancelled`, async code awaits
//! `cancelled`. All clones are the same signal, so a call that starts after the cancel sees it at once.
//! Refuses to know who cancels and why.

use std::sync::Arc;

use tokio::sync::watch;

#[derive(Debug, Clone)]
pub struct Cancel {
    // A watch channel gives both readers: the blocking one borrows the value, the async one waits for it.
    fired: Arc<watch::Sender<bool>>,
}

impl Cancel {
    pub fn new() -> Self {
        Self { fired: Arc::new(watch::Sender::new(false)) }
    }

    pub fn cancel(&self) {
        self.fired.send_replace(true);
    }

    pub fn is_cancelled(&self) -> bool {
        *self.fired.borrow()
    }

    /// Returns when the signal has fired, at once if it already has.
    pub async fn cancelled(&self) {
        let mut fired = self.fired.subscribe();
        // The sender lives in `self`, so the wait cannot end for any other reason.
        let _ = fired.wait_for(|fired| *fired).await;
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_is_the_same_signal_and_waiting_ends() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let cancel = Cancel::new();
        let other = cancel.clone();
        assert!(!other.is_cancelled());
        runtime.block_on(async {
            let waiting = tokio::spawn({
                let cancel = cancel.clone();
                async move { cancel.cancelled().await }
            });
            tokio::task::yield_now().await;
            assert!(!waiting.is_finished());
            other.cancel();
            waiting.await.unwrap();
            cancel.cancelled().await; // a late waiter does not hang
        });
        assert!(cancel.is_cancelled());
    }
}
