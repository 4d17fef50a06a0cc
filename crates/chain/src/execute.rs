//! Runs compiled rules on the knowledge base, semi-naively where they are recursive.

use ludorum_logic::TermId;

use super::budget::{ChainError, JoinStop, WorkClock};
use super::clause::PredicateId;
use super::compiled::CompiledGame;
use super::join::JoinContext;
use super::knowledge_base::KnowledgeBase;
use super::pattern::{self, UNBOUND};
use super::rule_unit::{CompiledRule, JoinRule, RuleUnit};
use super::sparse_instances::CAPACITY;

/// Maximum number of results of one rule without tables in one state.
const MAX_RESULTS: usize = 10_000_000;

/// Number of rows above which duplicates are removed during the join.
const DEDUPLICATE_ROWS: usize = 100_000;

impl CompiledRule {
    /// Runs the rule. For a semi-naive variant, `delta` is the predicate of the first condition and
    /// the list position from which its instances are new. Returns the position up to which they
    /// were read.
    fn run(
        &self,
        knowledge: &mut KnowledgeBase,
        compiled: &CompiledGame,
        clock: &WorkClock,
        delta: Option<(PredicateId, u32)>,
    ) -> Result<u32, ChainError> {
        let count = |knowledge: &KnowledgeBase| {
            delta.map_or(0, |(predicate, _)| knowledge.counts[predicate as usize])
        };
        match self {
            Self::Tables(program) => {
                program.run(knowledge, clock, delta.map_or(0, |(_, from)| from))?;
                Ok(count(knowledge))
            }
            Self::Join(bare) => {
                let to = count(knowledge);
                let delta = delta.map(|(_, from)| from as usize..to as usize);
                bare.run(knowledge, compiled, clock, delta)?;
                Ok(to)
            }
        }
    }
}

impl JoinRule {
    fn run(
        &self,
        knowledge: &mut KnowledgeBase,
        compiled: &CompiledGame,
        clock: &WorkClock,
        delta: Option<std::ops::Range<usize>>,
    ) -> Result<(), ChainError> {
        let schema = &compiled.schema;
        let predicate = schema.predicate(self.predicate);
        let mut found: Vec<u32> = Vec::new();
        let mut values: Vec<TermId> = vec![UNBOUND; self.variables];
        let context = JoinContext {
            rigid: &compiled.rigid,
            terms: &compiled.terms,
            clock,
            dynamic: Some((schema, knowledge)),
            table: None,
        };
        if let Some(place) = predicate.sparse {
            let mut rows: Vec<Vec<TermId>> = Vec::new();
            let mut max_rows = DEDUPLICATE_ROWS;
            let solved = context.solve(&self.steps, delta, &mut values, &mut |values| {
                let cells = self.head.iter();
                let cells = cells.map(|arg| pattern::value(arg, values, &compiled.terms));
                rows.extend(cells.collect::<Option<Vec<TermId>>>());
                if rows.len() > max_rows {
                    rows.sort_unstable();
                    rows.dedup();
                    if rows.len() > CAPACITY as usize {
                        return Err(JoinStop::TooLarge);
                    }
                    // Most rows are distinct: deduplicate again when there are twice as many.
                    max_rows = rows.len() * 2 + DEDUPLICATE_ROWS;
                }
                Ok(())
            });
            solved.or_else(JoinStop::into_result)?;
            for row in rows {
                let id = predicate.base + knowledge.sparse[place].number(&row)?;
                knowledge.add(self.predicate, id);
            }
            return Ok(());
        }
        let solved = context.solve(&self.steps, delta, &mut values, &mut |values| {
            if let Some(id) = schema.id(predicate, &self.head, values, &compiled.terms)
                && !knowledge.has(id)
            {
                found.push(id);
                if found.len() > MAX_RESULTS {
                    return Err(JoinStop::TooLarge);
                }
            }
            Ok(())
        });
        solved.or_else(JoinStop::into_result)?;
        for id in found {
            knowledge.add(self.predicate, id);
        }
        Ok(())
    }
}

impl RuleUnit {
    /// Runs the rules to a fixpoint.
    pub(super) fn run(
        &self,
        knowledge: &mut KnowledgeBase,
        compiled: &CompiledGame,
        clock: &WorkClock,
    ) -> Result<(), ChainError> {
        match self {
            Self::Once(CompiledRule::Tables(program)) => program.run(knowledge, clock, 0)?,
            Self::Once(rule) => {
                rule.run(knowledge, compiled, clock, None)?;
            }
            Self::Loop { once, repeat } => {
                for rule in once {
                    rule.run(knowledge, compiled, clock, None)?;
                }
                let mut done = vec![0u32; repeat.len()];
                loop {
                    let mut any = false;
                    for ((predicate, rule), from) in repeat.iter().zip(&mut done) {
                        if *from < knowledge.counts[*predicate as usize] {
                            any = true;
                            let delta = Some((*predicate, *from));
                            *from = rule.run(knowledge, compiled, clock, delta)?;
                            clock.tick()?;
                        }
                    }
                    if !any {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}
