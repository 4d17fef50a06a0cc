//! Cycles of gates: in which order a loop computes them, and what it keeps in memory.
//!
//! The values of a cycle are the least fixpoint of its gates. A gate with a single user within the
//! cycle is *merged* into that user; what is left are the *variables*, whose values one iteration
//! hands to the next. Substitution does not change a least fixpoint (Bekić 1969).
//!
//! Variables are ordered breadth first from those that hold without others, as a flood spreads, and
//! an iteration sweeps over them forwards and backwards (symmetric Gauss-Seidel iteration).
//!
//! A loop may go on from the last fixpoint instead of starting from false. That is right in every
//! lane in which no input from outside has changed from true to false, because a larger input has a
//! larger fixpoint. The inputs of the last run are kept and compared, so that nothing needs to be
//! proved: lanes in which an input has shrunk start from false, and a loop whose inputs have
//! changed in no lane is left out.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use ludorum_propnet::circuit::{ALWAYS, Circuit, Edge, GateKind};
use rustc_hash::FxHashMap;

/// The largest number of variables of a cycle that is computed without a loop. A line that comes
/// back to where it began has one variable.
const MAX_UNROLLED: usize = 3;

/// A cycle of gates.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub(super) gates: Range<u32>,
    /// In the order of a sweep.
    pub(super) variables: Vec<Variable>,
    /// For every gate, whether it is a variable.
    is_variable: Vec<bool>,
    /// The inputs from outside, in order of first use. If the loop goes on from its last run,
    /// [`ALWAYS`] is among them, which differs from the memory of a new machine.
    pub(super) outside: Vec<Edge>,
    /// Whether the loop goes on from its last run.
    pub(super) resumes: bool,
    /// The first of its words in the memory for cycles: those of variables, then, if the loop goes
    /// on from its last run, those of the inputs from outside.
    pub(super) first_word: u32,
}

/// A gate whose value one iteration hands to the next.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) gate: u32,
    /// The gates that are merged into it, in topological order.
    pub(super) merged: Vec<u32>,
}

/// The cycles of circuits for the same memory, and how many words they need. Cycles of different
/// circuits with the same gates and the same inputs share their words.
pub(super) fn cycles_of(circuits: &[&Circuit], resumes: bool) -> (Vec<Vec<Cycle>>, usize) {
    let mut words = 0;
    let mut known: FxHashMap<Vec<u32>, Vec<u32>> = FxHashMap::default();
    let cycles = circuits
        .iter()
        .map(|circuit| {
            let mut met: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
            let blocks = circuit.state_blocks.iter().chain(&circuit.action_blocks);
            let cyclic = blocks.filter(|block| block.cyclic);
            cyclic
                .map(|block| {
                    let mut cycle = Cycle::new(circuit, block.gates.clone(), resumes);
                    let structure = cycle.structure(circuit);
                    let place = met.entry(structure.clone()).or_default();
                    let places = known.entry(structure).or_default();
                    if *place == places.len() {
                        places.push(words);
                        words += cycle.words();
                    }
                    cycle.first_word = places[*place];
                    *place += 1;
                    cycle
                })
                .collect()
        })
        .collect();
    (cycles, words as usize)
}

impl Cycle {
    fn new(circuit: &Circuit, gates: Range<u32>, resumes: bool) -> Self {
        let mut outside = Vec::new();
        let mut seen = BTreeSet::new();
        let edges = gates.clone().flat_map(|gate| circuit.inputs(gate));
        let mut inside = edges.filter(|edge| local(circuit, &gates, **edge).is_some());
        // Rules are stratified, so that no cycle has a negation; a larger input would not mean a
        // larger fixpoint then.
        let resumes = resumes && inside.all(|edge| edge & 1 == 0);
        if resumes {
            seen.insert(ALWAYS);
            outside.push(ALWAYS);
        }
        for gate in gates.clone() {
            for edge in circuit.inputs(gate) {
                if local(circuit, &gates, *edge).is_none() && seen.insert(*edge) {
                    outside.push(*edge);
                }
            }
        }
        let is_variable = variables(circuit, &gates);
        let mut cycle = Self {
            variables: Vec::new(),
            gates,
            is_variable,
            outside,
            resumes,
            first_word: 0,
        };
        cycle.variables = cycle.sweep(circuit);
        cycle
    }

    /// Whether a gate of the cycle is merged into another.
    pub(super) fn is_merged(&self, circuit: &Circuit, edge: Edge) -> bool {
        local(circuit, &self.gates, edge).is_some_and(|gate| !self.is_variable[gate])
    }

    /// Whether the fixpoint is computed without a loop: from false, with as many sweeps as there
    /// are variables, each of which can change once.
    pub(super) fn is_unrolled(&self) -> bool {
        self.variables.len() <= MAX_UNROLLED
    }

