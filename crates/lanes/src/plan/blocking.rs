//! Blocking: wide disjunctions that pair the same signals with others are computed a block of these
//! signals at a time.
//!
//! Such disjunctions are the rows of a Boolean matrix product: "a cell is moved to the new chain if
//! it is in a chain that is joined", for all cells. Computed one after another they read all
//! signals again and again. The signals of a block stay in registers while the block is computed
//! for all disjunctions (blocking; Lam et al. 1991).

use ludorum_propnet::circuit::{Circuit, Edge, GateKind};
use rustc_hash::FxHashMap;

use super::super::graph::LaneGraph;

/// For a gate, its inputs in blocks, each with the bundle of the graph that its result belongs to.
pub(super) type BlockedGates = FxHashMap<u32, Vec<(usize, Vec<Edge>)>>;

/// The number of pairs in a block: most of the 32 vector registers.
const BLOCK: usize = 24;
/// The least number of pairs in a disjunction that is computed in blocks.
const MIN_PAIRS: usize = 2 * BLOCK;
/// The least number of disjunctions with the same signals.
const MIN_GATES: usize = 8;

/// A disjunction of pairs.
struct Row {
    gate: u32,
    /// The pairs with the signal in each that more rows have.
    pairs: Vec<(Edge, Edge)>,
    /// All other inputs.
    others: Vec<Edge>,
}

/// Finds the gates that are computed in blocks.
pub(super) fn blocked_gates(circuit: &Circuit, graph: &mut LaneGraph) -> BlockedGates {
    let mut rows = rows(circuit);
    if rows.len() < MIN_GATES {
        return BlockedGates::default();
    }
    let depths = depths(circuit);
    let mut count: FxHashMap<Edge, usize> = FxHashMap::default();
    for (pair, _) in rows.iter().flat_map(|row| &row.pairs) {
        for edge in inputs_of(circuit, *pair) {
            *count.entry(*edge).or_default() += 1;
        }
    }
    let mut groups: FxHashMap<(u32, Vec<Edge>), Vec<Row>> = FxHashMap::default();
    for row in &mut rows {
        for (pair, shared) in &mut row.pairs {
            let inputs = inputs_of(circuit, *pair).iter().copied();
            *shared = inputs.max_by_key(|edge| (count[edge], *edge)).unwrap_or(0);
        }
        row.pairs
            .sort_unstable_by_key(|(pair, shared)| (*shared, *pair));
    }
    let mut order = Vec::new();
    for row in rows {
        let shared = row.pairs.iter().map(|(_, shared)| *shared).collect();
        // Gates of the same depth do not depend on each other.
        let key = (depths[row.gate as usize], shared);
        let group = groups.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(row);
    }
    let mut blocked = BlockedGates::default();
    for key in order {
        let Some(rows) = groups.remove(&key).filter(|rows| rows.len() >= MIN_GATES) else {
            continue;
        };
        let blocks = key.1.len().div_ceil(BLOCK);
        let bundles: Vec<usize> = (0..blocks).map(|_| graph.new_bundle()).collect();
        for row in rows {
            let blocks = row.pairs.chunks(BLOCK).zip(&bundles);
            let mut blocks: Vec<(usize, Vec<Edge>)> = blocks
                .map(|(pairs, bundle)| (*bundle, pairs.iter().map(|(pair, _)| *pair).collect()))
                .collect();
            blocks[0].1.extend(row.others);
            blocked.insert(row.gate, blocks);
        }
    }
    blocked
}

/// The disjunctions of many pairs, outside of cycles.
fn rows(circuit: &Circuit) -> Vec<Row> {
    let gates = || {
        let blocks = circuit.state_blocks.iter().chain(&circuit.action_blocks);
        blocks
            .filter(|block| !block.cyclic)
            .flat_map(|block| block.gates.clone())
    };
    let is_wide = |gate: &u32| {
        circuit.gate_kind(*gate) == GateKind::Or && circuit.inputs(*gate).len() >= MIN_PAIRS
    };
    if gates().filter(is_wide).count() < MIN_GATES {
        return Vec::new();
    }
    let mut uses = vec![0u32; circuit.signal_count()];
    let roots = circuit
        .next
        .iter()
        .chain(&circuit.legal)
        .chain(&circuit.goals);
    let all = 0..circuit.gate_count() as u32;
    let read = all.flat_map(|gate| circuit.inputs(gate));
    for edge in read.chain(roots).chain([&circuit.terminal]) {
        uses[(edge >> 1) as usize] += 1;
    }
    let is_pair = |edge: Edge| {
        let signal = edge >> 1;
        signal >= circuit.first_gate()
            && edge & 1 == 0
            && uses[signal as usize] == 1
            && circuit.gate_kind(signal - circuit.first_gate()) == GateKind::And
            && inputs_of(circuit, edge).len() == 2
    };
    gates()
        .filter(is_wide)
        .map(|gate| {
            let inputs = circuit.inputs(gate).iter().copied();
            let (pairs, others): (Vec<Edge>, Vec<Edge>) = inputs.partition(|edge| is_pair(*edge));
            let pairs = pairs.into_iter().map(|pair| (pair, 0)).collect();
            Row {
                gate,
                pairs,
                others,
            }
        })
        .filter(|row| row.pairs.len() >= MIN_PAIRS)
        .collect()
}

/// The inputs of the gate behind an edge.
fn inputs_of(circuit: &Circuit, edge: Edge) -> &[Edge] {
    circuit.inputs((edge >> 1) - circuit.first_gate())
}

/// For every gate the length of the longest path to it; cycles count once.
fn depths(circuit: &Circuit) -> Vec<u32> {
    let mut depths = vec![0; circuit.gate_count()];
    let blocks = circuit.state_blocks.iter().chain(&circuit.action_blocks);
    for block in blocks {
        for gate in block.gates.clone() {
            let inputs = circuit.inputs(gate).iter();
            let below = inputs.filter_map(|edge| (edge >> 1).checked_sub(circuit.first_gate()));
            let deepest = below.map(|input| depths[input as usize]).max();
            depths[gate as usize] = deepest.map_or(0, |depth| depth + 1);
        }
    }
    depths
}
