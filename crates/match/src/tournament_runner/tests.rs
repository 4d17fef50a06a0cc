//! Tests of concurrent matches and of players that are not available.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::testing::{Behaviour, FakePlayer};
use crate::tournament::RuleSheet;

/// Two players press a button once.
const BUTTON: &str = "(role x) (role o) (init (light off)) (<= (legal ?r press) (role ?r))
    (<= (next (light on)) (does x press)) (<= terminal (true (light on))) (<= (goal ?r 50) (role ?r))";

fn plan(head: &str, players: &[&str]) -> TournamentPlan {
    let players: Vec<String> = players
        .iter()
        .map(|player| format!("[[players]]\n{player}\n"))
        .collect();
    let players = players.concat();
    let text = format!(
        "name = 'cup'\nkind = 'round-robin'\nstart = 60\nplay = 60\n{head}\n[[games]]\ngame = 'g'\n{players}"
    );
    let sheet = |word: &str| {
        Ok::<_, String>(RuleSheet {
            name: word.to_owned(),
            text: BUTTON.to_owned(),
            roles: vec!["x".to_owned(), "o".to_owned()],
        })
    };
    TournamentPlan::new(&text, sheet).unwrap()
}

fn run(runner: &TournamentRunner) -> Result<Standings, TournamentError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(runner.run(&CancellationToken::new(), |_| {}))
}

#[test]
fn concurrent_matches_stay_within_their_limit_and_the_cpus() {
    let players = [
        "player = 'mcts:threads=2'",
        "player = 'mcts'",
        "player = 'random'",
    ];
    let mut plan = plan("parallel = 3\ncpus = 5", &players);
    let fixtures = TournamentSchedule::new(&plan, &Results::new()).fixtures(&plan);
    let cpus: Vec<u32> = fixtures.iter().map(|f| f.cpus(&plan)).collect();
    assert_eq!(cpus, [3, 3, 2, 2, 1, 1]);
    let running = |numbers: &[usize]| -> BTreeMap<String, ScheduledMatch> {
        let chosen = numbers.iter().map(|number| fixtures[*number].clone());
        chosen
            .map(|fixture| (fixture.id.clone(), fixture))
            .collect()
    };
    assert!(fits(&plan, &fixtures[0], &running(&[2])));
    assert!(!fits(&plan, &fixtures[0], &running(&[1])));
    assert!(fits(&plan, &fixtures[4], &running(&[2, 3])));
    assert!(
        !fits(&plan, &fixtures[4], &running(&[2, 3, 5])),
        "three at once"
    );
    plan.cpus = 1;
    assert!(fits(&plan, &fixtures[0], &running(&[])), "alone");
    assert!(!fits(&plan, &fixtures[4], &running(&[5])));
}

#[test]
fn a_remote_player_has_one_match_at_a_time_unless_the_file_allows_more() {
    let players = |more: &str| {
        plan(
            "parallel = 9\ncpus = 9",
            &[
                &format!("name = 'guest'\nplayer = 'http://localhost:9147'{more}"),
                "player = 'random'",
                "player = 'legal'",
            ],
        )
    };
    for (more, at_once) in [("", false), ("\nmatches = 2", true)] {
        let plan = players(more);
        let fixtures = TournamentSchedule::new(&plan, &Results::new()).fixtures(&plan);
        let first = fixtures[0].clone();
        let running = BTreeMap::from([(first.id.clone(), first)]);
        assert_eq!(fits(&plan, &fixtures[1], &running), at_once);
        let others = fixtures
            .iter()
            .find(|f| !f.role_players.contains(&0))
            .unwrap();
        assert!(fits(&plan, others, &running), "it waits, the others do not");
    }
}

#[test]
fn a_refused_match_is_postponed_and_not_rated() {
    let refusals = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&refusals);
    let guest = FakePlayer::new(move |request| {
        let is_start = request.contains("(START");
        let first = is_start && count.fetch_add(1, Ordering::AcqRel) < MAX_TRIES - 1;
        Behaviour::Answer(if first {
            "busy".to_owned()
        } else if is_start {
            "ready".to_owned()
        } else {
            "press".to_owned()
        })
    })
    .unwrap();
    let url = format!("name = 'guest'\nplayer = '{}'", guest.url());
    let plan = plan("", &[&url, "player = 'random'"]);
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(&folder.path().join("a.sqlite")).unwrap();
    let runner = TournamentRunner::new(plan, archive).unwrap();
    let table = run(&runner.with_availability_timeout(Duration::ZERO)).unwrap();
    assert!(table.finished);
    assert_eq!(table.matches, 2);
    assert!(table.rows.iter().all(|row| row.errors == 0), "{table:?}");
    assert_eq!(refusals.load(Ordering::Acquire), MAX_TRIES + 1);
}

#[test]
fn a_tournament_stops_without_one_of_its_players_and_resumes_with_it() {
    let is_there = Arc::new(AtomicU32::new(0));
    let there = Arc::clone(&is_there);
    let guest = FakePlayer::new(move |request| {
        let is_busy = there.load(Ordering::Acquire) == 0;
        Behaviour::Answer(match () {
            () if request.contains("(INFO") && is_busy => "((status busy))".to_owned(),
            () if request.contains("(START") => "ready".to_owned(),
            () => "press".to_owned(),
        })
    })
    .unwrap();
    let url = format!("name = 'guest'\nplayer = '{}'", guest.url());
    let plan = plan(
        "parallel = 1",
        &[&url, "player = 'random'", "player = 'legal'"],
    );
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(&folder.path().join("a.sqlite")).unwrap();
    let runner = TournamentRunner::new(plan, archive.clone()).unwrap();
    let runner = runner.with_availability_timeout(Duration::ZERO);
    let error = run(&runner).unwrap_err().to_string();
    assert!(error.contains("player `guest`"), "{error}");
    assert!(error.contains("busy"), "{error}");
    let (results, _) = archive.results(runner.tournament).unwrap();
    assert!(results.keys().all(|id| id.contains(".2-3.")), "{results:?}");
    is_there.store(1, Ordering::Release);
    let table = run(&runner).unwrap();
    assert!(table.finished);
    assert_eq!(table.rows.iter().map(|row| row.errors).sum::<u32>(), 0);
}
