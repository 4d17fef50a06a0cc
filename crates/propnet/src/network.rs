//! The propositional network: components in flat arrays.
//!
//! Component `i` has the kind `kinds[i]`, the inputs `inputs[starts[i]..starts[i + 1]]` and the
//! label `labels[i]`, which says which fluent, move or goal a proposition stands for. Names stay in
//! the [`GroundGame`]. Passes do not change a network but make another from it, through a
//! [`Rewrite`].

use std::sync::Arc;

use serde::Serialize;

use crate::ground_game::{BitState, GroundGame};
use ludorum_reasoner::{Goal, NoGoal, ReasonError, Role};

/// A component of a [`Network`].
pub type ComponentId = u32;

/// No label.
pub const NO_LABEL: u32 = u32::MAX;

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentKind {
    /// The constant that always holds.
    True,
    /// The constant that never holds.
    False,
    /// A fluent in the current state; its input is a transition. Label: the fluent.
    Base,
    /// A move that is played. Label: the move, counted over all roles.
    Input,
    /// A move that may be played. Label: the move, as for inputs.
    Legal,
    /// A goal value. Label: the position in [`Network::goals`].
    Goal,
    /// The end of the game.
    Terminal,
    /// What holds before the initial state only, so never during play.
    Init,
    /// A proposition without a meaning of its own. Label: the atom of the ground program.
    Other,
    /// Hands its input on to a base with a step's delay. Label: the fluent.
    Transition,
    /// All inputs hold.
    And,
    /// Some input holds.
    Or,
    /// The input does not hold.
    Not,
}

impl ComponentKind {
    /// All kinds, in the order in which they are listed for people.
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

    /// The name for people.
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

    /// Whether a state or the players set its value, so that no input decides it.
    pub fn is_source(self) -> bool {
        matches!(self, Self::True | Self::False | Self::Base | Self::Input)
    }
}

/// A goal value that a role may get.
#[derive(Clone, Debug)]
pub struct GoalValue {
    /// The role.
    pub role: usize,
    /// The value as written.
    pub text: Box<str>,
    /// The value, if it is a number that fits.
    pub value: Option<u8>,
}

/// The goal of a role, where `is_reached` tells for each goal value whether its proposition holds.
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

/// The goal of a role that has several values, or one that is not a number from 0 to 100.
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

/// Two fluents of which one tells the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualFluents {
    /// A fluent.
    pub fluent: u32,
    /// The one that is looked at in its place.
    pub other: u32,
    /// Whether they are always opposite.
    pub opposite: bool,
}

/// A propositional network.
#[derive(Clone, Debug)]
pub struct Network {
    /// The names behind the labels.
    pub game: Arc<GroundGame>,
    /// The goal values behind the labels of goal propositions.
    pub goals: Arc<[GoalValue]>,
    /// The value of fluents that has been found to be the same in all states, by fluent; they have
    /// no base any more.
    pub fixed: Vec<Option<bool>>,
    /// Groups of fluents of which exactly one has been found to hold in every reachable state.
    pub exclusive: Arc<[Box<[u32]>]>,
    /// Fluents that have been found to equal another, or its opposite, in every reachable state.
    pub equal: Arc<[EqualFluents]>,
    kinds: Vec<ComponentKind>,
    labels: Vec<u32>,
    starts: Vec<u32>,
    inputs: Vec<ComponentId>,
}

/// The constant that always holds; it is the same component in every network.
pub const TRUE: ComponentId = 0;
/// The constant that never holds.
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

    /// Takes over what has been found out about fluents.
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

    /// Never: there are always the constants.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All components.
    pub fn components(&self) -> std::ops::Range<ComponentId> {
        0..self.kinds.len() as ComponentId
    }

    /// What a component is.
    #[inline]
    pub fn kind(&self, node: ComponentId) -> ComponentKind {
        self.kinds[node as usize]
    }

    /// Which fluent, move or goal it stands for.
    #[inline]
    pub fn label(&self, node: ComponentId) -> u32 {
        self.labels[node as usize]
    }

    /// Its inputs.
    #[inline]
    pub fn inputs(&self, node: ComponentId) -> &[ComponentId] {
        let node = node as usize;
        &self.inputs[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// How many inputs all components have together.
    pub fn wire_count(&self) -> usize {
        self.inputs.len()
    }

    /// The components that have each one as an input, in the form of [`OutputLists`].
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

    /// The components of each kind.
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

    /// Refuses states that contradict what holds in all reachable ones, for that has been compiled
    /// in.
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
                    "of it and its like exactly one holds in every reachable state",
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

    /// Makes the network that a rewrite describes. See [`Rewrite`].
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

/// The outputs of every component.
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

/// What a pass wants changed: components that go, and what takes the place of each in the inputs of
/// others.
#[derive(Clone, Debug)]
pub(super) struct Rewrite {
    /// What takes a component's place; itself if it stays.
    pub(super) instead: Vec<ComponentId>,
    pub(super) removed: Vec<bool>,
    /// Whether inputs that do not matter (TRUE of an AND, FALSE of an OR) are dropped.
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

    /// Removes a component and lets another take its place.
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

    /// Follows replacements to their end; a ring of replacements holds nowhere.
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
                // A marker against walking in a ring.
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
