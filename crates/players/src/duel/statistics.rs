//! The statistics of a duel.

use std::fmt::Display;
use std::time::Duration;

use serde::Serialize;

use super::interval::{student, wilson};
use super::played_game::{GameEnd, GameRecord, PlayedGame};
use super::sprt::SprtReport;
use super::{Duel, Sprt, SprtVerdict};
use ludorum_player::Report;

/// An answer this long after the deadline is in time; a message takes as long.
const TOLERANCE: Duration = Duration::from_millis(50);
/// The maximum number of complaints that are kept about a side.
const MAX_COMPLAINTS: usize = 5;

/// The counters of a side.
#[derive(Clone, Debug, Default)]
pub(super) struct SideTally {
    answers: u64,
    /// Answers with more than one legal move.
    choices: u64,
    seconds: f64,
    /// Answers with a search; below, their simulations and the sum of their rates.
    rated: u64,
    simulations: u64,
    rates: f64,
    depths: u64,
    /// The longest overrun of the clock, in seconds; negative if every answer was in time.
    longest_over: Option<f64>,
    late: u64,
    illegal: u64,
    errors: u64,
    blind: u64,
    complaints: Vec<String>,
}

impl SideTally {
    /// Counts an answer.
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
        if let Some(problem) = &report.trouble {
            self.blind += 1;
            self.complain(problem);
        }
        if legal < 2 {
            return;
        }
        self.choices += 1;
        self.seconds += taken.as_secs_f64();
        // Answers without a search count as well.
        let is_rated = report.simulations > 0 || report.trouble.is_some();
        if is_rated && report.seconds > 0.0 {
            self.rated += 1;
            self.simulations += report.simulations;
            self.rates += report.rate();
            self.depths += u64::from(report.depth);
        }
    }

    /// Counts an illegal answer.
    pub(super) fn illegal(&mut self, text: &str) {
        self.illegal += 1;
        self.complain(&format!("`{text}` is not legal"));
    }

    /// Counts a missing answer.
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

/// A mean and its confidence interval at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// The mean.
    pub mean: f64,
    /// The Student interval.
    pub interval: (f64, f64),
}

impl MeanEstimate {
    fn new(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (mean, interval) = student(values);
        Self { mean, interval }
    }
}

/// The statistics of a side.
#[derive(Clone, Debug, Serialize)]
pub struct SideStatistics {
    /// The player.
    pub spec: String,
    /// The mean goal of its roles, 0 to 100.
    pub goal: MeanEstimate,
    /// Moves answered.
    pub answers: u64,
    /// Answers with more than one legal move. The following statistics are about these.
    pub choices: u64,
    /// The mean over the answers.
    pub simulations_per_second: f64,
    /// The mean over the answers.
    pub simulations_per_move: f64,
    /// The mean of the longest lines.
    pub depth: f64,
    /// The mean search time.
    pub seconds_per_move: f64,
    /// The longest overrun of the clock over all answers, in milliseconds; negative if every answer
    /// was in time.
    pub longest_over_ms: Option<f64>,
    /// Answers later than 50 ms after the deadline. They count as moves.
    pub late: u64,
    /// Illegal moves.
    pub illegal: u64,
    /// Missing answers.
    pub errors: u64,
    /// Moves without a search result, mostly for lack of time.
    pub blind: u64,
    /// The first few complaints.
    pub complaints: Vec<String>,
}

/// The progress of a duel.
#[derive(Clone, Debug)]
pub struct DuelProgress {
    /// Games played.
    pub games: usize,
    /// Games to play.
    pub total: usize,
    /// Games that A won.
    pub wins: usize,
    /// Draws.
    pub draws: usize,
    /// Games that B won.
    pub losses: usize,
    /// The score of A so far.
    pub score: f64,
    /// The log-likelihood ratio, if there is a test.
    pub llr: Option<f64>,
}

/// The result of a duel.
#[derive(Clone, Debug, Serialize)]
pub struct DuelResult {
    /// The score of A, 0 to 100 (Świechowski 2015, equation 3.13).
    pub score: f64,
    /// The Student interval of the score, at 95 %.
    pub interval: (f64, f64),
    /// The Wilson score interval, which is useful even if all games end alike.
    pub wilson: (f64, f64),
    /// Games played.
    pub games: usize,
    /// Games that A won.
    pub wins: usize,
    /// Draws.
    pub draws: usize,
    /// Games that B won.
    pub losses: usize,
    /// Games that ended by the step limit or without a legal move. Those of several roles count as
    /// draws.
    pub unfinished: usize,
    /// The mean number of steps of a game.
    pub steps: f64,
    /// The roles of the game.
    pub roles: Vec<String>,
    /// The statistics of A.
    pub a: SideStatistics,
    /// The statistics of B.
    pub b: SideStatistics,
    /// The test, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtReport>,
    /// The games one by one.
    pub matches: Vec<GameRecord>,
}

/// The results so far, in the order of game numbers.
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

    /// Whether the test has decided.
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
