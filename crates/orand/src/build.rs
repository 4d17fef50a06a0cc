//! Builds an interpreter: proves rigid relations once, and plays a short random game to estimate
//! the sizes of relations for condition ordering.

use std::sync::Arc;
use std::time::Instant;

use ludorum_logic::{RelationClass, Rules};

use super::and_plan::PlanHost as _;
use super::cell::Cell;
use super::customise::Condition;
use super::flat::RelationKind;
use super::flatten::flatten;
use super::game::Game;
use super::interpreter::Interpreter;
use super::join_facts;
use super::settings::OrandSettings;
use ludorum_reasoner::contract::ReasonError;
use ludorum_reasoner::dice::Dice;
use ludorum_reasoner::vocabulary::Vocabulary;

/// Work limit for one rigid relation; `MAX_WORK_BEFOREHAND_IN_ALL` is the limit for all of them.
const MAX_WORK_BEFOREHAND: u64 = 1 << 20;
const MAX_WORK_BEFOREHAND_IN_ALL: u64 = 1 << 24;
/// Number of steps of the sample game; `MAX_SAMPLE_WORK` is the work limit of its queries.
const SAMPLE_STEPS: u32 = 24;
const MAX_SAMPLE_WORK: u64 = 1 << 21;

/// Data made from the rules before the symbol width is chosen.
pub(super) struct BuildParts {
    pub(super) flat: super::flat::FlatRules,
    pub(super) vocabulary: Vocabulary,
    /// Whether symbols need more than 16 bits.
    pub(super) wide: bool,
}

pub(super) fn parts(rules: &Rules, forks: bool) -> BuildParts {
    let mut terms = rules.terms.clone();
    let flat = flatten(rules, &mut terms, forks);
    // Symbols are ids of constants, which all exist by now, unless whole terms are symbols.
    let wide = flat.shapes.any_closed() || terms.len() >= u16::MAX as usize - 1;
    let vocabulary = Vocabulary::new(terms, rules.roles.len());
    BuildParts {
        flat,
        vocabulary,
        wide,
    }
}

pub(super) fn game<C: Cell>(
    rules: &Rules,
    parts: BuildParts,
    settings: OrandSettings,
    deadline: Option<Instant>,
) -> Result<Game<C>, ReasonError> {
    let mut machine: Interpreter<C> =
        Interpreter::new(Arc::new(parts.flat), parts.vocabulary, settings);
    machine.meter.deadline = deadline;
    complete_rigid(&mut machine, rules.roles.len())?;
    let written = machine.flat.rules.clone().into();
    if settings.join_facts {
        join_facts::join(&mut machine)?;
    }
    let mut game = Game::new(machine, rules, written)?;
    sample(&mut game)?;
    game.machine.meter.deadline = None;
    Ok(game)
}

/// Proves the rigid relations in dependency order. Those that exceed the work limit keep their
/// rules.
fn complete_rigid<C: Cell>(machine: &mut Interpreter<C>, roles: usize) -> Result<(), ReasonError> {
    let mut rigid: Vec<usize> = (0..machine.flat.relations.len())
        .filter(|id| {
            let relation = &machine.flat.relations[*id];
            relation.kind == RelationKind::Derived && relation.class == RelationClass::Rigid
        })
        .collect();
    rigid.sort_by_key(|id| machine.flat.relations[*id].order);
    let mut left = MAX_WORK_BEFOREHAND_IN_ALL;
    let mut terms = machine.vocabulary.terms().clone();
    for id in rigid {
        let width = machine.flat.relations[id].width;
        let node = machine.node(Condition::all(id, width));
        let limit = left.min(MAX_WORK_BEFOREHAND);
        let outcome = machine
            .begin(Some(limit))
            .and_then(|()| machine.prove_all(node));
        left = left.saturating_sub(machine.meter.work);
        match outcome {
            Ok(()) => {
                let results = &machine.tables[node].results;
                let (data, len) = (results.data.clone(), results.len);
                machine.leaves[id].data = data;
                machine.leaves[id].len = len;
                machine.statistics.note(id, &machine.leaves[id]);
                let relation = &mut Arc::make_mut(&mut machine.flat).relations[id];
                relation.kind = RelationKind::Facts;
                relation.component = None;
                if machine.vocabulary.terms().len() > terms.len() {
                    terms = machine.vocabulary.terms().clone();
                }
            }
            Err(ReasonError::Late) => return Err(ReasonError::Late),
            Err(_) => {
                machine.reset();
                // A relation with unbounded terms leaves many terms that are never used.
                if machine.vocabulary.terms().len() > terms.len() {
                    machine.forget_nodes();
                    machine.vocabulary = Vocabulary::new(terms.clone(), roles);
                }
            }
        }
    }
    machine.forget_nodes();
    Ok(())
}

/// Plays a random game and records the sizes of relations.
fn sample<C: Cell>(game: &mut Game<C>) -> Result<(), ReasonError> {
    let mut dice = Dice::new(0);
    game.max_work = Some(MAX_SAMPLE_WORK);
    let outcome = play(game, &mut dice);
    game.max_work = None;
    game.machine.reset();
    game.machine.forget_nodes();
    game.current = None;
    match outcome {
        Err(ReasonError::Late) => Err(ReasonError::Late),
        _ => Ok(()),
    }
}

fn play<C: Cell>(game: &mut Game<C>, dice: &mut Dice) -> Result<(), ReasonError> {
    game.go_to_initial()?;
    for _ in 0..SAMPLE_STEPS {
        for fluent in 0..game.machine.flat.fluents.len() {
            let now = game.machine.flat.fluents[fluent].now;
            game.machine.statistics.note(now, &game.machine.leaves[now]);
        }
        if game.prove_terminal()? || !game.draw(dice)? {
            break;
        }
        let does = game.machine.flat.does;
        game.machine
            .statistics
            .note(does, &game.machine.leaves[does]);
        game.advance()?;
        for node in 0..game.machine.nodes.len() {
            let condition = &game.machine.nodes[node].condition;
            let whole = condition.free().count() == condition.slots.len();
            let valid = game.machine.tables[node].epoch + 1
                >= game.machine.epochs[RelationClass::Action as usize];
            if whole && valid {
                let relation = condition.relation;
                game.machine
                    .statistics
                    .note(relation, &game.machine.tables[node].results);
            }
        }
    }
    Ok(())
}
