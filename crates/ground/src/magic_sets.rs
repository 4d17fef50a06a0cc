//! Restricts relations to the atoms that somebody asks about.
//!
//! Some sheets define a relation for all values of an argument where its users only ever ask about
//! a few: `(count ?x ?y ?z)` over all triples of cells for the three corners, `(threatened ?x ?y ?u
//! ?v)` over all pairs for the moves that exist. Where the estimate says so, such a relation gets a
//! demand: a grounding_only relation with the arguments of all its uses, to which its rules are restricted
//! (magic sets, over what may hold). Negated uses count like others, since an instance only needs
//! its own atoms.
//!
//! The demand of a use is read from the other positive literals of the rule and the demand of its
//! head. Two restricted relations must not wait for each other, so restricted relations are ranked,
//! and a demand only looks at literals of lower rank.

use crate::clause::{
    Apply, Arg, Atom, Clause, Literal, Predicate, PredicateId, PredicateView, Predicates,
};
use crate::estimate::{FactorEstimate, JoinEstimate, TableEstimate, factor_estimate};
use crate::instantiate::Grounder;
use crate::scc::{components, csr};

/// Relations with fewer expected atoms are left alone.
const WORTH_ROWS: f64 = 2_000.0;
/// The share of a relation that may be demanded for a restriction to pay.
const SHARE: f64 = 0.5;
/// Where the budget is in danger, relations with more expected atoms than this are restricted
/// whatever the estimate: a demand never costs more than making the instances of the rules it comes
/// from.
const LARGE_ROWS: f64 = 50_000.0;
/// … which is feared where all relations together are expected to have more atoms than this.
const FEARED_ROWS: f64 = 10_000_000.0;

/// A relation that might be restricted.
struct Candidate {
    predicate: PredicateId,
    /// Columns that all uses bind.
    columns: Vec<usize>,
    /// The grounding_only predicate of its demand, once it is made.
    demand: PredicateId,
}

/// Where each restricted predicate stands in the ranking.
type Ranks = Vec<Option<usize>>;

impl Grounder<'_, '_> {
    /// Adds demands to clauses; those of the demands follow at the end.
    pub(crate) fn restrict(&mut self, mut clauses: Vec<Clause>) -> Vec<Clause> {
        let mut candidates = self.candidates(&clauses);
        loop {
            let mut ranks: Ranks = vec![None; self.predicates.all.len()];
            for (rank, candidate) in candidates.iter().enumerate() {
                ranks[candidate.predicate.0 as usize] = Some(rank);
            }
            let before = candidates.len();
            candidates = self.chosen(candidates, &clauses, &ranks);
            if candidates.len() == before {
                break;
            }
        }
        if candidates.is_empty() {
            return clauses;
        }
        let mut ranks: Ranks = vec![None; self.predicates.all.len()];
        for (rank, candidate) in candidates.iter().enumerate() {
            ranks[candidate.predicate.0 as usize] = Some(rank);
        }
        let mut demands = Vec::new();
        for candidate in &candidates {
            for (clause, literal) in uses(candidate.predicate, &clauses) {
                demands.push(self.demand(candidate, clause, literal, &candidates, &ranks));
            }
        }
        for clause in &mut clauses {
            if let Some(rank) = ranks[clause.head.predicate.0 as usize] {
                let within = candidates[rank].atom(&clause.head);
                clause.body.push(Literal::GroundingOnly(within));
            }
        }
        clauses.extend(demands);
        clauses
    }

