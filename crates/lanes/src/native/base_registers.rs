//! Base registers: short addresses for the slots that a stretch of code uses.
//!
//! Instructions with 512-bit vectors hold a distance of up to 128 words from a base register in one
//! byte, and a larger one in four (disp8*N; Intel 2024, volume 2, section 2.7.5). Running long code
//! takes as long as fetching it, and the code of a small game should leave room in the instruction
//! cache for the loop around it. So every stretch of code begins by loading base registers for the
//! windows of memory that it uses most.

use iced_x86::{Code as Opcode, IcedError, Instruction, MemoryOperand, Register};

use super::super::code::Slot;

/// The registers that a function may overwrite, other than RDI, which holds the address of memory.
const BASES: [Register; 8] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];
/// The number of instructions in a stretch.
pub(super) const STRETCH: usize = 512;
/// Slots below this have short addresses from RDI.
const NEAR: Slot = 128;
/// Windows begin at multiples of this.
const CELL: Slot = 64;
/// The cells of a window.
const CELLS: Slot = 4;
/// The size of an instruction that loads a base register, in bytes.
const LOAD_BYTES: usize = 7;
/// The bytes that a short address saves.
const SAVED_BYTES: usize = 3;
/// The size of a slot in bytes.
const WORD_BYTES: i64 = 64;

/// The windows that base registers stand for, by their first cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BaseRegisters {
    windows: [Option<u32>; BASES.len()],
}

impl BaseRegisters {
    /// Shortens the addresses of a stretch of instructions; returns the instructions that must come
    /// before them.
    pub(super) fn shorten(
        &mut self,
        instructions: &mut [Instruction],
    ) -> Result<Vec<Instruction>, IcedError> {
        let windows = self.choose(instructions);
        let mut loads = Vec::new();
        for window in &windows {
            if self.windows.contains(&Some(*window)) {
                continue;
            }
            let unused = |own: &Option<u32>| own.is_none_or(|own| !windows.contains(&own));
            let Some(place) = self.windows.iter().position(unused) else {
                continue;
            };
            self.windows[place] = Some(*window);
            let middle = MemoryOperand::with_base_displ(Register::RDI, middle(*window));
            loads.push(Instruction::with2(Opcode::Lea_r64_m, BASES[place], middle)?);
        }
        for instruction in instructions {
            let Some(slot) = slot_of(instruction).filter(|slot| *slot >= NEAR) else {
                continue;
            };
            let covers = |window: &Option<u32>| {
                window.is_some_and(|window| (window..window + CELLS).contains(&(slot / CELL)))
            };
            if let Some(place) = self.windows.iter().position(covers)
                && let Some(window) = self.windows[place]
            {
                let distance = i64::from(slot) * WORD_BYTES - middle(window);
                instruction.set_memory_base(BASES[place]);
                instruction.set_memory_displacement64(distance.cast_unsigned());
            }
        }
        Ok(loads)
    }

    /// The windows that save most, one after another.
    fn choose(&self, instructions: &[Instruction]) -> Vec<u32> {
        let slots = instructions.iter().filter_map(slot_of);
        let far = slots.filter(|slot| *slot >= NEAR);
        let mut cells: Vec<u32> = far.map(|slot| slot / CELL).collect();
        cells.sort_unstable();
        // Cells with the number of accesses that no chosen window covers.
        let mut open: Vec<(u32, usize)> = Vec::new();
        for group in cells.chunk_by(|a, b| a == b) {
            open.push((group[0], group.len()));
        }
        let mut chosen = Vec::new();
        while chosen.len() < BASES.len() {
            let saved = |window: u32| {
                let from = open.partition_point(|(cell, _)| *cell < window);
                let inside = open[from..].iter();
                let inside = inside.take_while(|(cell, _)| *cell < window + CELLS);
                let accesses: usize = inside.map(|(_, accesses)| accesses).sum();
                let load = if self.windows.contains(&Some(window)) {
                    0
                } else {
                    LOAD_BYTES
                };
                (accesses * SAVED_BYTES).saturating_sub(load)
            };
            let loaded = self.windows.iter().flatten().copied();
            let candidates = loaded.chain(open.iter().map(|(cell, _)| *cell));
            let best = candidates.map(|window| (saved(window), window)).max();
            let Some((_, window)) = best.filter(|(saved, _)| *saved > 0) else {
                break;
            };
            chosen.push(window);
            open.retain(|(cell, _)| !(window..window + CELLS).contains(cell));
        }
        chosen
    }
}

/// The distance of the middle of a window from the start of memory, in bytes.
fn middle(window: u32) -> i64 {
    i64::from(window * CELL + CELLS * CELL / 2) * WORD_BYTES
}

/// The slot that an instruction accesses.
fn slot_of(instruction: &Instruction) -> Option<Slot> {
    (instruction.memory_base() == Register::RDI)
        .then(|| (instruction.memory_displacement64() / WORD_BYTES.cast_unsigned()) as Slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(slot: Slot) -> Instruction {
        let at = MemoryOperand::with_base_displ(Register::RDI, i64::from(slot) * WORD_BYTES);
        let opcode = Opcode::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
        Instruction::with2(opcode, Register::ZMM0, at).expect("an instruction")
    }

    /// The slots that instructions access, by the base registers that were loaded before.
    fn slots(bases: &BaseRegisters, instructions: &[Instruction]) -> Vec<Slot> {
        let start = |register: Register| {
            let place = BASES.iter().position(|base| *base == register);
            place.map_or(0, |place| middle(bases.windows[place].expect("loaded")))
        };
        let address =
            |i: &Instruction| start(i.memory_base()) + i.memory_displacement64().cast_signed();
        let addresses = instructions.iter().map(address);
        let slots = addresses.map(|at| u32::try_from(at / WORD_BYTES).expect("a slot"));
        slots.collect()
    }

    #[test]
    fn addresses_stay_the_same_and_become_short_where_windows_are_used() {
        let mut bases = BaseRegisters::default();
        let mut wanted: Vec<Slot> = (0..300).chain((0..100).map(|i| 5_000 + 2 * i)).collect();
        wanted.push(90_000);
        let mut code: Vec<Instruction> = wanted.iter().map(|slot| load(*slot)).collect();
        let loads = bases.shorten(&mut code).expect("windows");
        assert_eq!(loads.len(), 2);
        assert_eq!(slots(&bases, &code), wanted);
        let long = |i: &&Instruction| {
            let distance = i.memory_displacement64().cast_signed() / WORD_BYTES;
            !(-128..128).contains(&distance)
        };
        assert_eq!(code.iter().filter(long).count(), 1);
        // The next stretch keeps what is loaded.
        let wanted: Vec<Slot> = (5_000..5_200).chain(7_000..7_010).collect();
        let mut code: Vec<Instruction> = wanted.iter().map(|slot| load(*slot)).collect();
        let loads = bases.shorten(&mut code).expect("windows");
        assert_eq!(loads.len(), 1);
        assert_eq!(slots(&bases, &code), wanted);
    }
}
