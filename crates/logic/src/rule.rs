//! Flat rules: a head atom and a conjunction of literals over patterns.

use ludorum_gdl::Symbol;

use crate::term::{TermId, Terms};

/// A variable of a rule, numbered from 0 within the rule.
pub type Variable = u32;

/// A term that may have variables. A pattern without variables is always [`Pattern::Ground`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A variable.
    Variable(Variable),
    /// A ground term.
    Ground(TermId),
    /// A functor over arguments of which at least one has a variable.
    Compound(Symbol, Box<[Pattern]>),
}

impl Pattern {
    /// Calls `visit` for every occurrence of a variable, left to right.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Ground(_) => {}
            Self::Compound(_, args) => args.iter().for_each(|arg| arg.for_each_variable(visit)),
        }
    }

    /// Whether the variable occurs in the pattern.
    pub fn mentions(&self, variable: Variable) -> bool {
        let mut found = false;
        self.for_each_variable(&mut |v| found |= v == variable);
        found
    }

    /// Whether the pattern has no variable.
    pub fn is_ground(&self) -> bool {
        matches!(self, Self::Ground(_))
    }

    /// The number of nodes, where a ground subterm counts as one.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Variable(_) | Self::Ground(_) => 1,
            Self::Compound(_, args) => 1 + args.iter().map(Self::size).sum::<usize>(),
        }
    }

    /// The pattern under the substitution `of`.
    #[must_use]
    pub fn substitute(&self, terms: &mut Terms, of: &impl Fn(Variable) -> Self) -> Self {
        match self {
            Self::Variable(variable) => of(*variable),
            Self::Ground(_) => self.clone(),
            Self::Compound(functor, args) => {
                let args: Vec<Self> = args.iter().map(|arg| arg.substitute(terms, of)).collect();
                Self::compound(terms, *functor, args)
            }
        }
    }

    /// The pattern with its variables renumbered.
    #[must_use]
    pub fn rename(&self, to: &impl Fn(Variable) -> Variable) -> Self {
        match self {
            Self::Variable(variable) => Self::Variable(to(*variable)),
            Self::Ground(_) => self.clone(),
            Self::Compound(functor, args) => {
                Self::Compound(*functor, args.iter().map(|arg| arg.rename(to)).collect())
            }
        }
    }

    /// `functor(args…)`, interned as a ground term if all arguments are ground.
    pub fn compound(terms: &mut Terms, functor: Symbol, args: Vec<Self>) -> Self {
        let ground: Option<Vec<TermId>> = args
            .iter()
            .map(|arg| match arg {
                Self::Ground(id) => Some(*id),
                _ => None,
            })
            .collect();
        match ground {
            Some(ids) => Self::Ground(terms.intern(functor, &ids)),
            None => Self::Compound(functor, args.into()),
        }
    }

    /// The KIF text, with the variables named by `names`.
    pub fn text(&self, terms: &Terms, names: &[Symbol]) -> String {
        match self {
            Self::Variable(variable) => names.get(*variable as usize).map_or_else(
                || format!("?{variable}"),
                |name| format!("?{}", terms.symbols.name(*name)),
            ),
            Self::Ground(id) => terms.text(*id),
            Self::Compound(functor, args) => {
                let args: Vec<String> = args.iter().map(|arg| arg.text(terms, names)).collect();
                format!("({} {})", terms.symbols.name(*functor), args.join(" "))
            }
        }
    }
}

/// A relation of a [`crate::Rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(pub u32);

impl RelationId {
    /// The position of this relation in its table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A relation applied to patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// Its arguments.
    pub args: Vec<Pattern>,
}

