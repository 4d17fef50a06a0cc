//! Whether playouts are to follow the history: found out by playing.
//!
//! In some games playouts that follow the history make the search much stronger, in others much weaker, and neither how often they win nor how well
//! they foresee the tree tells which. So the search plays quick matches against itself from the position at hand, with small trees: one side has
//! guided playouts, the other random ones. Each opening is played twice with the sides changed. That takes a part of the time until enough of
//! them are won or lost. From the first match on playouts follow the history as well: it is worth following in most games, and where it is not that shows
//! after a few matches. Where there is too little time even for them, it is not followed in the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_reason::{Dice, MoveId, ReasonError, Reasoner, Role};

use super::Mcts;
use super::mast::Mast;
use crate::contract::board::{Board, Watch};
use crate::contract::mind::{Mind as _, Position};
use crate::spec::Spec;

/// The playouts for a move: far fewer than in a match, yet enough for trees in which guided playouts show what they are worth.
const SIMULATIONS: u64 = 2_000;
/// MiB for the trees of all sides, which are small.
const MEMORY: usize = 16;
/// After so many matches it is decided by what is more likely.
const MATCHES: u32 = 32;
/// The first steps are random.
const OPENING: u32 = 2;
/// A match is a draw after so many steps.
const STEPS: u32 = 300;
/// Where the search makes fewer playouts in a second than this, matches would take too long, and so would making ready for guided playouts.
const SLOWEST: f64 = 10_000.0;
/// The share of the time that it may take: one in this,
const SHARE: u32 = 4;
/// and of the first thought so many in [`SHARE`]: what is found out early is good for the whole match, and the first move matters least.
const FIRST_SHARE: u32 = 3;
/// The most time that it may take,
const MOST: Duration = Duration::from_secs(30);
/// and how many times as long as a thought: in a slow game it would take its share of the time of the whole match, and end with it.
const THOUGHTS: u32 = 3;
/// What a step may take while nobody has said when thinking ends.
const PATIENCE: Duration = Duration::from_millis(250);
/// The part of the matches that a side wins whose playouts are worth following; small trees gain more by them than large ones. Otherwise it wins
/// half of them.
const WORTHY: f64 = 0.78;
/// By how much the one must be more likely than the other, as a logarithm: one error in ten.
const CERTAIN: f64 = 2.2;
/// How much more likely it is beforehand that what is usual is worth following, as a logarithm: so it is in three games of four.
const USUAL: f64 = 1.0;

/// A match of the search against itself.
#[derive(Debug)]
struct Match<R: Reasoner> {
    state: R::State,
    steps: u32,
    /// Random moves at the beginning, the same in both matches of an opening.
    opening: Dice,
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

/// Whether a role has guided playouts: every other role has.
fn is_guided(role: Role, is_even_guided: bool) -> bool {
    role.is_multiple_of(2) == is_even_guided
}

/// The trial of the history.
#[derive(Debug)]
pub(super) struct Trial<R: Reasoner> {
    spec: Spec,
    dice: Dice,
    /// How and where the two matches of an opening begin.
    opening: Dice,
    root: Option<R::State>,
    current: Option<Match<R>>,
    wins: u32,
    losses: u32,
    matches: u32,
    spent: Duration,
    /// What a step is expected to take; zero before the first.
    cost: Duration,
    /// The time of the search, this included.
    time: Duration,
    /// The time of the last thought that had a clock,
    thought: Duration,
    /// when it was to end,
    until: Option<Instant>,
    /// and how many there were.
    thoughts: u32,
    /// Whether the search has been fast enough. Guided playouts are slower, and no reason to stop.
    is_fast: bool,
    /// Playouts of the search,
    made: u64,
    /// whether there is a budget of them,
    is_budgeted: bool,
    /// and those of the trial.
    simulations: u64,
    /// What is decided where nothing could be found out.
    usual: bool,
}

impl<R: Reasoner + 'static> Trial<R> {
    /// A trial for a search with these options.
    pub(super) fn new(spec: &Spec) -> Self {
        let seed = spec.count("seed");
        Self {
            spec: spec.clone(),
            dice: Dice::new(seed.wrapping_add(2)),
            opening: Dice::new(seed.wrapping_add(3)),
            root: None,
            current: None,
            wins: 0,
            losses: 0,
            matches: 0,
            spent: Duration::ZERO,
            cost: Duration::ZERO,
            time: Duration::ZERO,
            thought: Duration::ZERO,
            until: None,
            thoughts: 0,
            is_fast: false,
            made: 0,
            is_budgeted: spec.count("simulations") > 0,
            simulations: 0,
            usual: false,
        }
    }

