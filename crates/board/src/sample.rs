//! Sampling of states and moves in a few random playouts, as input of the recognition.

use std::time::Instant;

use ludorum_reasoner::{GameWalker, ReasonError, Rng};

/// A sampled state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateSample {
    /// The facts in KIF.
    pub facts: Vec<String>,
    /// The legal moves of every role in KIF.
    pub legal: Vec<Vec<String>>,
    /// The joint move from the previous sample to this one; `None` if the previous sample is not
    /// the predecessor.
    pub joint: Option<Vec<String>>,
}

/// Limits of the sampling.
#[derive(Clone, Copy, Debug)]
pub struct SamplingLimits {
    /// Number of playouts.
    pub playouts: u32,
    /// Maximum number of steps of a playout.
    pub steps: u32,
    /// Maximum number of samples.
    pub samples: usize,
    /// Time at which the sampling ends.
    pub deadline: Option<Instant>,
    /// Seed of the random moves.
    pub seed: u64,
}

impl Default for SamplingLimits {
    fn default() -> Self {
        Self {
            playouts: 3,
            steps: 120,
            samples: 72,
            deadline: None,
            seed: 1,
        }
    }
}

/// Number of steps at the start of a playout that are all sampled, to see the effect of moves.
const FIRST_STEPS: u32 = 8;
/// Sampling interval of the later steps.
const INTERVAL: u32 = 6;

/// Samples states of random playouts. An error ends the sampling early; the samples up to then are
/// returned. The walker is left in an unspecified state and must be restarted before further use.
pub fn sample_states(walker: &mut dyn GameWalker, effort: &SamplingLimits) -> Vec<StateSample> {
    let mut samples = Vec::new();
    let mut rng = Rng::new(effort.seed);
    walker.set_deadline(effort.deadline);
    for _ in 0..effort.playouts {
        if playout(walker, effort, &mut rng, &mut samples).is_err() {
            break;
        }
    }
    walker.set_deadline(None);
    samples
}

fn playout(
    walker: &mut dyn GameWalker,
    effort: &SamplingLimits,
    rng: &mut Rng,
    samples: &mut Vec<StateSample>,
) -> Result<(), ReasonError> {
    walker.restart()?;
    let roles = walker.roles().len();
    let mut joint = None;
    let mut kept_before = false;
    for step in 0..effort.steps {
        if effort.deadline.is_some_and(|late| Instant::now() >= late)
            || samples.len() >= effort.samples
        {
            return Err(ReasonError::Stopped);
        }
        let is_terminal = walker.is_terminal()?;
        let mut legal = Vec::with_capacity(roles);
        for role in 0..roles {
            legal.push(walker.legal(role)?);
        }
        let moves: Option<Vec<String>> = legal
            .iter()
            .map(|moves| moves.get(rng.below(moves.len())).cloned())
            .collect();
        let keep = step < FIRST_STEPS || step % INTERVAL == 0 || is_terminal;
        if keep {
            samples.push(StateSample {
                facts: walker.facts(),
                legal,
                joint: joint.take().filter(|_| kept_before),
            });
        }
        kept_before = keep;
        let Some(moves) = moves.filter(|_| !is_terminal) else {
            return Ok(());
        };
        walker.step(&moves)?;
        joint = Some(moves);
    }
    Ok(())
}
