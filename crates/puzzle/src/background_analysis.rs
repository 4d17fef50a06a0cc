//! The rules, read in a thread of their own.
//!
//! Taking a sheet apart can last longer than the clock of a move. What was begun in one move's time
//! is there in a later one's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use ludorum_propnet::CompiledGame;

use crate::rule_analysis::RuleAnalysis;

/// How often whoever waits looks whether to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Rules that are being read. Dropping it ends that.
#[derive(Debug)]
pub(crate) struct BackgroundAnalysis {
    analysis: Receiver<Arc<RuleAnalysis>>,
    cancel: Arc<AtomicBool>,
    is_done: Arc<AtomicBool>,
}

impl BackgroundAnalysis {
    /// Begins to read.
    pub(crate) fn new(game: Arc<CompiledGame>) -> Self {
        let (sender, analysis) = sync_channel(1);
        let cancel = Arc::new(AtomicBool::new(false));
        let is_done = Arc::new(AtomicBool::new(false));
        let (flag, done) = (Arc::clone(&cancel), Arc::clone(&is_done));
        let work = move || {
            let analysis = RuleAnalysis::run(&game, Some(&flag));
            // Nobody may want it any more.
            let _ = sender.send(Arc::new(analysis));
            done.store(true, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("rule-analysis".to_owned());
        if thread.spawn(work).is_err() {
            // The sender is gone with the work: whoever waits makes do with nothing.
            is_done.store(true, Ordering::Release);
        }
        Self {
            analysis,
            cancel,
            is_done,
        }
    }

    /// A flag that is set when it is done.
    pub(crate) fn done(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_done)
    }

    /// What was read, waited for until a moment or until `stop`.
    pub(crate) fn wait(
        &self,
        deadline: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Arc<RuleAnalysis>> {
        loop {
            match self.analysis.recv_timeout(POLL_INTERVAL) {
                Ok(analysis) => return Some(analysis),
                Err(RecvTimeoutError::Disconnected) => return Some(Arc::default()),
                Err(RecvTimeoutError::Timeout) => {
                    if stop() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        return None;
                    }
                }
            }
        }
    }
}

impl Drop for BackgroundAnalysis {
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
        let analysis = BackgroundAnalysis::new(Arc::new(CompiledGame::new(rules)));
        let mut waits = 0;
        let analysis = loop {
            waits += 1;
            let now = Some(Instant::now());
            if let Some(analysis) = analysis.wait(now, &|| false) {
                break analysis;
            }
        };
        assert!(waits > 0);
        assert_eq!((analysis.ceiling, analysis.is_ceiling_derived), (60, true));
    }
}
