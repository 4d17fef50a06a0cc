//! A program: the rules of a game in the form in which they are rewritten.
//!
//! [`Rules`] are indexed and classified once and do not change afterwards. A rewriting adds and
//! replaces clauses all the time, so it works on plain lists of clauses, and its result is printed
//! and normalised like any other rule sheet.

use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use ludorum_logic::rule::{self, Pattern, Variable};
use ludorum_logic::{Rules, TermId, Terms};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// The name and the number of arguments of a relation.
pub(crate) type RelationKey = (Symbol, usize);

/// A relation applied to patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Atom {
    pub(crate) name: Symbol,
    pub(crate) args: Vec<Pattern>,
}

impl Atom {
    pub(crate) fn key(&self) -> RelationKey {
        (self.name, self.args.len())
    }

    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        for arg in &self.args {
            arg.for_each_variable(visit);
        }
    }
}

/// A condition of a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Literal {
    Holds(Atom),
    Fails(Atom),
    Distinct(Pattern, Pattern),
}

impl Literal {
    pub(crate) fn atom(&self) -> Option<&Atom> {
        match self {
            Self::Holds(atom) | Self::Fails(atom) => Some(atom),
            Self::Distinct(..) => None,
        }
    }

    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Holds(atom) | Self::Fails(atom) => atom.for_each_variable(visit),
            Self::Distinct(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
        }
    }

    pub(crate) fn variables(&self) -> Vec<Variable> {
        let mut found = Vec::new();
        self.for_each_variable(&mut |v| {
            if !found.contains(&v) {
                found.push(v);
            }
        });
        found
    }

    /// The literal with its patterns mapped.
    pub(crate) fn map(&self, change: &mut impl FnMut(&Pattern) -> Pattern) -> Self {
        let mut atom = |atom: &Atom| Atom {
            name: atom.name,
            args: atom.args.iter().map(&mut *change).collect(),
        };
        match self {
            Self::Holds(one) => Self::Holds(atom(one)),
            Self::Fails(one) => Self::Fails(atom(one)),
            Self::Distinct(left, right) => Self::Distinct(change(left), change(right)),
        }
    }
}

/// A rule, or a fact if the body is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Clause {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    /// The number of variables.
    pub(crate) variables: u32,
}

impl Clause {
    /// The clause with its patterns mapped; `variables` is the new number of variables.
    pub(crate) fn map(&self, variables: u32, change: &mut impl FnMut(&Pattern) -> Pattern) -> Self {
        Self {
            head: Atom {
                name: self.head.name,
                args: self.head.args.iter().map(&mut *change).collect(),
            },
            body: self
                .body
                .iter()
                .map(|literal| literal.map(change))
                .collect(),
            variables,
        }
    }

    /// The clause with its variables numbered from `first`.
    pub(crate) fn shifted(&self, first: u32) -> Self {
        self.map(first + self.variables, &mut |pattern| {
            pattern.rename(&|v| v + first)
        })
    }

    /// The clause with its variables numbered in the order of their occurrence, so that equal
    /// clauses are the same.
    pub(crate) fn compact(self) -> Self {
        let mut numbers: FxHashMap<Variable, Variable> = FxHashMap::default();
        let mut note = |v: Variable| {
            let next = numbers.len() as Variable;
            numbers.entry(v).or_insert(next);
        };
        self.head.for_each_variable(&mut note);
        for literal in &self.body {
            literal.for_each_variable(&mut note);
        }
        self.map(numbers.len() as u32, &mut |pattern| {
            pattern.rename(&|v| numbers[&v])
        })
    }

    /// A new variable.
    pub(crate) fn fresh(&mut self) -> Pattern {
        self.variables += 1;
        Pattern::Variable(self.variables - 1)
    }
}

/// The names of the keywords.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub(crate) init: Symbol,
    pub(crate) true_: Symbol,
    pub(crate) does: Symbol,
    pub(crate) next: Symbol,
    pub(crate) legal: Symbol,
    pub(crate) goal: Symbol,
    pub(crate) terminal: Symbol,
}

/// The clauses of a game.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) terms: Terms,
    pub(crate) names: Names,
    pub(crate) roles: Vec<TermId>,
    /// The clauses by relation.
    pub(crate) relations: IndexMap<RelationKey, Vec<Clause>, FxBuildHasher>,
    /// The relations of the rules, by number.
    pub(crate) origin: Vec<RelationKey>,
    /// Names that are taken.
    taken: FxHashSet<Symbol>,
}

