//! Playouts: at random, or with the six variants of the Exploration strategy (Świechowski 2015,
//! section 4.2.2 and table 4.1).

use std::collections::VecDeque;

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use crate::rule_analysis::ROLE;
use crate::technique::TechniqueContext;

/// Probability P that a move is chosen by the strategy instead of at random (Świechowski 2015,
/// table 3.1).
const SUGGESTION_PROBABILITY: f64 = 0.8;
/// The longest history that a variant uses.
pub(crate) const MAX_WINDOW: usize = 8;

/// How a playout chooses moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimulationPolicy {
    /// Uniformly at random.
    Random,
    /// The move to the state that differs most from the last states.
    Explore {
        /// Number of states compared: N of equation 3.4.
        window: usize,
        /// Whether facts that no longer hold count as well: equation 4.3 instead of 4.2.
        symmetric: bool,
    },
}

const fn explore(window: usize, symmetric: bool) -> SimulationPolicy {
    SimulationPolicy::Explore { window, symmetric }
}

/// The rows of table 4.1, and random moves as the last entry.
pub(crate) const SIMULATION_POLICIES: [SimulationPolicy; 7] = [
    explore(4, false),
    explore(6, false),
    explore(8, false),
    explore(4, true),
    explore(6, true),
    explore(8, true),
    SimulationPolicy::Random,
];

/// The end of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimulationEnd {
    /// A terminal state with this goal value.
    Value(u8),
    /// It was cut, or there was no legal move.
    Unfinished,
}

/// The last states of a playout, the latest at the back.
#[derive(Clone, Debug)]
pub(crate) struct StateHistory<S>(VecDeque<S>);

impl<S> Default for StateHistory<S> {
    fn default() -> Self {
        Self(VecDeque::with_capacity(MAX_WINDOW + 1))
    }
}

impl<S: Clone> StateHistory<S> {
    pub(crate) fn push(&mut self, state: &S) {
        self.0.push_back(state.clone());
        if self.0.len() > MAX_WINDOW {
            self.0.pop_front();
        }
    }
}

/// Plays from a state to the end and appends the moves to `line`. `history` holds the states before
/// `start`.
pub(crate) fn playout<R: Reasoner>(
    context: &mut TechniqueContext<'_, R>,
    start: &R::State,
    policy: SimulationPolicy,
    history: &mut StateHistory<R::State>,
    rng: &mut Rng,
    line: &mut Vec<MoveId>,
) -> Result<SimulationEnd, ReasonError> {
    let mut state = start.clone();
    let mut legal = Vec::new();
    loop {
        if context.reasoner.is_terminal(&state)? {
            return context.goal_value(&state).map(SimulationEnd::Value);
        }
        if line.len() >= context.max_steps || context.should_cut_playout() {
            return Ok(SimulationEnd::Unfinished);
        }
        context.reasoner.legal_moves(&state, ROLE, &mut legal)?;
        if legal.is_empty() {
            return Ok(SimulationEnd::Unfinished);
        }
        let (chosen, next) = match policy {
            SimulationPolicy::Explore { window, symmetric }
                if legal.len() > 1 && rng.next_f64() < SUGGESTION_PROBABILITY =>
            {
                history.push(&state);
                let mut states = successors(context, &state, &legal)?;
                let chosen = most_different_state(
                    context.reasoner,
                    history,
                    window,
                    symmetric,
                    &states,
                    rng,
                );
                (chosen, states.swap_remove(chosen))
            }
            _ => {
                if policy != SimulationPolicy::Random {
                    history.push(&state);
                }
                let chosen = rng.below(legal.len());
                (chosen, context.next(&state, legal[chosen])?)
            }
        };
        line.push(legal[chosen]);
        state = next;
    }
}

/// The states after each of some moves.
fn successors<R: Reasoner>(
    context: &mut TechniqueContext<'_, R>,
    state: &R::State,
    legal: &[MoveId],
) -> Result<Vec<R::State>, ReasonError> {
    let moves: Vec<(&R::State, &[MoveId])> = legal
        .iter()
        .map(|id| (state, std::slice::from_ref(id)))
        .collect();
    context.positions += moves.len() as u64;
    context.reasoner.next_states(&moves)
}

/// The state with the largest minimal difference from the last states, ties broken at random
/// (Świechowski 2015, equations 3.4 to 3.6).
fn most_different_state<R: Reasoner>(
    reasoner: &mut R,
    history: &StateHistory<R::State>,
    window: usize,
    symmetric: bool,
    states: &[R::State],
    rng: &mut Rng,
) -> usize {
    let (mut chosen, mut most, mut ties) = (0, 0, 0);
    for (i, state) in states.iter().enumerate() {
        let before = history.0.iter().rev().take(window);
        let least = before.map(|earlier| {
            let (new, gone) = reasoner.fluent_difference(state, earlier);
            if symmetric { new + gone } else { new }
        });
        let least = least.min().unwrap_or(0);
        if ties == 0 || least > most {
            (chosen, most, ties) = (i, least, 1);
        } else if least == most {
            ties += 1;
            if rng.below(ties) == 0 {
                chosen = i;
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ludorum_logic::Rules;
    use ludorum_prover::Prover;

    use super::*;

    #[test]
    fn both_difference_formulas_choose_the_most_different_state() {
        let rules = "(role r) (init (at a)) (legal r go) (<= (next (at b)) (does r go))
            (<= terminal (true (at b))) (goal r 100)";
        let rules = Arc::new(Rules::from_text(rules).unwrap());
        let mut prover = Prover::new(rules).unwrap();
        let mut state = |facts: &[&str]| {
            let facts: Vec<String> = facts.iter().map(|fact| (*fact).to_owned()).collect();
            prover.state_from_facts(&facts).unwrap()
        };
        let mut history = StateHistory::default();
        history.push(&state(&["(at a)", "(at c)"]));
        history.push(&state(&["(at b)", "(at g)", "(at h)"]));
        // Compared with the latest state, 0 and 1 facts are new, 3 and 1 are gone; compared with
        // the one before, 0 and 3 are new, 2 and 2 are gone.
        let states = [state(&[]), state(&["(at b)", "(at d)", "(at g)"])];
        let mut choose = |window, symmetric| {
            let mut rng = Rng::new(1);
            most_different_state(&mut prover, &history, window, symmetric, &states, &mut rng)
        };
        assert_eq!(choose(1, false), 1);
        assert_eq!(choose(4, false), 1);
        assert_eq!(choose(1, true), 0);
    }

    #[test]
    fn the_history_keeps_only_the_last_states() {
        let mut history = StateHistory::default();
        (0..20).for_each(|number| history.push(&number));
        assert_eq!(
            history.0.into_iter().collect::<Vec<_>>(),
            (12..20).collect::<Vec<_>>()
        );
    }
}
