//! The portfolio: the strategies of all roles as the rollout policy of the tree (Świechowski 2015,
//! chapter 3).

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_reasoner::{PlayoutTotals, ReasonError, Reasoner, Rng, Role};

use super::engine_playouts::{self, PlayoutGroups};
use super::fluent_terms::FluentTerms;
use super::learning_phase::LearningPhase;
use super::lookahead_budget::LookaheadBudget;
use super::role_strategies::{Candidates, RoleStrategies};
use super::rule_analysis::RuleAnalysis;
use super::select::selection;
use super::simulation::{Simulation, SimulationBatch};
use super::strategies::exploration::{Exploration, WINDOW};
use super::strategies::goal::GoalEvaluation;
use super::strategies::history::{HistoryHeuristic, MAX_MOVES};
use super::strategies::mobility::Mobility;
use super::strategies::random::Random;
use super::strategies::score::Score;
use super::strategies::symbols::{LearnedEvaluations, SymbolsCounting};
use super::strategy::{Lookahead, Strategy, StrategyKind};
use crate::mcts::{LeafBatch, RolloutPolicy, SearchBudget, StrategyLog};

/// The desired duration of a batch: short enough to stop in time, long enough to be worth its
/// overhead.
const BATCH: std::ops::Range<Duration> = Duration::from_millis(10)..Duration::from_millis(50);
/// The minimum number of leaves of a batch on an engine that evaluates many states at once.
const MIN_LEAVES: usize = 4;
/// The maximum number of leaves of a batch.
const MAX_LEAVES: usize = 64;
/// The number of leaves of a batch with a budget of simulations, where clocks must not influence
/// the result.
const LEAVES_WITH_BUDGET: usize = 8;
/// The batch grows by one leaf for this many simulations: the first leaves of a tree are better
/// selected one by one.
const SIMULATIONS_PER_LEAF: u64 = 16;
/// The maximum number of simulations with lookahead in a batch where lookahead has a share of the
/// time only.
const MAX_LOOKAHEAD_SIMULATIONS: usize = 8;
/// The share of the time for simulations with lookahead during the learning phase. Features can be
/// counted only in simulations that are played step by step.
const LOOKAHEAD_SHARE_WHILE_LEARNING: f64 = 0.5;
/// The share of the time for simulations with lookahead on an engine that makes one playout after
/// the other. Lookahead is relatively cheaper there.
const LOOKAHEAD_SHARE_WITHOUT_BATCHES: f64 = 0.25;
/// The assumed time for a batch while pondering, where the end is not known.
const PONDERING_TIME: Duration = Duration::from_millis(200);

/// The settings of a portfolio.
#[derive(Clone, Debug)]
pub(super) struct PortfolioSettings {
    pub(super) kinds: Vec<StrategyKind>,
    /// The mechanism that selects strategies (Świechowski 2015, section 3.4).
    pub(super) selection: &'static str,
    /// The exploration constant of the mechanism `ucb`.
    pub(super) constant: f64,
    /// The share of the time for simulations with lookahead, on an engine that plays many games at
    /// once.
    pub(super) lookahead_share: f64,
}

impl PortfolioSettings {
    /// A single strategy without selection.
    pub(super) fn one(kind: StrategyKind) -> Self {
        Self {
            kinds: vec![kind],
            selection: "ucb",
            constant: 0.0,
            lookahead_share: 1.0,
        }
    }
}

/// The strategies of all roles.
#[derive(Debug)]
pub(super) struct Portfolio {
    settings: PortfolioSettings,
    roles: Vec<String>,
    strategy_log: Arc<StrategyLog>,
    /// The analysis of the rules, shared by all threads.
    rule_analysis: Arc<RuleAnalysis>,
    /// The strategies of each role; empty before the first search.
    role_strategies: Vec<RoleStrategies>,
    fluent_terms: FluentTerms,
    learning: Option<LearningPhase>,
    span: SearchBudget,
    /// The number of simulations in the current search.
    made: u64,
    /// The number of leaves of the next batch, adapted to the time that batches take.
    leaves: usize,
    lookahead_budget: LookaheadBudget,
}

impl Portfolio {
    pub(super) fn new(
        settings: PortfolioSettings,
        roles: Vec<String>,
        strategy_log: Arc<StrategyLog>,
        rule_analysis: Arc<RuleAnalysis>,
    ) -> Self {
        Self {
            settings,
            roles,
            strategy_log,
            rule_analysis,
            role_strategies: Vec::new(),
            fluent_terms: FluentTerms::default(),
            learning: None,
            span: SearchBudget {
                until: None,
                simulations: 0,
            },
            made: 0,
            leaves: MIN_LEAVES,
            lookahead_budget: LookaheadBudget::default(),
        }
    }

