//! Code generation for AVX2: a word is processed in two halves of 256 lanes, by running each piece
//! of code twice.

use iced_x86::{Code as Opcode, Instruction, Register};

use super::super::code::{Code, OpKind};
use super::emitter::{self, Emitter, Operand, Source, VectorTarget};

pub(super) fn assemble(code: &Code) -> Option<(Vec<u8>, Vec<usize>)> {
    emitter::assemble::<Avx2>(code)
}

pub(super) struct Avx2;

/// Register for intermediate results; not allocated to slots.
const SCRATCH: u8 = 13;
/// Second register for intermediate results; not allocated to slots.
const OTHER: u8 = 14;
/// Register in which every lane is set; not allocated to slots.
const ONES: u8 = 15;

const AND: Opcode = Opcode::VEX_Vpand_ymm_ymm_ymmm256;
/// The second source and not the first.
const AND_NOT: Opcode = Opcode::VEX_Vpandn_ymm_ymm_ymmm256;
const OR: Opcode = Opcode::VEX_Vpor_ymm_ymm_ymmm256;
const XOR: Opcode = Opcode::VEX_Vpxor_ymm_ymm_ymmm256;

impl VectorTarget for Avx2 {
    const REGISTERS: usize = 13;
    const LOAD: Opcode = Opcode::VEX_Vmovdqa_ymm_ymmm256;
    const STORE: Opcode = Opcode::VEX_Vmovdqa_ymmm256_ymm;
    const HALVES: bool = true;
    const SHORT_ADDRESSES: bool = false;

    fn register(number: u8) -> Register {
        Register::YMM0 + u32::from(number)
    }

    fn begin(emitter: &mut Emitter<Self>) {
        let compare = Opcode::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        emitter.binary(compare, ONES, ONES, Operand::Register(ONES));
    }

    fn operation(
        emitter: &mut Emitter<Self>,
        kind: OpKind,
        singles: &[Source],
        pairs: &[[Source; 2]],
    ) -> u8 {
        match (kind, singles) {
            (OpKind::And, _) => emitter.all(singles, pairs),
            (OpKind::Or, _) => emitter.some(singles, pairs),
            (OpKind::Majority, [a, b, c, ..]) => emitter.majority(*a, *b, *c),
            // A copy is the parity of one argument.
            _ => emitter.odd(singles),
        }
    }

    fn adder(emitter: &mut Emitter<Self>, arguments: &[Source]) -> Option<(u8, u8)> {
        let &[a, b, c] = arguments else {
            return None;
        };
        let majority = emitter.three(a, b, c);
        let sum = majority.difference;
        emitter.binary(XOR, sum, sum, Operand::Register(majority.third));
        Some((sum, majority.result))
    }
}

/// Registers with the majority of three sources and intermediate results.
struct Majority {
    result: u8,
    /// The lanes in which the first two sources differ.
    difference: u8,
    /// The third source.
    third: u8,
}

impl Emitter<Avx2> {
    /// A register for the result, and one that holds a source; the same one if the source dies here
    /// or is loaded.
    fn begin_with(&mut self, source: Source) -> (u8, u8) {
        match self.registers.find(source.slot) {
            Some(register) if source.dies => {
                self.registers.take_over(register);
                (register, register)
            }
            Some(register) => {
                self.registers.lock(register);
                (self.take(), register)
            }
            None => {
                let to = self.take();
                self.load(to, source.slot);
                (to, to)
            }
        }
    }

    /// Moves a result to its register if it is elsewhere.
    fn end_with(&mut self, to: u8, at: u8) -> u8 {
        if to != at {
            self.try_emit(Instruction::with2(
                Avx2::LOAD,
                Avx2::register(to),
                Avx2::register(at),
            ));
        }
        to
    }

    fn negate(&mut self, to: u8, of: u8) {
        self.binary(XOR, to, of, Operand::Register(ONES));
    }

