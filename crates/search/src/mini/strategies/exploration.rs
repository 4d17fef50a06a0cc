//! Exploration (Świechowski 2015, section 3.3.5): prefers states that differ from those visited
//! last.

use ludorum_reasoner::{FluentId, ReasonError};

use crate::mini::strategy::{DecisionView, Lookahead, MoveValue, Strategy, StrategyKind};

/// The number of recent states that are compared: N of equation 3.4.
pub(crate) const WINDOW: usize = 4;

/// Prefers the successor that differs most from recent states.
#[derive(Debug)]
pub(crate) struct Exploration {
    /// N of Equation 3.4.
    pub(crate) window: usize,
}

impl Strategy for Exploration {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Exploration
    }

    fn lookahead(&self) -> Lookahead {
        Lookahead::Successors
    }

    fn history_length(&self) -> usize {
        self.window
    }

    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError> {
        let recent_states =
            &view.recent_states[view.recent_states.len().saturating_sub(self.window)..];
        let states = view.successors.iter();
        move_values.extend(
            states.map(|state| MoveValue::plain(least_difference(&state.facts, recent_states))),
        );
        Ok(())
    }
}

/// Equation 3.4: the difference of a state from the most similar recent state.
pub(crate) fn least_difference(facts: &[FluentId], recent_states: &[Vec<FluentId>]) -> f64 {
    let differences = recent_states.iter().map(|before| difference(facts, before));
    #[allow(clippy::cast_precision_loss)] // numbers of fluents
    differences.min().map_or(0.0, |least| least as f64)
}

/// Equation 3.3: the number of fluents of a state that are not in another. Both lists are
/// ascending.
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
    use crate::mini::fluent_terms::FluentTerms;
    use crate::mini::strategy::Successor;

    fn facts(ids: &[u32]) -> Vec<FluentId> {
        ids.iter().copied().map(FluentId).collect()
    }

    #[test]
    fn only_new_fluents_count() {
        // {1, 3, 5} without {1, 2, 3, 4} is {5}; the reverse difference is {2, 4}.
        let (a, b) = (facts(&[1, 3, 5]), facts(&[1, 2, 3, 4]));
        assert_eq!(difference(&a, &b), 1);
        assert_eq!(difference(&b, &a), 2);
        assert_eq!(difference(&a, &a), 0);
        assert_eq!(difference(&a, &[]), 3);
        assert_eq!(difference(&[], &a), 0);
    }

    #[test]
    fn the_most_similar_of_the_last_states_is_compared_with() {
        let recent_states = [facts(&[1, 2]), facts(&[3, 4]), facts(&[5, 6])];
        // The numbers of new fluents against each of them: 2, 1, 0.
        let state = facts(&[4, 5]);
        let differences: Vec<usize> = recent_states
            .iter()
            .map(|s| difference(&state, s))
            .collect();
        assert_eq!(differences, [2, 1, 1]);
        assert!((least_difference(&state, &recent_states) - 1.0).abs() < 1e-12);
        assert!((least_difference(&state, &recent_states[..1]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_return_to_a_state_within_the_window_has_a_lower_value() {
        let evaluate = |window| {
            let recent_states = [facts(&[1, 2, 3]), facts(&[7, 8, 9])];
            let successor = |ids: &[u32]| Successor {
                facts: facts(ids),
                ..Successor::default()
            };
            // One successor returns to the previous state, the other is half new.
            let successors = [successor(&[1, 2, 3]), successor(&[8, 9, 10])];
            let view = DecisionView {
                fluent_terms: &FluentTerms::default(),
                legal: &[],
                recent_states: &recent_states,
                successors: &successors,
            };
            let mut move_values = Vec::new();
            Exploration { window }
                .evaluate(&view, &mut move_values)
                .unwrap();
            move_values[0].value < move_values[1].value
        };
        // With a window of one state the simulation would alternate between two states.
        assert!(!evaluate(1));
        assert!(evaluate(WINDOW));
    }
}
