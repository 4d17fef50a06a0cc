//! Rules in the grounder's form: flat predicates, with explicit literals that compose and decompose
//! nested terms.

use ludorum_logic::rule::RelationId;

use crate::shape::PredicateShape;
use crate::tuple_table::TableId;

/// An argument: a variable of the clause or a ground term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Arg {
    Variable(u32),
    Term(u32),
}

impl Arg {
    pub(crate) fn variable(self) -> Option<u32> {
        match self {
            Self::Variable(v) => Some(v),
            Self::Term(_) => None,
        }
    }
}

/// Index of a predicate in [`Predicates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PredicateId(pub(crate) u32);

/// A predicate applied to flat arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Apply<A> {
    pub(crate) predicate: PredicateId,
    pub(crate) args: A,
}

pub(crate) type Atom = Apply<Vec<Arg>>;

/// A body literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Literal {
    Positive(Atom),
    Negative(Atom),
    /// Restricts the instances of the clause to those where the atom may hold, without becoming a
    /// literal of the ground rule. Used where the condition is checked elsewhere, and for the
    /// demand atoms of magic sets.
    GroundingOnly(Atom),
    Distinct(Arg, Arg),
    /// `whole = functor(parts…)`. Composes or decomposes, depending on which side is bound.
    Compose {
        whole: u32,
        functor: u32,
        parts: Vec<Arg>,
    },
    /// The variable is bound to a constant, not to a compound term.
    Constant(u32),
}

impl Literal {
    pub(crate) fn for_each_arg(&self, visit: &mut impl FnMut(Arg)) {
        match self {
            Self::Positive(atom) | Self::Negative(atom) | Self::GroundingOnly(atom) => {
                atom.args.iter().for_each(|a| visit(*a));
            }
            Self::Distinct(left, right) => {
                visit(*left);
                visit(*right);
            }
            Self::Compose { whole, parts, .. } => {
                visit(Arg::Variable(*whole));
                for part in parts {
                    visit(*part);
                }
            }
            Self::Constant(v) => visit(Arg::Variable(*v)),
        }
    }

    /// The atom whose table this literal scans, for literals that bind variables.
    pub(crate) fn generator(&self) -> Option<&Atom> {
        match self {
            Self::Positive(atom) | Self::GroundingOnly(atom) => Some(atom),
            _ => None,
        }
    }

    /// The distinct variables of the literal.
    pub(crate) fn variables(&self) -> Vec<u32> {
        let mut variables = Vec::new();
        self.for_each_arg(&mut |arg| {
            if let Arg::Variable(v) = arg
                && !variables.contains(&v)
            {
                variables.push(v);
            }
        });
        variables
    }

    pub(crate) fn rename(&mut self, to: &impl Fn(u32) -> u32) {
        let change = |arg: &mut Arg| {
            if let Arg::Variable(v) = arg {
                *v = to(*v);
            }
        };
        match self {
            Self::Positive(atom) | Self::Negative(atom) | Self::GroundingOnly(atom) => {
                atom.args.iter_mut().for_each(change);
            }
            Self::Distinct(left, right) => {
                change(left);
                change(right);
            }
            Self::Compose { whole, parts, .. } => {
                *whole = to(*whole);
                parts.iter_mut().for_each(change);
            }
            Self::Constant(v) => *v = to(*v),
        }
    }
}

/// `head` holds if all literals of `body` hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    /// Number of variables.
    pub(crate) variables: u32,
}

impl Clause {
    /// Renumbers the variables without gaps.
    pub(crate) fn compact(&mut self) {
        let mut numbers: Vec<u32> = Vec::new();
        let mut count = 0;
        {
            let mut note = |arg: Arg| {
                if let Arg::Variable(v) = arg {
                    if numbers.len() <= v as usize {
                        numbers.resize(v as usize + 1, u32::MAX);
                    }
                    if numbers[v as usize] == u32::MAX {
                        numbers[v as usize] = count;
                        count += 1;
                    }
                }
            };
            for literal in &self.body {
                literal.for_each_arg(&mut note);
            }
            self.head.args.iter().for_each(|a| note(*a));
        }
        for literal in &mut self.body {
            literal.rename(&|v| numbers[v as usize]);
        }
        for arg in &mut self.head.args {
            if let Arg::Variable(v) = arg {
                *v = numbers[*v as usize];
            }
        }
        self.variables = count;
    }
}

/// How a predicate uses its table.
///
/// The fluents of `true` and `next` share one table, and so do the moves of `legal` and `does`. A
/// fluent that can be derived by `next` can be true, and a legal move can be played, so the atoms
/// of both predicates are found, stored and numbered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PredicateView {
    Plain,
    True,
    Next,
    Legal,
    Does,
}

/// A relation, or the part of `true`, `next`, `init`, `legal` or `does` with one functor.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    /// The relation of the rules; `None` for helper predicates of the grounder.
    pub(crate) relation: Option<RelationId>,
    pub(crate) name: String,
    /// How arguments are split into columns; empty if each argument is one column.
    pub(crate) shape: PredicateShape,
    pub(crate) table: TableId,
    pub(crate) view: PredicateView,
    /// Computed before play. Its literals never occur in the ground program.
    pub(crate) rigid: bool,
    /// Restricts instances during grounding and never occurs in the ground program.
    pub(crate) grounding_only: bool,
}

impl Predicate {
    /// Whether atoms of this predicate can occur in the ground program.
    pub(crate) fn is_dynamic(&self) -> bool {
        !self.rigid && !self.grounding_only
    }
}

/// All predicates, by [`PredicateId`].
#[derive(Debug, Default)]
pub(crate) struct Predicates {
    pub(crate) all: Vec<Predicate>,
}

impl Predicates {
    pub(crate) fn get(&self, id: PredicateId) -> &Predicate {
        &self.all[id.0 as usize]
    }

    pub(crate) fn add(&mut self, predicate: Predicate) -> PredicateId {
        self.all.push(predicate);
        PredicateId(self.all.len() as u32 - 1)
    }

    /// Whether the literal has the same truth value in all states.
    pub(crate) fn is_rigid(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) | Literal::GroundingOnly(atom) => {
                self.get(atom.predicate).rigid
            }
            _ => true,
        }
    }

    /// Whether the literal can occur in a ground rule.
    pub(crate) fn is_dynamic(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                self.get(atom.predicate).is_dynamic()
            }
            _ => false,
        }
    }
}
