//! Builds the trees of the roles' best goals, and evaluates their conditions.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::and_plan::{PlanHost as _, RowSource};
use super::cell::Cell;
use super::customise::{ColumnSlot, Condition, customise};
use super::flat::{Arg, Atom, FlatLiteral, FlatRule, RelationKind, Var};
use super::game::OrandGame;
use super::goal_tree::{AndNode, GoalDegree, GoalTree, OrNode};
use ludorum_reasoner::{ReasonError, Role};

/// Number of tree nodes above which conditions are proved instead of expanded.
const MAX_NODES: usize = 5_000;

/// A tree under construction.
struct Builder<'a, C> {
    game: &'a mut OrandGame<C>,
    nodes: Vec<OrNode>,
    ids: FxHashMap<Condition, usize>,
    todo: Vec<(usize, Condition)>,
}

impl<C: Cell> OrandGame<C> {
    /// The degree of a role's best goal in the current state. `None` if no rule gives the role a
    /// goal.
    pub(super) fn goal_degree(&mut self, role: Role) -> Result<Option<GoalDegree>, ReasonError> {
        let tree = self.goal_tree(role);
        let holds = self.satisfied_conditions(&tree)?;
        Ok(tree.degree(&holds, &mut Vec::new()))
    }

    /// The tree of a role's best goal, built on demand.
    pub(super) fn goal_tree(&mut self, role: Role) -> Arc<GoalTree> {
        self.interpreter.free_memory();
        let known = self.goal_trees[role].as_ref();
        if let Some(tree) = known.filter(|t| t.generation == self.interpreter.generation) {
            return Arc::clone(tree);
        }
        let tree = Arc::new(self.new_goal_tree(role));
        self.goal_trees[role] = Some(Arc::clone(&tree));
        tree
    }

    /// Which conditions of a tree hold in the current state, by node.
    pub(super) fn satisfied_conditions(
        &mut self,
        tree: &GoalTree,
    ) -> Result<Vec<bool>, ReasonError> {
        let mut holds = vec![false; tree.nodes.len()];
        let mut key: Vec<C> = Vec::new();
        for id in &tree.order {
            holds[*id] = match &tree.nodes[*id] {
                OrNode::Open | OrNode::Rules(_) => false,
                OrNode::Leaf {
                    relation,
                    access,
                    key: symbols,
                    same,
                } => {
                    key.clear();
                    key.extend(symbols.iter().map(|s| C::of(*s)));
                    let rows = &mut self.interpreter.leaves[*relation];
                    if key.is_empty() {
                        (0..rows.len as u32).any(|at| rows.is_same(at, same))
                    } else {
                        rows.ready(*access);
                        rows.any(*access, &key, same, &mut 0)
                    }
                }
                OrNode::Proved(node) => {
                    self.interpreter.query(*node)?;
                    self.interpreter.tables[*node].results.len > 0
                }
            };
        }
        Ok(holds)
    }

    /// The tree of the rules that give a role its highest value.
    fn new_goal_tree(&mut self, role: Role) -> GoalTree {
        let flat = Arc::clone(&self.interpreter.flat);
        let goal = &flat.relations[flat.goal];
        let mut slots = vec![ColumnSlot::Free; goal.width];
        for (slot, cell) in slots.iter_mut().zip(&self.role_cells[role]) {
            *slot = ColumnSlot::Const(cell.symbol());
        }
        let at = self.role_cells[role].len();
        let condition = Condition {
            relation: flat.goal,
            slots: slots.into(),
        };
        let written = Arc::clone(&self.written);
        let made = goal
            .rules
            .iter()
            .filter_map(|rule| customise(&written[*rule], &condition));
        let terms = self.interpreter.vocabulary.terms();
        let value = |symbol: u32| terms.number(super::shape::term(symbol));
        let valued: Vec<(Option<i64>, FlatRule)> = made
            .map(|rule| match rule.head.args[at] {
                Arg::Const(symbol) => (value(symbol), rule),
                Arg::Var(_) => (None, rule),
            })
            .collect();
        let best = valued.iter().map(|(value, _)| *value).max();
        // A goal that is a fact is reached in every state.
        let facts = self.goal_facts().filter(|row| self.is_role(row, role));
        let given = facts.map(|row| value(row[at].symbol())).max();
        if given.is_some() && given >= best {
            return GoalTree {
                nodes: vec![OrNode::Rules(vec![AndNode::new()])],
                order: vec![0],
                generation: self.interpreter.generation,
            };
        }
        let rules: Vec<FlatRule> = valued
            .into_iter()
            .filter(|(value, _)| Some(*value) == best)
            .map(|(_, rule)| rule)
            .collect();
        if rules.is_empty() {
            return GoalTree {
                generation: self.interpreter.generation,
                ..GoalTree::default()
            };
        }
        let mut builder = Builder {
            game: self,
            nodes: vec![OrNode::Open],
            ids: FxHashMap::default(),
            todo: Vec::new(),
        };
        let root: Vec<AndNode> = rules.iter().flat_map(|rule| builder.rule(rule)).collect();
        builder.nodes[0] = OrNode::Rules(root);
        while let Some((id, condition)) = builder.todo.pop() {
            builder.nodes[id] = builder.open(&condition);
        }
        let nodes = builder.nodes;
        let order = order(&nodes);
        GoalTree {
            nodes,
            order,
            generation: self.interpreter.generation,
        }
    }
}

