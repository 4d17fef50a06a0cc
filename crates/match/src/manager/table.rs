//! A match that is being played.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use ludorum_reason::Engine;

use super::client::Trouble;
use super::kept::{difference, new_record, now};
use super::referee::{Referee, View};
use super::seat::{Invitation, Seat};
use super::spectator::Spectator;
use super::{Manager, ManagerError};
use crate::ledger::Ledger;
use crate::protocol::{among, excerpt, is_complaint, is_word, read_move};
use crate::record::{Mishap, MishapKind, Outcome, Record, Step};
use crate::seed;
use crate::setup::Setup;

/// A match that is being played.
pub(super) struct MatchTable<'a> {
    setup: &'a Setup,
    record: Record,
    referee: Referee,
    seats: Vec<Seat>,
    /// Where it stands.
    view: View,
    /// Whether some was played before.
    is_resumed: bool,
    /// The errors of each player.
    errors: Vec<u32>,
    /// Errors that are yet to be written down with a step.
    pending: Vec<Mishap>,
    /// How long players elsewhere are waited for, if the match is not to be played without them.
    patience: Option<Duration>,
}

/// What came of asking a player.
struct Answered {
    role: usize,
    answer: Result<String, Trouble>,
    took: Duration,
}

impl<'a> MatchTable<'a> {
    pub(super) async fn new(
        manager: &Manager,
        setup: &'a Setup,
        played: Option<Record>,
    ) -> Result<Self, ManagerError> {
        if !is_word(&setup.id) {
            return Err(ManagerError::Id(excerpt(&setup.id)));
        }
        let walker = {
            let (tables, sheet) = (manager.tables.clone(), setup.sheet.clone());
            let make = move || {
                tables.rules(&sheet)?;
                let failed =
                    |error: &dyn std::fmt::Display| ManagerError::Referee(error.to_string());
                let table = tables.table(&sheet, Engine::Auto);
                let table = table.map_err(|error| failed(&error))?;
                table.walker().map_err(|error| failed(&error))
            };
            let made = tokio::task::spawn_blocking(make).await;
            made.map_err(|_| ManagerError::Referee("the engine has broken down".to_owned()))??
        };
        let roles = walker.roles();
        if roles.len() != setup.entrants.len() {
            let given = setup.entrants.len();
            return Err(ManagerError::Entrants { roles, given });
        }
        let mut referee = Referee::new(walker);
        let begin = referee.go(Vec::new()).await;
        let begin = begin.map_err(|error| ManagerError::Referee(error.to_string()))?;
        let is_resumed = played.is_some();
        let mut table = Self {
            setup,
            seats: Vec::new(),
            errors: vec![0; roles.len()],
            record: match played {
                Some(record) => record,
                None => new_record(setup, &roles, &begin),
            },
            referee,
            view: begin,
            is_resumed,
            pending: Vec::new(),
            patience: manager.patience,
        };
        table.check_record(&roles).await?;
        for (role, entrant) in setup.entrants.iter().enumerate() {
            let seat = Seat::new(manager, setup, role, entrant)?;
            table.seats.push(seat);
        }
        Ok(table)
    }

    /// Goes to where the record ends.
    async fn check_record(&mut self, roles: &[String]) -> Result<(), ManagerError> {
        let record = &self.record;
        let now = new_record(self.setup, roles, &self.view);
        if let Some(difference) = difference(record, &now) {
            return Err(ManagerError::Replay(difference));
        }
        let is_in_order = |(number, step): (usize, &Step)| step.number as usize == number;
        if !record.steps.iter().enumerate().all(is_in_order) {
            let detail = "steps are missing from its record".to_owned();
            return Err(ManagerError::Replay(detail));
        }
        let steps = record.steps.iter();
        let mishaps = steps.flat_map(|step| &step.mishaps);
        for mishap in record.start_mishaps.iter().chain(mishaps) {
            if let Some(errors) = self.errors.get_mut(mishap.role) {
                *errors += 1;
            }
        }
        if let Some(last) = record.steps.last() {
            let moves = record.steps.iter().map(|step| step.moves.clone()).collect();
            let view = self.referee.go(moves).await;
            self.view = view.map_err(|error| ManagerError::Replay(error.to_string()))?;
            if self.view.facts != last.state {
                let detail = "its moves lead to another state than the record has".to_owned();
                return Err(ManagerError::Replay(detail));
            }
        }
        Ok(())
    }

    /// Whether its record has an end.
    pub(super) fn is_over(&self) -> bool {
        self.record.outcome.is_some()
    }

    /// Shows a match that is over.
    pub(super) fn look_back(&self, spectator: &mut dyn Spectator) {
        spectator.started(&self.record);
        spectator.ended(&self.record);
    }

