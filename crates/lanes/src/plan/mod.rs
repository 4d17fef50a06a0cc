//! Lane plans: compiling a network to code for playouts.
//!
//! A step of all lanes is two parts of code: the *early* part finds the lanes that are over, the
//! *main* part samples moves and computes the next state in place. Between the two, lanes that are
//! over give their result and restart. In a plan with visible moves, a third part between them
//! samples the moves and leaves them in memory, where guides replace and recorders read them.
//!
//! Where a one-hot group of fluents encodes whose turn it is, and the turn passes on independently
//! of the moves, each turn has code of its own, with these fluents as constants. All lanes then
//! have the same turn at the same time.

mod blocking;
mod cones;
mod cycles;
mod lowering;

use std::sync::Arc;

use self::cones::{GoalCone, is_independent_of_moves, needed_fluents};
use self::cycles::cycles_of;
use self::lowering::Lowering;
use super::code::{Code, Slot};
use super::move_sampler::{max_bounded_words, max_words};
use super::staging::StagedGame;
use ludorum_propnet::circuit::{Circuit, NEVER};
use ludorum_propnet::network::Network;
use ludorum_propnet::pass::specialise::specialise;

/// The memory layout of a machine. Fluents come first, each in the slot of its number.
#[derive(Clone, Debug)]
pub(super) struct MemoryLayout {
    pub(super) terminal: Slot,
    /// Lanes in which a role has no legal move.
    pub(super) stuck: Slot,
    /// Lanes in which a loop has not reached its fixpoint.
    pub(super) changed: Slot,
    /// Lanes in which a loop starts from false.
    pub(super) restarted: Slot,
    pub(super) goals: Slot,
    pub(super) random: Slot,
    /// The legal moves, where they are visible.
    pub(super) legal: Slot,
    /// The moves that are played, where they are visible.
    pub(super) played: Slot,
    /// The last states of lanes whose goals are yet to be computed.
    pub(super) finals: Slot,
    /// The words that cycles keep from one iteration to the next.
    pub(super) cycles: Slot,
    /// The first slot for intermediate results.
    pub(super) free: Slot,
}

/// A part of a step, as a range of sections.
#[derive(Clone, Debug)]
pub(super) struct CodePart {
    pub(super) sections: std::ops::Range<usize>,
}

/// The code of a step, or of a step in one turn.
#[derive(Clone, Debug)]
pub(super) struct TurnCode {
    pub(super) code: Arc<Code>,
    pub(super) early: CodePart,
    /// Empty unless moves are visible.
    pub(super) draw: CodePart,
    pub(super) main: CodePart,
    /// The number of random words that a step uses.
    pub(super) random: u32,
    /// The moves that can be legal in this turn, numbered over all roles, ascending. Empty unless
    /// moves are visible.
    pub(super) possible: Vec<u32>,
    /// The turn that follows; `usize::MAX` if it is not certain.
    pub(super) next: usize,
}

/// When goals are computed.
#[derive(Clone, Debug)]
pub(super) enum GoalSchedule {
    /// In the early part of every step.
    Early,
    /// From saved last states, for many lanes at a time; with the fluents that goals depend on.
    Late(Arc<Code>, Vec<u32>),
}

/// Options of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlanOptions {
    /// Whether lanes without a legal move are found before the step. In nearly all games every role
    /// always has a move, and it is cheaper to notice an exception afterwards and repeat.
    pub(super) exact_stuck: bool,
    /// Whether goals are computed late; chosen by a cost estimate if `None`.
    pub(super) late_goals: Option<bool>,
    /// Whether legal moves and played moves are visible in memory.
    pub(super) moves_visible: bool,
}

/// Everything that is compiled for playouts.
#[derive(Clone, Debug)]
pub(super) struct LanePlan {
    pub(super) layout: MemoryLayout,
    pub(super) turns: Vec<TurnCode>,
    /// The control fluents, one for each turn; empty if there is one turn.
    pub(super) control: Vec<u32>,
    /// The fluents that playouts depend on.
    pub(super) fluents: Vec<u32>,
    pub(super) goals: GoalSchedule,
    /// The total number of slots.
    pub(super) slots: u32,
    pub(super) exact_stuck: bool,
    /// In a staged game, whose turns are its stages, what playouts need to know.
    pub(super) staged: Option<StagedPlayouts>,
    /// The number of moves of all roles.
    pub(super) moves: usize,
    pub(super) role_moves: Vec<std::ops::Range<usize>>,
}

/// What playouts of a staged game need to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct StagedPlayouts {
    /// The lanes in which a step of the original game was made, after the last stage.
    pub(super) moved: Slot,
    /// The number of draws without a step after which playouts are abandoned.
    pub(super) max_draws: u64,
}

/// The largest group of control fluents.
const MAX_TURNS: usize = 8;
/// Limit on the number of wires that are compiled for comparison, all groups and turns together.
const MAX_WIRES: usize = 6_000_000;
/// The largest number of groups that are compared, the smallest first. Any cyclic counter of a game
/// is a candidate.
const MAX_GROUPS: usize = 4;

