//! Playouts with the moves that were played in them.
//!
//! The draw leaves a word for every move, with the lanes that play it. A recorder walks over these
//! words after each step and gives every busy lane its moves; that costs more than the step itself
//! in small games, so that nobody pays for it who does not ask.

use super::lane_word::LaneWord;
use super::plan::{LanePlan, MemoryLayout};
use ludorum_propnet::network::{GoalValue, goal_of_role};
use ludorum_reasoner::{MoveId, Playout, PlayoutEnd, PlayoutRecord};

/// Writes down what lanes play.
pub(super) struct Recorder {
    roles: usize,
    /// What the playout in each lane has played so far, role by role in each step.
    open: Vec<Vec<MoveId>>,
    /// What is over, by start.
    pub(super) over: Vec<Vec<PlayoutRecord>>,
}

impl Recorder {
    /// Nothing yet, for so many starts.
    pub(super) fn new(roles: usize, starts: usize) -> Self {
        Self {
            roles,
            open: vec![Vec::new(); LaneWord::LANES],
            over: vec![Vec::new(); starts],
        }
    }

    /// Writes down the moves of a step.
    pub(super) fn played(&mut self, plan: &LanePlan, memory: &[LaneWord], busy: LaneWord) {
        let first = plan.layout.played as usize;
        for moves in &plan.role_moves {
            let words = &memory[first + moves.start..first + moves.end];
            for (id, word) in words.iter().enumerate() {
                for lane in word.and(busy).lanes() {
                    self.open[lane].push(MoveId(id as u32));
                }
            }
        }
    }

    /// Closes the records of lanes that are over.
    pub(super) fn end(
        &mut self,
        over: LaneWord,
        end_of: impl Fn(usize) -> PlayoutEnd,
        layout: &MemoryLayout,
        goals: &[GoalValue],
        memory: &[LaneWord],
    ) {
        let first = layout.goals as usize;
        let words = &memory[first..first + goals.len()];
        let starts = self.over.len();
        for lane in over.lanes() {
            let moves = std::mem::take(&mut self.open[lane]);
            let steps = moves.len() / self.roles.max(1);
            let goal = |role| goal_of_role(goals, role, |goal| words[goal].get(lane));
            self.over[lane % starts].push(PlayoutRecord {
                moves: moves.chunks(self.roles.max(1)).map(<[_]>::to_vec).collect(),
                playout: Playout {
                    goals: (0..self.roles).map(goal).collect(),
                    steps: steps as u32,
                    end: end_of(lane),
                },
            });
        }
    }
}
