//! The thread that plays one match.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_players::{GameEngine, Player, PlayerSpec};
use tokio::sync::oneshot;

use super::match_control::MatchControl;
use super::match_tracker::{MatchTracker, MoveUpdate};
use super::server_state::ServerState;
use crate::protocol::{JointMove, StartMessage};

/// Poll interval of the request channel while the player uses the start clock.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A PLAY message for the match thread.
pub(super) struct PlayRequest {
    /// The joint move that was played last.
    pub(super) moves: Option<JointMove>,
    /// Deadline of the search.
    pub(super) due: Instant,
    pub(super) reply: oneshot::Sender<PlayReply>,
}

/// The answer to a [`PlayRequest`].
#[derive(Debug)]
pub(super) struct PlayReply {
    /// The move, or an error for the game manager.
    pub(super) answer: Result<String, String>,
    /// When the answer was ready.
    pub(super) finished: Instant,
}

/// A match that is about to be played.
pub(super) struct MatchThread {
    pub(super) shared: Arc<ServerState>,
    pub(super) control: MatchControl,
    pub(super) start: StartMessage,
    /// The player's spec with seed, threads and memory filled in.
    pub(super) spec: PlayerSpec,
    pub(super) seed: u64,
    /// Deadline of preparing within the start clock.
    pub(super) due: Instant,
}

impl MatchThread {
    /// Plays until the request channel is closed. `ready` receives the result of the preparation.
    pub(super) fn run(
        self,
        requests: &Receiver<PlayRequest>,
        ready: oneshot::Sender<Result<(), String>>,
    ) {
        let id = &self.start.id;
        let play = AssertUnwindSafe(|| match self.prepare() {
            Ok(mut running) => {
                running.play(requests, ready);
                // The thread counts as running until the player's own threads have ended.
                running.player.shut_down();
            }
            Err(problem) => {
                tracing::warn!(id, problem, "a match cannot be played");
                // The receiver may be gone.
                let _ = ready.send(Err(problem));
            }
        });
        if catch_unwind(play).is_err() {
            tracing::error!(id, "a match has broken down");
            self.shared.metrics.match_event("broken");
        }
        self.shared.engines.forget_unready(&self.start.sheet);
    }

    fn prepare(&self) -> Result<RunningMatch, String> {
        let sheet: Arc<str> = self.start.sheet.as_str().into();
        let engines = &self.shared.engines;
        let rules = engines.rules(&sheet).map_err(|error| error.to_string())?;
        drop(rules);
        let engine = self.engine(&sheet)?;
        if self.control.is_cancelled() {
            return Err("this match is over".to_owned());
        }
        let mut walker = engine.walker().map_err(|error| error.to_string())?;
        walker.set_cancel(Some(self.control.flag()));
        let roles = walker.roles();
        let wanted = &self.start.role;
        let exact = roles.iter().position(|role| role == wanted);
        let alike = || {
            roles
                .iter()
                .position(|role| role.eq_ignore_ascii_case(wanted))
        };
        let role = exact.or_else(alike).ok_or_else(|| {
            let roles = roles.join(", ");
            format!("the rules have no role {wanted}; they have {roles}")
        })?;
        let player = engine.player(&self.spec, role);
        let player = player.map_err(|error| error.to_string())?;
        self.control.reach(player.cancel_handle());
        Ok(RunningMatch {
            shared: Arc::clone(&self.shared),
            id: self.start.id.clone(),
            role,
            seed: self.seed,
            ponders: self.shared.ponders && !is_search_free(&self.spec),
            thinks: !is_search_free(&self.spec),
            due: self.due,
            position: MatchTracker::new(walker, role),
            player,
        })
    }

    /// The engine of the spec. If that cannot be made, `auto`; if that fails too, the prover, which
    /// accepts every rule sheet.
    fn engine(&self, sheet: &Arc<str>) -> Result<GameEngine, String> {
        let engines = &self.shared.engines;
        let wanted = self.spec.engine();
        let limits = self.shared.limits();
        let engine = engines.engine_within(sheet, wanted, &limits);
        let engine = engine.or_else(|error| {
            tracing::warn!(%error, "the engine cannot be made, another is taken");
            engines.engine_within(sheet, Engine::AUTO, &limits)
        });
        let engine = engine.or_else(|_| engines.engine(sheet, Engine::PROVER));
        engine.map_err(|error| error.to_string())
    }
}

/// Whether the player does not search, so that more time does not change its move.
fn is_search_free(spec: &PlayerSpec) -> bool {
    matches!(spec.info().name, "random" | "legal" | "one-ply")
}

