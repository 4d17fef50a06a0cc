//! Exploration (section 3.3.5): states that differ from all of those just visited.

use ludorum_reasoner::{FluentId, ReasonError};

use crate::mini::strategy::{Kind, Scene, Sight, Strategy, Worth};

/// So many states are looked back on: N of Equation 3.4.
pub(crate) const WINDOW: usize = 4;

/// Wants to be where it was not.
#[derive(Debug)]
pub(crate) struct Exploration {
    /// N of Equation 3.4.
    pub(crate) window: usize,
}

impl Strategy for Exploration {
    fn kind(&self) -> Kind {
        Kind::Exploration
    }

    fn sight(&self) -> Sight {
        Sight::Successors
    }

    fn memory(&self) -> usize {
        self.window
    }

    fn judge(&mut self, scene: &Scene<'_>, worths: &mut Vec<Worth>) -> Result<(), ReasonError> {
        let trail = &scene.trail[scene.trail.len().saturating_sub(self.window)..];
        let states = scene.successors.iter();
        worths.extend(states.map(|state| Worth::plain(least_difference(&state.facts, trail))));
        Ok(())
    }
}

/// Equation 3.4: how much is new in a state, compared with the most similar of those before it.
pub(crate) fn least_difference(facts: &[FluentId], trail: &[Vec<FluentId>]) -> f64 {
    let differences = trail.iter().map(|before| difference(facts, before));
    #[allow(clippy::cast_precision_loss)] // numbers of fluents
    differences.min().map_or(0.0, |least| least as f64)
}

/// Equation 3.3: how many fluents of a state are not in another. Both are ascending.
pub(crate) fn difference(facts: &[FluentId], before: &[FluentId]) -> usize {
    let mut before = before.iter().peekable();
    let is_new = |fact: &&FluentId| {
        while before.next_if(|other| other < fact).is_some() {}
        before.peek() != Some(fact)
    };
    facts.iter().filter(is_new).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::lexicon::Lexicon;
    use crate::mini::strategy::Successor;

    fn facts(ids: &[u32]) -> Vec<FluentId> {
        ids.iter().copied().map(FluentId).collect()
    }

    #[test]
    fn only_what_appears_counts() {
        // {1, 3, 5} without {1, 2, 3, 4} is {5}; the other way round {2, 4} is left.
        let (a, b) = (facts(&[1, 3, 5]), facts(&[1, 2, 3, 4]));
        assert_eq!(difference(&a, &b), 1);
        assert_eq!(difference(&b, &a), 2);
        assert_eq!(difference(&a, &a), 0);
        assert_eq!(difference(&a, &[]), 3);
        assert_eq!(difference(&[], &a), 0);
    }

    #[test]
    fn the_most_similar_of_the_last_states_is_compared_with() {
        let trail = [facts(&[1, 2]), facts(&[3, 4]), facts(&[5, 6])];
        // New against each of them: 2, 1, 0.
        let state = facts(&[4, 5]);
        let differences: Vec<usize> = trail.iter().map(|s| difference(&state, s)).collect();
        assert_eq!(differences, [2, 1, 1]);
        assert!((least_difference(&state, &trail) - 1.0).abs() < 1e-12);
        assert!((least_difference(&state, &trail[..1]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn going_back_is_worth_less_than_going_on_once_the_window_reaches_so_far() {
        let judge = |window| {
            let trail = [facts(&[1, 2, 3]), facts(&[7, 8, 9])];
            let successor = |ids: &[u32]| Successor {
                facts: facts(ids),
                ..Successor::default()
            };
            // Back to where it came from, or on to something half new.
            let successors = [successor(&[1, 2, 3]), successor(&[8, 9, 10])];
            let scene = Scene {
                lexicon: &Lexicon::default(),
                legal: &[],
                trail: &trail,
                successors: &successors,
            };
            let mut worths = Vec::new();
            Exploration { window }.judge(&scene, &mut worths).unwrap();
            worths[0].value < worths[1].value
        };
        // With one state alone the simulation would go back and forth.
        assert!(!judge(1));
        assert!(judge(WINDOW));
    }
}
