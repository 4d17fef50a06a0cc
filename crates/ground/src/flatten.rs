//! Flattens normalised rules into clauses over predicates without nested terms.
//!
//! `true`, `init` and `next` become one predicate for each functor of their fluents, `legal` and
//! `does` one for each functor of their moves. Joins then work on flat columns: `(true (cell ?x ?y
//! b))` is a lookup in the table of `cell`, which has three columns. A rule with a variable for a
//! whole fluent or move is expanded for each functor it may stand for. Arguments of other relations
//! are flattened if only one functor can occur there. Terms nested elsewhere are composed and
//! decomposed by [`Literal::Compose`].

use ludorum_logic::domain::{DomainId, Domains};
use ludorum_logic::expansion::{RuleExpansion, RuleExpansions, flattened_arguments};
use ludorum_logic::rule::{self, Literal as RuleLiteral, Pattern, RelationId};
use ludorum_logic::{Rules, Terms};
use rustc_hash::FxHashMap;

use crate::budget::{BudgetMeter, GroundError, GroundLimit};
use crate::clause::{
    Apply, Arg, Atom, Clause, Literal, Predicate, PredicateId, PredicateView, Predicates,
};
use crate::shape::PredicateShape;
use crate::tuple_table::{TableId, TupleTables};

/// Maximum number of expansions of one rule over its variables for whole fluents and moves.
const MAX_EXPANSIONS: usize = 1 << 16;

/// Identifies a predicate: its relation and shape.
type PredicateKey = (RelationId, PredicateShape);

/// The flattened rules.
#[derive(Default)]
pub(crate) struct FlatRules {
    pub(crate) predicates: Predicates,
    pub(crate) tables: TupleTables,
    /// Rules, and facts of relations that are not rigid.
    pub(crate) clauses: Vec<Clause>,
    /// Pairs of the `init` table and the `true` table of the same fluents.
    pub(crate) fluents: Vec<(TableId, TableId)>,
    /// Upper bounds of the distinct values of each column.
    pub(crate) widths: Vec<Vec<f64>>,
    keys: FxHashMap<PredicateKey, PredicateId>,
}

struct Flattener<'a> {
    rules: &'a Rules,
    domains: Domains,
    terms: &'a mut Terms,
    flat: FlatRules,
    rigid: Vec<bool>,
    /// Whether an argument of a relation is split by functor.
    split: Vec<Vec<bool>>,
}

pub(crate) fn flatten(
    rules: &Rules,
    terms: &mut Terms,
    meter: &mut BudgetMeter<'_>,
) -> Result<FlatRules, GroundError> {
    let domains = Domains::new(rules);
    let mut flattening = Flattener {
        rules,
        split: flattened_arguments(rules, &domains, &[]),
        domains,
        terms,
        flat: FlatRules::default(),
        rigid: rules.rigid_relations(),
    };
    for fact in &rules.facts {
        let args: Vec<Pattern> = fact.args.iter().map(|id| Pattern::Ground(*id)).collect();
        let atom = rule::Atom {
            relation: fact.relation,
            args,
        };
        let mut body = Vec::new();
        let head = flattening.atom(&atom, &mut 0, &mut body);
        if flattening.flat.predicates.get(head.predicate).rigid {
            let cells: Vec<u32> = head.args.iter().filter_map(|arg| arg.term()).collect();
            let table = flattening.flat.predicates.get(head.predicate).table;
            flattening.flat.tables.get_mut(table).insert(&cells);
        } else {
            flattening.flat.clauses.push(Clause {
                head,
                body,
                variables: 0,
            });
        }
    }
    for rule in &rules.rules {
        rules
            .relation_name(rule.head.relation)
            .clone_into(&mut meter.relation);
        flattening.rule(rule, meter)?;
    }
    Ok(flattening.flat)
}

