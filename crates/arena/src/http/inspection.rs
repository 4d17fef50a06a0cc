//! Routes of the inspection pages: rules, network and engine of a game.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::parameters::{Path, Query};
use crate::app_state::{AppState, Work};
use crate::error::ApiError;
use crate::inspection::{self, Highlight};
use crate::library::LibraryGame;

pub(super) async fn rules(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let game = state.game(&name)?;
    let page = state
        .work(Work::Inspect, move || inspection::rules(&game))
        .await?;
    let page = page.map_err(|error| ApiError::wrong("rules", error))?;
    Ok(super::json(&page))
}

/// The query of a network.
#[derive(Debug, Deserialize)]
pub(super) struct NetworkQuery {
    cone: Option<String>,
    limit: Option<usize>,
    /// A state to highlight, as fluents one after the other.
    facts: Option<String>,
    /// Or a match, of which the position at `step` is highlighted.
    #[serde(rename = "match")]
    id: Option<String>,
    step: Option<u32>,
}

/// The state to highlight.
fn highlight(
    state: &AppState,
    game: &LibraryGame,
    query: &NetworkQuery,
) -> Result<Highlight, ApiError> {
    if let Some(id) = query.id.as_deref().filter(|id| !id.is_empty()) {
        let step = query.step.unwrap_or(0);
        let missing = || ApiError::missing("the match has not come so far");
        if let Ok(live) = state.find(id) {
            return live.facts(step).map(Highlight::Facts).ok_or_else(missing);
        }
        let record = state.archive()?.record(id);
        let mut record = record
            .map_err(ApiError::broken)?
            .ok_or_else(|| ApiError::missing("there is no such match"))?;
        return match step.checked_sub(1) {
            None => Ok(Highlight::Facts(record.initial)),
            Some(n) if (n as usize) < record.steps.len() => {
                Ok(Highlight::Facts(record.steps.swap_remove(n as usize).state))
            }
            Some(_) => Err(missing()),
        };
    }
    Ok(match query.facts.as_deref() {
        None | Some("") => Highlight::Nothing,
        Some("init") => {
            let drawing = game.drawing();
            Highlight::Facts(drawing.map_or_else(Vec::new, |s| s.initial().to_vec()))
        }
        Some(facts) => {
            let list = format!("({facts})");
            let facts = ludorum_gdl::ground_term::term_parts(&list);
            Highlight::Facts(facts.into_iter().map(str::to_owned).collect())
        }
    })
}

pub(super) async fn network(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
    Query(query): Query<NetworkQuery>,
) -> Result<Response, ApiError> {
    let game = state.game(&name)?;
    let own = Arc::clone(&state);
    let draw = move || {
        let highlight = highlight(&own, &game, &query)?;
        let study = own.inspections.get(&own.manager, &game);
        let study = study.map_err(|error| ApiError::wrong("network", error))?;
        let cone = query.cone.as_deref().filter(|cone| !cone.is_empty());
        let page = inspection::network(&study, cone, query.limit, &highlight);
        page.map_err(|error| ApiError::wrong("network", error))
    };
    let page = state.work(Work::Inspect, draw).await??;
    Ok(super::json(&page))
}

pub(super) async fn engine(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let game = state.game(&name)?;
    let own = Arc::clone(&state);
    let page = state.work(Work::Inspect, move || {
        let study = own.inspections.get(&own.manager, &game);
        inspection::engine(&own.manager, &game, study.as_deref())
    });
    let page = page.await?;
    let page = page.map_err(|error| ApiError::wrong("engine", error))?;
    Ok(super::json(&page))
}
