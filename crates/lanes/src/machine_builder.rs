//! Builds machines in the background, each on first use and once for all forks.
//!
//! In large games building a machine takes longer than the time for a move. It is done on a thread
//! of its own, so that a fork can play on another machine or one by one meanwhile, and waits no
//! longer than until its deadline. When the last fork is dropped, the thread stops at its next
//! check.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::machine::Machine;
use super::plan::{LanePlan, PlanOptions};
use super::runner::Backend;
use super::staging::StagedGame;
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::network::Network;
use ludorum_reasoner::{ReasonError, StopSignal};

/// Machines of circuits with at most this many wires are built on the calling thread: starting a
/// thread would save little.
const MAX_SYNCHRONOUS_WIRES: usize = 5_000;
/// Poll interval of the deadline and the cancel flag while waiting for a machine.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// What a machine shows of the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MachineKind {
    /// Random playouts only: moves are drawn and played within one piece of code.
    Random,
    /// Legal and played moves are in memory between drawing and playing, where guides replace and
    /// recorders read them.
    Guided,
}

/// Which machine is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MachineOptions {
    pub(super) kind: MachineKind,
    /// Whether it checks before each step for roles without a legal move.
    pub(super) exact_stuck: bool,
}

impl MachineOptions {
    /// The index of its slot in the builder.
    pub(super) fn index(self) -> usize {
        usize::from(self.kind == MachineKind::Guided) * 2 + usize::from(self.exact_stuck)
    }

    fn plan_options(self) -> PlanOptions {
        let moves_visible = self.kind == MachineKind::Guided;
        PlanOptions {
            exact_stuck: self.exact_stuck,
            // In guided playouts goals are added up together with the moves.
            late_goals: moves_visible.then_some(false),
            moves_visible,
        }
    }
}

/// The progress of building a machine.
#[derive(Debug, Default)]
pub(super) enum BuildProgress {
    /// It has not been requested.
    #[default]
    NotRequested,
    Building,
    Built(Arc<Machine>),
    /// Building it failed; it is not tried again.
    Failed,
}

#[derive(Debug, Default)]
pub(super) struct MachineSlot {
    stage: Mutex<BuildProgress>,
    /// Signalled when the machine is built or building it has failed.
    done: Condvar,
}

