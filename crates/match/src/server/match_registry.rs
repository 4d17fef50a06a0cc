//! The matches of a player server: [`MatchRegistry`] answers messages and hands them to match
//! threads.

use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout_at;

use super::match_control::MatchControl;
use super::match_thread::{MatchThread, PlayReply, PlayRequest};
use super::message_reader::MessageReader;
use super::server_state::{ServerState, ThreadCount};
use super::{ServerOptions, VERSION};
use crate::protocol::{
    ABORTED, AVAILABLE, BUSY, DONE, ERROR, JointMove, Message, READY, StartMessage, is_word,
};
use crate::seed;

/// Longest search for one move, whatever the play clock says, so that a match whose game manager
/// has gone is noticed.
const MAX_THINKING_TIME: Duration = Duration::from_mins(10);
/// A search that ends this long before its deadline had nothing left to search. Such an answer says
/// nothing about delays and is not used to estimate the safety margin.
const EARLY_FINISH: Duration = Duration::from_millis(30);
/// Receives the result of preparing a match.
type Ready = oneshot::Receiver<Result<(), String>>;

/// A match whose thread has just been started.
struct StartedMatch {
    serial: u64,
    ready: Ready,
    control: MatchControl,
}

/// The running matches, by name.
#[derive(Debug)]
pub(super) struct MatchRegistry {
    options: ServerOptions,
    shared: Arc<ServerState>,
    matches: Mutex<HashMap<String, ActiveMatch>>,
    /// Reads request bodies within memory limits.
    pub(super) message_reader: MessageReader,
}

/// A running match as the registry sees it. Dropping it cancels the match thread.
#[derive(Debug)]
struct ActiveMatch {
    /// Tells this match from earlier and later ones of the same name.
    serial: u64,
    start: StartMessage,
    requests: Sender<PlayRequest>,
    /// Time of the last message.
    last_message_at: Instant,
    /// Whether a PLAY message has arrived.
    is_under_way: bool,
    control: MatchControl,
}

impl ActiveMatch {
    /// Whether a START is for another role of the same match, which this match must not be replaced
    /// by.
    fn is_beside(&self, start: &StartMessage) -> bool {
        let is_other = !self.start.role.eq_ignore_ascii_case(&start.role);
        is_other && self.start.sheet == start.sheet
    }
}

impl Drop for ActiveMatch {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

impl MatchRegistry {
    pub(super) fn new(options: ServerOptions) -> Result<Self, prometheus::Error> {
        let shared = ServerState::new(&options)?;
        Ok(Self {
            options,
            shared: Arc::new(shared),
            matches: Mutex::default(),
            message_reader: MessageReader::default(),
        })
    }

    fn matches(&self) -> MutexGuard<'_, HashMap<String, ActiveMatch>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The options of the server.
    pub(super) fn options(&self) -> &ServerOptions {
        &self.options
    }

    /// The number of running matches.
    pub(super) fn playing(&self) -> usize {
        self.matches().len()
    }

    /// The metrics in Prometheus text format.
    pub(super) fn metrics(&self) -> String {
        let metrics = &self.shared.metrics;
        let playing = i64::try_from(self.playing()).unwrap_or(i64::MAX);
        metrics.playing.set(playing);
        let margin = self.shared.margin_of(Duration::from_secs(10));
        let margin = i64::try_from(margin.as_millis()).unwrap_or(i64::MAX);
        metrics.margin.set(margin);
        metrics.text()
    }

    /// Counts a request that was not a readable message.
    pub(super) fn count_unreadable(&self) {
        let messages = &self.shared.metrics.messages;
        messages.with_label_values(&["unreadable"]).inc();
    }

    /// The answer to a message that was received at a given time.
    pub(super) async fn answer(&self, message: Message, received: Instant) -> String {
        let messages = &self.shared.metrics.messages;
        messages.with_label_values(&[message.name()]).inc();
        match message {
            Message::Info => self.info(),
            Message::Ping if self.is_busy() => BUSY.to_owned(),
            Message::Ping => AVAILABLE.to_owned(),
            // The engine is made when the match starts; a preview prepares nothing.
            Message::Preview { .. } => READY.to_owned(),
            Message::Start(start) => self.start(start, received).await,
            Message::Play { id, moves } => self.play(&id, moves, received).await,
            Message::Stop { id, .. } => self.remove(&id, "stopped", DONE),
            Message::Abort { id } => self.remove(&id, "aborted", ABORTED),
        }
    }

