//! Error answers of the HTTP interface: [`ApiError`].

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A request that cannot be fulfilled, as status, code and message.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// Additional JSON fields.
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

    /// 400: the request is malformed.
    pub(crate) fn bad(message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// 404: the resource does not exist.
    pub(crate) fn missing(message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    /// 409: the request does not fit the present state.
    pub(crate) fn conflict(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// 422: the request is well-formed but invalid.
    pub(crate) fn wrong(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// 403: the request is not allowed.
    pub(crate) fn forbidden(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// 503: a limit is exhausted.
    pub(crate) fn full(code: &'static str, message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }

    /// 500: an internal error.
    pub(crate) fn broken(message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", message)
    }

    /// Adds a JSON field.
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
