//! Builds each engine from a compiled game.

use std::sync::Arc;

use ludorum_chain::{Chain, ChainError};
use ludorum_lanes::{Backend, Lanes, StagedError, StagedLanes};
use ludorum_orand::Orand;
use ludorum_propnet::{CompileError, CompiledGame, Evaluator, Propnet};
use ludorum_prover::Prover;

use super::{BuildError, Engine, EngineKind, EngineSettings, Propagation};
use crate::any_reasoner::AnyReasoner;
use crate::auto::Auto;
use crate::cache::Cached;

/// Builds an engine, with its cache if it has one.
pub(super) fn build(
    engine: Engine,
    game: &Arc<CompiledGame>,
    settings: &EngineSettings,
) -> Result<AnyReasoner, BuildError> {
    let reasoner = build_without_cache(engine, game, settings)?;
    if !engine.is_cached() {
        return Ok(reasoner);
    }
    let bytes = (engine.cache_mib as usize).saturating_mul(1 << 20);
    Ok(AnyReasoner::Cached(Box::new(Cached::new(reasoner, bytes))))
}

fn build_without_cache(
    engine: Engine,
    game: &Arc<CompiledGame>,
    settings: &EngineSettings,
) -> Result<AnyReasoner, BuildError> {
    let EngineSettings {
        limits,
        orand,
        chain,
        ..
    } = settings;
    let reason = |source| BuildError::Reason { engine, source };
    Ok(match engine.kind {
        EngineKind::Prover => {
            let prover = Prover::new(Arc::clone(game.rules())).map_err(reason)?;
            AnyReasoner::Prover(Box::new(prover))
        }
        EngineKind::Orand => {
            let orand =
                Orand::with_deadline(game.rules(), *orand, limits.deadline).map_err(reason)?;
            AnyReasoner::Orand(Box::new(orand))
        }
        EngineKind::Chain => {
            let chain = Chain::new(game.rules(), chain, limits.deadline);
            let chain = chain.map_err(|stop| match stop {
                ChainError::Late | ChainError::Cancelled => BuildError::Compile {
                    engine,
                    source: CompileError::Late {
                        while_at: "making the tables",
                    },
                },
                ChainError::Unsupported(_) => BuildError::Unsupported {
                    engine,
                    reason: stop.to_string(),
                },
            })?;
            AnyReasoner::Chain(Box::new(chain))
        }
        EngineKind::Propnet => match engine.propagation {
            Propagation::Differential => {
                AnyReasoner::Differential(propnet(engine, game, settings)?)
            }
            Propagation::Forward => AnyReasoner::Forward(propnet(engine, game, settings)?),
            Propagation::Backward => AnyReasoner::Backward(propnet(engine, game, settings)?),
        },
        EngineKind::Lanes => {
            let error = |source| BuildError::Compile { engine, source };
            let network = game.network(limits).map_err(error)?;
            let circuit = game.circuit(limits).map_err(error)?;
            let lanes = Lanes::with_circuit(network, circuit, Backend::Best);
            limits
                .check("compiling the network for lanes")
                .map_err(error)?;
            AnyReasoner::Lanes(Box::new(lanes))
        }
        EngineKind::Staged => {
            let staged =
                StagedLanes::with_options(game.rules(), limits, Backend::Best, engine.stages);
            let staged = staged.map_err(|error| match error {
                StagedError::Compile(source) => BuildError::Compile { engine, source },
                other => BuildError::Unsupported {
                    engine,
                    reason: other.to_string(),
                },
            })?;
            AnyReasoner::Staged(Box::new(staged))
        }
        EngineKind::Auto => {
            let auto = Auto::new(Arc::clone(game), settings).map_err(reason)?;
            AnyReasoner::Auto(Box::new(auto))
        }
    })
}

fn propnet<E: Evaluator>(
    engine: Engine,
    game: &CompiledGame,
    settings: &EngineSettings,
) -> Result<Box<Propnet<E>>, BuildError> {
    let error = |source| BuildError::Compile { engine, source };
    let network = game.network(&settings.limits).map_err(error)?;
    let circuit = game.circuit(&settings.limits).map_err(error)?;
    Ok(Box::new(Propnet::with_circuit(network, circuit)))
}
