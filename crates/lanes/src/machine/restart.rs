//! Loading starts into lanes, and restarting lanes.
//!
//! Lane `i` plays from start `i % starts`. The lanes of all starts with the same turn are a
//! [`LaneGroup`]; they begin when that turn comes.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

use super::super::code::Slot;
use super::super::lane_word::LaneWord;
use super::Machine;
use ludorum_propnet::ground_game::BitState;

/// The lanes whose starts have the same turn. They begin when it comes.
pub(super) struct LaneGroup {
    pub(super) turn: usize,
    pub(super) lanes: LaneWord,
    pub(super) restart: RestartValues,
}

/// The memory contents from which lanes restart.
pub(super) enum RestartValues {
    /// All lanes start from the same state: slots to be cleared, and slots to be set.
    Same(Vec<Slot>, Vec<Slot>),
    /// Each lane has its own start: slots with their words.
    Each(Vec<(Slot, LaneWord)>),
}

impl Machine {
    /// Loads starts into lanes, each into as many as it has.
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
        // No code reads the slots of fluents that playouts do not depend on.
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

    /// The lane groups of some starts. Leaves the memory as after the early part of the last
    /// group's turn.
    pub(super) fn lane_groups(&mut self, starts: &[&BitState]) -> Vec<LaneGroup> {
        // The caller has checked that every start has a turn.
        let turns = starts.iter().map(|start| self.turn_of(start).unwrap_or(0));
        let turns: Vec<usize> = turns.collect();
        LaneWord::groups(&turns)
            .into_iter()
            .map(|(turn, lanes)| LaneGroup {
                turn,
                lanes,
                restart: self.prepare(turn, starts.len()),
            })
            .collect()
    }

    /// Runs the early part of a turn on the starts, and stores everything that a lane needs to
    /// restart.
    fn prepare(&mut self, turn: usize, starts: usize) -> RestartValues {
        self.run(turn, |turn| &turn.early);
        let plan = &self.plan;
        let step = &plan.turns[turn];
        let kept = step.early.sections.clone();
        let kept = kept.flat_map(|section| &step.code.sections[section].kept);
        let loops = step.early.sections.clone();
        let loops = loops.filter_map(|section| step.code.sections[section].repeats.as_ref());
        let loops = loops.flat_map(|repeats| repeats.carried.iter().chain(&repeats.kept_inputs));
        let mut slots: Vec<Slot> = plan
            .fluents
            .iter()
            .chain(kept)
            .chain(loops)
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
    pub(super) fn restart_lanes(&mut self, restart: &RestartValues, lanes: LaneWord) {
        let words = &mut self.memory;
        match restart {
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
