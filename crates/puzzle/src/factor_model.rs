//! A puzzle as a row of small machines that hear the same moves and do not look at each other.
//!
//! The faces of a cube turn every piece, and where a piece goes depends on nothing but the piece; a
//! switch flips lamps, each for itself. Such a puzzle has a number for each part, a table of what
//! every move makes of it, and the numbers that are wanted. A position is a few bytes, and a move a
//! few look-ups, which is a hundred times faster than asking an engine. The tables are
//! [made](super::making) once for a match: every move can be taken back, so from wherever the match
//! is, the same situations can come about. Every line is played on the engine before it is
//! believed.

use ludorum_reasoner::MoveId;
use rustc_hash::FxHashMap;

/// The most situations of a part: they are bytes, and tables have this many columns.
pub(crate) const TABLE_WIDTH: usize = 256;
/// A move that is taken back by itself is played as often as this at most.
const MAX_MOVE_ORDER: usize = 4;

/// What a move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveEffect {
    /// Nothing.
    Identity,
    /// What the move with this number does.
    Move(u8),
}

/// The puzzle, part by part. Only parts that something is wanted of are here.
#[derive(Clone, Debug)]
pub(crate) struct FactorModel {
    /// Moves that do something, each another thing.
    pub(crate) moves: Vec<MoveId>,
    /// A move that does nothing.
    pub(crate) no_op: Option<MoveId>,
    /// How many situations each part has.
    pub(crate) state_counts: Vec<usize>,
    /// For each part and move, the situation after each: `after[part][number * COLUMNS +
    /// situation]`.
    pub(crate) transitions: Vec<Vec<u8>>,
    /// The same backwards.
    pub(crate) inverse_transitions: Vec<Vec<u8>>,
    /// The situations at the root.
    pub(crate) root: Vec<u8>,
    /// For each part whether a situation is wanted.
    pub(crate) goal_states: Vec<Vec<bool>>,
    /// The moves worth trying after each move; the last row is for the root. It is there after the
    /// last [`Self::relate`].
    pub(crate) successors: Vec<Vec<u8>>,
    /// For each move, those that take it back, if few do.
    inverses: Vec<Vec<u8>>,
    /// What each move does that is legal, those that do the same as another included.
    move_effects: FxHashMap<MoveId, MoveEffect>,
}

