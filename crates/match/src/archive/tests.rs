//! Claims about archives.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::ledger::Ledger as _;
use crate::record::{Mishap, MishapKind, Outcome, Record, Step};
use crate::tournament::{MatchResult, Plan, Results, Schedule, Sheet, Table};

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/archive.sqlite");
    (folder, path)
}

fn mishap(role: usize, kind: MishapKind) -> Mishap {
    Mishap {
        role,
        kind,
        detail: "said \"(noop\"\n".to_owned(),
    }
}

fn step(number: u32) -> Step {
    Step {
        number,
        moves: vec![format!("(mark {number} 1)"), "noop".to_owned()],
        state: vec![format!("(cell {number} 1 x)"), "(control o)".to_owned()],
        mishaps: match number {
            1 => vec![
                mishap(1, MishapKind::TimeOut),
                mishap(0, MishapKind::IllegalMove),
            ],
            _ => Vec::new(),
        },
        took_ms: vec![12, u64::from(number)],
        at_ms: 1_700_000_000_000 + u64::from(number),
    }
}

/// A match with three steps.
fn record(id: &str) -> Record {
    Record {
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
        start_mishaps: vec![mishap(1, MishapKind::Connection)],
        steps: (0..3).map(step).collect(),
        outcome: Some(Outcome {
            completed: false,
            goals: vec![Some(100), None],
            forfeited: vec![1],
            reason: Some("oplayer made 3 errors".to_owned()),
        }),
    }
}

/// Writes a match down as a manager does, up to some step.
fn write(ledger: &mut ArchiveLedger, record: &Record, steps: usize, end: bool) {
    let mut begun = record.clone();
    begun.steps.clear();
    begun.outcome = None;
    ledger.begin(&begun).unwrap();
    for step in &record.steps[..steps] {
        ledger.step(step).unwrap();
    }
    if end {
        ledger.end(record.outcome.as_ref().unwrap()).unwrap();
    }
}

#[test]
fn what_goes_in_comes_out() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let record = record("m1");
    write(&mut archive.ledger("(role xplayer)"), &record, 3, true);
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
fn a_match_goes_on_where_it_was_left() {
    let (_folder, path) = folder();
    let whole = record("m1");
    {
        let archive = Archive::create(&path).unwrap();
        write(&mut archive.ledger(""), &whole, 2, false);
    }
    let archive = Archive::open(&path).unwrap();
    let found = archive.record("m1").unwrap().unwrap();
    assert_eq!(found.steps, whole.steps[..2]);
    assert_eq!(found.outcome, None);
    let mut ledger = archive.ledger("").resumed("m1");
    ledger.step(&whole.steps[2]).unwrap();
    ledger.end(whole.outcome.as_ref().unwrap()).unwrap();
    assert_eq!(archive.record("m1").unwrap(), Some(whole));
}

#[test]
fn nothing_is_written_twice_or_out_of_order() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let whole = record("m1");
    let mut ledger = archive.ledger("");
    assert!(ledger.step(&step(0)).is_err(), "not begun");
    write(&mut ledger, &whole, 2, false);
    assert!(ledger.step(&step(1)).is_err(), "again");
    assert!(ledger.step(&step(3)).is_err(), "one left out");
    let error = archive.ledger("").begin(&whole).unwrap_err();
    assert!(error.to_string().contains("already"), "{error}");
    ledger.step(&step(2)).unwrap();
    let outcome = whole.outcome.as_ref().unwrap();
    ledger.end(outcome).unwrap();
    assert!(ledger.end(outcome).is_err(), "a second end");
    assert!(ledger.step(&step(3)).is_err(), "after the end");
    assert!(archive.ledger("").resumed("m2").step(&step(0)).is_err());
    assert_eq!(archive.record("m1").unwrap(), Some(whole));
}

#[test]
fn many_matches_at_once_are_all_there() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let archive = archive.clone();
            scope.spawn(move || {
                let record = record(&format!("m{number}"));
                write(&mut archive.ledger("(role x)"), &record, 3, number % 2 == 0);
            });
        }
    });
    let all = archive.matches(&Filter::default()).unwrap();
    assert_eq!(all.len(), 20);
    let finished = Filter {
        finished: Some(true),
        ..Filter::default()
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
    write(&mut one.ledger(""), &record("m1"), 3, true);
    write(&mut two.ledger(""), &record("m2"), 3, true);
    assert_eq!(one.matches(&Filter::default()).unwrap().len(), 2);
    assert_eq!(two.record("m1").unwrap(), Some(record("m1")));
}

