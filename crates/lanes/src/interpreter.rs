//! The interpreter: runs code operation by operation, on every platform.
//!
//! Its loop is compiled for several instruction sets and chosen at run time.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

use super::code::{Argument, Code, OpKind};
use super::lane_word::LaneWord;

/// Runs a section once.
pub(super) fn run(code: &Code, section: usize, memory: &mut [LaneWord]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the check above found AVX-512F on this processor, the only feature the
            // function enables.
            unsafe { run_avx512(code, section, memory) };
            return;
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the check above found AVX2 on this processor, the only feature the function
            // enables.
            unsafe { run_avx2(code, section, memory) };
            return;
        }
    }
    run_anywhere(code, section, memory);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(code: &Code, section: usize, memory: &mut [LaneWord]) {
    run_anywhere(code, section, memory);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(code: &Code, section: usize, memory: &mut [LaneWord]) {
    run_anywhere(code, section, memory);
}

#[inline(always)]
fn run_anywhere(code: &Code, section: usize, memory: &mut [LaneWord]) {
    for op in &code.sections[section].ops {
        let singles = code.singles(op);
        let result = match op.kind {
            OpKind::And => {
                let mut all = LaneWord::ALL;
                for argument in singles {
                    all = all.and(read(memory, *argument));
                }
                for [a, b] in code.pairs(op) {
                    all = all.without(read(memory, *a).and(read(memory, *b)));
                }
                all
            }
            OpKind::Or => {
                let mut some = LaneWord::NONE;
                for argument in singles {
                    some = some.or(read(memory, *argument));
                }
                for [a, b] in code.pairs(op) {
                    some = some.or(read(memory, *a).and(read(memory, *b)));
                }
                some
            }
            OpKind::Xor => {
                let mut odd = LaneWord::NONE;
                for argument in singles {
                    odd = odd.xor(read(memory, *argument));
                }
                odd
            }
            OpKind::Majority => {
                let [a, b, c] = [0, 1, 2].map(|i| read(memory, singles[i]));
                a.and(b).or(c.and(a.or(b)))
            }
            OpKind::Copy => read(memory, singles[0]),
        };
        memory[op.to as usize] = result;
    }
}

#[inline(always)]
fn read(memory: &[LaneWord], argument: Argument) -> LaneWord {
    let sign = u64::from(argument & 1).wrapping_neg();
    memory[(argument >> 1) as usize].map(|word| word ^ sign)
}
