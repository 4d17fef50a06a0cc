//! A validated tournament with its rule sheets: [`TournamentPlan`].

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use toml::Spanned;

use super::assignment;
use super::file::{FileError, GameEntry, PlayerEntry, TournamentFile, TournamentFormat};
use super::hash::fingerprint;
use crate::setup::Participant;

/// Limit on players.
pub(super) const MAX_PLAYERS: usize = 256;

/// Limit on games.
pub(super) const MAX_GAMES: usize = 256;

/// Limit on matches.
pub(super) const MAX_MATCHES: u64 = 100_000;

/// Accepted clocks in seconds.
const CLOCKS: RangeInclusive<f64> = 0.0..=86_400.0;

/// A tournament that can be played. Everything but `parallel`, `cpus` and `matches` affects
/// results.
#[derive(Clone, Debug)]
pub struct TournamentPlan {
    /// The name.
    pub name: String,
    /// The seed of all randomness.
    pub seed: u64,
    /// The format.
    pub kind: TournamentFormat,
    /// The number of rounds; of a knock-out, as many as it needs.
    pub rounds: u32,
    /// How often each role assignment is played in a pairing.
    pub repeats: u32,
    /// How often a tied pairing of a knock-out is replayed.
    pub replays: u32,
    /// The games.
    pub games: Vec<TournamentGame>,
    /// The players, in the order of the file.
    pub players: Vec<TournamentPlayer>,
    /// A player with this many errors loses a match.
    pub forfeit_after: Option<u32>,
    /// Limit on concurrent matches.
    pub parallel: usize,
    /// Limit on CPUs used by the players of all concurrent matches.
    pub cpus: u32,
}

/// A game of a tournament.
#[derive(Clone, Debug)]
pub struct TournamentGame {
    /// The name.
    pub name: String,
    /// The rule sheet.
    pub sheet: Arc<str>,
    /// The roles.
    pub roles: Vec<String>,
    /// The start clock.
    pub start_clock: Duration,
    /// The play clock.
    pub play_clock: Duration,
    /// Limit on steps of a match.
    pub max_steps: u32,
}

/// A player of a tournament.
#[derive(Clone, Debug)]
pub struct TournamentPlayer {
    /// The name.
    pub name: String,
    /// Who plays.
    pub participant: Participant,
    /// The CPUs it uses while it searches.
    pub cpus: u32,
    /// How many roles it plays at the same time; none for no limit, as for players in this process.
    pub matches: Option<u32>,
}

/// The rule sheet of a game in a tournament file.
#[derive(Clone, Debug)]
pub struct RuleSheet {
    /// The name of the game.
    pub name: String,
    /// The text of the sheet.
    pub text: String,
    /// The roles.
    pub roles: Vec<String>,
}

impl TournamentPlan {
    /// Reads a tournament file. `sheets` finds the rule sheet of a game by its built-in name or
    /// path.
    pub fn new<E: Display>(
        text: &str,
        sheets: impl FnMut(&str) -> Result<RuleSheet, E>,
    ) -> Result<Self, FileError> {
        let file = TournamentFile::read(text)?;
        Reader { text }.plan(&file, sheets)
    }

