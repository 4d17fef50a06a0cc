//! Tests of archives.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::match_log::MatchLog as _;
use crate::record::{MatchRecord, MatchStep, Outcome, PlayerError, PlayerErrorKind};
use crate::tournament::{
    MatchResult, Results, RuleSheet, Standings, TournamentPlan, TournamentSchedule,
};

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/archive.sqlite");
    (folder, path)
}

fn player_error(role: usize, kind: PlayerErrorKind) -> PlayerError {
    PlayerError {
        role,
        kind,
        detail: "said \"(noop\"\n".to_owned(),
    }
}

fn step(number: u32) -> MatchStep {
    MatchStep {
        number,
        moves: vec![format!("(mark {number} 1)"), "noop".to_owned()],
        state: vec![format!("(cell {number} 1 x)"), "(control o)".to_owned()],
        player_errors: match number {
            1 => vec![
                player_error(1, PlayerErrorKind::TimeOut),
                player_error(0, PlayerErrorKind::IllegalMove),
            ],
            _ => Vec::new(),
        },
        took_ms: vec![12, u64::from(number)],
        at_ms: 1_700_000_000_000 + u64::from(number),
    }
}

/// A match with three steps.
fn record(id: &str) -> MatchRecord {
    MatchRecord {
        id: id.to_owned(),
        game: "tic-tac-toe".to_owned(),
        roles: vec!["xplayer".to_owned(), "oplayer".to_owned()],
        players: vec!["random".to_owned(), "http://localhost:1".to_owned()],
        names: Vec::new(),
        start_clock_ms: 1000,
        play_clock_ms: 500,
        seed: u64::MAX - 3,
        began_at_ms: 1_700_000_000_000,
        initial: vec!["(control x)".to_owned()],
        start_errors: vec![player_error(1, PlayerErrorKind::Connection)],
        steps: (0..3).map(step).collect(),
        outcome: Some(Outcome {
            completed: false,
            goals: vec![Some(100), None],
            forfeited: vec![1],
            reason: Some("oplayer made 3 errors".to_owned()),
        }),
    }
}

/// Writes a match as a game manager does, up to some step.
fn write(log: &mut ArchiveMatchLog, record: &MatchRecord, steps: usize, end: bool) {
    let mut begun = record.clone();
    begun.steps.clear();
    begun.outcome = None;
    log.begin(&begun).unwrap();
    for step in &record.steps[..steps] {
        log.step(step).unwrap();
    }
    if end {
        log.end(record.outcome.as_ref().unwrap()).unwrap();
    }
}

#[test]
fn a_written_match_is_read_back() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let record = record("m1");
    write(&mut archive.match_log("(role xplayer)"), &record, 3, true);
    assert_eq!(archive.record("m1").unwrap(), Some(record.clone()));
    assert_eq!(
        archive.sheet("m1").unwrap().as_deref(),
        Some("(role xplayer)")
    );
    assert_eq!(archive.record("m2").unwrap(), None);
    drop(archive);
    let again = Archive::open(&path).unwrap();
    assert_eq!(again.record("m1").unwrap(), Some(record));
}

#[test]
fn a_match_is_resumed_after_its_last_step() {
    let (_folder, path) = folder();
    let whole = record("m1");
    {
        let archive = Archive::create(&path).unwrap();
        write(&mut archive.match_log(""), &whole, 2, false);
    }
    let archive = Archive::open(&path).unwrap();
    let found = archive.record("m1").unwrap().unwrap();
    assert_eq!(found.steps, whole.steps[..2]);
    assert_eq!(found.outcome, None);
    let mut log = archive.match_log("").resumed("m1");
    log.step(&whole.steps[2]).unwrap();
    log.end(whole.outcome.as_ref().unwrap()).unwrap();
    assert_eq!(archive.record("m1").unwrap(), Some(whole));
}

