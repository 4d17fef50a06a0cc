//! Code: graph nodes put into an order, with a place in memory for each result.
//!
//! Code is made in *sections* that run one after the other. A section computes what its roots need
//! and was not computed before; results that later sections need stay in memory between them. A
//! section may be a *loop*, run until nothing changes.
//!
//! Within a section nodes come depth first, so that producers are close to consumers, and memory is
//! reused as soon as a result has had its last use. An AND of two that a single AND uses in negated
//! form is not computed on its own but as a *pair* within it. No operation needs a NOT: an AND with
//! at least one argument in positive form is a chain of AND and AND-NOT, any other an OR whose
//! result is known to be stored in negated form.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Lit, NONE, Operation};

/// A word of memory.
pub(super) type Slot = u32;

/// What a section has to bring about.
#[derive(Clone, Debug, Default)]
pub(super) struct Wish {
    /// What is stored where. Slots may be leaves of the graph; those are written when nothing reads
    /// them any more.
    pub(super) stores: Vec<(Lit, Slot)>,
    /// What later sections find in memory.
    pub(super) keeps: Vec<Lit>,
    /// Whether it runs again and again.
    pub(super) repeats: bool,
}

/// An argument: where it is and whether it is negated, `slot << 1 | negated`.
pub(super) type Argument = u32;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All arguments, the first of which is not negated, and no pair.
    And,
    /// Some argument, none of which is negated, or some pair.
    Or,
    /// An odd number of the arguments, none negated.
    Xor,
    /// Two of three, at most one of which is negated.
    Majority,
    /// The argument.
    Copy,
}

/// An operation: its arguments are single ones, then pairs of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) kind: Kind,
    /// Where the result goes.
    pub(super) to: Slot,
    pub(super) start: u32,
    pub(super) singles: u32,
    pub(super) pairs: u32,
    /// Whether the result must be in memory after the section.
    pub(super) lasting: bool,
}

/// A section.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) ops: Vec<Op>,
    pub(super) repeats: bool,
    /// Where results lie that later sections use.
    pub(super) kept: Vec<Slot>,
    /// For loops, what is empty at the start.
    pub(super) cleared: Vec<Slot>,
}

/// Sections and the memory they need.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) sections: Vec<Section>,
    pub(super) arguments: Vec<Argument>,
    /// All slots, those of leaves and stores included.
    pub(super) slots: u32,
}

impl Code {
    pub(super) fn singles(&self, op: &Op) -> &[Argument] {
        &self.arguments[op.start as usize..(op.start + op.singles) as usize]
    }

    pub(super) fn pairs(&self, op: &Op) -> &[[Argument; 2]] {
        let start = (op.start + op.singles) as usize;
        let flat = &self.arguments[start..start + 2 * op.pairs as usize];
        flat.as_chunks().0
    }

    /// How many operations all sections have.
    pub(super) fn operations(&self) -> usize {
        self.sections.iter().map(|section| section.ops.len()).sum()
    }

    /// How long the code is, in operations of a usual size: some have hundreds of arguments.
    pub(super) fn length(&self) -> usize {
        self.operations().max(self.arguments.len() / 3)
    }

    /// The memory that the code itself takes.
    pub(super) fn bytes(&self) -> usize {
        let ops = self.operations() * size_of::<Op>();
        ops + size_of_val(&self.arguments[..])
    }

    /// How many words all operations of a section read.
    pub(super) fn reads(&self, section: usize) -> usize {
        let ops = &self.sections[section].ops;
        ops.iter()
            .map(|op| (op.singles + 2 * op.pairs) as usize)
            .sum()
    }

    /// Makes code. Slots below `first_free` belong to leaves and stores.
    pub(super) fn new(graph: &Graph, wishes: &[Wish], first_free: Slot) -> Self {
        Planner::new(graph, wishes).run(first_free)
    }
}

const NOWHERE: u32 = u32::MAX;

