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
use super::game::OrandGame;
use super::interpreter::Interpreter;
use super::join_facts;
use super::settings::OrandSettings;
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{ReasonError, Rng};

/// Work limit for one rigid relation.
const MAX_WORK_BEFOREHAND: u64 = 1 << 20;

/// Work limit for all rigid relations.
const MAX_WORK_BEFOREHAND_IN_ALL: u64 = 1 << 24;

/// Number of steps of the sample game.
const SAMPLE_STEPS: u32 = 24;

/// Work limit of each query of the sample game.
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
) -> Result<OrandGame<C>, ReasonError> {
    let mut interpreter: Interpreter<C> =
        Interpreter::new(Arc::new(parts.flat), parts.vocabulary, settings);
    interpreter.meter.deadline = deadline;
    complete_rigid(&mut interpreter, rules.roles.len())?;
    let written = interpreter.flat.rules.clone().into();
    if settings.join_facts {
        join_facts::join(&mut interpreter)?;
    }
    let mut game = OrandGame::new(interpreter, rules, written)?;
    sample(&mut game)?;
    game.interpreter.meter.deadline = None;
    Ok(game)
}

/// Proves the rigid relations in dependency order. Those that exceed the work limit keep their
/// rules.
fn complete_rigid<C: Cell>(
    interpreter: &mut Interpreter<C>,
    roles: usize,
) -> Result<(), ReasonError> {
    let mut rigid: Vec<usize> = (0..interpreter.flat.relations.len())
        .filter(|id| {
            let relation = &interpreter.flat.relations[*id];
            relation.kind == RelationKind::Derived && relation.class == RelationClass::Rigid
        })
        .collect();
    rigid.sort_by_key(|id| interpreter.flat.relations[*id].order);
    let mut left = MAX_WORK_BEFOREHAND_IN_ALL;
    let mut terms = interpreter.vocabulary.terms().clone();
    for id in rigid {
        let width = interpreter.flat.relations[id].width;
        let node = interpreter.node(Condition::all(id, width));
        let limit = left.min(MAX_WORK_BEFOREHAND);
        let outcome = interpreter
            .begin(Some(limit))
            .and_then(|()| interpreter.prove_all(node));
        left = left.saturating_sub(interpreter.meter.work);
        match outcome {
            Ok(()) => {
                let results = &interpreter.tables[node].results;
                let (data, len) = (results.data.clone(), results.len);
                interpreter.leaves[id].data = data;
                interpreter.leaves[id].len = len;
                interpreter.statistics.note(id, &interpreter.leaves[id]);
                let relation = &mut Arc::make_mut(&mut interpreter.flat).relations[id];
                relation.kind = RelationKind::Facts;
                relation.component = None;
                if interpreter.vocabulary.terms().len() > terms.len() {
                    terms = interpreter.vocabulary.terms().clone();
                }
            }
            Err(ReasonError::Stopped) => return Err(ReasonError::Stopped),
            Err(_) => {
                interpreter.reset();
                // A relation with unbounded terms leaves many terms that are never used.
                if interpreter.vocabulary.terms().len() > terms.len() {
                    interpreter.forget_nodes();
                    interpreter.vocabulary = Vocabulary::new(terms.clone(), roles);
                }
            }
        }
    }
    interpreter.forget_nodes();
    Ok(())
}

/// Plays a random game and records the sizes of relations.
fn sample<C: Cell>(game: &mut OrandGame<C>) -> Result<(), ReasonError> {
    let mut rng = Rng::new(0);
    game.max_work = Some(MAX_SAMPLE_WORK);
    let outcome = play(game, &mut rng);
    game.max_work = None;
    game.interpreter.reset();
    game.interpreter.forget_nodes();
    game.current = None;
    match outcome {
        Err(ReasonError::Stopped) => Err(ReasonError::Stopped),
        _ => Ok(()),
    }
}

fn play<C: Cell>(game: &mut OrandGame<C>, rng: &mut Rng) -> Result<(), ReasonError> {
    game.load_initial()?;
    for _ in 0..SAMPLE_STEPS {
        for fluent in 0..game.interpreter.flat.fluents.len() {
            let now = game.interpreter.flat.fluents[fluent].now;
            game.interpreter
                .statistics
                .note(now, &game.interpreter.leaves[now]);
        }
        if game.prove_terminal()? || !game.draw(rng)? {
            break;
        }
        let does = game.interpreter.flat.does;
        game.interpreter
            .statistics
            .note(does, &game.interpreter.leaves[does]);
        game.advance()?;
        for node in 0..game.interpreter.nodes.len() {
            let condition = &game.interpreter.nodes[node].condition;
            let whole = condition.free().count() == condition.slots.len();
            let valid = game.interpreter.tables[node].epoch + 1
                >= game.interpreter.epochs[RelationClass::Action as usize];
            if whole && valid {
                let relation = condition.relation;
                game.interpreter
                    .statistics
                    .note(relation, &game.interpreter.tables[node].results);
            }
        }
    }
    Ok(())
}
