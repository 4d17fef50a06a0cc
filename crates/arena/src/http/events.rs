//! Server-sent events of a match: `GET /api/matches/{id}/events`.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use ludorum_match::CancellationToken;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

use super::parameters::{Path, Query};
use crate::app_state::AppState;
use crate::error::ApiError;
use crate::live::Watching;

/// Interval of keep-alive comments, by which broken connections are noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const KEEP_ALIVE_TEXT: &[u8] = b": still here\n\n";
/// When the arena stops, the end event of the match is waited for this long.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// The query of an event stream.
#[derive(Debug, Deserialize)]
pub(super) struct EventsQuery {
    /// The last event that was seen, for clients that cannot set a header.
    after: Option<u64>,
}

pub(super) async fn stream(
    State(state): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(since): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let live = state.find(&id)?;
    let permit = state.watcher()?;
    let header = headers.get(HeaderName::from_static("last-event-id"));
    let header = header.and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let watcher = Watcher {
        changes: live.log.subscribe(),
        match_: live.watch(),
        seen: header.or(since.after).unwrap_or(0),
        is_over: false,
        until: None,
        stop: state.stop.clone(),
        _permit: permit,
    };
    let frames = stream::unfold(watcher, |watcher| async move {
        let (bytes, watcher) = watcher.next().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), watcher))
    });
    let headers = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-store"),
        // Reverse proxies must not buffer the stream.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(frames)).into_response())
}

/// A reader of the event log of a match.
struct Watcher {
    match_: Watching,
    changes: watch::Receiver<u64>,
    /// The last event that was sent.
    seen: u64,
    is_over: bool,
    /// When to stop waiting, once the arena is stopping.
    until: Option<Instant>,
    stop: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    /// The next bytes to send; none at the end.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        if self.is_over {
            return None;
        }
        loop {
            // Events that are added from here on are signalled by another change.
            self.changes.mark_unchanged();
            let (frames, seen, is_closed) = self.match_.live().log.after(self.seen);
            self.seen = seen;
            self.is_over = is_closed;
            if !frames.is_empty() {
                return Some((joined(&frames), self));
            }
            if is_closed {
                return None;
            }
            if let Some(until) = self.until {
                let changed = tokio::time::timeout_at(until, self.changes.changed()).await;
                changed.ok()?.ok()?;
                continue;
            }
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    return Some((Bytes::from_static(KEEP_ALIVE_TEXT), self));
                }
                // The match is cancelled at the same moment; its end event is still sent.
                () = self.stop.cancelled() => self.until = Some(Instant::now() + SHUTDOWN_GRACE),
            }
        }
    }
}

/// Several events in one buffer.
fn joined(frames: &[Bytes]) -> Bytes {
    if let [only] = frames {
        return only.clone();
    }
    let mut bytes = BytesMut::with_capacity(frames.iter().map(Bytes::len).sum());
    for frame in frames {
        bytes.extend_from_slice(frame);
    }
    bytes.freeze()
}
