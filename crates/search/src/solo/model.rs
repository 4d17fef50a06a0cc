//! A puzzle as a row of small machines that hear the same moves and do not look at each other.
//!
//! The faces of a cube turn every piece, and where a piece goes depends on nothing but the piece; a switch flips lamps, each for itself. Such a
//! puzzle has a number for each part, a table of what every move makes of it, and the numbers that are wanted. A position is a few bytes, and a
//! move a few look-ups, which is a hundred times faster than asking an engine. The tables are made by asking the engine about
//! each part in each of its situations, all parts at once, and every line is played on the engine before it is believed.

use ludorum_reason::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashMap;

use super::desk::{Desk, ROLE};
use super::sheet::Parts;

/// The most situations of a part: they are bytes, and tables have this many columns.
pub(super) const COLUMNS: usize = 256;
/// Parts with more situations than this are not taken for small machines.
const MOST_LOCALS: usize = 250;
/// The most parts, and moves.
const MOST_PARTS: usize = 128;
const MOST_MOVES: usize = 128;

/// The puzzle, part by part. Only parts that something is wanted of are here.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Moves that do something, each another thing.
    pub(super) moves: Vec<MoveId>,
    /// A move that does nothing.
    pub(super) idle: Option<MoveId>,
    /// How many situations each part has.
    pub(super) sizes: Vec<usize>,
    /// For each part and move, the situation after each: `after[part][number * COLUMNS + situation]`.
    pub(super) after: Vec<Vec<u8>>,
    /// The same backwards.
    pub(super) before: Vec<Vec<u8>>,
    /// The situations at the root.
    pub(super) root: Vec<u8>,
    /// For each part whether a situation is wanted.
    pub(super) wanted: Vec<Vec<bool>>,
    /// The moves worth trying after each move; the last row is for the root.
    pub(super) follow: Vec<Vec<u8>>,
}

/// The situations of one part: facts to numbers.
#[derive(Default)]
struct Locals {
    numbers: FxHashMap<Vec<String>, u8>,
    facts: Vec<Vec<String>>,
    /// How many have been asked about.
    done: usize,
    after: Vec<u8>,
}

impl Locals {
    fn number(&mut self, facts: Vec<String>) -> Option<u8> {
        if let Some(number) = self.numbers.get(&facts) {
            return Some(*number);
        }
        let number = self.facts.len();
        if number >= MOST_LOCALS {
            return None;
        }
        self.facts.push(facts.clone());
        self.numbers.insert(facts, number as u8);
        Some(number as u8)
    }
}

/// The facts of each part that is looked at, and those of all others.
fn split(
    facts: Vec<String>,
    parts: &Parts,
    place: &[Option<usize>],
    count: usize,
) -> (Vec<Vec<String>>, Vec<String>) {
    let mut split = vec![Vec::new(); count];
    let mut others = Vec::new();
    for fact in facts {
        match parts.part_of(&fact).and_then(|part| place[part]) {
            Some(place) => split[place].push(fact),
            None => others.push(fact),
        }
    }
    (split, others)
}

