//! The ground program: what grounding is for.

use std::sync::Arc;

use std::fmt::Write as _;
use std::ops::Range;

use ludorum_logic::{TermId, Terms};

use crate::stats::GroundStats;

/// A ground atom; ids are dense, and all atoms of a relation are next to each other.
pub type AtomId = u32;

/// A condition of a ground rule: an atom and a sign in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct GroundLiteral(pub u32);

impl GroundLiteral {
    /// The literal of an atom.
    pub fn new(atom: AtomId, negated: bool) -> Self {
        Self(atom << 1 | u32::from(negated))
    }

    /// The atom.
    #[inline]
    pub fn atom(self) -> AtomId {
        self.0 >> 1
    }

    /// Whether the atom must not hold.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// What the atoms of a ground relation are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomKind {
    /// Fluents in the current state: inputs of the program.
    True,
    /// Moves that are played: inputs of the program.
    Does,
    /// Fluents in the next state.
    Next,
    /// Moves that may be played.
    Legal,
    /// Goal values.
    Goal,
    /// The end.
    Terminal,
    /// Relations of the sheet and helpers.
    Other,
}

/// A relation of the ground program.
#[derive(Clone, Debug)]
pub struct GroundRelation {
    /// The name, as in the sheet; helpers have a `#` in theirs.
    pub name: String,
    /// What its atoms are.
    pub kind: AtomKind,
    /// Its atoms.
    pub atoms: Range<AtomId>,
}

/// A fact that can be part of a state.
#[derive(Clone, Copy, Debug)]
pub struct GroundFluent {
    /// The fact.
    pub term: TermId,
    /// The atom that says it holds now: fluent `i` of the list has atom `i`.
    pub truth: AtomId,
    /// The atom that says it holds next; without one it never holds again.
    pub next: Option<AtomId>,
    /// Whether the initial state has it.
    pub initial: bool,
}

/// A move of a role that is legal in some state.
#[derive(Clone, Copy, Debug)]
pub struct GroundMove {
    /// The move.
    pub term: TermId,
    /// The atom that says it is played.
    pub does: AtomId,
    /// The atom that says it is legal.
    pub legal: AtomId,
}

/// A possible goal value of a role.
#[derive(Clone, Copy, Debug)]
pub struct GroundGoal {
    /// The role, as a position in [`GroundProgram::roles`].
    pub role: usize,
    /// The value, as written.
    pub term: TermId,
    /// The value, if it is a whole number.
    pub value: Option<i64>,
    /// The atom.
    pub atom: AtomId,
}

/// Ground rules whose heads depend on each other, or a single atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomComponent<'a> {
    /// The atoms.
    pub atoms: &'a [AtomId],
    /// Whether they depend on each other: their values are a least fixpoint.
    pub cyclic: bool,
}

/// A ground program.
///
/// Atoms of `true` and `does` are inputs; every other atom holds if the body of one of its rules
/// does, as the least fixpoint in the order of [`GroundProgram::components`]. An atom that always holds
/// has one rule without a body; it is kept only where it is a keyword, and nowhere mentioned in
/// bodies.
#[derive(Clone, Debug, Default)]
pub struct GroundProgram {
    /// Names and terms; all of the rules' terms have the same ids here.
    pub terms: Arc<Terms>,
    /// The roles in the order of the sheet.
    pub roles: Vec<TermId>,
    /// Relations with at least one atom.
    pub relations: Vec<GroundRelation>,
    /// The fluents; fluent `i` has the atom `i`.
    pub fluents: Vec<GroundFluent>,
    /// The moves of each role.
    pub moves: Vec<Vec<GroundMove>>,
    /// The goal values that may be reached, by role.
    pub goals: Vec<GroundGoal>,
    /// The atom of `terminal`, if it can ever hold.
    pub terminal: Option<AtomId>,
    /// Figures.
    pub stats: GroundStats,
    /// Arguments of atom `a`: `args[arg_starts[a]..arg_starts[a+1]]`.
    pub(crate) args: Vec<TermId>,
    pub(crate) arg_starts: Vec<u32>,
    /// Rules of atom `a`: numbers `rule_starts[a]..rule_starts[a+1]`.
    pub(crate) rule_starts: Vec<u32>,
    /// Literals of rule `r`: `literals[body_starts[r]..body_starts[r+1]]`.
    pub(crate) body_starts: Vec<u32>,
    pub(crate) literals: Vec<GroundLiteral>,
    /// Members of component `c`: `members[component_starts[c]..component_starts[c+1]]`.
    pub(crate) members: Vec<AtomId>,
    pub(crate) component_starts: Vec<u32>,
    pub(crate) cyclic: Vec<bool>,
}

