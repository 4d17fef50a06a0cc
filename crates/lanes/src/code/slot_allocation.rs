//! Slot allocation: assigns every result a memory slot, reused after its last use.

use rustc_hash::FxHashMap;

use super::super::graph::{Literal, NO_LANE, Operation};
use super::scheduling::{NOWHERE, ScheduleStep, Scheduler};
use super::{Argument, Code, Op, OpKind, Section, Slot};

/// Assigns slots and writes the operations.
pub(super) struct SlotAllocator<'p, 'g> {
    scheduler: &'p Scheduler<'g>,
    /// The last step that uses a node, numbered over all sections.
    last_use: Vec<u32>,
    /// The slot of every node.
    slot: Vec<Slot>,
    negated: Vec<bool>,
    free: Vec<Slot>,
    /// Slots below this are reserved for leaves and stores.
    first_free: Slot,
    code: Code,
}

impl<'p, 'g> SlotAllocator<'p, 'g> {
    pub(super) fn new(scheduler: &'p Scheduler<'g>, first_free: Slot) -> Self {
        let nodes = scheduler.graph.len();
        let mut slot = vec![NOWHERE; nodes];
        for node in 0..nodes as u32 {
            if scheduler.graph.operation(node) == Operation::Leaf {
                slot[node as usize] = scheduler.graph.arguments(node)[0];
            }
        }
        Self {
            scheduler,
            last_use: vec![0; nodes],
            slot,
            negated: vec![false; nodes],
            free: Vec::new(),
            first_free,
            code: Code {
                sections: Vec::new(),
                arguments: Vec::new(),
                slots: first_free,
            },
        }
    }

    pub(super) fn run(mut self) -> Code {
        let scheduler = self.scheduler;
        let mut ends = Vec::new();
        let mut clock = 0u32;
        for steps in &scheduler.steps {
            clock += steps.len() as u32;
            ends.push(clock);
        }
        clock = 0;
        for (section, steps) in scheduler.steps.iter().enumerate() {
            let request = &scheduler.requests[section];
            for step in steps {
                scheduler.for_nodes(section, *step, &mut |node| {
                    let outside = scheduler.section_of[node as usize] != section as u32;
                    // A result from outside a loop is live until the last iteration.
                    let at = if request.repeats.is_some() && outside {
                        ends[section]
                    } else {
                        clock
                    };
                    self.last_use[node as usize] = self.last_use[node as usize].max(at);
                });
                clock += 1;
            }
            for lit in &request.keeps {
                let node = (lit >> 1) as usize;
                self.last_use[node] = self.last_use[node].max(ends[section]);
            }
        }
        let mut dying = self.dying();
        clock = 0;
        for (section, steps) in scheduler.steps.iter().enumerate() {
            let direct = self.direct_stores(section, steps);
            let mut ops = Vec::with_capacity(steps.len());
            let mut saved: FxHashMap<u32, Slot> = FxHashMap::default();
            for (at, step) in steps.iter().enumerate() {
                // An operation reads its arguments before it writes, so its result may reuse their
                // slots.
                while let Some(node) = dying.pop_if(|node| self.last_use[*node as usize] <= clock) {
                    let slot = self.slot[node as usize];
                    if slot != NOWHERE && slot >= self.first_free {
                        self.free.push(slot);
                    }
                }
                match *step {
                    ScheduleStep::Compute(node) => {
                        let lasting = self.last_use[node as usize] >= ends[section];
                        let to = direct.get(&(at as u32)).copied();
                        ops.push(self.compute(node, to, lasting));
                    }
                    ScheduleStep::Save(node) => {
                        let to = self.take();
                        let start = self.code.arguments.len() as u32;
                        self.code.arguments.push(self.slot[node as usize] << 1);
                        saved.insert(node, to);
                        ops.push(Op {
                            kind: OpKind::Copy,
                            to,
                            start,
                            singles: 1,
                            pairs: 0,
                            lasting: false,
                        });
                    }
                    ScheduleStep::Store(place) => {
                        let (lit, slot) = scheduler.requests[section].stores[place as usize];
                        let from = saved
                            .get(&(lit >> 1))
                            .copied()
                            .unwrap_or(self.slot[(lit >> 1) as usize]);
                        let negated = u32::from(self.negated[(lit >> 1) as usize]) ^ lit & 1;
                        if from != slot || negated == 1 {
                            let start = self.code.arguments.len() as u32;
                            let constant = lit >> 1 == NO_LANE;
                            if !constant {
                                self.code.arguments.push(from << 1 | negated);
                            }
                            ops.push(Op {
                                // An AND without arguments holds, an OR without arguments does not.
                                kind: match (constant, lit) {
                                    (true, NO_LANE) => OpKind::Or,
                                    (true, _) => OpKind::And,
                                    (false, _) => OpKind::Copy,
                                },
                                to: slot,
                                start,
                                singles: u32::from(!constant),
                                pairs: 0,
                                lasting: true,
                            });
                        }
                    }
                }
                clock += 1;
            }
            self.free.extend(saved.into_values());
            let request = &scheduler.requests[section];
            let mut kept: Vec<Slot> = (0..scheduler.graph.len())
                .filter(|node| {
                    scheduler.section_of[*node] == section as u32
                        && !scheduler.inlined[*node]
                        && self.last_use[*node] >= ends[section]
                })
                .map(|node| self.slot[node])
                .filter(|slot| *slot != NOWHERE)
                .collect();
            kept.sort_unstable();
            kept.dedup();
            debug_assert!(
                request.repeats.is_none() || kept.is_empty(),
                "a loop that does not run has no results"
            );
            self.code.sections.push(Section {
                ops,
                repeats: request.repeats.clone(),
                kept,
            });
        }
        self.code
    }

