//! Splits rules along a tree decomposition of their bodies.
//!
//! A variable that does not occur in the head is eliminated: all conjuncts that contain it become
//! the body of a helper relation over their other variables, and the helper replaces them.
//! Eliminating these variables one by one, cheapest first, gives a tree of helpers. Its number of
//! instances grows with the width of the body and not with the number of variables. Helpers that do
//! not pay for themselves, by estimate, are merged back into their parents. Small rules stay as
//! they are.
//!
//! Negations and comparisons need bound variables. A helper that lacks a binding is restricted to
//! the values that a positive conjunct of the rule allows. This restriction serves grounding alone;
//! the conjunct itself is checked where it stands.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::{
    Apply, Arg, Atom, Clause, Literal, Predicate, PredicateId, PredicateView, Predicates,
};
use crate::decompose::{DecompositionTree, Factor, FactorSource, decompose};
use crate::estimate::{JoinEstimate, TableEstimate};
use crate::tuple_table::TupleTables;

/// The helper relations so far; rules with a common part share them.
#[derive(Default)]
pub(crate) struct RuleSplitter {
    known: FxHashMap<(Vec<Literal>, Vec<Arg>), PredicateId>,
    /// The predicates of the helpers.
    pub(crate) helpers: FxHashSet<PredicateId>,
}

impl RuleSplitter {
    /// Prevents further rules from sharing a helper.
    pub(crate) fn unshare(&mut self, helper: PredicateId) {
        self.known.retain(|_, known| *known != helper);
    }

    /// Splits a clause where that pays. New helper clauses are appended in dependency order.
    pub(crate) fn split(
        &mut self,
        clause: Clause,
        predicates: &mut Predicates,
        tables: &mut TupleTables,
        estimates: &mut Vec<TableEstimate>,
        helpers: &mut Vec<Clause>,
    ) -> Clause {
        if clause.body.len() < 2 {
            return clause;
        }
        let Some(tree) =
            decompose(&clause, predicates, estimates).filter(DecompositionTree::is_split)
        else {
            return clause;
        };
        let (root, order) = (tree.root(), tree.used());
        let DecompositionTree { factors, nodes } = tree;
        let mut made: FxHashMap<usize, Atom> = FxHashMap::default();
        let name = predicates.get(clause.head.predicate).name.clone();
        let mut maker = HelperMaker {
            splitter: self,
            predicates,
            tables,
            estimates,
            helpers,
            name,
            variables: clause.variables,
        };
        for node in order.into_iter().rev() {
            if made.contains_key(&node) {
                continue;
            }
            let mut body: Vec<Literal> = Vec::new();
            for factor in &nodes[node].factors {
                let literal = maker.literal(*factor, &factors, &made);
                if !body.contains(&literal) {
                    body.push(literal);
                }
            }
            if node == root {
                let mut rest = Clause { body, ..clause };
                rest.compact();
                return rest;
            }
            let helper = Helper {
                body,
                interface: nodes[node].interface.clone(),
                rigid: nodes[node].factors.iter().all(|f| factors[*f].rigid),
                grounding_only: nodes[node]
                    .factors
                    .iter()
                    .all(|f| factors[*f].grounding_only),
                size: JoinEstimate::of(nodes[node].factors.iter().map(|f| &factors[*f].estimate)),
            };
            let atom = maker.helper(helper);
            made.insert(node, atom);
        }
        clause
    }
}

/// Makes the helper relations of one clause.
struct HelperMaker<'a> {
    splitter: &'a mut RuleSplitter,
    predicates: &'a mut Predicates,
    tables: &'a mut TupleTables,
    estimates: &'a mut Vec<TableEstimate>,
    helpers: &'a mut Vec<Clause>,
    name: String,
    variables: u32,
}

impl HelperMaker<'_> {
    /// A conjunct as a literal.
    fn literal(
        &mut self,
        factor: usize,
        factors: &[Factor],
        made: &FxHashMap<usize, Atom>,
    ) -> Literal {
        let wrap = |predicates: &Predicates, atom: Atom| {
            if predicates.get(atom.predicate).grounding_only {
                Literal::GroundingOnly(atom)
            } else {
                Literal::Positive(atom)
            }
        };
        match &factors[factor].source {
            FactorSource::Literal(literal) => literal.clone(),
            FactorSource::Node(child) => wrap(self.predicates, made[child].clone()),
            FactorSource::Projection(inner, variables) => {
                let literal = self.literal(*inner, factors, made);
                let Some(atom) = literal.generator() else {
                    return literal;
                };
                let within = Literal::GroundingOnly(atom.clone());
                if variables.len() == factors[*inner].variables.len() {
                    return within;
                }
                let atom = self.helper(Helper {
                    body: vec![within],
                    interface: variables.clone(),
                    rigid: factors[*inner].rigid,
                    grounding_only: true,
                    size: JoinEstimate::of([&factors[*inner].estimate].into_iter()),
                });
                Literal::GroundingOnly(atom)
            }
        }
    }

    /// The atom of a helper with a given body, shared if it already exists.
    fn helper(&mut self, helper: Helper) -> Atom {
        let Helper {
            mut body,
            mut interface,
            rigid,
            grounding_only,
            size,
        } = helper;
        // Canonical form of the body: literals sorted by structure, variables numbered by first
        // occurrence.
        body.sort_by_cached_key(|literal| {
            let mut shape = literal.clone();
            shape.rename(&|_| 0);
            shape
        });
        let mut numbers = vec![u32::MAX; self.variables as usize];
        let mut count = 0;
        for literal in &body {
            for v in literal.variables() {
                if numbers[v as usize] == u32::MAX {
                    numbers[v as usize] = count;
                    count += 1;
                }
            }
        }
        interface.sort_by_key(|v| numbers[*v as usize]);
        let outside: Vec<Arg> = interface.iter().map(|v| Arg::Variable(*v)).collect();
        let inside: Vec<Arg> = interface
            .iter()
            .map(|v| Arg::Variable(numbers[*v as usize]))
            .collect();
        for literal in &mut body {
            literal.rename(&|v| numbers[v as usize]);
        }
        if let Some(predicate) = self.splitter.known.get(&(body.clone(), inside.clone())) {
            return Apply {
                predicate: *predicate,
                args: outside,
            };
        }
        let base = self.name.split('#').next().unwrap_or_default();
        let predicate = self.predicates.add(Predicate {
            relation: None,
            name: format!("{base}#part{}", self.splitter.helpers.len() + 1),
            shape: Vec::new(),
            table: self.tables.add(interface.len()),
            view: PredicateView::Plain,
            rigid,
            grounding_only: grounding_only && !rigid,
        });
        self.splitter.helpers.insert(predicate);
        let rows = size.projected(interface.iter().copied());
        self.estimates.push(TableEstimate {
            rows,
            values: interface
                .iter()
                .map(|v| {
                    size.values
                        .get(v)
                        .copied()
                        .unwrap_or(1.0)
                        .min(rows.max(1.0))
                })
                .collect(),
        });
        self.splitter
            .known
            .insert((body.clone(), inside.clone()), predicate);
        self.helpers.push(Clause {
            head: Apply {
                predicate,
                args: inside,
            },
            body,
            variables: count,
        });
        Apply {
            predicate,
            args: outside,
        }
    }
}

struct Helper {
    body: Vec<Literal>,
    interface: Vec<u32>,
    rigid: bool,
    grounding_only: bool,
    size: JoinEstimate,
}
