//! Playouts with records of their moves.

use std::collections::BTreeMap;

use super::super::machine::{Machine, MachineError, PlayoutRequest};
use super::super::recorder::Recorder;
use super::{Abandoned, Lanes, MachineKind};
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::{
    PlayoutRecord, ReasonError, Reasoner, Rng, recorded_playout, recorded_playouts,
};

impl Lanes {
    /// Playouts from some states with their moves, start by start.
    pub(super) fn record(
        &mut self,
        starts: &[&BitState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<Vec<PlayoutRecord>>, ReasonError> {
        self.retry_if_stuck(rng, |lanes, rng| {
            let Some(mut machine) = lanes.take_machine(MachineKind::Guided)? else {
                return recorded_playouts(lanes, starts, each, rng, limit).map(Ok);
            };
            let records = lanes.try_records(&mut machine, starts, each, rng, limit);
            lanes.return_machine(MachineKind::Guided, machine);
            records
        })
    }

    /// Makes the playouts on a machine, unless it cannot handle a role without a legal move.
    fn try_records(
        &mut self,
        machine: &mut Machine,
        starts: &[&BitState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Result<Vec<Vec<PlayoutRecord>>, Abandoned>, ReasonError> {
        let roles = self.roles().len();
        let mut records: Vec<Vec<PlayoutRecord>> = vec![Vec::new(); starts.len()];
        let mut turn_cycles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, start) in starts.iter().enumerate() {
            if let Some(playout) = self.playout_without_steps(start, limit) {
                let moves = Vec::new();
                records[i] = vec![PlayoutRecord { moves, playout }; each as usize];
            } else if let Some(cycle) = machine.turn_cycle_of(start) {
                turn_cycles.entry(cycle).or_default().push(i);
            } else {
                // Not a reachable state: not exactly one control fluent holds.
                let records = &mut records[i];
                for _ in 0..each {
                    self.stop.check()?;
                    records.push(recorded_playout(self, start, rng, limit)?);
                }
            }
        }
        for group in turn_cycles.values() {
            for chunk in group.chunks(Self::CAPACITY) {
                let batch: Vec<&BitState> = chunk.iter().map(|i| starts[*i]).collect();
                let mut recorder = Recorder::new(roles, batch.len());
                let request = PlayoutRequest {
                    starts: &batch,
                    each: u64::from(each),
                    limit,
                    seed: rng.next_u64(),
                    guidance: None,
                    recorder: Some(&mut recorder),
                    last_states: None,
                    stop: &self.stop,
                };
                match machine.play(request) {
                    Ok(_) => {}
                    Err(MachineError::Stuck) => return Ok(Err(Abandoned::Stuck)),
                    Err(MachineError::NoProgress) => return Ok(Err(Abandoned::NoProgress)),
                    Err(MachineError::Late) => return Err(ReasonError::Stopped),
                }
                for (i, over) in chunk.iter().zip(recorder.over) {
                    records[*i] = over;
                }
            }
        }
        Ok(Ok(records))
    }
}
