//! How engines are made.

use std::sync::Arc;

use ludorum_logic::Rules;

use super::{BuildError, Engine, Settings};
use crate::auto::Auto;
use crate::cache::Cached;
use ludorum_chain::{Chain, Stop};
use ludorum_lanes::Lanes;
use ludorum_orand::Orand;
use ludorum_propnet;
use ludorum_propnet::{Evaluator, Network, Propnet, pass};
use ludorum_prover::Prover;
use ludorum_reasoner::contract::Reasoner;
use ludorum_reasoner::footprint::Footprint;

/// An engine that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    /// Which one.
    pub(super) engine: Engine,
    /// For which game.
    pub(super) rules: &'a Arc<Rules>,
    /// How.
    pub(super) settings: &'a Settings,
}

pub(super) fn prover(order: Order<'_>) -> Result<Prover, BuildError> {
    Prover::new(Arc::clone(order.rules)).map_err(|source| BuildError::Reason {
        engine: order.engine,
        source,
    })
}

pub(super) fn orand(order: Order<'_>) -> Result<Orand, BuildError> {
    let Settings { limits, orand, .. } = order.settings;
    Orand::until(order.rules, *orand, limits.deadline).map_err(|source| BuildError::Reason {
        engine: order.engine,
        source,
    })
}

pub(super) fn propnet<E: Evaluator>(order: Order<'_>) -> Result<Propnet<E>, BuildError> {
    Ok(Propnet::new(network(order)?))
}

pub(super) fn lanes(order: Order<'_>) -> Result<Lanes, BuildError> {
    let lanes = Lanes::new(network(order)?);
    if order.settings.limits.is_late() {
        return Err(BuildError::Late {
            engine: order.engine,
            while_at: "compiling the network for lanes",
        });
    }
    Ok(lanes)
}

pub(super) fn chain(order: Order<'_>) -> Result<Chain, BuildError> {
    let Settings { chain, limits, .. } = order.settings;
    let engine = order.engine;
    Chain::new(order.rules, chain, limits.deadline).map_err(|stop| match stop {
        Stop::Late | Stop::Cancelled => BuildError::Late {
            engine,
            while_at: "making the tables",
        },
        Stop::Unsupported(_) => BuildError::Unsupported {
            engine,
            reason: stop.to_string(),
        },
    })
}

pub(super) fn cached<R: Reasoner<State: Footprint>>(
    make: fn(Order<'_>) -> Result<R, BuildError>,
    order: Order<'_>,
) -> Result<Cached<R>, BuildError> {
    Ok(Cached::new(make(order)?, order.settings.cache_bytes))
}

pub(super) fn auto(order: Order<'_>) -> Result<Auto, BuildError> {
    Auto::new(Arc::clone(order.rules), order.settings).map_err(|source| BuildError::Reason {
        engine: order.engine,
        source,
    })
}

/// The network of a game after passes.
pub(super) fn network(order: Order<'_>) -> Result<Network, BuildError> {
    let Settings { limits, passes, .. } = order.settings;
    let engine = order.engine;
    let in_time = |while_at| {
        if limits.is_late() {
            return Err(BuildError::Late { engine, while_at });
        }
        Ok(())
    };
    let budget = limits.ground_budget();
    let program = ludorum_ground::ground(order.rules, &budget, &mut |_| {})
        .map_err(|verdict| BuildError::Ground { engine, verdict })?;
    in_time("grounding")?;
    let network = ludorum_propnet::build(&program);
    drop(program);
    in_time("making the network")?;
    let network = pass::optimise(network, passes, limits.pass_clock());
    in_time("making the network smaller")?;
    Ok(network)
}
