//! Ground programs and networks of games that somebody looks into, within a small budget:
//! [`InspectionCache`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ludorum_ground::{GroundBudget, GroundStats, ground};
use ludorum_logic::Rules;
use ludorum_propnet::network::ComponentCounts;
use ludorum_propnet::pass;
use ludorum_propnet::pass::PassBudget;
use ludorum_propnet::{Network, build_network};

use crate::library::Game;

/// So many are kept.
const KEPT: usize = 4;
/// For networks that people can look at; engines take more.
const INSTANCES: u64 = 400_000;
const MEMORY: u64 = 512 << 20;
const GROUNDING: Duration = Duration::from_secs(10);
const PASSES: Duration = Duration::from_secs(5);

/// A game taken apart.
#[derive(Debug)]
pub(crate) struct CompiledNetwork {
    pub(super) stats: GroundStats,
    pub(super) fluents: usize,
    pub(super) moves: Vec<usize>,
    /// Before the passes.
    pub(super) basic: ComponentCounts,
    pub(super) network: Network,
    pub(super) network_time: Duration,
}

/// The games that were taken apart last.
#[derive(Debug, Default)]
pub(crate) struct InspectionCache {
    kept: Mutex<VecDeque<(Arc<str>, Arc<CompiledNetwork>)>>,
}

impl InspectionCache {
    /// Takes a game apart; tells why if that takes too much. This may take seconds.
    pub(crate) fn get(&self, game: &Game) -> Result<Arc<CompiledNetwork>, String> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock()
            .iter()
            .find(|(sheet, _)| *sheet == game.sheet)
            .map(|(_, study)| Arc::clone(study));
        if let Some(known) = known {
            return Ok(known);
        }
        let study = Arc::new(CompiledNetwork::new(game)?);
        let mut kept = lock();
        kept.push_back((Arc::clone(&game.sheet), Arc::clone(&study)));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        Ok(study)
    }
}

impl CompiledNetwork {
    fn new(game: &Game) -> Result<Self, String> {
        let rules = Rules::from_text(&game.sheet);
        let rules = rules.map_err(|_| "the rules cannot be used".to_owned())?;
        let budget = GroundBudget {
            max_instances: INSTANCES,
            max_memory: MEMORY,
            max_time: GROUNDING,
            ..GroundBudget::default()
        };
        let program = ground(&rules, &budget, &mut |_| {});
        let program = program.map_err(|verdict| {
            format!("the game is too large for a network to be looked at: {verdict}")
        })?;
        let begin = Instant::now();
        let basic = build_network(&program);
        let counts = basic.counts();
        let (network, _) =
            pass::optimise_with_reports(basic, pass::FULL, PassBudget::of_time(PASSES));
        Ok(Self {
            fluents: program.fluents.len(),
            moves: program.moves.iter().map(Vec::len).collect(),
            stats: program.stats,
            basic: counts,
            network,
            network_time: begin.elapsed(),
        })
    }
}
