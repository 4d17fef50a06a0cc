//! What both widths of vectors share: operands, loads, stores, and the walk over the operations.

use iced_x86::{Code as Opcode, Encoder, Instruction, MemoryOperand, Register};

use super::super::code::{Argument, Code, Kind, Op, Slot};
use super::cache::{Cache, NEVER, Uses};

/// An operand: in a register or in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Register(u8),
    Memory(Slot),
}

/// An argument of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) slot: Slot,
    pub(super) negated: bool,
    /// When it is used next after the operation.
    next: u32,
    /// Whether the operation is its last use, and uses it once.
    pub(super) dies: bool,
}

/// From one slot to the next.
const WORD_BYTES: i64 = 64;

/// A kind of vector registers.
pub(super) trait Target {
    /// Registers that hold slots; there are scratch ones beyond.
    const REGISTERS: usize;
    const LOAD: Opcode;
    const STORE: Opcode;
    fn register(number: u8) -> Register;
    /// Emits what comes before the first operation.
    fn begin(emitter: &mut Emitter<Self>)
    where
        Self: Sized;
    /// Emits an operation with its result in the register that it gives.
    fn operation(
        emitter: &mut Emitter<Self>,
        kind: Kind,
        singles: &[Source],
        pairs: &[[Source; 2]],
    ) -> u8
    where
        Self: Sized;
}

/// Writes the code of a section.
pub(super) struct Emitter<T> {
    encoder: Encoder,
    length: u64,
    failed: bool,
    pub(super) cache: Cache,
    target: std::marker::PhantomData<T>,
}

/// Code and where each section starts in it; none if something cannot be encoded.
pub(super) fn assemble<T: Target>(code: &Code) -> Option<(Vec<u8>, Vec<usize>)> {
    let mut emitter: Emitter<T> = Emitter {
        encoder: Encoder::new(64),
        length: 0,
        failed: false,
        cache: Cache::new(T::REGISTERS, code.slots as usize),
        target: std::marker::PhantomData,
    };
    let mut starts = Vec::with_capacity(code.sections.len());
    for section in &code.sections {
        starts.push(emitter.length as usize);
        emitter.cache = Cache::new(T::REGISTERS, code.slots as usize);
        T::begin(&mut emitter);
        let uses = Uses::new(code, section);
        for (at, op) in section.ops.iter().enumerate() {
            emitter.operation(code, op, &uses, at);
        }
        emitter.emit(Instruction::with(Opcode::VEX_Vzeroupper));
        emitter.emit(Instruction::with(Opcode::Retnq));
    }
    (!emitter.failed).then(|| (emitter.encoder.take_buffer(), starts))
}

impl<T: Target> Emitter<T> {
    fn operation(&mut self, code: &Code, op: &Op, uses: &Uses, at: usize) {
        let end = op.start + op.singles + 2 * op.pairs;
        let arguments = &code.arguments[op.start as usize..end as usize];
        let source = |i: usize| {
            let argument = arguments[i];
            let next = uses.of_argument(op.start + i as u32);
            let same = |other: &&Argument| **other >> 1 == argument >> 1;
            Source {
                slot: argument >> 1,
                negated: argument & 1 == 1,
                next,
                dies: next == NEVER && arguments.iter().filter(same).count() == 1,
            }
        };
        let count = op.singles as usize;
        let singles: Vec<Source> = (0..count).map(source).collect();
        let pairs: Vec<[Source; 2]> = (0..op.pairs as usize)
            .map(|i| [source(count + 2 * i), source(count + 2 * i + 1)])
            .collect();
        let result = T::operation(self, op.kind, &singles, &pairs);
        for i in op.start..end {
            let slot = code.arguments[i as usize] >> 1;
            self.cache.used(slot, uses.of_argument(i));
        }
        let next = uses.results[at];
        if op.lasting {
            self.store(op.to, result);
        }
        if next == NEVER {
            // Whatever was cached of this slot is out of date.
            self.cache.used(op.to, NEVER);
        } else {
            self.cache.hold(result, op.to, next, !op.lasting);
        }
        self.cache.unlock();
    }

    /// Where a source is; it is loaded if it will be used again soon.
    pub(super) fn operand(&mut self, source: Source) -> Operand {
        if let Some(register) = self.cache.find(source.slot) {
            return Operand::Register(register);
        }
        if !self.cache.wants(source.next) {
            return Operand::Memory(source.slot);
        }
        let register = self.take();
        self.load(register, source.slot);
        self.cache.hold(register, source.slot, source.next, false);
        self.cache.release(register);
        Operand::Register(register)
    }

    pub(super) fn emit(&mut self, instruction: Instruction) {
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

    /// A register for a result.
    pub(super) fn take(&mut self) -> u8 {
        let (register, write) = self.cache.take();
        if let Some(slot) = write {
            self.store(slot, register);
        }
        register
    }

    /// The operand in a register: where it is, or loaded into a scratch register.
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
