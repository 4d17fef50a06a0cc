//! What comes of many games.

use std::fmt::Display;
use std::time::Duration;

use serde::Serialize;

use super::interval::{student, wilson};
use super::played_game::{GameEnd, GameRecord, PlayedGame};
use super::sprt::SprtReport;
use super::{Duel, Sprt, SprtVerdict};
use ludorum_player::Report;

/// An answer within this time after the clock has run out is in time: a message takes as long.
const TOLERANCE: Duration = Duration::from_millis(50);
/// So many complaints about a side are kept.
const MAX_COMPLAINTS: usize = 5;

/// What is counted about a side.
#[derive(Clone, Debug, Default)]
pub(super) struct SideTally {
    answers: u64,
    /// Answers where there was a choice.
    choices: u64,
    seconds: f64,
    /// Answers with simulations, those simulations, and the sum of their rates.
    rated: u64,
    simulations: u64,
    rates: f64,
    depths: u64,
    /// The longest time beyond the clock, in seconds; below zero if always within.
    longest_over: Option<f64>,
    late: u64,
    illegal: u64,
    errors: u64,
    blind: u64,
    complaints: Vec<String>,
}

impl SideTally {
    /// An answer came.
    pub(super) fn answer(
        &mut self,
        report: &Report,
        legal: usize,
        taken: Duration,
        clock: Duration,
    ) {
        self.answers += 1;
        let over = taken.as_secs_f64() - clock.as_secs_f64();
        self.longest_over = Some(self.longest_over.map_or(over, |most| most.max(over)));
        if taken > clock + TOLERANCE {
            self.late += 1;
        }
        if let Some(trouble) = &report.trouble {
            self.blind += 1;
            self.complain(trouble);
        }
        if legal < 2 {
            return;
        }
        self.choices += 1;
        self.seconds += taken.as_secs_f64();
        // Answers without a thought count as well.
        let is_rated = report.simulations > 0 || report.trouble.is_some();
        if is_rated && report.seconds > 0.0 {
            self.rated += 1;
            self.simulations += report.simulations;
            self.rates += report.rate();
            self.depths += u64::from(report.depth);
        }
    }

    /// The answer was no legal move.
    pub(super) fn illegal(&mut self, text: &str) {
        self.illegal += 1;
        self.complain(&format!("`{text}` is not legal"));
    }

    /// There was no answer.
    pub(super) fn error(&mut self, error: &impl Display) {
        self.errors += 1;
        self.complain(error);
    }

    fn complain(&mut self, complaint: &impl Display) {
        let complaint = complaint.to_string();
        if self.complaints.len() < MAX_COMPLAINTS && !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.choices += other.choices;
        self.seconds += other.seconds;
        self.rated += other.rated;
        self.simulations += other.simulations;
        self.rates += other.rates;
        self.depths += other.depths;
        self.longest_over = match (self.longest_over, other.longest_over) {
            (Some(one), Some(another)) => Some(one.max(another)),
            (one, another) => one.or(another),
        };
        self.late += other.late;
        self.illegal += other.illegal;
        self.errors += other.errors;
        self.blind += other.blind;
        for complaint in &other.complaints {
            self.complain(complaint);
        }
    }

    #[allow(clippy::cast_precision_loss)] // figures for people
    fn report(&self, spec: String, goals: impl Iterator<Item = f64> + Clone) -> SideStatistics {
        let per = |sum: f64, count: u64| if count > 0 { sum / count as f64 } else { 0.0 };
        SideStatistics {
            spec,
            goal: MeanEstimate::new(goals),
            answers: self.answers,
            choices: self.choices,
            simulations_per_second: per(self.rates, self.rated),
            simulations_per_move: per(self.simulations as f64, self.rated),
            depth: per(self.depths as f64, self.rated),
            seconds_per_move: per(self.seconds, self.choices),
            longest_over_ms: self.longest_over.map(|over| over * 1000.0),
            late: self.late,
            illegal: self.illegal,
            errors: self.errors,
            blind: self.blind,
            complaints: self.complaints.clone(),
        }
    }
}

/// A mean and the interval that holds the true one with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// The mean.
    pub mean: f64,
    /// Student's interval.
    pub interval: (f64, f64),
}

impl MeanEstimate {
    fn new(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (mean, interval) = student(values);
        Self { mean, interval }
    }
}

/// How one side did.
#[derive(Clone, Debug, Serialize)]
pub struct SideStatistics {
    /// The player.
    pub spec: String,
    /// What its roles got, 0 to 100.
    pub goal: MeanEstimate,
    /// How many moves it was asked for and gave.
    pub answers: u64,
    /// In how many of them it had a choice. What follows is about these.
    pub choices: u64,
    /// The mean over its moves.
    pub simulations_per_second: f64,
    /// The mean over its moves.
    pub simulations_per_move: f64,
    /// The mean of its longest lines.
    pub depth: f64,
    /// How long it thought, on average.
    pub seconds_per_move: f64,
    /// By how much its slowest answer of all was over the clock, in milliseconds; below zero if
    /// none was.
    pub longest_over_ms: Option<f64>,
    /// Answers later than 50 ms after the clock had run out. They count all the same.
    pub late: u64,
    /// Moves that were not legal.
    pub illegal: u64,
    /// Questions without an answer.
    pub errors: u64,
    /// Moves that were not thought about because something was in the way, mostly time.
    pub blind: u64,
    /// What was wrong, the first of it.
    pub complaints: Vec<String>,
}