    /// Creates the strategies of all roles.
    fn create_strategies(&mut self, rule_analysis: &RuleAnalysis) {
        let learned = LearnedEvaluations::default();
        for role in 0..self.roles.len() {
            let kinds = self.settings.kinds.clone();
            let strategies = kinds.into_iter();
            let mut strategies: Vec<Box<dyn Strategy>> = strategies
                .filter_map(|kind| self.strategy(kind, role, rule_analysis, &learned))
                .collect();
            // At least one strategy must always be ready.
            let has_random = self.settings.kinds.contains(&StrategyKind::Random);
            let fallback = (!has_random).then_some(strategies.len());
            if !has_random {
                strategies.push(Box::new(Random));
            }
            let selection = selection(self.settings.selection, self.settings.constant);
            let strategy_log = Arc::clone(&self.strategy_log);
            let mut entry =
                RoleStrategies::new(role, strategies, fallback, selection, strategy_log);
            if self.settings.lookahead_share < 1.0 {
                entry.enable_preferences();
            }
            self.role_strategies.push(entry);
        }
        if self.settings.kinds.contains(&StrategyKind::Symbols) && self.roles.len() > 1 {
            self.learning = Some(LearningPhase::new(self.roles.len(), learned));
        }
    }

    /// Creates a strategy of a role; `None` if it does not apply to the game.
    fn strategy(
        &mut self,
        kind: StrategyKind,
        role: Role,
        rule_analysis: &RuleAnalysis,
        learned: &LearnedEvaluations,
    ) -> Option<Box<dyn Strategy>> {
        // Some strategies compare the role with others.
        let has_others = self.roles.len() > 1;
        let strategy: Box<dyn Strategy> = match kind {
            StrategyKind::Random => Box::new(Random),
            StrategyKind::Goal => Box::new(GoalEvaluation::new(rule_analysis.orand()?, role).ok()?),
            StrategyKind::History => Box::new(HistoryHeuristic::new(role, MAX_MOVES)),
            StrategyKind::Exploration => Box::new(Exploration { window: WINDOW }),
            StrategyKind::Mobility if has_others => Box::new(Mobility { role }),
            StrategyKind::Symbols if has_others => {
                Box::new(SymbolsCounting::new(role, Arc::clone(learned)))
            }
            StrategyKind::Score if has_others => {
                let found = rule_analysis.scores();
                Box::new(Score::new(found, &self.roles, role, &mut self.fluent_terms))
            }
            StrategyKind::Mobility | StrategyKind::Symbols | StrategyKind::Score => return None,
        };
        Some(strategy)
    }

