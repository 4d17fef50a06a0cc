//! Whether playouts are to follow the history: found out by playing.
//!
//! In some games playouts that follow the history make the search much stronger, in others much
//! weaker, and neither how often they win nor how well they foresee the tree tells which. So the
//! search plays quick matches against itself from the position at hand, with small trees: one side
//! has guided playouts, the other random ones. Each opening is played twice with the sides changed.
//! That takes a part of the time until enough of them are won or lost. From the first match on
//! playouts follow the history as well: it is worth following in most games, and where it is not
//! that shows after a few matches. Where there is too little time even for them, it is not followed
//! in the end.

mod allowance;

use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng, Role};

use super::Mcts;
use super::mast::Mast;
use allowance::Allowance;
use ludorum_player::{OptionValues, Position, SearchContext, Searcher as _};

/// The playouts for a move: far fewer than in a match, yet enough for trees in which guided
/// playouts show what they are worth.
const SIMULATIONS: u64 = 2_000;
/// MiB for the trees of all sides, which are small.
const MEMORY: usize = 16;
/// After so many matches it is decided by what is more likely.
const MATCHES: u32 = 32;
/// The first steps are random.
const OPENING: u32 = 2;
/// A match is a draw after so many steps.
const STEPS: u32 = 300;
/// The part of the matches that a side wins whose playouts are worth following; small trees gain
/// more by them than large ones. Otherwise it wins half of them.
const WORTHY: f64 = 0.78;
/// By how much the one must be more likely than the other, as a logarithm: one error in ten.
const CERTAIN: f64 = 2.2;
/// How much more likely it is held to be beforehand that what is usual is worth following, as a
/// logarithm: about three in four.
const USUAL: f64 = 1.0;

/// A match of the search against itself.
#[derive(Debug)]
struct Match<R: Reasoner> {
    state: R::State,
    steps: u32,
    /// Random moves at the beginning, the same in both matches of an opening.
    opening: Rng,
    /// One for each role.
    sides: Vec<Mcts<R>>,
    is_even_guided: bool,
}

/// How a match goes on.
#[derive(Clone, Copy, Debug)]
enum Next {
    Goes,
    Over,
}

/// Whether matches can be played. An engine that plays one playout at a time is too slow for it;
/// some become faster on the way.
fn can_play<R: Reasoner>(reasoner: &R) -> bool {
    reasoner.preferred_batch() > 1 && reasoner.roles().len() > 1
}

/// Whether a role has guided playouts: every other role has.
fn is_guided(role: Role, is_even_guided: bool) -> bool {
    role.is_multiple_of(2) == is_even_guided
}

/// The trial of the history.
#[derive(Debug)]
pub(super) struct Trial<R: Reasoner> {
    options: OptionValues,
    rng: Rng,
    /// How and where the two matches of an opening begin.
    opening: Rng,
    root: Option<R::State>,
    current: Option<Match<R>>,
    wins: u32,
    losses: u32,
    matches: u32,
    time: Allowance,
    /// Whether it is likely beforehand that it is worth following.
    usual: bool,
}

