//! Looking inside a game: its rules, its network, its engine.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::address::{Path, Query};
use crate::error::Refusal;
use crate::hall::{Hall, Work};
use crate::inside::{self, Lit};
use crate::library::Game;

pub(super) async fn rules(
    State(hall): State<Arc<Hall>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let game = hall.game(&name)?;
    let page = hall.work(Work::Study, move || inside::rules(&game)).await?;
    let page = page.map_err(|error| Refusal::wrong("rules", error))?;
    Ok(super::json(&page))
}

/// Which part of a network.
#[derive(Debug, Deserialize)]
pub(super) struct Part {
    cone: Option<String>,
    limit: Option<usize>,
    /// A state to light up: facts, one after the other.
    facts: Option<String>,
    /// Or a match whose position at a step is lit up.
    #[serde(rename = "match")]
    id: Option<String>,
    step: Option<u32>,
}

/// The state to light up.
fn lit(hall: &Hall, game: &Game, part: &Part) -> Result<Lit, Refusal> {
    if let Some(id) = part.id.as_deref().filter(|id| !id.is_empty()) {
        let step = part.step.unwrap_or(0);
        let missing = || Refusal::missing("the match has not come so far");
        if let Ok(live) = hall.find(id) {
            return live.facts(step).map(Lit::Facts).ok_or_else(missing);
        }
        let record = hall.archive()?.record(id);
        let mut record = record
            .map_err(Refusal::broken)?
            .ok_or_else(|| Refusal::missing("there is no such match"))?;
        return match step.checked_sub(1) {
            None => Ok(Lit::Facts(record.initial)),
            Some(n) if (n as usize) < record.steps.len() => {
                Ok(Lit::Facts(record.steps.swap_remove(n as usize).state))
            }
            Some(_) => Err(missing()),
        };
    }
    Ok(match part.facts.as_deref() {
        None | Some("") => Lit::Nothing,
        Some("init") => {
            let sketch = game.sketch();
            Lit::Facts(sketch.map_or_else(Vec::new, |s| s.initial().to_vec()))
        }
        Some(facts) => {
            let list = format!("({facts})");
            let facts = ludorum_games::term_parts(&list);
            Lit::Facts(facts.into_iter().map(str::to_owned).collect())
        }
    })
}

pub(super) async fn network(
    State(hall): State<Arc<Hall>>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Result<Response, Refusal> {
    let game = hall.game(&name)?;
    let own = Arc::clone(&hall);
    let draw = move || {
        let lit = lit(&own, &game, &part)?;
        let study = own.studies.get(&game);
        let study = study.map_err(|error| Refusal::wrong("network", error))?;
        let cone = part.cone.as_deref().filter(|cone| !cone.is_empty());
        let page = inside::network(&study, cone, part.limit, &lit);
        page.map_err(|error| Refusal::wrong("network", error))
    };
    let page = hall.work(Work::Study, draw).await??;
    Ok(super::json(&page))
}

pub(super) async fn engine(
    State(hall): State<Arc<Hall>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let game = hall.game(&name)?;
    let own = Arc::clone(&hall);
    let page = hall.work(Work::Study, move || {
        let study = own.studies.get(&game);
        inside::engine(&own.manager, &game, study.as_deref())
    });
    let page = page.await?;
    let page = page.map_err(|error| Refusal::wrong("engine", error))?;
    Ok(super::json(&page))
}
