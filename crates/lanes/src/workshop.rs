//! Machines for playouts, each made when somebody first wants it, once for all forks.
//!
//! In large games a machine takes longer to make than a move may last. It is made on a thread of
//! its own, so that nobody has to wait for it who can play on another meanwhile, and nobody longer
//! than until the deadline. When the last fork is gone the thread stops at its next look.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::compile::{Choice, Plan};
use super::machine::Machine;
use super::runner::Backend;
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::network::Network;
use ludorum_reasoner::contract::ReasonError;
use ludorum_reasoner::stop_signal::StopSignal;

/// For circuits with so many wires a machine is made at once: a thread would hardly be sooner.
const AT_ONCE: usize = 5_000;
/// So long somebody waits between looks at the clock and the flag.
const PATIENCE: Duration = Duration::from_millis(2);

/// Which machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Whether it shows what is played, as guides and records need it.
    pub(super) open: bool,
    /// Whether it looks for roles without a move before each step.
    pub(super) exact_stuck: bool,
}

impl Kind {
    fn place(self) -> usize {
        usize::from(self.open) * 2 + usize::from(self.exact_stuck)
    }

    fn choice(self) -> Choice {
        Choice {
            exact_stuck: self.exact_stuck,
            // Guided playouts add up goals with what was played.
            late_goals: self.open.then_some(false),
            open: self.open,
        }
    }
}

/// How far a machine is.
#[derive(Debug, Default)]
enum Stage {
    /// Nobody has wanted it.
    #[default]
    Unwanted,
    Making,
    Made(Arc<Machine>),
    /// It will never be there.
    Failed,
}

#[derive(Debug, Default)]
struct Bench {
    stage: Mutex<Stage>,
    /// Told when it is made or has failed.
    done: Condvar,
}

