//! The event log of a match: [`EventLog`].
//!
//! Events are numbered and serialised once, as the bytes that are sent to all watchers. Events of
//! the history (steps, errors, the end) are all kept. Of events that describe the present (a clock,
//! a search report), only the latest of each kind and role is kept. Each watcher reads the events
//! after the last number it has seen, at its own pace: no watcher delays the match, and no event of
//! the history is lost.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::watch;

/// Limit on events of the history; a match has fewer steps.
pub(super) const MAX_EVENTS: usize = 100_000;

/// An event as it is sent.
#[derive(Clone, Debug)]
struct Frame {
    id: u64,
    bytes: Bytes,
}

#[derive(Debug, Default)]
struct Events {
    last: u64,
    kept: Vec<Frame>,
    /// The latest event of each kind and role.
    latest: Vec<(&'static str, usize, Frame)>,
    is_closed: bool,
}

/// The events of a match.
#[derive(Debug)]
pub(crate) struct EventLog {
    events: Mutex<Events>,
    newest: watch::Sender<u64>,
}

impl EventLog {
    pub(super) fn new() -> Self {
        Self {
            events: Mutex::default(),
            newest: watch::Sender::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an event to the history.
    pub(super) fn append(&self, kind: &'static str, data: &impl Serialize) {
        self.add(kind, None, data);
    }

    /// Replaces the latest event of a kind and role.
    pub(super) fn replace_latest(&self, kind: &'static str, role: usize, data: &impl Serialize) {
        self.add(kind, Some(role), data);
    }

    fn add(&self, kind: &'static str, role: Option<usize>, data: &impl Serialize) {
        let data = serde_json::to_string(data).unwrap_or_default();
        let mut events = self.lock();
        if events.is_closed || events.kept.len() >= MAX_EVENTS {
            return;
        }
        events.last += 1;
        let id = events.last;
        let bytes = format!("id: {id}\nevent: {kind}\ndata: {data}\n\n").into();
        let frame = Frame { id, bytes };
        match role {
            None => events.kept.push(frame),
            Some(role) => {
                events.latest.retain(|(k, r, _)| (*k, *r) != (kind, role));
                events.latest.push((kind, role, frame));
            }
        }
        drop(events);
        self.newest.send_replace(id);
    }

    /// Closes the log: no events follow.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        // Wakes waiting watchers, so that they notice.
        self.newest.send_modify(|_| {});
    }

    /// The number of events of the history.
    pub(super) fn len(&self) -> usize {
        self.lock().kept.len()
    }

    /// Receives the number of the newest event when it changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// The serialised events after a number, the last number among them, and whether no events
    /// follow.
    pub(crate) fn after(&self, seen: u64) -> (Vec<Bytes>, u64, bool) {
        let events = self.lock();
        let from = events.kept.partition_point(|frame| frame.id <= seen);
        let latest = events.latest.iter().map(|(.., frame)| frame);
        let latest = latest.filter(|frame| frame.id > seen);
        let mut frames: Vec<Frame> = events.kept[from..].iter().chain(latest).cloned().collect();
        frames.sort_unstable_by_key(|frame| frame.id);
        let last = frames.last().map_or(seen, |frame| frame.id);
        let bytes = frames.into_iter().map(|frame| frame.bytes).collect();
        (bytes, last, events.is_closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(log: &EventLog, seen: u64) -> (String, u64) {
        let (frames, last, _) = log.after(seen);
        let text = frames.iter().map(|bytes| String::from_utf8_lossy(bytes));
        (text.collect(), last)
    }

    #[test]
    fn a_reader_gets_what_is_newer_than_it_has_seen_in_order() {
        let log = EventLog::new();
        log.append("step", &1);
        log.replace_latest("clock", 0, &10);
        log.append("step", &2);
        let (all, last) = text(&log, 0);
        assert_eq!(
            all,
            "id: 1\nevent: step\ndata: 1\n\nid: 2\nevent: clock\ndata: 10\n\nid: 3\nevent: step\ndata: 2\n\n"
        );
        assert_eq!(last, 3);
        assert_eq!(text(&log, 3), (String::new(), 3));
        assert_eq!(text(&log, 99), (String::new(), 99));
    }

    #[test]
    fn the_history_is_kept_and_of_other_events_only_the_latest() {
        let log = EventLog::new();
        for n in 0..100 {
            log.replace_latest("thinking", 0, &n);
            log.replace_latest("thinking", 1, &n);
            log.append("step", &n);
        }
        let (all, _) = text(&log, 0);
        assert_eq!(all.matches("event: step").count(), 100);
        assert_eq!(all.matches("event: thinking").count(), 2);
        assert_eq!(log.len(), 100);
    }

    #[test]
    fn no_events_follow_after_the_end() {
        let log = EventLog::new();
        let waiting = log.subscribe();
        log.close();
        assert!(waiting.has_changed().unwrap());
        log.append("step", &1);
        let (frames, last, is_closed) = log.after(0);
        assert_eq!((frames.len(), last, is_closed), (0, 0, true));
    }
}
