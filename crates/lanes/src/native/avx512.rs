//! Code generation for AVX-512: words of 512 lanes, and any function of three words in one
//! instruction (`vpternlogq`).

use iced_x86::{Code as Opcode, Instruction, Register};

use super::super::code::{Code, OpKind};
use super::emitter::{self, Emitter, Operand, Source, VectorTarget};

pub(super) fn assemble(code: &Code) -> Option<(Vec<u8>, Vec<usize>)> {
    emitter::assemble::<Avx512>(code)
}

pub(super) struct Avx512;

/// Register for intermediate results; not allocated to slots.
const SCRATCH: u8 = 31;

const AND: Opcode = Opcode::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64;
/// The second source and not the first.
const AND_NOT: Opcode = Opcode::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64;
const OR: Opcode = Opcode::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64;
const XOR: Opcode = Opcode::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64;

impl VectorTarget for Avx512 {
    const REGISTERS: usize = 31;
    const LOAD: Opcode = Opcode::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
    const STORE: Opcode = Opcode::EVEX_Vmovdqa64_zmmm512_k1z_zmm;
    const HALVES: bool = false;
    const SHORT_ADDRESSES: bool = true;

    fn register(number: u8) -> Register {
        Register::ZMM0 + u32::from(number)
    }

    fn begin(_emitter: &mut Emitter<Self>) {}

    fn operation(
        emitter: &mut Emitter<Self>,
        kind: OpKind,
        singles: &[Source],
        pairs: &[[Source; 2]],
    ) -> u8 {
        match kind {
            OpKind::And | OpKind::Or => chain(emitter, kind == OpKind::And, singles, pairs),
            OpKind::Xor if singles.len() == 2 => emitter.two(XOR, singles[0], singles[1]),
            OpKind::Xor => ternary_or_less(emitter, singles, |values| {
                values.iter().fold(false, |odd, value| odd ^ value)
            }),
            OpKind::Majority => ternary_or_less(emitter, singles, |values| {
                values.iter().filter(|value| **value).count() >= 2
            }),
            OpKind::Copy => ternary_or_less(emitter, singles, |values| values[0]),
        }
    }
}

/// The truth table of a function of three words, in the encoding of `vpternlogq`.
fn table(function: impl Fn(bool, bool, bool) -> bool) -> u32 {
    (0..8u32)
        .filter(|i| function(i >> 2 & 1 == 1, i >> 1 & 1 == 1, i & 1 == 1))
        .fold(0, |table, i| table | 1 << i)
}

impl Emitter<Avx512> {
    /// A function of an accumulator and two operands.
    fn ternary(&mut self, to: u8, a: Operand, b: Operand, table: u32) {
        let (a, b, table) = match (a, b) {
            // An operand in memory must come last; the truth table is permuted accordingly.
            (Operand::Memory(_), Operand::Register(_)) => (b, a, swapped(table)),
            _ => (a, b, table),
        };
        let a = self.in_register(a, SCRATCH);
        let opcode = Opcode::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
        let (to, a) = (Avx512::register(to), Avx512::register(a));
        let instruction = match b {
            Operand::Register(b) => Instruction::with4(opcode, to, a, Avx512::register(b), table),
            Operand::Memory(slot) => Instruction::with4(opcode, to, a, Self::memory(slot), table),
        };
        self.try_emit(instruction);
    }

    /// A register that holds a source and may be overwritten.
    fn accumulator(&mut self, source: Source) -> u8 {
        match self.registers.find(source.slot) {
            Some(register) if source.dies => {
                self.registers.take_over(register);
                register
            }
            Some(register) => {
                let to = self.take();
                // Taking a register may have evicted the source.
                match self.registers.find(source.slot) {
                    Some(_) => self.try_emit(Instruction::with2(
                        Avx512::LOAD,
                        Avx512::register(to),
                        Avx512::register(register),
                    )),
                    None => self.load(to, source.slot),
                }
                to
            }
            None => {
                let to = self.take();
                self.load(to, source.slot);
                to
            }
        }
    }

    /// A function of an accumulator and two sources.
    fn join(&mut self, to: u8, a: Source, b: Source, table: u32) {
        let first = self.operand(a);
        let second = self.operand(b);
        // Loading the second source may have evicted the first.
        let first = match first {
            Operand::Register(_) => self
                .registers
                .find(a.slot)
                .map_or(Operand::Memory(a.slot), Operand::Register),
            memory @ Operand::Memory(_) => memory,
        };
        self.ternary(to, first, second, table);
    }

    /// A function of an accumulator and one source.
    fn join_one(&mut self, to: u8, a: Source, function: impl Fn(bool, bool) -> bool) {
        let own = Operand::Register(to);
        let operand = self.operand(a);
        self.ternary(to, own, operand, table(|x, _, z| function(x, z)));
    }

    /// One of the binary instructions.
    fn two(&mut self, opcode: Opcode, a: Source, b: Source) -> u8 {
        // Sources are read before the result is written, so that it may reuse the register of a
        // source that dies.
        let dying = [a, b]
            .into_iter()
            .find(|source| source.dies && self.registers.find(source.slot).is_some())
            .and_then(|source| self.registers.find(source.slot));
        let to = if let Some(register) = dying {
            self.registers.lock(register);
            register
        } else {
            self.take()
        };
        self.operand(b);
        let first = self.operand(a);
        let first = self.in_register(first, SCRATCH);
        let second = self
            .registers
            .find(b.slot)
            .map_or(Operand::Memory(b.slot), Operand::Register);
        self.binary(opcode, to, first, second);
        if dying.is_some() {
            self.registers.take_over(to);
        }
        to
    }
}