    fn words(&self) -> u32 {
        if self.is_unrolled() {
            return 0;
        }
        let outside = if self.resumes { self.outside.len() } else { 0 };
        (self.variables.len() + outside) as u32
    }

    /// A description of the gates and their inputs that is equal for cycles with the same function
    /// of the inputs from outside. Fluents and moves among these are named, others only numbered.
    fn structure(&self, circuit: &Circuit) -> Vec<u32> {
        let numbers: FxHashMap<Edge, u32> = self.outside.iter().copied().zip(0..).collect();
        let mut structure = vec![self.gates.len() as u32];
        for gate in self.gates.clone() {
            let inputs = circuit.inputs(gate);
            let kind = circuit.gate_kind(gate) == GateKind::And;
            structure.extend([u32::from(kind), inputs.len() as u32]);
            structure.extend(inputs.iter().map(|edge| {
                if let Some(number) = numbers.get(edge) {
                    return number << 1;
                }
                let gate = (edge >> 1) - circuit.first_gate() - self.gates.start;
                gate << 2 | (edge & 1) << 1 | 1
            }));
        }
        let first_gate = circuit.first_gate();
        let is_named = |edge: Edge| edge >> 1 < first_gate;
        let names = self.outside.iter().copied();
        structure.extend(names.map(|edge| if is_named(edge) { edge } else { Edge::MAX }));
        structure
    }

    /// The variables with their merged gates, in the order of a sweep.
    fn sweep(&self, circuit: &Circuit) -> Vec<Variable> {
        let mut variables: Vec<Variable> = Vec::new();
        let mut place = vec![usize::MAX; self.gates.len()];
        for gate in self.gates.clone() {
            let at = (gate - self.gates.start) as usize;
            if self.is_variable[at] {
                place[at] = variables.len();
                let merged = self.merged(circuit, gate);
                variables.push(Variable { gate, merged });
            }
        }
        // The users of every variable, and those variables that hold without others.
        let mut users = vec![Vec::new(); variables.len()];
        let mut holds = vec![false; self.gates.len()];
        let mut reached = vec![false; variables.len()];
        let mut open = VecDeque::new();
        for (user, variable) in variables.iter().enumerate() {
            for gate in variable.merged.iter().chain([&variable.gate]) {
                let value = |edge: &Edge| match local(circuit, &self.gates, *edge) {
                    Some(input) => holds[input],
                    None => true,
                };
                let inputs = circuit.inputs(*gate);
                holds[(gate - self.gates.start) as usize] = match circuit.gate_kind(*gate) {
                    GateKind::And => inputs.iter().all(value),
                    GateKind::Or => inputs.iter().any(value),
                };
                for input in inputs
                    .iter()
                    .filter_map(|edge| local(circuit, &self.gates, *edge))
                {
                    if self.is_variable[input] {
                        users[place[input]].push(user);
                    }
                }
            }
            let own = &mut holds[(variable.gate - self.gates.start) as usize];
            if std::mem::take(own) {
                reached[user] = true;
                open.push_back(user);
            }
        }
        let mut order = Vec::with_capacity(variables.len());
        while let Some(variable) = open.pop_front() {
            order.push(variable);
            for user in &users[variable] {
                if !std::mem::replace(&mut reached[*user], true) {
                    open.push_back(*user);
                }
            }
        }
        order.extend((0..variables.len()).filter(|variable| !reached[*variable]));
        let mut variables: Vec<Option<Variable>> = variables.into_iter().map(Some).collect();
        order
            .into_iter()
            .filter_map(|variable| variables[variable].take())
            .collect()
    }

    /// The gates that are merged into a variable, in topological order.
    fn merged(&self, circuit: &Circuit, variable: u32) -> Vec<u32> {
        let mut merged = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(variable, false)];
        while let Some((gate, expanded)) = open.pop() {
            if expanded {
                merged.push(gate);
                continue;
            }
            if gate != variable {
                if !seen.insert(gate) {
                    continue;
                }
                open.push((gate, true));
            }
            let inputs = circuit.inputs(gate).iter();
            let below = inputs.filter(|edge| self.is_merged(circuit, **edge));
            open.extend(below.map(|edge| ((edge >> 1) - circuit.first_gate(), false)));
        }
        merged
    }
}

/// The number of a gate within a cycle.
fn local(circuit: &Circuit, gates: &Range<u32>, edge: Edge) -> Option<usize> {
    let gate = (edge >> 1).checked_sub(circuit.first_gate())?;
    gates.contains(&gate).then(|| (gate - gates.start) as usize)
}

