//! Goal trees and Approximate Goal Evaluation (Świechowski 2015, section 3.3.2).
//!
//! The tree of a role has an OR node for its best goal, and below it AND nodes for the customised
//! rules and OR nodes for their conditions. A leaf has the value 1 if there is a row for its
//! condition, and otherwise 0. An OR node takes the maximum of its children for HVAL
//! ([`GoalDegree::satisfaction`]) and their mean for TBVAL ([`GoalDegree::tie_break`]). An AND node
//! takes the mean for both.
//!
//! Not in Świechowski 2015: a negated condition counts as one minus its value, `distinct` between
//! variables is ignored, and recurrent conditions are leaves that are proved.
//!
//! The rules are used as written: conditions that are joined for speed count separately here.
//! Relations that depend on neither state nor moves are leaves, since they are known beforehand.

/// The degree to which a goal is satisfied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalDegree {
    /// HVAL: 1 when the goal is reached, as far as its conditions one by one can tell.
    pub satisfaction: f64,
    /// TBVAL, to break ties between states of equal satisfaction.
    pub tie_break: f64,
}

impl GoalDegree {
    fn of(holds: bool) -> Self {
        let value = f64::from(u8::from(holds));
        Self {
            satisfaction: value,
            tie_break: value,
        }
    }

    fn inverse(self) -> Self {
        Self {
            satisfaction: 1.0 - self.satisfaction,
            tie_break: 1.0 - self.tie_break,
        }
    }

    fn mean(all: impl ExactSizeIterator<Item = Self>) -> Self {
        #[allow(clippy::cast_precision_loss)] // small counts
        let count = all.len().max(1) as f64;
        let add = |a: Self, b: Self| Self {
            satisfaction: a.satisfaction + b.satisfaction,
            tie_break: a.tie_break + b.tie_break,
        };
        let sum = all.fold(Self::of(false), add);
        Self {
            satisfaction: sum.satisfaction / count,
            tie_break: sum.tie_break / count,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum OrNode {
    /// Not expanded yet.
    Open,
    /// Facts, fluents or moves.
    Leaf {
        relation: usize,
        access: usize,
        key: Vec<u32>,
        same: Vec<(usize, usize)>,
    },
    /// A condition that is proved by an OR node of the interpreter.
    Proved(usize),
    /// The alternatives.
    Rules(Vec<AndNode>),
}

/// Conditions, each with whether it is negated.
pub(super) type AndNode = Vec<(usize, bool)>;

/// The tree of a role's best goal; empty if no rule gives the role a goal. Equal conditions share a
/// node.
///
/// It can be evaluated without the interpreter: a condition that is not [proved](Self::has_proofs)
/// holds in a state if it holds in the state of one of its fluents alone, or in the empty state.
#[derive(Clone, Debug, Default)]
pub struct GoalTree {
    pub(super) nodes: Vec<OrNode>,
    /// The nodes in bottom-up order; the root is last.
    pub(super) order: Vec<usize>,
    /// The interpreter's generation when the tree was built. Nodes of other generations no longer
    /// exist.
    pub(super) generation: u64,
}

impl GoalTree {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no rule gives the role a goal.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether some conditions have to be proved. These may depend on several fluents at once.
    pub fn has_proofs(&self) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| matches!(node, OrNode::Proved(_)))
    }

    /// The degree in a state, given which conditions hold there. `values` is a buffer.
    pub fn degree(&self, holds: &[bool], values: &mut Vec<GoalDegree>) -> Option<GoalDegree> {
        values.clear();
        values.resize(self.nodes.len(), GoalDegree::of(false));
        for id in &self.order {
            values[*id] = match &self.nodes[*id] {
                OrNode::Open => GoalDegree::of(false),
                OrNode::Leaf { .. } | OrNode::Proved(_) => {
                    GoalDegree::of(holds.get(*id).copied().unwrap_or(false))
                }
                OrNode::Rules(rules) => {
                    let degrees = rules.iter().map(|conditions| {
                        if conditions.is_empty() {
                            return GoalDegree::of(true);
                        }
                        let value = |(id, negated): &(usize, bool)| {
                            if *negated {
                                values[*id].inverse()
                            } else {
                                values[*id]
                            }
                        };
                        GoalDegree::mean(conditions.iter().map(value))
                    });
                    let best = degrees.clone().map(|d| d.satisfaction).fold(0.0, f64::max);
                    GoalDegree {
                        satisfaction: best,
                        ..GoalDegree::mean(degrees)
                    }
                }
            };
        }
        self.order.last().map(|root| values[*root])
    }
}
