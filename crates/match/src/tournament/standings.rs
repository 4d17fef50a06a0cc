//! The standings of a tournament: [`Standings`].

use std::collections::BTreeMap;

use serde::Serialize;

use super::file::TournamentFormat;
use super::plan::TournamentPlan;
use super::result::Results;
use super::schedule::{TournamentSchedule, knock_out_winner, ladder_places, swiss_standings};
use crate::rating::{Comparison, Rating, rate};

/// The ranking of a tournament. It is a pure function of plan and results and contains no times, so
/// equal results give equal standings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// The tournament.
    pub name: String,
    /// The seed.
    #[serde(serialize_with = "crate::seed::text::serialize")]
    pub seed: u64,
    /// The format.
    pub kind: TournamentFormat,
    /// Whether all matches were played.
    pub finished: bool,
    /// The number of rounds.
    pub rounds: u32,
    /// The number of finished rounds.
    pub rounds_over: usize,
    /// The number of finished matches.
    pub matches: usize,
    /// The number of matches, as far as known.
    pub matches_planned: usize,
    /// The players, best first.
    pub rows: Vec<StandingsRow>,
    /// Ratings for each game.
    pub games: Vec<GameRatings>,
}

/// The row of a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StandingsRow {
    /// The rank; players with equal keys share one.
    pub rank: usize,
    /// The name of the player.
    pub player: String,
    /// Its spec or address.
    pub spec: String,
    /// The number of matches played.
    pub matches: usize,
    /// Comparisons with opponents that it won. There is one for each match of two players, and one
    /// for each pairing in puzzles.
    pub wins: usize,
    /// Tied comparisons.
    pub draws: usize,
    /// Lost comparisons.
    pub losses: usize,
    /// The sum of its shares.
    pub points: f64,
    /// The mean share in per cent; none without a comparison.
    pub score: Option<f64>,
    /// The mean goal value; none without a match.
    pub goal: Option<f64>,
    /// The criterion of the format: the score in a Swiss tournament, the round reached in a
    /// knock-out, the place on the ladder.
    pub standing: Option<f64>,
    /// The number of errors.
    pub errors: u32,
    /// Matches forfeited because of errors.
    pub forfeits: usize,
    /// The rating; none without a comparison.
    pub rating: Option<Rating>,
}

/// Ratings in one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameRatings {
    /// The game.
    pub game: String,
    /// The start clock in seconds.
    pub start_clock: f64,
    /// The play clock in seconds.
    pub play_clock: f64,
    /// The ratings, best first.
    pub ratings: Vec<Rating>,
}

/// Running totals of a player.
#[derive(Clone, Debug, Default)]
struct Count {
    matches: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    points: f64,
    goals: f64,
    errors: u32,
    forfeits: usize,
}

impl Standings {
    /// The standings after some results.
    pub fn new(plan: &TournamentPlan, results: &Results) -> Self {
        let schedule = TournamentSchedule::new(plan, results);
        let mut counts = vec![Count::default(); plan.players.len()];
        let fixtures = schedule.fixtures(plan);
        let mut over = 0;
        for fixture in &fixtures {
            let Some(result) = results.get(&fixture.id) else {
                continue;
            };
            over += 1;
            let (a, b) = fixture.pair;
            let players = [Some(a), (a != b).then_some(b)];
            for player in players.into_iter().flatten() {
                let count = &mut counts[player];
                count.matches += 1;
                count.goals += result.goal(fixture, player);
                count.errors += result.errors_of(fixture, player);
                count.forfeits += usize::from(result.has_forfeited(fixture, player));
            }
        }
        let mut by_game = vec![Vec::new(); plan.games.len()];
        let mut all = Vec::new();
        for round in &schedule.rounds {
            for encounter in &round.encounters {
                for (game, share) in encounter.shares(plan, round.number, results) {
                    for (player, share) in [(encounter.a, share), (encounter.b, 1.0 - share)] {
                        counts[player].add(share);
                    }
                    let comparison = Comparison {
                        a: plan.players[encounter.a].name.clone(),
                        b: plan.players[encounter.b].name.clone(),
                        share,
                    };
                    by_game[game].push(comparison.clone());
                    all.push(comparison);
                }
            }
        }
        let ratings = rate(&all).into_iter();
        let ratings = ratings.map(|rating| (rating.player.clone(), rating));
        let ratings: BTreeMap<String, Rating> = ratings.collect();
        let places = places(plan, &schedule, &counts);
        let rows = places.into_iter().map(|place| {
            let player = &plan.players[place.player];
            counts[place.player].row(
                &place,
                player.name.clone(),
                player.participant.to_string(),
                ratings.get(&player.name).cloned(),
            )
        });
        let games = plan.games.iter().zip(&by_game);
        let games = games.map(|(game, comparisons)| GameRatings {
            game: game.name.clone(),
            start_clock: game.start_clock.as_secs_f64(),
            play_clock: game.play_clock.as_secs_f64(),
            ratings: rate(comparisons),
        });
        let planned = usize::try_from(plan.matches()).unwrap_or(usize::MAX);
        Self {
            name: plan.name.clone(),
            seed: plan.seed,
            kind: plan.kind,
            finished: schedule.finished,
            rounds: plan.rounds,
            rounds_over: schedule.rounds.iter().filter(|r| r.is_over()).count(),
            matches: over,
            matches_planned: planned + replayed(plan, &schedule),
            rows: rows.collect(),
            games: games.collect(),
        }
    }
}

