//! The syntax tree of a rule sheet.
//!
//! Terms and formulas are stored in flat tables of the [`Description`] and refer to each other by
//! id, children before parents. Trees of any depth are therefore built, traversed and dropped
//! without recursion, and a whole sheet needs few allocations.

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
    /// A functor applied to at least one argument.
    Compound {
        /// The functor.
        functor: Symbol,
        /// Its arguments.
        args: Vec<SyntaxTermId>,
    },
}

/// A relation applied to terms; a proposition has no arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxAtom {
    /// The relation's name; keywords are in lower case.
    pub relation: Symbol,
    /// The arguments.
    pub args: Vec<SyntaxTermId>,
    /// The span of the atom.
    pub span: Span,
    /// The span of the relation's name.
    pub name_span: Span,
}

/// A formula of a rule's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// An atom.
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

/// A clause: a fact or a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The derived atom.
    pub head: SyntaxAtom,
    /// The conditions; all of them must hold.
    pub body: Vec<FormulaId>,
    /// Whether it was written as a rule (`<=`). A rule with an empty body means the same as a fact.
    pub is_rule: bool,
    /// The span of the clause.
    pub span: Span,
}

/// A comment, kept for formatting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its leading marks, without the line break.
    pub text: String,
    /// The span of the comment.
    pub span: Span,
}

/// The syntax tree of a whole rule sheet.
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
    /// A description without clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a term, whose arguments must have been added before.
    pub fn add_term(&mut self, term: SyntaxTerm, span: Span) -> SyntaxTermId {
        let id = SyntaxTermId(self.terms.len() as u32);
        self.terms.push((term, span));
        id
    }

    /// Adds a formula, whose parts must have been added before.
    pub fn add_formula(&mut self, formula: Formula, span: Span) -> FormulaId {
        let id = FormulaId(self.formulas.len() as u32);
        self.formulas.push((formula, span));
        id
    }

    /// The term with an id.
    pub fn term(&self, id: SyntaxTermId) -> &SyntaxTerm {
        &self.terms[id.0 as usize].0
    }

    /// The span of a term.
    pub fn term_span(&self, id: SyntaxTermId) -> Span {
        self.terms[id.0 as usize].1
    }

    /// The formula with an id.
    pub fn formula(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.0 as usize].0
    }

    /// The span of a formula.
    pub fn formula_span(&self, id: FormulaId) -> Span {
        self.formulas[id.0 as usize].1
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// A term and all its subterms in pre-order.
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

    /// A formula and all its subformulas in pre-order.
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

    /// Whether the term has no variable.
    pub fn is_ground(&self, root: SyntaxTermId) -> bool {
        self.subterms(root)
            .all(|id| !matches!(self.term(id), SyntaxTerm::Variable(_)))
    }

    /// Whether two descriptions have equal clauses in the same order. Names are compared; spans and
    /// comments are not.
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
