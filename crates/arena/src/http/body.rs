//! The JSON body of a request: [`Body`].

use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use crate::app_state::AppState;
use crate::error::ApiError;

/// Time limit of receiving a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// Size limit of a body beyond the sheet in it, in bytes.
const MAX_OVERHEAD: usize = 64 << 10;

/// Extractor of a JSON body.
///
/// The content type must be JSON: pages of other origins cannot send that without a CORS preflight,
/// which is not answered.
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
        // Escaping may double the size of a text in JSON.
        let most = 2 * state.options.sheet_bytes + MAX_OVERHEAD;
        let body = to_bytes(request.into_body(), most);
        let bytes = match tokio::time::timeout(BODY_TIMEOUT, body).await {
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
