//! A trial by self-play whether playouts are to follow MAST.
//!
//! Guided playouts make the search much stronger in some games and much weaker in others. Neither
//! their win rate nor how well they predict the tree indicates which. So the search plays quick
//! matches against itself from the current position, with small trees: one side with guided
//! playouts, the other with random ones. Each opening is played twice with the sides changed.
//!
//! The trial takes part of the search time ([`trial_time`]) until enough matches are won or lost (a
//! sequential probability ratio test, Wald 1945). From the first match on, playouts of the search
//! are guided as well: in most games that is right, and where it is not, a few matches show it. If
//! there is too little time even for those, playouts are random in the end.

mod trial_time;

use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng, Role};

use super::Mcts;
use super::mast::Mast;
use ludorum_player::{OptionValues, Position, SearchContext, Searcher as _};
use trial_time::TrialTime;

/// Playouts for a move: far fewer than in a match, but enough for trees in which guidance shows.
const SIMULATIONS: u64 = 2_000;
/// MiB for the trees of all sides.
const MEMORY: usize = 16;
/// The maximum number of matches; then the more likely hypothesis decides.
const MAX_MATCHES: u32 = 32;
/// Random steps at the beginning.
const OPENING: u32 = 2;
/// The step limit of a match, which is a draw then.
const MAX_STEPS: u32 = 300;
/// The win rate of guided playouts under the hypothesis that they help. Small trees gain more by
/// them than large ones. Under the other hypothesis it is one half.
const WIN_RATE: f64 = 0.78;
/// The log-likelihood ratio at which the trial ends: an error rate of one in ten.
const DECISION_BOUND: f64 = 2.2;
/// The log odds for strategies that are guided by default: about three in four.
const PRIOR_LOG_ODDS: f64 = 1.0;

/// A match of the search against itself.
#[derive(Debug)]
struct Match<R: Reasoner> {
    state: R::State,
    steps: u32,
    /// The random moves of the opening, the same in both of its matches.
    opening: Rng,
    /// The searchers of each role.
    sides: Vec<Mcts<R>>,
    is_even_guided: bool,
}

/// Whether a match goes on.
#[derive(Clone, Copy, Debug)]
enum Next {
    Continues,
    Over,
}

/// Whether matches can be played. An engine that plays one playout at a time is too slow; some
/// become faster during the match.
fn can_play<R: Reasoner>(reasoner: &R) -> bool {
    reasoner.preferred_batch() > 1 && reasoner.roles().len() > 1
}

/// Whether a role has guided playouts: every other role does.
fn is_guided(role: Role, is_even_guided: bool) -> bool {
    role.is_multiple_of(2) == is_even_guided
}

/// A trial.
#[derive(Debug)]
pub(super) struct GuidanceTrial<R: Reasoner> {
    options: OptionValues,
    rng: Rng,
    /// The seed and the root of the current opening.
    opening: Rng,
    root: Option<R::State>,
    current: Option<Match<R>>,
    wins: u32,
    losses: u32,
    matches: u32,
    time: TrialTime,
    /// Whether guided playouts are the default, which the prior odds favour.
    guided_prior: bool,
}

