//! The state of a running match: [`MatchState`].

use std::collections::BTreeMap;
use std::time::Instant;

use ludorum_match::{CancellationToken, MatchRecord, MatchStep, Outcome};
use ludorum_players::Report;

/// Memory limit of the fluents of all steps in bytes: thousands of steps of ordinary games.
const MAX_STATE_BYTES: usize = 32 << 20;

/// The state of a running match.
#[derive(Debug)]
pub(super) struct MatchState {
    /// Number of times that moves were taken back.
    pub(super) round: u32,
    /// Cancels the round.
    pub(super) cancel: CancellationToken,
    /// The number of steps to return to when the round has ended.
    pub(super) undo: Option<u32>,
    /// The fluents of the initial state, once known.
    pub(super) initial: Option<Vec<String>>,
    /// Approximate size of the fluents of all steps in bytes.
    pub(super) bytes: usize,
    pub(super) steps: Vec<MatchStep>,
    /// The roles with a choice in each position, where known.
    pub(super) movers: Vec<Option<Vec<usize>>>,
    pub(super) pending: Option<PendingMoves>,
    /// Reports in a step in which other roles may still choose, held back until it ends.
    pub(super) held_reports: Vec<(usize, Report)>,
    /// The best report of each position.
    pub(super) reports: BTreeMap<u32, Report>,
    /// The last position that was published.
    pub(super) announced: Option<u32>,
    pub(super) ending: Option<Ending>,
}

/// The requests for moves of the current step.
#[derive(Debug)]
pub(super) struct PendingMoves {
    pub(super) step: u32,
    /// The legal moves of each role.
    pub(super) legal: Vec<Vec<String>>,
    pub(super) since: Instant,
    pub(super) answered: Vec<bool>,
}

/// How a match ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// With the manager's outcome.
    Played(Outcome),
    /// With an error.
    Broken(String),
}

impl PendingMoves {
    /// The roles with more than one legal move.
    pub(super) fn movers(&self) -> Vec<usize> {
        let roles = self.legal.iter().enumerate();
        let movers = roles.filter(|(_, legal)| legal.len() > 1);
        movers.map(|(role, _)| role).collect()
    }
}

impl MatchState {
    pub(super) fn new(cancel: CancellationToken) -> Self {
        Self {
            round: 0,
            cancel,
            undo: None,
            initial: None,
            bytes: 0,
            steps: Vec::new(),
            movers: Vec::new(),
            pending: None,
            held_reports: Vec::new(),
            reports: BTreeMap::new(),
            announced: None,
            ending: None,
        }
    }

    /// Whether the match is over.
    pub(super) fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    /// Sets the state to the end of a record.
    pub(super) fn go_to(&mut self, record: &MatchRecord) {
        self.initial = Some(record.initial.clone());
        self.steps.clone_from(&record.steps);
        self.bytes = self.steps.iter().map(bytes).sum();
        self.movers.resize(self.steps.len() + 1, None);
        self.pending = None;
        self.held_reports.clear();
        let positions = self.steps.len() as u32;
        self.reports.retain(|step, _| *step < positions);
    }

    /// Appends a step.
    pub(super) fn push(&mut self, step: &MatchStep) {
        self.bytes += bytes(step);
        self.steps.push(step.clone());
    }

    /// Whether the fluents of all steps exceed the memory limit.
    pub(super) fn is_too_large(&self) -> bool {
        self.bytes > MAX_STATE_BYTES
    }

    /// The fluents of a position, if known.
    pub(super) fn facts(&self, step: u32) -> Option<&[String]> {
        match step {
            0 => self.initial.as_deref(),
            _ => self
                .steps
                .get(step as usize - 1)
                .map(|step| &step.state[..]),
        }
    }

    /// The last step in which a role had a choice.
    pub(super) fn last_decision(&self, role: usize) -> Option<u32> {
        let chose = |step: u32| {
            let movers = self.movers.get(step as usize).and_then(Option::as_ref);
            movers.is_some_and(|movers| movers.contains(&role))
        };
        let now = self.pending.as_ref();
        let now = now.filter(|pending| pending.answered[role] && chose(pending.step));
        let now = now.map(|pending| pending.step);
        now.or_else(|| (0..self.steps.len() as u32).rev().find(|step| chose(*step)))
    }

