//! From a network to code.
//!
//! A step of all lanes is two pieces of code: the *early* one finds out which lanes are over, the
//! *main* one draws moves and computes the next state in place. Between the two, lanes that are
//! over give their result and begin anew. An *open* plan has a third piece between them that draws
//! moves, for those who want to see or to change what is played.
//!
//! Where one of a few fluents tells whose turn it is and passes on the turn whatever is played,
//! there is code for each turn, with that fluent compiled in. All lanes that play have the same
//! turn at the same time then.

use std::sync::Arc;

use super::code::{Code, Slot, Wish};
use super::draw::{RandomWords, draw, most_words};
use super::graph::{ALL, Graph, Lit, NONE};
use ludorum_propnet::circuit::{ALWAYS, Block, Circuit, Edge, GateKind, NEVER};
use ludorum_propnet::network::Network;
use ludorum_propnet::pass::specialise::specialise;

/// Where things are in the memory of a machine; fluents come first, each in the slot of its number.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) terminal: Slot,
    /// Lanes in which a role has no legal move.
    pub(super) stuck: Slot,
    /// Lanes in which a loop is not yet done.
    pub(super) changed: Slot,
    pub(super) goals: Slot,
    pub(super) random: Slot,
    /// The legal moves, where they are asked for.
    pub(super) legal: Slot,
    /// The moves that are played, where they are given.
    pub(super) played: Slot,
    /// The last states of lanes whose goals are still to be computed.
    pub(super) finals: Slot,
    /// The gates of cycles.
    pub(super) cycles: Slot,
    /// The first slot for everything else.
    pub(super) free: Slot,
}

/// Code for a part of a step: sections, of which loops start from empty words.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) sections: std::ops::Range<usize>,
}

/// A step, or a step of one turn.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) code: Arc<Code>,
    pub(super) early: Part,
    /// Empty unless the plan is open.
    pub(super) draw: Part,
    pub(super) main: Part,
    /// How many random words the step uses.
    pub(super) random: u32,
    /// The moves that can be legal in it, counted over all roles and ascending. Empty unless the
    /// plan is open.
    pub(super) possible: Vec<u32>,
    /// The turn that follows.
    pub(super) next: usize,
}

/// When goals are computed.
#[derive(Clone, Debug)]
pub(super) enum Goals {
    /// In the early code of every step.
    Early,
    /// From the last states, when many are there; with the fluents that they depend on.
    Late(Arc<Code>, Vec<u32>),
}

/// A choice that can be made for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Whether lanes without a legal move are found before the step. Nearly all sheets give
    /// everybody a move at all times, and it is cheaper to notice afterwards that one does not.
    pub(super) exact_stuck: bool,
    /// Whether goals are computed late; by estimate if not given.
    pub(super) late_goals: Option<bool>,
    /// Whether legal moves and the moves played are to be seen in memory.
    pub(super) open: bool,
}

/// Everything that is compiled for playouts.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) layout: Layout,
    pub(super) turns: Vec<Turn>,
    /// The fluents that tell turns apart, one for each turn; none if there is one turn.
    pub(super) control: Vec<u32>,
    /// The fluents that matter for playouts.
    pub(super) fluents: Vec<u32>,
    pub(super) goals: Goals,
    /// All slots.
    pub(super) slots: u32,
    pub(super) exact_stuck: bool,
    /// How many moves there are, and which belong to each role.
    pub(super) moves: usize,
    pub(super) role_moves: Vec<std::ops::Range<usize>>,
}

/// The largest group of control fluents.
const MOST_TURNS: usize = 8;
/// How many wires are compiled for trial, all groups and their turns together: more would take too
/// long.
const MOST_WIRES: usize = 6_000_000;
/// How many groups are tried, the smallest first. Whatever a game counts in circles could tell
/// turns apart.
const MOST_GROUPS: usize = 4;

