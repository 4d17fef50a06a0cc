//! Kinds and classes of moves, and the rules that ask for the move that is played.

use indexmap::IndexMap;
use ludorum_logic::domain::DomainId;
use ludorum_logic::rule::Pattern;
use rustc_hash::FxBuildHasher;

use crate::candidate::CandidateAtom;
use crate::determined::Determined;
use crate::groups::{Group, JoinCounts, count_joins};
use crate::moves::{MoveKind, MoveRule, MoveRules, fill_in_roles, split_arguments};
use crate::program::{Atom, Clause, Literal};
use crate::unify::substitute;

use super::preparation::distinct_arguments;
use super::{Assembler, Class, Kind, Played, kind_text};

impl Assembler<'_> {
    /// The clauses that ask for the moves that are played, with roles and functors filled in: the
    /// clause without these conditions, and the moves.
    pub(super) fn expand_does(&mut self, clause: &Clause) -> Vec<(Clause, Vec<Played>)> {
        let does = (self.program.names.does, 2);
        let mut open = vec![(clause.clone(), Vec::new())];
        let mut done = Vec::new();
        while let Some((clause, played)) = open.pop() {
            let place = clause
                .body
                .iter()
                .position(|literal| literal.atom().is_some_and(|atom| atom.key() == does));
            let Some(place) = place else {
                done.push((clause, played));
                continue;
            };
            let Some(atom) = clause.body[place].atom().cloned() else {
                continue;
            };
            if !atom.args[0].is_ground() {
                let filled = fill_in_roles(&mut self.program, &clause, &atom.args[0]);
                open.extend(
                    filled
                        .into_iter()
                        .map(|(_, clause)| (clause, played.clone())),
                );
                continue;
            }
            let role = self
                .program
                .roles
                .iter()
                .position(|r| Pattern::Ground(*r) == atom.args[0]);
            let Some(role) = role else {
                continue;
            };
            let shared = self.is_shared();
            let numbers: Vec<usize> = (0..self.kinds.len())
                .filter(|i| self.kinds[*i].kind.role == role || shared && !self.is_passive(*i))
                .collect();
            let whole_clause = clause;
            for number in numbers {
                let kind = self.kinds[number].kind;
                let mut clause = whole_clause.clone();
                if shared && !self.is_passive(number) {
                    clause.body.extend(self.has_turn(role));
                }
                let args: Option<Vec<Pattern>> = match &atom.args[1] {
                    Pattern::Variable(variable) => {
                        let mut wide = clause.clone();
                        let fresh: Vec<Pattern> = (0..kind.arity).map(|_| wide.fresh()).collect();
                        let whole = self.program.compound(kind.functor, fresh.clone());
                        let mut filled = substitute(&mut self.program, &wide, *variable, &whole);
                        filled.body.remove(place);
                        let mut played = played.clone();
                        played.push((number, fresh));
                        open.push((filled, played));
                        continue;
                    }
                    Pattern::Ground(id) => {
                        let terms = &self.program.terms;
                        let parts = terms.args(*id).iter();
                        (terms.functor(*id) == kind.functor && parts.len() == kind.arity)
                            .then(|| parts.map(|part| Pattern::Ground(*part)).collect())
                    }
                    Pattern::Compound(functor, args) => (*functor == kind.functor
                        && args.len() == kind.arity)
                        .then(|| args.to_vec()),
                };
                if let Some(args) = args {
                    let mut rest = clause.clone();
                    rest.body.remove(place);
                    let mut played = played.clone();
                    played.push((number, args));
                    open.push((rest, played));
                }
            }
        }
        done.reverse();
        let apart = done.into_iter().flat_map(|(clause, played)| {
            let clauses = distinct_arguments(&self.program, clause);
            clauses.into_iter().map(move |one| (one, played.clone()))
        });
        apart.collect()
    }

    pub(super) fn move_domains(&self, kind: &MoveKind) -> Option<Vec<DomainId>> {
        let legal = self.rules.keywords.legal;
        let whole = self.domains.argument(legal, 1);
        let mut functions = self.domains.functions(whole);
        let found =
            functions.find(|(name, args)| *name == kind.functor && args.len() == kind.arity);
        found.map(|(_, args)| args.to_vec())
    }

    pub(super) fn make_kinds(&mut self, moves: MoveRules) {
        let moves: Vec<(MoveKind, Vec<MoveRule>)> = moves.into_iter().collect();
        for (kind, mut rules) in moves {
            let chosen = kind_text(&self.program, "chosen", &kind);
            let chosen = self.program.name(&chosen);
            let fluent = kind_text(&self.program, "candidate", &kind);
            let fluent = self.program.name(&fluent);
            let chosen_fluent = self.program.compound(fluent, Vec::new());
            let split = split_arguments(&mut self.program, &self.tables, &mut rules, kind.arity);
            self.kinds.push(Kind {
                kind,
                split,
                prefix: Vec::new(),
                suffix: Vec::new(),
                determined: Vec::new(),
                groups: Vec::new(),
                chosen: Atom {
                    name: chosen,
                    args: Vec::new(),
                },
                chosen_fluent,
                rules,
            });
        }
        // How the rules for the next state join the arguments.
        let mut counts: Vec<JoinCounts> =
            self.kinds.iter().map(|_| JoinCounts::default()).collect();
        let asking: Vec<Clause> = self.asking_does();
        for clause in &asking {
            for (clause, played) in self.expand_does(clause) {
                for (kind, args) in played {
                    counts[kind].add(&self.program, &args, &clause.body);
                    if clause.head.name == self.program.names.next {
                        counts[kind].add_fluent(&args, &clause.head.args[0]);
                    }
                }
            }
        }
        for number in 0..self.kinds.len() {
            let kind = self.kinds[number].kind;
            let mut counts = std::mem::take(&mut counts[number]);
            count_joins(&self.program, &self.kinds[number].rules, &mut counts);
            let sizes: Vec<u64> = match self.move_domains(&kind) {
                Some(domains) => domains
                    .iter()
                    .map(|id| self.domains.size(*id).unwrap_or(u64::MAX))
                    .collect(),
                None => vec![u64::MAX; kind.arity],
            };
            let split = self.kinds[number].split.clone();
            let mut parts = counts.partition(&split, &sizes);
            parts.sort();
            let size = |part: &[usize]| part.iter().fold(1u64, |n, i| n.saturating_mul(sizes[*i]));
            let all = parts
                .iter()
                .fold(1u64, |n, part| n.saturating_mul(size(part)));
            let late = if all > u64::from(self.options.large) {
                usize::from(self.options.suffix_groups).min(parts.len().saturating_sub(1))
            } else {
                0
            };
            let first_late = parts.len() - late;
            let mut all: Vec<(Vec<usize>, bool)> =
                split.iter().map(|i| (vec![*i], false)).collect();
            all.extend(
                parts
                    .into_iter()
                    .enumerate()
                    .map(|(i, part)| (part, i >= first_late)),
            );
            for (places, is_suffix) in all {
                let text = kind_text(&self.program, "value", &kind);
                let relation = self.program.name(&text);
                let one = &mut self.kinds[number];
                one.groups.push(self.groups.len());
                if is_suffix {
                    one.suffix.extend(&places);
                } else if !split.contains(&places[0]) {
                    one.prefix.extend(&places);
                }
                self.groups.push(Group {
                    kind: Some(kind),
                    places,
                    relation,
                    is_suffix,
                    is_determined: false,
                });
            }
            let one = &mut self.kinds[number];
            one.prefix.sort_unstable();
            one.suffix.sort_unstable();
            if self.options.assume {
                self.find_determined(number);
            }
        }
    }

    /// Finds the split arguments of a kind that the state determines.
    pub(super) fn find_determined(&mut self, number: usize) {
        let one = &mut self.kinds[number];
        for place in one.split.clone() {
            let found = Determined::find(&self.program, &one.rules, place, &one.prefix);
            let Some(found) = found else {
                continue;
            };
            one.determined.push(found);
            one.split.retain(|p| *p != place);
            for id in &one.groups {
                let group = &mut self.groups[*id];
                group.is_determined |= group.places[..] == [place];
            }
        }
    }

    /// The clauses that ask for the moves that are played.
    pub(super) fn asking_does(&self) -> Vec<Clause> {
        let does = self.program.names.does;
        let asks = |clause: &&Clause| {
            let mut atoms = clause.body.iter().filter_map(Literal::atom);
            atoms.any(|atom| atom.name == does)
        };
        self.program
            .relations
            .values()
            .flatten()
            .filter(asks)
            .cloned()
            .collect()
    }

    pub(super) fn make_classes(&mut self) {
        for number in 0..self.kinds.len() {
            let kind = &self.kinds[number];
            let mut parts: IndexMap<Vec<Pattern>, Vec<MoveRule>, FxBuildHasher> =
                IndexMap::default();
            for rule in &kind.rules {
                let constants = kind
                    .split
                    .iter()
                    .map(|i| rule.head.args[*i].clone())
                    .collect();
                parts.entry(constants).or_default().push(rule.clone());
            }
            for (constants, rules) in parts {
                let kind = &self.kinds[number];
                let mut text = kind_text(&self.program, "", &kind.kind);
                for constant in &constants {
                    if let Pattern::Ground(id) = constant {
                        text.push('_');
                        text.push_str(&self.program.terms.text(*id));
                    }
                }
                let has_suffix = !kind.suffix.is_empty();
                let prefix = self.program.name(&format!("draw{text}"));
                let suffix = has_suffix.then(|| self.program.name(&format!("take{text}")));
                let leaf = self.program.name(&format!("leaf{text}"));
                let tried = self.program.name(&format!("tried{text}"));
                self.classes.push(Class {
                    kind: number,
                    constants,
                    rules,
                    prefix,
                    suffix,
                    leaf,
                    tried,
                });
            }
        }
    }

    /// The candidate atoms and the proposition for a move of a kind.
    pub(super) fn candidates(
        &self,
        number: usize,
        args: &[Pattern],
        with_suffix: bool,
    ) -> Vec<CandidateAtom> {
        let kind = &self.kinds[number];
        let groups = kind
            .groups
            .iter()
            .filter(|id| with_suffix || !self.groups[**id].is_suffix);
        groups
            .map(|id| CandidateAtom {
                group: *id,
                args: self.groups[*id]
                    .places
                    .iter()
                    .map(|i| args[*i].clone())
                    .collect(),
            })
            .collect()
    }
}