impl<R: Reasoner + 'static> GuidanceTrial<R> {
    /// A trial for a search with these options.
    pub(super) fn new(options: &OptionValues) -> Self {
        let seed = options.count("seed");
        Self {
            options: options.clone(),
            rng: Rng::new(seed.wrapping_add(2)),
            opening: Rng::new(seed.wrapping_add(3)),
            root: None,
            current: None,
            wins: 0,
            losses: 0,
            matches: 0,
            time: TrialTime::new(options.count("simulations") > 0),
            guided_prior: false,
        }
    }

    /// A trial with prior odds for guided playouts.
    pub(super) fn with_guided_prior(self) -> Self {
        Self {
            guided_prior: true,
            ..self
        }
    }

    /// Records simulations of the search and the time they took.
    pub(super) fn record_search(&mut self, made: u64, took: Duration) {
        self.time.record_search(made, took);
    }

    /// Whether the trial is going to take search time, as far as is known.
    pub(super) fn will_continue(&self, reasoner: &R, mast: &Mast) -> bool {
        mast.is_on_trial() && can_play(reasoner) && !self.time.is_slow()
    }

    /// Continues the trial while it has time, in a search that began at `began`. Errors of the
    /// engine end the trial, not the search.
    pub(super) fn go_on(
        &mut self,
        reasoner: &mut R,
        mast: &Mast,
        root: &R::State,
        context: &SearchContext,
        began: Instant,
    ) {
        self.time.set_clock(context, began);
        if self.time.is_over() {
            self.decide(mast);
        }
        if !can_play(reasoner) {
            return;
        }
        while mast.is_on_trial()
            && !context.is_over()
            && self.time.is_below_share()
            // Matches wait for the engine's guided playouts only if there is a simulation budget,
            // where the result must not depend on the clock. Otherwise the search goes on
            // meanwhile.
            && (self.time.is_budgeted() || reasoner.is_ready_for_guided_playouts())
            // Two roles may have to search in a step, and small trees are slower.
            && self.time.has_time(context, 2 * SIMULATIONS)
        {
            mast.follow_on_trial();
            let begin = Instant::now();
            let until = TrialTime::step_deadline(context);
            let within = SearchContext::detached(context.cancel_flag(), Some(until));
            let result = self.step(reasoner, root, &within);
            let took = begin.elapsed();
            match result {
                Ok(()) => {
                    self.time.record_step(took);
                    self.decide_if_sufficient(mast);
                }
                Err(ReasonError::Stopped) => {
                    self.time.lose(took, context.is_current());
                    return;
                }
                Err(_) => {
                    mast.decide(self.guided_prior);
                    self.current = None;
                }
            }
        }
    }

    /// Decides if the evidence or the time is sufficient.
    fn decide_if_sufficient(&mut self, mast: &Mast) {
        let is_certain = self.evidence().abs() >= DECISION_BOUND;
        if is_certain || self.matches >= MAX_MATCHES || self.time.is_over() {
            self.decide(mast);
        }
    }

    /// Decides for the more likely hypothesis.
    fn decide(&mut self, mast: &Mast) {
        mast.decide(self.evidence() > 0.0);
        self.current = None;
    }

    /// The log odds that guided playouts help, the prior included.
    fn evidence(&self) -> f64 {
        let before = if self.guided_prior {
            PRIOR_LOG_ODDS
        } else {
            0.0
        };
        before + evidence(self.wins, self.losses)
    }

    fn begin(&mut self, reasoner: &R, root: &R::State) -> Match<R> {
        // Each opening is played twice.
        if self.matches.is_multiple_of(2) {
            self.opening = Rng::new(self.rng.next_u64());
            self.root = Some(root.clone());
        }
        let root = self.root.as_ref().unwrap_or(root);
        let is_even_guided = self.matches.is_multiple_of(2);
        let roles = reasoner.roles().len();
        let side = |role: Role| {
            let mast = if is_guided(role, is_even_guided) {
                "on"
            } else {
                "off"
            };
            let seed = self.rng.next_u64();
            Mcts::new(&small(&self.options, roles, mast, seed), reasoner)
        };
        Match {
            state: root.clone(),
            steps: 0,
            sides: (0..roles).map(side).collect(),
            opening: self.opening.clone(),
            is_even_guided,
        }
    }

    /// One step of a match. If the time was too short it is repeated later.
    fn step(
        &mut self,
        reasoner: &mut R,
        root: &R::State,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        reasoner.set_deadline(context.deadline);
        let mut current = match self.current.take() {
            Some(current) => current,
            None => self.begin(reasoner, root),
        };
        let result = self.play(reasoner, &mut current, context);
        if !matches!(result, Ok(Next::Over)) {
            self.current = Some(current);
        }
        result.map(|_| ())
    }

    fn play(
        &mut self,
        reasoner: &mut R,
        current: &mut Match<R>,
        context: &SearchContext,
    ) -> Result<Next, ReasonError> {
        let roles = current.sides.len();
        let mut legal = vec![Vec::new(); roles];
        let mut is_over = current.steps >= MAX_STEPS || reasoner.is_terminal(&current.state)?;
        if !is_over {
            for (role, moves) in legal.iter_mut().enumerate() {
                reasoner.legal_moves(&current.state, role, moves)?;
                is_over |= moves.is_empty();
            }
        }
        if is_over {
            self.end(reasoner, current)?;
            return Ok(Next::Over);
        }
        let mut joint_move: Vec<MoveId> = Vec::with_capacity(roles);
        for role in 0..roles {
            let own = &legal[role];
            joint_move.push(if own.len() == 1 {
                own[0]
            } else if current.steps < OPENING {
                own[current.opening.below(own.len())]
            } else {
                self.time.use_playouts(SIMULATIONS);
                let position = Position {
                    state: current.state.clone(),
                    role,
                    legal: legal.clone(),
                    chosen: None,
                };
                choose(&mut current.sides[role], reasoner, &position, context)?
            });
        }
        current.state = reasoner.next(&current.state, &joint_move)?;
        current.steps += 1;
        for side in &mut current.sides {
            side.advance(&joint_move, &current.state);
        }
        Ok(Next::Continues)
    }

    /// Counts the result of a match.
    fn end(&mut self, reasoner: &mut R, one: &Match<R>) -> Result<(), ReasonError> {
        let (mut guided, mut random) = ((0u32, 0u32), (0u32, 0u32));
        for role in 0..one.sides.len() {
            let goal = u32::from(reasoner.goal(&one.state, role)?.value().unwrap_or(0));
            let side = if is_guided(role, one.is_even_guided) {
                &mut guided
            } else {
                &mut random
            };
            *side = (side.0 + goal, side.1 + 1);
        }
        self.matches += 1;
        // Compares the means without division.
        let (ours, theirs) = (guided.0 * random.1, random.0 * guided.1);
        self.wins += u32::from(ours > theirs && one.steps < MAX_STEPS);
        self.losses += u32::from(ours < theirs && one.steps < MAX_STEPS);
        Ok(())
    }
}

