//! Mobility (section 3.3.4): more moves for the role, fewer for the others.

use ludorum_reasoner::{ReasonError, Role};

use crate::mini::strategy::{Kind, Scene, Sight, Strategy, Worth};

/// Wants to have more moves than the others.
#[derive(Debug)]
pub(crate) struct Mobility {
    pub(crate) role: Role,
}

impl Strategy for Mobility {
    fn kind(&self) -> Kind {
        Kind::Mobility
    }

    fn sight(&self) -> Sight {
        Sight::SuccessorMoves
    }

    fn judge(&mut self, scene: &Scene<'_>, worths: &mut Vec<Worth>) -> Result<(), ReasonError> {
        let states = scene.successors.iter();
        worths.extend(states.map(|state| worth(&state.mobility, self.role)));
        Ok(())
    }
}

/// Equation 3.2, and the role's own moves to break ties.
#[allow(clippy::cast_precision_loss)] // numbers of moves
fn worth(mobility: &[usize], role: Role) -> Worth {
    let own = mobility.get(role).map_or(0.0, |count| *count as f64);
    let others = mobility.iter().enumerate().filter(|(i, _)| *i != role);
    Worth {
        value: others.map(|(_, count)| own - *count as f64).sum(),
        tie_break: own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::lexicon::Lexicon;
    use crate::mini::strategy::Successor;

    #[test]
    fn the_lead_over_every_other_role_is_added_up() {
        // By hand: (5 - 3) + (5 - 1) = 6, and for the second role (3 - 5) + (3 - 1) = 0.
        let expected = |value, tie_break| Worth { value, tie_break };
        assert_eq!(worth(&[5, 3, 1], 0), expected(6.0, 5.0));
        assert_eq!(worth(&[5, 3, 1], 1), expected(0.0, 3.0));
    }

    #[test]
    fn equal_leads_are_told_apart_by_the_own_moves() {
        let successor = |mobility: &[usize]| Successor {
            mobility: mobility.to_vec(),
            ..Successor::default()
        };
        let successors = [successor(&[4, 2]), successor(&[7, 5])];
        let scene = Scene {
            lexicon: &Lexicon::default(),
            legal: &[],
            trail: &[],
            successors: &successors,
        };
        let mut worths = Vec::new();
        Mobility { role: 0 }.judge(&scene, &mut worths).unwrap();
        assert!((worths[0].value - worths[1].value).abs() < 1e-12);
        assert!(worths[0].tie_break < worths[1].tie_break);
    }
}
