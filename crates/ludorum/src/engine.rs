//! Questions about states of a game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ludorum_engines::engine::EngineSettings;
use ludorum_engines::{AnyReasoner, AnyState as State};
use ludorum_propnet::CompileLimits;
use ludorum_reasoner::{
    Goal, MoveId, PlayoutRecord, PlayoutTotals, Reasoner, Rng, Role, StateSummary,
};

use crate::error::Error;
use crate::game::Game;

/// Playouts are cut after this many steps if nothing else is said.
const DEFAULT_STEP_LIMIT: u32 = 10_000;

/// How an engine is made.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The time for compiling; `None` for the engine's own limits.
    pub time: Option<Duration>,
    /// The most bytes that grounding may use; `None` for the default.
    pub max_memory: Option<u64>,
    /// A flag that ends compiling when another thread sets it.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Whether to wait until everything that an engine compiles in the background is ready.
    pub wait: bool,
    /// The seed of random playouts.
    pub seed: u64,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            time: None,
            max_memory: None,
            cancel: None,
            wait: true,
            seed: 1,
        }
    }
}

impl EngineOptions {
    fn settings(&self) -> EngineSettings {
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        let mut limits = CompileLimits::with_deadline(deadline);
        limits.cancel.clone_from(&self.cancel);
        if let Some(bytes) = self.max_memory {
            limits.ground.max_memory = bytes;
        }
        EngineSettings::within(limits)
    }
}

/// An engine on a game: answers questions about its states.
///
/// ```
/// let game = ludorum::Game::named("tic-tac-toe")?;
/// let mut engine = game.engine("propnet")?;
/// let start = engine.initial()?;
/// let x = game.role("xplayer")?;
/// let joint_move = engine.joint_move(&["(mark 2 2)", "noop"])?;
/// let next = engine.next(&start, &joint_move)?;
/// assert!(engine.facts(&next).contains(&"(cell 2 2 x)".to_owned()));
/// assert!(!engine.is_terminal(&next)?);
/// assert_eq!(engine.legal_moves(&next, x)?.len(), 1);
/// # Ok::<(), ludorum::Error>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    game: Game,
    reasoner: AnyReasoner,
    rng: Rng,
    step_limit: u32,
}

impl Game {
    /// An engine by its name and options, as in `auto` or `prover:cache=64`. Waits until
    /// everything that it compiles is ready.
    pub fn engine(&self, name: &str) -> Result<Engine, Error> {
        self.engine_with(name, &EngineOptions::default())
    }

    /// The same with limits and a seed.
    pub fn engine_with(&self, name: &str, options: &EngineOptions) -> Result<Engine, Error> {
        let engine: ludorum_engines::Engine = name.parse()?;
        let settings = options.settings();
        let mut reasoner = engine.build_for(&self.compiled_for(engine), &settings)?;
        if options.wait {
            reasoner.wait_until_ready();
        }
        Ok(Engine::new(self.clone(), reasoner, options.seed))
    }
}

impl Engine {
    fn new(game: Game, reasoner: AnyReasoner, seed: u64) -> Self {
        Self {
            game,
            reasoner,
            rng: Rng::new(seed),
            step_limit: DEFAULT_STEP_LIMIT,
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// An engine for another thread: what was compiled is shared. Its random playouts begin with
    /// the given seed.
    #[must_use]
    pub fn fork(&self, seed: u64) -> Self {
        Self {
            game: self.game.clone(),
            reasoner: self.reasoner.fork(),
            rng: Rng::new(seed),
            step_limit: self.step_limit,
        }
    }

    /// Random playouts begin again with this seed.
    pub fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }

    /// Playouts are cut after this many joint moves.
    pub fn set_step_limit(&mut self, steps: u32) {
        self.step_limit = steps;
    }

    /// Questions that are still open at this moment end with an error, on engines whose answers
    /// can take long.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.reasoner.set_deadline(deadline);
    }