impl Bench {
    /// A stage is put in at once, so it is whole whatever has happened.
    fn lock(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for what is being made; none if it has failed or nobody has begun with it.
    fn wait(&self, until: &StopSignal) -> Result<Option<Arc<Machine>>, ReasonError> {
        let mut stage = self.lock();
        loop {
            match &*stage {
                Stage::Made(machine) => return Ok(Some(Arc::clone(machine))),
                Stage::Failed | Stage::Unwanted => return Ok(None),
                Stage::Making => until.check()?,
            }
            stage = self
                .done
                .wait_timeout(stage, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// All machines of a game.
#[derive(Debug)]
pub(super) struct Workshop {
    materials: Materials,
    benches: [Bench; 4],
}

/// What machines are made of.
#[derive(Clone, Debug)]
struct Materials {
    network: Arc<Network>,
    circuit: Arc<Circuit>,
    backend: Backend,
}

impl Materials {
    fn plan(&self, kind: Kind, wanted: &dyn Fn() -> bool) -> Plan {
        Plan::new(&self.network, &self.circuit, kind.choice(), wanted)
    }

    fn machine(&self, plan: Plan) -> Machine {
        let roles = self.network.game.roles.len();
        let goals = Arc::clone(&self.network.goals);
        Machine::new(Arc::new(plan), goals, roles, self.backend)
    }
}

/// A machine to be made, by whoever has this.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// Forks keep it alive; their end is the end of the job.
    workshop: Weak<Workshop>,
    materials: Materials,
    kind: Kind,
}

impl Job {
    /// The machine, unless nobody wants it any more.
    fn make(&self) -> Option<Machine> {
        let wanted = || self.workshop.strong_count() > 0;
        let plan = self.materials.plan(self.kind, &wanted);
        wanted().then(|| self.materials.machine(plan))
    }

    /// Makes it and tells those who wait.
    pub(super) fn run(self) {
        // Whoever waits must not wait for ever, whatever happens here.
        let made = catch_unwind(AssertUnwindSafe(|| self.make()));
        if let Some(workshop) = self.workshop.upgrade() {
            let bench = &workshop.benches[self.kind.place()];
            *bench.lock() = match made {
                Ok(Some(machine)) => Stage::Made(Arc::new(machine)),
                Ok(None) | Err(_) => Stage::Failed,
            };
            bench.done.notify_all();
        }
    }
}

impl Workshop {
    pub(super) fn new(network: Arc<Network>, circuit: Arc<Circuit>, backend: Backend) -> Self {
        Self {
            materials: Materials {
                network,
                circuit,
                backend,
            },
            benches: Default::default(),
        }
    }

    /// The work on a machine, for the first who asks.
    pub(super) fn job(self: &Arc<Self>, kind: Kind) -> Option<Job> {
        let mut stage = self.benches[kind.place()].lock();
        let Stage::Unwanted = *stage else {
            return None;
        };
        *stage = Stage::Making;
        Some(Job {
            workshop: Arc::downgrade(self),
            materials: self.materials.clone(),
            kind,
        })
    }

    /// Begins with a machine, if nobody has.
    fn begin(self: &Arc<Self>, kind: Kind) {
        let Some(job) = self.job(kind) else {
            return;
        };
        if self.materials.circuit.wire_count() <= AT_ONCE {
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
    pub(super) fn is_done(self: &Arc<Self>, kind: Kind) -> bool {
        self.begin(kind);
        matches!(
            *self.benches[kind.place()].lock(),
            Stage::Made(_) | Stage::Failed
        )
    }

    /// A machine, as soon as it is made; none if it never will be.
    pub(super) fn wait(
        self: &Arc<Self>,
        kind: Kind,
        until: &StopSignal,
    ) -> Result<Option<Machine>, ReasonError> {
        self.begin(kind);
        let machine = self.benches[kind.place()].wait(until)?;
        Ok(machine.map(|machine| Machine::clone(&machine)))
    }

    /// Waits for all that is being made.
    pub(super) fn settle(&self) {
        for bench in &self.benches {
            // Without a deadline nobody is late.
            let _ = bench.wait(&StopSignal::default());
        }
    }

    /// A machine made here and now.
    pub(super) fn make(&self, kind: Kind) -> Machine {
        self.materials.machine(self.materials.plan(kind, &|| true))
    }
}

#[cfg(test)]
mod tests {
    //! Machines are made by hand here, so that the moment is known.

    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use ludorum_logic::Rules;

    use super::*;
    use crate::Lanes;
    use ludorum_propnet::ground_game::BitState;
    use ludorum_propnet::{CompileLimits, CompiledGame};
    use ludorum_reasoner::contract::Reasoner as _;
    use ludorum_reasoner::dice::Dice;
    use ludorum_reasoner::playout::{Guide, Guided, History, Wanted};

    fn lanes(text: &str) -> Lanes {
        let rules = Arc::new(Rules::from_text(text).expect("rules"));
        let network = CompiledGame::new(rules).network(&CompileLimits::default());
        Lanes::new(network.expect("a network"))
    }

    fn connect_four() -> Lanes {
        lanes(
            ludorum_games::find("connect-four")
                .expect("a shipped game")
                .text,
        )
    }

    /// Everybody prefers the first of their moves.
    fn guided(lanes: &mut Lanes, waits: bool) -> Result<Guided, ReasonError> {
        let guide = Guide {
            epsilon: 0.2,
            scores: vec![vec![1.0]; lanes.roles().len()],
            ..Guide::default()
        };
        let starts: [BitState; 1] = [lanes.initial()?];
        let wanted = Wanted {
            starts: &starts,
            groups: &[],
            each: 700,
            guide: &guide,
            limit: 100,
            waits,
        };
        lanes.guided_playouts(&wanted, &mut Dice::new(5))
    }

    fn random(lanes: &mut Lanes) -> Result<Guided, ReasonError> {
        let start = lanes.initial()?;
        let tallies = lanes.playouts(&[start], 700, &mut Dice::new(5), 100)?;
        Ok((tallies, vec![History::new(lanes.roles().len())]))
    }

    fn held(lanes: &Lanes, open: bool) -> Job {
        let job = lanes.workshop.job(lanes.kind(open));
        job.expect("nobody has wanted it")
    }

    #[test]
    fn playouts_are_random_until_they_can_be_guided() {
        let mut lanes = connect_four();
        let job = held(&lanes, true);
        assert!(!lanes.is_ready_to_guide());
        assert_eq!(guided(&mut lanes, false), random(&mut lanes));
        job.run();
        assert!(lanes.is_ready_to_guide());
        let after = guided(&mut lanes, false);
        assert!(after.as_ref().is_ok_and(|(_, histories)| {
            let played = histories[0].moves.iter().flatten();
            played.map(|record| record.playouts).sum::<u64>() > 700
        }));
        assert_eq!(after, guided(&mut lanes, true));
    }

    #[test]
    fn whoever_waits_is_guided_from_the_first_playout_on() {
        let mut first = connect_four();
        let job = held(&first, true);
        let waited = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| guided(&mut first, true));
            job.run();
            waiting.join().expect("no panic")
        });
        // Nobody holds this one: it is made at once.
        assert_eq!(waited, guided(&mut connect_four(), true));
        assert_ne!(waited, random(&mut first));
    }

    #[test]
    fn nobody_waits_longer_than_until_the_deadline_or_the_flag() {
        let mut lanes = connect_four();
        let job = held(&lanes, true);
        let start = lanes.initial().expect("a state");
        let flag = Arc::new(AtomicBool::new(true));
        for by_flag in [true, false] {
            lanes.set_cancel(by_flag.then(|| Arc::clone(&flag)));
            lanes.set_deadline((!by_flag).then(Instant::now));
            assert_eq!(guided(&mut lanes, true), Err(ReasonError::Late));
            let starts = std::slice::from_ref(&start);
            let records = lanes.records(starts, 3, &mut Dice::new(1), 100);
            assert_eq!(records, Err(ReasonError::Late));
        }
        lanes.set_deadline(None);
        job.run();
        assert!(guided(&mut lanes, true).is_ok());
    }

    #[test]
    fn playouts_end_when_the_flag_is_set() {
        let mut lanes = connect_four();
        let flag = Arc::new(AtomicBool::new(true));
        lanes.set_cancel(Some(Arc::clone(&flag)));
        assert_eq!(random(&mut lanes), Err(ReasonError::Late));
        assert!(random(&mut lanes.fork()).is_ok(), "a fork has no flag");
        flag.store(false, Ordering::Relaxed);
        assert!(random(&mut lanes).is_ok());
    }

    #[test]
    fn a_machine_is_made_once_for_all_forks() {
        let mut lanes = connect_four();
        let mut fork = lanes.fork();
        let job = held(&lanes, true);
        assert!(fork.workshop.job(fork.kind(true)).is_none());
        job.run();
        assert!(fork.workshop.job(fork.kind(true)).is_none());
        assert_eq!(guided(&mut lanes, false), guided(&mut fork, false));
    }

    #[test]
    fn nothing_is_made_for_forks_that_are_gone() {
        let lanes = connect_four();
        let fork = lanes.fork();
        let job = held(&lanes, true);
        drop(lanes);
        assert!(job.make().is_some(), "there is a fork");
        drop(fork);
        assert!(job.make().is_none());
        job.run();
    }

    #[test]
    fn without_a_machine_playouts_are_made_one_by_one() {
        let mut lanes = connect_four();
        held(&lanes, true);
        *lanes.workshop.benches[lanes.kind(true).place()].lock() = Stage::Failed;
        let (tallies, histories) = guided(&mut lanes, false).expect("playouts");
        assert_eq!(tallies[0].playouts, 700);
        assert!(!histories[0].moves[0].is_empty());
        assert!(lanes.is_ready_to_guide(), "there is nothing to wait for");
    }

    #[test]
    fn a_role_without_a_move_is_reckoned_with_by_another_machine() {
        // After two steps nobody has a move.
        let mut lanes = lanes(
            "(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
            (<= (legal robot ?x) (true (at ?y)) (succ ?y ?z) (choice ?x)) (choice a) (choice b)
            (<= (next (at ?z)) (true (at ?y)) (succ ?y ?z))
            (<= terminal (true (at 9))) (goal robot 50)",
        );
        let mut fork = lanes.fork();
        let job = Job {
            kind: Kind {
                open: false,
                exact_stuck: true,
            },
            ..held(&lanes, true)
        };
        *lanes.workshop.benches[job.kind.place()].lock() = Stage::Making;
        lanes.expect_stuck();
        lanes.set_cancel(Some(Arc::new(AtomicBool::new(true))));
        assert_eq!(random(&mut lanes), Err(ReasonError::Late));
        lanes.set_cancel(None);
        job.run();
        for lanes in [&mut lanes, &mut fork] {
            let (tallies, _) = random(lanes).expect("playouts");
            assert_eq!((tallies[0].stuck, tallies[0].steps), (700, 1_400));
        }
    }
}
