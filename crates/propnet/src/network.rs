//! The propositional network: components in flat arrays.
//!
//! Component `i` has the kind `kinds[i]`, the inputs `inputs[starts[i]..starts[i + 1]]` and the
//! label `labels[i]`, which says which fluent, move or goal a proposition stands for. Names are in
//! the [`GroundGame`]. A network is immutable: passes build another one from it, often through a
//! `Rewrite`.

use std::sync::Arc;

use serde::Serialize;

use crate::ground_game::{BitState, GroundGame};
use ludorum_reasoner::{Goal, NoGoal, ReasonError, Role};

/// The number of a component in a [`Network`].
pub type ComponentId = u32;

/// Components without a label have this one.
pub const NO_LABEL: u32 = u32::MAX;

/// The kinds of components, as in Sironi and Winands 2016, section 2.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentKind {
    /// The constant that always holds.
    True,
    /// The constant that never holds.
    False,
    /// A fluent in the current state; its input is a transition. Label: the fluent.
    Base,
    /// A move that is played. Label: the move, numbered over all roles.
    Input,
    /// A legal move. Label: the move, as for inputs.
    Legal,
    /// A goal value of a role. Label: the index in [`Network::goals`].
    Goal,
    /// Whether the state is terminal.
    Terminal,
    /// Holds only before the initial state, so never during play.
    Init,
    /// An anonymous proposition: any other atom. Label: the atom of the ground program.
    Other,
    /// Passes its input to a base in the next step. Label: the fluent.
    Transition,
    /// All inputs hold.
    And,
    /// Some input holds.
    Or,
    /// The input does not hold.
    Not,
}

impl ComponentKind {
    /// All kinds in display order.
    pub const ALL: [Self; 13] = [
        Self::True,
        Self::False,
        Self::Base,
        Self::Input,
        Self::Legal,
        Self::Goal,
        Self::Terminal,
        Self::Init,
        Self::Other,
        Self::Transition,
        Self::And,
        Self::Or,
        Self::Not,
    ];

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Base => "base",
            Self::Input => "input",
            Self::Legal => "legal",
            Self::Goal => "goal",
            Self::Terminal => "terminal",
            Self::Init => "init",
            Self::Other => "other",
            Self::Transition => "transition",
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
        }
    }

    /// Whether it is one of the three gates.
    pub fn is_gate(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Not)
    }

    /// Whether it is a proposition.
    pub fn is_proposition(self) -> bool {
        !self.is_gate() && !matches!(self, Self::True | Self::False | Self::Transition)
    }

    /// Whether its value is set by the state or the players and not by an input.
    pub fn is_source(self) -> bool {
        matches!(self, Self::True | Self::False | Self::Base | Self::Input)
    }
}

/// A goal value that a role may have.
#[derive(Clone, Debug)]
pub struct GoalValue {
    /// The role.
    pub role: usize,
    /// The value as written in the rules.
    pub text: Box<str>,
    /// The value, if it is a number from 0 to 255.
    pub value: Option<u8>,
}

/// The goal of a role. `is_reached` says for each goal value whether its proposition holds.
#[inline]
pub fn goal_of_role(
    goals: &[GoalValue],
    role: Role,
    mut is_reached: impl FnMut(usize) -> bool,
) -> Goal {
    let mut reached = None;
    for (i, goal) in goals.iter().enumerate() {
        if goal.role != role || !is_reached(i) {
            continue;
        }
        if reached.is_some() || goal.value.is_none() {
            return invalid_goal(goals, role, is_reached);
        }
        reached = goal.value;
    }
    reached.map_or(Goal::Missing(NoGoal::None), Goal::Value)
}

/// The goal of a role that has several values, or a value that is not a number.
#[cold]
fn invalid_goal(
    goals: &[GoalValue],
    role: Role,
    mut is_reached: impl FnMut(usize) -> bool,
) -> Goal {
    let mut texts = Vec::new();
    for (i, goal) in goals.iter().enumerate() {
        if goal.role == role && is_reached(i) {
            texts.push(goal.text.to_string());
        }
    }
    Goal::from_texts(texts)
}

/// Two fluents that are equal or complementary in every reachable state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualFluents {
    /// A fluent.
    pub fluent: u32,
    /// The fluent that gates read instead.
    pub other: u32,
    /// Whether the two are complementary.
    pub opposite: bool,
}

