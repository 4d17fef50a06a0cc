//! Evaluation of many states at once, one in each lane.

use std::ops::Range;
use std::sync::Arc;

use super::lane_word::LaneWord;
use super::plan::QueryCode;
use super::runner::Runner;
use ludorum_propnet::ground_game::BitState;

/// Evaluates up to as many states as a word has lanes.
#[derive(Clone, Debug)]
pub(super) struct LaneEvaluator {
    questions: Arc<QueryCode>,
    runner: Runner,
    memory: Vec<LaneWord>,
    fluents: usize,
}

impl LaneEvaluator {
    pub(super) fn new(questions: Arc<QueryCode>, runner: Runner, fluents: usize) -> Self {
        Self {
            memory: vec![LaneWord::NONE; questions.code.slots as usize],
            questions,
            runner,
            fluents,
        }
    }

    /// The largest number of states.
    pub(super) const CAPACITY: usize = LaneWord::LANES;

    /// The size of the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.memory[..])
    }

    /// Loads states into the first lanes and evaluates terminal, goals and legal moves.
    pub(super) fn load<'s>(&mut self, states: impl Iterator<Item = &'s BitState>) {
        let words = &mut self.memory;
        words[..self.fluents].fill(LaneWord::NONE);
        for (lane, state) in states.take(Self::CAPACITY).enumerate() {
            for fluent in state.ones() {
                words[fluent].set(lane, true);
            }
        }
        self.runner.run(&self.questions.state, words);
    }

    pub(super) fn terminal(&self, lane: usize) -> bool {
        self.memory[self.questions.layout.terminal as usize].get(lane)
    }

    pub(super) fn goal(&self, lane: usize, goal: usize) -> bool {
        self.memory[self.questions.layout.goals as usize + goal].get(lane)
    }

    pub(super) fn legal(&self, lane: usize, action: usize) -> bool {
        self.memory[self.questions.layout.legal as usize + action].get(lane)
    }

    /// The lanes in which at least one of the moves is legal.
    pub(super) fn movable(&self, moves: Range<usize>) -> LaneWord {
        let first = self.questions.layout.legal as usize;
        let words = &self.memory[first + moves.start..first + moves.end];
        words.iter().fold(LaneWord::NONE, |any, word| any.or(*word))
    }

    /// The lanes whose state is terminal.
    pub(super) fn terminals(&self) -> LaneWord {
        self.memory[self.questions.layout.terminal as usize]
    }

    /// Visits every pair of a move and a lane among the first `count` in which it is legal, by
    /// move.
    pub(super) fn each_legal(
        &self,
        moves: Range<usize>,
        count: usize,
        mut visit: impl FnMut(usize, usize),
    ) {
        let first = self.questions.layout.legal as usize;
        for action in moves {
            let word = self.memory[first + action];
            if !word.is_empty() {
                let lanes = word.lanes().take_while(|lane| *lane < count);
                lanes.for_each(|lane| visit(lane, action));
            }
        }
    }

    /// Clears the moves that are played.
    pub(super) fn clear_moves(&mut self, moves: usize) {
        let first = self.questions.layout.played as usize;
        self.memory[first..first + moves].fill(LaneWord::NONE);
    }

    /// Sets the move that is played in a lane.
    pub(super) fn play(&mut self, lane: usize, action: usize) {
        let slot = self.questions.layout.played as usize + action;
        self.memory[slot].set(lane, true);
    }

    /// Computes the next states. They are not evaluated yet.
    pub(super) fn advance(&mut self) {
        self.runner.run(&self.questions.next, &mut self.memory);
    }

    /// The states in the first lanes.
    pub(super) fn states(&self, count: usize) -> Vec<BitState> {
        let mut states = vec![BitState::empty(self.fluents); count.min(Self::CAPACITY)];
        for (fluent, word) in self.memory[..self.fluents].iter().enumerate() {
            for lane in word.lanes().take_while(|lane| *lane < count) {
                states[lane].set(fluent, true);
            }
        }
        states
    }
}
