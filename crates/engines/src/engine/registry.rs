//! The list of engines. To add one, add an entry.

use std::sync::Arc;

use ludorum_logic::Rules;

use super::{BuildError, EngineVisitor, Settings, Traits, make};
use ludorum_propnet::{Backward, Differential, Forward};

/// Makes the choice among engines from a list of entries: its variants in the order of the list,
/// the traits of each, and the one place where each is made.
macro_rules! engines {
    ($($(#[doc = $doc:literal])+ $variant:ident {
        name: $name:literal,
        about: $about:literal,
        grounds: $grounds:literal,
        caches: $caches:literal,
        playouts_only: $playouts_only:literal,
        make: $make:expr,
    })+) => {
        /// An engine that can be chosen by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Engine {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Engine {
            /// All engines, the reference first.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            /// What it is called and what can be expected of it.
            pub fn traits(self) -> Traits {
                match self {
                    $(Self::$variant => Traits {
                        name: $name,
                        about: $about,
                        grounds: $grounds,
                        caches: $caches,
                        playouts_only: $playouts_only,
                    },)+
                }
            }

            /// Makes the engine with settings and runs a visitor on it.
            pub fn build_with<V: EngineVisitor>(
                self,
                rules: &Arc<Rules>,
                settings: &Settings,
                visitor: V,
            ) -> Result<V::Output, BuildError> {
                match self {
                    $(Self::$variant => {
                        let make: fn(make::Order<'_>) -> Result<_, BuildError> = $make;
                        let reasoner = make(make::Order { engine: self, rules, settings })?;
                        Ok(visitor.visit(reasoner))
                    })+
                }
            }
        }
    };
}

engines! {
    /// Backward chaining over the rules: the reference.
    Prover {
        name: "prover",
        about: "backward chaining over the rules; takes every sheet, the reference for all others",
        grounds: false,
        caches: false,
        playouts_only: false,
        make: make::prover,
    }
    /// Trees of alternatives over sets of rows.
    Orand {
        name: "orand",
        about: "OR-AND interpreter, proves whole sets of rows at once; takes every sheet",
        grounds: false,
        caches: false,
        playouts_only: false,
        make: make::orand,
    }
    /// Forward chaining with reference tables.
    Chain {
        name: "chain",
        about: "forward chaining with tables that lead from fact to fact; takes every sheet whose terms do not nest without bound",
        grounds: false,
        caches: false,
        playouts_only: false,
        make: make::chain,
    }
    /// The optimised network with differential propagation.
    Propnet {
        name: "propnet",
        about: "propositional network, only what changes is evaluated",
        grounds: true,
        caches: false,
        playouts_only: false,
        make: make::propnet::<Differential>,
    }
    /// The optimised network with forward propagation.
    PropnetForward {
        name: "propnet-forward",
        about: "propositional network, every gate evaluated in order",
        grounds: true,
        caches: false,
        playouts_only: false,
        make: make::propnet::<Forward>,
    }
    /// The optimised network with backward propagation.
    PropnetBackward {
        name: "propnet-backward",
        about: "propositional network, gates evaluated on demand",
        grounds: true,
        caches: false,
        playouts_only: false,
        make: make::propnet::<Backward>,
    }
    /// The optimised network on hundreds of states at once.
    Lanes {
        name: "lanes",
        about: "propositional network, hundreds of playouts at once in the bits of machine words",
        grounds: true,
        caches: false,
        playouts_only: true,
        make: make::lanes,
    }
    /// The prover with a memory.
    CachedProver {
        name: "cached-prover",
        about: "the prover, remembering its answers",
        grounds: false,
        caches: true,
        playouts_only: false,
        make: |order| make::cached(make::prover, order),
    }
    /// The OR-AND interpreter with a memory.
    CachedOrand {
        name: "cached-orand",
        about: "orand, remembering its answers",
        grounds: false,
        caches: true,
        playouts_only: false,
        make: |order| make::cached(make::orand, order),
    }
    /// Forward chaining with a memory.
    CachedChain {
        name: "cached-chain",
        about: "chain, remembering its answers",
        grounds: false,
        caches: true,
        playouts_only: false,
        make: |order| make::cached(make::chain, order),
    }
    /// The differential network with a memory.
    CachedPropnet {
        name: "cached-propnet",
        about: "propnet, remembering its answers",
        grounds: true,
        caches: true,
        playouts_only: false,
        make: |order| make::cached(make::propnet::<Differential>, order),
    }
    /// The forward network with a memory.
    CachedPropnetForward {
        name: "cached-propnet-forward",
        about: "propnet-forward, remembering its answers",
        grounds: true,
        caches: true,
        playouts_only: false,
        make: |order| make::cached(make::propnet::<Forward>, order),
    }
    /// The backward network with a memory.
    CachedPropnetBackward {
        name: "cached-propnet-backward",
        about: "propnet-backward, remembering its answers",
        grounds: true,
        caches: true,
        playouts_only: false,
        make: |order| make::cached(make::propnet::<Backward>, order),
    }
    /// The best engine for the game.
    Auto {
        name: "auto",
        about: "answers at once by proving, compiles a network in the background and goes over to it; takes every sheet",
        grounds: false,
        caches: false,
        playouts_only: false,
        make: make::auto,
    }
}
