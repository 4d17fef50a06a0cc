//! Tests of custom players, observers and openings.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use ludorum_players::{Report, ReportObserver};

use super::tests::{block_on, setup, tic_tac_toe};
use super::*;
use crate::move_source::{CustomPlayer, MoveRequest, MoveSource};
use crate::record::PlayerErrorKind;
use crate::setup::Participant;

/// Plays a fixed move and resigns at some step.
#[derive(Default)]
struct ScriptedPlayer {
    /// The answer; none never answers.
    answer: Option<&'static str>,
    resigns_at: Option<u32>,
    requests: Mutex<Vec<MoveRequest>>,
    gives_up: CancellationToken,
}

impl MoveSource for ScriptedPlayer {
    fn play(&self, request: MoveRequest) -> BoxFuture<'_, String> {
        if self.resigns_at == Some(request.step) {
            self.gives_up.cancel();
        }
        let only = request.legal.len() == 1;
        let first = request.legal.first().cloned();
        self.requests.lock().unwrap().push(request);
        match self.answer {
            Some(answer) if !only => std::future::ready(answer.to_owned()).boxed(),
            _ if only => std::future::ready(first.unwrap_or_default()).boxed(),
            _ => pending().boxed(),
        }
    }

    fn resignation(&self) -> BoxFuture<'_, ()> {
        self.gives_up.cancelled().boxed()
    }
}

fn guest(scripted: ScriptedPlayer, is_timed: bool) -> (Arc<ScriptedPlayer>, Participant) {
    let scripted = Arc::new(scripted);
    let guest = CustomPlayer {
        name: "somebody".to_owned(),
        is_timed,
        source: scripted.clone(),
    };
    (scripted, Participant::Custom(guest))
}

fn play(setup: &MatchSetup, played: Option<MatchRecord>) -> MatchRecord {
    let cancel = CancellationToken::new();
    block_on(run_match(setup, played, &mut (), &mut (), cancel)).unwrap()
}

#[test]
fn a_custom_player_is_sent_its_legal_moves_and_held_to_them() {
    let (scripted, participant) = guest(
        ScriptedPlayer {
            answer: Some("go"),
            ..ScriptedPlayer::default()
        },
        false,
    );
    let mut setup = setup(["legal", "legal"]);
    setup.participants[0] = participant;
    let record = play(&setup, None);
    assert_eq!(record.players, ["somebody", "legal"]);
    assert_eq!(record.outcome.unwrap().goals, [Some(100), Some(50)]);
    let requests = scripted.requests.lock().unwrap();
    let steps: Vec<u32> = requests.iter().map(|request| request.step).collect();
    assert_eq!(steps, [0, 1, 2]);
    assert_eq!(requests[0].legal, ["(step twice)", "go", "wait"]);
    let (_, cheat) = guest(
        ScriptedPlayer {
            answer: Some("cheat"),
            ..ScriptedPlayer::default()
        },
        false,
    );
    setup.participants = vec!["legal".parse().unwrap(), cheat];
    setup.max_steps = 2;
    let record = play(&setup, None);
    assert_eq!(
        record.steps[0].player_errors[0].kind,
        PlayerErrorKind::IllegalMove
    );
}

#[test]
fn a_custom_player_has_no_clock_unless_it_is_timed() {
    let (_, participant) = guest(ScriptedPlayer::default(), true);
    let mut setup = setup(["legal", "legal"]);
    setup.participants[1] = participant;
    setup.play_clock = Duration::from_millis(20);
    setup.max_steps = 1;
    let record = play(&setup, None);
    assert_eq!(
        record.steps[0].player_errors[0].kind,
        PlayerErrorKind::TimeOut
    );
    // Without a clock only a resignation ends the wait.
    let (_, participant) = guest(
        ScriptedPlayer {
            resigns_at: Some(0),
            ..ScriptedPlayer::default()
        },
        false,
    );
    setup.participants[1] = participant;
    let outcome = play(&setup, None).outcome.unwrap();
    assert_eq!(outcome.goals, [Some(100), Some(0)]);
    assert_eq!(outcome.forfeited, [1]);
    assert_eq!(outcome.reason.as_deref(), Some("b resigned"));
    assert!(!outcome.completed);
}

#[test]
fn a_resignation_before_a_resumed_match_ends_it_at_once() {
    let (scripted, participant) = guest(ScriptedPlayer::default(), false);
    scripted.gives_up.cancel();
    let mut setup = tic_tac_toe(["random", "random"]);
    setup.participants[0] = participant;
    let record = play(&setup, None);
    assert!(record.steps.is_empty());
    assert_eq!(record.outcome.unwrap().goals, [Some(0), Some(100)]);
}

#[test]
fn a_match_starts_from_an_opening() {
    let setup = tic_tac_toe(["legal", "legal"]);
    let manager = GameManager::new();
    let text = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
    let moves = vec![text(["(mark 2 2)", "noop"]), text(["noop", "MARK 1 1"])];
    let record = block_on(manager.opening_record(&setup, moves)).unwrap();
    assert_eq!(record.steps[1].moves, ["noop", "(mark 1 1)"]);
    assert!(record.outcome.is_none());
    let played = play(&setup, Some(record.clone()));
    assert_eq!(played.steps[..2], record.steps);
    for (moves, says) in [
        (vec![text(["(mark 2 2)", "(mark 1 1)"])], "step 1"),
        (vec![vec!["noop".to_owned()]], "2 roles"),
        (
            vec![text(["(mark 2 2)", "noop"]), text(["(", "noop"])],
            "step 2",
        ),
    ] {
        let error = block_on(manager.opening_record(&setup, moves)).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn a_spectator_sees_the_search_reports_of_built_in_players() {
    #[derive(Default)]
    struct Watcher {
        observers: Vec<(usize, Box<dyn ReportObserver>)>,
        reports: Vec<(usize, Report)>,
        seen: Vec<Report>,
    }
    impl Spectator for Watcher {
        fn player_ready(&mut self, role: usize, observer: Box<dyn ReportObserver>) {
            self.observers.push((role, observer));
        }

        fn search_report(&mut self, role: usize, report: &Report) {
            self.reports.push((role, report.clone()));
            for (_, observer) in self
                .observers
                .iter_mut()
                .filter(|(player, _)| *player == role)
            {
                self.seen.extend(observer.report());
            }
        }
    }
    let setup = MatchSetup {
        start_clock: Duration::ZERO,
        ..tic_tac_toe(["mcts:simulations=200", "random"])
    };
    let mut watcher = Watcher::default();
    let cancel = CancellationToken::new();
    block_on(run_match(&setup, None, &mut (), &mut watcher, cancel)).unwrap();
    let seated: Vec<usize> = watcher.observers.iter().map(|(role, _)| *role).collect();
    assert!(seated.contains(&0) && seated.contains(&1));
    let (role, first) = &watcher.reports[0];
    let first = if *role == 0 {
        first
    } else {
        &watcher.reports[1].1
    };
    assert_eq!(first.values.len(), 2);
    // The observed report and the final report agree.
    let seen = watcher.seen.iter().find(|report| report.simulations > 0);
    assert_eq!(seen.unwrap().moves, first.moves);
}