    /// The same of something that is followed unless there is evidence against it.
    pub(super) fn of_the_usual(self) -> Self {
        Self {
            usual: true,
            ..self
        }
    }

    /// The search has made so many playouts in so much time.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    pub(super) fn earn(&mut self, made: u64, took: Duration) {
        self.time += took;
        self.made += made;
        self.is_fast |= self.made as f64 >= SLOWEST * self.searched().as_secs_f64();
    }

    /// Goes on for as long as it is its turn. What goes wrong here is no fault of the search.
    pub(super) fn go_on(&mut self, reasoner: &mut R, mast: &Mast, root: &R::State, watch: &Watch) {
        self.set_clock(watch);
        if !self.is_budgeted && self.time >= self.most() * SHARE {
            self.decide(mast);
        }
        // An engine that plays one playout at a time is too slow for it; some become faster on the way.
        if reasoner.batch() <= 1 || reasoner.roles().len() < 2 {
            return;
        }
        while mast.is_on_trial()
            && !watch.is_over()
            && self.is_its_turn()
            // Matches wait for guided playouts. With a budget the clock is to make no difference; else the search goes on meanwhile.
            && (self.is_budgeted || reasoner.is_ready_to_guide())
            && self.has_time(watch)
        {
            mast.try_out();
            let begin = Instant::now();
            let until = watch.until.unwrap_or(begin + PATIENCE);
            let within = Watch::new(Arc::default(), (0, watch.turned()), Some(until));
            let result = self.step(reasoner, root, &within);
            let took = begin.elapsed();
            self.spent += took;
            self.time += took;
            match result {
                Ok(()) => {
                    self.cost = self.cost.max(took);
                    self.judge(mast);
                }
                Err(ReasonError::Late) => {
                    // Who was interrupted has learned nothing about the time that it takes.
                    if watch.is_current() {
                        self.cost = self.cost.max(took * 2);
                    }
                    return;
                }
                Err(_) => {
                    mast.decide(self.usual);
                    self.current = None;
                }
            }
        }
    }

    /// Takes note of the clock of a new thought. The machine may be less busy than it was.
    fn set_clock(&mut self, watch: &Watch) {
        if let Some(until) = watch.until.filter(|_| watch.until != self.until) {
            self.until = Some(until);
            self.thoughts += 1;
            self.thought = until.saturating_duration_since(Instant::now());
            self.cost = self.cost * 3 / 4;
        }
    }

    /// The time of the search without the trial.
    fn searched(&self) -> Duration {
        self.time.saturating_sub(self.spent)
    }

    /// Whether a step that is begun now can be expected to be finished, and the search to have time after it. With a budget of playouts the clock is to
    /// make no difference.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    fn has_time(&self, watch: &Watch) -> bool {
        if self.is_budgeted {
            return true;
        }
        let cost = if self.cost.is_zero() {
            // Two roles may have to think, and small trees are slower.
            let each = self.searched().as_secs_f64() / self.made.max(1) as f64;
            Duration::from_secs_f64((2 * SIMULATIONS) as f64 * each)
        } else {
            self.cost
        };
        match watch.until {
            Some(until) => until.saturating_duration_since(Instant::now()) >= cost * SHARE,
            None => PATIENCE >= cost,
        }
    }

    /// With a budget of playouts the clock is to make no difference.
    fn is_its_turn(&self) -> bool {
        let share = u64::from(SHARE);
        if self.is_budgeted {
            return self.simulations * share <= self.made + self.simulations;
        }
        let most = if self.thoughts == 1 { FIRST_SHARE } else { 1 };
        self.is_fast && self.spent * SHARE <= self.time * most
    }

    /// Decides, if enough is known.
    fn judge(&mut self, mast: &Mast) {
        let is_certain = self.evidence().abs() >= CERTAIN;
        let is_long = self.matches >= MATCHES || (!self.is_budgeted && self.spent >= self.most());
        if is_certain || is_long {
            self.decide(mast);
        }
    }

    /// Decides by what is more likely.
    fn decide(&mut self, mast: &Mast) {
        mast.decide(self.evidence() > 0.0);
        self.current = None;
    }

    /// How much more likely it is that guided playouts are worth following than not, as a logarithm.
    fn evidence(&self) -> f64 {
        let before = if self.usual { USUAL } else { 0.0 };
        before + evidence(self.wins, self.losses)
    }

    /// The most time that it may take, where there is a clock; what was seen while pondering says nothing about that.
    fn most(&self) -> Duration {
        if self.thought.is_zero() {
            MOST
        } else {
            MOST.min(self.thought * THOUGHTS)
        }
    }

    fn begin(&mut self, reasoner: &R, root: &R::State) -> Match<R> {
        // Two matches of each opening.
        if self.matches.is_multiple_of(2) {
            self.opening = Dice::new(self.dice.bits());
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
            let seed = self.dice.bits();
            Mcts::new(&small(&self.spec, roles, mast, seed), reasoner)
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
        watch: &Watch,
    ) -> Result<(), ReasonError> {
        reasoner.set_deadline(watch.until);
        let mut current = match self.current.take() {
            Some(current) => current,
            None => self.begin(reasoner, root),
        };
        let result = self.play(reasoner, &mut current, watch);
        if !matches!(result, Ok(Next::Over)) {
            self.current = Some(current);
        }
        result.map(|_| ())
    }

    fn play(
        &mut self,
        reasoner: &mut R,
        current: &mut Match<R>,
        watch: &Watch,
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
                self.simulations += SIMULATIONS;
                let position = Position {
                    state: current.state.clone(),
                    role,
                    legal: legal.clone(),
                    chosen: None,
                };
                choose(&mut current.sides[role], reasoner, &position, watch)?
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
    watch: &Watch,
) -> Result<MoveId, ReasonError> {
    let board = Arc::new(Board::default());
    let (page, _) = board.turn();
    let watch = Watch::new(Arc::clone(&board), (page, watch.turned()), watch.until);
    side.think(reasoner, position, &watch)?;
    // What was cut off says nothing.
    if watch.is_over() {
        return Err(ReasonError::Late);
    }
    let (thought, _) = board.read();
    let first = position.legal[position.role].first();
    Ok(thought.map_or_else(
        || first.copied().unwrap_or(MoveId(0)),
        |thought| thought.choice,
    ))
}

/// The options of a search for a side.
fn small(spec: &Spec, roles: usize, mast: &str, seed: u64) -> Spec {
    let changes = [
        ("mast", mast.to_owned()),
        ("simulations", SIMULATIONS.to_string()),
        ("memory", (MEMORY / roles.max(1)).max(1).to_string()),
        ("threads", "1".to_owned()),
        ("seed", seed.to_string()),
    ];
    let mut small = spec.clone();
    for (name, value) in changes {
        if let Ok(changed) = small.with(name, &value) {
            small = changed;
        }
    }
    small
}

/// How much more likely it is that guided playouts are worth following than that they make no difference, as a logarithm.
fn evidence(wins: u32, losses: u32) -> f64 {
    let (won, lost) = ((WORTHY / 0.5).ln(), ((1.0 - WORTHY) / 0.5).ln());
    f64::from(wins) * won + f64::from(losses) * lost
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use ludorum_logic::Rules;
    use ludorum_reason::Engine;
    use ludorum_reason::engine::Settings;
    use ludorum_reason::lanes::Lanes;

    use super::*;
    use crate::unready::Unready;

    #[test]
    fn a_few_matches_decide_what_is_clear_and_many_what_is_not() {
        assert!(evidence(5, 0) > CERTAIN && evidence(4, 0) < CERTAIN);
        assert!(evidence(0, 3) < -CERTAIN && evidence(0, 2) > -CERTAIN);
        assert!(evidence(14, 8).abs() < CERTAIN);
        assert!(evidence(21, 11) > 0.0 && evidence(20, 12) < 0.0);
    }

    fn lanes(text: &str) -> Lanes {
        let rules = Rules::from_text(text).expect("rules");
        let network = Engine::Propnet.network(&Arc::new(rules), &Settings::default());
        Lanes::new(network.expect("a network"))
    }

    fn turned(is_turned: bool) -> Arc<AtomicBool> {
        Arc::new(AtomicBool::new(is_turned))
    }

    /// A watch for as long as it takes.
    fn watch() -> Watch {
        let until = Instant::now() + Duration::from_mins(30);
        Watch::new(Arc::default(), (0, turned(false)), Some(until))
    }

    #[test]
    fn matches_that_nobody_wins_are_given_up_for_random_playouts() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let spec: Spec = "mcts:mast=auto,simulations=1000".parse().expect("a player");
        let mast = Mast::new(2, 0.4, false);
        let mut trial = Trial::new(&spec);
        // After a little of the search only a little is played, after much of it all of it.
        trial.earn(10_000, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &watch());
        assert!(mast.is_on_trial() && mast.is_followed() && trial.simulations <= 10_000);
        trial.earn(1 << 40, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &watch());
        assert!(!mast.is_on_trial() && !mast.is_followed());
        assert!(trial.matches > 1 && trial.current.is_none());
    }

    #[test]
    fn nothing_is_played_before_playouts_can_be_guided() {
        let text = ludorum_games::find("tic-tac-toe").expect("a game").text;
        let mut engine = Unready(lanes(text));
        let root = engine.initial().expect("a state");
        let mast = Mast::new(2, 0.4, false);
        let mut trial = Trial::new(&"mcts:mast=auto".parse().expect("a player"));
        trial.earn(1 << 40, Duration::from_secs(1));
        trial.go_on(&mut engine, &mast, &root, &watch());
        assert!(mast.is_on_trial() && !mast.is_followed() && trial.current.is_none());
        assert_eq!((trial.matches, trial.simulations), (0, 0));
    }

    #[test]
    fn a_match_is_kept_when_time_is_over() {
        let text = ludorum_games::find("connect-four").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let spec: Spec = "mcts:mast=auto,simulations=1000".parse().expect("a player");
        let mut trial = Trial::new(&spec);
        for _ in 0..3 {
            trial.step(&mut lanes, &root, &watch()).expect("a step");
        }
        let steps = |trial: &Trial<Lanes>| trial.current.as_ref().map(|current| current.steps);
        assert_eq!(steps(&trial), Some(3));
        let over = Watch::new(Arc::default(), (0, turned(true)), None);
        assert!(trial.step(&mut lanes, &root, &over).is_err());
        assert_eq!(steps(&trial), Some(3));
        // And nothing more is begun.
        let mast = Mast::new(2, 0.4, false);
        trial.earn(1 << 40, Duration::ZERO);
        trial.go_on(&mut lanes, &mast, &root, &over);
        assert!(mast.is_on_trial() && steps(&trial) == Some(3));
    }

    #[test]
    fn a_trial_takes_no_longer_than_a_few_thoughts() {
        let mut trial = Trial::<Lanes>::new(&"mcts:mast=auto".parse().expect("a player"));
        let mast = Mast::new(2, 0.4, false);
        (trial.wins, trial.losses) = (3, 1);
        trial.spent = Duration::from_secs(5);
        trial.judge(&mast);
        assert!(mast.is_on_trial(), "nothing is known about the clock");
        trial.thought = Duration::from_secs(1);
        trial.judge(&mast);
        assert!(mast.is_followed());
    }

    #[test]
    fn what_is_usual_is_given_up_on_evidence_alone() {
        for (losses, is_followed) in [(0, true), (1, true), (3, false)] {
            let spec: Spec = "mcts:mast=auto".parse().expect("a player");
            let mut trial = Trial::<Lanes>::new(&spec).of_the_usual();
            let mast = Mast::new(2, 0.4, false);
            trial.losses = losses;
            trial.decide(&mast);
            assert_eq!(mast.is_followed(), is_followed);
        }
    }

    #[test]
    fn a_slow_search_has_no_trial() {
        let mut trial = Trial::<Lanes>::new(&"mcts:mast=auto".parse().expect("a player"));
        trial.earn(90_000, Duration::from_secs(10));
        assert!(!trial.is_its_turn());
        trial.earn(90_000, Duration::from_secs(1));
        assert!(trial.is_its_turn());
        // Guided playouts are slower; the trial is to come to its end all the same.
        trial.earn(0, Duration::from_secs(100));
        assert!(trial.is_its_turn());
    }

    #[test]
    fn a_step_that_takes_too_long_is_not_begun() {
        let text = ludorum_games::find("connect-four").expect("a game").text;
        let mut lanes = lanes(text);
        let root = lanes.initial().expect("a state");
        let spec: Spec = "mcts:mast=auto".parse().expect("a player");
        let mut trial = Trial::new(&spec);
        let mast = Mast::new(2, 0.4, false);
        trial.earn(1 << 40, Duration::from_secs(9));
        trial.cost = Duration::from_hours(1);
        trial.go_on(&mut lanes, &mast, &root, &watch());
        assert!(trial.current.is_none());
        assert!(!mast.is_followed(), "nothing was tried");
        // When it would have had its time there is a verdict even so.
        trial.earn(1 << 40, MOST * SHARE);
        trial.go_on(&mut lanes, &mast, &root, &watch());
        assert!(!mast.is_on_trial() && !mast.is_followed());
    }

    #[test]
    fn the_first_step_is_begun_only_if_it_can_be_expected_to_end() {
        let mut trial = Trial::<Lanes>::new(&"mcts:mast=auto".parse().expect("a player"));
        let within = |time| {
            let until = Instant::now() + time;
            Watch::new(Arc::default(), (0, turned(false)), Some(until))
        };
        // 4,000 playouts take a fifth of a second.
        trial.earn(20_000, Duration::from_secs(1));
        assert!(!trial.has_time(&within(Duration::from_millis(500))));
        assert!(trial.has_time(&within(Duration::from_mins(1))));
        // Nobody waits for what is thought meanwhile.
        let pondering = Watch::new(Arc::default(), (0, turned(false)), None);
        assert!(trial.has_time(&pondering));
        trial.cost = PATIENCE * 2;
        assert!(!trial.has_time(&pondering));
    }

    #[test]
    fn each_thought_has_a_clock_of_its_own_and_forgets_how_long_steps_took() {
        let mut trial = Trial::<Lanes>::new(&"mcts:mast=auto".parse().expect("a player"));
        let clock = |seconds| {
            let until = Instant::now() + Duration::from_secs(seconds);
            Watch::new(Arc::default(), (0, turned(false)), Some(until))
        };
        let start = clock(3_000);
        trial.cost = Duration::from_secs(8);
        trial.set_clock(&start);
        trial.set_clock(&start);
        assert_eq!((trial.most(), trial.cost), (MOST, Duration::from_secs(6)));
        trial.set_clock(&clock(1));
        assert!(trial.most() <= Duration::from_secs(4));
    }

    #[test]
    fn it_has_most_of_the_first_thought_and_little_of_the_others() {
        let mut trial = Trial::<Lanes>::new(&"mcts:mast=auto".parse().expect("a player"));
        let clock = || Watch::new(Arc::default(), (0, turned(false)), Some(Instant::now()));
        trial.is_fast = true;
        (trial.spent, trial.time) = (Duration::from_secs(7), Duration::from_secs(10));
        assert!(!trial.is_its_turn(), "nobody has said when thinking ends");
        trial.set_clock(&clock());
        assert!(trial.is_its_turn());
        trial.set_clock(&clock());
        assert!(!trial.is_its_turn());
        trial.time = Duration::from_secs(30);
        assert!(trial.is_its_turn());
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
        let spec: Spec = "mcts:mast=auto,threads=4,c=0.5,simulations=100000"
            .parse()
            .expect("a player");
        let side = small(&spec, 2, "on", 9).to_string();
        assert_eq!(
            side,
            "mcts:c=0.5,simulations=2000,memory=8,threads=1,mast=on,seed=9"
        );
    }
}