    fn is_busy(&self) -> bool {
        !self.has_room(self.playing())
    }

    /// Whether one more match is accepted beside the running ones.
    fn has_room(&self, playing: usize) -> bool {
        let most = self.options.matches;
        // Threads of cancelled matches take a moment to end.
        let most_threads = 2 * most + 2;
        playing < most && self.shared.threads() < most_threads
    }

    fn info(&self) -> String {
        let status = if self.is_busy() { BUSY } else { AVAILABLE };
        let name = if is_word(&self.options.name) {
            self.options.name.as_str()
        } else {
            "ludorum"
        };
        let (playing, most) = (self.playing(), self.options.matches);
        format!(
            "((name {name}) (status {status}) (species program) (version {VERSION}) \
            (matches {playing} {most}))"
        )
    }

    async fn start(&self, start: StartMessage, received: Instant) -> String {
        let id = start.id.to_ascii_lowercase();
        let clock = start.start_clock;
        let margin = self.shared.margin_of(clock);
        let due = received + clock.saturating_sub(margin).min(MAX_THINKING_TIME);
        let started = self.begin(&id, start, due);
        let StartedMatch {
            serial,
            ready,
            control,
        } = match started {
            Ok(Some(started)) => started,
            Ok(None) => return READY.to_owned(),
            Err(answer) => return answer,
        };
        let ready = tokio::select! {
            biased;
            () = control.cancelled() => return over(),
            ready = timeout_at((due + margin / 2).into(), ready) => ready,
        };
        match ready {
            Ok(Ok(Err(problem))) => {
                self.give_up(&id, serial);
                format!("{ERROR} {problem}")
            }
            Ok(Err(_)) => {
                self.give_up(&id, serial);
                broken_down()
            }
            // If the engine is still compiling, the first moves may leave time for it.
            Ok(Ok(Ok(()))) | Err(_) => READY.to_owned(),
        }
    }

    /// Starts a match. Returns `None` if it has started already, and an error answer if it cannot
    /// start.
    fn begin(
        &self,
        id: &str,
        start: StartMessage,
        due: Instant,
    ) -> Result<Option<StartedMatch>, String> {
        self.drop_abandoned();
        let metrics = &self.shared.metrics;
        let mut matches = self.matches();
        if let Some(known) = matches.get_mut(id) {
            if known.start == start && !known.is_under_way {
                known.last_message_at = Instant::now();
                return Ok(None);
            }
            if known.is_beside(&start) {
                metrics.match_event("refused");
                let role = &known.start.role;
                return Err(format!(
                    "{ERROR} the match {id} is being played here as {role}; another role needs \
                    another match id"
                ));
            }
            tracing::info!(id, "a match begins again");
            metrics.match_event("replaced");
            matches.remove(id);
        }
        let most = self.options.matches;
        if !self.has_room(matches.len()) {
            metrics.match_event("refused");
            return Err(BUSY.to_owned());
        }
        let seed = seed::of_name(&format!("{id} {}", start.role.to_ascii_lowercase()));
        let share = (self.options.memory / most as u64).max(1);
        let threads = self.options.threads as u64;
        let options = [("seed", seed), ("memory", share), ("threads", threads)];
        let control = MatchControl::default();
        let game = MatchThread {
            shared: Arc::clone(&self.shared),
            control: control.clone(),
            spec: seed::fill_in(&self.options.spec, &options),
            seed,
            due,
            start: start.clone(),
        };
        let (requests, receiver) = channel();
        let (sender, ready) = oneshot::channel();
        let counted = ThreadCount::new(&self.shared);
        let thread = std::thread::Builder::new().name("match".to_owned());
        let thread = thread.spawn(move || {
            let _counted = counted;
            game.run(&receiver, sender);
        });
        if let Err(error) = thread {
            return Err(format!("{ERROR} no thread could be started: {error}"));
        }
        tracing::info!(id, role = start.role, "a match begins");
        metrics.match_event("started");
        let serial = self.shared.next_serial();
        let active = ActiveMatch {
            serial,
            start,
            requests,
            last_message_at: Instant::now(),
            is_under_way: false,
            control: control.clone(),
        };
        matches.insert(id.to_owned(), active);
        Ok(Some(StartedMatch {
            serial,
            ready,
            control,
        }))
    }