/// A propositional network.
#[derive(Clone, Debug)]
pub struct Network {
    /// The names of fluents and moves.
    pub game: Arc<GroundGame>,
    /// The goal values that the labels of goal propositions refer to.
    pub goals: Arc<[GoalValue]>,
    /// For each fluent its value, if it is proven to be the same in all reachable states; such a
    /// fluent has no base.
    pub fixed: Vec<Option<bool>>,
    /// One-hot groups: fluents of which exactly one is proven to hold in every reachable state.
    pub exclusive: Arc<[Box<[u32]>]>,
    /// Fluents that are proven to equal another, or its complement, in every reachable state.
    pub equal: Arc<[EqualFluents]>,
    kinds: Vec<ComponentKind>,
    labels: Vec<u32>,
    starts: Vec<u32>,
    inputs: Vec<ComponentId>,
}

/// The component that always holds, in every network.
pub const TRUE: ComponentId = 0;
/// The component that never holds, in every network.
pub const FALSE: ComponentId = 1;

impl Network {
    /// A network with just the two constants.
    pub(super) fn new(game: Arc<GroundGame>, goals: Arc<[GoalValue]>) -> Self {
        let fixed = vec![None; game.fluents.len()];
        Self {
            game,
            goals,
            fixed,
            exclusive: Arc::new([]),
            equal: Arc::new([]),
            kinds: vec![ComponentKind::True, ComponentKind::False],
            labels: vec![NO_LABEL; 2],
            starts: vec![0, 0, 0],
            inputs: Vec::new(),
        }
    }

    /// Copies the proven facts about fluents.
    pub(super) fn inherit(&mut self, from: &Self) {
        self.fixed.clone_from(&from.fixed);
        self.exclusive = Arc::clone(&from.exclusive);
        self.equal = Arc::clone(&from.equal);
    }

    /// Adds a component. Inputs may be components that come later.
    pub(super) fn add(
        &mut self,
        kind: ComponentKind,
        label: u32,
        inputs: &[ComponentId],
    ) -> ComponentId {
        self.kinds.push(kind);
        self.labels.push(label);
        self.inputs.extend_from_slice(inputs);
        self.starts.push(self.inputs.len() as u32);
        (self.kinds.len() - 1) as ComponentId
    }

    /// How many components there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Always false: the constants are part of every network.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All components.
    pub fn components(&self) -> std::ops::Range<ComponentId> {
        0..self.kinds.len() as ComponentId
    }

    /// The kind of a component.
    #[inline]
    pub fn kind(&self, node: ComponentId) -> ComponentKind {
        self.kinds[node as usize]
    }

    /// The label of a component: its fluent, move, goal or atom.
    #[inline]
    pub fn label(&self, node: ComponentId) -> u32 {
        self.labels[node as usize]
    }

