//! Many playouts at once, when lanes are worth it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludorum_lanes::{Backend, Lanes};
use ludorum_propnet::{Differential, Propnet};
use ludorum_reasoner::{ReasonError, Reasoner, Rng};

/// Circuits with more wires are not compiled for lanes: it would take longer, and more memory, than
/// playouts can win back.
const MOST_WIRES: usize = 6_000_000;
/// How long each engine is tried.
const TRIAL: Duration = Duration::from_millis(10);
/// The steps of a playout in a trial.
const STEPS: u32 = 20;

/// Lanes, and from how many playouts on they are faster than one playout after the other.
#[derive(Debug)]
struct Ready {
    lanes: Mutex<Lanes>,
    from: u64,
}

/// Lanes, once they are there.
#[derive(Debug, Default)]
pub(super) struct LateLanes {
    /// None inside if there will not be any.
    ready: OnceLock<Option<Ready>>,
}

impl LateLanes {
    /// Makes them; `wanted` is asked before each stage whether anybody still waits.
    pub(super) fn make(&self, network: &mut Propnet<Differential>, wanted: impl Fn() -> bool) {
        let ready = (wanted() && network.circuit().wire_count() <= MOST_WIRES).then(|| {
            let mut lanes = Lanes::with_circuit(
                network.shared_network(),
                network.shared_circuit(),
                Backend::Best,
            );
            let from = if wanted() {
                break_even(network, &mut lanes).unwrap_or(u64::MAX)
            } else {
                u64::MAX
            };
            Ready {
                lanes: Mutex::new(lanes),
                from,
            }
        });
        let _ = self
            .ready
            .set(ready.filter(|ready| ready.from <= Lanes::CAPACITY as u64));
    }

    /// There will be none.
    pub(super) fn give_up(&self) {
        let _ = self.ready.set(None);
    }

    /// Waits until it is known whether there are any.
    pub(super) fn wait(&self) {
        self.ready.wait();
    }

    /// From how many playouts on they are used, if they are there.
    pub(super) fn from(&self) -> Option<u64> {
        self.ready.get()?.as_ref().map(|ready| ready.from)
    }
}

/// How many playouts in lanes take as long as so many on the network, one after the other.
#[allow(clippy::cast_precision_loss)] // an estimate
fn break_even(network: &mut Propnet<Differential>, lanes: &mut Lanes) -> Result<u64, ReasonError> {
    let start = network.initial()?;
    let mut rng = Rng::new(0);
    let mut steps_each = |play: &mut dyn FnMut(&mut Rng) -> Result<u64, ReasonError>| {
        play(&mut rng)?;
        let begin = Instant::now();
        let mut steps = 0;
        while begin.elapsed() < TRIAL {
            steps += play(&mut rng)?.max(1);
        }
        Ok::<f64, ReasonError>(begin.elapsed().as_secs_f64() / steps as f64)
    };
    let single = steps_each(&mut |rng| {
        let playout = network.playout(&start, rng, STEPS)?;
        Ok(u64::from(playout.steps))
    })?;
    lanes.wait_until_ready();
    let many = steps_each(&mut |rng| {
        let starts = std::slice::from_ref(&start);
        let tallies = lanes.playouts(starts, Lanes::CAPACITY as u32, rng, STEPS)?;
        Ok(tallies.iter().map(|tally| tally.steps).sum())
    })?;
    // A step of all lanes takes the same time however many are busy.
    let ratio = many * Lanes::CAPACITY as f64 / single;
    #[allow(clippy::cast_sign_loss)] // times are positive
    Ok((ratio.ceil() as u64).max(2))
}

/// One fork's way to lanes.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    late: Arc<LateLanes>,
    own: Option<Box<Lanes>>,
}

impl Batches {
    pub(super) fn new(late: Arc<LateLanes>) -> Self {
        Self { late, own: None }
    }

    /// Lanes for so many playouts, if they are there and worth it.
    pub(super) fn lanes(&mut self, playouts: u64) -> Option<&mut Lanes> {
        let ready = self.late.ready.get()?.as_ref()?;
        if playouts < ready.from {
            return None;
        }
        let fork = || {
            let lanes = ready.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            Box::new(lanes.fork())
        };
        Some(self.own.get_or_insert_with(fork))
    }

    /// How many playouts are best asked for at once.
    pub(super) fn batch(&self) -> u32 {
        match self.late.ready.get() {
            Some(Some(ready)) => ready
                .lanes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .preferred_batch(),
            _ => 1,
        }
    }
}