/// The move of a side.
fn choose<R: Reasoner + 'static>(
    side: &mut Mcts<R>,
    reasoner: &mut R,
    position: &Position<R::State>,
    context: &SearchContext,
) -> Result<MoveId, ReasonError> {
    let context = SearchContext::detached(context.cancel_flag(), context.deadline);
    side.search(reasoner, position, &context)?;
    // An interrupted search gives no move.
    if context.is_over() {
        return Err(ReasonError::Stopped);
    }
    let result = context.result();
    let first = position.legal[position.role].first();
    Ok(result.map_or_else(
        || first.copied().unwrap_or(MoveId(0)),
        |result| result.choice,
    ))
}

/// The options of the search of a side.
fn small(options: &OptionValues, roles: usize, mast: &str, seed: u64) -> OptionValues {
    let changes = [
        ("mast", mast.to_owned()),
        ("simulations", SIMULATIONS.to_string()),
        ("memory", (MEMORY / roles.max(1)).max(1).to_string()),
        ("threads", "1".to_owned()),
        ("seed", seed.to_string()),
    ];
    let mut small = options.clone();
    for (name, value) in changes {
        if let Ok(changed) = small.with(name, &value) {
            small = changed;
        }
    }
    small
}

/// The log-likelihood ratio of the results: guided playouts help, or make no difference.
fn evidence(wins: u32, losses: u32) -> f64 {
    let (won, lost) = ((WIN_RATE / 0.5).ln(), ((1.0 - WIN_RATE) / 0.5).ln());
    f64::from(wins) * won + f64::from(losses) * lost
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use ludorum_lanes::Lanes;
    use ludorum_logic::Rules;
    use ludorum_propnet::{CompileLimits, CompiledGame};

    use super::*;
    use crate::unready::Unready;

    #[test]
    fn clear_results_decide_after_few_matches_and_close_ones_after_many() {
        assert!(evidence(5, 0) > DECISION_BOUND && evidence(4, 0) < DECISION_BOUND);
        assert!(evidence(0, 3) < -DECISION_BOUND && evidence(0, 2) > -DECISION_BOUND);
        assert!(evidence(14, 8).abs() < DECISION_BOUND);
        assert!(evidence(21, 11) > 0.0 && evidence(20, 12) < 0.0);
    }

    fn options(text: &str) -> OptionValues {
        OptionValues::parse(crate::options::MCTS, text).expect("options")
    }

    fn lanes(text: &str) -> Lanes {
        let rules = Rules::from_text(text).expect("rules");
        let network = CompiledGame::new(Arc::new(rules)).network(&CompileLimits::default());
        Lanes::new(network.expect("a network"))
    }

    fn cancelled(is_set: bool) -> Arc<AtomicBool> {
        Arc::new(AtomicBool::new(is_set))
    }

    /// A context without a tight deadline.
    fn context() -> SearchContext {
        let until = Instant::now() + Duration::from_mins(30);
        SearchContext::detached(cancelled(false), Some(until))
    }

    #[test]
    fn drawn_matches_decide_for_random_playouts() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let options = options("mast=auto,simulations=1000");
        let mast = Mast::new(2, 0.4, false);
        let mut trial = GuidanceTrial::new(&options);
        // After few simulations of the search the trial plays little, after many all of it.
        trial.record_search(10_000, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &context(), Instant::now());
        assert!(mast.is_on_trial() && mast.is_followed());
        assert!(trial.matches == 0 && trial.current.is_some());
        trial.record_search(1 << 40, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &context(), Instant::now());
        assert!(!mast.is_on_trial() && !mast.is_followed());
        assert!(trial.matches > 1 && trial.current.is_none());
    }

    #[test]
    fn no_match_is_played_before_the_engine_can_guide_playouts() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let mut engine = Unready(lanes(text));
        let root = engine.initial().expect("a state");
        let mast = Mast::new(2, 0.4, false);
        let mut trial = GuidanceTrial::new(&options("mast=auto"));
        trial.record_search(1 << 40, Duration::from_secs(1));
        trial.go_on(&mut engine, &mast, &root, &context(), Instant::now());
        assert!(mast.is_on_trial() && !mast.is_followed() && trial.current.is_none());
        assert_eq!(trial.matches, 0);
    }

    #[test]
    fn an_interrupted_match_is_continued() {
        let text = ludorum_games::find("connect-four").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let options = options("mast=auto,simulations=1000");
        let mut trial = GuidanceTrial::new(&options);
        for _ in 0..3 {
            trial.step(&mut lanes, &root, &context()).expect("a step");
        }
        let steps =
            |trial: &GuidanceTrial<Lanes>| trial.current.as_ref().map(|current| current.steps);
        assert_eq!(steps(&trial), Some(3));
        let over = SearchContext::detached(cancelled(true), None);
        assert!(trial.step(&mut lanes, &root, &over).is_err());
        assert_eq!(steps(&trial), Some(3));
        // No further match is begun.
        let mast = Mast::new(2, 0.4, false);
        trial.record_search(1 << 40, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &over, Instant::now());
        assert!(mast.is_on_trial() && steps(&trial) == Some(3));
    }

    #[test]
    fn a_trial_takes_no_longer_than_a_few_searches() {
        let mut trial = GuidanceTrial::<Lanes>::new(&options("mast=auto"));
        let mast = Mast::new(2, 0.4, false);
        (trial.wins, trial.losses) = (3, 1);
        trial.time.record_step(Duration::from_secs(5));
        trial.decide_if_sufficient(&mast);
        assert!(mast.is_on_trial(), "nothing is known about the clock");
        let now = Instant::now();
        let until = now + Duration::from_secs(1);
        let short = SearchContext::detached(cancelled(false), Some(until));
        trial.time.set_clock(&short, now);
        trial.decide_if_sufficient(&mast);
        assert!(mast.is_followed());
    }

    #[test]
    fn the_prior_makes_it_easier_to_accept_than_to_reject_the_default() {
        let decision = |wins, losses, is_at_its_end: bool| {
            let options = options("mast=auto");
            let mut trial = GuidanceTrial::<Lanes>::new(&options).with_guided_prior();
            let mast = Mast::new(2, 0.4, false);
            (trial.wins, trial.losses) = (wins, losses);
            if is_at_its_end {
                trial.decide(&mast);
            } else {
                trial.decide_if_sufficient(&mast);
            }
            (!mast.is_on_trial()).then(|| mast.is_followed())
        };
        assert_eq!(decision(3, 0, false), Some(true));
        assert_eq!(decision(2, 0, false), None);
        assert_eq!(decision(0, 3, false), None);
        assert_eq!(decision(0, 4, false), Some(false));
        // With little evidence the prior decides.
        assert_eq!(
            (decision(0, 0, true), decision(0, 1, true)),
            (Some(true), Some(true))
        );
        assert_eq!(decision(0, 3, true), Some(false));
    }

    #[test]
    fn a_step_that_takes_too_long_is_not_begun() {
        let text = ludorum_games::find("connect-four").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let options = options("mast=auto");
        let mut trial = GuidanceTrial::new(&options);
        let mast = Mast::new(2, 0.4, false);
        // A step takes half a minute.
        trial.record_search(100_000, Duration::from_secs(9));
        trial.time.lose(Duration::from_secs(20), true);
        let now = Instant::now();
        let until = now + Duration::from_secs(100);
        let short = SearchContext::detached(cancelled(false), Some(until));
        trial.go_on(&mut lanes, &mast, &root, &short, now);
        assert!(mast.is_on_trial() && trial.current.is_none());
        assert!(!mast.is_followed(), "nothing was tried");
        // After its share of the time has passed the trial decides without a match.
        trial.record_search(1 << 40, Duration::from_hours(1));
        trial.go_on(&mut lanes, &mast, &root, &context(), Instant::now());
        assert!(!mast.is_on_trial() && !mast.is_followed());
    }

    #[test]
    fn every_other_role_is_guided_and_then_the_others() {
        for role in 0..4 {
            assert_ne!(is_guided(role, true), is_guided(role, false));
        }
        assert!(is_guided(0, true) && !is_guided(1, true) && is_guided(2, true));
    }

    #[test]
    fn a_side_has_a_budget_of_its_own_and_no_trial() {
        let options = options("mast=auto,threads=4,c=0.5,simulations=100000");
        let side = small(&options, 2, "on", 9).to_string();
        assert_eq!(
            side,
            "c=0.5,simulations=2000,memory=8,threads=1,mast=on,seed=9"
        );
    }
}