    /// Selects strategies, makes the simulations of a batch, and returns the totals of each leaf.
    fn simulate<R: Reasoner>(
        &mut self,
        reasoner: &mut R,
        leaves: LeafBatch<'_, R::State>,
        rng: &mut Rng,
        deadline: Instant,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let is_batched = reasoner.preferred_batch() > 1;
        let allows_lookahead = leaves.is_guided && self.allows_lookahead(is_batched);
        let without_lookahead = match (leaves.is_guided, is_batched) {
            (false, _) => Candidates::RandomOnly,
            (true, true) => Candidates::WithoutLookahead,
            (true, false) => Candidates::MovesOnly,
        };
        let is_watched = self.learning.is_some()
            || self
                .role_strategies
                .iter()
                .any(RoleStrategies::observes_states);
        let mut groups = PlayoutGroups::new();
        let mut simulations = Vec::new();
        // The strategies of all leaves of the batch that need no lookahead: the engine plays from
        // all of them at once.
        let mut together: Option<Vec<usize>> = None;
        for (number, (state, depth)) in leaves.states.iter().zip(leaves.depths).enumerate() {
            let is_bounded = is_batched && self.settings.lookahead_share < 1.0;
            let looks =
                allows_lookahead && !(is_bounded && simulations.len() >= MAX_LOOKAHEAD_SIMULATIONS);
            let choice = if looks {
                Candidates::All
            } else {
                without_lookahead
            };
            let mut places = match &together {
                Some(places) if !looks => self.select_again(places),
                _ => self.choose(choice),
            };
            if is_batched && self.is_batched(&places, looks, is_watched) {
                match &together {
                    Some(others) if *others != places => {
                        self.take_back(&places);
                        places = self.select_again(others);
                    }
                    _ => together = Some(places.clone()),
                }
                groups.entry(places).or_default().push(number);
            } else {
                simulations.push(Simulation::new(number, state.clone(), *depth, places));
            }
        }
        let mut tallies: Vec<Option<PlayoutTotals>> = vec![None; leaves.states.len()];
        let role_strategies = &mut self.role_strategies;
        // With a budget of simulations the clock must not influence the result.
        let waits = self.span.simulations > 0;
        let first = Instant::now();
        let mut result = engine_playouts::play(
            reasoner,
            role_strategies,
            &mut groups,
            leaves,
            rng,
            waits,
            &mut tallies,
        );
        let begin = Instant::now();
        if result.is_ok() && !simulations.is_empty() {
            let mut stage = SimulationBatch {
                reasoner,
                role_strategies: &mut self.role_strategies,
                fluent_terms: &mut self.fluent_terms,
                feature_statistics: self
                    .learning
                    .as_mut()
                    .map(|learning| &mut learning.feature_statistics),
                rng,
                limit: leaves.limit,
                deadline: Some(deadline),
            };
            result = stage.play(&mut simulations).map(|played| {
                for (simulation, tally) in simulations.iter().zip(played) {
                    tallies[simulation.leaf] = Some(tally);
                }
            });
        }
        let (looked, all) = (simulations.len() as u64, leaves.states.len() as u64);
        let others = begin.saturating_duration_since(first);
        if is_batched || simulations.iter().any(|one| self.looks_ahead(&one.places)) {
            self.lookahead_budget
                .add(begin.elapsed(), looked, others, all);
        } else {
            self.lookahead_budget
                .add(Duration::ZERO, 0, first.elapsed(), all);
        }
        // Simulations that did not end are taken back.
        let untold = simulations
            .iter()
            .filter(|simulation| !simulation.is_observed);
        let untold = untold.map(|simulation| &simulation.places);
        let groups = groups.iter();
        let groups = groups.flat_map(|(places, numbers)| numbers.iter().map(move |_| places));
        let never: Vec<Vec<usize>> = untold.chain(groups).cloned().collect();
        for places in &never {
            self.take_back(places);
        }
        result?;
        let roles = self.roles.len();
        let tallies = tallies.into_iter();
        Ok(tallies
            .map(|t| t.unwrap_or_else(|| PlayoutTotals::new(roles)))
            .collect())
    }

    /// Selects a strategy for each role of a simulation.
    fn choose(&mut self, choice: Candidates) -> Vec<usize> {
        let role_strategies = self.role_strategies.iter_mut();
        role_strategies.map(|entry| entry.choose(choice)).collect()
    }

    /// Takes back the selection of a simulation that was not made.
    fn take_back(&mut self, places: &[usize]) {
        for (entry, place) in self.role_strategies.iter_mut().zip(places) {
            entry.take_back(*place);
        }
    }

    /// Counts one more simulation for strategies that were selected before.
    fn select_again(&mut self, places: &[usize]) -> Vec<usize> {
        for (entry, place) in self.role_strategies.iter_mut().zip(places) {
            entry.select_again(*place);
        }
        places.to_vec()
    }

    /// Ends the learning phase. The time that it took does not count against the lookahead budget.
    fn stop_learning(&mut self) {
        self.learning = None;
        self.lookahead_budget = LookaheadBudget::default();
    }

    /// Whether simulations of the next batch may use lookahead.
    fn allows_lookahead(&self, is_batched: bool) -> bool {
        let has_clock = self.span.simulations == 0;
        if !is_batched && !has_clock {
            return true;
        }
        let share = match &self.learning {
            Some(_) => self
                .settings
                .lookahead_share
                .max(LOOKAHEAD_SHARE_WHILE_LEARNING),
            None if is_batched => self.settings.lookahead_share,
            None => self
                .settings
                .lookahead_share
                .max(LOOKAHEAD_SHARE_WITHOUT_BATCHES),
        };
        self.lookahead_budget.allows_lookahead(share, has_clock)
    }

    /// Whether the engine can make a simulation by itself.
    fn is_batched(&self, places: &[usize], looks: bool, is_watched: bool) -> bool {
        if !engine_playouts::is_batched(&self.role_strategies, places) {
            return false;
        }
        !looks || (!is_watched && !self.looks_ahead(places))
    }

    /// Whether a role follows a strategy with lookahead.
    fn looks_ahead(&self, places: &[usize]) -> bool {
        let mut followed = self.role_strategies.iter().zip(places);
        followed.any(|(entry, place)| entry.lookahead(*place) > Lookahead::Moves)
    }

