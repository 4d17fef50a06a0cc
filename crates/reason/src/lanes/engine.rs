//! What runs code: the interpreter, or native code where there is some.

use std::sync::Arc;

use super::code::Code;
use super::compile::Part;
use super::interpreter;
use super::native::Native;
use super::word::Word;

/// Code with whatever runs it fastest.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    pub(super) code: Arc<Code>,
    pub(super) native: Option<Arc<Native>>,
}

impl Runner {
    /// Runs a part: its sections in order, loops until nothing changes.
    #[inline]
    pub(super) fn run<const W: usize>(&self, part: &Part, changed: u32, memory: &mut [Word<W>]) {
        for number in part.sections.clone() {
            let section = &self.code.sections[number];
            if !section.repeats {
                self.once(number, memory);
                continue;
            }
            for slot in &section.cleared {
                memory[*slot as usize] = Word::NONE;
            }
            // Every round but the last adds a lane to a gate.
            let mut rounds = Word::<W>::LANES * section.cleared.len() + 2;
            loop {
                self.once(number, memory);
                rounds -= 1;
                if memory[changed as usize].is_empty() || rounds == 0 {
                    break;
                }
            }
        }
    }

    #[inline]
    fn once<const W: usize>(&self, section: usize, memory: &mut [Word<W>]) {
        match &self.native {
            Some(native) => native.run(section, memory),
            None => interpreter::run(&self.code, section, memory),
        }
    }
}
