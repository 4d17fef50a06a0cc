//! The HTTP interface of the arena.
//!
//! [`routes`] is the only list of routes. `openapi.json` describes the same interface, and a test
//! compares both. `guard` is a middleware around all routes.

mod archive;
mod assets;
mod body;
mod events;
mod games;
mod guard;
mod inspection;
mod matches;
mod openapi;
mod parameters;
mod sheets;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use ludorum_match::protocol::excerpt;

use crate::app_state::AppState;
use crate::error::ApiError;
use crate::json_response::json;

/// A path, its methods and its handler.
type Route = (
    &'static str,
    &'static [&'static str],
    MethodRouter<Arc<AppState>>,
);

/// All routes.
fn routes() -> Vec<Route> {
    const GET: &[&str] = &["get"];
    const POST: &[&str] = &["post"];
    vec![
        ("/", GET, get(assets::index)),
        ("/assets/{name}", GET, get(assets::asset)),
        ("/metrics", GET, get(metrics)),
        ("/api/openapi.json", GET, get(openapi::document)),
        ("/api/games", GET, get(games::list)),
        ("/api/games/{game}", GET, get(games::show)),
        ("/api/games/{game}/picture.svg", GET, get(games::picture)),
        ("/api/games/{game}/position", POST, post(games::position)),
        ("/api/games/{game}/rules", GET, get(inspection::rules)),
        ("/api/games/{game}/network", GET, get(inspection::network)),
        ("/api/games/{game}/engine", GET, get(inspection::engine)),
        ("/api/players", GET, get(games::players)),
        ("/api/check", POST, post(sheets::check)),
        ("/api/sheets", POST, post(sheets::bring)),
        (
            "/api/matches",
            &["get", "post"],
            get(matches::list).post(matches::start),
        ),
        ("/api/matches/{id}", GET, get(matches::now)),
        ("/api/matches/{id}/steps/{step}", GET, get(matches::step)),
        ("/api/matches/{id}/events", GET, get(events::stream)),
        ("/api/matches/{id}/moves", POST, post(matches::play)),
        ("/api/matches/{id}/undo", POST, post(matches::undo)),
        ("/api/matches/{id}/resign", POST, post(matches::resign)),
        ("/api/matches/{id}/hint", GET, get(matches::hint)),
        (
            "/api/matches/{id}/evaluation",
            GET,
            get(matches::evaluation),
        ),
        ("/api/archive/matches", GET, get(archive::list)),
        ("/api/archive/matches/{id}", GET, get(archive::show)),
        (
            "/api/archive/matches/{id}/steps/{step}",
            GET,
            get(archive::step),
        ),
        ("/api/archive/ratings", GET, get(archive::ratings)),
    ]
}

/// The router with all routes, fallbacks and the guard.
pub(crate) fn router(state: &Arc<AppState>) -> Router {
    let mut router = Router::new();
    for (path, _, handler) in routes() {
        router = router.route(path, handler);
    }
    router
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(state), guard::guard))
        .with_state(Arc::clone(state))
}

async fn nothing() -> ApiError {
    ApiError::missing("there is nothing here; the interface is described at /api/openapi.json")
}

async fn wrong_method() -> ApiError {
    ApiError::new(
        axum::http::StatusCode::METHOD_NOT_ALLOWED,
        "method",
        "this method is not supported here; see /api/openapi.json",
    )
}

async fn metrics(State(state): State<Arc<AppState>>) -> Response {
    state.drop_abandoned();
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], state.metrics.text()).into_response()
}
