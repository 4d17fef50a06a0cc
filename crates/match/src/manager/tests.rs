use std::sync::{Arc, Mutex};

use super::*;
use crate::record::{MatchStep, Outcome, PlayerErrorKind};
use crate::setup::Participant;
use crate::testing::{Behaviour, FakePlayer};

/// One role counts to three; it may also wait, which changes nothing.
const COUNTING: &str = "(role a) (role b) (init (at 0)) (next-of 0 1) (next-of 1 2) (next-of 2 3)
    (<= (legal ?r ?m) (role ?r) (kind ?m)) (kind go) (kind wait) (kind (step twice))
    (<= (next (at ?n)) (true (at ?m)) (next-of ?m ?n) (does a go))
    (<= (next (at ?m)) (true (at ?m)) (not (does a go)))
    (<= terminal (true (at 3)))
    (<= (goal a 100) (true (at 3))) (<= (goal a 0) (not (true (at 3)))) (goal b 50)";

pub(super) fn setup(players: [&str; 2]) -> MatchSetup {
    MatchSetup {
        id: "m1".into(),
        game: "counting".into(),
        sheet: COUNTING.into(),
        start_clock: Duration::from_mins(1),
        play_clock: Duration::from_mins(1),
        participants: players.map(|player| player.parse().unwrap()).to_vec(),
        seed: 5,
        forfeit_after: None,
        max_steps: 200,
    }
}

pub(super) fn tic_tac_toe(players: [&str; 2]) -> MatchSetup {
    let game = ludorum_games::find("tic-tac-toe").unwrap();
    MatchSetup {
        sheet: game.text.into(),
        ..setup(players)
    }
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

fn play(setup: &MatchSetup, played: Option<MatchRecord>) -> Result<MatchRecord, GameManagerError> {
    let cancel = CancellationToken::new();
    block_on(run_match(setup, played, &mut (), &mut (), cancel))
}

/// Records the order of calls to log and spectator.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }
}

impl MatchLog for Log {
    fn begin(&mut self, record: &MatchRecord) -> Result<(), MatchLogError> {
        assert!(record.steps.is_empty() && record.outcome.is_none());
        self.note("log begins".into());
        Ok(())
    }

    fn step(&mut self, step: &MatchStep) -> Result<(), MatchLogError> {
        self.note(format!("log {}", step.number));
        Ok(())
    }

    fn end(&mut self, _outcome: &Outcome) -> Result<(), MatchLogError> {
        self.note("log ends".into());
        Ok(())
    }
}

impl Spectator for Log {
    fn moves_requested(&mut self, step: u32, _legal: &[Vec<String>]) {
        self.note(format!("asked {step}"));
    }

    fn step(&mut self, step: &MatchStep) {
        self.note(format!("seen {}", step.number));
    }

    fn ended(&mut self, _record: &MatchRecord) {
        self.note("seen end".into());
    }
}

#[test]
fn a_match_between_built_in_players_is_completed() {
    let record = play(&tic_tac_toe(["minimax", "random"]), None).unwrap();
    let outcome = record.outcome.unwrap();
    assert!(outcome.completed && outcome.goals[0] >= Some(50));
    assert!(record.start_errors.is_empty());
    for (number, step) in record.steps.iter().enumerate() {
        assert_eq!(step.number as usize, number);
        assert!(step.player_errors.is_empty(), "{:?}", step.player_errors);
        assert_eq!(step.moves.len(), 2);
        assert!(!step.state.is_empty());
    }
    assert_eq!(record.players, ["minimax", "random"]);
}

#[test]
fn every_step_is_logged_before_spectators_are_notified() {
    let log = Log::default();
    let cancel = CancellationToken::new();
    let setup = setup(["random", "random"]);
    let (mut log, mut spectator) = (log.clone(), log.clone());
    let record = block_on(run_match(&setup, None, &mut log, &mut spectator, cancel)).unwrap();
    let mut expected = vec!["log begins".to_owned()];
    for number in 0..record.steps.len() {
        expected.extend(["asked", "log", "seen"].map(|word| format!("{word} {number}")));
    }
    expected.extend(["log ends", "seen end"].map(str::to_owned));
    assert_eq!(*log.0.lock().unwrap(), expected);
}

#[test]
fn a_resumed_match_goes_on_as_it_would_have() {
    for players in [
        ["random", "random"],
        ["one-ply", "mcs:simulations=20,engine=propnet"],
    ] {
        let setup = tic_tac_toe(players);
        let whole = play(&setup, None).unwrap();
        let moves = |record: &MatchRecord| -> Vec<Vec<String>> {
            record.steps.iter().map(|step| step.moves.clone()).collect()
        };
        for cut in 0..whole.steps.len() {
            let mut played = whole.clone();
            played.steps.truncate(cut);
            played.outcome = None;
            let again = play(&setup, Some(played)).unwrap();
            assert_eq!(moves(&again), moves(&whole), "{players:?} from step {cut}");
            assert_eq!(again.outcome, whole.outcome);
        }
        let again = play(&setup, Some(whole.clone())).unwrap();
        assert_eq!(again, whole, "a match that is over is not played again");
    }
}

