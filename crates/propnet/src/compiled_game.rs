//! The compiled game: rules, ground program, network and circuit, each made at most once.
//!
//! Engines, players and inspection pages all start from the rules and need one or several of the
//! later stages. [`CompiledGame`] makes a stage on first use and shares it, so that nothing is
//! grounded or built twice. A stage that fails (over budget, late, cancelled) stays unmade: a later
//! call with larger limits may succeed.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::circuit::Circuit;
use crate::compile_error::CompileError;
use crate::compile_limits::CompileLimits;
use crate::network::{ComponentCounts, Network};
use crate::network_builder::build_network;
use crate::pass::{self, Pass, PassReport};
use ludorum_ground::{GroundProgram, GroundProgress, ground};
use ludorum_logic::Rules;

/// The largest ground program, in bytes, that is kept once the network exists. Larger ones would
/// take more memory than the search; they are dropped and grounded again if they are needed later.
const MAX_KEPT_PROGRAM: usize = 64 << 20;

/// Poll interval of the deadline and the cancel flag while another thread makes the stage.
const POLL: Duration = Duration::from_millis(2);

/// What `CompileError::Late` says of the network stage.
const MAKING_NETWORK: &str = "making the network";

/// A network with a report on how it was made.
#[derive(Clone, Debug)]
pub struct NetworkReport {
    /// The component counts before the passes.
    pub basic: ComponentCounts,
    /// The time for building the basic network, without grounding.
    pub build_time: Duration,
    /// A report on each pass.
    pub passes: Vec<PassReport>,
    /// The optimised network.
    pub network: Arc<Network>,
}

impl NetworkReport {
    /// The circuit of the network. Like the network it is made anew.
    pub fn circuit(&self) -> Circuit {
        Circuit::new(&self.network)
    }
}

/// A game in all its compiled forms: rules, ground program, network, circuit.
pub struct CompiledGame {
    rules: Arc<Rules>,
    passes: Vec<Pass>,
    program: Stage<GroundProgram>,
    network: Stage<Network>,
    circuit: Stage<Circuit>,
}

impl fmt::Debug for CompiledGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledGame")
            .field("passes", &self.passes)
            .finish_non_exhaustive()
    }
}

impl CompiledGame {
    /// A game with its rules only; the network will be optimised by the passes of [`pass::FULL`].
    pub fn new(rules: impl Into<Arc<Rules>>) -> Self {
        Self::with_passes(rules, pass::FULL)
    }

    /// The same with another sequence of passes.
    pub fn with_passes(rules: impl Into<Arc<Rules>>, passes: &[Pass]) -> Self {
        Self {
            rules: rules.into(),
            passes: passes.to_vec(),
            program: Stage::default(),
            network: Stage::default(),
            circuit: Stage::default(),
        }
    }

    /// The rules.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The passes that optimise the network.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// The ground program.
    pub fn program(&self, limits: &CompileLimits) -> Result<Arc<GroundProgram>, CompileError> {
        self.program_with_progress(limits, &mut |_| {})
    }

    /// The same; `progress` is called from time to time while the program is grounded.
    pub fn program_with_progress(
        &self,
        limits: &CompileLimits,
        progress: &mut dyn FnMut(&GroundProgress<'_>),
    ) -> Result<Arc<GroundProgram>, CompileError> {
        self.program.get_or_make(limits, "grounding", || {
            ground(&self.rules, &limits.ground_budget(), progress).map_err(CompileError::Ground)
        })
    }

    /// The optimised network.
    pub fn network(&self, limits: &CompileLimits) -> Result<Arc<Network>, CompileError> {
        let network = self.network.get_or_make(limits, MAKING_NETWORK, || {
            let basic = self.basic_network(limits)?;
            Ok(pass::optimise(basic, &self.passes, limits.pass_budget()))
        })?;
        limits.check("making the network smaller")?;
        Ok(network)
    }

    /// The network before its passes.
    fn basic_network(&self, limits: &CompileLimits) -> Result<Network, CompileError> {
        let program = self.program(limits)?;
        limits.check("grounding")?;
        let network = build_network(&program);
        limits.check(MAKING_NETWORK)?;
        drop(program);
        self.program
            .forget_if(|program| program.bytes() > MAX_KEPT_PROGRAM);
        Ok(network)
    }

    /// The optimised network with a report on every step, for inspection. It is always made anew,
    /// because counting components between passes takes time that engines do not spend.
    pub fn network_report(&self, limits: &CompileLimits) -> Result<NetworkReport, CompileError> {
        self.program(limits)?;
        let start = Instant::now();
        let basic = self.basic_network(limits)?;
        let (basic_counts, build_time) = (basic.counts(), start.elapsed());
        let (network, passes) =
            pass::optimise_with_reports(basic, &self.passes, limits.pass_budget());
        Ok(NetworkReport {
            basic: basic_counts,
            build_time,
            passes,
            network: Arc::new(network),
        })
    }

    /// The circuit of the optimised network.
    pub fn circuit(&self, limits: &CompileLimits) -> Result<Arc<Circuit>, CompileError> {
        let network = self.network(limits)?;
        self.circuit
            .get_or_make(limits, "making the circuit", || Ok(Circuit::new(&network)))
    }
}

/// A value that is made at most once. Threads that ask while it is being made wait for it.
#[derive(Debug)]
struct Stage<T> {
    progress: Mutex<StageProgress<T>>,
    /// Signalled when the value is made and when making it fails.
    changed: Condvar,
}

#[derive(Debug)]
enum StageProgress<T> {
    Unmade,
    Running,
    Made(Arc<T>),
}

impl<T> Default for Stage<T> {
    fn default() -> Self {
        Self {
            progress: Mutex::new(StageProgress::Unmade),
            changed: Condvar::new(),
        }
    }
}

impl<T> Stage<T> {
    /// Recovers from a poisoned lock: each change of the progress is one assignment, so it is
    /// valid.
    fn lock(&self) -> MutexGuard<'_, StageProgress<T>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, progress: StageProgress<T>) {
        let old = std::mem::replace(&mut *self.lock(), progress);
        self.changed.notify_all();
        drop(old);
    }

