//! Plans: how the rules of a relation are evaluated for a given set of bound arguments.
//!
//! A query binds some arguments of a relation (a bit mask, the binding pattern). For each relation
//! and mask that occurs, the conditions of every rule are ordered so that tests come as soon as
//! their variables are bound. Each occurrence of a variable is compiled to bind, check or build, so
//! that evaluation needs neither a trail nor unification.

use ludorum_gdl::Symbol;
use ludorum_logic::join_cost::{self, Candidate};
use ludorum_logic::rule::{Atom, Literal, Pattern, RelationId, Rule, Variable};
use ludorum_logic::{Rules, TermId};

use super::facts::Facts;
use super::fluent_statistics::FluentStatistics;
use super::mask::{MAX_ARITY, Mask};

/// How a value is matched with an argument of an atom.
#[derive(Clone, Debug)]
pub(super) enum Match {
    /// The value must be this term.
    Term(TermId),
    /// The value must be that of the variable.
    Check(Variable),
    /// The variable is bound to the value.
    Bind(Variable),
    /// The value must have this function symbol, and its arguments must match.
    Function(Symbol, Box<[Match]>),
}

/// A template for a term, instantiated from the values of variables.
#[derive(Clone, Debug)]
pub(super) enum Build {
    Term(TermId),
    Variable(Variable),
    Function(Symbol, Box<[Build]>),
}

/// A compiled condition.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// `(distinct a b)`; all variables are bound.
    Distinct(Build, Build),
    /// `(true f)`; all variables are bound.
    HasFluent(Build),
    /// `(not (true f))`; all variables are bound.
    LacksFluent(Build),
    /// `(true (f ...))` with free variables. `index` is the index over the positions in `bound`, if
    /// any.
    Fluents {
        functor: Symbol,
        arity: usize,
        index: Option<usize>,
        bound: Vec<Build>,
        args: Vec<Match>,
    },
    /// `(true ?x)`: all fluents.
    EveryFluent(Match),
    /// `(does r m)`.
    Does(Match, Match),
    /// `(not (does r m))`; all variables are bound.
    DoesNot(Build, Build),
    /// A query of another relation: `inputs` are the arguments at the positions of `mask`, in
    /// order,
    /// `outputs` the others.
    Call {
        relation: RelationId,
        mask: Mask,
        inputs: Vec<Build>,
        outputs: Vec<Match>,
    },
    /// The negation of a relation; all variables are bound.
    Fails {
        relation: RelationId,
        inputs: Vec<Build>,
    },
}

/// The plan of a rule for one mask of its head.
#[derive(Clone, Debug)]
pub(super) struct RulePlan {
    pub(super) variables: usize,
    /// The bound arguments of the head, in order.
    pub(super) head: Vec<Match>,
    pub(super) steps: Vec<Step>,
    /// The free arguments of the head, in order.
    pub(super) result: Vec<Build>,
}

/// The plans of all rules of a relation for one mask.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) rules: Vec<RulePlan>,
    /// The number of free arguments.
    pub(super) free: usize,
}

/// The indexes over fluents that plans use: function symbol, arity, bound positions.
pub(super) type IndexKeys = Vec<(Symbol, usize, Mask)>;

/// The input of the planner.
#[derive(Clone, Copy)]
pub(super) struct PlanInput<'a> {
    pub(super) rules: &'a Rules,
    pub(super) facts: &'a Facts,
    pub(super) statistics: &'a FluentStatistics,
}

pub(super) fn plan(
    input: PlanInput<'_>,
    id: RelationId,
    mask: Mask,
    indexes: &mut IndexKeys,
) -> Plan {
    let mut rules = Vec::new();
    if !input.facts.is_complete(id) {
        for rule in input.rules.rules_of(id) {
            rules.push(Planner::new(input, rule, indexes).run(mask));
        }
    }
    Plan {
        rules,
        free: input.rules.relation(id).arity - mask.count_ones() as usize,
    }
}

struct Planner<'a> {
    rules: &'a Rules,
    facts: &'a Facts,
    statistics: &'a FluentStatistics,
    rule: &'a Rule,
    known: Vec<bool>,
    /// In a recursive rule, the arguments of the non-recursive conditions planned so far.
    guarded: Vec<&'a Pattern>,
    indexes: &'a mut IndexKeys,
}

impl<'a> Planner<'a> {
    fn new(input: PlanInput<'a>, rule: &'a Rule, indexes: &'a mut IndexKeys) -> Self {
        Self {
            rules: input.rules,
            facts: input.facts,
            statistics: input.statistics,
            rule,
            known: vec![false; rule.variables.len()],
            guarded: Vec::new(),
            indexes,
        }
    }

