//! Rules over flat tuples of symbols.

use ludorum_gdl::Symbol;
use ludorum_logic::RelationClass;

use super::shape::{ShapeId, TermShapes};

/// A variable of a flat rule; it stands for one column.
pub(super) type Var = u32;

/// Index of a relation in [`FlatRules`].
pub(super) type FlatRelationId = usize;

/// An argument of an atom: one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Arg {
    Const(u32),
    Var(Var),
}

impl Arg {
    pub(super) fn var(self) -> Option<Var> {
        match self {
            Self::Var(var) => Some(var),
            Self::Const(_) => None,
        }
    }
}

/// A relation applied to columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Atom {
    pub(super) relation: FlatRelationId,
    pub(super) args: Vec<Arg>,
}

/// A condition of a flat rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum FlatLiteral {
    Pos(Atom),
    Neg(Atom),
    /// At least one pair differs.
    Distinct(Vec<(Arg, Arg)>),
    /// `whole = functor(parts…)`, all in closed columns.
    Term(Arg, Symbol, Vec<Arg>),
}

impl FlatLiteral {
    pub(super) fn for_each_arg(&self, mut visit: impl FnMut(Arg)) {
        match self {
            Self::Pos(atom) | Self::Neg(atom) => atom.args.iter().copied().for_each(visit),
            Self::Distinct(pairs) => pairs.iter().for_each(|(a, b)| {
                visit(*a);
                visit(*b);
            }),
            Self::Term(whole, _, parts) => {
                visit(*whole);
                parts.iter().copied().for_each(visit);
            }
        }
    }

    pub(super) fn map(&self, mut of: impl FnMut(Arg) -> Arg) -> Self {
        let mut atom = |atom: &Atom| Atom {
            relation: atom.relation,
            args: atom.args.iter().map(|arg| of(*arg)).collect(),
        };
        match self {
            Self::Pos(a) => Self::Pos(atom(a)),
            Self::Neg(a) => Self::Neg(atom(a)),
            Self::Distinct(pairs) => {
                Self::Distinct(pairs.iter().map(|(a, b)| (of(*a), of(*b))).collect())
            }
            Self::Term(whole, functor, parts) => Self::Term(
                of(*whole),
                *functor,
                parts.iter().map(|part| of(*part)).collect(),
            ),
        }
    }
}

/// `head` holds if all of `body` holds, and all conditions of one alternative of `fork`.
#[derive(Clone, Debug)]
pub(super) struct FlatRule {
    pub(super) head: Atom,
    pub(super) body: Vec<FlatLiteral>,
    /// The alternatives of an `or`; empty without an `or`.
    pub(super) fork: Vec<Vec<FlatLiteral>>,
    pub(super) vars: usize,
}

impl FlatRule {
    /// All conditions, including those of alternatives.
    pub(super) fn literals(&self) -> impl Iterator<Item = &FlatLiteral> {
        self.body.iter().chain(self.fork.iter().flatten())
    }
}

/// Where the rows of a relation come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelationKind {
    /// Constant facts.
    Facts,
    /// The fluents with one functor: facts of the state.
    Fluents,
    /// The moves of the joint move.
    Does,
    /// Rules.
    Derived,
}

#[derive(Clone, Debug)]
pub(super) struct FlatRelation {
    pub(super) name: String,
    pub(super) width: usize,
    pub(super) kind: RelationKind,
    pub(super) class: RelationClass,
    /// The component of mutually recursive relations; `None` for others.
    pub(super) component: Option<u32>,
    /// Position in evaluation order.
    pub(super) order: u32,
    /// Constant facts as consecutive rows.
    pub(super) facts: Vec<u32>,
    pub(super) fact_count: usize,
    pub(super) rules: Vec<usize>,
}

/// The fluents with one functor.
#[derive(Clone, Debug)]
pub(super) struct Fluent {
    pub(super) functor: Symbol,
    pub(super) shapes: Vec<ShapeId>,
    pub(super) now: FlatRelationId,
    pub(super) next: FlatRelationId,
    pub(super) init: FlatRelationId,
}

/// A game over flat tuples.
#[derive(Clone, Debug)]
pub(super) struct FlatRules {
    pub(super) relations: Vec<FlatRelation>,
    pub(super) rules: Vec<FlatRule>,
    pub(super) fluents: Vec<Fluent>,
    pub(super) shapes: TermShapes,
    pub(super) legal: FlatRelationId,
    pub(super) does: FlatRelationId,
    pub(super) goal: FlatRelationId,
    pub(super) terminal: FlatRelationId,
    /// The shapes of a role, a move and a goal value.
    pub(super) role_shape: ShapeId,
    pub(super) move_shape: ShapeId,
    pub(super) value_shape: ShapeId,
}

/// Moves the facts of derived relations to relations of their own, each with a copy rule: the leaf
/// node that is attached to an OR node (Świechowski 2015, section 6.3.3).
pub(super) fn pin_facts(relations: &mut Vec<FlatRelation>, rules: &mut Vec<FlatRule>) {
    for id in 0..relations.len() {
        let relation = &mut relations[id];
        if relation.kind != RelationKind::Derived {
            continue;
        }
        if relation.rules.is_empty() {
            relation.kind = RelationKind::Facts;
            relation.class = RelationClass::Rigid;
            relation.component = None;
            continue;
        }
        if relation.fact_count == 0 {
            continue;
        }
        let leaf = FlatRelation {
            kind: RelationKind::Facts,
            class: RelationClass::Rigid,
            component: None,
            rules: Vec::new(),
            ..relation.clone()
        };
        relation.facts.clear();
        relation.fact_count = 0;
        relation.rules.push(rules.len());
        let args: Vec<Arg> = (0..relation.width as Var).map(Arg::Var).collect();
        rules.push(FlatRule {
            head: Atom {
                relation: id,
                args: args.clone(),
            },
            body: vec![FlatLiteral::Pos(Atom {
                relation: relations.len(),
                args,
            })],
            fork: Vec::new(),
            vars: relations[id].width,
        });
        relations.push(leaf);
    }
}
