//! Rule analysis in a background thread.
//!
//! The analysis of large rules can take longer than the clock of one move. It continues through the
//! following moves, and its result is used as soon as it is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use ludorum_propnet::CompiledGame;

use crate::rule_analysis::PuzzleAnalysis;

/// Poll interval of the deadline and the stop condition while waiting for the analysis.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A running rule analysis. Dropping it cancels the analysis.
#[derive(Debug)]
pub(crate) struct BackgroundAnalysis {
    analysis: Receiver<Arc<PuzzleAnalysis>>,
    cancel: Arc<AtomicBool>,
    is_done: Arc<AtomicBool>,
}

impl BackgroundAnalysis {
    /// Starts the thread.
    pub(crate) fn new(game: Arc<CompiledGame>) -> Self {
        let (sender, analysis) = sync_channel(1);
        let cancel = Arc::new(AtomicBool::new(false));
        let is_done = Arc::new(AtomicBool::new(false));
        let (flag, done_flag) = (Arc::clone(&cancel), Arc::clone(&is_done));
        let work = move || {
            let analysis = PuzzleAnalysis::run(&game, Some(&flag));
            // The receiver is gone if the search was dropped meanwhile.
            let _ = sender.send(Arc::new(analysis));
            done_flag.store(true, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("rule-analysis".to_owned());
        if thread.spawn(work).is_err() {
            // The sender was dropped with the closure, so `wait` returns an empty analysis.
            is_done.store(true, Ordering::Release);
        }
        Self {
            analysis,
            cancel,
            is_done,
        }
    }

    /// A flag that is set when the analysis has ended.
    pub(crate) fn done_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_done)
    }

    /// Waits for the result until the deadline or until `stop` holds. Returns `None` if it is not
    /// there by then, and an empty analysis if the thread failed.
    pub(crate) fn wait(
        &self,
        deadline: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Arc<PuzzleAnalysis>> {
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
    fn analysis_continues_between_waits() {
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