/// Something in the order of execution.
#[derive(Clone, Copy, Debug)]
enum Step {
    Compute(u32),
    /// Keeps the word of a leaf that is about to be overwritten and stored elsewhere.
    Save(u32),
    /// A store, by its number in the section.
    Store(u32),
}

struct Planner<'g> {
    graph: &'g Graph,
    wishes: &'g [Wish],
    /// How often each node is used by nodes and roots that are computed.
    uses: Vec<u32>,
    /// The section in which a node is computed; `NOWHERE` if in none.
    section_of: Vec<u32>,
    /// Nodes that are computed within the one that uses them.
    inlined: Vec<bool>,
    /// For the sum of an adder its carry, and the other way round; the node itself if there is no
    /// such thing.
    partner: Vec<u32>,
    steps: Vec<Vec<Step>>,
}

impl<'g> Planner<'g> {
    fn new(graph: &'g Graph, wishes: &'g [Wish]) -> Self {
        Self {
            graph,
            wishes,
            uses: vec![0; graph.len()],
            section_of: vec![NOWHERE; graph.len()],
            inlined: vec![false; graph.len()],
            partner: partners(graph),
            steps: Vec::new(),
        }
    }

    fn run(mut self, first_free: Slot) -> Code {
        self.place();
        self.inline();
        self.order();
        Assigner::new(&self, first_free).run()
    }

    fn is_computed(&self, node: u32) -> bool {
        !matches!(
            self.graph.operation(node),
            Operation::Constant | Operation::Leaf
        )
    }