    /// The inputs of a component.
    #[inline]
    pub fn inputs(&self, node: ComponentId) -> &[ComponentId] {
        let node = node as usize;
        &self.inputs[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// How many inputs all components have together.
    pub fn wire_count(&self) -> usize {
        self.inputs.len()
    }

    /// The outputs of every component.
    pub fn outputs(&self) -> OutputLists {
        let mut starts = vec![0u32; self.len() + 1];
        for input in &self.inputs {
            starts[*input as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; self.inputs.len()];
        for node in self.components() {
            for input in self.inputs(node) {
                let place = &mut next[*input as usize];
                targets[*place as usize] = node;
                *place += 1;
            }
        }
        OutputLists { starts, targets }
    }

    /// The number of components of each kind.
    pub fn counts(&self) -> ComponentCounts {
        let mut counts = ComponentCounts {
            total: self.len(),
            wires: self.wire_count(),
            ..ComponentCounts::default()
        };
        for kind in &self.kinds {
            counts.by_kind[*kind as usize] += 1;
        }
        counts
    }

    /// An error if a state contradicts the facts that are proven for all reachable states: the
    /// network is only correct where they hold.
    pub fn check_reachable(&self, state: &BitState) -> Result<(), ReasonError> {
        let holds = |fluent: u32| state.get(fluent as usize);
        let fault = |fluent: usize, reason: &str| {
            Err(ReasonError::BadText {
                text: self.game.fluents[fluent].to_string(),
                reason: reason.to_owned(),
            })
        };
        for (fluent, value) in self.fixed.iter().enumerate() {
            if value.is_some_and(|value| value != state.get(fluent)) {
                return fault(
                    fluent,
                    if state.get(fluent) {
                        "no reachable state holds it"
                    } else {
                        "every reachable state holds it, and this one does not"
                    },
                );
            }
        }
        for group in self.exclusive.iter() {
            if group.iter().filter(|fluent| holds(**fluent)).count() != 1 {
                return fault(
                    group[0] as usize,
                    "exactly one fluent of its group holds in every reachable state",
                );
            }
        }
        for group in &self.game.at_most_one {
            let mut held = group.iter().filter(|fluent| holds(**fluent));
            if let (Some(_), Some(second)) = (held.next(), held.next()) {
                return fault(
                    *second as usize,
                    "at most one fluent of its group holds in every reachable state",
                );
            }
        }
        for equal in self.equal.iter() {
            if (holds(equal.fluent) == holds(equal.other)) == equal.opposite {
                return fault(
                    equal.fluent as usize,
                    "no reachable state holds it with the others given here",
                );
            }
        }
        Ok(())
    }

    /// Builds the network that a rewrite describes.
    pub(super) fn rewrite(&self, rewrite: &Rewrite) -> Self {
        let resolved = rewrite.resolve();
        let mut numbers = vec![ComponentId::MAX; self.len()];
        numbers[TRUE as usize] = TRUE;
        numbers[FALSE as usize] = FALSE;
        let mut next = 2;
        for (number, removed) in numbers.iter_mut().zip(&rewrite.removed).skip(2) {
            if !removed {
                *number = next;
                next += 1;
            }
        }
        let mut result = Self::new(Arc::clone(&self.game), Arc::clone(&self.goals));
        result.inherit(self);
        let mut inputs = Vec::new();
        for node in self.components().skip(2) {
            if rewrite.removed[node as usize] {
                continue;
            }
            inputs.clear();
            for input in self.inputs(node) {
                let target = resolved[*input as usize];
                if rewrite.neutral(self.kind(node)) == Some(target) {
                    continue;
                }
                inputs.push(numbers[target as usize]);
            }
            if inputs.is_empty() && !self.kind(node).is_source() {
                // All inputs were neutral: the gate is its own neutral element.
                inputs.push(match self.kind(node) {
                    ComponentKind::And => TRUE,
                    _ => FALSE,
                });
            }
            result.add(self.kind(node), self.label(node), &inputs);
        }
        result
    }
}

/// The outputs of every component, in flat arrays.
#[derive(Clone, Debug)]
pub struct OutputLists {
    starts: Vec<u32>,
    targets: Vec<ComponentId>,
}

impl OutputLists {
    /// The components that have `node` as an input; one that has it twice is listed twice.
    #[inline]
    pub fn of(&self, node: ComponentId) -> &[ComponentId] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// How many components of each kind a network has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentCounts {
    /// All components.
    pub total: usize,
    /// All inputs of all components.
    pub wires: usize,
    by_kind: [usize; 13],
}

impl ComponentCounts {
    /// The components of a kind.
    pub fn of(&self, kind: ComponentKind) -> usize {
        self.by_kind[kind as usize]
    }
}

/// The changes that a pass makes: components that are removed, and what replaces each of them as an
/// input of others.
#[derive(Clone, Debug)]
pub(super) struct Rewrite {
    /// The component that replaces each one as an input; itself if it stays.
    pub(super) instead: Vec<ComponentId>,
    pub(super) removed: Vec<bool>,
    /// Whether neutral inputs (TRUE of an AND, FALSE of an OR) are dropped.
    pub(super) drop_neutral: bool,
}

impl Rewrite {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            instead: network.components().collect(),
            removed: vec![false; network.len()],
            drop_neutral: false,
        }
    }

    /// Removes a component and replaces it by another.
    pub(super) fn replace(&mut self, node: ComponentId, by: ComponentId) {
        self.removed[node as usize] = true;
        self.instead[node as usize] = by;
    }

    fn neutral(&self, kind: ComponentKind) -> Option<ComponentId> {
        match kind {
            ComponentKind::And if self.drop_neutral => Some(TRUE),
            ComponentKind::Or if self.drop_neutral => Some(FALSE),
            _ => None,
        }
    }

    /// Follows chains of replacements to their end; cyclic chains end at FALSE.
    fn resolve(&self) -> Vec<ComponentId> {
        let mut resolved = vec![ComponentId::MAX; self.instead.len()];
        let mut path = Vec::new();
        for start in 0..self.instead.len() {
            let mut at = start;
            path.clear();
            let end = loop {
                if resolved[at] != ComponentId::MAX {
                    break resolved[at];
                }
                let next = self.instead[at] as usize;
                if next == at {
                    break at as ComponentId;
                }
                path.push(at);
                // Marks the path, which ends the walk if the chain is cyclic.
                resolved[at] = FALSE;
                at = next;
            };
            resolved[at] = if resolved[at] == ComponentId::MAX {
                end
            } else {
                resolved[at]
            };
            for node in &path {
                resolved[*node] = end;
            }
        }
        resolved
    }
}
