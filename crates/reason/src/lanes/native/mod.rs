//! Native code: the operations of a section one after the other, without loops or dispatch.
//!
//! Registers are a cache of memory slots: an operand is taken from a register if it is there, and the value whose next use lies farthest
//! ahead makes room. A result goes to memory only if it has to leave its register before its last use, or if another section reads it.
//!
//! Pages are written first and made executable afterwards; they are never both.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod cache;
#[cfg(target_arch = "x86_64")]
mod emitter;

use super::code::Code;
use super::word::Word;

/// The most operations that are compiled; longer code would not fit into any cache of instructions, and the interpreter's is shorter.
#[cfg(target_arch = "x86_64")]
const MOST_OPERATIONS: usize = 1 << 21;

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
    /// Compiles code for words of `64 * W` lanes, if this processor has what it takes.
    pub(super) fn new<const W: usize>(code: &Code) -> Option<Self> {
        let operations: usize = code.sections.iter().map(|section| section.ops.len()).sum();
        if operations > MOST_OPERATIONS {
            return None;
        }
        let (bytes, starts) = match W {
            8 if is_x86_feature_detected!("avx512f") => avx512::assemble(code)?,
            4 if is_x86_feature_detected!("avx2") => avx2::assemble(code)?,
            _ => return None,
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
    pub(super) fn run<const W: usize>(&self, section: usize, memory: &mut [Word<W>]) {
        assert!(memory.len() >= self.slots, "memory for all slots");
        let start = &self.pages[self.starts[section]];
        // SAFETY: the address is that of a function which `assemble` wrote for this processor and this width of words; it follows the calling convention,
        // reads and writes the first `slots` words behind its argument only, and returns.
        unsafe {
            let function: extern "sysv64" fn(*mut Word<W>) =
                std::mem::transmute(std::ptr::from_ref(start));
            function(memory.as_mut_ptr());
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
    pub(super) fn new<const W: usize>(_code: &Code) -> Option<Self> {
        None
    }

    pub(super) fn run<const W: usize>(&self, _section: usize, _memory: &mut [Word<W>]) {}

    pub(super) fn bytes(&self) -> usize {
        0
    }
}
