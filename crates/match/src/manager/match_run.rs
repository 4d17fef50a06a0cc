//! The course of one match.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use ludorum_engines::Engine;
use tokio::sync::mpsc;

use super::player_link::{MoveQuery, MoveReply, PlayerLink, StartInfo};
use super::referee::{Referee, RefereeView};
use super::resume::{mismatch, new_record, now};
use super::spectator::Spectator;
use super::{GameManager, GameManagerError};
use crate::match_log::MatchLog;
use crate::player_client::CallError;
use crate::protocol::{excerpt, find_legal, is_refusal, is_word, read_move};
use crate::record::{MatchRecord, MatchStep, PlayerError, PlayerErrorKind};
use crate::seed;
use crate::setup::MatchSetup;

/// A match that is being played.
pub(super) struct MatchRun<'a> {
    pub(super) setup: &'a MatchSetup,
    pub(super) record: MatchRecord,
    referee: Referee,
    pub(super) players: Vec<PlayerLink>,
    /// The current state.
    pub(super) view: RefereeView,
    /// Whether the match started from a record with steps.
    is_resumed: bool,
    /// The number of errors of each player.
    pub(super) errors: Vec<u32>,
    /// Roles that have resigned.
    pub(super) resigned: Vec<usize>,
    /// Errors that will be recorded with the next step.
    pending: Vec<PlayerError>,
    /// How long to wait for remote players; none plays the match without them.
    pub(super) availability_timeout: Option<Duration>,
}

/// The outcome of requesting a move.
struct Answered {
    role: usize,
    answer: Result<MoveReply, CallError>,
    took: Duration,
}

impl<'a> MatchRun<'a> {
    pub(super) async fn new(
        manager: &GameManager,
        setup: &'a MatchSetup,
        played: Option<MatchRecord>,
    ) -> Result<Self, GameManagerError> {
        if !is_word(&setup.id) {
            return Err(GameManagerError::Id(excerpt(&setup.id)));
        }
        let walker = {
            let (engines, sheet) = (manager.engines.clone(), setup.sheet.clone());
            let make = move || {
                engines.rules(&sheet)?;
                let failed =
                    |error: &dyn std::fmt::Display| GameManagerError::Referee(error.to_string());
                let engine = engines.engine(&sheet, Engine::AUTO);
                let engine = engine.map_err(|error| failed(&error))?;
                engine.walker().map_err(|error| failed(&error))
            };
            let made = tokio::task::spawn_blocking(make).await;
            made.map_err(|_| GameManagerError::Referee("the engine has broken down".to_owned()))??
        };
        let roles = walker.roles();
        if roles.len() != setup.participants.len() {
            let given = setup.participants.len();
            return Err(GameManagerError::ParticipantCount { roles, given });
        }
        let mut referee = Referee::new(walker);
        let begin = referee.go(Vec::new()).await;
        let begin = begin.map_err(|error| GameManagerError::Referee(error.to_string()))?;
        let is_resumed = played.is_some();
        let mut run = Self {
            setup,
            players: Vec::new(),
            errors: vec![0; roles.len()],
            record: match played {
                Some(record) => record,
                None => new_record(setup, &roles, &begin),
            },
            referee,
            view: begin,
            is_resumed,
            resigned: Vec::new(),
            pending: Vec::new(),
            availability_timeout: manager.availability_timeout,
        };
        run.check_record(&roles).await?;
        for (role, participant) in setup.participants.iter().enumerate() {
            let player = PlayerLink::new(manager, setup, role, participant)?;
            run.players.push(player);
        }
        Ok(run)
    }

    /// Replays the record and checks that it fits the rules.
    async fn check_record(&mut self, roles: &[String]) -> Result<(), GameManagerError> {
        let record = &self.record;
        let now = new_record(self.setup, roles, &self.view);
        if let Some(mismatch) = mismatch(record, &now) {
            return Err(GameManagerError::Replay(mismatch));
        }
        let is_in_order = |(number, step): (usize, &MatchStep)| step.number as usize == number;
        if !record.steps.iter().enumerate().all(is_in_order) {
            let detail = "steps are missing from its record".to_owned();
            return Err(GameManagerError::Replay(detail));
        }
        let steps = record.steps.iter();
        let player_errors = steps.flat_map(|step| &step.player_errors);
        for player_error in record.start_errors.iter().chain(player_errors) {
            if let Some(errors) = self.errors.get_mut(player_error.role) {
                *errors += 1;
            }
        }
        if let Some(last) = record.steps.last() {
            let moves = record.steps.iter().map(|step| step.moves.clone()).collect();
            let view = self.referee.go(moves).await;
            self.view = view.map_err(|error| GameManagerError::Replay(error.to_string()))?;
            if self.view.facts != last.state {
                let detail = "its moves lead to another state than the record has".to_owned();
                return Err(GameManagerError::Replay(detail));
            }
        }
        Ok(())
    }

