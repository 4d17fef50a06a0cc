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
const SHORT: usize = 16 << 10;
/// Size limit in bytes of messages that carry no rule sheet.
const MOST_OF_MOVES: usize = 256 << 10;
/// Size limit in bytes of messages that carry a rule sheet, about fifty times the longest sheets
/// written by people.
const MOST_OF_SHEETS: usize = 4 << 20;
/// Memory limit in bytes of all messages above [`SHORT`] that are being read.
const ROOM: usize = 32 << 20;
/// Bytes that one permit of the memory semaphore stands for.
const PIECE: usize = 1 << 10;
/// Number of messages that are parsed at the same time; parsing takes a multiple of their size.
const READERS: usize = 4;
/// Time limit of receiving a message after its first line.
const READING: Duration = Duration::from_secs(10);

/// Reads messages within limits of size, memory and time.
#[derive(Debug)]
pub(super) struct MessageReader {
    room: Semaphore,
    readers: Semaphore,
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
            room: Semaphore::new(ROOM / PIECE),
            readers: Semaphore::new(READERS),
        }
    }
}

impl MessageReader {
    /// Receives and parses a message.
    pub(super) async fn read_message(&self, body: Body) -> Result<Message, Refusal> {
        let received = timeout(READING, self.receive(body)).await;
        let (bytes, room) = received.map_err(|_| Refusal::Slow)??;
        let reader = self.readers.acquire().await;
        // Parsing a large sheet takes too long for an async worker.
        let read = tokio::task::spawn_blocking(move || Message::from_bytes(&bytes)).await;
        drop((reader, room));
        Ok(read.map_err(|_| Refusal::Unread)??)
    }

    /// The bytes of a message, and the memory permit of one that is not short.
    async fn receive(
        &self,
        mut body: Body,
    ) -> Result<(Vec<u8>, Option<SemaphorePermit<'_>>), Refusal> {
        let announced = body.size_hint().exact();
        let mut bytes = Vec::new();
        let mut most = SHORT;
        let mut room = None;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Refusal::BrokenOff)?.into_data() else {
                continue;
            };
            let count = bytes.len() + data.len();
            if count > most && room.is_none() {
                let beginning = if bytes.is_empty() { &data[..] } else { &bytes };
                most = most_of(beginning);
                let announced = announced.map_or(most, |size| size as usize);
                if announced > most {
                    return Err(Refusal::TooLong(most));
                }
                let pieces = announced.max(count).div_ceil(PIECE) as u32;
                room = self.room.acquire_many(pieces).await.ok();
            }
            if count > most {
                return Err(Refusal::TooLong(most));
            }
            bytes.extend_from_slice(&data);
        }
        Ok((bytes, room))
    }
}

/// The size limit of a message, from its first word.
fn most_of(beginning: &[u8]) -> usize {
    let beginning = &beginning[..beginning.len().min(PIECE)];
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}');
    let carries_sheet = ["start", "preview"]
        .iter()
        .any(|word| begins_with(text, word));
    if carries_sheet {
        MOST_OF_SHEETS
    } else {
        MOST_OF_MOVES
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
        let long = "a ".repeat(MOST_OF_MOVES / 2);
        let start = read_message(&message_reader, format!("(START m x ({long}) 1 1)"));
        assert!(matches!(start, Ok(Message::Start(_))));
        let play = read_message(&message_reader, format!("(PLAY m ({long}))"));
        assert!(matches!(play, Err(Refusal::TooLong(MOST_OF_MOVES))));
        let play = read_message(&message_reader, format!("(PLAY m ({}))", &long[SHORT..]));
        assert!(matches!(play, Ok(Message::Play { .. })));
        let longer = "a ".repeat(MOST_OF_SHEETS / 2);
        let start = read_message(&message_reader, format!("(START m x ({longer}) 1 1)"));
        assert!(matches!(start, Err(Refusal::TooLong(MOST_OF_SHEETS))));
    }

    #[test]
    fn the_permit_of_a_message_is_returned() {
        let message_reader = MessageReader::default();
        for text in ["(START m x (", "(PLAY m ", "(PREVIEW ("] {
            let _ = read_message(&message_reader, text.to_owned() + &"a ".repeat(SHORT));
            assert_eq!(message_reader.room.available_permits(), ROOM / PIECE);
            assert_eq!(message_reader.readers.available_permits(), READERS);
        }
    }

    #[test]
    fn long_messages_wait_for_permits_and_short_ones_do_not() {
        let message_reader = MessageReader::default();
        block_on(async {
            let all = message_reader
                .room
                .acquire_many((ROOM / PIECE) as u32)
                .await;
            let long = format!("(START m x ({}) 1 1)", "a ".repeat(SHORT));
            let mut waiting = Box::pin(message_reader.read_message(Body::from(long)));
            let short = message_reader.read_message(Body::from("(INFO)"));
            tokio::select! {
                biased;
                _ = &mut waiting => panic!("there is no room"),
                message = short => assert_eq!(message.unwrap(), Message::Info),
            }
            drop(all);
            assert!(waiting.await.is_ok());
        });
    }
}
