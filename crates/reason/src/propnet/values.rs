//! Counters and rim: the part of differential propagation that changes.

use super::rows::CYCLIC;
use super::wiring::Wiring;
use crate::ground_game::BitState;

/// The part that changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// For every node, at least 0 exactly if it holds.
    pub(super) counters: Box<[i32]>,
    pub(super) rim: Box<[u64]>,
    /// Counters of the gates of cycles in which inputs from outside alone count, and the cycles to compute anew.
    pub(super) outer: Box<[i32]>,
    dirty: Vec<u32>,
    scratch: Vec<i32>,
    /// Flips to be handed on, `node << 1 | rising`: those before `end`.
    queue: Vec<u32>,
    end: usize,
    /// How many flips and wires have been followed so far.
    pub(super) work: u64,
}

impl Values {
    pub(super) fn new(counters: Box<[i32]>, rim: Box<[u64]>, outer: Box<[i32]>) -> Self {
        Self {
            counters,
            rim,
            outer,
            ..Self::default()
        }
    }

    /// Flips a fluent, a move or a gate of a cycle.
    #[inline]
    pub(super) fn set(&mut self, node: u32, rising: bool) {
        self.counters[node as usize] = i32::from(rising) - 1;
        if self.end == self.queue.len() {
            self.queue.resize(self.end * 2 + 64, 0);
        }
        self.queue[self.end] = node << 1 | u32::from(rising);
        self.end += 1;
    }

    /// Hands flips on until nothing changes any more.
    pub(super) fn settle(&mut self, wiring: &Wiring) {
        loop {
            self.settle_gates(wiring);
            match self.dirty.iter().copied().min() {
                Some(cycle) => {
                    self.dirty.retain(|other| *other != cycle);
                    self.run_cycle(wiring, cycle);
                }
                None => return,
            }
        }
    }

    /// Hands flips on up to the cycles.
    #[allow(unsafe_code)]
    fn settle_gates(&mut self, wiring: &Wiring) {
        assert!(
            self.counters.len() + 1 == wiring.nodes.len() && self.rim.len() == wiring.rim.words()
        );
        let mut at = 0;
        let mut end = self.end;
        let mut work = 0;
        if self.queue.len() <= wiring.widest + end {
            self.queue.resize(2 * (wiring.widest + end) + 64, 0);
        }
        let mut queue = self.queue.as_mut_ptr();
        let mut room = self.queue.len() - wiring.widest;
        let counters = self.counters.as_mut_ptr();
        let rim = self.rim.as_mut_ptr();
        let nodes = wiring.nodes.as_ptr();
        unsafe {
            while at < end {
                let flip = *queue.add(at);
                at += 1;
                let node = (flip >> 1) as usize;
                let (wires, taps) = *nodes.add(node);
                let (wires_end, taps_end) = *nodes.add(node + 1);
                if end > room {
                    self.queue.resize(2 * self.queue.len(), 0);
                    room = self.queue.len() - wiring.widest;
                    queue = self.queue.as_mut_ptr();
                }
                let rising = flip & 1;
                work += wires_end - wires + 2;
                for i in wires..wires_end {
                    // Rising on a plain wire and falling on a negated one count up.
                    let hit = *wiring.wires.get_unchecked(i as usize) ^ rising;
                    let counter = counters.add((hit >> 1) as usize);
                    let before = *counter;
                    let after = before + (hit & 1) as i32 * 2 - 1;
                    *counter = after;
                    *queue.add(end) = hit;
                    // Between -1 and 0 the gate flips.
                    end += ((before ^ after) as u32 >> 31) as usize;
                }
                for i in taps..taps_end {
                    let tap = wiring.taps.get_unchecked(i as usize);
                    if tap.word == CYCLIC {
                        self.flip_cyclic(wiring, tap.mask as u32 ^ rising);
                    } else {
                        *rim.add(tap.word as usize) ^= tap.mask;
                    }
                }
            }
        }
        self.work += u64::from(work);
        self.end = 0;
    }

    /// A flip that arrives at a gate of a cycle.
    #[cold]
    fn flip_cyclic(&mut self, wiring: &Wiring, hit: u32) {
        let node = hit >> 1;
        self.outer[(node - wiring.plain) as usize] += (hit & 1) as i32 * 2 - 1;
        let cycle = wiring.cycle_of[(node - wiring.plain) as usize];
        if !self.dirty.contains(&cycle) {
            self.dirty.push(cycle);
        }
    }

    /// Computes a cycle from its inputs upwards and hands on what changed.
    fn run_cycle(&mut self, wiring: &Wiring, cycle: u32) {
        let range = wiring.cycles[cycle as usize].clone();
        self.scratch.clear();
        self.scratch.extend(
            &self.outer[(range.start - wiring.plain) as usize..(range.end - wiring.plain) as usize],
        );
        let mut todo: Vec<u32> = (0..self.scratch.len() as u32)
            .filter(|i| self.scratch[*i as usize] >= 0)
            .collect();
        while let Some(i) = todo.pop() {
            for wire in wiring.inner(range.start - wiring.plain + i) {
                let target = (wire >> 1) - range.start;
                self.scratch[target as usize] += 1;
                if self.scratch[target as usize] == 0 {
                    todo.push(target);
                }
            }
        }
        for gate in range.clone() {
            let holds = self.scratch[(gate - range.start) as usize] >= 0;
            if (self.counters[gate as usize] >= 0) != holds {
                self.set(gate, holds);
            }
        }
    }

    /// Takes over the values of another moment, reusing memory; work goes on counting.
    pub(super) fn restore(&mut self, from: &Self) {
        self.counters.copy_from_slice(&from.counters);
        self.rim.copy_from_slice(&from.rim);
        self.outer.copy_from_slice(&from.outer);
    }

    /// Notes the flips that lead from one state to another.
    #[inline]
    pub(super) fn change_state(&mut self, state: &mut BitState, words: &[u64]) {
        for (i, (new, old)) in words.iter().zip(&mut *state.words).enumerate() {
            let mut changed = *new ^ *old;
            *old = *new;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let fluent = i as u32 * 64 + bit;
                let rising = *new >> bit & 1 == 1;
                self.set(fluent, rising);
            }
        }
    }
}
