//! Figures about the engine that plays a game.

use std::time::Instant;

use ludorum_engines::Engine;
use ludorum_match::GameManager;
use ludorum_propnet::ComponentKind;
use ludorum_reasoner::{EngineChoice, NetworkProgress};
use serde_json::{Value, json};

use super::compiled_network::CompiledNetwork;
use crate::library::LibraryGame;

/// The chosen engine and the sizes of its stages. May take long the first time.
pub(crate) fn engine(
    manager: &GameManager,
    game: &LibraryGame,
    study: Result<&CompiledNetwork, &String>,
) -> Result<Value, String> {
    let in_words = |error: &dyn std::fmt::Display| error.to_string();
    let begin = Instant::now();
    let table = manager.engine(&game.sheet, Engine::AUTO);
    let table = table.map_err(|error| in_words(&error))?;
    let mut walker = table.walker().map_err(|error| in_words(&error))?;
    let legal = walker.legal(0).map_err(|error| in_words(&error))?;
    let first_move_ms = begin.elapsed().as_secs_f64() * 1e3;
    let choice = walker.engine_choice();
    let network = choice.as_ref().map(|choice| &choice.network);
    let reason = match network {
        Some(NetworkProgress::Missing { reason }) => Some(reason.clone()),
        Some(NetworkProgress::Compiling) => Some("the network is being compiled".to_owned()),
        _ => None,
    };
    let compiled = match network {
        Some(NetworkProgress::Ready { components, time }) => json!({
            "components": components,
            "seconds": time.as_secs_f64(),
            "lanes_from": choice.as_ref().and_then(|choice| choice.lanes),
        }),
        _ => Value::Null,
    };
    let rules = manager.rules(&game.sheet);
    let rules = rules.map_err(|error| in_words(&error))?;
    let mut page = json!({
        "game": game.name,
        "engine": choice.as_ref().map_or("auto".to_owned(), EngineChoice::engines),
        "reason": reason,
        "compiling": choice.as_ref().is_some_and(EngineChoice::is_compiling),
        "compiled": compiled,
        "first_move_ms": first_move_ms,
        "first_moves": legal.len(),
        "rules": {
            "relations": rules.relations().len(),
            "rules": rules.rules.len(),
            "facts": rules.facts.len(),
        },
        "ground": null,
        "network": null,
    });
    match study {
        Ok(study) => {
            page["ground"] = json!({
                "fluents": study.fluents,
                "moves": study.moves,
                "atoms": study.stats.atoms,
                "rules": study.stats.rules,
                "literals": study.stats.literals,
                "milliseconds": study.stats.times.total.as_secs_f64() * 1e3,
            });
            let counts = study.network.counts();
            let by_kind =
                ComponentKind::ALL.map(|kind| (kind.name().to_owned(), json!(counts.of(kind))));
            page["network"] = json!({
                "components": counts.total,
                "wires": counts.wires,
                "before_passes": study.basic.total,
                "by_kind": serde_json::Map::from_iter(by_kind),
                "milliseconds": study.network_time.as_secs_f64() * 1e3,
            });
        }
        Err(why) => page["too_large"] = json!(why),
    }
    Ok(page)
}