impl Program {
    pub(crate) fn new(rules: &Rules) -> Self {
        let mut terms = rules.terms.clone();
        let keyword = |id| rules.relation(id).name;
        let keywords = &rules.keywords;
        let names = Names {
            init: keyword(keywords.init),
            true_: keyword(keywords.true_),
            does: keyword(keywords.does),
            next: keyword(keywords.next),
            legal: keyword(keywords.legal),
            goal: keyword(keywords.goal),
            terminal: keyword(keywords.terminal),
        };
        let taken = terms.symbols.iter().map(|(symbol, _)| symbol).collect();
        // Relations that normalisation added have names that cannot be read back.
        let mut renamed: FxHashMap<rule::RelationId, Symbol> = FxHashMap::default();
        let mut origin = Vec::new();
        for (number, (id, relation)) in rules.relations().enumerate() {
            let name = rules.relation_name(id);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_+-*/<>=".contains(c);
            let name = if relation.is_helper || !name.chars().all(is_plain) {
                terms.symbols.intern(&format!("part_{number}"))
            } else {
                relation.name
            };
            renamed.insert(id, name);
            origin.push((name, relation.arity));
        }
        let mut program = Self {
            names,
            roles: rules.roles.clone(),
            relations: IndexMap::default(),
            origin,
            taken,
            terms,
        };
        let atom = |atom: &rule::Atom| Atom {
            name: renamed[&atom.relation],
            args: atom.args.clone(),
        };
        for fact in &rules.facts {
            program.add(Clause {
                head: Atom {
                    name: renamed[&fact.relation],
                    args: fact.args.iter().map(|id| Pattern::Ground(*id)).collect(),
                },
                body: Vec::new(),
                variables: 0,
            });
        }
        for rule in &rules.rules {
            let literal = |literal: &rule::Literal| match literal {
                rule::Literal::Positive(one) => Literal::Holds(atom(one)),
                rule::Literal::Negative(one) => Literal::Fails(atom(one)),
                rule::Literal::Distinct(l, r) => Literal::Distinct(l.clone(), r.clone()),
            };
            program.add(Clause {
                head: atom(&rule.head),
                body: rule.body.iter().map(literal).collect(),
                variables: rule.variables.len() as u32,
            });
        }
        program
    }

    /// Adds a clause, unless it is there already.
    pub(crate) fn add(&mut self, clause: Clause) {
        let clause = clause.compact();
        let clauses = self.relations.entry(clause.head.key()).or_default();
        if clause.body.is_empty() || !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }

    pub(crate) fn clauses(&self, key: RelationKey) -> &[Clause] {
        self.relations.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Removes and returns the clauses of a relation.
    pub(crate) fn take(&mut self, key: RelationKey) -> Vec<Clause> {
        self.relations
            .get_mut(&key)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Whether the relation consists of facts alone.
    pub(crate) fn is_table(&self, key: RelationKey) -> bool {
        key.0 != self.names.true_
            && key.0 != self.names.does
            && self
                .clauses(key)
                .iter()
                .all(|clause| clause.body.is_empty())
    }

    /// A new name that starts with the given text.
    pub(crate) fn name(&mut self, text: &str) -> Symbol {
        let plain: String = text
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '_' {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        for number in 0.. {
            let text = if number == 0 {
                plain.clone()
            } else {
                format!("{plain}_{number}")
            };
            let symbol = self.terms.symbols.intern(&text);
            if self.taken.insert(symbol) {
                return symbol;
            }
        }
        unreachable!("some number is free")
    }

    /// The pattern `functor(args…)`, or a constant.
    pub(crate) fn compound(&mut self, functor: Symbol, args: Vec<Pattern>) -> Pattern {
        Pattern::compound(&mut self.terms, functor, args)
    }

    /// `true(fluent)`.
    pub(crate) fn fluent(&self, fluent: Pattern) -> Literal {
        Literal::Holds(Atom {
            name: self.names.true_,
            args: vec![fluent],
        })
    }

    /// `not true(fluent)`.
    pub(crate) fn no_fluent(&self, fluent: Pattern) -> Literal {
        Literal::Fails(Atom {
            name: self.names.true_,
            args: vec![fluent],
        })
    }

    /// The program as a rule sheet.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for clauses in self.relations.values() {
            for clause in clauses {
                let head = self.atom_text(&clause.head);
                if clause.body.is_empty() {
                    out.push_str(&head);
                } else {
                    out.push_str("(<= ");
                    out.push_str(&head);
                    for literal in &clause.body {
                        out.push_str("\n    ");
                        out.push_str(&self.literal_text(literal));
                    }
                    out.push(')');
                }
                out.push('\n');
            }
        }
        out
    }

    fn pattern_text(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Variable(variable) => format!("?v{variable}"),
            Pattern::Ground(id) => self.terms.text(*id),
            Pattern::Compound(functor, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.pattern_text(arg)).collect();
                format!("({} {})", self.terms.symbols.name(*functor), args.join(" "))
            }
        }
    }

    fn atom_text(&self, atom: &Atom) -> String {
        let name = self.terms.symbols.name(atom.name);
        if atom.args.is_empty() {
            return name.to_owned();
        }
        let args: Vec<String> = atom.args.iter().map(|arg| self.pattern_text(arg)).collect();
        format!("({name} {})", args.join(" "))
    }

    pub(crate) fn literal_text(&self, literal: &Literal) -> String {
        match literal {
            Literal::Holds(atom) => self.atom_text(atom),
            Literal::Fails(atom) => format!("(not {})", self.atom_text(atom)),
            Literal::Distinct(left, right) => format!(
                "(distinct {} {})",
                self.pattern_text(left),
                self.pattern_text(right)
            ),
        }
    }
}
