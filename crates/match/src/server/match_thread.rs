//! One match that we play, in a thread of its own.

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

/// How often a player that gets ready looks whether the match is still on.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What is asked of a match.
pub(super) struct PlayRequest {
    /// What was played last.
    pub(super) moves: Option<JointMove>,
    /// When thinking is to end.
    pub(super) due: Instant,
    pub(super) reply: oneshot::Sender<PlayReply>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct PlayReply {
    /// The move, or why there is none.
    pub(super) answer: Result<String, String>,
    /// When it was ready.
    pub(super) finished: Instant,
}

/// A match that is about to be played.
pub(super) struct MatchThread {
    pub(super) shared: Arc<ServerState>,
    pub(super) control: MatchControl,
    pub(super) start: StartMessage,
    /// With its seed, threads and memory.
    pub(super) spec: PlayerSpec,
    pub(super) seed: u64,
    /// When thinking before the first move is to end.
    pub(super) due: Instant,
}

impl MatchThread {
    /// Plays until there is nobody left to give requests. Tells when it is ready, or why it cannot
    /// be.
    pub(super) fn run(
        self,
        requests: &Receiver<PlayRequest>,
        ready: oneshot::Sender<Result<(), String>>,
    ) {
        let id = &self.start.id;
        let play = AssertUnwindSafe(|| match self.prepare() {
            Ok(mut running) => {
                running.play(requests, ready);
                // The match counts until its last thread has ended.
                running.player.shut_down();
            }
            Err(problem) => {
                tracing::warn!(id, problem, "a match cannot be played");
                // Whoever asked may be gone.
                let _ = ready.send(Err(problem));
            }
        });
        if catch_unwind(play).is_err() {
            tracing::error!(id, "a match has broken down");
            self.shared.metrics.match_event("broken");
        }
        self.shared.tables.forget_unready(&self.start.sheet);
    }

    fn prepare(&self) -> Result<RunningMatch, String> {
        let sheet: Arc<str> = self.start.sheet.as_str().into();
        let tables = &self.shared.tables;
        let rules = tables.rules(&sheet).map_err(|error| error.to_string())?;
        drop(rules);
        let table = self.table(&sheet)?;
        if self.control.is_cancelled() {
            return Err("this match is over".to_owned());
        }
        let mut walker = table.walker().map_err(|error| error.to_string())?;
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
        let player = table.player(&self.spec, role);
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

    /// The engine that was asked for, or one that takes every sheet.
    fn table(&self, sheet: &Arc<str>) -> Result<GameEngine, String> {
        let tables = &self.shared.tables;
        let wanted = self.spec.engine();
        let limits = self.shared.limits();
        let table = tables.table_within(sheet, wanted, &limits);
        let table = table.or_else(|error| {
            tracing::warn!(%error, "the engine cannot be made, another is taken");
            tables.table_within(sheet, Engine::AUTO, &limits)
        });
        let table = table.or_else(|_| tables.table(sheet, Engine::PROVER));
        table.map_err(|error| error.to_string())
    }
}

/// Whether a player compares no moves, so that more time is of no use to it.
fn is_search_free(spec: &PlayerSpec) -> bool {
    matches!(spec.info().name, "random" | "legal" | "one-ply")
}

/// A match that is being played.
struct RunningMatch {
    shared: Arc<ServerState>,
    id: String,
    role: usize,
    seed: u64,
    /// Whether it thinks in the others' time.
    ponders: bool,
    /// Whether it thinks before the first move.
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
        // Whoever asked may be gone; the match may go on all the same.
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
            // Where cores are few, thinking in the others' time would be at the cost of those who
            // are asked.
            if self.ponders && self.shared.has_room() {
                self.player.ponder();
            }
        }
    }

    /// Thinks about the first move until the start clock ends, there is nothing more to find, or
    /// the first request comes, which it gives. An error means that the match is off.
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
                if let Some(trouble) = &answer.report.trouble {
                    tracing::warn!(id = self.id, trouble, "a move without much thought");
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

    /// Takes in what was played.
    fn update(&mut self, moves: Option<&JointMove>, due: Instant) -> Result<(), String> {
        let expected = self.position.answered().map(str::to_owned);
        let heard = self.position.update(moves, due);
        let told = match &heard {
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
                tracing::warn!(id = self.id, problem, "a message that fits nothing");
                let recoveries = &self.shared.metrics.recoveries;
                recoveries.with_label_values(&["none"]).inc();
                // A move that is legal where we think we are may still be legal where the match is.
                Ok(())
            }
        };
        told.map_err(|error| error.to_string())
    }

    /// Whether the game manager took our move tells whether it came in time.
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
