//! Reading request bodies within memory limits: [`MessageReader`].

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use thiserror::Error;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::protocol::{Message, MessageError, begins_with};

/// Messages up to this many bytes need no permit.
const PERMIT_FREE_BYTES: usize = 16 << 10;
/// Size limit in bytes of messages that carry no rule sheet.
const MAX_BYTES_WITHOUT_SHEET: usize = 256 << 10;
/// Size limit in bytes of messages that carry a rule sheet, about fifty times the longest sheets
/// written by people.
const MAX_BYTES_WITH_SHEET: usize = 4 << 20;
/// Memory limit in bytes of all messages above [`PERMIT_FREE_BYTES`] that are being read.
const MAX_TOTAL_BYTES: usize = 32 << 20;
/// Bytes that one permit of the memory semaphore stands for.
const BYTES_PER_PERMIT: usize = 1 << 10;
/// Number of messages that are parsed at the same time; parsing takes a multiple of their size.
const MAX_PARSERS: usize = 4;
/// Time limit of receiving a message after its first line.
const RECEIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads messages within limits of size, memory and time.
#[derive(Debug)]
pub(super) struct MessageReader {
    permits: Semaphore,
    parsers: Semaphore,
}

/// Why a message was not read.
#[derive(Debug, Error)]
pub(super) enum Refusal {
    #[error("the message has more than {0} bytes")]
    TooLong(usize),
    #[error("the message broke off")]
    BrokenOff,
    #[error("the message did not come to its end, or there are too many long ones at once")]
    Slow,
    #[error("the message could not be looked through")]
    Unread,
    #[error(transparent)]
    Message(#[from] MessageError),
}

impl Refusal {
    /// The HTTP status of the answer.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BrokenOff | Self::Message(_) => StatusCode::BAD_REQUEST,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Unread => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl Default for MessageReader {
    fn default() -> Self {
        Self {
            permits: Semaphore::new(MAX_TOTAL_BYTES / BYTES_PER_PERMIT),
            parsers: Semaphore::new(MAX_PARSERS),
        }
    }
}

impl MessageReader {
    /// Receives and parses a message.
    pub(super) async fn read_message(&self, body: Body) -> Result<Message, Refusal> {
        let received = timeout(RECEIVE_TIMEOUT, self.receive(body)).await;
        let (bytes, permits) = received.map_err(|_| Refusal::Slow)??;
        let reader = self.parsers.acquire().await;
        // Parsing a large sheet takes too long for an async worker.
        let read = tokio::task::spawn_blocking(move || Message::from_bytes(&bytes)).await;
        drop((reader, permits));
        Ok(read.map_err(|_| Refusal::Unread)??)
    }

    /// The bytes of a message, and the memory permit of one that is not short.
    async fn receive(
        &self,
        mut body: Body,
    ) -> Result<(Vec<u8>, Option<SemaphorePermit<'_>>), Refusal> {
        let announced = body.size_hint().exact();
        let mut bytes = Vec::new();
        let mut limit = PERMIT_FREE_BYTES;
        let mut permits = None;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Refusal::BrokenOff)?.into_data() else {
                continue;
            };
            let count = bytes.len() + data.len();
            if count > limit && permits.is_none() {
                let beginning = if bytes.is_empty() { &data[..] } else { &bytes };
                limit = size_limit(beginning);
                let announced = announced.map_or(limit, |size| size as usize);
                if announced > limit {
                    return Err(Refusal::TooLong(limit));
                }
                let pieces = announced.max(count).div_ceil(BYTES_PER_PERMIT) as u32;
                permits = self.permits.acquire_many(pieces).await.ok();
            }
            if count > limit {
                return Err(Refusal::TooLong(limit));
            }
            bytes.extend_from_slice(&data);
        }
        Ok((bytes, permits))
    }
}

/// The size limit of a message, from its first word.
fn size_limit(beginning: &[u8]) -> usize {
    let beginning = &beginning[..beginning.len().min(BYTES_PER_PERMIT)];
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}');
    let carries_sheet = ["start", "preview"]
        .iter()
        .any(|word| begins_with(text, word));
    if carries_sheet {
        MAX_BYTES_WITH_SHEET
    } else {
        MAX_BYTES_WITHOUT_SHEET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(future)
    }

    fn read_message(message_reader: &MessageReader, text: String) -> Result<Message, Refusal> {
        block_on(message_reader.read_message(Body::from(text)))
    }

    #[test]
    fn only_messages_with_a_sheet_may_be_long() {
        let message_reader = MessageReader::default();
        let long = "a ".repeat(MAX_BYTES_WITHOUT_SHEET / 2);
        let start = read_message(&message_reader, format!("(START m x ({long}) 1 1)"));
        assert!(matches!(start, Ok(Message::Start(_))));
        let play = read_message(&message_reader, format!("(PLAY m ({long}))"));
        assert!(matches!(
            play,
            Err(Refusal::TooLong(MAX_BYTES_WITHOUT_SHEET))
        ));
        let play = read_message(
            &message_reader,
            format!("(PLAY m ({}))", &long[PERMIT_FREE_BYTES..]),
        );
        assert!(matches!(play, Ok(Message::Play { .. })));
        let longer = "a ".repeat(MAX_BYTES_WITH_SHEET / 2);
        let start = read_message(&message_reader, format!("(START m x ({longer}) 1 1)"));
        assert!(matches!(start, Err(Refusal::TooLong(MAX_BYTES_WITH_SHEET))));
    }

    #[test]
    fn the_permit_of_a_message_is_returned() {
        let message_reader = MessageReader::default();
        for text in ["(START m x (", "(PLAY m ", "(PREVIEW ("] {
            let _ = read_message(
                &message_reader,
                text.to_owned() + &"a ".repeat(PERMIT_FREE_BYTES),
            );
            assert_eq!(
                message_reader.permits.available_permits(),
                MAX_TOTAL_BYTES / BYTES_PER_PERMIT
            );
            assert_eq!(message_reader.parsers.available_permits(), MAX_PARSERS);
        }
    }

    #[test]
    fn long_messages_wait_for_permits_and_short_ones_do_not() {
        let message_reader = MessageReader::default();
        block_on(async {
            let all = message_reader
                .permits
                .acquire_many((MAX_TOTAL_BYTES / BYTES_PER_PERMIT) as u32)
                .await;
            let long = format!("(START m x ({}) 1 1)", "a ".repeat(PERMIT_FREE_BYTES));
            let mut waiting = Box::pin(message_reader.read_message(Body::from(long)));
            let short = message_reader.read_message(Body::from("(INFO)"));
            tokio::select! {
                biased;
                _ = &mut waiting => panic!("no permit is free"),
                message = short => assert_eq!(message.unwrap(), Message::Info),
            }
            drop(all);
            assert!(waiting.await.is_ok());
        });
    }
}