    /// Applies a joint move of an opening.
    pub(super) async fn apply_opening_move(
        &mut self,
        moves: Vec<String>,
    ) -> Result<(), GameManagerError> {
        let step = self.record.steps.len();
        let failed = |detail: String| GameManagerError::Opening { step, detail };
        if self.view.is_terminal {
            return Err(failed("the game is over".to_owned()));
        }
        if moves.len() != self.view.legal.len() {
            let roles = super::count(self.view.legal.len(), "role");
            return Err(failed(format!(
                "there are {} moves for {roles}",
                moves.len()
            )));
        }
        let mut joint_move = Vec::with_capacity(moves.len());
        for (text, legal) in moves.iter().zip(&self.view.legal) {
            let legal = legal_move(text, legal);
            joint_move.push(legal.map_err(|error| failed(error.detail))?);
        }
        let view = self.referee.go(vec![joint_move.clone()]).await;
        self.view = view.map_err(|error| failed(error.to_string()))?;
        self.record.steps.push(MatchStep {
            number: step as u32,
            moves: joint_move,
            state: self.view.facts.clone(),
            player_errors: Vec::new(),
            took_ms: Vec::new(),
            at_ms: now(),
        });
        Ok(())
    }

    /// Whether the record has an outcome.
    pub(super) fn is_over(&self) -> bool {
        self.record.outcome.is_some()
    }

    /// Shows a finished match to a spectator.
    pub(super) fn show_finished(&self, spectator: &mut dyn Spectator) {
        spectator.started(&self.record);
        spectator.ended(&self.record);
    }

    pub(super) fn into_record(self) -> MatchRecord {
        self.record
    }

    /// Plays until the match is over.
    pub(super) async fn play(
        &mut self,
        log: &mut dyn MatchLog,
        spectator: &mut dyn Spectator,
    ) -> Result<(), GameManagerError> {
        spectator.started(&self.record);
        // Where nothing is left to be played, players are not started.
        if !(self.is_resumed && self.outcome().is_some()) {
            self.wait_for_players().await?;
            let player_errors = self.start(spectator).await;
            self.check_refusals(&player_errors)?;
            for player_error in &player_errors {
                self.errors[player_error.role] += 1;
            }
            if self.is_resumed {
                self.pending = player_errors;
            } else {
                self.record.start_errors = player_errors;
                log.begin(&self.record)?;
            }
            spectator.ready(&self.record);
        }
        let mut is_first = true;
        let outcome = loop {
            if let Some(outcome) = self.outcome() {
                break outcome;
            }
            let number = self.record.steps.len() as u32;
            spectator.moves_requested(number, &self.view.legal);
            let answers = self.request_moves(is_first, spectator).await;
            is_first = false;
            // A resignation may end the match in the middle of a step.
            if let Some(outcome) = self.outcome() {
                break outcome;
            }
            let mut step = self.resolve(number, answers);
            let view = self.referee.go(vec![step.moves.clone()]).await;
            match view {
                Ok(view) => self.view = view,
                // The rules define no successor: no player is at fault, and the match ends without
                // a result.
                Err(error) => break self.ended_early(format!("after step {number}: {error}")),
            }
            step.state.clone_from(&self.view.facts);
            step.at_ms = now();
            log.step(&step)?;
            self.record.steps.push(step);
            if let Some(step) = self.record.steps.last() {
                spectator.step(step);
            }
        };
        log.end(&outcome)?;
        self.record.outcome = Some(outcome);
        spectator.ended(&self.record);
        Ok(())
    }

    /// Sends START to all players and waits until they are ready or their time is up.
    async fn start(&mut self, spectator: &mut dyn Spectator) -> Vec<PlayerError> {
        let start_infos = StartInfo::all(self.setup, &self.record);
        let out = self.forfeited();
        let (sender, mut observers) = mpsc::unbounded_channel();
        let players = self.players.iter_mut().zip(start_infos).enumerate();
        let starts = players.map(|(role, (player, start_info))| {
            let is_out = out.contains(&role);
            let sender = sender.clone();
            async move {
                if is_out {
                    return None;
                }
                let CallError { kind, detail } = player.start(start_info, sender).await.err()?;
                Some(PlayerError { role, kind, detail })
            }
        });
        let starts = join_all(starts);
        drop(sender);
        tokio::pin!(starts);
        let player_errors = loop {
            tokio::select! {
                biased;
                Some((role, observer)) = observers.recv() => spectator.player_ready(role, observer),
                player_errors = &mut starts => break player_errors,
            }
        };
        player_errors.into_iter().flatten().collect()
    }

