//! Extractors of path and query parameters whose errors are [`ApiError`]s: [`Path`] and [`Query`].

use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// The path parameters.
#[derive(Debug)]
pub(super) struct Path<T>(pub(super) T);

/// The query parameters.
#[derive(Debug)]
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = extract::Path::from_request_parts(parts, state).await;
        read.map(|extract::Path(value)| Self(value))
            .map_err(|error| unreadable(&error.body_text()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = extract::Query::from_request_parts(parts, state).await;
        read.map(|extract::Query(value)| Self(value))
            .map_err(|error| unreadable(&error.body_text()))
    }
}

fn unreadable(why: &str) -> ApiError {
    let why = super::excerpt(why);
    ApiError::bad(format!("this address cannot be read: {why}"))
}
