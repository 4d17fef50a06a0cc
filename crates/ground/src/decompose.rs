//! Tree decomposition of a rule body by cost-based variable elimination.

use crate::clause::{Clause, Literal, Predicates};
use crate::estimate::{FactorEstimate, JoinEstimate, TableEstimate, factor_estimate};

/// Maximum product of literals and variables of a rule that is decomposed. Finding a tree for
/// larger rules takes longer than it saves.
const MAX_SIZE: usize = 20_000;

/// Factor by which a helper must reduce the cost of its rule to be kept.
const MIN_GAIN: f64 = 1.25;
/// Number of ground literals a helper must save to be kept.
const MIN_SAVING: f64 = 40.0;
/// Cost of visiting a row, relative to the cost of making a ground literal.
const ROW_COST: f64 = 0.1;

/// Cost above which a second order of elimination is tried.
const LARGE_COST: f64 = 20_000.0;
/// Factor by which the second order must be cheaper.
const SECOND_GAIN: f64 = 4.0;

/// Which variable is eliminated next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The one whose conjuncts join to the fewest rows.
    Rows,
    /// The one that leaves the fewest variables in the helper (minimum degree, Rose 1972): chains
    /// are followed from an end instead of being joined in the middle.
    Degree,
}

/// A conjunct of the body: a literal of the rule or a helper relation.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) source: FactorSource,
    pub(crate) variables: Vec<u32>,
    pub(crate) estimate: FactorEstimate,
    /// Whether its truth value is known before play.
    pub(crate) rigid: bool,
    /// Whether it is left out of the ground rules.
    pub(crate) grounding_only: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FactorSource {
    Literal(Literal),
    Node(usize),
    /// The projection of another conjunct to some of its variables.
    Projection(usize, Vec<u32>),
}

impl Factor {
    fn binds(&self) -> bool {
        matches!(self.estimate, FactorEstimate::Rows(..))
    }

    fn composes(&self) -> bool {
        matches!(self.source, FactorSource::Literal(Literal::Compose { .. }))
    }
}

/// A helper relation, or the remaining rule at the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeNode {
    pub(crate) factors: Vec<usize>,
    /// Variables visible to the parent node.
    pub(crate) interface: Vec<u32>,
    cost: f64,
}

/// The factors of a clause and the tree nodes over them; the root is the last node.
pub(crate) struct DecompositionTree {
    pub(crate) factors: Vec<Factor>,
    pub(crate) nodes: Vec<TreeNode>,
}

impl DecompositionTree {
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether the tree has at least one helper. Otherwise the clause is best left unsplit.
    pub(crate) fn is_split(&self) -> bool {
        let mut factors = self.nodes[self.root()].factors.iter();
        factors.any(|f| matches!(self.factors[*f].source, FactorSource::Node(_)))
    }

    /// The reachable nodes, parents before children, with repetitions.
    pub(crate) fn used(&self) -> Vec<usize> {
        let mut order = vec![self.root()];
        let mut at = 0;
        while at < order.len() {
            for factor in &self.nodes[order[at]].factors {
                let mut source = &self.factors[*factor].source;
                if let FactorSource::Projection(inner, _) = source {
                    source = &self.factors[*inner].source;
                }
                if let FactorSource::Node(child) = source {
                    order.push(*child);
                }
            }
            at += 1;
        }
        order
    }

    /// Estimated cost of all reachable nodes, in ground literals.
    pub(crate) fn cost(&self) -> f64 {
        let mut used = self.used();
        used.sort_unstable();
        used.dedup();
        used.into_iter().map(|node| self.nodes[node].cost).sum()
    }
}

#[derive(Clone)]
struct Decomposer {
    factors: Vec<Factor>,
    nodes: Vec<TreeNode>,
    /// The clause itself makes no ground rules.
    grounding_only: bool,
}

/// A variable with the conjuncts to join before it is eliminated.
struct Elimination {
    variable: u32,
    bag: Vec<usize>,
    size: JoinEstimate,
    /// Number of variables of the helper, where that decides.
    degree: usize,
}

