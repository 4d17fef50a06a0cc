//! Playouts: at random, or after the six variants of Exploration in Table 4.1 of the thesis.

use std::collections::VecDeque;

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

use super::desk::{Desk, ROLE};

/// The chance that a move is the one Exploration suggests, and not any: Table 3.1.
const P: f64 = 0.8;
/// The longest history that any variant looks at.
pub(super) const WINDOW: usize = 8;

/// How moves are chosen in a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// Any.
    Random,
    /// The one whose state differs most from those before.
    Explore {
        /// How many states before are looked at: N of Equation 3.4.
        window: usize,
        /// Whether facts that are gone count as well: Equation 4.3 instead of 4.2.
        symmetric: bool,
    },
}

const fn explore(window: usize, symmetric: bool) -> Policy {
    Policy::Explore { window, symmetric }
}

/// The rows of Table 4.1, and random moves after them.
pub(super) const POLICIES: [Policy; 7] = [
    explore(4, false),
    explore(6, false),
    explore(8, false),
    explore(4, true),
    explore(6, true),
    explore(8, true),
    Policy::Random,
];

/// The end of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The game ended with this.
    Value(u8),
    /// It was cut, or there was no legal move.
    Nothing,
}

/// The states before, the latest last.
#[derive(Clone, Debug)]
pub(super) struct Trail<S>(VecDeque<S>);

impl<S> Default for Trail<S> {
    fn default() -> Self {
        Self(VecDeque::with_capacity(WINDOW + 1))
    }
}

impl<S: Clone> Trail<S> {
    pub(super) fn push(&mut self, state: &S) {
        self.0.push_back(state.clone());
        if self.0.len() > WINDOW {
            self.0.pop_front();
        }
    }
}

/// Plays from a state to the end and adds the moves to `line`. The trail holds the states before
/// it.
pub(super) fn playout<R: Reasoner>(
    desk: &mut Desk<'_, R>,
    start: &R::State,
    policy: Policy,
    trail: &mut Trail<R::State>,
    rng: &mut Rng,
    line: &mut Vec<MoveId>,
) -> Result<End, ReasonError> {
    let mut state = start.clone();
    let mut legal = Vec::new();
    loop {
        if desk.reasoner.is_terminal(&state)? {
            return desk.value(&state).map(End::Value);
        }
        if line.len() >= desk.limit || desk.is_cut() {
            return Ok(End::Nothing);
        }
        desk.reasoner.legal_moves(&state, ROLE, &mut legal)?;
        if legal.is_empty() {
            return Ok(End::Nothing);
        }
        let (chosen, next) = match policy {
            Policy::Explore { window, symmetric } if legal.len() > 1 && rng.next_f64() < P => {
                trail.push(&state);
                let mut states = successors(desk, &state, &legal)?;
                let chosen = most_different(desk.reasoner, trail, window, symmetric, &states, rng);
                (chosen, states.swap_remove(chosen))
            }
            _ => {
                if policy != Policy::Random {
                    trail.push(&state);
                }
                let chosen = rng.below(legal.len());
                (chosen, desk.next(&state, legal[chosen])?)
            }
        };
        line.push(legal[chosen]);
        state = next;
    }
}

/// The states after each of some moves.
fn successors<R: Reasoner>(
    desk: &mut Desk<'_, R>,
    state: &R::State,
    legal: &[MoveId],
) -> Result<Vec<R::State>, ReasonError> {
    let moves: Vec<(&R::State, &[MoveId])> = legal
        .iter()
        .map(|id| (state, std::slice::from_ref(id)))
        .collect();
    desk.positions += moves.len() as u64;
    desk.reasoner.next_states(&moves)
}

/// The state whose least difference from those before is the greatest, any of several: Equations
/// 3.4 to 3.6.
fn most_different<R: Reasoner>(
    reasoner: &mut R,
    trail: &Trail<R::State>,
    window: usize,
    symmetric: bool,
    states: &[R::State],
    rng: &mut Rng,
) -> usize {
    let (mut chosen, mut most, mut ties) = (0, 0, 0);
    for (i, state) in states.iter().enumerate() {
        let before = trail.0.iter().rev().take(window);
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
    fn the_state_that_differs_from_all_before_is_chosen_by_both_formulas() {
        let rules = "(role r) (init (at a)) (legal r go) (<= (next (at b)) (does r go))
            (<= terminal (true (at b))) (goal r 100)";
        let rules = Arc::new(Rules::from_text(rules).unwrap());
        let mut prover = Prover::new(rules).unwrap();
        let mut state = |facts: &[&str]| {
            let facts: Vec<String> = facts.iter().map(|fact| (*fact).to_owned()).collect();
            prover.state_from_facts(&facts).unwrap()
        };
        let mut trail = Trail::default();
        trail.push(&state(&["(at a)", "(at c)"]));
        trail.push(&state(&["(at b)", "(at g)", "(at h)"]));
        // Against the latest, new facts are 0 and 1, those that are gone 3 and 1; against the one
        // before, 0 and 3, 2 and 2.
        let states = [state(&[]), state(&["(at b)", "(at d)", "(at g)"])];
        let mut choose = |window, symmetric| {
            let mut rng = Rng::new(1);
            most_different(&mut prover, &trail, window, symmetric, &states, &mut rng)
        };
        assert_eq!(choose(1, false), 1);
        assert_eq!(choose(4, false), 1);
        assert_eq!(choose(1, true), 0);
    }

    #[test]
    fn a_trail_keeps_the_last_states_only() {
        let mut trail = Trail::default();
        (0..20).for_each(|number| trail.push(&number));
        assert_eq!(
            trail.0.into_iter().collect::<Vec<_>>(),
            (12..20).collect::<Vec<_>>()
        );
    }
}
