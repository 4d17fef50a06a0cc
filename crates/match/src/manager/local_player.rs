//! A built-in player in a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ludorum_players::{CancelHandle, Player, PlayerSpec, Report, ReportObserver};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::engine_cache::EngineCache;
use crate::player_client::CallError;
use crate::record::PlayerErrorKind;

/// Extra time beyond the start clock in which a built-in player may compile its engine.
const COMPILE_GRACE: Duration = Duration::from_secs(5);

/// Sends the report observers of players to the match.
pub(super) type Observers = mpsc::UnboundedSender<(usize, Box<dyn ReportObserver>)>;

/// A request to the player's thread.
enum Request {
    Start {
        observers: Observers,
        /// The joint moves before the match was resumed.
        past: Vec<Vec<String>>,
        deadline: Instant,
        reply: oneshot::Sender<Result<(), CallError>>,
    },
    Play {
        /// The joint move that was played last.
        last_move: Option<Vec<String>>,
        deadline: Instant,
        reply: oneshot::Sender<Result<(String, Report), CallError>>,
    },
}

/// The manager's side of the channel to a player's thread. Dropping it cancels the search and ends
/// the thread.
#[derive(Debug)]
pub(super) struct LocalPlayer {
    requests: Sender<Request>,
    /// Extra time beyond the play clock, as remote players have it.
    grace: Duration,
    cancel_slot: Arc<Mutex<CancelSlot>>,
}

/// Holds the cancel handle of the player, or remembers that it was cancelled before it existed.
#[derive(Debug, Default)]
struct CancelSlot {
    is_cancelled: bool,
    player: Option<CancelHandle>,
}

impl Drop for LocalPlayer {
    fn drop(&mut self) {
        let mut cancel_slot = self
            .cancel_slot
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        cancel_slot.is_cancelled = true;
        if let Some(player) = &cancel_slot.player {
            player.cancel();
        }
    }
}

impl LocalPlayer {
    pub(super) fn new(
        spec: PlayerSpec,
        role: usize,
        sheet: Arc<str>,
        engines: EngineCache,
        grace: Duration,
    ) -> std::io::Result<Self> {
        let (requests, receiver) = channel();
        let cancel_slot = Arc::<Mutex<CancelSlot>>::default();
        let thread = Thread {
            cancel_slot: Arc::clone(&cancel_slot),
            spec,
            role,
            sheet,
            engines,
            player: Err(refused("the player was never started")),
        };
        std::thread::Builder::new()
            .name("player".to_owned())
            .spawn(move || thread.run(&receiver))?;
        Ok(Self {
            requests,
            grace,
            cancel_slot,
        })
    }

    /// Makes the engine and the player, replays the past moves and searches until the start clock
    /// ends.
    pub(super) async fn start(
        &self,
        past: Vec<Vec<String>>,
        clock: Duration,
        observers: Observers,
    ) -> Result<(), CallError> {
        let (reply, answer) = oneshot::channel();
        let deadline = Instant::now() + clock;
        self.request(
            Request::Start {
                observers,
                past,
                deadline,
                reply,
            },
            answer,
            (clock, COMPILE_GRACE),
        )
        .await
    }

    /// Requests a move.
    pub(super) async fn play(
        &self,
        last_move: Option<Vec<String>>,
        clock: Duration,
    ) -> Result<(String, Report), CallError> {
        let (reply, answer) = oneshot::channel();
        let deadline = Instant::now() + clock;
        self.request(
            Request::Play {
                last_move,
                deadline,
                reply,
            },
            answer,
            (clock, self.grace),
        )
        .await
    }

    async fn request<T>(
        &self,
        request: Request,
        answer: oneshot::Receiver<Result<T, CallError>>,
        (clock, grace): (Duration, Duration),
    ) -> Result<T, CallError> {
        // If the thread has ended, the reply channel is closed and the answer below is an error.
        let _ = self.requests.send(request);
        match timeout(clock + grace, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => {
                let detail = "the player has broken down";
                Err(CallError::new(PlayerErrorKind::Connection, detail))
            }
            Err(_) => Err(CallError::late(clock)),
        }
    }
}

fn refused(detail: impl std::fmt::Display) -> CallError {
    CallError::new(PlayerErrorKind::Refused, detail.to_string())
}

struct Thread {
    cancel_slot: Arc<Mutex<CancelSlot>>,
    spec: PlayerSpec,
    role: usize,
    sheet: Arc<str>,
    engines: EngineCache,
    player: Result<Box<dyn Player>, CallError>,
}

impl Thread {
    fn run(mut self, requests: &Receiver<Request>) {
        while let Ok(request) = requests.recv() {
            let handle = AssertUnwindSafe(|| self.handle(request));
            if catch_unwind(handle).is_err() {
                tracing::error!(role = self.role, player = %self.spec, "a player has broken down");
                return;
            }
        }
    }

    /// The receiver of a reply may be gone.
    fn handle(&mut self, request: Request) {
        match request {
            Request::Start {
                observers,
                past,
                deadline,
                reply,
            } => {
                let _ = reply.send(self.start(&past, deadline, observers));
            }
            Request::Play {
                last_move,
                deadline,
                reply,
            } => {
                let _ = reply.send(self.play(last_move, deadline));
            }
        }
    }

    fn start(
        &mut self,
        past: &[Vec<String>],
        deadline: Instant,
        observers: Observers,
    ) -> Result<(), CallError> {
        let engine = self.engines.engine(&self.sheet, self.spec.engine());
        let engine = engine.map_err(refused);
        self.player =
            engine.and_then(|engine| engine.player(&self.spec, self.role).map_err(refused));
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        {
            let mut cancel_slot = self
                .cancel_slot
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if cancel_slot.is_cancelled {
                return Err(refused("the match is over"));
            }
            cancel_slot.player = Some(player.cancel_handle());
        }
        let _ = observers.send((self.role, player.report_observer()));
        // The task that collects observers must not wait for the end of the start clock.
        drop(observers);
        for joint_move in past {
            player.apply_joint_move(joint_move).map_err(refused)?;
        }
        player.start(deadline).map_err(refused)
    }

    fn play(
        &mut self,
        last_move: Option<Vec<String>>,
        deadline: Instant,
    ) -> Result<(String, Report), CallError> {
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        if let Some(joint_move) = last_move {
            player.apply_joint_move(&joint_move).map_err(refused)?;
        }
        let answer = player.play(deadline).map_err(refused)?;
        Ok((answer.text, answer.report))
    }
}