    /// Whether reports could reveal a choice of the current step to another role: several have a
    /// choice.
    pub(super) fn is_secret(&self) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|pending| pending.movers().len() > 1)
    }

    /// Stores a report of a position: values of the report with most simulations, strategies of all
    /// players.
    pub(super) fn keep_report(&mut self, step: u32, role: &str, report: &Report) {
        if report.values.is_empty() {
            return;
        }
        let own = report.strategies.iter().filter(|own| own.role == role);
        let mut strategies: Vec<_> = own.cloned().collect();
        let known = self.reports.entry(step).or_default();
        let others = known.strategies.drain(..);
        strategies.extend(others.filter(|other| other.role != role));
        if known.simulations <= report.simulations {
            known.clone_from(report);
        }
        known.strategies = strategies;
    }
}

/// Approximate size of the fluents of a step in bytes.
fn bytes(step: &MatchStep) -> usize {
    let facts = step.state.iter();
    facts.map(|fact| size_of::<String>() + fact.len()).sum()
}

#[cfg(test)]
mod tests {
    use ludorum_players::StrategyReport;

    use super::*;

    #[test]
    fn strategies_of_all_players_are_kept_without_their_assumptions_about_others() {
        let strategy = |role: &str, share| StrategyReport {
            role: role.to_owned(),
            strategy: "history",
            simulations: 10,
            share,
            value: 50.0,
        };
        let report = |simulations, strategies: Vec<StrategyReport>| Report {
            simulations,
            values: vec![50.0, 50.0],
            strategies,
            ..Report::default()
        };
        let mut state = MatchState::new(CancellationToken::new());
        let first = report(9, vec![strategy("a", 0.1), strategy("b", 0.2)]);
        let second = report(5, vec![strategy("a", 0.3), strategy("b", 0.4)]);
        state.keep_report(3, "a", &first);
        state.keep_report(3, "b", &second);
        let kept = &state.reports[&3];
        assert_eq!(kept.simulations, 9);
        assert_eq!(kept.strategies, [strategy("b", 0.4), strategy("a", 0.1)]);
    }

    fn step(number: u32) -> MatchStep {
        MatchStep {
            number,
            moves: vec!["a".into(), "b".into()],
            state: vec![format!("(step {number})")],
            player_errors: Vec::new(),
            took_ms: Vec::new(),
            at_ms: 0,
        }
    }

    #[test]
    fn huge_states_exceed_the_memory_limit() {
        let mut state = MatchState::new(CancellationToken::new());
        let mut huge = step(0);
        huge.state = vec!["x".repeat(1 << 20); 10];
        for _ in 0..3 {
            state.push(&huge);
            assert!(!state.is_too_large());
        }
        state.push(&huge);
        assert!(state.is_too_large());
        assert!(state.facts(0).is_none(), "nobody has announced it");
        assert!(state.facts(4).is_some() && state.facts(5).is_none());
    }

    #[test]
    fn the_last_decision_is_the_last_step_with_a_choice() {
        let mut state = MatchState::new(CancellationToken::new());
        assert_eq!(state.last_decision(0), None);
        state.steps = (0..3).map(step).collect();
        state.movers = vec![Some(vec![0]), Some(vec![1]), Some(vec![0]), None];
        assert_eq!(state.last_decision(0), Some(2));
        assert_eq!(state.last_decision(1), Some(1));
        // A choice that waits for other roles can be taken back too.
        let legal = vec![vec!["x".to_owned(), "y".to_owned()]; 2];
        state.movers[3] = Some(vec![0, 1]);
        state.pending = Some(PendingMoves {
            step: 3,
            legal,
            since: Instant::now(),
            answered: vec![true, false],
        });
        assert!(state.is_secret());
        assert_eq!(state.last_decision(0), Some(3));
        assert_eq!(state.last_decision(1), Some(1));
    }
}
