//! Lowering of the syntax tree to flat rules.
//!
//! A body is first brought into negation normal form, in which `not` stands only before atoms. It
//! is then converted into disjunctive normal form while that has few disjuncts. A larger `or`
//! becomes a helper relation over the variables that it shares with the rest of the rule, so that
//! the rules grow linearly with the text and not exponentially. Terms that `not distinct` equates
//! are unified.

use ludorum_gdl::ast::{Clause, Description, Formula, FormulaId, SyntaxTerm, SyntaxTermId};
use ludorum_gdl::{Diagnostic, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::nesting::{MAX_NESTING, NestingDepths};
use crate::normal_form::{
    Alternative, MAX_ALTERNATIVES, NormalForm, alternatives, binds, count, flatten,
};
use crate::rule::{Atom, Fact, Literal, Pattern, Rule, Variable};
use crate::rules::{Keywords, RelationTable, Rules, intern_relation};
use crate::safety;
use crate::term::{TermId, Terms};
use crate::unify::Unifier;

/// Maximum number of disjuncts of a body before its widest `or` becomes a helper relation.
const MAX_DISJUNCTS: usize = 8;

/// Converts the clauses of a description into rules and facts.
pub(crate) fn lower(description: &Description) -> Result<Rules, Vec<Diagnostic>> {
    let mut terms = Terms::new(description.symbols.clone());
    let mut relations = RelationTable::default();
    let mut keyword =
        |name: &str, arity| intern_relation(&mut relations, terms.symbols.intern(name), arity);
    let keywords = Keywords {
        role: keyword("role", 1),
        init: keyword("init", 1),
        true_: keyword("true", 1),
        does: keyword("does", 2),
        next: keyword("next", 1),
        legal: keyword("legal", 2),
        goal: keyword("goal", 2),
        terminal: keyword("terminal", 0),
    };
    let mut lowering = Lowering {
        depths: NestingDepths::default(),
        description,
        facts: FxHashSet::default(),
        rules: Rules {
            terms,
            facts: Vec::new(),
            rules: Vec::new(),
            roles: Vec::new(),
            keywords,
            relations,
            components: 0,
        },
    };
    let mut problems = Vec::new();
    for (index, clause) in description.clauses.iter().enumerate() {
        if let Err(problem) = lowering.clause(index as u32, clause) {
            problems.push(*problem);
        }
    }
    if problems.is_empty() {
        lowering.rules.index();
        Ok(lowering.rules)
    } else {
        Err(problems)
    }
}

type Problem = Box<Diagnostic>;

struct Lowering<'d> {
    description: &'d Description,
    depths: NestingDepths,
    facts: FxHashSet<Fact>,
    rules: Rules,
}

/// The variables of a clause, numbered in the order of occurrence.
#[derive(Default)]
struct Scope {
    names: Vec<Symbol>,
    numbers: FxHashMap<Symbol, Variable>,
}

impl Scope {
    fn variable(&mut self, name: Symbol) -> Variable {
        let next = self.names.len() as Variable;
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            next
        })
    }
}

