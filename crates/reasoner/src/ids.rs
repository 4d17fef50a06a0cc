//! The numbers of roles, moves and fluents.

/// A role, by its position among the `role` facts of the rule sheet.
pub type Role = usize;

/// A move of one role, dense from 0. The same number means a different move for another role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveId(pub u32);

impl MoveId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fluent. All forks of a reasoner use the same number for it. Numbers are small, but not
/// necessarily dense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FluentId(pub u32);

impl FluentId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
