//! HTTP client for remote players. It tolerates sloppy servers and bounds time and size of answers.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONNECTION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::protocol::excerpt;
use crate::record::PlayerErrorKind;

/// Size limit of an answer in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// Time limit of connecting, whatever the clock.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a player gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallError {
    pub(crate) kind: PlayerErrorKind,
    pub(crate) detail: String,
}

impl CallError {
    pub(crate) fn new(kind: PlayerErrorKind, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { kind, detail }
    }

    pub(crate) fn late(limit: Duration) -> Self {
        let detail = format!("no answer in {} s", limit.as_secs_f64());
        Self::new(PlayerErrorKind::TimeOut, detail)
    }
}

/// The address of a remote player.
#[derive(Clone, Debug)]
pub(crate) struct PlayerAddress {
    uri: Uri,
    host: String,
    port: u16,
}

impl PlayerAddress {
    /// Parses an address such as `http://localhost:9147`.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        if uri.scheme_str() != Some("http") {
            return None;
        }
        let host = uri.host()?;
        // An invalid port is an error, never the default port: 99999 is not 80.
        let written = uri.authority()?.as_str().rsplit('@').next()?;
        let port = match written.strip_prefix(host)?.strip_prefix(':') {
            Some(port) => port.parse().ok().filter(|port| *port != 0)?,
            None => 80,
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return None;
        }
        Some(Self {
            host: host.to_owned(),
            port,
            uri,
        })
    }

    /// Whether a connection can be made.
    pub(crate) async fn probe(&self) -> Result<(), CallError> {
        self.connect().await.map(drop)
    }

    async fn connect(&self) -> Result<TcpStream, CallError> {
        let connect = TcpStream::connect((self.host.as_str(), self.port));
        match timeout(CONNECT_TIMEOUT, connect).await {
            Ok(stream) => stream.map_err(|error| broken(&error)),
            Err(_) => Err(broken(&"the connection could not be made in time")),
        }
    }

    /// Sends a message and reads the answer. The limit covers connecting, sending and reading; when
    /// it passes, the connection is dropped.
    pub(crate) async fn send(
        &self,
        message: String,
        receiver: &str,
        limit: Duration,
    ) -> Result<String, CallError> {
        match timeout(limit, self.exchange(message, receiver)).await {
            Ok(answer) => answer,
            Err(_) => Err(CallError::late(limit)),
        }
    }

    async fn exchange(&self, message: String, receiver: &str) -> Result<String, CallError> {
        let stream = self.connect().await?;
        // Messages are short and urgent: do not wait to fill packets.
        let _ = stream.set_nodelay(true);
        let (mut sender, connection) = http1::Builder::new()
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .max_buf_size(MAX_ANSWER_BYTES)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| broken(&error))?;
        let task = tokio::spawn(connection);
        let _hang_up = HangUp(task.abort_handle());
        let failed = |error: hyper::Error| {
            let kind = if error.is_parse() {
                PlayerErrorKind::Garbage
            } else {
                PlayerErrorKind::Connection
            };
            CallError::new(kind, excerpt(&error.to_string()))
        };
        let request = self.request(message, receiver).map_err(|e| broken(&e))?;
        let answer = sender.send_request(request).await.map_err(failed)?;
        let status = answer.status();
        let mut body = answer.into_body();
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = match frame {
                Ok(frame) => frame,
                // Some players send a wrong length or no final chunk; the body received so far is
                // the answer.
                Err(error) if !bytes.is_empty() && is_cut(&error) => break,
                Err(error) => return Err(failed(error)),
            };
            if let Ok(data) = frame.into_data() {
                if bytes.len() + data.len() > MAX_ANSWER_BYTES {
                    let detail = format!("the answer has more than {MAX_ANSWER_BYTES} bytes");
                    return Err(CallError::new(PlayerErrorKind::Garbage, detail));
                }
                bytes.extend_from_slice(&data);
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if status.is_success() {
            return Ok(text);
        }
        let detail = format!("HTTP status {}: {}", status.as_u16(), excerpt(&text));
        Err(CallError::new(PlayerErrorKind::Refused, detail))
    }

    fn request(
        &self,
        message: String,
        receiver: &str,
    ) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
        let path = self.uri.path_and_query();
        let path = path.map_or("/", |path| path.as_str());
        let host = self.uri.authority().map_or("", |host| host.as_str());
        let receiver = HeaderValue::from_str(receiver);
        Request::post(path)
            .header(HOST, host)
            .header(ACCEPT, "text/delim, text/acl, text/plain, */*")
            .header(CONTENT_TYPE, "text/acl")
            .header(CONNECTION, "close")
            .header("Sender", "GAMESERVER")
            .header(
                "Receiver",
                receiver.unwrap_or(HeaderValue::from_static("PLAYER")),
            )
            .body(Full::new(Bytes::from(message)))
    }
}

/// Whether the connection was closed in the middle of an answer.
fn is_cut(error: &hyper::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|e| e.downcast_ref::<std::io::Error>());
    let is_end = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::UnexpectedEof;
    error.is_incomplete_message() || cause.is_some_and(is_end)
}

/// A connection that failed.
fn broken(error: &dyn std::fmt::Display) -> CallError {
    CallError::new(PlayerErrorKind::Connection, excerpt(&error.to_string()))
}

/// Closes a connection when its answer is not needed any more.
struct HangUp(AbortHandle);

impl Drop for HangUp {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split_into_host_and_port() {
        let address = PlayerAddress::new("http://[::1]:9147/player?x=1").unwrap();
        assert_eq!((address.host.as_str(), address.port), ("::1", 9147));
        assert_eq!(PlayerAddress::new("http://example").unwrap().port, 80);
        for text in [
            "https://example",
            "example:9147",
            "http://",
            "http://a b",
            "http://a:99999",
            "http://a:0",
            "http://a:x",
            "http://:9147",
        ] {
            assert!(PlayerAddress::new(text).is_none(), "{text}");
        }
    }
}