/// A match that is being played.
struct RunningMatch {
    shared: Arc<ServerState>,
    id: String,
    role: usize,
    seed: u64,
    /// Whether the player ponders: it searches while other players think.
    ponders: bool,
    /// Whether the player searches during the start clock.
    thinks: bool,
    due: Instant,
    position: MatchTracker,
    player: Box<dyn Player>,
}

impl RunningMatch {
    fn play(
        &mut self,
        requests: &Receiver<PlayRequest>,
        ready: oneshot::Sender<Result<(), String>>,
    ) {
        let Ok(mut request) = self.use_start_clock(requests) else {
            return;
        };
        // The receiver may be gone; later messages may still arrive.
        let _ = ready.send(Ok(()));
        loop {
            let next = match request.take() {
                Some(request) => Ok(request),
                None => requests.recv(),
            };
            let Ok(PlayRequest { moves, due, reply }) = next else {
                return;
            };
            let answer = self.answer(moves.as_ref(), due);
            let finished = Instant::now();
            let _ = reply.send(PlayReply { answer, finished });
            // With fewer cores than searching threads, pondering would slow down matches that have
            // to answer.
            if self.ponders && self.shared.has_room() {
                self.player.ponder();
            }
        }
    }

    /// Searches until the start clock ends, the search has nothing left to do, or the first request
    /// arrives, which is returned. An error means that the match was cancelled.
    fn use_start_clock(
        &mut self,
        requests: &Receiver<PlayRequest>,
    ) -> Result<Option<PlayRequest>, RecvTimeoutError> {
        if !self.thinks {
            return Ok(None);
        }
        self.player.ponder();
        loop {
            let left = self.due.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.player.is_pondering() {
                if !self.ponders {
                    self.player.stop();
                }
                return Ok(None);
            }
            match requests.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(request) => return Ok(Some(request)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(gone) => return Err(gone),
            }
        }
    }

    fn answer(&mut self, moves: Option<&JointMove>, due: Instant) -> Result<String, String> {
        #[cfg(feature = "testing")]
        assert!(!self.id.starts_with("panic"), "as the test wants it");
        self.update(moves, due)?;
        let text = match self.player.play(due) {
            Ok(answer) => {
                if let Some(problem) = &answer.report.trouble {
                    tracing::warn!(id = self.id, problem, "a move without a search");
                }
                answer.text
            }
            Err(error) => {
                tracing::warn!(id = self.id, %error, "the player has no answer");
                let any = self.position.any_move(self.seed, due);
                any.ok_or_else(|| error.to_string())?
            }
        };
        self.position.answer(&text);
        Ok(text)
    }

    /// Applies what a PLAY message says was played.
    fn update(&mut self, moves: Option<&JointMove>, due: Instant) -> Result<(), String> {
        let expected = self.position.answered().map(str::to_owned);
        let update = self.position.update(moves, due);
        let result = match &update {
            MoveUpdate::Repeated => Ok(()),
            MoveUpdate::Advanced(joint_move) | MoveUpdate::Deferred(joint_move) => {
                let own = joint_move.get(self.role);
                if let (Some(own), Some(expected)) = (own, &expected) {
                    self.compare(own, expected);
                }
                self.player.apply_joint_move(joint_move)
            }
            MoveUpdate::Relocated { how, sure } => {
                tracing::warn!(
                    id = self.id,
                    how,
                    sure,
                    "the match is elsewhere than expected"
                );
                let certainty = if *sure { "certain" } else { "guessed" };
                let recoveries = &self.shared.metrics.recoveries;
                recoveries.with_label_values(&[certainty]).inc();
                let facts = self.position.facts();
                self.player.set_state(&facts)
            }
            MoveUpdate::Unexplained(problem) => {
                tracing::warn!(
                    id = self.id,
                    problem,
                    "a message that matches no known state"
                );
                let recoveries = &self.shared.metrics.recoveries;
                recoveries.with_label_values(&["none"]).inc();
                // The match stays where it is: a move that is legal in this state may be legal in
                // the real one.
                Ok(())
            }
        };
        result.map_err(|error| error.to_string())
    }

    /// Compares the move that the game manager played with the answer. Another move means that the
    /// answer came too late for the game manager.
    fn compare(&self, played: &str, answered: &str) {
        let mut margin = self.shared.margin();
        if played == answered {
            margin.was_accepted();
        } else {
            margin.was_replaced();
            self.shared.metrics.replaced.inc();
            tracing::warn!(
                id = self.id,
                played,
                answered,
                "our move was not accepted; we answer earlier from now on"
            );
        }
    }
}
