//! Iteration over the joint moves around a move of one role.

use ludorum_reasoner::{MoveId, Rng, Role};

/// All joint moves in which a role makes a given move.
#[derive(Debug)]
pub struct JointMoves<'a> {
    legal: &'a [Vec<MoveId>],
    role: Role,
    id: MoveId,
}

impl<'a> JointMoves<'a> {
    /// The joint moves of a state with these legal moves.
    pub fn new(legal: &'a [Vec<MoveId>], role: Role, id: MoveId) -> Self {
        Self { legal, role, id }
    }

    /// How many there are, saturating at `usize::MAX`.
    pub fn count(&self) -> usize {
        let others = self.legal.iter().enumerate();
        others
            .filter(|(role, _)| *role != self.role)
            .fold(1, |count: usize, (_, moves)| {
                count.saturating_mul(moves.len())
            })
    }

    /// The joint move with a number below the count.
    pub fn nth(&self, mut number: usize) -> Vec<MoveId> {
        let roles = self.legal.iter().enumerate();
        roles
            .map(|(role, moves)| {
                if role == self.role {
                    return self.id;
                }
                let id = moves[number % moves.len()];
                number /= moves.len();
                id
            })
            .collect()
    }

    /// One of them, uniformly at random.
    pub fn sample(&self, rng: &mut Rng) -> Vec<MoveId> {
        let roles = self.legal.iter().enumerate();
        roles
            .map(|(role, moves)| {
                if role == self.role {
                    self.id
                } else {
                    moves[rng.below(moves.len())]
                }
            })
            .collect()
    }

    /// All of them, or, if there are more than `most`, a sample of that size with replacement.
    pub fn all_or_sample(
        &self,
        most: usize,
        rng: &mut Rng,
    ) -> impl Iterator<Item = Vec<MoveId>> + use<'a> {
        let count = self.count();
        let joint_moves: Vec<Vec<MoveId>> = if count <= most {
            (0..count).map(|number| self.nth(number)).collect()
        } else {
            (0..most).map(|_| self.sample(rng)).collect()
        };
        joint_moves.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_joint_moves_are_listed_once_and_too_many_are_sampled() {
        let legal = [
            vec![MoveId(7)],
            vec![MoveId(0), MoveId(1)],
            vec![MoveId(0), MoveId(1), MoveId(2)],
        ];
        let mut rng = Rng::new(1);
        let joint_moves = JointMoves::new(&legal, 1, MoveId(1));
        let all: Vec<_> = joint_moves.all_or_sample(10, &mut rng).collect();
        let expected = [0, 1, 2].map(|last| vec![MoveId(7), MoveId(1), MoveId(last)]);
        assert_eq!(all, expected);
        assert_eq!(joint_moves.all_or_sample(2, &mut rng).count(), 2);
    }
}
