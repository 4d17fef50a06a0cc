//! What a request brings: [`Body`].

use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use crate::app_state::AppState;
use crate::error::ApiError;

/// A request must be here so long after its first line.
const READING: Duration = Duration::from_secs(15);
/// What there may be around a sheet.
const AROUND: usize = 64 << 10;

/// What a request brings, in JSON.
///
/// Only JSON that says that it is: a page of somebody else cannot send that without asking first.
#[derive(Debug)]
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<AppState>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &Arc<AppState>) -> Result<Self, ApiError> {
        let kind = request.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "media-type",
                "send JSON with the content type application/json",
            ));
        }
        // In JSON, a character of a text may take two.
        let most = 2 * state.options.sheet_bytes + AROUND;
        let body = to_bytes(request.into_body(), most);
        let bytes = match tokio::time::timeout(READING, body).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => {
                let message = format!("there is more than {most} bytes of it, or it broke off");
                return Err(ApiError::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "too-large",
                    message,
                ));
            }
            Err(_) => {
                let message = "the request did not come to its end";
                return Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "slow", message));
            }
        };
        let read = serde_json::from_slice(&bytes);
        read.map(Self)
            .map_err(|error| ApiError::bad(format!("this cannot be read: {error}")))
    }
}