impl Lowering<'_> {
    fn clause(&mut self, index: u32, clause: &Clause) -> Result<(), Problem> {
        // `base` and `input` declare the possible fluents and moves; they do not affect play.
        if matches!(
            self.description.name(clause.head.relation),
            "base" | "input"
        ) {
            return Ok(());
        }
        let mut scope = Scope::default();
        let head = self.atom(&clause.head, &mut scope)?;
        if let Some(fact) = ground_fact(&head)
            && clause.body.is_empty()
        {
            self.add_fact(fact);
            return Ok(());
        }
        let mut parts = Vec::with_capacity(clause.body.len());
        for formula in &clause.body {
            if self.depths.formula(self.description, *formula) > MAX_NESTING {
                return Err(Box::new(
                    Diagnostic::error(
                        "E302",
                        format!("conditions nested more than {MAX_NESTING} deep"),
                    )
                    .at(self.description.formula_span(*formula), "this condition")
                    .help("give the inner parts a name of their own"),
                ));
            }
            parts.push(self.normal(*formula, true, &mut scope)?);
        }
        let origin = Origin {
            clause: index,
            span: clause.span,
        };
        self.rule(&head, NormalForm::And(parts), &scope.names, origin)
    }

    fn add_fact(&mut self, fact: Fact) {
        if self.facts.insert(fact.clone()) {
            self.rules.facts.push(fact);
        }
    }

    fn atom(
        &mut self,
        atom: &ludorum_gdl::ast::SyntaxAtom,
        scope: &mut Scope,
    ) -> Result<Atom, Problem> {
        let mut args = Vec::with_capacity(atom.args.len());
        for arg in &atom.args {
            args.push(self.pattern(*arg, scope)?);
        }
        let relation = intern_relation(&mut self.rules.relations, atom.relation, args.len());
        Ok(Atom { relation, args })
    }

    fn pattern(&mut self, id: SyntaxTermId, scope: &mut Scope) -> Result<Pattern, Problem> {
        match self.description.term(id) {
            SyntaxTerm::Variable(name) => return Ok(Pattern::Variable(scope.variable(*name))),
            SyntaxTerm::Constant(name) => {
                return Ok(Pattern::Ground(self.rules.terms.intern(*name, &[])));
            }
            SyntaxTerm::Compound { .. } => {}
        }
        if let Some(ground) = self.rules.terms.import(self.description, id) {
            return Ok(Pattern::Ground(ground));
        }
        if self.depths.term(self.description, id) > MAX_NESTING {
            return Err(Box::new(
                Diagnostic::error(
                    "E303",
                    format!("a term with variables nested more than {MAX_NESTING} deep"),
                )
                .at(self.description.term_span(id), "this term"),
            ));
        }
        Ok(self.open_pattern(id, scope))
    }

    /// A term with a variable. The caller has checked its nesting depth.
    fn open_pattern(&mut self, id: SyntaxTermId, scope: &mut Scope) -> Pattern {
        match self.description.term(id) {
            SyntaxTerm::Variable(name) => Pattern::Variable(scope.variable(*name)),
            SyntaxTerm::Constant(name) => Pattern::Ground(self.rules.terms.intern(*name, &[])),
            SyntaxTerm::Compound { functor, args } => {
                let args = args
                    .iter()
                    .map(|arg| self.open_pattern(*arg, scope))
                    .collect();
                Pattern::compound(&mut self.rules.terms, *functor, args)
            }
        }
    }

    /// The negation normal form of a formula. `positive` is false below an odd number of `not`.
    fn normal(
        &mut self,
        id: FormulaId,
        positive: bool,
        scope: &mut Scope,
    ) -> Result<NormalForm, Problem> {
        Ok(match self.description.formula(id) {
            Formula::Atom(atom) => {
                let atom = self.atom(atom, scope)?;
                NormalForm::Literal(if positive {
                    Literal::Positive(atom)
                } else {
                    Literal::Negative(atom)
                })
            }
            Formula::Distinct(left, right) => {
                let left = self.pattern(*left, scope)?;
                let right = self.pattern(*right, scope)?;
                if positive {
                    NormalForm::Literal(Literal::Distinct(left, right))
                } else {
                    NormalForm::Same(left, right)
                }
            }
            Formula::Not(part) => self.normal(*part, !positive, scope)?,
            Formula::And(parts) | Formula::Or(parts) => {
                let is_and = matches!(self.description.formula(id), Formula::And(_));
                let mut normals = Vec::with_capacity(parts.len());
                for part in parts {
                    normals.push(self.normal(*part, positive, scope)?);
                }
                // De Morgan's laws: below a `not`, `and` becomes `or` and vice versa.
                if is_and == positive {
                    NormalForm::And(normals)
                } else {
                    NormalForm::Or(normals)
                }
            }
        })
    }

    /// Adds the rules `head <= body`.
    fn rule(
        &mut self,
        head: &Atom,
        body: NormalForm,
        names: &[Symbol],
        origin: Origin,
    ) -> Result<(), Problem> {
        let body = self.factor(head, body, names, origin)?;
        let alternatives = alternatives(&body);
        if alternatives.len() > MAX_ALTERNATIVES {
            return Err(Box::new(
                Diagnostic::error(
                    "E304",
                    format!("the conditions multiply to over {MAX_ALTERNATIVES} alternatives"),
                )
                .at(origin.span, "this clause")
                .help("give each `or` a relation of its own"),
            ));
        }
        for alternative in alternatives {
            self.conjunction(head.clone(), alternative, names, origin)?;
        }
        Ok(())
    }

    /// Replaces the widest `or` by a helper relation until at most [`MAX_DISJUNCTS`] disjuncts are
    /// left.
    fn factor(
        &mut self,
        head: &Atom,
        body: NormalForm,
        names: &[Symbol],
        origin: Origin,
    ) -> Result<NormalForm, Problem> {
        let mut parts = flatten(body);
        while parts.iter().map(count).fold(1, usize::saturating_mul) > MAX_DISJUNCTS {
            let Some(widest) = (0..parts.len())
                .filter(|i| matches!(parts[*i], NormalForm::Or(_)))
                .max_by_key(|i| count(&parts[*i]))
            else {
                break;
            };
            // An `or` that is the whole body needs no helper relation: it becomes several rules.
            let others = parts.iter().enumerate().filter(|(i, _)| *i != widest);
            let outer: Vec<&NormalForm> = others.map(|(_, part)| part).collect();
            if outer.is_empty() {
                break;
            }
            let Some(helper) = self.helper(head, &outer, &parts[widest], names, origin)? else {
                break;
            };
            parts[widest] = NormalForm::Literal(Literal::Positive(helper));
        }
        Ok(NormalForm::And(parts))
    }

    /// Defines a helper relation for an `or` within a conjunction and returns the atom that
    /// replaces it; `None` if its branches cannot be made safe.
    fn helper(
        &mut self,
        head: &Atom,
        outer: &[&NormalForm],
        disjunction: &NormalForm,
        names: &[Symbol],
        origin: Origin,
    ) -> Result<Option<Atom>, Problem> {
        let mut outside = FxHashSet::default();
        head.for_each_variable(&mut |v| {
            outside.insert(v);
        });
        for part in outer {
            part.for_each_variable(&mut |v| {
                outside.insert(v);
            });
        }
        let mut shared: Vec<Variable> = Vec::new();
        disjunction.for_each_variable(&mut |v| {
            if outside.contains(&v) && !shared.contains(&v) {
                shared.push(v);
            }
        });
        let NormalForm::Or(branches) = disjunction else {
            return Ok(None);
        };
        // A branch such as `(distinct ?x ?y)` binds no variable. The literals outside that bind its
        // variables are copied into the branch.
        let mut safe_branches = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut branch = flatten(branch.clone());
            let mut needed = FxHashSet::default();
            needed.extend(shared.iter().copied());
            NormalForm::And(branch.clone()).for_each_variable(&mut |v| {
                if outside.contains(&v) {
                    needed.insert(v);
                }
            });
            let mut needed: Vec<Variable> = needed.into_iter().collect();
            needed.sort_unstable();
            for variable in needed {
                if branch.iter().any(|part| binds(part, variable)) {
                    continue;
                }
                let Some(context) = outer
                    .iter()
                    .find(|part| matches!(part, NormalForm::Literal(_)) && binds(part, variable))
                else {
                    return Ok(None);
                };
                branch.push((*context).clone());
            }
            safe_branches.push(NormalForm::And(branch));
        }
        let number = self
            .rules
            .relations
            .values()
            .filter(|relation| relation.is_helper)
            .count();
        let base = self
            .rules
            .terms
            .symbols
            .name(self.rules.relations[head.relation.index()].name)
            .to_owned();
        let mut name = format!("{base}#or{number}");
        // The language does not forbid `#` in names, so the sheet may use this name already.
        while self.description.symbols.get(&name).is_some() {
            name.push('#');
        }
        let name = self.rules.terms.symbols.intern(&name);
        let relation = intern_relation(&mut self.rules.relations, name, shared.len());
        self.rules.relations[relation.index()].is_helper = true;
        let atom = Atom {
            relation,
            args: shared.into_iter().map(Pattern::Variable).collect(),
        };
        for branch in safe_branches {
            self.rule(&atom, branch, names, origin)?;
        }
        Ok(Some(atom))
    }

    /// Adds one disjunct as a rule or fact, after unification of the equated terms.
    fn conjunction(
        &mut self,
        head: Atom,
        alternative: Alternative,
        names: &[Symbol],
        origin: Origin,
    ) -> Result<(), Problem> {
        let mut rule = Rule {
            head,
            body: alternative.literals,
            variables: names.to_vec(),
            clause: origin.clause,
        };
        let mut unifier = Unifier::default();
        let is_possible = alternative
            .same
            .iter()
            .all(|(left, right)| unifier.unify(left, right, &mut self.rules.terms));
        if is_possible && !alternative.same.is_empty() {
            rule.head = unifier.atom(&rule.head, &mut self.rules.terms);
            for literal in &mut rule.body {
                *literal = unifier.literal(literal, &mut self.rules.terms);
            }
        }
        if unifier.is_over_budget() {
            return Err(Box::new(
                Diagnostic::error(
                    "E307",
                    "the equations of this clause make a term too large to write",
                )
                .at(origin.span, "this clause")
                .help("each `(not (distinct ?x ...))` puts a term in the place of `?x`; use fewer, or smaller terms"),
            ));
        }
        if !is_possible {
            return Ok(());
        }
        safety::project_local_negations(&mut rule, &mut self.rules);
        if let Some(variable) = safety::unbound_variable(&rule) {
            let name = self
                .rules
                .terms
                .symbols
                .name(rule.variables[variable as usize]);
            return Err(Box::new(
                Diagnostic::error("E305", format!("nothing gives `?{name}` a value"))
                    .at(origin.span, "in this clause")
                    .help(
                        "every variable of a head, a `not` or a `distinct` must occur in a positive condition",
                    ),
            ));
        }
        rule.compact();
        if rule.body.is_empty() {
            if let Some(fact) = ground_fact(&rule.head) {
                self.add_fact(fact);
            }
        } else {
            self.rules.rules.push(rule);
        }
        Ok(())
    }
}

/// The clause that a rule is made from.
#[derive(Clone, Copy)]
struct Origin {
    clause: u32,
    span: ludorum_gdl::Span,
}

fn ground_fact(head: &Atom) -> Option<Fact> {
    let args: Option<Vec<TermId>> = head
        .args
        .iter()
        .map(|arg| match arg {
            Pattern::Ground(id) => Some(*id),
            _ => None,
        })
        .collect();
    args.map(|args| Fact {
        relation: head.relation,
        args,
    })
}
