//! HTTP routes of the player server: messages by POST, a status page, Prometheus metrics.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use super::match_registry::MatchRegistry;
use super::{ServerOptions, VERSION};
use crate::protocol::ERROR;

/// The routes.
pub(super) fn router(registry: Arc<MatchRegistry>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        // Game managers send messages to any path.
        .fallback(anything)
        .with_state(registry)
}

async fn metrics(State(registry): State<Arc<MatchRegistry>>) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], registry.metrics()).into_response()
}

async fn anything(State(registry): State<Arc<MatchRegistry>>, request: Request) -> Response {
    let received = Instant::now();
    match *request.method() {
        Method::POST | Method::PUT => message(&registry, request, received).await,
        Method::GET | Method::HEAD if request.uri().path() == "/" => {
            page(&registry).into_response()
        }
        Method::GET | Method::HEAD => {
            let answer =
                "There is nothing here; / is a page for people, /metrics for Prometheus.\n";
            (StatusCode::NOT_FOUND, answer).into_response()
        }
        _ => {
            let answer = "Messages are sent by POST.\n";
            (StatusCode::METHOD_NOT_ALLOWED, answer).into_response()
        }
    }
}

async fn message(registry: &MatchRegistry, request: Request, received: Instant) -> Response {
    match registry
        .message_reader
        .read_message(request.into_body())
        .await
    {
        Ok(message) => (acl(), registry.answer(message, received).await).into_response(),
        Err(problem) => {
            registry.count_unreadable();
            tracing::warn!(%problem, "a message that cannot be read");
            (problem.status(), acl(), format!("{ERROR} {problem}")).into_response()
        }
    }
}

/// The content type of messages and answers.
fn acl() -> [(axum::http::HeaderName, &'static str); 1] {
    [(CONTENT_TYPE, "text/acl")]
}

/// The status page for browsers.
fn page(registry: &MatchRegistry) -> Html<String> {
    let ServerOptions {
        name,
        spec,
        matches,
        ..
    } = registry.options();
    let playing = registry.playing();
    let (name, spec) = (escape(name), escape(&spec.to_string()));
    Html(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{name}</title>\n\
         <h1>{name}</h1>\n<p>A general game player, Ludorum {VERSION}, \
         playing as <code>{spec}</code>. \
         It plays {playing} of at most {matches} matches.</p>\n\
         <p>Game managers send messages such as <code>(INFO)</code> to this address by POST. \
         <a href=\"/metrics\">Metrics</a> are in the format of Prometheus.</p>\n</html>\n"
    ))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
