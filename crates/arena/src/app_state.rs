//! State shared by all requests: [`AppState`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludorum_match::protocol::excerpt;
use ludorum_match::{Archive, CancellationToken, GameManager};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ApiError;
use crate::inspection::InspectionCache;
use crate::library::{Library, LibraryGame};
use crate::live::LiveMatch;
use crate::metrics::Metrics;
use crate::options::ArenaOptions;

/// Time limit of waiting for a work permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);
/// Time limit of the work of a request.
const WORK_TIMEOUT: Duration = Duration::from_mins(1);

/// Memory limit of all players together, in MiB.
const MAX_TOTAL_MEMORY: u64 = 4096;
/// Minimum memory of a player, in MiB.
const MIN_PLAYER_MEMORY: u64 = 16;

/// Memory reserved for the players of a match; dropping it returns the memory.
#[derive(Debug)]
pub(crate) struct MemoryReservation {
    /// Memory of each player, in MiB.
    pub(crate) each: u64,
    all: u64,
    taken: Arc<Mutex<u64>>,
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.all);
    }
}

/// Games, matches, archive, and the limits on their use.
#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) options: ArenaOptions,
    pub(crate) manager: GameManager,
    pub(crate) library: Library,
    pub(crate) archive: Option<Archive>,
    pub(crate) metrics: Metrics,
    /// Stops the arena.
    pub(crate) stop: CancellationToken,
    /// In the order in which they started.
    matches: Mutex<VecDeque<Arc<LiveMatch>>>,
    watchers: Arc<Semaphore>,
    /// Memory reserved by running matches, in MiB.
    taken: Arc<Mutex<u64>>,
    permits: WorkPermits,
    /// Compiled networks of inspected games.
    pub(crate) inspections: InspectionCache,
}

/// Semaphores that limit blocking work, one for each kind, so that one kind does not delay the
/// others.
#[derive(Debug)]
struct WorkPermits {
    /// Computing positions.
    views: Arc<Semaphore>,
    /// Parsing sheets, recognising boards, compiling.
    inspections: Arc<Semaphore>,
    /// Searching hints.
    hints: Arc<Semaphore>,
    /// Replaying the openings of matches.
    openings: Arc<Semaphore>,
}

/// A kind of blocking work.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Computing a position.
    Position,
    /// Parsing a sheet, recognising a board, compiling.
    Inspect,
    /// Searching a hint.
    Hint,
}

impl AppState {
    pub(crate) fn new(options: ArenaOptions, stop: CancellationToken) -> Result<Self, String> {
        let archive = options.archive.clone();
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let permits = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        Ok(Self {
            manager: GameManager::new(),
            library: Library::new(options.sheets),
            metrics: Metrics::new().map_err(|error| error.to_string())?,
            matches: Mutex::default(),
            taken: Arc::default(),
            watchers: permits(options.watchers),
            permits: WorkPermits {
                views: permits(32),
                inspections: permits(cores.max(2)),
                hints: permits(2),
                openings: permits(2),
            },
            inspections: InspectionCache::default(),
            options,
            archive,
            stop,
        })
    }

