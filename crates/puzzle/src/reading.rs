//! The rules, read in a thread of their own.
//!
//! Taking a sheet apart can last longer than the clock of a move. What was begun in one move's time
//! is there in a later one's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use ludorum_propnet::CompiledGame;

use super::sheet::Sheet;

/// How often whoever waits looks whether to stop.
const LOOK: Duration = Duration::from_millis(5);

/// Rules that are being read. Dropping it ends that.
#[derive(Debug)]
pub(super) struct Reading {
    sheet: Receiver<Arc<Sheet>>,
    cancel: Arc<AtomicBool>,
    is_done: Arc<AtomicBool>,
}

impl Reading {
    /// Begins to read.
    pub(super) fn new(game: Arc<CompiledGame>) -> Self {
        let (sender, sheet) = sync_channel(1);
        let cancel = Arc::new(AtomicBool::new(false));
        let is_done = Arc::new(AtomicBool::new(false));
        let (flag, done) = (Arc::clone(&cancel), Arc::clone(&is_done));
        let work = move || {
            let sheet = Sheet::read(&game, Some(&flag));
            // Nobody may want it any more.
            let _ = sender.send(Arc::new(sheet));
            done.store(true, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("reading".to_owned());
        if thread.spawn(work).is_err() {
            // The sender is gone with the work: whoever waits makes do with nothing.
            is_done.store(true, Ordering::Release);
        }
        Self {
            sheet,
            cancel,
            is_done,
        }
    }

    /// A flag that is set when it is done.
    pub(super) fn done(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_done)
    }

    /// What was read, waited for until a moment or until `stop`.
    pub(super) fn wait(
        &self,
        until: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Arc<Sheet>> {
        loop {
            match self.sheet.recv_timeout(LOOK) {
                Ok(sheet) => return Some(sheet),
                Err(RecvTimeoutError::Disconnected) => return Some(Arc::default()),
                Err(RecvTimeoutError::Timeout) => {
                    if stop() || until.is_some_and(|until| Instant::now() >= until) {
                        return None;
                    }
                }
            }
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_clock_was_too_short_for_is_there_in_a_later_one() {
        let rules = "(role r) (init (at 0)) (legal r go) (<= (next (at 1)) (does r go))
            (<= terminal (true (at 1))) (<= (goal r 60) (true (at 1)))";
        let rules = Arc::new(ludorum_logic::Rules::from_text(rules).unwrap());
        let reading = Reading::new(Arc::new(CompiledGame::new(rules)));
        let mut clocks = 0;
        let sheet = loop {
            clocks += 1;
            let now = Some(Instant::now());
            if let Some(sheet) = reading.wait(now, &|| false) {
                break sheet;
            }
        };
        assert!(clocks > 0);
        assert_eq!((sheet.ceiling, sheet.is_read), (60, true));
    }
}
