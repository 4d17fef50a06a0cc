//! Matching and building terms in the frames of rules.

use ludorum_logic::TermId;

use super::Solver;
use crate::rule_plan::{Build, Match};

impl Solver {
    /// Matches a value and binds variables.
    pub(super) fn matches(&mut self, matching: &Match, value: TermId, base: usize) -> bool {
        match matching {
            Match::Term(id) => *id == value,
            Match::Check(v) => self.frames[base + *v as usize] == value,
            Match::Bind(v) => {
                self.frames[base + *v as usize] = value;
                true
            }
            Match::Function(functor, args) => {
                let terms = self.vocabulary.terms();
                if terms.functor(value) != *functor || terms.args(value).len() != args.len() {
                    return false;
                }
                (0..args.len()).all(|i| {
                    let arg = self.vocabulary.terms().args(value)[i];
                    self.matches(&args[i], arg, base)
                })
            }
        }
    }

    /// Instantiates a template and interns the term.
    pub(super) fn build(&mut self, build: &Build, base: usize) -> TermId {
        match build {
            Build::Term(id) => *id,
            Build::Variable(v) => self.frames[base + *v as usize],
            Build::Function(functor, args) => {
                let from = self.scratch.len();
                for arg in args {
                    let term = self.build(arg, base);
                    self.scratch.push(term);
                }
                let term = self.vocabulary.intern(*functor, &self.scratch[from..]);
                self.scratch.truncate(from);
                term
            }
        }
    }

    /// Instantiates a template; `None` if the term is not interned. Nothing can be true of it then.
    pub(super) fn build_known(&mut self, build: &Build, base: usize) -> Option<TermId> {
        match build {
            Build::Term(id) => Some(*id),
            Build::Variable(v) => Some(self.frames[base + *v as usize]),
            Build::Function(functor, args) => {
                let from = self.scratch.len();
                for arg in args {
                    let term = self.build_known(arg, base);
                    let Some(term) = term else {
                        self.scratch.truncate(from);
                        return None;
                    };
                    self.scratch.push(term);
                }
                let term = self.vocabulary.terms().get(*functor, &self.scratch[from..]);
                self.scratch.truncate(from);
                term
            }
        }
    }
}
