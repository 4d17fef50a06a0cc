//! Magic sets (Bancilhon et al. 1986): restricts relations to the atoms that are demanded.
//!
//! Some rules define a relation for all values of an argument while its uses need only a few:
//! `(count ?x ?y ?z)` over all triples of cells for the three corners, `(threatened ?x ?y ?u ?v)`
//! over all pairs of cells for the moves that exist. Where the estimate favours it, such a relation
//! gets a demand predicate: a grounding-only predicate that collects the bound arguments of all
//! uses, and to which the rules of the relation are restricted. Negated uses count like positive
//! ones.
//!
//! Bindings are passed sideways: the demand of a use is derived from the other positive literals of
//! the rule and from the demand of its head. The demands of two restricted relations must not
//! depend on each other. Restricted relations are therefore ranked, and a demand only uses literals
//! of lower rank.

use crate::clause::{
    Apply, Arg, Atom, Clause, Literal, Predicate, PredicateId, PredicateView, Predicates,
};
use crate::estimate::{FactorEstimate, JoinEstimate, TableEstimate, factor_estimate};
use crate::instantiate::Grounder;
use crate::scc::{components, csr};

/// Minimum estimated rows of a relation for a restriction to be considered.
const MIN_ROWS: f64 = 2_000.0;
/// Maximum share of a relation that may be demanded for a restriction to pay.
const MAX_SHARE: f64 = 0.5;
/// Relations with more estimated rows are restricted whatever the share, where the instance limit
/// is in danger. A demand never has more instances than the rules it is derived from.
const LARGE_ROWS: f64 = 50_000.0;
/// The instance limit counts as in danger above this estimated total of atoms.
const DANGER_TOTAL: f64 = 10_000_000.0;

/// A relation that may be restricted.
struct Candidate {
    predicate: PredicateId,
    /// Columns bound at all uses.
    columns: Vec<usize>,
    /// The demand predicate.
    demand: PredicateId,
}

/// The rank of each restricted predicate.
type Ranks = Vec<Option<usize>>;

impl Grounder<'_, '_> {
    /// Restricts clauses to demanded atoms. The clauses that derive the demands are appended.
    pub(crate) fn restrict(&mut self, mut clauses: Vec<Clause>) -> Vec<Clause> {
        let mut candidates = self.candidates(&clauses);
        loop {
            let mut ranks: Ranks = vec![None; self.predicates.all.len()];
            for (rank, candidate) in candidates.iter().enumerate() {
                ranks[candidate.predicate.0 as usize] = Some(rank);
            }
            let before = candidates.len();
            candidates = self.select(candidates, &clauses, &ranks);
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

    /// Large relations that are not keywords, dependents before dependencies.
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
            let large = self.estimates[table as usize].rows >= MIN_ROWS;
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
            // A preliminary estimate: columns and table are settled when the uses are analysed.
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

    /// Keeps the candidates for which a restriction pays, with the columns that all uses bind.
    fn select(
        &mut self,
        mut candidates: Vec<Candidate>,
        clauses: &[Clause],
        ranks: &Ranks,
    ) -> Vec<Candidate> {
        // Removing a column from one demand may unbind columns of the next: iterate to a fixpoint.
        loop {
            let mut changed = false;
            for at in 0..candidates.len() {
                let candidate = &candidates[at];
                let mut columns = candidate.columns.clone();
                for (clause, literal) in uses(candidate.predicate, clauses) {
                    let sideways =
                        sideways_literals(clause, literal, &candidates, ranks, &self.predicates);
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
            let mut demanded = 0.0f64;
            let mut values = vec![0.0; candidate.columns.len()];
            for (clause, literal) in uses(candidate.predicate, clauses) {
                let sideways =
                    sideways_literals(clause, literal, &candidates, ranks, &self.predicates);
                let factor_estimates: Vec<FactorEstimate> = sideways
                    .iter()
                    .map(|l| factor_estimate(l, &self.predicates, &self.estimates))
                    .collect();
                let size = JoinEstimate::of(factor_estimates.iter());
                if let Literal::Positive(atom) | Literal::Negative(atom) = &clause.body[literal] {
                    let args: Vec<Arg> = candidate.columns.iter().map(|c| atom.args[*c]).collect();
                    demanded += size.projected(args.iter().filter_map(|arg| arg.variable()));
                    for (arg, count) in args.iter().zip(&mut values) {
                        *count += arg.variable().map_or(1.0, |v| {
                            size.values.get(&v).copied().unwrap_or(f64::INFINITY)
                        });
                    }
                }
            }
            // Later estimates use the demands of lower rank.
            let table = self.predicates.get(candidate.demand).table;
            let estimate = &mut self.estimates[table as usize];
            let all = estimate.rows;
            estimate.rows = estimate.rows.min(demanded).max(1.0);
            for (count, demanded) in estimate.values.iter_mut().zip(values) {
                *count = count.min(demanded).max(1.0);
            }
            estimate.rows = estimate.rows.min(estimate.values.iter().product());
            let whole = &self.estimates[self.predicates.get(candidate.predicate).table as usize];
            let all = all.min(whole.rows);
            estimates.push(
                demanded < MAX_SHARE * all || total > DANGER_TOTAL && whole.rows > LARGE_ROWS,
            );
        }
        let mut keep = estimates.into_iter();
        candidates.retain(|c| keep.next().unwrap_or(false) && !c.columns.is_empty());
        candidates
    }

    /// The clause that derives the demand of one use.
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
        let sideways = sideways_literals(clause, literal, candidates, ranks, &self.predicates);
        // Keep only literals connected to the arguments; others do not restrict them.
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
    /// The demand atom for an atom of the predicate.
    fn atom(&self, atom: &Atom) -> Atom {
        Apply {
            predicate: self.demand,
            args: self.columns.iter().map(|c| atom.args[*c]).collect(),
        }
    }
}

/// All uses of a predicate: clause and body position.
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

/// The literals from which a use takes its bindings (sideways information passing).
///
/// These are literals of the clause that are unrestricted or of lower rank, and the demand of the
/// head. Dynamic literals become grounding-only here. Tests are included where their variables are
/// bound.
fn sideways_literals(
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
    // Add compositions whose inputs are bound, and tests.
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

/// The variables bound by some literals.
fn bound_by(literals: &[Literal]) -> Vec<u32> {
    let mut bound = Vec::new();
    for literal in literals {
        if literal.generator().is_some() || matches!(literal, Literal::Compose { .. }) {
            bound.extend(literal.variables());
        }
    }
    bound
}