#[test]
fn steps_are_not_written_twice_or_out_of_order() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let whole = record("m1");
    let mut log = archive.match_log("");
    assert!(log.step(&step(0)).is_err(), "not begun");
    write(&mut log, &whole, 2, false);
    assert!(log.step(&step(1)).is_err(), "again");
    assert!(log.step(&step(3)).is_err(), "one left out");
    let error = archive.match_log("").begin(&whole).unwrap_err();
    assert!(error.to_string().contains("already"), "{error}");
    log.step(&step(2)).unwrap();
    let outcome = whole.outcome.as_ref().unwrap();
    log.end(outcome).unwrap();
    assert!(log.end(outcome).is_err(), "a second end");
    assert!(log.step(&step(3)).is_err(), "after the end");
    assert!(archive.match_log("").resumed("m2").step(&step(0)).is_err());
    assert_eq!(archive.record("m1").unwrap(), Some(whole));
}

#[test]
fn concurrent_matches_are_all_stored() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let archive = archive.clone();
            scope.spawn(move || {
                let record = record(&format!("m{number}"));
                write(
                    &mut archive.match_log("(role x)"),
                    &record,
                    3,
                    number % 2 == 0,
                );
            });
        }
    });
    let all = archive.matches(&MatchFilter::default()).unwrap();
    assert_eq!(all.len(), 20);
    let finished = MatchFilter {
        finished: Some(true),
        ..MatchFilter::default()
    };
    assert_eq!(archive.matches(&finished).unwrap().len(), 10);
    assert_eq!(archive.record("m0").unwrap(), Some(record("m0")));
}

#[test]
fn two_archives_of_one_file_see_each_other() {
    let (_folder, path) = folder();
    let (one, two) = (
        Archive::create(&path).unwrap(),
        Archive::create(&path).unwrap(),
    );
    write(&mut one.match_log(""), &record("m1"), 3, true);
    write(&mut two.match_log(""), &record("m2"), 3, true);
    assert_eq!(one.matches(&MatchFilter::default()).unwrap().len(), 2);
    assert_eq!(two.record("m1").unwrap(), Some(record("m1")));
}

#[test]
fn all_conditions_of_a_filter_apply() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    for number in 0..4 {
        let mut record = record(&format!("m{number}"));
        record.began_at_ms += number;
        if number == 2 {
            record.game = "nim".to_owned();
            record.start_errors.clear();
            record.steps.clear();
            record.players[0] = "legal".to_owned();
        }
        let steps = record.steps.len();
        write(&mut archive.match_log(""), &record, steps, number != 3);
    }
    let found = |filter: MatchFilter| -> Vec<String> {
        let matches = archive.matches(&filter).unwrap();
        matches.into_iter().map(|summary| summary.id).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    let none = MatchFilter::default;
    assert_eq!(found(none()), ["m0", "m1", "m2", "m3"]);
    assert_eq!(
        found(MatchFilter {
            game: text("nim"),
            ..none()
        }),
        ["m2"]
    );
    assert_eq!(
        found(MatchFilter {
            player: text("legal"),
            ..none()
        }),
        ["m2"]
    );
    assert_eq!(
        found(MatchFilter {
            finished: Some(false),
            ..none()
        }),
        ["m3"]
    );
    assert_eq!(
        found(MatchFilter {
            errors: Some(false),
            ..none()
        }),
        ["m2"]
    );
    assert_eq!(
        found(MatchFilter {
            limit: Some(2),
            ..none()
        }),
        ["m2", "m3"]
    );
    assert_eq!(
        found(MatchFilter {
            before: text("m2"),
            limit: Some(1),
            ..none()
        }),
        ["m1"]
    );
    assert_eq!(
        found(MatchFilter {
            id: text("m1"),
            ..none()
        }),
        ["m1"]
    );
    assert_eq!(
        found(MatchFilter {
            id: text("%"),
            ..none()
        }),
        Vec::<String>::new()
    );
    assert!(
        found(MatchFilter {
            tournament: text("x"),
            ..none()
        })
        .is_empty()
    );
    let summary = archive.summary("m0").unwrap().unwrap();
    assert_eq!((summary.steps, summary.errors), (3, 3));
    assert_eq!(summary.state, MatchStatus::Ended);
    assert_eq!((summary.roles[0].errors, summary.roles[1].errors), (1, 2));
    assert!(summary.roles[1].forfeited);
    // The player that forfeited has lost, in ratings over the archive too.
    let comparisons = archive
        .comparisons(&MatchFilter {
            id: text("m0"),
            ..none()
        })
        .unwrap();
    assert_eq!(comparisons.len(), 1);
    assert!((comparisons[0].share - 0.0).abs() < 1e-9, "{comparisons:?}");
}

