//! The strategies of the portfolio (Świechowski 2015, section 3.3), one file each.

pub(super) mod exploration;
pub(super) mod feature_statistics;
pub(super) mod goal;
pub(super) mod history;
pub(super) mod mobility;
pub(super) mod random;
pub(super) mod score;
pub(super) mod symbols;
