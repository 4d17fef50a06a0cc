//! Native code: the operations of a section one after the other, without loops or dispatch.
//!
//! Registers are a cache of memory slots: an operand is taken from a register if it is there, and
//! the value whose next use lies farthest ahead makes room. A result goes to memory only if it has
//! to leave its register before its last use, or if another section reads it.
//!
//! Pages are written first and made executable afterwards; they are never both.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod emitter;
#[cfg(target_arch = "x86_64")]
mod registers;

use super::code::Code;
use super::lane_word::LaneWord;

/// The most operations that are compiled; longer code would not fit into any cache of instructions,
/// and the interpreter's is shorter.
#[cfg(target_arch = "x86_64")]
const MOST_OPERATIONS: usize = 1 << 21;

/// What code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instructions {
    /// Vectors of 256 bits: a word is worked on in two halves.
    Avx2,
    /// Vectors of 512 bits.
    Avx512,
}

impl Instructions {
    /// The best that this processor has.
    pub(super) fn best() -> Option<Self> {
        [Self::Avx512, Self::Avx2]
            .into_iter()
            .find(|instructions| instructions.are_there())
    }

    /// Whether this processor has them.
    pub(super) fn are_there(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

/// Native code for every section of some code.
#[derive(Debug)]
pub(super) struct Native {
    #[cfg(target_arch = "x86_64")]
    pages: memmap2::Mmap,
    /// Where each section starts.
    #[cfg(target_arch = "x86_64")]
    starts: Vec<usize>,
    /// The words that memory must have.
    #[cfg(target_arch = "x86_64")]
    slots: usize,
}

#[cfg(target_arch = "x86_64")]
impl Native {
    /// Compiles code, if this processor has the instructions and the code is not too long.
    pub(super) fn new(code: &Code, instructions: Instructions) -> Option<Self> {
        if code.operations() > MOST_OPERATIONS || !instructions.are_there() {
            return None;
        }
        let (bytes, starts) = match instructions {
            Instructions::Avx512 => avx512::assemble(code)?,
            Instructions::Avx2 => avx2::assemble(code)?,
        };
        let mut pages = memmap2::MmapMut::map_anon(bytes.len().max(1)).ok()?;
        pages[..bytes.len()].copy_from_slice(&bytes);
        Some(Self {
            pages: pages.make_exec().ok()?,
            starts,
            slots: code.slots as usize,
        })
    }

    /// Runs a section once.
    #[inline]
    pub(super) fn run(&self, section: usize, memory: &mut [LaneWord]) {
        assert!(memory.len() >= self.slots, "memory for all slots");
        let start = std::ptr::from_ref(&self.pages[self.starts[section]]);
        let words: *mut u64 = memory.as_mut_ptr().cast();
        // SAFETY: the address is that of a function which `assemble` wrote for instructions that
        // this processor has; it follows the calling convention, reads and writes the first `slots`
        // words behind its argument only, and returns. Words are aligned to their size.
        unsafe {
            let function: extern "sysv64" fn(*mut u64) = std::mem::transmute(start);
            function(words);
        }
    }

    /// How long the code is.
    pub(super) fn bytes(&self) -> usize {
        self.pages.len()
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Native {
    /// There is no compiler for this processor.
    pub(super) fn new(_code: &Code, _instructions: Instructions) -> Option<Self> {
        None
    }

    pub(super) fn run(&self, _section: usize, _memory: &mut [LaneWord]) {}

    pub(super) fn bytes(&self) -> usize {
        0
    }
}
