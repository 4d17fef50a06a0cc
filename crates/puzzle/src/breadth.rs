//! All positions, the nearest first.
//!
//! Positions are asked about by the hundred where that is quick, so that engines that look at many
//! at once can, and by the few where it is not, so that a turn has an end. Of positions that are
//! done only the key is kept, and the way to them; a layer of positions is whole. Where a part of
//! the game runs by itself, such as a counter of steps, a first pass takes positions that differ in
//! nothing else for the same: it finds most solutions much sooner and proves nothing. The second
//! pass tells all positions apart, and when it comes to its end without having run out of memory,
//! the best line is the best there is.

use std::time::{Duration, Instant};

use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashSet;

use super::best::Method;
use super::desk::{Desk, Progress, ROLE, Technique, points};
use super::room;

/// How many positions are asked about at once, at first and at most.
const FEW: usize = 4;
const CHUNK: usize = 512;
/// What takes less may be twice as much.
const QUICK: Duration = Duration::from_millis(10);
/// What is asked about at once may take such a part of the memory.
const PART: usize = 32;
/// Where there is no position before.
const NOBODY: u32 = u32::MAX;

/// Which positions are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Those that differ in nothing but time.
    Timeless,
    /// Only equal ones.
    Exact,
}

/// Positions that were looked at, and are to be gone on from.
#[derive(Debug)]
struct Open {
    /// Places in the layer, with a move from there.
    starts: Vec<(usize, MoveId)>,
    /// How many of them are made.
    done: usize,
}

/// Breadth-first search.
#[derive(Debug)]
pub(super) struct Breadth<S> {
    pass: Pass,
    /// The positions of the current depth, with their numbers.
    layer: Vec<(S, u32)>,
    /// How many of them were looked at.
    done: usize,
    /// The last of these.
    open: Option<Open>,
    /// How many positions to look at at once, and how many to make.
    at_once: usize,
    moves_at_once: usize,
    /// Those of the next depth.
    next: Vec<(S, u32)>,
    depth: usize,
    /// What the clocks of the next depth add to its keys.
    clock: u128,
    is_clock_known: bool,
    seen: FxHashSet<u128>,
    /// For each number the one before and the move from there.
    from: Vec<(u32, MoveId)>,
    /// What the states of the layer and of the next have beside their places in the lists, and the
    /// most that one of them takes.
    layer_bytes: usize,
    next_bytes: usize,
    largest: usize,
    /// The most moves that were legal in one position.
    widest: usize,
    most_bytes: usize,
    has_begun: bool,
}

impl<S> Breadth<S> {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self {
            pass: Pass::Timeless,
            layer: Vec::new(),
            done: 0,
            open: None,
            at_once: FEW,
            moves_at_once: FEW,
            next: Vec::new(),
            depth: 0,
            clock: 0,
            is_clock_known: false,
            seen: FxHashSet::default(),
            from: Vec::new(),
            layer_bytes: 0,
            next_bytes: 0,
            largest: size_of::<S>(),
            widest: 1,
            most_bytes,
            has_begun: false,
        }
    }

    /// The moves to a position.
    fn line(&self, mut number: u32) -> Vec<MoveId> {
        let mut moves = Vec::with_capacity(self.depth);
        while let Some((before, id)) = self.from.get(number as usize).copied()
            && before != NOBODY
        {
            moves.push(id);
            number = before;
        }
        moves.reverse();
        moves
    }

    /// The bytes of so many moves that are yet to be made: what was asked about is told move by
    /// move.
    fn starts(moves: usize) -> usize {
        2 * moves * size_of::<(usize, MoveId)>()
    }

    /// What it takes while `more` positions come in.
    fn bytes(&self, more: usize) -> usize {
        let place = size_of::<(S, u32)>();
        let layer = room::list(self.layer.len(), self.layer.capacity(), 0, place);
        let next = room::list(self.next.len(), self.next.capacity(), more, place);
        let way = size_of::<(u32, MoveId)>();
        let from = room::list(self.from.len(), self.from.capacity(), more, way);
        let seen = room::table(self.seen.len(), self.seen.capacity(), more, 16);
        let starts = self.open.as_ref().map_or(0, |open| open.starts.capacity());
        let starts = Self::starts(starts);
        // Those that are being made are there as well.
        let states = self.layer_bytes + self.next_bytes + more * self.largest;
        layer + next + from + seen + starts + states
    }

    /// How many to ask about at once at most.
    fn chunk(&self) -> usize {
        (self.most_bytes / PART / self.largest.max(1)).clamp(1, CHUNK)
    }

    /// How many to look at at once at most: what is asked about comes with all its moves.
    fn looks(&self) -> usize {
        let each = self.largest + Self::starts(self.widest);
        (self.most_bytes / PART / each.max(1)).clamp(1, CHUNK)
    }

    /// Whether there are positions to be made after those that were looked at.
    fn is_open(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| open.done < open.starts.len())
    }

    /// What a state has beside its place in a list.
    fn beside(&mut self, bytes: usize) -> usize {
        self.largest = self.largest.max(bytes);
        bytes.saturating_sub(size_of::<S>())
    }

    fn free(&mut self) {
        *self = Self::new(self.most_bytes);
    }
}