#[test]
fn filters_choose_by_everything_that_is_given() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    for number in 0..4 {
        let mut record = record(&format!("m{number}"));
        record.began_at_ms += number;
        if number == 2 {
            record.game = "nim".to_owned();
            record.start_mishaps.clear();
            record.steps.clear();
            record.players[0] = "legal".to_owned();
        }
        let steps = record.steps.len();
        write(&mut archive.ledger(""), &record, steps, number != 3);
    }
    let found = |filter: Filter| -> Vec<String> {
        let matches = archive.matches(&filter).unwrap();
        matches.into_iter().map(|summary| summary.id).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    let none = Filter::default;
    assert_eq!(found(none()), ["m0", "m1", "m2", "m3"]);
    assert_eq!(
        found(Filter {
            game: text("nim"),
            ..none()
        }),
        ["m2"]
    );
    assert_eq!(
        found(Filter {
            player: text("legal"),
            ..none()
        }),
        ["m2"]
    );
    assert_eq!(
        found(Filter {
            finished: Some(false),
            ..none()
        }),
        ["m3"]
    );
    assert_eq!(
        found(Filter {
            errors: Some(false),
            ..none()
        }),
        ["m2"]
    );
    assert_eq!(
        found(Filter {
            limit: Some(2),
            ..none()
        }),
        ["m2", "m3"]
    );
    assert_eq!(
        found(Filter {
            before: text("m2"),
            limit: Some(1),
            ..none()
        }),
        ["m1"]
    );
    assert_eq!(
        found(Filter {
            id: text("m1"),
            ..none()
        }),
        ["m1"]
    );
    assert_eq!(
        found(Filter {
            id: text("%"),
            ..none()
        }),
        Vec::<String>::new()
    );
    assert!(
        found(Filter {
            tournament: text("x"),
            ..none()
        })
        .is_empty()
    );
    let summary = archive.summary("m0").unwrap().unwrap();
    assert_eq!((summary.steps, summary.errors), (3, 3));
    assert_eq!(summary.state, State::Ended);
    assert_eq!((summary.seats[0].errors, summary.seats[1].errors), (1, 2));
    assert!(summary.seats[1].forfeited);
    // The one that forfeited has lost, in the archive's own ratings too.
    let comparisons = archive
        .comparisons(&Filter {
            id: text("m0"),
            ..none()
        })
        .unwrap();
    assert_eq!(comparisons.len(), 1);
    assert!((comparisons[0].share - 0.0).abs() < 1e-9, "{comparisons:?}");
}

fn plan(more: &str) -> Plan {
    let text = format!(
        "name = \"cup\"\nkind = \"round-robin\"\n{more}\n[[games]]\ngame = \"g\"\n
         [[players]]\nname = \"a\"\nplayer = \"random\"\n[[players]]\nname = \"b\"\nplayer = \"random\""
    );
    let sheet = |word: &str| {
        Ok::<_, String>(Sheet {
            name: word.to_owned(),
            text: String::new(),
            roles: vec!["x".to_owned(), "o".to_owned()],
        })
    };
    Plan::new(&text, sheet).unwrap()
}

#[test]
fn a_tournament_is_found_again_and_not_mistaken_for_another() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    assert_eq!(archive.find_tournament(&plan("")).unwrap(), None);
    let cup = archive.enrol(&plan("")).unwrap();
    assert_eq!(archive.enrol(&plan("parallel = 9")).unwrap(), cup);
    assert_ne!(archive.enrol(&plan("seed = 2")).unwrap(), cup);
    let error = archive.enrol(&plan("rounds = 2")).unwrap_err();
    assert!(error.to_string().contains("other rounds"), "{error}");
    let names = ["a", "b"].map(str::to_owned).to_vec();
    let ledger = |id: &str| {
        let ledger = archive.ledger("").of_tournament(cup, names.clone());
        (ledger, record(id))
    };
    let (mut first, one) = ledger("cup-1.r1.g1.1-2.1");
    write(&mut first, &one, 3, true);
    let (mut second, two) = ledger("cup-1.r1.g1.1-2.2");
    write(&mut second, &two, 1, false);
    let (results, begun) = archive.results(cup).unwrap();
    let expected = MatchResult::of(&one).unwrap();
    assert_eq!(expected.errors, [1, 2]);
    assert_eq!(results, Results::from([(one.id.clone(), expected)]));
    assert!(begun.len() == 1 && begun.contains(&two.id));
    let table = Table::new(&plan(""), &results);
    archive.keep_ratings(cup, &table).unwrap();
    archive.keep_ratings(cup, &table).unwrap();
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
fn damaged_and_foreign_files_are_told_apart_and_left_alone() {
    let (folder, path) = folder();
    let error = Archive::open(&path).unwrap_err();
    assert!(error.to_string().contains("there is no archive"), "{error}");
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "dear diary, ".repeat(200)).unwrap();
    let error = Archive::create(&text).unwrap_err();
    assert!(error.to_string().contains("is no archive"), "{error}");
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("dear"));
    let archive = Archive::create(&path).unwrap();
    for number in 0..50 {
        let record = record(&format!("m{number}"));
        write(&mut archive.ledger(""), &record, 3, true);
    }
    drop(archive);
    // Pages in the middle are overwritten.
    let mut bytes = std::fs::read(&path).unwrap();
    let (start, end) = (4096, bytes.len() - 4096);
    bytes[start..end].fill(0x5A);
    std::fs::write(&path, bytes).unwrap();
    let read = Archive::open(&path).and_then(|archive| archive.matches(&Filter::default()));
    let error = read.unwrap_err();
    assert!(error.to_string().contains("is damaged"), "{error}");
    let folder_error = Archive::create(folder.path()).unwrap_err();
    assert!(!folder_error.to_string().is_empty());
}