impl Plan {
    /// Compiles a network, of which `circuit` is the lowered form. Once `wanted` says that nobody
    /// wants it any more, it is left as good as it is by then.
    pub(super) fn new(
        network: &Network,
        circuit: &Circuit,
        choice: Choice,
        wanted: &dyn Fn() -> bool,
    ) -> Self {
        let mut best = Self::with_turns(circuit, &[circuit], &[], choice);
        let groups = network.exclusive.iter();
        let small = groups.filter(|group| (2..=MOST_TURNS).contains(&group.len()));
        let mut groups: Vec<&Box<[u32]>> = small.collect();
        groups.sort_by_key(|group| group.len());
        groups.retain({
            let (mut tried, mut wires) = (0, MOST_WIRES);
            move |group| {
                let cost = circuit.wire_count() * group.len();
                let fits = tried < MOST_GROUPS && cost <= wires && keeps_turn(circuit, group);
                if fits {
                    tried += 1;
                    wires -= cost;
                }
                fits
            }
        });
        for group in groups {
            let special: Vec<Circuit> = (0..group.len())
                .take_while(|_| wanted())
                .map(|turn| {
                    let values: Vec<(u32, bool)> =
                        (0..group.len()).map(|i| (group[i], i == turn)).collect();
                    Circuit::new(&specialise(network, &values))
                })
                .collect();
            if special.len() < group.len() || !wanted() {
                break;
            }
            let circuits: Vec<&Circuit> = special.iter().collect();
            let plan = Self::with_turns(circuit, &circuits, group, choice);
            if plan.comes_round() && plan.cost() < best.cost() {
                best = plan;
            }
        }
        best
    }

    /// Whether every turn is known to come again, so that a lane that waits for it does not wait
    /// for ever.
    fn comes_round(&self) -> bool {
        let mut followed = vec![false; self.turns.len()];
        self.turns.iter().all(|turn| {
            let next = followed.get_mut(turn.next);
            next.is_some_and(|next| !std::mem::replace(next, true))
        })
    }

    /// Words read in a step, on average over turns.
    fn cost(&self) -> usize {
        let sum: usize = self
            .turns
            .iter()
            .map(|turn| {
                (0..turn.code.sections.len())
                    .map(|section| turn.code.reads(section))
                    .sum::<usize>()
            })
            .sum();
        sum / self.turns.len()
    }

    /// A plan with a circuit for each turn; `general` is right for all of them.
    fn with_turns(
        general: &Circuit,
        circuits: &[&Circuit],
        control: &[u32],
        choice: Choice,
    ) -> Self {
        let goal_code = GoalCone::new(general);
        let late = choice
            .late_goals
            .unwrap_or_else(|| goal_code.extra_reads > 2 * goal_code.fluents.len() + 20);
        let fluents = needed_fluents(circuits, if late { &goal_code.fluents } else { &[] });
        let finals = if late { goal_code.fluents.len() } else { 0 };
        let moves = if choice.open { circuits[0].moves } else { 0 };
        let layout = Layout::new(circuits, finals, moves as usize);
        let turns: Vec<Turn> = circuits
            .iter()
            .enumerate()
            .map(|(turn, circuit)| {
                let values: Vec<(u32, bool)> = (0..control.len())
                    .map(|i| (control[i], i == turn))
                    .collect();
                Lowering::new(circuit, &layout, &values).turn(&fluents, !late, choice, control)
            })
            .collect();
        let mut slots = turns.iter().map(|turn| turn.code.slots).max().unwrap_or(0);
        let goals = if late {
            // Goals are computed between the early and the main code, whose words must stay as they
            // are.
            let aside = Layout {
                cycles: slots,
                free: slots + cycle_gates(general) as u32,
                ..layout.clone()
            };
            let code = goal_code.code(general, &aside);
            slots = code.slots;
            Goals::Late(Arc::new(code), goal_code.fluents)
        } else {
            Goals::Early
        };
        Self {
            layout,
            turns,
            control: control.to_vec(),
            fluents,
            goals,
            slots,
            exact_stuck: choice.exact_stuck,
            moves: circuits[0].moves as usize,
            role_moves: circuits[0].role_moves.clone(),
        }
    }
}