impl<S: Clone> Breadth<S> {
    fn begin<R: Reasoner<State = S>>(&mut self, desk: &Desk<'_, R>, pass: Pass) {
        self.free();
        self.has_begun = true;
        self.pass = pass;
        self.from.push((NOBODY, MoveId::default()));
        self.layer.push((desk.root.clone(), 0));
        self.layer_bytes = self.beside(desk.reasoner.state_bytes(desk.root));
        self.seen.insert(desk.reasoner.key(desk.root));
    }

    /// What clocks add to the key of a state, if they do not matter in this pass.
    fn clock_of<R: Reasoner<State = S>>(&self, desk: &mut Desk<'_, R>, state: &S) -> u128 {
        let (Pass::Timeless, Some(parts)) = (self.pass, &desk.sheet.parts) else {
            return 0;
        };
        let facts = desk.reasoner.facts(state);
        let runs_alone = |fact: &&String| {
            let part = parts.part_of(fact);
            part.is_some_and(|part| parts.all[part].runs_alone)
        };
        let keys = facts.iter().filter(runs_alone).map(|fact| fluent_key(fact));
        keys.fold(0, |all, key| all ^ key)
    }

    /// Looks at some positions of the layer, or makes some of those after them. What is done stays
    /// done, whatever interrupts the rest.
    fn expand<R: Reasoner<State = S>>(
        &mut self,
        desk: &mut Desk<'_, R>,
    ) -> Result<(), ReasonError> {
        let begin = Instant::now();
        let is_open = self.is_open();
        let result = if is_open {
            self.make(desk)
        } else {
            self.survey(desk)
        };
        let count = if is_open {
            &mut self.moves_at_once
        } else {
            &mut self.at_once
        };
        *count = match &result {
            Ok(()) => at_once(*count, desk, begin),
            // It was too much.
            Err(_) => (*count / 4).max(1),
        };
        result
    }

    /// Looks at the next positions of the layer.
    fn survey<R: Reasoner<State = S>>(
        &mut self,
        desk: &mut Desk<'_, R>,
    ) -> Result<(), ReasonError> {
        let end = self.done + self.at_once.min(self.looks());
        let end = self.layer.len().min(end);
        let states: Vec<S> = self.layer[self.done..end]
            .iter()
            .map(|(state, _)| state.clone())
            .collect();
        let surveys = desk.reasoner.summaries(&states)?;
        let mut starts: Vec<(usize, MoveId)> = Vec::new();
        for (i, survey) in (self.done..).zip(&surveys) {
            let number = self.layer[i].1;
            if survey.terminal {
                let value = points(&survey.goals[ROLE]);
                desk.best
                    .offer(value, self.depth, Method::Breadth, || self.line(number));
            } else {
                let legal = &survey.legal[ROLE];
                self.widest = self.widest.max(legal.len());
                starts.extend(legal.iter().map(|id| (i, *id)));
            }
        }
        // A layer of ends is work as well.
        desk.positions += 1;
        self.open = Some(Open { starts, done: 0 });
        self.done = end;
        Ok(())
    }

    /// Makes positions after those that were looked at.
    fn make<R: Reasoner<State = S>>(&mut self, desk: &mut Desk<'_, R>) -> Result<(), ReasonError> {
        let chunk = self.moves_at_once.min(self.chunk());
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let end = open.starts.len().min(open.done + chunk);
        let starts = &open.starts[open.done..end];
        let moves: Vec<(&S, &[MoveId])> = starts
            .iter()
            .map(|(i, id)| (&self.layer[*i].0, std::slice::from_ref(id)))
            .collect();
        let made = desk.reasoner.next_states(&moves)?;
        desk.positions += made.len() as u64;
        desk.simulations += made.len() as u64;
        let starts = starts.to_vec();
        open.done = end;
        if !self.is_clock_known
            && let Some(state) = made.first()
        {
            self.clock = self.clock_of(desk, state);
            self.is_clock_known = true;
        }
        for ((i, id), state) in starts.into_iter().zip(made) {
            let key = desk.reasoner.key(&state) ^ self.clock;
            if self.seen.insert(key) {
                self.next_bytes += self.beside(desk.reasoner.state_bytes(&state));
                let number = self.from.len() as u32;
                self.from.push((self.layer[i].1, id));
                self.next.push((state, number));
            }
        }
        Ok(())
    }

    /// Whether everything of this depth is done.
    fn is_layer_done(&self) -> bool {
        self.done == self.layer.len() && !self.is_open()
    }
}

