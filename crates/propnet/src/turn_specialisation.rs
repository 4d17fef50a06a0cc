//! Specialisation by turn: finds the control fluents, which tell whose turn it is, and compiles a
//! machine for each.
//!
//! The choice is heuristic and needs no proof. It is made from sampled states, and states in which
//! not exactly one of the fluents holds are left to the general machine.

use std::sync::Arc;

use super::circuit::Circuit;
use super::differential_machine::{DifferentialMachine, machine_for_state};
use super::network::Network;
use super::pass::specialise::specialise as compile_in;
use crate::ground_game::BitState;
use ludorum_reasoner::Rng;

/// How many states are sampled by random play.
const SAMPLED_STATES: usize = 400;
/// The largest number of candidate fluents.
const MAX_CANDIDATES: usize = 16;
/// The largest group of control fluents.
const MAX_GROUP: usize = 6;
/// Limit on the number of wires that are compiled for comparison, all groups together.
const MAX_WIRES: usize = 8_000_000;

/// Adds a machine for each control fluent behind the general one, if that pays. Returns the control
/// fluents.
pub(super) fn specialise(network: &Network, machines: &mut Vec<DifferentialMachine>) -> Vec<u32> {
    let wires = machines[0].graph.wire_count();
    if wires * 2 > MAX_WIRES {
        return Vec::new();
    }
    let mut left = MAX_WIRES;
    let samples = sample_states(network, &mut machines[0]);
    let candidates = often_changing(&samples, network.game.fluents.len());
    let mut best = (
        Vec::new(),
        Vec::new(),
        wires_followed(machines, &[], &samples),
    );
    for group in one_hot_groups(&samples, &candidates) {
        let cost = wires * group.len();
        if cost > left {
            continue;
        }
        left -= cost;
        let mut special = machines.clone();
        for control in &group {
            let values: Vec<(u32, bool)> = group
                .iter()
                .map(|fluent| (*fluent, fluent == control))
                .collect();
            let circuit = Circuit::new(&compile_in(network, &values));
            special.push(DifferentialMachine::new(&Arc::new(circuit)));
        }
        let work = wires_followed(&mut special, &group, &samples);
        // Several machines also take more room in the cache, so a gain of less than a tenth is
        // ignored.
        if work * 10 < best.2 * 9 {
            best = (group, special.split_off(1), work);
        }
    }
    machines.extend(best.1);
    best.0
}

/// How many wires are followed when machines go through the samples, with a random joint move in
/// each.
fn wires_followed(
    machines: &mut [DifferentialMachine],
    control: &[u32],
    samples: &[BitState],
) -> u64 {
    let mut rng = Rng::new(1);
    let before: u64 = machines.iter().map(|machine| machine.values.work).sum();
    for state in samples {
        let machine = &mut machines[machine_for_state(control, &state.words)];
        machine.set_state(&state.words);
        if !machine.is_terminal() {
            machine.draw_moves(&mut rng);
        }
    }
    machines
        .iter()
        .map(|machine| machine.values.work)
        .sum::<u64>()
        - before
}

/// Samples states by random play.
fn sample_states(network: &Network, machine: &mut DifferentialMachine) -> Vec<BitState> {
    let mut rng = Rng::new(0);
    let mut samples = Vec::with_capacity(SAMPLED_STATES);
    let mut state = network.game.initial.clone();
    while samples.len() < SAMPLED_STATES {
        machine.set_state(&state.words);
        samples.push(state.clone());
        if machine.is_terminal() || !machine.draw_moves(&mut rng) {
            if samples.len() == 1 {
                break;
            }
            state.clone_from(&network.game.initial);
        } else {
            state.clone_from(&machine.next);
        }
    }
    samples
}

/// The fluents that change most often, among those that change in at least a quarter of the steps.
fn often_changing(samples: &[BitState], fluents: usize) -> Vec<u32> {
    let mut changes = vec![0usize; fluents];
    for pair in samples.windows(2) {
        for (i, (a, b)) in pair[0].words.iter().zip(&pair[1].words).enumerate() {
            let mut changed = a ^ b;
            while changed != 0 {
                changes[i * 64 + changed.trailing_zeros() as usize] += 1;
                changed &= changed - 1;
            }
        }
    }
    let mut candidates: Vec<u32> = (0..fluents as u32)
        .filter(|fluent| changes[*fluent as usize] * 4 >= samples.len())
        .collect();
    candidates.sort_by_key(|fluent| std::cmp::Reverse(changes[*fluent as usize]));
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

/// Groups of candidates of which exactly one holds in every sample; the few smallest.
fn one_hot_groups(samples: &[BitState], candidates: &[u32]) -> Vec<Vec<u32>> {
    let masks: Vec<u32> = samples
        .iter()
        .map(|state| {
            candidates
                .iter()
                .enumerate()
                .filter(|(_, fluent)| state.get(**fluent as usize))
                .fold(0, |mask, (i, _)| mask | 1 << i)
        })
        .collect();
    let mut found: Vec<u32> = (1u32..1 << candidates.len())
        .filter(|set| (2..=MAX_GROUP as u32).contains(&set.count_ones()))
        .filter(|set| masks.iter().all(|mask| (mask & set).is_power_of_two()))
        .collect();
    found.sort_by_key(|set| set.count_ones());
    found.truncate(3);
    found
        .into_iter()
        .map(|set| {
            (0..candidates.len())
                .filter(|i| set >> i & 1 == 1)
                .map(|i| candidates[i])
                .collect()
        })
        .collect()
}
