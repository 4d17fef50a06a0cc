//! Mobility (Świechowski 2015, section 3.3.4): prefers many legal moves for the role and few for
//! the others.

use ludorum_reasoner::{ReasonError, Role};

use crate::mini::strategy::{DecisionView, Lookahead, MoveValue, Strategy, StrategyKind};

/// Prefers the successor with the best mobility.
#[derive(Debug)]
pub(crate) struct Mobility {
    pub(crate) role: Role,
}

impl Strategy for Mobility {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Mobility
    }

    fn lookahead(&self) -> Lookahead {
        Lookahead::SuccessorMoves
    }

    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError> {
        let states = view.successors.iter();
        move_values.extend(states.map(|state| value(&state.mobility, self.role)));
        Ok(())
    }
}

/// Equation 3.2; the role's own mobility breaks ties.
#[allow(clippy::cast_precision_loss)] // numbers of moves
fn value(mobility: &[usize], role: Role) -> MoveValue {
    let own = mobility.get(role).map_or(0.0, |count| *count as f64);
    let others = mobility.iter().enumerate().filter(|(i, _)| *i != role);
    MoveValue {
        value: others.map(|(_, count)| own - *count as f64).sum(),
        tie_break: own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::fluent_terms::FluentTerms;
    use crate::mini::strategy::Successor;

    #[test]
    fn the_lead_over_every_other_role_is_added_up() {
        // By hand: (5 - 3) + (5 - 1) = 6, and for the second role (3 - 5) + (3 - 1) = 0.
        let expected = |value, tie_break| MoveValue { value, tie_break };
        assert_eq!(value(&[5, 3, 1], 0), expected(6.0, 5.0));
        assert_eq!(value(&[5, 3, 1], 1), expected(0.0, 3.0));
    }

    #[test]
    fn own_mobility_breaks_ties_of_equal_leads() {
        let successor = |mobility: &[usize]| Successor {
            mobility: mobility.to_vec(),
            ..Successor::default()
        };
        let successors = [successor(&[4, 2]), successor(&[7, 5])];
        let view = DecisionView {
            fluent_terms: &FluentTerms::default(),
            legal: &[],
            recent_states: &[],
            successors: &successors,
        };
        let mut move_values = Vec::new();
        Mobility { role: 0 }
            .evaluate(&view, &mut move_values)
            .unwrap();
        assert!((move_values[0].value - move_values[1].value).abs() < 1e-12);
        assert!(move_values[0].tie_break < move_values[1].tie_break);
    }
}