impl FactorModel {
    /// Puts the model together; none if a move cannot be taken back.
    pub(crate) fn from_tables(
        legal: &[MoveId],
        state_counts: Vec<usize>,
        tables: &[Vec<u8>],
        root: Vec<u8>,
        goal_states: Vec<Vec<bool>>,
    ) -> Option<Self> {
        let composed_effect = |i: usize| -> Vec<&[u8]> {
            let rows = tables.iter().zip(&state_counts);
            rows.map(|(table, size)| &table[i * TABLE_WIDTH..][..*size])
                .collect()
        };
        let mut kept: Vec<usize> = Vec::new();
        let mut no_op = None;
        let mut move_effects = FxHashMap::default();
        for (i, id) in legal.iter().enumerate() {
            let own = composed_effect(i);
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
            let same = kept.iter().position(|other| composed_effect(*other) == own);
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

    /// What some moves make of every situation.
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

    /// Finds out how the next move is related to all others: which of them may come after it in a
    /// shortest line, and how it is taken back. Gives whether that is known of all moves.
    ///
    /// Of two that can be swapped, one order is enough, and two that do what one does, or nothing,
    /// are never needed.
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

    /// A move was played in the match. Gives what it does here, if it is a move of the model.
    pub(crate) fn advance(&mut self, id: MoveId) -> Option<MoveEffect> {
        let composed_effect = *self.move_effects.get(&id)?;
        if let MoveEffect::Move(number) = composed_effect {
            let mut next = vec![0; self.root.len()];
            self.play(&self.root, number, &mut next);
            self.root = next;
        }
        Some(composed_effect)
    }

    /// How many moves take a move back; none if that would be many.
    pub(crate) fn inverse_length(&self, number: u8) -> Option<usize> {
        let inverses = self.inverses.get(number as usize)?;
        (!inverses.is_empty()).then_some(inverses.len())
    }

    /// A line from where some moves were not played yet, as one from where they were; none if they
    /// cannot be taken back.
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

    /// How many parts are as wanted.
    pub(crate) fn satisfied_factors(&self, state: &[u8]) -> usize {
        let factors = state.iter().zip(&self.goal_states);
        factors
            .filter(|(at, goal_states)| goal_states[**at as usize])
            .count()
    }

    /// Puts the position after a move into `next`.
    #[inline]
    pub(crate) fn play(&self, state: &[u8], number: u8, next: &mut [u8]) {
        let row = number as usize * TABLE_WIDTH;
        for ((to, at), transitions) in next.iter_mut().zip(state).zip(&self.transitions) {
            *to = transitions[row + *at as usize];
        }
    }

    /// The bytes it takes, but for small change.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.transitions.iter().chain(&self.inverse_transitions);
        tables.map(Vec::len).sum()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two parts with three and two situations; moves: turn both, turn the first back, do nothing,
    /// turn the second.
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
    fn a_move_that_does_nothing_is_set_aside() {
        let model = model();
        assert_eq!(model.moves, [MoveId(10), MoveId(11), MoveId(13)]);
        assert_eq!(model.no_op, Some(MoveId(12)));
    }

    #[test]
    fn moves_are_played_and_taken_back() {
        let model = model();
        let mut next = [0; 2];
        model.play(&[2, 1], 0, &mut next);
        assert_eq!(next, [0, 0]);
        assert_eq!(model.inverse_transitions[0][0], 2);
        assert_eq!(model.satisfied_factors(&[2, 0]), 2);
        assert_eq!(model.satisfied_factors(&[2, 1]), 1);
    }

    #[test]
    fn of_moves_that_can_be_swapped_one_order_is_tried() {
        let model = model();
        // Turning both and then the first back is turning the second.
        assert!(!model.successors[0].contains(&1));
        // Turning the second twice is nothing; turning both after it is the other order of what is
        // tried already.
        assert!(model.successors[2].is_empty());
        assert_eq!(model.successors[0], [2]);
        // Twice back is forward, which no single move does without the second part.
        assert_eq!(model.successors[1], [1, 2]);
        assert_eq!(model.successors[3], [0, 1, 2]);
    }

    #[test]
    fn a_move_that_cannot_be_taken_back_makes_no_model() {
        let mut table = vec![0; TABLE_WIDTH];
        table[..2].copy_from_slice(&[1, 1]);
        let goal_states = vec![vec![false, true]];
        let model = FactorModel::from_tables(&[MoveId(0)], vec![2], &[table], vec![0], goal_states);
        assert!(model.is_none());
    }

    #[test]
    fn the_root_goes_with_the_match() {
        let mut model = model();
        assert_eq!(model.advance(MoveId(12)), Some(MoveEffect::Identity));
        assert_eq!(model.root, [0, 0]);
        assert_eq!(model.advance(MoveId(10)), Some(MoveEffect::Move(0)));
        assert_eq!(model.root, [1, 1]);
        assert_eq!(model.advance(MoveId(99)), None);
    }

    #[test]
    fn a_line_from_before_a_move_is_one_from_after_it() {
        let model = model();
        // Turning both takes six times to come back; turning the first back takes three, turning
        // the second two.
        assert_eq!(model.inverse_length(0), None);
        assert_eq!(model.inverse_length(1), Some(2));
        assert_eq!(model.inverse_length(2), Some(1));
        assert_eq!(model.rebase_line(&[], vec![0, 1]), Some(vec![0, 1]));
        assert_eq!(model.rebase_line(&[0], vec![0, 1]), Some(vec![1]));
        assert_eq!(model.rebase_line(&[0], vec![1]), None);
        assert_eq!(model.rebase_line(&[2, 1], vec![2, 0]), Some(vec![1, 1, 0]));
    }
}
