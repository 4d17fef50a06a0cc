/*!
The pairings of a tournament, as far as they are determined: [`TournamentSchedule`].

A schedule is a pure function of the plan and the results so far. Nothing else is stored between
runs, so an interrupted tournament goes on exactly as if it had not been interrupted. Each format is
a file with a function from the finished rounds to the next one.
*/

mod knock_out;
mod ladder;
mod round_robin;
mod swiss;

use std::collections::BTreeSet;

use super::assignment;
use super::file::TournamentFormat;
use super::plan::TournamentPlan;
use super::result::{Results, share};
use super::scheduled_match::ScheduledMatch;
pub(super) use knock_out::winner as knock_out_winner;
pub(super) use ladder::places as ladder_places;
pub(super) use swiss::standings as swiss_standings;

/// The rounds that are determined, and whether the tournament is finished.
#[derive(Clone, Debug)]
pub struct TournamentSchedule {
    /// The rounds in order.
    pub rounds: Vec<Round>,
    /// Whether all matches were played.
    pub finished: bool,
}

/// Pairings that can be played at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub number: u32,
    /// The pairings.
    pub encounters: Vec<Pairing>,
    /// Players without an opponent, which counts as a win.
    pub byes: Vec<usize>,
}

/// Two players that meet in all games.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairing {
    /// The index of a player in the plan.
    pub a: usize,
    /// The index of the other player.
    pub b: usize,
    /// How often all games are played: once, and again for each replay of a tie in a knock-out.
    pub attempts: u32,
    /// The points of the last attempt, once all of its matches were played.
    pub points: Option<PairingPoints>,
}

/// The points of two players in a pairing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairingPoints {
    /// The points of the first player.
    pub a: f64,
    /// The points of the second player.
    pub b: f64,
}

/// Tolerance of comparing points: equal sums of shares may differ by rounding.
const EQUAL: f64 = 1e-6;

impl PairingPoints {
    /// Whether both have the same points.
    pub fn is_tied(self) -> bool {
        (self.a - self.b).abs() < EQUAL
    }

    /// Whether the first player has more points.
    pub fn is_won_by_a(self) -> bool {
        self.a - self.b >= EQUAL
    }
}

impl Pairing {
    fn new(a: usize, b: usize) -> Self {
        Self {
            a,
            b,
            attempts: 1,
            points: None,
        }
    }

    /// The matches of all attempts, in the order in which they are played.
    pub fn fixtures(&self, plan: &TournamentPlan, round: u32) -> Vec<ScheduledMatch> {
        (0..self.attempts)
            .flat_map(|attempt| self.fixtures_of(plan, round, attempt))
            .collect()
    }

    fn fixtures_of(&self, plan: &TournamentPlan, round: u32, attempt: u32) -> Vec<ScheduledMatch> {
        let mut fixtures = Vec::new();
        for (game, planned) in plan.games.iter().enumerate() {
            let roles = planned.roles.len();
            let count = plan.repeats as usize * assignment::count(roles);
            let first = attempt as usize * count;
            for number in first..first + count {
                if roles > 1 {
                    fixtures.push(ScheduledMatch::mixed(
                        plan,
                        round,
                        game,
                        (self.a, self.b),
                        number,
                    ));
                } else {
                    for player in [self.a, self.b] {
                        fixtures.push(ScheduledMatch::alone(plan, round, game, player, number));
                    }
                }
            }
        }
        fixtures
    }

    /// The results of all finished matches of all attempts: the game and the first player's share.
    pub fn shares(
        &self,
        plan: &TournamentPlan,
        round: u32,
        results: &Results,
    ) -> Vec<(usize, f64)> {
        let attempts = 0..self.attempts;
        let each = attempts.flat_map(|attempt| self.shares_of(plan, round, attempt, results));
        each.flatten().collect()
    }

    /// The shares of an attempt; none for matches without a result.
    fn shares_of(
        &self,
        plan: &TournamentPlan,
        round: u32,
        attempt: u32,
        results: &Results,
    ) -> Vec<Option<(usize, f64)>> {
        let fixtures = self.fixtures_of(plan, round, attempt);
        let mut shares = Vec::new();
        let mut fixtures = fixtures.iter();
        while let Some(fixture) = fixtures.next() {
            let result = results.get(&fixture.id);
            if fixture.pair.0 != fixture.pair.1 {
                shares.push(result.map(|result| (fixture.game, result.share(fixture))));
                continue;
            }
            // In a puzzle both play alone, one after the other, and their goals are compared.
            let Some(other) = fixtures.next() else { break };
            shares.push(result.zip(results.get(&other.id)).map(|(one, two)| {
                let goals = (one.goal(fixture, self.a), two.goal(other, self.b));
                (fixture.game, share(goals.0, goals.1))
            }));
        }
        shares
    }

    /// Computes the points, and adds an attempt while the pairing is tied and the plan has replays.
    fn score(&mut self, plan: &TournamentPlan, round: u32, results: &Results) {
        let replays = match plan.kind {
            TournamentFormat::KnockOut => plan.replays,
            _ => 0,
        };
        loop {
            let shares = self.shares_of(plan, round, self.attempts - 1, results);
            let mut points = PairingPoints { a: 0.0, b: 0.0 };
            for share in shares {
                let Some((_, share)) = share else {
                    self.points = None;
                    return;
                };
                points.a += share;
                points.b += 1.0 - share;
            }
            self.points = Some(points);
            if !points.is_tied() || self.attempts > replays {
                return;
            }
            self.attempts += 1;
        }
    }
}

impl TournamentSchedule {
    /// The schedule after some results.
    pub fn new(plan: &TournamentPlan, results: &Results) -> Self {
        let mut rounds = Vec::new();
        loop {
            let next = match plan.kind {
                TournamentFormat::RoundRobin => round_robin::next(plan, &rounds),
                TournamentFormat::Swiss => swiss::next(plan, &rounds),
                TournamentFormat::KnockOut => knock_out::next(plan, &rounds),
                TournamentFormat::Ladder => ladder::next(plan, &rounds),
            };
            let Some(mut round) = next else { break };
            for encounter in &mut round.encounters {
                encounter.score(plan, round.number, results);
            }
            let open = !round.is_over();
            rounds.push(round);
            // Except in a round-robin, the next round depends on the results of this one.
            if open && plan.kind != TournamentFormat::RoundRobin {
                return Self {
                    rounds,
                    finished: false,
                };
            }
        }
        let finished = rounds.iter().all(Round::is_over);
        Self { rounds, finished }
    }

    /// The determined matches, in the order in which they are played. A puzzle that counts in
    /// several pairings occurs once.
    pub fn fixtures(&self, plan: &TournamentPlan) -> Vec<ScheduledMatch> {
        let mut seen = BTreeSet::new();
        let mut fixtures = Vec::new();
        for round in &self.rounds {
            for encounter in &round.encounters {
                for fixture in encounter.fixtures(plan, round.number) {
                    let is_shared = fixture.pair.0 == fixture.pair.1;
                    if !is_shared || seen.insert(fixture.id.clone()) {
                        fixtures.push(fixture);
                    }
                }
            }
        }
        fixtures
    }
}

impl Round {
    /// Whether all of its matches were played.
    pub fn is_over(&self) -> bool {
        self.encounters.iter().all(|e| e.points.is_some())
    }
}
