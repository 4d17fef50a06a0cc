//! Settings of the engine: limits, and the optional parts that experiments switch.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How the conditions of a rule are ordered (Schofield and Saffidine 2013, section 5.3 and table
/// 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ConditionOrder {
    /// The order with the lowest estimated cost.
    #[default]
    LowestCost,
    /// The order of the game description.
    AsWritten,
    /// The order with the highest estimated cost, for comparison.
    HighestCost,
}

/// When rules are restricted to demanded values, by a form of magic sets (Bancilhon et al. 1986).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MagicSets {
    /// In games that derive many facts in a state, if random play is faster with the restriction.
    #[default]
    WhereFaster,
    /// In every game in which the analysis finds columns to restrict.
    Always,
    /// Never.
    Never,
}

/// How the engine is built.
#[derive(Clone, Debug)]
pub struct ChainSettings {
    /// The order of conditions.
    pub condition_order: ConditionOrder,
    /// Whether rules are restricted to demanded values.
    pub magic_sets: MagicSets,
    /// Maximum bytes of the knowledge base and the reference tables together.
    pub max_bytes: usize,
    /// Maximum rows of a materialised rigid relation. Larger relations keep their rules and are
    /// evaluated top-down.
    pub max_rigid_rows: usize,
    /// CPU time for building the engine, tables apart. A build that takes longer fails.
    pub build_time: Option<Duration>,
    /// CPU time for collecting statistics by random play.
    pub statistics_time: Duration,
    /// CPU time for building reference tables. Rules without tables by then run as joins over
    /// terms.
    pub table_time: Duration,
    /// CPU time for comparing the order with the lowest estimated cost with the order of the game
    /// description, by random play; zero for no comparison. Slow games take more.
    pub order_trial_time: Duration,
    /// Maximum number of states visited for statistics.
    pub statistics_states: u32,
    /// Cancels the build when set.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for ChainSettings {
    fn default() -> Self {
        Self {
            condition_order: ConditionOrder::LowestCost,
            magic_sets: MagicSets::WhereFaster,
            max_bytes: 1 << 30,
            max_rigid_rows: 1_000_000,
            build_time: None,
            statistics_time: Duration::from_secs(2),
            table_time: Duration::from_secs(10),
            order_trial_time: Duration::from_millis(64),
            statistics_states: 500,
            cancel: None,
        }
    }
}
