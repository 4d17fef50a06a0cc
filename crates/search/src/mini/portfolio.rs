//! The portfolio: all strategies of all roles, put to use on the leaves of a tree.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_reasoner::{PlayoutTotals, ReasonError, Reasoner, Rng, Role};

use super::cast::{Cast, Choice};
use super::effort::Effort;
use super::learning::Learning;
use super::lexicon::Lexicon;
use super::select::selection;
use super::simulation::{Simulation, Stage};
use super::strategies::exploration::{Exploration, WINDOW};
use super::strategies::goal::GoalEvaluation;
use super::strategies::history::{HistoryHeuristic, MOST_MOVES};
use super::strategies::mobility::Mobility;
use super::strategies::random::Random;
use super::strategies::score::Score;
use super::strategies::symbols::{Learned, SymbolsCounting};
use super::strategy::{Kind, Sight, Strategy};
use super::study::Study;
use super::swift::{self, Orders};
use crate::mcts::{LeafBatch, RolloutPolicy, SearchBudget, StrategyLog};

/// A batch is to take about as long as this: several are made before anybody gets impatient, and
/// each is worth its overhead.
const BATCH: std::ops::Range<Duration> = Duration::from_millis(10)..Duration::from_millis(50);
/// The fewest leaves of a batch on an engine that works out many states at once, where fewer would
/// hardly be faster,
const FEWEST_LEAVES: usize = 4;
/// the most,
const MOST_LEAVES: usize = 64;
/// and how many there are with a budget of simulations, where clocks are to make no difference.
const USUAL_LEAVES: usize = 8;
/// One leaf for so many simulations that were made: the first leaves of a tree are better chosen
/// one after the other.
const SIMULATIONS_OF_A_LEAF: u64 = 16;
/// The most simulations of a batch that look ahead where that is to take a part of the time only:
/// together they make a batch of states that is worth it.
const MOST_LOOKING: usize = 8;
/// The part of the time in which simulations may look ahead while features are counted: only what
/// is played step by step can be watched.
const WHILE_LEARNING: f64 = 0.5;
/// The part of the time in which simulations may look ahead on an engine that plays one after the
/// other, where it costs less in comparison.
const SLOWLY: f64 = 0.25;
/// While pondering nobody has said when it will end.
const PONDERED_FOR: Duration = Duration::from_millis(200);

/// What a portfolio is made of.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) kinds: Vec<Kind>,
    /// The mechanism of selection,
    pub(super) selection: &'static str,
    /// and the constant of UCB.
    pub(super) constant: f64,
    /// The part of the time in which strategies look ahead, on an engine that plays many games at
    /// once.
    pub(super) looking: f64,
}

impl Wish {
    /// One strategy, and nothing to choose.
    pub(super) fn one(kind: Kind) -> Self {
        Self {
            kinds: vec![kind],
            selection: "ucb",
            constant: 0.0,
            looking: 1.0,
        }
    }
}

/// All strategies of all roles.
#[derive(Debug)]
pub(super) struct Portfolio {
    wish: Wish,
    roles: Vec<String>,
    strategy_log: Arc<StrategyLog>,
    /// What the rules tell, shared by all threads.
    study: Arc<Study>,
    /// The strategies, once thinking has begun.
    casts: Vec<Cast>,
    lexicon: Lexicon,
    learning: Option<Learning>,
    span: SearchBudget,
    /// Simulations since thinking began.
    made: u64,
    /// The leaves of a batch as far as time tells.
    leaves: usize,
    effort: Effort,
}

impl Portfolio {
    pub(super) fn new(
        wish: Wish,
        roles: Vec<String>,
        strategy_log: Arc<StrategyLog>,
        study: Arc<Study>,
    ) -> Self {
        Self {
            wish,
            roles,
            strategy_log,
            study,
            casts: Vec::new(),
            lexicon: Lexicon::default(),
            learning: None,
            span: SearchBudget {
                until: None,
                simulations: 0,
            },
            made: 0,
            leaves: FEWEST_LEAVES,
            effort: Effort::default(),
        }
    }

    /// Makes the strategies of all roles.
    fn cast(&mut self, study: &Study) {
        let learned = Learned::default();
        for role in 0..self.roles.len() {
            let kinds = self.wish.kinds.clone();
            let strategies = kinds.into_iter();
            let mut strategies: Vec<Box<dyn Strategy>> = strategies
                .filter_map(|kind| self.strategy(kind, role, study, &learned))
                .collect();
            // Somebody must be ready whatever happens.
            let has_random = self.wish.kinds.contains(&Kind::Random);
            let reserve = (!has_random).then_some(strategies.len());
            if !has_random {
                strategies.push(Box::new(Random));
            }
            let selection = selection(self.wish.selection, self.wish.constant);
            let strategy_log = Arc::clone(&self.strategy_log);
            let mut cast = Cast::new(role, strategies, reserve, selection, strategy_log);
            if self.wish.looking < 1.0 {
                cast.form_habits();
            }
            self.casts.push(cast);
        }
        if self.wish.kinds.contains(&Kind::Symbols) && self.roles.len() > 1 {
            self.learning = Some(Learning::new(self.roles.len(), learned));
        }
    }

