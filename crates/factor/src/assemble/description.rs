//! The description of the staged game.

use std::sync::Arc;

use ludorum_gdl::Symbol;
use ludorum_logic::Rules;
use ludorum_logic::rule::Pattern;
use rustc_hash::FxHashMap;

use crate::error::NotApplicable;
use crate::moves::MoveKind;
use crate::staged::{
    ArgumentGroup, ArgumentSource, DeterminedArgument, MoveClass, StageOfRole, StagedGame,
};

use super::Assembler;

impl Assembler<'_> {
    /// Normalises the staged rules and describes them.
    pub(super) fn finish(
        mut self,
        stages: &[(Pattern, Pattern, Vec<usize>)],
        [moved, ending, fail, take, idle]: [&Pattern; 5],
        has_suffix: Vec<bool>,
        remembers_failures: bool,
        known: &FxHashMap<MoveKind, Pattern>,
    ) -> Result<StagedGame, NotApplicable> {
        let mut classes = Vec::new();
        for number in 0..self.classes.len() {
            let count = self.kinds[self.classes[number].kind].prefix.len() as u32;
            let args: Vec<Pattern> = (0..count).map(Pattern::Variable).collect();
            let fluents = self.remembered(number, &args);
            let class = &self.classes[number];
            let kind = &self.kinds[class.kind];
            let terms = &self.program.terms;
            let name = |symbol: Symbol| terms.symbols.name(symbol).to_owned();
            let source = |place: usize| {
                let at = |list: &[usize]| list.iter().position(|p| *p == place);
                if let Some(i) = at(&kind.prefix) {
                    ArgumentSource::Prefix(i)
                } else if let Some(i) = at(&kind.suffix) {
                    ArgumentSource::Suffix(i)
                } else if let Some(i) = kind.determined.iter().position(|d| d.place == place) {
                    ArgumentSource::Determined(i)
                } else {
                    match at(&kind.split).map(|i| &class.constants[i]) {
                        Some(Pattern::Ground(id)) => ArgumentSource::Constant(terms.text(*id)),
                        _ => ArgumentSource::Constant(String::new()),
                    }
                }
            };
            let remembered = fluents.iter().map(|(_, fluent, places)| {
                let functor = match fluent {
                    Pattern::Ground(id) => terms.functor(*id),
                    Pattern::Compound(functor, _) => *functor,
                    Pattern::Variable(_) => kind.kind.functor,
                };
                (
                    name(functor),
                    places.iter().map(|place| source(*place)).collect(),
                )
            });
            let determined = kind.determined.iter().map(|one| DeterminedArgument {
                functor: name(one.functor),
                arguments: one
                    .places
                    .iter()
                    .map(|place| (*place != one.place).then(|| source(*place)))
                    .collect(),
                values: kind
                    .rules
                    .iter()
                    .filter_map(|rule| match rule.head.args[one.place] {
                        Pattern::Ground(id) => Some(terms.text(id)),
                        _ => None,
                    })
                    .collect(),
            });
            let groups = kind.groups.iter().map(|id| ArgumentGroup {
                places: self.groups[*id].places.clone(),
                is_suffix: self.groups[*id].is_suffix,
            });
            classes.push(MoveClass {
                determined: determined.collect(),
                groups: groups.collect(),
                role: kind.kind.role,
                functor: name(kind.kind.functor),
                arguments: (0..kind.kind.arity).map(source).collect(),
                prefix: name(class.prefix),
                suffix: class.suffix.map(name),
                remembered: remembered.collect(),
                tried: name(class.tried),
                known: known.get(&kind.kind).map(|fluent| match fluent {
                    Pattern::Ground(id) => terms.text(*id),
                    _ => String::new(),
                }),
            });
        }
        let text = self.program.text();
        let rules = Rules::from_text(&text).map_err(|problems| NotApplicable::Invalid {
            message: problems
                .first()
                .map(|p| p.message.clone())
                .unwrap_or_default(),
        })?;
        let constant = |pattern: &Pattern| match pattern {
            Pattern::Ground(id) => self.program.terms.text(*id),
            _ => String::new(),
        };
        let turns = self.turns.as_ref().map(|turns| {
            let both = turns.control.iter().zip(&turns.passive);
            both.map(|(control, passive)| {
                (
                    self.program.terms.text(*control),
                    self.program.terms.symbols.name(passive.functor).to_owned(),
                )
            })
            .collect()
        });
        Ok(StagedGame {
            rules: Arc::new(rules),
            stages: stages
                .iter()
                .map(|(draw, test, roles)| StageOfRole {
                    draw: constant(draw),
                    test: constant(test),
                    roles: roles.clone(),
                })
                .collect(),
            moved: constant(moved),
            ending: constant(ending),
            fail: constant(fail),
            take: constant(take),
            idle: constant(idle),
            has_suffix,
            classes,
            remembers_failures,
            assumed: Vec::new(),
            broken: None,
            asks_for_moves: !self.asked.kinds.is_empty(),
            shared: self.is_shared(),
            turns,
            text,
        })
    }
}