/// Which gates are variables: what is left when every gate with a single user has been merged into
/// that user, unless it depends on itself by then. Every cycle goes through a variable.
fn variables(circuit: &Circuit, gates: &Range<u32>) -> Vec<bool> {
    let mut inputs = vec![BTreeSet::new(); gates.len()];
    let mut users = vec![BTreeSet::new(); gates.len()];
    for (user, inputs) in inputs.iter_mut().enumerate() {
        let edges = circuit.inputs(gates.start + user as u32).iter();
        for input in edges.filter_map(|edge| local(circuit, gates, *edge)) {
            inputs.insert(input);
            users[input].insert(user);
        }
    }
    let mut is_variable = vec![true; gates.len()];
    let mut open: VecDeque<usize> = (0..gates.len()).collect();
    while let Some(gate) = open.pop_front() {
        let Some(user) = users[gate].first().copied().filter(|user| *user != gate) else {
            continue;
        };
        if users[gate].len() > 1 || !is_variable[gate] {
            continue;
        }
        is_variable[gate] = false;
        users[gate].clear();
        inputs[user].remove(&gate);
        for input in std::mem::take(&mut inputs[gate]) {
            users[input].remove(&gate);
            users[input].insert(user);
            inputs[user].insert(input);
            open.push_back(input);
        }
    }
    is_variable
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ludorum_logic::Rules;
    use ludorum_propnet::{CompileLimits, CompiledGame};

    /// A grid of four by three points.
    const GRID: &str = "
        (link 1 2) (link 2 3) (link 3 4) (link 5 6) (link 6 7) (link 7 8) (link 9 10) (link 10 11)
        (link 11 12) (link 1 5) (link 5 9) (link 2 6) (link 6 10) (link 3 7) (link 7 11) (link 4 8)
        (link 8 12)
        (<= (beside ?p ?q) (link ?p ?q)) (<= (beside ?q ?p) (link ?p ?q))";
    /// A ring of five points.
    const RING: &str = "(beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5) (beside 5 1)";
    /// A flood from point 3.
    const FLOOD: &str = "
        (role r) (<= (point ?p) (beside ?p ?q))
        (<= (legal r (put ?p)) (point ?p)) (<= (legal r (take ?p)) (point ?p))
        (<= (next (stone ?p)) (does r (put ?p)))
        (<= (next (stone ?p)) (true (stone ?p)) (not (does r (take ?p))))
        (<= (reached 3) (true (stone 3)))
        (<= (reached ?q) (reached ?p) (beside ?p ?q) (true (stone ?q)))
        (<= terminal (reached 1) (reached 2))
        (<= (goal r 100) (reached 1)) (<= (goal r 0) (not (reached 1)))";

    fn circuit(graph: &str) -> Circuit {
        let rules = Arc::new(Rules::from_text(&format!("{graph}{FLOOD}")).expect("rules"));
        let game = CompiledGame::new(rules);
        let limits = CompileLimits::default();
        let network = game.network(&limits).expect("a network");
        Circuit::new(&network)
    }

    #[test]
    fn gates_with_one_user_are_merged_and_variables_follow_the_flood() {
        let circuit = circuit(GRID);
        let (cycles, words) = cycles_of(&[&circuit], false);
        let [cycle] = &cycles[0][..] else {
            panic!("one cycle");
        };
        assert!((4..=12).contains(&cycle.variables.len()), "{cycle:?}");
        assert_eq!(words, cycle.variables.len());
        let merged: usize = cycle.variables.iter().map(|v| v.merged.len()).sum();
        assert_eq!(merged + cycle.variables.len(), cycle.gates.len());
        // Every variable but the first reads one before it.
        for (place, variable) in cycle.variables.iter().enumerate().skip(1) {
            let before = |edge: &Edge| {
                let gate = (edge >> 1).wrapping_sub(circuit.first_gate());
                cycle.variables[..place].iter().any(|v| v.gate == gate)
            };
            let gates = variable.merged.iter().chain([&variable.gate]);
            let mut edges = gates.flat_map(|gate| circuit.inputs(*gate));
            assert!(edges.any(before), "{cycle:?}");
        }
    }

    #[test]
    fn a_ring_has_one_variable_and_needs_no_loop() {
        let circuit = circuit(RING);
        let (cycles, words) = cycles_of(&[&circuit], true);
        let [cycle] = &cycles[0][..] else {
            panic!("one cycle");
        };
        assert_eq!(cycle.variables.len(), 1, "{cycle:?}");
        assert!(cycle.is_unrolled());
        assert_eq!(words, 0);
    }

    #[test]
    fn equal_cycles_of_several_circuits_share_their_words() {
        let circuit = circuit(GRID);
        let (one, words) = cycles_of(&[&circuit], true);
        let (two, shared) = cycles_of(&[&circuit, &circuit], true);
        assert_eq!(words, shared);
        assert_eq!(two[0][0].first_word, two[1][0].first_word);
        let inputs = one[0][0].outside.len();
        assert_eq!(words, one[0][0].variables.len() + inputs);
        assert!(one[0][0].outside.contains(&ALWAYS));
    }
}
