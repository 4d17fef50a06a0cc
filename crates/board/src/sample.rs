//! States and moves seen in a few random playouts: what a recogniser looks at besides the rules.

use std::time::Instant;

use ludorum_reasoner::{GameWalker, ReasonError, Rng};

/// A state that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateSample {
    /// The facts in KIF.
    pub facts: Vec<String>,
    /// The legal moves of every role in KIF.
    pub legal: Vec<Vec<String>>,
    /// The joint move that led here from the sample before this one; none if that is another state.
    pub joint: Option<Vec<String>>,
}

/// How much is played to see what a game looks like.
#[derive(Clone, Copy, Debug)]
pub struct SamplingLimits {
    /// How many playouts.
    pub playouts: u32,
    /// The most steps of a playout.
    pub steps: u32,
    /// The most samples that are kept.
    pub samples: usize,
    /// When to stop in any case.
    pub deadline: Option<Instant>,
    /// Where random moves come from.
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

/// The first steps of a playout are all kept: they show what a move changes.
const FIRST: u32 = 8;
/// Of the later ones, each so-many-th.
const EVERY: u32 = 6;

/// Plays at random and keeps some of the states. Whatever goes wrong ends the sampling early: what
/// was seen until then is the answer. The walker is left at some state; restart it before using it
/// further.
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
        let keep = step < FIRST || step % EVERY == 0 || is_terminal;
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
