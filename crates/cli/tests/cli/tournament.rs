//! `ludorum tournament` and `ludorum archive`, as processes. Players count simulations or do not
//! search, so that the results do not depend on the machine.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use ludorum_match::MatchRecord;
use ludorum_match::archive::{Archive, MatchFilter};
use ludorum_match::testing::{Behaviour, FakePlayer};
use ludorum_reasoner::Rng;
use serde_json::Value;

use crate::{Folder, Run, finish, ludorum, run};

/// Five players, 40 matches of tic-tac-toe and 10 of a puzzle.
const FIFTY: &str = r#"
name = "fifty"
seed = 11
kind = "round-robin"
repeats = 2
start = 60
play = 60
parallel = 3
cpus = 8
[[games]]
game = "tic-tac-toe"
[[games]]
game = "hanoi-3"
max_steps = 12
[[players]]
name = "dice"
player = "random"
[[players]]
name = "more-dice"
player = "random"
[[players]]
player = "legal"
[[players]]
name = "look"
player = "one-ply"
[[players]]
name = "count"
player = "mcs:simulations=20,engine=prover"
"#;

/// Two players and two matches.
const SMALL: &str = r#"
name = "small"
kind = "KIND"
start = 60
play = 60
[[games]]
game = "nim"
[[players]]
name = "dice"
player = "random"
[[players]]
player = "legal"
"#;

fn small(kind: &str) -> Folder {
    Folder::new(&[("cup.toml", &SMALL.replace("KIND", kind))])
}

/// Runs a command on the tournament of a folder.
fn cup(folder: &Folder, archive: &str, more: &[&str]) -> Run {
    let (file, archive) = (folder.path("cup.toml"), folder.path(archive));
    let args = ["tournament", &file, "--archive", &archive];
    run(&[&args[..], more].concat())
}

