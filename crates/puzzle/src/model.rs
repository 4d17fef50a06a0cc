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
pub(super) const COLUMNS: usize = 256;
/// A move that is taken back by itself is played as often as this at most.
const MOST_TURNS: usize = 4;

/// What a move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// What the move with this number does.
    Of(u8),
}

/// The puzzle, part by part. Only parts that something is wanted of are here.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Moves that do something, each another thing.
    pub(super) moves: Vec<MoveId>,
    /// A move that does nothing.
    pub(super) idle: Option<MoveId>,
    /// How many situations each part has.
    pub(super) sizes: Vec<usize>,
    /// For each part and move, the situation after each: `after[part][number * COLUMNS +
    /// situation]`.
    pub(super) after: Vec<Vec<u8>>,
    /// The same backwards.
    pub(super) before: Vec<Vec<u8>>,
    /// The situations at the root.
    pub(super) root: Vec<u8>,
    /// For each part whether a situation is wanted.
    pub(super) wanted: Vec<Vec<bool>>,
    /// The moves worth trying after each move; the last row is for the root. It is there after the
    /// last [`Self::relate`].
    pub(super) follow: Vec<Vec<u8>>,
    /// For each move, those that take it back, if few do.
    back: Vec<Vec<u8>>,
    /// What each move does that is legal, those that do the same as another included.
    effects: FxHashMap<MoveId, Effect>,
}

impl Model {
    /// Puts the model together; none if a move cannot be taken back.
    pub(super) fn from_tables(
        legal: &[MoveId],
        sizes: Vec<usize>,
        tables: &[Vec<u8>],
        root: Vec<u8>,
        wanted: Vec<Vec<bool>>,
    ) -> Option<Self> {
        let effect = |i: usize| -> Vec<&[u8]> {
            let rows = tables.iter().zip(&sizes);
            rows.map(|(table, size)| &table[i * COLUMNS..][..*size])
                .collect()
        };
        let mut kept: Vec<usize> = Vec::new();
        let mut idle = None;
        let mut effects = FxHashMap::default();
        for (i, id) in legal.iter().enumerate() {
            let own = effect(i);
            let does_nothing = own.iter().all(|row| {
                row.iter()
                    .enumerate()
                    .all(|(from, to)| from == *to as usize)
            });
            if does_nothing {
                idle = Some(*id);
                effects.insert(*id, Effect::None);
                continue;
            }
            let same = kept.iter().position(|other| effect(*other) == own);
            effects.insert(*id, Effect::Of(same.unwrap_or(kept.len()) as u8));
            if same.is_none() {
                kept.push(i);
            }
        }
        let mut after = Vec::new();
        let mut before = Vec::new();
        for (table, size) in tables.iter().zip(&sizes) {
            let mut rows = Vec::with_capacity(kept.len() * COLUMNS);
            let mut back = vec![0; kept.len() * COLUMNS];
            for (number, i) in kept.iter().enumerate() {
                let row = &table[i * COLUMNS..][..COLUMNS];
                rows.extend_from_slice(row);
                let mut is_hit = [false; COLUMNS];
                for (from, to) in row[..*size].iter().enumerate() {
                    if std::mem::replace(&mut is_hit[*to as usize], true) {
                        return None;
                    }
                    back[number * COLUMNS + *to as usize] = from as u8;
                }
            }
            after.push(rows);
            before.push(back);
        }
        let model = Self {
            moves: kept.iter().map(|i| legal[*i]).collect(),
            idle,
            sizes,
            after,
            before,
            root,
            wanted,
            follow: Vec::new(),
            back: Vec::new(),
            effects,
        };
        (!model.moves.is_empty()).then_some(model)
    }