    pub(super) fn into_record(self) -> Record {
        self.record
    }

    /// Plays until the match is over.
    pub(super) async fn play(
        &mut self,
        ledger: &mut dyn Ledger,
        spectator: &mut dyn Spectator,
    ) -> Result<(), ManagerError> {
        spectator.started(&self.record);
        // Where nothing is left to be played, nobody has to get ready.
        if !(self.is_resumed && self.outcome().is_some()) {
            self.gather().await?;
            let mishaps = self.start().await;
            self.check_absence(&mishaps)?;
            for mishap in &mishaps {
                self.errors[mishap.role] += 1;
            }
            if self.is_resumed {
                self.pending = mishaps;
            } else {
                self.record.start_mishaps = mishaps;
                ledger.begin(&self.record)?;
            }
            spectator.ready(&self.record);
        }
        let mut is_first = true;
        let outcome = loop {
            if let Some(outcome) = self.outcome() {
                break outcome;
            }
            let number = self.record.steps.len() as u32;
            spectator.asked(number, &self.view.legal);
            let answers = self.ask(is_first, spectator).await;
            is_first = false;
            let mut step = self.settle(number, answers);
            let view = self.referee.go(vec![step.moves.clone()]).await;
            match view {
                Ok(view) => self.view = view,
                // The rules give no answer: that is nobody's fault, and the match is over.
                Err(error) => break self.broken_off(format!("after step {number}: {error}")),
            }
            step.state.clone_from(&self.view.facts);
            step.at_ms = now();
            ledger.step(&step)?;
            self.record.steps.push(step);
            if let Some(step) = self.record.steps.last() {
                spectator.step(step);
            }
        };
        ledger.end(&outcome)?;
        self.record.outcome = Some(outcome);
        spectator.ended(&self.record);
        Ok(())
    }

    /// Waits for players elsewhere, if the match is not to be played without them.
    async fn gather(&mut self) -> Result<(), ManagerError> {
        let Some(patience) = self.patience else {
            return Ok(());
        };
        let out = self.forfeited();
        let seats = self.seats.iter().enumerate();
        let seats = seats.filter(|(role, _)| !out.contains(role));
        let looks = seats.map(|(role, seat)| async move {
            let trouble = seat.attend(patience).await.err();
            trouble.map(|trouble| (role, trouble))
        });
        let absent = join_all(looks).await.into_iter().flatten().next();
        absent.map_or(Ok(()), |(role, trouble)| {
            Err(self.absent(role, trouble.detail))
        })
    }

    /// Whether somebody elsewhere refused the match or went away, so that it is not to be played now.
    fn check_absence(&self, mishaps: &[Mishap]) -> Result<(), ManagerError> {
        let is_absent = |mishap: &&Mishap| {
            let kinds = [MishapKind::Refused, MishapKind::Connection];
            kinds.contains(&mishap.kind) && self.seats[mishap.role].address().is_some()
        };
        match mishaps.iter().find(is_absent) {
            Some(mishap) if self.patience.is_some() => {
                Err(self.absent(mishap.role, mishap.detail.clone()))
            }
            _ => Ok(()),
        }
    }

    fn absent(&self, role: usize, detail: String) -> ManagerError {
        let player = self.seats.get(role).and_then(Seat::address);
        ManagerError::Absent {
            role,
            player: player.unwrap_or_default().to_owned(),
            detail,
        }
    }

    /// Tells all players of the match and waits until they are ready or their time is up.
    async fn start(&mut self) -> Vec<Mishap> {
        let invitations = Invitation::all(self.setup, &self.record);
        let out = self.forfeited();
        let seats = self.seats.iter_mut().zip(invitations).enumerate();
        let starts = seats.map(|(role, (seat, invitation))| {
            let is_out = out.contains(&role);
            async move {
                if is_out {
                    return None;
                }
                let trouble = seat.start(invitation).await.err()?;
                let Trouble { kind, detail } = trouble;
                Some(Mishap { role, kind, detail })
            }
        });
        let mishaps = join_all(starts).await;
        mishaps.into_iter().flatten().collect()
    }

    /// Asks all players at the same time.
    async fn ask(&mut self, is_first: bool, spectator: &mut dyn Spectator) -> Vec<Answered> {
        let last = self.record.steps.last().map(|step| &step.moves);
        let clock = self.setup.play_clock;
        let out = self.forfeited();
        let asked: FuturesUnordered<_> = self
            .seats
            .iter_mut()
            .enumerate()
            .filter(|(role, _)| !out.contains(role))
            .map(|(role, seat)| async move {
                let begin = Instant::now();
                let answer = seat.play(last, is_first, clock).await;
                let took = begin.elapsed();
                Answered { role, answer, took }
            })
            .collect();
        let mut asked = asked;
        let mut answers = Vec::with_capacity(self.errors.len());
        while let Some(answered) = asked.next().await {
            spectator.answered(answered.role, answered.took);
            answers.push(answered);
        }
        answers
    }

