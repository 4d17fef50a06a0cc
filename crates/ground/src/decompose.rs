//! The tree decomposition of a rule's body: which variables are eliminated together, by estimate.

use crate::clause::{Clause, Literal, Predicates};
use crate::estimate::{FactorEstimate, JoinEstimate, TableEstimate, factor_estimate};

/// Rules with more literals times variables than this stay whole: looking for a tree would take
/// longer than it saves.
const MAX_WORK: usize = 20_000;

/// A helper must be this much cheaper than the rule without it …
const GAIN: f64 = 1.25;
/// … and save at least this many ground literals.
const OVERHEAD: f64 = 40.0;
/// What walking over a row costs, where making a ground literal costs 1.
const WALK: f64 = 0.1;

/// A conjunct: a literal of the rule or a helper.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) source: FactorSource,
    pub(crate) variables: Vec<u32>,
    pub(crate) estimate: FactorEstimate,
    /// Known before play.
    pub(crate) rigid: bool,
    /// Not part of ground rules.
    pub(crate) grounding_only: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FactorSource {
    Literal(Literal),
    Node(usize),
    /// The values that some variables of another conjunct can take.
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

/// A helper, or the rule itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeNode {
    pub(crate) factors: Vec<usize>,
    /// Variables that whoever uses it can see.
    pub(crate) interface: Vec<u32>,
    cost: f64,
}

/// The factors of a clause and the nodes over them, root last.
pub(crate) struct DecompositionTree {
    pub(crate) factors: Vec<Factor>,
    pub(crate) nodes: Vec<TreeNode>,
}

impl DecompositionTree {
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether the root needs a helper; the clause is best left whole otherwise.
    pub(crate) fn is_split(&self) -> bool {
        let mut factors = self.nodes[self.root()].factors.iter();
        factors.any(|f| matches!(self.factors[*f].source, FactorSource::Node(_)))
    }

    /// The nodes that are in use, each before those it needs; some may come more than once.
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

    /// The expected cost of all nodes in use, in ground literals.
    pub(crate) fn cost(&self) -> f64 {
        let mut used = self.used();
        used.sort_unstable();
        used.dedup();
        used.into_iter().map(|node| self.nodes[node].cost).sum()
    }
}

struct Decomposer {
    factors: Vec<Factor>,
    nodes: Vec<TreeNode>,
    /// The clause itself makes no ground rules.
    grounding_only: bool,
}

/// The tree over the factors of a clause, of one node if it is best left whole; `None` if it is too
/// large to be looked at.
pub(crate) fn decompose(
    clause: &Clause,
    predicates: &Predicates,
    estimates: &[TableEstimate],
) -> Option<DecompositionTree> {
    if clause.body.len() * clause.variables as usize > MAX_WORK {
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
    let mut splitting = Decomposer {
        factors,
        nodes: Vec::new(),
        grounding_only: false,
    };
    let all: Vec<usize> = (0..splitting.factors.len()).collect();
    let grounding_only = predicates.get(clause.head.predicate).grounding_only;
    splitting.grounding_only = grounding_only;
    let whole = TreeNode {
        factors: all.clone(),
        cost: splitting.cost(&all, &head, true),
        interface: head,
    };
    if whole.cost < OVERHEAD || splitting.eliminate(all, &whole.interface).is_none() {
        splitting.nodes = vec![whole];
    } else {
        let root = splitting.nodes.len() - 1;
        splitting.merge(root);
    }
    let Decomposer { factors, nodes, .. } = splitting;
    Some(DecompositionTree { factors, nodes })
}

impl Decomposer {
    /// What a rule with these conjuncts costs.
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
        let walk = WALK * size.rows;
        if self.grounding_only || dynamic == 0 && !root {
            return walk + WALK * size.projected(interface.iter().copied());
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

    /// Adds source binds the open variables of a bag, from the pool; false if that cannot be done.
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
            // Prefer source binds most of the open variables in the fewest rows, rigid first.
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
            if factor.grounding_only
                && !bag.contains(f)
                && factor.variables.iter().all(|v| variables.contains(v))
            {
                bag.push(*f);
            }
        }
        Some(bag)
    }

    /// Eliminates all variables that the head does not need; the last node is source remains of the
    /// rule.
    fn eliminate(&mut self, mut pool: Vec<usize>, head: &[u32]) -> Option<()> {
        loop {
            let mut best: Option<(Vec<usize>, JoinEstimate, u32)> = None;
            for v in self.variables_of(&pool) {
                if head.contains(&v) {
                    continue;
                }
                let bag = self.bag(v, &pool)?;
                let size = JoinEstimate::of(bag.iter().map(|f| &self.factors[*f].estimate));
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
                    let inside = bag.contains(f)
                        && (factor.variables.contains(&variable) || factor.grounding_only);
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

    /// Merges helpers into their users where that costs little.
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
        // The domain of a conjunct that is here itself says nothing.
        let here = merged.clone();
        merged.retain(|f| match &self.factors[*f].source {
            FactorSource::Projection(inner, _) => !here.contains(inner),
            _ => true,
        });
        merged
    }
}