    /// Computes a pair; returns its register and whether it is negated.
    fn pair(&mut self, [a, b]: [Source; 2]) -> (u8, bool) {
        let (opcode, first, second) = match (a.negated, b.negated) {
            (false, false) => (AND, a, b),
            (true, false) => (AND_NOT, a, b),
            (false, true) => (AND_NOT, b, a),
            (true, true) => (OR, a, b),
        };
        let operand = self.operand(first);
        let register = self.in_register(operand, SCRATCH);
        if let Operand::Register(register) = operand {
            self.registers.lock(register);
        }
        let operand = self.operand(second);
        self.binary(opcode, SCRATCH, register, operand);
        if self.registers.find(first.slot) == Some(register) {
            self.registers.release(register);
        }
        (SCRATCH, a.negated && b.negated)
    }

    /// The conjunction of singles, the first of which is not negated, and of negated pairs.
    fn all(&mut self, singles: &[Source], pairs: &[[Source; 2]]) -> u8 {
        let Some((first, rest)) = singles.split_first() else {
            let to = self.take();
            return self.end_with(to, ONES);
        };
        let (to, mut at) = self.begin_with(*first);
        for single in rest {
            let operand = self.operand(*single);
            if single.negated {
                let register = self.in_register(operand, SCRATCH);
                self.binary(AND_NOT, to, register, Operand::Register(at));
            } else {
                self.binary(AND, to, at, operand);
            }
            at = to;
        }
        for pair in pairs {
            let (register, negated) = self.pair(*pair);
            let opcode = if negated { AND } else { AND_NOT };
            self.binary(opcode, to, register, Operand::Register(at));
            at = to;
        }
        self.end_with(to, at)
    }

    /// The disjunction of singles, none of which is negated, and of pairs.
    fn some(&mut self, singles: &[Source], pairs: &[[Source; 2]]) -> u8 {
        let Some((first, rest)) = singles.split_first() else {
            let to = self.take();
            self.binary(XOR, to, ONES, Operand::Register(ONES));
            return self.some_pairs(to, to, pairs);
        };
        let (to, mut at) = self.begin_with(*first);
        for single in rest {
            let operand = self.operand(*single);
            self.binary(OR, to, at, operand);
            at = to;
        }
        self.some_pairs(to, at, pairs)
    }

    fn some_pairs(&mut self, to: u8, at: u8, pairs: &[[Source; 2]]) -> u8 {
        let mut at = at;
        for pair in pairs {
            let (register, negated) = self.pair(*pair);
            if negated {
                self.negate(register, register);
            }
            self.binary(OR, to, at, Operand::Register(register));
            at = to;
        }
        self.end_with(to, at)
    }

    fn odd(&mut self, singles: &[Source]) -> u8 {
        let Some((first, rest)) = singles.split_first() else {
            let to = self.take();
            self.binary(XOR, to, ONES, Operand::Register(ONES));
            return to;
        };
        let (to, mut at) = self.begin_with(*first);
        for single in rest {
            let operand = self.operand(*single);
            self.binary(XOR, to, at, operand);
            at = to;
        }
        if singles.iter().filter(|single| single.negated).count() % 2 == 1 {
            self.negate(to, at);
            at = to;
        }
        self.end_with(to, at)
    }

    /// The majority of three sources, at most one of which is negated.
    fn majority(&mut self, a: Source, b: Source, c: Source) -> u8 {
        self.three(a, b, c).result
    }

    /// The majority of three sources. Where the first two agree they decide, otherwise the third
    /// does; if the first is negated, the other way round.
    fn three(&mut self, a: Source, b: Source, c: Source) -> Majority {
        let (x, y, z) = if b.negated {
            (b, a, c)
        } else if c.negated {
            (c, a, b)
        } else {
            (a, b, c)
        };
        let mut held = |source: Source, scratch: u8| {
            let operand = self.operand(source);
            if let Operand::Register(register) = operand {
                self.registers.lock(register);
            }
            self.in_register(operand, scratch)
        };
        let (second, third) = (held(y, SCRATCH), held(z, OTHER));
        let (difference, result) = (self.take(), self.take());
        // Located last, because taking the registers above may have evicted it.
        let first = self.operand(x);
        self.binary(XOR, difference, second, first);
        self.binary(XOR, result, second, Operand::Register(third));
        self.binary(AND, result, result, Operand::Register(difference));
        let other = if x.negated { third } else { second };
        self.binary(XOR, result, result, Operand::Register(other));
        Majority {
            result,
            difference,
            third,
        }
    }
}