    fn run(mut self, mask: Mask) -> RulePlan {
        let bound = |place: usize| mask >> place & 1 == 1;
        let args = self.rule.head.args.iter().enumerate();
        let head = args
            .filter(|(place, _)| bound(*place))
            .map(|(_, arg)| self.matching(arg))
            .collect();
        let mut todo: Vec<&Literal> = self.rule.body.iter().collect();
        let mut steps = Vec::with_capacity(todo.len());
        while !todo.is_empty() {
            let mut best = 0;
            let mut best_cost = f64::INFINITY;
            for (i, literal) in todo.iter().enumerate() {
                let cost = self.cost(literal);
                if cost < best_cost && !self.must_wait(literal, &todo) {
                    (best, best_cost) = (i, cost);
                }
            }
            let literal = todo.remove(best);
            steps.push(self.step(literal, mask));
        }
        let result = self
            .rule
            .head
            .args
            .iter()
            .enumerate()
            .filter(|(place, _)| !bound(*place))
            .map(|(_, arg)| build(arg))
            .collect();
        RulePlan {
            variables: self.rule.variables.len(),
            head,
            steps,
            result,
        }
    }

    fn is_known(&self, pattern: &Pattern) -> bool {
        let mut known = true;
        pattern.for_each_variable(&mut |v| known &= self.known[v as usize]);
        known
    }

    /// The estimated cost of a condition as the next one: tests first, then conditions with few
    /// answers. Ties keep the order of the rule sheet.
    fn cost(&self, literal: &Literal) -> f64 {
        const NEVER: f64 = 1e300;
        let atom = match literal {
            Literal::Distinct(left, right) => {
                return if self.is_known(left) && self.is_known(right) {
                    join_cost::cost(Candidate::Distinct, true)
                } else {
                    NEVER
                };
            }
            Literal::Negative(atom) => {
                if !atom.args.iter().all(|arg| self.is_known(arg)) {
                    return NEVER;
                }
                return join_cost::cost(Candidate::Negative, self.is_stored(atom.relation));
            }
            Literal::Positive(atom) => atom,
        };
        let condition = self
            .estimate(atom)
            .map_or(Candidate::Bound, Candidate::Open);
        join_cost::cost(condition, self.is_stored(atom.relation))
    }

    fn is_recursive(&self, atom: &Atom) -> bool {
        let head = self.rules.relation(self.rule.head.relation);
        let relation = self.rules.relation(atom.relation);
        head.recursive && relation.recursive && relation.component == head.component
    }

    /// Whether a recursive condition has to come after a non-recursive one with the same compound
    /// argument. `(known (s ?x))` restricts the queries of `(ok (s ?x))`; without it, a bound `?x`
    /// would lead to queries about ever larger terms. The recursion restriction of GDL (Love et al.
    /// 2008) requires such a condition, or the argument in the head.
    fn must_wait(&self, literal: &Literal, todo: &[&Literal]) -> bool {
        let Literal::Positive(atom) = literal else {
            return false;
        };
        let is_compound = |arg: &&Pattern| matches!(arg, Pattern::Compound(..));
        let mut compounds = atom.args.iter().filter(is_compound).peekable();
        if compounds.peek().is_none() || !self.is_recursive(atom) {
            return false;
        }
        compounds.any(|arg| {
            todo.iter().any(|other| match other {
                Literal::Positive(other) => {
                    !self.is_recursive(other) && other.args.iter().any(|a| has_part(a, arg))
                }
                _ => false,
            })
        })
    }

    /// Whether an argument of a recursive condition stays free although its variables are bound.
    /// That is so if it equals an argument of the head that is free in the query. Querying for all
    /// its values avoids queries about ever larger terms.
    fn is_open(&self, atom: &Atom, arg: &Pattern, mask: Mask) -> bool {
        let of_head = |(place, head): (usize, &Pattern)| mask >> place & 1 == 0 && head == arg;
        matches!(arg, Pattern::Compound(..))
            && self.is_recursive(atom)
            && self.rule.head.args.iter().enumerate().any(of_head)
            && !self.guarded.iter().any(|guard| has_part(guard, arg))
    }

    fn is_stored(&self, id: RelationId) -> bool {
        id == self.rules.keywords.true_
            || id == self.rules.keywords.does
            || self.facts.is_complete(id)
    }