impl Flattener<'_> {
    fn is_split(&self, relation: RelationId, place: usize) -> bool {
        self.split[relation.index()][place]
    }

    fn rule(&mut self, rule: &rule::Rule, meter: &mut BudgetMeter<'_>) -> Result<(), GroundError> {
        let expansions = RuleExpansions::new(rule, &self.domains, |relation, place| {
            self.is_split(relation, place)
        });
        let count = expansions.count();
        if count > MAX_EXPANSIONS {
            return Err(meter.error(GroundLimit::Instances));
        }
        for number in 0..count {
            self.add_expansion(rule, &expansions.get(number));
        }
        Ok(())
    }

    /// Adds one expansion of a rule.
    fn add_expansion(&mut self, rule: &rule::Rule, expansion: &RuleExpansion) {
        let of = |v: u32| expansion.pattern(v);
        let mut variables = expansion.variables;
        let constants = expansion.constants.iter();
        let mut body: Vec<Literal> = constants.map(|v| Literal::Constant(*v)).collect();
        let terms = &mut *self.terms;
        let literals: Vec<RuleLiteral> = rule
            .body
            .iter()
            .map(|literal| literal.substitute(terms, &of))
            .collect();
        let head = rule.head.substitute(terms, &of);
        for literal in &literals {
            let flat = match literal {
                RuleLiteral::Positive(atom) => {
                    Literal::Positive(self.atom(atom, &mut variables, &mut body))
                }
                RuleLiteral::Negative(atom) => {
                    Literal::Negative(self.atom(atom, &mut variables, &mut body))
                }
                RuleLiteral::Distinct(left, right) => {
                    let left = flat_arg(left, &mut variables, &mut body);
                    let right = flat_arg(right, &mut variables, &mut body);
                    match (left, right) {
                        (Arg::Term(a), Arg::Term(b)) if a != b => continue,
                        _ if left == right => return,
                        _ => Literal::Distinct(left, right),
                    }
                }
            };
            if !body.contains(&flat) {
                body.push(flat);
            }
        }
        let head = self.atom(&head, &mut variables, &mut body);
        let mut clause = Clause {
            head,
            body,
            variables,
        };
        clause.compact();
        self.flat.clauses.push(clause);
    }

    fn atom(&mut self, atom: &rule::Atom, variables: &mut u32, body: &mut Vec<Literal>) -> Atom {
        let mut shape: PredicateShape = vec![None; atom.args.len()];
        let mut args = Vec::with_capacity(atom.args.len());
        for (at, arg) in atom.args.iter().enumerate() {
            if self.is_split(atom.relation, at) {
                match arg {
                    Pattern::Compound(functor, parts) => {
                        shape[at] = Some((*functor, parts.len()));
                        for part in parts {
                            args.push(flat_arg(part, variables, body));
                        }
                        continue;
                    }
                    Pattern::Ground(id) if !self.terms.args(*id).is_empty() => {
                        let parts = self.terms.args(*id);
                        shape[at] = Some((self.terms.functor(*id), parts.len()));
                        args.extend(parts.iter().map(|part| Arg::Term(part.0)));
                        continue;
                    }
                    _ => {}
                }
            }
            args.push(flat_arg(arg, variables, body));
        }
        let predicate = self.predicate(atom.relation, &shape);
        Apply { predicate, args }
    }

    fn predicate(&mut self, relation: RelationId, shape: &PredicateShape) -> PredicateId {
        if let Some(id) = self.flat.keys.get(&(relation, shape.clone())) {
            return *id;
        }
        let keywords = self.rules.keywords;
        let (view, partner) = if relation == keywords.true_ {
            (PredicateView::True, Some(keywords.next))
        } else if relation == keywords.next {
            (PredicateView::Next, Some(keywords.true_))
        } else if relation == keywords.legal {
            (PredicateView::Legal, Some(keywords.does))
        } else if relation == keywords.does {
            (PredicateView::Does, Some(keywords.legal))
        } else {
            (PredicateView::Plain, None)
        };
        let shared = partner.and_then(|other| self.flat.keys.get(&(other, shape.clone())));
        let table = match shared {
            Some(id) => self.flat.predicates.get(*id).table,
            None => self.table(relation, shape),
        };
        let id = self.flat.predicates.add(Predicate {
            relation: Some(relation),
            name: self.rules.relation_name(relation).to_owned(),
            shape: shape.clone(),
            table,
            view,
            rigid: self.rigid[relation.index()],
            grounding_only: false,
        });
        self.flat.keys.insert((relation, shape.clone()), id);
        if let Some(partner) = partner {
            self.predicate(partner, shape);
        }
        if relation == keywords.init {
            let fluent = self.predicate(keywords.true_, shape);
            let fluent = self.flat.predicates.get(fluent).table;
            self.flat.fluents.push((table, fluent));
        }
        id
    }

    fn table(&mut self, relation: RelationId, shape: &PredicateShape) -> TableId {
        let mut places: Vec<DomainId> = Vec::new();
        for (at, function) in shape.iter().enumerate() {
            let domain = self.domains.argument(relation, at);
            if let Some((functor, arity)) = *function {
                let mut functions = self.domains.functions(domain);
                match functions.find(|(f, parts)| *f == functor && parts.len() == arity) {
                    Some((_, parts)) => places.extend(parts),
                    // No such term can occur: the table stays empty and any domain will do.
                    None => places.extend(std::iter::repeat_n(domain, arity)),
                }
            } else {
                places.push(domain);
            }
        }
        let size = |id: &DomainId| self.domains.size(*id).map_or(1e6, as_estimate);
        self.flat.widths.push(places.iter().map(size).collect());
        self.flat.tables.add(places.len())
    }
}

/// A pattern as one argument. A compound term with variables gets a variable of its own.
fn flat_arg(pattern: &Pattern, variables: &mut u32, body: &mut Vec<Literal>) -> Arg {
    match pattern {
        Pattern::Variable(v) => Arg::Variable(*v),
        Pattern::Ground(id) => Arg::Term(id.0),
        Pattern::Compound(functor, args) => {
            let parts = args
                .iter()
                .map(|arg| flat_arg(arg, variables, body))
                .collect::<Vec<_>>();
            // Equal terms in one rule share a variable.
            let same = body.iter().find_map(|literal| match literal {
                Literal::Compose {
                    whole,
                    functor: f,
                    parts: p,
                } if *f == functor.0 && *p == parts => Some(*whole),
                _ => None,
            });
            Arg::Variable(same.unwrap_or_else(|| {
                let whole = *variables;
                *variables += 1;
                body.push(Literal::Compose {
                    whole,
                    functor: functor.0,
                    parts,
                });
                whole
            }))
        }
    }
}

impl Arg {
    fn term(self) -> Option<u32> {
        match self {
            Self::Term(id) => Some(id),
            Self::Variable(_) => None,
        }
    }
}

/// A domain size as a floating-point estimate.
#[allow(clippy::cast_precision_loss)]
fn as_estimate(size: u64) -> f64 {
    (size as f64).max(1.0)
}