/// Decomposes a clause. The tree has a single node if splitting does not pay. Returns `None` if the
/// clause is too large to be analysed.
pub(crate) fn decompose(
    clause: &Clause,
    predicates: &Predicates,
    estimates: &[TableEstimate],
) -> Option<DecompositionTree> {
    if clause.body.len() * clause.variables as usize > MAX_SIZE {
        return None;
    }
    let factors: Vec<Factor> = clause
        .body
        .iter()
        .map(|literal| Factor {
            variables: literal.variables(),
            estimate: factor_estimate(literal, predicates, estimates),
            rigid: predicates.is_rigid(literal),
            grounding_only: !predicates.is_dynamic(literal),
            source: FactorSource::Literal(literal.clone()),
        })
        .collect();
    let head: Vec<u32> = clause
        .head
        .args
        .iter()
        .filter_map(|arg| arg.variable())
        .collect();
    let whole = Decomposer {
        factors,
        nodes: Vec::new(),
        grounding_only: predicates.get(clause.head.predicate).grounding_only,
    };
    let tree = whole.clone().tree(&head, Order::Rows);
    let cost = tree.cost();
    if cost > LARGE_COST {
        let second = whole.tree(&head, Order::Degree);
        if second.cost() * SECOND_GAIN < cost {
            return Some(second);
        }
    }
    Some(tree)
}

impl Decomposer {
    /// The tree for an order of elimination.
    fn tree(mut self, head: &[u32], order: Order) -> DecompositionTree {
        let all: Vec<usize> = (0..self.factors.len()).collect();
        let whole = TreeNode {
            factors: all.clone(),
            cost: self.cost(&all, head, true),
            interface: head.to_vec(),
        };
        if whole.cost < MIN_SAVING || self.eliminate(all, head, order).is_none() {
            self.nodes = vec![whole];
        } else {
            let root = self.nodes.len() - 1;
            self.merge(root);
        }
        let Self { factors, nodes, .. } = self;
        DecompositionTree { factors, nodes }
    }