/// How things stand during a duel.
#[derive(Clone, Debug)]
pub struct DuelProgress {
    /// Games played.
    pub games: usize,
    /// Games to play.
    pub total: usize,
    /// Games that A won.
    pub wins: usize,
    /// Games that nobody won.
    pub draws: usize,
    /// Games that B won.
    pub losses: usize,
    /// The score of A so far.
    pub score: f64,
    /// The logarithm of the likelihood ratio, if a test is on.
    pub llr: Option<f64>,
}

/// What came of a duel.
#[derive(Clone, Debug, Serialize)]
pub struct DuelResult {
    /// From A's view, 0 to 100: Equation 3.13.
    pub score: f64,
    /// Student's interval for the score: it holds the true one with a probability of 95 %.
    pub interval: (f64, f64),
    /// Wilson's, which tells something also when all games end alike.
    pub wilson: (f64, f64),
    /// Games played.
    pub games: usize,
    /// Games that A won.
    pub wins: usize,
    /// Games that nobody won.
    pub draws: usize,
    /// Games that B won.
    pub losses: usize,
    /// Games without an end: over the limit of steps or without a legal move. Those of several
    /// roles count as draws.
    pub unfinished: usize,
    /// The mean number of steps of a game.
    pub steps: f64,
    /// The roles of the game.
    pub roles: Vec<String>,
    /// About A.
    pub a: SideStatistics,
    /// About B.
    pub b: SideStatistics,
    /// What the test says, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtReport>,
    /// The games one by one.
    pub matches: Vec<GameRecord>,
}

/// The games of a duel so far, in the order of their numbers.
pub(super) struct DuelTally {
    specs: (String, String),
    roles: Vec<String>,
    total: usize,
    sprt: Option<Sprt>,
    records: Vec<GameRecord>,
    a: SideTally,
    b: SideTally,
}

impl DuelTally {
    pub(super) fn new(duel: &Duel, roles: Vec<String>, total: usize) -> Self {
        Self {
            specs: (duel.a.to_string(), duel.b.to_string()),
            roles,
            total,
            sprt: duel.sprt,
            records: Vec::new(),
            a: SideTally::default(),
            b: SideTally::default(),
        }
    }

    pub(super) fn games(&self) -> usize {
        self.records.len()
    }

    pub(super) fn add(&mut self, game: PlayedGame) {
        self.records.push(game.record);
        self.a.add(&game.a);
        self.b.add(&game.b);
    }

    fn scores(&self) -> impl Iterator<Item = f64> + Clone {
        self.records.iter().map(GameRecord::score)
    }

    /// Wins, draws and losses.
    fn counts(&self) -> (usize, usize, usize) {
        let wins = self.scores().filter(|score| *score > 75.0).count();
        let losses = self.scores().filter(|score| *score < 25.0).count();
        (wins, self.games() - wins - losses, losses)
    }

    fn sprt(&self) -> Option<SprtReport> {
        let (wins, draws, losses) = self.counts();
        self.sprt.map(|test| test.report(wins, draws, losses))
    }

    /// Whether the test has come to an end.
    pub(super) fn is_decided(&self) -> bool {
        self.sprt()
            .is_some_and(|report| report.verdict != SprtVerdict::Open)
    }

    pub(super) fn progress(&self) -> DuelProgress {
        let (wins, draws, losses) = self.counts();
        DuelProgress {
            games: self.games(),
            total: self.total,
            wins,
            draws,
            losses,
            score: student(self.scores()).0,
            llr: self.sprt().map(|report| report.llr),
        }
    }

    #[allow(clippy::cast_precision_loss)] // counts of games
    pub(super) fn result(self) -> DuelResult {
        let (wins, draws, losses) = self.counts();
        let MeanEstimate {
            mean: score,
            interval,
        } = MeanEstimate::new(self.scores());
        let (low, high) = wilson(wins as f64 + draws as f64 / 2.0, self.games());
        let unfinished = self
            .records
            .iter()
            .filter(|game| game.end != GameEnd::Terminal);
        let steps = self.records.iter().map(|game| f64::from(game.steps));
        DuelResult {
            score,
            interval,
            wilson: (100.0 * low, 100.0 * high),
            games: self.games(),
            wins,
            draws,
            losses,
            unfinished: unfinished.count(),
            steps: steps.sum::<f64>() / (self.games().max(1) as f64),
            a: self
                .a
                .report(self.specs.0.clone(), self.records.iter().map(|game| game.a)),
            b: self
                .b
                .report(self.specs.1.clone(), self.records.iter().map(|game| game.b)),
            sprt: self.sprt(),
            roles: self.roles,
            matches: self.records,
        }
    }
}
