//! The values of a candidate: the fluents that remember it, what the state determines, and the suffix.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Pattern, Variable};

use crate::candidate::CandidateAtom;
use crate::groups::Group;
use crate::program::{Atom, Clause, Literal};

use super::Assembler;

impl Assembler<'_> {
    /// Writes the values of determined arguments, and the test that each has one. Returns the
    /// proposition that a candidate has several, and the fluent that remembers it.
    pub(super) fn write_determined(
        &mut self,
        clauses: &mut Vec<(Clause, Vec<CandidateAtom>)>,
    ) -> Option<(Atom, Pattern)> {
        let mut found: Option<(Atom, Pattern)> = None;
        for number in 0..self.kinds.len() {
            for one in self.kinds[number].determined.clone() {
                let kind = &self.kinds[number];
                let (chosen, arity) = (kind.chosen.clone(), kind.kind.arity);
                let groups = kind.groups.iter().copied();
                let own = groups
                    .clone()
                    .find(|id| self.groups[*id].places[..] == [one.place]);
                let Some(own) = own else {
                    continue;
                };
                let relation = self.groups[own].relation;
                // The fluent, bound to the arguments that are drawn, for each value that a rule has.
                let mut values: Vec<Pattern> = Vec::new();
                for rule in &kind.rules {
                    let value = &rule.head.args[one.place];
                    if !values.contains(value) {
                        values.push(value.clone());
                    }
                }
                let groups: Vec<usize> = groups.collect();
                for value in values {
                    let mut all: Vec<Pattern> = (0..arity as u32).map(Pattern::Variable).collect();
                    all[one.place] = value.clone();
                    let args = one.places.iter().map(|place| all[*place].clone()).collect();
                    let fluent = self.program.compound(one.functor, args);
                    let body = vec![Literal::Holds(chosen.clone()), self.program.fluent(fluent)];
                    let head = Atom {
                        name: relation,
                        args: vec![value],
                    };
                    let mut clause = Self::clause(head, body);
                    clause.variables = clause.variables.max(arity as u32);
                    let drawn = groups.iter().copied().filter(|id| {
                        let group = &self.groups[*id];
                        let is_read = group.places.iter().any(|i| one.places.contains(i));
                        is_read && !group.is_suffix && !group.is_determined
                    });
                    let candidates = drawn
                        .map(|id| CandidateAtom {
                            group: id,
                            args: self.groups[id]
                                .places
                                .iter()
                                .map(|i| all[*i].clone())
                                .collect(),
                        })
                        .collect();
                    clauses.push((clause, candidates));
                }
                let head = |value: Variable| Atom {
                    name: relation,
                    args: vec![Pattern::Variable(value)],
                };
                let (ambiguous, _) = found.get_or_insert_with(|| {
                    let ambiguous = Atom {
                        name: self.program.name("ambiguous"),
                        args: Vec::new(),
                    };
                    let broken = self.program.name("broken");
                    (ambiguous, self.program.compound(broken, Vec::new()))
                });
                let two = vec![
                    Literal::Holds(head(0)),
                    Literal::Holds(head(1)),
                    Literal::Distinct(Pattern::Variable(0), Pattern::Variable(1)),
                ];
                self.program.add(Self::clause(ambiguous.clone(), two));
            }
        }
        let (ambiguous, broken) = found.clone()?;
        let next = self.next_of(broken.clone());
        self.program
            .add(Self::clause(next.clone(), vec![Literal::Holds(ambiguous)]));
        let stays = vec![self.program.fluent(broken)];
        self.program.add(Self::clause(next, stays));
        found
    }

    /// The functor of the fluents that remember a group.
    pub(super) fn value_fluent(&mut self, group: usize) -> Symbol {
        let base = self.groups[group].relation;
        let text = format!("{}_drawn", self.program.terms.symbols.name(base));
        self.program.terms.symbols.intern(&text)
    }

    /// The fluents that remember a candidate of a class: group, fluent and arguments.
    pub(super) fn remembered(
        &mut self,
        number: usize,
        args: &[Pattern],
    ) -> Vec<(Option<usize>, Pattern, Vec<usize>)> {
        let class = &self.classes[number];
        let kind = &self.kinds[class.kind];
        let mut fluents = vec![(None, kind.chosen_fluent.clone(), Vec::new())];
        let (prefix, split) = (kind.prefix.clone(), kind.split.clone());
        let constants = class.constants.clone();
        for id in kind.groups.clone() {
            if self.groups[id].is_suffix || self.groups[id].is_determined {
                continue;
            }
            let places = self.groups[id].places.clone();
            let values: Vec<Pattern> = places
                .iter()
                .map(|place| match prefix.iter().position(|p| p == place) {
                    Some(i) => args[i].clone(),
                    None => {
                        let i = split.iter().position(|p| p == place);
                        i.map_or(Pattern::Variable(0), |i| constants[i].clone())
                    }
                })
                .collect();
            let functor = self.value_fluent(id);
            let fluent = self.program.compound(functor, values);
            fluents.push((Some(id), fluent, places));
        }
        fluents
    }

    /// The proposition that the candidate is a legal move, or can be completed to one.
    pub(super) fn some_rest(&mut self, number: usize, take: &Pattern) -> Atom {
        let class = &self.classes[number];
        let kind = &self.kinds[class.kind];
        let role = kind.kind.role;
        let text = format!("{}_some", self.program.terms.symbols.name(class.prefix));
        let move_ = match class.suffix {
            Some(functor) => {
                let args = (0..kind.suffix.len() as u32)
                    .map(Pattern::Variable)
                    .collect();
                self.program.compound(functor, args)
            }
            None => take.clone(),
        };
        let name = self.program.name(&text);
        let head = Atom {
            name,
            args: Vec::new(),
        };
        let body = vec![Literal::Holds(self.legal_of(role, move_))];
        self.program.add(Self::clause(head.clone(), body));
        head
    }

    /// The values of a group of the suffix come from the move of the test stage.
    pub(super) fn write_suffix_values(&mut self, group: &Group, head: &Atom) {
        for number in 0..self.classes.len() {
            let class = &self.classes[number];
            let kind = &self.kinds[class.kind];
            let Some(functor) = class.suffix else {
                continue;
            };
            if Some(kind.kind) != group.kind {
                continue;
            }
            let mut next = group.places.len() as u32;
            let args: Vec<Pattern> = kind
                .suffix
                .iter()
                .map(|place| match group.places.iter().position(|p| p == place) {
                    Some(i) => Pattern::Variable(i as u32),
                    None => {
                        next += 1;
                        Pattern::Variable(next - 1)
                    }
                })
                .collect();
            let role = kind.kind.role;
            let move_ = self.program.compound(functor, args);
            let does = Literal::Holds(Atom {
                name: self.program.names.does,
                args: vec![Pattern::Ground(self.program.roles[role]), move_],
            });
            self.program.add(Self::clause(head.clone(), vec![does]));
        }
    }
}
