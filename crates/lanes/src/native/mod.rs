//! Native code: the operations of a section as straight-line vector instructions, without loops or
//! dispatch.
//!
//! Registers cache memory slots: an operand is taken from a register if it is there, and the value
//! whose next use is farthest in the future is evicted first (Belady's rule; Belady 1966). A result
//! is stored only if it is evicted before its last use (spilling), or if another section reads it.
//!
//! Code pages are written first and made executable afterwards; they are never both.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod base_registers;
#[cfg(target_arch = "x86_64")]
mod emitter;
#[cfg(target_arch = "x86_64")]
mod registers;

use super::code::Code;
use super::lane_word::LaneWord;

/// The largest number of operations that are compiled. Longer code would exceed all instruction
/// caches, and the interpreter's code is more compact.
#[cfg(target_arch = "x86_64")]
const MAX_OPERATIONS: usize = 1 << 21;

/// A vector instruction set to compile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instructions {
    /// Vectors of 256 bits; a word is processed in two halves.
    Avx2,
    /// Vectors of 512 bits.
    Avx512,
}

impl Instructions {
    /// The best set that this processor supports.
    pub(super) fn best() -> Option<Self> {
        [Self::Avx512, Self::Avx2]
            .into_iter()
            .find(|instructions| instructions.is_supported())
    }

    /// Whether this processor supports the set.
    pub(super) fn is_supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

/// Native code for every section of a [`Code`].
#[derive(Debug)]
pub(super) struct Native {
    #[cfg(target_arch = "x86_64")]
    pages: memmap2::Mmap,
    /// The offset of each section.
    #[cfg(target_arch = "x86_64")]
    starts: Vec<usize>,
    /// The number of words that the code may access.
    #[cfg(target_arch = "x86_64")]
    slots: usize,
}

#[cfg(target_arch = "x86_64")]
impl Native {
    /// Compiles code; `None` if the processor lacks the instructions or the code is too long.
    pub(super) fn new(code: &Code, instructions: Instructions) -> Option<Self> {
        if code.operations() > MAX_OPERATIONS || !instructions.is_supported() {
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
        // SAFETY: `start` is the entry of a function that `assemble` generated:
        // - this processor has its instructions, which `new` has checked;
        // - its pages are executable and live as long as `self`;
        // - it follows the System V calling convention, clobbers only vector registers and
        //   general registers that callees may overwrite, and returns;
        // - it reads and writes only the first `slots` words behind its argument, which the
        //   assertion above proves to be there, and which `memory` borrows exclusively;
        // - words are aligned to 64 bytes, as the aligned loads and stores require.
        unsafe {
            let function: extern "sysv64" fn(*mut u64) = std::mem::transmute(start);
            function(words);
        }
    }

    /// The size of the code in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.pages.len()
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Native {
    /// Always `None`: there is no code generator for this architecture.
    pub(super) fn new(_code: &Code, _instructions: Instructions) -> Option<Self> {
        None
    }

    pub(super) fn run(&self, _section: usize, _memory: &mut [LaneWord]) {}

    pub(super) fn bytes(&self) -> usize {
        0
    }
}
