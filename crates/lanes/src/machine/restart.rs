//! Where playouts begin: starts in lanes, and how lanes begin anew.
//!
//! Lane `i` plays from start `i % starts`. A start has a turn, and its lanes begin when that comes:
//! those of one turn are a [`LaneGroup`].

// Inlined code is compiled for the vector instructions of its caller.
#![allow(clippy::inline_always)]

use super::super::code::Slot;
use super::super::lane_word::LaneWord;
use super::Machine;
use ludorum_propnet::ground_game::BitState;

/// The lanes whose starts have one turn. They begin when it comes.
pub(super) struct LaneGroup {
    pub(super) turn: usize,
    pub(super) lanes: LaneWord,
    pub(super) refill: RestartValues,
}

/// How lanes begin anew: slots with what they hold at the start.
pub(super) enum RestartValues {
    /// All lanes start from one state: slots to be emptied, slots to be filled.
    Same(Vec<Slot>, Vec<Slot>),
    /// Each lane has its own start.
    Each(Vec<(Slot, LaneWord)>),
}

impl Machine {
    /// Puts starts into lanes, each into as many as there are for it.
    pub(crate) fn load(&mut self, starts: &[&BitState]) {
        for fluent in &self.plan.fluents {
            self.memory[*fluent as usize] = LaneWord::NONE;
        }
        if let [start] = starts {
            for fluent in &self.plan.fluents {
                self.memory[*fluent as usize] = LaneWord::splat(start.get(*fluent as usize));
            }
            return;
        }
        // Fluents that do not matter have no code that reads their slots.
        for (place, start) in starts.iter().enumerate() {
            let mut lanes = LaneWord::NONE;
            for lane in (place..LaneWord::LANES).step_by(starts.len()) {
                lanes.set(lane, true);
            }
            for fluent in start.ones() {
                let word = &mut self.memory[fluent];
                *word = word.or(lanes);
            }
        }
    }

    /// The lanes of each turn that starts have. Leaves what the early code of the last of them
    /// does.
    pub(super) fn lane_groups(&mut self, starts: &[&BitState]) -> Vec<LaneGroup> {
        // Whoever calls has seen to it that all have one.
        let turns = starts.iter().map(|start| self.turn_of(start).unwrap_or(0));
        let turns: Vec<usize> = turns.collect();
        LaneWord::groups(&turns)
            .into_iter()
            .map(|(turn, lanes)| LaneGroup {
                turn,
                lanes,
                refill: self.prepare(turn, starts.len()),
            })
            .collect()
    }

    /// Computes what the early code of a turn leaves for starts, and remembers all that a lane
    /// needs to begin anew.
    fn prepare(&mut self, turn: usize, starts: usize) -> RestartValues {
        self.run(turn, |turn| &turn.early);
        let plan = &self.plan;
        let step = &plan.turns[turn];
        let kept = step.early.sections.clone();
        let kept = kept.flat_map(|section| &step.code.sections[section].kept);
        let cycles = step.early.sections.clone();
        let cycles = cycles.flat_map(|section| &step.code.sections[section].cleared);
        let mut slots: Vec<Slot> = plan
            .fluents
            .iter()
            .chain(kept)
            .chain(cycles)
            .copied()
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let words = &self.memory;
        if starts == 1 {
            let (full, empty) = slots
                .into_iter()
                .partition(|slot| words[*slot as usize].get(0));
            RestartValues::Same(empty, full)
        } else {
            RestartValues::Each(
                slots
                    .into_iter()
                    .map(|slot| (slot, words[slot as usize]))
                    .collect(),
            )
        }
    }

    #[inline(always)]
    pub(super) fn restart_lanes(&mut self, refill: &RestartValues, lanes: LaneWord) {
        let words = &mut self.memory;
        match refill {
            RestartValues::Same(empty, full) => {
                for slot in empty {
                    words[*slot as usize] = words[*slot as usize].without(lanes);
                }
                for slot in full {
                    words[*slot as usize] = words[*slot as usize].or(lanes);
                }
            }
            RestartValues::Each(slots) => {
                for (slot, start) in slots {
                    words[*slot as usize] = words[*slot as usize].blend(*start, lanes);
                }
            }
        }
    }
}
