//! Views of a match for its viewers.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::LiveMatch;
use super::board_cache::BoardKey;
use super::event_data::{Strategy, strategies};
use super::spectator::millis;
use super::state::{Ending, MatchState};
use crate::error::ApiError;
use crate::pictures::{DrawOptions, RenderedState};
use crate::snapshot::{BoardView, Snapshot, StatusLine, legal_moves};

/// A pending decision of a person.
#[derive(Debug)]
pub(crate) struct Decision {
    pub(crate) role: usize,
    pub(crate) facts: Vec<String>,
}

/// The evaluation of a position.
#[derive(Debug, Serialize)]
pub(crate) struct Evaluation {
    step: u32,
    values: Option<Vec<f64>>,
    /// The strategies of the roles whose players reported some.
    strategies: Option<Vec<Strategy>>,
}

impl LiveMatch {
    /// The view of a position, by default the newest. Draws, so it must run on a blocking thread.
    pub(crate) fn snapshot(
        &self,
        step: Option<u32>,
        you: Option<usize>,
    ) -> Result<Snapshot, ApiError> {
        let drawing = self.game.drawing();
        let state = self.state();
        let newest = state.steps.len() as u32;
        let step = step.unwrap_or(newest);
        let is_now = step == newest;
        let facts = state.facts(step).map(<[String]>::to_vec);
        if facts.is_none() && step > 0 {
            let message = format!("the match has {newest} steps so far");
            return Err(ApiError::missing(message));
        }
        let joint = step
            .checked_sub(1)
            .and_then(|n| state.steps.get(n as usize));
        let joint = joint.map(|step| step.moves.clone());
        let movers = state.movers.get(step as usize);
        let to_move = movers.cloned().flatten().unwrap_or_default();
        let legal = legal(&state, step, you);
        let pending = state.pending.as_ref().filter(|_| is_now);
        let waiting_for = pending.map_or_else(Vec::new, |pending| {
            let movers = pending.movers().into_iter();
            movers.filter(|role| !pending.answered[*role]).collect()
        });
        let clocks = self.clocks(&state, is_now);
        let key = BoardKey {
            round: state.round,
            step,
            mover: you.filter(|_| !legal.is_empty()),
            over: is_now && state.is_over(),
        };
        let (ended, terminal, reason) = match &state.ending {
            Some(Ending::Played(outcome)) => {
                let goals = Some(outcome.goals.clone());
                (goals, outcome.completed, outcome.reason.clone())
            }
            Some(Ending::Broken(reason)) => (None, false, Some(reason.clone())),
            None => (None, false, None),
        };
        let finished = state.is_over();
        drop(state);
        // Drawing happens without the lock, so that other requests are not delayed.
        let draw = |facts: &[String]| {
            let options = DrawOptions {
                last: joint.as_deref().unwrap_or_default(),
                legal: &legal,
                role: key.mover,
                over: key.over,
                ..DrawOptions::default()
            };
            let drawing = drawing.as_ref();
            drawing.map_or_else(RenderedState::default, |s| s.draw(facts, &options))
        };
        let scene = match &facts {
            Some(facts) => self.boards.get(key, || draw(facts)),
            // The manager has not started: the initial state of the rules is shown but not cached.
            None => Arc::new(draw(drawing.as_ref().map_or(&[], |s| s.initial()))),
        };
        let goals = ended.filter(|_| is_now);
        let status = StatusLine {
            roles: &self.game.roles,
            to_move: &to_move,
            you,
            goals: goals.as_deref(),
            reason: reason.as_deref(),
            is_now,
            is_finished: finished,
        };
        Ok(Snapshot {
            id: self.id.clone(),
            game: self.game.name.clone(),
            title: self.game.title.clone(),
            step,
            steps: newest,
            roles: self.game.roles.clone(),
            players: self
                .role_players
                .iter()
                .map(|player| player.name.clone())
                .collect(),
            seats: self.role_views(),
            terminal: terminal && is_now,
            joint,
            waiting_for,
            finished,
            you,
            legal: legal_moves(&legal, &scene),
            board: BoardView::from(&*scene),
            words: status.words(),
            clocks,
            to_move,
            goals,
        })
    }

