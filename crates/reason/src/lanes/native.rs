//! Native code.

use super::word::Word;

/// Native code for every section of some code.
#[derive(Debug)]
pub(super) struct Native {}

impl Native {
    pub(super) fn run<const W: usize>(&self, _section: usize, _memory: &mut [Word<W>]) {}
}