    /// Runs work on a blocking thread after waiting for a permit of its kind.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        kind: Work,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let permits = match kind {
            Work::Position => &self.permits.views,
            Work::Inspect => &self.permits.inspections,
            Work::Hint => &self.permits.hints,
        };
        let busy = || ApiError::full("busy", "the arena is busy; try again in a moment");
        let turn = tokio::time::timeout(QUEUE_TIMEOUT, Arc::clone(permits).acquire_owned()).await;
        let permit = turn.map_err(|_| busy())?.map_err(|_| busy())?;
        // The permit is held until the work ends, even if the request has given up waiting.
        let work = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        match tokio::time::timeout(WORK_TIMEOUT, work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => {
                tracing::error!(%error, "something broke down");
                Err(ApiError::broken(
                    "an internal error occurred; the arena continues",
                ))
            }
            Err(_) => Err(ApiError::full("slow", "this takes too long")),
        }
    }

    /// A permit to watch matches.
    pub(crate) fn watcher(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let permit = Arc::clone(&self.watchers).try_acquire_owned();
        permit.map_err(|_| {
            let most = self.options.watchers;
            ApiError::full("watchers", format!("{most} people watch already"))
        })
    }

    fn matches(&self) -> MutexGuard<'_, VecDeque<Arc<LiveMatch>>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A permit to replay the opening of a match; waits for its turn.
    pub(crate) async fn opening(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let busy = || ApiError::full("busy", "the arena is busy; try again in a moment");
        let permits = Arc::clone(&self.permits.openings);
        let turn = tokio::time::timeout(QUEUE_TIMEOUT, permits.acquire_owned()).await;
        turn.map_err(|_| busy())?.map_err(|_| busy())
    }

    /// Reserves memory for the players of a match. The reservation shrinks with the memory in use,
    /// so that the total stays close to [`MAX_TOTAL_MEMORY`].
    pub(crate) fn reserve_memory(&self, players: usize) -> MemoryReservation {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let left = MAX_TOTAL_MEMORY.saturating_sub(*taken);
        let each = (left / 8).clamp(
            MIN_PLAYER_MEMORY,
            self.options.memory.max(MIN_PLAYER_MEMORY),
        );
        let each = each.min(self.options.memory);
        let all = each * players as u64;
        *taken += all;
        MemoryReservation {
            each,
            all,
            taken: Arc::clone(&self.taken),
        }
    }

    /// An error if no further match is accepted.
    pub(crate) fn check_room(&self) -> Result<(), ApiError> {
        self.room(&self.matches())
    }

    /// Adds a match, if one more is accepted.
    pub(crate) fn admit(&self, live: Arc<LiveMatch>) -> Result<(), ApiError> {
        let mut matches = self.matches();
        self.room(&matches)?;
        matches.push_back(live);
        self.forget(&mut matches);
        Ok(())
    }

    fn room(&self, matches: &VecDeque<Arc<LiveMatch>>) -> Result<(), ApiError> {
        let running = matches.iter().filter(|known| !known.is_over()).count();
        let most = self.options.matches;
        if running >= most {
            let message = format!(
                "{most} matches are being played already; wait for one to end, or end one of yours"
            );
            return Err(ApiError::full("matches", message));
        }
        Ok(())
    }

    /// Removes the oldest finished matches beyond the limit.
    fn forget(&self, matches: &mut VecDeque<Arc<LiveMatch>>) {
        let over = matches.iter().filter(|live| live.is_over()).count();
        let mut too_many = over.saturating_sub(self.options.kept);
        matches.retain(|live| {
            let is_forgotten = too_many > 0 && live.is_over();
            too_many -= usize::from(is_forgotten);
            !is_forgotten
        });
    }

    /// Cancels matches that their people have left.
    pub(crate) fn drop_abandoned(&self) {
        let mut matches = self.matches();
        for live in matches.iter().filter(|live| !live.is_over()) {
            if live.is_abandoned(self.options.idle_timeout) {
                live.stop.cancel();
            }
        }
        self.forget(&mut matches);
        let running = matches.iter().filter(|live| !live.is_over()).count();
        let free = self.watchers.available_permits();
        let watched = self.options.watchers.saturating_sub(free);
        self.metrics
            .playing
            .set(i64::try_from(running).unwrap_or(i64::MAX));
        self.metrics
            .watchers
            .set(i64::try_from(watched).unwrap_or(i64::MAX));
    }

    /// A match by its id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        let matches = self.matches();
        let found = matches.iter().find(|live| live.id == id).cloned();
        drop(matches);
        let live = found.ok_or_else(|| {
            ApiError::missing(format!(
                "no match `{}` is being played; it may be in the archive",
                excerpt(id)
            ))
        })?;
        live.record_access();
        Ok(live)
    }

    /// All matches, the newest first.
    pub(crate) fn all(&self) -> Vec<Arc<LiveMatch>> {
        self.matches().iter().rev().cloned().collect()
    }

    /// A game by its name.
    pub(crate) fn game(&self, name: &str) -> Result<Arc<LibraryGame>, ApiError> {
        let found = self.library.find(name);
        found.ok_or_else(|| {
            let near = ludorum_games::suggest(name);
            let hint = match near.first() {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            let name = excerpt(name);
            ApiError::missing(format!("there is no game `{name}`{hint}"))
        })
    }

    /// The archive.
    pub(crate) fn archive(&self) -> Result<Archive, ApiError> {
        let archive = self.archive.clone();
        archive.ok_or_else(|| ApiError::missing("this arena keeps no archive"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_share_the_memory_limit_of_the_arena() {
        let state = AppState::new(ArenaOptions::default(), CancellationToken::new()).unwrap();
        let first = state.reserve_memory(2);
        assert_eq!(
            first.each, state.options.memory,
            "there is enough for a few"
        );
        let reservations: Vec<MemoryReservation> =
            (0..32).map(|_| state.reserve_memory(2)).collect();
        assert!(
            reservations
                .iter()
                .all(|reservation| reservation.each >= MIN_PLAYER_MEMORY)
        );
        let each: Vec<u64> = reservations
            .iter()
            .map(|reservation| reservation.each)
            .collect();
        assert!(each.is_sorted_by(|a, b| a >= b), "{each:?}");
        // The limit is exceeded only by minimum reservations.
        let all: u64 = reservations.iter().map(|reservation| reservation.all).sum();
        assert!(all <= MAX_TOTAL_MEMORY + 64 * MIN_PLAYER_MEMORY, "{all}");
        drop(reservations);
        assert_eq!(state.reserve_memory(2).each, state.options.memory);
    }
}
