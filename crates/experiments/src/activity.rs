//! Activity of a network: the share that stays unchanged in a step of all lanes. It is an upper
//! bound of what skipping idle gates could save.
//!
//! `cargo run --release -p ludorum-experiments -- activity SHEET...` plays 512 random games of each
//! sheet in parallel, as lanes do. It evaluates the whole network for each step and compares every
//! signal with the previous step. A gate is idle if its inputs change in no lane. A block of 64
//! neighbouring gates is idle if none of its external inputs changes. The output is a JSON object
//! for each sheet with the shares of idle wires, and the share of single lanes that change a gate.

#![allow(clippy::cast_precision_loss)] // figures for people

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ludorum_lanes::{Backend, Lanes};
use ludorum_logic::Rules;
use ludorum_propnet::circuit::{Circuit, GateKind};
use ludorum_propnet::{CompileLimits, CompiledGame};
use ludorum_reasoner::{MoveId, Reasoner, Rng};
use serde_json::json;

const PARTS: usize = 8;
const LANES: usize = 64 * PARTS;
/// Number of compared steps.
const STEPS: usize = 40;
/// Number of gates per block.
const BLOCK: u32 = 64;

type Word = [u64; PARTS];

pub(crate) fn run(sheets: &[String]) -> ExitCode {
    if sheets.is_empty() {
        eprintln!("usage: activity SHEET...");
        return ExitCode::from(2);
    }
    for name in sheets {
        match measure(Path::new(name)) {
            Ok(line) => println!("{line}"),
            Err(problem) => println!("{}", json!({ "sheet": name, "error": problem })),
        }
    }
    ExitCode::SUCCESS
}

/// A state and the joint move played in it.
type PlayedState = (<Lanes as Reasoner>::State, Vec<MoveId>);

fn measure(path: &Path) -> Result<serde_json::Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text).map_err(|_| "the sheet has errors".to_owned())?;
    let game = CompiledGame::new(Arc::new(rules));
    let limits = CompileLimits::default();
    let network = game.network(&limits).map_err(|error| error.to_string())?;
    let circuit = game.circuit(&limits).map_err(|error| error.to_string())?;
    let mut lanes = Lanes::with_circuit(network, Arc::clone(&circuit), Backend::Best);
    let lane_games = lane_games(&mut lanes).map_err(|error| error.to_string())?;
    let gates = circuit.gate_count() as u32;
    let (mut idle, mut idle_in_blocks, mut all, mut lane_changes) = (0, 0, 0, 0);
    let mut before = evaluate(&circuit, &lane_games, 0);
    for step in 1..=STEPS {
        let now = evaluate(&circuit, &lane_games, step);
        let changed: Vec<bool> = before.iter().zip(&now).map(|(a, b)| a != b).collect();
        let has_news = |signal: u32| changed[signal as usize];
        let first = circuit.first_gate();
        for gate in 0..gates {
            let inputs = circuit.inputs(gate);
            let wires = inputs.len() as u64;
            all += wires;
            if !inputs.iter().any(|edge| has_news(edge >> 1)) {
                idle += wires;
            }
            let inside = first + gate / BLOCK * BLOCK..first + (gate / BLOCK + 1) * BLOCK;
            let block = inside.start - first..(inside.end - first).min(gates);
            let mut outside = block
                .flat_map(|gate| circuit.inputs(gate))
                .map(|edge| edge >> 1)
                .filter(|signal| !inside.contains(signal));
            if !outside.any(has_news) {
                idle_in_blocks += wires;
            }
            let signal = (first + gate) as usize;
            let differences = before[signal].iter().zip(&now[signal]);
            lane_changes += differences
                .map(|(a, b)| u64::from((a ^ b).count_ones()))
                .sum::<u64>();
        }
        before = now;
    }
    let share = |part: u64| (1000.0 * part as f64 / all.max(1) as f64).round() / 10.0;
    let changes = lane_changes as f64 / (STEPS * LANES) as f64 / f64::from(gates.max(1));
    Ok(json!({
        "sheet": path.file_stem().unwrap_or_default().to_string_lossy(),
        "gates": gates,
        "wires": circuit.wire_count(),
        "idle_percent": share(idle),
        "idle_in_blocks_percent": share(idle_in_blocks),
        "gate_changes_per_lane_percent": (10_000.0 * changes).round() / 100.0,
    }))
}

/// The states and moves of each lane: consecutive random games. Lanes start at different positions
/// in their games.
fn lane_games(lanes: &mut Lanes) -> Result<Vec<Vec<PlayedState>>, ludorum_reasoner::ReasonError> {
    let start = lanes.initial()?;
    let mut rng = Rng::new(1);
    let mut lane_games = Vec::with_capacity(LANES);
    let starts = std::slice::from_ref(&start);
    for _ in 0..LANES / 64 {
        let records = lanes
            .recorded_playouts(starts, 64, &mut rng, 400)?
            .remove(0);
        for record in &records {
            let mut state = start.clone();
            let mut game: Vec<PlayedState> = Vec::new();
            for joint_move in &record.moves {
                let next = lanes.next(&state, joint_move)?;
                game.push((state, joint_move.clone()));
                state = next;
            }
            // An even offset, so that in turn-taking games the same role has the turn in all lanes.
            let shift = rng.below(game.len() / 2 + 1) * 2;
            let around = game.len().max(1);
            let game = (0..=STEPS).filter_map(|step| game.get((shift + step) % around).cloned());
            lane_games.push(game.collect());
        }
    }
    Ok(lane_games)
}

fn evaluate(circuit: &Circuit, lane_games: &[Vec<PlayedState>], step: usize) -> Vec<Word> {
    let mut words: Vec<Word> = vec![[0; PARTS]; circuit.signal_count()];
    words[0] = [u64::MAX; PARTS];
    for (lane, game) in lane_games.iter().enumerate() {
        let Some((state, joint_move)) = game.get(step) else {
            continue;
        };
        let (part, bit) = (lane / 64, 1u64 << (lane % 64));
        for fluent in state.ones() {
            words[circuit.fluent(fluent) as usize][part] |= bit;
        }
        for (role, id) in joint_move.iter().enumerate() {
            let action = circuit.role_moves[role].start + id.index();
            words[circuit.action(action) as usize][part] |= bit;
        }
    }
    for block in circuit.state_blocks.iter().chain(&circuit.action_blocks) {
        loop {
            let mut is_stable = true;
            for gate in block.gates.clone() {
                let value = value(circuit, gate, &words);
                let signal = (circuit.first_gate() + gate) as usize;
                is_stable &= words[signal] == value;
                words[signal] = value;
            }
            if is_stable || !block.cyclic {
                break;
            }
        }
    }
    words
}

fn value(circuit: &Circuit, gate: u32, words: &[Word]) -> Word {
    let read = |edge: &u32, part: usize| {
        let word = words[(edge >> 1) as usize][part];
        if edge & 1 == 1 { !word } else { word }
    };
    let inputs = circuit.inputs(gate);
    std::array::from_fn(|part| match circuit.gate_kind(gate) {
        GateKind::And => inputs
            .iter()
            .fold(u64::MAX, |all, edge| all & read(edge, part)),
        GateKind::Or => inputs.iter().fold(0, |any, edge| any | read(edge, part)),
    })
}
