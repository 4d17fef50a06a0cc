//! Simplifies the ground rules: propagates known truth values, and finds the atoms that matter.

use crate::clause::{PredicateView, Predicates};
use crate::emit::AtomNumbering;
use crate::emitted::EmittedRules;
use crate::scc::csr;
use crate::tuple_table::TupleTables;

/// What is known about an atom before play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomValue {
    Open,
    True,
    False,
}

/// Truth values of atoms, and the rules and atoms that remain.
pub(crate) struct Simplified {
    pub(crate) values: Vec<AtomValue>,
    /// Rules that can fire and whose head is undecided.
    pub(crate) alive: Vec<bool>,
    /// Atoms that a keyword depends on, including the keywords' own atoms.
    pub(crate) needed: Vec<bool>,
}

/// Where the value of an atom comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtomSource {
    /// Derived by rules.
    Derived,
    /// A `true` or `does` atom: holds if its `next` or `legal` partner may hold, or initially.
    Input,
}

struct Simplifier<'a> {
    emitted: &'a EmittedRules,
    kinds: Vec<AtomSource>,
    /// The `true` or `does` atom of each `next` or `legal` atom.
    partners: Vec<u32>,
    /// The `true` atoms of the initial state.
    initial: &'a [bool],
    values: Vec<AtomValue>,
    dead: Vec<bool>,
    /// Undecided literals of each rule; `support` counts the remaining rules of each atom.
    open: Vec<u32>,
    support: Vec<u32>,
    todo: Vec<u32>,
}

/// The partner of an atom without one.
const NO_PARTNER: u32 = u32::MAX;

/// Simplifies ground rules. `initial` marks the `true` atoms of the initial state.
pub(crate) fn simplify(
    emitted: &EmittedRules,
    numbering: &AtomNumbering,
    predicates: &Predicates,
    tables: &TupleTables,
    initial: &[bool],
) -> Simplified {
    let count = numbering.count as usize;
    let (kinds, partners) = kinds(numbering, predicates, tables);
    let mut simplifier = Simplifier {
        emitted,
        kinds,
        partners,
        initial,
        values: vec![AtomValue::Open; count],
        dead: vec![false; emitted.heads.len()],
        open: (0..emitted.heads.len())
            .map(|rule| emitted.body(rule).len() as u32)
            .collect(),
        support: vec![0; count],
        todo: Vec::new(),
    };
    simplifier.propagate();
    let Simplifier { values, dead, .. } = simplifier;
    let alive: Vec<bool> = emitted
        .heads
        .iter()
        .zip(&dead)
        .map(|(head, dead)| !dead && values[*head as usize] == AtomValue::Open)
        .collect();
    let needed = needed(emitted, numbering, predicates, tables, &values, &alive);
    Simplified {
        values,
        alive,
        needed,
    }
}

fn kinds(
    numbering: &AtomNumbering,
    predicates: &Predicates,
    tables: &TupleTables,
) -> (Vec<AtomSource>, Vec<u32>) {
    let mut kinds = vec![AtomSource::Derived; numbering.count as usize];
    let mut partners = vec![NO_PARTNER; numbering.count as usize];
    for (at, predicate) in predicates.all.iter().enumerate() {
        let first = numbering.first[at];
        let len = tables.get(predicate.table).len();
        let wanted = match predicate.view {
            PredicateView::True | PredicateView::Does => {
                kinds[first as usize..(first + len) as usize].fill(AtomSource::Input);
                continue;
            }
            PredicateView::Next => PredicateView::True,
            PredicateView::Legal => PredicateView::Does,
            PredicateView::Plain => continue,
        };
        let partner = predicates
            .all
            .iter()
            .position(|other| other.table == predicate.table && other.view == wanted);
        if let Some(partner) = partner {
            for row in 0..len {
                partners[(first + row) as usize] = numbering.first[partner] + row;
            }
        }
    }
    (kinds, partners)
}