impl LanePlan {
    /// Compiles a network; `circuit` is its lowered form. When `wanted` returns false, the best
    /// plan so far is returned.
    pub(super) fn new(
        network: &Network,
        circuit: &Circuit,
        options: PlanOptions,
        wanted: &dyn Fn() -> bool,
    ) -> Self {
        let mut best = Self::with_turns(circuit, &[circuit], &[], options, None);
        let groups = network.exclusive.iter();
        let small = groups.filter(|group| (2..=MAX_TURNS).contains(&group.len()));
        let mut groups: Vec<&Box<[u32]>> = small.collect();
        groups.sort_by_key(|group| group.len());
        groups.retain({
            let (mut tried, mut wires) = (0, MAX_WIRES);
            move |group| {
                let cost = circuit.wire_count() * group.len();
                let fits =
                    tried < MAX_GROUPS && cost <= wires && is_independent_of_moves(circuit, group);
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
            let plan = Self::with_turns(circuit, &circuits, group, options, None);
            if plan.turns_form_cycles() && plan.cost() < best.cost() {
                best = plan;
            }
        }
        best
    }

    /// Compiles a staged game; its turns are the stages.
    pub(super) fn staged(circuit: &Circuit, game: &StagedGame, options: PlanOptions) -> Self {
        let circuits: Vec<&Circuit> = game.circuits.iter().collect();
        let stages = &game.staging.stages;
        Self::with_turns(circuit, &circuits, stages, options, Some(game))
    }

    /// Whether every turn is certain to come again, so that no lane waits forever for its turn.
    fn turns_form_cycles(&self) -> bool {
        let mut followed = vec![false; self.turns.len()];
        self.turns.iter().all(|turn| {
            let next = followed.get_mut(turn.next);
            next.is_some_and(|next| !std::mem::replace(next, true))
        })
    }

    /// Cost model: the number of words read in a step, on average over turns.
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

    /// A plan with one circuit for each turn; `general` is correct in all turns.
    fn with_turns(
        general: &Circuit,
        circuits: &[&Circuit],
        control: &[u32],
        options: PlanOptions,
        staged: Option<&StagedGame>,
    ) -> Self {
        let goal_code = GoalCone::new(general);
        let late = options
            .late_goals
            .unwrap_or_else(|| goal_code.extra_reads > 2 * goal_code.fluents.len() + 20);
        let mut known = if late {
            goal_code.fluents.clone()
        } else {
            Vec::new()
        };
        known.extend(staged.map(|game| game.staging.moved));
        let fluents = needed_fluents(circuits, &known);
        let finals = if late { goal_code.fluents.len() } else { 0 };
        let moves = if options.moves_visible {
            circuits[0].moves
        } else {
            0
        };
        let (cycles, cycle_words) = cycles_of(circuits, true);
        let layout = MemoryLayout::new(circuits, cycle_words, finals, moves as usize, staged);
        let turns: Vec<TurnCode> = circuits
            .iter()
            .zip(&cycles)
            .enumerate()
            .map(|(turn, (circuit, cycles))| {
                let values: Vec<(u32, bool)> = (0..control.len())
                    .map(|i| (control[i], i == turn))
                    .collect();
                // In a staged game lanes are over in the first stage.
                let may_end = staged.is_none()
                    || turn == 0
                    || options.exact_stuck
                    || circuit.terminal != NEVER;
                Lowering::new(circuit, cycles, &layout, &values).turn(
                    &fluents,
                    !late && may_end,
                    options,
                    control,
                    staged,
                )
            })
            .collect();
        let mut slots = turns.iter().map(|turn| turn.code.slots).max().unwrap_or(0);
        let goals = if late {
            // Goals are computed between the early and the main part, whose words must be
            // preserved.
            let (cycles, words) = cycles_of(&[general], false);
            let aside = MemoryLayout {
                cycles: slots,
                free: slots + words as u32,
                ..layout.clone()
            };
            let code = goal_code.code(general, &cycles[0], &aside);
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
            staged: staged.map(|game| StagedPlayouts {
                moved: game.staging.moved,
                max_draws: game.max_draws(),
            }),
            moves: circuits[0].moves as usize,
            role_moves: circuits[0].role_moves.clone(),
        }
    }
}

/// The code for evaluating single states, many at once.
#[derive(Clone, Debug)]
pub(super) struct QueryCode {
    pub(super) layout: MemoryLayout,
    pub(super) code: Arc<Code>,
    /// Computes terminal, goals and legal moves.
    pub(super) state: CodePart,
    /// Computes the next states from the played moves.
    pub(super) next: CodePart,
}

impl QueryCode {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let (cycles, words) = cycles_of(&[circuit], false);
        let layout = MemoryLayout::new(&[circuit], words, 0, circuit.moves as usize, None);
        let lowering = Lowering::new(circuit, &cycles[0], &layout, &[]);
        let (code, state, next) = lowering.questions();
        Self {
            layout,
            code: Arc::new(code),
            state,
            next,
        }
    }
}

impl MemoryLayout {
    fn new(
        circuits: &[&Circuit],
        cycles: usize,
        finals: usize,
        moves: usize,
        staged: Option<&StagedGame>,
    ) -> Self {
        let circuit = circuits[0];
        let most = |size: &dyn Fn(&Circuit) -> usize| circuits.iter().map(|c| size(c)).max();
        let random = most(&|circuit| {
            let roles = circuit.role_moves.iter().enumerate();
            roles
                .map(
                    |(role, moves)| match staged.and_then(|game| game.draw_of(role)) {
                        None => max_words(moves.len()),
                        Some(draw) => max_bounded_words(moves.len(), draw.bound),
                    },
                )
                .sum()
        });
        let mut next = circuit.fluents;
        let mut take = |words: usize| {
            next += words as u32;
            next - words as u32
        };
        Self {
            terminal: take(1),
            stuck: take(1),
            changed: take(1),
            restarted: take(1),
            goals: take(circuit.goals.len()),
            random: take(random.unwrap_or(0)),
            legal: take(moves),
            played: take(moves),
            finals: take(finals),
            cycles: take(cycles),
            free: next,
        }
    }
}
