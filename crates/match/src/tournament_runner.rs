//! Playing a tournament: [`TournamentRunner`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::archive::{Archive, ArchiveError, TournamentId, TournamentLock};
use crate::manager::{GameManager, GameManagerError};
use crate::record::MatchRecord;
use crate::tournament::ScheduledMatch;
use crate::tournament::Standings;
use crate::tournament::TournamentPlan;
use crate::tournament::TournamentSchedule;
use crate::tournament::{MatchResult, Results};

/// How often a match is tried whose players are not ready, before the tournament stops.
const MAX_TRIES: u32 = 3;
/// How long each try waits for remote players.
const AVAILABILITY_TIMEOUT: Duration = Duration::from_secs(20);

/// The id of a match and its record, or no record if the match was cancelled.
type MatchTaskResult = Result<(String, Option<MatchRecord>), TournamentError>;

/// Plays the scheduled matches of a tournament, several at a time, until all were played or it is
/// cancelled. All of its state is in the archive, so another runner can continue, however the first
/// one stopped.
#[derive(Debug)]
pub struct TournamentRunner {
    plan: Arc<TournamentPlan>,
    archive: Archive,
    tournament: TournamentId,
    manager: GameManager,
    /// Keeps other processes from playing this tournament.
    _lock: TournamentLock,
}

/// Why a tournament cannot go on.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// The archive cannot be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A match cannot be played.
    #[error("match `{id}`: {error}")]
    Match {
        /// The match.
        id: String,
        /// The reason.
        error: GameManagerError,
    },
    /// A player is not available.
    #[error(
        "player `{name}` ({address}) is not ready to play: {detail}; after {attempts} attempts the \
        tournament cannot continue without it"
    )]
    Absent {
        /// The name of the player.
        name: String,
        /// Its address.
        address: String,
        /// What went wrong in the last try.
        detail: String,
        /// The number of tries.
        attempts: u32,
    },
    /// The task of a match panicked.
    #[error("a match broke down: {0}")]
    Broken(String),
}

/// The progress of a tournament.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The results of the finished matches.
    pub results: &'a Results,
    /// The number of running matches.
    pub running: usize,
}

/// What the task of a match needs.
struct Job {
    fixture: ScheduledMatch,
    resumed: bool,
    stop: CancellationToken,
}

impl TournamentRunner {
    /// Registers a tournament in the archive, or finds it there.
    pub fn new(plan: TournamentPlan, archive: Archive) -> Result<Self, ArchiveError> {
        let lock = archive.lock(&plan)?;
        let tournament = archive.register_tournament(&plan)?;
        let mut manager = GameManager::new();
        // A match without one of its players would say nothing about their strength.
        manager.availability_timeout = Some(AVAILABILITY_TIMEOUT);
        Ok(Self {
            plan: Arc::new(plan),
            archive,
            tournament,
            manager,
            _lock: lock,
        })
    }

    /// Sets how long to wait for remote players before each match.
    #[must_use]
    pub fn with_availability_timeout(mut self, availability_timeout: Duration) -> Self {
        self.manager.availability_timeout = Some(availability_timeout);
        self
    }

    /// The tournament.
    pub fn plan(&self) -> &TournamentPlan {
        &self.plan
    }

