//! Reports from search results: move ids become text.

use std::time::Instant;

use ludorum_reasoner::{MoveId, Reasoner, Role};

use crate::report::{MoveReport, OmittedMoves, Report, StrategyReport};
use crate::search_result::{SearchResult, StrategyResult};

/// The problem reported with a legal move that was chosen without a search.
const GUESS: &str = "not a single simulation was made, so this is any legal move";

/// How many of the best moves are printed even after the deadline.
const MIN_MOVES: usize = 8;

/// The report of a search result. After the deadline only the best moves are printed.
pub(crate) fn report<R: Reasoner>(
    reasoner: &mut R,
    role: Role,
    started: Instant,
    result: &SearchResult,
    deadline: Option<Instant>,
) -> Report {
    let is_in_time = |index: usize| {
        index < MIN_MOVES || deadline.is_none_or(|deadline| Instant::now() < deadline)
    };
    let all = result.moves.iter().enumerate();
    let printed = all.take_while(|(index, _)| is_in_time(*index));
    let moves = printed.map(|(_, found)| MoveReport {
        text: reasoner.move_text(role, found.id),
        visits: found.visits,
        value: found.value,
        bounds: found.bounds,
        values: found.values.clone(),
        line: line(reasoner, &found.line),
    });
    let moves: Vec<MoveReport> = moves.collect();
    let omitted = &result.moves[moves.len()..];
    let omitted = OmittedMoves {
        moves: omitted.len() as u64,
        visits: omitted.iter().map(|found| found.visits).sum(),
    };
    Report {
        simulations: result.simulations,
        seconds: started.elapsed().as_secs_f64(),
        depth: result.depth,
        nodes: result.nodes,
        bytes: result.bytes,
        moves,
        omitted,
        line: line(reasoner, &result.line),
        values: result.values.clone(),
        proven: result.proven,
        forced: false,
        strategies: strategies(reasoner.roles(), &result.strategies),
        trouble: result.is_guess.then(|| GUESS.to_owned()),
    }
}

/// The statistics of strategies, with role names, shares and means.
#[allow(clippy::cast_precision_loss)] // counts far below 2^52
fn strategies(roles: &[String], results: &[StrategyResult]) -> Vec<StrategyReport> {
    let total = |role| {
        let of_role = results.iter().filter(|other| other.role == role);
        of_role.map(|other| other.simulations).sum::<u64>().max(1)
    };
    let reports = results.iter().map(|result| StrategyReport {
        role: roles.get(result.role).cloned().unwrap_or_default(),
        strategy: result.strategy,
        simulations: result.simulations,
        share: result.simulations as f64 / total(result.role) as f64,
        value: result.points / result.simulations.max(1) as f64,
    });
    reports.collect()
}

/// Joint moves as text.
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
    use crate::search_result::MoveResult;

    #[test]
    fn after_the_deadline_only_the_best_moves_are_printed_and_the_others_are_counted() {
        let sheet = ludorum_games::find("breakthrough").unwrap();
        let rules = Arc::new(Rules::from_text(sheet.text).unwrap());
        let mut prover = Prover::new(rules).unwrap();
        let state = prover.initial().unwrap();
        let mut legal = Vec::new();
        prover.legal_moves(&state, 0, &mut legal).unwrap();
        let moves = legal.iter().enumerate().map(|(i, id)| MoveResult {
            id: *id,
            visits: 100 - i as u64,
            ..MoveResult::default()
        });
        let mut result = SearchResult::of_move(legal[0]);
        result.moves = moves.collect();
        let now = Instant::now();
        let all = legal.len();
        assert!(all > MIN_MOVES + 2);

        let in_time = [None, Some(now + Duration::from_hours(1))];
        for deadline in in_time {
            let found = report(&mut prover, 0, now, &result, deadline);
            assert_eq!(
                (found.moves.len(), found.omitted),
                (all, OmittedMoves::default())
            );
        }
        let found = report(&mut prover, 0, now, &result, Some(now));
        assert_eq!(found.moves.len(), MIN_MOVES);
        assert_eq!(found.moves[0].text, prover.move_text(0, legal[0]));
        let visits = |moves: &[MoveResult]| moves.iter().map(|found| found.visits).sum::<u64>();
        let omitted = OmittedMoves {
            moves: (all - MIN_MOVES) as u64,
            visits: visits(&result.moves[MIN_MOVES..]),
        };
        assert_eq!((found.omitted, found.trouble), (omitted, None));

        let guess = report(&mut prover, 0, now, &SearchResult::guess(legal[0]), None);
        assert_eq!(guess.trouble.as_deref(), Some(GUESS));
    }
}
