//! The table of relations with their heads and uses.
//!
//! A relation is identified by its name and arity: `p` with one argument and `p` with two are
//! different relations.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::ast::{Clause, Description, Formula, FormulaId, SyntaxAtom};
use crate::keyword;
use crate::symbol::Symbol;

/// The index of a relation in [`Relations`].
pub(super) type RelationId = u32;

/// The use of a relation in the body of a clause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// The index of the clause.
    pub(super) clause: u32,
    /// The atom.
    pub(super) formula: FormulaId,
    /// The relation of the atom.
    pub(super) relation: RelationId,
    /// Whether it is below an odd number of `not`.
    pub(super) negated: bool,
}

/// A relation: name and arity.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) symbol: Symbol,
    pub(super) arity: usize,
    /// The keyword with this name, if any; the arity may be wrong.
    pub(super) keyword: Option<&'static str>,
    /// The clauses with this relation in the head.
    pub(super) heads: Vec<u32>,
    /// Its uses in bodies, as indices for [`Relations::usage`].
    pub(super) uses: Vec<u32>,
}

/// All relations of a sheet.
#[derive(Debug)]
pub(super) struct Relations {
    table: IndexMap<(Symbol, usize), Relation, FxBuildHasher>,
    heads: Vec<RelationId>,
    uses: Vec<Use>,
    /// The start of the uses of each clause in `uses`, with one more entry than clauses.
    starts: Vec<u32>,
}

impl Relations {
    pub(super) fn of(description: &Description) -> Self {
        let mut this = Self {
            table: IndexMap::default(),
            heads: Vec::with_capacity(description.clauses.len()),
            uses: Vec::new(),
            starts: vec![0],
        };
        for (index, clause) in description.clauses.iter().enumerate() {
            let head = this.enter(description, &clause.head);
            this.heads.push(head);
            this.table[head as usize].heads.push(index as u32);
            for (formula, negated) in leaves(description, clause) {
                if let Formula::Atom(atom) = description.formula(formula) {
                    let relation = this.enter(description, atom);
                    this.table[relation as usize]
                        .uses
                        .push(this.uses.len() as u32);
                    this.uses.push(Use {
                        clause: index as u32,
                        formula,
                        relation,
                        negated,
                    });
                }
            }
            this.starts.push(this.uses.len() as u32);
        }
        this
    }

    fn enter(&mut self, description: &Description, atom: &SyntaxAtom) -> RelationId {
        let entry = self.table.entry((atom.relation, atom.args.len()));
        let id = entry.index() as RelationId;
        entry.or_insert_with(|| Relation {
            symbol: atom.relation,
            arity: atom.args.len(),
            keyword: keyword::relation(description.name(atom.relation)),
            heads: Vec::new(),
            uses: Vec::new(),
        });
        id
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn get(&self, id: RelationId) -> &Relation {
        &self.table[id as usize]
    }

    pub(super) fn find(&self, symbol: Symbol, arity: usize) -> Option<RelationId> {
        self.table
            .get_index_of(&(symbol, arity))
            .map(|i| i as RelationId)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (RelationId, &Relation)> {
        (0..).zip(self.table.values())
    }

    /// The head relation of a clause.
    pub(super) fn head(&self, clause: u32) -> RelationId {
        self.heads[clause as usize]
    }

    /// The uses in the body of a clause, in text order.
    pub(super) fn body(&self, clause: u32) -> &[Use] {
        let clause = clause as usize;
        &self.uses[self.starts[clause] as usize..self.starts[clause + 1] as usize]
    }

    /// All uses in text order.
    pub(super) fn uses(&self) -> &[Use] {
        &self.uses
    }

    pub(super) fn usage(&self, index: u32) -> &Use {
        &self.uses[index as usize]
    }
}

/// The atoms and `distinct`s of the body of a clause, each with whether it is below an odd number
/// of `not`.
pub(super) fn leaves<'d>(
    description: &'d Description,
    clause: &'d Clause,
) -> impl Iterator<Item = (FormulaId, bool)> + 'd {
    let mut stack: Vec<(FormulaId, bool)> =
        clause.body.iter().rev().map(|id| (*id, false)).collect();
    std::iter::from_fn(move || {
        loop {
            let (id, negated) = stack.pop()?;
            match description.formula(id) {
                Formula::Not(part) => stack.push((*part, !negated)),
                Formula::And(parts) | Formula::Or(parts) => {
                    stack.extend(parts.iter().rev().map(|part| (*part, negated)));
                }
                Formula::Atom(_) | Formula::Distinct(..) => return Some((id, negated)),
            }
        }
    })
}
