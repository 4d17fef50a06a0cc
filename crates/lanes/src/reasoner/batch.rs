//! Playouts and summaries for many states at once.

use std::collections::BTreeMap;

use super::super::machine::{Guidance, Machine, MachineError, PlayoutRequest};
use super::{Abandoned, Lanes, MachineKind};
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::{
    GuidedRequest, GuidedResult, MoveId, Playout, PlayoutPolicy, PlayoutTotals, ReasonError,
    Reasoner, Rng, StateSummary, guided_playout, guided_playouts, playout_totals, random_playout,
};

impl Lanes {
    /// Makes playouts, guided or random; ignores the guide in the latter case.
    pub(super) fn play(
        &mut self,
        wanted: &GuidedRequest<'_, &BitState>,
        is_guided: bool,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        let is_guided = is_guided && !self.builder.is_staged();
        self.retry_if_stuck(rng, |lanes, rng| {
            let is_guided =
                is_guided && (wanted.wait_until_ready || lanes.is_ready_for_guided_playouts());
            let kind = if is_guided {
                MachineKind::Guided
            } else {
                MachineKind::Random
            };
            let Some(mut machine) = lanes.take_machine(kind)? else {
                lanes.check_unstaged("playouts one by one")?;
                return lanes.sequential_playouts(wanted, is_guided, rng).map(Ok);
            };
            let result = lanes.try_playouts(&mut machine, wanted, is_guided, rng);
            lanes.return_machine(kind, machine);
            result
        })
    }

    /// Makes an attempt, and a second one with the same random numbers if the first met a role
    /// without a legal move, or a lane that makes no progress. Machines that check for such roles are
    /// slower, so they are used only in games where one was met.
    pub(super) fn retry_if_stuck<T>(
        &mut self,
        rng: &mut Rng,
        mut attempt: impl FnMut(&mut Self, &mut Rng) -> Result<Result<T, Abandoned>, ReasonError>,
    ) -> Result<T, ReasonError> {
        let before = rng.clone();
        let mut reason = Abandoned::Stuck;
        for _ in 0..2 {
            match attempt(self, rng)? {
                Ok(result) => return Ok(result),
                Err(abandoned) => reason = abandoned,
            }
            self.switch_to_exact_stuck();
            *rng = before.clone();
        }
        let reason = match reason {
            Abandoned::Stuck => "a role without a legal move was met where none was expected",
            Abandoned::NoProgress => "no candidate for a step was accepted in many draws",
        };
        Err(ReasonError::Budget(reason.to_owned()))
    }

    /// Makes playouts one by one, for games without a machine.
    fn sequential_playouts(
        &mut self,
        wanted: &GuidedRequest<'_, &BitState>,
        is_guided: bool,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        if is_guided {
            return guided_playouts(self, wanted, rng);
        }
        let tallies = playout_totals(self, wanted.starts, wanted.each, rng, wanted.limit)?;
        Ok(GuidedResult {
            totals: tallies,
            histories: wanted.histories(self.roles().len()),
        })
    }

