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

mod cones;
mod lowering;

use std::sync::Arc;

use self::cones::{GoalCone, cycle_gates, keeps_turn, needed_fluents};
use self::lowering::Lowering;
use super::code::{Code, Slot};
use super::move_sampler::max_words;
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::network::Network;
use ludorum_propnet::pass::specialise::specialise;

/// Where things are in the memory of a machine; fluents come first, each in the slot of its number.
#[derive(Clone, Debug)]
pub(super) struct MemoryLayout {
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
pub(super) struct CodePart {
    pub(super) sections: std::ops::Range<usize>,
}

/// A step, or a step of one turn.
#[derive(Clone, Debug)]
pub(super) struct TurnCode {
    pub(super) code: Arc<Code>,
    pub(super) early: CodePart,
    /// Empty unless the plan is open.
    pub(super) draw: CodePart,
    pub(super) main: CodePart,
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
pub(super) enum GoalSchedule {
    /// In the early code of every step.
    Early,
    /// From the last states, when many are there; with the fluents that they depend on.
    Late(Arc<Code>, Vec<u32>),
}

/// A choice that can be made for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlanOptions {
    /// Whether lanes without a legal move are found before the step. Nearly all sheets give
    /// everybody a move at all times, and it is cheaper to notice afterwards that one does not.
    pub(super) exact_stuck: bool,
    /// Whether goals are computed late; by estimate if not given.
    pub(super) late_goals: Option<bool>,
    /// Whether legal moves and the moves played are to be seen in memory.
    pub(super) moves_visible: bool,
}

/// Everything that is compiled for playouts.
#[derive(Clone, Debug)]
pub(super) struct LanePlan {
    pub(super) layout: MemoryLayout,
    pub(super) turns: Vec<TurnCode>,
    /// The fluents that tell turns apart, one for each turn; none if there is one turn.
    pub(super) control: Vec<u32>,
    /// The fluents that matter for playouts.
    pub(super) fluents: Vec<u32>,
    pub(super) goals: GoalSchedule,
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

impl LanePlan {
    /// Compiles a network, of which `circuit` is the lowered form. Once `wanted` says that nobody
    /// wants it any more, it is left as good as it is by then.
    pub(super) fn new(
        network: &Network,
        circuit: &Circuit,
        options: PlanOptions,
        wanted: &dyn Fn() -> bool,
    ) -> Self {
        let mut best = Self::with_turns(circuit, &[circuit], &[], options);
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
            let plan = Self::with_turns(circuit, &circuits, group, options);
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
        options: PlanOptions,
    ) -> Self {
        let goal_code = GoalCone::new(general);
        let late = options
            .late_goals
            .unwrap_or_else(|| goal_code.extra_reads > 2 * goal_code.fluents.len() + 20);
        let fluents = needed_fluents(circuits, if late { &goal_code.fluents } else { &[] });
        let finals = if late { goal_code.fluents.len() } else { 0 };
        let moves = if options.moves_visible {
            circuits[0].moves
        } else {
            0
        };
        let layout = MemoryLayout::new(circuits, finals, moves as usize);
        let turns: Vec<TurnCode> = circuits
            .iter()
            .enumerate()
            .map(|(turn, circuit)| {
                let values: Vec<(u32, bool)> = (0..control.len())
                    .map(|i| (control[i], i == turn))
                    .collect();
                Lowering::new(circuit, &layout, &values).turn(&fluents, !late, options, control)
            })
            .collect();
        let mut slots = turns.iter().map(|turn| turn.code.slots).max().unwrap_or(0);
        let goals = if late {
            // Goals are computed between the early and the main code, whose words must stay as they
            // are.
            let aside = MemoryLayout {
                cycles: slots,
                free: slots + cycle_gates(general) as u32,
                ..layout.clone()
            };
            let code = goal_code.code(general, &aside);
            slots = code.slots;
            GoalSchedule::Late(Arc::new(code), goal_code.fluents)
        } else {
            GoalSchedule::Early
        };
        Self {
            layout,
            turns,
            control: control.to_vec(),
            fluents,
            goals,
            slots,
            exact_stuck: options.exact_stuck,
            moves: circuits[0].moves as usize,
            role_moves: circuits[0].role_moves.clone(),
        }
    }
}

/// The code for single questions: everything about many states at once.
#[derive(Clone, Debug)]
pub(super) struct QueryCode {
    pub(super) layout: MemoryLayout,
    pub(super) code: Arc<Code>,
    /// Terminal, goals and legal moves.
    pub(super) state: CodePart,
    /// The next state for the moves played.
    pub(super) next: CodePart,
}

impl QueryCode {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let layout = MemoryLayout::new(&[circuit], 0, circuit.moves as usize);
        let (code, state, next) = Lowering::new(circuit, &layout, &[]).questions();
        Self {
            layout,
            code: Arc::new(code),
            state,
            next,
        }
    }
}

impl MemoryLayout {
    fn new(circuits: &[&Circuit], finals: usize, moves: usize) -> Self {
        let circuit = circuits[0];
        let most = |size: &dyn Fn(&Circuit) -> usize| circuits.iter().map(|c| size(c)).max();
        let random = most(&|circuit| {
            let roles = circuit.role_moves.iter();
            roles.map(|moves| max_words(moves.len())).sum()
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
