//! A typed sequence of joint moves from the initial state.

use std::time::{Duration, Instant};

use ludorum_gdl::ground_term::without_parentheses;
use ludorum_reasoner::{GameWalker, ReasonError};

use super::move_list;
use super::move_matching::{self, MoveMatch};
use crate::outcome::Failure;

/// The most steps in a row without any choice that are made automatically; some rule sheets go on
/// like this for ever.
const MAX_FORCED_STEPS: usize = 1000;
/// The time limit of a query to the engine.
const QUERY_TIMEOUT: Duration = Duration::from_mins(1);

/// Makes the joint moves that were typed and returns them in full, one text for each role.
///
/// A step has the moves of all roles, or of the roles with a choice, separated by `|`. Steps in
/// which no role has a choice may be left out.
pub(crate) fn play_moves(
    walker: &mut dyn GameWalker,
    steps: &[String],
) -> Result<Vec<Vec<String>>, Failure> {
    let mut made: Vec<Vec<String>> = Vec::new();
    let mut rest = steps
        .iter()
        .map(|step| step.trim())
        .filter(|s| !s.is_empty());
    let mut wanted = rest.next();
    let mut forced_steps = 0;
    while let Some(step) = wanted {
        walker.set_deadline(Instant::now().checked_add(QUERY_TIMEOUT));
        let number = made.len() + 1;
        let fault = |error: ReasonError| Failure::input(format!("step {number}: {error}"));
        if walker.is_terminal().map_err(fault)? {
            return Err(Failure::input(format!(
                "the game is over before step {number}, `{step}`"
            )));
        }
        let mut legal = Vec::new();
        for role in 0..walker.roles().len() {
            let mut moves = walker.legal(role).map_err(fault)?;
            if moves.is_empty() {
                let role = &walker.roles()[role];
                return Err(Failure::input(format!(
                    "step {number}: {role} has no legal move"
                )));
            }
            move_list::sort(&mut moves);
            legal.push(moves);
        }
        let is_free = legal.iter().any(|moves| moves.len() > 1);
        let joint_move = match read(&legal, step) {
            Ok(joint_move) => {
                wanted = rest.next();
                forced_steps = 0;
                joint_move
            }
            Err(_) if !is_free && forced_steps < MAX_FORCED_STEPS => {
                forced_steps += 1;
                legal.iter().map(|moves| moves[0].clone()).collect()
            }
            Err(problem) => {
                return Err(Failure::input_with_help(
                    format!("step {number}: {problem}"),
                    help(&walker.roles(), &legal),
                ));
            }
        };
        walker.step(&joint_move).map_err(fault)?;
        made.push(joint_move);
    }
    Ok(made)
}

/// The joint move among legal moves that the text of a step means.
fn read(legal: &[Vec<String>], step: &str) -> Result<Vec<String>, String> {
    let parts: Vec<&str> = step.split('|').map(str::trim).collect();
    let free = legal.iter().filter(|moves| moves.len() > 1).count();
    let all = parts.len() == legal.len();
    if !all && parts.len() != free {
        return Err(if free == legal.len() {
            format!("`{step}` is not one move for each of the {free} roles")
        } else {
            format!(
                "`{step}` is not one move for each of {} roles, nor for the {free} that have a \
                 choice",
                legal.len()
            )
        });
    }
    let mut parts = parts.into_iter();
    let mut joint_move = Vec::with_capacity(legal.len());
    for moves in legal {
        if !all && moves.len() == 1 {
            joint_move.push(moves[0].clone());
            continue;
        }
        let part = parts.next().unwrap_or_default();
        match move_matching::find(moves, part) {
            MoveMatch::One(index) => joint_move.push(moves[index].clone()),
            MoveMatch::Several(found) => {
                return Err(format!("{} legal moves match `{part}`", found.len()));
            }
            MoveMatch::None => return Err(format!("no legal move matches `{part}`")),
        }
    }
    Ok(joint_move)
}

/// Advice for a step that cannot be read: some legal moves of the roles with a choice.
fn help(roles: &[String], legal: &[Vec<String>]) -> String {
    let with_choice = roles.iter().zip(legal).filter(|(_, moves)| moves.len() > 1);
    let with_choice: Vec<String> = with_choice
        .map(|(role, moves)| {
            let some: Vec<&str> = moves
                .iter()
                .take(4)
                .map(|text| without_parentheses(text))
                .collect();
            let more = if moves.len() > 4 { ", ..." } else { "" };
            format!("{role} can {}{more}", some.join(", "))
        })
        .collect();
    if with_choice.is_empty() {
        return "moves are separated by `;`, those of several roles by `|`".to_owned();
    }
    with_choice.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legal(texts: &[&[&str]]) -> Vec<Vec<String>> {
        let moves = |moves: &&[&str]| moves.iter().map(|text| (*text).to_owned()).collect();
        texts.iter().map(moves).collect()
    }

    #[test]
    fn only_roles_with_a_choice_need_a_move() {
        let legal = legal(&[&["(mark 1)", "(mark 2)"], &["noop"]]);
        for step in ["mark 2", "(mark 2) | noop", "2"] {
            assert_eq!(read(&legal, step).unwrap(), ["(mark 2)", "noop"], "{step}");
        }
    }

    #[test]
    fn simultaneous_moves_are_separated_by_bars() {
        let legal = legal(&[&["paper", "rock"], &["paper", "rock"]]);
        assert_eq!(read(&legal, "rock|paper").unwrap(), ["rock", "paper"]);
        assert!(read(&legal, "rock").unwrap_err().contains("each of the 2"));
        assert!(read(&legal, "rock | well").unwrap_err().contains("`well`"));
    }
}
