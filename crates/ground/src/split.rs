//! Splits rules along a tree decomposition of their bodies.
//!
//! A variable that the head does not need is eliminated: all conjuncts that mention it become the body of a helper relation
//! over their other variables, and the helper takes their place. Eliminating all such variables one by one, cheapest first,
//! gives a tree of helpers whose instances grow with the width of the body and not with its number of variables. Then
//! each helper that does not pay for itself, by estimate, is merged back into the rule that uses it. Rules that are small as they
//! are come out as they went in.
//!
//! Negations and comparisons need their variables bound where they stand; a helper that lacks a binding is restricted to the
//! values that a positive conjunct of the rule allows. The restriction serves grounding alone: the conjunct itself is checked where it stands.

use rustc_hash::FxHashMap;

use crate::clause::{Apply, Arg, Atom, Clause, Literal, Predicate, PredicateId, Predicates, View};
use crate::estimate::{Size, Sketch, Weight, weight};
use crate::table::Tables;

/// A helper must be this much cheaper than the rule without it …
const GAIN: f64 = 1.25;
/// … and save at least this many ground literals.
const OVERHEAD: f64 = 40.0;
/// What walking over a row costs, where making a ground literal costs 1.
const WALK: f64 = 0.1;

/// A conjunct: a literal of the rule or a helper.
#[derive(Clone, Debug)]
struct Factor {
    what: What,
    variables: Vec<u32>,
    weight: Weight,
    /// Known before play.
    rigid: bool,
    /// Not part of ground rules.
    silent: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Literal(Literal),
    Node(usize),
    /// The values that some variables of another conjunct can take.
    Domain(usize, Vec<u32>),
}

impl Factor {
    fn binds(&self) -> bool {
        matches!(self.weight, Weight::Rows(..))
    }

    fn composes(&self) -> bool {
        matches!(self.what, What::Literal(Literal::Compose { .. }))
    }
}

/// A helper, or the rule itself.
#[derive(Clone, Debug, Default)]
struct Node {
    factors: Vec<usize>,
    /// Variables that whoever uses it can see.
    interface: Vec<u32>,
    cost: f64,
}

struct Splitting {
    factors: Vec<Factor>,
    nodes: Vec<Node>,
    /// The clause itself makes no ground rules.
    silent: bool,
}

/// Helpers found so far, so that rules with a common part share it.
#[derive(Default)]
pub(crate) struct Splitter {
    known: FxHashMap<(Vec<Literal>, Vec<Arg>), PredicateId>,
    count: usize,
}

impl Splitter {
    /// Splits a clause where that pays; new helper clauses come in an order where each only needs earlier ones.
    pub(crate) fn split(
        &mut self,
        clause: Clause,
        predicates: &mut Predicates,
        tables: &mut Tables,
        sketches: &mut Vec<Sketch>,
        helpers: &mut Vec<Clause>,
    ) -> Clause {
        if clause.body.len() < 2 {
            return clause;
        }
        let Some((factors, nodes)) = decompose(&clause, predicates, sketches) else {
            return clause;
        };
        let root = nodes.len() - 1;
        let mut made: FxHashMap<usize, Atom> = FxHashMap::default();
        let mut order = vec![root];
        let mut at = 0;
        while at < order.len() {
            for factor in &nodes[order[at]].factors {
                let mut what = &factors[*factor].what;
                if let What::Domain(inner, _) = what {
                    what = &factors[*inner].what;
                }
                if let What::Node(child) = what {
                    order.push(*child);
                }
            }
            at += 1;
        }
        let name = predicates.get(clause.head.predicate).name.clone();
        let mut maker = Maker {
            splitter: self,
            predicates,
            tables,
            sketches,
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
                silent: nodes[node].factors.iter().all(|f| factors[*f].silent),
                size: Size::of(nodes[node].factors.iter().map(|f| &factors[*f].weight)),
            };
            let atom = maker.helper(helper);
            made.insert(node, atom);
        }
        clause
    }
}

/// Makes helper relations for one clause.
struct Maker<'a> {
    splitter: &'a mut Splitter,
    predicates: &'a mut Predicates,
    tables: &'a mut Tables,
    sketches: &'a mut Vec<Sketch>,
    helpers: &'a mut Vec<Clause>,
    name: String,
    variables: u32,
}

