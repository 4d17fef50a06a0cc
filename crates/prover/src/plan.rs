//! How a query with given bound arguments runs through the rules of a relation: decided once,
//! executed often.
//!
//! A call binds some arguments of a relation (the set is a bit mask). For each relation and mask
//! that occurs, every rule gets an order of its conditions in which tests come as early as their
//! variables are known, and instructions that say of every variable whether it is bound, checked or
//! computed at each place, so running a rule needs no trail and no unification.

use ludorum_gdl::Symbol;
use ludorum_logic::join_cost::{self, Candidate};
use ludorum_logic::rule::{Atom, Literal, Pattern, RelationId, Rule, Variable};
use ludorum_logic::{Rules, TermId};

use super::facts::Facts;
use super::statistics::Statistics;

/// A set of argument places.
pub(super) type Mask = u64;

/// The most arguments a relation may have here.
pub(super) const MAX_ARITY: usize = 64;

/// What to do with a value at a place.
#[derive(Clone, Debug)]
pub(super) enum Match {
    /// It must be this term.
    Term(TermId),
    /// It must be the value of the variable.
    Check(Variable),
    /// It becomes the value of the variable.
    Bind(Variable),
    /// It must be this function, and its arguments must match.
    Function(Symbol, Box<[Match]>),
}

/// How to make a term from the values of variables.
#[derive(Clone, Debug)]
pub(super) enum Build {
    Term(TermId),
    Variable(Variable),
    Function(Symbol, Box<[Build]>),
}

/// A condition, ready to run.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// `(distinct a b)`, all variables known.
    Distinct(Build, Build),
    /// A fluent that is known in full.
    HasFluent(Build),
    /// No such fluent.
    LacksFluent(Build),
    /// Fluents of one function; `index` serves the places in `bound` when there are any.
    Fluents {
        functor: Symbol,
        arity: usize,
        index: Option<usize>,
        bound: Vec<Build>,
        args: Vec<Match>,
    },
    /// All fluents.
    EveryFluent(Match),
    /// The move of a role.
    Does(Match, Match),
    /// The role does not make the move; all variables known.
    DoesNot(Build, Build),
    /// A call of another relation: `inputs` for the places of `mask`, in order, `outputs` for the
    /// others.
    Call {
        relation: RelationId,
        mask: Mask,
        inputs: Vec<Build>,
        outputs: Vec<Match>,
    },
    /// The relation does not hold; all variables known.
    Fails {
        relation: RelationId,
        inputs: Vec<Build>,
    },
}

/// A rule for one mask of its head.
#[derive(Clone, Debug)]
pub(super) struct RulePlan {
    pub(super) variables: usize,
    /// The bound places of the head, in order.
    pub(super) head: Vec<Match>,
    pub(super) steps: Vec<Step>,
    /// The free places of the head, in order.
    pub(super) result: Vec<Build>,
}

/// All rules of a relation for one mask.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) rules: Vec<RulePlan>,
    /// How many places are free.
    pub(super) free: usize,
}

/// The indexes over fluents that plans ask for: function, arity, bound places.
pub(super) type IndexKeys = Vec<(Symbol, usize, Mask)>;

/// What a plan is made from.
#[derive(Clone, Copy)]
pub(super) struct Basis<'a> {
    pub(super) rules: &'a Rules,
    pub(super) facts: &'a Facts,
    pub(super) statistics: &'a Statistics,
}

pub(super) fn plan(basis: Basis<'_>, id: RelationId, mask: Mask, indexes: &mut IndexKeys) -> Plan {
    let mut rules = Vec::new();
    if !basis.facts.is_whole(id) {
        for rule in basis.rules.rules_of(id) {
            rules.push(Planner::new(basis, rule, indexes).run(mask));
        }
    }
    Plan {
        rules,
        free: basis.rules.relation(id).arity - mask.count_ones() as usize,
    }
}

struct Planner<'a> {
    rules: &'a Rules,
    facts: &'a Facts,
    statistics: &'a Statistics,
    rule: &'a Rule,
    known: Vec<bool>,
    /// Arguments of the conditions outside the recursion so far, in a recursive rule.
    guarded: Vec<&'a Pattern>,
    indexes: &'a mut IndexKeys,
}

impl<'a> Planner<'a> {
    fn new(basis: Basis<'a>, rule: &'a Rule, indexes: &'a mut IndexKeys) -> Self {
        Self {
            rules: basis.rules,
            facts: basis.facts,
            statistics: basis.statistics,
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
                if cost < best_cost && !self.waits(literal, &todo) {
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

    /// How unwelcome a condition is as the next one: tests first, then what has few answers. Ties
    /// keep the author's order.
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

    /// Whether a recursive condition should wait for one outside the recursion that has the same
    /// compound argument: `(known (s ?x))` bounds what `(ok (s ?x))` is asked about, and for a
    /// given `?x` ever larger terms would be asked about without it. The language demands that
    /// there is such a condition, or the argument in the head.
    fn waits(&self, literal: &Literal, todo: &[&Literal]) -> bool {
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

    /// Whether an argument of a recursive condition is one of the head's where the query has no
    /// value, though its variables are known: what there is is asked for, not ever larger terms.
    fn is_open(&self, atom: &Atom, arg: &Pattern, mask: Mask) -> bool {
        let of_head = |(place, head): (usize, &Pattern)| mask >> place & 1 == 0 && head == arg;
        matches!(arg, Pattern::Compound(..))
            && self.is_recursive(atom)
            && self.rule.head.args.iter().enumerate().any(of_head)
            && !self.guarded.iter().any(|guard| has_part(guard, arg))
    }

    fn is_stored(&self, id: RelationId) -> bool {
        id == self.rules.keywords.true_ || id == self.rules.keywords.does || self.facts.is_whole(id)
    }

    /// The expected number of answers; `None` if no variable is unbound.
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
        if self.facts.is_whole(atom.relation) {
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

/// Whether a pattern is another or has it as a part.
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