fn plan(more: &str) -> TournamentPlan {
    let text = format!(
        "name = \"cup\"\nkind = \"round-robin\"\n{more}\n[[games]]\ngame = \"g\"\n
         [[players]]\nname = \"a\"\nplayer = \"random\"\n[[players]]\nname = \"b\"\nplayer = \"random\""
    );
    let sheet = |word: &str| {
        Ok::<_, String>(RuleSheet {
            name: word.to_owned(),
            text: String::new(),
            roles: vec!["x".to_owned(), "o".to_owned()],
        })
    };
    TournamentPlan::new(&text, sheet).unwrap()
}

#[test]
fn a_tournament_is_found_by_name_seed_and_plan() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    assert_eq!(archive.find_tournament(&plan("")).unwrap(), None);
    let cup = archive.register_tournament(&plan("")).unwrap();
    assert_eq!(
        archive.register_tournament(&plan("parallel = 9")).unwrap(),
        cup
    );
    assert_ne!(archive.register_tournament(&plan("seed = 2")).unwrap(), cup);
    let error = archive
        .register_tournament(&plan("rounds = 2"))
        .unwrap_err();
    assert!(error.to_string().contains("other rounds"), "{error}");
    let names = ["a", "b"].map(str::to_owned).to_vec();
    let log = |id: &str| {
        let log = archive.match_log("").for_tournament(cup, names.clone());
        (log, record(id))
    };
    let (mut first, one) = log("cup-1.r1.g1.1-2.1");
    write(&mut first, &one, 3, true);
    let (mut second, two) = log("cup-1.r1.g1.1-2.2");
    write(&mut second, &two, 1, false);
    let (results, begun) = archive.results(cup).unwrap();
    let expected = MatchResult::of(&one).unwrap();
    assert_eq!(expected.errors, [1, 2]);
    assert_eq!(results, Results::from([(one.id.clone(), expected)]));
    assert!(begun.len() == 1 && begun.contains(&two.id));
    let table = Standings::new(&plan(""), &results);
    archive.store_ratings(cup, &table).unwrap();
    archive.store_ratings(cup, &table).unwrap();
    let ratings = archive.ratings(cup).unwrap();
    assert_eq!(ratings.len(), 4);
    assert_eq!(ratings[0].0, None);
    assert_eq!(Some(&ratings[0].1), table.rows[0].rating.as_ref());
    assert_eq!(ratings[2].0.as_deref(), Some("g"));
    let listed = archive.tournaments().unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!((listed[0].matches, listed[0].unfinished), (1, 1));
    assert_eq!(listed[0].kind, "round-robin");
    assert_eq!(listed[0].ended_at_ms, None);
}

#[test]
fn one_tournament_is_played_by_one_process_at_a_time() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let lock = archive.lock(&plan("")).unwrap();
    let error = archive.lock(&plan("")).unwrap_err();
    let process = std::process::id().to_string();
    assert!(error.to_string().contains("another process"), "{error}");
    assert!(
        cfg!(windows) || error.to_string().contains(&process),
        "{error}"
    );
    let _other = archive.lock(&plan("seed = 2")).unwrap();
    drop(lock);
    let _again = archive.lock(&plan("")).unwrap();
}

