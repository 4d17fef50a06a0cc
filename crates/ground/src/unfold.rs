//! Unfolds definitions of rigid relations into the rules that use them.
//!
//! Rigid relations are materialised before rules are split, and a table has lost the structure of
//! its definition. `(set ?p1 ?p2 ?p3 ?p4)`, four pieces that agree in some `?n` and `?bit`, is one
//! conjunct over four variables. A rule that looks for four such pieces in a row has an instance
//! for each of its tens of thousands of rows. With the body of the definition in its place the rule
//! can be split: one helper for each piece, over `?n` and `?bit`.
//!
//! A positive condition is equivalent to the body of its only definition, so unfolding is always
//! correct. It is done where the estimated cost of the decomposition drops considerably. The table
//! stays, since other rules may use it.

use rustc_hash::FxHashMap;

use crate::clause::{Arg, Clause, Literal, PredicateId, Predicates};
use crate::decompose::decompose;
use crate::estimate::TableEstimate;
use crate::substitution::Substitution;
use crate::tuple_table::TupleTables;

/// Factor by which unfolding must reduce the estimated cost of the rule.
const MIN_GAIN: f64 = 2.0;
/// Number of ground literals that unfolding must save.
const MIN_SAVING: f64 = 2_000.0;
/// Maximum number of unfolded definitions in one rule, nested ones included.
const MAX_UNFOLDED: usize = 4;
/// Maximum number of conditions of an unfolded definition.
const MAX_DEFINITION: usize = 16;
/// Maximum number of conditions of a rule after unfolding.
const MAX_BODY: usize = 48;

/// Rigid definitions that can be unfolded, by predicate.
#[derive(Debug, Default)]
pub(crate) struct RigidDefinitions {
    clauses: FxHashMap<PredicateId, Clause>,
}

impl RigidDefinitions {
    /// Collects the definitions from all clauses of rigid predicates, while their tables hold only
    /// facts.
    pub(crate) fn new(rigid: &[Clause], predicates: &Predicates, tables: &TupleTables) -> Self {
        let mut counts: FxHashMap<PredicateId, usize> = FxHashMap::default();
        for clause in rigid {
            *counts.entry(clause.head.predicate).or_default() += 1;
        }
        let only = rigid.iter().filter(|clause| {
            let id = clause.head.predicate;
            let facts = tables.get(predicates.get(id).table).len();
            counts[&id] == 1 && facts == 0 && loses_structure(clause)
        });
        Self {
            clauses: only.map(|c| (c.head.predicate, c.clone())).collect(),
        }
    }

    /// The clause with definitions unfolded, where that pays.
    pub(crate) fn unfold(
        &self,
        clause: &Clause,
        predicates: &Predicates,
        estimates: &[TableEstimate],
    ) -> Option<Clause> {
        if !predicates.get(clause.head.predicate).is_dynamic() || !self.applies_to(clause) {
            return None;
        }
        let cost = |clause: &Clause| Some(decompose(clause, predicates, estimates)?.cost());
        let before = cost(clause)?;
        if before < MIN_SAVING {
            return None;
        }
        let mut best: Option<(f64, Clause)> = None;
        for _ in 0..MAX_UNFOLDED {
            let (least, from) = match &best {
                Some((cost, clause)) => (*cost, clause),
                None => (before, clause),
            };
            let unfoldings = (0..from.body.len()).filter_map(|at| self.unfold_at(from, at));
            let costs = unfoldings.filter_map(|clause| Some((cost(&clause)?, clause)));
            let Some(better) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) else {
                break;
            };
            if better.0 >= least {
                break;
            }
            best = Some(better);
        }
        let (after, clause) = best?;
        (before >= MIN_GAIN * after && before - after >= MIN_SAVING).then_some(clause)
    }

    /// Whether a condition of the clause has an unfoldable definition.
    fn applies_to(&self, clause: &Clause) -> bool {
        clause.body.iter().any(|literal| match literal {
            Literal::Positive(atom) => self.clauses.contains_key(&atom.predicate),
            _ => false,
        })
    }

    /// The clause with one condition replaced by its definition.
    fn unfold_at(&self, clause: &Clause, at: usize) -> Option<Clause> {
        let Literal::Positive(condition) = &clause.body[at] else {
            return None;
        };
        let definition = self.clauses.get(&condition.predicate)?;
        if clause.body.len() + definition.body.len() > MAX_BODY + 1 {
            return None;
        }
        // The definition's variables are numbered after those of the clause.
        let fresh = |v: u32| v + clause.variables;
        let mut values = Substitution::new(clause.variables + definition.variables);
        for (inner, outer) in definition.head.args.iter().zip(&condition.args) {
            let inner = match inner {
                Arg::Variable(v) => Arg::Variable(fresh(*v)),
                Arg::Term(_) => *inner,
            };
            values.unify(inner, *outer)?;
        }
        let mut body: Vec<Literal> = Vec::with_capacity(clause.body.len() + definition.body.len());
        let unfolded = definition.body.iter().map(|literal| {
            let mut literal = literal.clone();
            literal.rename(&fresh);
            literal
        });
        let mut conditions: Vec<Literal> = clause.body.clone();
        conditions.splice(at..=at, unfolded);
        for literal in &conditions {
            let literal = values.literal(literal)?;
            let holds = matches!(literal, Literal::Distinct(Arg::Term(_), Arg::Term(_)));
            if !holds && !body.contains(&literal) {
                body.push(literal);
            }
        }
        let mut clause = Clause {
            head: values.atom(&clause.head),
            body,
            variables: values.len(),
        };
        clause.compact();
        Some(clause)
    }
}

