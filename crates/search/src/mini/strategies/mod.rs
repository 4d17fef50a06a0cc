//! The portfolio of strategies (section 3.3 of the thesis), a file for each.

pub(super) mod census;
pub(super) mod exploration;
pub(super) mod goal;
pub(super) mod history;
pub(super) mod mobility;
pub(super) mod random;
pub(super) mod score;
pub(super) mod symbols;