#[test]
fn steps_can_be_taken_back_until_the_match_is_over() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let mut record = record("m1");
    let mut ledger = archive.ledger("(role a)");
    write(&mut ledger, &record, 3, false);
    ledger.take_back(1).unwrap();
    record.steps.truncate(1);
    let kept = archive.record("m1").unwrap().unwrap();
    assert_eq!(kept.steps, record.steps);
    ledger.step(&step(1)).unwrap();
    ledger.end(record.outcome.as_ref().unwrap()).unwrap();
    let error = ledger.take_back(0).unwrap_err().to_string();
    assert!(error.contains("over"), "{error}");
    assert_eq!(archive.record("m1").unwrap().unwrap().steps.len(), 2);
}

#[test]
fn a_file_that_cannot_be_written_to_can_be_read() {
    let (_folder, path) = folder();
    let record = record("m1");
    {
        let archive = Archive::create(&path).unwrap();
        write(&mut archive.ledger("(role xplayer)"), &record, 3, true);
    }
    let archive = Archive::read_only(&path).unwrap();
    assert_eq!(archive.record("m1").unwrap(), Some(record.clone()));
    assert_eq!(archive.matches(&Filter::default()).unwrap().len(), 1);
    let mut other = record;
    other.id = "m2".to_owned();
    let error = archive.ledger("").begin(&other).unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
}

#[test]
fn players_of_a_tournament_keep_their_names() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let cup = archive.enrol(&plan("")).unwrap();
    let names = vec!["chance".to_owned(), "guest".to_owned()];
    let ledger = archive.ledger("");
    let mut ledger = ledger.of_tournament(cup, names.clone());
    let record = record("m1");
    write(&mut ledger, &record, 3, true);
    let found = archive.record("m1").unwrap().unwrap();
    assert_eq!(found.players, record.players);
    assert_eq!(found.called(), names);
}

#[test]
fn ratings_of_a_tournament_that_is_over_are_those_of_its_table() {
    let (_folder, path) = folder();
    let archive = Archive::create(&path).unwrap();
    let small = plan("");
    let cup = archive.enrol(&small).unwrap();
    let fixtures = Schedule::new(&small, &Results::new()).fixtures(&small);
    let result = |goals: [u8; 2]| MatchResult {
        completed: true,
        goals: goals.map(Some).to_vec(),
        forfeited: Vec::new(),
        errors: vec![0, 0],
    };
    let results = fixtures.iter().map(|f| (f.id.clone(), result([70, 30])));
    let results: Results = results.collect();
    assert_eq!(archive.tournament_ratings("cup", None).unwrap(), None);
    let table = Table::new(&small, &results);
    assert!(table.finished);
    archive.keep_ratings(cup, &table).unwrap();
    let ratings = archive.tournament_ratings("cup", None).unwrap().unwrap();
    let expected: Vec<_> = table.rows.iter().filter_map(|r| r.rating.clone()).collect();
    assert_eq!(ratings.len(), 2);
    assert!(expected.iter().all(|rating| ratings.contains(rating)));
    let of_game = archive.tournament_ratings("cup", Some("g")).unwrap();
    assert_eq!(of_game, Some(table.games[0].ratings.clone()));
    assert_eq!(archive.tournament_ratings("cup", Some("x")).unwrap(), None);
    archive.enrol(&plan("seed = 2")).unwrap();
    assert_eq!(
        archive.tournament_ratings("cup", None).unwrap(),
        None,
        "which one?"
    );
}
