//! Players that search for moves.

use std::fmt;
use std::time::{Duration, Instant};

use ludorum_engines::engine::EngineSettings;
use ludorum_players::{Answer, PlayerSpec, Report};
use ludorum_reasoner::Role;

use crate::error::Error;
use crate::game::Game;

/// A player of one role.
///
/// It begins at the initial state and follows the joint moves that it is given.
///
/// ```
/// use std::time::Duration;
///
/// let game = ludorum::Game::named("nim")?;
/// let mut player = game.player("mcts:simulations=200", 0)?;
/// let answer = player.choose_move(Duration::from_secs(5))?;
/// println!("{} after {} simulations", answer.text, answer.report.simulations);
/// # Ok::<(), ludorum::Error>(())
/// ```
pub struct Player {
    game: Game,
    inner: Box<dyn ludorum_players::Player>,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("game", &self.game)
            .field("role", &self.role())
            .finish_non_exhaustive()
    }
}

impl Game {
    /// A player of a role by its name and options, as in `ludorum` or `mcts:c=0.7,threads=2`.
    pub fn player(&self, name: &str, role: Role) -> Result<Player, Error> {
        let spec: PlayerSpec = name.parse()?;
        let engine = spec.engine();
        let compiled = self.compiled_for(engine);
        let reasoner = engine.build_for(&compiled, &EngineSettings::default())?;
        let player = spec.player_for(&compiled, reasoner, role)?;
        Ok(Player::new(self.clone(), player))
    }
}

impl Player {
    fn new(game: Game, inner: Box<dyn ludorum_players::Player>) -> Self {
        Self { game, inner }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The role that it plays.
    pub fn role(&self) -> Role {
        self.inner.role()
    }

    /// Searches before the first move for at most this time: the start clock of a match.
    pub fn prepare(&mut self, time: Duration) -> Result<(), Error> {
        Ok(self.inner.start(Instant::now() + time)?)
    }

    /// Searches for at most this time and gives a legal move with a report of the search. The
    /// state does not change.
    pub fn choose_move(&mut self, time: Duration) -> Result<Answer, Error> {
        Ok(self.inner.play(Instant::now() + time)?)
    }

    /// Goes on to the state after a joint move, one text for each role.
    pub fn apply<S: AsRef<str>>(&mut self, joint_move: &[S]) -> Result<(), Error> {
        let texts: Vec<String> = joint_move.iter().map(|m| m.as_ref().to_owned()).collect();
        Ok(self.inner.apply_joint_move(&texts)?)
    }

    /// Goes to the state with exactly these facts.
    pub fn go_to<S: AsRef<str>>(&mut self, facts: &[S]) -> Result<(), Error> {
        let facts: Vec<String> = facts.iter().map(|fact| fact.as_ref().to_owned()).collect();
        Ok(self.inner.set_state(&facts)?)
    }

    /// Goes on searching in the background until the next call of anything but
    /// [`report`](Self::report).
    pub fn ponder(&mut self) {
        self.inner.ponder();
    }

    /// What the search has found about the current state so far.
    pub fn report(&mut self) -> Option<Report> {
        self.inner.report()
    }
}

impl Drop for Player {
    /// Ends the threads of the search.
    fn drop(&mut self) {
        self.inner.shut_down();
    }
}
