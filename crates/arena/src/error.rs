//! Why something cannot be done, as people are told it: [`ApiError`].

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A request that cannot be answered.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// What is told besides, by name.
    more: Vec<(&'static str, Value)>,
}

impl ApiError {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl std::fmt::Display,
    ) -> Self {
        Self {
            status,
            code,
            message: message.to_string(),
            more: Vec::new(),
        }
    }

    /// The request makes no sense.
    pub(crate) fn bad(message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// There is no such thing.
    pub(crate) fn missing(message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    /// It cannot be done now, or not any more.
    pub(crate) fn conflict(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// It is understood and wrong.
    pub(crate) fn wrong(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// Whoever asks has no right to it.
    pub(crate) fn forbidden(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// There is too much of it already.
    pub(crate) fn full(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }

    /// Something is broken here.
    pub(crate) fn broken(message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", message)
    }

    /// Tells something besides.
    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.more.push((name, value));
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut body = json!({"error": self.message, "code": self.code});
        for (name, value) in self.more {
            body[name] = value;
        }
        (self.status, crate::json_response::json(&body)).into_response()
    }
}
