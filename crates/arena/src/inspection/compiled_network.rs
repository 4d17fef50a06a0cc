//! Ground programs and networks for the inspection pages: [`InspectionCache`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_ground::GroundStats;
use ludorum_match::GameManager;
use ludorum_propnet::network::ComponentCounts;
use ludorum_propnet::{CompileLimits, Network};

use crate::library::LibraryGame;

/// Capacity of the cache, in games.
const CAPACITY: usize = 4;
/// Largest number of rule instances of an inspected game. Engines accept more, but such networks
/// are too large for people to look at.
const MAX_INSTANCES: u64 = 400_000;
/// Memory limit of grounding an inspected game, in bytes.
const MAX_MEMORY: u64 = 512 << 20;
/// Time limit of grounding an inspected game.
const GROUNDING_TIME: Duration = Duration::from_secs(10);
/// Time limit of the optimising passes.
const PASS_TIME: Duration = Duration::from_secs(5);

/// The compiled stages of a game that the inspection pages show.
#[derive(Debug)]
pub(crate) struct CompiledNetwork {
    pub(super) stats: GroundStats,
    pub(super) fluents: usize,
    pub(super) moves: Vec<usize>,
    /// Component counts before the optimising passes.
    pub(super) basic: ComponentCounts,
    pub(super) network: Arc<Network>,
    pub(super) network_time: Duration,
}

/// The most recently inspected games.
#[derive(Debug, Default)]
pub(crate) struct InspectionCache {
    kept: Mutex<VecDeque<(Arc<str>, Arc<CompiledNetwork>)>>,
}

impl InspectionCache {
    /// The network of a game; an error says why it cannot be had within the limits. This may take
    /// seconds. The ground program is shared with the engine that plays the game.
    pub(crate) fn get(
        &self,
        manager: &GameManager,
        game: &LibraryGame,
    ) -> Result<Arc<CompiledNetwork>, String> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock()
            .iter()
            .find(|(sheet, _)| *sheet == game.sheet)
            .map(|(_, compiled)| Arc::clone(compiled));
        if let Some(known) = known {
            return Ok(known);
        }
        let compiled = Arc::new(CompiledNetwork::new(manager, game)?);
        let mut kept = lock();
        kept.push_back((Arc::clone(&game.sheet), Arc::clone(&compiled)));
        if kept.len() > CAPACITY {
            kept.pop_front();
        }
        Ok(compiled)
    }
}

impl CompiledNetwork {
    fn new(manager: &GameManager, game: &LibraryGame) -> Result<Self, String> {
        let engine = manager.engine(&game.sheet, Engine::AUTO);
        let engine = engine.map_err(|error| error.to_string())?;
        let mut limits = CompileLimits {
            passes: PASS_TIME,
            deadline: Some(Instant::now() + GROUNDING_TIME + PASS_TIME),
            ..CompileLimits::default()
        };
        limits.ground.max_instances = MAX_INSTANCES;
        limits.ground.max_memory = MAX_MEMORY;
        limits.ground.max_time = GROUNDING_TIME;
        let compiled = engine.game();
        let program = compiled.program(&limits);
        let program = program.map_err(|error| {
            format!("the game is too large for a network to be looked at: {error}")
        })?;
        let begin = Instant::now();
        let report = compiled.network_report(&limits);
        let report = report.map_err(|error| error.to_string())?;
        Ok(Self {
            fluents: program.fluents.len(),
            moves: program.moves.iter().map(Vec::len).collect(),
            stats: program.stats.clone(),
            basic: report.basic,
            network: report.network,
            network_time: begin.elapsed(),
        })
    }
}