    /// The joint move that comes of the answers: random legal moves in the place of what is missing or wrong.
    fn settle(&mut self, number: u32, answers: Vec<Answered>) -> Step {
        let legal = &self.view.legal;
        let seed = self.setup.seed;
        let draw = |role: usize| seed::substitute(seed, role, number, &legal[role]);
        let mut moves: Vec<String> = (0..legal.len()).map(draw).collect();
        let mut took_ms = vec![0; legal.len()];
        let mut mishaps = std::mem::take(&mut self.pending);
        let mut new = Vec::new();
        for Answered { role, answer, took } in answers {
            took_ms[role] = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            match answer.and_then(|text| legal_move(&text, &legal[role])) {
                Ok(text) => moves[role] = text,
                Err(Trouble { kind, detail }) => new.push(Mishap { role, kind, detail }),
            }
        }
        new.sort_by_key(|mishap| mishap.role);
        for mishap in &new {
            self.errors[mishap.role] += 1;
        }
        mishaps.append(&mut new);
        Step {
            number,
            moves,
            state: Vec::new(),
            mishaps,
            took_ms,
            at_ms: 0,
        }
    }

    /// Those who made too many errors.
    fn forfeited(&self) -> Vec<usize> {
        let Some(most) = self.setup.forfeit_after else {
            return Vec::new();
        };
        let roles = 0..self.errors.len();
        // Nobody forfeits for nothing.
        roles
            .filter(|role| self.errors[*role] >= most.max(1))
            .collect()
    }

    /// How the match ended, if it has.
    fn outcome(&self) -> Option<Outcome> {
        let forfeited = self.forfeited();
        if self.view.is_terminal {
            let goals = self.view.goals.iter().enumerate();
            let goals = goals.map(|(role, goal)| {
                if forfeited.contains(&role) {
                    Some(0)
                } else {
                    *goal
                }
            });
            return Some(Outcome {
                completed: true,
                goals: goals.collect(),
                forfeited,
                reason: None,
            });
        }
        let roles = self.errors.len();
        let left = roles - forfeited.len();
        if !forfeited.is_empty() && left < 2 {
            // The last one at the table has won.
            let goals =
                (0..roles).map(|role| Some(if forfeited.contains(&role) { 0 } else { 100 }));
            let names: Vec<&str> = forfeited
                .iter()
                .map(|role| self.record.roles[*role].as_str())
                .collect();
            return Some(Outcome {
                completed: false,
                goals: goals.collect(),
                reason: Some(format!("{} made too many errors", names.join(", "))),
                forfeited,
            });
        }
        if self.record.steps.len() >= self.setup.max_steps as usize {
            let most = super::count(self.setup.max_steps as usize, "step");
            return Some(self.broken_off(format!("no end after {most}")));
        }
        let stuck = self.view.legal.iter().position(Vec::is_empty);
        stuck.map(|role| {
            let role = &self.record.roles[role];
            self.broken_off(format!(
                "{role} has no legal move, and the game is not over"
            ))
        })
    }

    /// An end without a result.
    fn broken_off(&self, reason: String) -> Outcome {
        let forfeited = self.forfeited();
        let roles = 0..self.errors.len();
        Outcome {
            completed: false,
            goals: roles
                .map(|role| forfeited.contains(&role).then_some(0))
                .collect(),
            forfeited,
            reason: Some(reason),
        }
    }

    /// Tells all players that the match is over.
    pub(super) async fn farewell(&mut self, is_over: bool) {
        let outcome = self.record.outcome.as_ref();
        let is_completed = is_over && outcome.is_some_and(|outcome| outcome.completed);
        let last = self.record.steps.last().map(|step| &step.moves);
        let seats = self.seats.iter_mut();
        join_all(seats.map(|seat| seat.farewell(last, is_completed))).await;
    }
}

/// The legal move that an answer means.
fn legal_move(text: &str, legal: &[String]) -> Result<String, Trouble> {
    let trouble = |kind, what: &dyn std::fmt::Display| {
        Trouble::new(kind, format!("`{}`: {what}", excerpt(text)))
    };
    if is_complaint(text) {
        return Err(trouble(MishapKind::Refused, &"that is no move"));
    }
    let read = read_move(text).map_err(|error| trouble(MishapKind::Garbage, &error))?;
    let found = among(legal, &read).cloned();
    found.ok_or_else(|| trouble(MishapKind::IllegalMove, &"that is not a legal move"))
}