/// The code for single questions: everything about many states at once.
#[derive(Clone, Debug)]
pub(super) struct Questions {
    pub(super) layout: Layout,
    pub(super) code: Arc<Code>,
    /// Terminal, goals and legal moves.
    pub(super) state: Part,
    /// The next state for the moves played.
    pub(super) next: Part,
}

impl Questions {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let layout = Layout::new(&[circuit], 0, circuit.moves as usize);
        let (code, state, next) = Lowering::new(circuit, &layout, &[]).questions();
        Self {
            layout,
            code: Arc::new(code),
            state,
            next,
        }
    }
}

impl Layout {
    fn new(circuits: &[&Circuit], finals: usize, moves: usize) -> Self {
        let circuit = circuits[0];
        let most = |size: &dyn Fn(&Circuit) -> usize| circuits.iter().map(|c| size(c)).max();
        let random = most(&|circuit| {
            let roles = circuit.role_moves.iter();
            roles.map(|moves| most_words(moves.len())).sum()
        });
        let cycles = most(&cycle_gates);
        let mut next = circuit.fluents;
        let mut take = |words: usize| {
            next += words as u32;
            next - words as u32
        };
        Self {
            terminal: take(1),
            stuck: take(1),
            changed: take(1),
            goals: take(circuit.goals.len()),
            random: take(random.unwrap_or(0)),
            legal: take(moves),
            played: take(moves),
            finals: take(finals),
            cycles: take(cycles.unwrap_or(0)),
            free: next,
        }
    }
}

/// How many gates are in cycles.
fn cycle_gates(circuit: &Circuit) -> usize {
    let blocks = circuit.state_blocks.iter().chain(&circuit.action_blocks);
    blocks
        .filter(|block| block.cyclic)
        .map(|block| block.gates.len())
        .sum()
}

/// Whether the next values of a group of fluents depend on no move.
fn keeps_turn(circuit: &Circuit, group: &[u32]) -> bool {
    let first_gate = circuit.first_gate();
    let mut seen = vec![false; circuit.gate_count()];
    let mut open: Vec<Edge> = group
        .iter()
        .map(|fluent| circuit.next[*fluent as usize])
        .collect();
    while let Some(edge) = open.pop() {
        let signal = edge >> 1;
        if signal >= first_gate {
            let gate = signal - first_gate;
            if !std::mem::replace(&mut seen[gate as usize], true) {
                open.extend_from_slice(circuit.inputs(gate));
            }
        } else if signal > circuit.fluents {
            return false;
        }
    }
    true
}

/// Marks the gates that edges depend on, and calls back for every fluent among their sources.
fn mark(circuit: &Circuit, edges: Vec<Edge>, gates: &mut [bool], mut fluent: impl FnMut(u32)) {
    let first_gate = circuit.first_gate();
    let mut open = edges;
    while let Some(edge) = open.pop() {
        let signal = edge >> 1;
        if signal >= first_gate {
            let gate = signal - first_gate;
            if !std::mem::replace(&mut gates[gate as usize], true) {
                open.extend_from_slice(circuit.inputs(gate));
            }
        } else if (1..=circuit.fluents).contains(&signal) {
            fluent(signal - 1);
        }
    }
}

/// The fluents that the course of the game depends on, and its results; some are known to be
/// needed.
fn needed_fluents(circuits: &[&Circuit], known: &[u32]) -> Vec<u32> {
    let mut needed = vec![false; circuits[0].fluents as usize];
    let mut gates: Vec<Vec<bool>> = circuits
        .iter()
        .map(|circuit| vec![false; circuit.gate_count()])
        .collect();
    let mut fresh = known.to_vec();
    for fluent in known {
        needed[*fluent as usize] = true;
    }
    for (circuit, gates) in circuits.iter().zip(&mut gates) {
        let mut roots = circuit.legal.clone();
        roots.extend_from_slice(&circuit.goals);
        roots.push(circuit.terminal);
        mark(circuit, roots, gates, |fluent| {
            if !std::mem::replace(&mut needed[fluent as usize], true) {
                fresh.push(fluent);
            }
        });
    }
    while let Some(fluent) = fresh.pop() {
        for (circuit, gates) in circuits.iter().zip(&mut gates) {
            mark(
                circuit,
                vec![circuit.next[fluent as usize]],
                gates,
                |fluent| {
                    if !std::mem::replace(&mut needed[fluent as usize], true) {
                        fresh.push(fluent);
                    }
                },
            );
        }
    }
    (0..circuits[0].fluents)
        .filter(|fluent| needed[*fluent as usize])
        .collect()
}