    fn roots(wish: &Wish) -> impl Iterator<Item = u32> + '_ {
        let stored = wish.stores.iter().map(|(lit, _)| lit >> 1);
        stored.chain(wish.keeps.iter().map(|lit| lit >> 1))
    }

    /// Decides in which section each node is computed: the first that needs it.
    fn place(&mut self) {
        let mut open = Vec::new();
        for (i, wish) in self.wishes.iter().enumerate() {
            for root in Self::roots(wish) {
                self.uses[root as usize] += 1;
                open.push(root);
            }
            while let Some(node) = open.pop() {
                if !self.is_computed(node) || self.section_of[node as usize] != NOWHERE {
                    continue;
                }
                self.section_of[node as usize] = i as u32;
                for argument in self.graph.arguments(node) {
                    self.uses[(argument >> 1) as usize] += 1;
                    open.push(argument >> 1);
                }
            }
        }
    }

    /// Finds the pairs.
    fn inline(&mut self) {
        for node in 0..self.graph.len() as u32 {
            let section = self.section_of[node as usize];
            if section == NOWHERE || self.graph.operation(node) != Operation::And {
                continue;
            }
            for argument in self.graph.arguments(node) {
                let inner = argument >> 1;
                if argument & 1 == 1
                    && self.uses[inner as usize] == 1
                    && self.section_of[inner as usize] == section
                    && self.graph.operation(inner) == Operation::And
                    && self.graph.arguments(inner).len() == 2
                {
                    self.inlined[inner as usize] = true;
                }
            }
        }
        // A node that has pairs cannot be one itself.
        for node in (0..self.graph.len() as u32).rev() {
            if self.inlined[node as usize] {
                for argument in self.graph.arguments(node) {
                    self.inlined[(argument >> 1) as usize] = false;
                }
            }
        }
    }

    /// Puts nodes and stores into order.
    fn order(&mut self) {
        let mut done = vec![false; self.graph.len()];
        let mut open: Vec<(u32, bool)> = Vec::new();
        for (i, wish) in self.wishes.iter().enumerate() {
            let mut steps = Vec::new();
            let roots: Vec<u32> = Self::roots(wish).collect();
            for (place, root) in roots.iter().enumerate() {
                open.push((*root, false));
                while let Some((node, expanded)) = open.pop() {
                    if done[node as usize] || self.section_of[node as usize] != i as u32 {
                        continue;
                    }
                    if expanded {
                        done[node as usize] = true;
                        // Both halves of an adder read the same words, and some processors compute
                        // them together.
                        let partner = self.partner[node as usize];
                        if !done[partner as usize] && self.section_of[partner as usize] == i as u32
                        {
                            done[partner as usize] = true;
                            steps.push(Step::Compute(partner));
                        }
                        if !self.inlined[node as usize] {
                            steps.push(Step::Compute(node));
                        }
                        continue;
                    }
                    open.push((node, true));
                    for argument in self.graph.arguments(node).iter().rev() {
                        open.push((argument >> 1, false));
                    }
                }
                if let Some((lit, slot)) = wish.stores.get(place)
                    && !self.is_same(*lit, *slot)
                {
                    steps.push(Step::Store(place as u32));
                }
            }
            self.steps.push(self.delay_stores(wish, &steps));
        }
    }

    fn is_same(&self, lit: Lit, slot: Slot) -> bool {
        lit & 1 == 0
            && self.graph.operation(lit >> 1) == Operation::Leaf
            && self.graph.arguments(lit >> 1)[0] == slot
    }

    /// Moves each store behind the last read of the leaf that it overwrites, and saves leaves that
    /// are stored elsewhere before they are overwritten.
    fn delay_stores(&self, wish: &Wish, steps: &[Step]) -> Vec<Step> {
        let mut last_read: FxHashMap<Slot, usize> = FxHashMap::default();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Compute(node) = step {
                self.for_leaves(*node, &mut |slot| {
                    last_read.insert(slot, at);
                });
            }
        }
        let stored: FxHashSet<Slot> = wish.stores.iter().map(|(_, slot)| *slot).collect();
        let mut saves = Vec::new();
        let mut delayed: Vec<(usize, Step)> = Vec::new();
        let mut result = Vec::with_capacity(steps.len());
        let mut kept = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let Step::Store(place) = step else {
                kept.push((at, *step));
                continue;
            };
            let (lit, slot) = wish.stores[*place as usize];
            let node = lit >> 1;
            if self.graph.operation(node) == Operation::Leaf
                && stored.contains(&self.graph.arguments(node)[0])
            {
                saves.push(Step::Save(node));
            }
            match last_read.get(&slot) {
                Some(read) if *read > at => delayed.push((*read, *step)),
                _ => kept.push((at, *step)),
            }
        }
        delayed.sort_by_key(|(at, _)| *at);
        saves.sort_by_key(|step| match step {
            Step::Save(node) => *node,
            _ => 0,
        });
        saves.dedup_by_key(|step| match step {
            Step::Save(node) => *node,
            _ => 0,
        });
        result.extend(saves);
        let mut delayed = delayed.into_iter().peekable();
        for (at, step) in kept {
            while delayed.peek().is_some_and(|(read, _)| *read < at) {
                result.extend(delayed.next().map(|(_, store)| store));
            }
            result.push(step);
        }
        result.extend(delayed.map(|(_, store)| store));
        result
    }

    /// The leaves that computing a node reads, those of its pairs included.
    fn for_leaves(&self, node: u32, visit: &mut impl FnMut(Slot)) {
        for argument in self.graph.arguments(node) {
            let inner = argument >> 1;
            if self.graph.operation(inner) == Operation::Leaf {
                visit(self.graph.arguments(inner)[0]);
            } else if self.inlined[inner as usize] {
                for argument in self.graph.arguments(inner) {
                    if self.graph.operation(argument >> 1) == Operation::Leaf {
                        visit(self.graph.arguments(argument >> 1)[0]);
                    }
                }
            }
        }
    }

    /// The nodes that a step reads, without those within its pairs.
    fn for_nodes(&self, section: usize, step: Step, visit: &mut impl FnMut(u32)) {
        match step {
            Step::Compute(node) => {
                for argument in self.graph.arguments(node) {
                    let inner = argument >> 1;
                    if self.inlined[inner as usize] {
                        for argument in self.graph.arguments(inner) {
                            visit(argument >> 1);
                        }
                    } else {
                        visit(inner);
                    }
                }
            }
            Step::Save(node) => visit(node),
            Step::Store(place) => visit(self.wishes[section].stores[place as usize].0 >> 1),
        }
    }
}

