//! Register allocation: which slots are in registers, and which one is evicted (Belady 1966).

use super::super::code::{Code, Op, Section, Slot};

/// No further use.
pub(super) const NEVER: u32 = u32::MAX;

/// Liveness: for every operation of a section, the next use of its result and of its arguments.
pub(super) struct NextUses {
    /// By operation.
    pub(super) results: Vec<u32>,
    /// By argument, in the order of the code's arguments from `first` on.
    arguments: Vec<u32>,
    first: u32,
}

impl NextUses {
    pub(super) fn new(code: &Code, section: &Section) -> Self {
        let first = section.ops.iter().map(|op| op.start).min().unwrap_or(0);
        let length = |op: &Op| op.singles + 2 * op.pairs;
        let last = section.ops.iter().map(|op| op.start + length(op)).max();
        let mut next: Vec<u32> = vec![NEVER; code.slots as usize];
        let mut results = vec![NEVER; section.ops.len()];
        let mut arguments = vec![NEVER; (last.unwrap_or(0) - first) as usize];
        for (at, op) in section.ops.iter().enumerate().rev() {
            results[at] = std::mem::replace(&mut next[op.to as usize], NEVER);
            let range = op.start..op.start + length(op);
            for i in range.clone() {
                let slot = code.arguments[i as usize] >> 1;
                arguments[(i - first) as usize] = next[slot as usize];
            }
            for i in range {
                let slot = code.arguments[i as usize] >> 1;
                next[slot as usize] = at as u32;
            }
        }
        Self {
            results,
            arguments,
            first,
        }
    }

    /// The next use of an argument after its operation.
    pub(super) fn of_argument(&self, index: u32) -> u32 {
        self.arguments[(index - self.first) as usize]
    }
}

#[derive(Clone, Copy)]
struct Entry {
    slot: Slot,
    next: u32,
    /// Whether memory does not have the value yet.
    dirty: bool,
    /// Whether the current operation needs the register.
    locked: bool,
}

const FREE: Slot = Slot::MAX;
const ABSENT: u8 = u8::MAX;

/// The registers as a write-back cache of memory slots.
pub(super) struct Registers {
    entries: Vec<Entry>,
    /// The register of every slot, or [`ABSENT`].
    register: Vec<u8>,
}

impl Registers {
    pub(super) fn new(registers: usize, slots: usize) -> Self {
        let free = Entry {
            slot: FREE,
            next: NEVER,
            dirty: false,
            locked: false,
        };
        Self {
            entries: vec![free; registers],
            register: vec![ABSENT; slots],
        }
    }

    /// The register that holds a slot.
    pub(super) fn find(&self, slot: Slot) -> Option<u8> {
        let register = self.register[slot as usize];
        (register != ABSENT).then_some(register)
    }

    /// Whether a slot with its next use at `next` should get a register.
    pub(super) fn wants(&self, next: u32) -> bool {
        next != NEVER
            && self
                .entries
                .iter()
                .any(|entry| !entry.locked && (entry.slot == FREE || entry.next > next))
    }

    /// Takes a register for the current operation by Belady's rule; also returns the slot that its
    /// content must be stored to first, if it is still needed.
    pub(super) fn take(&mut self) -> (u8, Option<Slot>) {
        let mut best: Option<usize> = None;
        for (i, entry) in self.entries.iter().enumerate() {
            if entry.locked {
                continue;
            }
            if entry.slot == FREE {
                best = Some(i);
                break;
            }
            if best.is_none_or(|best| self.entries[best].next < entry.next) {
                best = Some(i);
            }
        }
        let register = best.expect("an operation locks one or two registers");
        let entry = &mut self.entries[register];
        let write =
            (entry.slot != FREE && entry.dirty && entry.next != NEVER).then_some(entry.slot);
        if entry.slot != FREE {
            self.register[entry.slot as usize] = ABSENT;
        }
        entry.slot = FREE;
        entry.locked = true;
        (register as u8, write)
    }

    /// Empties all registers; returns those that must be stored, with their slots.
    pub(super) fn clear(&mut self) -> Vec<(u8, Slot)> {
        let mut write = Vec::new();
        for (register, entry) in self.entries.iter_mut().enumerate() {
            if entry.slot == FREE {
                continue;
            }
            if entry.dirty && entry.next != NEVER {
                write.push((register as u8, entry.slot));
            }
            self.register[entry.slot as usize] = ABSENT;
            entry.slot = FREE;
        }
        write
    }

    /// Records what a register holds.
    pub(super) fn hold(&mut self, register: u8, slot: Slot, next: u32, dirty: bool) {
        let old = self.register[slot as usize];
        if old != ABSENT && old != register {
            self.entries[old as usize].slot = FREE;
        }
        self.register[slot as usize] = register;
        let entry = &mut self.entries[register as usize];
        entry.slot = slot;
        entry.next = next;
        entry.dirty = dirty;
    }

    /// Takes the register of a slot that is not used again.
    pub(super) fn take_over(&mut self, register: u8) {
        let entry = &mut self.entries[register as usize];
        if entry.slot != FREE {
            self.register[entry.slot as usize] = ABSENT;
        }
        entry.slot = FREE;
        entry.locked = true;
    }

    /// Updates the next use of a slot, if it is in a register.
    pub(super) fn used(&mut self, slot: Slot, next: u32) {
        let register = self.register[slot as usize];
        if register == ABSENT {
            return;
        }
        let entry = &mut self.entries[register as usize];
        entry.next = next;
        if next == NEVER {
            entry.slot = FREE;
            self.register[slot as usize] = ABSENT;
        }
    }

    /// Protects a register from eviction during the current operation.
    pub(super) fn lock(&mut self, register: u8) {
        self.entries[register as usize].locked = true;
    }

    /// Allows a register to be evicted again during the current operation.
    pub(super) fn release(&mut self, register: u8) {
        self.entries[register as usize].locked = false;
    }

    /// Ends the current operation.
    pub(super) fn unlock(&mut self) {
        for entry in &mut self.entries {
            entry.locked = false;
        }
    }
}