/// The matches of replayed pairings.
fn replayed(plan: &TournamentPlan, schedule: &TournamentSchedule) -> usize {
    let encounters = schedule.rounds.iter().flat_map(|round| &round.encounters);
    let again: usize = encounters.map(|e| e.attempts as usize - 1).sum();
    again * usize::try_from(plan.matches_of_an_encounter()).unwrap_or(usize::MAX)
}

impl Count {
    fn add(&mut self, share: f64) {
        self.points += share;
        if share > 0.5 {
            self.wins += 1;
        } else if share < 0.5 {
            self.losses += 1;
        } else {
            self.draws += 1;
        }
    }

    #[allow(clippy::cast_precision_loss)] // numbers of matches
    fn row(
        &self,
        place: &Place,
        player: String,
        spec: String,
        rating: Option<Rating>,
    ) -> StandingsRow {
        let mean = |sum: f64, count: usize| (count > 0).then(|| sum / count as f64);
        let comparisons = self.wins + self.draws + self.losses;
        StandingsRow {
            rank: place.rank,
            player,
            spec,
            matches: self.matches,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            points: self.points,
            score: mean(self.points * 100.0, comparisons),
            goal: mean(self.goals, self.matches),
            standing: place.standing,
            errors: self.errors,
            forfeits: self.forfeits,
            rating,
        }
    }
}

/// A player with its rank.
struct Place {
    rank: usize,
    player: usize,
    standing: Option<f64>,
}

/// All players, best first. Players with the same key share a rank.
fn places(plan: &TournamentPlan, schedule: &TournamentSchedule, counts: &[Count]) -> Vec<Place> {
    let players = plan.players.len();
    let millionths = |x: f64| (x * 1e6).round() as i64;
    // The sort key (larger is better) and the displayed criterion of each player.
    let mut keys: Vec<(Vec<i64>, Option<f64>)> = vec![(Vec::new(), None); players];
    match plan.kind {
        TournamentFormat::RoundRobin => {
            for (key, count) in keys.iter_mut().zip(counts) {
                key.0 = vec![millionths(count.points)];
            }
        }
        TournamentFormat::Swiss => {
            for standing in swiss_standings(players, &schedule.rounds) {
                let order = [standing.score, standing.buchholz, standing.points];
                let order = order.map(millionths);
                keys[standing.player] = (order.to_vec(), Some(standing.score));
            }
        }
        TournamentFormat::KnockOut => {
            let mut reached = vec![0_u32; players];
            for round in &schedule.rounds {
                let met = round.encounters.iter().flat_map(|e| [e.a, e.b]);
                for player in met.chain(round.byes.iter().copied()) {
                    reached[player] = round.number;
                }
                if round.number == plan.rounds {
                    let final_match = round.encounters.iter().filter(|e| e.points.is_some());
                    for winner in final_match.map(knock_out_winner) {
                        reached[winner] = round.number + 1;
                    }
                }
            }
            for (player, key) in keys.iter_mut().enumerate() {
                let points = millionths(counts[player].points);
                *key = (
                    vec![i64::from(reached[player]), points],
                    Some(f64::from(reached[player])),
                );
            }
        }
        TournamentFormat::Ladder => {
            let ladder = ladder_places(players, &schedule.rounds);
            for (place, player) in (1_u32..).zip(ladder) {
                keys[player] = (vec![-i64::from(place)], Some(f64::from(place)));
            }
        }
    }
    let mut order: Vec<usize> = (0..players).collect();
    order.sort_by(|a, b| keys[*b].0.cmp(&keys[*a].0));
    let mut places: Vec<Place> = Vec::new();
    for (i, player) in order.into_iter().enumerate() {
        let rank = match places.last() {
            Some(last) if keys[last.player].0 == keys[player].0 => last.rank,
            _ => i + 1,
        };
        places.push(Place {
            rank,
            player,
            standing: keys[player].1,
        });
    }
    places
}
