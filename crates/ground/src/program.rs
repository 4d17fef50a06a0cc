//! The ground program, the result of grounding.

use std::sync::Arc;

use std::fmt::Write as _;
use std::ops::Range;

use ludorum_logic::{TermId, Terms};

use crate::stats::GroundStats;

/// A ground atom. Ids are dense, and the atoms of a relation are consecutive.
pub type AtomId = u32;

/// A literal of a ground rule: atom and sign in one number.
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

    /// Whether the atom is negated.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The role of a ground relation in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomKind {
    /// Fluents of the current state: inputs of the program.
    True,
    /// Moves of the joint move: inputs of the program.
    Does,
    /// Fluents of the next state.
    Next,
    /// Legal moves.
    Legal,
    /// Goal values.
    Goal,
    /// The terminal atom.
    Terminal,
    /// Other relations of the game description, and helper relations.
    Other,
}

/// A relation of the ground program.
#[derive(Clone, Debug)]
pub struct GroundRelation {
    /// The name in the game description. Names of helper relations contain `#`.
    pub name: String,
    /// The role of its atoms.
    pub kind: AtomKind,
    /// Its atoms.
    pub atoms: Range<AtomId>,
}

/// A fluent that can be part of a state.
#[derive(Clone, Copy, Debug)]
pub struct GroundFluent {
    /// The fluent.
    pub term: TermId,
    /// The `true` atom: fluent `i` has atom `i`.
    pub truth: AtomId,
    /// The `next` atom. `None` if no rule derives the fluent.
    pub next: Option<AtomId>,
    /// Whether the initial state contains it.
    pub initial: bool,
}

/// A move of a role that is legal in some state.
#[derive(Clone, Copy, Debug)]
pub struct GroundMove {
    /// The move.
    pub term: TermId,
    /// The `does` atom.
    pub does: AtomId,
    /// The `legal` atom.
    pub legal: AtomId,
}

/// A possible goal value of a role.
#[derive(Clone, Copy, Debug)]
pub struct GroundGoal {
    /// The role, as an index into [`GroundProgram::roles`].
    pub role: usize,
    /// The value as written.
    pub term: TermId,
    /// The value as an integer, if it is one.
    pub value: Option<i64>,
    /// The `goal` atom.
    pub atom: AtomId,
}

/// A strongly connected component of derived atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomComponent<'a> {
    /// Its atoms.
    pub atoms: &'a [AtomId],
    /// Whether the atoms are mutually recursive, so that their values are a least fixpoint.
    pub cyclic: bool,
}

/// A ground program: propositional rules of a game.
///
/// Atoms of `true` and `does` are inputs. Every other atom holds if the body of one of its rules
/// holds, by the least fixpoint in the order of [`GroundProgram::components`]. An atom that always
/// holds has a single rule without a body. It is kept only if it belongs to a keyword, and never
/// occurs in bodies.
#[derive(Clone, Debug, Default)]
pub struct GroundProgram {
    /// Names and terms. The terms of the rules keep their ids.
    pub terms: Arc<Terms>,
    /// The roles in the order of the game description.
    pub roles: Vec<TermId>,
    /// Relations with at least one atom.
    pub relations: Vec<GroundRelation>,
    /// The fluents; fluent `i` has atom `i`.
    pub fluents: Vec<GroundFluent>,
    /// Sets of fluents of which at most one holds in every reachable state. The rules rely on it:
    /// they mean what the game's rules mean in states that agree.
    pub at_most_one: Vec<Box<[u32]>>,
    /// The moves of each role.
    pub moves: Vec<Vec<GroundMove>>,
    /// The possible goal values, by role.
    pub goals: Vec<GroundGoal>,
    /// The atom of `terminal`, if it can hold.
    pub terminal: Option<AtomId>,
    /// Statistics of the grounding.
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
    /// Number of atoms.
    pub fn atom_count(&self) -> usize {
        self.arg_starts.len().saturating_sub(1)
    }

    /// Bytes of the rules and index arrays, without names and terms.
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

    /// Number of ground rules.
    pub fn rule_count(&self) -> usize {
        self.body_starts.len().saturating_sub(1)
    }

    /// Number of literals of all ground rules.
    pub fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// The numbers of the rules with a head.
    #[inline]
    pub fn rules_of(&self, head: AtomId) -> Range<usize> {
        self.rule_starts[head as usize] as usize..self.rule_starts[head as usize + 1] as usize
    }

    /// The literals of a rule in ascending order.
    #[inline]
    pub fn body(&self, rule: usize) -> &[GroundLiteral] {
        &self.literals[self.body_starts[rule] as usize..self.body_starts[rule + 1] as usize]
    }

    /// The bodies of all rules with a head.
    pub fn bodies_of(&self, head: AtomId) -> impl ExactSizeIterator<Item = &[GroundLiteral]> {
        self.rules_of(head).map(|rule| self.body(rule))
    }

    /// All derived atoms in evaluation order: each component comes after those it depends on.
    /// Inputs are not included.
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

    /// The arguments of an atom: the fluent for `true` and `next`, role and move for `legal` and
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

    /// The fluents of the initial state, as indexes into [`GroundProgram::fluents`].
    pub fn initial_state(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.fluents.len()).filter(|i| self.fluents[*i].initial)
    }

    /// The program as text, one ground rule a line: `head <= condition & ~condition.`
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