/// Whether a definition has more structure than its table: it has variables that do not occur in
/// the head, and it is small and not recursive.
fn loses_structure(clause: &Clause) -> bool {
    let recursive = clause.body.iter().any(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) | Literal::GroundingOnly(atom) => {
            atom.predicate == clause.head.predicate
        }
        _ => false,
    });
    let hidden = (0..clause.variables).any(|v| !clause.head.args.contains(&Arg::Variable(v)));
    hidden && !recursive && clause.body.len() <= MAX_DEFINITION
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use ludorum_logic::Rules;

    use super::*;
    use crate::clause::Atom;
    use crate::testing::Valuation;
    use crate::{GroundBudget, GroundProgram, ground};

    fn program(text: &str) -> GroundProgram {
        let rules = Rules::from_text(text).unwrap_or_else(|problems| panic!("{problems:?}"));
        ground(&rules, &GroundBudget::default(), &mut |_| {})
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Sixteen pieces with four bits each, and four cells that hold any of them.
    fn pieces(rest: &str) -> String {
        let mut text = format!(
            "(role r) (bit 0) (bit 1) (index 1) (index 2) (index 3) (index 4) (banned 4)
             (<= (legal r (put ?x ?p)) (index ?x) (piece ?p))
             (<= (next (cell ?x ?p)) (does r (put ?x ?p)))
             {rest}"
        );
        for piece in 0..16 {
            let _ = write!(text, "(piece p{piece})");
            for n in 0..4 {
                let _ = write!(text, "(has p{piece} {} {})", n + 1, piece >> n & 1);
            }
        }
        text
    }

    /// Adds a definition as one rule, and as two rules for the values of `?b`, which keeps it a
    /// table.
    fn both_ways(rest: &str, head: &str, body: &str) -> (GroundProgram, GroundProgram) {
        let once = format!("{rest} (<= {head} (bit ?b) {body})");
        let zero = body.replace("?b", "0");
        let one = body.replace("?b", "1");
        let twice = format!("{rest} (<= {head} {zero}) (<= {head} {one})");
        (program(&pieces(&once)), program(&pieces(&twice)))
    }

    /// Asserts that both programs agree on which of some random states are terminal.
    fn assert_equivalent(one: &GroundProgram, two: &GroundProgram) {
        let mut seed = 1u64;
        let mut ended = 0;
        for state in 0..400 {
            let mut texts: Vec<String> = Vec::new();
            for cell in 1..=4 {
                for _ in 0..=state % 2 {
                    seed = seed
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(99);
                    texts.push(format!("(cell {cell} p{})", seed >> 60));
                    texts.push(format!("(deck {cell} (card (no p{})))", seed >> 60));
                }
            }
            let ends = |program: &GroundProgram| {
                let fluents = program.fluents.iter().enumerate();
                let held = fluents.filter(|(_, f)| texts.contains(&program.terms.text(f.term)));
                let valuation = Valuation::new(program, held.map(|(at, _)| at), []);
                program.terminal.is_some_and(|atom| valuation.holds(atom))
            };
            assert_eq!(ends(one), ends(two), "{texts:?}");
            ended += usize::from(ends(one));
        }
        assert!((20..380).contains(&ended), "{ended}");
    }

    const FOUR: &str =
        "(true (cell 1 ?p)) (true (cell 2 ?q)) (true (cell 3 ?s)) (true (cell 4 ?t))";

    #[test]
    fn a_definition_with_something_in_common_is_unfolded_and_split() {
        let (unfolded, table) = both_ways(
            &format!("(<= terminal {FOUR} (set ?p ?q ?s ?t))"),
            "(set ?p ?q ?s ?t)",
            "(index ?n) (has ?p ?n ?b) (has ?q ?n ?b) (has ?s ?n ?b) (has ?t ?n ?b)",
        );
        assert!(table.stats.rules > 20_000, "{}", table.stats.rules);
        assert!(unfolded.stats.rules < 1_000, "{}", unfolded.stats.rules);
        assert_equivalent(&unfolded, &table);
    }

    #[test]
    fn constants_and_repeated_variables_of_a_head_are_carried_over() {
        let (unfolded, table) = both_ways(
            &format!("(kind odd) (kind even) (<= terminal {FOUR} (kind ?k) (set ?k ?p ?q ?s ?t))"),
            "(set even ?p ?q ?s ?q)",
            "(index ?n) (has ?p ?n ?b) (has ?q ?n ?b) (has ?s ?n ?b)",
        );
        assert!(table.stats.rules > 2_000, "{}", table.stats.rules);
        assert!(unfolded.stats.rules < 1_000, "{}", unfolded.stats.rules);
        assert_equivalent(&unfolded, &table);
    }

    #[test]
    fn comparisons_and_negations_of_a_definition_come_along() {
        let (unfolded, table) = both_ways(
            &format!("(<= terminal {FOUR} (set ?p ?q ?s ?t))"),
            "(set ?p ?q ?s ?t)",
            "(index ?n) (has ?p ?n ?b) (has ?q ?n ?b) (has ?s ?n ?b) (has ?t ?n ?b)
             (distinct ?p ?q) (not (banned ?n)) (not (has ?t 1 0))",
        );
        assert!(unfolded.stats.rules < table.stats.rules / 4);
        assert_equivalent(&unfolded, &table);
    }

    #[test]
    fn terms_are_taken_apart_inside_a_definition() {
        let four = FOUR.replace("cell", "deck");
        let (unfolded, table) = both_ways(
            &format!(
                "(<= (next (deck ?x (card (no ?p)))) (does r (put ?x ?p)))
                 (<= terminal {four} (set ?p ?q ?s ?t))"
            ),
            "(set (card (no ?p)) (card (no ?q)) (card (no ?s)) (card (no ?t)))",
            "(index ?n) (has ?p ?n ?b) (has ?q ?n ?b) (has ?s ?n ?b) (has ?t ?n ?b)",
        );
        assert!(table.stats.rules > 20_000, "{}", table.stats.rules);
        assert!(unfolded.stats.rules < 1_000, "{}", unfolded.stats.rules);
        assert_equivalent(&unfolded, &table);
    }

    #[test]
    fn a_rule_stays_as_it_is_where_unfolding_does_not_pay() {
        let (one, two) = both_ways(
            "(<= (next (seen ?p ?q ?s)) (true (cell 1 ?p)) (true (cell 2 ?q)) (true (cell 3 ?s))
             (set ?p ?q ?s))
             (<= terminal (true (seen p1 p2 p3)))",
            "(set ?p ?q ?s)",
            "(index ?n) (has ?p ?n ?b) (has ?q ?n ?b) (has ?s ?n ?b)",
        );
        assert!(one.stats.rules > 2_000, "{}", one.stats.rules);
        assert_eq!(one.stats.helpers, two.stats.helpers);
        let lines = |program: &GroundProgram| {
            let mut lines: Vec<String> = program.text().lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&one), lines(&two));
    }

    fn atom(predicate: u32, args: &[Arg]) -> Atom {
        Atom {
            predicate: PredicateId(predicate),
            args: args.to_vec(),
        }
    }

    fn definitions(clause: Clause) -> RigidDefinitions {
        RigidDefinitions {
            clauses: [(clause.head.predicate, clause)].into_iter().collect(),
        }
    }

    #[test]
    fn heads_unify_with_conditions() {
        let [x, y, z] = [0, 1, 2].map(Arg::Variable);
        let [red, blue] = [7, 8].map(Arg::Term);
        // set(x, x, red) <= has(x, y)
        let definitions = definitions(Clause {
            head: atom(1, &[x, x, red]),
            body: vec![Literal::Positive(atom(2, &[x, y]))],
            variables: 2,
        });
        let rule = |args: &[Arg], more: Literal| Clause {
            head: atom(0, &[z]),
            body: vec![more, Literal::Positive(atom(1, args))],
            variables: 3,
        };
        let cell = Literal::Positive(atom(3, &[x, y, z]));
        // won(z) <= cell(x, y, z), set(x, y, z)
        assert_eq!(
            definitions.unfold_at(&rule(&[x, y, z], cell.clone()), 1),
            Some(Clause {
                head: atom(0, &[red]),
                body: vec![
                    Literal::Positive(atom(3, &[x, x, red])),
                    Literal::Positive(atom(2, &[x, y])),
                ],
                variables: 2,
            })
        );
        assert_eq!(
            definitions.unfold_at(&rule(&[x, y, blue], cell.clone()), 1),
            None
        );
        assert_eq!(
            definitions.unfold_at(&rule(&[red, blue, z], cell.clone()), 1),
            None
        );
        assert_eq!(definitions.unfold_at(&rule(&[x, y, z], cell), 0), None);
        // Conditions that cannot hold or be expressed after unfolding keep the definition folded.
        for more in [Literal::Distinct(x, y), Literal::Constant(2)] {
            assert_eq!(definitions.unfold_at(&rule(&[x, y, z], more), 1), None);
        }
    }

    #[test]
    fn recursive_definitions_and_those_without_hidden_variables_stay() {
        let [x, y] = [0, 1].map(Arg::Variable);
        let clause = |head: &[Arg], predicate| Clause {
            head: atom(1, head),
            body: vec![Literal::Positive(atom(predicate, &[x, y]))],
            variables: 2,
        };
        assert!(loses_structure(&clause(&[x], 2)));
        assert!(!loses_structure(&clause(&[x, y], 2)));
        assert!(!loses_structure(&clause(&[x], 1)));
    }
}