    fn clocks(&self, state: &MatchState, is_now: bool) -> Vec<Option<u64>> {
        let pending = state.pending.as_ref().filter(|_| is_now);
        let left = |role: usize| {
            let pending = pending?;
            let is_running = pending.legal[role].len() > 1 && !pending.answered[role];
            let is_timed = self.role_players[role].is_timed && is_running;
            let left = self.play_clock.saturating_sub(pending.since.elapsed());
            is_timed.then(|| millis(left.max(Duration::ZERO)))
        };
        (0..self.role_players.len()).map(left).collect()
    }

    /// The pending decision of the person with this secret.
    pub(crate) fn decision(&self, secret: &str) -> Result<Decision, ApiError> {
        let role = self.role_of(secret)?;
        let state = self.state();
        let step = state.steps.len() as u32;
        let legal = legal(&state, step, Some(role));
        let facts = state.facts(step).unwrap_or_default();
        if legal.is_empty() {
            let message = "there is nothing to choose for this role at the moment";
            return Err(ApiError::conflict("not-to-move", message));
        }
        Ok(Decision {
            role,
            facts: facts.to_vec(),
        })
    }

    /// The evaluations of all positions.
    pub(crate) fn evaluations(&self) -> Vec<Evaluation> {
        let state = self.state();
        let secret = state.is_secret().then_some(state.steps.len() as u32);
        let steps = 0..=state.steps.len() as u32;
        let roles = &self.game.roles;
        steps
            .map(|step| {
                let thought = state.reports.get(&step);
                let thought = thought.filter(|_| secret != Some(step));
                let result = match &state.ending {
                    Some(Ending::Played(outcome))
                        if outcome.completed && step == state.steps.len() as u32 =>
                    {
                        let goals = outcome.goals.iter();
                        goals.map(|goal| goal.map(f64::from)).collect()
                    }
                    _ => None,
                };
                Evaluation {
                    step,
                    values: result.or_else(|| thought.map(|thought| thought.values.clone())),
                    strategies: thought.and_then(|thought| strategies(roles, &thought.strategies)),
                }
            })
            .collect()
    }

    /// The joint moves so far.
    pub(crate) fn moves(&self) -> Value {
        let state = self.state();
        let moves: Vec<&[String]> = state.steps.iter().map(|step| &step.moves[..]).collect();
        json!(moves)
    }
}

/// The legal moves that a viewer may choose from in a position.
fn legal(state: &MatchState, step: u32, you: Option<usize>) -> Vec<String> {
    let pending = state
        .pending
        .as_ref()
        .filter(|pending| pending.step == step);
    let (Some(pending), Some(role)) = (pending, you) else {
        return Vec::new();
    };
    let is_open = !pending.answered[role] && pending.legal[role].len() > 1;
    if is_open {
        pending.legal[role].clone()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use ludorum_match::CancellationToken;

    use super::*;
    use crate::library::Library;
    use crate::live::RolePlayer;

    #[test]
    fn a_board_drawn_before_the_match_starts_is_drawn_again_afterwards() {
        let game = Library::new(1).find("tic-tac-toe").unwrap();
        let person = |name: &str| RolePlayer::for_person(name.to_owned(), name.to_owned(), false);
        let people = vec![person("x"), person("o")];
        let stop = CancellationToken::new();
        let live = LiveMatch::new("m".to_owned(), game, people, Duration::from_secs(1), stop);
        let board = || live.snapshot(None, None).unwrap().board.svg;
        let early = board();
        // The initial state of the rules, as the manager has reported none.
        assert_eq!(early, {
            let drawing = live.game.drawing().unwrap();
            drawing.draw(drawing.initial(), &DrawOptions::default()).svg
        });
        // The manager's initial state takes precedence.
        let other = vec!["(cell 2 2 x)".to_owned()];
        live.state().initial = Some(other);
        assert_ne!(board(), early);
        assert!(live.snapshot(Some(1), None).is_err());
    }
}