impl<R: Reasoner + 'static> Trial<R> {
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
            time: Allowance::new(options.count("simulations") > 0),
            usual: false,
        }
    }

    /// The same of something that is likely to be worth following.
    pub(super) fn of_the_usual(self) -> Self {
        Self {
            usual: true,
            ..self
        }
    }

    /// The search has made so many playouts in so much time.
    pub(super) fn earn(&mut self, made: u64, took: Duration) {
        self.time.earn(made, took);
    }

    /// Whether it is going to take some of the time, as far as is known.
    pub(super) fn is_to_go_on(&self, reasoner: &R, mast: &Mast) -> bool {
        mast.is_on_trial() && can_play(reasoner) && !self.time.is_slow()
    }

    /// Goes on for as long as it is its turn, in a thought that began at a moment. What goes wrong
    /// here is no fault of the search.
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
            && self.time.is_its_turn()
            // Matches wait for guided playouts. With a budget the clock is to make no difference;
            // else the search goes on meanwhile.
            && (self.time.is_budgeted() || reasoner.is_ready_for_guided_playouts())
            // Two roles may have to think, and small trees are slower.
            && self.time.has_time(context, 2 * SIMULATIONS)
        {
            mast.try_out();
            let begin = Instant::now();
            let until = Allowance::end_of_step(context);
            let within = SearchContext::detached(context.cancel_flag(), Some(until));
            let result = self.step(reasoner, root, &within);
            let took = begin.elapsed();
            match result {
                Ok(()) => {
                    self.time.spend(took);
                    self.judge(mast);
                }
                Err(ReasonError::Stopped) => {
                    self.time.lose(took, context.is_current());
                    return;
                }
                Err(_) => {
                    mast.decide(self.usual);
                    self.current = None;
                }
            }
        }
    }

    /// Decides, if enough is known.
    fn judge(&mut self, mast: &Mast) {
        let is_certain = self.evidence().abs() >= CERTAIN;
        if is_certain || self.matches >= MATCHES || self.time.is_over() {
            self.decide(mast);
        }
    }

    /// Decides by what is more likely.
    fn decide(&mut self, mast: &Mast) {
        mast.decide(self.evidence() > 0.0);
        self.current = None;
    }

    /// How much more likely it is that guided playouts are worth following than not, as a
    /// logarithm.
    fn evidence(&self) -> f64 {
        let before = if self.usual { USUAL } else { 0.0 };
        before + evidence(self.wins, self.losses)
    }

    fn begin(&mut self, reasoner: &R, root: &R::State) -> Match<R> {
        // Two matches of each opening.
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

    /// One step of a match. If there was no time for it, it is tried again.
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
        let mut is_over = current.steps >= STEPS || reasoner.is_terminal(&current.state)?;
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
        Ok(Next::Goes)
    }

    /// Takes note of what came of a match.
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
        // The means, compared without dividing.
        let (ours, theirs) = (guided.0 * random.1, random.0 * guided.1);
        self.wins += u32::from(ours > theirs && one.steps < STEPS);
        self.losses += u32::from(ours < theirs && one.steps < STEPS);
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
    // What was cut off says nothing.
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

/// The options of a search for a side.
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