/// What goals depend on.
struct GoalCone {
    fluents: Vec<u32>,
    /// Inputs of gates that goals depend on and the end does not.
    extra_reads: usize,
}

impl GoalCone {
    fn new(circuit: &Circuit) -> Self {
        let mut ending = vec![false; circuit.gate_count()];
        mark(circuit, vec![circuit.terminal], &mut ending, |_| {});
        let mut gates = vec![false; circuit.gate_count()];
        let mut fluents = Vec::new();
        mark(circuit, circuit.goals.clone(), &mut gates, |fluent| {
            fluents.push(fluent);
        });
        fluents.sort_unstable();
        fluents.dedup();
        let extra_reads = (0..circuit.gate_count() as u32)
            .filter(|gate| gates[*gate as usize] && !ending[*gate as usize])
            .map(|gate| circuit.inputs(gate).len())
            .sum();
        Self {
            fluents,
            extra_reads,
        }
    }

    fn code(&self, circuit: &Circuit, layout: &Layout) -> Code {
        let mut lowering = Lowering::new(circuit, layout, &[]);
        for (i, fluent) in self.fluents.iter().enumerate() {
            let signal = circuit.fluent(*fluent as usize) as usize;
            lowering.lits[signal] = lowering.graph.leaf(layout.finals + i as u32);
        }
        lowering.lower(&circuit.state_blocks, &circuit.goals);
        let stores = lowering.goal_stores();
        lowering.end_section(stores, Vec::new());
        Code::new(&lowering.graph, &lowering.wishes, layout.free)
    }
}

/// Puts a circuit into a graph, section by section.
struct Lowering<'c> {
    circuit: &'c Circuit,
    layout: &'c Layout,
    graph: Graph,
    /// The literal of every signal that has been lowered.
    lits: Vec<Lit>,
    lowered: Vec<bool>,
    wishes: Vec<Wish>,
    /// Slots of cycles that are taken.
    cycles: u32,
}

impl<'c> Lowering<'c> {
    fn new(circuit: &'c Circuit, layout: &'c Layout, values: &[(u32, bool)]) -> Self {
        let mut graph = Graph::new();
        let mut lits = vec![NONE; circuit.signal_count()];
        lits[0] = ALL;
        for fluent in 0..circuit.fluents {
            lits[circuit.fluent(fluent as usize) as usize] = graph.leaf(fluent);
        }
        for (fluent, value) in values {
            lits[circuit.fluent(*fluent as usize) as usize] = NONE ^ u32::from(*value);
        }
        Self {
            circuit,
            layout,
            graph,
            lits,
            lowered: vec![false; circuit.gate_count()],
            wishes: Vec::new(),
            cycles: 0,
        }
    }

    fn lit(&self, edge: Edge) -> Lit {
        self.lits[(edge >> 1) as usize] ^ edge & 1
    }

    /// Lowers what edges depend on, of the given blocks. Each cycle ends a section and is one.
    fn lower(&mut self, blocks: &[Block], edges: &[Edge]) {
        let mut needed = vec![false; self.circuit.gate_count()];
        mark(self.circuit, edges.to_vec(), &mut needed, |_| {});
        let first = self.circuit.first_gate();
        for block in blocks {
            if block.cyclic {
                if needed[block.gates.start as usize] && !self.lowered[block.gates.start as usize] {
                    self.lower_cycle(block);
                }
                continue;
            }
            for gate in block.gates.clone() {
                if !needed[gate as usize]
                    || std::mem::replace(&mut self.lowered[gate as usize], true)
                {
                    continue;
                }
                let inputs: Vec<Lit> = self
                    .circuit
                    .inputs(gate)
                    .iter()
                    .map(|edge| self.lit(*edge))
                    .collect();
                self.lits[(first + gate) as usize] = self.gate(gate, &inputs);
            }
        }
    }

