//! The syntax tree of a rule sheet.
//!
//! Terms and formulas live in flat tables of the [`Description`] and refer to each other by id,
//! children before parents. So trees of any depth are built, walked and dropped without recursion
//! on the stack, and a whole sheet is a handful of allocations.

use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// A term of a [`Description`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SyntaxTermId(pub u32);

/// A formula of a [`Description`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormulaId(pub u32);

/// A term as written: `?x`, `white`, `(cell 1 ?y)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxTerm {
    /// `?x`; the symbol is the name without the question mark.
    Variable(Symbol),
    /// A constant, numbers included.
    Constant(Symbol),
    /// A function applied to at least one argument.
    Compound {
        /// The function's name.
        functor: Symbol,
        /// Its arguments.
        args: Vec<SyntaxTermId>,
    },
}

/// A relation applied to terms; no arguments for a proposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxAtom {
    /// The relation's name; keywords are in lower case.
    pub relation: Symbol,
    /// The arguments.
    pub args: Vec<SyntaxTermId>,
    /// Where it stands.
    pub span: Span,
    /// Where the relation's name stands.
    pub name_span: Span,
}

/// A formula of a rule's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A relation.
    Atom(SyntaxAtom),
    /// `(not p)`.
    Not(FormulaId),
    /// `(and p q …)`, at least one part.
    And(Vec<FormulaId>),
    /// `(or p q …)`, at least one part.
    Or(Vec<FormulaId>),
    /// `(distinct s t)`.
    Distinct(SyntaxTermId, SyntaxTermId),
}

/// A fact or a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What the clause derives.
    pub head: SyntaxAtom,
    /// Its conditions, all of which must hold.
    pub body: Vec<FormulaId>,
    /// Whether it was written as a rule (`<=`); a rule with an empty body means the same as a fact.
    pub is_rule: bool,
    /// Where it stands.
    pub span: Span,
}

/// A comment, kept for printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its leading marks, without the line end.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole rule sheet as written.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// All names.
    pub symbols: Symbols,
    /// Facts and rules in the order of the file.
    pub clauses: Vec<Clause>,
    /// Comments in the order of the file.
    pub comments: Vec<Comment>,
    terms: Vec<(SyntaxTerm, Span)>,
    formulas: Vec<(Formula, Span)>,
}

impl Description {
    /// A sheet without clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a term; its arguments must be there already.
    pub fn add_term(&mut self, term: SyntaxTerm, span: Span) -> SyntaxTermId {
        let id = SyntaxTermId(self.terms.len() as u32);
        self.terms.push((term, span));
        id
    }

    /// Adds a formula; its parts must be there already.
    pub fn add_formula(&mut self, formula: Formula, span: Span) -> FormulaId {
        let id = FormulaId(self.formulas.len() as u32);
        self.formulas.push((formula, span));
        id
    }

    /// The term of an id.
    pub fn term(&self, id: SyntaxTermId) -> &SyntaxTerm {
        &self.terms[id.0 as usize].0
    }

    /// Where a term stands.
    pub fn term_span(&self, id: SyntaxTermId) -> Span {
        self.terms[id.0 as usize].1
    }

    /// The formula of an id.
    pub fn formula(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.0 as usize].0
    }

    /// Where a formula stands.
    pub fn formula_span(&self, id: FormulaId) -> Span {
        self.formulas[id.0 as usize].1
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// A term and everything below it, parents before children, left to right.
    pub fn subterms(&self, root: SyntaxTermId) -> impl Iterator<Item = SyntaxTermId> + '_ {
        let mut stack = vec![root];
        std::iter::from_fn(move || {
            let id = stack.pop()?;
            if let SyntaxTerm::Compound { args, .. } = self.term(id) {
                stack.extend(args.iter().rev());
            }
            Some(id)
        })
    }

    /// A formula and everything below it, parents before parts, left to right.
    pub fn subformulas(&self, root: FormulaId) -> impl Iterator<Item = FormulaId> + '_ {
        let mut stack = vec![root];
        std::iter::from_fn(move || {
            let id = stack.pop()?;
            match self.formula(id) {
                Formula::Not(part) => stack.push(*part),
                Formula::And(parts) | Formula::Or(parts) => stack.extend(parts.iter().rev()),
                Formula::Atom(_) | Formula::Distinct(..) => {}
            }
            Some(id)
        })
    }

    /// Whether no variable occurs in the term.
    pub fn is_ground(&self, root: SyntaxTermId) -> bool {
        self.subterms(root)
            .all(|id| !matches!(self.term(id), SyntaxTerm::Variable(_)))
    }

    /// Whether two sheets say the same, clause by clause: spans and comments do not count, names
    /// do.
    pub fn same_clauses(&self, other: &Self) -> bool {
        self.clauses.len() == other.clauses.len()
            && self.clauses.iter().zip(&other.clauses).all(|(a, b)| {
                a.is_rule == b.is_rule
                    && self.same_atom(&a.head, other, &b.head)
                    && a.body.len() == b.body.len()
                    && a.body
                        .iter()
                        .zip(&b.body)
                        .all(|(f, g)| self.same_formula(*f, other, *g))
            })
    }

    fn same_atom(&self, a: &SyntaxAtom, other: &Self, b: &SyntaxAtom) -> bool {
        self.name(a.relation) == other.name(b.relation)
            && a.args.len() == b.args.len()
            && a.args
                .iter()
                .zip(&b.args)
                .all(|(s, t)| self.same_term(*s, other, *t))
    }

    fn same_term(&self, a: SyntaxTermId, other: &Self, b: SyntaxTermId) -> bool {
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            match (self.term(a), other.term(b)) {
                (SyntaxTerm::Variable(x), SyntaxTerm::Variable(y))
                | (SyntaxTerm::Constant(x), SyntaxTerm::Constant(y))
                    if self.name(*x) == other.name(*y) => {}
                (
                    SyntaxTerm::Compound { functor: f, args },
                    SyntaxTerm::Compound {
                        functor: g,
                        args: others,
                    },
                ) if self.name(*f) == other.name(*g) && args.len() == others.len() => {
                    pairs.extend(args.iter().copied().zip(others.iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }

    fn same_formula(&self, a: FormulaId, other: &Self, b: FormulaId) -> bool {
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            match (self.formula(a), other.formula(b)) {
                (Formula::Atom(p), Formula::Atom(q)) if self.same_atom(p, other, q) => {}
                (Formula::Not(p), Formula::Not(q)) => pairs.push((*p, *q)),
                (Formula::And(ps), Formula::And(qs)) | (Formula::Or(ps), Formula::Or(qs))
                    if ps.len() == qs.len() =>
                {
                    pairs.extend(ps.iter().copied().zip(qs.iter().copied()));
                }
                (Formula::Distinct(s, t), Formula::Distinct(u, v))
                    if self.same_term(*s, other, *u) && self.same_term(*t, other, *v) => {}
                _ => return false,
            }
        }
        true
    }
}