/// How many to ask about at once after this many took so long. Where turns are counted in
/// positions, time tells nothing.
fn at_once<R: Reasoner>(before: usize, desk: &Desk<'_, R>, begin: Instant) -> usize {
    let passed = desk.until.map_or(Duration::ZERO, |_| begin.elapsed());
    if passed < QUICK {
        (before * 2).min(CHUNK)
    } else if passed > 4 * QUICK {
        (before / 2).max(1)
    } else {
        before
    }
}

impl<R: Reasoner> Technique<R> for Breadth<R::State> {
    fn method(&self) -> Method {
        Method::Breadth
    }

    fn work(&mut self, desk: &mut Desk<'_, R>, quota: u64) -> Result<Progress, ReasonError> {
        if !self.has_begun {
            let has_clock = desk
                .sheet
                .parts
                .as_ref()
                .is_some_and(super::sheet::Parts::has_clock);
            self.begin(
                desk,
                if has_clock {
                    Pass::Timeless
                } else {
                    Pass::Exact
                },
            );
        }
        let end = desk.positions + quota;
        while desk.positions < end {
            if desk.is_over() {
                return Ok(Progress::More);
            }
            if self.is_layer_done() {
                self.open = None;
                self.layer = std::mem::take(&mut self.next);
                self.layer_bytes = std::mem::take(&mut self.next_bytes);
                self.done = 0;
                self.depth += 1;
                self.is_clock_known = false;
                if self.layer.is_empty() {
                    if self.pass == Pass::Exact {
                        self.free();
                        return Ok(Progress::Proven);
                    }
                    self.begin(desk, Pass::Exact);
                }
            }
            // Before they come in: afterwards it is too late to keep within the bound.
            let bytes = if self.is_open() {
                self.bytes(self.chunk().min(self.moves_at_once))
            } else {
                let looks = self.looks().min(self.at_once);
                self.bytes(looks) + Self::starts(looks * self.widest)
            };
            let is_full = bytes > self.most_bytes || self.from.len() >= NOBODY as usize - (1 << 24);
            if is_full {
                self.free();
                return Ok(Progress::Done);
            }
            self.expand(desk)?;
        }
        Ok(Progress::More)
    }

    fn size(&self) -> (u64, u64) {
        (self.from.len() as u64, self.bytes(0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, went};

    #[test]
    fn whole_positions_count_by_what_they_take() {
        let most = 128 << 10;
        let mut bench = Bench::new(&went(60));
        let mut desk = bench.desk();
        let mut breadth = Breadth::new(most);
        let mut most_seen = 0;
        loop {
            let progress = breadth.work(&mut desk, 1).unwrap();
            let whole = breadth.layer.iter().chain(&breadth.next);
            let states = whole.map(|(state, _)| desk.reasoner.state_bytes(state));
            let states: usize = states.sum();
            let keys = room::table(breadth.seen.len(), breadth.seen.capacity(), 0, 16);
            assert!(states + keys <= most, "{states} and {keys}");
            most_seen = most_seen.max(breadth.seen.len());
            if progress != Progress::More {
                assert_eq!(progress, Progress::Done);
                break;
            }
        }
        assert!(most_seen > 50, "{most_seen}");
    }

    #[test]
    fn positions_with_many_moves_are_looked_at_a_few_at_a_time() {
        let numbers: Vec<String> = (0..15).map(|n| format!("(number {n})")).collect();
        let sheet = format!(
            "(role r) {} (init (at 0 0)) (<= (legal r (go ?x ?y)) (number ?x) (number ?y))
             (<= (next (at ?x ?y)) (does r (go ?x ?y)))
             (<= terminal (true (at 40 0))) (goal r 0) (<= (goal r 100) (true (at 0 0)))",
            numbers.join(" ")
        );
        let mut bench = Bench::new(&sheet);
        let mut desk = bench.desk();
        let most = 1 << 20;
        let mut breadth = Breadth::new(most);
        let mut most_seen = 0;
        while breadth.depth < 1 || breadth.done < 60 {
            assert_eq!(breadth.work(&mut desk, 1).unwrap(), Progress::More);
            let open = breadth.open.as_ref();
            let starts = open.map_or(0, |open| Breadth::<()>::starts(open.starts.len()));
            most_seen = most_seen.max(starts);
        }
        // All 225 positions of the first depth at once would have been fifty times as much.
        assert!(most_seen > 0 && most_seen <= most / PART, "{most_seen}");
    }

    #[test]
    fn with_enough_memory_the_best_line_is_proven() {
        let mut bench = Bench::new(&went(5));
        let mut desk = bench.desk();
        let mut breadth = Breadth::new(1 << 20);
        while breadth.work(&mut desk, 100).unwrap() == Progress::More {}
        assert_eq!(desk.best.value(), Some(70));
    }
}