impl GroundProgram {
    /// How many atoms there are.
    pub fn atom_count(&self) -> usize {
        self.arg_starts.len().saturating_sub(1)
    }

    /// Bytes of the rules and the tables around them, names not counted.
    pub fn bytes(&self) -> usize {
        let words = self.args.len()
            + self.arg_starts.len()
            + self.rule_starts.len()
            + self.body_starts.len()
            + self.literals.len()
            + self.members.len()
            + self.component_starts.len();
        4 * words + self.cyclic.len()
    }

    /// How many ground rules there are.
    pub fn rule_count(&self) -> usize {
        self.body_starts.len().saturating_sub(1)
    }

    /// How many literals all ground rules have.
    pub fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// The numbers of the rules with a head.
    #[inline]
    pub fn rules_of(&self, head: AtomId) -> Range<usize> {
        self.rule_starts[head as usize] as usize..self.rule_starts[head as usize + 1] as usize
    }

    /// The conditions of a rule, ascending.
    #[inline]
    pub fn body(&self, rule: usize) -> &[GroundLiteral] {
        &self.literals[self.body_starts[rule] as usize..self.body_starts[rule + 1] as usize]
    }

    /// The bodies of all rules with a head.
    pub fn bodies_of(&self, head: AtomId) -> impl ExactSizeIterator<Item = &[GroundLiteral]> {
        self.rules_of(head).map(|rule| self.body(rule))
    }

    /// All atoms that rules derive, in an order of evaluation: what a component depends on comes
    /// before it. Inputs are not among them.
    pub fn components(&self) -> impl ExactSizeIterator<Item = AtomComponent<'_>> {
        self.component_starts
            .windows(2)
            .zip(&self.cyclic)
            .map(|(bounds, cyclic)| AtomComponent {
                atoms: &self.members[bounds[0] as usize..bounds[1] as usize],
                cyclic: *cyclic,
            })
    }

    /// The relation of an atom.
    pub fn relation_of(&self, atom: AtomId) -> &GroundRelation {
        let at = self
            .relations
            .partition_point(|relation| relation.atoms.end <= atom);
        &self.relations[at]
    }

    /// The arguments of an atom: the fluent of `true` and `next`, role and move of `legal` and
    /// `does`.
    pub fn args(&self, atom: AtomId) -> &[TermId] {
        let bounds = &self.arg_starts[atom as usize..atom as usize + 2];
        &self.args[bounds[0] as usize..bounds[1] as usize]
    }

    /// The KIF text of an atom.
    pub fn atom_text(&self, atom: AtomId) -> String {
        let name = &self.relation_of(atom).name;
        let args = self.args(atom);
        if args.is_empty() {
            return name.clone();
        }
        let mut text = format!("({name}");
        for arg in args {
            text.push(' ');
            text.push_str(&self.terms.text(*arg));
        }
        text.push(')');
        text
    }

    /// The fluents of the initial state, as positions in [`GroundProgram::fluents`].
    pub fn initial_state(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.fluents.len()).filter(|i| self.fluents[*i].initial)
    }

    /// The whole program as text, a ground rule a line: `head <= condition & ~condition.`
    pub fn text(&self) -> String {
        let mut out = String::new();
        for role in &self.roles {
            let _ = writeln!(out, "(role {}).", self.terms.text(*role));
        }
        for fluent in self.fluents.iter().filter(|fluent| fluent.initial) {
            let _ = writeln!(out, "(init {}).", self.terms.text(fluent.term));
        }
        for (component, number) in self.components().zip(1..) {
            if component.cyclic {
                let _ = writeln!(out, "% component {number} is cyclic");
            }
            for atom in component.atoms {
                for body in self.bodies_of(*atom) {
                    out.push_str(&self.atom_text(*atom));
                    for (i, literal) in body.iter().enumerate() {
                        out.push_str(if i == 0 { " <= " } else { " & " });
                        if literal.is_negated() {
                            out.push('~');
                        }
                        out.push_str(&self.atom_text(literal.atom()));
                    }
                    out.push_str(".\n");
                }
            }
        }
        out
    }
}
