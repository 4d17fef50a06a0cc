//! The list of engines. A new engine needs an entry here and an arm in `super::build`.

/// An engine without options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EngineKind {
    /// Backward chaining over the rules: the reference.
    Prover,
    /// OR-AND trees that prove whole sets of rows at once (Świechowski and Mańdziuk 2014).
    Orand,
    /// Forward chaining with reference tables (Schofield and Saffidine 2013).
    Chain,
    /// A propositional network (Sironi and Winands 2016).
    Propnet,
    /// Bit-sliced playouts on the network.
    Lanes,
    /// Bit-sliced playouts in which moves are drawn in stages.
    Staged,
    /// Chooses among the other engines while it plays.
    Auto,
}

/// The name and the properties of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // a row of a table
pub struct EngineProperties {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Whether it needs a ground program. Such engines decline games that are too large to ground.
    pub grounds: bool,
    /// Whether it has the option `passes`.
    pub has_passes: bool,
    /// Whether it declines games that its method does not cover, with the reason. Comparisons leave
    /// it out there.
    pub declines: bool,
    /// Whether it is fast at playouts only and slow at queries about single states.
    pub playouts_only: bool,
}

impl EngineKind {
    /// All engines, the reference first.
    pub const ALL: [Self; 7] = [
        Self::Prover,
        Self::Orand,
        Self::Chain,
        Self::Propnet,
        Self::Lanes,
        Self::Staged,
        Self::Auto,
    ];

    /// The name and the properties.
    pub const fn properties(self) -> EngineProperties {
        match self {
            Self::Prover => EngineProperties {
                name: "prover",
                about: "backward chaining over the rules; takes every sheet, the reference for \
                        all others",
                grounds: false,
                has_passes: false,
                declines: false,
                playouts_only: false,
            },
            Self::Orand => EngineProperties {
                name: "orand",
                about: "OR-AND interpreter, proves whole sets of rows at once; takes every sheet",
                grounds: false,
                has_passes: false,
                declines: false,
                playouts_only: false,
            },
            Self::Chain => EngineProperties {
                name: "chain",
                about: "forward chaining with tables that lead from fact to fact; takes every \
                        sheet whose terms do not nest without bound",
                grounds: false,
                has_passes: false,
                declines: false,
                playouts_only: false,
            },
            Self::Propnet => EngineProperties {
                name: "propnet",
                about: "propositional network; propagation=differential evaluates only what \
                        changes, forward every gate, backward gates on demand",
                grounds: true,
                has_passes: true,
                declines: false,
                playouts_only: false,
            },
            Self::Lanes => EngineProperties {
                name: "lanes",
                about: "propositional network, hundreds of playouts at once in the bits of \
                        machine words",
                grounds: true,
                has_passes: true,
                declines: false,
                playouts_only: true,
            },
            Self::Staged => EngineProperties {
                name: "staged",
                about: "lanes on rewritten rules: draws a candidate, tests it, draws again; for \
                        games with too many moves for a network",
                grounds: true,
                has_passes: false,
                declines: true,
                playouts_only: true,
            },
            Self::Auto => EngineProperties {
                name: "auto",
                about: "answers at once by proving, builds and measures the others in the \
                        background and asks the fastest; takes every sheet",
                grounds: false,
                has_passes: true,
                declines: false,
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
    /// All propagations, the default first.
    pub const ALL: [Self; 3] = [Self::Differential, Self::Forward, Self::Backward];

    /// The value of the option `propagation`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Differential => "differential",
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}