    async fn play(&self, name: &str, moves: Option<JointMove>, received: Instant) -> String {
        let id = name.to_ascii_lowercase();
        let (reply, answer) = oneshot::channel();
        let (serial, clock, margin, due, control) = {
            let mut matches = self.matches();
            let Some(active) = matches.get_mut(&id) else {
                return unknown(name);
            };
            active.last_message_at = Instant::now();
            active.is_under_way = true;
            let clock = active.start.play_clock;
            let margin = self.shared.margin_of(clock);
            let due = received + clock.saturating_sub(margin).min(MAX_THINKING_TIME);
            let serial = active.serial;
            let request = PlayRequest { moves, due, reply };
            if active.requests.send(request).is_err() {
                matches.remove(&id);
                return broken_down();
            }
            (serial, clock, margin, due, active.control.clone())
        };
        let metrics = &self.shared.metrics;
        let answer = tokio::select! {
            biased;
            // The match was cancelled: its answer is not needed even if there is one.
            () = control.cancelled() => return over(),
            answer = timeout_at((due + margin * 3 / 4).into(), answer) => answer,
        };
        let mut is_late = false;
        let answer = match answer {
            Ok(Ok(played)) => {
                self.observe(&played, due);
                match played.answer {
                    Ok(text) => text,
                    Err(problem) => format!("{ERROR} {problem}"),
                }
            }
            Ok(Err(_)) => {
                self.give_up(&id, serial);
                broken_down()
            }
            Err(_) => {
                is_late = true;
                self.shared.margin().observe(margin);
                tracing::warn!(id, "no move was ready in time");
                format!("{ERROR} no move was ready in time")
            }
        };
        let took = received.elapsed();
        if is_late || took > clock {
            metrics.late.inc();
        }
        metrics.answer_seconds.observe(took.as_secs_f64());
        answer
    }

    /// Updates the safety margin from an answer that used all of its time.
    fn observe(&self, played: &PlayReply, due: Instant) {
        if played.finished + EARLY_FINISH < due {
            return;
        }
        let now = Instant::now();
        // Delay between the match thread and this task.
        let way = now.saturating_duration_since(played.finished);
        let over = played.finished.saturating_duration_since(due);
        self.shared.margin().observe(way + over);
    }

    fn remove(&self, name: &str, event: &str, answer: &str) -> String {
        let id = name.to_ascii_lowercase();
        if self.matches().remove(&id).is_none() {
            return unknown(name);
        }
        tracing::info!(id, event, "a match is over");
        self.shared.metrics.match_event(event);
        answer.to_owned()
    }

    /// Removes a match that cannot go on.
    fn give_up(&self, id: &str, serial: u64) {
        let mut matches = self.matches();
        if matches
            .get(id)
            .is_some_and(|active| active.serial == serial)
        {
            matches.remove(id);
        }
    }

    /// Removes matches that have been idle for too long.
    pub(super) fn drop_abandoned(&self) {
        let idle_timeout = self.options.idle_timeout;
        let metrics = &self.shared.metrics;
        self.matches().retain(|id, active| {
            let clocks = active.start.start_clock + 2 * active.start.play_clock;
            let is_alive = active.last_message_at.elapsed() <= idle_timeout + clocks;
            if !is_alive {
                tracing::warn!(id, "a match was abandoned");
                metrics.match_event("abandoned");
            }
            is_alive
        });
    }

    /// Makes all players answer at once.
    pub(super) fn answer_now(&self) {
        for active in self.matches().values() {
            active.control.answer_now();
        }
    }

    /// Removes, and thereby cancels, all matches.
    pub(super) fn clear(&self) {
        self.matches().clear();
    }
}

fn unknown(name: &str) -> String {
    format!("{ERROR} there is no match {name} here")
}

fn over() -> String {
    format!("{ERROR} this match is over")
}

fn broken_down() -> String {
    format!("{ERROR} this match has broken down")
}
