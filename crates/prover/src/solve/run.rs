//! Evaluates the rules of a query: conditions in order, with backtracking.

use ludorum_logic::TermId;
use ludorum_logic::rule::RelationId;

use super::{FEW_FLUENTS, Solver, Target, UNSET};
use crate::mask::{Mask, full};
use crate::rule_plan::{Build, Match, Plan, RulePlan, Step};
use ludorum_reasoner::ReasonError;

impl Solver {
    /// Evaluates all rules once. True if no more answers are needed.
    pub(super) fn run_rules(
        &mut self,
        plan: &Plan,
        target: Target,
        from: usize,
    ) -> Result<bool, ReasonError> {
        if target.first_only && self.count(target.query) > 0 {
            return Ok(true);
        }
        for rule in &plan.rules {
            let base = self.frames.len();
            self.frames.resize(base + rule.variables, UNSET);
            let fits = rule
                .head
                .iter()
                .enumerate()
                .all(|(i, matching)| self.matches(matching, self.scratch[from + i], base));
            let enough = fits && self.run(rule, 0, base, target)?;
            self.frames.truncate(base);
            if enough {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Evaluates a rule from its condition number `at` on. True if no more answers are needed.
    fn run(
        &mut self,
        rule: &RulePlan,
        at: usize,
        base: usize,
        target: Target,
    ) -> Result<bool, ReasonError> {
        self.tick()?;
        let Some(step) = rule.steps.get(at) else {
            return Ok(self.conclude(rule, base, target));
        };
        match step {
            Step::Distinct(left, right) => {
                let left = self.build(left, base);
                let right = self.build(right, base);
                if left == right {
                    return Ok(false);
                }
                self.run(rule, at + 1, base, target)
            }
            Step::HasFluent(fluent) => match self.build_known(fluent, base) {
                Some(fluent) if self.view.has(fluent) => self.run(rule, at + 1, base, target),
                _ => Ok(false),
            },
            Step::LacksFluent(fluent) => match self.build_known(fluent, base) {
                Some(fluent) if self.view.has(fluent) => Ok(false),
                _ => self.run(rule, at + 1, base, target),
            },
            Step::Fluents {
                functor,
                arity,
                index,
                bound,
                args,
            } => {
                let few = self.view.group(*functor, *arity).len() <= FEW_FLUENTS;
                if let (Some(index), false) = (index, few) {
                    let from = self.scratch.len();
                    for build in bound {
                        let Some(value) = self.build_known(build, base) else {
                            self.scratch.truncate(from);
                            return Ok(false);
                        };
                        self.scratch.push(value);
                    }
                    let mut next = self.view.first(
                        *index,
                        &self.indexes,
                        &self.scratch[from..],
                        self.vocabulary.terms(),
                    );
                    self.scratch.truncate(from);
                    while let Some(i) = next {
                        let fluent = self.view.group(*functor, *arity)[i as usize];
                        if self.matches_args(args, fluent, base)
                            && self.run(rule, at + 1, base, target)?
                        {
                            return Ok(true);
                        }
                        next = self.view.follow(*index, i);
                    }
                    return Ok(false);
                }
                for i in 0..self.view.group(*functor, *arity).len() {
                    let fluent = self.view.group(*functor, *arity)[i];
                    if self.matches_args(args, fluent, base)
                        && self.run(rule, at + 1, base, target)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Step::EveryFluent(matching) => {
                for i in 0..self.view.fluents.len() {
                    let fluent = self.view.fluents[i];
                    if self.matches(matching, fluent, base)
                        && self.run(rule, at + 1, base, target)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Step::Does(role, action) => {
                for i in 0..self.joint.len() {
                    let (by, what) = self.joint[i];
                    if self.matches(role, by, base)
                        && self.matches(action, what, base)
                        && self.run(rule, at + 1, base, target)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Step::DoesNot(role, action) => {
                let role = self.build_known(role, base);
                let action = self.build_known(action, base);
                if let (Some(role), Some(action)) = (role, action)
                    && self.joint.contains(&(role, action))
                {
                    return Ok(false);
                }
                self.run(rule, at + 1, base, target)
            }
            Step::Call {
                relation,
                mask,
                inputs,
                outputs,
            } => self.run_call(rule, at, base, target, (*relation, *mask, inputs, outputs)),
            Step::Fails { relation, inputs } => {
                if self.holds(*relation, inputs, base)? {
                    return Ok(false);
                }
                self.run(rule, at + 1, base, target)
            }
        }
    }

    fn matches_args(&mut self, args: &[Match], fluent: TermId, base: usize) -> bool {
        (0..args.len()).all(|i| {
            let arg = self.vocabulary.terms().args(fluent)[i];
            self.matches(&args[i], arg, base)
        })
    }

    /// Whether a ground atom is true.
    fn holds(
        &mut self,
        relation: RelationId,
        inputs: &[Build],
        base: usize,
    ) -> Result<bool, ReasonError> {
        let from = self.scratch.len();
        for input in inputs {
            let term = self.build(input, base);
            self.scratch.push(term);
        }
        let holds = if self.facts.is_complete(relation) {
            self.facts.has(relation, &self.scratch[from..])
        } else {
            let query = self.call(relation, full(inputs.len()), from)?;
            self.count(query) > 0
        };
        self.scratch.truncate(from);
        Ok(holds)
    }

    fn run_call(
        &mut self,
        rule: &RulePlan,
        at: usize,
        base: usize,
        target: Target,
        call: (RelationId, Mask, &[Build], &[Match]),
    ) -> Result<bool, ReasonError> {
        let (relation, mask, inputs, outputs) = call;
        if outputs.is_empty() {
            return if self.holds(relation, inputs, base)? {
                self.run(rule, at + 1, base, target)
            } else {
                Ok(false)
            };
        }
        let from = self.scratch.len();
        for input in inputs {
            let term = self.build(input, base);
            self.scratch.push(term);
        }
        let width = outputs.len();
        if self.facts.is_complete(relation) {
            let start = self.scratch.len();
            let bound: &[TermId] = &self.scratch[from..];
            // The answers are pushed on the same stack, so the bound values are copied first.
            let bound = bound.to_vec();
            let count = self
                .facts
                .answers(relation, mask, &bound, &mut self.scratch);
            for row in 0..count {
                let fits = (0..width).all(|i| {
                    self.matches(&outputs[i], self.scratch[start + row * width + i], base)
                });
                if fits && self.run(rule, at + 1, base, target)? {
                    self.scratch.truncate(from);
                    return Ok(true);
                }
            }
            self.scratch.truncate(from);
            return Ok(false);
        }
        let query = self.call(relation, mask, from)?;
        self.scratch.truncate(from);
        // The table may grow while its answers are used. New answers are used in the next round.
        let count = self.count(query);
        for row in 0..count {
            let fits = (0..width).all(|i| {
                let value = self.table(query).cells[row * width + i];
                self.matches(&outputs[i], value, base)
            });
            if fits && self.run(rule, at + 1, base, target)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the answer of a rule whose conditions are all true. True if no more are needed.
    fn conclude(&mut self, rule: &RulePlan, base: usize, target: Target) -> bool {
        let from = self.scratch.len();
        for build in &rule.result {
            let term = self.build(build, base);
            self.scratch.push(term);
        }
        let query = target.query;
        let table = &mut self.layers[query.layer].tables[query.table];
        if table.add(&self.scratch[from..]) {
            self.changed = true;
            self.cells += 1 + rule.result.len();
        }
        self.scratch.truncate(from);
        target.first_only
    }
}