    fn gate(&mut self, gate: u32, inputs: &[Lit]) -> Lit {
        match self.circuit.gate_kind(gate) {
            GateKind::And => self.graph.and(inputs),
            GateKind::Or => self.graph.or(inputs),
        }
    }

    /// A least fixpoint: all gates start empty and are computed in turn, from the newest values of
    /// the others, until none changes.
    fn lower_cycle(&mut self, block: &Block) {
        let first = self.circuit.first_gate();
        let inside = |edge: Edge| {
            let signal = edge >> 1;
            signal >= first && block.gates.contains(&(signal - first))
        };
        // What comes from outside is computed before, once.
        let mut keeps = Vec::new();
        for gate in block.gates.clone() {
            for edge in self.circuit.inputs(gate) {
                if !inside(*edge) {
                    keeps.push(self.lit(*edge));
                }
            }
        }
        keeps.sort_unstable();
        keeps.dedup();
        self.end_section(Vec::new(), keeps);
        let slots = self.layout.cycles + self.cycles;
        self.cycles += block.gates.len() as u32;
        for (i, gate) in block.gates.clone().enumerate() {
            self.lits[(first + gate) as usize] = self.graph.leaf(slots + i as u32);
        }
        let mut stores = Vec::new();
        let mut changes = Vec::new();
        for (i, gate) in block.gates.clone().enumerate() {
            let inputs: Vec<Lit> = self
                .circuit
                .inputs(gate)
                .iter()
                .map(|edge| self.lit(*edge))
                .collect();
            let new = self.gate(gate, &inputs);
            let old = std::mem::replace(&mut self.lits[(first + gate) as usize], new);
            stores.push((new, slots + i as u32));
            changes.push(self.graph.xor(new, old));
            self.lowered[gate as usize] = true;
        }
        let changed = self.graph.or(&changes);
        stores.push((changed, self.layout.changed));
        self.wishes.push(Wish {
            stores,
            keeps: Vec::new(),
            repeats: true,
        });
        for (i, gate) in block.gates.clone().enumerate() {
            self.lits[(first + gate) as usize] = self.graph.leaf(slots + i as u32);
        }
    }

    fn end_section(&mut self, stores: Vec<(Lit, Slot)>, keeps: Vec<Lit>) {
        self.wishes.push(Wish {
            stores,
            keeps,
            repeats: false,
        });
    }

    fn goal_stores(&self) -> Vec<(Lit, Slot)> {
        let goals = self.circuit.goals.iter().enumerate();
        goals
            .map(|(i, edge)| (self.lit(*edge), self.layout.goals + i as u32))
            .collect()
    }

