//! Plays a tournament: [`Runner`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use thiserror::Error;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::fixture::Fixture;
use super::plan::Plan;
use super::result::{MatchResult, Results};
use super::schedule::Schedule;
use super::table::Table;
use crate::archive::{Archive, ArchiveError, Enrolment, TournamentLock};
use crate::manager::{Manager, ManagerError};
use crate::record::Record;

/// Plays what is due of a tournament, several matches at once, until everything was played or somebody asks it to stop. All that it knows is in the archive, so
/// another runner goes on where it stopped, however that was.
#[derive(Debug)]
pub struct Runner {
    plan: Arc<Plan>,
    archive: Archive,
    enrolment: Enrolment,
    manager: Manager,
    /// Nobody else plays this tournament while the runner is there.
    _lock: TournamentLock,
}

/// Why a tournament cannot go on.
#[derive(Debug, Error)]
pub enum RunnerError {
    /// The archive cannot be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A match cannot be played.
    #[error("match `{id}`: {error}")]
    Match {
        /// The match.
        id: String,
        /// Why.
        error: ManagerError,
    },
    /// A match came to an end that it should not have.
    #[error("a match broke down: {0}")]
    Broken(String),
}

/// How far a tournament is.
#[derive(Debug)]
pub struct Progress<'a> {
    /// What came of the matches that are over.
    pub results: &'a Results,
    /// The matches that are being played.
    pub running: usize,
}

/// What a match needs to be played in a task of its own.
struct Job {
    fixture: Fixture,
    resumed: bool,
    stop: CancellationToken,
}

impl Runner {
    /// Takes a tournament in hand: new ones are written into the archive, others are found there.
    pub fn new(plan: Plan, archive: Archive) -> Result<Self, ArchiveError> {
        let lock = archive.lock(&plan)?;
        let enrolment = archive.enrol(&plan)?;
        Ok(Self {
            plan: Arc::new(plan),
            archive,
            enrolment,
            manager: Manager::new(),
            _lock: lock,
        })
    }

    /// The tournament.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Plays until everything was played or `cancel` says to stop, and tells of every match that begins or ends. Matches that are stopped keep their accepted
    /// moves and go on next time.
    pub async fn run(
        &self,
        cancel: &CancellationToken,
        mut tell: impl FnMut(&Progress<'_>),
    ) -> Result<Table, RunnerError> {
        let (mut results, begun) = self.archive.results(self.enrolment)?;
        // Also cancelled when a match fails, so that the others stop as well.
        let stop = cancel.child_token();
        let mut tasks = JoinSet::new();
        let mut running: BTreeMap<String, u32> = BTreeMap::new();
        let mut queue: VecDeque<Fixture> = VecDeque::new();
        let mut failure = None;
        loop {
            if queue.is_empty() {
                queue = self.due(&results, &running);
            }
            while !stop.is_cancelled()
                && let Some(fixture) =
                    queue.pop_front_if(|fixture| fits(&self.plan, fixture, &running))
            {
                running.insert(fixture.id.clone(), fixture.cpus(&self.plan));
                let job = Job {
                    resumed: begun.contains(&fixture.id),
                    fixture,
                    stop: stop.child_token(),
                };
                tasks.spawn(self.task(job)?);
            }
            tell(&Progress {
                results: &results,
                running: running.len(),
            });
            let Some(joined) = tasks.join_next().await else {
                break;
            };
            let ended: Result<(String, Option<Record>), RunnerError> = match joined {
                Ok(ended) => ended,
                Err(error) => Err(RunnerError::Broken(error.to_string())),
            };
            match ended {
                Ok((id, record)) => {
                    running.remove(&id);
                    if let Some(result) = record.as_ref().and_then(MatchResult::of) {
                        results.insert(id, result);
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
        let table = Table::new(&self.plan, &results);
        self.archive.keep_ratings(self.enrolment, &table)?;
        Ok(table)
    }

    /// What can be played now, in the order of the schedule.
    fn due(&self, results: &Results, running: &BTreeMap<String, u32>) -> VecDeque<Fixture> {
        let schedule = Schedule::new(&self.plan, results);
        let fixtures = schedule.fixtures(&self.plan).into_iter();
        let open = |f: &Fixture| !results.contains_key(&f.id) && !running.contains_key(&f.id);
        fixtures.filter(open).collect()
    }

    /// A match from its first or its next step to its end; no record if it was stopped on the way.
    fn task(
        &self,
        job: Job,
    ) -> Result<
        impl Future<Output = Result<(String, Option<Record>), RunnerError>> + Send + 'static,
        ArchiveError,
    > {
        let (plan, manager) = (self.plan.clone(), self.manager.clone());
        let id = job.fixture.id.clone();
        let names = job.fixture.seats.iter();
        let names = names.map(|player| plan.players[*player].name.clone());
        let sheet = &plan.games[job.fixture.game].sheet;
        let mut ledger = self
            .archive
            .ledger(sheet)
            .of_tournament(self.enrolment, names.collect());
        let mut played = None;
        if job.resumed {
            ledger = ledger.resumed(&id);
            played = self.archive.record(&id)?;
        }
        Ok(async move {
            let setup = job.fixture.setup(&plan);
            let conducted = manager
                .conduct(&setup, played, &mut ledger, &mut (), job.stop)
                .await;
            match conducted {
                Ok(record) => Ok((id, Some(record))),
                Err(ManagerError::Cancelled { .. }) => Ok((id, None)),
                Err(error) => Err(RunnerError::Match { id, error }),
            }
        })
    }
}

/// Whether a match can begin beside those that are running, of which the CPUs are told. One that needs more CPUs than there are is played alone.
fn fits(plan: &Plan, fixture: &Fixture, running: &BTreeMap<String, u32>) -> bool {
    let used = running.values().copied().fold(0, u32::saturating_add);
    let wanted = used.saturating_add(fixture.cpus(plan));
    running.is_empty() || (running.len() < plan.parallel && wanted <= plan.cpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Sheet;

    #[test]
    fn matches_at_once_stay_within_their_number_and_the_cpus() {
        let text = "name = 'cup'\nkind = 'round-robin'\nparallel = 3\ncpus = 5\n[[games]]\ngame = 'g'
            [[players]]\nplayer = 'mcts:threads=2'\n[[players]]\nplayer = 'mcts'\n[[players]]\nplayer = 'random'";
        let sheet = |word: &str| {
            Ok::<_, String>(Sheet {
                name: word.to_owned(),
                text: String::new(),
                roles: vec!["x".to_owned(), "o".to_owned()],
            })
        };
        let mut plan = Plan::new(text, sheet).unwrap();
        let fixtures = Schedule::new(&plan, &Results::new()).fixtures(&plan);
        let cpus: Vec<u32> = fixtures.iter().map(|f| f.cpus(&plan)).collect();
        assert_eq!(cpus, [3, 3, 2, 2, 1, 1]);
        let running = |cpus: &[u32]| -> BTreeMap<String, u32> {
            let names = cpus.iter().enumerate();
            names.map(|(i, cpus)| (i.to_string(), *cpus)).collect()
        };
        assert!(fits(&plan, &fixtures[0], &running(&[2])));
        assert!(!fits(&plan, &fixtures[0], &running(&[3])));
        assert!(fits(&plan, &fixtures[4], &running(&[2, 2])));
        assert!(
            !fits(&plan, &fixtures[4], &running(&[1, 1, 1])),
            "three at once"
        );
        plan.cpus = 1;
        assert!(fits(&plan, &fixtures[0], &running(&[])), "alone");
        assert!(!fits(&plan, &fixtures[4], &running(&[1])));
    }
}