    fn get_or_make(
        &self,
        limits: &CompileLimits,
        while_at: &'static str,
        make: impl FnOnce() -> Result<T, CompileError>,
    ) -> Result<Arc<T>, CompileError> {
        let mut progress = self.lock();
        loop {
            match &*progress {
                StageProgress::Made(value) => return Ok(Arc::clone(value)),
                StageProgress::Unmade => break,
                StageProgress::Running => {
                    limits.check(while_at)?;
                    let waited = self.changed.wait_timeout(progress, POLL);
                    progress = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        *progress = StageProgress::Running;
        drop(progress);
        // A panic in `make` must not leave other threads waiting.
        let reset = ResetOnDrop(self);
        let value = Arc::new(make()?);
        std::mem::forget(reset);
        self.set(StageProgress::Made(Arc::clone(&value)));
        Ok(value)
    }

    /// Drops the value if a condition holds. The next call makes it again.
    fn forget_if(&self, condition: impl FnOnce(&T) -> bool) {
        let mut progress = self.lock();
        if matches!(&*progress, StageProgress::Made(value) if condition(value)) {
            let old = std::mem::replace(&mut *progress, StageProgress::Unmade);
            drop(progress);
            drop(old);
        }
    }
}

/// Marks a stage as unmade when making it fails or panics.
struct ResetOnDrop<'a, T>(&'a Stage<T>);

impl<T> Drop for ResetOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.set(StageProgress::Unmade);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;

    const RULES: &str = "(role robot) (init (light off)) (legal robot press)
        (<= (next (light on)) (does robot press)) (<= terminal (true (light on)))
        (<= (goal robot 100) (true (light on)))";

    fn game() -> CompiledGame {
        CompiledGame::new(Arc::new(Rules::from_text(RULES).expect("rules")))
    }

    #[test]
    fn every_stage_is_made_once_and_shared() {
        let game = game();
        let limits = CompileLimits::default();
        let program = game.program(&limits).unwrap();
        let network = game.network(&limits).unwrap();
        let circuit = game.circuit(&limits).unwrap();
        assert!(Arc::ptr_eq(&program, &game.program(&limits).unwrap()));
        assert!(Arc::ptr_eq(&network, &game.network(&limits).unwrap()));
        assert!(Arc::ptr_eq(&circuit, &game.circuit(&limits).unwrap()));
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same_value() {
        let stage = Stage::default();
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = stage.get_or_make(&CompileLimits::default(), "testing", || {
                        Ok(made.fetch_add(1, Ordering::Relaxed))
                    });
                    assert_eq!(*value.unwrap(), 0);
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_failed_stage_can_be_tried_again_with_larger_limits() {
        let game = game();
        let mut tight = CompileLimits::default();
        tight.ground.max_instances = 0;
        assert!(matches!(game.network(&tight), Err(CompileError::Ground(_))));
        assert!(game.network(&CompileLimits::default()).is_ok());
    }

    #[test]
    fn a_report_gives_the_same_network() {
        let game = game();
        let limits = CompileLimits::default();
        let report = game.network_report(&limits).unwrap();
        let network = game.network(&limits).unwrap();
        assert_eq!(report.network.counts(), network.counts());
        assert_eq!(report.passes.len(), game.passes().len());
    }

    #[test]
    fn a_passed_deadline_and_a_set_flag_are_distinguished() {
        let late = CompileLimits::with_deadline(Some(Instant::now()));
        assert!(matches!(late.check("x"), Err(CompileError::Late { .. })));
        let cancelled = CompileLimits {
            cancel: Some(Arc::new(AtomicBool::new(true))),
            ..CompileLimits::default()
        };
        assert!(matches!(cancelled.check("x"), Err(CompileError::Cancelled)));
        assert!(game().network(&cancelled).is_err());
    }
}
