//! How nearly a goal is reached: the values of Approximate Goal Evaluation (section 3.3.2 of the
//! thesis) on the trees of the goal.
//!
//! The tree of a role has an OR node for its best goal, AND nodes for the rules and their
//! conditions below them, made to measure all the way down. A leaf is satisfied (1) if there is a
//! row for its condition, else not (0); an OR node takes the best of its children for
//! [`GoalDegree::satisfaction`] and their mean for [`GoalDegree::tie_break`], an AND node the mean for
//! both. Beyond what the thesis says: a negated condition has one minus its value, `distinct`
//! between variables does not count, and recurrent conditions are leaves that are proved.
//!
//! The rules are read as they are written: conditions that are joined for speed count one by one
//! here. Relations that depend on neither state nor moves are leaves, since all about them is known
//! beforehand.

/// How nearly a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalDegree {
    /// `HVAL`: 1 when the goal is reached as far as its conditions one by one can tell.
    pub satisfaction: f64,
    /// `TBVAL`, to decide between states of equal satisfaction.
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
        #[allow(clippy::cast_precision_loss)] // few
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
    /// Not opened yet.
    Open,
    /// A row of facts, fluents or moves.
    Leaf {
        relation: usize,
        access: usize,
        key: Vec<u32>,
        same: Vec<(usize, usize)>,
    },
    /// A condition that is proved.
    Proved(usize),
    /// The alternatives.
    Rules(Vec<AndNode>),
}

/// Conditions, each with whether it is negated.
pub(super) type AndNode = Vec<(usize, bool)>;

/// The tree of a role's best goal, empty if no rule gives the role a goal. Equal conditions share a
/// node.
///
/// It can be evaluated away from the interpreter: a condition that is not
/// [proved](Self::has_proofs) holds in a state if it holds for one of its fluents alone, or for
/// none.
#[derive(Clone, Debug, Default)]
pub struct GoalTree {
    pub(super) nodes: Vec<OrNode>,
    /// Nodes with all that they depend on before them; the root is the last.
    pub(super) order: Vec<usize>,
    /// The machine's when the tree was made: nodes of another do not exist any more.
    pub(super) generation: u64,
}

impl GoalTree {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no rule gives the role a goal.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether some conditions have to be proved: more than one fluent at a time may decide about
    /// them.
    pub fn has_proofs(&self) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| matches!(node, OrNode::Proved(_)))
    }

    /// The degree in a state, if it is known which conditions hold there. `values` is working
    /// memory.
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
