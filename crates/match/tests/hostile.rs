//! The game manager against hostile players. It is a single test in a process of its own, so that
//! leaked threads and files can be counted.

use std::time::Duration;

use ludorum_match::testing::{Behaviour, FakePlayer, eventually};
use ludorum_match::{CancellationToken, GameManager, MatchRecord, MatchSetup, PlayerErrorKind};

fn setup(id: &str, url: &str) -> MatchSetup {
    let game = ludorum_games::find("tic-tac-toe").expect("a game that ships");
    MatchSetup {
        id: id.into(),
        game: game.name.into(),
        sheet: game.text.into(),
        start_clock: Duration::from_secs(10),
        play_clock: Duration::from_millis(150),
        participants: vec![url.parse().unwrap(), "random".parse().unwrap()],
        seed: 1,
        forfeit_after: None,
        max_steps: 100,
    }
}

fn play_all(fakes: &[(FakePlayer, PlayerErrorKind)]) -> Vec<MatchRecord> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let manager = GameManager::new();
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for (number, (fake, _)) in fakes.iter().enumerate() {
            let setup = setup(&format!("m{number}"), &fake.url());
            let manager = manager.clone();
            tasks.push(tokio::spawn(async move {
                let cancel = CancellationToken::new();
                let record = manager
                    .run_match(&setup, None, &mut (), &mut (), cancel)
                    .await;
                record.expect("the match comes to its end")
            }));
        }
        let mut records = Vec::new();
        for task in tasks {
            records.push(task.await.unwrap());
        }
        records
    })
}

/// The number of open files and threads of this process, where the system reports them.
fn holdings() -> Option<(usize, usize)> {
    let count = |path: &str| Some(std::fs::read_dir(path).ok()?.count());
    Some((count("/proc/self/fd")?, count("/proc/self/task")?))
}

#[test]
fn hostile_players_end_no_match_and_leave_nothing_behind() {
    let say = |text: &str| {
        let length = text.len();
        Behaviour::Raw(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{text}").into())
    };
    // The first runtime creates what a process has once, such as the signal pipe.
    drop(play_all(&[]));
    let before = holdings();
    {
        let manners = [
            (Behaviour::Silence, PlayerErrorKind::TimeOut),
            (Behaviour::Drip, PlayerErrorKind::TimeOut),
            (Behaviour::HangUp, PlayerErrorKind::Connection),
            (Behaviour::Flood(100_000_000), PlayerErrorKind::Garbage),
            (say("(mark 9 9)"), PlayerErrorKind::IllegalMove),
            (say("((("), PlayerErrorKind::Garbage),
            (say(&"(".repeat(60_000)), PlayerErrorKind::Garbage),
            (say(""), PlayerErrorKind::Garbage),
            (
                say("error: I do not like this game"),
                PlayerErrorKind::Refused,
            ),
            (
                Behaviour::Raw(b"\xff\xfe garbage\r\n\r\n".to_vec()),
                PlayerErrorKind::Garbage,
            ),
            (
                Behaviour::Raw(vec![b'h'; 200_000]),
                PlayerErrorKind::Garbage,
            ),
            (
                Behaviour::Raw(b"HTTP/1.1 500 Oh\r\n\r\nno".to_vec()),
                PlayerErrorKind::Refused,
            ),
        ];
        let fakes = manners
            .map(|(behaviour, kind)| (FakePlayer::answering_play_with(behaviour).unwrap(), kind));
        let records = play_all(&fakes);
        for (record, (_, kind)) in records.iter().zip(&fakes) {
            let outcome = record.outcome.as_ref().expect("an end");
            assert!(outcome.completed, "{kind:?}");
            assert!(record.start_errors.is_empty(), "{:?}", record.start_errors);
            for step in &record.steps {
                let kinds: Vec<(usize, PlayerErrorKind)> = step
                    .player_errors
                    .iter()
                    .map(|m| (m.role, m.kind))
                    .collect();
                assert_eq!(kinds, [(0, *kind)], "{:?}", step.player_errors);
                assert!(
                    step.player_errors[0].detail.len() < 400,
                    "{:?}",
                    step.player_errors
                );
            }
        }
    }
    let Some((files, threads)) = before else {
        println!("skipped in part: this system does not tell about open files");
        return;
    };
    let is_clean = || holdings().is_some_and(|now| now.0 <= files && now.1 <= threads);
    assert!(
        eventually(is_clean),
        "before {before:?}, now {:?}",
        holdings()
    );
}
