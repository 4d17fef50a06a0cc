//! A naive reasoner, with which the reference engine is compared.
//!
//! It shares only the parser with the engines. Formulas are evaluated as written, bottom-up and
//! stratum by stratum, over trees and sets of strings.

use std::collections::{BTreeMap, BTreeSet};

use ludorum_gdl::ast::{Clause, Formula, FormulaId, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use ludorum_gdl::{Description, GroundTerms};

use crate::goal::Goal;

/// A ground term.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
    Leaf(String),
    Node(String, Vec<Tree>),
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Self::Leaf(name) => name.clone(),
            Self::Node(name, args) => {
                let args: Vec<String> = args.iter().map(Self::text).collect();
                format!("({name} {})", args.join(" "))
            }
        }
    }
}

type Facts = BTreeMap<String, BTreeSet<Vec<Tree>>>;
type Bindings = BTreeMap<String, Tree>;

/// A game, evaluated naively.
pub struct Naive {
    description: Description,
    /// The clauses of each stratum.
    strata: Vec<Vec<Clause>>,
}

impl Naive {
    /// Reads a rule sheet; `None` if negation is part of a cycle of relation names.
    pub fn new(text: &str) -> Option<Self> {
        let description = ludorum_gdl::parse(text).description;
        let mut level: BTreeMap<String, usize> = BTreeMap::new();
        loop {
            let mut changed = false;
            for clause in &description.clauses {
                let head = description.name(clause.head.relation).to_owned();
                let mut needed = 0;
                for formula in &clause.body {
                    dependencies(&description, *formula, true, &mut |name, positive| {
                        let below = level.get(name).copied().unwrap_or(0);
                        needed = needed.max(below + usize::from(!positive));
                    });
                }
                let have = level.entry(head).or_insert(0);
                if needed > *have {
                    *have = needed;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if level.values().any(|l| *l > description.clauses.len()) {
                return None;
            }
        }
        let top = level.values().copied().max().unwrap_or(0);
        let mut strata = vec![Vec::new(); top + 1];
        for clause in &description.clauses {
            strata[level[description.name(clause.head.relation)]].push(clause.clone());
        }
        Some(Self {
            description,
            strata,
        })
    }

    /// The roles in the order of the sheet.
    pub fn roles(&self) -> Vec<String> {
        let clauses = self.description.clauses.iter();
        clauses
            .filter(|clause| self.description.name(clause.head.relation) == "role")
            .filter_map(|clause| self.ground(clause.head.args[0], &Bindings::new()))
            .map(|tree| tree.text())
            .collect()
    }

    /// The fluents of the initial state, sorted.
    pub fn initial(&self) -> Vec<String> {
        texts(&self.facts(&[], &[]), "init", 0)
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, state: &[String], role: &str) -> Vec<String> {
        of_role(&self.facts(state, &[]), "legal", role)
    }

    /// The goal of a role.
    pub fn goal(&self, state: &[String], role: &str) -> Goal {
        Goal::from_texts(of_role(&self.facts(state, &[]), "goal", role))
    }

    /// Whether the state is terminal.
    pub fn is_terminal(&self, state: &[String]) -> bool {
        self.facts(state, &[]).contains_key("terminal")
    }

    /// The fluents of the next state, sorted.
    pub fn next(&self, state: &[String], moves: &[String]) -> Vec<String> {
        texts(&self.facts(state, moves), "next", 0)
    }

    /// The least model of a state and a joint move, or of a state alone.
    fn facts(&self, state: &[String], moves: &[String]) -> Facts {
        let mut facts = Facts::new();
        for fluent in state {
            let tree = parse_tree(fluent);
            facts.entry("true".into()).or_default().insert(vec![tree]);
        }
        for (role, action) in self.roles().iter().zip(moves) {
            facts
                .entry("does".into())
                .or_default()
                .insert(vec![parse_tree(role), parse_tree(action)]);
        }
        for stratum in &self.strata {
            loop {
                let mut new = Vec::new();
                for clause in stratum {
                    self.solve(&clause.body, &Bindings::new(), &facts, &mut |bindings| {
                        let args = self.ground_all(&clause.head.args, bindings);
                        let name = self.description.name(clause.head.relation);
                        if let Some(args) = args
                            && !facts.get(name).is_some_and(|set| set.contains(&args))
                        {
                            new.push((name.to_owned(), args));
                        }
                    });
                }
                if new.is_empty() {
                    break;
                }
                for (name, args) in new {
                    facts.entry(name).or_default().insert(args);
                }
            }
        }
        facts
    }

    fn ground(&self, id: SyntaxTermId, bindings: &Bindings) -> Option<Tree> {
        let name = |symbol| self.description.name(symbol).to_owned();
        Some(match self.description.term(id) {
            SyntaxTerm::Variable(variable) => bindings.get(&name(*variable))?.clone(),
            SyntaxTerm::Constant(constant) => Tree::Leaf(name(*constant)),
            SyntaxTerm::Compound { functor, args } => {
                Tree::Node(name(*functor), self.ground_all(args, bindings)?)
            }
        })
    }

    fn ground_all(&self, args: &[SyntaxTermId], bindings: &Bindings) -> Option<Vec<Tree>> {
        args.iter().map(|arg| self.ground(*arg, bindings)).collect()
    }

    /// Calls `found` for every binding that makes all formulas true.
    fn solve(
        &self,
        formulas: &[FormulaId],
        bindings: &Bindings,
        facts: &Facts,
        found: &mut dyn FnMut(&Bindings),
    ) {
        // Positive conditions first: they bind the variables that the others test.
        let next = formulas
            .iter()
            .position(|id| matches!(self.description.formula(*id), Formula::Atom(_)))
            .or_else(|| {
                formulas
                    .iter()
                    .position(|id| matches!(self.description.formula(*id), Formula::And(_)))
            })
            .or_else(|| {
                formulas
                    .iter()
                    .position(|id| matches!(self.description.formula(*id), Formula::Or(_)))
            })
            .unwrap_or(0);
        let Some(id) = formulas.get(next) else {
            found(bindings);
            return;
        };
        let mut rest = formulas.to_vec();
        rest.remove(next);
        match self.description.formula(*id) {
            Formula::Atom(atom) => {
                for row in facts
                    .get(self.description.name(atom.relation))
                    .into_iter()
                    .flatten()
                {
                    if let Some(bindings) = self.match_atom(atom, row, bindings) {
                        self.solve(&rest, &bindings, facts, found);
                    }
                }
            }
            Formula::And(parts) => {
                rest.extend(parts);
                self.solve(&rest, bindings, facts, found);
            }
            Formula::Or(parts) => {
                for part in parts {
                    let mut branch = rest.clone();
                    branch.push(*part);
                    self.solve(&branch, bindings, facts, found);
                }
            }
            Formula::Not(part) => {
                let mut holds = false;
                self.solve(&[*part], bindings, facts, &mut |_| holds = true);
                if !holds {
                    self.solve(&rest, bindings, facts, found);
                }
            }
            Formula::Distinct(left, right) => {
                if self.ground(*left, bindings) != self.ground(*right, bindings) {
                    self.solve(&rest, bindings, facts, found);
                }
            }
        }
    }

    fn match_atom(&self, atom: &SyntaxAtom, row: &[Tree], bindings: &Bindings) -> Option<Bindings> {
        if atom.args.len() != row.len() {
            return None;
        }
        let mut bindings = bindings.clone();
        let fits = atom
            .args
            .iter()
            .zip(row)
            .all(|(arg, tree)| self.match_term(*arg, tree, &mut bindings));
        fits.then_some(bindings)
    }

    fn match_term(&self, id: SyntaxTermId, tree: &Tree, bindings: &mut Bindings) -> bool {
        match (self.description.term(id), tree) {
            (SyntaxTerm::Variable(name), tree) => {
                let name = self.description.name(*name).to_owned();
                bindings.entry(name).or_insert_with(|| tree.clone()) == tree
            }
            (SyntaxTerm::Constant(name), Tree::Leaf(leaf)) => self.description.name(*name) == leaf,
            (SyntaxTerm::Compound { functor, args }, Tree::Node(name, trees)) => {
                self.description.name(*functor) == name
                    && args.len() == trees.len()
                    && args
                        .iter()
                        .zip(trees)
                        .all(|(arg, tree)| self.match_term(*arg, tree, bindings))
            }
            _ => false,
        }
    }
}

/// The relations of a formula, each with whether it is below an even number of negations.
fn dependencies(
    description: &Description,
    id: FormulaId,
    positive: bool,
    visit: &mut dyn FnMut(&str, bool),
) {
    match description.formula(id) {
        // A relation below `not not` also has to be complete before it is evaluated.
        Formula::Atom(atom) => visit(description.name(atom.relation), positive),
        Formula::Not(part) => dependencies(description, *part, false, visit),
        Formula::And(parts) | Formula::Or(parts) => {
            for part in parts {
                dependencies(description, *part, positive, visit);
            }
        }
        Formula::Distinct(..) => {}
    }
}

fn texts(facts: &Facts, relation: &str, place: usize) -> Vec<String> {
    let rows = facts.get(relation).into_iter().flatten();
    let mut texts: Vec<String> = rows.map(|row| row[place].text()).collect();
    texts.sort();
    texts
}

fn of_role(facts: &Facts, relation: &str, role: &str) -> Vec<String> {
    let rows = facts.get(relation).into_iter().flatten();
    let mut texts: Vec<String> = rows
        .filter(|row| row[0].text() == role)
        .map(|row| row[1].text())
        .collect();
    texts.sort();
    texts
}

fn parse_tree(text: &str) -> Tree {
    let read = GroundTerms::read(text).ok();
    let first = read.and_then(|read| Some(tree(&read.description, *read.roots.first()?)));
    first.unwrap_or_else(|| Tree::Leaf(String::new()))
}

fn tree(description: &Description, id: SyntaxTermId) -> Tree {
    match description.term(id) {
        SyntaxTerm::Variable(name) | SyntaxTerm::Constant(name) => {
            Tree::Leaf(description.name(*name).to_owned())
        }
        SyntaxTerm::Compound { functor, args } => Tree::Node(
            description.name(*functor).to_owned(),
            args.iter().map(|arg| tree(description, *arg)).collect(),
        ),
    }
}