    /// Estimated cost of a rule with these conjuncts.
    fn cost(&self, factors: &[usize], interface: &[u32], root: bool) -> f64 {
        let size = JoinEstimate::of(factors.iter().map(|f| &self.factors[*f].estimate));
        let mut relevant: Vec<u32> = interface.to_vec();
        let mut dynamic = 0;
        for factor in factors.iter().map(|f| &self.factors[*f]) {
            if !factor.grounding_only {
                dynamic += 1;
                relevant.extend(&factor.variables);
            }
        }
        relevant.sort_unstable();
        relevant.dedup();
        let walk = ROW_COST * size.rows;
        if self.grounding_only || dynamic == 0 && !root {
            return walk + ROW_COST * size.projected(interface.iter().copied());
        }
        let instances = size.projected(relevant.into_iter());
        let atoms = if root {
            0.0
        } else {
            size.projected(interface.iter().copied())
        };
        walk + instances * f64::from(dynamic + 1) + atoms
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

    /// Adds conjuncts of the pool to a bag until all its variables are bound. Returns false if that
    /// is impossible.
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
            // Prefer conjuncts that bind most unbound variables, then rigid ones, then those with
            // the fewest rows.
            let best = candidates.min_by_key(|f| {
                let factor = &self.factors[**f];
                let shared = factor.variables.iter().filter(|v| variables.contains(v));
                let size = JoinEstimate::of([&factor.estimate].into_iter());
                let rows = size.projected(shared.clone().copied());
                let open = shared.filter(|v| !bound.contains(v)).count();
                (
                    !factor.binds(),
                    usize::MAX - open,
                    !factor.rigid,
                    rows.to_bits(),
                )
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
            let size = JoinEstimate::of([&self.factors[best].estimate].into_iter());
            let rows = size.projected(shared.iter().copied());
            let values = shared
                .iter()
                .map(|v| (*v, size.values.get(v).copied().unwrap_or(1.0)))
                .collect();
            self.factors.push(Factor {
                source: FactorSource::Projection(best, shared.clone()),
                variables: shared,
                estimate: FactorEstimate::Rows(rows, values),
                rigid: self.factors[best].rigid,
                grounding_only: true,
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
                let FactorSource::Literal(Literal::Compose { whole, parts, .. }) = &factor.source
                else {
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

    /// The bag of a variable: all conjuncts that must be joined before it can be eliminated.
    fn bag(&mut self, variable: u32, pool: &[usize]) -> Option<Vec<usize>> {
        let mut bag: Vec<usize> = pool
            .iter()
            .copied()
            .filter(|f| self.factors[*f].variables.contains(&variable))
            .collect();
        if !self.bind(&mut bag, pool) {
            return None;
        }
        // Rigid conjuncts cost nothing in the ground program: take all whose variables are in the
        // bag.
        let variables = self.variables_of(&bag);
        for f in pool {
            let factor = &self.factors[*f];
            if factor.grounding_only
                && !bag.contains(f)
                && factor.variables.iter().all(|v| variables.contains(v))
            {
                bag.push(*f);
            }
        }
        Some(bag)
    }

    /// Eliminates all variables that do not occur in the head. The last node is the remaining rule.
    fn eliminate(&mut self, mut pool: Vec<usize>, head: &[u32], order: Order) -> Option<()> {
        loop {
            let mut best: Option<Elimination> = None;
            for variable in self.variables_of(&pool) {
                if head.contains(&variable) {
                    continue;
                }
                let bag = self.bag(variable, &pool)?;
                let size = JoinEstimate::of(bag.iter().map(|f| &self.factors[*f].estimate));
                let degree = match order {
                    Order::Rows => 0,
                    Order::Degree => {
                        let rest = self.rest(&pool, &bag, variable);
                        self.interface(&bag, &rest, variable, head).len()
                    }
                };
                let known = best.as_ref();
                if known.is_some_and(|b| (b.degree, b.size.rows) <= (degree, size.rows)) {
                    continue;
                }
                best = Some(Elimination {
                    variable,
                    bag,
                    size,
                    degree,
                });
            }
            let Some(Elimination {
                variable,
                bag,
                size,
                ..
            }) = best
            else {
                break;
            };
            let rest = self.rest(&pool, &bag, variable);
            let interface = self.interface(&bag, &rest, variable, head);
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
            let grounding_only = bag.iter().all(|f| self.factors[*f].grounding_only);
            let cost = self.cost(&bag, &interface, false);
            let node = self.nodes.len();
            self.nodes.push(TreeNode {
                factors: bag,
                interface: interface.clone(),
                cost,
            });
            self.factors.push(Factor {
                source: FactorSource::Node(node),
                variables: interface,
                estimate: FactorEstimate::Rows(rows, values),
                rigid,
                grounding_only,
            });
            pool = rest;
            pool.push(self.factors.len() - 1);
        }
        let cost = self.cost(&pool, head, true);
        self.nodes.push(TreeNode {
            factors: pool,
            interface: head.to_vec(),
            cost,
        });
        Some(())
    }

    /// The conjuncts that are left when a variable is eliminated with its bag.
    fn rest(&self, pool: &[usize], bag: &[usize], variable: u32) -> Vec<usize> {
        let left = pool.iter().copied().filter(|f| {
            let factor = &self.factors[*f];
            // Conjuncts that only restrict the grounding are consumed by this bag.
            let inside =
                bag.contains(f) && (factor.variables.contains(&variable) || factor.grounding_only);
            !inside
        });
        left.collect()
    }

    /// The variables of a helper that the rest of the rule or the head needs.
    fn interface(&self, bag: &[usize], rest: &[usize], variable: u32, head: &[u32]) -> Vec<u32> {
        let outside = self.variables_of(rest);
        self.variables_of(bag)
            .into_iter()
            .filter(|v| *v != variable && (head.contains(v) || outside.contains(v)))
            .collect()
    }

    /// Merges helpers back into their parents where that costs little.
    fn merge(&mut self, root: usize) {
        loop {
            let mut best: Option<(f64, usize, Vec<usize>, f64)> = None;
            let mut todo = vec![root];
            while let Some(node) = todo.pop() {
                for factor in &self.nodes[node].factors {
                    let FactorSource::Node(child) = self.factors[*factor].source else {
                        continue;
                    };
                    todo.push(child);
                    let merged = self.merged(node, child);
                    let cost = self.cost(&merged, &self.nodes[node].interface, node == root);
                    let apart = self.nodes[node].cost + self.nodes[child].cost;
                    let gain = apart * MIN_GAIN + MIN_SAVING - cost;
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

    /// The conjuncts of a node, with those of a child in place of the child.
    fn merged(&self, node: usize, child: usize) -> Vec<usize> {
        let mut merged: Vec<usize> = self.nodes[node]
            .factors
            .iter()
            .copied()
            .filter(|f| self.factors[*f].source != FactorSource::Node(child))
            .collect();
        for factor in &self.nodes[child].factors {
            let same = merged
                .iter()
                .any(|f| self.factors[*f].source == self.factors[*factor].source);
            if !same {
                merged.push(*factor);
            }
        }
        // A projection is redundant beside the conjunct it projects.
        let here = merged.clone();
        merged.retain(|f| match &self.factors[*f].source {
            FactorSource::Projection(inner, _) => !here.contains(inner),
            _ => true,
        });
        merged
    }
}