impl Simplifier<'_> {
    fn set(&mut self, atom: u32, value: AtomValue) {
        if self.values[atom as usize] == AtomValue::Open {
            self.values[atom as usize] = value;
            self.todo.push(atom);
        }
    }

    /// An atom without rules is false, and so is its partner fluent or move.
    fn refute(&mut self, atom: u32) {
        self.set(atom, AtomValue::False);
        let partner = self.partners[atom as usize];
        if partner != NO_PARTNER && !self.initial[partner as usize] {
            self.set(partner, AtomValue::False);
        }
    }

    fn propagate(&mut self) {
        let emitted = self.emitted;
        for (rule, head) in emitted.heads.iter().enumerate() {
            self.support[*head as usize] += 1;
            if self.open[rule] == 0 {
                self.set(*head, AtomValue::True);
            }
        }
        for atom in 0..self.kinds.len() {
            if self.kinds[atom] == AtomSource::Derived && self.support[atom] == 0 {
                self.refute(atom as u32);
            }
        }
        if self.todo.is_empty() {
            return;
        }
        let known = |literal: &u32| self.values[(literal >> 1) as usize] != AtomValue::Open;
        if !emitted.literals.iter().any(known) {
            return;
        }
        // Rules by literal.
        let mut edges = Vec::with_capacity(emitted.literals.len());
        for rule in 0..emitted.heads.len() {
            edges.extend(emitted.body(rule).iter().map(|l| (*l, rule as u32)));
        }
        let (offsets, rules) = csr(self.kinds.len() * 2, &edges);
        drop(edges);
        while let Some(atom) = self.todo.pop() {
            let holds = self.values[atom as usize] == AtomValue::True;
            for negated in [false, true] {
                let literal = (atom << 1 | u32::from(negated)) as usize;
                for at in offsets[literal]..offsets[literal + 1] {
                    let rule = rules[at as usize];
                    if holds == negated {
                        self.kill(rule);
                    } else {
                        self.satisfy(rule);
                    }
                }
            }
        }
    }

    /// One undecided literal of the rule turned out to hold.
    fn satisfy(&mut self, rule: u32) {
        self.open[rule as usize] -= 1;
        if self.open[rule as usize] == 0 && !self.dead[rule as usize] {
            self.set(self.emitted.heads[rule as usize], AtomValue::True);
        }
    }

    /// Removes a rule that can never fire.
    fn kill(&mut self, rule: u32) {
        if std::mem::replace(&mut self.dead[rule as usize], true) {
            return;
        }
        let head = self.emitted.heads[rule as usize];
        self.support[head as usize] -= 1;
        if self.support[head as usize] == 0 {
            self.refute(head);
        }
    }
}

/// The atoms that a keyword depends on, through rules that can fire.
fn needed(
    emitted: &EmittedRules,
    numbering: &AtomNumbering,
    predicates: &Predicates,
    tables: &TupleTables,
    values: &[AtomValue],
    alive: &[bool],
) -> Vec<bool> {
    let count = numbering.count as usize;
    let mut needed = vec![false; count];
    let mut todo: Vec<u32> = Vec::new();
    for (at, predicate) in predicates.all.iter().enumerate() {
        if !predicate.is_dynamic() || !predicate.is_keyword() {
            continue;
        }
        let first = numbering.first[at];
        for atom in first..first + tables.get(predicate.table).len() {
            needed[atom as usize] = true;
            todo.push(atom);
        }
    }
    // Rules by head.
    let edges: Vec<(u32, u32)> = (0..emitted.heads.len())
        .filter(|rule| alive[*rule])
        .map(|rule| (emitted.heads[rule], rule as u32))
        .collect();
    let (offsets, rules) = csr(count, &edges);
    drop(edges);
    while let Some(atom) = todo.pop() {
        for at in offsets[atom as usize]..offsets[atom as usize + 1] {
            for literal in emitted.body(rules[at as usize] as usize) {
                let below = (literal >> 1) as usize;
                if values[below] == AtomValue::Open && !std::mem::replace(&mut needed[below], true)
                {
                    todo.push(below as u32);
                }
            }
        }
    }
    needed
}
