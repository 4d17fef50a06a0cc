//! Measuring how the time of playouts divides over the parts of a step.

use std::time::{Duration, Instant};

use super::super::machine::{Machine, PlayoutRequest};
use super::super::step_profile::StepProfile;
use super::{Lanes, MachineKind};
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::{ReasonError, StopSignal};

/// How many times a profile is taken.
const REPETITIONS: u32 = 9;
/// No further profile is started after this time.
const MAX_PROFILE_TIME: Duration = Duration::from_secs(1);

impl Lanes {
    /// How the time of playouts from a state divides over the parts of a step. Move sampling is
    /// measured separately, at the price of a little speed.
    ///
    /// The playouts are made in several runs, and the fastest counts: the others include time that
    /// other processes took.
    pub fn profile(
        &mut self,
        start: &BitState,
        playouts: u32,
        limit: u32,
    ) -> Result<StepProfile, ReasonError> {
        if self.playout_without_steps(start, limit).is_some() {
            return Ok(StepProfile::new());
        }
        // This plan has move sampling in a part of its own; without a guide it makes the same
        // playouts.
        let mut machine = self.take_machine_blocking(MachineKind::Guided);
        let checked = self.check_stages(&machine, &[start]);
        let profile = checked.and_then(|()| profile(&mut machine, start, playouts, limit));
        self.return_machine(MachineKind::Guided, machine);
        profile
    }
}

/// Profiles a machine.
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
            last_states: None,
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