    /// Requests moves from all players at the same time. Roles that resign have no answer; if a
    /// resignation ends the match, the remaining answers are not awaited.
    async fn request_moves(
        &mut self,
        is_first: bool,
        spectator: &mut dyn Spectator,
    ) -> Vec<Answered> {
        let out = self.forfeited();
        let (setup, record, view) = (self.setup, &self.record, &self.view);
        let mut answering: FuturesUnordered<_> = self
            .players
            .iter_mut()
            .enumerate()
            .filter(|(role, _)| !out.contains(role))
            .map(|(role, player)| {
                let query = MoveQuery {
                    role,
                    step: record.steps.len() as u32,
                    legal: &view.legal[role],
                    last: record.steps.last().map(|step| &step.moves),
                    is_first,
                    clock: setup.play_clock,
                };
                async move {
                    let begin = Instant::now();
                    let answer = tokio::select! {
                        biased;
                        () = PlayerLink::resignation(&setup.participants[role]) => None,
                        answer = player.play(query) => Some(answer),
                    };
                    let took = begin.elapsed();
                    (role, answer.map(|answer| Answered { role, answer, took }))
                }
            })
            .collect();
        // Players that have answered may still resign.
        let mut leaving: FuturesUnordered<_> = (0..setup.participants.len())
            .filter(|role| !out.contains(role))
            .map(|role| async move {
                PlayerLink::resignation(&setup.participants[role]).await;
                role
            })
            .collect();
        let mut answers = Vec::with_capacity(out.len());
        loop {
            let role = tokio::select! {
                biased;
                Some(role) = leaving.next() => role,
                next = answering.next() => match next {
                    None => break,
                    Some((role, None)) => role,
                    Some((role, Some(answered))) => {
                        spectator.move_received(role, answered.took);
                        if let Ok(MoveReply { report: Some(report), .. }) = &answered.answer {
                            spectator.search_report(role, report);
                        }
                        answers.push(answered);
                        continue;
                    }
                },
            };
            if !self.resigned.contains(&role) {
                self.resigned.push(role);
            }
            let is_out = |role: &usize| out.contains(role) || self.resigned.contains(role);
            let left = (0..setup.participants.len()).filter(|role| !is_out(role));
            if left.count() < 2 {
                break;
            }
        }
        answers.retain(|answered| !self.resigned.contains(&answered.role));
        answers
    }

    /// The joint move of a step: random legal moves replace missing and illegal ones.
    fn resolve(&mut self, number: u32, answers: Vec<Answered>) -> MatchStep {
        let legal = &self.view.legal;
        let seed = self.setup.seed;
        let draw = |role: usize| seed::substitute(seed, role, number, &legal[role]);
        let mut moves: Vec<String> = (0..legal.len()).map(draw).collect();
        let mut took_ms = vec![0; legal.len()];
        let mut player_errors = std::mem::take(&mut self.pending);
        let mut new = Vec::new();
        for Answered { role, answer, took } in answers {
            took_ms[role] = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            match answer.and_then(|reply| legal_move(&reply.text, &legal[role])) {
                Ok(text) => moves[role] = text,
                Err(CallError { kind, detail }) => new.push(PlayerError { role, kind, detail }),
            }
        }
        new.sort_by_key(|player_error| player_error.role);
        for player_error in &new {
            self.errors[player_error.role] += 1;
        }
        player_errors.append(&mut new);
        MatchStep {
            number,
            moves,
            state: Vec::new(),
            player_errors,
            took_ms,
            at_ms: 0,
        }
    }

    /// Tells all players that the match is over.
    pub(super) async fn finish(&mut self, is_over: bool) {
        let outcome = self.record.outcome.as_ref();
        let is_completed = is_over && outcome.is_some_and(|outcome| outcome.completed);
        let last = self.record.steps.last().map(|step| &step.moves);
        let players = self.players.iter_mut();
        join_all(players.map(|player| player.finish(last, is_completed))).await;
    }
}

/// The legal move that an answer denotes.
fn legal_move(text: &str, legal: &[String]) -> Result<String, CallError> {
    let call_error = |kind, what: &dyn std::fmt::Display| {
        CallError::new(kind, format!("`{}`: {what}", excerpt(text)))
    };
    if is_refusal(text) {
        return Err(call_error(PlayerErrorKind::Refused, &"that is not a move"));
    }
    let read = read_move(text).map_err(|error| call_error(PlayerErrorKind::Garbage, &error))?;
    let found = find_legal(legal, &read).cloned();
    found.ok_or_else(|| call_error(PlayerErrorKind::IllegalMove, &"that is not a legal move"))
}
