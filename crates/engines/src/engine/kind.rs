//! The list of engines. To add one, add an entry here and an arm in [`super::build`].

/// An engine without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EngineKind {
    /// Backward chaining over the rules: the reference.
    Prover,
    /// OR-AND trees over sets of rows.
    Orand,
    /// Forward chaining with reference tables.
    Chain,
    /// The propositional network.
    Propnet,
    /// Bit-sliced playouts on the network.
    Lanes,
    /// The best engine for the game, chosen by the program.
    Auto,
}

/// What an engine is called and what can be expected of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineTraits {
    /// The name to choose it by.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Whether it needs a ground program and therefore declines games that are too large for one.
    pub grounds: bool,
    /// Whether it takes optimising passes over the network as an option.
    pub has_passes: bool,
    /// Whether playouts are all it is good for: questions about single states are answered slowly.
    pub playouts_only: bool,
}

impl EngineKind {
    /// All engines, the reference first.
    pub const ALL: [Self; 6] = [
        Self::Prover,
        Self::Orand,
        Self::Chain,
        Self::Propnet,
        Self::Lanes,
        Self::Auto,
    ];

    /// What it is called and what can be expected of it.
    pub const fn traits(self) -> EngineTraits {
        match self {
            Self::Prover => EngineTraits {
                name: "prover",
                about: "backward chaining over the rules; takes every sheet, the reference for \
                        all others",
                grounds: false,
                has_passes: false,
                playouts_only: false,
            },
            Self::Orand => EngineTraits {
                name: "orand",
                about: "OR-AND interpreter, proves whole sets of rows at once; takes every sheet",
                grounds: false,
                has_passes: false,
                playouts_only: false,
            },
            Self::Chain => EngineTraits {
                name: "chain",
                about: "forward chaining with tables that lead from fact to fact; takes every \
                        sheet whose terms do not nest without bound",
                grounds: false,
                has_passes: false,
                playouts_only: false,
            },
            Self::Propnet => EngineTraits {
                name: "propnet",
                about: "propositional network; propagation=differential evaluates only what \
                        changes, forward every gate, backward gates on demand",
                grounds: true,
                has_passes: true,
                playouts_only: false,
            },
            Self::Lanes => EngineTraits {
                name: "lanes",
                about: "propositional network, hundreds of playouts at once in the bits of \
                        machine words",
                grounds: true,
                has_passes: true,
                playouts_only: true,
            },
            Self::Auto => EngineTraits {
                name: "auto",
                about: "answers at once by proving, compiles a network in the background and \
                        changes to it; takes every sheet",
                grounds: false,
                has_passes: true,
                playouts_only: false,
            },
        }
    }
}

/// How values are propagated through a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Propagation {
    /// Only components whose inputs change are evaluated.
    #[default]
    Differential,
    /// Every gate is evaluated in topological order.
    Forward,
    /// Gates are evaluated on demand, from outputs to inputs.
    Backward,
}

impl Propagation {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Differential, Self::Forward, Self::Backward];

    /// The name to choose it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Differential => "differential",
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}
