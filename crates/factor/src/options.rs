//! Options of the rewriting.

/// The stages of games in which one role at a time has a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TurnStages {
    /// Each role has stages of its own, so that the code of a stage has the rules of one role. Best
    /// where most candidates are accepted.
    #[default]
    Separate,
    /// The first role draws for the role that has the turn. Best where few candidates are accepted,
    /// since no lane waits for its turn.
    Shared,
    /// Turns are not looked for: all roles draw together.
    Ignored,
}

/// How a game is staged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StageOptions {
    /// How many groups of arguments are drawn second, the last first, in kinds of moves that seem to
    /// have more than [`large`](Self::large) moves.
    pub suffix_groups: u8,
    /// Kinds of moves with at most so many moves, by the sizes of their domains, are drawn at once.
    pub large: u32,
    /// Whether failed candidates are remembered even if no rule asks for legal moves.
    pub remember_failures: bool,
    /// The stages of roles that take turns.
    pub turns: TurnStages,
    /// Whether fluents such as the position of the king are assumed to have one value in every
    /// state. The step is not made in a state in which they have several or none.
    pub assume: bool,
    /// Conditions on relations of at most this size do not need such an assumption.
    pub assume_above: u32,
}

impl StageOptions {
    /// All rewritings, with as few arguments drawn second as possible.
    pub const DEFAULT: Self = Self {
        suffix_groups: 0,
        large: 8_000,
        remember_failures: false,
        turns: TurnStages::Separate,
        assume: true,
        assume_above: 2_000,
    };
}

impl Default for StageOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}
