//! What the tests of staged games share.

use std::path::PathBuf;
use std::sync::Arc;

use ludorum_engines::{AnyReasoner, Engine};
use ludorum_factor::{FluentPattern, StageOptions};
use ludorum_lanes::{Backend, StagedError, StagedLanes, StagedState};
use ludorum_logic::Rules;
use ludorum_propnet::CompileLimits;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng, StateSummary};

pub(crate) fn rules(text: &str) -> Arc<Rules> {
    Arc::new(Rules::from_text(text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}")))
}

pub(crate) fn shipped(name: &str) -> Arc<Rules> {
    rules(ludorum_games::find(name).expect("a shipped game").text)
}

/// The sheet of a game of the shared collection; `None` where the collection is missing.
pub(crate) fn shared(name: &str) -> Option<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    std::fs::read_to_string(root.join(format!("{name}.kif"))).ok()
}

pub(crate) fn staged(rules: &Arc<Rules>) -> Result<StagedLanes, StagedError> {
    StagedLanes::new(rules, &CompileLimits::default(), Backend::Best)
}

/// A staged game without native code, which small games do not need.
pub(crate) fn interpreted(
    rules: &Arc<Rules>,
    options: StageOptions,
) -> Result<StagedLanes, StagedError> {
    let limits = CompileLimits::default();
    StagedLanes::with_options(rules, &limits, Backend::Interpreter, options)
}

/// Whether not exactly one of the given facts matches each pattern of an assumption.
pub(crate) fn violates(facts: &[String], assumed: &[FluentPattern]) -> bool {
    let matches = |fact: &str, pattern: &FluentPattern| {
        let words: Vec<&str> = fact.trim_matches(['(', ')']).split(' ').collect();
        words[0] == pattern.functor
            && words.len() == pattern.arguments.len() + 1
            && pattern
                .arguments
                .iter()
                .zip(&words[1..])
                .all(|(wanted, word)| wanted.as_ref().is_none_or(|wanted| wanted == word))
    };
    assumed.iter().any(|pattern| {
        let count = facts.iter().filter(|fact| matches(fact, pattern)).count();
        count != 1
    })
}

/// Compares a staged game with the prover over some random playouts. Returns the number of states
/// compared.
pub(crate) fn compare(
    rules: &Arc<Rules>,
    staged: &mut StagedLanes,
    seed: u64,
    playouts: u32,
    limit: u32,
) -> Result<u32, String> {
    let mut prover = Engine::PROVER.build(rules).expect("the prover");
    compare_with(&mut prover, staged, seed, playouts, limit)
}

/// The same with another engine.
pub(crate) fn compare_with(
    other: &mut AnyReasoner,
    staged: &mut StagedLanes,
    seed: u64,
    playouts: u32,
    limit: u32,
) -> Result<u32, String> {
    let mut rng = Rng::new(seed);
    let mut compared = 0;
    for _ in 0..playouts {
        let mut state = other.initial().map_err(|e| e.to_string())?;
        let mut own = staged.initial().map_err(|e| e.to_string())?;
        for _ in 0..limit {
            let facts = other.facts(&state);
            same("facts", &facts, &staged.facts(&own))?;
            let at = |what: &str| format!("{what} in state {}", facts.join(" "));
            let right = other.summaries(std::slice::from_ref(&state));
            let right = right.map_err(|e| e.to_string())?.remove(0);
            let found = match staged.summaries(std::slice::from_ref(&own)) {
                Ok(mut found) => found.remove(0),
                Err(ReasonError::Unsupported(text)) if text.contains("assumed") => {
                    if violates(&facts, &staged.staged_game().assumed.clone()) {
                        break;
                    }
                    return Err(at("refusal without reason"));
                }
                Err(error) => return Err(at(&error.to_string())),
            };
            same(&at("terminal"), &right.terminal, &found.terminal)?;
            same(&at("goals"), &right.goals, &found.goals)?;
            let unknown = found.terminal && violates(&facts, &staged.staged_game().assumed.clone());
            let mut joint: (Vec<MoveId>, Vec<MoveId>) = (Vec::new(), Vec::new());
            for role in 0..right.legal.len() {
                let texts = |reasoner: &mut dyn FnMut(MoveId) -> String, moves: &[MoveId]| {
                    let mut texts: Vec<String> = moves.iter().map(|id| reasoner(*id)).collect();
                    texts.sort();
                    texts
                };
                let wanted = texts(&mut |id| other.move_text(role, id), &right.legal[role]);
                if !unknown {
                    let got = texts(&mut |id| staged.move_text(role, id), &found.legal[role]);
                    same(&at(&format!("legal {role}")), &wanted, &got)?;
                }
                if !wanted.is_empty() {
                    let text = &wanted[rng.below(wanted.len())];
                    let first = other.find_move(role, text);
                    let second = staged.find_move(role, text);
                    joint.0.push(first.ok_or("a move of the other engine")?);
                    joint.1.push(second.ok_or_else(|| at("no such move"))?);
                }
            }
            compared += 1;
            if right.terminal || joint.0.len() < right.legal.len() {
                break;
            }
            state = other.next(&state, &joint.0).map_err(|e| e.to_string())?;
            own = staged
                .next(&own, &joint.1)
                .map_err(|e| at(&e.to_string()))?;
            // States may come from elsewhere.
            let text = staged.facts(&own);
            let again = staged.state_from_facts(&text).map_err(|e| e.to_string())?;
            if again != own {
                return Err(at("the successor differs from its facts"));
            }
        }
    }
    Ok(compared)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, right: &T, found: &T) -> Result<(), String> {
    if right == found {
        return Ok(());
    }
    Err(format!("{what}: {right:?} is right, staged says {found:?}"))
}

/// The summary of a state.
pub(crate) fn summary(
    staged: &mut StagedLanes,
    state: &StagedState,
) -> Result<StateSummary, ReasonError> {
    Ok(staged.summaries(std::slice::from_ref(state))?.remove(0))
}

/// All joint moves of a state; `None` if there are more than `limit`.
pub(crate) fn joint_moves(legal: &[Vec<MoveId>], limit: usize) -> Option<Vec<Vec<MoveId>>> {
    let count = legal
        .iter()
        .try_fold(1usize, |n, moves| n.checked_mul(moves.len()))?;
    if count > limit {
        return None;
    }
    let mut joints: Vec<Vec<MoveId>> = vec![Vec::new()];
    for moves in legal {
        joints = joints
            .iter()
            .flat_map(|joint| {
                moves.iter().map(move |id| {
                    let mut joint = joint.clone();
                    joint.push(*id);
                    joint
                })
            })
            .collect();
    }
    Some(joints)
}