impl Model {
    /// Makes the tables; none if the puzzle is not of this kind.
    pub(super) fn new<R: Reasoner>(desk: &mut Desk<'_, R>) -> Result<Option<Self>, ReasonError> {
        let Some(parts) = &desk.sheet.parts else {
            return Ok(None);
        };
        if !parts.moves_are_fixed {
            return Ok(None);
        }
        // What is wanted of a counter comes with time.
        let is_piece = |part: &super::sheet::Part| !part.runs_alone && !part.wanted.is_empty();
        let mut count = 0;
        let place = parts.all.iter().map(|part| {
            is_piece(part).then(|| {
                count += 1;
                count - 1
            })
        });
        let place: Vec<Option<usize>> = place.collect();
        let mut legal = Vec::new();
        desk.reasoner.legal_moves(desk.root, ROLE, &mut legal)?;
        if !(2..=MOST_PARTS).contains(&count) || !(1..=MOST_MOVES).contains(&legal.len()) {
            return Ok(None);
        }
        let root_facts = desk.reasoner.facts(desk.root);
        let (at_root, others) = split(root_facts, parts, &place, count);
        let mut locals: Vec<Locals> = (0..count).map(|_| Locals::default()).collect();
        let mut root = Vec::with_capacity(count);
        for (local, facts) in locals.iter_mut().zip(at_root) {
            local.after = vec![0; legal.len() * COLUMNS];
            root.extend(local.number(facts));
        }
        // One question tells about a situation of every part.
        while locals.iter().any(|local| local.done < local.facts.len()) {
            if (desk.stop)() {
                return Err(ReasonError::Late);
            }
            let asked: Vec<usize> = locals
                .iter()
                .map(|l| l.done.min(l.facts.len() - 1))
                .collect();
            let mut facts = others.clone();
            for (local, asked) in locals.iter().zip(&asked) {
                facts.extend(local.facts[*asked].iter().cloned());
            }
            let state = desk.reasoner.state_from_facts(&facts)?;
            for (i, id) in legal.iter().enumerate() {
                let next = desk.next(&state, *id)?;
                let next = desk.reasoner.facts(&next);
                let (after, _) = split(next, parts, &place, count);
                for ((local, asked), facts) in locals.iter_mut().zip(&asked).zip(after) {
                    let Some(number) = local.number(facts) else {
                        return Ok(None);
                    };
                    local.after[i * COLUMNS + asked] = number;
                }
            }
            for (local, asked) in locals.iter_mut().zip(&asked) {
                local.done = local.done.max(asked + 1);
            }
        }
        let pieces = parts.all.iter().filter(|part| is_piece(part));
        let wanted = pieces.zip(&locals).map(|(part, local)| {
            let is_wanted = |facts: &Vec<String>| {
                let holds = |fact: &str| facts.iter().any(|other| other == fact);
                part.wanted
                    .iter()
                    .all(|(fact, wanted)| holds(fact) == *wanted)
            };
            local.facts.iter().map(is_wanted).collect::<Vec<bool>>()
        });
        let wanted: Vec<Vec<bool>> = wanted.collect();
        // What is wanted must be a situation that can come about.
        if !wanted.iter().all(|wanted| wanted.contains(&true)) {
            return Ok(None);
        }
        let sizes = locals.iter().map(|local| local.facts.len()).collect();
        let after: Vec<Vec<u8>> = locals.into_iter().map(|local| local.after).collect();
        Ok(Self::from_tables(&legal, sizes, &after, root, wanted))
    }

    /// Puts the model together; none if a move cannot be taken back.
    fn from_tables(
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
        for (i, id) in legal.iter().enumerate() {
            let own = effect(i);
            let does_nothing = own.iter().all(|row| {
                row.iter()
                    .enumerate()
                    .all(|(from, to)| from == *to as usize)
            });
            if does_nothing {
                idle = Some(*id);
            } else if kept.iter().all(|other| effect(*other) != own) {
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
        let mut model = Self {
            moves: kept.iter().map(|i| legal[*i]).collect(),
            idle,
            sizes,
            after,
            before,
            root,
            wanted,
            follow: Vec::new(),
        };
        model.follow = model.worth_following();
        (!model.moves.is_empty()).then_some(model)
    }

    /// What two moves make of every situation.
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

    /// For each move those that may come next in a shortest line: of two that can be swapped, one order is enough, and two that do what one
    /// does, or nothing, are never needed.
    fn worth_following(&self) -> Vec<Vec<u8>> {
        let count = self.moves.len();
        let singles: Vec<Vec<u8>> = (0..count).map(|number| self.effect(&[number])).collect();
        let nothing = self.effect(&[]);
        let follows = |first: usize, second: usize| {
            let both = self.effect(&[first, second]);
            both != nothing
                && !singles.contains(&both)
                && (first <= second || both != self.effect(&[second, first]))
        };
        let row = |first: usize| {
            let row = (0..count).filter(|second| follows(first, *second));
            row.map(|number| number as u8).collect()
        };
        let mut rows: Vec<Vec<u8>> = (0..count).map(row).collect();
        rows.push((0..count as u8).collect());
        rows
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
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two parts with three and two situations; moves: turn both, turn the first back, do nothing, turn the second.
    pub(in crate::solo) fn model() -> Model {
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
        Model::from_tables(&legal, vec![3, 2], &[first, second], vec![0, 0], wanted).unwrap()
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
        // Turning the second twice is nothing; turning both after it is the other order of what is tried already.
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
}
