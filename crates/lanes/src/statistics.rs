//! What a game was compiled to, and where its time goes.

use serde::Serialize;

use super::lane_word::LaneWord;
use super::machine::Machine;
use super::plan::{GoalSchedule, LanePlan};

/// What a game was compiled to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneStatistics {
    /// How many playouts there are at once.
    pub lanes: usize,
    /// The fluents that tell turns apart, if each turn has code of its own.
    pub turns: Vec<String>,
    /// How many fluents matter for playouts.
    pub fluents: usize,
    /// Operations of a step, on average over turns.
    pub operations: usize,
    /// Words that they read.
    pub reads: usize,
    /// Words of random bits that a step draws, on average over turns.
    pub random_words: usize,
    /// Whether goals are computed for many ended lanes at a time, rather than in every step.
    pub late_goals: bool,
    /// The memory that playouts work in.
    pub memory_bytes: usize,
    /// The memory that the code for the interpreter takes, all turns together.
    pub code_bytes: usize,
    /// The length of the native code; 0 where the interpreter runs.
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
