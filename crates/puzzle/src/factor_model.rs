//! A puzzle as independent finite automata that read the same moves.
//!
//! A turn of a cube's face moves every piece, and where a piece goes depends on that piece alone; a
//! switch flips several lamps, each independently. In such a puzzle each factor has numbered
//! states, a transition table for every move, and a set of goal states. A position is a few bytes
//! and a move a few table look-ups, about a hundred times faster than a query of the engine.
//!
//! The tables are [built](crate::model_builder) once for a match. Every move is a permutation of
//! each factor's states, so the reachable states are the same from every later position. Every line
//! is [validated](crate::candidate_line) on the engine before it is used.

use ludorum_reasoner::MoveId;
use rustc_hash::FxHashMap;

/// Columns of a transition table: the states of a factor are bytes.
pub(crate) const TABLE_WIDTH: usize = 256;
/// Maximal order of a move (as a permutation) for which its inverse is a repetition of itself.
const MAX_MOVE_ORDER: usize = 4;

/// Effect of a move of the match in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveEffect {
    /// It changes nothing.
    Identity,
    /// It equals the model's move with this index.
    Move(u8),
}

/// The factored puzzle. It has only factors with requirements.
#[derive(Clone, Debug)]
pub(crate) struct FactorModel {
    /// The moves that change something, one for each distinct effect.
    pub(crate) moves: Vec<MoveId>,
    /// A move that changes nothing.
    pub(crate) no_op: Option<MoveId>,
    /// Number of states of each factor.
    pub(crate) state_counts: Vec<usize>,
    /// For each factor the state after a move: `transitions[factor][move * TABLE_WIDTH + state]`.
    pub(crate) transitions: Vec<Vec<u8>>,
    /// The inverse of [`Self::transitions`].
    pub(crate) inverse_transitions: Vec<Vec<u8>>,
    /// The factor states at the root.
    pub(crate) root: Vec<u8>,
    /// For each factor whether a state meets the requirements.
    pub(crate) goal_states: Vec<Vec<bool>>,
    /// For each move the moves that can follow it in a shortest line; the last row is for the root.
    /// Complete after the last call of [`Self::prune_next_move`].
    pub(crate) successors: Vec<Vec<u8>>,
    /// For each move a sequence of moves that takes it back; empty if none is short.
    inverses: Vec<Vec<u8>>,
    /// The effect of every legal move, including those with equal effects.
    move_effects: FxHashMap<MoveId, MoveEffect>,
}

impl FactorModel {
    /// Builds the model from the transition tables of all legal moves. Returns `None` if a move is
    /// not a permutation.
    pub(crate) fn from_tables(
        legal: &[MoveId],
        state_counts: Vec<usize>,
        tables: &[Vec<u8>],
        root: Vec<u8>,
        goal_states: Vec<Vec<bool>>,
    ) -> Option<Self> {
        let effect_of_legal_move = |i: usize| -> Vec<&[u8]> {
            let rows = tables.iter().zip(&state_counts);
            rows.map(|(table, size)| &table[i * TABLE_WIDTH..][..*size])
                .collect()
        };
        let mut kept: Vec<usize> = Vec::new();
        let mut no_op = None;
        let mut move_effects = FxHashMap::default();
        for (i, id) in legal.iter().enumerate() {
            let own = effect_of_legal_move(i);
            let does_nothing = own.iter().all(|row| {
                row.iter()
                    .enumerate()
                    .all(|(from, to)| from == *to as usize)
            });
            if does_nothing {
                no_op = Some(*id);
                move_effects.insert(*id, MoveEffect::Identity);
                continue;
            }
            let same = kept
                .iter()
                .position(|other| effect_of_legal_move(*other) == own);
            move_effects.insert(*id, MoveEffect::Move(same.unwrap_or(kept.len()) as u8));
            if same.is_none() {
                kept.push(i);
            }
        }
        let mut transitions = Vec::new();
        let mut inverse_transitions = Vec::new();
        for (table, size) in tables.iter().zip(&state_counts) {
            let mut rows = Vec::with_capacity(kept.len() * TABLE_WIDTH);
            let mut inverses = vec![0; kept.len() * TABLE_WIDTH];
            for (number, i) in kept.iter().enumerate() {
                let row = &table[i * TABLE_WIDTH..][..TABLE_WIDTH];
                rows.extend_from_slice(row);
                let mut is_hit = [false; TABLE_WIDTH];
                for (from, to) in row[..*size].iter().enumerate() {
                    if std::mem::replace(&mut is_hit[*to as usize], true) {
                        return None;
                    }
                    inverses[number * TABLE_WIDTH + *to as usize] = from as u8;
                }
            }
            transitions.push(rows);
            inverse_transitions.push(inverses);
        }
        let model = Self {
            moves: kept.iter().map(|i| legal[*i]).collect(),
            no_op,
            state_counts,
            transitions,
            inverse_transitions,
            root,
            goal_states,
            successors: Vec::new(),
            inverses: Vec::new(),
            move_effects,
        };
        (!model.moves.is_empty()).then_some(model)
    }