/// How much more likely it is that guided playouts are worth following than that they make no
/// difference, as a logarithm.
fn evidence(wins: u32, losses: u32) -> f64 {
    let (won, lost) = ((WORTHY / 0.5).ln(), ((1.0 - WORTHY) / 0.5).ln());
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
    fn a_few_matches_decide_what_is_clear_and_many_what_is_not() {
        assert!(evidence(5, 0) > CERTAIN && evidence(4, 0) < CERTAIN);
        assert!(evidence(0, 3) < -CERTAIN && evidence(0, 2) > -CERTAIN);
        assert!(evidence(14, 8).abs() < CERTAIN);
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

    fn turned(is_turned: bool) -> Arc<AtomicBool> {
        Arc::new(AtomicBool::new(is_turned))
    }

    /// A context for as long as it takes.
    fn context() -> SearchContext {
        let until = Instant::now() + Duration::from_mins(30);
        SearchContext::detached(turned(false), Some(until))
    }

    #[test]
    fn matches_that_nobody_wins_are_given_up_for_random_playouts() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let options = options("mast=auto,simulations=1000");
        let mast = Mast::new(2, 0.4, false);
        let mut trial = Trial::new(&options);
        // After a little of the search only a little is played, after much of it all of it.
        trial.earn(10_000, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &context(), Instant::now());
        assert!(mast.is_on_trial() && mast.is_followed());
        assert!(trial.matches == 0 && trial.current.is_some());
        trial.earn(1 << 40, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &context(), Instant::now());
        assert!(!mast.is_on_trial() && !mast.is_followed());
        assert!(trial.matches > 1 && trial.current.is_none());
    }

    #[test]
    fn nothing_is_played_before_playouts_can_be_guided() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let mut engine = Unready(lanes(text));
        let root = engine.initial().expect("a state");
        let mast = Mast::new(2, 0.4, false);
        let mut trial = Trial::new(&options("mast=auto"));
        trial.earn(1 << 40, Duration::from_secs(1));
        trial.go_on(&mut engine, &mast, &root, &context(), Instant::now());
        assert!(mast.is_on_trial() && !mast.is_followed() && trial.current.is_none());
        assert_eq!(trial.matches, 0);
    }

    #[test]
    fn a_match_is_kept_when_time_is_over() {
        let text = ludorum_games::find("connect-four").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let options = options("mast=auto,simulations=1000");
        let mut trial = Trial::new(&options);
        for _ in 0..3 {
            trial.step(&mut lanes, &root, &context()).expect("a step");
        }
        let steps = |trial: &Trial<Lanes>| trial.current.as_ref().map(|current| current.steps);
        assert_eq!(steps(&trial), Some(3));
        let over = SearchContext::detached(turned(true), None);
        assert!(trial.step(&mut lanes, &root, &over).is_err());
        assert_eq!(steps(&trial), Some(3));
        // And nothing more is begun.
        let mast = Mast::new(2, 0.4, false);
        trial.earn(1 << 40, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &over, Instant::now());
        assert!(mast.is_on_trial() && steps(&trial) == Some(3));
    }

    #[test]
    fn a_trial_takes_no_longer_than_a_few_thoughts() {
        let mut trial = Trial::<Lanes>::new(&options("mast=auto"));
        let mast = Mast::new(2, 0.4, false);
        (trial.wins, trial.losses) = (3, 1);
        trial.time.spend(Duration::from_secs(5));
        trial.judge(&mast);
        assert!(mast.is_on_trial(), "nothing is known about the clock");
        let now = Instant::now();
        let until = now + Duration::from_secs(1);
        let short = SearchContext::detached(turned(false), Some(until));
        trial.time.set_clock(&short, now);
        trial.judge(&mast);
        assert!(mast.is_followed());
    }

    #[test]
    fn it_takes_less_to_follow_what_is_usual_and_more_to_give_it_up() {
        let verdict = |wins, losses, is_at_its_end: bool| {
            let options = options("mast=auto");
            let mut trial = Trial::<Lanes>::new(&options).of_the_usual();
            let mast = Mast::new(2, 0.4, false);
            (trial.wins, trial.losses) = (wins, losses);
            if is_at_its_end {
                trial.decide(&mast);
            } else {
                trial.judge(&mast);
            }
            (!mast.is_on_trial()).then(|| mast.is_followed())
        };
        assert_eq!(verdict(3, 0, false), Some(true));
        assert_eq!(verdict(2, 0, false), None);
        assert_eq!(verdict(0, 3, false), None);
        assert_eq!(verdict(0, 4, false), Some(false));
        // Without any evidence, or with little, it is followed in the end.
        assert_eq!(
            (verdict(0, 0, true), verdict(0, 1, true)),
            (Some(true), Some(true))
        );
        assert_eq!(verdict(0, 3, true), Some(false));
    }

    #[test]
    fn a_step_that_takes_too_long_is_not_begun() {
        let text = ludorum_games::find("connect-four").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let options = options("mast=auto");
        let mut trial = Trial::new(&options);
        let mast = Mast::new(2, 0.4, false);
        // A step takes half a minute.
        trial.earn(100_000, Duration::from_secs(9));
        trial.time.lose(Duration::from_secs(20), true);
        let now = Instant::now();
        let until = now + Duration::from_secs(100);
        let short = SearchContext::detached(turned(false), Some(until));
        trial.go_on(&mut lanes, &mast, &root, &short, now);
        assert!(mast.is_on_trial() && trial.current.is_none());
        assert!(!mast.is_followed(), "nothing was tried");
        // When it would have had its time there is a verdict even so.
        trial.earn(1 << 40, Duration::from_hours(1));
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
