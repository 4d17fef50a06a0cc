//! Code for words of 256 lanes.

use super::super::code::Code;

pub(super) fn assemble(_code: &Code) -> Option<(Vec<u8>, Vec<usize>)> {
    None
}
