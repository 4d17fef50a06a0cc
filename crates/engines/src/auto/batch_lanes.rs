//! Lanes for calls with many playouts, when they are faster than the network.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludorum_lanes::{Backend, Lanes};
use ludorum_propnet::{Differential, Propnet};
use ludorum_reasoner::{ReasonError, Reasoner, Rng};

/// The largest circuit that is compiled for lanes, in wires. For larger ones the compilation costs
/// more time and memory than the playouts save.
const MAX_WIRES: usize = 6_000_000;
/// Time limit of the speed measurement of each engine.
const MEASURING_TIME: Duration = Duration::from_millis(10);
/// Step limit of a playout in the measurement.
const STEPS: u32 = 20;

/// Lanes, with the number of playouts per call from which on they are faster than the network.
#[derive(Debug)]
struct Ready {
    lanes: Mutex<Lanes>,
    from: u64,
}

/// A slot for lanes. It is filled once: with lanes, or with `None` for good.
#[derive(Debug, Default)]
pub(super) struct LanesSlot {
    /// `None` inside if there will be no lanes.
    ready: OnceLock<Option<Ready>>,
}

impl LanesSlot {
    /// Builds lanes and measures them. `wanted` is called before each stage; false skips the rest.
    pub(super) fn fill(&self, network: &mut Propnet<Differential>, wanted: impl Fn() -> bool) {
        let ready = (wanted() && network.circuit().wire_count() <= MAX_WIRES).then(|| {
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

    /// Fills the slot with no lanes.
    pub(super) fn fill_with_none(&self) {
        let _ = self.ready.set(None);
    }

    /// Waits until the slot is filled.
    pub(super) fn wait(&self) {
        self.ready.wait();
    }

    /// The number of playouts per call from which on lanes are used, if there are lanes.
    pub(super) fn from(&self) -> Option<u64> {
        self.ready.get()?.as_ref().map(|ready| ready.from)
    }
}

/// The break-even point: the number of playouts that take as long on the network, one after the
/// other, as one batch in lanes.
#[allow(clippy::cast_precision_loss)] // an estimate
fn break_even(network: &mut Propnet<Differential>, lanes: &mut Lanes) -> Result<u64, ReasonError> {
    let start = network.initial()?;
    let mut rng = Rng::new(0);
    let mut steps_each = |play: &mut dyn FnMut(&mut Rng) -> Result<u64, ReasonError>| {
        play(&mut rng)?;
        let begin = Instant::now();
        let mut steps = 0;
        while begin.elapsed() < MEASURING_TIME {
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
    // A step of all lanes takes the same time, however many of them are in use.
    let ratio = many * Lanes::CAPACITY as f64 / single;
    #[allow(clippy::cast_sign_loss)] // times are positive
    Ok((ratio.ceil() as u64).max(2))
}

/// The lanes of one fork of `auto`.
#[derive(Clone, Debug)]
pub(super) struct BatchLanes {
    slot: Arc<LanesSlot>,
    /// This fork's own fork of the lanes, made at the first call that is large enough.
    lanes: Option<Box<Lanes>>,
}

impl BatchLanes {
    pub(super) fn new(slot: Arc<LanesSlot>) -> Self {
        Self { slot, lanes: None }
    }

    /// The lanes, if they are ready and faster than the network for so many playouts.
    pub(super) fn lanes(&mut self, playouts: u64) -> Option<&mut Lanes> {
        let ready = self.slot.ready.get()?.as_ref()?;
        if playouts < ready.from {
            return None;
        }
        let fork = || {
            let lanes = ready.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            Box::new(lanes.fork())
        };
        Some(self.lanes.get_or_insert_with(fork))
    }

    /// The number of playouts per call at which lanes are fastest; 1 without lanes.
    pub(super) fn preferred_batch(&self) -> u32 {
        match self.slot.ready.get() {
            Some(Some(ready)) => ready
                .lanes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .preferred_batch(),
            _ => 1,
        }
    }
}
