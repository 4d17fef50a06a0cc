//! The engine on staged games: lanes that play the original game through its staged form.
//!
//! [`ludorum_factor`] rewrites the rules so that a move is drawn as a candidate and then tested. The
//! staged rules are compiled like any others. This engine answers for the original game: a state has
//! its fluents only; the legal moves of a state are the leaves of its draw stage, each completed and
//! tested in a lane of its own; a successor is the state after the test stage with the candidate of
//! the given move. There is no wire for a ground move.

mod acceptance;
mod bounds;
mod evaluate;
mod exchange;
mod reasoner;
mod tables;

use std::sync::Arc;

use ludorum_factor::{NotApplicable, StageOptions, StagedGame, TurnStages, stage};
use ludorum_logic::{Rules, TermId};
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::network::Network;
use ludorum_propnet::{CompileError, CompileLimits, CompiledGame};
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{HeapSize, ReasonError, Rng, StopSignal};
use rustc_hash::FxHashMap;
use thiserror::Error;

use self::bounds::{Assumed, largest_count};
use self::tables::Tables;
use super::reasoner::Lanes;
use super::runner::Backend;
use super::staging::{BoundedDraw, Staging, StagingError};

/// The largest number of candidates of a role. Each is a wire.
const MAX_LEAVES: usize = 16_000;
/// The numbers of rule instances after which a way to stage a game is given up: each way is tried
/// with the first, and then with the second.
const MAX_INSTANCES: [u64; 2] = [1_000_000, 4_000_000];

