//! The game that is being played: its state, its past turns, and its players.

use std::time::{Duration, Instant};

use ludorum_players::{PlayError, Report};
use ludorum_reasoner::{GameWalker, Goal, ReasonError, Rng, Role};
use thiserror::Error;

use super::opponents::Opponents;

/// The time limit of the queries of a turn to the engine.
const QUERY_TIMEOUT: Duration = Duration::from_mins(1);

/// A game between a person and opponents.
pub(super) struct Session {
    walker: Box<dyn GameWalker>,
    pub(super) roles: Vec<String>,
    /// The person's role.
    pub(super) role: Role,
    pub(super) opponents: Opponents,
    /// Draws the random moves of the person.
    rng: Rng,
    past: Vec<Turn>,
    /// The legal moves of every role in the current state, filled by [`Self::status`].
    legal: Vec<Vec<String>>,
}

/// Why the game cannot go on.
#[derive(Debug, Error)]
pub(super) enum SessionError {
    #[error(transparent)]
    Reason(#[from] ReasonError),
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// A past turn.
struct Turn {
    /// The state before it.
    facts: Vec<String>,
    /// Whether the person had a choice.
    free: bool,
}

/// The status of the game.
pub(super) enum GameStatus {
    /// The state is terminal.
    Over,
    /// A role has no legal move although the state is not terminal.
    NoLegalMove(Role),
    /// All roles have legal moves.
    Open,
}

/// The move of a role in a turn.
pub(super) struct PlayedMove {
    pub(super) role: Role,
    pub(super) text: String,
    /// Whether it was the only legal move.
    pub(super) forced: bool,
}

impl Session {
    pub(super) fn new(
        walker: Box<dyn GameWalker>,
        role: Role,
        opponents: Opponents,
        seed: u64,
    ) -> Self {
        Self {
            roles: walker.roles(),
            walker,
            role,
            opponents,
            rng: Rng::new(seed),
            past: Vec::new(),
            legal: Vec::new(),
        }
    }

    /// Starts again from the initial state.
    pub(super) fn restart(&mut self) -> Result<(), SessionError> {
        self.renew_deadline();
        self.past.clear();
        self.legal.clear();
        self.walker.restart()?;
        let facts = self.walker.facts();
        Ok(self.opponents.go_to(&facts)?)
    }

    /// The number of the next turn, from 1.
    pub(super) fn turn(&self) -> usize {
        self.past.len() + 1
    }

    /// The facts of the state.
    pub(super) fn facts(&mut self) -> Vec<String> {
        self.walker.facts()
    }

    /// The person's legal moves in the order of the engine; filled by [`Self::status`].
    pub(super) fn legal(&self) -> &[String] {
        self.legal.get(self.role).map_or(&[], Vec::as_slice)
    }

    /// Computes the status of the game and the legal moves.
    pub(super) fn status(&mut self) -> Result<GameStatus, SessionError> {
        self.renew_deadline();
        self.legal.clear();
        if self.walker.is_terminal()? {
            return Ok(GameStatus::Over);
        }
        for role in 0..self.roles.len() {
            let legal = self.walker.legal(role)?;
            if legal.is_empty() {
                return Ok(GameStatus::NoLegalMove(role));
            }
            self.legal.push(legal);
        }
        Ok(GameStatus::Open)
    }

    /// The goals of all roles.
    pub(super) fn goals(&mut self) -> Result<Vec<Goal>, SessionError> {
        self.renew_deadline();
        let mut goals = Vec::with_capacity(self.roles.len());
        for role in 0..self.roles.len() {
            goals.push(self.walker.goal(role)?);
        }
        Ok(goals)
    }

    /// A random legal move of the person.
    pub(super) fn random_move(&mut self) -> String {
        let legal = &self.legal[self.role];
        legal[self.rng.below(legal.len())].clone()
    }

    /// The move that a strong player would make for the person, and its report.
    pub(super) fn hint(&mut self) -> Result<(String, Report), SessionError> {
        self.opponents.rest();
        let facts = self.walker.facts();
        Ok(self.opponents.hint(&facts)?)
    }

    /// The other roles that have a choice now.
    pub(super) fn choosers(&self) -> impl Iterator<Item = &str> {
        let others = self.legal.iter().enumerate();
        others
            .filter(|(role, legal)| *role != self.role && legal.len() > 1)
            .map(|(role, _)| self.roles[role].as_str())
    }

    /// Makes a legal move of the person, and at the same time the moves of all other roles. Returns
    /// all moves.
    pub(super) fn play(&mut self, text: &str) -> Result<Vec<PlayedMove>, SessionError> {
        self.opponents.rest();
        let others = self.opponents.choose(&self.legal);
        let played = others
            .into_iter()
            .enumerate()
            .map(|(role, other)| PlayedMove {
                role,
                text: other.unwrap_or_else(|| text.to_owned()),
                forced: self.legal[role].len() == 1,
            });
        let played: Vec<PlayedMove> = played.collect();
        self.renew_deadline();
        let turn = Turn {
            facts: self.walker.facts(),
            free: self.legal().len() > 1,
        };
        let joint: Vec<String> = played.iter().map(|one| one.text.clone()).collect();
        self.walker.step(&joint)?;
        self.past.push(turn);
        self.opponents.apply_joint_move(&joint)?;
        Ok(played)
    }

    /// Goes back to the person's last choice; false if there is none.
    pub(super) fn undo(&mut self) -> Result<bool, SessionError> {
        let Some(last) = self.past.iter().rposition(|turn| turn.free) else {
            return Ok(false);
        };
        self.renew_deadline();
        let facts = &self.past[last].facts;
        self.walker.go_to(facts)?;
        self.opponents.go_to(facts)?;
        self.past.truncate(last);
        Ok(true)
    }

    fn renew_deadline(&mut self) {
        self.walker
            .set_deadline(Instant::now().checked_add(QUERY_TIMEOUT));
    }
}
