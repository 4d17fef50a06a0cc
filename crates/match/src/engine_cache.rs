//! Engines shared by several matches: [`EngineCache`].

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ludorum_engines::Engine;
use ludorum_gdl::diagnostic::summary;
use ludorum_logic::Rules;
use ludorum_players::GameEngine;
use ludorum_propnet::CompileLimits;
use thiserror::Error;

/// A rule sheet that cannot be used.
#[derive(Clone, Debug, Error)]
#[error("the rules cannot be used: {0}")]
pub struct RulesError(pub(crate) String);

/// An engine that cannot be made.
#[derive(Clone, Debug, Error)]
#[error("{0}")]
pub struct EngineError(String);

type Slot<T, E> = Arc<OnceLock<Result<T, E>>>;
type Engines = Vec<(Engine, Slot<GameEngine, EngineError>)>;

/// An LRU cache of engines by rule sheet. Matches of the same sheet compile it once. Engines with a
/// result cache are not shared, so that matches do not influence each other.
#[derive(Clone, Debug)]
pub(crate) struct EngineCache {
    /// In the order of use; the capacity recently used comes last.
    games: Arc<Mutex<Vec<CachedGame>>>,
    capacity: usize,
}

#[derive(Clone, Debug)]
struct CachedGame {
    sheet: Arc<str>,
    rules: Slot<Arc<Rules>, RulesError>,
    engines: Arc<Mutex<Engines>>,
}

impl EngineCache {
    /// A cache with the given capacity in rule sheets.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            games: Arc::default(),
            capacity,
        }
    }

    fn game(&self, sheet: &Arc<str>) -> CachedGame {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let place = games.iter().position(|game| game.sheet == *sheet);
        let game = match place {
            Some(place) => games.remove(place),
            None => CachedGame {
                sheet: Arc::clone(sheet),
                rules: Slot::default(),
                engines: Arc::default(),
            },
        };
        games.push(game.clone());
        if games.len() > self.capacity {
            games.remove(0);
        }
        game
    }

    /// Drops the engines of a sheet if one is still compiling, unless another match has used the
    /// sheet since.
    pub(crate) fn forget_unready(&self, sheet: &str) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.retain(|game| &*game.sheet != sheet || !game.is_compiling());
    }

    /// The rules of a sheet. This may take long; concurrent callers wait for the first.
    pub(crate) fn rules(&self, sheet: &Arc<str>) -> Result<Arc<Rules>, RulesError> {
        self.game(sheet).rules()
    }

    /// An engine for a sheet. This may take long; concurrent callers wait for the first.
    pub(crate) fn engine(
        &self,
        sheet: &Arc<str>,
        engine: Engine,
    ) -> Result<GameEngine, EngineError> {
        self.engine_within(sheet, engine, &CompileLimits::default())
    }

    /// The same, made within limits if it has to be made.
    pub(crate) fn engine_within(
        &self,
        sheet: &Arc<str>,
        engine: Engine,
        limits: &CompileLimits,
    ) -> Result<GameEngine, EngineError> {
        let game = self.game(sheet);
        let failed = |error: &dyn std::fmt::Display| EngineError(error.to_string());
        let rules = game.rules().map_err(|error| failed(&error))?;
        let make = || GameEngine::within(&rules, engine, limits).map_err(|error| failed(&error));
        if engine.is_cached() {
            return make();
        }
        let slot = {
            let mut engines = game.engines.lock().unwrap_or_else(PoisonError::into_inner);
            let known = engines.iter().position(|(known, _)| *known == engine);
            let place = known.unwrap_or_else(|| {
                engines.push((engine, Slot::default()));
                engines.len() - 1
            });
            Arc::clone(&engines[place].1)
        };
        slot.get_or_init(make).clone()
    }
}

impl CachedGame {
    fn is_compiling(&self) -> bool {
        let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = engines.iter().filter_map(|(_, slot)| slot.get());
        made.any(|engine| engine.as_ref().is_ok_and(GameEngine::is_compiling))
    }

    fn rules(&self) -> Result<Arc<Rules>, RulesError> {
        let read = || Rules::from_text(&self.sheet).map(Arc::new);
        let read = || read().map_err(|problems| RulesError(summary(&problems)));
        self.rules.get_or_init(read).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_read_once_and_the_least_recently_used_is_dropped() {
        let engines = EngineCache::new(2);
        let sheet = |name: &str| -> Arc<str> { format!("(role {name})").into() };
        let first = engines.rules(&sheet("a")).unwrap();
        assert!(Arc::ptr_eq(&first, &engines.rules(&sheet("a")).unwrap()));
        engines.rules(&sheet("b")).unwrap();
        engines.rules(&sheet("c")).unwrap();
        assert!(!Arc::ptr_eq(&first, &engines.rules(&sheet("a")).unwrap()));
    }

    #[test]
    fn compiled_engines_are_kept_and_compiling_ones_are_dropped() {
        let engines = EngineCache::new(2);
        let game = ludorum_games::find("tic-tac-toe").unwrap();
        let sheet: Arc<str> = game.text.into();
        let rules = engines.rules(&sheet).unwrap();
        let engine = engines.engine(&sheet, Engine::AUTO).unwrap();
        engine.settle();
        engines.forget_unready(&sheet);
        assert!(Arc::ptr_eq(&rules, &engines.rules(&sheet).unwrap()));
        let numbers: Vec<String> = (0..60).map(|n| format!("(d {n})")).collect();
        let endless: Arc<str> = format!(
            "(role x) {} (<= (legal x (m ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f)) (init s)
             (<= (next s) (does x (m ?a ?b ?c ?d ?e ?f))) (<= terminal (not (true s))) (goal x 100)",
            numbers.join(" ")
        )
        .into();
        let rules = engines.rules(&endless).unwrap();
        assert!(
            engines
                .engine(&endless, Engine::AUTO)
                .unwrap()
                .is_compiling()
        );
        engines.forget_unready(&endless);
        assert!(!Arc::ptr_eq(&rules, &engines.rules(&endless).unwrap()));
    }

    #[test]
    fn a_sheet_with_errors_is_reported_in_words() {
        let engines = EngineCache::new(1);
        let sheet: Arc<str> = "(init a)".into();
        let error = engines.rules(&sheet).unwrap_err().to_string();
        assert!(error.contains("role"), "{error}");
        assert!(engines.engine(&sheet, Engine::PROVER).is_err());
    }
}