    /// What some moves make of every situation.
    fn effect(&self, moves: &[usize]) -> Vec<u8> {
        let parts = self.after.iter().zip(&self.sizes);
        let results = parts.flat_map(|(after, size)| {
            (0..*size).map(move |from| {
                let step = |at: u8, number: &usize| after[number * COLUMNS + at as usize];
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
    pub(super) fn relate(&mut self) -> bool {
        let (count, first) = (self.moves.len(), self.back.len());
        if first < count {
            let singles: Vec<Vec<u8>> = (0..count).map(|number| self.effect(&[number])).collect();
            let nothing = self.effect(&[]);
            let mut back = Vec::new();
            let mut row = Vec::new();
            for second in 0..count {
                let both = self.effect(&[first, second]);
                if both == nothing {
                    back = vec![second as u8];
                } else if !singles.contains(&both)
                    && (first <= second || both != self.effect(&[second, first]))
                {
                    row.push(second as u8);
                }
            }
            let mut turns = 2;
            while back.is_empty() && turns < MOST_TURNS {
                turns += 1;
                if self.effect(&vec![first; turns]) == nothing {
                    back = vec![first as u8; turns - 1];
                }
            }
            self.follow.push(row);
            self.back.push(back);
        }
        if self.back.len() == count && self.follow.len() == count {
            self.follow.push((0..count as u8).collect());
        }
        self.follow.len() > count
    }

    /// A move was played in the match. Gives what it does here, if it is a move of the model.
    pub(super) fn advance(&mut self, id: MoveId) -> Option<Effect> {
        let effect = *self.effects.get(&id)?;
        if let Effect::Of(number) = effect {
            let mut next = vec![0; self.root.len()];
            self.play(&self.root, number, &mut next);
            self.root = next;
        }
        Some(effect)
    }

    /// How many moves take a move back; none if that would be many.
    pub(super) fn way_back(&self, number: u8) -> Option<usize> {
        let back = self.back.get(number as usize)?;
        (!back.is_empty()).then_some(back.len())
    }

    /// A line from where some moves were not played yet, as one from where they were; none if they
    /// cannot be taken back.
    pub(super) fn after_playing(&self, played: &[u8], line: Vec<u8>) -> Option<Vec<u8>> {
        let pairs = played.iter().zip(&line);
        let common = pairs.take_while(|(played, number)| played == number);
        let common = common.count();
        if common == 0 && played.is_empty() {
            return Some(line);
        }
        let mut moves = Vec::new();
        for number in played[common..].iter().rev() {
            self.way_back(*number)?;
            moves.extend_from_slice(&self.back[*number as usize]);
        }
        moves.extend_from_slice(&line[common..]);
        Some(moves)
    }

    /// How many parts are as wanted.
    pub(super) fn right(&self, state: &[u8]) -> usize {
        let parts = state.iter().zip(&self.wanted);
        parts.filter(|(at, wanted)| wanted[**at as usize]).count()
    }

    /// Puts the position after a move into `next`.
    #[inline]
    pub(super) fn play(&self, state: &[u8], number: u8, next: &mut [u8]) {
        let row = number as usize * COLUMNS;
        for ((to, at), after) in next.iter_mut().zip(state).zip(&self.after) {
            *to = after[row + *at as usize];
        }
    }

    /// The bytes it takes, but for small change.
    pub(super) fn bytes(&self) -> usize {
        let tables = self.after.iter().chain(&self.before);
        tables.map(Vec::len).sum()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two parts with three and two situations; moves: turn both, turn the first back, do nothing,
    /// turn the second.
    pub(crate) fn model() -> Model {
        let table = |rows: &[&[u8]]| {
            let mut table = vec![0; rows.len() * COLUMNS];
            for (i, row) in rows.iter().enumerate() {
                table[i * COLUMNS..][..row.len()].copy_from_slice(row);
            }
            table
        };
        let first = table(&[&[1, 2, 0], &[2, 0, 1], &[0, 1, 2], &[0, 1, 2]]);
        let second = table(&[&[1, 0], &[0, 1], &[0, 1], &[1, 0]]);
        let legal: Vec<MoveId> = (10..14).map(MoveId).collect();
        let wanted = vec![vec![false, false, true], vec![true, false]];
        let mut model =
            Model::from_tables(&legal, vec![3, 2], &[first, second], vec![0, 0], wanted).unwrap();
        while !model.relate() {}
        model
    }

    #[test]
    fn a_move_that_does_nothing_is_set_aside() {
        let model = model();
        assert_eq!(model.moves, [MoveId(10), MoveId(11), MoveId(13)]);
        assert_eq!(model.idle, Some(MoveId(12)));
    }

    #[test]
    fn moves_are_played_and_taken_back() {
        let model = model();
        let mut next = [0; 2];
        model.play(&[2, 1], 0, &mut next);
        assert_eq!(next, [0, 0]);
        assert_eq!(model.before[0][0], 2);
        assert_eq!(model.right(&[2, 0]), 2);
        assert_eq!(model.right(&[2, 1]), 1);
    }

    #[test]
    fn of_moves_that_can_be_swapped_one_order_is_tried() {
        let model = model();
        // Turning both and then the first back is turning the second.
        assert!(!model.follow[0].contains(&1));
        // Turning the second twice is nothing; turning both after it is the other order of what is
        // tried already.
        assert!(model.follow[2].is_empty());
        assert_eq!(model.follow[0], [2]);
        // Twice back is forward, which no single move does without the second part.
        assert_eq!(model.follow[1], [1, 2]);
        assert_eq!(model.follow[3], [0, 1, 2]);
    }

    #[test]
    fn a_move_that_cannot_be_taken_back_makes_no_model() {
        let mut table = vec![0; COLUMNS];
        table[..2].copy_from_slice(&[1, 1]);
        let wanted = vec![vec![false, true]];
        let model = Model::from_tables(&[MoveId(0)], vec![2], &[table], vec![0], wanted);
        assert!(model.is_none());
    }

    #[test]
    fn the_root_goes_with_the_match() {
        let mut model = model();
        assert_eq!(model.advance(MoveId(12)), Some(Effect::None));
        assert_eq!(model.root, [0, 0]);
        assert_eq!(model.advance(MoveId(10)), Some(Effect::Of(0)));
        assert_eq!(model.root, [1, 1]);
        assert_eq!(model.advance(MoveId(99)), None);
    }

    #[test]
    fn a_line_from_before_a_move_is_one_from_after_it() {
        let model = model();
        // Turning both takes six times to come back; turning the first back takes three, turning
        // the second two.
        assert_eq!(model.way_back(0), None);
        assert_eq!(model.way_back(1), Some(2));
        assert_eq!(model.way_back(2), Some(1));
        assert_eq!(model.after_playing(&[], vec![0, 1]), Some(vec![0, 1]));
        assert_eq!(model.after_playing(&[0], vec![0, 1]), Some(vec![1]));
        assert_eq!(model.after_playing(&[0], vec![1]), None);
        assert_eq!(
            model.after_playing(&[2, 1], vec![2, 0]),
            Some(vec![1, 1, 0])
        );
    }
}