    /// The state that each state of each factor is mapped to by a sequence of moves.
    fn composed_effect(&self, moves: &[usize]) -> Vec<u8> {
        let factors = self.transitions.iter().zip(&self.state_counts);
        let results = factors.flat_map(|(transitions, size)| {
            (0..*size).map(move |from| {
                let step = |at: u8, number: &usize| transitions[number * TABLE_WIDTH + at as usize];
                moves.iter().fold(from as u8, step)
            })
        });
        results.collect()
    }

    /// Compares the next move with all others: which of them may follow it in a shortest line, and
    /// how it is taken back. Returns whether all moves are done.
    ///
    /// Of two commuting moves one order is enough. A pair whose effect is that of one move, or of
    /// none, never occurs in a shortest line.
    pub(crate) fn prune_next_move(&mut self) -> bool {
        let (count, first) = (self.moves.len(), self.inverses.len());
        if first < count {
            let singles: Vec<Vec<u8>> = (0..count)
                .map(|number| self.composed_effect(&[number]))
                .collect();
            let nothing = self.composed_effect(&[]);
            let mut inverses = Vec::new();
            let mut row = Vec::new();
            for second in 0..count {
                let both = self.composed_effect(&[first, second]);
                if both == nothing {
                    inverses = vec![second as u8];
                } else if !singles.contains(&both)
                    && (first <= second || both != self.composed_effect(&[second, first]))
                {
                    row.push(second as u8);
                }
            }
            let mut turns = 2;
            while inverses.is_empty() && turns < MAX_MOVE_ORDER {
                turns += 1;
                if self.composed_effect(&vec![first; turns]) == nothing {
                    inverses = vec![first as u8; turns - 1];
                }
            }
            self.successors.push(row);
            self.inverses.push(inverses);
        }
        if self.inverses.len() == count && self.successors.len() == count {
            self.successors.push((0..count as u8).collect());
        }
        self.successors.len() > count
    }

    /// Applies a move of the match to the root. Returns its effect if it is a move of the model.
    pub(crate) fn advance(&mut self, id: MoveId) -> Option<MoveEffect> {
        let effect = *self.move_effects.get(&id)?;
        if let MoveEffect::Move(number) = effect {
            let mut next = vec![0; self.root.len()];
            self.play(&self.root, number, &mut next);
            self.root = next;
        }
        Some(effect)
    }

    /// The number of moves that take a move back, if there is a short sequence.
    pub(crate) fn inverse_length(&self, number: u8) -> Option<usize> {
        let inverses = self.inverses.get(number as usize)?;
        (!inverses.is_empty()).then_some(inverses.len())
    }

    /// Converts a line from the position before `played` to one from the position after it. Returns
    /// `None` if the moves cannot be taken back.
    pub(crate) fn rebase_line(&self, played: &[u8], line: Vec<u8>) -> Option<Vec<u8>> {
        let pairs = played.iter().zip(&line);
        let common = pairs.take_while(|(played, number)| played == number);
        let common = common.count();
        if common == 0 && played.is_empty() {
            return Some(line);
        }
        let mut moves = Vec::new();
        for number in played[common..].iter().rev() {
            self.inverse_length(*number)?;
            moves.extend_from_slice(&self.inverses[*number as usize]);
        }
        moves.extend_from_slice(&line[common..]);
        Some(moves)
    }

    /// The number of factors that meet their requirements.
    pub(crate) fn satisfied_factors(&self, state: &[u8]) -> usize {
        let factors = state.iter().zip(&self.goal_states);
        factors
            .filter(|(at, goal_states)| goal_states[**at as usize])
            .count()
    }