    /// Plays until all matches were played or `cancel` is set. `on_progress` is called whenever a
    /// match begins or ends. Cancelled matches keep their accepted moves and are resumed by the
    /// next run.
    pub async fn run(
        &self,
        cancel: &CancellationToken,
        mut on_progress: impl FnMut(&Progress<'_>),
    ) -> Result<Standings, TournamentError> {
        let (mut results, begun) = self.archive.results(self.tournament)?;
        // Also cancelled when a match fails, so that the others stop.
        let stop = cancel.child_token();
        let mut tasks = JoinSet::new();
        let mut running: BTreeMap<String, ScheduledMatch> = BTreeMap::new();
        // The number of tries of matches that were postponed because a player was not available.
        let mut attempts: BTreeMap<String, u32> = BTreeMap::new();
        let mut queue: VecDeque<ScheduledMatch> = VecDeque::new();
        let mut failure = None;
        loop {
            if queue.is_empty() {
                queue = self.due(&results, &running);
            }
            let fitting = |queue: &VecDeque<ScheduledMatch>,
                           running: &BTreeMap<String, ScheduledMatch>| {
                let mut waiting = queue.iter();
                waiting.position(|fixture| fits(&self.plan, fixture, running))
            };
            while !stop.is_cancelled()
                && let Some(place) = fitting(&queue, &running)
                && let Some(fixture) = queue.remove(place)
            {
                running.insert(fixture.id.clone(), fixture.clone());
                let job = Job {
                    resumed: begun.contains(&fixture.id),
                    fixture,
                    stop: stop.child_token(),
                };
                tasks.spawn(self.task(job)?);
            }
            on_progress(&Progress {
                results: &results,
                running: running.len(),
            });
            let Some(joined) = tasks.join_next().await else {
                break;
            };
            let ended: MatchTaskResult = match joined {
                Ok(ended) => ended,
                Err(error) => Err(TournamentError::Broken(error.to_string())),
            };
            match ended {
                Ok((id, record)) => {
                    running.remove(&id);
                    if let Some(result) = record.as_ref().and_then(MatchResult::of) {
                        results.insert(id, result);
                    }
                }
                Err(TournamentError::Match { id, error }) => {
                    let fixture = running.remove(&id);
                    let made = attempts.entry(id.clone()).or_default();
                    *made += 1;
                    match (error, fixture) {
                        // It is tried again after the other matches.
                        (GameManagerError::Absent { .. }, Some(fixture)) if *made < MAX_TRIES => {
                            queue.push_back(fixture);
                        }
                        (error, fixture) => {
                            stop.cancel();
                            let error = self.failure(id, error, fixture.as_ref());
                            failure.get_or_insert(error);
                        }
                    }
                }
                Err(error) => {
                    stop.cancel();
                    failure.get_or_insert(error);
                }
            }
        }
        if let Some(error) = failure {
            return Err(error);
        }
        let table = Standings::new(&self.plan, &results);
        self.archive.store_ratings(self.tournament, &table)?;
        Ok(table)
    }

    /// The error that stops the tournament.
    fn failure(
        &self,
        id: String,
        error: GameManagerError,
        fixture: Option<&ScheduledMatch>,
    ) -> TournamentError {
        let GameManagerError::Absent {
            role,
            player,
            detail,
        } = error
        else {
            return TournamentError::Match { id, error };
        };
        let index = fixture.and_then(|fixture| fixture.role_players.get(role));
        let name = index.map_or(&player, |index| &self.plan.players[*index].name);
        TournamentError::Absent {
            name: name.clone(),
            address: player,
            detail,
            attempts: MAX_TRIES,
        }
    }

    /// The matches that can be played now, in the order of the schedule.
    fn due(
        &self,
        results: &Results,
        running: &BTreeMap<String, ScheduledMatch>,
    ) -> VecDeque<ScheduledMatch> {
        let schedule = TournamentSchedule::new(&self.plan, results);
        let fixtures = schedule.fixtures(&self.plan).into_iter();
        let open =
            |f: &ScheduledMatch| !results.contains_key(&f.id) && !running.contains_key(&f.id);
        fixtures.filter(open).collect()
    }

    /// The task of a match, started or resumed; no record if it was cancelled.
    fn task(
        &self,
        job: Job,
    ) -> Result<impl Future<Output = MatchTaskResult> + Send + 'static, ArchiveError> {
        let (plan, manager) = (self.plan.clone(), self.manager.clone());
        let id = job.fixture.id.clone();
        let names = job.fixture.role_players.iter();
        let names = names.map(|player| plan.players[*player].name.clone());
        let sheet = &plan.games[job.fixture.game].sheet;
        let mut log = self
            .archive
            .match_log(sheet)
            .for_tournament(self.tournament, names.collect());
        let mut played = None;
        if job.resumed {
            log = log.resumed(&id);
            played = self.archive.record(&id)?;
        }
        Ok(async move {
            let setup = job.fixture.setup(&plan);
            let conducted = manager
                .run_match(&setup, played, &mut log, &mut (), job.stop)
                .await;
            match conducted {
                Ok(record) => Ok((id, Some(record))),
                Err(GameManagerError::Cancelled { .. }) => Ok((id, None)),
                Err(error) => Err(TournamentError::Match { id, error }),
            }
        })
    }
}

/// Whether a match can be started beside the running ones. A match that exceeds the limits is
/// played alone.
fn fits(
    plan: &TournamentPlan,
    fixture: &ScheduledMatch,
    running: &BTreeMap<String, ScheduledMatch>,
) -> bool {
    if running.is_empty() {
        return true;
    }
    let used = running.values().map(|fixture| fixture.cpus(plan));
    let used = used.fold(0, u32::saturating_add);
    let wanted = used.saturating_add(fixture.cpus(plan));
    let mut players = fixture.role_players.iter();
    running.len() < plan.parallel
        && wanted <= plan.cpus
        && players.all(|player| has_room(plan, *player, fixture, running))
}

/// Whether a player can take its roles in one more match; remote players have a limit.
fn has_room(
    plan: &TournamentPlan,
    player: usize,
    fixture: &ScheduledMatch,
    running: &BTreeMap<String, ScheduledMatch>,
) -> bool {
    let Some(most) = plan.players[player].matches else {
        return true;
    };
    // Several names may stand for one address.
    let is_same =
        |other: &&usize| plan.players[**other].participant == plan.players[player].participant;
    let roles = |fixture: &ScheduledMatch| fixture.role_players.iter().filter(is_same).count();
    let used: usize = running.values().map(roles).sum();
    used == 0 || used + roles(fixture) <= most as usize
}

#[cfg(test)]
mod tests;