#[test]
fn the_match_seed_determines_players_without_a_seed() {
    let moves = |seed, first: &str| {
        let setup = MatchSetup {
            seed,
            ..tic_tac_toe([first, "random"])
        };
        let record = play(&setup, None).unwrap();
        record
            .steps
            .iter()
            .map(|s| s.moves.concat())
            .collect::<Vec<_>>()
    };
    assert_eq!(moves(1, "random"), moves(1, "random"));
    assert_ne!(moves(1, "random"), moves(2, "random"));
    assert_eq!(moves(1, "random:seed=3")[0], moves(2, "random:seed=3")[0]);
}

#[test]
fn a_match_without_an_end_stops_at_the_step_limit_with_a_reason() {
    let setup = MatchSetup {
        max_steps: 7,
        sheet: COUNTING.replace("(<= terminal (true (at 3)))", "").into(),
        ..setup(["legal", "legal"])
    };
    let record = play(&setup, None).unwrap();
    assert_eq!(record.steps.len(), 7);
    let outcome = record.outcome.unwrap();
    assert!(!outcome.completed);
    assert_eq!(outcome.goals, [None, None]);
    assert_eq!(outcome.reason.unwrap(), "no end after 7 steps");
}

#[test]
fn a_role_without_a_legal_move_ends_the_match_with_a_reason() {
    let sheet = COUNTING.replace("(role ?r) (kind ?m)", "(role ?r) (kind ?m) (true (at 0))");
    let setup = MatchSetup {
        sheet: sheet.into(),
        ..setup(["random", "random"])
    };
    let record = play(&setup, None).unwrap();
    let reason = record.outcome.unwrap().reason.unwrap();
    assert!(reason.contains("no legal move"), "{reason}");
}

#[test]
fn an_invalid_setup_is_rejected_before_players_are_notified() {
    let error = |setup: &MatchSetup| play(setup, None).unwrap_err().to_string();
    let mut wrong = setup(["random", "random"]);
    wrong.participants.pop();
    assert!(
        error(&wrong).contains("2 roles (a, b), and 1"),
        "{}",
        error(&wrong)
    );
    let wrong = MatchSetup {
        id: "a b".into(),
        ..setup(["random", "random"])
    };
    assert!(error(&wrong).contains("name of a match"));
    let wrong = MatchSetup {
        sheet: "(init a)".into(),
        ..setup(["random", "random"])
    };
    assert!(error(&wrong).contains("rules"));
    let mut wrong = setup(["random", "random"]);
    wrong.participants[0] = Participant::Remote("ftp://x".into());
    assert!(error(&wrong).contains("not the address"));
}

#[test]
fn a_record_of_another_match_cannot_be_resumed() {
    let setup = setup(["random", "random"]);
    let whole = play(&setup, None).unwrap();
    let mut other = whole.clone();
    other.players[0] = "legal".into();
    let again = play(&setup, Some(other));
    assert!(
        matches!(again, Err(GameManagerError::Replay(_))),
        "also if it is over"
    );
    let open = MatchRecord {
        outcome: None,
        ..whole
    };
    let refused = |change: &dyn Fn(&mut MatchRecord)| {
        let mut record = open.clone();
        change(&mut record);
        matches!(play(&setup, Some(record)), Err(GameManagerError::Replay(_)))
    };
    assert!(refused(&|record| record.id = "m2".into()));
    assert!(refused(&|record| record.roles.swap(0, 1)));
    assert!(refused(&|record| record.players[0] = "legal".into()));
    assert!(refused(&|record| record.start_clock_ms += 1));
    assert!(refused(&|record| record.play_clock_ms += 1));
    assert!(refused(&|record| record.seed += 1));
    assert!(refused(&|record| record.initial.clear()));
    assert!(refused(&|record| record.steps[0].number = 3));
    assert!(refused(&|record| record.steps[0].moves[0] = "fly".into()));
    assert!(refused(&|record| {
        if let Some(last) = record.steps.last_mut() {
            last.state = vec!["(at 9)".into()];
        }
    }));
}

#[test]
fn a_player_that_cannot_be_made_is_replaced_by_random_moves_and_forfeits() {
    // A port that nothing listens on.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", port.local_addr().unwrap());
    drop(port);
    let mut setup = setup([&address, "random"]);
    let record = play(&setup, None).unwrap();
    assert!(record.outcome.unwrap().completed);
    assert_eq!(record.start_errors[0].kind, PlayerErrorKind::Connection);
    assert!(
        record
            .steps
            .iter()
            .all(|step| step.player_errors.len() == 1)
    );
    setup.forfeit_after = Some(3);
    let record = play(&setup, None).unwrap();
    let outcome = record.outcome.unwrap();
    assert_eq!(
        record.steps.len(),
        2,
        "one error at the start and two at play"
    );
    assert_eq!(outcome.forfeited, [0]);
    assert_eq!(outcome.goals, [Some(0), Some(100)]);
    assert!(outcome.reason.unwrap().contains("too many errors"));
}

