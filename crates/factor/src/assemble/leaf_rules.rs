//! The rules of leaves: the moves among which candidates are drawn.

use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Pattern, Variable};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::error::NotApplicable;
use crate::leaves::{
    Sizes, certain_conditions, early_conditions, on_prefix, state_conditions, unbound,
};
use crate::moves::{MoveKind, MoveRule};
use crate::program::{Atom, Clause, Literal};

use super::{Assembler, kind_text};

impl Assembler<'_> {
    /// Writes the leaves of a class.
    pub(super) fn write_leaves(
        &mut self,
        number: usize,
        sizes: &Sizes,
    ) -> Result<(), NotApplicable> {
        let class = &self.classes[number];
        let kind = &self.kinds[class.kind];
        let move_kind = kind.kind;
        let prefix = kind.prefix.clone();
        let mut early_places = prefix.clone();
        early_places.extend(&kind.split);
        let leaf = class.leaf;
        early_places.extend(kind.determined.iter().map(|one| one.place));
        let parts = self.parts_of(number);
        if let [rules] = &parts[..] {
            return self.write_leaves_of(
                &move_kind,
                leaf,
                rules.clone(),
                &prefix,
                &early_places,
                sizes,
            );
        }
        let args: Vec<Pattern> = (0..prefix.len() as u32).map(Pattern::Variable).collect();
        for rules in parts {
            let text = format!("{}_of", self.program.terms.symbols.name(leaf));
            let part = self.program.name(&text);
            self.write_leaves_of(&move_kind, part, rules, &prefix, &early_places, sizes)?;
            let [head, body] = [leaf, part].map(|name| Atom {
                name,
                args: args.clone(),
            });
            self.program
                .add(Self::clause(head, vec![Literal::Holds(body)]));
        }
        Ok(())
    }

    /// The rules of a class by the values of determined arguments.
    pub(super) fn parts_of(&self, number: usize) -> Vec<Vec<MoveRule>> {
        let class = &self.classes[number];
        let determined = &self.kinds[class.kind].determined;
        let mut parts: IndexMap<Vec<Pattern>, Vec<MoveRule>, FxBuildHasher> = IndexMap::default();
        for rule in &class.rules {
            let values = determined
                .iter()
                .map(|one| rule.head.args[one.place].clone());
            parts
                .entry(values.collect())
                .or_default()
                .push(rule.clone());
        }
        parts.into_values().collect()
    }

    /// Writes the leaves of rules that agree in the determined arguments.
    pub(super) fn write_leaves_of(
        &mut self,
        move_kind: &MoveKind,
        leaf: Symbol,
        mut rules: Vec<MoveRule>,
        prefix: &[usize],
        early_places: &[usize],
        sizes: &Sizes,
    ) -> Result<(), NotApplicable> {
        let mut early: Vec<Vec<usize>> = Vec::new();
        for rule in &mut rules {
            let mut own = early_conditions(&self.program, sizes, rule, early_places);
            for set in state_conditions(rule, &own, early_places) {
                own.retain(|i| !set.contains(i));
                let body: Vec<Literal> = set.iter().map(|i| rule.body[*i].clone()).collect();
                if self.is_assumed(&body) {
                    continue;
                }
                let condition = self.state_condition(body);
                own.push(rule.body.len());
                rule.body.push(condition);
            }
            early.push(own);
        }
        if self.write_factored_leaves(move_kind, leaf, &rules, &early, prefix)? {
            return Ok(());
        }
        for (rule, early) in rules.iter().zip(early) {
            let mut body: Vec<Literal> = early.iter().map(|i| rule.body[*i].clone()).collect();
            for (place, variable) in unbound(rule, &early, prefix) {
                let values = self.values_of(move_kind, place)?;
                body.push(Literal::Holds(Atom {
                    name: values,
                    args: vec![Pattern::Variable(variable)],
                }));
            }
            let head = Atom {
                name: leaf,
                args: prefix.iter().map(|i| rule.head.args[*i].clone()).collect(),
            };
            let mut clause = Self::clause(head, body);
            clause.variables = clause.variables.max(rule.variables);
            self.program.add(clause);
        }
        Ok(())
    }

    /// Whether a set of conditions is a fluent that is assumed to have one value in every state.
    pub(super) fn is_assumed(&self, body: &[Literal]) -> bool {
        let [Literal::Holds(atom)] = body else {
            return false;
        };
        let init = self.program.clauses((self.program.names.init, 1)).iter();
        let matching = init.filter(|clause| {
            let variables = atom.args[0].clone();
            let mut count = 0;
            variables.for_each_variable(&mut |v| count = count.max(v + 1));
            let mut bindings = crate::unify::Bindings::new(count);
            bindings.unify(&self.program.terms, &variables, &clause.head.args[0])
        });
        self.options.assume && atom.name == self.program.names.true_ && matching.count() == 1
    }

    /// The proposition that some conditions hold together.
    pub(super) fn state_condition(&mut self, body: Vec<Literal>) -> Literal {
        let clause = Self::clause(self.over_name(), body).compact();
        if let Some(known) = self.state_conditions.get(&clause.body) {
            return Literal::Holds(known.clone());
        }
        let head = self.proposition("condition");
        self.state_conditions
            .insert(clause.body.clone(), head.clone());
        self.program.add(Clause {
            head: head.clone(),
            ..clause
        });
        Literal::Holds(head)
    }

    pub(super) fn over_name(&self) -> Atom {
        Atom {
            name: self.program.names.terminal,
            args: Vec::new(),
        }
    }

    /// Writes the leaves of rules that differ in few conditions: those that all rules have, and a
    /// relation of the arguments that the others need. Returns false if the rules have too little in
    /// common.
    pub(super) fn write_factored_leaves(
        &mut self,
        kind: &MoveKind,
        leaf: Symbol,
        rules: &[MoveRule],
        early: &[Vec<usize>],
        prefix: &[usize],
    ) -> Result<bool, NotApplicable> {
        if rules.len() < 2 {
            return Ok(false);
        }
        let certain = certain_conditions(rules, early, prefix);
        let (of_move, of_state): (Vec<Literal>, Vec<Literal>) = certain
            .iter()
            .cloned()
            .partition(|literal| !literal.variables().is_empty());
        let mut bound: FxHashSet<Variable> = FxHashSet::default();
        for literal in &of_move {
            if matches!(literal, Literal::Holds(_)) {
                bound.extend(literal.variables());
            }
        }
        if (0..prefix.len() as Variable).any(|v| !bound.contains(&v)) {
            return Ok(false);
        }
        // The other conditions, with the variables of the prefix numbered first.
        let count = prefix.len() as Variable;
        let mut rests: Vec<(Vec<Literal>, u32)> = Vec::new();
        for (rule, early) in rules.iter().zip(early) {
            let mut numbers: FxHashMap<Variable, Variable> = FxHashMap::default();
            for (number, place) in prefix.iter().enumerate() {
                if let Pattern::Variable(v) = rule.head.args[*place] {
                    numbers.insert(v, number as Variable);
                }
            }
            let rename = |v: Variable| numbers.get(&v).copied().unwrap_or(v + count);
            let rest = early.iter().map(|i| &rule.body[*i]).filter(|literal| {
                let known = on_prefix(rule, literal, prefix);
                !known.is_some_and(|known| certain.contains(&known))
            });
            let rest: Vec<Literal> = rest
                .map(|l| l.map(&mut |pattern| pattern.rename(&rename)))
                .collect();
            rests.push((rest, rule.variables + count));
        }
        let mut used: Vec<Variable> = Vec::new();
        for (rest, _) in &rests {
            for v in rest.iter().flat_map(Literal::variables) {
                if v < count && !used.contains(&v) {
                    used.push(v);
                }
            }
        }
        used.sort_unstable();
        let needs_rest = rests.iter().all(|(rest, _)| !rest.is_empty());
        if needs_rest && used.len() == prefix.len() {
            return Ok(false);
        }
        let head = Atom {
            name: leaf,
            args: (0..count).map(Pattern::Variable).collect(),
        };
        let mut body = of_move.clone();
        body.sort_by_key(|literal| matches!(literal, Literal::Fails(_)));
        if !needs_rest {
            body.extend(of_state);
            self.program.add(Self::clause(head, body));
            return Ok(true);
        }
        let text = format!("{}_more", self.program.terms.symbols.name(leaf));
        let name = self.program.name(&text);
        let rest_atom = Atom {
            name,
            args: used.iter().map(|v| Pattern::Variable(*v)).collect(),
        };
        for (rest, variables) in rests {
            let mut body = of_state.clone();
            // Each rule must bind its arguments.
            let holds = rest.iter().filter(|l| matches!(l, Literal::Holds(_)));
            let bound: FxHashSet<Variable> = holds.flat_map(Literal::variables).collect();
            for v in used.iter().filter(|v| !bound.contains(v)) {
                let values = self.values_of(kind, prefix[*v as usize])?;
                body.push(Literal::Holds(Atom {
                    name: values,
                    args: vec![Pattern::Variable(*v)],
                }));
            }
            body.extend(rest);
            let mut clause = Self::clause(rest_atom.clone(), body);
            clause.variables = clause.variables.max(variables);
            self.program.add(clause);
        }
        body.push(Literal::Holds(rest_atom));
        self.program.add(Self::clause(head, body));
        Ok(true)
    }

    /// The table of the values of an argument of a kind of move.
    pub(super) fn values_of(
        &mut self,
        kind: &MoveKind,
        place: usize,
    ) -> Result<Symbol, NotApplicable> {
        let refused = || NotApplicable::OpenMove {
            role: self.program.terms.text(self.program.roles[kind.role]),
        };
        let domains = self.move_domains(kind).ok_or_else(refused)?;
        if self.domains.functions(domains[place]).next().is_some() {
            return Err(refused());
        }
        let constants: Vec<Symbol> = self.domains.constants(domains[place]).collect();
        let text = kind_text(&self.program, "values", kind);
        let name = self.program.name(&text);
        for constant in constants {
            let value = self.program.compound(constant, Vec::new());
            self.program.add(Clause {
                head: Atom {
                    name,
                    args: vec![value],
                },
                body: Vec::new(),
                variables: 0,
            });
        }
        Ok(name)
    }
}
