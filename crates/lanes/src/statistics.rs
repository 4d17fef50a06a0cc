//! Statistics of a compiled game.

use serde::Serialize;

use super::lane_word::LaneWord;
use super::machine::Machine;
use super::plan::{GoalSchedule, LanePlan};

/// Statistics of the plan and code of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneStatistics {
    /// The number of lanes.
    pub lanes: usize,
    /// The control fluents, if each turn has code of its own.
    pub turns: Vec<String>,
    /// The number of fluents that playouts depend on.
    pub fluents: usize,
    /// Operations of a step, on average over turns.
    pub operations: usize,
    /// Words read in a step, on average over turns.
    pub reads: usize,
    /// Random words used in a step, on average over turns.
    pub random_words: usize,
    /// Whether goals are computed for many finished lanes at a time and not in every step.
    pub late_goals: bool,
    /// The memory of a machine, in bytes.
    pub memory_bytes: usize,
    /// The size of the interpreter's code, all turns together, in bytes.
    pub code_bytes: usize,
    /// The size of the native code in bytes; 0 if the interpreter runs.
    pub native_bytes: usize,
}

impl LaneStatistics {
    pub(super) fn new(machine: &Machine, names: &[Box<str>]) -> Self {
        let plan = machine.plan();
        let turns = plan.turns.len();
        let sum = |figure: &dyn Fn(usize) -> usize| (0..turns).map(figure).sum::<usize>() / turns;
        Self {
            lanes: LaneWord::LANES,
            turns: plan
                .control
                .iter()
                .map(|fluent| names[*fluent as usize].to_string())
                .collect(),
            fluents: plan.fluents.len(),
            operations: sum(&|turn| plan.turns[turn].code.operations()),
            reads: sum(&|turn| reads(plan, turn)),
            random_words: sum(&|turn| plan.turns[turn].random as usize),
            late_goals: matches!(plan.goals, GoalSchedule::Late(..)),
            memory_bytes: machine.bytes(),
            code_bytes: plan.turns.iter().map(|turn| turn.code.bytes()).sum(),
            native_bytes: machine.native_bytes(),
        }
    }
}

fn reads(plan: &LanePlan, turn: usize) -> usize {
    let code = &plan.turns[turn].code;
    (0..code.sections.len())
        .map(|section| code.reads(section))
        .sum()
}