    /// Questions end with an error once another thread sets the flag.
    pub fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.reasoner.set_cancel(cancel);
    }

    /// The initial state.
    pub fn initial(&mut self) -> Result<State, Error> {
        Ok(self.reasoner.initial()?)
    }

    /// Whether the game is over in a state.
    pub fn is_terminal(&mut self, state: &State) -> Result<bool, Error> {
        Ok(self.reasoner.is_terminal(state)?)
    }

    /// The legal moves of a role, sorted by their text.
    pub fn legal_moves(&mut self, state: &State, role: Role) -> Result<Vec<MoveId>, Error> {
        let mut moves = Vec::new();
        self.reasoner.legal_moves(state, role, &mut moves)?;
        Ok(moves)
    }

    /// The state after a joint move: one move for each role, in the order of the roles.
    pub fn next(&mut self, state: &State, joint_move: &[MoveId]) -> Result<State, Error> {
        Ok(self.reasoner.next(state, joint_move)?)
    }

    /// The goal value of a role in a state, or why it has none.
    pub fn goal(&mut self, state: &State, role: Role) -> Result<Goal, Error> {
        Ok(self.reasoner.goal(state, role)?)
    }

    /// The goal values of all roles; `None` where the rules give no single number.
    pub fn goals(&mut self, state: &State) -> Result<Vec<Option<u8>>, Error> {
        let roles = 0..self.game.roles().len();
        roles
            .map(|role| Ok(self.reasoner.goal(state, role)?.value()))
            .collect()
    }

    /// Terminal, goals and legal moves of many states. `lanes` evaluates hundreds at once.
    pub fn summaries(&mut self, states: &[State]) -> Result<Vec<StateSummary>, Error> {
        Ok(self.reasoner.summaries(states)?)
    }

    /// The successors of many states, each with its joint move.
    pub fn successors(&mut self, moves: &[(&State, &[MoveId])]) -> Result<Vec<State>, Error> {
        Ok(self.reasoner.next_states(moves)?)
    }

    /// A key of 128 bits that equal states share and different ones practically never do: for
    /// tables of states. All engines give the same keys for a game.
    pub fn key(&self, state: &State) -> u128 {
        self.reasoner.key(state)
    }

    /// The facts of a state in KIF, sorted.
    pub fn facts(&mut self, state: &State) -> Vec<String> {
        self.reasoner.facts(state)
    }

    /// The state with exactly these facts.
    pub fn state_from_facts<S: AsRef<str>>(&mut self, facts: &[S]) -> Result<State, Error> {
        let facts: Vec<String> = facts.iter().map(|fact| fact.as_ref().to_owned()).collect();
        Ok(self.reasoner.state_from_facts(&facts)?)
    }

    /// The text of a move in KIF.
    pub fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.reasoner.move_text(role, id)
    }

    /// The move of a role with a text.
    ///
    /// Engines that do not know all moves of the game in advance take any term; whether the move is
    /// legal in a state is checked by [`next`](Self::next).
    pub fn find_move(&mut self, role: Role, text: &str) -> Result<MoveId, Error> {
        let found = self.reasoner.find_move(role, text);
        found.ok_or_else(|| Error::UnknownMove {
            role: self.game.roles().get(role).cloned().unwrap_or_default(),
            text: text.to_owned(),
        })
    }

    /// A joint move from texts, one for each role.
    pub fn joint_move<S: AsRef<str>>(&mut self, texts: &[S]) -> Result<Vec<MoveId>, Error> {
        let texts = texts.iter().enumerate();
        texts
            .map(|(role, text)| self.find_move(role, text.as_ref()))
            .collect()
    }

    /// Random playouts from a state: sums of goals, steps and how they ended.
    ///
    /// Moves are uniform and independent for each role. Many playouts in one call are much faster
    /// than many calls.
    pub fn playouts(&mut self, state: &State, count: u32) -> Result<PlayoutTotals, Error> {
        let starts = std::slice::from_ref(state);
        let totals = self.playouts_from(starts, count)?;
        Ok(totals.into_iter().next().unwrap_or_default())
    }

    /// Random playouts from many states, `each` from every one.
    pub fn playouts_from(
        &mut self,
        states: &[State],
        each: u32,
    ) -> Result<Vec<PlayoutTotals>, Error> {
        let limit = self.step_limit;
        let totals = self.reasoner.playouts(states, each, &mut self.rng, limit);
        Ok(totals?)
    }

    /// Random playouts with every joint move that was made in them.
    pub fn recorded_playouts(
        &mut self,
        state: &State,
        count: u32,
    ) -> Result<Vec<PlayoutRecord>, Error> {
        let starts = std::slice::from_ref(state);
        let limit = self.step_limit;
        let records = self
            .reasoner
            .recorded_playouts(starts, count, &mut self.rng, limit)?;
        Ok(records.into_iter().flatten().collect())
    }
}