impl<C: Cell> OrandGame<C> {
    /// The rows of unconditional goals.
    fn goal_facts(&self) -> impl Iterator<Item = &[C]> {
        let flat = &self.interpreter.flat;
        let goal = &flat.relations[flat.goal];
        // The facts of a relation with rules are a leaf relation with a copy rule.
        let beside = goal.rules.iter().filter_map(|rule| {
            let rule = &self.written[*rule];
            let takes_over =
                matches!(&rule.body[..], [FlatLiteral::Pos(atom)] if atom.args == rule.head.args);
            match &rule.body[..] {
                [FlatLiteral::Pos(atom)] if takes_over && rule.fork.is_empty() => {
                    Some(atom.relation)
                }
                _ => None,
            }
        });
        let only = goal.rules.is_empty().then_some(flat.goal);
        let leaves = beside.filter(|id| flat.relations[*id].kind == RelationKind::Facts);
        leaves.chain(only).flat_map(|id| {
            let rows = &self.interpreter.leaves[id];
            (0..rows.len).map(|i| rows.row(i))
        })
    }
}

impl<C: Cell> Builder<'_, C> {
    /// The AND nodes of a rule: one for each path of its fork.
    fn rule(&mut self, rule: &FlatRule) -> Vec<AndNode> {
        if rule.fork.is_empty() {
            return vec![self.conditions(rule.body.iter())];
        }
        let paths = rule.fork.iter();
        paths
            .map(|path| self.conditions(rule.body.iter().chain(path)))
            .collect()
    }

    fn conditions<'l>(&mut self, lits: impl Iterator<Item = &'l FlatLiteral>) -> AndNode {
        lits.filter_map(|lit| match lit {
            FlatLiteral::Pos(atom) => Some((self.child(atom), false)),
            FlatLiteral::Neg(atom) => Some((self.child(atom), true)),
            FlatLiteral::Distinct(_) | FlatLiteral::Term(..) => None,
        })
        .collect()
    }

    fn child(&mut self, atom: &Atom) -> usize {
        let mut seen: Vec<(Var, usize)> = Vec::new();
        let slot = |(place, arg): (usize, &Arg)| match arg {
            Arg::Const(symbol) => ColumnSlot::Const(*symbol),
            Arg::Var(v) => {
                if let Some((_, earlier)) = seen.iter().find(|(w, _)| w == v) {
                    ColumnSlot::Same(*earlier)
                } else {
                    seen.push((*v, place));
                    ColumnSlot::Ignored
                }
            }
        };
        let condition = Condition {
            relation: atom.relation,
            slots: atom.args.iter().enumerate().map(slot).collect(),
        };
        if let Some(id) = self.ids.get(&condition) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes.push(OrNode::Open);
        self.ids.insert(condition.clone(), id);
        self.todo.push((id, condition));
        id
    }

    fn open(&mut self, condition: &Condition) -> OrNode {
        let flat = Arc::clone(&self.game.interpreter.flat);
        let relation = &flat.relations[condition.relation];
        if relation.kind != RelationKind::Derived {
            let mut columns = Vec::new();
            let mut key = Vec::new();
            let mut same = Vec::new();
            for (place, slot) in condition.slots.iter().enumerate() {
                match slot {
                    ColumnSlot::Const(symbol) => {
                        columns.push(place);
                        key.push(*symbol);
                    }
                    ColumnSlot::Same(earlier) => same.push((*earlier, place)),
                    _ => {}
                }
            }
            let source = RowSource::Leaf(condition.relation);
            return OrNode::Leaf {
                relation: condition.relation,
                access: self.game.interpreter.access(source, &columns),
                key,
                same,
            };
        }
        if relation.component.is_some() || self.nodes.len() > MAX_NODES {
            return OrNode::Proved(self.game.interpreter.node(condition.clone()));
        }
        let written = &self.game.written;
        let made = relation
            .rules
            .iter()
            .filter_map(|rule| customise(&written[*rule], condition));
        let made: Vec<FlatRule> = made.collect();
        OrNode::Rules(made.iter().flat_map(|rule| self.rule(rule)).collect())
    }
}

/// All nodes in bottom-up order, computed without recursion.
fn order(nodes: &[OrNode]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut seen = vec![false; nodes.len()];
    let mut todo = vec![(0, false)];
    while let Some((id, ready)) = todo.pop() {
        if ready {
            order.push(id);
            continue;
        }
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        todo.push((id, true));
        if let OrNode::Rules(rules) = &nodes[id] {
            todo.extend(rules.iter().flatten().map(|(child, _)| (*child, false)));
        }
    }
    order
}