#[test]
fn damaged_and_foreign_files_are_distinguished_and_left_unchanged() {
    let (folder, path) = folder();
    let error = Archive::open(&path).unwrap_err();
    assert!(error.to_string().contains("there is no archive"), "{error}");
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "dear diary, ".repeat(200)).unwrap();
    let error = Archive::create(&text).unwrap_err();
    assert!(error.to_string().contains("is not an archive"), "{error}");
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("dear"));
    let archive = Archive::create(&path).unwrap();
    for number in 0..50 {
        let record = record(&format!("m{number}"));
        write(&mut archive.match_log(""), &record, 3, true);
    }
    drop(archive);
    // Overwrites pages in the middle.
    let mut bytes = std::fs::read(&path).unwrap();
    let (start, end) = (4096, bytes.len() - 4096);
    bytes[start..end].fill(0x5A);
    std::fs::write(&path, bytes).unwrap();
    let read = Archive::open(&path).and_then(|archive| archive.matches(&MatchFilter::default()));
    let error = read.unwrap_err();
    assert!(error.to_string().contains("is damaged"), "{error}");
    let folder_error = Archive::create(folder.path()).unwrap_err();
    assert!(!folder_error.to_string().is_empty());
}

#[test]
fn steps_can_be_deleted_until_the_match_is_over() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let mut record = record("m1");
    let mut log = archive.match_log("(role a)");
    write(&mut log, &record, 3, false);
    log.truncate(1).unwrap();
    record.steps.truncate(1);
    let kept = archive.record("m1").unwrap().unwrap();
    assert_eq!(kept.steps, record.steps);
    log.step(&step(1)).unwrap();
    log.end(record.outcome.as_ref().unwrap()).unwrap();
    let error = log.truncate(0).unwrap_err().to_string();
    assert!(error.contains("over"), "{error}");
    assert_eq!(archive.record("m1").unwrap().unwrap().steps.len(), 2);
}

#[test]
fn a_file_that_cannot_be_written_to_can_be_read() {
    let (_folder, path) = folder();
    let record = record("m1");
    {
        let archive = Archive::create(&path).unwrap();
        write(&mut archive.match_log("(role xplayer)"), &record, 3, true);
    }
    let archive = Archive::read_only(&path).unwrap();
    assert_eq!(archive.record("m1").unwrap(), Some(record.clone()));
    assert_eq!(archive.matches(&MatchFilter::default()).unwrap().len(), 1);
    let mut other = record;
    other.id = "m2".to_owned();
    let error = archive.match_log("").begin(&other).unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
}

#[test]
fn players_of_a_tournament_keep_their_names() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let cup = archive.register_tournament(&plan("")).unwrap();
    let names = vec!["chance".to_owned(), "guest".to_owned()];
    let log = archive.match_log("");
    let mut log = log.for_tournament(cup, names.clone());
    let record = record("m1");
    write(&mut log, &record, 3, true);
    let found = archive.record("m1").unwrap().unwrap();
    assert_eq!(found.players, record.players);
    assert_eq!(found.display_names(), names);
}

#[test]
fn ratings_of_a_finished_tournament_are_those_of_its_standings() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let small = plan("");
    let cup = archive.register_tournament(&small).unwrap();
    let fixtures = TournamentSchedule::new(&small, &Results::new()).fixtures(&small);
    let result = |goals: [u8; 2]| MatchResult {
        completed: true,
        goals: goals.map(Some).to_vec(),
        forfeited: Vec::new(),
        errors: vec![0, 0],
    };
    let results = fixtures.iter().map(|f| (f.id.clone(), result([70, 30])));
    let results: Results = results.collect();
    assert_eq!(archive.tournament_ratings("cup", None).unwrap(), None);
    let table = Standings::new(&small, &results);
    assert!(table.finished);
    archive.store_ratings(cup, &table).unwrap();
    let ratings = archive.tournament_ratings("cup", None).unwrap().unwrap();
    let expected: Vec<_> = table.rows.iter().filter_map(|r| r.rating.clone()).collect();
    assert_eq!(ratings.len(), 2);
    assert!(expected.iter().all(|rating| ratings.contains(rating)));
    let of_game = archive.tournament_ratings("cup", Some("g")).unwrap();
    assert_eq!(of_game, Some(table.games[0].ratings.clone()));
    assert_eq!(archive.tournament_ratings("cup", Some("x")).unwrap(), None);
    archive.register_tournament(&plan("seed = 2")).unwrap();
    assert_eq!(
        archive.tournament_ratings("cup", None).unwrap(),
        None,
        "which one?"
    );
}