    /// Everything that affects results, as JSON. A tournament is resumed only if this is unchanged.
    pub fn canonical(&self) -> String {
        #[derive(Serialize)]
        struct Canonical<'a> {
            name: &'a str,
            seed: u64,
            kind: TournamentFormat,
            rounds: u32,
            repeats: u32,
            replays: u32,
            forfeit_after: Option<u32>,
            games: Vec<CanonicalGame<'a>>,
            players: Vec<CanonicalPlayer<'a>>,
        }
        #[derive(Serialize)]
        struct CanonicalGame<'a> {
            name: &'a str,
            sheet: String,
            start_clock_ms: u128,
            play_clock_ms: u128,
            max_steps: u32,
        }
        #[derive(Serialize)]
        struct CanonicalPlayer<'a> {
            name: &'a str,
            player: String,
        }
        let games = self.games.iter().map(|game| CanonicalGame {
            name: &game.name,
            sheet: format!("{:016x}", fingerprint(game.sheet.as_bytes())),
            start_clock_ms: game.start_clock.as_millis(),
            play_clock_ms: game.play_clock.as_millis(),
            max_steps: game.max_steps,
        });
        let players = self.players.iter().map(|player| CanonicalPlayer {
            name: &player.name,
            player: player.participant.to_string(),
        });
        let canonical = Canonical {
            name: &self.name,
            seed: self.seed,
            kind: self.kind,
            rounds: self.rounds,
            repeats: self.repeats,
            replays: self.replays,
            forfeit_after: self.forfeit_after,
            games: games.collect(),
            players: players.collect(),
        };
        // Serialisation cannot fail: names, numbers and lists.
        serde_json::to_string(&canonical).unwrap_or_default()
    }

    /// The number of matches of one pairing.
    pub fn matches_of_an_encounter(&self) -> u64 {
        let each = self.games.iter().map(|game| match game.roles.len() {
            0 | 1 => 2,
            roles => assignment::count(roles) as u64,
        });
        each.sum::<u64>() * u64::from(self.repeats)
    }

    /// The number of matches if no pairing of a knock-out is replayed.
    pub fn matches(&self) -> u64 {
        let players = self.players.len() as u64;
        let rounds = u64::from(self.rounds);
        let encounters = match self.kind {
            TournamentFormat::RoundRobin => rounds * (players * (players - 1) / 2),
            TournamentFormat::Swiss => rounds * (players / 2),
            TournamentFormat::KnockOut => players - 1,
            // Even rounds begin with the second place.
            TournamentFormat::Ladder => {
                rounds.div_ceil(2) * (players / 2) + rounds / 2 * ((players - 1) / 2)
            }
        };
        let each = self.games.iter().map(|game| match game.roles.len() {
            // In a round-robin each player plays a puzzle once per round, whatever the number of
            // opponents.
            0 | 1 if self.kind == TournamentFormat::RoundRobin => rounds * players,
            0 | 1 => 2 * encounters,
            roles => (assignment::count(roles) as u64).saturating_mul(encounters),
        });
        let all = each.fold(0u64, u64::saturating_add);
        all.saturating_mul(u64::from(self.repeats))
    }
}

