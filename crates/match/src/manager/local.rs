//! A player of ours, in a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ludorum_search::{Dismissal, Onlooker, Player, Report, Spec};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::client::Trouble;
use crate::record::MishapKind;
use crate::tables::Tables;

/// What a player of ours is given beyond the start clock: its engine is made in this time too, and
/// nobody gains by it.
const MAKING: Duration = Duration::from_secs(5);

/// Where those who look over the shoulders of players are sent.
pub(super) type Onlookers = mpsc::UnboundedSender<(usize, Box<dyn Onlooker>)>;

/// What a player is asked.
enum Order {
    Start {
        onlookers: Onlookers,
        /// What was played before the match was taken up again.
        past: Vec<Vec<String>>,
        deadline: Instant,
        reply: oneshot::Sender<Result<(), Trouble>>,
    },
    Play {
        /// What was played last.
        told: Option<Vec<String>>,
        deadline: Instant,
        reply: oneshot::Sender<Result<(String, Report), Trouble>>,
    },
}

/// The end of the line to a player of ours. The thread ends with it: whatever the player thinks
/// about, it is dismissed.
#[derive(Debug)]
pub(super) struct LocalSeat {
    orders: Sender<Order>,
    /// What it is given beyond the play clock, as players elsewhere are.
    grace: Duration,
    door: Arc<Mutex<Door>>,
}

/// Where a player hears that it is not needed any more.
#[derive(Debug, Default)]
struct Door {
    is_closed: bool,
    player: Option<Dismissal>,
}

impl Drop for LocalSeat {
    fn drop(&mut self) {
        let mut door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        door.is_closed = true;
        if let Some(player) = &door.player {
            player.dismiss();
        }
    }
}

impl LocalSeat {
    pub(super) fn new(
        spec: Spec,
        role: usize,
        sheet: Arc<str>,
        tables: Tables,
        grace: Duration,
    ) -> std::io::Result<Self> {
        let (orders, receiver) = channel();
        let door = Arc::<Mutex<Door>>::default();
        let thread = Thread {
            door: Arc::clone(&door),
            spec,
            role,
            sheet,
            tables,
            player: Err(refused("the player was never started")),
        };
        std::thread::Builder::new()
            .name("seat".to_owned())
            .spawn(move || thread.run(&receiver))?;
        Ok(Self {
            orders,
            grace,
            door,
        })
    }

    /// Lets the player get ready: its engine is made, it hears what was played and thinks.
    pub(super) async fn start(
        &self,
        past: Vec<Vec<String>>,
        clock: Duration,
        onlookers: Onlookers,
    ) -> Result<(), Trouble> {
        let (reply, answer) = oneshot::channel();
        let deadline = Instant::now() + clock;
        self.order(
            Order::Start {
                onlookers,
                past,
                deadline,
                reply,
            },
            answer,
            (clock, MAKING),
        )
        .await
    }

    /// Asks for a move.
    pub(super) async fn play(
        &self,
        told: Option<Vec<String>>,
        clock: Duration,
    ) -> Result<(String, Report), Trouble> {
        let (reply, answer) = oneshot::channel();
        let deadline = Instant::now() + clock;
        self.order(
            Order::Play {
                told,
                deadline,
                reply,
            },
            answer,
            (clock, self.grace),
        )
        .await
    }

    async fn order<T>(
        &self,
        order: Order,
        answer: oneshot::Receiver<Result<T, Trouble>>,
        (clock, grace): (Duration, Duration),
    ) -> Result<T, Trouble> {
        // If nobody is there to hear the order, nobody will answer it either.
        let _ = self.orders.send(order);
        match timeout(clock + grace, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => {
                let detail = "the player has broken down";
                Err(Trouble::new(MishapKind::Connection, detail))
            }
            Err(_) => Err(Trouble::late(clock)),
        }
    }
}

fn refused(detail: impl std::fmt::Display) -> Trouble {
    Trouble::new(MishapKind::Refused, detail.to_string())
}

struct Thread {
    door: Arc<Mutex<Door>>,
    spec: Spec,
    role: usize,
    sheet: Arc<str>,
    tables: Tables,
    player: Result<Box<dyn Player>, Trouble>,
}

impl Thread {
    fn run(mut self, orders: &Receiver<Order>) {
        while let Ok(order) = orders.recv() {
            let obey = AssertUnwindSafe(|| self.obey(order));
            if catch_unwind(obey).is_err() {
                tracing::error!(role = self.role, player = %self.spec, "a player has broken down");
                return;
            }
        }
    }

    /// Whoever asked may be gone; then nobody hears the answer.
    fn obey(&mut self, order: Order) {
        match order {
            Order::Start {
                onlookers,
                past,
                deadline,
                reply,
            } => {
                let _ = reply.send(self.start(&past, deadline, onlookers));
            }
            Order::Play {
                told,
                deadline,
                reply,
            } => {
                let _ = reply.send(self.play(told, deadline));
            }
        }
    }

    fn start(
        &mut self,
        past: &[Vec<String>],
        deadline: Instant,
        onlookers: Onlookers,
    ) -> Result<(), Trouble> {
        let table = self.tables.table(&self.sheet, self.spec.engine());
        let table = table.map_err(refused);
        self.player = table.and_then(|table| table.player(&self.spec, self.role).map_err(refused));
        let player = self.player.as_mut().map_err(|trouble| trouble.clone())?;
        {
            let mut door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
            if door.is_closed {
                return Err(refused("the match is over"));
            }
            door.player = Some(player.dismissal());
        }
        let _ = onlookers.send((self.role, player.onlooker()));
        // Whoever waits for onlookers need not wait for the end of the start clock.
        drop(onlookers);
        for joint_move in past {
            player.told(joint_move).map_err(refused)?;
        }
        player.start(deadline).map_err(refused)
    }

    fn play(
        &mut self,
        told: Option<Vec<String>>,
        deadline: Instant,
    ) -> Result<(String, Report), Trouble> {
        let player = self.player.as_mut().map_err(|trouble| trouble.clone())?;
        if let Some(joint_move) = told {
            player.told(&joint_move).map_err(refused)?;
        }
        let answer = player.play(deadline).map_err(refused)?;
        Ok((answer.text, answer.report))
    }
}