    /// Writes the position after a move into `next`.
    #[inline]
    pub(crate) fn play(&self, state: &[u8], number: u8, next: &mut [u8]) {
        let row = number as usize * TABLE_WIDTH;
        for ((to, at), transitions) in next.iter_mut().zip(state).zip(&self.transitions) {
            *to = transitions[row + *at as usize];
        }
    }

    /// The bytes of the transition tables; the rest is small.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.transitions.iter().chain(&self.inverse_transitions);
        tables.map(Vec::len).sum()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two factors with three and two states. Moves: turn both, turn the first back, no-op, turn
    /// the second.
    pub(crate) fn model() -> FactorModel {
        let table = |rows: &[&[u8]]| {
            let mut table = vec![0; rows.len() * TABLE_WIDTH];
            for (i, row) in rows.iter().enumerate() {
                table[i * TABLE_WIDTH..][..row.len()].copy_from_slice(row);
            }
            table
        };
        let first = table(&[&[1, 2, 0], &[2, 0, 1], &[0, 1, 2], &[0, 1, 2]]);
        let second = table(&[&[1, 0], &[0, 1], &[0, 1], &[1, 0]]);
        let legal: Vec<MoveId> = (10..14).map(MoveId).collect();
        let goal_states = vec![vec![false, false, true], vec![true, false]];
        let mut model = FactorModel::from_tables(
            &legal,
            vec![3, 2],
            &[first, second],
            vec![0, 0],
            goal_states,
        )
        .unwrap();
        while !model.prune_next_move() {}
        model
    }

    #[test]
    fn a_move_without_effect_is_the_no_op() {
        let model = model();
        assert_eq!(model.moves, [MoveId(10), MoveId(11), MoveId(13)]);
        assert_eq!(model.no_op, Some(MoveId(12)));
    }

    #[test]
    fn inverse_transitions_take_moves_back() {
        let model = model();
        let mut next = [0; 2];
        model.play(&[2, 1], 0, &mut next);
        assert_eq!(next, [0, 0]);
        assert_eq!(model.inverse_transitions[0][0], 2);
        assert_eq!(model.satisfied_factors(&[2, 0]), 2);
        assert_eq!(model.satisfied_factors(&[2, 1]), 1);
    }

    #[test]
    fn commuting_moves_are_tried_in_one_order() {
        let model = model();
        // Turning both and then the first back equals turning the second.
        assert!(!model.successors[0].contains(&1));
        // Turning the second twice is the identity. Turning the second and then both commutes, and
        // the other order is kept.
        assert!(model.successors[2].is_empty());
        assert_eq!(model.successors[0], [2]);
        // Turning the first back twice turns it forward, which no single move does without changing
        // the second factor.
        assert_eq!(model.successors[1], [1, 2]);
        assert_eq!(model.successors[3], [0, 1, 2]);
    }

    #[test]
    fn an_irreversible_move_is_rejected() {
        let mut table = vec![0; TABLE_WIDTH];
        table[..2].copy_from_slice(&[1, 1]);
        let goal_states = vec![vec![false, true]];
        let model = FactorModel::from_tables(&[MoveId(0)], vec![2], &[table], vec![0], goal_states);
        assert!(model.is_none());
    }

    #[test]
    fn the_root_follows_the_moves_of_the_match() {
        let mut model = model();
        assert_eq!(model.advance(MoveId(12)), Some(MoveEffect::Identity));
        assert_eq!(model.root, [0, 0]);
        assert_eq!(model.advance(MoveId(10)), Some(MoveEffect::Move(0)));
        assert_eq!(model.root, [1, 1]);
        assert_eq!(model.advance(MoveId(99)), None);
    }

    #[test]
    fn a_line_is_rebased_over_moves_of_the_match() {
        let model = model();
        // Turning both has order six. Turning the first back has order three, turning the second
        // order two.
        assert_eq!(model.inverse_length(0), None);
        assert_eq!(model.inverse_length(1), Some(2));
        assert_eq!(model.inverse_length(2), Some(1));
        assert_eq!(model.rebase_line(&[], vec![0, 1]), Some(vec![0, 1]));
        assert_eq!(model.rebase_line(&[0], vec![0, 1]), Some(vec![1]));
        assert_eq!(model.rebase_line(&[0], vec![1]), None);
        assert_eq!(model.rebase_line(&[2, 1], vec![2, 0]), Some(vec![1, 1, 0]));
    }
}
