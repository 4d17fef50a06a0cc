//! Machines for playouts, each made when somebody first wants it, once for all forks.
//!
//! In large games a machine takes longer to make than a move may last. It is made on a thread of
//! its own, so that nobody has to wait for it who can play on another meanwhile, and nobody longer
//! than until the deadline. When the last fork is gone the thread stops at its next look.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::machine::Machine;
use super::plan::{LanePlan, PlanOptions};
use super::runner::Backend;
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::network::Network;
use ludorum_reasoner::{ReasonError, StopSignal};

/// For circuits with so many wires a machine is made at once: a thread would hardly be sooner.
const AT_ONCE: usize = 5_000;
/// So long somebody waits between looks at the clock and the flag.
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
            // Guided playouts add up goals with what was played.
            late_goals: moves_visible.then_some(false),
            moves_visible,
        }
    }
}

/// How far a machine is.
#[derive(Debug, Default)]
pub(super) enum BuildProgress {
    /// Nobody has wanted it.
    #[default]
    Unwanted,
    Making,
    Made(Arc<Machine>),
    /// It will never be there.
    Failed,
}

#[derive(Debug, Default)]
pub(super) struct MachineSlot {
    stage: Mutex<BuildProgress>,
    /// Told when it is made or has failed.
    done: Condvar,
}

impl MachineSlot {
    /// A stage is put in at once, so it is whole whatever has happened.
    pub(super) fn lock(&self) -> MutexGuard<'_, BuildProgress> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for what is being made; none if it has failed or nobody has begun with it.
    fn wait(&self, stop: &StopSignal) -> Result<Option<Arc<Machine>>, ReasonError> {
        let mut stage = self.lock();
        loop {
            match &*stage {
                BuildProgress::Made(machine) => return Ok(Some(Arc::clone(machine))),
                BuildProgress::Failed | BuildProgress::Unwanted => return Ok(None),
                BuildProgress::Making => stop.check()?,
            }
            stage = self
                .done
                .wait_timeout(stage, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// All machines of a game.
#[derive(Debug)]
pub(super) struct MachineBuilder {
    inputs: BuildInputs,
    pub(super) slots: [MachineSlot; 4],
}

/// What machines are made of.
#[derive(Clone, Debug)]
pub(super) struct BuildInputs {
    network: Arc<Network>,
    circuit: Arc<Circuit>,
    backend: Backend,
}

impl BuildInputs {
    fn plan(&self, options: MachineOptions, wanted: &dyn Fn() -> bool) -> LanePlan {
        LanePlan::new(&self.network, &self.circuit, options.plan_options(), wanted)
    }

    fn machine(&self, plan: LanePlan) -> Machine {
        let roles = self.network.game.roles.len();
        let goals = Arc::clone(&self.network.goals);
        Machine::new(Arc::new(plan), goals, roles, self.backend)
    }
}

/// A machine to be made, by whoever has this.
#[derive(Clone, Debug)]
pub(super) struct BuildJob {
    /// Forks keep it alive; their end is the end of the job.
    pub(super) builder: Weak<MachineBuilder>,
    pub(super) inputs: BuildInputs,
    pub(super) options: MachineOptions,
}

impl BuildJob {
    /// The machine, unless nobody wants it any more.
    pub(super) fn make(&self) -> Option<Machine> {
        let wanted = || self.builder.strong_count() > 0;
        let plan = self.inputs.plan(self.options, &wanted);
        wanted().then(|| self.inputs.machine(plan))
    }

    /// Makes it and tells those who wait.
    pub(super) fn run(self) {
        // Whoever waits must not wait for ever, whatever happens here.
        let made = catch_unwind(AssertUnwindSafe(|| self.make()));
        if let Some(builder) = self.builder.upgrade() {
            let slot = &builder.slots[self.options.index()];
            *slot.lock() = match made {
                Ok(Some(machine)) => BuildProgress::Made(Arc::new(machine)),
                Ok(None) | Err(_) => BuildProgress::Failed,
            };
            slot.done.notify_all();
        }
    }
}

impl MachineBuilder {
    pub(super) fn new(network: Arc<Network>, circuit: Arc<Circuit>, backend: Backend) -> Self {
        Self {
            inputs: BuildInputs {
                network,
                circuit,
                backend,
            },
            slots: Default::default(),
        }
    }

    /// The work on a machine, for the first who asks.
    pub(super) fn job(self: &Arc<Self>, options: MachineOptions) -> Option<BuildJob> {
        let mut stage = self.slots[options.index()].lock();
        let BuildProgress::Unwanted = *stage else {
            return None;
        };
        *stage = BuildProgress::Making;
        Some(BuildJob {
            builder: Arc::downgrade(self),
            inputs: self.inputs.clone(),
            options,
        })
    }

    /// Begins with a machine, if nobody has.
    fn begin(self: &Arc<Self>, options: MachineOptions) {
        let Some(job) = self.job(options) else {
            return;
        };
        if self.inputs.circuit.wire_count() <= AT_ONCE {
            job.run();
            return;
        }
        let thread = std::thread::Builder::new().name("lanes planner".to_owned());
        let own = job.clone();
        // Without a thread it takes the time of whoever wants it.
        if thread.spawn(move || job.run()).is_err() {
            own.run();
        }
    }

    /// Whether there is no use in waiting for a machine: it is made, or will never be. Begins with
    /// it if nobody has.
    pub(super) fn is_settled(self: &Arc<Self>, options: MachineOptions) -> bool {
        self.begin(options);
        matches!(
            *self.slots[options.index()].lock(),
            BuildProgress::Made(_) | BuildProgress::Failed
        )
    }

    /// A machine, as soon as it is made; none if it never will be.
    pub(super) fn wait(
        self: &Arc<Self>,
        options: MachineOptions,
        stop: &StopSignal,
    ) -> Result<Option<Machine>, ReasonError> {
        self.begin(options);
        let machine = self.slots[options.index()].wait(stop)?;
        Ok(machine.map(|machine| Machine::clone(&machine)))
    }

    /// Waits for all that is being made.
    pub(super) fn settle(&self) {
        for slot in &self.slots {
            // Without a deadline nobody is late.
            let _ = slot.wait(&StopSignal::default());
        }
    }

    /// A machine made here and now.
    pub(super) fn make(&self, options: MachineOptions) -> Machine {
        self.inputs.machine(self.inputs.plan(options, &|| true))
    }
}