impl Maker<'_> {
    /// A conjunct as a literal.
    fn literal(
        &mut self,
        factor: usize,
        factors: &[Factor],
        made: &FxHashMap<usize, Atom>,
    ) -> Literal {
        let wrap = |predicates: &Predicates, atom: Atom| {
            if predicates.get(atom.predicate).silent {
                Literal::Within(atom)
            } else {
                Literal::Positive(atom)
            }
        };
        match &factors[factor].what {
            What::Literal(literal) => literal.clone(),
            What::Node(child) => wrap(self.predicates, made[child].clone()),
            What::Domain(inner, variables) => {
                let literal = self.literal(*inner, factors, made);
                let Some(atom) = literal.generator() else {
                    return literal;
                };
                let within = Literal::Within(atom.clone());
                if variables.len() == factors[*inner].variables.len() {
                    return within;
                }
                let atom = self.helper(Helper {
                    body: vec![within],
                    interface: variables.clone(),
                    rigid: factors[*inner].rigid,
                    silent: true,
                    size: Size::of([&factors[*inner].weight].into_iter()),
                });
                Literal::Within(atom)
            }
        }
    }

    /// The atom of a helper with a body, known or new.
    fn helper(&mut self, helper: Helper) -> Atom {
        let Helper {
            mut body,
            mut interface,
            rigid,
            silent,
            size,
        } = helper;
        // A form that equal bodies have in common: literals by shape, variables by first occurrence.
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
        self.splitter.count += 1;
        let base = self.name.split('#').next().unwrap_or_default();
        let predicate = self.predicates.add(Predicate {
            relation: None,
            name: format!("{base}#part{}", self.splitter.count),
            shape: Vec::new(),
            table: self.tables.add(interface.len()),
            view: View::Plain,
            rigid,
            silent: silent && !rigid,
        });
        let rows = size.projected(interface.iter().copied());
        self.sketches.push(Sketch {
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
    silent: bool,
    size: Size,
}

/// The factors of a clause and the tree over them, root last; `None` if it is best left whole.
fn decompose(
    clause: &Clause,
    predicates: &Predicates,
    sketches: &[Sketch],
) -> Option<(Vec<Factor>, Vec<Node>)> {
    let factors: Vec<Factor> = clause
        .body
        .iter()
        .map(|literal| Factor {
            variables: literal.variables(),
            weight: weight(literal, predicates, sketches),
            rigid: predicates.is_rigid(literal),
            silent: !predicates.is_fluid(literal),
            what: What::Literal(literal.clone()),
        })
        .collect();
    let head: Vec<u32> = clause
        .head
        .args
        .iter()
        .filter_map(|arg| arg.variable())
        .collect();
    let mut splitting = Splitting {
        factors,
        nodes: Vec::new(),
        silent: false,
    };
    let all: Vec<usize> = (0..splitting.factors.len()).collect();
    let silent = predicates.get(clause.head.predicate).silent;
    splitting.silent = silent;
    let whole = splitting.cost(&all, &head, true);
    if whole < OVERHEAD {
        return None;
    }
    splitting.eliminate(all, &head)?;
    let root = splitting.nodes.len() - 1;
    splitting.merge(root);
    let split = splitting.nodes[root]
        .factors
        .iter()
        .any(|f| matches!(splitting.factors[*f].what, What::Node(_)));
    split.then_some((splitting.factors, splitting.nodes))
}

impl Splitting {
    /// What a rule with these conjuncts costs.
    fn cost(&self, factors: &[usize], interface: &[u32], root: bool) -> f64 {
        let size = Size::of(factors.iter().map(|f| &self.factors[*f].weight));
        let mut relevant: Vec<u32> = interface.to_vec();
        let mut fluid = 0;
        for factor in factors.iter().map(|f| &self.factors[*f]) {
            if !factor.silent {
                fluid += 1;
                relevant.extend(&factor.variables);
            }
        }
        relevant.sort_unstable();
        relevant.dedup();
        let walk = WALK * size.rows;
        if self.silent || fluid == 0 && !root {
            return walk + WALK * size.projected(interface.iter().copied());
        }
        let instances = size.projected(relevant.into_iter());
        let atoms = if root {
            0.0
        } else {
            size.projected(interface.iter().copied())
        };
        walk + instances * f64::from(fluid + 1) + atoms
    }

    fn variables_of(&self, factors: &[usize]) -> Vec<u32> {
        let mut variables: Vec<u32> = factors
            .iter()
            .flat_map(|f| self.factors[*f].variables.iter().copied())
            .collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Adds what binds the open variables of a bag, from the pool; false if that cannot be done.
    fn bind(&mut self, bag: &mut Vec<usize>, pool: &[usize]) -> bool {
        loop {
            let bound = self.bound(bag);
            let variables = self.variables_of(bag);
            let Some(open) = variables.iter().find(|v| !bound.contains(v)) else {
                return true;
            };
            let candidates = pool.iter().filter(|f| {
                let factor = &self.factors[**f];
                !bag.contains(f)
                    && factor.variables.contains(open)
                    && (factor.binds() || factor.composes())
            });
            // Prefer what binds most of the open variables in the fewest rows, rigid first.
            let best = candidates.min_by_key(|f| {
                let factor = &self.factors[**f];
                let shared = factor.variables.iter().filter(|v| variables.contains(v));
                let rows = match &factor.weight {
                    Weight::Rows(..) => {
                        let size = Size::of([&factor.weight].into_iter());
                        size.projected(shared.clone().copied()) as u64
                    }
                    _ => u64::MAX,
                };
                let open = shared.filter(|v| !bound.contains(v)).count();
                (!factor.binds(), usize::MAX - open, !factor.rigid, rows)
            });
            let Some(best) = best.copied() else {
                return false;
            };
            if !self.factors[best].binds() {
                bag.push(best);
                continue;
            }
            let shared: Vec<u32> = self.factors[best]
                .variables
                .iter()
                .copied()
                .filter(|v| variables.contains(v))
                .collect();
            if self.factors[best].rigid && shared.len() == self.factors[best].variables.len() {
                bag.push(best);
                continue;
            }
            let size = Size::of([&self.factors[best].weight].into_iter());
            let rows = size.projected(shared.iter().copied());
            let values = shared
                .iter()
                .map(|v| (*v, size.values.get(v).copied().unwrap_or(1.0)))
                .collect();
            self.factors.push(Factor {
                what: What::Domain(best, shared.clone()),
                variables: shared,
                weight: Weight::Rows(rows, values),
                rigid: self.factors[best].rigid,
                silent: true,
            });
            bag.push(self.factors.len() - 1);
        }
    }

    fn bound(&self, bag: &[usize]) -> Vec<u32> {
        let mut bound: Vec<u32> = Vec::new();
        for factor in bag.iter().map(|f| &self.factors[*f]) {
            if factor.binds() {
                bound.extend(&factor.variables);
            }
        }
        loop {
            let before = bound.len();
            for factor in bag.iter().map(|f| &self.factors[*f]) {
                let What::Literal(Literal::Compose { whole, parts, .. }) = &factor.what else {
                    continue;
                };
                let mut parts = parts.iter().filter_map(|arg| arg.variable());
                if bound.contains(whole) {
                    let new: Vec<u32> = parts.filter(|v| !bound.contains(v)).collect();
                    bound.extend(new);
                } else if parts.all(|v| bound.contains(&v)) {
                    bound.push(*whole);
                }
            }
            if bound.len() == before {
                return bound;
            }
        }
    }

    /// The conjuncts that have to go together to eliminate a variable.
    fn bag(&mut self, variable: u32, pool: &[usize]) -> Option<Vec<usize>> {
        let mut bag: Vec<usize> = pool
            .iter()
            .copied()
            .filter(|f| self.factors[*f].variables.contains(&variable))
            .collect();
        if !self.bind(&mut bag, pool) {
            return None;
        }
        // Rigid conjuncts cost nothing in the ground program: take all that fit.
        let variables = self.variables_of(&bag);
        for f in pool {
            let factor = &self.factors[*f];
            if factor.silent
                && !bag.contains(f)
                && factor.variables.iter().all(|v| variables.contains(v))
            {
                bag.push(*f);
            }
        }
        Some(bag)
    }

    /// Eliminates all variables that the head does not need; the last node is what remains of the rule.
    fn eliminate(&mut self, mut pool: Vec<usize>, head: &[u32]) -> Option<()> {
        loop {
            let mut best: Option<(Vec<usize>, Size, u32)> = None;
            for v in self.variables_of(&pool) {
                if head.contains(&v) {
                    continue;
                }
                let bag = self.bag(v, &pool)?;
                let size = Size::of(bag.iter().map(|f| &self.factors[*f].weight));
                if best.as_ref().is_some_and(|b| b.1.rows <= size.rows) {
                    continue;
                }
                best = Some((bag, size, v));
            }
            let Some((bag, size, variable)) = best else {
                break;
            };
            let rest: Vec<usize> = pool
                .iter()
                .copied()
                .filter(|f| {
                    let factor = &self.factors[*f];
                    // What only restricts instances is done with here.
                    let inside =
                        bag.contains(f) && (factor.variables.contains(&variable) || factor.silent);
                    !inside
                })
                .collect();
            let outside = self.variables_of(&rest);
            let interface: Vec<u32> = self
                .variables_of(&bag)
                .into_iter()
                .filter(|v| *v != variable && (head.contains(v) || outside.contains(v)))
                .collect();
            let rows = size.projected(interface.iter().copied());
            let values = interface
                .iter()
                .map(|v| {
                    (
                        *v,
                        size.values
                            .get(v)
                            .copied()
                            .unwrap_or(1.0)
                            .min(rows.max(1.0)),
                    )
                })
                .collect();
            let rigid = bag.iter().all(|f| self.factors[*f].rigid);
            let silent = bag.iter().all(|f| self.factors[*f].silent);
            let cost = self.cost(&bag, &interface, false);
            let node = self.nodes.len();
            self.nodes.push(Node {
                factors: bag,
                interface: interface.clone(),
                cost,
            });
            self.factors.push(Factor {
                what: What::Node(node),
                variables: interface,
                weight: Weight::Rows(rows, values),
                rigid,
                silent,
            });
            pool = rest;
            pool.push(self.factors.len() - 1);
        }
        let cost = self.cost(&pool, head, true);
        self.nodes.push(Node {
            factors: pool,
            interface: head.to_vec(),
            cost,
        });
        Some(())
    }

    /// Merges helpers into their users where that costs little.
    fn merge(&mut self, root: usize) {
        loop {
            let mut best: Option<(f64, usize, Vec<usize>, f64)> = None;
            let mut todo = vec![root];
            while let Some(node) = todo.pop() {
                for factor in &self.nodes[node].factors {
                    let What::Node(child) = self.factors[*factor].what else {
                        continue;
                    };
                    todo.push(child);
                    let merged = self.merged(node, child);
                    let cost = self.cost(&merged, &self.nodes[node].interface, node == root);
                    let apart = self.nodes[node].cost + self.nodes[child].cost;
                    let gain = apart * GAIN + OVERHEAD - cost;
                    if gain >= 0.0 && best.as_ref().is_none_or(|b| b.0 < gain) {
                        best = Some((gain, node, merged, cost));
                    }
                }
            }
            let Some((_, node, merged, cost)) = best else {
                return;
            };
            self.nodes[node].factors = merged;
            self.nodes[node].cost = cost;
        }
    }

    /// The conjuncts of a node with those of a child in place of the child.
    fn merged(&self, node: usize, child: usize) -> Vec<usize> {
        let mut merged: Vec<usize> = self.nodes[node]
            .factors
            .iter()
            .copied()
            .filter(|f| self.factors[*f].what != What::Node(child))
            .collect();
        for factor in &self.nodes[child].factors {
            let same = merged
                .iter()
                .any(|f| self.factors[*f].what == self.factors[*factor].what);
            if !same {
                merged.push(*factor);
            }
        }
        // The domain of a conjunct that is here itself says nothing.
        let here = merged.clone();
        merged.retain(|f| match &self.factors[*f].what {
            What::Domain(inner, _) => !here.contains(inner),
            _ => true,
        });
        merged
    }
}
