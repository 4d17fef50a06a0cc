//! Thoughts in words: moves are numbers to a mind, and texts to whoever asks a player.

use std::time::Instant;

use ludorum_reasoner::{MoveId, Reasoner, Role};

use super::board::{Earning, Thought};
use super::report::{MoveReport, Report, StrategyReport, Untold};

/// What is said of a move that is any of the legal ones.
const GUESS: &str = "not a single simulation was made, so this is any legal move";

/// The best moves are told whatever the clock says.
const ALWAYS_TOLD: usize = 8;

/// A thought in words; from the deadline on only of the best moves.
pub(super) fn words<R: Reasoner>(
    reasoner: &mut R,
    role: Role,
    begin: Instant,
    thought: &Thought,
    deadline: Option<Instant>,
) -> Report {
    let is_in_time = |place: usize| {
        place < ALWAYS_TOLD || deadline.is_none_or(|deadline| Instant::now() < deadline)
    };
    let all = thought.moves.iter().enumerate();
    let told = all.take_while(|(place, _)| is_in_time(*place));
    let moves = told.map(|(_, found)| MoveReport {
        text: reasoner.move_text(role, found.id),
        visits: found.visits,
        value: found.value,
        bounds: found.bounds,
        values: found.values.clone(),
        line: line(reasoner, &found.line),
    });
    let moves: Vec<MoveReport> = moves.collect();
    let untold = &thought.moves[moves.len()..];
    let untold = Untold {
        moves: untold.len() as u64,
        visits: untold.iter().map(|found| found.visits).sum(),
    };
    Report {
        simulations: thought.simulations,
        seconds: begin.elapsed().as_secs_f64(),
        depth: thought.depth,
        nodes: thought.nodes,
        bytes: thought.bytes,
        moves,
        untold,
        line: line(reasoner, &thought.line),
        values: thought.values.clone(),
        proven: thought.proven,
        forced: false,
        strategies: strategies(reasoner.roles(), &thought.earnings),
        trouble: thought.is_guess.then(|| GUESS.to_owned()),
    }
}

/// What strategies have earned, with names and shares.
#[allow(clippy::cast_precision_loss)] // counts far below 2^52
fn strategies(roles: &[String], earnings: &[Earning]) -> Vec<StrategyReport> {
    let all = |role| {
        let of_role = earnings.iter().filter(|other| other.role == role);
        of_role.map(|other| other.simulations).sum::<u64>().max(1)
    };
    let reports = earnings.iter().map(|earning| StrategyReport {
        role: roles.get(earning.role).cloned().unwrap_or_default(),
        strategy: earning.strategy,
        simulations: earning.simulations,
        share: earning.simulations as f64 / all(earning.role) as f64,
        value: earning.points / earning.simulations.max(1) as f64,
    });
    reports.collect()
}

/// Joint moves in words.
fn line<R: Reasoner>(reasoner: &mut R, line: &[Vec<MoveId>]) -> Vec<Vec<String>> {
    let joint_moves = line.iter().map(|joint_move| {
        let moves = joint_move.iter().enumerate();
        moves
            .map(|(role, id)| reasoner.move_text(role, *id))
            .collect()
    });
    joint_moves.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use ludorum_logic::Rules;
    use ludorum_prover::Prover;

    use super::*;
    use crate::contract::board::MoveThought;

    #[test]
    fn after_the_deadline_only_the_best_moves_are_named_and_the_others_counted() {
        let sheet = ludorum_games::find("breakthrough").unwrap();
        let rules = Arc::new(Rules::from_text(sheet.text).unwrap());
        let mut prover = Prover::new(rules).unwrap();
        let state = prover.initial().unwrap();
        let mut legal = Vec::new();
        prover.legal_moves(&state, 0, &mut legal).unwrap();
        let moves = legal.iter().enumerate().map(|(i, id)| MoveThought {
            id: *id,
            visits: 100 - i as u64,
            ..MoveThought::default()
        });
        let mut thought = Thought::plain(legal[0]);
        thought.moves = moves.collect();
        let now = Instant::now();
        let all = legal.len();
        assert!(all > ALWAYS_TOLD + 2);

        let in_time = [None, Some(now + Duration::from_hours(1))];
        for deadline in in_time {
            let report = words(&mut prover, 0, now, &thought, deadline);
            assert_eq!(
                (report.moves.len(), report.untold),
                (all, Untold::default())
            );
        }
        let report = words(&mut prover, 0, now, &thought, Some(now));
        assert_eq!(report.moves.len(), ALWAYS_TOLD);
        assert_eq!(report.moves[0].text, prover.move_text(0, legal[0]));
        let visits = |moves: &[MoveThought]| moves.iter().map(|found| found.visits).sum::<u64>();
        let untold = Untold {
            moves: (all - ALWAYS_TOLD) as u64,
            visits: visits(&thought.moves[ALWAYS_TOLD..]),
        };
        assert_eq!((report.untold, report.trouble), (untold, None));

        let guess = words(&mut prover, 0, now, &Thought::guess(legal[0]), None);
        assert_eq!(guess.trouble.as_deref(), Some(GUESS));
    }
}
