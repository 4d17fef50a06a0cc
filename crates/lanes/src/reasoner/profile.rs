//! Measuring how the time of playouts divides over the parts of a step.

use std::time::{Duration, Instant};

use super::super::machine::{Machine, PlayoutRequest};
use super::super::step_profile::StepProfile;
use super::{Lanes, MachineKind};
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::{ReasonError, StopSignal};

/// A profile is taken so many times.
const REPETITIONS: u32 = 9;
/// Unless it takes longer than this: then once less is enough.
const MAX_PROFILE_TIME: Duration = Duration::from_secs(1);

impl Lanes {
    /// Where the time goes in so many playouts from a state. The draw is told apart from the rest
    /// at the price of a little speed.
    ///
    /// They are played in several parts, and the quickest one counts: on a busy machine, the others
    /// measure who else had the processor.
    pub fn profile(
        &mut self,
        start: &BitState,
        playouts: u32,
        limit: u32,
    ) -> Result<StepProfile, ReasonError> {
        if self.playout_without_steps(start, limit).is_some() {
            return Ok(StepProfile::new());
        }
        // The open plan has the draw in a part of its own; without a guide it plays as the other.
        let mut machine = self.take_machine_blocking(MachineKind::Guided);
        let profile = profile(&mut machine, start, playouts, limit);
        self.return_machine(MachineKind::Guided, machine);
        profile
    }
}

/// Where the time goes on a machine.
fn profile(
    machine: &mut Machine,
    start: &BitState,
    playouts: u32,
    limit: u32,
) -> Result<StepProfile, ReasonError> {
    machine.wait();
    if machine.turn_of(start).is_none() {
        return Ok(StepProfile::new());
    }
    let part = playouts.div_ceil(REPETITIONS).max(Lanes::CAPACITY as u32);
    let mut quickest: Option<StepProfile> = None;
    let begin = Instant::now();
    for seed in 0..u64::from(REPETITIONS) {
        machine.profile = Some(Box::new(StepProfile::new()));
        let played = machine.play(PlayoutRequest {
            starts: &[start],
            each: u64::from(part),
            limit,
            seed: 1 + seed,
            guidance: None,
            recorder: None,
            stop: &StopSignal::default(),
        });
        let profile = machine.profile.take();
        if played.is_err() {
            return Err(ReasonError::Budget(
                "a role has no legal move: there is no profile of such a game".to_owned(),
            ));
        }
        quickest = quickest
            .into_iter()
            .chain(profile.map(|profile| *profile))
            .min_by_key(StepProfile::total);
        if begin.elapsed() > MAX_PROFILE_TIME {
            break;
        }
    }
    quickest.ok_or(ReasonError::Stopped)
}
