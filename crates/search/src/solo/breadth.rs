//! All positions, the nearest first.
//!
//! Positions are asked about by the hundred, so that engines that look at many at once can. Of positions that are done only the key is kept, and
//! the way to them; a layer of positions is whole. Where a part of the game runs by itself, such as a counter of steps, a first pass takes
//! positions that differ in nothing else for the same: it finds most solutions much sooner and proves nothing. The second pass tells all positions
//! apart, and when it comes to its end without having run out of memory, the best line is the best there is.

use ludorum_reason::zobrist::fluent_key;
use ludorum_reason::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashSet;

use super::best::Method;
use super::desk::{Desk, Progress, ROLE, Technique, points};

/// How many positions are asked about at once.
const CHUNK: usize = 512;
/// The bytes of a position that is done: its key in a table that is half full, and the way to it.
const DONE: usize = 48;
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

/// Breadth-first search.
#[derive(Debug)]
pub(super) struct Breadth<S> {
    pass: Pass,
    /// The positions of the current depth, with their numbers.
    layer: Vec<(S, u32)>,
    /// How many of them are done.
    done: usize,
    /// Those of the next depth.
    next: Vec<(S, u32)>,
    depth: usize,
    /// What the clocks of the next depth add to its keys.
    clock: u128,
    is_clock_known: bool,
    seen: FxHashSet<u128>,
    /// For each number the one before and the move from there.
    from: Vec<(u32, MoveId)>,
    state_bytes: usize,
    most_bytes: usize,
    has_begun: bool,
}

impl<S> Breadth<S> {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self {
            pass: Pass::Timeless,
            layer: Vec::new(),
            done: 0,
            next: Vec::new(),
            depth: 0,
            clock: 0,
            is_clock_known: false,
            seen: FxHashSet::default(),
            from: Vec::new(),
            state_bytes: size_of::<S>(),
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

    fn bytes(&self) -> usize {
        let whole = self.layer.len() + self.next.len();
        whole * (self.state_bytes + 8) + self.from.len() * DONE
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
        self.state_bytes = desk.reasoner.state_bytes(desk.root);
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

    /// Looks at some positions of the layer.
    fn expand<R: Reasoner<State = S>>(
        &mut self,
        desk: &mut Desk<'_, R>,
    ) -> Result<(), ReasonError> {
        let end = self.layer.len().min(self.done + CHUNK);
        let chunk = self.done..end;
        let states: Vec<S> = self.layer[chunk.clone()]
            .iter()
            .map(|(state, _)| state.clone())
            .collect();
        let surveys = desk.reasoner.survey(&states)?;
        let mut starts: Vec<(usize, MoveId)> = Vec::new();
        for (i, survey) in surveys.iter().enumerate() {
            let number = self.layer[chunk.start + i].1;
            if survey.terminal {
                let value = points(&survey.goals[ROLE]);
                desk.best
                    .offer(value, self.depth, Method::Breadth, || self.line(number));
            } else {
                starts.extend(survey.legal[ROLE].iter().map(|id| (i, *id)));
            }
        }
        // All before anything is taken note of: what is interrupted here is done again.
        let mut made: Vec<S> = Vec::with_capacity(starts.len());
        for some in starts.chunks(CHUNK) {
            let moves: Vec<(&S, &[MoveId])> = some
                .iter()
                .map(|(i, id)| (&states[*i], std::slice::from_ref(id)))
                .collect();
            made.extend(desk.reasoner.next_states(&moves)?);
        }
        desk.positions += made.len() as u64;
        desk.simulations += made.len() as u64;
        if !self.is_clock_known
            && let Some(state) = made.first()
        {
            self.clock = self.clock_of(desk, state);
            self.is_clock_known = true;
        }
        for ((i, id), state) in starts.into_iter().zip(made) {
            let key = desk.reasoner.key(&state) ^ self.clock;
            if self.seen.insert(key) {
                let number = self.from.len() as u32;
                self.from.push((self.layer[chunk.start + i].1, id));
                self.next.push((state, number));
            }
        }
        self.done = end;
        Ok(())
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
            if self.done == self.layer.len() {
                self.layer = std::mem::take(&mut self.next);
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
            self.expand(desk)?;
            let is_full =
                self.bytes() > self.most_bytes || self.from.len() >= NOBODY as usize - (1 << 24);
            if is_full {
                self.free();
                return Ok(Progress::Done);
            }
        }
        Ok(Progress::More)
    }

    fn size(&self) -> (u64, u64) {
        (self.from.len() as u64, self.bytes() as u64)
    }
}