    /// All results, in descending order of last use.
    fn dying(&self) -> Vec<u32> {
        let scheduler = self.scheduler;
        let mut dying: Vec<u32> = (0..scheduler.graph.len() as u32)
            .filter(|node| {
                scheduler.section_of[*node as usize] != NOWHERE
                    && !scheduler.inlined[*node as usize]
            })
            .collect();
        dying.sort_unstable_by_key(|node| std::cmp::Reverse(self.last_use[*node as usize]));
        dying
    }

    fn take(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| {
            self.code.slots += 1;
            self.code.slots - 1
        })
    }

    /// Stores directly after the computation of their result: by step, what is stored where.
    fn direct_stores(
        &self,
        section: usize,
        steps: &[ScheduleStep],
    ) -> FxHashMap<u32, (Literal, Slot)> {
        let mut direct = FxHashMap::default();
        for (at, pair) in steps.windows(2).enumerate() {
            if let [ScheduleStep::Compute(node), ScheduleStep::Store(place)] = pair {
                let (lit, slot) = self.scheduler.requests[section].stores[*place as usize];
                if lit >> 1 == *node {
                    direct.insert(at as u32, (lit, slot));
                }
            }
        }
        direct
    }

    /// Writes the operation of a node. If the next step stores the result with the same sign, it is
    /// computed in place.
    fn compute(&mut self, node: u32, to: Option<(Literal, Slot)>, lasting: bool) -> Op {
        let graph = self.scheduler.graph;
        let start = self.code.arguments.len() as u32;
        let operation = graph.operation(node);
        let mut pairs: Vec<[Argument; 2]> = Vec::new();
        let mut singles: Vec<Argument> = Vec::new();
        for lit in graph.arguments(node) {
            let inner = lit >> 1;
            if self.scheduler.inlined[inner as usize] {
                if let [a, b] = graph.arguments(inner) {
                    pairs.push([self.argument(*a), self.argument(*b)]);
                }
            } else {
                singles.push(self.argument(*lit));
            }
        }
        let kind = match operation {
            Operation::And => {
                if let Some(positive) = singles.iter().position(|argument| argument & 1 == 0) {
                    singles.swap(0, positive);
                    OpKind::And
                } else {
                    for argument in &mut singles {
                        *argument ^= 1;
                    }
                    self.negated[node as usize] = true;
                    OpKind::Or
                }
            }
            Operation::Xor => {
                let sign = singles.iter().fold(0, |sign, argument| sign ^ argument & 1);
                for argument in &mut singles {
                    *argument &= !1;
                }
                self.negated[node as usize] = sign == 1;
                OpKind::Xor
            }
            _ => {
                // Majority is self-dual: inverting all arguments inverts the result.
                if singles.iter().filter(|argument| *argument & 1 == 1).count() >= 2 {
                    for argument in &mut singles {
                        *argument ^= 1;
                    }
                    self.negated[node as usize] = true;
                }
                OpKind::Majority
            }
        };
        self.code.arguments.extend_from_slice(&singles);
        self.code.arguments.extend(pairs.iter().flatten());
        let negated = self.negated[node as usize];
        let direct = to.filter(|(lit, _)| (lit & 1 == 1) == negated);
        let place = match direct {
            Some((_, slot)) => slot,
            None => self.take(),
        };
        self.slot[node as usize] = place;
        Op {
            kind,
            to: place,
            start,
            singles: singles.len() as u32,
            pairs: pairs.len() as u32,
            lasting: lasting || direct.is_some(),
        }
    }

    fn argument(&self, lit: Literal) -> Argument {
        let node = (lit >> 1) as usize;
        debug_assert_ne!(
            self.slot[node], NOWHERE,
            "an argument is computed before its use"
        );
        self.slot[node] << 1 | u32::from(self.negated[node]) ^ lit & 1
    }
}