/// Validates a file; the text is needed for the positions of errors.
struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn plan<E: Display>(
        &self,
        file: &TournamentFile,
        mut sheets: impl FnMut(&str) -> Result<RuleSheet, E>,
    ) -> Result<TournamentPlan, FileError> {
        let name = self.name(&file.name, "a tournament")?;
        let kind = *file.kind.get_ref();
        let players = self.players(&file.players)?;
        let rounds = self.rounds(file, players.len())?;
        if kind != TournamentFormat::KnockOut
            && let Some(replays) = &file.replays
        {
            let message = "`replays` is for a knock-out: nothing else has to be decided";
            return Err(self.at(replays, message));
        }
        if file.games.is_empty() {
            let message = "there is no game; add one with [[games]] and `game = \"tic-tac-toe\"`";
            return Err(FileError::whole(message));
        }
        if file.games.len() > MAX_GAMES {
            let message = format!("there are more than {MAX_GAMES} games");
            return Err(FileError::whole(message));
        }
        let mut games = Vec::new();
        for entry in &file.games {
            let word = entry.game.get_ref();
            let sheet = sheets(word).map_err(|error| self.at(&entry.game, error.to_string()))?;
            games.push(self.game(file, entry, sheet)?);
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let cpus = self.number("cpus", file.cpus.as_ref(), 1..=4096, cores)?;
        let parallel = self.number("parallel", file.parallel.as_ref(), 1..=1000, cores)?;
        let forfeit = file.forfeit_after.as_ref();
        let forfeit_after = self.number("forfeit_after", forfeit, 1..=1_000_000, 0)?;
        let plan = TournamentPlan {
            name,
            seed: file.seed,
            kind,
            rounds,
            repeats: self.number("repeats", file.repeats.as_ref(), 1..=10_000, 1)?,
            replays: self.number("replays", file.replays.as_ref(), 0..=100, 2)?,
            games,
            players,
            forfeit_after: (forfeit_after > 0).then_some(forfeit_after),
            parallel: parallel as usize,
            cpus,
        };
        let matches = plan.matches();
        if matches > MAX_MATCHES {
            let message = format!("that would be {matches} matches, and {MAX_MATCHES} is the most");
            return Err(FileError::whole(message));
        }
        Ok(plan)
    }

    fn game(
        &self,
        file: &TournamentFile,
        entry: &GameEntry,
        sheet: RuleSheet,
    ) -> Result<TournamentGame, FileError> {
        if sheet.roles.is_empty() {
            return Err(self.at(&entry.game, "the game has no roles"));
        }
        let clock = |own: &Option<Spanned<f64>>, all: &Option<Spanned<f64>>, usual: f64| {
            let Some(clock) = own.as_ref().or(all.as_ref()) else {
                return Ok(Duration::from_secs_f64(usual));
            };
            if CLOCKS.contains(clock.get_ref()) {
                // The protocol and the archive have a resolution of milliseconds.
                let exact = Duration::from_secs_f64(*clock.get_ref());
                return Ok(Duration::from_millis(exact.as_millis() as u64));
            }
            let message = "a clock is a number of seconds from 0 to 86400";
            Err(self.at(clock, message))
        };
        let most = entry.max_steps.as_ref().or(file.max_steps.as_ref());
        Ok(TournamentGame {
            start_clock: clock(&entry.start, &file.start, 10.0)?,
            play_clock: clock(&entry.play, &file.play, 5.0)?,
            max_steps: self.number("max_steps", most, 1..=1_000_000, 1000)?,
            name: sheet.name,
            sheet: sheet.text.into(),
            roles: sheet.roles,
        })
    }

    fn players(&self, entries: &[PlayerEntry]) -> Result<Vec<TournamentPlayer>, FileError> {
        if entries.len() < 2 {
            let message =
                "a tournament needs two players; add them with [[players]] and `player = \"mcts\"`";
            return Err(FileError::whole(message));
        }
        if entries.len() > MAX_PLAYERS {
            let message = format!("there are more than {MAX_PLAYERS} players");
            return Err(FileError::whole(message));
        }
        let mut names = BTreeSet::new();
        let mut players = Vec::new();
        for entry in entries {
            let participant = entry.player.get_ref().parse::<Participant>();
            let participant =
                participant.map_err(|error| self.at(&entry.player, error.to_string()))?;
            let name = match &entry.name {
                Some(name) => self.name(name, "a player")?,
                None => participant.to_string(),
            };
            if !names.insert(name.clone()) {
                let place = entry.name.as_ref().unwrap_or(&entry.player);
                let message = format!("there are two players `{name}`; give them a `name` each");
                return Err(self.at(place, message));
            }
            let cpus = entry.cpus.as_ref();
            let cpus = self.number("cpus", cpus, 0..=4096, usual_cpus(&participant))?;
            let matches = self.number("matches", entry.matches.as_ref(), 1..=1000, 1)?;
            let is_remote = matches!(participant, Participant::Remote(_));
            if !is_remote && let Some(matches) = &entry.matches {
                let message = "`matches` is only for remote players; `parallel` and `cpus` limit \
                    built-in players";
                return Err(self.at(matches, message));
            }
            players.push(TournamentPlayer {
                name,
                participant,
                cpus,
                matches: is_remote.then_some(matches),
            });
        }
        Ok(players)
    }

    fn rounds(&self, file: &TournamentFile, players: usize) -> Result<u32, FileError> {
        let enough = (players as u32).next_power_of_two().trailing_zeros();
        let usual = match *file.kind.get_ref() {
            TournamentFormat::RoundRobin => 1,
            TournamentFormat::Swiss => enough,
            TournamentFormat::Ladder => players as u32,
            TournamentFormat::KnockOut => {
                return match &file.rounds {
                    None => Ok(enough),
                    Some(rounds) => {
                        let message =
                            "a knock-out has as many rounds as it takes; leave `rounds` out";
                        Err(self.at(rounds, message))
                    }
                };
            }
        };
        self.number("rounds", file.rounds.as_ref(), 1..=10_000, usual)
    }

    fn name(&self, name: &Spanned<String>, what: &str) -> Result<String, FileError> {
        let text = name.get_ref();
        let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if (1..=40).contains(&text.len()) && text.chars().all(fine) {
            return Ok(text.clone());
        }
        let message = format!(
            "the name of {what} has 1 to 40 letters, digits, `-`, `_` and `.`, not `{text}`"
        );
        Err(self.at(name, message))
    }

    fn number(
        &self,
        key: &str,
        value: Option<&Spanned<u32>>,
        range: RangeInclusive<u32>,
        usual: u32,
    ) -> Result<u32, FileError> {
        let Some(value) = value else {
            return Ok(usual);
        };
        if range.contains(value.get_ref()) {
            return Ok(*value.get_ref());
        }
        let message = format!(
            "`{key}` is a number from {} to {}",
            range.start(),
            range.end()
        );
        Err(self.at(value, message))
    }

    fn at<T>(&self, place: &Spanned<T>, message: impl Into<String>) -> FileError {
        let span: Range<usize> = place.span();
        FileError::at(self.text, &span, message)
    }
}

/// The search threads of a built-in player; remote players use no CPU here.
fn usual_cpus(participant: &Participant) -> u32 {
    let Participant::Local(spec) = participant else {
        return 0;
    };
    if matches!(spec.info().name, "random" | "legal") {
        return 0;
    }
    let threads = spec.written("threads").and_then(|text| text.parse().ok());
    threads.unwrap_or(1)
}