/// Finds sums and carries of the same three.
fn partners(graph: &Graph) -> Vec<u32> {
    let mut partners: Vec<u32> = (0..graph.len() as u32).collect();
    let mut first: FxHashMap<[u32; 3], u32> = FxHashMap::default();
    for node in 0..graph.len() as u32 {
        let operation = graph.operation(node);
        if matches!(operation, Operation::Xor | Operation::Majority)
            && let [a, b, c] = graph.arguments(node)
            && let Some(other) = first.insert([a >> 1, b >> 1, c >> 1], node)
            && graph.operation(other) != operation
        {
            partners[node as usize] = other;
            partners[other as usize] = node;
        }
    }
    partners
}

/// Gives every result a place.
struct Assigner<'p, 'g> {
    planner: &'p Planner<'g>,
    /// The last step that uses a node, counted over all sections.
    last_use: Vec<u32>,
    /// The place of every node, and whether its result is stored negated.
    slot: Vec<Slot>,
    negated: Vec<bool>,
    free: Vec<Slot>,
    /// Slots below it belong to leaves and stores.
    first_free: Slot,
    code: Code,
}

impl<'p, 'g> Assigner<'p, 'g> {
    fn new(planner: &'p Planner<'g>, first_free: Slot) -> Self {
        let nodes = planner.graph.len();
        let mut slot = vec![NOWHERE; nodes];
        for node in 0..nodes as u32 {
            if planner.graph.operation(node) == Operation::Leaf {
                slot[node as usize] = planner.graph.arguments(node)[0];
            }
        }
        Self {
            planner,
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

    fn run(mut self) -> Code {
        let planner = self.planner;
        let mut ends = Vec::new();
        let mut clock = 0u32;
        for steps in &planner.steps {
            clock += steps.len() as u32;
            ends.push(clock);
        }
        clock = 0;
        for (section, steps) in planner.steps.iter().enumerate() {
            let wish = &planner.wishes[section];
            for step in steps {
                planner.for_nodes(section, *step, &mut |node| {
                    let outside = planner.section_of[node as usize] != section as u32;
                    // What comes from outside a loop is needed until its last round is over.
                    let at = if wish.repeats && outside {
                        ends[section]
                    } else {
                        clock
                    };
                    self.last_use[node as usize] = self.last_use[node as usize].max(at);
                });
                clock += 1;
            }
            for lit in &wish.keeps {
                let node = (lit >> 1) as usize;
                self.last_use[node] = self.last_use[node].max(ends[section]);
            }
        }
        let mut dying = self.dying();
        clock = 0;
        for (section, steps) in planner.steps.iter().enumerate() {
            let direct = self.direct_stores(section, steps);
            let mut ops = Vec::with_capacity(steps.len());
            let mut saved: FxHashMap<u32, Slot> = FxHashMap::default();
            for (at, step) in steps.iter().enumerate() {
                // An operation reads its arguments before it writes: their places are free for its
                // result.
                while let Some(node) = dying.pop_if(|node| self.last_use[*node as usize] <= clock) {
                    let slot = self.slot[node as usize];
                    if slot != NOWHERE && slot >= self.first_free {
                        self.free.push(slot);
                    }
                }
                match *step {
                    Step::Compute(node) => {
                        let lasting = self.last_use[node as usize] >= ends[section];
                        let to = direct.get(&(at as u32)).copied();
                        ops.push(self.compute(node, to, lasting));
                    }
                    Step::Save(node) => {
                        let to = self.take();
                        let start = self.code.arguments.len() as u32;
                        self.code.arguments.push(self.slot[node as usize] << 1);
                        saved.insert(node, to);
                        ops.push(Op {
                            kind: Kind::Copy,
                            to,
                            start,
                            singles: 1,
                            pairs: 0,
                            lasting: false,
                        });
                    }
                    Step::Store(place) => {
                        let (lit, slot) = planner.wishes[section].stores[place as usize];
                        let from = saved
                            .get(&(lit >> 1))
                            .copied()
                            .unwrap_or(self.slot[(lit >> 1) as usize]);
                        let negated = u32::from(self.negated[(lit >> 1) as usize]) ^ lit & 1;
                        if from != slot || negated == 1 {
                            let start = self.code.arguments.len() as u32;
                            let constant = lit >> 1 == NONE;
                            if !constant {
                                self.code.arguments.push(from << 1 | negated);
                            }
                            ops.push(Op {
                                // Of no arguments all hold, and none does.
                                kind: match (constant, lit) {
                                    (true, NONE) => Kind::Or,
                                    (true, _) => Kind::And,
                                    (false, _) => Kind::Copy,
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
            let wish = &planner.wishes[section];
            let mut kept: Vec<Slot> = (0..planner.graph.len())
                .filter(|node| {
                    planner.section_of[*node] == section as u32
                        && !planner.inlined[*node]
                        && self.last_use[*node] >= ends[section]
                })
                .map(|node| self.slot[node])
                .filter(|slot| *slot != NOWHERE)
                .collect();
            kept.sort_unstable();
            kept.dedup();
            self.code.sections.push(Section {
                ops,
                repeats: wish.repeats,
                kept,
                cleared: if wish.repeats {
                    wish.stores.iter().map(|(_, slot)| *slot).collect()
                } else {
                    Vec::new()
                },
            });
        }
        self.code
    }

    /// All results, those that die first last.
    fn dying(&self) -> Vec<u32> {
        let planner = self.planner;
        let mut dying: Vec<u32> = (0..planner.graph.len() as u32)
            .filter(|node| {
                planner.section_of[*node as usize] != NOWHERE && !planner.inlined[*node as usize]
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

    /// Results that are stored right after they are computed: by step, what is stored where.
    fn direct_stores(&self, section: usize, steps: &[Step]) -> FxHashMap<u32, (Lit, Slot)> {
        let mut direct = FxHashMap::default();
        for (at, pair) in steps.windows(2).enumerate() {
            if let [Step::Compute(node), Step::Store(place)] = pair {
                let (lit, slot) = self.planner.wishes[section].stores[*place as usize];
                if lit >> 1 == *node {
                    direct.insert(at as u32, (lit, slot));
                }
            }
        }
        direct
    }

    /// Writes the operation for a node. If it is to be stored next and comes out with the right
    /// sign, it is computed there.
    fn compute(&mut self, node: u32, to: Option<(Lit, Slot)>, lasting: bool) -> Op {
        let graph = self.planner.graph;
        let start = self.code.arguments.len() as u32;
        let operation = graph.operation(node);
        let mut pairs: Vec<[Argument; 2]> = Vec::new();
        let mut singles: Vec<Argument> = Vec::new();
        for lit in graph.arguments(node) {
            let inner = lit >> 1;
            if self.planner.inlined[inner as usize] {
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
                    Kind::And
                } else {
                    for argument in &mut singles {
                        *argument ^= 1;
                    }
                    self.negated[node as usize] = true;
                    Kind::Or
                }
            }
            Operation::Xor => {
                let sign = singles.iter().fold(0, |sign, argument| sign ^ argument & 1);
                for argument in &mut singles {
                    *argument &= !1;
                }
                self.negated[node as usize] = sign == 1;
                Kind::Xor
            }
            _ => {
                // Of most negations the negation is the same as of the others none.
                if singles.iter().filter(|argument| *argument & 1 == 1).count() >= 2 {
                    for argument in &mut singles {
                        *argument ^= 1;
                    }
                    self.negated[node as usize] = true;
                }
                Kind::Majority
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

    fn argument(&self, lit: Lit) -> Argument {
        let node = (lit >> 1) as usize;
        debug_assert_ne!(
            self.slot[node], NOWHERE,
            "an argument is computed before its use"
        );
        self.slot[node] << 1 | u32::from(self.negated[node]) ^ lit & 1
    }
}