    /// Adapts the number of leaves to the time that a batch took.
    fn adapt_batch(&mut self, elapsed: Duration) {
        if elapsed > BATCH.end {
            self.leaves = (self.leaves / 2).max(MIN_LEAVES);
        } else if elapsed < BATCH.start {
            self.leaves = (self.leaves * 2).min(MAX_LEAVES);
        }
    }
}

impl<R: Reasoner> RolloutPolicy<R> for Portfolio {
    fn begin(&mut self, span: SearchBudget) {
        self.span = span;
        self.made = 0;
        if self.role_strategies.is_empty() {
            let rule_analysis = Arc::clone(&self.rule_analysis);
            rule_analysis.prepare(&self.settings.kinds, span);
            self.create_strategies(&rule_analysis);
        }
        if let Some(learning) = &mut self.learning
            && learning.begin(span)
        {
            self.stop_learning();
        }
    }

    fn leaves(&self, reasoner: &R) -> usize {
        if reasoner.preferred_batch() <= 1 {
            return 1;
        }
        if self.span.simulations > 0 {
            return LEAVES_WITH_BUDGET;
        }
        let grown = usize::try_from(self.made / SIMULATIONS_PER_LEAF).unwrap_or(usize::MAX);
        self.leaves.min(grown.saturating_add(1))
    }

    fn play(
        &mut self,
        reasoner: &mut R,
        leaves: LeafBatch<'_, R::State>,
        rng: &mut Rng,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let begin = Instant::now();
        let deadline = self.span.until.unwrap_or(begin + PONDERING_TIME);
        for entry in &mut self.role_strategies {
            entry.set_deadline(Some(deadline));
        }
        let tallies = self.simulate(reasoner, leaves, rng, deadline);
        self.adapt_batch(begin.elapsed());
        self.made += leaves.states.len() as u64;
        if let Some(learning) = &mut self.learning
            && learning.is_over(self.made)
        {
            learning.end();
            self.stop_learning();
        }
        tallies
    }
}

#[cfg(test)]
mod tests {
    use ludorum_lanes::Lanes;
    use ludorum_logic::Rules;
    use ludorum_propnet::{CompileLimits, CompiledGame};
    use ludorum_prover::Prover;

    use super::*;

    fn rules() -> Arc<Rules> {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        Arc::new(Rules::from_text(text).expect("rules"))
    }

    /// The strategies that were followed in some batches from the initial state, after a given time
    /// was spent on lookahead.
    fn followed<R: Reasoner>(
        reasoner: &mut R,
        is_guided: bool,
        looked: Duration,
    ) -> Vec<&'static str> {
        let strategy_log = Arc::new(StrategyLog::default());
        let settings = PortfolioSettings {
            kinds: vec![
                StrategyKind::Random,
                StrategyKind::History,
                StrategyKind::Mobility,
            ],
            lookahead_share: 0.03,
            ..PortfolioSettings::one(StrategyKind::Random)
        };
        let roles = reasoner.roles().to_vec();
        let mut portfolio =
            Portfolio::new(settings, roles, Arc::clone(&strategy_log), Arc::default());
        let span = SearchBudget {
            until: Some(Instant::now() + Duration::from_mins(30)),
            simulations: 0,
        };
        RolloutPolicy::<R>::begin(&mut portfolio, span);
        portfolio.lookahead_budget.add(looked, 1, Duration::ZERO, 1);
        let start = reasoner.initial().expect("a state");
        let leaves = LeafBatch {
            states: &[start.clone(), start],
            depths: &[0, 0],
            limit: 100,
            is_guided,
        };
        let mut rng = Rng::new(1);
        for _ in 0..20 {
            let played = portfolio.play(reasoner, leaves, &mut rng);
            assert_eq!(played.expect("playouts").len(), 2);
        }
        let mut names: Vec<_> = strategy_log.read().iter().map(|one| one.strategy).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn without_guidance_only_random_is_followed() {
        let network = CompiledGame::new(rules()).network(&CompileLimits::default());
        let mut lanes = Lanes::new(network.expect("a network"));
        assert_eq!(followed(&mut lanes, false, Duration::ZERO), ["random"]);
        let mut prover = Prover::new(rules()).expect("a prover");
        assert_eq!(followed(&mut prover, false, Duration::ZERO), ["random"]);
    }

    #[test]
    fn without_lanes_lookahead_has_a_share_of_the_time() {
        let mut prover = Prover::new(rules()).expect("a prover");
        let long = Duration::from_hours(1);
        assert_eq!(followed(&mut prover, true, long), ["history", "random"]);
        let all = ["history", "mobility", "random"];
        assert_eq!(followed(&mut prover, true, Duration::ZERO), all);
    }
}