    /// Makes playouts on a machine, unless it cannot handle a role without a legal move.
    fn try_playouts(
        &mut self,
        machine: &mut Machine,
        wanted: &GuidedRequest<'_, &BitState>,
        is_guided: bool,
        rng: &mut Rng,
    ) -> Result<Result<GuidedResult, Abandoned>, ReasonError> {
        let GuidedRequest {
            starts,
            each,
            policy: guide,
            limit,
            ..
        } = *wanted;
        let roles = self.roles().len();
        let mut histories = wanted.histories(roles);
        let mut tallies = vec![PlayoutTotals::new(roles); starts.len()];
        let mut turn_cycles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut at_once: Vec<Option<Playout>> = Vec::with_capacity(starts.len());
        self.check_stages(machine, starts)?;
        self.current = None;
        for chunk in starts.chunks(Self::CAPACITY) {
            self.evaluator.load(chunk.iter().copied());
            // Most starts are in the middle of a game, which is checked for all of them at once.
            let playable = self.playable_lanes();
            at_once.extend((0..chunk.len()).map(|lane| {
                if limit > 0 && playable.get(lane) {
                    None
                } else {
                    self.finished_playout(lane, limit)
                }
            }));
        }
        for (i, (start, at_once)) in starts.iter().zip(at_once).enumerate() {
            if let Some(playout) = at_once {
                tallies[i].add_times(&playout, u64::from(each));
            } else if let Some(cycle) = machine.turn_cycle_of(start) {
                turn_cycles.entry(cycle).or_default().push(i);
            } else {
                // Not a reachable state: not exactly one control fluent holds.
                let history = &mut histories[wanted.group(i)];
                for _ in 0..each {
                    self.stop.check()?;
                    let playout = if is_guided {
                        guided_playout(self, start, guide, history, rng, limit)?
                    } else {
                        random_playout(self, start, rng, limit)?
                    };
                    tallies[i].add(&playout);
                }
            }
        }
        let order = if is_guided {
            self.ranked_moves(guide, rng)
        } else {
            Vec::new()
        };
        for group in turn_cycles.values() {
            for chunk in group.chunks(Self::CAPACITY) {
                let batch: Vec<&BitState> = chunk.iter().map(|i| starts[*i]).collect();
                let seed = rng.next_u64();
                let guidance = is_guided.then(|| Guidance {
                    epsilons: (0..roles).map(|role| guide.epsilon_of(role)).collect(),
                    order: order.clone(),
                    histories: &mut histories,
                    groups: chunk.iter().map(|i| wanted.group(*i)).collect(),
                });
                let request = PlayoutRequest {
                    starts: &batch,
                    each: u64::from(each),
                    limit,
                    seed,
                    guidance,
                    recorder: None,
                    last_states: None,
                    stop: &self.stop,
                };
                match machine.play(request) {
                    Ok(results) => {
                        for (i, tally) in chunk.iter().zip(results) {
                            tallies[*i] = tally;
                        }
                    }
                    Err(MachineError::Stuck) => return Ok(Err(Abandoned::Stuck)),
                    Err(MachineError::NoProgress) => return Ok(Err(Abandoned::NoProgress)),
                    Err(MachineError::Late) => return Err(ReasonError::Stopped),
                }
            }
        }
        Ok(Ok(GuidedResult {
            totals: tallies,
            histories,
        }))
    }

    /// Summaries of states: terminal, goals and legal moves.
    pub(super) fn batch_summaries(&mut self, states: &[&BitState]) -> Vec<StateSummary> {
        let roles = 0..self.roles().len();
        let mut surveys = Vec::with_capacity(states.len());
        self.current = None;
        for chunk in states.chunks(Self::CAPACITY) {
            self.evaluator.load(chunk.iter().copied());
            let first = surveys.len();
            for lane in 0..chunk.len() {
                surveys.push(StateSummary {
                    terminal: self.evaluator.terminal(lane),
                    goals: roles.clone().map(|role| self.goal_in(lane, role)).collect(),
                    legal: vec![Vec::new(); roles.len()],
                });
            }
            // By move and not by lane, because most moves are legal in few states.
            let surveys = &mut surveys[first..];
            for role in roles.clone() {
                let moves = self.game().moves_of(role);
                self.evaluator
                    .each_legal(moves.clone(), chunk.len(), |lane, action| {
                        surveys[lane].legal[role].push(MoveId((action - moves.start) as u32));
                    });
            }
        }
        surveys
    }

    /// The moves of each role, numbered over all roles, in descending order of score with ties in
    /// random order.
    fn ranked_moves(&self, guide: &PlayoutPolicy, rng: &mut Rng) -> Vec<Vec<u32>> {
        let roles = self.circuit.role_moves.iter().enumerate();
        roles
            .map(|(role, moves)| {
                let mut order: Vec<(u64, u32)> = moves
                    .clone()
                    .map(|action| (rng.next_u64(), action as u32))
                    .collect();
                order.sort_unstable();
                let mut order: Vec<u32> = order.into_iter().map(|(_, action)| action).collect();
                let score = |action: u32| guide.score(role, MoveId(action - moves.start as u32));
                order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
                order
            })
            .collect()
    }
}
