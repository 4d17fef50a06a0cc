//! Joint moves around a move of one role.

use ludorum_reasoner::{MoveId, Rng, Role};

/// What the others can do while a role makes a move.
#[derive(Debug)]
pub(crate) struct Replies<'a> {
    legal: &'a [Vec<MoveId>],
    role: Role,
    id: MoveId,
}

impl<'a> Replies<'a> {
    pub(crate) fn new(legal: &'a [Vec<MoveId>], role: Role, id: MoveId) -> Self {
        Self { legal, role, id }
    }

    /// How many there are; `usize::MAX` stands for more than can be counted.
    pub(crate) fn count(&self) -> usize {
        let others = self.legal.iter().enumerate();
        others
            .filter(|(role, _)| *role != self.role)
            .fold(1, |count: usize, (_, moves)| {
                count.saturating_mul(moves.len())
            })
    }

    /// The joint move with a number below the count.
    pub(crate) fn nth(&self, mut number: usize) -> Vec<MoveId> {
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

    /// One of them, each with the same chance.
    pub(crate) fn draw(&self, rng: &mut Rng) -> Vec<MoveId> {
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

    /// All of them, or if they are more than `most`, so many drawn by chance.
    pub(crate) fn some(
        &self,
        most: usize,
        rng: &mut Rng,
    ) -> impl Iterator<Item = Vec<MoveId>> + use<'a> {
        let count = self.count();
        let joint_moves: Vec<Vec<MoveId>> = if count <= most {
            (0..count).map(|number| self.nth(number)).collect()
        } else {
            (0..most).map(|_| self.draw(rng)).collect()
        };
        joint_moves.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_replies_are_given_once_and_too_many_are_sampled() {
        let legal = [
            vec![MoveId(7)],
            vec![MoveId(0), MoveId(1)],
            vec![MoveId(0), MoveId(1), MoveId(2)],
        ];
        let mut rng = Rng::new(1);
        let replies = Replies::new(&legal, 1, MoveId(1));
        let all: Vec<_> = replies.some(10, &mut rng).collect();
        let expected = [0, 1, 2].map(|last| vec![MoveId(7), MoveId(1), MoveId(last)]);
        assert_eq!(all, expected);
        assert_eq!(replies.some(2, &mut rng).count(), 2);
    }
}
