//! Publishing the events of a match: [`LiveSpectator`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ludorum_match::{MatchRecord, MatchStep, PlayerError, Spectator};
use ludorum_players::{Report, ReportObserver};

use super::LiveMatch;
use super::event_data::{ClockEvent, EndEvent, ErrorEvent, SearchEvent, StepEvent};
use super::state::{Ending, MatchState, PendingMoves};

/// The report observers of built-in players, by role.
pub(super) type Observers = Arc<Mutex<Vec<Option<Box<dyn ReportObserver>>>>>;

/// Forwards the manager's events to the state and event log of a match.
pub(super) struct LiveSpectator {
    pub(super) live: Arc<LiveMatch>,
    pub(super) observers: Observers,
}

impl Spectator for LiveSpectator {
    fn started(&mut self, record: &MatchRecord) {
        self.live.state().go_to(record);
    }

    fn player_ready(&mut self, role: usize, observer: Box<dyn ReportObserver>) {
        let mut all = self
            .observers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if all.len() <= role {
            all.resize_with(role + 1, || None);
        }
        all[role] = Some(observer);
    }

    fn ready(&mut self, record: &MatchRecord) {
        self.live.publish_errors(0, &record.start_errors);
    }

    fn moves_requested(&mut self, step: u32, legal: &[Vec<String>]) {
        let live = &self.live;
        let mut state = live.state();
        let pending = PendingMoves {
            step,
            legal: legal.to_vec(),
            since: Instant::now(),
            answered: vec![false; legal.len()],
        };
        let movers = pending.movers();
        state.movers.resize(step as usize + 1, None);
        state.movers[step as usize] = Some(movers.clone());
        state.pending = Some(pending);
        // The position is published only now, when its legal moves are known.
        live.publish_position(&mut state, false);
        for role in movers {
            if live.role_players[role].is_timed {
                let remaining_ms = millis(live.play_clock);
                let clock = ClockEvent {
                    step,
                    role,
                    remaining_ms,
                };
                live.log.replace_latest("clock", role, &clock);
            }
        }
    }

    fn move_received(&mut self, role: usize, _took: Duration) {
        if let Some(pending) = &mut self.live.state().pending {
            pending.answered[role] = true;
        }
    }

    fn search_report(&mut self, role: usize, report: &Report) {
        let mut state = self.live.state();
        if state.is_secret() {
            state.held_reports.push((role, report.clone()));
        } else {
            let step = state.steps.len() as u32;
            self.live
                .publish_final_report(&mut state, step, role, report);
        }
    }

    fn step(&mut self, step: &MatchStep) {
        let mut state = self.live.state();
        state.pending = None;
        state.push(step);
        let is_too_large = state.is_too_large();
        let positions = state.steps.len() + 1;
        state.movers.resize(positions, None);
        for (role, report) in std::mem::take(&mut state.held_reports) {
            self.live
                .publish_final_report(&mut state, step.number, role, &report);
        }
        drop(state);
        self.live.publish_errors(step.number, &step.player_errors);
        if is_too_large {
            let reason = "the states of this match take too much memory";
            self.live.end(Ending::Broken(reason.to_owned()));
            self.live.stop.cancel();
        }
    }

    fn ended(&mut self, record: &MatchRecord) {
        let Some(outcome) = &record.outcome else {
            return;
        };
        self.live.end(Ending::Played(outcome.clone()));
    }
}

impl LiveMatch {
    /// Publishes the position that was reached.
    pub(super) fn publish_position(&self, state: &mut MatchState, undone: bool) {
        let step = state.steps.len() as u32;
        if state.announced == Some(step) && !undone {
            return;
        }
        // The positions of an opening are published one after the other.
        let from = match state.announced {
            Some(announced) if announced < step => announced + 1,
            None => 0,
            Some(_) => step,
        };
        let (terminal, goals) = match &state.ending {
            Some(Ending::Played(outcome)) => (outcome.completed, Some(&outcome.goals[..])),
            _ => (false, None),
        };
        for step in from..=step {
            let is_last = step == state.steps.len() as u32;
            let last = step
                .checked_sub(1)
                .and_then(|n| state.steps.get(n as usize));
            let event = StepEvent {
                step,
                joint: last.map(|step| &step.moves[..]),
                terminal: terminal && is_last,
                goals: goals.filter(|_| is_last),
                undone,
            };
            self.log.append("step", &event);
        }
        state.announced = Some(step);
    }

    /// Ends the match; no events follow.
    pub(super) fn end(&self, ending: Ending) {
        let mut state = self.state();
        if state.is_over() {
            return;
        }
        state.pending = None;
        state.held_reports.clear();
        state.ending = Some(ending);
        if state.initial.is_some() || !state.steps.is_empty() {
            self.publish_position(&mut state, false);
        }
        let event = match &state.ending {
            Some(Ending::Played(outcome)) => EndEvent {
                goals: Some(&outcome.goals),
                reason: outcome.reason.as_deref(),
            },
            Some(Ending::Broken(reason)) => EndEvent {
                goals: None,
                reason: Some(reason),
            },
            None => return,
        };
        self.log.append("end", &event);
        self.log.close();
    }

    fn publish_errors(&self, step: u32, player_errors: &[PlayerError]) {
        for player_error in player_errors {
            let event = ErrorEvent {
                step,
                role: player_error.role,
                kind: player_error.kind.name(),
                text: &player_error.detail,
            };
            self.log.append("error", &event);
        }
    }

    fn publish_final_report(
        &self,
        state: &mut MatchState,
        step: u32,
        role: usize,
        report: &Report,
    ) {
        if report.forced {
            return;
        }
        let roles = &self.game.roles;
        state.keep_report(step, &roles[role], report);
        let thinking = SearchEvent::new(step, roles, role, report, true);
        self.log.replace_latest("thinking", role, &thinking);
    }

    /// The roles that are searching for a move.
    pub(super) fn searching_roles(&self) -> Vec<usize> {
        let state = self.state();
        let Some(pending) = &state.pending else {
            return Vec::new();
        };
        let movers = pending.movers().into_iter();
        movers.filter(|role| !pending.answered[*role]).collect()
    }

    /// Publishes a search report of a player that is still searching.
    pub(super) fn publish_report(&self, role: usize, report: &Report) {
        let mut state = self.state();
        let is_secret = state.is_secret();
        let Some(pending) = &state.pending else {
            return;
        };
        // Until the player receives the last joint move, its report is about the position before.
        let is_old = report.seconds > pending.since.elapsed().as_secs_f64() + 0.001;
        if is_old || pending.answered[role] {
            return;
        }
        let step = pending.step;
        let roles = &self.game.roles;
        let thinking = SearchEvent::new(step, roles, role, report, false);
        if is_secret {
            self.log
                .replace_latest("thinking", role, &thinking.in_secret());
            return;
        }
        state.keep_report(step, &roles[role], report);
        self.log.replace_latest("thinking", role, &thinking);
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