/// Why a game is not played in stages.
#[derive(Debug, Error)]
pub enum StagedError {
    /// The rules cannot be rewritten.
    #[error("{0}")]
    Rules(#[from] NotApplicable),
    /// The staged rules could not be compiled.
    #[error("{0}")]
    Compile(#[from] CompileError),
    /// The compiled game is not what the rewriting promises.
    #[error("{0}")]
    Stages(#[from] StagingError),
    /// Every way to stage the game has too many candidates.
    #[error("a role has {0} candidates")]
    TooManyCandidates(usize),
    /// The network lacks a fluent or a move that every staged game has.
    #[error("the network of the staged game lacks a stage")]
    Incomplete,
}

/// A state of the original game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StagedState(pub(super) BitState);

/// Everything that forks share.
#[derive(Debug)]
struct Shared {
    tables: Tables,
    network: Arc<Network>,
    staged: StagedGame,
    staging: Staging,
    roles: Vec<String>,
    /// The fluents of the original game by their terms.
    fluents: FxHashMap<TermId, u32>,
}

/// Lanes on a staged game, which answer for the original one.
#[derive(Clone, Debug)]
pub struct StagedLanes {
    shared: Arc<Shared>,
    lanes: Lanes,
    vocabulary: Vocabulary,
    stop: StopSignal,
}

impl StagedLanes {
    /// The largest number of groups that are drawn second.
    pub const MAX_GROUPS: u8 = 3;

    /// Stages a game and compiles it.
    pub fn new(
        rules: &Arc<Rules>,
        limits: &CompileLimits,
        backend: Backend,
    ) -> Result<Self, StagedError> {
        Self::with_options(rules, limits, backend, StageOptions::default())
    }

    /// The same with options. The number of groups that are drawn second is the least that leaves
    /// few candidates, starting from the one in the options.
    pub fn with_options(
        rules: &Arc<Rules>,
        limits: &CompileLimits,
        backend: Backend,
        options: StageOptions,
    ) -> Result<Self, StagedError> {
        let mut ways: Vec<StagedGame> = Vec::new();
        for suffix_groups in options.suffix_groups..=Self::MAX_GROUPS {
            let options = StageOptions {
                suffix_groups,
                ..options
            };
            let mut staged = stage(rules, options)?;
            // Few candidates are accepted where the rest of the move is drawn from many slots.
            if options.turns == TurnStages::Separate
                && staged.turns.is_some()
                && staged.has_suffix.contains(&true)
            {
                let turns = TurnStages::Shared;
                staged = stage(rules, StageOptions { turns, ..options })?;
            }
            // A game whose moves have fewer groups is staged in the same way as before.
            if ways.last().is_some_and(|last| last.text == staged.text) {
                break;
            }
            ways.push(staged);
        }
        let mut failure = StagedError::Incomplete;
        for max_instances in MAX_INSTANCES {
            for staged in &ways {
                match Self::compile(rules, limits, backend, staged, max_instances) {
                    Ok(engine) => return Ok(engine),
                    Err(StagedError::Compile(CompileError::Ground(error))) => {
                        limits.check("staging the game")?;
                        failure = StagedError::Compile(CompileError::Ground(error));
                    }
                    Err(error @ StagedError::TooManyCandidates(_)) => failure = error,
                    Err(error) => return Err(error),
                }
            }
        }
        Err(failure)
    }

    fn compile(
        rules: &Rules,
        limits: &CompileLimits,
        backend: Backend,
        staged: &StagedGame,
        max_instances: u64,
    ) -> Result<Self, StagedError> {
        let game = CompiledGame::new(Arc::clone(&staged.rules));
        let mut limits = limits.clone();
        limits.ground.max_instances = limits.ground.max_instances.min(max_instances);
        let program = game.program(&limits)?;
        let roles = program.roles.len();
        drop(program);
        let network = game.network(&limits)?;
        for role in 0..roles {
            let moves = network.game.moves_of(role).len();
            if moves > MAX_LEAVES {
                return Err(StagedError::TooManyCandidates(moves));
            }
        }
        let circuit = game.circuit(&limits)?;
        let mut vocabulary = Vocabulary::new(rules.terms.clone(), rules.roles.len());
        let tables =
            Tables::new(staged, &network, &mut vocabulary).ok_or(StagedError::Incomplete)?;
        let staging = staging(&tables, &network, &circuit).ok_or(StagedError::Incomplete)?;
        limits.check("compiling the network for lanes")?;
        let lanes = Lanes::with_staging(Arc::clone(&network), circuit, backend, &staging)?;
        // A fluent of the staged game alone is not one of the original game.
        let fluents = (0..).zip(&tables.fluent_terms);
        let fluents = fluents
            .filter(|(fluent, _)| tables.original.get(*fluent as usize))
            .map(|(fluent, term)| (*term, fluent))
            .collect();
        let names = rules.roles.iter().map(|role| rules.terms.text(*role));
        Ok(Self {
            shared: Arc::new(Shared {
                tables,
                network,
                staged: staged.clone(),
                staging,
                roles: names.collect(),
                fluents,
            }),
            lanes,
            vocabulary,
            stop: StopSignal::default(),
        })
    }

    /// The staged game.
    pub fn staged_game(&self) -> &StagedGame {
        &self.shared.staged
    }

    /// How often playouts of at most `limit` steps from a state, which is not terminal, end in which
    /// states. Fluents that playouts do not depend on are left out; [`LastStates::visible`] leaves
    /// them out of other states as well. A hook of tests of the distribution of moves.
    #[doc(hidden)]
    pub fn last_states(
        &mut self,
        start: &StagedState,
        count: u64,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<LastStates, ReasonError> {
        self.check_assumed(start)?;
        let start = self.start_of(start);
        let found = self.lanes.last_states(&start, count, rng, limit)?;
        let mut last = LastStates {
            counts: FxHashMap::default(),
            mask: self.original_part(found.visible),
        };
        for state in found.states {
            let state = last.visible(&StagedState(state));
            *last.counts.entry(state).or_default() += 1;
        }
        Ok(last)
    }

    /// How the lanes play the stages, with the bounds of the second draw.
    pub fn staging(&self) -> &Staging {
        &self.shared.staging
    }

    /// The network of the staged game.
    pub fn network(&self) -> &Arc<Network> {
        &self.shared.network
    }

    /// The number of fluents that the original game does not have.
    pub fn own_fluents(&self) -> usize {
        let fluents = self.shared.network.game.fluents.len();
        fluents - self.shared.tables.original.ones().count()
    }

    /// The number of candidates of a class of moves, and of suffixes that may complete one of them.
    pub fn class_sizes(&self, class: usize) -> (usize, usize) {
        let tables = &self.shared.tables;
        let candidates = tables.leaves.iter().filter(|leaf| leaf.class == class);
        let suffixes = tables.rests.iter().filter(|rest| rest.class == Some(class));
        (candidates.count(), suffixes.count())
    }

    /// The lanes that play it.
    pub fn lanes(&mut self) -> &mut Lanes {
        &mut self.lanes
    }
}

/// Last states of playouts with the numbers of their playouts.
#[doc(hidden)]
#[derive(Debug)]
pub struct LastStates {
    /// The number of playouts by state.
    pub counts: FxHashMap<StagedState, u64>,
    mask: BitState,
}

impl LastStates {
    /// The visible part of a state.
    pub fn visible(&self, state: &StagedState) -> StagedState {
        let mut state = state.clone();
        for (word, mask) in state.0.words.iter_mut().zip(&self.mask.words) {
            *word &= mask;
        }
        state
    }
}

/// How the lanes play the stages, with the bounds of the second draw.
fn staging(tables: &Tables, network: &Network, circuit: &Circuit) -> Option<Staging> {
    let stages: Vec<u32> = tables
        .stages
        .iter()
        .flat_map(|stage| [stage.draw, stage.test])
        .collect();
    let mut draws = Vec::new();
    for stage in &tables.stages {
        for role in &stage.roles {
            let range = network.game.moves_of(*role);
            let fail = tables.fail[*role]?;
            let rests: Vec<usize> = range
                .clone()
                .filter(|action| tables.rest_of.contains_key(action))
                .collect();
            let bound = if rests.len() > 1 {
                let assumed: Vec<Assumed> = (0..network.game.fluents.len())
                    .map(|fluent| {
                        if fluent as u32 == stage.test {
                            Assumed::True
                        } else if tables.original.get(fluent) || tables.may_hold(fluent as u32) {
                            Assumed::Unknown
                        } else {
                            Assumed::False
                        }
                    })
                    .collect();
                let leaves = tables.leaves.iter().filter(|leaf| leaf.role == *role);
                let candidates: Vec<&[u32]> = leaves.map(|leaf| &*leaf.remembered).collect();
                largest_count(circuit, &assumed, &candidates, &rests).max(1)
            } else {
                1
            };
            draws.push(BoundedDraw {
                role: *role,
                fail: (fail - range.start) as u32,
                bound,
            });
        }
    }
    Some(Staging {
        stages,
        moved: tables.moved,
        draws,
        max_draws: None,
    })
}

impl HeapSize for StagedState {
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}
