//! Answers queries about rigid relations by backward chaining within a budget.

use rustc_hash::FxHashMap;

use crate::rule::{Literal, Pattern, RelationId};
use crate::rules::Rules;
use crate::term::{TermId, Terms};

/// The number of answers and matches after which a query is given up.
const MAX_STEPS: u32 = 4_000_000;
/// The number of nested rule applications after which a query is given up.
const MAX_DEPTH: u32 = 256;

/// The values of the variables of a rule.
pub(super) type Bindings = Vec<Option<TermId>>;

/// A query was given up: it needs too many steps or has an unbound negation.
#[derive(Debug)]
pub(super) struct GivenUp;

/// Answers queries. New terms are made in a table of its own.
pub(super) struct Queries<'r> {
    rules: &'r Rules,
    pub(super) terms: Terms,
    steps: u32,
    /// Ground atoms that were asked for.
    known: FxHashMap<(RelationId, Vec<TermId>), bool>,
}

impl<'r> Queries<'r> {
    /// Queries about rules; `terms` has all their terms.
    pub(super) fn new(rules: &'r Rules, terms: Terms) -> Self {
        Self {
            rules,
            terms,
            steps: 0,
            known: FxHashMap::default(),
        }
    }

    fn step(&mut self) -> Result<(), GivenUp> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(GivenUp);
        }
        Ok(())
    }

    /// Whether a relation with one argument holds for a term.
    pub(super) fn holds(&mut self, relation: RelationId, term: TermId) -> Result<bool, GivenUp> {
        Ok(!self.answers(relation, &[Some(term)], 0)?.is_empty())
    }

    /// All bindings that satisfy the literals and extend `start`.
    pub(super) fn conjunction(
        &mut self,
        literals: &[&Literal],
        start: Bindings,
        depth: u32,
    ) -> Result<Vec<Bindings>, GivenUp> {
        let mut left = literals.to_vec();
        let mut all = vec![start];
        while let Some(first) = all.first()
            && !left.is_empty()
        {
            let at = best(&left, first).ok_or(GivenUp)?;
            let literal = left.remove(at);
            let mut next = Vec::new();
            for bindings in all {
                self.step()?;
                match literal {
                    Literal::Distinct(a, b) => {
                        let (a, b) = (self.value(a, &bindings), self.value(b, &bindings));
                        if a.ok_or(GivenUp)? != b.ok_or(GivenUp)? {
                            next.push(bindings);
                        }
                    }
                    Literal::Negative(atom) => {
                        let given = self.values(&atom.args, &bindings);
                        if self.answers(atom.relation, &given, depth)?.is_empty() {
                            next.push(bindings);
                        }
                    }
                    Literal::Positive(atom) => {
                        let given = self.values(&atom.args, &bindings);
                        for answer in self.answers(atom.relation, &given, depth)? {
                            let mut bindings = bindings.clone();
                            if self.match_all(&atom.args, &answer, &mut bindings) {
                                next.push(bindings);
                            }
                        }
                    }
                }
            }
            all = next;
        }
        Ok(all)
    }

    /// The atoms of a relation with the given arguments.
    fn answers(
        &mut self,
        relation: RelationId,
        given: &[Option<TermId>],
        depth: u32,
    ) -> Result<Vec<Vec<TermId>>, GivenUp> {
        if depth >= MAX_DEPTH {
            return Err(GivenUp);
        }
        let whole: Option<Vec<TermId>> = given.iter().copied().collect();
        if let Some(args) = &whole
            && let Some(holds) = self.known.get(&(relation, args.clone()))
        {
            return Ok(if *holds {
                vec![args.clone()]
            } else {
                Vec::new()
            });
        }
        let rules = self.rules;
        let mut found: Vec<Vec<TermId>> = Vec::new();
        for fact in rules.facts_of(relation) {
            self.step()?;
            let mut pairs = fact.args.iter().zip(given);
            if pairs.all(|(arg, given)| given.is_none_or(|given| given == *arg)) {
                found.push(fact.args.clone());
            }
        }
        for rule in rules.rules_of(relation) {
            self.step()?;
            if whole.is_some() && !found.is_empty() {
                break;
            }
            let mut bindings: Bindings = vec![None; rule.variables.len()];
            let mut pairs = rule.head.args.iter().zip(given);
            if !pairs.all(|(arg, given)| {
                given.is_none_or(|term| matches(&self.terms, arg, term, &mut bindings))
            }) {
                continue;
            }
            let body: Vec<&Literal> = rule.body.iter().collect();
            for bindings in self.conjunction(&body, bindings, depth + 1)? {
                let head = self.values(&rule.head.args, &bindings);
                let head: Option<Vec<TermId>> = head.into_iter().collect();
                let head = head.ok_or(GivenUp)?;
                if !found.contains(&head) {
                    found.push(head);
                }
            }
        }
        if let Some(args) = whole {
            self.known.insert((relation, args), !found.is_empty());
        }
        Ok(found)
    }

    fn values(&mut self, patterns: &[Pattern], bindings: &Bindings) -> Vec<Option<TermId>> {
        let values = patterns.iter().map(|p| self.value(p, bindings));
        values.collect()
    }

    /// The term of a pattern whose variables are bound.
    pub(super) fn value(&mut self, pattern: &Pattern, bindings: &Bindings) -> Option<TermId> {
        match pattern {
            Pattern::Variable(v) => bindings[*v as usize],
            Pattern::Ground(term) => Some(*term),
            Pattern::Compound(functor, args) => {
                let args: Option<Vec<TermId>> =
                    args.iter().map(|arg| self.value(arg, bindings)).collect();
                Some(self.terms.intern(*functor, &args?))
            }
        }
    }

    fn match_all(&self, patterns: &[Pattern], terms: &[TermId], bindings: &mut Bindings) -> bool {
        let mut pairs = patterns.iter().zip(terms);
        pairs.all(|(pattern, term)| matches(&self.terms, pattern, *term, bindings))
    }
}

