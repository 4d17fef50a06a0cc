//! Watching a match: `GET /api/matches/{id}/events`.

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

/// Something is sent so often, so that a connection that is gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const KEEP_ALIVE_TEXT: &[u8] = b": still here\n\n";
/// When the arena stops, a match is given so long to tell its end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// Which events were seen already.
#[derive(Debug, Deserialize)]
pub(super) struct EventsQuery {
    /// The last event that was seen, for those who cannot set a header.
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
        // Whatever is in between must not collect.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(frames)).into_response())
}

/// Somebody who reads the log of a match at its own pace.
struct Watcher {
    match_: Watching,
    changes: watch::Receiver<u64>,
    /// The last event that was sent.
    seen: u64,
    is_over: bool,
    /// When nothing is waited for any more, once the arena stops.
    until: Option<Instant>,
    stop: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    /// What is to be sent next; none if nothing will follow.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        if self.is_over {
            return None;
        }
        loop {
            // What is added from here on is told by another change.
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
                // The match is broken off at the same moment; how it ended is still told.
                () = self.stop.cancelled() => self.until = Some(Instant::now() + SHUTDOWN_GRACE),
            }
        }
    }
}

/// Several events in one piece.
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
