//! Whoever writes down what happens in a match: [`Witness`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ludorum_match::{Mishap, Record, Spectator, Step};
use ludorum_search::{Onlooker, Report};

use super::LiveMatch;
use super::events::{ClockEvent, EndEvent, ErrorEvent, StepEvent, Thinking};
use super::state::{Asked, Ending, State};

/// Those who look over the shoulders of the players, role by role.
pub(super) type Onlookers = Arc<Mutex<Vec<Option<Box<dyn Onlooker>>>>>;

/// Tells a match what happens in it.
pub(super) struct Witness {
    pub(super) live: Arc<LiveMatch>,
    pub(super) onlookers: Onlookers,
}

impl Spectator for Witness {
    fn started(&mut self, record: &Record) {
        self.live.state().go_to(record);
    }

    fn seated(&mut self, role: usize, onlooker: Box<dyn Onlooker>) {
        let mut all = self
            .onlookers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if all.len() <= role {
            all.resize_with(role + 1, || None);
        }
        all[role] = Some(onlooker);
    }

    fn ready(&mut self, record: &Record) {
        self.live.tell_mishaps(0, &record.start_mishaps);
    }

    fn asked(&mut self, step: u32, legal: &[Vec<String>]) {
        let live = &self.live;
        let mut state = live.state();
        let asked = Asked {
            step,
            legal: legal.to_vec(),
            since: Instant::now(),
            answered: vec![false; legal.len()],
        };
        let movers = asked.movers();
        state.movers.resize(step as usize + 1, None);
        state.movers[step as usize] = Some(movers.clone());
        state.asked = Some(asked);
        // Only now a watcher that looks finds everything about the position.
        live.tell_position(&mut state, false);
        for role in movers {
            if live.seats[role].is_timed {
                let remaining_ms = millis(live.play_clock);
                let clock = ClockEvent {
                    step,
                    role,
                    remaining_ms,
                };
                live.log.show("clock", role, &clock);
            }
        }
    }

    fn answered(&mut self, role: usize, _took: Duration) {
        if let Some(asked) = &mut self.live.state().asked {
            asked.answered[role] = true;
        }
    }

    fn thought(&mut self, role: usize, report: &Report) {
        let mut state = self.live.state();
        if state.is_secret() {
            state.held.push((role, report.clone()));
        } else {
            let step = state.steps.len() as u32;
            self.live.tell_thought(&mut state, step, role, report);
        }
    }

    fn step(&mut self, step: &Step) {
        let mut state = self.live.state();
        state.asked = None;
        state.push(step);
        let is_too_large = state.is_too_large();
        let positions = state.steps.len() + 1;
        state.movers.resize(positions, None);
        for (role, report) in std::mem::take(&mut state.held) {
            self.live
                .tell_thought(&mut state, step.number, role, &report);
        }
        drop(state);
        self.live.tell_mishaps(step.number, &step.mishaps);
        if is_too_large {
            let reason = "the states of this match take too much memory";
            self.live.end(Ending::Broken(reason.to_owned()));
            self.live.stop.cancel();
        }
    }

    fn ended(&mut self, record: &Record) {
        let Some(outcome) = &record.outcome else {
            return;
        };
        self.live.end(Ending::Played(outcome.clone()));
    }
}

impl LiveMatch {
    /// Tells watchers of the position that was reached.
    pub(super) fn tell_position(&self, state: &mut State, undone: bool) {
        let step = state.steps.len() as u32;
        if state.told == Some(step) && !undone {
            return;
        }
        // A position that the match began with has others before it.
        let from = match state.told {
            Some(told) if told < step => told + 1,
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
            self.log.tell("step", &event);
        }
        state.told = Some(step);
    }

    /// The match is over: nothing is told after this.
    pub(super) fn end(&self, ending: Ending) {
        let mut state = self.state();
        if state.is_over() {
            return;
        }
        state.asked = None;
        state.held.clear();
        state.ending = Some(ending);
        if state.initial.is_some() || !state.steps.is_empty() {
            self.tell_position(&mut state, false);
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
        self.log.tell("end", &event);
        self.log.close();
    }

    fn tell_mishaps(&self, step: u32, mishaps: &[Mishap]) {
        for mishap in mishaps {
            let event = ErrorEvent {
                step,
                role: mishap.role,
                kind: mishap.kind.name(),
                text: &mishap.detail,
            };
            self.log.tell("error", &event);
        }
    }

    fn tell_thought(&self, state: &mut State, step: u32, role: usize, report: &Report) {
        if report.forced {
            return;
        }
        let roles = &self.game.roles;
        state.keep_thought(step, &roles[role], report);
        let thinking = Thinking::new(step, roles, role, report, true);
        self.log.show("thinking", role, &thinking);
    }

    /// The roles of players that are thinking about a choice.
    pub(super) fn thinkers(&self) -> Vec<usize> {
        let state = self.state();
        let Some(asked) = &state.asked else {
            return Vec::new();
        };
        let movers = asked.movers().into_iter();
        movers.filter(|role| !asked.answered[*role]).collect()
    }

    /// Tells what a player thinks while it does.
    pub(super) fn show_thought(&self, role: usize, report: &Report) {
        let mut state = self.state();
        let is_secret = state.is_secret();
        let Some(asked) = &state.asked else {
            return;
        };
        // What was thought of the position before is still there until the player hears what was
        // played.
        let is_old = report.seconds > asked.since.elapsed().as_secs_f64() + 0.001;
        if is_old || asked.answered[role] {
            return;
        }
        let step = asked.step;
        let roles = &self.game.roles;
        let thinking = Thinking::new(step, roles, role, report, false);
        if is_secret {
            self.log.show("thinking", role, &thinking.in_secret());
            return;
        }
        state.keep_thought(step, &roles[role], report);
        self.log.show("thinking", role, &thinking);
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
