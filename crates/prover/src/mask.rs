//! Sets of argument positions, as bit masks.

/// A set of argument positions.
pub(super) type Mask = u64;

/// The largest arity of a relation in this engine.
pub(super) const MAX_ARITY: usize = 64;

/// The mask of all positions.
pub(super) fn full(arity: usize) -> Mask {
    if arity >= 64 {
        Mask::MAX
    } else {
        (1 << arity) - 1
    }
}