    fn turn(mut self, fluents: &[u32], early_goals: bool, choice: Choice, control: &[u32]) -> Turn {
        let circuit = self.circuit;
        self.lower(&circuit.state_blocks, &[circuit.terminal]);
        if early_goals {
            self.lower(&circuit.state_blocks, &circuit.goals);
        }
        if choice.exact_stuck {
            self.lower(&circuit.state_blocks, &circuit.legal);
        }
        let mut stores = vec![(self.lit(circuit.terminal), self.layout.terminal)];
        if early_goals {
            stores.extend(self.goal_stores());
        }
        if choice.exact_stuck {
            let stuck: Vec<Lit> = circuit
                .role_moves
                .iter()
                .map(|moves| {
                    let legal: Vec<Lit> = moves
                        .clone()
                        .map(|action| self.lit(circuit.legal[action]))
                        .collect();
                    self.graph.or(&legal) ^ 1
                })
                .collect();
            stores.push((self.graph.or(&stuck), self.layout.stuck));
        }
        self.end_section(stores, Vec::new());
        let early = 0..self.wishes.len();

        let next: Vec<Edge> = fluents
            .iter()
            .map(|fluent| circuit.next[*fluent as usize])
            .collect();
        let mut state_edges = circuit.legal.clone();
        state_edges.extend_from_slice(&next);
        self.lower(&circuit.state_blocks, &state_edges);
        let seen = if choice.open { circuit.moves } else { 0 };
        let possible = (0..seen)
            .filter(|action| self.lit(circuit.legal[*action as usize]) != NONE)
            .collect();
        let mut random = RandomWords::new(self.layout.random);
        let mut stuck = Vec::new();
        for moves in &circuit.role_moves {
            let legal: Vec<Lit> = moves
                .clone()
                .map(|action| self.lit(circuit.legal[action]))
                .collect();
            let drawn = draw(&mut self.graph, &legal, &mut random);
            for (action, played) in moves.clone().zip(drawn.played) {
                self.lits[circuit.action(action) as usize] = played;
            }
            stuck.push(drawn.stuck);
        }
        let mut stores = Vec::new();
        if !choice.exact_stuck {
            stores.push((self.graph.or(&stuck), self.layout.stuck));
        }
        let mut draw = early.end..early.end;
        if choice.open {
            for (action, edge) in circuit.legal.iter().enumerate() {
                let played = &mut self.lits[circuit.action(action) as usize];
                let slot = self.layout.played + action as u32;
                stores.push((*played, slot));
                *played = self.graph.leaf(slot);
                stores.push((self.lit(*edge), self.layout.legal + action as u32));
            }
            self.end_section(std::mem::take(&mut stores), Vec::new());
            draw.end = self.wishes.len();
        }
        self.lower(&circuit.action_blocks, &next);
        for (fluent, edge) in fluents.iter().zip(&next) {
            stores.push((self.lit(*edge), *fluent));
        }
        let main = draw.end..self.wishes.len() + 1;
        self.end_section(stores, Vec::new());
        let code = Code::new(&self.graph, &self.wishes, self.layout.free);
        // The turn that follows, if exactly one is certain to.
        let values: Vec<Edge> = control
            .iter()
            .map(|fluent| circuit.next[*fluent as usize])
            .collect();
        let certain = values.iter().all(|edge| matches!(*edge, ALWAYS | NEVER))
            && values.iter().filter(|edge| **edge == ALWAYS).count() == 1;
        let next = match values.iter().position(|edge| *edge == ALWAYS) {
            Some(next) if certain => next,
            None if control.is_empty() => 0,
            _ => usize::MAX,
        };
        Turn {
            code: Arc::new(code),
            early: Part { sections: early },
            draw: Part { sections: draw },
            main: Part { sections: main },
            random: random.used(),
            possible,
            next,
        }
    }

    fn questions(mut self) -> (Code, Part, Part) {
        let circuit = self.circuit;
        let mut edges = circuit.legal.clone();
        edges.extend_from_slice(&circuit.goals);
        edges.push(circuit.terminal);
        self.lower(&circuit.state_blocks, &edges);
        let mut stores = vec![(self.lit(circuit.terminal), self.layout.terminal)];
        stores.extend(self.goal_stores());
        for (action, edge) in circuit.legal.iter().enumerate() {
            stores.push((self.lit(*edge), self.layout.legal + action as u32));
        }
        self.end_section(stores, Vec::new());
        let state = 0..self.wishes.len();
        self.lower(&circuit.state_blocks, &circuit.next);
        for action in 0..circuit.moves {
            self.lits[circuit.action(action as usize) as usize] =
                self.graph.leaf(self.layout.played + action);
        }
        self.lower(&circuit.action_blocks, &circuit.next);
        let stores = circuit
            .next
            .iter()
            .enumerate()
            .map(|(fluent, edge)| (self.lit(*edge), fluent as u32))
            .collect();
        self.end_section(stores, Vec::new());
        let next = state.end..self.wishes.len();
        let code = Code::new(&self.graph, &self.wishes, self.layout.free);
        (code, Part { sections: state }, Part { sections: next })
    }
}