/// The truth table with the second and third argument exchanged.
fn swapped(of: u32) -> u32 {
    table(|a, b, c| of >> (u32::from(a) << 2 | u32::from(c) << 1 | u32::from(b)) & 1 == 1)
}

/// The source that is best overwritten: one that dies in a register, else one that has to be loaded
/// anyway.
fn best_first(emitter: &Emitter<Avx512>, sources: &[Source]) -> usize {
    let cost = |source: &Source| match emitter.registers.find(source.slot) {
        Some(_) if source.dies => 0,
        None => 1,
        Some(_) => 2,
    };
    (0..sources.len())
        .min_by_key(|i| cost(&sources[*i]))
        .unwrap_or(0)
}

/// A symmetric function of one to three sources.
fn ternary_or_less(
    emitter: &mut Emitter<Avx512>,
    sources: &[Source],
    function: impl Fn(&[bool]) -> bool,
) -> u8 {
    let mut sources = sources.to_vec();
    let best = best_first(emitter, &sources);
    sources.swap(0, best);
    let to = emitter.accumulator(sources[0]);
    let count = sources.len();
    let truth = |a: bool, b: bool, c: bool| {
        let mut values = [a, b, c];
        for (value, source) in values.iter_mut().zip(&sources) {
            *value ^= source.negated;
        }
        function(&values[..count])
    };
    let own = Operand::Register(to);
    match sources[..] {
        [source] if !source.negated => {}
        [_] => emitter.ternary(to, own, own, table(|a, _, _| !a)),
        [_, b] => emitter.join_one(to, b, |x, y| truth(x, y, false)),
        [_, b, c, ..] => emitter.join(to, b, c, table(truth)),
        [] => {}
    }
    to
}

/// The conjunction or disjunction of two sources in one instruction besides loads, if there is one
/// for their signs.
fn join_two(emitter: &mut Emitter<Avx512>, all: bool, a: Source, b: Source) -> Option<u8> {
    let in_register = |source: Source| emitter.registers.find(source.slot).is_some();
    // Only the second source may be in memory.
    let (x, y) = if in_register(a) { (a, b) } else { (b, a) };
    match (all, a.negated, b.negated) {
        (true, false, false) => Some(emitter.two(AND, x, y)),
        (true, false, true) => Some(emitter.two(AND_NOT, b, a)),
        (true, true, false) => Some(emitter.two(AND_NOT, a, b)),
        (false, false, false) => Some(emitter.two(OR, x, y)),
        _ => None,
    }
}

/// Which two of an even number of sources are joined first; all others are joined two at a time.
fn first_two(emitter: &Emitter<Avx512>, sources: &[Source]) -> Option<(usize, usize)> {
    if !sources.len().is_multiple_of(2) {
        return None;
    }
    let first = best_first_in_register(emitter, sources);
    let others = (0..sources.len()).filter(|i| *i != first);
    let in_memory = |i: &usize| emitter.registers.find(sources[*i].slot).is_none();
    let fits = |i: &usize| !(sources[*i].negated && sources[first].negated);
    let second = others.filter(fits).max_by_key(in_memory)?;
    Some((first, second))
}

/// The source that is best read from a register: one that dies there, else one that is there.
fn best_first_in_register(emitter: &Emitter<Avx512>, sources: &[Source]) -> usize {
    let cost = |source: &Source| match emitter.registers.find(source.slot) {
        Some(_) if source.dies => 0,
        Some(_) => 1,
        None => 2,
    };
    (0..sources.len())
        .min_by_key(|i| cost(&sources[*i]))
        .unwrap_or(0)
}

/// The conjunction of singles and negated pairs, or the disjunction of singles and pairs.
fn chain(
    emitter: &mut Emitter<Avx512>,
    all: bool,
    singles: &[Source],
    pairs: &[[Source; 2]],
) -> u8 {
    let join = |a: bool, b: bool| if all { a && b } else { a || b };
    let mut singles = singles.to_vec();
    let mut pairs = pairs;
    let mut sign = false;
    let to;
    if singles.is_empty() {
        let Some(([a, b], rest)) = pairs.split_first() else {
            let to = emitter.take();
            let own = Operand::Register(to);
            emitter.ternary(to, own, own, if all { 0xff } else { 0 });
            return to;
        };
        pairs = rest;
        to = join_two(emitter, true, *a, *b).unwrap_or_else(|| {
            ternary_or_less(emitter, &[*a, *b], |values| values[0] && values[1])
        });
        sign = all;
    } else if let Some((first, second)) = first_two(emitter, &singles)
        && let Some(result) = join_two(emitter, all, singles[first], singles[second])
    {
        singles.swap_remove(first.max(second));
        singles.swap_remove(first.min(second));
        to = result;
    } else {
        let best = best_first(emitter, &singles);
        let first = singles.remove(best);
        sign ^= first.negated;
        to = emitter.accumulator(first);
    }
    let mut rest = &singles[..];
    while let [a, b, others @ ..] = rest {
        let truth = table(|x, y, z| join(join(x ^ sign, y ^ a.negated), z ^ b.negated));
        emitter.join(to, *a, *b, truth);
        sign = false;
        rest = others;
    }
    if let [last] = rest {
        emitter.join_one(to, *last, |x, y| join(x ^ sign, y ^ last.negated));
        sign = false;
    }
    for [a, b] in pairs {
        let truth = table(|x, y, z| {
            let pair = (y ^ a.negated) && (z ^ b.negated);
            join(x ^ sign, pair ^ all)
        });
        emitter.join(to, *a, *b, truth);
        sign = false;
    }
    if sign {
        let own = Operand::Register(to);
        emitter.ternary(to, own, own, table(|a, _, _| !a));
    }
    to
}
