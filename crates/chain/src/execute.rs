//! Runs compiled rules on the knowledge base, semi-naively where they are recursive.

use ludorum_logic::TermId;

use super::budget::{ChainError, Clock, Halt};
use super::clause::PredicateId;
use super::compiled::Compiled;
use super::join::World;
use super::knowledge::Knowledge;
use super::pattern::{self, FREE};
use super::sparse::CAPACITY;
use super::unit::{Bare, Routine, Unit};

/// The most results of a rule without tables in one state.
const MAX_FOUND: usize = 10_000_000;

/// From so many rows on, rows that come more than once are thrown away.
const MANY: usize = 100_000;

impl Routine {
    /// Runs the rule on what is in the list of its first condition `from` a place on; gives the
    /// place up to which that was done.
    fn run(
        &self,
        knowledge: &mut Knowledge,
        compiled: &Compiled,
        clock: &Clock,
        news: Option<(PredicateId, u32)>,
    ) -> Result<u32, ChainError> {
        let count = |knowledge: &Knowledge| {
            news.map_or(0, |(predicate, _)| knowledge.counts[predicate as usize])
        };
        match self {
            Self::Tables(program) => {
                program.run(knowledge, clock, news.map_or(0, |(_, from)| from))?;
                Ok(count(knowledge))
            }
            Self::Bare(bare) => {
                let to = count(knowledge);
                let news = news.map(|(_, from)| from as usize..to as usize);
                bare.run(knowledge, compiled, clock, news)?;
                Ok(to)
            }
        }
    }
}

impl Bare {
    fn run(
        &self,
        knowledge: &mut Knowledge,
        compiled: &Compiled,
        clock: &Clock,
        news: Option<std::ops::Range<usize>>,
    ) -> Result<(), ChainError> {
        let schema = &compiled.schema;
        let predicate = schema.predicate(self.predicate);
        let mut found: Vec<u32> = Vec::new();
        let mut values: Vec<TermId> = vec![FREE; self.variables];
        let world = World {
            rigid: &compiled.rigid,
            terms: &compiled.terms,
            clock,
            dynamic: Some((schema, knowledge)),
            table: None,
        };
        if let Some(place) = predicate.sparse {
            let mut rows: Vec<Vec<TermId>> = Vec::new();
            let mut most = MANY;
            let solved = world.solve(&self.steps, news, &mut values, &mut |values| {
                let cells = self.head.iter();
                let cells = cells.map(|arg| pattern::value(arg, values, &compiled.terms));
                rows.extend(cells.collect::<Option<Vec<TermId>>>());
                if rows.len() > most {
                    rows.sort_unstable();
                    rows.dedup();
                    if rows.len() > CAPACITY as usize {
                        return Err(Halt::TooLarge);
                    }
                    // Most are different: the next look comes when there are twice as many.
                    most = rows.len() * 2 + MANY;
                }
                Ok(())
            });
            solved.or_else(Halt::stop)?;
            for row in rows {
                let id = predicate.base + knowledge.sparse[place].number(&row)?;
                knowledge.add(self.predicate, id);
            }
            return Ok(());
        }
        let solved = world.solve(&self.steps, news, &mut values, &mut |values| {
            if let Some(id) = schema.id(predicate, &self.head, values, &compiled.terms)
                && !knowledge.has(id)
            {
                found.push(id);
                if found.len() > MAX_FOUND {
                    return Err(Halt::TooLarge);
                }
            }
            Ok(())
        });
        solved.or_else(Halt::stop)?;
        for id in found {
            knowledge.add(self.predicate, id);
        }
        Ok(())
    }
}

impl Unit {
    /// Runs the rules until there is nothing new.
    pub(super) fn run(
        &self,
        knowledge: &mut Knowledge,
        compiled: &Compiled,
        clock: &Clock,
    ) -> Result<(), ChainError> {
        match self {
            Self::Once(Routine::Tables(program)) => program.run(knowledge, clock, 0)?,
            Self::Once(routine) => {
                routine.run(knowledge, compiled, clock, None)?;
            }
            Self::Loop { once, repeat } => {
                for routine in once {
                    routine.run(knowledge, compiled, clock, None)?;
                }
                let mut done = vec![0u32; repeat.len()];
                loop {
                    let mut any = false;
                    for ((predicate, routine), from) in repeat.iter().zip(&mut done) {
                        if *from < knowledge.counts[*predicate as usize] {
                            any = true;
                            let news = Some((*predicate, *from));
                            *from = routine.run(knowledge, compiled, clock, news)?;
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
