//! Instruction encoding for both vector widths: operands, loads, stores, and the loop over
//! operations.

use iced_x86::{Code as Opcode, Encoder, Instruction, MemoryOperand, Register};

use super::super::code::{Argument, Code, Op, OpKind, Slot};
use super::base_registers::{BaseRegisters, STRETCH};
use super::registers::{NEVER, NextUses, Registers};

/// An operand of an instruction: a register or a memory slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Register(u8),
    Memory(Slot),
}

/// An argument of an operation, with its liveness.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) slot: Slot,
    pub(super) negated: bool,
    /// The next operation that uses the slot after this one.
    next: u32,
    /// Whether this operation is the last use of the slot, and uses it once.
    pub(super) dies: bool,
}

/// The distance between slots in bytes.
const WORD_BYTES: i64 = 64;
/// The offset of the second half of a word.
const HALF_BYTES: i32 = 32;
/// The approximate size in bytes of pieces of code for half words. A piece runs for the first half
/// of its words and then at once for the second, so that long code is fetched once and not twice.
const PIECE_BYTES: u64 = 12 * 1024;

/// A vector instruction set.
pub(super) trait VectorTarget {
    /// The number of registers that are allocated to slots; scratch registers have higher numbers.
    const REGISTERS: usize;
    const LOAD: Opcode;
    const STORE: Opcode;
    /// Whether a register holds half of a word.
    const HALVES: bool;
    /// Whether addresses near a base register are shorter.
    const SHORT_ADDRESSES: bool;
    fn register(number: u8) -> Register;
    /// Emits the prologue of a section.
    fn begin(emitter: &mut Emitter<Self>)
    where
        Self: Sized;
    /// Emits an operation; returns the register of its result.
    fn operation(
        emitter: &mut Emitter<Self>,
        kind: OpKind,
        singles: &[Source],
        pairs: &[[Source; 2]],
    ) -> u8
    where
        Self: Sized;
    /// Emits the sum and the carry of a full adder together, and returns their registers; `None` if
    /// the target gains nothing from that.
    fn adder(_emitter: &mut Emitter<Self>, _arguments: &[Source]) -> Option<(u8, u8)>
    where
        Self: Sized,
    {
        None
    }
}

/// Emits the machine code of sections.
pub(super) struct Emitter<T> {
    encoder: Encoder,
    length: u64,
    failed: bool,
    pub(super) registers: Registers,
    bases: BaseRegisters,
    /// The instructions of the present stretch, if addresses are shortened.
    stretch: Vec<Instruction>,
    target: std::marker::PhantomData<T>,
}

/// Machine code and the offset of each section; `None` if something cannot be encoded.
pub(super) fn assemble<T: VectorTarget>(code: &Code) -> Option<(Vec<u8>, Vec<usize>)> {
    let mut emitter: Emitter<T> = Emitter {
        encoder: Encoder::new(64),
        length: 0,
        failed: false,
        registers: Registers::new(T::REGISTERS, code.slots as usize),
        bases: BaseRegisters::default(),
        stretch: Vec::new(),
        target: std::marker::PhantomData,
    };
    let mut starts = Vec::with_capacity(code.sections.len());
    for section in &code.sections {
        starts.push(emitter.length as usize);
        emitter.registers = Registers::new(T::REGISTERS, code.slots as usize);
        emitter.bases = BaseRegisters::default();
        T::begin(&mut emitter);
        let uses = NextUses::new(code, section);
        let mut piece = emitter.length;
        let mut at = 0;
        while at < section.ops.len() {
            at += emitter.operations(code, &section.ops[at..], &uses, at);
            if T::HALVES && (emitter.length - piece > PIECE_BYTES || at == section.ops.len()) {
                emitter.other_half(piece);
                piece = emitter.length;
            }
        }
        emitter.emit(Instruction::with(Opcode::VEX_Vzeroupper));
        emitter.emit(Instruction::with(Opcode::Retnq));
        emitter.end_stretch();
    }
    (!emitter.failed).then(|| (emitter.encoder.take_buffer(), starts))
}