    /// Large relations that are no keywords, those that others depend on last.
    fn candidates(&mut self, clauses: &[Clause]) -> Vec<Candidate> {
        let mut edges = Vec::new();
        for clause in clauses {
            for literal in &clause.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    edges.push((clause.head.predicate.0, atom.predicate.0));
                }
            }
        }
        let (offsets, targets) = csr(self.predicates.all.len(), &edges);
        let (members, _) = components(&offsets, &targets);
        let mut candidates = Vec::new();
        for id in members.into_iter().rev().map(PredicateId) {
            let predicate = self.predicates.get(id);
            let table = predicate.table;
            let large = self.estimates[table as usize].rows >= WORTH_ROWS;
            if !predicate.is_dynamic() || predicate.is_keyword() || !large {
                continue;
            }
            let name = format!("{}#demand", predicate.name);
            let demand = self.predicates.add(Predicate {
                relation: None,
                name,
                shape: Vec::new(),
                table: self.tables.add(0),
                view: PredicateView::Plain,
                rigid: false,
                grounding_only: true,
            });
            // The columns, and with them the table, are known when the uses have been looked at.
            let estimate = &self.estimates[table as usize];
            let columns: Vec<usize> = (0..estimate.values.len()).collect();
            let estimate = estimate.clone();
            self.estimates.push(estimate);
            candidates.push(Candidate {
                predicate: id,
                columns,
                demand,
            });
        }
        candidates
    }

    /// The candidates for which a restriction pays, with the columns that all uses bind.
    fn chosen(
        &mut self,
        mut candidates: Vec<Candidate>,
        clauses: &[Clause],
        ranks: &Ranks,
    ) -> Vec<Candidate> {
        // Fewer columns in one demand may leave fewer in the next.
        loop {
            let mut changed = false;
            for at in 0..candidates.len() {
                let candidate = &candidates[at];
                let mut columns = candidate.columns.clone();
                for (clause, literal) in uses(candidate.predicate, clauses) {
                    let sideways = sideways(clause, literal, &candidates, ranks, &self.predicates);
                    let bound = bound_by(&sideways);
                    let (Literal::Positive(atom) | Literal::Negative(atom)) = &clause.body[literal]
                    else {
                        continue;
                    };
                    columns.retain(|column| {
                        atom.args[*column]
                            .variable()
                            .is_none_or(|v| bound.contains(&v))
                    });
                }
                if columns.len() < candidate.columns.len() {
                    candidates[at].columns = columns;
                    changed = true;
                }
            }
            for candidate in &candidates {
                let table = self.predicates.get(candidate.demand).table;
                *self.tables.get_mut(table) =
                    crate::tuple_table::TupleTable::new(candidate.columns.len());
                let whole = self.predicates.get(candidate.predicate).table;
                let values = &self.estimates[whole as usize].values;
                let values: Vec<f64> = candidate.columns.iter().map(|c| values[*c]).collect();
                self.estimates[table as usize] = TableEstimate::full(&values);
            }
            if !changed {
                break;
            }
        }
        let mut estimates = Vec::new();
        let dynamic = self.predicates.all.iter().filter(|p| p.is_dynamic());
        let total: f64 = dynamic.map(|p| self.estimates[p.table as usize].rows).sum();
        for candidate in &candidates {
            let mut asked = 0.0f64;
            let mut values = vec![0.0; candidate.columns.len()];
            for (clause, literal) in uses(candidate.predicate, clauses) {
                let sideways = sideways(clause, literal, &candidates, ranks, &self.predicates);
                let factor_estimates: Vec<FactorEstimate> = sideways
                    .iter()
                    .map(|l| factor_estimate(l, &self.predicates, &self.estimates))
                    .collect();
                let size = JoinEstimate::of(factor_estimates.iter());
                if let Literal::Positive(atom) | Literal::Negative(atom) = &clause.body[literal] {
                    let args: Vec<Arg> = candidate.columns.iter().map(|c| atom.args[*c]).collect();
                    asked += size.projected(args.iter().filter_map(|arg| arg.variable()));
                    for (arg, count) in args.iter().zip(&mut values) {
                        *count += arg.variable().map_or(1.0, |v| {
                            size.values.get(&v).copied().unwrap_or(f64::INFINITY)
                        });
                    }
                }
            }
            // Demands of lower rank are part of later estimates.
            let table = self.predicates.get(candidate.demand).table;
            let estimate = &mut self.estimates[table as usize];
            let all = estimate.rows;
            estimate.rows = estimate.rows.min(asked).max(1.0);
            for (count, asked) in estimate.values.iter_mut().zip(values) {
                *count = count.min(asked).max(1.0);
            }
            estimate.rows = estimate.rows.min(estimate.values.iter().product());
            let whole = &self.estimates[self.predicates.get(candidate.predicate).table as usize];
            let all = all.min(whole.rows);
            estimates.push(asked < SHARE * all || total > FEARED_ROWS && whole.rows > LARGE_ROWS);
        }
        let mut keep = estimates.into_iter();
        candidates.retain(|c| keep.next().unwrap_or(false) && !c.columns.is_empty());
        candidates
    }

    /// The clause that says what one use asks about.
    fn demand(
        &self,
        candidate: &Candidate,
        clause: &Clause,
        literal: usize,
        candidates: &[Candidate],
        ranks: &Ranks,
    ) -> Clause {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = &clause.body[literal] else {
            unreachable!("only atoms are used");
        };
        let head = candidate.atom(atom);
        let sideways = sideways(clause, literal, candidates, ranks, &self.predicates);
        // Only what hangs together with the arguments tells anything about them.
        let mut linked: Vec<u32> = head.args.iter().filter_map(|arg| arg.variable()).collect();
        let mut body: Vec<Literal> = Vec::new();
        let mut rest = sideways;
        loop {
            let (near, far): (Vec<Literal>, Vec<Literal>) = rest
                .into_iter()
                .partition(|l| l.variables().iter().any(|v| linked.contains(v)));
            rest = far;
            if near.is_empty() {
                break;
            }
            for literal in &near {
                linked.extend(literal.variables());
            }
            body.extend(near);
        }
        let mut demand = Clause {
            head,
            body,
            variables: clause.variables,
        };
        demand.compact();
        demand
    }
}