    /// The estimated number of answers; `None` if all variables are bound.
    #[allow(clippy::cast_precision_loss)] // an estimate
    fn estimate(&self, atom: &Atom) -> Option<f64> {
        if atom.args.iter().all(|arg| self.is_known(arg)) {
            return None;
        }
        if atom.relation == self.rules.keywords.does {
            return Some(1.0);
        }
        if atom.relation == self.rules.keywords.true_ {
            let answers = match &atom.args[0] {
                Pattern::Compound(functor, args) => {
                    let known: Vec<bool> = args.iter().map(|arg| self.is_known(arg)).collect();
                    self.statistics.estimate(*functor, &known)
                }
                _ => self.statistics.fluents(),
            };
            return Some(answers);
        }
        if self.facts.is_complete(atom.relation) {
            let mut answers = self.facts.rows(atom.relation) as f64;
            for (place, arg) in atom.args.iter().enumerate() {
                if self.is_known(arg) {
                    answers /= self.facts.distinct(atom.relation, place) as f64;
                }
            }
            return Some(answers);
        }
        let open = atom.args.iter().filter(|arg| !self.is_known(arg)).count();
        Some(join_cost::unknown_answers(open, atom.args.len()))
    }

    fn matching(&mut self, pattern: &Pattern) -> Match {
        match pattern {
            Pattern::Ground(id) => Match::Term(*id),
            Pattern::Variable(v) => {
                if std::mem::replace(&mut self.known[*v as usize], true) {
                    Match::Check(*v)
                } else {
                    Match::Bind(*v)
                }
            }
            Pattern::Compound(functor, args) => Match::Function(
                *functor,
                args.iter().map(|arg| self.matching(arg)).collect(),
            ),
        }
    }

    fn step(&mut self, literal: &'a Literal, head_mask: Mask) -> Step {
        let keywords = &self.rules.keywords;
        if let Literal::Positive(atom) = literal
            && self.rules.relation(self.rule.head.relation).recursive
            && !self.is_recursive(atom)
        {
            self.guarded.extend(&atom.args);
        }
        match literal {
            Literal::Distinct(left, right) => Step::Distinct(build(left), build(right)),
            Literal::Negative(atom) => {
                if atom.relation == keywords.true_ {
                    Step::LacksFluent(build(&atom.args[0]))
                } else if atom.relation == keywords.does {
                    Step::DoesNot(build(&atom.args[0]), build(&atom.args[1]))
                } else {
                    Step::Fails {
                        relation: atom.relation,
                        inputs: atom.args.iter().map(build).collect(),
                    }
                }
            }
            Literal::Positive(atom) if atom.relation == keywords.true_ => {
                self.fluent_step(&atom.args[0])
            }
            Literal::Positive(atom) if atom.relation == keywords.does => {
                Step::Does(self.matching(&atom.args[0]), self.matching(&atom.args[1]))
            }
            Literal::Positive(atom) => {
                let mut mask = 0;
                let mut inputs = Vec::new();
                for (place, arg) in atom.args.iter().enumerate() {
                    if self.is_known(arg) && !self.is_open(atom, arg, head_mask) {
                        mask |= 1 << place;
                        inputs.push(build(arg));
                    }
                }
                let outputs = atom
                    .args
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| mask >> place & 1 == 0)
                    .map(|(_, arg)| self.matching(arg))
                    .collect();
                Step::Call {
                    relation: atom.relation,
                    mask,
                    inputs,
                    outputs,
                }
            }
        }
    }

    fn fluent_step(&mut self, pattern: &Pattern) -> Step {
        if self.is_known(pattern) {
            return Step::HasFluent(build(pattern));
        }
        let Pattern::Compound(functor, args) = pattern else {
            return Step::EveryFluent(self.matching(pattern));
        };
        let mut mask: Mask = 0;
        let mut bound = Vec::new();
        for (place, arg) in args.iter().enumerate().take(MAX_ARITY) {
            if self.is_known(arg) {
                mask |= 1 << place;
                bound.push(build(arg));
            }
        }
        let index = (mask != 0).then(|| {
            let key = (*functor, args.len(), mask);
            self.indexes
                .iter()
                .position(|k| *k == key)
                .unwrap_or_else(|| {
                    self.indexes.push(key);
                    self.indexes.len() - 1
                })
        });
        Step::Fluents {
            functor: *functor,
            arity: args.len(),
            index,
            bound,
            args: args.iter().map(|arg| self.matching(arg)).collect(),
        }
    }
}

/// Whether a pattern equals another or contains it.
fn has_part(pattern: &Pattern, part: &Pattern) -> bool {
    pattern == part
        || match pattern {
            Pattern::Compound(_, args) => args.iter().any(|arg| has_part(arg, part)),
            _ => false,
        }
}

fn build(pattern: &Pattern) -> Build {
    match pattern {
        Pattern::Ground(id) => Build::Term(*id),
        Pattern::Variable(v) => Build::Variable(*v),
        Pattern::Compound(functor, args) => {
            Build::Function(*functor, args.iter().map(build).collect())
        }
    }
}