impl<T: VectorTarget> Emitter<T> {
    /// Emits a jump back to `from`, once, so that the code since then runs for the other half of
    /// all words too.
    fn other_half(&mut self, from: u64) {
        for (register, slot) in self.registers.clear() {
            self.store(slot, register);
        }
        // Words are aligned to 64 bytes, so that one bit of the address tells the halves apart.
        let (base, half) = (Register::RDI, HALF_BYTES);
        self.try_emit(Instruction::with2(Opcode::Xor_rm64_imm8, base, half));
        self.try_emit(Instruction::with2(
            Opcode::Test_rm8_imm8,
            Register::DIL,
            half,
        ));
        self.try_emit(Instruction::with_branch(Opcode::Jne_rel32_64, from));
    }

    /// Emits the next operation, or the next two if they are a full adder; returns how many. `at`
    /// is the index of the first.
    fn operations(&mut self, code: &Code, ops: &[Op], uses: &NextUses, at: usize) -> usize {
        let (one, two) = match ops {
            [one, two, ..] if is_adder(code, one, two) => (one, two),
            [op, ..] => {
                self.operation(code, op, uses, at);
                return 1;
            }
            [] => return 0,
        };
        // The sum has no signs, so those of the carry count. The next uses are those after both.
        let carry = if one.kind == OpKind::Majority {
            one
        } else {
            two
        };
        let sources = sources(code, two, uses);
        let signs = code.singles(carry);
        let sources: Vec<Source> = sources
            .into_iter()
            .map(|source| Source {
                negated: signs.contains(&(source.slot << 1 | 1)),
                ..source
            })
            .collect();
        let Some((sum_at, carry_at)) = T::adder(self, &sources) else {
            self.operation(code, one, uses, at);
            return 1;
        };
        let results = if carry.to == one.to {
            [carry_at, sum_at]
        } else {
            [sum_at, carry_at]
        };
        for i in two.start..two.start + two.singles {
            let slot = code.arguments[i as usize] >> 1;
            self.registers.used(slot, uses.of_argument(i));
        }
        for (i, (op, result)) in [one, two].into_iter().zip(results).enumerate() {
            self.result(op, result, uses.results[at + i]);
        }
        self.registers.unlock();
        2
    }

    fn operation(&mut self, code: &Code, op: &Op, uses: &NextUses, at: usize) {
        let sources = sources(code, op, uses);
        let (singles, pairs) = sources.split_at(op.singles as usize);
        let result = T::operation(self, op.kind, singles, pairs.as_chunks().0);
        for i in op.start..op.start + sources.len() as u32 {
            let slot = code.arguments[i as usize] >> 1;
            self.registers.used(slot, uses.of_argument(i));
        }
        self.result(op, result, uses.results[at]);
        self.registers.unlock();
    }

    /// Records that the result of an operation is in a register; its next use is at `next`.
    fn result(&mut self, op: &Op, result: u8, next: u32) {
        if op.lasting {
            self.store(op.to, result);
        }
        if next == NEVER {
            // The cached old value of the slot is out of date.
            self.registers.used(op.to, NEVER);
        } else {
            self.registers.hold(result, op.to, next, !op.lasting);
        }
    }

    /// The operand for a source; it is loaded into a register if it will be used again soon.
    pub(super) fn operand(&mut self, source: Source) -> Operand {
        if let Some(register) = self.registers.find(source.slot) {
            return Operand::Register(register);
        }
        if !self.registers.wants(source.next) {
            return Operand::Memory(source.slot);
        }
        let register = self.take();
        self.load(register, source.slot);
        self.registers
            .hold(register, source.slot, source.next, false);
        self.registers.release(register);
        Operand::Register(register)
    }

    pub(super) fn emit(&mut self, instruction: Instruction) {
        if !T::SHORT_ADDRESSES {
            self.encode(instruction);
            return;
        }
        self.stretch.push(instruction);
        if self.stretch.len() == STRETCH {
            self.end_stretch();
        }
    }