impl Candidate {
    /// The demand for an atom of the predicate.
    fn atom(&self, atom: &Atom) -> Atom {
        Apply {
            predicate: self.demand,
            args: self.columns.iter().map(|c| atom.args[*c]).collect(),
        }
    }
}

/// All clauses that use a predicate, with the literal.
fn uses(predicate: PredicateId, clauses: &[Clause]) -> impl Iterator<Item = (&Clause, usize)> {
    clauses.iter().flat_map(move |clause| {
        let literals = clause.body.iter().enumerate();
        let used = literals.filter(move |(_, literal)| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.predicate == predicate,
            _ => false,
        });
        used.map(move |(at, _)| (clause, at))
    })
}

/// What a use may look at: literals of the clause that are not restricted or of lower rank, and the
/// demand of the head. Conditions that stand in the ground program anyway only restrict here; tests
/// are kept where their variables are bound.
fn sideways(
    clause: &Clause,
    literal: usize,
    candidates: &[Candidate],
    ranks: &Ranks,
    predicates: &Predicates,
) -> Vec<Literal> {
    let rank = |at: usize| match &clause.body[at] {
        Literal::Positive(atom) => ranks[atom.predicate.0 as usize].map(|rank| (0, rank, at)),
        Literal::Negative(atom) => ranks[atom.predicate.0 as usize].map(|rank| (1, rank, at)),
        _ => None,
    };
    let own = rank(literal);
    let mut sideways: Vec<Literal> = Vec::new();
    for (at, other) in clause.body.iter().enumerate() {
        match other {
            Literal::Positive(atom) if at != literal && (rank(at).is_none() || rank(at) < own) => {
                sideways.push(if predicates.get(atom.predicate).rigid {
                    other.clone()
                } else {
                    Literal::GroundingOnly(atom.clone())
                });
            }
            Literal::GroundingOnly(_) => sideways.push(other.clone()),
            _ => {}
        }
    }
    if let Some(rank) = ranks[clause.head.predicate.0 as usize] {
        sideways.push(Literal::GroundingOnly(candidates[rank].atom(&clause.head)));
    }
    // Terms that can be taken apart or put together, and tests.
    loop {
        let bound = bound_by(&sideways);
        let is_bound = |arg: &Arg| arg.variable().is_none_or(|v| bound.contains(&v));
        let more = clause.body.iter().find(|other| {
            if sideways.contains(other) {
                return false;
            }
            match other {
                Literal::Compose { whole, parts, .. } => {
                    bound.contains(whole) || parts.iter().all(is_bound)
                }
                Literal::Distinct(left, right) => is_bound(left) && is_bound(right),
                Literal::Constant(v) => bound.contains(v),
                Literal::Negative(atom) => {
                    predicates.get(atom.predicate).rigid && atom.args.iter().all(is_bound)
                }
                _ => false,
            }
        });
        match more {
            Some(more) => sideways.push(more.clone()),
            None => return sideways,
        }
    }
}

/// Variables that literals bind.
fn bound_by(literals: &[Literal]) -> Vec<u32> {
    let mut bound = Vec::new();
    for literal in literals {
        if literal.generator().is_some() || matches!(literal, Literal::Compose { .. }) {
            bound.extend(literal.variables());
        }
    }
    bound
}