impl Atom {
    /// Calls `visit` for every occurrence of a variable, left to right.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        self.args
            .iter()
            .for_each(|arg| arg.for_each_variable(visit));
    }

    /// Whether the atom has no variable.
    pub fn is_ground(&self) -> bool {
        self.args.iter().all(Pattern::is_ground)
    }

    /// The number of nodes, where a ground subterm counts as one.
    pub(crate) fn size(&self) -> usize {
        1 + self.args.iter().map(Pattern::size).sum::<usize>()
    }

    /// The atom with its variables renumbered.
    #[must_use]
    pub fn rename(&self, to: &impl Fn(Variable) -> Variable) -> Self {
        Self {
            relation: self.relation,
            args: self.args.iter().map(|arg| arg.rename(to)).collect(),
        }
    }

    /// The atom under the substitution `of`.
    #[must_use]
    pub fn substitute(&self, terms: &mut Terms, of: &impl Fn(Variable) -> Pattern) -> Self {
        Self {
            relation: self.relation,
            args: self
                .args
                .iter()
                .map(|arg| arg.substitute(terms, of))
                .collect(),
        }
    }
}

/// A condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold; its variables are bound by positive literals.
    Negative(Atom),
    /// The two terms differ; their variables are bound by positive literals.
    Distinct(Pattern, Pattern),
}

impl Literal {
    /// The atom of a positive or negative literal.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => Some(atom),
            Self::Distinct(..) => None,
        }
    }

    /// Calls `visit` for every occurrence of a variable, left to right.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => atom.for_each_variable(visit),
            Self::Distinct(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
        }
    }

    /// The literal with its variables renumbered.
    #[must_use]
    pub fn rename(&self, to: &impl Fn(Variable) -> Variable) -> Self {
        match self {
            Self::Positive(atom) => Self::Positive(atom.rename(to)),
            Self::Negative(atom) => Self::Negative(atom.rename(to)),
            Self::Distinct(left, right) => Self::Distinct(left.rename(to), right.rename(to)),
        }
    }

    /// The literal under the substitution `of`.
    #[must_use]
    pub fn substitute(&self, terms: &mut Terms, of: &impl Fn(Variable) -> Pattern) -> Self {
        match self {
            Self::Positive(atom) => Self::Positive(atom.substitute(terms, of)),
            Self::Negative(atom) => Self::Negative(atom.substitute(terms, of)),
            Self::Distinct(left, right) => {
                Self::Distinct(left.substitute(terms, of), right.substitute(terms, of))
            }
        }
    }
}

/// A rule: `head` holds if all literals of `body` hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The derived atom.
    pub head: Atom,
    /// The conditions, at least one. A rule without conditions is stored as a [`Fact`].
    pub body: Vec<Literal>,
    /// The names of the variables in the sheet, for printing.
    pub variables: Vec<Symbol>,
    /// The index of the clause in the sheet; `u32::MAX` for rules that normalisation added.
    pub clause: u32,
}

impl Rule {
    /// Renumbers the variables densely in the order of occurrence, body first: the order in which
    /// engines bind them.
    pub(crate) fn compact(&mut self) {
        const UNSEEN: Variable = Variable::MAX;
        let mut numbers = vec![UNSEEN; self.variables.len()];
        let mut names = Vec::with_capacity(self.variables.len());
        let mut note = |variable: Variable| {
            if numbers[variable as usize] == UNSEEN {
                numbers[variable as usize] = names.len() as Variable;
                names.push(self.variables[variable as usize]);
            }
        };
        for literal in &self.body {
            literal.for_each_variable(&mut note);
        }
        self.head.for_each_variable(&mut note);
        let in_order = numbers.iter().enumerate().all(|(i, n)| i as u32 == *n);
        if in_order {
            return;
        }
        let rename = |variable: Variable| numbers[variable as usize];
        self.head = self.head.rename(&rename);
        for literal in &mut self.body {
            *literal = literal.rename(&rename);
        }
        self.variables = names;
    }
}

/// A ground atom that always holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fact {
    /// The relation.
    pub relation: RelationId,
    /// Its arguments.
    pub args: Vec<TermId>,
}