    /// Encodes the instructions of the present stretch.
    fn end_stretch(&mut self) {
        let mut stretch = std::mem::take(&mut self.stretch);
        match self.bases.shorten(&mut stretch) {
            Ok(loads) => loads.into_iter().for_each(|load| self.encode(load)),
            Err(_) => self.failed = true,
        }
        stretch
            .drain(..)
            .for_each(|instruction| self.encode(instruction));
        self.stretch = stretch;
    }

    fn encode(&mut self, instruction: Instruction) {
        match self.encoder.encode(&instruction, self.length) {
            Ok(length) => self.length += length as u64,
            Err(_) => self.failed = true,
        }
    }

    #[allow(clippy::needless_pass_by_value)] // made at each call
    pub(super) fn try_emit(&mut self, instruction: Result<Instruction, iced_x86::IcedError>) {
        match instruction {
            Ok(instruction) => self.emit(instruction),
            Err(_) => self.failed = true,
        }
    }

    pub(super) fn memory(slot: Slot) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RDI, i64::from(slot) * WORD_BYTES)
    }

    pub(super) fn load(&mut self, register: u8, slot: Slot) {
        self.try_emit(Instruction::with2(
            T::LOAD,
            T::register(register),
            Self::memory(slot),
        ));
    }

    pub(super) fn store(&mut self, slot: Slot, register: u8) {
        self.try_emit(Instruction::with2(
            T::STORE,
            Self::memory(slot),
            T::register(register),
        ));
    }

    /// A register for a result; stores its old content if that is still needed.
    pub(super) fn take(&mut self) -> u8 {
        let (register, write) = self.registers.take();
        if let Some(slot) = write {
            self.store(slot, register);
        }
        register
    }

    /// A register that holds the operand: its own, or the scratch register after a load.
    pub(super) fn in_register(&mut self, operand: Operand, scratch: u8) -> u8 {
        match operand {
            Operand::Register(register) => register,
            Operand::Memory(slot) => {
                self.load(scratch, slot);
                scratch
            }
        }
    }

    /// An instruction with two sources, the second of which may be in memory.
    pub(super) fn binary(&mut self, opcode: Opcode, to: u8, a: u8, b: Operand) {
        let (to, a) = (T::register(to), T::register(a));
        let instruction = match b {
            Operand::Register(b) => Instruction::with3(opcode, to, a, T::register(b)),
            Operand::Memory(slot) => Instruction::with3(opcode, to, a, Self::memory(slot)),
        };
        self.try_emit(instruction);
    }
}

/// The arguments of an operation with their liveness.
fn sources(code: &Code, op: &Op, uses: &NextUses) -> Vec<Source> {
    let end = op.start + op.singles + 2 * op.pairs;
    let arguments = &code.arguments[op.start as usize..end as usize];
    let source = |i: usize| {
        let argument: Argument = arguments[i];
        let next = uses.of_argument(op.start + i as u32);
        let same = |other: &&Argument| **other >> 1 == argument >> 1;
        Source {
            slot: argument >> 1,
            negated: argument & 1 == 1,
            next,
            dies: next == NEVER && arguments.iter().filter(same).count() == 1,
        }
    };
    (0..arguments.len()).map(source).collect()
}

/// Whether two operations are the sum and the carry of the same full adder.
fn is_adder(code: &Code, one: &Op, two: &Op) -> bool {
    let is_pair = matches!(
        (one.kind, two.kind),
        (OpKind::Xor, OpKind::Majority) | (OpKind::Majority, OpKind::Xor)
    );
    let slots = |op: &Op| {
        let mut slots: Vec<Slot> = code.singles(op).iter().map(|a| a >> 1).collect();
        slots.sort_unstable();
        slots
    };
    // Not if the first overwrites an argument that the second reads.
    let is_intact = || code.singles(two).iter().all(|a| a >> 1 != one.to);
    is_pair && one.singles == 3 && two.singles == 3 && slots(one) == slots(two) && is_intact()
}
