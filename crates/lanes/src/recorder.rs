//! Recording the moves of playouts.
//!
//! The machine leaves a word for every move, with the lanes that play it. A recorder reads these
//! words after each step and appends the moves of every busy lane. In small games that costs more
//! than the step itself, so it is done only on request.

use super::lane_word::LaneWord;
use super::plan::{LanePlan, MemoryLayout};
use ludorum_propnet::network::{GoalValue, goal_of_role};
use ludorum_reasoner::{MoveId, Playout, PlayoutEnd, PlayoutRecord};

/// Records the moves of all lanes.
pub(super) struct Recorder {
    roles: usize,
    /// The moves of the current playout in each lane, role by role in each step.
    open: Vec<Vec<MoveId>>,
    /// The finished playouts, by start.
    pub(super) over: Vec<Vec<PlayoutRecord>>,
}

impl Recorder {
    /// An empty recorder for playouts from some starts.
    pub(super) fn new(roles: usize, starts: usize) -> Self {
        Self {
            roles,
            open: vec![Vec::new(); LaneWord::LANES],
            over: vec![Vec::new(); starts],
        }
    }

    /// Appends the moves of a step.
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

    /// Finishes the records of lanes that are over.
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
