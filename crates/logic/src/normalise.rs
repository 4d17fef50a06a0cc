//! The normalisation pipeline: from a description to the rules that engines start from.

use ludorum_gdl::{Description, Diagnostic};

use crate::graph::DependencyGraph;
use crate::rules::{Keywords, RelationClass, Rules};
use crate::{lower, prune, restrict, simplify, split_relation, unfold};

impl Rules {
    /// Normalises a description.
    ///
    /// # Errors
    ///
    /// Returns at least one error if the description has no meaning: it has no role, a rule is
    /// unsafe, or the rules are not stratified. [`ludorum_gdl::check()`] reports the same problems
    /// in more detail; the tests here make sure that no engine gets such rules unchecked.
    pub fn new(description: &Description) -> Result<Self, Vec<Diagnostic>> {
        let mut rules = lower::lower(description)?;
        simplify::simplify(&mut rules);
        unfold::unfold(&mut rules);
        simplify::simplify(&mut rules);
        prune::prune(&mut rules);
        rules.index();
        rules.stratify()?;
        rules.restrict_queries();
        rules.roles = rules
            .facts_of(rules.keywords.role)
            .map(|fact| fact.args[0])
            .collect();
        if rules.roles.is_empty() {
            return Err(vec![
                Diagnostic::error("E301", "the sheet has no role")
                    .help("name the players with facts such as `(role white)`"),
            ]);
        }
        Ok(rules)
    }

    /// Stratifies the rules and classifies all relations. Relations are split where that removes a
    /// negation from a cycle (Love et al. 2008, definition of a stratified rule set).
    fn stratify(&mut self) -> Result<(), Vec<Diagnostic>> {
        loop {
            let graph = DependencyGraph::new(self);
            let Some(cycle) = graph.negative_cycle() else {
                graph.classify(self);
                return Ok(());
            };
            if !split_relation::split(self, &cycle.component) {
                return Err(vec![cycle.diagnostic(self)]);
            }
        }
    }

    /// Makes `legal`, `goal` and `terminal` independent of `does`, and `init` and `role`
    /// independent of `true` and `does`: these are unknown when the query is evaluated.
    fn restrict_queries(&mut self) {
        let Keywords { true_, does, .. } = self.keywords;
        let queries = [
            (self.keywords.legal, RelationClass::State),
            (self.keywords.goal, RelationClass::State),
            (self.keywords.terminal, RelationClass::State),
            (self.keywords.init, RelationClass::Rigid),
            (self.keywords.role, RelationClass::Rigid),
        ];
        let mut restricted = false;
        for (query, most) in queries {
            if self.relation(query).class > most {
                let hidden = [does, true_];
                let hidden = &hidden[..if most == RelationClass::State { 1 } else { 2 }];
                restrict::restrict_query(self, query, hidden);
                restricted = true;
            }
        }
        if restricted {
            simplify::simplify(self);
            prune::prune(self);
            self.index();
            DependencyGraph::new(self).classify(self);
        }
    }
}