    /// A strategy of a role; none if it makes no sense in this game.
    fn strategy(
        &mut self,
        kind: Kind,
        role: Role,
        study: &Study,
        learned: &Learned,
    ) -> Option<Box<dyn Strategy>> {
        // Some compare the role with others.
        let has_others = self.roles.len() > 1;
        let strategy: Box<dyn Strategy> = match kind {
            Kind::Random => Box::new(Random),
            Kind::Goal => Box::new(GoalEvaluation::new(study.orand()?, role).ok()?),
            Kind::History => Box::new(HistoryHeuristic::new(role, MOST_MOVES)),
            Kind::Exploration => Box::new(Exploration { window: WINDOW }),
            Kind::Mobility if has_others => Box::new(Mobility { role }),
            Kind::Symbols if has_others => {
                Box::new(SymbolsCounting::new(role, Arc::clone(learned)))
            }
            Kind::Score if has_others => {
                let found = study.scores();
                Box::new(Score::new(found, &self.roles, role, &mut self.lexicon))
            }
            Kind::Mobility | Kind::Symbols | Kind::Score => return None,
        };
        Some(strategy)
    }

    /// Chooses strategies and plays; gives a tally for each leaf.
    fn simulate<R: Reasoner>(
        &mut self,
        reasoner: &mut R,
        leaves: LeafBatch<'_, R::State>,
        rng: &mut Rng,
        deadline: Instant,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let is_swift = reasoner.preferred_batch() > 1;
        let may_look = leaves.is_guided && self.may_look(is_swift);
        let unseeing = match (leaves.is_guided, is_swift) {
            (false, _) => Choice::Chance,
            (true, true) => Choice::Habits,
            (true, false) => Choice::Moves,
        };
        let is_watched = self.learning.is_some() || self.casts.iter().any(Cast::is_watching);
        let mut orders = Orders::new();
        let mut simulations = Vec::new();
        // The strategies of all leaves of the batch that nobody looks ahead from: the engine plays
        // from all of them at once.
        let mut together: Option<Vec<usize>> = None;
        for (number, (state, depth)) in leaves.states.iter().zip(leaves.depths).enumerate() {
            let is_bounded = is_swift && self.wish.looking < 1.0;
            let looks = may_look && !(is_bounded && simulations.len() >= MOST_LOOKING);
            let choice = if looks { Choice::All } else { unseeing };
            let mut places = match &together {
                Some(places) if !looks => self.follow_again(places),
                _ => self.choose(choice),
            };
            if is_swift && self.is_swift(&places, looks, is_watched) {
                match &together {
                    Some(others) if *others != places => {
                        self.give_up(&places);
                        places = self.follow_again(others);
                    }
                    _ => together = Some(places.clone()),
                }
                orders.entry(places).or_default().push(number);
            } else {
                simulations.push(Simulation::new(number, state.clone(), *depth, places));
            }
        }
        let mut tallies: Vec<Option<PlayoutTotals>> = vec![None; leaves.states.len()];
        let casts = &mut self.casts;
        // With a budget the clock is to make no difference.
        let waits = self.span.simulations > 0;
        let first = Instant::now();
        let mut result = swift::play(
            reasoner,
            casts,
            &mut orders,
            leaves,
            rng,
            waits,
            &mut tallies,
        );
        let begin = Instant::now();
        if result.is_ok() && !simulations.is_empty() {
            let mut stage = Stage {
                reasoner,
                casts: &mut self.casts,
                lexicon: &mut self.lexicon,
                census: self.learning.as_mut().map(|learning| &mut learning.census),
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
        if is_swift || simulations.iter().any(|one| self.looks_ahead(&one.places)) {
            self.effort.add(begin.elapsed(), looked, others, all);
        } else {
            self.effort.add(Duration::ZERO, 0, first.elapsed(), all);
        }
        // What did not come to its end was never chosen.
        let untold = simulations.iter().filter(|simulation| !simulation.is_told);
        let untold = untold.map(|simulation| &simulation.places);
        let orders = orders.iter();
        let orders = orders.flat_map(|(places, numbers)| numbers.iter().map(move |_| places));
        let never: Vec<Vec<usize>> = untold.chain(orders).cloned().collect();
        for places in &never {
            self.give_up(places);
        }
        result?;
        let roles = self.roles.len();
        let tallies = tallies.into_iter();
        Ok(tallies
            .map(|t| t.unwrap_or_else(|| PlayoutTotals::new(roles)))
            .collect())
    }

    /// Chooses the strategies of a simulation, by their places.
    fn choose(&mut self, choice: Choice) -> Vec<usize> {
        let casts = self.casts.iter_mut();
        casts.map(|cast| cast.choose(choice)).collect()
    }

    /// A simulation that was to follow strategies has come to nothing.
    fn give_up(&mut self, places: &[usize]) {
        for (cast, place) in self.casts.iter_mut().zip(places) {
            cast.give_up(*place);
        }
    }

    /// One more simulation with strategies that were chosen.
    fn follow_again(&mut self, places: &[usize]) -> Vec<usize> {
        for (cast, place) in self.casts.iter_mut().zip(places) {
            cast.follow_again(*place);
        }
        places.to_vec()
    }

    /// The learning phase is over. What it took is not held against those who look ahead from now
    /// on.
    fn stop_learning(&mut self) {
        self.learning = None;
        self.effort = Effort::default();
    }

    /// Whether simulations of the next batch may look ahead.
    fn may_look(&self, is_swift: bool) -> bool {
        let has_clock = self.span.simulations == 0;
        if !is_swift && !has_clock {
            return true;
        }
        let share = match &self.learning {
            Some(_) => self.wish.looking.max(WHILE_LEARNING),
            None if is_swift => self.wish.looking,
            None => self.wish.looking.max(SLOWLY),
        };
        self.effort.may_look(share, has_clock)
    }

    /// Whether the engine plays a simulation by itself.
    fn is_swift(&self, places: &[usize], looks: bool, is_watched: bool) -> bool {
        if !swift::is_swift(&self.casts, places) {
            return false;
        }
        !looks || (!is_watched && !self.looks_ahead(places))
    }

    /// Whether some role follows a strategy that looks at more than moves.
    fn looks_ahead(&self, places: &[usize]) -> bool {
        let mut followed = self.casts.iter().zip(places);
        followed.any(|(cast, place)| cast.sight(*place) > Sight::Moves)
    }

    /// A batch has taken so long.
    fn pace(&mut self, elapsed: Duration) {
        if elapsed > BATCH.end {
            self.leaves = (self.leaves / 2).max(FEWEST_LEAVES);
        } else if elapsed < BATCH.start {
            self.leaves = (self.leaves * 2).min(MOST_LEAVES);
        }
    }
}

impl<R: Reasoner> RolloutPolicy<R> for Portfolio {
    fn begin(&mut self, span: SearchBudget) {
        self.span = span;
        self.made = 0;
        if self.casts.is_empty() {
            let study = Arc::clone(&self.study);
            study.prepare(&self.wish.kinds, span);
            self.cast(&study);
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
            return USUAL_LEAVES;
        }
        let grown = usize::try_from(self.made / SIMULATIONS_OF_A_LEAF).unwrap_or(usize::MAX);
        self.leaves.min(grown.saturating_add(1))
    }

    fn play(
        &mut self,
        reasoner: &mut R,
        leaves: LeafBatch<'_, R::State>,
        rng: &mut Rng,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let begin = Instant::now();
        let deadline = self.span.until.unwrap_or(begin + PONDERED_FOR);
        for cast in &mut self.casts {
            cast.set_deadline(Some(deadline));
        }
        let tallies = self.simulate(reasoner, leaves, rng, deadline);
        self.pace(begin.elapsed());
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

    /// What roles have followed in some batches from the first state, after so much time went into
    /// looking ahead.
    fn followed<R: Reasoner>(
        reasoner: &mut R,
        is_guided: bool,
        looked: Duration,
    ) -> Vec<&'static str> {
        let strategy_log = Arc::new(StrategyLog::default());
        let wish = Wish {
            kinds: vec![Kind::Random, Kind::History, Kind::Mobility],
            looking: 0.03,
            ..Wish::one(Kind::Random)
        };
        let roles = reasoner.roles().to_vec();
        let mut portfolio = Portfolio::new(wish, roles, Arc::clone(&strategy_log), Arc::default());
        let span = SearchBudget {
            until: Some(Instant::now() + Duration::from_mins(30)),
            simulations: 0,
        };
        RolloutPolicy::<R>::begin(&mut portfolio, span);
        portfolio.effort.add(looked, 1, Duration::ZERO, 1);
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
    fn where_random_playouts_suit_the_game_nobody_else_is_followed() {
        let network = CompiledGame::new(rules()).network(&CompileLimits::default());
        let mut lanes = Lanes::new(network.expect("a network"));
        assert_eq!(followed(&mut lanes, false, Duration::ZERO), ["random"]);
        let mut prover = Prover::new(rules()).expect("a prover");
        assert_eq!(followed(&mut prover, false, Duration::ZERO), ["random"]);
    }

    #[test]
    fn without_lanes_who_looks_ahead_waits_for_a_part_of_the_time() {
        let mut prover = Prover::new(rules()).expect("a prover");
        let long = Duration::from_hours(1);
        assert_eq!(followed(&mut prover, true, long), ["history", "random"]);
        let all = ["history", "mobility", "random"];
        assert_eq!(followed(&mut prover, true, Duration::ZERO), all);
    }
}