/// Whether a term is an instance of a pattern; binds the variables of the pattern.
pub(super) fn matches(
    terms: &Terms,
    pattern: &Pattern,
    term: TermId,
    bindings: &mut Bindings,
) -> bool {
    match pattern {
        Pattern::Variable(v) => *bindings[*v as usize].get_or_insert(term) == term,
        Pattern::Ground(ground) => *ground == term,
        Pattern::Compound(functor, args) => {
            let parts = terms.args(term);
            terms.functor(term) == *functor
                && parts.len() == args.len()
                && args
                    .iter()
                    .zip(parts)
                    .all(|(arg, part)| matches(terms, arg, *part, bindings))
        }
    }
}

/// The literal to solve first: a test whose variables are bound, else the positive literal with the
/// largest share of bound arguments.
fn best(literals: &[&Literal], bindings: &Bindings) -> Option<usize> {
    let is_bound = |pattern: &Pattern| {
        let mut bound = true;
        pattern.for_each_variable(&mut |v| bound &= bindings[v as usize].is_some());
        bound
    };
    let rated = literals.iter().enumerate().filter_map(|(at, literal)| {
        let (args, positive): (Vec<&Pattern>, bool) = match literal {
            Literal::Positive(atom) => (atom.args.iter().collect(), true),
            Literal::Negative(atom) => (atom.args.iter().collect(), false),
            Literal::Distinct(left, right) => (vec![left, right], false),
        };
        let bound = args.iter().filter(|arg| is_bound(arg)).count();
        if bound == args.len() {
            return Some((1_000, at));
        }
        positive.then(|| (999 * bound / args.len(), at))
    });
    let best = rated.max_by_key(|(rate, at)| (*rate, usize::MAX - at));
    best.map(|(_, at)| at)
}