impl MachineSlot {
    /// Recovers from a poisoned lock: the progress is replaced in one assignment, so it is valid.
    pub(super) fn lock(&self) -> MutexGuard<'_, BuildProgress> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while the machine is being built; `None` if that has failed or was never requested.
    fn wait(&self, stop: &StopSignal) -> Result<Option<Arc<Machine>>, ReasonError> {
        let mut stage = self.lock();
        loop {
            match &*stage {
                BuildProgress::Built(machine) => return Ok(Some(Arc::clone(machine))),
                BuildProgress::Failed | BuildProgress::NotRequested => return Ok(None),
                BuildProgress::Building => stop.check()?,
            }
            stage = self
                .done
                .wait_timeout(stage, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// All machines of a game, shared by the forks of a reasoner.
#[derive(Debug)]
pub(super) struct MachineBuilder {
    inputs: BuildInputs,
    pub(super) slots: [MachineSlot; 4],
}

/// What machines are built from.
#[derive(Clone, Debug)]
pub(super) struct BuildInputs {
    network: Arc<Network>,
    circuit: Arc<Circuit>,
    staged: Option<Arc<StagedGame>>,
    backend: Backend,
}

impl BuildInputs {
    fn plan(&self, options: MachineOptions, wanted: &dyn Fn() -> bool) -> LanePlan {
        let options = options.plan_options();
        match &self.staged {
            None => LanePlan::new(&self.network, &self.circuit, options, wanted),
            Some(game) => LanePlan::staged(&self.circuit, game, options),
        }
    }

    fn machine(&self, plan: LanePlan) -> Machine {
        let roles = self.network.game.roles.len();
        let goals = Arc::clone(&self.network.goals);
        Machine::new(Arc::new(plan), goals, roles, self.backend)
    }
}

/// The task of building one machine, for one thread.
#[derive(Clone, Debug)]
pub(super) struct BuildJob {
    /// Weak, so that the job ends when the last fork is dropped.
    pub(super) builder: Weak<MachineBuilder>,
    pub(super) inputs: BuildInputs,
    pub(super) options: MachineOptions,
}

impl BuildJob {
    /// Builds the machine, unless all forks have been dropped.
    pub(super) fn make(&self) -> Option<Machine> {
        let wanted = || self.builder.strong_count() > 0;
        let plan = self.inputs.plan(self.options, &wanted);
        wanted().then(|| self.inputs.machine(plan))
    }

    /// Builds the machine and wakes the threads that wait for it.
    pub(super) fn run(self) {
        // A panic must not leave other threads waiting.
        let made = catch_unwind(AssertUnwindSafe(|| self.make()));
        if let Some(builder) = self.builder.upgrade() {
            let slot = &builder.slots[self.options.index()];
            *slot.lock() = match made {
                Ok(Some(machine)) => BuildProgress::Built(Arc::new(machine)),
                Ok(None) | Err(_) => BuildProgress::Failed,
            };
            slot.done.notify_all();
        }
    }
}

impl MachineBuilder {
    pub(super) fn new(
        network: Arc<Network>,
        circuit: Arc<Circuit>,
        staged: Option<Arc<StagedGame>>,
        backend: Backend,
    ) -> Self {
        Self {
            inputs: BuildInputs {
                network,
                circuit,
                staged,
                backend,
            },
            slots: Default::default(),
        }
    }

    /// Whether machines play a staged game.
    pub(super) fn is_staged(&self) -> bool {
        self.inputs.staged.is_some()
    }

    /// The job of building a machine, for the first caller only.
    pub(super) fn job(self: &Arc<Self>, options: MachineOptions) -> Option<BuildJob> {
        let mut stage = self.slots[options.index()].lock();
        let BuildProgress::NotRequested = *stage else {
            return None;
        };
        *stage = BuildProgress::Building;
        Some(BuildJob {
            builder: Arc::downgrade(self),
            inputs: self.inputs.clone(),
            options,
        })
    }

    /// Starts building a machine, unless that has been started.
    fn start(self: &Arc<Self>, options: MachineOptions) {
        let Some(job) = self.job(options) else {
            return;
        };
        if self.inputs.circuit.wire_count() <= MAX_SYNCHRONOUS_WIRES {
            job.run();
            return;
        }
        let thread = std::thread::Builder::new().name("lanes builder".to_owned());
        let own = job.clone();
        // If no thread can be started, build on this one.
        if thread.spawn(move || job.run()).is_err() {
            own.run();
        }
    }

    /// Whether waiting for a machine is of no use, because it is built or has failed. Starts
    /// building it if that has not been started.
    pub(super) fn is_settled(self: &Arc<Self>, options: MachineOptions) -> bool {
        self.start(options);
        matches!(
            *self.slots[options.index()].lock(),
            BuildProgress::Built(_) | BuildProgress::Failed
        )
    }

    /// Waits for a machine; `None` if building it has failed.
    pub(super) fn wait(
        self: &Arc<Self>,
        options: MachineOptions,
        stop: &StopSignal,
    ) -> Result<Option<Machine>, ReasonError> {
        self.start(options);
        let machine = self.slots[options.index()].wait(stop)?;
        Ok(machine.map(|machine| Machine::clone(&machine)))
    }

    /// Waits for all machines that are being built.
    pub(super) fn settle(&self) {
        for slot in &self.slots {
            // Without a deadline this cannot fail.
            let _ = slot.wait(&StopSignal::default());
        }
    }

    /// Builds a machine on the calling thread.
    pub(super) fn make(&self, options: MachineOptions) -> Machine {
        self.inputs.machine(self.inputs.plan(options, &|| true))
    }
}