fn start(folder: &Folder, archive: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("ludorum"))
        .args(["tournament", &folder.path("cup.toml"), "--json"])
        .args(["--archive", &folder.path(archive)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts")
}

/// The number of steps in an archive.
fn steps(archive: &Archive) -> u32 {
    // Another process may just have created the archive and hold its lock.
    let list = archive.matches(&MatchFilter::default());
    list.map_or(0, |list| list.iter().map(|summary| summary.steps).sum())
}

/// The number of steps in an archive file; 0 if there is no file.
fn steps_in(path: &str) -> u32 {
    Archive::open(Path::new(path)).map_or(0, |archive| steps(&archive))
}

/// Waits until the archive has this many steps; false if the process ended before.
fn wait_for_steps(child: &mut Child, path: &str, wanted: u32) -> bool {
    let mut archive = None;
    loop {
        if archive.is_none() {
            archive = Archive::open(Path::new(path)).ok();
        }
        if archive.as_ref().map_or(0, steps) >= wanted {
            return true;
        }
        if child.try_wait().expect("a process can be asked").is_some() {
            return false;
        }
        std::thread::yield_now();
    }
}

/// All matches, without their times.
fn records(path: &str) -> Vec<MatchRecord> {
    let archive = Archive::open(Path::new(path)).expect("an archive");
    let list = archive.matches(&MatchFilter::default()).expect("matches");
    let mut records: Vec<MatchRecord> = list
        .iter()
        .map(|summary| {
            archive
                .record(&summary.id)
                .expect("a match")
                .expect("a match")
        })
        .collect();
    for record in &mut records {
        record.began_at_ms = 0;
        for step in &mut record.steps {
            step.at_ms = 0;
            step.took_ms.clear();
        }
    }
    records.sort_by(|a, b| a.id.cmp(&b.id));
    records
}

#[test]
fn a_tournament_that_is_killed_ten_times_has_the_same_result() {
    let folder = Folder::new(&[("cup.toml", FIFTY)]);
    let straight = cup(&folder, "straight.sqlite", &["--json"]);
    assert_eq!(straight.code, Some(0), "{}", straight.stderr);
    let total = steps_in(&folder.path("straight.sqlite"));
    let expected = records(&folder.path("straight.sqlite"));
    assert_eq!(expected.len(), 50);
    assert!(expected.iter().all(|record| record.outcome.is_some()));
    let mut rng = Rng::new(2024);
    let mut hits = 0;
    // On a busy machine the tournament may end before a kill; then another one is played.
    for round in 0..20 {
        let archive = format!("killed-{round}.sqlite");
        let path = folder.path(&archive);
        while hits < 10 && steps_in(&path) < total {
            let more = 1 + rng.below(total as usize / 16) as u32;
            let wanted = steps_in(&path) + more;
            let mut child = start(&folder, &archive);
            let alive = wait_for_steps(&mut child, &path, wanted);
            // On Unix this is SIGKILL: the process cannot clean up.
            child.kill().expect("a process can be killed");
            child.wait().expect("a process ends");
            assert!(
                alive || steps_in(&path) == total,
                "it ends only when everything is played"
            );
            hits += u32::from(alive && steps_in(&path) < total);
        }
        let resumed = cup(&folder, &archive, &["--json"]);
        assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        assert_eq!(
            resumed.stdout, straight.stdout,
            "the standings are the same"
        );
        let table: Value = serde_json::from_str(&resumed.stdout).expect("JSON");
        assert_eq!(table["matches"], 50);
        assert_eq!(records(&path), expected, "all moves are the same");
        // Another run has nothing left to play.
        let again = cup(&folder, &archive, &["--json"]);
        assert_eq!(again.stdout, resumed.stdout);
        if hits == 10 {
            break;
        }
    }
    assert_eq!(hits, 10, "this many kills came before the end");
}

#[cfg(unix)]
#[test]
fn a_paused_tournament_is_continued() {
    let folder = Folder::new(&[("cup.toml", FIFTY)]);
    let path = folder.path("paused.sqlite");
    let mut child = start(&folder, "paused.sqlite");
    assert!(wait_for_steps(&mut child, &path, 40));
    let process = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &process]).status();
    assert!(sent.expect("kill is there").success());
    let code = child.wait().expect("a process ends").code();
    assert_eq!(code, Some(1), "paused is not finished");
    let status = cup(&folder, "paused.sqlite", &["--status"]);
    assert_eq!(status.code, Some(1));
    assert!(status.stdout.contains("of 50 matches"), "{}", status.stdout);
    let resumed = cup(&folder, "paused.sqlite", &["--json"]);
    let straight = cup(&folder, "straight.sqlite", &["--json"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(resumed.stdout, straight.stdout);
    assert_eq!(records(&path), records(&folder.path("straight.sqlite")));
}

#[test]
fn the_standings_have_ranks_points_and_ratings() {
    let folder = small("round-robin");
    let played = cup(&folder, "a.sqlite", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert_eq!(played.stderr, "", "no progress bar in a pipe");
    for part in [
        "small, round-robin, 2 matches",
        "player",
        "rating (95 %)",
        "dice",
        "legal",
        "±",
    ] {
        assert!(played.stdout.contains(part), "{part} in\n{}", played.stdout);
    }
    let status = cup(&folder, "a.sqlite", &["--status"]);
    assert_eq!((status.code, status.stdout), (Some(0), played.stdout));
}

#[test]
fn every_tournament_format_is_played_to_its_end() {
    for kind in ["swiss", "knock-out", "ladder"] {
        let folder = small(kind);
        let played = cup(&folder, "a.sqlite", &["--json"]);
        assert_eq!(played.code, Some(0), "{kind}: {}", played.stderr);
        let table: Value = serde_json::from_str(&played.stdout).expect("JSON");
        assert_eq!(table["finished"], true, "{kind}");
        assert_eq!(table["kind"], kind);
        assert!(table["rows"][0]["rating"]["elo"].is_number(), "{kind}");
    }
}

#[test]
fn a_dry_run_shows_the_schedule_and_writes_nothing() {
    let folder = small("round-robin");
    let shown = cup(&folder, "a.sqlite", &["--dry-run"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(
        shown.stdout.contains("small-1.r1.g1.1-2.2"),
        "{}",
        shown.stdout
    );
    assert!(!Path::new(&folder.path("a.sqlite")).exists());
    let json = cup(&folder, "a.sqlite", &["--dry-run", "--json"]);
    let entries: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(entries.as_array().map(Vec::len), Some(2));
    assert_eq!(entries[1]["seats"][0]["player"], "legal");
    assert_eq!(entries[1]["seats"][1]["player"], "dice");
    let swiss = cup(&small("swiss"), "a.sqlite", &["--dry-run"]);
    assert!(swiss.stdout.contains("Round 1"), "{}", swiss.stdout);
}

#[test]
fn errors_of_a_file_are_reported_with_their_line() {
    for (from, to, part) in [
        ("\"KIND\"", "\"quick\"", "line 3: unknown variant"),
        ("\"nim\"", "\"tic-tac-to\"", "line 7: no game and no file"),
        ("\"nim\"", "\"tic-tac-to\"", "did you mean `tic-tac-toe`"),
        ("\"nim\"", "\"./none.kif\"", "line 7: there is no file"),
        (
            "start = 60",
            "start = 60\nstrat = 1",
            "line 5: unknown field",
        ),
        ("\"random\"", "\"rondom\"", "no player `rondom`"),
    ] {
        let text = SMALL.replace(from, to).replace("KIND", "swiss");
        let run = cup(&Folder::new(&[("cup.toml", &text)]), "a.sqlite", &[]);
        assert_eq!(run.code, Some(2), "{to}");
        assert!(run.stderr.contains(part), "{to}: {}", run.stderr);
    }
    let broken = [
        (
            "cup.toml",
            &*SMALL.replace("KIND", "swiss").replace("nim", "bad.kif"),
        ),
        ("bad.kif", "(role white"),
    ];
    let run = cup(&Folder::new(&broken), "a.sqlite", &[]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("error[E001]"), "{}", run.stderr);
    let run = crate::run(&["tournament", "no-such-file.toml"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn sheet_paths_are_relative_to_the_file() {
    let sheet = ludorum_games::find("nim").expect("nim").text;
    let text = SMALL
        .replace("KIND", "swiss")
        .replace("\"nim\"", "\"games/own.kif\"");
    let folder = Folder::new(&[("cup.toml", &text), ("games/own.kif", sheet)]);
    let run = cup(&folder, "a.sqlite", &["--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let table: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(table["games"][0]["game"], "own");
}

#[test]
fn a_second_process_and_a_changed_file_are_refused() {
    let folder = small("round-robin");
    let lock = std::fs::File::create(folder.path("a.sqlite.small-1.lock")).expect("a file");
    lock.lock().expect("a lock");
    let second = cup(&folder, "a.sqlite", &[]);
    assert_eq!(second.code, Some(2));
    assert!(
        second.stderr.contains("another process"),
        "{}",
        second.stderr
    );
    drop(lock);
    assert_eq!(cup(&folder, "a.sqlite", &[]).code, Some(0));
    let changed = SMALL
        .replace("KIND", "round-robin")
        .replace("play = 60", "play = 61");
    std::fs::write(folder.path("cup.toml"), changed).expect("a file can be written");
    let changed = cup(&folder, "a.sqlite", &[]);
    assert_eq!(changed.code, Some(2));
    assert!(changed.stderr.contains("other games"), "{}", changed.stderr);
}

/// A folder with the archive of one small tournament.
fn played() -> Folder {
    let folder = small("round-robin");
    assert_eq!(cup(&folder, "a.sqlite", &[]).code, Some(0));
    folder
}

fn archive(folder: &Folder, args: &[&str]) -> Run {
    let path = folder.path("a.sqlite");
    run(&[&["archive"], args, &["--archive", &path]].concat())
}

#[test]
fn matches_are_listed_shown_and_replayed() {
    let folder = played();
    let list = archive(&folder, &["list"]);
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    assert_eq!(list.stdout.lines().count(), 2, "{}", list.stdout);
    let json = archive(
        &folder,
        &["list", "--json", "--player", "dice", "--limit", "1"],
    );
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json[0]["tournament"], "small");
    assert_eq!(json[0]["state"], "completed");
    let tournaments = archive(&folder, &["list", "--tournaments"]);
    assert!(
        tournaments
            .stdout
            .contains("small (seed 1), round-robin, 2 matches, over")
    );
    assert_eq!(archive(&folder, &["list", "--game", "chess"]).code, Some(1));
    let show = archive(&folder, &["show", "small-1.r1.g1.1-2.1"]);
    assert!(show.stdout.contains("dice (random)"), "{}", show.stdout);
    assert!(show.stdout.contains("After "), "{}", show.stdout);
    let replay = archive(&folder, &["replay", "small-1.r1.g1.1-2.1"]);
    assert_eq!(replay.code, Some(0), "{}", replay.stderr);
    for part in ["Start", "Step 1 of", "After "] {
        assert!(replay.stdout.contains(part), "{part} in\n{}", replay.stdout);
    }
    let late = archive(&folder, &["replay", "small-1.r1.g1.1-2.1", "--from", "999"]);
    assert_eq!(late.code, Some(2));
    let several = archive(&folder, &["show", "small"]);
    assert_eq!(several.code, Some(2));
    assert!(several.stderr.contains("2 matches"), "{}", several.stderr);
    let nothing = archive(&folder, &["show", "nothing", "--json"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), "null\n"));
    assert!(
        nothing.stderr.contains("no match `nothing`"),
        "{}",
        nothing.stderr
    );
    let ratings = archive(&folder, &["ratings", "--json"]);
    let ratings: Value = serde_json::from_str(&ratings.stdout).expect("JSON");
    assert_eq!(ratings.as_array().map(Vec::len), Some(2));
}

#[test]
fn matches_are_exported_in_all_formats() {
    let folder = played();
    let id = "small-1.r1.g1.1-2.1";
    let json = archive(&folder, &["export", id]);
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json["matchId"], id);
    assert_eq!(json["isCompleted"], true);
    assert_eq!(json["playerNames"][0], "dice", "the name in the tournament");
    assert_eq!(json["ludorum"]["players"][0], "random");
    let lines = archive(&folder, &["export", "--tournament", "small"]);
    assert_eq!(lines.stdout.lines().count(), 2);
    for line in lines.stdout.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok());
    }
    let all = archive(&folder, &["export", "--format", "json"]);
    let all: Value = serde_json::from_str(&all.stdout).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    let kif = archive(&folder, &["export", id, "--format", "kif"]);
    assert!(kif.stdout.contains(id), "{}", kif.stdout);
    let sheet = archive(&folder, &["export", id, "--format", "sheet"]);
    assert_eq!(sheet.stdout, ludorum_games::find("nim").expect("nim").text);
    let path = folder.path("out.jsonl");
    let file = archive(&folder, &["export", "-o", &path]);
    assert_eq!((file.code, file.stdout.as_str()), (Some(0), ""));
    assert_eq!(folder.read("out.jsonl"), lines.stdout);
    assert_eq!(
        archive(&folder, &["export", "--format", "kif"]).code,
        Some(2)
    );
}

#[test]
fn a_file_that_is_not_an_archive_is_refused() {
    let folder = Folder::new(&[("a.sqlite", "not a database, but long enough to look at")]);
    let foreign = archive(&folder, &["list"]);
    assert_eq!(foreign.code, Some(2));
    assert!(
        foreign.stderr.contains("not an archive"),
        "{}",
        foreign.stderr
    );
    let missing = run(&["archive", "list", "--archive", "no/such/file"]);
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.stderr.contains("there is no archive"),
        "{}",
        missing.stderr
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_default_archive_is_in_the_data_folder_of_the_user() {
    let folder = small("round-robin");
    let file = folder.path("cup.toml");
    let mut command = ludorum(&["tournament", &file]);
    command
        .env("XDG_DATA_HOME", folder.path("data"))
        .env_remove("LUDORUM_ARCHIVE");
    assert_eq!(finish(&mut command).code, Some(0));
    assert!(Path::new(&folder.path("data/ludorum/archive.sqlite")).exists());
    let mut list = ludorum(&["archive", "list"]);
    list.env(
        "LUDORUM_ARCHIVE",
        folder.path("data/ludorum/archive.sqlite"),
    );
    assert_eq!(finish(&mut list).stdout.lines().count(), 2);
}

#[test]
fn a_tournament_stops_if_a_player_is_not_available() {
    let gone = FakePlayer::answering_play_with(Behaviour::HangUp)
        .expect("a port")
        .url();
    let text = SMALL
        .replace("KIND", "round-robin")
        .replace("\"random\"", &format!("\"{gone}\""));
    let folder = Folder::new(&[("cup.toml", &text)]);
    let run = cup(&folder, "a.sqlite", &["--patience", "0", "--json"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(2), ""),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("is not ready to play"),
        "{}",
        run.stderr
    );
    let list = archive(&folder, &["list"]);
    assert_eq!(list.code, Some(1), "nothing was played: {}", list.stdout);
}