#[test]
fn a_cancelled_match_is_not_ended_in_the_log_and_can_be_resumed() {
    /// Cancels after a step.
    struct Impatient(CancellationToken);
    impl Spectator for Impatient {
        fn step(&mut self, step: &MatchStep) {
            if step.number == 2 {
                self.0.cancel();
            }
        }
    }
    let setup = tic_tac_toe(["random", "random"]);
    let whole = play(&setup, None).unwrap();
    let cancel = CancellationToken::new();
    let log = Log::default();
    let mut spectator = Impatient(cancel.clone());
    let result = block_on(run_match(
        &setup,
        None,
        &mut log.clone(),
        &mut spectator,
        cancel,
    ));
    let Err(GameManagerError::Cancelled { record }) = result else {
        panic!("it was cancelled");
    };
    assert!(!log.0.lock().unwrap().contains(&"log ends".to_owned()));
    assert!(record.outcome.is_none() && record.steps.len() < whole.steps.len());
    let again = play(&setup, Some(*record)).unwrap();
    assert_eq!(again.outcome, whole.outcome);
}

#[test]
fn a_failing_log_ends_the_match() {
    struct Full;
    impl MatchLog for Full {
        fn begin(&mut self, _record: &MatchRecord) -> Result<(), MatchLogError> {
            Ok(())
        }
        fn step(&mut self, _step: &MatchStep) -> Result<(), MatchLogError> {
            Err(MatchLogError::new("the disk is full"))
        }
        fn end(&mut self, _outcome: &Outcome) -> Result<(), MatchLogError> {
            Ok(())
        }
    }
    let setup = setup(["random", "random"]);
    let cancel = CancellationToken::new();
    let result = block_on(run_match(&setup, None, &mut Full, &mut (), cancel));
    assert!(result.unwrap_err().to_string().contains("the disk is full"));
}

#[test]
fn a_record_in_a_terminal_state_is_ended_without_starting_players() {
    let fake = FakePlayer::answering_play_with(Behaviour::Answer("go".into())).unwrap();
    let setup = setup([&fake.url(), "random"]);
    let mut record = play(&setup, None).unwrap();
    let outcome = record.outcome.take();
    let requests = fake.request_count();
    let again = play(&setup, Some(record)).unwrap();
    assert_eq!(again.outcome, outcome);
    assert_eq!(fake.request_count(), requests + 1, "it receives STOP");
}

#[test]
fn remote_players_get_different_match_ids() {
    let ids = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&ids);
    let fake = FakePlayer::new(move |request| {
        let mut words = request.split_whitespace();
        if words.next() == Some("(START") {
            let id = words.next().unwrap_or_default().to_owned();
            received.lock().unwrap().push(id);
            return Behaviour::Answer("ready".into());
        }
        Behaviour::Answer("go".into())
    })
    .unwrap();
    // Two spellings of one address.
    let other = fake.url().replace("127.0.0.1", "localhost");
    play(&setup([&fake.url(), &other]), None).unwrap();
    let mut ids = ids.lock().unwrap().clone();
    ids.sort();
    assert_eq!(ids, ["m1", "m1.2"]);
}

#[test]
fn answers_with_a_wrong_length_or_without_an_end_are_accepted() {
    for head in [
        "HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\ngo",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ngo\r\n",
    ] {
        let fake = FakePlayer::answering_play_with(Behaviour::Raw(head.into())).unwrap();
        let record = play(&setup([&fake.url(), "random"]), None).unwrap();
        let player_errors: Vec<_> = record.steps.iter().flat_map(|s| &s.player_errors).collect();
        assert!(player_errors.is_empty(), "{head}: {player_errors:?}");
    }
}

#[test]
fn a_match_that_needs_all_players_is_postponed_without_them() {
    let fake = FakePlayer::new(|_| Behaviour::Answer("busy".into())).unwrap();
    let mut manager = GameManager::new();
    manager.availability_timeout = Some(Duration::ZERO);
    let setup = setup([&fake.url(), "random"]);
    let log = Log::default();
    let cancel = CancellationToken::new();
    let (mut log, mut spectator) = (log.clone(), ());
    let conduct = manager.run_match(&setup, None, &mut log, &mut spectator, cancel);
    let Err(GameManagerError::Absent { role, player, .. }) = block_on(conduct) else {
        panic!("the player says that it is busy");
    };
    assert_eq!((role, player), (0, fake.url()));
    assert!(log.0.lock().unwrap().is_empty(), "nothing is written down");
}
