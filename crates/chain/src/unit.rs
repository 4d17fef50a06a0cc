//! Compiled rules in the order in which they run, with tables or without.

use ludorum_logic::rule::Pattern;

use super::clause::PredicateId;
use super::join_step::Step;
use super::program::Program;

/// A rule without tables.
#[derive(Debug)]
pub(super) struct Bare {
    pub(super) predicate: PredicateId,
    pub(super) head: Vec<Pattern>,
    pub(super) steps: Vec<Step>,
    pub(super) variables: usize,
}

/// A rule, ready to run.
#[derive(Debug)]
pub(super) enum Routine {
    Tables(Program),
    Bare(Bare),
}

/// Rules that run together.
#[derive(Debug)]
pub(super) enum Unit {
    Once(Routine),
    /// Rules that feed each other. Those of `repeat` take the entries of a predicate's list one by
    /// one, until all lists are exhausted.
    Loop {
        once: Vec<Routine>,
        repeat: Vec<(PredicateId, Routine)>,
    },
}

impl Routine {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Tables(program) => program.bytes(),
            Self::Bare(_) => 0,
        }
    }
}

impl Unit {
    pub(super) fn routines(&self) -> impl Iterator<Item = &Routine> {
        let (once, repeat) = match self {
            Self::Once(routine) => (std::slice::from_ref(routine), &[][..]),
            Self::Loop { once, repeat } => (&once[..], &repeat[..]),
        };
        once.iter().chain(repeat.iter().map(|(_, routine)| routine))
    }
}
